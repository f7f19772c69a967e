//! From the nodes of a file to the bodies of a scene, and the frames that carry them.

use std::collections::HashMap;
use std::sync::Arc;

use chasles::{Body, BodyMotion, Mesh, SceneShape};
use glam::{DMat3, DVec3};

use super::accessor::Budget;
use super::fault::{Fault, Found};
use super::frames;
use super::geometry::Geometry;
use super::hierarchy::place_of;
use super::loaded::Loaded;
use crate::limits;

/// A rigid thing that moves in the frame of another; without a shape it only carries others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) name: String,
    /// By its place in the list of nodes.
    pub(super) parent: Option<usize>,
    pub(super) motion: BodyMotion,
    pub(super) shape: Option<SceneShape>,
}

/// The nodes of a scene: those with a shape in the order of the file, and then those that only carry others.
pub(super) fn nodes(loaded: &mut Loaded) -> Found<Vec<Node>> {
    let entries = &loaded.document.nodes;
    let shown: Vec<bool> = loaded.shown.iter().map(Option::is_some).collect();
    let carriers = loaded.tree.carriers(&shown);
    let mut frames =
        frames::frames(&loaded.tree, entries, &loaded.animation, &carriers, &mut loaded.warnings)?;
    let bodies = loaded.bodies();
    for &(node, _, mesh) in &bodies {
        if let Some(why) = loaded.deformation(node, mesh) {
            return Err(Fault::new(
                place_of(node, &entries[node]),
                format!("{why}: only rigid bodies are read"),
            ));
        }
    }
    let only_carry = frames
        .iter()
        .enumerate()
        .filter(|(node, frame)| !shown[*node] && frame.as_ref().is_some_and(|frame| frame.moves));
    let only_carry: Vec<usize> = only_carry.map(|(node, _)| node).collect();
    let mut numbers = vec![None; entries.len()];
    for (number, node) in bodies.iter().map(|body| body.0).chain(only_carry.iter().copied()).enumerate() {
        numbers[node] = Some(number);
    }
    let mut shapes = Shapes { meshes: &loaded.meshes, made: HashMap::new(), budget: &mut loaded.budget };
    let mut nodes = Vec::with_capacity(bodies.len() + only_carry.len());
    for (node, name, mesh) in bodies {
        let place = || place_of(node, &entries[node]);
        let Some(frame) = frames[node].take() else { continue };
        let shape = shapes.shape(mesh, frame.linear).map_err(|fault| fault.within(&place()))?;
        let parent = frame.carrier.and_then(|carrier| numbers[carrier]);
        nodes.push(Node { name, parent, motion: frame.motion, shape: Some(shape) });
    }
    for node in only_carry {
        let Some(frame) = frames[node].take() else { continue };
        let parent = frame.carrier.and_then(|carrier| numbers[carrier]);
        nodes.push(Node { name: place_of(node, &entries[node]), parent, motion: frame.motion, shape: None });
    }
    Ok(nodes)
}

/// The shapes of a scene; nodes of one mesh and scale share them.
struct Shapes<'a> {
    meshes: &'a [Geometry],
    made: HashMap<(usize, [u64; 9]), SceneShape>,
    budget: &'a mut Budget,
}

impl Shapes<'_> {
    fn shape(&mut self, number: usize, linear: DMat3) -> Found<SceneShape> {
        // -0 is 0.
        let key = (number, linear.to_cols_array().map(|x| (x + 0.0).to_bits()));
        if let Some(shape) = self.made.get(&key) {
            return Ok(shape.clone());
        }
        let Geometry { vertices, triangles, .. } = &self.meshes[number];
        let place = || format!("mesh {number}");
        self.budget.spend(vertices.len() + triangles.len(), place)?;
        limits::check_triangles(triangles.len()).map_err(|message| Fault::new(place(), message))?;
        let vertices: Vec<DVec3> = if linear == DMat3::IDENTITY {
            vertices.clone()
        } else {
            vertices.iter().map(|vertex| linear * *vertex).collect()
        };
        let mesh =
            Mesh::new(vertices, triangles.clone()).map_err(|error| Fault::new(place(), error.to_string()))?;
        let shape = SceneShape::mesh(Arc::new(Body::new(mesh)));
        self.made.insert(key, shape.clone());
        Ok(shape)
    }
}
