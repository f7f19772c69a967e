//! A structured document as a plain tree, read from TOML or JSON.
//!
//! Scenes (TOML) and pair problems (JSON) have the same rules for values: a finite vector, a unit quaternion, no
//! unknown key. Both are first converted to this tree, so each rule is written once (in `cursor`) and each value
//! knows its line.

use std::fmt;
use std::path::Path;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, Result};
use crate::limits;
use crate::text::table::{Table, Text};

/// Maximum nesting of tables and lists in TOML. Scenes need 7, and two more for each nested operation of a solid;
/// the parser itself allows 80. Dotted keys in inline tables bypass the parser's limit and could nest thousands
/// deep, which would exhaust the stack of a small thread here.
const DEEPEST: usize = 80;

/// A value with the line on which it starts, counted from 1 (0: the document as a whole).
#[derive(Debug, Clone)]
pub(crate) struct DocumentNode {
    pub(crate) value: DocumentValue,
    pub(crate) line: usize,
}

/// The values of TOML and JSON that our formats use.
#[derive(Debug, Clone)]
pub(crate) enum DocumentValue {
    Flag(bool),
    /// A number or integer as in the text, so possibly not finite.
    Number(f64),
    Text(Text),
    List(Vec<DocumentNode>),
    Table(Table<Entry>),
    /// A value that no key accepts, described in words.
    Other(&'static str),
}

/// A value of a table, with the line of its key.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key_line: usize,
    pub(crate) node: DocumentNode,
}

/// The value in an error: "found ..".
impl fmt::Display for DocumentValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Number(number) => write!(f, "{}", number_text(*number)),
            Self::Text(text) => write!(f, "{}", quoted(text)),
            Self::List(list) => write!(f, "a list of length {}", list.len()),
            Self::Table(_) => write!(f, "a table"),
            Self::Other(what) => write!(f, "{what}"),
        }
    }
}

/// Text from a file for a message: in quotes, control characters escaped (a message is one line), shortened.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}..", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// A number for a message, in the shortest form that reads back the same; 7, not 7.0.
pub(crate) fn number_text(number: f64) -> String {
    let text = format!("{number:?}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Reads a TOML document. Its root has line 0.
pub(crate) fn from_toml(text: &str, file: &Path) -> Result<DocumentNode> {
    limits::check_memory(limits::memory_of_toml(text.as_bytes()))
        .map_err(|message| Error::file(file, message))?;
    let lines = LineIndex::new(text);
    let table = DeTable::parse(text).map_err(|error| syntax_error(&error, text, &lines, file))?;
    let value = TomlWalk { file, lines }.table(table.into_inner(), 0)?;
    Ok(DocumentNode { value, line: 0 })
}

fn syntax_error(error: &toml::de::Error, text: &str, lines: &LineIndex, file: &Path) -> Error {
    let Some(byte_range) = error.span() else {
        return Error::file(file, format!("not TOML: {}", error.message()));
    };
    let line = lines.line(byte_range.start);
    let is_text = |line: &str| !matches!(line.trim().as_bytes().first(), None | Some(b'#'));
    if !text.lines().take(line - 1).any(is_text) {
        // If no line is TOML, the file may be of another kind, whose content is not shown.
        return Error::line(file, line, format!("not TOML: {}", error.message()));
    }
    let found = text.lines().nth(line - 1).unwrap_or_default().trim();
    let found = if found.is_empty() { "nothing more".to_owned() } else { quoted(found) };
    Error::line(file, line, format!("not TOML: {}; found {found}", error.message()))
}

/// The starts of a text's lines.
struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    fn new(text: &str) -> Self {
        Self { starts: std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect() }
    }

    /// The line, counted from 1, of a byte.
    fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte)
    }
}

struct TomlWalk<'a> {
    file: &'a Path,
    lines: LineIndex,
}

