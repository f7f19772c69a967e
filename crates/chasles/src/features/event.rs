//! Events: when and how two features meet.

use std::cmp::Ordering;

/// Two features of two meshes, by their numbers in the meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FeaturePair {
    /// A vertex of A and a face of B.
    VertexFace {
        /// Vertex of A.
        vertex: u32,
        /// Triangle of B.
        face: u32,
    },
    /// A face of A and a vertex of B.
    FaceVertex {
        /// Triangle of A.
        face: u32,
        /// Vertex of B.
        vertex: u32,
    },
    /// An edge of A and an edge of B, by their numbers.
    EdgeEdge {
        /// Edge of A.
        a: u32,
        /// Edge of B.
        b: u32,
    },
}

/// How two features meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// They pass through each other: the surfaces provably cross.
    Crossing,
    /// They come within the tolerance, and no crossing is proven.
    Touching,
    /// They come so close that rounding does not let one tell whether it is within the tolerance.
    Undecided,
}

impl EventKind {
    /// The time that stands for a meeting within an enclosure: the middle where they cross, else the end.
    pub(crate) fn moment(self, [lo, hi]: [f64; 2]) -> f64 {
        if self == Self::Crossing { 0.5 * (lo + hi) } else { hi }
    }
}

/// That two features meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FeatureEvent {
    /// The features.
    pub(crate) pair: FeaturePair,
    /// How they meet.
    pub(crate) meeting: EventKind,
    /// Before this they are proven apart: in a touch by more than the tolerance, in a crossing by more than 0.
    pub(crate) lo: f64,
    /// By this time they have met. In a touch the gap has by then fallen to its least value, within a factor of 8.
    pub(crate) hi: f64,
    /// In a touch: until this time the gap is proven larger than rounding can make of a zero gap; infinite where that
    /// holds throughout. In a crossing `lo`.
    pub(crate) free: f64,
    /// In a touch, a crossing that follows up to this time is the touch itself, seen sharply. In a crossing `hi`.
    pub(crate) lasts: f64,
    /// The latest time at which the features may begin to pass through each other; minus infinity for a touch in which
    /// they do not.
    pub(crate) passes: f64,
    /// In a touch, enclosure of the time at which the gap has risen above the tolerance again. In a crossing [lo, hi].
    pub(crate) end: [f64; 2],
    /// Whether they have been within the tolerance since t = 0.
    pub(crate) since_start: bool,
}

impl FeatureEvent {
    /// The order by time, then features: total, so that a sort has one result.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        self.hi.total_cmp(&other.hi).then(self.lo.total_cmp(&other.lo)).then(self.pair.cmp(&other.pair))
    }

    /// The time that stands for it.
    pub(crate) fn moment(&self) -> f64 {
        self.meeting.moment([self.lo, self.hi])
    }

    /// Whether the features pass through each other.
    pub(crate) fn crosses(&self) -> bool {
        self.meeting == EventKind::Crossing
    }
}
