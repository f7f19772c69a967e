//! Keyframes in a separate file: a table of times and poses, as CSV or as an array of NumPy.
//!
//! A CSV file starts with a header that names its columns, in any order, each once: `time,x,y,z` or
//! `time,x,y,z,qw,qx,qy,qz`. An array has the shape (n, 4) or (n, 8), with its columns in that order. Without
//! rotations the orientation is constant. Rotations are normalized.

use std::path::Path;

use glam::{DQuat, DVec3};

use crate::error::{Error, Result};
use crate::limits;
use crate::samples::npy;
use crate::text::csv_rows::{Cell, CsvRows, finite, header_text};
use crate::text::cursor::{did_you_mean, unit};
use crate::text::lines::{cut_number, quoted};
use crate::text::tree::number_text;

/// The columns, in the order of an array.
const COLUMNS: [&str; 8] = ["time", "x", "y", "z", "qw", "qx", "qy", "qz"];

/// The number of columns without rotations.
const PLACES: usize = 4;

const HEADER: &str = "a header `time,x,y,z` or `time,x,y,z,qw,qx,qy,qz`";

/// Times and poses.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MotionKeys {
    /// Seconds, strictly increasing, at least one.
    pub times: Vec<f64>,
    /// One position for each time, finite, in the unit of the file that names this file.
    pub positions: Vec<DVec3>,
    /// Unit quaternions, one for each time, their signs as in the file.
    pub rotations: Vec<DQuat>,
    /// Warnings about ignored content, one sentence each.
    pub warnings: Vec<String>,
}

/// The formats of key files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFileFormat {
    /// A table of text.
    Csv,
    /// An array of NumPy.
    Npy,
}

impl KeyFileFormat {
    /// The format of a file's extension, in upper or lower case.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(Self::Csv),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

/// Reads a file.
///
/// # Errors
/// When the file cannot be read or is not a regular file, and as for [`parse`].
pub fn read(path: &Path, format: KeyFileFormat) -> Result<MotionKeys> {
    limits::check_regular(path)?;
    match format {
        KeyFileFormat::Csv => parse(&limits::read(path, limits::PATH_FILE)?, path, format),
        KeyFileFormat::Npy => from_array(&npy::read(path)?, path),
    }
}

/// Reads keys from the bytes of a file; `path` is used only in messages.
///
/// ```
/// use chasles_formats::samples::motion_keys::{KeyFileFormat, parse};
/// let keys = parse(b"time,x,y,z\n0,1,0,0\n2.5,1,0,0.5\n", "lift.csv".as_ref(), KeyFileFormat::Csv)?;
/// assert_eq!((keys.times, keys.positions[1].z), (vec![0.0, 2.5], 0.5));
///
/// let error = parse(b"time,x,y,z\n0,1,0,0\n1,1,O,0\n", "lift.csv".as_ref(), KeyFileFormat::Csv).unwrap_err();
/// assert_eq!(error.to_string(), "lift.csv:3: y: found `O`, expected a finite number");
/// # Ok::<(), chasles_formats::Error>(())
/// ```
///
/// # Errors
/// Content of another format, columns that are missing, repeated or unknown, a value that is not a finite number,
/// times that do not increase, a rotation of length zero, no keys, or more than a million.
pub fn parse(bytes: &[u8], path: &Path, format: KeyFileFormat) -> Result<MotionKeys> {
    match format {
        KeyFileFormat::Csv => from_csv(bytes, path),
        KeyFileFormat::Npy => from_array(&npy::parse(bytes, path)?, path),
    }
}

/// One key of a file; without rotations the last four values stay unchanged.
type KeyRow = [f64; COLUMNS.len()];

/// The initial row, with the identity rotation.
const UNTURNED: KeyRow = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

impl MotionKeys {
    /// Adds a key of finite numbers; otherwise returns the column, and what was found and expected.
    fn push(&mut self, row: &KeyRow) -> std::result::Result<(), (&'static str, String)> {
        let [time, x, y, z, wxyz @ ..] = *row;
        if let Some(last) = self.times.last().filter(|last| time <= **last) {
            let found = format!("found {} after {}", number_text(time), number_text(*last));
            return Err((COLUMNS[0], format!("{found}, expected times that increase")));
        }
        let Some(rotation) = unit(wxyz) else {
            let message = "found a quaternion of length zero, expected a rotation such as 1,0,0,0";
            return Err((COLUMNS[PLACES], message.into()));
        };
        self.times.push(time);
        self.positions.push(DVec3::new(x, y, z));
        self.rotations.push(rotation);
        Ok(())
    }

