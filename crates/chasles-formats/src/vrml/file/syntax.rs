//! The syntax of a world file, before interpretation: nodes with fields, prototypes and routes.
//!
//! VRML and X3D's XML form have the same representation. Each node is stored once, and `USE` stores its number, so a
//! document is a graph without cycles.

use std::borrow::Cow;
use std::sync::Arc;

use super::source::VrmlText;
use super::token::{Lexer, Token, is_number, number, shown, unescaped};
use crate::error::Warnings;

/// A file.
#[derive(Debug, Default)]
pub(crate) struct VrmlDocument {
    pub(crate) source: VrmlText,
    pub(crate) nodes: Vec<VrmlNode>,
    /// The numbers of the top-level nodes.
    pub(crate) roots: Vec<usize>,
    pub(crate) protos: Vec<Proto>,
    pub(crate) routes: Vec<Route>,
    pub(crate) warnings: Warnings,
}

/// Maximum number of nodes in one file.
pub(crate) const MAX_NODES: usize = 1 << 22;

/// A node as it is written in the file.
#[derive(Debug)]
pub(crate) struct VrmlNode {
    /// `Transform`, `Shape`, the name of a prototype, and so on.
    pub(crate) kind: Arc<str>,
    /// The name that `DEF` gives.
    pub(crate) def: Option<Arc<str>>,
    /// The prototype of the document of which the node is an instance.
    pub(crate) proto: Option<usize>,
    pub(crate) fields: Vec<VrmlField>,
    /// The position of its first byte.
    pub(crate) at: usize,
}

/// A field with its value.
#[derive(Debug)]
pub(crate) struct VrmlField {
    pub(crate) name: Arc<str>,
    pub(crate) value: FieldValue,
    /// The position of the first byte of its name.
    pub(crate) at: usize,
}

/// The value of a field. The file does not state its type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FieldValue {
    /// `[]`
    Empty,
    Numbers(Vec<f64>),
    Booleans(Vec<bool>),
    Strings(Vec<String>),
    /// The numbers of nodes.
    Nodes(Vec<usize>),
    /// `IS`: the value of a field of the enclosing prototype.
    Is(Arc<str>),
    /// An attribute of XML, which can have any of these types.
    Attribute(String),
}

/// The definition of a node kind.
#[derive(Debug)]
pub(crate) struct Proto {
    pub(crate) name: Arc<str>,
    pub(crate) interface: Vec<Declared>,
    /// The nodes of the definition; an instance is its first node.
    pub(crate) roots: Vec<usize>,
    /// The URLs of the definition, if it is in another file.
    pub(crate) external: Option<Vec<String>>,
    pub(crate) at: usize,
}

/// A field or event of a prototype.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: Arc<str>,
    /// The value when an instance states none; `None` for events.
    pub(crate) default: Option<FieldValue>,
    pub(crate) at: usize,
}

/// A connection from a field or event of one node to a field or event of another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Route {
    pub(crate) from: (usize, Arc<str>),
    pub(crate) to: (usize, Arc<str>),
    pub(crate) at: usize,
}

/// A value, or a description of the value that was found instead.
pub(crate) type Typed<T> = std::result::Result<T, String>;

impl FieldValue {
    /// A list of numbers of any length.
    pub(crate) fn numbers(&self) -> Typed<Cow<'_, [f64]>> {
        match self {
            Self::Numbers(numbers) => Ok(Cow::Borrowed(numbers)),
            Self::Empty => Ok(Cow::Borrowed(&[])),
            Self::Attribute(text) => {
                let words = text.split([' ', '\t', '\n', '\r', ',']).filter(|word| !word.is_empty());
                words.map(|word| number(word.as_bytes())).collect::<Typed<Vec<f64>>>().map(Cow::Owned)
            }
            other => Err(format!("found {}, expected numbers", other.named())),
        }
    }

    /// Exactly N numbers.
    pub(crate) fn vector<const N: usize>(&self) -> Typed<[f64; N]> {
        let numbers = self.numbers()?;
        let count_error =
            |_| format!("found {}, expected {}", count(numbers.len(), "number"), count(N, "number"));
        numbers.as_ref().try_into().map_err(count_error)
    }

    pub(crate) fn boolean(&self) -> Typed<bool> {
        match self {
            Self::Booleans(values) if values.len() == 1 => Ok(values[0]),
            Self::Attribute(text) => match text.trim() {
                "true" | "TRUE" => Ok(true),
                "false" | "FALSE" => Ok(false),
                _ => Err(format!("found {}, expected true or false", shown(text.as_bytes()))),
            },
            other => Err(format!("found {}, expected TRUE or FALSE", other.named())),
        }
    }

    pub(crate) fn strings(&self) -> Typed<Vec<String>> {
        match self {
            Self::Strings(strings) => Ok(strings.clone()),
            Self::Empty => Ok(Vec::new()),
            Self::Attribute(text) => strings_of(text),
            other => Err(format!("found {}, expected strings", other.named())),
        }
    }

    /// The numbers of nodes.
    pub(crate) fn nodes(&self) -> Typed<&[usize]> {
        match self {
            Self::Nodes(nodes) => Ok(nodes),
            Self::Empty => Ok(&[]),
            other => Err(format!("found {}, expected nodes", other.named())),
        }
    }

    /// The description in messages.
    pub(crate) fn named(&self) -> String {
        match self {
            Self::Empty => "an empty list".into(),
            Self::Numbers(list) => count(list.len(), "number"),
            Self::Booleans(list) => count(list.len(), "truth value"),
            Self::Strings(list) => count(list.len(), "string"),
            Self::Nodes(list) => count(list.len(), "node"),
            Self::Is(name) => format!("IS {name}"),
            Self::Attribute(text) => shown(text.as_bytes()),
        }
    }
}

/// The strings of an attribute: quoted strings, or the whole attribute as one string.
fn strings_of(text: &str) -> Typed<Vec<String>> {
    if !text.trim_start().starts_with('"') {
        return Ok(if text.trim().is_empty() { vec![] } else { vec![text.trim().to_owned()] });
    }
    let source = VrmlText::plain(text.as_bytes().to_vec(), std::path::Path::new(""));
    let mut lexer = Lexer::new(&source, 0);
    let mut strings = Vec::new();
    loop {
        match lexer.next().map_err(|error| error.message)? {
            Token::Text(raw) => strings.push(unescaped(raw)),
            Token::End => return Ok(strings),
            other => return Err(format!("found {}, expected a string", other.named())),
        }
    }
}

/// `1 number`, `2 numbers`.
pub(crate) fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl VrmlDocument {
    pub(crate) fn new(source: VrmlText) -> Self {
        Self { source, ..Self::default() }
    }

    /// The position of the number with this index in a field, for messages.
    pub(crate) fn location_of_number(&self, field_at: usize, number: usize) -> usize {
        let mut lexer = Lexer::new(&self.source, field_at);
        let mut remaining = number;
        // The first word is the name of the field.
        let _ = lexer.next();
        loop {
            match lexer.next() {
                Ok(Token::Word(word)) if is_number(word) => {
                    if remaining == 0 {
                        return lexer.at;
                    }
                    remaining -= 1;
                }
                Ok(Token::OpenList) => {}
                // In XML the numbers are not written so.
                _ => return field_at,
            }
        }
    }
}
