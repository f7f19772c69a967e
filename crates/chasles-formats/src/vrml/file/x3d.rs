//! X3D's XML form: the nodes, fields, prototypes and routes of VRML as elements and attributes.

use std::collections::HashSet;
use std::sync::Arc;

use roxmltree::{Document as Xml, Node as Element, ParsingOptions};

use super::kinds::{self, NodeKind};
use super::scopes::Scopes;
use super::source::VrmlText;
use super::syntax::{Declared, FieldValue, MAX_NODES, Proto, VrmlDocument, VrmlField, VrmlNode};
use crate::error::{Error, Result};
use crate::text::tree::quoted;
use crate::text::xml::fault;

/// Whether a file is XML: its first character is `<`.
pub(crate) fn is_xml(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<')
}

/// Reads a file in X3D's XML form.
pub(crate) fn parse(source: VrmlText) -> Result<VrmlDocument> {
    let text = std::str::from_utf8(&source.bytes)
        .map_err(|error| source.error(error.valid_up_to(), "found bytes that are not UTF-8"))?;
    refuse_growth(&source, text)?;
    // Elements, and the text nodes between them.
    let nodes_limit = u32::try_from(2 * MAX_NODES).unwrap_or(u32::MAX);
    let options = ParsingOptions { allow_dtd: true, nodes_limit, ..ParsingOptions::default() };
    let xml = Xml::parse_with_options(text, options).map_err(|error| {
        let place = error.pos();
        let message = format!("the XML cannot be read: {}", fault(&error));
        Error::spot(&source.path, place.row as usize, place.col as usize, message)
    })?;
    let root = xml.root_element();
    let found = |element: Element<'_, '_>, expected: &str| {
        let name = element.tag_name().name();
        source.error(element.range().start, format!("found <{name}>, expected {expected}"))
    };
    if root.tag_name().name() != "X3D" {
        return Err(found(root, "<X3D>"));
    }
    check_units(&source, root)?;
    let Some(scene) = elements(root).find(|element| element.tag_name().name() == "Scene") else {
        return Err(found(root, "<Scene> in it"));
    };
    let empty = VrmlText::default();
    let mut reader = X3dReader {
        source: &source,
        document: VrmlDocument::new(empty),
        scopes: Scopes::default(),
        steps: Vec::new(),
        drafts: Vec::new(),
        finished: Vec::new(),
        scripts: Vec::new(),
        names: HashSet::new(),
    };
    reader.enter_all(scene, |_| Holder::Roots);
    reader.run()?;
    let mut document = reader.document;
    document.source = source;
    Ok(document)
}

/// Maximum number of attributes in one element, and of namespace declarations in one file. The parser compares each
/// attribute or declaration with all others.
const MAX_ATTRIBUTES: usize = 1000;

/// Refuses entities, which can expand a few bytes to a file of any size and are not needed in X3D, and too many
/// attributes.
fn refuse_growth(source: &VrmlText, text: &str) -> Result<()> {
    if let Some(at) = text.find("<!ENTITY") {
        return Err(source.error(at, "found <!ENTITY: entities are not read"));
    }
    if let Some((at, _)) = text.match_indices("xmlns").nth(MAX_ATTRIBUTES) {
        return Err(source.error(at, format!("found xmlns more than {MAX_ATTRIBUTES} times")));
    }
    let (mut quote, mut values, mut quote_start) = (None, 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match (byte, quote) {
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => {
                (quote, values) = (None, values + 1);
                if values > MAX_ATTRIBUTES {
                    let message = format!("found an element with more than {MAX_ATTRIBUTES} attributes");
                    return Err(source.error(quote_start, message));
                }
            }
            // Quotation marks outside of tags have no meaning; a tag starts a new count.
            (b'<' | b'>', _) => (quote, values, quote_start) = (None, 0, at),
            _ => {}
        }
    }
    Ok(())
}

