//! Paths as CSV: a header with the names, one row a waypoint.

use std::borrow::Cow;
use std::path::Path;

use super::{PathFile, PathWaypoint, check_count};
use crate::error::{Error, Place, Result};
use crate::mesh::text::{Lines, number, quoted};
use crate::scene_file::cursor::did_you_mean;

/// A line may have so many bytes: more than the longest names and numbers of a thousand joints.
const LONGEST_LINE: usize = 1 << 20;

/// Reads a path from CSV. What is asked of paths of every kind is not checked yet.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<PathFile> {
    let mut lines = Lines::new(bytes).filter(|(_, line)| {
        let line = line.trim_ascii();
        !line.is_empty() && !line.starts_with(b"#")
    });
    let Some((first, header)) = lines.next() else {
        return Err(Error::file(path, format!("found no line, expected {HEADER}")));
    };
    let header = Header::parse(header, first, path)?;
    let columns = header.joints.len() + 1;
    let mut waypoints = Vec::new();
    for (line, row) in lines {
        check_count((waypoints.len() + 1).saturating_mul(columns), path, line)?;
        let waypoint = header.waypoint((line, row), waypoints.len(), path)?;
        waypoints.push(waypoint);
    }
    let joints_place = Place::Line(first);
    Ok(PathFile { file: path.to_path_buf(), joints: header.joints, joints_place, waypoints })
}

const HEADER: &str = "a header `time,<joint>,<joint>,..`";

/// The names of the columns.
struct Header {
    joints: Vec<String>,
    /// The column of the time.
    time: usize,
}

impl Header {
    fn parse(line: &[u8], number: usize, path: &Path) -> Result<Self> {
        let mut names = Vec::new();
        for cell in cells(line, number, path)? {
            let text = std::str::from_utf8(&cell).map_err(|_| {
                let found = quoted(&cell);
                Error::line(path, number, format!("not UTF-8: found {found}, expected {HEADER}"))
            })?;
            if text.is_empty() {
                let column = names.len() + 1;
                let message = format!("found no name for column {column}, expected {HEADER}");
                return Err(Error::line(path, number, message));
            }
            names.push(text.to_owned());
        }
        let times: Vec<usize> = (0..names.len()).filter(|&column| names[column] == "time").collect();
        match times[..] {
            [time] => {
                names.remove(time);
                Ok(Self { joints: names, time })
            }
            [] => {
                let found = quoted(line.trim_ascii());
                let lower = names.iter().map(|name| name.to_lowercase());
                let close: Vec<_> = lower.map(|name| did_you_mean(&name, ["time"].into_iter())).collect();
                let hint = close.into_iter().find(|hint| !hint.is_empty()).unwrap_or_default();
                let message = format!(
                    "found no column called time in {found}, expected {HEADER} with commas between them{hint}"
                );
                Err(Error::line(path, number, message))
            }
            _ => Err(Error::line(path, number, format!("found {} columns called time", times.len()))),
        }
    }

    fn waypoint(&self, (number, line): (usize, &[u8]), segment: usize, path: &Path) -> Result<PathWaypoint> {
        let cells = cells(line, number, path)?;
        let expected = self.joints.len() + 1;
        if cells.len() != expected {
            let message = format!("found {} cells, expected {expected}, as in the header", cells.len());
            return Err(Error::line(path, number, message));
        }
        let mut time = 0.0;
        let mut positions = Vec::with_capacity(self.joints.len());
        for (column, cell) in cells.iter().enumerate() {
            let value = finite(cell).map_err(|found| {
                let mut names = self.joints.clone();
                names.insert(self.time, "time".into());
                Error::key(path, &names[column], number, format!("found {found}, expected a finite number"))
            })?;
            if column == self.time {
                time = value;
            } else {
                positions.push(value);
            }
        }
        Ok(PathWaypoint { time, positions, velocities: vec![], segment, place: Place::Line(number) })
    }
}

/// A finite number; else what was found.
fn finite(cell: &[u8]) -> std::result::Result<f64, String> {
    match number(cell) {
        Some(value) if value.is_finite() => Ok(value),
        _ if cell.is_empty() => Err("an empty cell".into()),
        _ => Err(quoted(cell)),
    }
}

/// The cells of a line, without the spaces about them and without quotes.
fn cells<'a>(line: &'a [u8], number: usize, path: &Path) -> Result<Vec<Cow<'a, [u8]>>> {
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

/// A cell whose first quote is past, and what comes after its last; two quotes stand for one. None where it does not end.
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

/// The path as CSV, which reads back as the same waypoints.
///
/// # Errors
/// A path with velocities, which CSV has no place for: read back, it would be another motion. A name of a joint that is empty, begins or
/// ends in a space, is not on one line or `time`.
///
/// # Example
/// ```
/// use chasles_formats::joint_path::{PathOptions, parse, to_csv};
/// let text = "time,lift\n0.0,0.1\n2.0,0.5\n";
/// let path = parse(text.as_bytes(), "up.csv".as_ref(), PathOptions::default())?;
/// assert_eq!(to_csv(&path)?, text);
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn to_csv(path: &PathFile) -> Result<String> {
    if path.waypoints.iter().any(|waypoint| !waypoint.velocities.is_empty()) {
        return Err(Error::file(&path.file, "found velocities, which cannot be written as CSV"));
    }
    let mut text = String::from("time");
    for name in &path.joints {
        if name.is_empty() || name == "time" || name.trim() != name || name.contains(['\n', '\r']) {
            let message = format!("found the name {name:?}, which cannot be written as CSV");
            return Err(Error::file(&path.file, message));
        }
        text.push(',');
        match name.contains([',', '"']) {
            true => text.push_str(&format!("\"{}\"", name.replace('"', "\"\""))),
            false => text.push_str(name),
        }
    }
    text.push('\n');
    for waypoint in &path.waypoints {
        let numbers = std::iter::once(&waypoint.time).chain(&waypoint.positions);
        // The shortest digits that read back the same.
        let cells: Vec<String> = numbers.map(|number| format!("{number:?}")).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    Ok(text)
}
