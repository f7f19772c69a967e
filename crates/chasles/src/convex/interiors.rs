//! Whether the interiors of two hulls intersect.
//!
//! The intersection of two hulls has two kinds of corners, and both are end points of the parts of one hull's edges
//! inside the other hull. If there are no such parts, the hulls are separated. The mean of these end points lies in
//! both interiors whenever the interiors intersect, up to rounding. If exact signs confirm that it does, it is the
//! answer.
//!
//! If they do not, the interiors are disjoint exactly if a plane separates them. In that case the origin lies on
//! the surface of the Minkowski difference of the hulls, or outside; hulls without a common point were found
//! before. An origin on the surface lies on a facet of the difference, which comes from a facet of one hull or from
//! two intersecting edges. So it is enough to test the planes of all facets, and the planes along two edges that
//! both have a point in the other hull.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use crate::convex::cut::cut;
use crate::convex::hull::Hull;
use crate::convex::sides::side;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::whole::{WholeUnit, cross, difference, dot};

/// The mean of the end points described above if the interiors of the hulls intersect, `None` otherwise. The point
/// lies in both interiors up to rounding.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn shared_middle(
    hulls: [&Hull; 2],
    budget: &mut Budget<'_>,
) -> Result<Option<DVec3>, OutOfBudget> {
    if are_boxes_separated(hulls.map(Hull::bounds)) {
        return Ok(None);
    }
    let [a, b] = hulls;
    let [of_a, of_b] = [touched(a, b, budget)?, touched(b, a, budget)?];
    let ends: Vec<DVec3> = of_a.iter().chain(&of_b).flat_map(|touched| touched.ends).collect();
    let Some(&first) = ends.first() else { return Ok(None) };
    // Subtracting the first point reduces the rounding error.
    let middle = first + ends.iter().map(|end| *end - first).sum::<DVec3>() / ends.len() as f64;
    if a.contains(middle, &mut 0, budget)? && b.contains(middle, &mut 0, budget)? {
        return Ok(Some(middle));
    }
    let is_separated = is_separated_by_facet(a, b, budget)?
        || is_separated_by_facet(b, a, budget)?
        || is_separated_by_edges(hulls, [&of_a, &of_b], budget)?;
    Ok((!is_separated).then_some(middle))
}

/// Whether two boxes, each given by its lower and upper corner, have no interior point in common.
pub(crate) fn are_boxes_separated([[p, q], [r, s]]: [[DVec3; 2]; 2]) -> bool {
    q.cmple(r).any() || s.cmple(p).any()
}

/// An edge with a point in the other hull, and the ends of the part inside that hull.
struct Touched {
    edge: [u32; 2],
    ends: [DVec3; 2],
}

fn touched(hull: &Hull, other: &Hull, budget: &mut Budget<'_>) -> Result<Vec<Touched>, OutOfBudget> {
    let mut found = Vec::new();
    let mut last = 0;
    for &edge in hull.edges() {
        let [v, w] = edge.map(|v| hull.points()[v as usize]);
        if let Some(fractions) = cut(other, &[v, w], &mut last, budget)?.fractions() {
            budget.keep::<Touched>()?;
            found.push(Touched { edge, ends: fractions.map(|fraction| along([v, w], fraction)) });
        }
    }
    Ok(found)
}

/// The point at a fraction of a segment; the fractions 0 and 1 give its ends exactly.
pub(crate) fn along([v, w]: [DVec3; 2], fraction: f64) -> DVec3 {
    if fraction == 1.0 { w } else { v + fraction * (w - v) }
}

/// Whether all points of the other hull lie in front of, or in, the plane of a facet.
fn is_separated_by_facet(hull: &Hull, other: &Hull, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
    'facets: for facet in 0..hull.facets().len() {
        let corners = hull.corners(facet);
        for point in other.points() {
            budget.step()?;
            if side(&corners, *point) == Ordering::Less {
                continue 'facets;
            }
        }
        return Ok(true);
    }
    Ok(false)
}

/// Whether a plane parallel to an edge of each hull separates the hulls.
fn is_separated_by_edges(
    hulls: [&Hull; 2],
    touched: [&[Touched]; 2],
    budget: &mut Budget<'_>,
) -> Result<bool, OutOfBudget> {
    let all: Vec<DVec3> = hulls.iter().flat_map(|hull| hull.points()).copied().collect();
    budget.take(all.len() as u64)?;
    let unit = WholeUnit::of_points(&all);
    let [points_a, points_b] =
        hulls.map(|hull| hull.points().iter().map(|p| unit.point(*p)).collect::<Vec<_>>());
    for one in touched[0] {
        let [p, q] = one.edge.map(|v| &points_a[v as usize]);
        let along = difference(q, p);
        for other in touched[1] {
            let [r, s] = other.edge.map(|v| &points_b[v as usize]);
            let normal = cross(&along, &difference(s, r));
            if normal.iter().all(|x| *x == BigInt::ZERO) {
                continue;
            }
            let [level_a, level_b] = [dot(&normal, p), dot(&normal, r)];
            budget.take((points_a.len() + points_b.len()) as u64)?;
            let all = |points: &[[BigInt; 3]], level: &BigInt, forbidden: Ordering| {
                points.iter().all(|point| dot(&normal, point).cmp(level) != forbidden)
            };
            // A is behind the plane and B in front of it, along the normal; then the reverse.
            let parts = |beyond: Ordering| {
                level_a.cmp(&level_b) != beyond
                    && all(&points_a, &level_a, beyond)
                    && all(&points_b, &level_b, beyond.reverse())
            };
            if parts(Ordering::Greater) || parts(Ordering::Less) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
