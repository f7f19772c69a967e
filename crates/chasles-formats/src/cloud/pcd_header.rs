//! The header of a PCD file: the fields of a point, and the number of points.

use std::path::Path;

use crate::error::{Error, Result};
use crate::text::lines::{TextLines, quoted, words};

/// Maximum number of fields of a point.
const FIELDS: usize = 1000;

/// The encoding of the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PcdEncoding {
    Text,
    Binary,
    Compressed,
}

/// A field of a point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PcdField {
    pub(super) name: Vec<u8>,
    /// Bytes per value.
    pub(super) size: usize,
    /// `F`, `I` or `U`.
    kind: u8,
    /// Values per point.
    pub(super) count: usize,
}

impl PcdField {
    /// Bytes per point.
    pub(super) fn bytes(&self) -> usize {
        self.size * self.count
    }

    /// Whether the field is padding, which the compressed form leaves out.
    pub(super) fn is_padding(&self) -> bool {
        self.name == b"_"
    }
}

/// A header, with its end.
#[derive(Debug)]
pub(super) struct PcdHeader {
    pub(super) fields: Vec<PcdField>,
    /// The fields x, y and z.
    pub(super) axes: [usize; 3],
    pub(super) points: u64,
    pub(super) encoding: PcdEncoding,
    /// The position of the first point.
    pub(super) start: usize,
    /// The line of the first point, if the points are text.
    pub(super) first_line: usize,
}

/// Whether the bytes begin like a PCD file.
pub(super) fn is_pcd_start(bytes: &[u8]) -> bool {
    bytes.starts_with(b"# .PCD") || bytes.starts_with(b"VERSION")
}

/// The words of a line of the header, with its number.
type HeaderLine<'a> = (usize, Vec<&'a [u8]>);

/// The lines of a header, collected first because they depend on each other.
#[derive(Default)]
struct PcdHeaderLines<'a> {
    fields: Option<HeaderLine<'a>>,
    sizes: Option<HeaderLine<'a>>,
    kinds: Option<HeaderLine<'a>>,
    counts: Option<HeaderLine<'a>>,
    width: Option<u64>,
    height: Option<u64>,
    points: Option<(usize, u64)>,
}

/// Whether the points of a PCD file are text.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    parse(bytes, Path::new("")).is_ok_and(|header| header.encoding == PcdEncoding::Text)
}

/// Reads the header.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<PcdHeader> {
    let mut found = PcdHeaderLines::default();
    let mut at = 0;
    let mut start = 0;
    let mut is_pcd = false;
    loop {
        at += 1;
        let rest = &bytes[start..];
        if rest.is_empty() {
            return Err(Error::line(path, at - 1, "the file ends within the header: expected DATA"));
        }
        // `TextLines` is not used here, because the points may be binary and start with a line-end byte.
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        start = (start + end + 1).min(bytes.len());
        let line = rest[..end].split(|byte| *byte == b'#').next().unwrap_or_default();
        let words: Vec<&[u8]> = words(line).take(FIELDS + 2).collect();
        let Some((name, words)) = words.split_first() else { continue };
        let header_line = || Some((at, words.to_vec()));
        // The content of a file of another kind is not shown.
        let is_pcd = std::mem::replace(&mut is_pcd, true);
        match *name {
            b"VERSION" => {
                if !matches!(words, [b"0.7" | b".7" | b"0.6" | b".6" | b"0.5" | b".5"]) {
                    let version = words.first().copied().unwrap_or_default();
                    let what = format!("found version {}: expected 0.7", quoted(version));
                    return Err(Error::line(path, at, what));
                }
            }
            b"FIELDS" | b"COLUMNS" => found.fields = header_line(),
            b"SIZE" => found.sizes = header_line(),
            b"TYPE" => found.kinds = header_line(),
            b"COUNT" => found.counts = header_line(),
            b"WIDTH" => found.width = Some(whole_number(words, "WIDTH", path, at)?),
            b"HEIGHT" => found.height = Some(whole_number(words, "HEIGHT", path, at)?),
            b"POINTS" => found.points = Some((at, whole_number(words, "POINTS", path, at)?)),
            // The pose of the sensor, which does not affect the coordinates.
            b"VIEWPOINT" => {}
            b"DATA" => {
                let encoding = match words {
                    [b"ascii"] => PcdEncoding::Text,
                    [b"binary"] => PcdEncoding::Binary,
                    [b"binary_compressed"] => PcdEncoding::Compressed,
                    _ => {
                        let data = words.first().copied().unwrap_or_default();
                        let expected = "expected ascii, binary or binary_compressed";
                        return Err(Error::line(
                            path,
                            at,
                            format!("found DATA {}: {expected}", quoted(data)),
                        ));
                    }
                };
                return found.header(encoding, (start, at), path);
            }
            _ => {
                let expected =
                    "expected VERSION, FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, VIEWPOINT, POINTS or DATA";
                let found = if is_pcd { quoted(name) } else { "a file of another kind".to_owned() };
                return Err(Error::line(path, at, format!("found {found}: {expected}")));
            }
        }
    }
}

