//! Skins: the binding of a mesh's vertices to joints, which are bones.
//!
//! glTF 2.0, "Skins": a vertex follows the world transforms of its joints, by their weights; the transform of the
//! mesh's node does not matter. So a body with a skin is in the world frame, and all nodes above its joints are
//! bones.

use std::collections::HashMap;

use chasles::{Bone, BoneMotion, BoundBone, Curve, Influence, RigDefinition};
use glam::{DAffine3, DMat4};

use super::accessor::{Accessors, Components, ElementBudget};
use super::animation::{AnimationCurves, NodeCurves};
use super::document::{AttributesJson, GltfJson, NodeEntry, SkinEntry};
use super::fault::{Fault, GltfResult, element, named};
use super::geometry::{GltfGeometry, VertexRange};
use super::hierarchy::{Local, NodeTree, local, unit};
use crate::error::Warnings;
use crate::text::tree::number_text;

/// The joints that carry the vertices of a node's mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Skin {
    /// The nodes of its joints.
    joints: Vec<usize>,
    /// For each joint, the map from the mesh to its frame.
    inverses: Vec<DAffine3>,
    /// Sorted by vertex; each vertex has at least one.
    influences: Vec<Influence>,
}

/// Reads the skin of a node that shows a mesh.
pub(super) fn read(
    accessors: &Accessors<'_>,
    document: &GltfJson,
    (skin, mesh, geometry): (usize, usize, &GltfGeometry),
    budget: &mut ElementBudget,
    warnings: &mut Warnings,
) -> GltfResult<Skin> {
    let entry = element(&document.skins, skin, "skin")?;
    let place = named("skin", skin, entry.name.as_deref());
    let mut found = joints(accessors, document, entry, budget).map_err(|fault| fault.within(&place))?;
    let mut reader =
        SkinReader { accessors, budget, joints: found.joints.len(), worst: 0.0, influences: Vec::new() };
    let entry = element(&document.meshes, mesh, "mesh")?;
    for &VertexRange { primitive, count } in &geometry.parts {
        let place = || format!("{}, primitive {primitive}", named("mesh", mesh, entry.name.as_deref()));
        let attributes = &entry.primitives[primitive].attributes;
        reader.add(attributes, count).map_err(|fault| fault.within(&place()))?;
    }
    if reader.worst > REPORTED_WEIGHT_ERROR {
        let worst_text = number_text(reader.worst);
        let mesh = named("mesh", mesh, entry.name.as_deref());
        warnings.push(format!(
            "{mesh}: weights of a vertex add up to 1 only within {worst_text}; they are made to"
        ));
    }
    found.influences = reader.influences;
    Ok(found)
}

/// Maximum deviation of a sum of weights from 1 without a warning: the precision of the files.
const REPORTED_WEIGHT_ERROR: f64 = 1e-3;

/// The joints of a skin, without influences.
fn joints(
    accessors: &Accessors<'_>,
    document: &GltfJson,
    entry: &SkinEntry,
    budget: &mut ElementBudget,
) -> GltfResult<Skin> {
    let joints: Vec<usize> = entry.joints.iter().map(|joint| joint.0).collect();
    if joints.is_empty() {
        return Err(Fault::new("joints", "found none, expected at least one"));
    }
    for joint in &joints {
        element(&document.nodes, *joint, "node").map_err(|fault| fault.within("joints"))?;
    }
    budget.spend(joints.len(), || "joints".into())?;
    let Some(accessor) = entry.inverse_bind_matrices.map(|accessor| accessor.0) else {
        return Ok(Skin { inverses: vec![DAffine3::IDENTITY; joints.len()], joints, influences: vec![] });
    };
    let within = |fault: Fault| fault.within("inverseBindMatrices");
    let matrices = accessors.vectors::<16>(accessor, Components::Floats, budget).map_err(within)?;
    let fault = |message: String| within(Fault::new(format!("accessor {accessor}"), message));
    if matrices.len() < joints.len() {
        return Err(fault(format!(
            "found {} matrices, expected {}, one a joint",
            matrices.len(),
            joints.len()
        )));
    }
    let inverses = matrices[..joints.len()].iter().enumerate().map(|(i, matrix)| {
        let matrix = DMat4::from_cols_array(matrix);
        if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
            let found = matrix.row(3).to_array().map(number_text).join(", ");
            return Err(fault(format!("found matrix {i} whose last row is {found}, expected 0, 0, 0, 1")));
        }
        Ok(DAffine3::from_mat4(matrix))
    });
    Ok(Skin { inverses: inverses.collect::<GltfResult<_>>()?, joints, influences: vec![] })
}

struct SkinReader<'a, 'b> {
    accessors: &'b Accessors<'a>,
    budget: &'b mut ElementBudget,
    /// The number of joints.
    joints: usize,
    /// The maximum deviation of a vertex's sum of weights from 1.
    worst: f64,
    influences: Vec<Influence>,
}

