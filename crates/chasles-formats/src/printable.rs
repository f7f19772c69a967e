//! Makes text from files safe for terminals, logs, build servers and spreadsheets.
//!
//! Names of bodies, paths and words of files may contain anything: line ends, the escape character of terminal
//! commands, and characters that reverse the direction of text or are invisible. All code that prints such text uses
//! these functions. Strings in JSON keep their value; only their spelling changes.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// A text on one line: characters that do not print as themselves are escaped as in Rust, `\n` or `\u{1b}`.
///
/// These are all control and format characters (also of bidirectional text and of zero width), line and paragraph
/// ends, spaces other than the plain one, and unassigned characters. Quotes and backslashes stay, so a second
/// application changes nothing.
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
    // Whole texts are escaped rather than single characters, because Rust keeps a combining mark after a letter.
    for piece in text.split_inclusive(STAYING) {
        let body = piece.trim_end_matches(STAYING);
        plain.extend(body.escape_debug());
        plain.push_str(&piece[body.len()..]);
    }
    Cow::Owned(plain)
}

/// Printable characters that Rust would escape.
const STAYING: [char; 3] = ['\\', '"', '\''];

/// [`printable`] of a path.
#[must_use]
pub fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

/// [`printable`] as a cell of CSV that is text and never a formula: a spreadsheet evaluates a cell that begins with
/// `=`, `+`, `-` or `@` (also in their wide forms). An apostrophe in front marks it as text. A leading apostrophe
/// gets another, so the reader removes one to get the text back.
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

/// JSON with the same values, in which every character is printable: the others are escaped as `\u001b`.
///
/// The JSON writer itself escapes the control characters of ASCII. All other such characters occur only in strings,
/// so this function need not parse the JSON.
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
                // Writing to a string cannot fail.
                let _ = write!(plain, "\\u{unit:04x}");
            }
        }
    }
    plain
}

/// Whether [`printable`] keeps a character after a letter.
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
            // C1 control characters, DEL, line and paragraph ends.
            ("\u{9b}31m\u{85}\u{7f}\u{2028}\u{2029}", "\\u{9b}31m\\u{85}\\u{7f}\\u{2028}\\u{2029}"),
            // Text direction, zero width, no-break space, byte order mark, noncharacters.
            (
                "\u{202e}a\u{2066}b\u{200b}c\u{200d}d\u{a0}\u{feff}\u{ffff}",
                "\\u{202e}a\\u{2066}b\\u{200b}c\\u{200d}d\\u{a0}\\u{feff}\\u{ffff}",
            ),
            // An invisible tag, and a character of private use.
            ("\u{e0041}\u{e000}", "\\u{e0041}\\u{e000}"),
            // Letters of many scripts with combining marks; a mark without a letter is escaped.
            ("größe e\u{301} 部品 हिन्दी 😀", "größe e\u{301} 部品 हिन्दी 😀"),
            ("\u{301}e", "\\u{301}e"),
        ];
        for (text, expected) in cases {
            assert_eq!(printable(text), expected, "{text:?}");
            assert_eq!(printable(expected), expected, "done twice");
        }
    }

    #[test]
    fn cells_are_not_formulas_and_read_back() {
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
