//! The header of an NPY file: a magic word, a version, and a Python dictionary with three keys.

use std::path::Path;

use crate::error::{Error, Result};
use crate::limits;
use crate::text::lines::quoted;

/// Maximum bytes of a header, from the start of the file. NumPy itself writes about 128, and reads 10,000.
pub(super) const LONGEST: u64 = 1 << 16;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Maximum number of axes, the same as in NumPy.
const AXES: usize = 64;

/// The layout of the data after the header.
#[derive(Debug, PartialEq)]
pub(super) struct NpyHeader {
    pub(super) item: Item,
    pub(super) fortran: bool,
    pub(super) counts: Vec<usize>,
    /// The position of the first value.
    pub(super) start: usize,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    F32 { big: bool },
    F64 { big: bool },
}

impl Item {
    fn of(descr: &[u8]) -> Option<Self> {
        let big = match descr.first()? {
            b'<' => false,
            b'>' => true,
            _ => return None,
        };
        match &descr[1..] {
            b"f4" => Some(Self::F32 { big }),
            b"f8" => Some(Self::F64 { big }),
            _ => None,
        }
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::F32 { .. } => 4,
            Self::F64 { .. } => 8,
        }
    }

    /// Decodes a value; missing bytes count as zero.
    pub(super) fn value(self, bytes: &[u8]) -> f64 {
        match self {
            Self::F32 { big } => {
                let raw = <[u8; 4]>::try_from(bytes).unwrap_or_default();
                f64::from(if big { f32::from_be_bytes(raw) } else { f32::from_le_bytes(raw) })
            }
            Self::F64 { big } => {
                let raw = <[u8; 8]>::try_from(bytes).unwrap_or_default();
                if big { f64::from_be_bytes(raw) } else { f64::from_le_bytes(raw) }
            }
        }
    }
}

/// A shape as Python writes it.
pub(super) fn shape(counts: &[usize]) -> String {
    let words: Vec<String> = counts.iter().map(usize::to_string).collect();
    match words.as_slice() {
        [one] => format!("({one},)"),
        all => format!("({})", all.join(", ")),
    }
}

impl NpyHeader {
    /// Reads the header at the start of a file. The first [`LONGEST`] bytes of the file suffice.
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Self> {
        let cut = || Error::file(path, "the file ends within its header, expected an array of NumPy");
        if bytes.is_empty() {
            return Err(Error::file(path, "the file is empty, expected an array of NumPy (.npy)"));
        }
        if !bytes.starts_with(MAGIC) {
            let message = format!("not NPY: expected {} at the beginning", quoted(MAGIC));
            return Err(Error::file(path, message));
        }
        let [major, minor] = *bytes.get(6..8).ok_or_else(cut)? else { return Err(cut()) };
        let (length, at) = match major {
            1 => {
                let raw = bytes.get(8..10).and_then(|raw| <[u8; 2]>::try_from(raw).ok()).ok_or_else(cut)?;
                (u64::from(u16::from_le_bytes(raw)), 10)
            }
            2 | 3 => {
                let raw = bytes.get(8..12).and_then(|raw| <[u8; 4]>::try_from(raw).ok()).ok_or_else(cut)?;
                (u64::from(u32::from_le_bytes(raw)), 12)
            }
            _ => {
                let message = format!("found version {major}.{minor} of NPY, expected 1.0, 2.0 or 3.0");
                return Err(Error::byte(path, 6, message));
            }
        };
        let maximum = LONGEST - at as u64;
        if length > maximum {
            let message = format!("found a header of {length} bytes, expected at most {maximum}");
            return Err(Error::byte(path, 8, message));
        }
        let start = usize::try_from(length).map_or(usize::MAX, |length| at + length);
        let text = bytes.get(at..start).ok_or_else(cut)?;
        let mut dictionary = Dictionary { text, at: 0, start: at, path };
        let (item, fortran, counts) = dictionary.read()?;
        Ok(Self { item, fortran, counts, start })
    }

    /// The number of values, which has been checked against the limit.
    pub(super) fn count(&self) -> usize {
        if self.counts.contains(&0) { 0 } else { self.counts.iter().product() }
    }

