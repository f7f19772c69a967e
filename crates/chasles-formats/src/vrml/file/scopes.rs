//! The scopes of names: the file and the body of every PROTO have their own.

use std::collections::HashMap;
use std::sync::Arc;

use super::source::VrmlText;
use super::syntax::{Proto, Route, VrmlDocument};
use crate::error::Result;

/// The known names, from the whole file to the innermost open PROTO.
#[derive(Debug)]
pub(super) struct Scopes {
    open: Vec<Scope>,
}

#[derive(Debug, Default)]
struct Scope {
    /// The name of the PROTO; `None` for the file.
    name: Option<Arc<str>>,
    nodes: HashMap<Arc<str>, usize>,
    protos: HashMap<Arc<str>, usize>,
    routes: Vec<NamedRoute>,
}

#[derive(Debug)]
struct NamedRoute {
    from: (Arc<str>, Arc<str>),
    to: (Arc<str>, Arc<str>),
    at: usize,
}

/// Maximum nesting of PROTOs. A name is looked up through all enclosing PROTOs.
const DEEPEST: usize = 64;

impl Default for Scopes {
    fn default() -> Self {
        Self { open: vec![Scope::default()] }
    }
}

impl Scopes {
    fn innermost(&mut self) -> &mut Scope {
        if self.open.is_empty() {
            self.open.push(Scope::default());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// The last node of that name that `DEF` defined in this scope.
    pub(super) fn node(&mut self, name: &str) -> Option<usize> {
        self.innermost().nodes.get(name).copied()
    }

    pub(super) fn define(&mut self, name: &Arc<str>, node: usize) {
        self.innermost().nodes.insert(name.clone(), node);
    }

    /// The PROTO of that name in this scope or an enclosing one.
    pub(super) fn proto(&self, name: &str) -> Option<usize> {
        self.open.iter().rev().find_map(|scope| scope.protos.get(name).copied())
    }

    /// Whether the definition of a PROTO of that name is still open.
    pub(super) fn is_open_proto(&self, name: &str) -> bool {
        self.open.iter().any(|scope| scope.name.as_deref() == Some(name))
    }

    pub(super) fn enter_proto(&mut self, name: &Arc<str>) -> std::result::Result<(), String> {
        if self.open.len() > DEEPEST {
            return Err(format!("found PROTOs in each other deeper than {DEEPEST}"));
        }
        self.open.push(Scope { name: Some(name.clone()), ..Scope::default() });
        Ok(())
    }

    pub(super) fn end_proto(
        &mut self,
        document: &mut VrmlDocument,
        proto: Proto,
        source: &VrmlText,
    ) -> Result<()> {
        if let Some(scope) = self.open.pop() {
            scope.resolve_routes(document, source)?;
        }
        self.add_proto(document, proto);
        Ok(())
    }

    pub(super) fn end_file(&mut self, document: &mut VrmlDocument, source: &VrmlText) -> Result<()> {
        while let Some(scope) = self.open.pop() {
            scope.resolve_routes(document, source)?;
        }
        Ok(())
    }

    /// Adds a PROTO, which replaces an earlier one of the same name.
    pub(super) fn add_proto(&mut self, document: &mut VrmlDocument, proto: Proto) {
        self.innermost().protos.insert(proto.name.clone(), document.protos.len());
        document.protos.push(proto);
    }

    pub(super) fn add_route(&mut self, from: (Arc<str>, Arc<str>), to: (Arc<str>, Arc<str>), at: usize) {
        self.innermost().routes.push(NamedRoute { from, to, at });
    }
}

impl Scope {
    /// Resolves the routes at the end, because they may name nodes that are defined after them.
    fn resolve_routes(self, document: &mut VrmlDocument, source: &VrmlText) -> Result<()> {
        for NamedRoute { from, to, at } in self.routes {
            let node = |name: &Arc<str>| {
                self.nodes.get(name).copied().ok_or_else(|| {
                    source.error(at, format!("found a ROUTE of {name}, expected a name that DEF gives"))
                })
            };
            let (from, to) = ((node(&from.0)?, from.1), (node(&to.0)?, to.1));
            document.routes.push(Route { from, to, at });
        }
        Ok(())
    }
}
