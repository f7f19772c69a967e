//! The lines of a file of problems, one by one.

use std::io::{self, BufRead};

/// A line that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Counted from 1, blank lines included.
    pub(super) number: usize,
    /// Without blanks and line end around it.
    pub(super) text: Vec<u8>,
    /// Bytes of the file up to its end.
    pub(super) end: u64,
}

/// Reads no further than it is asked; ends after the first error.
#[derive(Debug)]
pub(super) struct Lines<R> {
    file: R,
    number: usize,
    end: u64,
    failed: bool,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl<R: BufRead> Lines<R> {
    pub(super) fn new(file: R) -> Self {
        Self { file, number: 0, end: 0, failed: false }
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let length = self.file.read_until(b'\n', &mut bytes)?;
            if length == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.end += length as u64;
            let mut text = bytes.as_slice();
            if self.number == 1 {
                text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
            }
            let text = text.trim_ascii();
            if !text.is_empty() {
                return Ok(Some(Line { number: self.number, text: text.to_vec(), end: self.end }));
            }
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

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
    use super::*;

    #[test]
    fn blank_lines_are_counted_but_not_given() {
        let lines = Lines::new(&b"\xef\xbb\xbf\r\n {a} \r\n\n\t\n{b}"[..]);
        let got: Vec<_> = lines.map(Result::unwrap).map(|line| (line.number, line.text, line.end)).collect();
        assert_eq!(got, [(2, b"{a}".to_vec(), 12), (5, b"{b}".to_vec(), 18)]);
    }

    #[test]
    fn an_error_is_the_end() {
        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::TimedOut.into())
            }
        }
        let mut lines = Lines::new(io::BufReader::new(Broken));
        assert!(lines.next().unwrap().is_err());
        assert!(lines.next().is_none());
    }
}
