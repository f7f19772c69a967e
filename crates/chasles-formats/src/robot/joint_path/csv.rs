//! Paths as CSV: a header with the names, and one row per waypoint.

use std::path::Path;

use super::{MissingTimes, PathFile, PathOptions, PathWaypoint, check_count, check_waypoints};
use crate::error::{Error, ErrorLocation, Result};
use crate::text::csv_rows::{Cell, CsvRows, finite, header_text};
use crate::text::cursor::did_you_mean;
use crate::text::lines::quoted;

/// Reads a path from CSV. The checks that apply to all formats come later.
pub(super) fn parse(bytes: &[u8], path: &Path, options: PathOptions) -> Result<PathFile> {
    let mut rows = CsvRows::new(bytes, path);
    let (first, header) = rows.header(HEADER)?;
    let header = PathColumns::parse(&header, (first, path), options.times)?;
    let columns = header.joints.len() + 1;
    let mut waypoints = Vec::new();
    for row in rows {
        let (line, row) = row?;
        check_waypoints(waypoints.len() + 1, path, line)?;
        check_count((waypoints.len() + 1).saturating_mul(columns), path, line)?;
        waypoints.push(header.waypoint((line, &row), waypoints.len(), path)?);
    }
    let joints_place = ErrorLocation::Line(first);
    Ok(PathFile {
        file: path.to_path_buf(),
        joints: header.joints,
        joints_place,
        waypoints,
        may_be_cut: false,
    })
}

const HEADER: &str = "a header `time,<joint>,<joint>,..`";

/// The names of the columns.
struct PathColumns {
    joints: Vec<String>,
    /// The time column; `None`: the file has no times.
    time: Option<usize>,
}

impl PathColumns {
    fn parse(
        cells: &[Cell<'_>],
        (number, path): (usize, &Path),
        missing_times: MissingTimes,
    ) -> Result<Self> {
        let mut names = Vec::new();
        for cell in cells {
            let text = std::str::from_utf8(cell).map_err(|_| {
                let found = quoted(cell);
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
                Ok(Self { joints: names, time: Some(time) })
            }
            [] if missing_times == MissingTimes::Unused => Ok(Self { joints: names, time: None }),
            [] => {
                let found = header_text(cells);
                let lower = names.iter().map(|name| name.to_lowercase());
                let closing_quote: Vec<_> =
                    lower.map(|name| did_you_mean(&name, ["time"].into_iter())).collect();
                let hint = closing_quote.into_iter().find(|hint| !hint.is_empty()).unwrap_or_default();
                let message = format!(
                    "found no column called time in {found}, expected {HEADER} with commas between them{hint}"
                );
                Err(Error::line(path, number, message))
            }
            _ => Err(Error::line(path, number, format!("found {} columns called time", times.len()))),
        }
    }

    fn waypoint(
        &self,
        (number, cells): (usize, &[Cell<'_>]),
        segment: usize,
        path: &Path,
    ) -> Result<PathWaypoint> {
        let expected = self.joints.len() + usize::from(self.time.is_some());
        if cells.len() != expected {
            let message = format!("found {} cells, expected {expected}, as in the header", cells.len());
            return Err(Error::line(path, number, message));
        }
        let mut time = segment as f64;
        let mut positions = Vec::with_capacity(self.joints.len());
        for (column, cell) in cells.iter().enumerate() {
            let value = finite(cell).map_err(|found| {
                let mut names = self.joints.clone();
                if let Some(time) = self.time {
                    names.insert(time, "time".into());
                }
                Error::key(path, &names[column], number, format!("found {found}, expected a finite number"))
            })?;
            if Some(column) == self.time {
                time = value;
            } else {
                positions.push(value);
            }
        }
        Ok(PathWaypoint { time, positions, velocities: vec![], segment, place: ErrorLocation::Line(number) })
    }
}

/// Writes the path as CSV, which reads back as the same waypoints.
///
/// # Errors
/// A path with velocities, which CSV cannot store: it would read back as another motion. A joint name that is empty,
/// begins or ends with a space, contains a line break, or is `time`.
///
/// # Example
/// ```
/// use chasles_formats::robot::joint_path::{PathOptions, parse, to_csv};
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
        if name.is_empty() || name == "time" || name.trim_ascii() != name || name.contains(['\n', '\r']) {
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
