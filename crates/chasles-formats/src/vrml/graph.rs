//! The graph of nodes with its prototypes expanded: the value of a node's field, wherever the file states it.
//!
//! The meaning of an `IS` depends on the instance that is read. A **place** is the context of a node: a file, the
//! body of a prototype in one instance, or a file where an `Inline` includes it. Each place but the outermost has an
//! enclosing place.

use std::collections::HashMap;
use std::sync::Arc;

use super::file::syntax::{FieldValue, Typed, VrmlDocument};
use super::library::{Library, locate};
use crate::error::{Error, Result};

/// All files, and the places in them that have been visited.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) library: Library,
    places: Vec<GraphPosition>,
    /// The place inside a node (an instance or an `Inline`) of another place.
    inner: HashMap<NodeInstance, usize>,
}

/// A node in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeInstance {
    pub(super) place: usize,
    pub(super) node: usize,
}

#[derive(Debug)]
struct GraphPosition {
    file: usize,
    /// The prototype of the file whose body this place is; `None`: the whole file.
    proto: Option<usize>,
    /// The node whose inside this place is.
    outer: Option<NodeInstance>,
    depth: usize,
}

/// Maximum nesting of prototypes and files. Deeper nesting is a cycle or malicious.
const DEEPEST: usize = 100;

/// The value of a field, and its position in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct StatedField<'a> {
    pub(super) value: &'a FieldValue,
    /// The place of any nodes in the value.
    pub(super) place: usize,
    pub(super) document: &'a VrmlDocument,
    pub(super) at: usize,
    /// The name of the queried field.
    pub(super) name: &'a str,
}

impl Graph {
    pub(super) fn new(library: Library) -> Self {
        Self { library, places: Vec::new(), inner: HashMap::new() }
    }

    /// Creates the outermost place: a whole file.
    pub(super) fn outermost(&mut self, file: usize) -> usize {
        self.places.push(GraphPosition { file, proto: None, outer: None, depth: 0 });
        self.places.len() - 1
    }

    pub(super) fn document(&self, place: usize) -> &VrmlDocument {
        self.library.document(self.places[place].file)
    }

    pub(super) fn file(&self, place: usize) -> usize {
        self.places[place].file
    }

    /// The top-level nodes of a place.
    pub(super) fn roots(&self, place: usize) -> &[usize] {
        let document = self.document(place);
        match self.places[place].proto {
            Some(proto) => &document.protos[proto].roots,
            None => &document.roots,
        }
    }

    pub(super) fn kind(&self, instance: NodeInstance) -> &Arc<str> {
        &self.document(instance.place).nodes[instance.node].kind
    }

    pub(super) fn def(&self, instance: NodeInstance) -> Option<&Arc<str>> {
        self.document(instance.place).nodes[instance.node].def.as_ref()
    }

    pub(super) fn error(&self, instance: NodeInstance, message: impl Into<String>) -> Error {
        let document = self.document(instance.place);
        document.source.error(document.nodes[instance.node].at, message)
    }

    pub(super) fn warning(&self, instance: NodeInstance, message: &str) -> String {
        self.error(instance, message).to_string()
    }

    /// Resolves an instance of a prototype to the first node of its definition; any other node is itself. `None` if
    /// a definition has no nodes. Calls `on_visit` with every node on the way.
    pub(super) fn behind(
        &mut self,
        mut instance: NodeInstance,
        mut on_visit: impl FnMut(&Self, NodeInstance),
    ) -> Result<Option<NodeInstance>> {
        loop {
            on_visit(self, instance);
            let Some(proto) = self.document(instance.place).nodes[instance.node].proto else {
                return Ok(Some(instance));
            };
            let place = self.enter_prototype(instance, proto)?;
            let Some(&node) = self.roots(place).first() else { return Ok(None) };
            instance = NodeInstance { place, node };
        }
    }

    fn enter_prototype(&mut self, instance: NodeInstance, proto: usize) -> Result<usize> {
        if let Some(&known) = self.inner.get(&instance) {
            return Ok(known);
        }
        let (mut file, mut proto) = (self.file(instance.place), proto);
        // One EXTERNPROTO may lead to another.
        for _ in 0..DEEPEST {
            let document = self.library.document(file);
            let definition = &document.protos[proto];
            let Some(urls) = &definition.external else { return self.enter(instance, file, Some(proto)) };
            let (path, part) = locate(&document.source, urls, definition.at)?;
            let (name, complain) = (definition.name.clone(), (document.source.path.clone(), definition.at));
            let next = self.library.load(&path)?;
            let there = self.library.document(next);
            // As elsewhere, the last definition of a name counts; without a name, the first definition of the file.
            let found = match &part {
                Some(part) => there.protos.iter().rposition(|proto| *proto.name == **part),
                None => (!there.protos.is_empty()).then_some(0),
            };
            let Some(found) = found else {
                let wanted_name = part.unwrap_or_else(|| name.to_string());
                let message = format!("found no PROTO {wanted_name} in {}", path.display());
                return Err(self.library.document(file).source.error(complain.1, message));
            };
            (file, proto) = (next, found);
        }
        Err(self
            .error(instance, format!("found EXTERNPROTOs that lead to each other more than {DEEPEST} times")))
    }

