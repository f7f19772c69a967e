//! Reads a YAML document as a tree whose values know their lines. JSON is checked to be JSON and then read in the
//! same way.
//!
//! The library parses the text to events, and this module builds values from them. A plain word is a number if it
//! has decimal digits, or is `.nan` or `.inf`; a quoted word is text. Anchors and aliases are resolved, because YAML
//! writers use them for equal lists; tags are ignored.

use std::collections::BTreeMap;
use std::path::Path;

use granit_parser::{Event, Parser, ScalarStyle, options};
use serde::de::IgnoredAny;

use super::check_count;
use crate::error::{Error, Result};
use crate::text::table::{Table, Text};
use crate::text::tree::{DocumentNode, DocumentValue, Entry, quoted};

/// Maximum nesting of lists and tables; paths need 8.
const DEEPEST: usize = 32;

/// Memory of an empty table, as a multiple of a number's memory.
const TABLE: usize = 4;

/// Reads a YAML stream with one document that is not empty.
pub(super) fn from_yaml(bytes: &[u8], path: &Path) -> Result<DocumentNode> {
    let text = utf8(bytes, "YAML", path)?;
    let mut tree = YamlBuilder { path, open: vec![], anchors: BTreeMap::new(), nodes: 0, document: None };
    let limits = options! { flow_nesting_limit: DEEPEST, block_nesting_limit: DEEPEST };
    for event in Parser::new_from_str_with_options(text, limits) {
        let (event, marks) = event.map_err(|error| {
            let (line, column) = (error.marker().line(), error.marker().col() + 1);
            Error::line(path, line, format!("not YAML: {} at column {column}", error.info()))
        })?;
        tree.take(&event, marks.start.line())?;
    }
    tree.document.ok_or_else(|| Error::file(path, "the file is empty, expected a trajectory"))
}

/// Reads one document in JSON.
pub(super) fn from_json(bytes: &[u8], path: &Path) -> Result<DocumentNode> {
    let text = utf8(bytes, "JSON", path)?;
    // All JSON is YAML, but not vice versa.
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| {
        let (full_text, place) =
            (error.to_string(), format!(" at line {} column {}", error.line(), error.column()));
        let what = full_text.strip_suffix(&place).unwrap_or(&full_text);
        Error::line(path, error.line(), format!("not JSON: {what} at column {}", error.column()))
    })?;
    from_yaml(text.as_bytes(), path)
}

fn utf8<'a>(bytes: &'a [u8], kind: &str, path: &Path) -> Result<&'a str> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        let byte = bytes[error.valid_up_to()];
        Error::line(path, line, format!("not UTF-8: found the byte 0x{byte:02x}, expected {kind} in UTF-8"))
    })?;
    Ok(text.trim_start_matches('\u{feff}'))
}

/// A tree that is built event by event.
struct YamlBuilder<'a> {
    path: &'a Path,
    /// The open lists and tables, from the root down.
    open: Vec<OpenCollection>,
    /// The values of anchors, by their numbers.
    anchors: BTreeMap<usize, DocumentNode>,
    /// Number of values, aliases included.
    nodes: usize,
    document: Option<DocumentNode>,
}

/// An open list or table.
struct OpenCollection {
    node: DocumentNode,
    anchor: Option<usize>,
    /// The key, with its line, whose value is next.
    key: Option<(String, usize)>,
}

