//! Facts about a world: its bodies, and their bounding box in the initial state.

use glam::{DAffine3, DMat3, DVec3};

use super::rotation::quaternion;
use super::surface::form::VrmlGeometry;
use super::tree::Transform;
use super::world::World;
use crate::error::{Error, Result};
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
    let mut bounding_box = WorldBounds { remaining: TRANSFORMED, boxes: vec![None; tree.surfaces.len()] };
    let (mut bodies, mut bounds) = (Vec::with_capacity(tree.shapes.len()), None);
    for shape in &tree.shapes {
        let frame = shape.transform.map_or(DAffine3::IDENTITY, |transform| frames[transform]);
        let (vertices, triangles) = match (&tree.surfaces[shape.surface], &shown[shape.surface]) {
            (VrmlGeometry::Mesh { vertices, triangles }, _) => (vertices, triangles),
            (VrmlGeometry::Round { .. }, Some((vertices, triangles))) => (vertices, triangles),
            (VrmlGeometry::Round { .. }, None) => continue,
        };
        let [lo, hi] = bounding_box.mesh(shape.surface, (vertices, triangles), &frame);
        if !(lo.is_finite() && hi.is_finite()) {
            return Err(graph.error(shape.spot, "it lies beyond all finite numbers"));
        }
        bounds = Some(bounds.map_or([lo, hi], |[l, h]: [DVec3; 2]| [lo.min(l), hi.max(h)]));
        bodies.push(BodyInfo {
            name: shape.name.clone(),
            triangles: triangles.len(),
            shape: None,
            mass: None,
        });
    }
    let mut warnings = tree.warnings.list();
    // Errors that a check would report are warnings here.
    warnings.extend(tree.refused.iter().take(100).map(ToString::to_string));
    if bodies.is_empty() {
        warnings.push(Error::file(path, "the world has no triangles").to_string());
    }
    if bounding_box.remaining == 0 {
        warnings.push("the bounds are those of boxes around the shapes: there are too many vertices".into());
    }
    Ok(SceneInfo {
        bodies,
        joints: vec![],
        animations: vec![],
        bounds,
        terms: None,
        releases: vec![],
        robot: None,
        warnings,
    })
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

/// Bounding boxes of surfaces in the world frame.
struct WorldBounds {
    /// Number of vertices that may still be transformed one by one.
    remaining: usize,
    /// The bounding boxes of surfaces in their own frames.
    boxes: Vec<Option<[DVec3; 2]>>,
}

impl WorldBounds {
    fn mesh(
        &mut self,
        number: usize,
        (vertices, triangles): (&[DVec3], &[[u32; 3]]),
        frame: &DAffine3,
    ) -> [DVec3; 2] {
        let corners = || triangles.iter().flatten().map(|corner| vertices[*corner as usize]);
        let count = 3 * triangles.len();
        if self.remaining >= count {
            self.remaining -= count;
            return bounding_box(corners().map(|corner| frame.transform_point3(corner)));
        }
        self.remaining = 0;
        let [lo, hi] = *self.boxes[number].get_or_insert_with(|| bounding_box(corners()));
        let corner = |i: usize| {
            let pick = |bit: usize, lo: f64, hi: f64| if i & bit > 0 { hi } else { lo };
            DVec3::new(pick(1, lo.x, hi.x), pick(2, lo.y, hi.y), pick(4, lo.z, hi.z))
        };
        bounding_box((0..8).map(|i| frame.transform_point3(corner(i))))
    }
}

fn bounding_box(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    points.fold(start, |[lo, hi], point| [lo.min(point), hi.max(point)])
}