    /// Checks that a file of this length contains all values, and that they fit in memory.
    pub(super) fn check(&self, length: u64, path: &Path) -> Result<()> {
        let shape = shape(&self.counts);
        // The product may exceed 128 bits, which is too many values in any case; an axis of length 0 leaves none.
        let count = match self.counts.contains(&0) {
            true => 0,
            false => self.counts.iter().fold(1_u128, |product, count| product.saturating_mul(*count as u128)),
        };
        let maximum = limits::GRID_SAMPLES;
        let Some(count) = u64::try_from(count).ok().filter(|count| *count <= maximum as u64) else {
            let message = format!("found {count} values, shape {shape}, expected at most {maximum}");
            return Err(Error::file(path, message));
        };
        let expected = count * self.item.size() as u64;
        let found = length.saturating_sub(self.start as u64);
        if found < expected {
            let message = format!(
                "the file ends after {found} bytes of values, expected {expected} for the shape {shape}"
            );
            return Err(Error::file(path, message));
        }
        limits::check_room(count * 8 + found).map_err(|message| Error::file(path, message))
    }
}

/// A parser of a Python dictionary.
struct Dictionary<'a> {
    text: &'a [u8],
    at: usize,
    /// The position of the text in the file.
    start: usize,
    path: &'a Path,
}

impl<'a> Dictionary<'a> {
    /// Reads the three keys, in any order, each once.
    fn read(&mut self) -> Result<(Item, bool, Vec<usize>)> {
        let (mut item, mut fortran, mut counts) = (None, None, None);
        self.expect(b'{', "a dictionary")?;
        while !self.takes(b'}') {
            let from = self.at;
            let key = self.string()?;
            self.expect(b':', "`:` after a key")?;
            match key {
                b"descr" if item.is_none() => item = Some(self.item()?),
                b"fortran_order" if fortran.is_none() => fortran = Some(self.flag()?),
                b"shape" if counts.is_none() => counts = Some(self.counts()?),
                b"descr" | b"fortran_order" | b"shape" => {
                    return Err(self.error(from, format!("found the key {} twice", quoted(key))));
                }
                _ => {
                    let expected = "expected descr, fortran_order and shape";
                    return Err(self.error(from, format!("found the key {}, {expected}", quoted(key))));
                }
            }
            if !self.takes(b',') {
                self.expect(b'}', "`,` or `}` after a value")?;
                break;
            }
        }
        self.pass_blanks();
        if self.at < self.text.len() {
            return Err(self.found("nothing after the dictionary"));
        }
        match (item, fortran, counts) {
            (Some(item), Some(fortran), Some(counts)) => Ok((item, fortran, counts)),
            (None, ..) => {
                Err(self.error(0, "the key descr is missing, expected the dtype of the values".into()))
            }
            (_, None, _) => {
                Err(self.error(0, "the key fortran_order is missing, expected True or False".into()))
            }
            _ => Err(self.error(0, "the key shape is missing, expected a tuple of counts".into())),
        }
    }

    /// Reads the dtype.
    fn item(&mut self) -> Result<Item> {
        self.pass_blanks();
        let from = self.at;
        let expected = "expected <f4, >f4, <f8 or >f8 (float32 or float64)";
        if self.text.get(from) == Some(&b'[') {
            return Err(self.error(from, format!("found a dtype of named fields, {expected}")));
        }
        let word = self.string()?;
        Item::of(word)
            .ok_or_else(|| self.error(from, format!("found values of dtype {}, {expected}", quoted(word))))
    }

