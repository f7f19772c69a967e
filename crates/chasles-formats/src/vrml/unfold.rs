//! Unfolds the graph of nodes to a tree of transforms with shapes: expands every `USE`, prototype, `Inline`,
//! `Switch` and `LOD`.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use glam::DVec3;

use super::animation::{self, Motion};
use super::colours;
use super::fields::flag;
use super::file::kinds::{self, NodeKind};
use super::file::syntax::count;
use super::graph::{Graph, NodeInstance};
use super::rotation::axis_angle;
use super::surface::form::VrmlGeometry;
use super::surface::surface;
use super::surface::workshop::{MeshBudget, Workshop};
use super::tree::{Handle, MovingField, Transform, VrmlShape, WorldTree};
use crate::error::{Result, Warnings};
use crate::gltf::names::NameAllocator;
use crate::mesh::polygon::Cutter;

/// Fields of geometry nodes that determine the shape.
const SHAPING: [&str; 13] = [
    "size", "radius", "bottomRadius", "height", "coordIndex", "index", "stripCount", "fanCount",
    "crossSection", "spine", "scale", "orientation", "coord",
];

/// Maximum number of visits to nodes, each counted as often as it is used.
const MAX_VISITS: usize = 1 << 20;

/// Maximum bytes of all names of bodies and moving fields.
const MAX_NAMES: usize = 1 << 26;

/// Vertices and triangles of all surfaces, in addition to the maximum that the bytes of the files could hold.
const MAX_VERTICES: usize = 1 << 25;

/// Unfolds the nodes of a file.
pub(super) fn unfold(graph: &mut Graph, file: usize) -> Result<WorldTree> {
    let place = graph.outermost(file);
    let mut unfolding = Unfolding {
        graph,
        tree: WorldTree::default(),
        tasks: Vec::new(),
        paths: vec![(0, "".into())],
        surfaces: BTreeMap::new(),
        handles: BTreeMap::new(),
        warned: HashSet::new(),
        names: NameAllocator::default(),
        remaining_names: MAX_NAMES,
        cutter: Cutter::default(),
        budget: MeshBudget(MAX_VERTICES),
    };
    unfolding.run(place)?;
    let mut tree = unfolding.tree;
    let mut warnings = Warnings::default();
    for file in &graph.library.files {
        warnings.extend(file.document.warnings.list());
    }
    warnings.extend(tree.warnings.list());
    tree.warnings = warnings;
    Ok(tree)
}

/// A node to visit, and its context.
#[derive(Debug, Clone, Copy)]
struct Task {
    instance: NodeInstance,
    transform: Option<usize>,
    /// The path of names above it, by number.
    path: usize,
    collides: bool,
}

struct Unfolding<'a> {
    graph: &'a mut Graph,
    tree: WorldTree,
    tasks: Vec<Task>,
    /// Names, each with the number of the name above it; number 0 is the root.
    paths: Vec<(usize, Arc<str>)>,
    /// The surfaces created for geometry nodes.
    surfaces: BTreeMap<NodeInstance, Option<usize>>,
    handles: BTreeMap<(NodeInstance, Arc<str>, MovingField), usize>,
    /// The nodes for which a warning was given.
    warned: HashSet<(usize, usize)>,
    names: NameAllocator,
    remaining_names: usize,
    cutter: Cutter,
    budget: MeshBudget,
}

