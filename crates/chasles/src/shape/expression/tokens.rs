//! The tokens of a formula: numbers, names and signs, each with its column.

use std::fmt;

use super::error::ExpressionError;

/// A token of a formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// One of + - * / ^ ( ) and the comma.
    Sign(char),
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => write!(out, "the number {x}"),
            Self::Name(name) => write!(out, "\"{}\"", shortened(name)),
            Self::Sign(sign) => write!(out, "\"{sign}\""),
            Self::End => write!(out, "the end"),
        }
    }
}

/// The start of a word that may be of any length.
pub(crate) fn shortened(word: &str) -> String {
    match word.char_indices().nth(32) {
        Some((end, _)) => format!("{}..", &word[..end]),
        None => word.to_owned(),
    }
}

/// Reads a text token by token.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    rest: &'a str,
    column: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text, column: 1 }
    }

    /// The next token and its column; after the end, the end again.
    ///
    /// # Errors
    /// A character cannot occur in a formula, or a number is too large.
    pub(crate) fn next(&mut self) -> Result<(Token<'a>, usize), ExpressionError> {
        let blank = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
        self.take(blank);
        let column = self.column;
        let Some(first) = self.rest.chars().next() else { return Ok((Token::End, column)) };
        let second = self.rest.as_bytes().get(1).copied().unwrap_or(b' ');
        let token = match first {
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | ',' => {
                self.take(1);
                Token::Sign(first)
            }
            _ if first.is_ascii_digit() || first == '.' && second.is_ascii_digit() => self.number(column)?,
            _ if first.is_ascii_alphabetic() || first == '_' => {
                let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let length = self.rest.bytes().take_while(|byte| inside(byte)).count();
                Token::Name(self.take(length))
            }
            _ => {
                let code = u32::from(first);
                let what = format!("found the character {first:?} (U+{code:04X}), which no formula has");
                return Err(ExpressionError { column, what });
            }
        };
        Ok((token, column))
    }

    fn number(&mut self, column: usize) -> Result<Token<'a>, ExpressionError> {
        let bytes = self.rest.as_bytes();
        let digits =
            |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let signed = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(signed).is_some_and(u8::is_ascii_digit) {
                end = digits(signed);
            }
        }
        let word = self.take(end);
        match word.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(Token::Number(x)),
            _ => {
                let what = format!("found the number {}, expected less than 1.8e308", shortened(word));
                Err(ExpressionError { column, what })
            }
        }
    }

    /// Skips ASCII characters, and returns them.
    fn take(&mut self, length: usize) -> &'a str {
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.column += length;
        word
    }
}
