//! The lines of standard input, whatever their bytes.

use std::io::{self, BufRead, Read as _};

/// No command is longer, in bytes.
const LONGEST: u64 = 64 * 1024;

/// What is shown of a line that cannot be read.
const SHOWN: usize = 80;

/// A line that was read.
pub(super) struct JogLine {
    /// As it stands; where it cannot be read, the beginning of it.
    pub(super) text: String,
    /// In a sentence, why it cannot be read.
    pub(super) bad: Option<String>,
}

/// The next line, or none at the end. One that is too long, or no text, is read past.
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
    fn every_line_is_one_whatever_its_bytes() {
        let longest = usize::try_from(LONGEST).unwrap();
        let mut input = b"undo\r\n\na\xff\n".to_vec();
        // The longest that is read, with its end; one more; and many more.
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
        // The byte that is none became a sign of three.
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
