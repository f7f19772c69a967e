//! Parses VRML tokens into nodes. An explicit stack holds the open blocks, so nesting may be of any depth.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::kinds;
use super::scopes::Scopes;
use super::source::VrmlText;
use super::syntax::{Declared, FieldValue, MAX_NODES, Proto, VrmlDocument, VrmlField, VrmlNode};
use super::token::{Lexer, Token, is_number, number, shown, unescaped};
use crate::error::{Error, Result};

/// Reads a file in VRML97.
pub(crate) fn parse(source: VrmlText) -> Result<VrmlDocument> {
    let start = header(&source)?;
    let mut document = VrmlDocument::new(source);
    if start == VrmlVersion::Missing {
        let warning = "the first line is not #VRML V2.0 utf8; the file is read as if it were";
        document.warnings.push(document.source.warning(0, warning));
    }
    let source = std::mem::take(&mut document.source);
    let mut parser = Parser {
        lexer: Lexer::new(&source, byte_order_mark(&source.bytes)),
        source: &source,
        document,
        scopes: Scopes::default(),
        open: vec![OpenBlock::File],
        finished: Vec::new(),
        scripts: Vec::new(),
        names: HashSet::new(),
        unknown: HashMap::new(),
    };
    parser.run()?;
    let mut document = parser.document;
    document.source = source;
    Ok(document)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VrmlVersion {
    Known,
    Missing,
}

fn byte_order_mark(bytes: &[u8]) -> usize {
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 }
}

fn header(source: &VrmlText) -> Result<VrmlVersion> {
    let bytes = &source.bytes[byte_order_mark(&source.bytes)..];
    let expected = |found: &str| source.error(0, format!("found {found}, expected #VRML V2.0 utf8"));
    let first = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(expected("an empty file"));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(expected("UTF-16"));
    }
    let version = first.trim_ascii();
    if version.starts_with(b"#VRML V2.0") {
        return Ok(VrmlVersion::Known);
    }
    if version.starts_with(b"#VRML") || version.starts_with(b"#Inventor") || version.starts_with(b"#X3D") {
        return Err(expected(&shown(version)));
    }
    if !bytes.contains(&b'{') {
        // The error does not show the content of a file without nodes.
        return Err(expected("a file of another kind"));
    }
    Ok(VrmlVersion::Missing)
}

/// A block that is open in the file.
#[derive(Debug)]
enum OpenBlock {
    File,
    /// The `{ .. }` of a prototype.
    Body(Box<Proto>),
    /// The `[ .. ]` of a prototype, and the field whose value is an open node.
    Interface(Box<Proto>, Option<Pending>),
    /// The `{ .. }` of a node, by its number, and the field whose value is an open node.
    Node(usize, Option<Pending>),
    /// The `[ .. ]` of nodes, and its position.
    List(Vec<usize>, usize),
}

/// A field whose value comes next.
#[derive(Debug, Clone)]
struct Pending {
    name: Arc<str>,
    at: usize,
}

/// The kind of the innermost open block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Statements,
    Interface,
    Node,
    List,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    source: &'a VrmlText,
    document: VrmlDocument,
    scopes: Scopes,
    open: Vec<OpenBlock>,
    /// For each node, whether it is closed.
    finished: Vec<bool>,
    /// The open scripts.
    scripts: Vec<usize>,
    names: HashSet<Arc<str>>,
    /// Unknown kinds, with the position of their first use.
    unknown: HashMap<Arc<str>, usize>,
}