impl Unfolding<'_> {
    fn run(&mut self, place: usize) -> Result<()> {
        let roots = self.graph.roots(place).to_vec();
        self.push(
            Task { instance: NodeInstance { place, node: 0 }, transform: None, path: 0, collides: true },
            &roots,
        );
        let mut visits = 0;
        while let Some(task) = self.tasks.pop() {
            visits += 1;
            if visits > MAX_VISITS {
                let message =
                    format!("found more than {MAX_VISITS} nodes in this world, with all that is used again");
                return Err(self.graph.error(task.instance, message));
            }
            self.visit(task)?;
        }
        Ok(())
    }

    /// Schedules nodes of a place, to be visited next in their order.
    fn push(&mut self, parent_task: Task, nodes: &[usize]) {
        let task = |node: &usize| Task {
            instance: NodeInstance { node: *node, ..parent_task.instance },
            ..parent_task
        };
        self.tasks.extend(nodes.iter().rev().map(task));
    }

    fn visit(&mut self, mut task: Task) -> Result<()> {
        let (mut path, paths) = (task.path, &mut self.paths);
        let behind = self.graph.behind(task.instance, |graph, instance| {
            if let Some(def) = graph.def(instance) {
                paths.push((path, def.clone()));
                path = paths.len() - 1;
            }
        })?;
        task.path = path;
        let Some(instance) = behind else { return Ok(()) };
        task.instance = instance;
        let name = self.graph.kind(instance).clone();
        let Some(kind) = kinds::kind(&name) else {
            self.warn(instance, &format!("the node {name} is not known; it is ignored with its children"));
            return Ok(());
        };
        match kind {
            NodeKind::Transform => self.transform(task),
            NodeKind::Group => {
                if &*name == "Billboard" {
                    self.warn(instance, "a Billboard rotates to the viewer; its own orientation is used");
                }
                self.children(task, &["children"])
            }
            NodeKind::Collision => {
                let collides = flag(self.graph, instance, "collide", true)?
                    && flag(self.graph, instance, "enabled", true)?;
                self.find_routes(instance, &["collide", "enabled"])?;
                self.children(Task { collides: task.collides && collides, ..task }, &["children"])
            }
            NodeKind::Switch => self.switch(task),
            NodeKind::Lod => {
                let nodes = self.nodes(instance, &["level", "children"])?;
                self.tasks.extend(nodes.first().map(|instance| Task { instance: *instance, ..task }));
                Ok(())
            }
            NodeKind::Inline => self.inline(task),
            NodeKind::Shape => self.shape(task),
            NodeKind::Geometry => Err(self.graph.error(instance, kinds::misplaced(&name))),
            NodeKind::Other => Ok(()),
        }
    }

    fn warn(&mut self, instance: NodeInstance, message: &str) {
        if self.warned.insert((self.graph.file(instance.place), instance.node)) {
            self.tree.warnings.push(self.graph.warning(instance, message));
        }
    }

    /// The nodes of the first of these fields that the file states.
    fn nodes(&self, instance: NodeInstance, fields: &[&str]) -> Result<Vec<NodeInstance>> {
        for field in fields {
            if let Some(stated) = self.graph.field(instance, field)? {
                let nodes = stated.typed(stated.value.nodes())?;
                return Ok(nodes
                    .iter()
                    .map(|node| NodeInstance { place: stated.place, node: *node })
                    .collect());
            }
        }
        Ok(Vec::new())
    }

    fn children(&mut self, task: Task, fields: &[&str]) -> Result<()> {
        self.find_routes(task.instance, &["children", "addChildren", "removeChildren"])?;
        let nodes = self.nodes(task.instance, fields)?;
        self.tasks.extend(nodes.iter().rev().map(|instance| Task { instance: *instance, ..task }));
        Ok(())
    }

    fn switch(&mut self, task: Task) -> Result<()> {
        let instance = task.instance;
        let choice = match self.graph.field(instance, "whichChoice")? {
            None => -1.0,
            Some(stated) => stated.typed(stated.value.vector::<1>())?[0],
        };
        self.find_routes(instance, &["whichChoice"])?;
        let nodes = self.nodes(instance, &["choice", "children"])?;
        let chosen = nodes.iter().enumerate().find(|(i, _)| *i as f64 == choice);
        self.tasks.extend(chosen.map(|(_, instance)| Task { instance: *instance, ..task }));
        Ok(())
    }

    fn inline(&mut self, task: Task) -> Result<()> {
        if !flag(self.graph, task.instance, "load", true)? {
            self.warn(task.instance, "an Inline with load FALSE is left out");
            return Ok(());
        }
        let (urls, at) = match self.graph.field(task.instance, "url")? {
            None => (vec![], 0),
            Some(stated) => (stated.typed(stated.value.strings())?, stated.at),
        };
        if urls.is_empty() {
            self.warn(task.instance, "an Inline without a url is left out");
            return Ok(());
        }
        let before = self.graph.library.bytes();
        let place = self.graph.inlined(task.instance, &urls, at)?;
        self.budget.0 += (self.graph.library.bytes() - before) / 4;
        let roots = self.graph.roots(place).to_vec();
        self.push(Task { instance: NodeInstance { place, node: 0 }, ..task }, &roots);
        Ok(())
    }

    fn transform(&mut self, task: Task) -> Result<()> {
        let instance = task.instance;
        let axis_angle_field = |name: &str| -> Result<(DVec3, f64)> {
            let Some(stated) = self.graph.field(instance, name)? else { return Ok((DVec3::Z, 0.0)) };
            let numbers = stated.typed(stated.value.vector::<4>())?;
            stated.typed(axis_angle(numbers))
        };
        let vector = |name: &str, default: DVec3| -> Result<DVec3> {
            let Some(stated) = self.graph.field(instance, name)? else { return Ok(default) };
            stated.typed(stated.value.vector::<3>()).map(DVec3::from_array)
        };
        let mut transform = Transform {
            parent: task.transform,
            translation: vector("translation", DVec3::ZERO)?,
            center: vector("center", DVec3::ZERO)?,
            rotation: axis_angle_field("rotation")?,
            scale: vector("scale", DVec3::ONE)?,
            scale_orientation: axis_angle_field("scaleOrientation")?,
            motion: Motion::default(),
            handles: [None; 2],
            instance,
        };
        if transform.scale.min_element() <= 0.0 {
            // VRML requires scales above 0, but files use negative scales for reflections.
            let Some(stated) = self.graph.field(instance, "scale")? else { return Ok(()) };
            if let Some(at) = transform.scale.to_array().iter().position(|scale| *scale == 0.0) {
                return Err(stated.error_at(at, "found 0, expected a scale that leaves a body"));
            }
        }
        let found = animation::motion(self.graph, instance)?;
        transform.motion = found.motion;
        found.warnings.into_iter().for_each(|warning| self.tree.warnings.push(warning));
        self.tree.refused.extend(found.refused);
        transform.handles = [
            self.handle(&task, "translation", MovingField::Translation)?,
            self.handle(&task, "rotation", MovingField::Rotation)?,
        ];
        self.tree.transforms.push(transform);
        let inside = Task { transform: Some(self.tree.transforms.len() - 1), ..task };
        self.children(inside, &["children"])
    }

    /// The handle of a field, if the node that owns the field has a name. The owner may be an instance of a
    /// prototype.
    fn handle(&mut self, task: &Task, field: &str, part: MovingField) -> Result<Option<usize>> {
        let chain = self.graph.chain(task.instance, field)?;
        let Some((instance, field)) = chain.last() else { return Ok(None) };
        let Some(name) = self.graph.def(*instance).cloned() else { return Ok(None) };
        let key = (*instance, field.clone(), part);
        if let Some(known) = self.handles.get(&key) {
            return Ok(Some(*known));
        }
        // The path ends above the instance: names inside its prototype are removed.
        let mut path = task.path;
        for (inner, _) in &chain[..chain.len() - 1] {
            path = if self.graph.def(*inner).is_some() { self.paths[path].0 } else { path };
        }
        let path = self.path(path, *instance)?;
        self.tree.handles.push(Handle { name, path, part });
        let number = self.tree.handles.len() - 1;
        self.handles.insert(key, number);
        Ok(Some(number))
    }

    /// The names from the root down, joined by `/`.
    fn path(&mut self, mut path: usize, instance: NodeInstance) -> Result<String> {
        let mut names = Vec::new();
        while path != 0 {
            let (above, name) = &self.paths[path];
            let Some(remaining) = self.remaining_names.checked_sub(name.len() + 1) else {
                let message = format!("found names of bodies of more than {MAX_NAMES} bytes, expected fewer");
                return Err(self.graph.error(instance, message));
            };
            self.remaining_names = remaining;
            names.push(&**name);
            path = *above;
        }
        names.reverse();
        Ok(names.join("/"))
    }

    fn shape(&mut self, task: Task) -> Result<()> {
        self.find_routes(task.instance, &["geometry"])?;
        let geometry = match self.graph.field(task.instance, "geometry")? {
            None => return Ok(()),
            Some(stated) => match stated.typed(stated.value.nodes())? {
                [] => return Ok(()),
                [node] => NodeInstance { place: stated.place, node: *node },
                nodes => {
                    return Err(stated.error(&format!("found {}, expected one", count(nodes.len(), "node"))));
                }
            },
        };
        let Some(geometry) = self.graph.behind(geometry, |_, _| {})? else { return Ok(()) };
        let surface = match self.surfaces.get(&geometry) {
            Some(known) => *known,
            None => {
                let made = self.surface(geometry)?;
                self.surfaces.insert(geometry, made);
                made
            }
        };
        let Some(surface) = surface else { return Ok(()) };
        let path = self.path(task.path, task.instance)?;
        let name = self.names.unique(if path.is_empty() { "Shape".into() } else { path });
        let Task { transform, collides, instance, .. } = task;
        let colour = colours::of_shape(self.graph, instance);
        self.tree.shapes.push(VrmlShape { name, transform, surface, collides, colour, instance });
        Ok(())
    }

    fn surface(&mut self, geometry: NodeInstance) -> Result<Option<usize>> {
        let (cutter, budget) = (&mut self.cutter, &mut self.budget);
        let mut workshop = Workshop { cutter, budget, warnings: &mut self.tree.warnings };
        let made = surface(self.graph, geometry, &mut workshop)?;
        self.find_routes(geometry, &SHAPING)?;
        for coordinate in self.nodes_if_any(geometry, "coord")? {
            self.find_routes(coordinate, &["point"])?;
        }
        let Some(made) = made else { return Ok(None) };
        if let VrmlGeometry::Round { .. } = made {
            // Sizes that the engine refuses are found here, where their place is known.
            made.shown().map_err(|error| self.graph.error(geometry, error.to_string()))?;
        }
        self.tree.surfaces.push(made);
        Ok(Some(self.tree.surfaces.len() - 1))
    }

    fn nodes_if_any(&mut self, instance: NodeInstance, field: &str) -> Result<Vec<NodeInstance>> {
        let mut found = Vec::new();
        if !matches!(&**self.graph.kind(instance), "Box" | "Sphere" | "Cone" | "Cylinder") {
            for node in self.nodes(instance, &[field])? {
                found.extend(self.graph.behind(node, |_, _| {})?);
            }
        }
        Ok(found)
    }

    /// Reports routes to fields that change shapes, or the set of shapes, with time.
    fn find_routes(&mut self, instance: NodeInstance, fields: &[&str]) -> Result<()> {
        for field in fields {
            for route in animation::routes(self.graph, instance, field)? {
                let message = format!("{} changes {field} with time", route.source_kind);
                if route.is_of_a_clock(self.graph) {
                    self.tree
                        .refused
                        .push(route.error(self.graph, &format!("{message}: only rigid bodies are checked")));
                } else {
                    self.tree.warnings.push(
                        route.error(self.graph, &format!("{message}, which is not followed")).to_string(),
                    );
                }
            }
        }
        Ok(())
    }
}
