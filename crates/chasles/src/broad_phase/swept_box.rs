//! Boxes that bound bodies over intervals of time, and their overlap.
//!
//! Time is a fourth axis, the first of the four: a swept box is a box in space and time, and two bodies are
//! candidates while their boxes overlap. Boxes and intervals are closed: boxes that only touch overlap.

use std::borrow::Cow;

use glam::DVec3;
use rayon::prelude::*;

/// A bound of a body over an interval of time: from `start` to `end` the body is inside the box. A body has one or
/// several swept boxes, which may overlap in time.
///
/// Bounds may be infinite. A NaN bound counts as infinite. A box with `end` before `start`, or `max` below `min`, is
/// empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweptBox {
    /// The number of the body.
    pub body: u32,
    /// Start of the interval of time, in seconds or in any unit common to all boxes.
    pub start: f64,
    /// End of the interval, in the same unit.
    pub end: f64,
    /// The lower corner of the box, in metres, in the world.
    pub min: DVec3,
    /// The upper corner of the box, in metres, in the world.
    pub max: DVec3,
}

/// Two bodies that may collide during an interval of time: at each time of the interval, boxes of both overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CandidatePair {
    /// The two bodies, the lower number first.
    pub bodies: [u32; 2],
    /// Start of the interval of time.
    pub start: f64,
    /// End of the interval; at `start` or later.
    pub end: f64,
}

/// Decides whether a pair of bodies is tested, lower number first.
pub(crate) type IsTested<'a> = &'a (dyn Fn(u32, u32) -> bool + Sync);

/// Number of axes: time and the three of space.
pub(crate) const AXES: usize = 4;

impl SweptBox {
    /// The lower bounds, time first.
    #[inline(always)]
    pub(crate) fn lower(&self) -> [f64; AXES] {
        [self.start, self.min.x, self.min.y, self.min.z]
    }

    /// The upper bounds, time first.
    #[inline(always)]
    pub(crate) fn upper(&self) -> [f64; AXES] {
        [self.end, self.max.x, self.max.y, self.max.z]
    }

    /// The interval during which the boxes of two bodies overlap.
    #[inline]
    pub(crate) fn common(&self, other: &Self) -> Option<CandidatePair> {
        let time = self.start <= other.end && other.start <= self.end;
        let overlap = time
            && self.body != other.body
            && self.min.cmple(other.max).all()
            && other.min.cmple(self.max).all();
        overlap.then(|| CandidatePair {
            bodies: [self.body.min(other.body), self.body.max(other.body)],
            // `max` may return either 0 or -0: adding 0 makes it 0.
            start: self.start.max(other.start) + 0.0,
            end: self.end.min(other.end) + 0.0,
        })
    }

    /// [`Self::common`], if the pair is tested.
    #[inline]
    pub(crate) fn candidate(&self, other: &Self, is_tested: IsTested<'_>) -> Option<CandidatePair> {
        self.common(other).filter(|c| is_tested(c.bodies[0], c.bodies[1]))
    }

    /// The centre, time first; finite for all bounds.
    #[inline]
    pub(crate) fn centre(&self) -> [f64; AXES] {
        centre(&self.lower(), &self.upper())
    }

    fn is_empty(&self) -> bool {
        !(self.start <= self.end && self.min.cmple(self.max).all())
    }
}

/// Far outside all coordinates, but so small that sums of many stay finite.
const FAR: f64 = 1e290;

/// The centre of bounds clamped to [-1e290, 1e290], for sorting.
#[inline]
pub(crate) fn centre(lower: &[f64; AXES], upper: &[f64; AXES]) -> [f64; AXES] {
    let clamped = |x: f64| x.clamp(-FAR, FAR);
    std::array::from_fn(|axis| 0.5 * (clamped(lower[axis]) + clamped(upper[axis])))
}

/// All pairs of boxes, unordered: slow and obviously correct. Tests compare the other searches with it.
pub(crate) fn all_pairs(boxes: &[SweptBox], is_tested: IsTested<'_>) -> Vec<CandidatePair> {
    let pairs = boxes.iter().enumerate().flat_map(|(i, a)| boxes[i + 1..].iter().map(move |b| (a, b)));
    pairs.filter_map(|(a, b)| a.candidate(b, is_tested)).collect()
}