impl<'a> Parser<'a> {
    fn run(&mut self) -> Result<()> {
        loop {
            let inside = match self.open.last() {
                None => return Ok(()),
                Some(OpenBlock::File | OpenBlock::Body(_)) => Inside::Statements,
                Some(OpenBlock::Interface(..)) => Inside::Interface,
                Some(OpenBlock::Node(..)) => Inside::Node,
                Some(OpenBlock::List(..)) => Inside::List,
            };
            let token = self.lexer.next()?;
            match (inside, token) {
                (_, Token::End) => self.end_of_file()?,
                (Inside::Statements, Token::Close) => self.end_body()?,
                (Inside::Node, Token::Close) => self.end_node()?,
                (Inside::List, Token::CloseList) => self.end_list()?,
                (Inside::Interface, Token::CloseList) => self.end_interface()?,
                (Inside::Interface, Token::Word(word)) => self.declared(word)?,
                (Inside::Statements | Inside::List | Inside::Node, Token::Word(b"PROTO")) => self.proto()?,
                (Inside::Statements | Inside::List | Inside::Node, Token::Word(b"EXTERNPROTO")) => {
                    self.external_proto()?;
                }
                (Inside::Statements | Inside::List | Inside::Node, Token::Word(b"ROUTE")) => self.route()?,
                (Inside::Statements | Inside::List, token) => self.node(token)?,
                (Inside::Node, Token::Word(word)) => self.field(word)?,
                (Inside::Node, token) => return Err(self.unexpected(token, "a field or }")),
                (Inside::Interface, token) => {
                    return Err(self.unexpected(token, "field, exposedField, eventIn, eventOut or ]"));
                }
            }
        }
    }

    #[cold]
    fn unexpected(&self, token: Token<'_>, expected: &str) -> Error {
        self.source.error(self.lexer.at, format!("found {}, expected {expected}", token.named()))
    }

    fn name(&mut self, word: &[u8]) -> Arc<str> {
        let text = String::from_utf8_lossy(word);
        if let Some(name) = self.names.get(&*text) {
            return name.clone();
        }
        let name: Arc<str> = Arc::from(&*text);
        self.names.insert(name.clone());
        name
    }

    /// The next token, which must be a name.
    fn next_name(&mut self, expected: &str) -> Result<Arc<str>> {
        match self.lexer.next()? {
            Token::Word(word) => Ok(self.name(word)),
            other => Err(self.unexpected(other, expected)),
        }
    }

    fn expect(&mut self, token: Token<'_>) -> Result<()> {
        let found = self.lexer.next()?;
        if found == token { Ok(()) } else { Err(self.unexpected(found, &token.named())) }
    }

    fn end_of_file(&mut self) -> Result<()> {
        let block_start = match self.open.last() {
            None | Some(OpenBlock::File) => {
                self.open.clear();
                return self.scopes.end_file(&mut self.document, self.source);
            }
            Some(OpenBlock::Body(proto) | OpenBlock::Interface(proto, _)) => proto.at,
            Some(OpenBlock::Node(node, _)) => self.document.nodes[*node].at,
            Some(OpenBlock::List(_, at)) => *at,
        };
        let (line, column) = self.source.spot(block_start);
        let message = format!("found the end of the file inside the element that starts at {line}:{column}");
        Err(self.source.error(self.source.bytes.len(), message))
    }

    /// Parses a node or `NULL`, and delivers it to the innermost open block.
    fn node(&mut self, token: Token<'a>) -> Result<()> {
        let at = self.lexer.at;
        let (word, def) = match token {
            Token::Word(b"USE") => {
                let name = self.next_name("the name of a node")?;
                let node = self.used(&name)?;
                self.deliver(node);
                return Ok(());
            }
            Token::Word(b"NULL") => {
                self.deliver(None);
                return Ok(());
            }
            Token::Word(b"DEF") => {
                let def = self.next_name("a name")?;
                match self.lexer.next()? {
                    Token::Word(word) => (word, Some(def)),
                    other => return Err(self.unexpected(other, "a node")),
                }
            }
            Token::Word(word) => (word, None),
            other => return Err(self.unexpected(other, "a node")),
        };
        if is_number(word) || matches!(word, b"DEF" | b"USE" | b"NULL" | b"IS") {
            return Err(self.unexpected(Token::Word(word), "a node"));
        }
        let kind = self.name(word);
        let kind_at = self.lexer.at;
        self.expect(Token::Open)?;
        let proto = self.scopes.proto(&kind);
        if proto.is_none() && kinds::kind(&kind).is_none() {
            if self.scopes.is_open_proto(&kind) {
                return Err(self.source.error(kind_at, format!("PROTO {kind} contains itself")));
            }
            self.unknown.entry(kind.clone()).or_insert(kind_at);
        }
        let number = self.document.nodes.len();
        if number == MAX_NODES {
            return Err(self
                .source
                .error(kind_at, format!("found more than {MAX_NODES} nodes, expected fewer")));
        }
        if &*kind == "Script" {
            self.scripts.push(number);
        }
        if let Some(def) = &def {
            self.scopes.define(def, number);
        }
        self.document.nodes.push(VrmlNode { kind, def, proto, fields: Vec::new(), at });
        self.finished.push(false);
        self.open.push(OpenBlock::Node(number, None));
        Ok(())
    }

