//! Broad phases as published, beside the method that scenes use: all find the same candidates.

use crate::broad_phase;
use crate::broad_phase::swept_box::{CandidatePair, SweptBox, all_pairs, candidates_by};
use crate::papers::{grid, octree, sweep};

/// A method to find overlapping boxes. All methods give the same result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BroadPhase {
    /// A hierarchy of boxes of space and time, built and searched in parallel: the fastest.
    #[default]
    Bvh,
    /// Sort and sweep along the axis of largest spread, in parallel.
    Sweep,
    /// A uniform grid with cells of the average extent of the boxes (Sinjur, 4.2).
    Grid,
    /// An octree of the centres of the boxes, inserted in scrambled order (Moore and Wilhelms).
    Octree,
    /// All pairs (the raw method of Sinjur, 4.1).
    BruteForce,
}

impl BroadPhase {
    /// All methods, the default first.
    pub const ALL: [Self; 5] = [Self::Bvh, Self::Sweep, Self::Grid, Self::Octree, Self::BruteForce];

    /// The method's name, for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Sweep => "sweep",
            Self::Grid => "grid",
            Self::Octree => "octree",
            Self::BruteForce => "brute-force",
        }
    }
}

/// As [`broad_phase::candidates`], by a given method.
#[must_use]
pub fn candidates(
    boxes: &[SweptBox],
    is_tested: &(dyn Fn(u32, u32) -> bool + Sync),
    method: BroadPhase,
) -> Vec<CandidatePair> {
    match method {
        BroadPhase::Bvh => broad_phase::candidates(boxes, is_tested),
        BroadPhase::Sweep => candidates_by(boxes, is_tested, sweep::search),
        BroadPhase::Grid => candidates_by(boxes, is_tested, grid::search),
        BroadPhase::Octree => candidates_by(boxes, is_tested, octree::search),
        BroadPhase::BruteForce => candidates_by(boxes, is_tested, all_pairs),
    }
}
