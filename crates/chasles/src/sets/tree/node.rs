//! Nodes of trees, and points that are certainly of a body.

use glam::DVec3;

use crate::sets::volume::SweptVolume;

/// A convex volume that holds a part of a body.
#[derive(Debug, Clone)]
pub(crate) struct TreeNode {
    pub(crate) volume: SweptVolume,
    /// About how far the volume reaches beyond the body, in metres; 0 where nothing below it tells more.
    pub(crate) error: f64,
    /// About how large the volume is, in metres.
    pub(crate) size: f64,
    pub(crate) children: Children,
}

/// The nodes below a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Children {
    /// There are none: the volume is the body.
    Exact,
    /// There are none: the volume is the body up to roundings, if the body has any point there.
    Unproven,
    Unopened,
    /// From this number to before that one.
    Known(u32, u32),
}

/// A point that is certainly of a body, up to a rounding, and a radius within which all points are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ProvenPoint {
    pub(crate) point: DVec3,
    pub(crate) depth: f64,
}
