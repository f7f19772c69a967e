//! The bytes of a world file, and positions in it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};
use crate::limits::{self, WORLD_UNPACKED};

/// A file as text, decompressed if necessary.
#[derive(Debug, Default)]
pub(crate) struct VrmlText {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    /// Line and character, counted from 0, at every multiple of `STRIDE` bytes. They bound the cost of many warnings
    /// in a file with one long line.
    marks: OnceLock<Vec<(usize, usize)>>,
}

/// Distance between two marks, in bytes.
const STRIDE: usize = 4096;

impl VrmlText {
    /// Reads a file, and decompresses gzip data, whatever the file's name.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        Self::of(limits::read(path, limits::WORLD_FILE)?, path)
    }

    /// Wraps text that is not compressed.
    pub(crate) fn plain(bytes: Vec<u8>, path: &Path) -> Self {
        Self { path: path.to_path_buf(), bytes, marks: OnceLock::new() }
    }

    /// The text in the bytes of a file.
    pub(crate) fn of(bytes: Vec<u8>, path: &Path) -> Result<Self> {
        if !bytes.starts_with(&[0x1f, 0x8b]) {
            return Ok(Self::plain(bytes, path));
        }
        let mut unpacked = Vec::new();
        let read = MultiGzDecoder::new(&bytes[..]).take(WORLD_UNPACKED + 1).read_to_end(&mut unpacked);
        if let Err(error) = read {
            return Err(Error::file(path, format!("the gzip data cannot be unpacked: {error}")));
        }
        if unpacked.len() as u64 > WORLD_UNPACKED {
            let message = format!("found gzip data of more than {WORLD_UNPACKED} bytes, expected no more");
            return Err(Error::file(path, message));
        }
        Ok(Self::plain(unpacked, path))
    }

    /// An error at a byte of the text.
    #[cold]
    pub(crate) fn error(&self, at: usize, message: impl Into<String>) -> Error {
        let (line, column) = self.spot(at);
        Error::spot(&self.path, line, column, message)
    }

    /// A warning at a byte of the text.
    #[cold]
    pub(crate) fn warning(&self, at: usize, message: &str) -> String {
        self.error(at, message).to_string()
    }

    /// Line and character, counted from 1, of a byte.
    pub(crate) fn spot(&self, at: usize) -> (usize, usize) {
        let at = at.min(self.bytes.len());
        let marks = self.marks.get_or_init(|| {
            let mut marks = vec![(0, 0)];
            for start in (STRIDE..=self.bytes.len()).step_by(STRIDE) {
                marks.push(self.advance(marks[marks.len() - 1], start - STRIDE, start));
            }
            marks
        });
        let (line, character) = self.advance(marks[at / STRIDE], at / STRIDE * STRIDE, at);
        (line + 1, character + 1)
    }

    /// The line and character of the byte `to`, computed from those at `from`.
    fn advance(&self, (mut line, mut character): (usize, usize), from: usize, to: usize) -> (usize, usize) {
        for i in from..to {
            let byte = self.bytes[i];
            // A line ends with CR, LF, or both. In UTF-8, the bytes of a character after the first start with the
            // bits 10.
            if byte == b'\n' || (byte == b'\r' && self.bytes.get(i + 1) != Some(&b'\n')) {
                (line, character) = (line + 1, 0);
            } else if byte & 0xc0 != 0x80 {
                character += 1;
            }
        }
        (line, character)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn locations_count_lines_and_characters() {
        let source = VrmlText::plain("ab\r\nö c\rd\n\ne".as_bytes().to_vec(), Path::new("x.wrl"));
        let spots: Vec<_> = (0..=13).map(|at| source.spot(at)).collect();
        let first = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (2, 2), (2, 3), (2, 4), (3, 1)];
        assert_eq!(spots[..10], first);
        assert_eq!(spots[10..], [(3, 2), (4, 1), (5, 1), (5, 2)]);
        assert_eq!(source.error(7, "odd").to_string(), "x.wrl:2:3: odd");
    }

    #[test]
    fn locations_in_long_files_are_exact() {
        let text: Vec<u8> = (0..3 * STRIDE + 5).map(|i| if i % 1009 == 0 { b'\n' } else { b'x' }).collect();
        let source = VrmlText::plain(text.clone(), Path::new("x.wrl"));
        for at in (0..=text.len()).step_by(7).chain([STRIDE - 1, STRIDE, STRIDE + 1, text.len()]) {
            let lines = text[..at].iter().filter(|byte| **byte == b'\n').count();
            let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            assert_eq!(source.spot(at), (lines + 1, at - start + 1));
        }
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn packed_files_are_unpacked() {
        let path = Path::new("x.wrl");
        assert_eq!(VrmlText::of(packed(b"#VRML"), path).unwrap().bytes, b"#VRML");
        // Two members follow each other.
        let twice = [packed(b"a"), packed(b"b")].concat();
        assert_eq!(VrmlText::of(twice, path).unwrap().bytes, b"ab");
        let cut = packed(&[7; 1000]);
        let message = VrmlText::of(cut[..cut.len() - 9].to_vec(), path).unwrap_err().to_string();
        assert!(message.starts_with("x.wrl: the gzip data cannot be unpacked"), "{message}");
    }

    #[test]
    fn a_bomb_is_refused() {
        let bomb = packed(&vec![b' '; usize::try_from(WORLD_UNPACKED + 1).unwrap()]);
        assert!(bomb.len() < 1 << 20);
        let message = VrmlText::of(bomb, Path::new("x.wrz")).unwrap_err().to_string();
        assert!(message.starts_with("x.wrz: found gzip data of more than"), "{message}");
    }
}