    /// The node that `USE` names; `None` if a script refers to a node that contains the script.
    fn used(&mut self, name: &Arc<str>) -> Result<Option<usize>> {
        let Some(node) = self.scopes.node(name) else {
            let message = format!("found USE {name}, expected a name that DEF gave before");
            return Err(self.source.error(self.lexer.at, message));
        };
        if self.finished[node] {
            return Ok(Some(node));
        }
        // A script is not part of the node to which it refers.
        if self.scripts.last().is_some_and(|script| *script > node) {
            return Ok(None);
        }
        let message = format!("found USE {name} inside the node of that name: it would contain itself");
        Err(self.source.error(self.lexer.at, message))
    }

    fn deliver(&mut self, node: Option<usize>) {
        let value = || node.map_or(FieldValue::Empty, |node| FieldValue::Nodes(vec![node]));
        match self.open.last_mut() {
            None => {}
            Some(OpenBlock::File) => self.document.roots.extend(node),
            Some(OpenBlock::Body(proto)) => proto.roots.extend(node),
            Some(OpenBlock::List(nodes, _)) => nodes.extend(node),
            Some(OpenBlock::Node(_, pending) | OpenBlock::Interface(_, pending)) => {
                if let Some(pending) = pending.take() {
                    self.give(pending, value());
                }
            }
        }
    }

    /// Stores the value of a field.
    fn give(&mut self, Pending { name, at }: Pending, value: FieldValue) {
        match self.open.last_mut() {
            Some(OpenBlock::Node(node, _)) => {
                self.document.nodes[*node].fields.push(VrmlField { name, value, at })
            }
            Some(OpenBlock::Interface(proto, _)) => {
                proto.interface.push(Declared { name, default: Some(value), at });
            }
            _ => {}
        }
    }

    fn end_node(&mut self) -> Result<()> {
        let Some(OpenBlock::Node(number, _)) = self.open.pop() else { return Ok(()) };
        self.finished[number] = true;
        if self.scripts.last() == Some(&number) {
            self.scripts.pop();
        }
        let node = &self.document.nodes[number];
        let mut fields_so_far = HashSet::with_capacity(node.fields.len());
        for field in &node.fields {
            if !fields_so_far.insert(&field.name) {
                let message = format!("found {} a second time in one {}", field.name, node.kind);
                return Err(self.source.error(field.at, message));
            }
        }
        self.deliver(Some(number));
        Ok(())
    }

    fn end_list(&mut self) -> Result<()> {
        let Some(OpenBlock::List(nodes, _)) = self.open.pop() else { return Ok(()) };
        if let Some(OpenBlock::Node(_, pending) | OpenBlock::Interface(_, pending)) = self.open.last_mut()
            && let Some(pending) = pending.take()
        {
            self.give(pending, FieldValue::Nodes(nodes));
        }
        Ok(())
    }

    /// Parses a field of a node, or a declaration of a script.
    fn field(&mut self, word: &'a [u8]) -> Result<()> {
        if is_number(word) {
            return Err(self.unexpected(Token::Word(word), "a field or }"));
        }
        let at = self.lexer.at;
        if let Some(access) = Access::of(word)
            && let Token::Word(next) = self.lexer.peek()?
            && is_type(next)
        {
            self.lexer.next()?;
            let name = self.next_name("the name of a field")?;
            if self.lexer.peek()? != Token::Word(b"IS") && access == Access::Event {
                return Ok(());
            }
            return self.value(Pending { name, at });
        }
        let name = self.name(word);
        self.value(Pending { name, at })
    }