/// Refuses units of length and angle other than metres and radians, which would change every shape.
fn check_units(source: &VrmlText, root: Element<'_, '_>) -> Result<()> {
    let heads = elements(root).filter(|element| element.tag_name().name() == "head");
    for unit in heads.flat_map(elements).filter(|element| element.tag_name().name() == "unit") {
        let is_shape = matches!(unit.attribute("category"), Some("length" | "angle"));
        let factor = unit.attribute("conversionFactor").unwrap_or("1");
        if is_shape && factor.trim().parse() != Ok(1.0_f64) {
            let message = format!("found the unit {}, expected metres and radians", quoted(factor));
            return Err(source.error(unit.range().start, message));
        }
    }
    Ok(())
}

fn elements<'a, 'x>(parent: Element<'a, 'x>) -> impl DoubleEndedIterator<Item = Element<'a, 'x>> {
    parent.children().filter(Element::is_element)
}

/// The destination of a node.
#[derive(Debug, Clone)]
enum Holder {
    /// The file itself.
    Roots,
    /// The definition of the innermost open prototype.
    Body,
    /// The default of a field of that prototype, by number.
    Default(usize),
    /// The field of a node.
    Field(usize, Arc<str>),
}

enum X3dStep<'a, 'x> {
    Enter(Element<'a, 'x>, Holder),
    /// The end of a node.
    EndNode(usize),
    /// The end of a prototype.
    EndProto,
}

struct X3dReader<'s, 'a, 'x> {
    source: &'s VrmlText,
    document: VrmlDocument,
    scopes: Scopes,
    steps: Vec<X3dStep<'a, 'x>>,
    /// The open prototypes.
    drafts: Vec<Proto>,
    finished: Vec<bool>,
    scripts: Vec<usize>,
    names: HashSet<Arc<str>>,
}

