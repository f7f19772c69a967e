//! The tree of nodes: the nodes that the scene shows, their order, and their transforms at time 0.

use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};

use super::animation::{AnimationCurves, NodeCurves, is_constant};
use super::document::{GltfJson, NodeEntry};
use super::fault::{Fault, GltfResult, element, named};
use crate::error::Warnings;
use crate::text::tree::number_text;

/// The nodes that a scene shows, and their parents.
#[derive(Debug, PartialEq)]
pub(super) struct NodeTree {
    /// The nodes of the scene, parents before children.
    pub(super) order: Vec<usize>,
    /// The parent of every node of the document.
    pub(super) parents: Vec<Option<usize>>,
}

/// The local transform of a node, in its parent's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Local {
    /// Applies the scale, then the rotation (not zero, of any length), then the translation.
    Parts { translation: DVec3, rotation: DQuat, scale: DVec3 },
    /// A matrix, which may shear.
    Matrix(DAffine3),
}

impl NodeTree {
    /// Checks all nodes, and collects the nodes of the default scene, or else of the first scene, or else all nodes.
    pub(super) fn of(document: &GltfJson) -> GltfResult<Self> {
        let parents = parents(&document.nodes)?;
        let roots: Vec<usize> = match (document.scene, document.scenes.is_empty()) {
            (None, true) => (0..parents.len()).filter(|node| parents[*node].is_none()).collect(),
            (chosen, _) => {
                let number = chosen.map_or(0, |scene| scene.0);
                let scene = element(&document.scenes, number, "scene")?;
                let place = |fault: Fault| fault.within(&format!("scene {number}"));
                let mut visited = vec![false; parents.len()];
                for root in scene.nodes.iter() {
                    let entry = element(&document.nodes, root.0, "node").map_err(place)?;
                    let fault = |message| Err(place(Fault::new(place_of(root.0, entry), message)));
                    if let Some(parent) = parents[root.0] {
                        return fault(format!("it is a child of node {parent}, expected a root"));
                    }
                    if std::mem::replace(&mut visited[root.0], true) {
                        return fault("it is there twice".into());
                    }
                }
                scene.nodes.iter().map(|root| root.0).collect()
            }
        };
        let mut order = Vec::new();
        let mut next: Vec<usize> = roots.into_iter().rev().collect();
        while let Some(node) = next.pop() {
            order.push(node);
            next.extend(document.nodes[node].children.iter().rev().map(|child| child.0));
        }
        Ok(Self { order, parents })
    }

    /// Leaves out nodes that are not shown: nodes with the scale 0 for the whole time (glTF 2.0, "Transformations"),
    /// and nodes that `KHR_node_visibility` hides.
    pub(super) fn prune(
        &mut self,
        nodes: &[NodeEntry],
        animation: &AnimationCurves,
        warnings: &mut Warnings,
    ) -> GltfResult<()> {
        let mut hidden = vec![false; nodes.len()];
        for &node in &self.order {
            if self.parents[node].is_some_and(|parent| hidden[parent]) {
                hidden[node] = true;
                continue;
            }
            let visibility = nodes[node].extensions.visibility.as_ref();
            if visibility.is_some_and(|visibility| visibility.visible == Some(false)) {
                hidden[node] = true;
                let place = place_of(node, &nodes[node]);
                let what =
                    "KHR_node_visibility hides it with all below it: they are left out, and not tested";
                warnings.push(format!("{place}: {what}"));
                continue;
            }
            let curves = animation.curves.get(&node);
            let has_no_scale = match local(node, &nodes[node], curves)? {
                Local::Matrix(matrix) => matrix.matrix3 == DMat3::ZERO,
                Local::Parts { scale, .. } => {
                    let curve = curves.and_then(|curves| curves.scale.as_ref());
                    scale == DVec3::ZERO && curve.is_none_or(|curve| is_constant(curve, DVec3::ZERO))
                }
            };
            if has_no_scale {
                hidden[node] = true;
                let place = place_of(node, &nodes[node]);
                warnings.push(format!("{place}: its scale is 0, so that it is ignored with its children"));
            }
        }
        self.order.retain(|node| !hidden[*node]);
        Ok(())
    }

    /// For each node, whether it or a node below it is marked, within the scene.
    pub(super) fn carriers(&self, marked: &[bool]) -> Vec<bool> {
        let mut is_carrier = vec![false; self.parents.len()];
        for &node in self.order.iter().rev() {
            is_carrier[node] |= marked[node];
            if let Some(parent) = self.parents[node] {
                is_carrier[parent] |= is_carrier[node];
            }
        }
        is_carrier
    }