    /// Parses the value of a field. If the value is a node, the node ends later.
    fn value(&mut self, pending: Pending) -> Result<()> {
        let token = self.lexer.next()?;
        let value = match token {
            Token::OpenList => {
                let start = self.lexer.at;
                match self.lexer.peek()? {
                    Token::CloseList => {
                        self.lexer.next()?;
                        FieldValue::Empty
                    }
                    Token::Text(_) => self.strings()?,
                    Token::Word(word) if is_number(word) => {
                        self.numbers(Vec::new(), NumbersEnd::CloseList)?
                    }
                    Token::Word(word) if parse_boolean(word).is_some() => self.booleans()?,
                    _ => {
                        self.wait_for(pending);
                        self.open.push(OpenBlock::List(Vec::new(), start));
                        return Ok(());
                    }
                }
            }
            Token::Text(raw) => FieldValue::Strings(vec![unescaped(raw)]),
            Token::Word(b"IS") => FieldValue::Is(self.next_name("the name of a field of the PROTO")?),
            Token::Word(word) if is_number(word) => {
                let first = number(word).map_err(|message| self.source.error(self.lexer.at, message))?;
                self.numbers(vec![first], NumbersEnd::OtherThanNumbers)?
            }
            Token::Word(word)
                if [&b"nan"[..], b"inf", b"infinity"].iter().any(|no| word.eq_ignore_ascii_case(no)) =>
            {
                return Err(self.unexpected(token, "a number"));
            }
            Token::Word(word) => match parse_boolean(word) {
                Some(value) => FieldValue::Booleans(vec![value]),
                None => {
                    self.wait_for(pending);
                    return self.node(token);
                }
            },
            other => return Err(self.unexpected(other, &format!("the value of {}", pending.name))),
        };
        self.give(pending, value);
        Ok(())
    }

    fn wait_for(&mut self, field: Pending) {
        if let Some(OpenBlock::Node(_, pending) | OpenBlock::Interface(_, pending)) = self.open.last_mut() {
            *pending = Some(field);
        }
    }

    fn numbers(&mut self, mut numbers: Vec<f64>, end: NumbersEnd) -> Result<FieldValue> {
        loop {
            let word = match (self.lexer.peek()?, end) {
                (Token::Word(word), _) if is_number(word) => word,
                (Token::CloseList, NumbersEnd::CloseList) => {
                    self.lexer.next()?;
                    break;
                }
                (_, NumbersEnd::OtherThanNumbers) => break,
                (_, NumbersEnd::CloseList) => {
                    let token = self.lexer.next()?;
                    return Err(self.unexpected(token, "a number or ]"));
                }
            };
            self.lexer.next()?;
            numbers.push(number(word).map_err(|message| self.source.error(self.lexer.at, message))?);
        }
        numbers.shrink_to_fit();
        Ok(FieldValue::Numbers(numbers))
    }

    fn strings(&mut self) -> Result<FieldValue> {
        let mut strings = Vec::new();
        loop {
            match self.lexer.next()? {
                Token::Text(raw) => strings.push(unescaped(raw)),
                Token::CloseList => return Ok(FieldValue::Strings(strings)),
                other => return Err(self.unexpected(other, "a string or ]")),
            }
        }
    }

    fn booleans(&mut self) -> Result<FieldValue> {
        let mut values = Vec::new();
        loop {
            match self.lexer.next()? {
                Token::CloseList => return Ok(FieldValue::Booleans(values)),
                Token::Word(word) if parse_boolean(word).is_some() => values.extend(parse_boolean(word)),
                other => return Err(self.unexpected(other, "TRUE, FALSE or ]")),
            }
        }
    }

    fn proto(&mut self) -> Result<()> {
        let at = self.lexer.at;
        let name = self.next_name("the name of a PROTO")?;
        self.is_not_used_before(&name)?;
        self.expect(Token::OpenList)?;
        self.scopes.enter_proto(&name).map_err(|message| self.source.error(at, message))?;
        let proto = Proto { name, interface: vec![], roots: vec![], external: None, at };
        self.open.push(OpenBlock::Interface(Box::new(proto), None));
        Ok(())
    }

    /// A name that was skipped as unknown must not be defined later.
    fn is_not_used_before(&self, name: &Arc<str>) -> Result<()> {
        let Some(at) = self.unknown.get(name) else { return Ok(()) };
        Err(self
            .source
            .error(*at, format!("found {name}, which is defined only later: expected its PROTO before")))
    }

