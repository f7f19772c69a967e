//! The bytes of a world file, and the places in it.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};

/// A file as text, unpacked where it was packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

/// Bytes of text that are read from one file. Numbers take up to four times the memory of their text.
const MOST_BYTES: u64 = 1 << 29;

/// Bytes that a packed file may unpack to: what was packed may be a thousandth of it.
const MOST_UNPACKED: u64 = 1 << 27;

impl Source {
    /// Reads a file, and unpacks it if it is gzip data, whatever its name.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let file = std::fs::File::open(path).map_err(|error| Error::io(path, &error))?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| Error::io(path, &error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Error::file(path, format!("found more than {MOST_BYTES} bytes, expected fewer")));
        }
        Self::of(bytes, path)
    }

    /// The text in the bytes of a file.
    pub(super) fn of(bytes: Vec<u8>, path: &Path) -> Result<Self> {
        let path = path.to_path_buf();
        if !bytes.starts_with(&[0x1f, 0x8b]) {
            return Ok(Self { path, bytes });
        }
        let mut unpacked = Vec::new();
        let read = MultiGzDecoder::new(&bytes[..]).take(MOST_UNPACKED + 1).read_to_end(&mut unpacked);
        if let Err(error) = read {
            return Err(Error::file(&path, format!("the gzip data cannot be unpacked: {error}")));
        }
        if unpacked.len() as u64 > MOST_UNPACKED {
            let message = format!("found gzip data of more than {MOST_UNPACKED} bytes, expected fewer");
            return Err(Error::file(&path, message));
        }
        Ok(Self { path, bytes: unpacked })
    }

    /// An error at a byte of the text.
    #[cold]
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> Error {
        let (line, column) = self.spot(at);
        Error::spot(&self.path, line, column, message)
    }

    /// A warning at a byte of the text.
    #[cold]
    pub(super) fn warning(&self, at: usize, message: &str) -> String {
        self.error(at, message).to_string()
    }

    /// Line and character, counted from 1, of a byte.
    pub(super) fn spot(&self, at: usize) -> (usize, usize) {
        let before = &self.bytes[..at.min(self.bytes.len())];
        // A line ends with CR, LF, or both.
        let ends = |i: usize| match before[i] {
            b'\n' => true,
            b'\r' => self.bytes.get(i + 1) != Some(&b'\n'),
            _ => false,
        };
        let lines = (0..before.len()).filter(|i| ends(*i)).count();
        let begin = (0..before.len()).rev().find(|i| ends(*i)).map_or(0, |end| end + 1);
        // The bytes of a character after its first one begin with the bits 10.
        let characters = before[begin..].iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        (lines + 1, characters + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let source = Source { path: "x.wrl".into(), bytes: "ab\r\nö c\rd\n\ne".as_bytes().to_vec() };
        let spots: Vec<_> = (0..=13).map(|at| source.spot(at)).collect();
        let first = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (2, 2), (2, 3), (2, 4), (3, 1)];
        assert_eq!(spots[..10], first);
        assert_eq!(spots[10..], [(3, 2), (4, 1), (5, 1), (5, 2)]);
        assert_eq!(source.error(7, "odd").to_string(), "x.wrl:2:3: odd");
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn packed_files_are_unpacked() {
        let path = Path::new("x.wrl");
        assert_eq!(Source::of(packed(b"#VRML"), path).unwrap().bytes, b"#VRML");
        // Two members are one after the other.
        let twice = [packed(b"a"), packed(b"b")].concat();
        assert_eq!(Source::of(twice, path).unwrap().bytes, b"ab");
        let cut = packed(&[7; 1000]);
        let message = Source::of(cut[..cut.len() - 9].to_vec(), path).unwrap_err().to_string();
        assert!(message.starts_with("x.wrl: the gzip data cannot be unpacked"), "{message}");
    }

    #[test]
    fn a_bomb_is_refused() {
        let bomb = packed(&vec![b' '; (MOST_UNPACKED + 1) as usize]);
        assert!(bomb.len() < 1 << 20);
        let message = Source::of(bomb, Path::new("x.wrz")).unwrap_err().to_string();
        assert!(message.starts_with("x.wrz: found gzip data of more than"), "{message}");
    }
}
