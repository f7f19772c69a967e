//! Reads lines of standard input, with arbitrary bytes.

use std::io::{self, BufRead, Read as _};

/// The maximum length of a command, in bytes.
const LONGEST: u64 = 64 * 1024;

/// The maximum length of the excerpt of an unreadable line.
const SHOWN: usize = 80;

/// A line of input.
pub(super) struct JogLine {
    /// The text of the line; if the line is unreadable, an excerpt from its start.
    pub(super) text: String,
    /// A message, if the line is unreadable.
    pub(super) bad: Option<String>,
}

/// Reads the next line; `None` at the end. A line that is too long or not UTF-8 is skipped, with a message.
pub(super) fn next(input: &mut impl BufRead) -> io::Result<Option<JogLine>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(SHOWN).collect();
    if bytes.len() as u64 == LONGEST && !bytes.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        let bad = format!("found a line of {LONGEST} bytes or more, expected a command");
        return Ok(Some(JogLine { text: shown(&bytes), bad: Some(bad) }));
    }
    Ok(Some(match String::from_utf8(bytes) {
        Ok(text) => JogLine { text, bad: None },
        Err(error) => {
            let (column, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
            let bad = format!(
                "found the byte 0x{:02x} at column {}, expected text in UTF-8",
                bytes[column],
                column + 1
            );
            JogLine { text: shown(bytes), bad: Some(bad) }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_may_have_any_bytes() {
        let longest = usize::try_from(LONGEST).unwrap();
        let mut input = b"undo\r\n\na\xff\n".to_vec();
        // The longest line that is read, with its end; a line with one byte more; and a much longer line.
        for count in [longest - 1, longest, 5 * longest] {
            input.extend(vec![b'x'; count]);
            input.push(b'\n');
        }
        input.extend(b"last");
        let mut input = &input[..];
        let mut found = Vec::new();
        while let Some(line) = next(&mut input).unwrap() {
            found.push((line.text.len(), line.bad));
        }
        let long = || Some(String::from("found a line of 65536 bytes or more, expected a command"));
        let no_text = String::from("found the byte 0xff at column 2, expected text in UTF-8");
        // The replacement character of the invalid byte has three bytes.
        let expected = [
            (6, None),
            (1, None),
            (5, Some(no_text)),
            (longest, None),
            (80, long()),
            (80, long()),
            (4, None),
        ];
        assert_eq!(found, expected);
    }
}
