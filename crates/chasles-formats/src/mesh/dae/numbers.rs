//! Numbers in the text of COLLADA's elements.

use roxmltree::Node;

use crate::error::{Error, Result};
use crate::text::tree::quoted;
use crate::text::xml::{Word, XmlText, tag, words};

/// A finite decimal number.
pub(super) fn finite(word: &str) -> Option<f64> {
    word.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// The N numbers in an element.
pub(super) fn numbers<const N: usize>(text: &XmlText, element: Node<'_, '_>) -> Result<[f64; N]> {
    let mut found = [0.0; N];
    let mut count = 0;
    for word in words(element) {
        let number = number(text, element, word)?;
        if let Some(place) = found.get_mut(count) {
            *place = number;
        }
        count += 1;
    }
    if count == N {
        return Ok(found);
    }
    let message = format!("{}: found {count} numbers, expected {N}", tag(element));
    Err(Error::line(text.path(), text.line_of(element), message))
}

/// A word of an element as a finite number.
pub(super) fn number(text: &XmlText, element: Node<'_, '_>, word: Word<'_, '_>) -> Result<f64> {
    finite(word.text).ok_or_else(|| number_error(text, element, word, "a finite number"))
}

/// A word of an element as an integer.
pub(super) fn index(text: &XmlText, element: Node<'_, '_>, word: Word<'_, '_>) -> Result<usize> {
    let expected = "a whole number from 0 to 4294967295";
    let index: Option<u32> = word.text.parse().ok();
    index.map(|index| index as usize).ok_or_else(|| number_error(text, element, word, expected))
}

#[cold]
fn number_error(text: &XmlText, element: Node<'_, '_>, word: Word<'_, '_>, expected: &str) -> Error {
    let message = format!("{}: found {}, expected {expected}", tag(element), quoted(word.text));
    Error::line(text.path(), text.line_of_word(word), message)
}
