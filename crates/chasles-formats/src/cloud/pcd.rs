//! PCD, the format of the Point Cloud Library: text, binary, or binary with LZF compression.
//!
//! Reference: "The PCD (Point Cloud Data) file format", version 0.7, and the library's own reader. The fields x, y
//! and z are read, which have type F; all others are skipped. Binary numbers are little-endian. In the compressed
//! form all values of a field are stored together, and fields named `_` are left out.

use std::path::Path;

use glam::DVec3;

use super::pcd_header::{self, PcdEncoding, PcdField, PcdHeader};
use super::{CloudFile, check_count, lzf};
use crate::error::{Error, Result};
use crate::limits;
use crate::text::lines::{number, quoted, words};

/// Reads a PCD file.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<CloudFile> {
    let header = pcd_header::parse(bytes, path)?;
    let mut gathered = Gathered::default();
    match header.encoding {
        PcdEncoding::Text => text(&header, bytes, path, &mut gathered)?,
        PcdEncoding::Binary => binary(&header, bytes, path, &mut gathered)?,
        PcdEncoding::Compressed => compressed(&header, bytes, path, &mut gathered)?,
    }
    Ok(gathered.finish())
}

/// The points read so far.
#[derive(Default)]
struct Gathered {
    cloud: CloudFile,
    count: u32,
    /// The number of the first point that was left out.
    first_dropped: u32,
}

impl Gathered {
    /// Adds a point, or leaves it out if a coordinate is not finite.
    fn push(&mut self, point: DVec3) {
        if point.is_finite() {
            self.cloud.points.push((self.count, point));
        } else {
            if self.cloud.dropped == 0 {
                self.first_dropped = self.count;
            }
            self.cloud.dropped += 1;
        }
        self.count += 1;
    }

    fn finish(mut self) -> CloudFile {
        if self.cloud.dropped > 0 {
            let (dropped, count, first) = (self.cloud.dropped, self.count, self.first_dropped);
            let what = format!(
                "{dropped} of {count} points are not numbers and are ignored, first point {first}; \
                 the others keep their numbers"
            );
            self.cloud.warnings.insert(0, what);
        }
        self.cloud
    }
}

fn text(header: &PcdHeader, bytes: &[u8], path: &Path, gathered: &mut Gathered) -> Result<()> {
    // A point has at least six bytes, "0 0 0\n", except perhaps the last.
    if header.points / 6 > bytes.len() as u64 {
        let what =
            format!("found {} bytes, too few for {} points", bytes.len() - header.start, header.points);
        return Err(Error::file(path, what));
    }
    check_count(header.points, path)?;
    let first = |field: usize| header.fields[..field].iter().map(|field| field.count).sum::<usize>();
    let axes = header.axes.map(first);
    let expected = first(header.fields.len());
    let mut lines = pcd_header::lines(header, bytes);
    let mut row: Vec<&[u8]> = Vec::new();
    let (mut found, mut longer) = (0, None);
    while found < header.points {
        let Some((at, line)) = lines.next() else {
            let points = header.points;
            let last = lines.number();
            return Err(Error::line(
                path,
                last,
                format!("the file ends after {found} points, expected {points}"),
            ));
        };
        row.clear();
        row.extend(words(line));
        if row.is_empty() {
            continue;
        }
        if row.len() < expected {
            let what = format!("found {} values, expected {expected}, as FIELDS and COUNT say", row.len());
            return Err(Error::line(path, at, what));
        }
        if row.len() > expected {
            longer.get_or_insert(at);
        }
        let mut point = [0.0; 3];
        for ((value, place), axis) in point.iter_mut().zip(axes).zip("xyz".chars()) {
            *value = coordinate(row[place]).ok_or_else(|| {
                Error::line(
                    path,
                    at,
                    format!("{axis} of a point is {}, expected a number", quoted(row[place])),
                )
            })?;
        }
        gathered.push(DVec3::from_array(point));
        found += 1;
    }
    if let Some(at) = longer {
        gathered
            .cloud
            .warnings
            .push(format!("a point has more values than FIELDS says: skipped (line {at})"));
    }
    if lines.any(|(_, line)| !line.trim_ascii().is_empty()) {
        gathered.cloud.warnings.push("everything after the last point is skipped".to_owned());
    }
    Ok(())
}

/// A number, or the spellings of NaN in programs: `nan`, `-nan`, `-nan(ind)`, `1.#QNAN`.
fn coordinate(word: &[u8]) -> Option<f64> {
    number(word).or_else(|| {
        let word = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
        let is_none =
            word.starts_with(b"1.#") || word.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"nan"));
        is_none.then_some(f64::NAN)
    })
}

/// Bytes of some fields in each point.
fn row_of<'a>(fields: impl IntoIterator<Item = &'a PcdField>) -> u128 {
    fields.into_iter().map(|field| field.bytes() as u128).sum()
}

