//! The rows of a PLY file, value by value: text, or binary of either byte order.

use super::ply_header::{self, Element, PlyEncoding, PlyHeader, PropertyLayout, Type};
use super::soup::Soup;
use crate::error::Result;
use crate::text::lines::{TextLines, integer, is_not_finite, number, quoted, words};

/// The kind of content after the last row.
pub(super) enum Remaining {
    Nothing,
    /// Fewer bytes than a face has, only zeros, or a line that is not a row.
    Little,
    Rows,
}

/// The rows of all elements, value by value.
pub(super) enum PlyRows<'a> {
    Text {
        lines: TextLines<'a>,
        /// The line of the row.
        at: usize,
        words: Vec<&'a [u8]>,
        /// The index of the next word.
        next: usize,
    },
    Binary {
        bytes: &'a [u8],
        at: usize,
        big: bool,
    },
}

impl<'a> PlyRows<'a> {
    /// The rows of a file; `rest` follows the header.
    pub(super) fn new(header: &PlyHeader, bytes: &'a [u8], rest: &'a [u8]) -> Self {
        let at = bytes.len() - rest.len();
        match header.encoding {
            PlyEncoding::Text => {
                Self::Text { lines: ply_header::lines(header, rest), at: 0, words: Vec::new(), next: 0 }
            }
            PlyEncoding::LittleEndian => Self::Binary { bytes, at, big: false },
            PlyEncoding::BigEndian => Self::Binary { bytes, at, big: true },
        }
    }

    /// The position of the reader.
    pub(super) fn place(&self) -> usize {
        match self {
            Self::Text { lines, .. } => lines.number(),
            Self::Binary { at, .. } => *at,
        }
    }

    /// The kind of content after the last row.
    pub(super) fn remaining(&mut self) -> Remaining {
        /// Bytes of the smallest face: a count, and three numbers of four bytes.
        const FACE: usize = 13;
        let is_row = |line: &[u8]| words(line).next().is_some_and(|word| integer(word).is_some());
        match self {
            Self::Text { lines, .. } => {
                let mut rest = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
                match rest.next() {
                    None => Remaining::Nothing,
                    Some((_, line)) if is_row(line) => Remaining::Rows,
                    Some(_) => Remaining::Little,
                }
            }
            Self::Binary { bytes, at, .. } => match bytes.get(*at..).unwrap_or_default() {
                [] => Remaining::Nothing,
                rest if rest.len() >= FACE && rest.iter().any(|byte| *byte != 0) => Remaining::Rows,
                _ => Remaining::Little,
            },
        }
    }

    /// Checks that a binary file is long enough for all rows, even with empty lists.
    pub(super) fn check_length(&self, element: &Element, soup: &Soup<'_>) -> Result<()> {
        let Self::Binary { bytes, at, .. } = self else { return Ok(()) };
        let shortest: usize = element
            .properties
            .iter()
            .map(|property| match property.layout {
                PropertyLayout::Value(value) => value.size(),
                PropertyLayout::List { count, .. } => count.size(),
            })
            .sum();
        let (expected, found) = (u128::from(element.rows) * shortest as u128, bytes.len() - at);
        if expected <= found as u128 {
            return Ok(());
        }
        let rows = element.rows;
        let name = quoted(&element.name);
        let message = format!("{rows} rows of element {name} take {expected} bytes or more, found {found}");
        Err(soup.error(*at, message))
    }

    /// Starts a row; returns its place.
    pub(super) fn start_row(&mut self, element: &Element, row: u64, soup: &Soup<'_>) -> Result<usize> {
        match self {
            Self::Text { lines, at, words: row_words, next } => {
                row_words.clear();
                *next = 0;
                while row_words.is_empty() {
                    let Some((number, line)) = lines.next() else {
                        let (rows, name) = (element.rows, quoted(&element.name));
                        let message =
                            format!("the file ends after {row} rows of element {name}: expected {rows}");
                        return Err(soup.error(lines.number(), message));
                    };
                    *at = number;
                    row_words.extend(words(line));
                }
                Ok(*at)
            }
            Self::Binary { at, .. } => Ok(*at),
        }
    }

    /// Ends a row.
    pub(super) fn end(&self, soup: &mut Soup<'_>) {
        if let Self::Text { at, words, next, .. } = self
            && *next < words.len()
        {
            soup.note(*at, "a row has more values than the header declares: skipped");
        }
    }

