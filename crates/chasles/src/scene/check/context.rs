//! The options of a check, and the results of the search for contacts of one pair.

use crate::pair::shape::CollisionShape;
use crate::scene::Scene;
use crate::scene::closed_surfaces::ClosedSurfaces;
use crate::scene::report::{CheckOptions, Containment, PairUndecidedReason, SceneInterval};
use crate::trajectory::watch::{EarliestContact, ProgressMonitor};

/// The options of a check, and the data for queries about pairs.
pub(crate) struct CheckContext<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) closed_surfaces: &'a ClosedSurfaces<'a>,
    /// The points of each body, if only points are tested.
    pub(crate) points: Option<&'a [Option<CollisionShape>]>,
    pub(crate) options: &'a CheckOptions,
    pub(crate) watch: &'a dyn ProgressMonitor,
    /// The earliest contact of all pairs, if only this is required.
    pub(crate) earliest: Option<&'a EarliestContact>,
}

impl CheckContext<'_> {
    /// Why a search ran out of steps: it was stopped, or its budget was used up.
    pub(crate) fn spent_reason(&self) -> PairUndecidedReason {
        if self.watch.is_over() { PairUndecidedReason::Stopped } else { PairUndecidedReason::Budget }
    }
}

/// The intervals in which a pair touches, or in which it is as close as the clearance.
pub(crate) struct FoundIntervals {
    pub(crate) intervals: Vec<SceneInterval>,
    /// Intervals, in seconds, in which this is undecided.
    pub(crate) undecided: Vec<[f64; 2]>,
    /// Why there are undecided intervals, or why an enclosure is wide.
    pub(crate) reason: Option<PairUndecidedReason>,
    /// As [`PairReport::deviation`](crate::PairReport::deviation).
    pub(crate) deviation: f64,
}

/// The contacts of a pair.
pub(crate) struct FoundContacts {
    pub(crate) found: FoundIntervals,
    /// Whether the bodies intersect at the start more deeply than the tolerance.
    pub(crate) overlaps: bool,
    /// The body, if any, that is inside the other, a hollow body, without contact.
    pub(crate) inside: Vec<Containment>,
}
