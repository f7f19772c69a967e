//! Whether the insides of two hulls share a point.
//!
//! The corners of what two hulls have in common are ends of parts of edges: of the edges of either that are in the
//! other. Where there are none, the hulls are apart. The middle of these ends is inside of both wherever any point is,
//! but for rounding; if exact signs confirm that, it is the answer.
//!
//! If they do not, the insides share no point exactly where a plane parts them. The difference of the two hulls then
//! has the origin on its surface, or outside; hulls that have no point in common were told before. On its surface, the
//! origin lies on a facet of the difference: that of a facet of either hull, or that of two edges that meet. So it is
//! enough to try the planes of all facets, and those along two edges that both have a point in the other hull.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use crate::convex::cut::cut;
use crate::convex::hull::Hull;
use crate::convex::sides::side;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::whole::{WholeUnit, cross, difference, dot};

/// Whether the insides of two hulls share a point, and the middle of what both have in common: up to rounding it is
/// inside of both.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn shared_middle(
    hulls: [&Hull; 2],
    budget: &mut Budget<'_>,
) -> Result<Option<DVec3>, OutOfBudget> {
    if are_boxes_apart(hulls.map(Hull::bounds)) {
        return Ok(None);
    }
    let [a, b] = hulls;
    let [of_a, of_b] = [touched(a, b, budget)?, touched(b, a, budget)?];
    let ends: Vec<DVec3> = of_a.iter().chain(&of_b).flat_map(|touched| touched.ends).collect();
    let Some(&first) = ends.first() else { return Ok(None) };
    // Less is rounded where the first is taken away.
    let middle = first + ends.iter().map(|end| *end - first).sum::<DVec3>() / ends.len() as f64;
    if a.holds(middle, &mut 0, budget)? && b.holds(middle, &mut 0, budget)? {
        return Ok(Some(middle));
    }
    let is_parted = is_parted_by_facet(a, b, budget)?
        || is_parted_by_facet(b, a, budget)?
        || is_parted_by_edges(hulls, [&of_a, &of_b], budget)?;
    Ok((!is_parted).then_some(middle))
}

/// Whether two boxes, each by its least and its greatest corner, have no inner point in common.
pub(crate) fn are_boxes_apart([[p, q], [r, s]]: [[DVec3; 2]; 2]) -> bool {
    q.cmple(r).any() || s.cmple(p).any()
}

/// An edge that has a point in the other hull, and the ends of the part that is there.
struct Touched {
    edge: [u32; 2],
    ends: [DVec3; 2],
}

fn touched(hull: &Hull, other: &Hull, budget: &mut Budget<'_>) -> Result<Vec<Touched>, OutOfBudget> {
    let mut found = Vec::new();
    let mut last = 0;
    for &edge in hull.edges() {
        let [v, w] = edge.map(|v| hull.points()[v as usize]);
        if let Some(shares) = cut(other, &[v, w], &mut last, budget)?.fractions() {
            budget.keep::<Touched>()?;
            found.push(Touched { edge, ends: shares.map(|share| along([v, w], share)) });
        }
    }
    Ok(found)
}

/// The point at a share of a segment; the ends are those of the segment.
pub(crate) fn along([v, w]: [DVec3; 2], share: f64) -> DVec3 {
    if share == 1.0 { w } else { v + share * (w - v) }
}

/// Whether the plane of a facet of one hull has the other hull in front of it, or in it.
fn is_parted_by_facet(hull: &Hull, other: &Hull, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
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

/// Whether a plane along an edge of each hull has the hulls on its two sides.
fn is_parted_by_edges(
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
            // A not beyond the plane, B not before it, the way that the normal points; then the other way.
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
