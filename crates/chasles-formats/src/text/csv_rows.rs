//! Rows of a CSV file with their line numbers, for paths and clearances.
//!
//! The CSV library does not report the line of a row after blank lines, and it would accept a line of any length.

use std::borrow::Cow;
use std::path::Path;

use crate::error::{Error, Result};
use crate::text::lines::{TextLines, number, quoted};

/// Maximum bytes of a line: more than the longest names and numbers of a thousand joints.
const LONGEST_LINE: usize = 1 << 20;

/// A cell, without surrounding spaces and quotes.
pub(crate) type Cell<'a> = Cow<'a, [u8]>;

/// The rows of a text with their line numbers. Blank lines and lines that begin with `#` are skipped.
pub(crate) struct CsvRows<'a> {
    lines: TextLines<'a>,
    path: &'a Path,
}

impl<'a> CsvRows<'a> {
    pub(crate) fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        Self { lines: TextLines::new(bytes), path }
    }

    /// The first row, with its line number. The error about a text without rows says what was expected.
    pub(crate) fn header(&mut self, expected: &str) -> Result<(usize, Vec<Cell<'a>>)> {
        let path = self.path;
        self.next().unwrap_or_else(|| Err(Error::file(path, format!("found no line, expected {expected}"))))
    }
}

impl<'a> Iterator for CsvRows<'a> {
    type Item = Result<(usize, Vec<Cell<'a>>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let has_content = |line: &[u8]| !line.is_empty() && !line.starts_with(b"#");
        let (number, line) = self.lines.by_ref().find(|(_, line)| has_content(line.trim_ascii()))?;
        Some(cells(line, number, self.path).map(|cells| (number, cells)))
    }
}

/// A finite number; otherwise a description of what was found.
pub(crate) fn finite(cell: &[u8]) -> std::result::Result<f64, String> {
    match number(cell) {
        Some(value) if value.is_finite() => Ok(value),
        _ if cell.is_empty() => Err("an empty cell".into()),
        _ => Err(quoted(cell)),
    }
}

/// A header for a message: its names, or less if it may be the first line of a file of another kind, whose content
/// is not shown.
pub(crate) fn header_text(cells: &[Cell<'_>]) -> String {
    let header = cells.join(&b","[..]);
    let in_names = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./ ()[]".contains(byte);
    let mut names = header.split(|byte| b",;\t".contains(byte));
    let are_names = names.clone().count() > 1 && names.all(|name| name.iter().all(in_names));
    if are_names { quoted(&header) } else { "the first line".to_owned() }
}

/// The cells of a line, without surrounding spaces and quotes.
fn cells<'a>(line: &'a [u8], number: usize, path: &Path) -> Result<Vec<Cell<'a>>> {
    if line.len() > LONGEST_LINE {
        let message = format!("found a line of {} bytes, expected at most {LONGEST_LINE}", line.len());
        return Err(Error::line(path, number, message));
    }
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let cell;
        (cell, rest) = match rest.trim_ascii_start() {
            [b'"', inside @ ..] => {
                let (cell, after) = quoted_cell(inside).ok_or_else(|| {
                    let found = quoted(rest.trim_ascii_start());
                    Error::line(path, number, format!("found {found}, expected a quote that ends the cell"))
                })?;
                let after = after.trim_ascii_start();
                if !after.is_empty() && after[0] != b',' {
                    let found = quoted(after);
                    let message = format!("found {found} after a cell in quotes, expected a comma");
                    return Err(Error::line(path, number, message));
                }
                (cell, after)
            }
            plain => {
                let end = plain.iter().position(|&byte| byte == b',').unwrap_or(plain.len());
                (Cow::Borrowed(plain[..end].trim_ascii_end()), &plain[end..])
            }
        };
        cells.push(cell);
        match rest {
            [_comma, after @ ..] => rest = after,
            [] => return Ok(cells),
        }
    }
}

/// The content of a quoted cell after its first quote, and the rest after its last; two quotes mean one. `None` if
/// the cell does not end.
fn quoted_cell(line: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let mut cell = Vec::new();
    let mut rest = line;
    loop {
        let end = rest.iter().position(|&byte| byte == b'"')?;
        cell.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        if rest.first() != Some(&b'"') {
            return Some((Cow::Owned(cell.trim_ascii().to_vec()), rest));
        }
        cell.push(b'"');
        rest = &rest[1..];
    }
}