    /// The world transforms of the scene's nodes at time 0; the identity for other nodes.
    pub(super) fn world_transforms(
        &self,
        nodes: &[NodeEntry],
        animation: &AnimationCurves,
    ) -> GltfResult<Vec<DAffine3>> {
        let mut worlds = vec![DAffine3::IDENTITY; nodes.len()];
        for &node in &self.order {
            let local = match local(node, &nodes[node], animation.curves.get(&node))? {
                Local::Matrix(matrix) => matrix,
                Local::Parts { translation, rotation, scale } => {
                    DAffine3::from_scale_rotation_translation(scale, unit(rotation), translation)
                }
            };
            worlds[node] = self.parents[node].map_or(local, |parent| worlds[parent] * local);
        }
        Ok(worlds)
    }
}

/// The description of a node in messages.
pub(super) fn place_of(number: usize, entry: &NodeEntry) -> String {
    named("node", number, entry.name.as_deref())
}

/// The parent of each node. Checks that the nodes form trees.
fn parents(nodes: &[NodeEntry]) -> GltfResult<Vec<Option<usize>>> {
    let mut parents = vec![None; nodes.len()];
    for (number, entry) in nodes.iter().enumerate() {
        for child in entry.children.iter() {
            let place = |fault: Fault| fault.within(&place_of(number, entry));
            let below = element(nodes, child.0, "node").map_err(place)?;
            if let Some(other) = parents[child.0].replace(number) {
                let message =
                    format!("it is a child of node {other} and of node {number}, expected one parent");
                return Err(Fault::new(place_of(child.0, below), message));
            }
        }
    }
    // A node that no root reaches is below a cycle.
    let mut reached = vec![false; nodes.len()];
    let mut next: Vec<usize> = (0..nodes.len()).filter(|node| parents[*node].is_none()).collect();
    while let Some(node) = next.pop() {
        reached[node] = true;
        next.extend(nodes[node].children.iter().map(|child| child.0));
    }
    let Some(unreached) = reached.iter().position(|reached| !reached) else { return Ok(parents) };
    let on_cycle = (0..nodes.len()).fold(unreached, |node, _| parents[node].unwrap_or(node));
    Err(Fault::new(place_of(on_cycle, &nodes[on_cycle]), "it is below itself"))
}

/// The local transform of a node at time 0; the first key also holds before its time.
pub(super) fn local(number: usize, entry: &NodeEntry, curves: Option<&NodeCurves>) -> GltfResult<Local> {
    if let Some(matrix) = &entry.matrix {
        if entry.translation.is_some() || entry.rotation.is_some() || entry.scale.is_some() {
            return Err(Fault::new(
                place_of(number, entry),
                "found a matrix beside translation, rotation or scale",
            ));
        }
        let matrix = DMat4::from_cols_array(matrix);
        if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
            let found = matrix.row(3).to_array().map(number_text).join(", ");
            let message = format!("found a matrix whose last row is {found}, expected 0, 0, 0, 1");
            return Err(Fault::new(place_of(number, entry), message));
        }
        return Ok(Local::Matrix(DAffine3::from_mat4(matrix)));
    }
    let first = |curve: Option<&chasles::Curve<DVec3>>, still: Option<[f64; 3]>, default: DVec3| {
        let key = curve.and_then(|curve| curve.values().first().copied());
        key.or(still.map(DVec3::from_array)).unwrap_or(default)
    };
    let translation = first(curves.and_then(|c| c.translation.as_ref()), entry.translation, DVec3::ZERO);
    let scale = first(curves.and_then(|c| c.scale.as_ref()), entry.scale, DVec3::ONE);
    let key = curves.and_then(|c| c.rotation.as_ref()).and_then(|curve| curve.values().first().copied());
    let rotation = key.or(entry.rotation.map(DQuat::from_array)).unwrap_or(DQuat::IDENTITY);
    if rotation.to_array() == [0.0; 4] {
        return Err(Fault::new(format!("{}, rotation", place_of(number, entry)), "found zero length"));
    }
    Ok(Local::Parts { translation, rotation, scale })
}

/// Normalizes a nonzero quaternion; a quaternion that is unit to the last bits stays unchanged.
pub(super) fn unit(rotation: DQuat) -> DQuat {
    if (rotation.length_squared() - 1.0).abs() <= 2.0 * f64::EPSILON {
        return rotation;
    }
    let largest = rotation.to_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    DQuat::from_array(rotation.to_array().map(|x| x / largest)).normalize()
}

/// The factor of a linear map that is a uniform scale; `None` otherwise.
pub(super) fn uniform_scale(linear: DMat3) -> Option<f64> {
    let factor = linear.x_axis.x;
    (linear == DMat3::from_diagonal(DVec3::splat(factor))).then_some(factor)
}