    fn flag(&mut self) -> Result<bool> {
        self.pass_blanks();
        let rest = &self.text[self.at..];
        for (word, flag) in [(&b"True"[..], true), (b"False", false)] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(flag);
            }
        }
        Err(self.found("True or False"))
    }

    /// Reads a tuple of integers. Python 2 wrote an `L` after long ones.
    fn counts(&mut self) -> Result<Vec<usize>> {
        let mut counts = Vec::new();
        self.expect(b'(', "a tuple of counts")?;
        while !self.takes(b')') {
            self.pass_blanks();
            let from = self.at;
            let digits = self.text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            self.at += digits;
            let word = &self.text[from..self.at];
            let count = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
            let Some(count) = count else {
                let word = &self.text[from..(from + digits.max(1)).min(self.text.len())];
                return Err(self.error(from, format!("{} is not a count of values", quoted(word))));
            };
            if counts.len() == AXES {
                return Err(self.error(from, format!("found more than {AXES} axes")));
            }
            counts.push(count);
            self.takes(b'L');
            if !self.takes(b',') {
                self.expect(b')', "`,` or `)` after a count")?;
                break;
            }
        }
        Ok(counts)
    }

    /// Reads a quoted string; the strings that matter here have no escapes.
    fn string(&mut self) -> Result<&'a [u8]> {
        self.pass_blanks();
        let quote = match self.text.get(self.at) {
            Some(quote @ (b'\'' | b'"')) => *quote,
            _ => return Err(self.found("a string")),
        };
        let rest = &self.text[self.at + 1..];
        let Some(end) = rest.iter().position(|byte| *byte == quote) else {
            return Err(self.found("a string that ends"));
        };
        self.at += end + 2;
        Ok(&rest[..end])
    }

    fn pass_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn takes(&mut self, byte: u8) -> bool {
        self.pass_blanks();
        let is_there = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<()> {
        match self.takes(byte) {
            true => Ok(()),
            false => Err(self.found(what)),
        }
    }

    #[cold]
    fn found(&self, expected: &str) -> Error {
        let rest = &self.text[self.at..];
        let found = if rest.is_empty() { "the end".to_owned() } else { quoted(&rest[..rest.len().min(20)]) };
        self.error(self.at, format!("found {found} in the header, expected {expected}"))
    }

    #[cold]
    fn error(&self, at: usize, message: String) -> Error {
        Error::byte(self.path, self.start + at, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(header: &str) -> String {
        let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
        bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        NpyHeader::parse(&bytes, Path::new("a.npy")).unwrap_err().to_string()
    }

    #[test]
    fn files_of_other_formats_are_errors() {
        let refused = |bytes: &[u8]| NpyHeader::parse(bytes, Path::new("a.npy")).unwrap_err().to_string();
        assert_eq!(refused(b""), "a.npy: the file is empty, expected an array of NumPy (.npy)");
        assert_eq!(refused(b"PK\x03\x04zipped"), "a.npy: not NPY: expected `\\x93NUMPY` at the beginning");
        assert_eq!(
            refused(b"\x93NUMPY\x04\x00ab"),
            "a.npy: byte 6: found version 4.0 of NPY, expected 1.0, 2.0 or 3.0"
        );
        let cut = "a.npy: the file ends within its header, expected an array of NumPy";
        for bytes in [
            &b"\x93NUMPY"[..],
            b"\x93NUMPY\x01\x00\x10",
            b"\x93NUMPY\x01\x00\x10\x00{}",
            b"\x93NUMPY\x02\x00\x10",
        ] {
            assert_eq!(refused(bytes), cut);
        }
        assert_eq!(
            refused(b"\x93NUMPY\x02\x00\xff\xff\xff\xff"),
            "a.npy: byte 8: found a header of 4294967295 bytes, expected at most 65524"
        );
    }

    #[test]
    fn headers_are_read_strictly() {
        let dtype =
            |descr: &str| message(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,)}}"));
        let expected = "expected <f4, >f4, <f8 or >f8 (float32 or float64)";
        for word in ["<i4", "<c16", "|O", "<f2", "f8", "=f8", "|b1", "<f16", ""] {
            let found = format!("a.npy: byte 22: found values of dtype `{word}`, {expected}");
            assert_eq!(dtype(&format!("'{word}'")), found);
        }
        let fields = format!("a.npy: byte 22: found a dtype of named fields, {expected}");
        assert_eq!(dtype("[('x', '<f4')]"), fields);
        let rest = "'fortran_order': False, 'shape': (2,)";
        for (header, what) in [
            ("", "12: found the end in the header, expected a dictionary".to_owned()),
            ("{}", "12: the key descr is missing, expected the dtype of the values".into()),
            (
                "{'descr': '<f8', 'shape': (2,)}",
                "12: the key fortran_order is missing, expected True or False".into(),
            ),
            (
                "{'descr': '<f8', 'fortran_order': True}",
                "12: the key shape is missing, expected a tuple of counts".into(),
            ),
            (
                &format!("{{'descr': '<f8', {rest}, 'x': 1}}"),
                "68: found the key `x`, expected descr, fortran_order and shape".into(),
            ),
            ("{'descr': '<f8', 'descr': '<f8'}", "29: found the key `descr` twice".into()),
            ("{'shape': (2, -1)}", "26: `-` is not a count of values".into()),
            ("{'shape': (2 3)}", "25: found `3)}` in the header, expected `,` or `)` after a count".into()),
            ("{'shape': 3}", "22: found `3}` in the header, expected a tuple of counts".into()),
            ("{'fortran_order': 1}", "30: found `1}` in the header, expected True or False".into()),
            ("{'shape", "13: found `\\'shape` in the header, expected a string that ends".into()),
            (
                &format!("{{'descr': '<f8', {rest}}} x"),
                "68: found `x` in the header, expected nothing after the dictionary".into(),
            ),
        ] {
            assert_eq!(message(header), format!("a.npy: byte {what}"), "{header}");
        }
        let axes = format!("{{'shape': ({})}}", "1,".repeat(65));
        assert!(message(&axes).ends_with("found more than 64 axes"));
    }
}
