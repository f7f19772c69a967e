//! Facts about a world: its bodies, and their bounding box in the initial state.

use glam::{DAffine3, DMat3};

use super::rotation::quaternion;
use super::surface::form::VrmlGeometry;
use super::tree::Transform;
use super::world::World;
use crate::error::{Error, Result};
use crate::info::bounds::{WorldBounds, enclosing_box};
use crate::info::{BodyInfo, SceneInfo};

/// Maximum number of vertices that are transformed one by one: a few seconds of work.
const TRANSFORMED: usize = 1 << 28;

/// Returns the facts about a world. Scales of all kinds are applied, even if a check would refuse them.
pub(super) fn facts(world: &World) -> Result<SceneInfo> {
    let World { graph, tree, path, .. } = world;
    let mut frames: Vec<DAffine3> = Vec::with_capacity(tree.transforms.len());
    for transform in &tree.transforms {
        let above = transform.parent.map_or(DAffine3::IDENTITY, |parent| frames[parent]);
        frames.push(above * affine(transform));
    }
    let mut shown = Vec::with_capacity(tree.surfaces.len());
    for surface in &tree.surfaces {
        // Only round bodies need triangles here; meshes have theirs already.
        let round = matches!(surface, VrmlGeometry::Round { .. }).then(|| surface.shown());
        shown.push(round.transpose().map_err(|error| Error::file(path, error.to_string()))?);
    }
    let mut bounds = WorldBounds::new(TRANSFORMED);
    let (mut bodies, mut boxes) = (Vec::with_capacity(tree.shapes.len()), Vec::new());
    for shape in &tree.shapes {
        let frame = shape.transform.map_or(DAffine3::IDENTITY, |transform| frames[transform]);
        let (vertices, triangles) = match (&tree.surfaces[shape.surface], &shown[shape.surface]) {
            (VrmlGeometry::Mesh { vertices, triangles }, _) => (vertices, triangles),
            (VrmlGeometry::Round { .. }, Some((vertices, triangles))) => (vertices, triangles),
            (VrmlGeometry::Round { .. }, None) => continue,
        };
        let [lo, hi] = bounds.of(shape.surface, vertices, triangles, &frame);
        if !(lo.is_finite() && hi.is_finite()) {
            return Err(graph.error(shape.instance, "it lies beyond all finite numbers"));
        }
        boxes.push([lo, hi]);
        let (name, triangles) = (shape.name.clone(), triangles.len());
        bodies.push(BodyInfo { name, triangles, ..BodyInfo::default() });
    }
    let mut warnings = tree.warnings.list();
    // Errors that a check would report are warnings here.
    warnings.extend(tree.refused.iter().take(100).map(ToString::to_string));
    if bodies.is_empty() {
        warnings.push(Error::file(path, "the world has no triangles").to_string());
    }
    if bounds.is_spent() {
        warnings.push("the bounds are those of boxes around the shapes: there are too many vertices".into());
    }
    Ok(SceneInfo { bodies, bounds: enclosing_box(boxes), warnings, ..SceneInfo::default() })
}

fn affine(transform: &Transform) -> DAffine3 {
    let linear = |axis_angle| DAffine3::from_quat(quaternion(axis_angle));
    let orientation = linear(transform.scale_orientation);
    let scale = DAffine3::from_mat3(DMat3::from_diagonal(transform.scale));
    DAffine3::from_translation(transform.translation + transform.center)
        * linear(transform.rotation)
        * (orientation * scale * orientation.inverse())
        * DAffine3::from_translation(-transform.center)
}