impl YamlBuilder<'_> {
    fn take(&mut self, event: &Event<'_>, line: usize) -> Result<()> {
        match event {
            Event::Scalar(text, style, ..) => {
                let plain = *style == ScalarStyle::Plain;
                if let Some(OpenCollection {
                    node: DocumentNode { value: DocumentValue::Table(_), .. },
                    key: key @ None,
                    ..
                }) = self.open.last_mut()
                {
                    *key = Some((text.to_string(), line));
                    return Ok(());
                }
                let value = if plain { plain_value(text) } else { DocumentValue::Text(Text::from(&**text)) };
                self.put(DocumentNode { value, line }, event.anchor_id())
            }
            Event::SequenceStart(..) => {
                self.start_collection(DocumentValue::List(vec![]), line, event.anchor_id())
            }
            Event::MappingStart(..) => {
                self.start_collection(DocumentValue::Table(Table::new()), line, event.anchor_id())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(OpenCollection { node, anchor, .. }) = self.open.pop() else { return Ok(()) };
                self.put(node, anchor)
            }
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(anchor) else {
                    let message =
                        "found an alias to the node that contains it, expected one to an earlier node";
                    return Err(Error::line(self.path, line, message));
                };
                let node = node.clone();
                // `put` counts the value itself.
                self.nodes += count(&node) - 1;
                self.put(node, None)
            }
            _ => Ok(()),
        }
    }

    fn start_collection(&mut self, value: DocumentValue, line: usize, anchor: Option<usize>) -> Result<()> {
        // The parser's own limit counts flow and block nesting separately.
        if self.open.len() >= DEEPEST {
            let message =
                format!("found more than {DEEPEST} lists or tables within one another, expected a path");
            return Err(Error::line(self.path, line, message));
        }
        if let Some(OpenCollection {
            node: DocumentNode { value: DocumentValue::Table(_), .. },
            key: None,
            ..
        }) = self.open.last()
        {
            return Err(Error::line(self.path, line, "found a list or table as a key, expected a word"));
        }
        if let DocumentValue::Table(_) = value {
            self.nodes += TABLE;
        }
        self.open.push(OpenCollection { node: DocumentNode { value, line }, anchor, key: None });
        Ok(())
    }

    /// Stores a complete value in its list, table or document.
    fn put(&mut self, node: DocumentNode, anchor: Option<usize>) -> Result<()> {
        let line = node.line;
        self.nodes += 1;
        if let Some(anchor) = anchor {
            // The copy for the anchor takes memory, too.
            self.nodes += count(&node);
            self.anchors.insert(anchor, node.clone());
        }
        check_count(self.nodes, self.path, line)?;
        match self.open.last_mut() {
            None if matches!(node.value, DocumentValue::Other(_)) => Ok(()),
            None if self.document.is_some() => {
                let message = "found a second document, expected one trajectory a file";
                Err(Error::line(self.path, line, message))
            }
            None => {
                self.document = Some(node);
                Ok(())
            }
            Some(open) => match (&mut open.node.value, open.key.take()) {
                (DocumentValue::List(items), _) => {
                    items.push(node);
                    Ok(())
                }
                (DocumentValue::Table(table), Some((key, key_line))) => {
                    table.insert(Text::from(&*key), Entry { key_line, node }).map_err(|key| {
                        let twice = format!("found the key {} twice, expected it once", quoted(&key));
                        Error::line(self.path, key_line, twice)
                    })
                }
                _ => Err(Error::line(self.path, line, "found an alias as a key, expected a word")),
            },
        }
    }
}

/// The number of values in a value, itself included.
fn count(node: &DocumentNode) -> usize {
    1 + match &node.value {
        DocumentValue::List(items) => items.iter().map(count).sum(),
        DocumentValue::Table(table) => TABLE + table.values().map(|entry| count(&entry.node)).sum::<usize>(),
        _ => 0,
    }
}

