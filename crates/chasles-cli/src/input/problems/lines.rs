//! Reads the lines of a file of problems, one by one, with a maximum length.

use std::io::{BufRead, Read as _};
use std::path::{Path, PathBuf};

use chasles_formats::{Error, Result};

/// A line that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProblemLine {
    /// Counted from 1, including blank lines.
    pub(crate) number: usize,
    /// Without surrounding blanks and line end.
    pub(crate) text: Vec<u8>,
    /// The number of bytes of the file up to the end of the line.
    pub(crate) end: u64,
}

/// An iterator over lines. It reads no further than requested, and ends after the first error.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    file: R,
    /// The path, for messages.
    path: PathBuf,
    /// The maximum length of a line, in bytes.
    longest: u64,
    number: usize,
    end: u64,
    failed: bool,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(file: R, path: &Path, longest: u64) -> Self {
        Self { file, path: path.to_path_buf(), longest, number: 0, end: 0, failed: false }
    }

    fn read(&mut self) -> Result<Option<ProblemLine>> {
        let longest = self.longest;
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = self.file.by_ref().take(longest + 1).read_until(b'\n', &mut bytes);
            let length = read.map_err(|error| Error::io(&self.path, &error))? as u64;
            if length == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.end += length;
            if length > longest {
                let message =
                    format!("found a line of more than {longest} bytes, expected at most {longest}");
                return Err(Error::line(&self.path, self.number, message));
            }
            let mut text = bytes.as_slice();
            if self.number == 1 {
                text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
            }
            // The trimmed text starts `start` bytes into the line.
            text = text.trim_ascii_start();
            let start = bytes.len() - text.len();
            let end = start + text.trim_ascii_end().len();
            if start < end {
                bytes.truncate(end);
                bytes.drain(..start);
                return Ok(Some(ProblemLine { number: self.number, text: bytes, end: self.end }));
            }
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<ProblemLine>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let line = self.read();
        self.failed = line.is_err();
        line.transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use chasles_formats::limits::PROBLEM_LINE;

    use super::*;

    fn lines<R: BufRead>(file: R) -> Lines<R> {
        Lines::new(file, Path::new("all.jsonl"), PROBLEM_LINE)
    }

    #[test]
    fn blank_lines_are_counted_and_skipped() {
        let lines = lines(&b"\xef\xbb\xbf\r\n {a} \r\n\n\t\n{b}"[..]);
        let found: Vec<_> =
            lines.map(Result::unwrap).map(|line| (line.number, line.text, line.end)).collect();
        assert_eq!(found, [(2, b"{a}".to_vec(), 12), (5, b"{b}".to_vec(), 18)]);
    }

    #[test]
    fn a_line_that_is_too_long_ends_the_input() {
        let longest = usize::try_from(PROBLEM_LINE).unwrap();
        let fits = [vec![b'x'; longest - 1], b"\nafter\n".to_vec()].concat();
        let found: Vec<_> = lines(&fits[..]).map(Result::unwrap).map(|line| line.text.len()).collect();
        assert_eq!(found, [longest - 1, 5]);
        let mut endless = lines(io::BufReader::new(io::Cursor::new(b"{}\n").chain(io::repeat(b' '))));
        assert_eq!(endless.next().unwrap().unwrap().text, b"{}");
        let message = endless.next().unwrap().unwrap_err().to_string();
        assert_eq!(message, "all.jsonl:2: found a line of more than 1048576 bytes, expected at most 1048576");
        assert!(endless.next().is_none());
    }

    #[test]
    fn an_error_ends_the_input() {
        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::TimedOut.into())
            }
        }
        let mut lines = lines(io::BufReader::new(Broken));
        assert!(lines.next().unwrap().is_err());
        assert!(lines.next().is_none());
    }
}
