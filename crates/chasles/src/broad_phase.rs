//! Which bodies can meet at all, and when: from bounds, before anything is looked at closely.
//!
//! Bodies in motion are bounded by [`SweptBox`]es, each holding for a span of time. [`candidates`] finds the pairs whose
//! boxes overlap in space and time, by any of five methods that all give the same answer. Bodies that stand are found by the
//! triangle, in a [`TriangleGrid`](triangle_grid::TriangleGrid).

mod swept_box;
mod brute_force;
mod eight;
mod sweep;
mod cells;
mod grid;
mod octree;
mod run;
mod hierarchy;
pub mod triangle_grid;
#[cfg(test)]
mod tests;

pub use swept_box::{Candidate, SweptBox};

/// How overlapping boxes are found. All methods find the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BroadPhase {
    /// A hierarchy of boxes of space and time, built and searched in parallel: the fastest.
    #[default]
    Bvh,
    /// Sort and sweep along the axis of greatest spread, in parallel.
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

    /// The method's name, as a user writes it.
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

/// The pairs of bodies that may meet, and when: those of which boxes overlap, closed boxes during closed spans of time.
///
/// Sorted by bodies, then begin; spans of one pair that overlap or adjoin are one. The boxes may come in any order; that by body and
/// begin saves a copy. `wanted` says whether a pair, lower number first, is tested at all; it is asked, in any order, from any
/// thread and perhaps several times, only for pairs whose boxes overlap.
///
/// Guarantee: no pair of bodies that are within their boxes, and have a point in common at some time, is missing at that time. The answer is the
/// same to the last bit from every method and for any number of threads. The work is spread over the current rayon pool, but for
/// that of [`BroadPhase::BruteForce`].
///
/// # Example
/// ```
/// use chasles::broad_phase::{BroadPhase, SweptBox, candidates};
/// use glam::DVec3;
///
/// let at = |body, begin: f64, x: f64| SweptBox {
///     body, begin, end: begin + 1.0, min: DVec3::new(x, 0.0, 0.0), max: DVec3::new(x + 1.0, 1.0, 1.0),
/// };
/// // One passes by another, which stands.
/// let boxes = [at(0, 0.0, 0.0), at(0, 1.0, 2.0), at(0, 2.0, 4.0), at(1, 0.0, 2.5), at(1, 1.0, 2.5), at(1, 2.0, 2.5)];
/// let found = candidates(&boxes, &|_, _| true, BroadPhase::default());
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].bodies, found[0].begin, found[0].end), ([0, 1], 1.0, 2.0));
/// ```
#[must_use]
pub fn candidates(
    boxes: &[SweptBox],
    wanted: &(dyn Fn(u32, u32) -> bool + Sync),
    method: BroadPhase,
) -> Vec<Candidate> {
    let boxes = &*swept_box::in_order(boxes);
    // What the others number with 32 bits would not fit into memory as boxes either, on most machines.
    let numbered = u32::try_from(boxes.len()).is_ok();
    swept_box::merged(match method {
        BroadPhase::BruteForce => brute_force::search(boxes, wanted),
        _ if boxes.len() < 2 => Vec::new(),
        BroadPhase::Sweep => sweep::search(boxes, wanted),
        _ if !numbered => sweep::search(boxes, wanted),
        BroadPhase::Bvh => hierarchy::search(boxes, wanted),
        BroadPhase::Grid => grid::search(boxes, wanted),
        BroadPhase::Octree => octree::search(boxes, wanted),
    })
}