impl<'a, 'x> X3dReader<'_, 'a, 'x> {
    fn run(&mut self) -> Result<()> {
        while let Some(step) = self.steps.pop() {
            match step {
                X3dStep::EndNode(number) => {
                    self.finished[number] = true;
                    if self.scripts.last() == Some(&number) {
                        self.scripts.pop();
                    }
                }
                X3dStep::EndProto => {
                    if let Some(proto) = self.drafts.pop() {
                        self.scopes.end_proto(&mut self.document, proto, self.source)?;
                    }
                }
                X3dStep::Enter(element, holder) => match element.tag_name().name() {
                    "ROUTE" => self.route(element)?,
                    "ProtoDeclare" => self.proto(element)?,
                    "ExternProtoDeclare" => self.external_proto(element)?,
                    "IMPORT" | "EXPORT" => {
                        let warning = "names of other files are not read";
                        let at = element.range().start;
                        self.document.warnings.push(self.source.warning(at, warning));
                    }
                    _ => self.node(element, &holder)?,
                },
            }
        }
        self.scopes.end_file(&mut self.document, self.source)
    }

    fn enter_all(&mut self, parent: Element<'a, 'x>, holder: impl Fn(Element<'a, 'x>) -> Holder) {
        self.steps.extend(elements(parent).rev().map(|child| X3dStep::Enter(child, holder(child))));
    }

    fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name: Arc<str> = text.into();
        self.names.insert(name.clone());
        name
    }

    #[cold]
    fn error(&self, element: Element<'_, '_>, message: impl Into<String>) -> Error {
        self.source.error(element.range().start, message)
    }

    fn attribute(&mut self, element: Element<'a, 'x>, name: &str) -> Result<Arc<str>> {
        match element.attribute(name) {
            Some(value) => Ok(self.name(value)),
            None => {
                let tag = element.tag_name().name();
                Err(self.error(element, format!("found <{tag}> without {name}, expected one")))
            }
        }
    }

    fn node(&mut self, element: Element<'a, 'x>, holder: &Holder) -> Result<()> {
        let at = element.range().start;
        if let Some(name) = element.attribute("USE") {
            let node = self.used(element, name)?;
            self.deliver(holder, node, at);
            return Ok(());
        }
        let is_instance = element.tag_name().name() == "ProtoInstance";
        let kind =
            if is_instance { self.attribute(element, "name")? } else { self.name(element.tag_name().name()) };
        let proto = if is_instance { self.scopes.proto(&kind) } else { None };
        if is_instance && proto.is_none() {
            if self.scopes.is_open_proto(&kind) {
                return Err(self.error(element, format!("PROTO {kind} contains itself")));
            }
            return Err(self.error(element, format!("found no ProtoDeclare of {kind} before this")));
        }
        let number = self.document.nodes.len();
        let def = element.attribute("DEF").map(|def| self.name(def));
        if let Some(def) = &def {
            self.scopes.define(def, number);
        }
        if &*kind == "Script" {
            self.scripts.push(number);
        }
        let mut fields = Vec::new();
        for attribute in element.attributes().filter(|attribute| !is_of_xml(attribute.name(), is_instance)) {
            let value = FieldValue::Attribute(attribute.value().to_owned());
            fields.push(VrmlField { name: self.name(attribute.name()), value, at: attribute.range().start });
        }
        self.document.nodes.push(VrmlNode { kind, def, proto, fields, at });
        self.finished.push(false);
        self.deliver(holder, Some(number), at);
        self.steps.push(X3dStep::EndNode(number));
        for child in elements(element).rev() {
            self.inside(number, child)?;
        }
        Ok(())
    }

    /// Reads a child element of a node's element. The children are read in reverse order.
    fn inside(&mut self, number: usize, child: Element<'a, 'x>) -> Result<()> {
        match child.tag_name().name() {
            "IS" => {
                for connect in elements(child).filter(|element| element.tag_name().name() == "connect") {
                    let name = self.attribute(connect, "nodeField")?;
                    let value = FieldValue::Is(self.attribute(connect, "protoField")?);
                    self.set(number, VrmlField { name, value, at: connect.range().start });
                }
            }
            "fieldValue" | "field" => {
                let name = self.attribute(child, "name")?;
                if let Some(value) = child.attribute("value") {
                    let value = FieldValue::Attribute(value.to_owned());
                    self.set(number, VrmlField { name, value, at: child.range().start });
                } else {
                    let name = &name;
                    self.enter_all(child, |_| Holder::Field(number, name.clone()));
                }
            }
            _ => {
                let name = self.name(container_field(child));
                self.steps.push(X3dStep::Enter(child, Holder::Field(number, name)));
            }
        }
        Ok(())
    }

    fn set(&mut self, node: usize, field: VrmlField) {
        let fields = &mut self.document.nodes[node].fields;
        fields.retain(|known| known.name != field.name);
        fields.push(field);
    }

    /// The node that `USE` names; `None` if a script refers to a node that contains the script.
    fn used(&mut self, element: Element<'a, 'x>, name: &str) -> Result<Option<usize>> {
        match self.scopes.node(name) {
            None => {
                Err(self.error(element, format!("found USE {name}, expected a name that DEF gave before")))
            }
            Some(node) if self.finished[node] => Ok(Some(node)),
            Some(node) if self.scripts.last().is_some_and(|script| *script > node) => Ok(None),
            Some(_) => {
                let message =
                    format!("found USE {name} inside the node of that name: it would contain itself");
                Err(self.error(element, message))
            }
        }
    }

    fn deliver(&mut self, holder: &Holder, node: Option<usize>, at: usize) {
        let Some(node) = node else { return };
        match holder {
            Holder::Roots => self.document.roots.push(node),
            Holder::Body => {
                if let Some(proto) = self.drafts.last_mut() {
                    proto.roots.push(node);
                }
            }
            Holder::Default(field) => {
                let declared = self.drafts.last_mut().and_then(|proto| proto.interface.get_mut(*field));
                if let Some(declared) = declared {
                    match &mut declared.default {
                        Some(FieldValue::Nodes(nodes)) => nodes.push(node),
                        default => *default = Some(FieldValue::Nodes(vec![node])),
                    }
                }
            }
            Holder::Field(parent, name) => {
                let fields = &mut self.document.nodes[*parent].fields;
                match fields.iter_mut().find(|field| field.name == *name).map(|field| &mut field.value) {
                    Some(FieldValue::Nodes(nodes)) => nodes.push(node),
                    Some(_) => {
                        let warning = format!("{name} has a value already; this node is left out");
                        self.document.warnings.push(self.source.warning(at, &warning));
                    }
                    None => fields.push(VrmlField {
                        name: name.clone(),
                        value: FieldValue::Nodes(vec![node]),
                        at,
                    }),
                }
            }
        }
    }

    fn proto(&mut self, element: Element<'a, 'x>) -> Result<()> {
        let name = self.attribute(element, "name")?;
        self.scopes.enter_proto(&name).map_err(|message| self.error(element, message))?;
        let (interface, defaults) = self.interface(element)?;
        let at = element.range().start;
        self.drafts.push(Proto { name, interface, roots: vec![], external: None, at });
        self.steps.push(X3dStep::EndProto);
        let part = |tag: &str| elements(element).find(|child| child.tag_name().name() == tag);
        if let Some(body) = part("ProtoBody") {
            self.enter_all(body, |_| Holder::Body);
        }
        for (number, field) in defaults.into_iter().rev() {
            self.enter_all(field, |_| Holder::Default(number));
        }
        Ok(())
    }

    /// The fields that a prototype declares, and those whose default is given by child elements, by number.
    #[expect(clippy::type_complexity, reason = "two lists that belong together")]
    fn interface(
        &mut self,
        element: Element<'a, 'x>,
    ) -> Result<(Vec<Declared>, Vec<(usize, Element<'a, 'x>)>)> {
        let (mut interface, mut defaults) = (Vec::new(), Vec::new());
        let holders = elements(element).filter(|child| child.tag_name().name() == "ProtoInterface");
        // An ExternProtoDeclare has its fields without a ProtoInterface.
        for field in
            holders.chain([element]).flat_map(elements).filter(|child| child.tag_name().name() == "field")
        {
            let name = self.attribute(field, "name")?;
            let is_event = matches!(field.attribute("accessType"), Some("inputOnly" | "outputOnly"));
            let default = match field.attribute("value") {
                Some(value) => Some(FieldValue::Attribute(value.to_owned())),
                None if is_event => None,
                None => Some(FieldValue::Empty),
            };
            if field.first_element_child().is_some() {
                defaults.push((interface.len(), field));
            }
            interface.push(Declared { name, default, at: field.range().start });
        }
        Ok((interface, defaults))
    }

    fn external_proto(&mut self, element: Element<'a, 'x>) -> Result<()> {
        let name = self.attribute(element, "name")?;
        let url = FieldValue::Attribute(element.attribute("url").unwrap_or_default().to_owned());
        let urls = url.strings().map_err(|message| self.error(element, format!("url: {message}")))?;
        let (interface, _) = self.interface(element)?;
        let at = element.range().start;
        let proto = Proto { name, interface, roots: vec![], external: Some(urls), at };
        self.scopes.add_proto(&mut self.document, proto);
        Ok(())
    }

    fn route(&mut self, element: Element<'a, 'x>) -> Result<()> {
        let from = (self.attribute(element, "fromNode")?, self.attribute(element, "fromField")?);
        let to = (self.attribute(element, "toNode")?, self.attribute(element, "toField")?);
        self.scopes.add_route(from, to, element.range().start);
        Ok(())
    }
}

