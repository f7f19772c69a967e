//! Nodes of trees, and points that provably belong to a body.

use glam::DVec3;

use crate::sets::program::region::Region;
use crate::sets::volume::SweptVolume;

/// A convex volume that contains a part of a body.
#[derive(Debug, Clone)]
pub(crate) struct TreeNode {
    pub(crate) volume: SweptVolume,
    /// About how far the volume extends beyond the body, in metres; 0 if opening the node would not improve this.
    pub(crate) error: f64,
    /// About how large the volume is, in metres.
    pub(crate) size: f64,
    pub(crate) children: Children,
}

impl TreeNode {
    /// The node of a part of a solid in a box.
    pub(crate) fn new(volume: SweptVolume, error: f64, region: &Region, children: Children) -> Self {
        Self { volume, error, size: 2.0 * region.half.length(), children }
    }
}

/// The children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Children {
    /// No children: the volume equals the body there.
    Exact,
    /// No children: the volume equals the body up to rounding, if the body has any point there.
    Unproven,
    Unopened,
    /// Node numbers: from the first to before the second.
    Known(u32, u32),
}

/// A point of a body, proven up to rounding. All points within `depth` metres also belong to the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ProvenPoint {
    pub(crate) point: DVec3,
    pub(crate) depth: f64,
}
