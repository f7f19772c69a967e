//! XYZ: one point per line of text.
//!
//! The first three numbers are the coordinates; further values (colours, normals, intensities) are skipped. `#`
//! starts a comment. Numbers are separated by white space, or by commas if the line has any: then each value between
//! commas must be a complete number, so `1,5 2,5 3,5`, with decimal commas, is an error and not the point (1, 5, 2).

use std::path::Path;

use glam::DVec3;

use super::{CloudFile, check_count};
use crate::error::{Error, Result};
use crate::text::lines::{TextLines, number, quoted, words};

/// Reads an XYZ file.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<CloudFile> {
    let mut points = Vec::new();
    for (at, line) in TextLines::new(bytes) {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        if line.trim_ascii().is_empty() {
            continue;
        }
        // Checked every 1024 points, so that a file with too many points is not read to its end.
        if points.len() % 1024 == 0 {
            check_count(points.len() as u64 + 1, path)?;
        }
        let number = u32::try_from(points.len()).map_err(|_| Error::line(path, at, "too many points"))?;
        if points.is_empty() && !words(line).next().is_some_and(is_like_number) {
            // The content of a file of another kind is not shown.
            return Err(Error::line(path, at, "found no number, expected three: x, y and z"));
        }
        points.push((number, point(line, path, at)?));
    }
    Ok(CloudFile { points, dropped: 0, warnings: Vec::new() })
}

/// Whether a word is probably meant to be a number.
fn is_like_number(word: &[u8]) -> bool {
    number(word).is_some() || word.iter().all(|byte| byte.is_ascii_digit() || b"+-.,eE".contains(byte))
}

fn point(line: &[u8], path: &Path, at: usize) -> Result<DVec3> {
    let mut point = [0.0; 3];
    let found = match line.contains(&b',') {
        true => fill(&mut point, line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii), path, at)?,
        false => fill(&mut point, words(line), path, at)?,
    };
    match found {
        3 => Ok(DVec3::from_array(point)),
        _ => Err(Error::line(path, at, format!("found {found} numbers, expected three: x, y and z"))),
    }
}

/// Reads up to three coordinates; returns their number.
fn fill<'w>(
    point: &mut [f64; 3],
    words: impl Iterator<Item = &'w [u8]>,
    path: &Path,
    at: usize,
) -> Result<usize> {
    let mut found = 0;
    for (word, (axis, value)) in words.zip("xyz".chars().zip(point)) {
        *value = match number(word) {
            Some(number) if number.is_finite() => number,
            Some(number) => {
                let what = format!("{axis} of a point is {number}, expected a finite number");
                return Err(Error::line(path, at, what));
            }
            None => {
                let what = format!("{axis} of a point is {}, expected a number", quoted(word));
                return Err(Error::line(path, at, what));
            }
        };
        found += 1;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_lines() {
        let text =
            "\u{feff}# a scan\r\n0 1 2\r\n\r\n  .5\t-1e-3   +2. 255 grey # last\r\n1.0, 2.0,3.0 ,x y\n7,8,9";
        let cloud = parse(text.as_bytes(), Path::new("a.xyz")).unwrap();
        let expected = [[0.0, 1.0, 2.0], [0.5, -1e-3, 2.0], [1.0, 2.0, 3.0], [7.0, 8.0, 9.0]];
        let expected: Vec<_> = (0..).zip(expected.map(DVec3::from_array)).collect();
        assert_eq!((cloud.points, cloud.warnings), (expected, vec![]));
    }

    #[test]
    fn lines_that_are_not_points_are_errors() {
        for (text, what) in [
            ("0 0 0\n1 two 3\n", "2: y of a point is `two`, expected a number"),
            ("0 0 0\nnan 2 3\n", "2: x of a point is NaN, expected a finite number"),
            ("0 0 -1e999\n", "1: z of a point is -inf, expected a finite number"),
            ("# c\n1 2\n", "2: found 2 numbers, expected three: x, y and z"),
            ("1,5 2,5 3,5\n", "1: y of a point is `5 2`, expected a number"),
            ("1, 2,\n", "1: z of a point is ``, expected a number"),
            ("x y z\n1 2 3\n", "1: found no number, expected three: x, y and z"),
        ] {
            let message = parse(text.as_bytes(), Path::new("a.xyz")).unwrap_err().to_string();
            assert_eq!(message, format!("a.xyz:{what}"));
        }
    }
}
