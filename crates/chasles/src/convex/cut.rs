//! The part of a segment inside a hull: Cyrus-Beck clipping by one facet after the other, with exact signs.
//!
//! If the segment crosses the planes of several facets at nearly the same point, quotients of whole numbers decide
//! their order.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use crate::convex::hull::Hull;
use crate::convex::sides::{Height, height, quotient, side, whole_height};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::whole::WholeUnit;

/// The intersection of a segment and a closed hull.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SegmentInHull {
    /// Empty.
    Nothing,
    /// A point or a part on the surface, between two fractions of the segment.
    Surface([f64; 2]),
    /// A part whose interior is strictly inside the hull.
    Inside([f64; 2]),
}

impl SegmentInHull {
    /// The intersection as fractions of the segment, `None` if it is empty.
    pub(crate) fn fractions(self) -> Option<[f64; 2]> {
        match self {
            Self::Nothing => None,
            Self::Surface(fractions) | Self::Inside(fractions) => Some(fractions),
        }
    }
}

/// The point where a plane cuts the segment, as far as doubles decide: the true fraction is between `lo` and `hi`.
#[derive(Debug, Clone, Copy)]
struct SegmentPlaneCut {
    facet: usize,
    lo: f64,
    hi: f64,
}

/// A fraction of the segment as a quotient; the divisor is positive.
struct Fraction {
    number: BigInt,
    by: BigInt,
}

impl Fraction {
    fn compared(&self, other: &Self) -> Ordering {
        (&self.number * &other.by).cmp(&(&other.number * &self.by))
    }
}

/// The crossing that bounds the part at one of its ends.
struct Limit {
    crossing: SegmentPlaneCut,
    exact: Option<Fraction>,
}

/// The part of a segment inside a hull. `last` is the facet to test first; it is set to a facet that separates the
/// two, if one is found.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn cut(
    hull: &Hull,
    segment: &[DVec3; 2],
    last: &mut usize,
    budget: &mut Budget<'_>,
) -> Result<SegmentInHull, OutOfBudget> {
    let (mut entering, mut leaving) = (Vec::new(), Vec::new());
    let (mut is_inside, mut starts_at_end, mut ends_at_start) = (true, false, false);
    for facet in hull.facets_from(*last) {
        budget.step()?;
        let corners = hull.corners(facet);
        match segment.map(|p| side(&corners, p)) {
            [Ordering::Greater, Ordering::Greater] => {
                *last = facet;
                return Ok(SegmentInHull::Nothing);
            }
            [Ordering::Greater, Ordering::Equal] => (is_inside, starts_at_end) = (false, true),
            [Ordering::Equal, Ordering::Greater] => (is_inside, ends_at_start) = (false, true),
            [Ordering::Equal, Ordering::Equal] => is_inside = false,
            [Ordering::Greater, Ordering::Less] => entering.push(crossing(facet, &corners, segment)),
            [Ordering::Less, Ordering::Greater] => leaving.push(crossing(facet, &corners, segment)),
            [Ordering::Less | Ordering::Equal, Ordering::Less] | [Ordering::Less, Ordering::Equal] => {}
        }
    }
    // Every end is behind each plane that has the other end in front, so each crossing lies within the segment.
    if starts_at_end && (ends_at_start || !leaving.is_empty()) || ends_at_start && !entering.is_empty() {
        return Ok(SegmentInHull::Nothing);
    }
    let problem = SegmentCutProblem { hull, segment };
    let first = problem.limit(&entering, Ordering::Greater, budget)?;
    let end = problem.limit(&leaving, Ordering::Less, budget)?;
    if let (Some(first), Some(end)) = (&first, &end) {
        match problem.order(first, end) {
            Ordering::Greater => return Ok(SegmentInHull::Nothing),
            Ordering::Equal => is_inside = false,
            Ordering::Less => {}
        }
    }
    let fraction = |limit: &Limit| problem.fraction(limit);
    let from = if starts_at_end { 1.0 } else { first.as_ref().map_or(0.0, fraction) };
    let to = if ends_at_start { 0.0 } else { end.as_ref().map_or(1.0, fraction) };
    // Both are rounded and may be out of order.
    let fractions = [from.min(to), from.max(to)];
    Ok(if is_inside { SegmentInHull::Inside(fractions) } else { SegmentInHull::Surface(fractions) })
}