fn whole_number(words: &[&[u8]], key: &str, path: &Path, at: usize) -> Result<u64> {
    let number = match words {
        [word] => std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()),
        _ => None,
    };
    number.ok_or_else(|| {
        let found = quoted(words.first().copied().unwrap_or_default());
        Error::line(path, at, format!("found {key} {found}: expected a whole number of 0 or more"))
    })
}

impl PcdHeaderLines<'_> {
    fn header(self, encoding: PcdEncoding, (start, at): (usize, usize), path: &Path) -> Result<PcdHeader> {
        let missing =
            |key: &str| Error::line(path, at, format!("the header has no {key}: expected one before DATA"));
        let (names_at, names) = self.fields.ok_or_else(|| missing("FIELDS"))?;
        if names.len() > FIELDS {
            return Err(Error::line(path, names_at, format!("found more than {FIELDS} fields")));
        }
        let (sizes_at, sizes) = self.sizes.ok_or_else(|| missing("SIZE"))?;
        let (kinds_at, kinds) = self.kinds.ok_or_else(|| missing("TYPE"))?;
        let (counts_at, counts) = self.counts.unwrap_or_else(|| (at, vec![b"1"; names.len()]));
        for (at, key, list) in
            [(sizes_at, "SIZE", &sizes), (kinds_at, "TYPE", &kinds), (counts_at, "COUNT", &counts)]
        {
            if list.len() != names.len() {
                let what =
                    format!("found {key} of {} fields: expected {}, as FIELDS has", list.len(), names.len());
                return Err(Error::line(path, at, what));
            }
        }
        let mut fields = Vec::with_capacity(names.len());
        for (((name, size), kind), count) in names.iter().zip(&sizes).zip(&kinds).zip(&counts) {
            let size = match *size {
                b"1" => 1,
                b"2" => 2,
                b"4" => 4,
                b"8" => 8,
                _ => {
                    let what = format!(
                        "found SIZE {} of field {}: expected 1, 2, 4 or 8",
                        quoted(size),
                        quoted(name)
                    );
                    return Err(Error::line(path, sizes_at, what));
                }
            };
            let kind = match *kind {
                [kind @ (b'F' | b'I' | b'U')] => *kind,
                _ => {
                    let what =
                        format!("found TYPE {} of field {}: expected F, I or U", quoted(kind), quoted(name));
                    return Err(Error::line(path, kinds_at, what));
                }
            };
            let count = std::str::from_utf8(count).ok().and_then(|count| count.parse::<u32>().ok());
            let Some(count) = count else {
                let what = format!("COUNT of field {} is not a whole number of 0 or more", quoted(name));
                return Err(Error::line(path, counts_at, what));
            };
            fields.push(PcdField { name: name.to_vec(), size, kind, count: count as usize });
        }
        let mut axes = [0; 3];
        for (axis, name) in axes.iter_mut().zip(["x", "y", "z"]) {
            let mut all = (0..fields.len()).filter(|field| fields[*field].name == name.as_bytes());
            *axis = match (all.next(), all.next()) {
                (Some(field), None) => field,
                (None, _) => {
                    let what = format!("found no field `{name}`: expected x, y and z among FIELDS");
                    return Err(Error::line(path, names_at, what));
                }
                _ => return Err(Error::line(path, names_at, format!("found the field `{name}` twice"))),
            };
            let PcdField { size, kind, count, .. } = fields[*axis];
            if kind != b'F' || size < 4 || count != 1 {
                let kind = char::from(kind);
                let what = format!(
                    "field `{name}` has TYPE {kind}, SIZE {size} and COUNT {count}: expected F, 4 or 8, and 1"
                );
                return Err(Error::line(path, kinds_at, what));
            }
        }
        let grid = self.width.map(|width| width.saturating_mul(self.height.unwrap_or(1)));
        let points = match (self.points, grid) {
            (Some((at, points)), Some(grid)) if points != grid => {
                let what = format!("found POINTS {points}, expected {grid}, as WIDTH times HEIGHT is");
                return Err(Error::line(path, at, what));
            }
            (Some((_, points)), _) => points,
            (None, Some(grid)) => grid,
            (None, None) => return Err(missing("POINTS")),
        };
        Ok(PcdHeader { fields, axes, points, encoding, start, first_line: at + 1 })
    }
}

