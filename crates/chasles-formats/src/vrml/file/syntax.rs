//! What a world file says, before it means anything: nodes with fields, prototypes and routes.
//!
//! VRML and X3D's XML form become the same. A node is stated once; wherever `USE` names it its number stands, so that a
//! document is a graph without circles.

use std::borrow::Cow;
use std::sync::Arc;

use super::source::Source;
use super::token::{Lexer, Token, is_number, number, unescaped};
use crate::gltf::fault::Warnings;

/// A file.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) source: Source,
    pub(super) nodes: Vec<Node>,
    /// The nodes that stand in no other, by number.
    pub(super) roots: Vec<usize>,
    pub(super) protos: Vec<Proto>,
    pub(super) routes: Vec<Route>,
    pub(super) warnings: Warnings,
}

/// Nodes in one file.
pub(super) const MOST_NODES: usize = 1 << 22;

/// A node as it is written.
#[derive(Debug)]
pub(super) struct Node {
    /// `Transform`, `Shape`, the name of a prototype ..
    pub(super) kind: Arc<str>,
    /// The name that `DEF` gives.
    pub(super) def: Option<Arc<str>>,
    /// Of which prototype of the document it is an instance.
    pub(super) proto: Option<usize>,
    pub(super) fields: Vec<Field>,
    /// Its first byte.
    pub(super) at: usize,
}

/// A field with its value.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: Arc<str>,
    pub(super) value: Value,
    /// The first byte of its name.
    pub(super) at: usize,
}

/// The value of a field. Its type does not stand in the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// `[]`
    Empty,
    Numbers(Vec<f64>),
    Booleans(Vec<bool>),
    Strings(Vec<String>),
    /// By their numbers.
    Nodes(Vec<usize>),
    /// `IS`: that of a field of the prototype in whose definition it stands.
    Is(Arc<str>),
    /// An attribute of XML, which is any of these.
    Attribute(String),
}

/// The definition of a kind of nodes.
#[derive(Debug)]
pub(super) struct Proto {
    pub(super) name: Arc<str>,
    pub(super) interface: Vec<Declared>,
    /// What an instance is: the first of these.
    pub(super) roots: Vec<usize>,
    /// Where the definition is to be found if not here.
    pub(super) external: Option<Vec<String>>,
    pub(super) at: usize,
}

/// A field or event of a prototype.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) name: Arc<str>,
    /// What it is where an instance does not say; events have none.
    pub(super) default: Option<Value>,
    pub(super) at: usize,
}

/// What a field or event of one node passes on to that of another.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Route {
    pub(super) from: (usize, Arc<str>),
    pub(super) to: (usize, Arc<str>),
    pub(super) at: usize,
}

/// What a value is, or what it is instead of that.
pub(super) type Typed<T> = std::result::Result<T, String>;

impl Value {
    /// Any number of numbers.
    pub(super) fn numbers(&self) -> Typed<Cow<'_, [f64]>> {
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

    /// Exactly so many numbers.
    pub(super) fn vector<const N: usize>(&self) -> Typed<[f64; N]> {
        let numbers = self.numbers()?;
        let wrong = |_| format!("found {}, expected {}", count(numbers.len(), "number"), count(N, "number"));
        numbers.as_ref().try_into().map_err(wrong)
    }

    pub(super) fn boolean(&self) -> Typed<bool> {
        match self {
            Self::Booleans(values) if values.len() == 1 => Ok(values[0]),
            Self::Attribute(text) => match text.trim() {
                "true" | "TRUE" => Ok(true),
                "false" | "FALSE" => Ok(false),
                _ => Err(format!("found {}, expected true or false", super::token::shown(text.as_bytes()))),
            },
            other => Err(format!("found {}, expected TRUE or FALSE", other.named())),
        }
    }

    pub(super) fn strings(&self) -> Typed<Vec<String>> {
        match self {
            Self::Strings(strings) => Ok(strings.clone()),
            Self::Empty => Ok(Vec::new()),
            Self::Attribute(text) => strings_of(text),
            other => Err(format!("found {}, expected strings", other.named())),
        }
    }

    /// Nodes by number.
    pub(super) fn nodes(&self) -> Typed<&[usize]> {
        match self {
            Self::Nodes(nodes) => Ok(nodes),
            Self::Empty => Ok(&[]),
            other => Err(format!("found {}, expected nodes", other.named())),
        }
    }

    /// As messages name it.
    pub(super) fn named(&self) -> String {
        match self {
            Self::Empty => "an empty list".into(),
            Self::Numbers(list) => count(list.len(), "number"),
            Self::Booleans(list) => count(list.len(), "truth value"),
            Self::Strings(list) => count(list.len(), "string"),
            Self::Nodes(list) => count(list.len(), "node"),
            Self::Is(name) => format!("IS {name}"),
            Self::Attribute(text) => super::token::shown(text.as_bytes()),
        }
    }
}

/// The strings of an attribute: in quotation marks, or one that is the whole of it.
fn strings_of(text: &str) -> Typed<Vec<String>> {
    if !text.trim_start().starts_with('"') {
        return Ok(if text.trim().is_empty() { vec![] } else { vec![text.trim().to_owned()] });
    }
    let source = Source::plain(text.as_bytes().to_vec(), std::path::Path::new(""));
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
pub(super) fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Document {
    pub(super) fn new(source: Source) -> Self {
        Self {
            source,
            nodes: vec![],
            roots: vec![],
            protos: vec![],
            routes: vec![],
            warnings: Warnings::default(),
        }
    }

    /// The byte where a number of a field begins: for messages.
    pub(super) fn place_of_number(&self, field_at: usize, number: usize) -> usize {
        let mut lexer = Lexer::new(&self.source, field_at);
        let mut left = number;
        // The first word is the name of the field.
        let _ = lexer.next();
        loop {
            match lexer.next() {
                Ok(Token::Word(word)) if is_number(word) => {
                    if left == 0 {
                        return lexer.at;
                    }
                    left -= 1;
                }
                Ok(Token::OpenList) => {}
                // Not written so, as in XML.
                _ => return field_at,
            }
        }
    }
}