    /// The file that an `Inline` includes, as a place.
    pub(super) fn inlined(&mut self, instance: NodeInstance, urls: &[String], at: usize) -> Result<usize> {
        if let Some(&known) = self.inner.get(&instance) {
            return Ok(known);
        }
        let (path, _) = locate(&self.document(instance.place).source, urls, at)?;
        let file = self.library.load(&path)?;
        let mut prototype = Some(instance.place);
        while let Some(place) = prototype {
            let GraphPosition { file: outer, proto, .. } = self.places[place];
            if outer == file && proto.is_none() {
                let document = self.document(instance.place);
                let message = format!("{} includes itself", path.display());
                return Err(document.source.error(at, message));
            }
            prototype = self.places[place].outer.map(|instance| instance.place);
        }
        self.enter(instance, file, None)
    }

    fn enter(&mut self, instance: NodeInstance, file: usize, proto: Option<usize>) -> Result<usize> {
        let depth = self.places[instance.place].depth + 1;
        let mut prototype = Some(instance.place);
        while let (Some(place), Some(number)) = (prototype, proto) {
            if self.places[place].file == file && self.places[place].proto == Some(number) {
                let name = &self.library.document(file).protos[number].name;
                return Err(self.error(instance, format!("PROTO {name} contains itself")));
            }
            prototype = self.places[place].outer.map(|instance| instance.place);
        }
        if depth > DEEPEST {
            let message = format!("found PROTOs and Inlines in each other deeper than {DEEPEST}");
            return Err(self.error(instance, message));
        }
        self.places.push(GraphPosition { file, proto, outer: Some(instance), depth });
        self.inner.insert(instance, self.places.len() - 1);
        Ok(self.places.len() - 1)
    }

    /// The nodes and fields that share the value of a node's field: the field itself and, along `IS`, the fields of
    /// the enclosing instances.
    pub(super) fn chain(&self, instance: NodeInstance, name: &str) -> Result<Vec<(NodeInstance, Arc<str>)>> {
        let (mut instance, mut name): (NodeInstance, Arc<str>) = (instance, name.into());
        let mut chain = Vec::new();
        loop {
            chain.push((instance, name.clone()));
            let document = self.document(instance.place);
            let field = document.nodes[instance.node].fields.iter().find(|field| field.name == name);
            let Some((FieldValue::Is(outer_name), at)) = field.map(|field| (&field.value, field.at)) else {
                return Ok(chain);
            };
            let GraphPosition { proto, outer, .. } = &self.places[instance.place];
            let (Some(proto), Some(outer)) = (*proto, *outer) else {
                return Err(document.source.error(at, format!("found IS {outer_name} outside of a PROTO")));
            };
            let proto = &document.protos[proto];
            if !proto.interface.iter().any(|declared| declared.name == *outer_name) {
                let message = format!("found IS {outer_name}, expected a field of PROTO {}", proto.name);
                return Err(document.source.error(at, message));
            }
            (instance, name) = (outer, outer_name.clone());
        }
    }

    /// The value of a node's field, if the file states it or a prototype has a default for it.
    pub(super) fn field<'a>(
        &'a self,
        instance: NodeInstance,
        name: &'a str,
    ) -> Result<Option<StatedField<'a>>> {
        let chain = self.chain(instance, name)?;
        for (level, (instance, field)) in chain.iter().enumerate().rev() {
            let document = self.document(instance.place);
            let stated = document.nodes[instance.node].fields.iter().find(|stated| stated.name == *field);
            if let Some(stated) = stated.filter(|stated| !matches!(stated.value, FieldValue::Is(_))) {
                let (value, at) = (&stated.value, stated.at);
                return Ok(Some(StatedField { value, place: instance.place, document, at, name }));
            }
            // If the instance does not state the value, the default of its definition counts.
            let inner = level.checked_sub(1).map(|inner| chain[inner].0.place);
            let Some(place) = inner else { continue };
            let document = self.document(place);
            let proto = self.places[place].proto.map(|proto| &document.protos[proto]);
            let declared =
                proto.and_then(|proto| proto.interface.iter().find(|declared| declared.name == *field));
            if let Some(FieldValue::Is(_)) = declared.and_then(|declared| declared.default.as_ref()) {
                continue;
            }
            if let Some((value, at)) = declared.and_then(|found| Some((found.default.as_ref()?, found.at))) {
                return Ok(Some(StatedField { value, place, document, at, name }));
            }
        }
        Ok(None)
    }
}

impl<'a> StatedField<'a> {
    /// An error about this value.
    #[cold]
    pub(super) fn error(&self, message: &str) -> Error {
        self.document.source.error(self.at, format!("{}: {message}", self.name))
    }

    /// An error about one of the numbers of this value.
    #[cold]
    pub(super) fn error_at(&self, number: usize, message: &str) -> Error {
        let at = self.document.location_of_number(self.at, number);
        self.document.source.error(at, format!("{}: {message}", self.name))
    }

    pub(super) fn typed<T>(&self, typed: Typed<T>) -> Result<T> {
        typed.map_err(|message| self.error(&message))
    }
}