/// The lines of the points, in a text file.
pub(super) fn lines<'a>(header: &PcdHeader, bytes: &'a [u8]) -> TextLines<'a> {
    TextLines::starting_at(&bytes[header.start..], header.first_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "# .PCD v0.7\nVERSION 0.7\nFIELDS rgb x y _ z\nSIZE 4 4 8 1 4\nTYPE U F F U F\n\
                          COUNT 1 1 1 3 1\nWIDTH 2\nHEIGHT 3\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 6\nDATA binary\n";

    #[test]
    fn a_header_is_read() {
        for text in [HEADER.to_owned(), HEADER.replace('\n', "\r\n")] {
            let header = parse(&[text.as_bytes(), b"\n\x01"].concat(), Path::new("a.pcd")).unwrap();
            assert_eq!((header.axes, header.points, header.encoding), ([1, 2, 4], 6, PcdEncoding::Binary));
            assert_eq!((header.start, header.first_line), (text.len(), 12));
            let sizes: Vec<_> = header.fields.iter().map(PcdField::bytes).collect();
            assert_eq!(sizes, [4, 4, 8, 3, 4]);
            assert!(header.fields[3].is_padding() && !header.fields[0].is_padding());
        }
        // Older files have neither COUNT nor POINTS.
        let old_version =
            "VERSION .5\nCOLUMNS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 7\nHEIGHT 2\nDATA ascii\n";
        let header = parse(old_version.as_bytes(), Path::new("a.pcd")).unwrap();
        assert_eq!((header.points, header.encoding), (14, PcdEncoding::Text));
    }

    #[test]
    fn errors_have_location_and_reason() {
        let changed = |from: &str, to: &str| {
            let text = HEADER.replace(from, to);
            assert_ne!(text, HEADER);
            parse(text.as_bytes(), Path::new("a.pcd")).unwrap_err().to_string()
        };
        for (from, to, what) in [
            ("VERSION 0.7", "VERSION 1", "2: found version `1`: expected 0.7"),
            ("rgb x y _ z", "rgb x y _ w", "3: found no field `z`: expected x, y and z among FIELDS"),
            ("rgb x y _ z", "x x y _ z", "3: found the field `x` twice"),
            ("4 4 8 1 4", "4 4 8 1", "4: found SIZE of 4 fields: expected 5, as FIELDS has"),
            ("4 4 8 1 4", "4 4 3 1 4", "4: found SIZE `3` of field `y`: expected 1, 2, 4 or 8"),
            ("U F F U F", "U F F D F", "5: found TYPE `D` of field `_`: expected F, I or U"),
            (
                "U F F U F",
                "U F I U F",
                "5: field `y` has TYPE I, SIZE 8 and COUNT 1: expected F, 4 or 8, and 1",
            ),
            (
                "1 1 1 3 1",
                "1 1 1 3 2",
                "5: field `z` has TYPE F, SIZE 4 and COUNT 2: expected F, 4 or 8, and 1",
            ),
            ("1 1 1 3 1", "1 1 1 -3 1", "6: COUNT of field `_` is not a whole number of 0 or more"),
            ("POINTS 6", "POINTS 7", "10: found POINTS 7, expected 6, as WIDTH times HEIGHT is"),
            ("POINTS 6", "POINTS six", "10: found POINTS `six`: expected a whole number of 0 or more"),
            (
                "DATA binary",
                "DATA packed",
                "11: found DATA `packed`: expected ascii, binary or binary_compressed",
            ),
            ("DATA binary\n", "", "10: the file ends within the header: expected DATA"),
            ("SIZE 4 4 8 1 4\n", "", "10: the header has no SIZE: expected one before DATA"),
        ] {
            assert_eq!(changed(from, to), format!("a.pcd:{what}"));
        }
        let other = parse(b"0 0 0\n", Path::new("a.pcd")).unwrap_err().to_string();
        assert!(
            other.starts_with("a.pcd:1: found a file of another kind: expected VERSION, FIELDS"),
            "{other}"
        );
    }
}
