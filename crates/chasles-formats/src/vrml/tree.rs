//! The tree of transforms of a world, with shapes on it.

use std::sync::Arc;

use glam::DVec3;

use super::animation::Motion;
use super::graph::Spot;
use super::surface::form::VrmlGeometry;
use crate::error::Error;
use crate::gltf::fault::GltfWarnings;

/// The tree of a world. Parents come before what is in them.
#[derive(Debug, Default)]
pub(super) struct WorldTree {
    pub(super) transforms: Vec<Transform>,
    pub(super) shapes: Vec<VrmlShape>,
    /// Shapes share them.
    pub(super) surfaces: Vec<VrmlGeometry>,
    /// What paths can move.
    pub(super) handles: Vec<Handle>,
    /// What cannot be checked, though it can be looked at.
    pub(super) refused: Vec<Error>,
    pub(super) warnings: GltfWarnings,
}

/// A `Transform`: x -> T C R O S -O -C x, with the orientation O of the scale.
#[derive(Debug, Clone)]
pub(super) struct Transform {
    pub(super) parent: Option<usize>,
    pub(super) translation: DVec3,
    pub(super) center: DVec3,
    /// Unit axis and angle; the axis is z where the file has none.
    pub(super) rotation: (DVec3, f64),
    pub(super) scale: DVec3,
    pub(super) scale_orientation: (DVec3, f64),
    /// What moves it by the file's own clocks.
    pub(super) motion: Motion,
    /// The handles of its translation and rotation.
    pub(super) handles: [Option<usize>; 2],
    /// For messages.
    pub(super) spot: Spot,
}

/// A `VrmlShape` that has triangles.
#[derive(Debug, Clone)]
pub(super) struct VrmlShape {
    pub(super) name: String,
    pub(super) transform: Option<usize>,
    pub(super) surface: usize,
    pub(super) collides: bool,
    /// That of its material, if it has one.
    pub(super) colour: Option<[u8; 3]>,
    pub(super) spot: Spot,
}

/// The `translation` or `rotation` of a node with a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Handle {
    pub(super) name: Arc<str>,
    /// The names from the root down to it, joined by `/`.
    pub(super) path: String,
    pub(super) part: MovingField,
}

/// What of a transform moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MovingField {
    Translation,
    Rotation,
}