/// The value of a word without quotes.
fn plain_value(text: &str) -> DocumentValue {
    let number = || match text.strip_prefix(['+', '-']).unwrap_or(text).to_ascii_lowercase().as_str() {
        ".inf" if text.starts_with('-') => Some(f64::NEG_INFINITY),
        ".inf" => Some(f64::INFINITY),
        ".nan" => Some(f64::NAN),
        digits if digits.starts_with(|c: char| c == '.' || c.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    };
    match text {
        "" | "~" | "null" | "Null" | "NULL" => DocumentValue::Other("nothing"),
        "true" | "True" | "TRUE" => DocumentValue::Flag(true),
        "false" | "False" | "FALSE" => DocumentValue::Flag(false),
        _ => number().map_or_else(|| DocumentValue::Text(Text::from(text)), DocumentValue::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match from_yaml(text.as_bytes(), "p.yaml".as_ref()) {
            Ok(node) => node_text(&node),
            Err(error) => error.to_string(),
        }
    }

    /// A value with the lines of all its parts.
    fn node_text(node: &DocumentNode) -> String {
        let what = match &node.value {
            DocumentValue::Flag(flag) => format!("{flag}"),
            DocumentValue::Number(number) => format!("{number:?}"),
            DocumentValue::Text(text) => format!("{text:?}"),
            DocumentValue::Other(what) => (*what).to_owned(),
            DocumentValue::List(items) => {
                format!("[{}]", items.iter().map(node_text).collect::<Vec<_>>().join(" "))
            }
            DocumentValue::Table(table) => {
                let entries = table
                    .iter()
                    .map(|(key, entry)| format!("{key}@{}: {}", entry.key_line, node_text(&entry.node)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(" "))
            }
        };
        format!("{what}@{}", node.line)
    }

    #[test]
    fn values_know_their_lines() {
        let text = "# first\nb: [1, -2.5e-1,\n  .nan, -.inf]\na:\n- 'x'\n- {c: \"1\", d: }\n- x y\n";
        let expected = "{a@4: [\"x\"@5 {c@6: \"1\"@6 d@6: nothing@6}@6 \"x y\"@7]@5 \
                        b@2: [1.0@2 -0.25@2 NaN@3 -inf@3]@2}@2";
        assert_eq!(read(text), expected);
        assert_eq!(read("[true, ~, 1_0, 0x1F, +3., .5, e1, 1e999]"), {
            "[true@1 nothing@1 \"1_0\"@1 \"0x1F\"@1 3.0@1 0.5@1 \"e1\"@1 inf@1]@1"
        });
    }

    #[test]
    fn only_one_document_is_read() {
        assert_eq!(read("---\na: 1\n---\n"), "{a@2: 1.0@2}@2");
        assert_eq!(read("---\n---\na: 1\n...\n"), "{a@3: 1.0@3}@3");
        assert_eq!(
            read("a: 1\n---\na: 2\n"),
            "p.yaml:3: found a second document, expected one trajectory a file"
        );
        for empty in ["", "---\n", "# nothing\n", "\u{feff}"] {
            assert_eq!(read(empty), "p.yaml: the file is empty, expected a trajectory", "{empty:?}");
        }
    }

    #[test]
    fn aliases_equal_their_anchors() {
        assert_eq!(read("a: &z [0, 0]\nb: *z\n"), "{a@1: [0.0@1 0.0@1]@1 b@2: [0.0@1 0.0@1]@1}@1");
        let message =
            "p.yaml:1: found an alias to the node that contains it, expected one to an earlier node";
        assert_eq!(read("&z [1, *z]"), message);
        assert_eq!(read("a: &z 1\n*z : 2\n"), "p.yaml:1: found an alias as a key, expected a word");
        // Nested aliases that would expand to too many values, which is detected before the expansion.
        let nested_aliases: String = (1..12)
            .map(|level| {
                format!("l{level}: &l{level} [{}]\n", vec![format!("*l{}", level - 1); 10].join(", "))
            })
            .collect();
        let message = read(&format!("l0: &l0 [1]\n{nested_aliases}"));
        assert!(message.contains("found more than 10000000 numbers"), "{message}");
    }

    #[test]
    fn invalid_input_is_an_error_with_line() {
        for (text, message) in [
            ("a: 1\na: 2\n", "p.yaml:2: found the key \"a\" twice, expected it once"),
            ("a: 1\n? [b]\n: 2\n", "p.yaml:2: found a list or table as a key, expected a word"),
        ] {
            assert_eq!(read(text), message);
        }
        for (text, start) in [
            ("a: [1, 2\nb: 3\n", "p.yaml:"),
            ("a: *b\n", "p.yaml:1: not YAML: "),
            ("a: 'x\n", "p.yaml:"),
            (&"[".repeat(100_000), "p.yaml:1: "),
            (&"- ".repeat(100_000), "p.yaml:1: "),
            (&"{a: [".repeat(20), "p.yaml:1: "),
        ] {
            let message = read(text);
            assert!(message.starts_with(start) && !message.contains('\n'), "{message}");
        }
        let error = from_yaml(b"a: 1\nb: \xff\n", "p.yaml".as_ref()).unwrap_err().to_string();
        assert_eq!(error, "p.yaml:2: not UTF-8: found the byte 0xff, expected YAML in UTF-8");
    }

    #[test]
    fn json_is_read_as_json() {
        let read = |text: &str| match from_json(text.as_bytes(), "p.json".as_ref()) {
            Ok(node) => node_text(&node),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            read("{\n\t\"a\": [1,2.5E+1,-0.0],\n\t\"b\":{\"c\":\"x\\u00e9\\/\",\"d\":null}\n}"),
            "{a@2: [1.0@2 25.0@2 -0.0@2]@2 b@3: {c@3: \"xé/\"@3 d@3: nothing@3}@3}@1"
        );
        assert_eq!(read("{'a': 1}"), "p.json:1: not JSON: key must be a string at column 2");
        assert_eq!(read("{\"a\": 1,\n}"), "p.json:2: not JSON: key must be a string at column 1");
        assert_eq!(read("{\"a\": 1} {}"), "p.json:1: not JSON: trailing characters at column 10");
        assert!(read("{\"a\": 1, \"a\": 2}").contains("the key \"a\" twice"));
        let deep = read(&"[".repeat(100_000));
        assert!(deep.starts_with("p.json:1: "), "{deep}");
        // One long line, as programs write it.
        let long = format!("{{\"a\":[{}1]}}", "1,".repeat(100_000));
        assert!(read(&long).starts_with("{a@1: [1.0@1 "));
    }
}