/// The point where a segment with one end in front of a plane and one end behind it crosses the plane.
fn crossing(facet: usize, corners: &[DVec3; 3], segment: &[DVec3; 2]) -> SegmentPlaneCut {
    let [Height { value: v, error: e }, Height { value: w, error: f }] = segment.map(|p| height(corners, p));
    let (height_error, whole) = (e + f, (v - w).abs());
    let (fraction, fraction_error) =
        (v / (v - w), 2.0 * height_error / (whole - height_error) + 4.0 * f64::EPSILON);
    // A NaN compares false.
    let is_known = whole > 2.0 * height_error && fraction_error < 1.0;
    if is_known {
        SegmentPlaneCut {
            facet,
            lo: (fraction - fraction_error).max(0.0),
            hi: (fraction + fraction_error).min(1.0),
        }
    } else {
        SegmentPlaneCut { facet, lo: 0.0, hi: 1.0 }
    }
}

/// A fraction whose bounds from doubles differ by at most this needs no exact computation.
const KNOWN: f64 = 1e-13;

struct SegmentCutProblem<'a> {
    hull: &'a Hull,
    segment: &'a [DVec3; 2],
}

impl SegmentCutProblem<'_> {
    fn exact(&self, crossing: &SegmentPlaneCut) -> Fraction {
        let (corners, [p, q]) = (self.hull.corners(crossing.facet), *self.segment);
        let [a, b, c] = corners;
        let unit = WholeUnit::of_points(&[a, b, c, p, q]);
        let [v, w] = [p, q].map(|end| whole_height(unit, &corners, end));
        let by = &v - w;
        if by < BigInt::ZERO { Fraction { number: -v, by: -by } } else { Fraction { number: v, by } }
    }

    /// The last (`Greater`) or the first (`Less`) of the crossings.
    fn limit(
        &self,
        crossings: &[SegmentPlaneCut],
        order: Ordering,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Limit>, OutOfBudget> {
        let is_last = order == Ordering::Greater;
        let best = crossings.iter().fold(f64::NEG_INFINITY, |best, crossing| {
            best.max(if is_last { crossing.lo } else { -crossing.hi })
        });
        let mut near = crossings
            .iter()
            .filter(|crossing| if is_last { crossing.hi >= best } else { -crossing.lo >= best });
        let Some(&crossing) = near.next() else { return Ok(None) };
        let mut limit = Limit { crossing, exact: None };
        for &other in near {
            budget.step()?;
            let exact = self.exact(&other);
            let limit_exact = limit.exact.get_or_insert_with(|| self.exact(&crossing));
            if exact.compared(limit_exact) == order {
                limit = Limit { crossing: other, exact: Some(exact) };
            }
        }
        Ok(Some(limit))
    }

    fn order(&self, first: &Limit, end: &Limit) -> Ordering {
        if first.crossing.hi < end.crossing.lo {
            return Ordering::Less;
        }
        if first.crossing.lo > end.crossing.hi {
            return Ordering::Greater;
        }
        self.exact(&first.crossing).compared(&self.exact(&end.crossing))
    }

    fn fraction(&self, limit: &Limit) -> f64 {
        let SegmentPlaneCut { lo, hi, .. } = limit.crossing;
        if hi - lo <= KNOWN {
            return 0.5 * (lo + hi);
        }
        let exact = self.exact(&limit.crossing);
        quotient(&exact.number, &exact.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_of(points: &[[f64; 3]], segment: [[f64; 3]; 2]) -> SegmentInHull {
        let points = points.iter().map(|p| DVec3::from_array(*p)).collect();
        let budget = &mut Budget::new(u64::MAX);
        let hull = Hull::of(points, budget).unwrap().unwrap();
        let [p, q] = segment.map(DVec3::from_array);
        let mut last = hull.facets().len() - 1;
        let found = cut(&hull, &[p, q], &mut last, budget).unwrap();
        // The reversed segment, with another first facet, gives the same part.
        let back = match cut(&hull, &[q, p], &mut 0, budget).unwrap() {
            SegmentInHull::Nothing => SegmentInHull::Nothing,
            SegmentInHull::Surface([from, to]) => SegmentInHull::Surface([1.0 - to, 1.0 - from]),
            SegmentInHull::Inside([from, to]) => SegmentInHull::Inside([1.0 - to, 1.0 - from]),
        };
        is(found, back);
        found
    }

    const CUBE: [[f64; 3]; 8] = [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [-1.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ];

    fn is(found: SegmentInHull, expected: SegmentInHull) {
        assert_eq!(std::mem::discriminant(&found), std::mem::discriminant(&expected), "{found:?}");
        for (x, y) in found.fractions().into_iter().flatten().zip(expected.fractions().into_iter().flatten())
        {
            assert!((x - y).abs() < 1e-12, "{found:?}, not {expected:?}");
        }
    }

    #[test]
    fn segments_and_a_cube() {
        let cut = |p: [f64; 3], q: [f64; 3]| cut_of(&CUBE, [p, q]);
        is(cut([-3.0, 0.0, 0.0], [5.0, 0.0, 0.0]), SegmentInHull::Inside([0.25, 0.5]));
        is(cut([0.0, 0.0, 0.0], [0.0, 2.0, 0.0]), SegmentInHull::Inside([0.0, 0.5]));
        is(cut([0.0, 0.5, 0.0], [0.0, 0.75, 0.0]), SegmentInHull::Inside([0.0, 1.0]));
        // From face to face; along an edge, and past the edge by one epsilon.
        is(cut([-1.0, 0.5, 0.0], [1.0, 0.5, 0.0]), SegmentInHull::Inside([0.0, 1.0]));
        is(cut([-3.0, 1.0, 1.0], [5.0, 1.0, 1.0]), SegmentInHull::Surface([0.25, 0.5]));
        is(cut([-3.0, 1.0 + f64::EPSILON, 1.0], [5.0, 1.0 + f64::EPSILON, 1.0]), SegmentInHull::Nothing);
        is(
            cut([-3.0, 1.0 - f64::EPSILON, 0.5], [5.0, 1.0 - f64::EPSILON, 0.5]),
            SegmentInHull::Inside([0.25, 0.5]),
        );
        // Through an edge and a corner only, where many planes meet, and slightly beside them.
        is(cut([0.0, 2.0, 0.0], [2.0, 0.0, 0.0]), SegmentInHull::Surface([0.5, 0.5]));
        is(cut([0.0, 2.0, 0.0], [2.0 + 4.0 * f64::EPSILON, 0.0, 0.0]), SegmentInHull::Nothing);
        is(cut([0.0, 2.0, 0.0], [2.0 - 4.0 * f64::EPSILON, 0.0, 0.0]), SegmentInHull::Inside([0.5, 0.5]));
        is(cut([0.0, 1.5, 1.5], [2.0, 0.5, 0.5]), SegmentInHull::Surface([0.5, 0.5]));
        is(cut([-3.0, -3.0, -3.0], [1.0, 1.0, 1.0]), SegmentInHull::Inside([0.5, 1.0]));
        // An end on the surface with the rest outside; a segment of length zero.
        is(cut([1.0, 0.0, 0.0], [2.0, 0.0, 0.0]), SegmentInHull::Surface([0.0, 0.0]));
        is(cut([2.0, 0.0, 0.0], [1.0, 0.0, 0.0]), SegmentInHull::Surface([1.0, 1.0]));
        is(cut([1.0, 0.0, 0.0], [1.0, 3.0, 0.0]), SegmentInHull::Surface([0.0, 1.0 / 3.0]));
        is(cut([2.0, 0.0, 0.0], [2.0, 0.0, 0.0]), SegmentInHull::Nothing);
        is(cut([1.0, 2.0, 0.0], [2.0, 1.0, 0.0]), SegmentInHull::Nothing);
        is(cut([1.0, 1.0, 2.0], [1.0, 2.0, 1.0]), SegmentInHull::Nothing);
    }
}
