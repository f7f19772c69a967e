//! Lines, words and numbers of text formats, on bytes, because names and comments may have any encoding.

/// The lines of a text with their numbers from 1, ended by `\n`, `\r\n` or `\r`.
///
/// A byte order mark at the start is skipped.
pub(crate) struct TextLines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> TextLines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::starting_at(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), 1)
    }

    /// The lines of the rest of a text, the first of which has this number.
    pub(crate) fn starting_at(rest: &'a [u8], number: usize) -> Self {
        Self { rest, number: number - 1 }
    }

    /// The number of the last line returned, for errors about an early end of the file.
    pub(crate) fn number(&self) -> usize {
        self.number
    }
}

impl<'a> Iterator for TextLines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        let rest = &self.rest[end..];
        self.rest = rest.strip_prefix(b"\r\n").unwrap_or_else(|| rest.get(1..).unwrap_or_default());
        self.number += 1;
        Some((self.number, line))
    }
}

/// The words of a line, separated by white space.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A decimal number, rounded to the nearest `f64`. `nan`, `inf` and numbers that overflow are not finite.
pub(crate) fn number(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// An integer, with or without a sign.
pub(crate) fn integer(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The warning of [`cut_number`].
pub(crate) const CUT_NUMBER: &str =
    "the last line ends in a number without a newline: the file may be cut off";

/// A warning about a text that ends in a number without a newline: digits may be missing. Numbers in comments (`#`)
/// are ignored.
pub(crate) fn cut_number(bytes: &[u8]) -> Option<String> {
    let line = bytes.rsplit(|byte| b"\r\n".contains(byte)).next().filter(|line| !line.contains(&b'#'))?;
    let word = line.rsplit(|byte| byte.is_ascii_whitespace() || b",:=".contains(byte)).next()?;
    number(word).is_some().then(|| CUT_NUMBER.to_owned())
}

/// Whether a word in an unused field may be `nan` or `inf`: it has a letter `n`, which no finite number has. Parsing
/// the numbers for this check alone would take most of the time.
pub(crate) fn is_not_finite(word: &[u8]) -> bool {
    word.iter().any(|b| b.eq_ignore_ascii_case(&b'n'))
}

/// A word for messages: between backticks, printable and shortened.
pub(crate) fn quoted(word: &[u8]) -> String {
    const LONGEST: usize = 32;
    let text = word[..word.len().min(LONGEST)].escape_ascii();
    let dots = if word.len() > LONGEST { ".." } else { "" };
    format!("`{text}{dots}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let lines: Vec<_> = TextLines::new(b"\xEF\xBB\xBFa\r\nb\rc\n\nd").collect();
        let expected: [(usize, &[u8]); 5] = [(1, b"a"), (2, b"b"), (3, b"c"), (4, b""), (5, b"d")];
        assert_eq!(lines, expected);
    }

    #[test]
    fn numbers_as_files_write_them() {
        assert_eq!(number(b"+1"), Some(1.0));
        assert_eq!(number(b".5"), Some(0.5));
        assert_eq!(number(b"2."), Some(2.0));
        assert_eq!(number(b"1E-5"), Some(1e-5));
        assert_eq!(number(b"0.1000000000000000055511151231257827"), Some(0.1));
        assert_eq!(number(b"1e999"), Some(f64::INFINITY));
        assert_eq!(number(b"3.1+e2"), None);
        assert_eq!(number(b"\xFF"), None);
        assert_eq!(integer(b"-12"), Some(-12));
        assert_eq!(integer(b"1.5"), None);
    }

    #[test]
    fn words_that_are_not_printable_are_escaped() {
        assert_eq!(quoted(b"a\x00\xFF"), "`a\\x00\\xff`");
        assert_eq!(quoted(&[b'x'; 100]), format!("`{}..`", "x".repeat(32)));
    }
}