    /// The number of items of a list, checked against the rest of the file.
    pub(super) fn count(&mut self, count: Type, item: Type, soup: &Soup<'_>) -> Result<usize> {
        let value = self.value(count, soup)?;
        let remaining = match self {
            Self::Text { words, next, .. } => words.len() - *next,
            Self::Binary { bytes, at, .. } => (bytes.len() - *at) / item.size(),
        };
        if value < 0.0 || value.fract() != 0.0 {
            let message = format!("a list of {value} values: expected a whole number of 0 or more");
            return Err(soup.error(self.place(), message));
        }
        if value > remaining as f64 {
            return Err(soup.error(self.place(), format!("a list of {value} values: found {remaining}")));
        }
        // The value is between 0 and a usize.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just before")]
        Ok(value as usize)
    }

    /// The bytes or the word of the next value.
    fn take(&mut self, value: Type, soup: &Soup<'_>) -> Result<&'a [u8]> {
        match self {
            Self::Text { at, words, next, .. } => {
                let Some(word) = words.get(*next) else {
                    let message = format!("a row of {} values: expected more", words.len());
                    return Err(soup.error(*at, message));
                };
                *next += 1;
                Ok(word)
            }
            Self::Binary { bytes, at, .. } => {
                let (expected, rest) = (value.size(), bytes.get(*at..).unwrap_or_default());
                let Some(field_text) = rest.get(..expected) else {
                    let message = format!(
                        "the file ends within a row: expected {expected} bytes, found {}",
                        rest.len()
                    );
                    return Err(soup.error(*at, message));
                };
                *at += expected;
                Ok(field_text)
            }
        }
    }

    /// The next value; an `f64` holds the values of all types.
    pub(super) fn value(&mut self, value: Type, soup: &Soup<'_>) -> Result<f64> {
        let place = self.place();
        let field_text = self.take(value, soup)?;
        let parsed = match self {
            Self::Text { .. } if value.is_float() => number(field_text),
            // Integers beyond 53 bits are out of range for every use.
            Self::Text { .. } => integer(field_text).map(|integer_value| integer_value as f64),
            Self::Binary { big, .. } => Some(decode(field_text, value, *big)),
        };
        let kind = if value.is_float() { "number" } else { "whole number" };
        parsed.ok_or_else(|| soup.error(place, format!("{} is not a {kind}", quoted(field_text))))
    }

    /// Skips a value that is not used.
    pub(super) fn skip(&mut self, value: Type, soup: &mut Soup<'_>) -> Result<()> {
        let place = self.place();
        let field_text = self.take(value, soup)?;
        let finite = match self {
            _ if !value.is_float() => true,
            Self::Text { .. } => !is_not_finite(field_text),
            Self::Binary { big, .. } => decode(field_text, value, *big).is_finite(),
        };
        if !finite {
            soup.note(place, "a value other than a coordinate is not finite: not used");
        }
        Ok(())
    }
}

/// Decodes a value from its bytes; missing bytes count as zero.
fn decode(bytes: &[u8], value: Type, big: bool) -> f64 {
    // The bytes are assembled to a 64-bit integer, which is then reinterpreted.
    let mut raw = [0; 8];
    for (i, &byte) in bytes.iter().enumerate() {
        raw[if big { bytes.len() - 1 - i } else { i }] = byte;
    }
    let [a, b, c, d, ..] = raw;
    match value {
        Type::I8 => f64::from(i8::from_le_bytes([a])),
        Type::U8 => f64::from(a),
        Type::I16 => f64::from(i16::from_le_bytes([a, b])),
        Type::U16 => f64::from(u16::from_le_bytes([a, b])),
        Type::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
        Type::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
        Type::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
        Type::F64 => f64::from_le_bytes(raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_types_are_decoded() {
        let bytes = [0xFE, 0xFF, 0xFF, 0xFF];
        assert_eq!(decode(&bytes[..1], Type::I8, false), -2.0);
        assert_eq!(decode(&bytes[..1], Type::U8, true), 254.0);
        assert_eq!(decode(&bytes[..2], Type::I16, false), -2.0);
        assert_eq!(decode(&bytes[..2], Type::U16, true), 65279.0);
        assert_eq!(decode(&bytes, Type::I32, false), -2.0);
        assert_eq!(decode(&bytes, Type::U32, true), 4_278_190_079.0);
        assert_eq!(decode(&0.1f32.to_be_bytes(), Type::F32, true), f64::from(0.1f32));
        assert_eq!(decode(&0.1f64.to_be_bytes(), Type::F64, true), 0.1);
    }
}