    fn check_count(&self, path: &Path) -> Result<()> {
        match self.times.len() {
            0 => Err(Error::file(path, "found no key, expected at least one")),
            count if count > limits::MOTION_KEYS => Err(Error::file(
                path,
                format!("found {count} keys, expected at most {}", limits::MOTION_KEYS),
            )),
            _ => Ok(()),
        }
    }
}

fn from_csv(bytes: &[u8], path: &Path) -> Result<MotionKeys> {
    let mut rows = CsvRows::new(bytes, path);
    let (line, header) = rows.header(HEADER)?;
    let order = columns(&header, line, path)?;
    let mut keys = MotionKeys::default();
    for row in rows.take(limits::MOTION_KEYS + 1) {
        let (line, cells) = row?;
        if cells.len() != order.len() {
            let message = format!("found {} cells, expected {}, as in the header", cells.len(), order.len());
            return Err(Error::line(path, line, message));
        }
        let mut key = UNTURNED;
        for (cell, column) in cells.iter().zip(&order) {
            key[*column] = finite(cell).map_err(|found| {
                Error::key(path, COLUMNS[*column], line, format!("found {found}, expected a finite number"))
            })?;
        }
        keys.push(&key).map_err(|(column, message)| Error::key(path, column, line, message))?;
    }
    keys.check_count(path)?;
    keys.warnings.extend(cut_number(bytes));
    Ok(keys)
}

/// For each column of a file, the index of its name in [`COLUMNS`].
fn columns(header: &[Cell<'_>], line: usize, path: &Path) -> Result<Vec<usize>> {
    let mut order = Vec::new();
    for cell in header {
        let place = COLUMNS.iter().position(|name| name.as_bytes() == &**cell);
        // The other names are so short that any two are similar.
        let hint =
            || did_you_mean(&String::from_utf8_lossy(cell).to_lowercase(), COLUMNS[..1].iter().copied());
        let complain = |found: String| Err(Error::line(path, line, found));
        match place {
            None => {
                let found = match order.is_empty() {
                    true => header_text(header),
                    false => format!("the column {}", quoted(cell)),
                };
                return complain(format!("found {found}, expected {HEADER}{}", hint()));
            }
            Some(place) if order.contains(&place) => {
                return complain(format!("found the column {} twice, expected {HEADER}", COLUMNS[place]));
            }
            Some(place) => order.push(place),
        }
    }
    let expected_columns = if order.iter().any(|place| *place >= PLACES) { COLUMNS.len() } else { PLACES };
    match (0..expected_columns).find(|place| !order.contains(place)) {
        Some(missing) => {
            Err(Error::line(path, line, format!("found no column {}, expected {HEADER}", COLUMNS[missing])))
        }
        None => Ok(order),
    }
}

fn from_array(array: &npy::ArrayFile, path: &Path) -> Result<MotionKeys> {
    let [count, width] = array.axes(path)?;
    if width != PLACES && width != COLUMNS.len() {
        let expected = "expected (n, 4) for time,x,y,z or (n, 8) with qw,qx,qy,qz";
        return Err(Error::file(path, format!("found an array of shape ({count}, {width}), {expected}")));
    }
    let mut keys = MotionKeys { warnings: array.warnings.clone(), ..MotionKeys::default() };
    for (number, values) in array.values.chunks_exact(width).take(limits::MOTION_KEYS + 1).enumerate() {
        let complain = |column: &str, message: String| {
            Error::file(path, format!("row {number} (from 0), column {column}: {message}"))
        };
        if let Some(place) = values.iter().position(|value| !value.is_finite()) {
            let found = format!("found {}, expected a finite number", values[place]);
            return Err(complain(COLUMNS[place], found));
        }
        let mut key = UNTURNED;
        key[..width].copy_from_slice(values);
        keys.push(&key).map_err(|(column, message)| complain(column, message))?;
    }
    keys.check_count(path)?;
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(text: &str) -> Result<MotionKeys> {
        parse(text.as_bytes(), Path::new("m.csv"), KeyFileFormat::Csv)
    }

    fn array(shape: &str, values: &[f64]) -> Vec<u8> {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        bytes
    }

    #[test]
    fn tables_and_arrays_are_the_same_keys() {
        let complete =
            csv("time,x,y,z,qw,qx,qy,qz\n0,1,2,3,2,0,0,0\n\n# later\n1.5,4,5,6,0,0,-3,4\n").unwrap();
        assert_eq!(
            (&complete.times[..], complete.positions[1]),
            (&[0.0, 1.5][..], DVec3::new(4.0, 5.0, 6.0))
        );
        assert_eq!(complete.rotations, [DQuat::IDENTITY, DQuat::from_xyzw(0.0, -0.6, 0.8, 0.0)]);
        // In any order, with spaces and quotes, and Windows line ends.
        let reordered = "qw, qx ,qy,qz,\"time\",z,y,x\r\n2,0,0,0,0,3,2,1\r\n0,0,-3,4,1.5,6,5,4\r\n";
        assert_eq!(csv(reordered).unwrap(), complete);
        let values = [[0.0, 1.0, 2.0, 3.0, 2.0, 0.0, 0.0, 0.0], [1.5, 4.0, 5.0, 6.0, 0.0, 0.0, -3.0, 4.0]];
        let bytes = array("(2, 8)", &values.concat());
        assert_eq!(parse(&bytes, Path::new("m.npy"), KeyFileFormat::Npy).unwrap(), complete);
        // Without rotations the orientation is constant.
        let slides = csv("time,x,y,z\n0,1,2,3\n1.5,4,5,6\n").unwrap();
        assert_eq!((&slides.positions, slides.rotations[1]), (&complete.positions, DQuat::IDENTITY));
        let bytes = array("(2, 4)", &values.map(|row| [row[0], row[1], row[2], row[3]]).concat());
        assert_eq!(parse(&bytes, Path::new("m.npy"), KeyFileFormat::Npy).unwrap(), slides);
        assert_eq!(KeyFileFormat::from_extension(Path::new("A.CSV")), Some(KeyFileFormat::Csv));
        assert_eq!(KeyFileFormat::from_extension(Path::new("a.txt")), None);
    }

    #[test]
    fn invalid_tables_are_errors() {
        let header = "expected a header `time,x,y,z` or `time,x,y,z,qw,qx,qy,qz`";
        for (text, found) in [
            ("", format!("m.csv: found no line, {header}")),
            ("time,x,y,z\n", "m.csv: found no key, expected at least one".into()),
            ("time,x,y\n0,0,0\n", format!("m.csv:1: found no column z, {header}")),
            ("time,x,y,z,qw,qx,qy\n", format!("m.csv:1: found no column qz, {header}")),
            ("time,x,y,z,x\n", format!("m.csv:1: found the column x twice, {header}")),
            ("time,x,y,z,w\n", format!("m.csv:1: found the column `w`, {header}")),
            ("Time,x,y,z\n", format!("m.csv:1: found `Time,x,y,z`, {header}; did you mean \"time\"?")),
            ("0,0,0,0\n", format!("m.csv:1: found `0,0,0,0`, {header}")),
            ("time,x,y,z\n0,0,0\n", "m.csv:2: found 3 cells, expected 4, as in the header".into()),
            ("time,x,y,z\n0,0,,0\n", "m.csv:2: y: found an empty cell, expected a finite number".into()),
            ("time,x,y,z\n0,0,0,nan\n", "m.csv:2: z: found `nan`, expected a finite number".into()),
            ("time,x,y,z\n1e999,0,0,0\n", "m.csv:2: time: found `1e999`, expected a finite number".into()),
            (
                "time,x,y,z\n0,0,0,0\n1,0,0,0\n1,0,0,0\n",
                "m.csv:4: time: found 1 after 1, expected times that increase".into(),
            ),
            (
                "time,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,0,0\n",
                "m.csv:2: qw: found a quaternion of length zero, expected a rotation such as 1,0,0,0".into(),
            ),
        ] {
            assert_eq!(csv(text).unwrap_err().to_string(), found, "{text:?}");
        }
    }

    #[test]
    fn invalid_arrays_are_errors() {
        let refused =
            |bytes: &[u8]| parse(bytes, Path::new("m.npy"), KeyFileFormat::Npy).unwrap_err().to_string();
        let shape = "expected (n, 4) for time,x,y,z or (n, 8) with qw,qx,qy,qz";
        for (bytes, found) in [
            (array("(1, 7)", &[0.0; 7]), format!("m.npy: found an array of shape (1, 7), {shape}")),
            (
                array("(8,)", &[0.0; 8]),
                "m.npy: found an array of 1 axes, shape (8,), expected 2 axes".to_owned(),
            ),
            (array("(0, 4)", &[]), "m.npy: found no key, expected at least one".into()),
            (
                array("(1, 4)", &[0.0, 0.0, f64::NAN, 0.0]),
                "m.npy: row 0 (from 0), column y: found NaN, expected a finite number".into(),
            ),
            (
                array("(2, 4)", &[0.0; 8]),
                "m.npy: row 1 (from 0), column time: found 0 after 0, expected times that increase".into(),
            ),
            (
                array("(2, 4)", &[0.0; 7]),
                "m.npy: the file ends after 56 bytes of values, expected 64 for the shape (2, 4)".into(),
            ),
        ] {
            assert_eq!(refused(&bytes), found);
        }
    }
}