fn binary(header: &PcdHeader, bytes: &[u8], path: &Path, gathered: &mut Gathered) -> Result<()> {
    let data = &bytes[header.start..];
    let row = row_of(&header.fields);
    let expected = row * u128::from(header.points);
    if expected > data.len() as u128 {
        let what =
            format!("{} points of {row} bytes take {expected} bytes, found {}", header.points, data.len());
        return Err(Error::byte(path, header.start, what));
    }
    check_count(header.points, path)?;
    let offset = |field: usize| header.fields[..field].iter().map(PcdField::bytes).sum::<usize>();
    let axes = header.axes.map(|field| (offset(field), header.fields[field].size));
    let row = offset(header.fields.len());
    for point in data.chunks_exact(row).take(points(header)) {
        gathered.push(DVec3::from_array(axes.map(|(at, size)| float(&point[at..at + size]))));
    }
    if data.len() as u128 > expected {
        gathered.cloud.warnings.push("everything after the last point is skipped".to_owned());
    }
    Ok(())
}

fn compressed(header: &PcdHeader, bytes: &[u8], path: &Path, gathered: &mut Gathered) -> Result<()> {
    let cut = |what: String| Error::byte(path, header.start, what);
    let data = &bytes[header.start..];
    let length = |at: usize| {
        let raw = data.get(at..at + 4).and_then(|raw| <[u8; 4]>::try_from(raw).ok());
        raw.map(u32::from_le_bytes)
    };
    let (Some(packed), Some(total)) = (length(0), length(4)) else {
        return Err(cut(format!(
            "found {} bytes, expected the two lengths of compressed points",
            data.len()
        )));
    };
    let rest = &data[8..];
    let Some(packed) = rest.get(..packed as usize) else {
        return Err(cut(format!("the compressed points take {packed} bytes, found {}", rest.len())));
    };
    // Padding fields should be left out, but some files include them.
    let size = |fields: &[&PcdField]| row_of(fields.iter().copied()) * u128::from(header.points);
    let all: Vec<&PcdField> = header.fields.iter().collect();
    let without_padding: Vec<&PcdField> = all.iter().copied().filter(|field| !field.is_padding()).collect();
    let fields = if size(&without_padding) == u128::from(total) { without_padding } else { all };
    if size(&fields) != u128::from(total) {
        let (points, row) = (header.points, row_of(fields));
        let expected = row * u128::from(points);
        return Err(cut(format!(
            "{points} points of {row} bytes take {expected} bytes, found {total} compressed"
        )));
    }
    check_count(header.points, path)?;
    limits::check_room(u64::from(total)).map_err(|message| Error::file(path, message))?;
    let unpacked = lzf::unpacked(packed, total as usize).map_err(cut)?;
    let count = points(header);
    let column = |axis: usize| {
        let axis_field = &header.fields[axis];
        let before = fields.iter().take_while(|field| field.name != axis_field.name);
        let start = count * before.map(|field| field.bytes()).sum::<usize>();
        unpacked[start..start + count * axis_field.size].chunks_exact(axis_field.size)
    };
    let [x, y, z] = header.axes.map(column);
    for ((x, y), z) in x.zip(y).zip(z) {
        gathered.push(DVec3::new(float(x), float(y), float(z)));
    }
    if rest.len() > packed.len() {
        gathered.cloud.warnings.push("everything after the last point is skipped".to_owned());
    }
    Ok(())
}

/// The number of points, which has been checked against the limit.
fn points(header: &PcdHeader) -> usize {
    usize::try_from(header.points).unwrap_or(0)
}

