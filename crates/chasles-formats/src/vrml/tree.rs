//! The tree of a world's transforms, with its shapes.

use std::sync::Arc;

use glam::DVec3;

use super::animation::Motion;
use super::graph::NodeInstance;
use super::surface::form::VrmlGeometry;
use crate::error::{Error, Warnings};

/// The tree of a world. Parents come before their children.
#[derive(Debug, Default)]
pub(super) struct WorldTree {
    pub(super) transforms: Vec<Transform>,
    pub(super) shapes: Vec<VrmlShape>,
    /// Surfaces, shared by shapes.
    pub(super) surfaces: Vec<VrmlGeometry>,
    /// The fields that paths can move.
    pub(super) handles: Vec<Handle>,
    /// Errors that prevent a check, but not the display.
    pub(super) refused: Vec<Error>,
    pub(super) warnings: Warnings,
}

/// A `Transform`: x -> T C R O S -O -C x, with the orientation O of the scale.
#[derive(Debug, Clone)]
pub(super) struct Transform {
    pub(super) parent: Option<usize>,
    pub(super) translation: DVec3,
    pub(super) center: DVec3,
    /// Unit axis and angle; the axis is z if the file has none.
    pub(super) rotation: (DVec3, f64),
    pub(super) scale: DVec3,
    pub(super) scale_orientation: (DVec3, f64),
    /// The motion by the file's own clocks.
    pub(super) motion: Motion,
    /// The handles of its translation and rotation.
    pub(super) handles: [Option<usize>; 2],
    /// For messages.
    pub(super) instance: NodeInstance,
}

/// A `VrmlShape` that has triangles.
#[derive(Debug, Clone)]
pub(super) struct VrmlShape {
    pub(super) name: String,
    pub(super) transform: Option<usize>,
    pub(super) surface: usize,
    pub(super) collides: bool,
    /// The colour of its material, if there is one.
    pub(super) colour: Option<[u8; 3]>,
    pub(super) instance: NodeInstance,
}

/// The `translation` or `rotation` of a named node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Handle {
    pub(super) name: Arc<str>,
    /// The names from the root down to the node, joined by `/`.
    pub(super) path: String,
    pub(super) part: MovingField,
}

/// The moving field of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MovingField {
    Translation,
    Rotation,
}