/// Consumes the parser's tree, so that the data is not stored twice.
impl TomlWalk<'_> {
    fn table(&self, table: DeTable<'_>, depth: usize) -> Result<DocumentValue> {
        let mut entries = Table::new();
        for (key, value) in table {
            let key_line = self.lines.line(key.span().start);
            let entry = Entry { key_line, node: self.node(value, depth + 1)? };
            // The parser has refused repeated keys.
            let _ = entries.insert(Text::from(&**key.get_ref()), entry);
        }
        Ok(DocumentValue::Table(entries))
    }

    fn node(&self, value: Spanned<DeValue<'_>>, depth: usize) -> Result<DocumentNode> {
        let line = self.lines.line(value.span().start);
        if depth > DEEPEST {
            return Err(Error::line(
                self.file,
                line,
                format!("found more than {DEEPEST} tables or lists within one another, expected a scene"),
            ));
        }
        let value = match value.into_inner() {
            DeValue::String(text) => DocumentValue::Text(Text::from(&*text)),
            DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
                // Rounded to nearest, like the same digits with `.0`.
                Ok(integer) => DocumentValue::Number(integer as f64),
                Err(_) => DocumentValue::Other("an integer of more than 64 bits"),
            },
            DeValue::Float(float) => match float.as_str().parse::<f64>() {
                Ok(number) if number.is_infinite() && !float.as_str().contains("inf") => {
                    DocumentValue::Other("a number too large for 64 bits")
                }
                Ok(number) => DocumentValue::Number(number),
                Err(_) => DocumentValue::Other("a malformed number"),
            },
            DeValue::Boolean(flag) => DocumentValue::Flag(flag),
            DeValue::Datetime(_) => DocumentValue::Other("a date or time"),
            DeValue::Array(list) => {
                let mut nodes = Vec::with_capacity(list.len());
                for item in list {
                    nodes.push(self.node(item, depth + 1)?);
                }
                DocumentValue::List(nodes)
            }
            DeValue::Table(table) => self.table(table, depth)?,
        };
        Ok(DocumentNode { value, line })
    }
}

/// Reads a JSON document on one line; every value gets that line number.
///
/// `serde_json` limits the depth to 128. It would keep the last of two equal keys, which are an error here.
pub(crate) fn from_json(text: &str, line: usize, file: &Path) -> Result<DocumentNode> {
    let mut input = serde_json::Deserializer::from_str(text);
    let read = JsonNode { line }.deserialize(&mut input).and_then(|node| input.end().map(|()| node));
    read.map_err(|error| {
        let (full_text, place) =
            (error.to_string(), format!(" at line {} column {}", error.line(), error.column()));
        let what = full_text.strip_suffix(&place).unwrap_or(&full_text);
        Error::line(
            file,
            line,
            format!("not JSON: {what} at column {}, expected one object on the line", error.column()),
        )
    })
}

#[derive(Clone, Copy)]
struct JsonNode {
    line: usize,
}

impl JsonNode {
    fn node<E>(self, value: DocumentValue) -> std::result::Result<DocumentNode, E> {
        Ok(DocumentNode { value, line: self.line })
    }
}

impl<'de> DeserializeSeed<'de> for JsonNode {
    type Value = DocumentNode;

    fn deserialize<D: de::Deserializer<'de>>(self, input: D) -> std::result::Result<DocumentNode, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonNode {
    type Value = DocumentNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a JSON value")
    }

    fn visit_bool<E>(self, flag: bool) -> std::result::Result<DocumentNode, E> {
        self.node(DocumentValue::Flag(flag))
    }

    // Integers round to nearest, like the same digits with `.0`.
    fn visit_i64<E>(self, integer: i64) -> std::result::Result<DocumentNode, E> {
        self.node(DocumentValue::Number(integer as f64))
    }

    fn visit_u64<E>(self, integer: u64) -> std::result::Result<DocumentNode, E> {
        self.node(DocumentValue::Number(integer as f64))
    }

    fn visit_f64<E>(self, number: f64) -> std::result::Result<DocumentNode, E> {
        self.node(DocumentValue::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<DocumentNode, E> {
        self.node(DocumentValue::Text(Text::from(text)))
    }

    fn visit_unit<E>(self) -> std::result::Result<DocumentNode, E> {
        self.node(DocumentValue::Other("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut input: A) -> std::result::Result<DocumentNode, A::Error> {
        let mut list = Vec::new();
        while let Some(node) = input.next_element_seed(self)? {
            list.push(node);
        }
        self.node(DocumentValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> std::result::Result<DocumentNode, A::Error> {
        let mut table = Table::new();
        while let Some(key) = input.next_key_seed(JsonKey)? {
            let node = input.next_value_seed(self)?;
            if let Err(key) = table.insert(key, Entry { key_line: self.line, node }) {
                return Err(de::Error::custom(format!("found the key {} twice", quoted(&key))));
            }
        }
        self.node(DocumentValue::Table(table))
    }
}

struct JsonKey;

impl<'de> DeserializeSeed<'de> for JsonKey {
    type Value = Text;

    fn deserialize<D: de::Deserializer<'de>>(self, input: D) -> std::result::Result<Text, D::Error> {
        input.deserialize_str(self)
    }
}

impl Visitor<'_> for JsonKey {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a string")
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Text, E> {
        Ok(Text::from(text))
    }
}
