//! Two features whose vertices move at constant velocity along straight lines.

use glam::DVec3;

use crate::features::contact::FirstContact;

/// The kind of two features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovingKind {
    /// A vertex, then the three corners of a face.
    VertexFace,
    /// The two ends of an edge, then the two ends of another edge.
    EdgeEdge,
}

/// Two features whose four vertices move at constant velocity along straight lines, each from its position at t = 0
/// to its position at t = 1, in metres. A face or edge that degenerates in between counts as the segment or point it
/// has become.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingFeatures {
    /// The kind of the features.
    pub kind: MovingKind,
    /// Positions at t = 0.
    pub start: [DVec3; 4],
    /// Positions at t = 1.
    pub end: [DVec3; 4],
}

/// When two moving features first come within a distance. If the budget does not suffice, it is undecided, and they are
/// further apart from 0 up to the given time.
pub type FeatureMeeting = FirstContact<FeatureContact>;

/// The first contact of two moving features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureContact {
    /// Enclosure of the first time, within [0, 1], no wider than 1e-9; [0, 0] if they are within the distance at the
    /// start.
    pub time: [f64; 2],
    /// Weights of the nearest points then. Vertex P and face ABC: P and (1 - u - v) A + u B + v C. Edges AB and CD:
    /// (1 - u) A + u B and (1 - v) C + v D.
    pub weights: [f64; 2],
    /// The point on the second feature, in metres.
    pub point: DVec3,
    /// Unit vector from the first to the second feature as they approach; arbitrary if there is no such direction.
    pub normal: DVec3,
    /// Whether they may only touch; `false` if they are proven to pass through each other.
    pub touching: bool,
}

impl MovingFeatures {
    /// The differences of two vertices at both ends.
    pub(in crate::deformable) fn difference(&self, from: usize, to: usize) -> [DVec3; 2] {
        [self.start[to] - self.start[from], self.end[to] - self.end[from]]
    }
}