/// A little-endian number of four or eight bytes.
fn float(bytes: &[u8]) -> f64 {
    match <[u8; 4]>::try_from(bytes) {
        Ok(raw) => f64::from(f32::from_le_bytes(raw)),
        Err(_) => f64::from_le_bytes(<[u8; 8]>::try_from(bytes).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(data: &str) -> Vec<u8> {
        format!(
            "# .PCD v0.7\nVERSION 0.7\nFIELDS rgb x _ y z\nSIZE 4 4 1 8 4\nTYPE U F U F F\nCOUNT 1 1 3 1 1\n\
             WIDTH 4\nHEIGHT 1\nPOINTS 4\nDATA {data}\n"
        )
        .into_bytes()
    }

    const POINTS: [[f64; 3]; 4] =
        [[0.5, 1.0, -2.0], [f64::NAN, 0.0, 0.0], [7.0, 8.0, 9.0], [0.0, 0.0, f64::INFINITY]];

    fn column(axis: usize) -> Vec<u8> {
        POINTS.iter().flat_map(|point| number(point[axis], axis)).collect()
    }

    #[expect(clippy::cast_possible_truncation, reason = "small multiples of a half")]
    fn number(value: f64, axis: usize) -> Vec<u8> {
        if axis == 1 { value.to_le_bytes().to_vec() } else { (value as f32).to_le_bytes().to_vec() }
    }

    fn binary_rows() -> Vec<u8> {
        let row = |[x, y, z]: &[f64; 3]| {
            [vec![9; 4], number(*x, 0), vec![8; 3], number(*y, 1), number(*z, 2)].concat()
        };
        POINTS.iter().flat_map(row).collect()
    }

    /// Compresses to literal runs only.
    fn packed(bytes: &[u8]) -> Vec<u8> {
        let run = |run: &[u8]| [&[u8::try_from(run.len() - 1).unwrap()], run].concat();
        bytes.chunks(32).flat_map(run).collect()
    }

    fn compressed_file(columns: &[u8]) -> Vec<u8> {
        let packed = packed(columns);
        let length = |length: usize| u32::try_from(length).unwrap().to_le_bytes();
        [&header("binary_compressed")[..], &length(packed.len()), &length(columns.len()), &packed].concat()
    }

    fn ascii() -> Vec<u8> {
        let rows = "255 .5 0 0 0 1 -2\n255 -nan 0 0 0 0 0\n\n255 7 0 0 0 8e0 9\n255 0 0 0 0 0 inf\n";
        [header("ascii"), rows.into()].concat()
    }

    fn message(bytes: &[u8]) -> String {
        parse(bytes, Path::new("a.pcd")).unwrap_err().to_string()
    }

    #[test]
    fn all_encodings_have_the_same_points() {
        let padded = [vec![1; 16], column(0), vec![2; 12], column(1), column(2)].concat();
        let header_only = [vec![1; 16], column(0), column(1), column(2)].concat();
        for bytes in [
            ascii(),
            [header("binary"), binary_rows()].concat(),
            compressed_file(&padded),
            compressed_file(&header_only),
        ] {
            let cloud = parse(&bytes, Path::new("a.pcd")).unwrap();
            assert_eq!(cloud.points, [(0, DVec3::new(0.5, 1.0, -2.0)), (2, DVec3::new(7.0, 8.0, 9.0))]);
            assert_eq!(cloud.dropped, 2);
            let what =
                "2 of 4 points are not numbers and are ignored, first point 1; the others keep their numbers";
            assert_eq!(cloud.warnings, [what]);
        }
    }

    #[test]
    fn spellings_of_nan_are_read() {
        for word in ["nan", "NaN", "-nan", "-nan(ind)", "1.#QNAN", "-1.#IND"] {
            assert!(coordinate(word.as_bytes()).is_some_and(f64::is_nan), "{word}");
        }
        for word in ["none", "1.5x", "", "-", "na"] {
            assert_eq!(coordinate(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn truncated_data_are_errors() {
        let text = String::from_utf8(ascii()).unwrap();
        let at = |what: &str| format!("a.pcd:{what}");
        let short = text.replace("255 0 0 0 0 0 inf\n", "");
        assert_eq!(message(short.as_bytes()), at("14: the file ends after 3 points, expected 4"));
        let narrow = text.replace("7 0 0 0 8e0 9", "7 0 8 9");
        assert_eq!(message(narrow.as_bytes()), at("14: found 5 values, expected 7, as FIELDS and COUNT say"));
        let word = text.replace("8e0", "eight");
        assert_eq!(message(word.as_bytes()), at("14: y of a point is `eight`, expected a number"));
        let binary = [header("binary"), binary_rows()].concat();
        let start = header("binary").len();
        assert_eq!(
            message(&binary[..binary.len() - 1]),
            format!("a.pcd: byte {start}: 4 points of 23 bytes take 92 bytes, found 91")
        );
        let header_only = [vec![1; 16], column(0), column(1), column(2)].concat();
        let total = compressed_file(&header_only);
        assert!(message(&total[..total.len() - 1]).contains("the compressed points take 83 bytes, found 82"));
        assert!(message(&compressed_file(&header_only[1..])).contains("take 92 bytes, found 79 compressed"));
        assert!(message(&header("binary_compressed")).contains("found 0 bytes, expected the two lengths"));
        let many = |text: &[u8]| {
            String::from_utf8(text.to_vec())
                .unwrap()
                .replace("WIDTH 4", "WIDTH 99999999999999")
                .replace("POINTS 4\n", "")
        };
        assert!(message(many(&ascii()).as_bytes()).contains("too few for 99999999999999 points"));
        assert!(message(many(&header("binary")).as_bytes()).contains("take 2299999999999977 bytes, found 0"));
    }

    #[test]
    fn extra_entries_are_errors() {
        let more = parse(&[ascii(), b"1 2 3 4 5 6 7\n".to_vec()].concat(), Path::new("a")).unwrap().warnings;
        assert_eq!(more[1..], ["everything after the last point is skipped"]);
        let text = String::from_utf8(ascii()).unwrap().replace("8e0 9", "8e0 9 10");
        let is_double = parse(text.as_bytes(), Path::new("a")).unwrap().warnings;
        assert_eq!(is_double[1..], ["a point has more values than FIELDS says: skipped (line 14)"]);
    }
}