    fn declared(&mut self, word: &[u8]) -> Result<()> {
        let at = self.lexer.at;
        let Some(access) = Access::of(word) else {
            return Err(self.unexpected(Token::Word(word), "field, exposedField, eventIn, eventOut or ]"));
        };
        let (_, name) = self.typed_name()?;
        match access {
            Access::Field => self.value(Pending { name, at }),
            Access::Event => {
                if let Some(OpenBlock::Interface(proto, _)) = self.open.last_mut() {
                    proto.interface.push(Declared { name, default: None, at });
                }
                Ok(())
            }
        }
    }

    fn typed_name(&mut self) -> Result<(Arc<str>, Arc<str>)> {
        match self.lexer.next()? {
            Token::Word(word) if is_type(word) => {
                let kind = self.name(word);
                Ok((kind, self.next_name("the name of a field")?))
            }
            other => Err(self.unexpected(other, "a type such as SFVec3f")),
        }
    }

    fn end_interface(&mut self) -> Result<()> {
        self.expect(Token::Open)?;
        if let Some(OpenBlock::Interface(proto, _)) = self.open.pop() {
            self.open.push(OpenBlock::Body(proto));
        }
        Ok(())
    }

    fn end_body(&mut self) -> Result<()> {
        match self.open.pop() {
            Some(OpenBlock::Body(proto)) => self.scopes.end_proto(&mut self.document, *proto, self.source),
            _ => Err(self.unexpected(Token::Close, "a node")),
        }
    }

    fn external_proto(&mut self) -> Result<()> {
        let at = self.lexer.at;
        let name = self.next_name("the name of an EXTERNPROTO")?;
        self.is_not_used_before(&name)?;
        self.expect(Token::OpenList)?;
        let mut interface = Vec::new();
        loop {
            match self.lexer.next()? {
                Token::CloseList => break,
                Token::Word(word) if Access::of(word).is_some() => {
                    let at = self.lexer.at;
                    let (_, name) = self.typed_name()?;
                    interface.push(Declared { name, default: None, at });
                }
                other => return Err(self.unexpected(other, "field, exposedField, eventIn, eventOut or ]")),
            }
        }
        let urls = match self.lexer.next()? {
            Token::Text(raw) => vec![unescaped(raw)],
            Token::OpenList => match self.strings()? {
                FieldValue::Strings(urls) => urls,
                _ => vec![],
            },
            other => return Err(self.unexpected(other, "the file of the EXTERNPROTO, as a string")),
        };
        let proto = Proto { name, interface, roots: vec![], external: Some(urls), at };
        self.scopes.add_proto(&mut self.document, proto);
        Ok(())
    }

    fn route(&mut self) -> Result<()> {
        let at = self.lexer.at;
        let from = self.event()?;
        match self.lexer.next()? {
            Token::Word(b"TO") => {}
            other => return Err(self.unexpected(other, "TO")),
        }
        let to = self.event()?;
        self.scopes.add_route(from, to, at);
        Ok(())
    }

    /// `NODE.event`
    fn event(&mut self) -> Result<(Arc<str>, Arc<str>)> {
        let word = match self.lexer.next()? {
            Token::Word(word) => word,
            other => {
                return Err(self.unexpected(other, "a node and its event, such as CLOCK.fraction_changed"));
            }
        };
        match word.iter().rposition(|byte| *byte == b'.') {
            Some(dot) if dot > 0 && dot + 1 < word.len() => {
                Ok((self.name(&word[..dot]), self.name(&word[dot + 1..])))
            }
            _ => {
                Err(self
                    .unexpected(Token::Word(word), "a node and its event, such as CLOCK.fraction_changed"))
            }
        }
    }
}

/// The end of a list of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumbersEnd {
    CloseList,
    OtherThanNumbers,
}

/// Whether a declaration has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Field,
    Event,
}

impl Access {
    fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"field" | b"exposedField" | b"initializeOnly" | b"inputOutput" => Some(Self::Field),
            b"eventIn" | b"eventOut" | b"inputOnly" | b"outputOnly" => Some(Self::Event),
            _ => None,
        }
    }
}

fn parse_boolean(word: &[u8]) -> Option<bool> {
    match word {
        b"TRUE" | b"true" => Some(true),
        b"FALSE" | b"false" => Some(false),
        _ => None,
    }
}

/// Whether a word is a type: `SF` or `MF` and a capital letter.
fn is_type(word: &[u8]) -> bool {
    matches!(word, [b'S' | b'M', b'F', b'A'..=b'Z', ..])
}