/// Whether an attribute is not one of the node's fields.
fn is_of_xml(name: &str, is_instance: bool) -> bool {
    matches!(name, "DEF" | "USE" | "containerField" | "class" | "id" | "style")
        || (is_instance && name == "name")
}

/// The field that contains an element: by its attribute, or else by its kind.
fn container_field<'a>(element: Element<'a, '_>) -> &'a str {
    if let Some(stated) = element.attribute("containerField").filter(|stated| !stated.is_empty()) {
        return stated;
    }
    match element.tag_name().name() {
        kind if kinds::kind(kind) == Some(NodeKind::Geometry) => "geometry",
        kind if kind.ends_with("PatchSurface") || kind.ends_with("2D") || kind.ends_with("QuadSet") => {
            "geometry"
        }
        "Coordinate" | "CoordinateDouble" => "coord",
        "Appearance" => "appearance",
        "Material" | "TwoSidedMaterial" | "UnlitMaterial" | "PhysicalMaterial" => "material",
        "Color" | "ColorRGBA" => "color",
        "Normal" => "normal",
        "FogCoordinate" => "fogCoord",
        kind if kind.starts_with("TextureCoordinate") => "texCoord",
        kind if kind.starts_with("Metadata") => "metadata",
        kind if kind.ends_with("VertexAttribute") => "attrib",
        _ => "children",
    }
}
