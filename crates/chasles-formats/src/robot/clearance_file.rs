//! Clearances of pairs, as CSV: the distance at which two bodies of a robot's cell are reported as near.
//!
//! ```csv
//! a,b,clearance
//! gripper,table,0.01
//! forearm,*,0.05
//! ```
//!
//! Clearances are in metres. A row names links or bodies of the world, in either order; `*` on one side means every
//! other body. If several rows match a pair, the last counts, so exceptions follow the general rows.

use std::collections::BTreeMap;
use std::path::Path;

use chasles::RobotCell;

use crate::error::{Error, Result};
use crate::limits;
use crate::text::csv_rows::{Cell, CsvRows, finite, header_text};
use crate::text::cursor::did_you_mean;
use crate::text::lines::{cut_number, quoted};

/// The clearances of pairs of a cell.
pub type Clearances = Vec<([usize; 2], f64)>;

/// Reads a file of clearances for the bodies of a cell: each pair once, by numbers, in order. The second value is a
/// warning if the file may be truncated.
///
/// # Errors
/// When the file cannot be read or is too large, and as for [`parse`].
pub fn read(path: &Path, cell: &RobotCell) -> Result<(Clearances, Option<String>)> {
    let bytes = limits::read(path, limits::CLEARANCE_FILE)?;
    let warning = cut_number(&bytes).map(|what| Error::file(path, what).to_string());
    Ok((parse(&bytes, path, cell)?, warning))
}

/// Reads clearances from the bytes of a file; errors name `path`.
///
/// # Errors
/// With file and line: another header, a row without three cells, an unknown name, a pair of a body with itself or
/// of `*` with `*`, a clearance that is not a finite number of at least 0.
pub fn parse(bytes: &[u8], path: &Path, cell: &RobotCell) -> Result<Clearances> {
    const HEADER: &str = "a header `a,b,clearance`";
    let names: BTreeMap<&str, usize> = (0..cell.count()).map(|body| (cell.name(body), body)).collect();
    let mut rows = CsvRows::new(bytes, path);
    let (line, header) = rows.header(HEADER)?;
    if !header.iter().map(|cell| &**cell).eq([&b"a"[..], b"b", b"clearance"]) {
        let found = header_text(&header);
        return Err(Error::line(path, line, format!("found {found}, expected {HEADER}")));
    }
    let mut pairs = BTreeMap::new();
    for row in rows {
        let (line, row) = row?;
        let [a, b, clearance] = &row[..] else {
            return Err(Error::line(
                path,
                line,
                format!("found {} cells, expected 3, as in the header", row.len()),
            ));
        };
        let sides = [side(a, &names), side(b, &names)];
        let [a, b] = match sides {
            [Ok(a), Ok(b)] => [a, b],
            [Err(message), _] | [_, Err(message)] => return Err(Error::line(path, line, message)),
        };
        let clearance = match finite(clearance) {
            Ok(clearance) if clearance >= 0.0 => clearance,
            _ => {
                let found = quoted(clearance);
                let message = format!("found {found}, expected a finite number >= 0");
                return Err(Error::key(path, "clearance", line, message));
            }
        };
        match [a, b] {
            [Some(a), Some(b)] if a == b => {
                let message = format!("found {:?} twice, expected two bodies", cell.name(a));
                return Err(Error::line(path, line, message));
            }
            [Some(a), Some(b)] => drop(pairs.insert([a.min(b), a.max(b)], clearance)),
            [Some(one), None] | [None, Some(one)] => {
                let others = (0..cell.count()).filter(|other| *other != one);
                pairs.extend(others.map(|other| ([one.min(other), one.max(other)], clearance)));
            }
            [None, None] => {
                let message =
                    "found `*` twice, expected a name: the clearance of all pairs is an option of its own";
                return Err(Error::line(path, line, message));
            }
        }
    }
    Ok(pairs.into_iter().collect())
}

/// The number of the body that a cell names; `None` for `*`, which means every body.
fn side(cell: &Cell<'_>, names: &BTreeMap<&str, usize>) -> std::result::Result<Option<usize>, String> {
    let text = std::str::from_utf8(cell).unwrap_or_default();
    if text == "*" {
        return Ok(None);
    }
    names.get(text).copied().map(Some).ok_or_else(|| {
        let hint = did_you_mean(text, names.keys().copied());
        format!("found {}, expected the name of a link, of a body of the world, or `*`{hint}", quoted(cell))
    })
}
