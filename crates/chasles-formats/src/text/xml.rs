//! Reads XML files within limits: text, lines and elements of files that may be malicious.
//!
//! Input that would take the parser too long or too much memory is refused in advance: its work is quadratic in the
//! attributes of one element, and grows with the number of namespaces. A document type declaration is refused, so
//! there are no entities whose expansion could grow.

use std::fmt::Write as _;
use std::path::Path;

use roxmltree::{Document, Node, TextPos};

use crate::error::{Error, Result};
use crate::limits;
use crate::text::tree::quoted;

/// Maximum number of tags, comments and similar: 80 bytes of memory each.
const TAGS: usize = 4 << 20;
/// Maximum number of `=` signs: the parser reserves 80 bytes of memory for each, whether it belongs to an attribute
/// or not.
const EQUALS: usize = 8 << 20;
/// Maximum number of attributes in one element, each of which is compared with all others.
const ATTRIBUTES: usize = 256;
/// Maximum number of namespace declarations in a file; each element may be compared with every declaration.
const NAMESPACES: usize = 256;
/// Bytes between two positions with stored line numbers.
const BLOCK: usize = 4096;

/// The text of an XML file, with its lines.
pub(crate) struct XmlText<'p> {
    path: &'p Path,
    text: String,
    /// The line of the first byte of each block.
    lines: Vec<usize>,
}

impl<'p> XmlText<'p> {
    /// Reads a file.
    pub(crate) fn read(path: &'p Path) -> Result<Self> {
        Self::new(limits::read(path, limits::XML_FILE)?, path)
    }

    /// The text in the bytes of a file: UTF-8, or Latin-1 if the file declares it.
    pub(crate) fn new(mut bytes: Vec<u8>, path: &'p Path) -> Result<Self> {
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            bytes.drain(..3);
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Error::file(path, "the file is empty: expected XML"));
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let (valid, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
                if !is_latin(bytes) {
                    let line = 1 + newlines(&bytes[..valid]);
                    return Err(Error::line(
                        path,
                        line,
                        format!("byte {} is not UTF-8: expected text", bytes[valid]),
                    ));
                }
                bytes.iter().copied().map(char::from).collect()
            }
        };
        let mut line = 1;
        let lines = text.as_bytes().chunks(BLOCK).map(|block| {
            let first = line;
            line += newlines(block);
            first
        });
        let lines = lines.collect();
        Ok(Self { path, text, lines })
    }

    /// Parses the elements of the text.
    pub(crate) fn document(&self) -> Result<Document<'_>> {
        self.check_bounds()?;
        let memory = limits::memory_of_xml(self.text.as_bytes());
        limits::check_memory(memory).map_err(|message| Error::file(self.path, message))?;
        // Blank lines before the declaration, which many programs write, are accepted.
        let tag_start = self.text.len() - self.text.trim_start().len();
        if tag_start > 0 && self.text[tag_start..].starts_with("<?xml") {
            let end = self.text.find("?>").map_or(self.text.len(), |end| end + 2);
            return self.parse(&self.text[end..], end);
        }
        self.parse(&self.text, 0)
    }

    fn parse<'t>(&'t self, text: &'t str, skipped: usize) -> Result<Document<'t>> {
        Document::parse(text).map_err(|error| {
            let line = match error.pos() {
                // If the parser reports no position, the text ended too early.
                TextPos { row: 1, col: 1 } => self.line(self.text.len().saturating_sub(1)),
                TextPos { row, .. } => row as usize + newlines(&self.text.as_bytes()[..skipped]),
            };
            let what = match error {
                roxmltree::Error::DtdDetected => "a document type declaration is not supported".into(),
                error => fault(&error),
            };
            Error::line(self.path, line, format!("not XML that can be read: {what}"))
        })
    }

    /// The line of a byte of the text, counted from 1.
    pub(crate) fn line(&self, byte: usize) -> usize {
        let block = (byte / BLOCK).min(self.lines.len() - 1);
        let rest = &self.text.as_bytes()[block * BLOCK..];
        self.lines[block] + newlines(&rest[..(byte - block * BLOCK).min(rest.len())])
    }

    /// The line on which an element starts.
    pub(crate) fn line_of(&self, node: Node<'_, '_>) -> usize {
        self.line(self.start_of(node))
    }

    /// The position of a node in the text. The parsed document may start after the start of the text.
    pub(crate) fn start_of(&self, node: Node<'_, '_>) -> usize {
        node.range().start + self.text.len() - node.document().input_text().len()
    }

    /// The line of a word.
    pub(crate) fn line_of_word(&self, word: Word<'_, '_>) -> usize {
        // Counted in the parsed text, because the parser replaces each `\r\n` by one character.
        let before = &word.node.text().unwrap_or_default()[..word.offset];
        self.line_of(word.node) + newlines(before.as_bytes())
    }

    /// The file, for messages.
    pub(crate) fn path(&self) -> &'p Path {
        self.path
    }

    /// Refuses input that would take the parser too long or too much memory.
    fn check_bounds(&self) -> Result<()> {
        let bytes = self.text.as_bytes();
        let too_many = |at: usize, what: &str, maximum: usize| {
            Err(Error::line(self.path, self.line(at), format!("more than {maximum} {what}: not read")))
        };
        let (mut at, mut tags, mut namespaces) = (0, 0, 0);
        while let Some(tag_start) = find(bytes, b"<", at) {
            tags += 1;
            if tags > TAGS {
                return too_many(tag_start, "tags", TAGS);
            }
            let rest = &bytes[tag_start..];
            let closed_by: Option<&[u8]> = if rest.starts_with(b"<!--") {
                Some(b"-->")
            } else if rest.starts_with(b"<![CDATA[") {
                Some(b"]]>")
            } else if rest.starts_with(b"<?") {
                Some(b"?>")
            } else {
                None
            };
            at = match closed_by {
                Some(end) => find(bytes, end, tag_start + 2).unwrap_or(bytes.len()),
                None => {
                    let tag = Tag::of(rest);
                    namespaces += tag.namespaces;
                    if tag.attributes > ATTRIBUTES {
                        return too_many(tag_start, "attributes of one element", ATTRIBUTES);
                    }
                    if namespaces > NAMESPACES {
                        return too_many(tag_start, "declarations of namespaces", NAMESPACES);
                    }
                    tag_start + tag.length
                }
            };
        }
        if bytes.iter().filter(|b| **b == b'=').count() > EQUALS {
            return too_many(0, "signs `=`", EQUALS);
        }
        Ok(())
    }
}

