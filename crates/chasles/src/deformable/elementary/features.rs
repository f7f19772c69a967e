//! Two features whose vertices move evenly along straight lines.

use glam::DVec3;

/// Which two features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovingKind {
    /// A vertex, then the three corners of a face.
    VertexFace,
    /// The two ends of an edge, then those of another.
    EdgeEdge,
}

/// Two features whose four vertices move evenly along straight lines, each from its place at t = 0 to that at t = 1, in
/// metres. A face or an edge that loses its extent on the way is then the segment or point it has become.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingFeatures {
    /// Which features the vertices are.
    pub kind: MovingKind,
    /// At t = 0.
    pub begin: [DVec3; 4],
    /// At t = 1.
    pub end: [DVec3; 4],
}

/// What is told of two moving features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FeatureMeeting {
    /// They are never within the distance: proven.
    Clear,
    /// They come within the distance: proven.
    Contact(FeatureContact),
    /// The budget did not suffice; they are further apart until this time.
    Undecided {
        /// Proven clear from 0 up to here.
        clear_until: f64,
    },
}

/// Where two moving features first come within a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureContact {
    /// Enclosure of the first time, within [0, 1], no wider than 1e-9; [0, 0] where they are within the distance at the start.
    pub time: [f64; 2],
    /// The nearest points then. Vertex and face PABC: P and (1 - u - v) A + u B + v C. Edges AB and CD: (1 - u) A + u B
    /// and (1 - v) C + v D.
    pub weights: [f64; 2],
    /// The point on the second feature, in metres.
    pub point: DVec3,
    /// Unit vector from the first to the second feature as they come together; any where there is no such direction.
    pub normal: DVec3,
    /// Whether they may only touch; false where they are proven to pass through each other.
    pub touching: bool,
}

impl MovingFeatures {
    /// The differences of two vertices at both ends.
    pub(in crate::deformable) fn difference(&self, from: usize, to: usize) -> [DVec3; 2] {
        [self.begin[to] - self.begin[from], self.end[to] - self.end[from]]
    }
}
