//! The tokens of VRML: brackets, strings, and words between blanks and commas.

use super::source::VrmlText;
use crate::error::Result;
use crate::text::tree::quoted;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `[`
    OpenList,
    /// `]`
    CloseList,
    /// The text between quotation marks, with `\"` and `\\` as in the file.
    Text(&'a [u8]),
    /// A name, a keyword or a number.
    Word(&'a [u8]),
    /// The end of the file.
    End,
}

/// Splits a file into tokens.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    source: &'a VrmlText,
    position: usize,
    /// The position of the last token.
    pub(super) at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a VrmlText, position: usize) -> Self {
        Self { source, position, at: position }
    }

    /// Consumes and returns the next token.
    pub(super) fn next(&mut self) -> Result<Token<'a>> {
        self.skip_blanks();
        let bytes = &self.source.bytes;
        self.at = self.position;
        let Some(&first) = bytes.get(self.position) else { return Ok(Token::End) };
        self.position += 1;
        Ok(match first {
            b'{' => Token::Open,
            b'}' => Token::Close,
            b'[' => Token::OpenList,
            b']' => Token::CloseList,
            b'"' => self.text()?,
            _ => {
                let rest = bytes[self.position..].iter();
                self.position += rest.take_while(|byte| !ends_word(**byte)).count();
                Token::Word(&bytes[self.at..self.position])
            }
        })
    }

    /// Returns the next token without consuming it.
    pub(super) fn peek(&mut self) -> Result<Token<'a>> {
        let (position, at) = (self.position, self.at);
        let token = self.next();
        (self.position, self.at) = (position, at);
        token
    }

    fn skip_blanks(&mut self) {
        let bytes = &self.source.bytes;
        while let Some(&byte) = bytes.get(self.position) {
            match byte {
                b'#' => {
                    let rest = bytes[self.position..].iter();
                    self.position += rest.take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
                }
                byte if is_blank(byte) => self.position += 1,
                _ => return,
            }
        }
    }

    fn text(&mut self) -> Result<Token<'a>> {
        let bytes = &self.source.bytes;
        let start = self.position;
        while let Some(&byte) = bytes.get(self.position) {
            self.position += 1;
            match byte {
                b'"' => return Ok(Token::Text(&bytes[start..self.position - 1])),
                b'\\' => self.position += 1,
                _ => {}
            }
        }
        Err(self.source.error(self.at, "found a string that does not end, expected \" at its end"))
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | 0x0b | 0x0c)
}

fn ends_word(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'{' | b'}' | b'[' | b']' | b'"' | b'#')
}

/// Whether a word is meant to be a number.
pub(super) fn is_number(word: &[u8]) -> bool {
    word.first().is_some_and(|first| matches!(first, b'0'..=b'9' | b'+' | b'-' | b'.'))
}

/// The number that a word states; otherwise the error.
pub(super) fn number(word: &[u8]) -> std::result::Result<f64, String> {
    let text = String::from_utf8_lossy(word);
    let expected = |what: &str| format!("found {}, expected {what}", shown(word));
    let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = u32::from_str_radix(hexadecimal, 16).map_err(|_| expected("a number"))?;
        return Ok(if text.starts_with('-') { -f64::from(value) } else { f64::from(value) });
    }
    // Rust also parses inf and nan, which VRML does not have.
    if !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
        return Err(expected("a number"));
    }
    let value: f64 = text.parse().map_err(|_| expected("a number"))?;
    if value.is_finite() { Ok(value) } else { Err(expected("a number of at most 1.8e308")) }
}

/// The text of a string with its escapes removed.
pub(super) fn unescaped(raw: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.iter();
    while let Some(&byte) = rest.next() {
        bytes.push(if byte == b'\\' { *rest.next().unwrap_or(&byte) } else { byte });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A word for messages, shortened, since a line may have a hundred megabytes.
pub(super) fn shown(word: &[u8]) -> String {
    const MAX_WORD: usize = 40;
    let text: String =
        String::from_utf8_lossy(&word[..word.len().min(4 * MAX_WORD)]).chars().take(MAX_WORD).collect();
    if text.len() < word.len() { quoted(&format!("{text}..")) } else { quoted(&text) }
}

impl Token<'_> {
    /// The description in messages.
    pub(super) fn named(self) -> String {
        match self {
            Token::Open => "{".into(),
            Token::Close => "}".into(),
            Token::OpenList => "[".into(),
            Token::CloseList => "]".into(),
            Token::Text(raw) => format!("the string {}", shown(raw)),
            Token::Word(word) => shown(word),
            Token::End => "the end of the file".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<String>> {
        let source = VrmlText::plain(text.as_bytes().to_vec(), std::path::Path::new("x.wrl"));
        let mut lexer = Lexer::new(&source, 0);
        let mut found = Vec::new();
        loop {
            match lexer.next()? {
                Token::End => return Ok(found),
                token => found.push(token.named()),
            }
        }
    }

    #[test]
    fn words_end_at_blanks_commas_brackets_and_comments() {
        let found = tokens("DEF a#rest } of \"line\nb{c[1,2 ,]-3}\t\"s # , \\\" t\"d").unwrap();
        let expected = ["\"DEF\"", "\"a\"", "\"b\"", "{", "\"c\"", "[", "\"1\"", "\"2\"", "]", "\"-3\"", "}"];
        assert_eq!(found[..11], expected);
        assert!(found[11].starts_with("the string"), "{found:?}");
        assert_eq!(found[12..], ["\"d\""]);
    }

    #[test]
    fn a_string_needs_an_end() {
        for text in ["\n \"", "\n \"\\", "\n \"\\\"", "\n \"abc"] {
            let message = tokens(text).unwrap_err().to_string();
            assert!(message.starts_with("x.wrl:2:2: found a string that does not end"), "{message}");
        }
        assert_eq!(unescaped(br#"a\"b\\c\d"#), "a\"b\\cd");
    }

    #[test]
    fn numbers_are_those_of_vrml() {
        for (text, value) in [
            ("1", 1.0),
            ("+3", 3.0),
            ("-.5", -0.5),
            ("2.", 2.0),
            ("1e-007", 1e-7),
            ("0xfF", 255.0),
            ("-0X10", -16.0),
        ] {
            assert_eq!(number(text.as_bytes()), Ok(value), "{text}");
        }
        for text in [
            "1e999", "-1e999", "nan", "+inf", "-infinity", "1_0", "--1", "1..2", "-", ".", "0x", "5m",
            "0x1ffffffff",
        ] {
            assert!(number(text.as_bytes()).is_err(), "{text}");
        }
    }
}