/// The length and counts of a tag.
struct Tag {
    length: usize,
    attributes: usize,
    namespaces: usize,
}

impl Tag {
    /// Scans the tag at the start of the text.
    fn of(text: &[u8]) -> Self {
        let mut tag = Self { length: text.len(), attributes: 0, namespaces: 0 };
        let mut quote = None;
        for (i, &byte) in text.iter().enumerate().skip(1) {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => tag.attributes += 1,
                (None, b'x') if text[i..].starts_with(b"xmlns") => tag.namespaces += 1,
                // The parser fails at a `<` outside of quotes.
                (None, b'>' | b'<') => {
                    tag.length = i;
                    break;
                }
                _ => {}
            }
        }
        tag
    }
}

/// The child elements with this name, without elements of other tools.
pub(crate) fn children<'a, 'i>(
    node: Node<'a, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> + use<'a, 'i> {
    elements(node).filter(move |child| child.tag_name().name() == name && !is_of_another_tool(*child))
}

/// The child elements of an element.
pub(crate) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> + use<'a, 'i> {
    node.children().filter(Node::is_element)
}

/// Whether an element has another namespace than the root element, and so belongs to another tool.
pub(crate) fn is_of_another_tool(node: Node<'_, '_>) -> bool {
    node.tag_name().namespace() != node.document().root_element().tag_name().namespace()
}

/// A word of the text in an element.
#[derive(Clone, Copy)]
pub(crate) struct Word<'a, 'i> {
    pub(crate) text: &'a str,
    /// The text node that contains the word, and the offset in its text.
    node: Node<'a, 'i>,
    offset: usize,
}

/// The words in an element, separated by white space; text in nested elements is skipped.
pub(crate) fn words<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Word<'a, 'i>> + use<'a, 'i> {
    node.children().filter(Node::is_text).flat_map(|node| {
        let all = node.text().unwrap_or_default();
        let offset = move |word: &str| word.as_ptr() as usize - all.as_ptr() as usize;
        all.split_ascii_whitespace().map(move |text| Word { text, node, offset: offset(text) })
    })
}

/// The name of an element in messages: `<box>`.
pub(crate) fn tag(node: Node<'_, '_>) -> String {
    let name = quoted(node.tag_name().name());
    format!("<{}>", name.trim_matches('"'))
}

/// The parser's message without the place, shortened, because it may quote a name of any length.
pub(crate) fn fault(error: &roxmltree::Error) -> String {
    const MAX_LENGTH: usize = 160;
    let message = error.to_string().replace(&format!(" at {}", error.pos()), "");
    match message.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}..", &message[..end]),
        None => message,
    }
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b == b'\n').count()
}

/// The position of the next occurrence of `piece`, at `from` or later.
fn find(bytes: &[u8], piece: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|b| *b == piece[0])?;
        if bytes[at..].starts_with(piece) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether the declaration names an encoding in which every byte is, at least nearly, the character with its number.
fn is_latin(bytes: &[u8]) -> bool {
    let head = bytes[..bytes.len().min(200)].to_ascii_lowercase();
    let head = find(&head, b"?>", 0).map_or(&[][..], |end| &head[..end]);
    let names: [&[u8]; 3] = [b"iso-8859-1", b"latin1", b"windows-1252"];
    names.iter().any(|name| find(head, name, 0).is_some())
}

