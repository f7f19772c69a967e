//! Events: time and kind of a meeting of two features.

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

/// The kind of a meeting of two features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// The features pass through each other: the surfaces provably cross.
    Crossing,
    /// The features come within the tolerance, but a crossing is not proven.
    Touching,
    /// The features come so close that, because of rounding, it is undecided whether they are within the tolerance.
    Undecided,
}

impl EventKind {
    /// The representative time of an enclosure: the middle for a crossing, otherwise the end.
    pub(crate) fn representative_time(self, [lo, hi]: [f64; 2]) -> f64 {
        if self == Self::Crossing { 0.5 * (lo + hi) } else { hi }
    }
}

/// A meeting of two features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FeatureEvent {
    /// The features.
    pub(crate) pair: FeaturePair,
    /// The kind of the meeting.
    pub(crate) kind: EventKind,
    /// Before this time the features are proven separated: for a touch by more than the tolerance, for a crossing
    /// by more than 0.
    pub(crate) lo: f64,
    /// At this time the event has happened. For a touch, the gap has fallen to its minimum, within a factor of 8.
    pub(crate) hi: f64,
    /// For a touch: until this time the gap is proven larger than the rounding of a zero gap; infinite if it always is.
    /// For a crossing, `lo`.
    pub(crate) positive_gap_until: f64,
    /// For a touch: a crossing up to this time is the same event, with a narrower enclosure. For a crossing, `hi`.
    pub(crate) same_event_until: f64,
    /// The latest time at which the features may start to pass through each other; minus infinity for a touch in
    /// which they do not.
    pub(crate) crosses_by: f64,
    /// For a touch, enclosure of the time at which the gap exceeds the tolerance again. For a crossing, [lo, hi].
    pub(crate) end: [f64; 2],
    /// Whether the features have been within the tolerance since t = 0.
    pub(crate) since_start: bool,
}

impl FeatureEvent {
    /// The order by time, then by features: total, so that sorting is deterministic.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        self.hi.total_cmp(&other.hi).then(self.lo.total_cmp(&other.lo)).then(self.pair.cmp(&other.pair))
    }

    /// The representative time of the event.
    pub(crate) fn representative_time(&self) -> f64 {
        self.kind.representative_time([self.lo, self.hi])
    }

    /// Whether the features pass through each other.
    pub(crate) fn crosses(&self) -> bool {
        self.kind == EventKind::Crossing
    }
}