impl SkinReader<'_, '_> {
    /// Adds the influences of the next `count` vertices.
    fn add(&mut self, attributes: &AttributesJson, count: usize) -> GltfResult<()> {
        let first_vertex = self.influences.last().map_or(0, |last| last.vertex + 1);
        let mut sets = Vec::new();
        for (number, joints) in &attributes.joints {
            let Some((_, weights)) = attributes.weights.iter().find(|weights| weights.0 == *number) else {
                let message = format!("found none, expected one beside JOINTS_{number}");
                return Err(Fault::new(format!("WEIGHTS_{number}"), message));
            };
            let [joints_key, weights_key] = [format!("JOINTS_{number}"), format!("WEIGHTS_{number}")];
            let allowed = Components::FloatsOrFractions;
            let weights_of_set =
                self.set(weights.0, allowed, count).map_err(|fault| fault.within(&weights_key))?;
            let numbers =
                self.set(joints.0, Components::Joints, count).map_err(|fault| fault.within(&joints_key))?;
            sets.push((joints.0, numbers, weights_of_set));
        }
        if sets.is_empty() {
            return Err(Fault::new("JOINTS_0", "found none, expected the joints of each vertex"));
        }
        for vertex in 0..count {
            let mut sum = 0.0;
            for (accessor, numbers, weights_of_set) in &sets {
                for (joint, weight_of_joint) in numbers[vertex].into_iter().zip(weights_of_set[vertex]) {
                    if weight_of_joint < 0.0 {
                        return Err(Fault::new(
                            format!("vertex {vertex}"),
                            format!("found the weight {weight_of_joint}"),
                        ));
                    }
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "read from 16 bits"
                    )]
                    let binding = joint as u32;
                    if weight_of_joint > 0.0 && binding as usize >= self.joints {
                        let message = format!("found joint {binding}, expected below {}", self.joints);
                        return Err(Fault::new(format!("accessor {accessor}, element {vertex}"), message));
                    }
                    if weight_of_joint > 0.0 {
                        #[expect(clippy::cast_possible_truncation, reason = "a mesh has fewer vertices")]
                        let vertex = first_vertex + vertex as u32;
                        self.influences.push(Influence { vertex, binding, weight: weight_of_joint });
                    }
                    sum += weight_of_joint;
                }
            }
            if sum <= 0.0 {
                let message = "found weights that are all 0, expected some joint that it follows";
                return Err(Fault::new(format!("vertex {vertex}"), message));
            }
            self.worst = self.worst.max((sum - 1.0).abs());
        }
        Ok(())
    }

    fn set(&mut self, accessor: usize, allowed: Components, count: usize) -> GltfResult<Vec<[f64; 4]>> {
        let found = self.accessors.vectors::<4>(accessor, allowed, self.budget)?;
        if found.len() != count {
            let message = format!("found {} elements, expected {count}, one a vertex", found.len());
            return Err(Fault::new(format!("accessor {accessor}"), message));
        }
        Ok(found)
    }
}

/// Marks the given nodes and all nodes above them.
pub(super) fn mark_with_ancestors(nodes: impl Iterator<Item = usize>, tree: &NodeTree, marked: &mut [bool]) {
    for node in nodes {
        let mut next = Some(node);
        while let Some(node) = next.filter(|node| !marked[*node]) {
            marked[node] = true;
            next = tree.parents[node];
        }
    }
}

impl Skin {
    /// The nodes of its joints.
    pub(super) fn joints(&self) -> impl Iterator<Item = usize> {
        self.joints.iter().copied()
    }

    /// A rig without vertices: the bones, which are its joints and all nodes above, and the binding of vertices to
    /// them.
    pub(super) fn rig(
        &self,
        tree: &NodeTree,
        nodes: &[NodeEntry],
        animation: &AnimationCurves,
    ) -> GltfResult<RigDefinition> {
        let (mut bones, mut numbers) = (Vec::new(), HashMap::new());
        let mut bindings = Vec::with_capacity(self.joints.len());
        for (joint, inverse) in self.joints.iter().zip(&self.inverses) {
            // Walks up to a known bone, then down again.
            let (mut chain, mut next) = (Vec::new(), Some(*joint));
            while let Some(node) = next.filter(|node| !numbers.contains_key(node)) {
                chain.push(node);
                next = tree.parents[node];
            }
            for node in chain.into_iter().rev() {
                let parent = tree.parents[node].map(|parent| numbers[&parent]);
                let motion = motion(node, &nodes[node], animation.curves.get(&node))?;
                numbers.insert(node, bones.len());
                bones.push(Bone { parent, motion });
            }
            bindings.push(BoundBone { bone: numbers[joint], inverse: *inverse });
        }
        let influences = self.influences.clone();
        Ok(RigDefinition { bones, bindings, influences, ..RigDefinition::default() })
    }
}

/// The motion of a node in the frame of its parent.
fn motion(number: usize, entry: &NodeEntry, curves: Option<&NodeCurves>) -> GltfResult<BoneMotion> {
    let (translation, rotation, scale) = match local(number, entry, curves)? {
        Local::Matrix(matrix) => return Ok(BoneMotion::Still(matrix)),
        Local::Parts { translation, rotation, scale } => (translation, unit(rotation), scale),
    };
    let Some(curves) = curves else {
        return Ok(BoneMotion::Still(DAffine3::from_scale_rotation_translation(
            scale, rotation, translation,
        )));
    };
    Ok(BoneMotion::Curves {
        translation: curves.translation.clone().unwrap_or_else(|| Curve::constant(translation)),
        rotation: curves.rotation.clone().unwrap_or_else(|| Curve::constant(rotation)),
        scale: curves.scale.clone().unwrap_or_else(|| Curve::constant(scale)),
    })
}