/// A text for an attribute or for content: special characters are escaped, also line ends and tabs, which a reader
/// would turn into blanks.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
            // Characters that XML 1.0 cannot contain, not even escaped (production 2, Char).
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.extend(character.escape_unicode()),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> String {
        let text = XmlText::new(bytes.to_vec(), Path::new("a.xml"));
        text.and_then(|text| text.document().map(|_| ())).unwrap_err().to_string()
    }

    #[test]
    fn elements_have_their_lines() {
        let inside = "\n".repeat(9000) + "<b/>\n<c\n/>";
        for head in ["", "\u{FEFF}", "<?xml version='1.0'?>", "\n  \n<?xml version='1.0'?>", "\n\n"] {
            let source = format!("{head}<a>{inside}</a>").into_bytes();
            let text = XmlText::new(source, Path::new("a.xml")).unwrap();
            let document = text.document().unwrap();
            let before = head.matches('\n').count();
            let lines: Vec<_> = elements(document.root_element()).map(|node| text.line_of(node)).collect();
            assert_eq!(lines, [9001 + before, 9002 + before], "{head:?}");
            assert_eq!(text.line_of(document.root_element()), 1 + before);
        }
    }

    #[test]
    fn invalid_xml_is_an_error_with_line() {
        let not = "not XML that can be read";
        assert_eq!(message(b"<a>\n<b>\n</a>"), format!("a.xml:3: {not}: expected 'b' tag, not 'a'"));
        assert_eq!(message(b"<a>\n\n"), format!("a.xml:2: {not}: the root node was opened but never closed"));
        assert_eq!(message(b"\n <?xml version='1.0'?>\n<a>\n<b>\n</a>").split(':').nth(1), Some("5"));
        assert_eq!(message(b"<a>\n\xFF</a>"), "a.xml:2: byte 255 is not UTF-8: expected text");
        assert_eq!(message(b" \n"), "a.xml: the file is empty: expected XML");
        let long = message(format!("<a></{}>", "x".repeat(1 << 20)).as_bytes());
        assert!(long.len() < 300, "{}", long.len());
    }

    #[test]
    fn latin_text_is_read_where_it_is_declared() {
        let bytes = b"<?xml version='1.0' encoding='ISO-8859-1'?><a name='\xFC'/>".to_vec();
        let text = XmlText::new(bytes, Path::new("a.xml")).unwrap();
        assert_eq!(text.document().unwrap().root_element().attribute("name"), Some("ü"));
    }

    #[test]
    fn too_expensive_files_are_errors() {
        let entity = "<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c '&b;&b;'>]><a>&c;</a>";
        assert!(message(entity.as_bytes()).ends_with("a document type declaration is not supported"));
        let attributes: String = (0..300).map(|i| format!(" a{i}=''")).collect();
        let attributes = message(format!("<a>\n<b c='<=>'{attributes}/></a>").as_bytes());
        assert_eq!(attributes, "a.xml:2: more than 256 attributes of one element: not read");
        let spaces: String = (0..300).map(|i| format!("<b xmlns:n{i}='{i}'>\n")).collect();
        let spaces = message(format!("<a>{spaces}").as_bytes());
        assert_eq!(spaces, "a.xml:257: more than 256 declarations of namespaces: not read");
        assert!(message(&b"<".repeat(TAGS + 1)).contains("tags"));
        let equals = [b"<a>".to_vec(), b"=".repeat(EQUALS + 1), b"</a>".to_vec()].concat();
        assert!(message(&equals).ends_with("signs `=`: not read"));
    }

    #[test]
    fn comments_and_quotes_are_not_counted() {
        let text = format!(
            "<a><!-- {0} > {0} --><![CDATA[{0}<{0}]]><?pi {0}?><b c='{0}>{0}'/></a>",
            " a= xmlns=".repeat(400)
        );
        let text = XmlText::new(text.into_bytes(), Path::new("a.xml")).unwrap();
        assert_eq!(children(text.document().unwrap().root_element(), "b").count(), 1);
    }

    #[test]
    fn words_have_their_lines() {
        for end in ["\n", "\r\n"] {
            let source = ["<a>1 2", " 3<!-- -->4", "", "<b>x</b><![CDATA[5]]>6", "7</a>"].join(end);
            let text = XmlText::new(source.into_bytes(), Path::new("a.xml")).unwrap();
            let document = text.document().unwrap();
            let all: Vec<_> = words(document.root_element()).collect();
            assert_eq!(all.iter().map(|word| word.text).collect::<Vec<_>>(), ["1", "2", "3", "4", "56", "7"]);
            let lines: Vec<_> = all.iter().map(|word| text.line_of_word(*word)).collect();
            assert_eq!(lines, [1, 1, 2, 2, 4, 5]);
        }
    }

    #[test]
    fn a_million_nested_elements_are_read() {
        let text = "<a>".repeat(1 << 20) + &"</a>".repeat(1 << 20);
        let text = XmlText::new(text.into_bytes(), Path::new("a.xml")).unwrap();
        assert_eq!(text.document().unwrap().descendants().count(), (1 << 20) + 1);
    }
}
