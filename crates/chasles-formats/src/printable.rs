//! Text from files as it may reach a terminal, a log, a build server or a spreadsheet.
//!
//! Names of bodies, paths and words of files may hold anything: line ends, the escape character with which a terminal is commanded,
//! characters that turn the direction of the text or cannot be seen. Whatever prints such text takes it from here. Within strings of
//! JSON the text stays what it is; there only its spelling changes.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// A text on one line: characters that do not print, or not as themselves, are spelled out as Rust does, `\n` or `\u{1b}`.
///
/// These are all control and format characters (of bidirectional text and of no width too), line and paragraph ends, spaces other
/// than the plain one, and characters that mean nothing. Quotes and backslashes stay, so that doing it twice changes nothing.
///
/// ```
/// use chasles_formats::printable::printable;
/// assert_eq!(printable("C:\\parts\\\u{1b}[31m\u{202e}größe\n"), "C:\\parts\\\\u{1b}[31m\\u{202e}größe\\n");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 16);
    // Rust escapes whole texts rather than single characters: marks that combine with a letter before them stay.
    for piece in text.split_inclusive(STAYING) {
        let body = piece.trim_end_matches(STAYING);
        plain.extend(body.escape_debug());
        plain.push_str(&piece[body.len()..]);
    }
    Cow::Owned(plain)
}

/// What Rust would spell out with a backslash although it prints.
const STAYING: [char; 3] = ['\\', '"', '\''];

/// [`printable`] of a path.
#[must_use]
pub fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

/// [`printable`] as a cell of CSV that is text and no formula: a spreadsheet would carry out what begins with `=`, `+`, `-` or `@`
/// (also in the wide forms of these). An apostrophe before it makes it text; one is put before an apostrophe too, so that the cell
/// reads back by taking one off.
///
/// ```
/// use chasles_formats::printable::printable_cell;
/// assert_eq!(printable_cell("=1+1"), "'=1+1");
/// assert_eq!(printable_cell("left-arm"), "left-arm");
/// ```
#[must_use]
pub fn printable_cell(text: &str) -> Cow<'_, str> {
    let plain = printable(text);
    match plain.starts_with(['=', '+', '-', '@', '\'', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']) {
        true => Cow::Owned(format!("'{plain}")),
        false => plain,
    }
}

/// JSON with the same values and meaning, in which every character prints as itself: the others are spelled `\u001b`.
///
/// What writes JSON spells out the control characters of ASCII by itself. The others can stand in strings only, so that here nothing
/// needs to be known of where strings begin and end.
pub(crate) fn printable_json(json: String) -> String {
    if json.bytes().all(|byte| byte < 0x7f) {
        return json;
    }
    let mut plain = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if character < '\u{7f}' || prints(character) {
            plain.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(plain, "\\u{unit:04x}");
            }
        }
    }
    plain
}

/// Whether a character is one that [`printable`] leaves, after a letter.
fn prints(character: char) -> bool {
    let mut text = [b'a', 0, 0, 0, 0];
    let end = 1 + character.encode_utf8(&mut text[1..]).len();
    std::str::from_utf8(&text[..end]).is_ok_and(|text| text.escape_debug().count() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_do_not_print_are_spelled_out() {
        let cases = [
            ("plain \"text\" it's C:\\new", "plain \"text\" it's C:\\new"),
            ("a\tb\nc\rd\0", "a\\tb\\nc\\rd\\0"),
            ("\u{1b}[31mred\u{1b}]0;x\u{7}", "\\u{1b}[31mred\\u{1b}]0;x\\u{7}"),
            // Control characters of the upper half, DEL, line and paragraph ends.
            ("\u{9b}31m\u{85}\u{7f}\u{2028}\u{2029}", "\\u{9b}31m\\u{85}\\u{7f}\\u{2028}\\u{2029}"),
            // Directions of text, no width, no break, the mark of byte order, no characters at all.
            (
                "\u{202e}a\u{2066}b\u{200b}c\u{200d}d\u{a0}\u{feff}\u{ffff}",
                "\\u{202e}a\\u{2066}b\\u{200b}c\\u{200d}d\\u{a0}\\u{feff}\\u{ffff}",
            ),
            // Tags, which nobody sees, and a character of private use.
            ("\u{e0041}\u{e000}", "\\u{e0041}\\u{e000}"),
            // Letters of all kinds, and marks on them; a mark on nothing is none.
            ("größe e\u{301} 部品 हिन्दी 😀", "größe e\u{301} 部品 हिन्दी 😀"),
            ("\u{301}e", "\\u{301}e"),
        ];
        for (text, expected) in cases {
            assert_eq!(printable(text), expected, "{text:?}");
            assert_eq!(printable(expected), expected, "done twice");
        }
    }

    #[test]
    fn cells_are_no_formulas_and_read_back() {
        for text in ["=1", "+1", "-1", "@a", "'a", "\u{ff1d}1", "\t=1", "\r=1", "a=1", "", "\\n"] {
            let cell = printable_cell(text);
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\u{ff1d}']), "{cell}");
            assert_eq!(cell.strip_prefix('\'').unwrap_or(&cell), printable(text));
        }
    }

    #[test]
    fn json_keeps_its_values() {
        let every: String = ('\0'..='\u{10ffff}').collect();
        let json = printable_json(serde_json::to_string(&every).unwrap());
        assert!(json.chars().all(|character| matches!(character, ' '..='~') || prints(character)));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), every);
        assert_eq!(printable_json("\"é\u{9b}\u{e0041}\"".into()), "\"é\\u009b\\udb40\\udc41\"");
    }
}