/// The sorted candidates of a search that takes the boxes sorted by body and start.
pub(crate) fn candidates_by(
    boxes: &[SweptBox],
    is_tested: IsTested<'_>,
    search: impl FnOnce(&[SweptBox], IsTested<'_>) -> Vec<CandidatePair>,
) -> Vec<CandidatePair> {
    let boxes = &*sorted_boxes(boxes);
    // The search numbers boxes with 32 bits; more boxes would not fit into memory on most machines.
    let is_numbered = u32::try_from(boxes.len()).is_ok();
    merged(match boxes.len() {
        0 | 1 => Vec::new(),
        _ if is_numbered => search(boxes, is_tested),
        _ => all_pairs(boxes, is_tested),
    })
}

/// The boxes sorted by body, then by start, without empty boxes. Boxes that are sorted already are not copied.
fn sorted_boxes(boxes: &[SweptBox]) -> Cow<'_, [SweptBox]> {
    let before = |x: &SweptBox, y: &SweptBox| x.body.cmp(&y.body).then(x.start.total_cmp(&y.start));
    let fine = |pair: &[SweptBox]| !pair[1].is_empty() && before(&pair[0], &pair[1]).is_le();
    if boxes.first().is_none_or(|first| !first.is_empty()) && boxes.windows(2).all(fine) {
        return Cow::Borrowed(boxes);
    }
    let or = |x: f64, instead: f64| if x.is_nan() { instead } else { x };
    let all = |v: DVec3, instead: f64| DVec3::from_array(v.to_array().map(|x| or(x, instead)));
    let bounded = boxes.iter().map(|b| SweptBox {
        body: b.body,
        start: or(b.start, f64::NEG_INFINITY),
        end: or(b.end, f64::INFINITY),
        min: all(b.min, f64::NEG_INFINITY),
        max: all(b.max, f64::INFINITY),
    });
    let mut sorted: Vec<SweptBox> = bounded.filter(|b| !b.is_empty()).collect();
    sorted.par_sort_by(before);
    Cow::Owned(sorted)
}

/// The candidates sorted by bodies and start; overlapping or adjoining intervals of a pair are merged.
fn merged(mut found: Vec<CandidatePair>) -> Vec<CandidatePair> {
    found.par_sort_unstable_by(|x, y| x.bodies.cmp(&y.bodies).then(x.start.total_cmp(&y.start)));
    found.dedup_by(|next, kept| {
        let joins = next.bodies == kept.bodies && next.start <= kept.end;
        if joins {
            kept.end = kept.end.max(next.end);
        }
        joins
    });
    found
}

/// Maximum number of boxes that are sampled for the typical extent.
const SAMPLE: usize = 256;

/// The median extent along each axis, from an even sample of the boxes: one giant box among thousands does not
/// change it.
pub(crate) fn typical_extent(boxes: &[SweptBox]) -> [f64; AXES] {
    let sample: Vec<_> = boxes.iter().step_by(boxes.len().div_ceil(SAMPLE).max(1)).collect();
    std::array::from_fn(|axis| {
        let mut extents: Vec<f64> = sample.iter().map(|b| b.upper()[axis] - b.lower()[axis]).collect();
        let middle = extents.len() / 2;
        if extents.is_empty() { 0.0 } else { *extents.select_nth_unstable_by(middle, f64::total_cmp).1 }
    })
}

/// The axis with the largest mean deviation of the places from their mean, in units of a typical extent, from an
/// even sample.
pub(crate) fn widest_axis<'a>(
    places: impl ExactSizeIterator<Item = &'a [f64; AXES]> + Clone,
    typical: &[f64; AXES],
) -> usize {
    let sample = places.clone().step_by(places.len().div_ceil(SAMPLE).max(1));
    let count = sample.len().max(1) as f64;
    let spread: [f64; AXES] = std::array::from_fn(|axis| {
        let mean = sample.clone().map(|place| place[axis]).sum::<f64>() / count;
        let away: f64 = sample.clone().map(|place| (place[axis] - mean).abs()).sum();
        // An axis without spread cannot separate places, however thin the boxes are.
        if away > 0.0 { away / typical[axis] } else { -1.0 }
    });
    // The first axis among equals, so that the choice is deterministic.
    (0..AXES).rev().max_by(|i, j| spread[*i].total_cmp(&spread[*j])).unwrap_or(0)
}
