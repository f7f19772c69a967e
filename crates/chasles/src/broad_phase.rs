//! The broad phase: pairs of bodies that may collide, and when, found from bounds alone.
//!
//! [`SweptBox`]es bound moving bodies, each over an interval of time. [`candidates`] finds the pairs whose boxes
//! overlap in space and time, by a hierarchy of space-time boxes that is built and searched in parallel. Its slow
//! twin compares all pairs. Other published methods are in [`papers`](crate::papers::methods).
//!
//! Start with `swept_box`.

use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) mod swept_box;
pub(crate) mod eight;
mod leaf;
mod hierarchy;

pub use swept_box::{CandidatePair, SweptBox};

/// The pairs of bodies that may collide, and when: the pairs whose boxes overlap. Boxes and intervals of time are
/// closed.
///
/// The result is sorted by bodies, then by start; intervals of one pair that overlap or adjoin are merged. The
/// boxes may be in any order; if they are sorted by body and start, they are not copied. `is_tested` decides whether a
/// pair, lower number first, is tested at all. It is called only for pairs whose boxes overlap, in any order, from
/// any thread, perhaps several times.
///
/// Guarantee: if two bodies stay within their boxes and have a point in common at some time, the result contains
/// their pair at that time. The result is the same to the last bit for any number of threads. The work runs on the
/// current rayon pool.
///
/// # Example
/// ```
/// use chasles::broad_phase::{SweptBox, candidates};
/// use glam::DVec3;
///
/// let at = |body, start: f64, x: f64| SweptBox {
///     body, start, end: start + 1.0, min: DVec3::new(x, 0.0, 0.0), max: DVec3::new(x + 1.0, 1.0, 1.0),
/// };
/// // One passes by another, which is static.
/// let boxes = [at(0, 0.0, 0.0), at(0, 1.0, 2.0), at(0, 2.0, 4.0), at(1, 0.0, 2.5), at(1, 1.0, 2.5), at(1, 2.0, 2.5)];
/// let found = candidates(&boxes, &|_, _| true);
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].bodies, found[0].start, found[0].end), ([0, 1], 1.0, 2.0));
/// ```
#[must_use]
pub fn candidates(boxes: &[SweptBox], is_tested: &(dyn Fn(u32, u32) -> bool + Sync)) -> Vec<CandidatePair> {
    swept_box::candidates_by(boxes, is_tested, hierarchy::search)
}

/// Like [`candidates`]; `None` if there are more than `most` candidates. Pairs that `is_tested` refuses do not count.
pub(crate) fn few_candidates(
    boxes: &[SweptBox],
    is_tested: &(dyn Fn(u32, u32) -> bool + Sync),
    most: usize,
) -> Option<Vec<CandidatePair>> {
    let count = AtomicUsize::new(0);
    let counted = |a: u32, b: u32| is_tested(a, b) && count.fetch_add(1, Ordering::Relaxed) < most;
    let is_over = || count.load(Ordering::Relaxed) > most;
    let found = swept_box::candidates_by(boxes, &counted, |boxes, is_tested| {
        hierarchy::search_until(boxes, is_tested, &is_over)
    });
    (!is_over()).then_some(found)
}
