//! Two round shapes.
//!
//! Both are convex, and their surfaces intersect if the shapes intersect and neither contains the other. Each of these
//! three facts has a witness: a point of one shape deep inside the other, and for each shape a point outside the other.
//! The surfaces still intersect after any movement by less than the minimum of the three depths and distances.
//!
//! **Containment** depends on the maximum signed distance in K of a point of the other shape. This function is
//! convex, so its maximum is at a rim, a tip, or the end of a core. Along a rim the search halves arcs. An arc lies
//! in the triangle of its ends and the intersection of the tangents there, so the maximum at these three points
//! bounds the arc.

use glam::DVec3;

use super::convex::{deepest, nearest, nearest_beyond};
use super::gjk::ConvexShape;
use super::path::RoundPath;
use super::support::{Placed, RoundShape};
use super::{RoundFound, RoundState, Witness};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;

/// Enclosure of the maximum signed distance, in one shape, of a point of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Furthest {
    /// The signed distance of `point`.
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) point: DVec3,
}

/// Part of a rim: its ends as unit vectors from the rim's centre, and an upper bound of its values.
#[derive(Debug, Clone, Copy)]
struct RimArc {
    ends: [DVec3; 2],
    upper: f64,
}

/// The maximum number of halvings of arcs.
const HALVINGS: usize = 400;

/// The accuracy of the maximum along a rim, as a fraction of its radius.
const FINE: f64 = 1e-14;

/// The proven state of two round shapes.
pub(super) fn state(a: &Placed, b: &Placed, rounding: f64) -> RoundFound {
    let solid = ConvexShape::Round(*b);
    let found = nearest(a, &solid);
    if found.lower > rounding {
        let (lower, upper) = (found.lower - rounding, found.upper.max(0.0) + rounding);
        let state = RoundState::Separated { lower, upper };
        let (points, normal) = (found.points, found.normal);
        return RoundFound { state, points, normal, face: None, witness: None };
    }
    let (a_in_b, b_in_a) = (furthest(a, b), furthest(b, a));
    for (of_a, inner, outer) in [(true, a_in_b, b), (false, b_in_a, a)] {
        if inner.upper < -rounding {
            let wall = wall(outer, inner.point);
            let points = if of_a { [inner.point, wall] } else { [wall, inner.point] };
            let (lower, upper) = (-inner.upper - rounding, -inner.lower + rounding);
            let state = RoundState::Separated { lower, upper };
            let outward = outer.signed_distance(inner.point).1;
            let normal = if of_a { outward } else { -outward };
            return RoundFound { state, points, normal, face: None, witness: None };
        }
    }
    let deep = deepest(a, &solid);
    let margins = [deep.depth, a_in_b.lower, b_in_a.lower];
    let margin = margins.into_iter().fold(f64::INFINITY, f64::min) - rounding;
    // The smallest of the three margins determines the contact's place.
    let (points, normal) = if deep.depth <= a_in_b.lower.min(b_in_a.lower) {
        let (value, outward) = a.signed_distance(deep.point);
        let normal = if deep.normal == DVec3::ZERO { outward } else { deep.normal };
        ([deep.point - value * normal, deep.point], normal)
    } else if a_in_b.lower <= b_in_a.lower {
        ([a_in_b.point, wall(b, a_in_b.point)], b.signed_distance(a_in_b.point).1)
    } else {
        ([wall(a, b_in_a.point), b_in_a.point], -a.signed_distance(b_in_a.point).1)
    };
    let witness = Witness { inside: deep.point, outside: b_in_a.point, beyond: Some(a_in_b.point) };
    let state = if margin > 0.0 {
        RoundState::Intersecting { margin }
    } else {
        // They touch from outside or from inside, if at all.
        let gap = found.upper.max(-a_in_b.lower).max(-b_in_a.lower).max(0.0);
        let upper = if found.upper > 0.0 { found.upper } else { gap };
        RoundState::Touching { upper: upper + rounding }
    };
    RoundFound { state, points, normal, face: None, witness: (margin > 0.0).then_some(witness) }
}

/// The nearest point of the surface to a point inside.
fn wall(outer: &Placed, p: DVec3) -> DVec3 {
    let (value, outward) = outer.signed_distance(p);
    p - value * outward
}

/// The time in [0, 1] up to which the surfaces are proven further apart than a distance; `None`: throughout.
pub(super) fn separated_until(
    path: &RoundPath,
    b: &Placed,
    distance: f64,
    budget: &mut Budget<'_>,
) -> Result<Option<f64>, OutOfBudget> {
    let solid = ConvexShape::Round(*b);
    let mut t = 0.0;
    loop {
        if budget.step().is_err() {
            return if t > 0.0 { Ok(Some(t)) } else { Err(OutOfBudget) };
        }
        let a = path.at(t);
        let found = nearest_beyond(&a, &solid, distance);
        let beyond = distance + path.rounding;
        let (step, margin) = if found.lower > beyond {
            let n = found.normal;
            (path.separated_along(t, n, solid.minimum(n), distance), found.lower - beyond)
        } else if furthest(&a, b).upper < -beyond {
            let step = path.contained(t, |a| furthest(a, b).upper, distance);
            (step, -furthest(&a, b).upper - beyond)
        } else {
            let margin = -furthest(b, &a).upper - beyond;
            let step = if margin > 0.0 { path.contained(t, |a| furthest(b, a).upper, distance) } else { 0.0 };
            (step, margin)
        };
        match path.next_time(t, step, margin, distance) {
            Some(next) if next > 1.0 => return Ok(None),
            Some(next) => t = next,
            None => return Ok(Some(t)),
        }
    }
}

/// The maximum signed distance in `outer` of a point of `inner`.
pub(super) fn furthest(inner: &Placed, outer: &Placed) -> Furthest {
    let c = inner.centre;
    match inner.round {
        // Along its gradient, the signed distance grows by as much as the point moves from the centre.
        RoundShape::Sphere { radius } => Furthest::at(outer, c).grown(outer, radius),
        RoundShape::Capsule { radius, height } => {
            let half = 0.5 * height * inner.axis;
            let ends = [c - half, c + half].map(|end| Furthest::at(outer, end));
            ends[0].or(ends[1]).grown(outer, radius)
        }
        RoundShape::Cylinder { radius, height } => {
            let half = 0.5 * height * inner.axis;
            let rims = [c - half, c + half].map(|rim| along_rim(rim, inner.axis, radius, outer));
            rims[0].or(rims[1])
        }
        RoundShape::Cone { radius, height } => {
            let half = 0.5 * height * inner.axis;
            Furthest::at(outer, c + half).or(along_rim(c - half, inner.axis, radius, outer))
        }
    }
}

impl Furthest {
    fn at(outer: &Placed, point: DVec3) -> Self {
        let (value, _) = outer.signed_distance(point);
        Self { lower: value, upper: value, point }
    }

    /// The larger of both.
    fn or(self, other: Self) -> Self {
        let upper = self.upper.max(other.upper);
        Self { upper, ..if other.lower > self.lower { other } else { self } }
    }

    /// With a ball around every point.
    fn grown(self, outer: &Placed, radius: f64) -> Self {
        let (_, n) = outer.signed_distance(self.point);
        Self { lower: self.lower + radius, upper: self.upper + radius, point: self.point + radius * n }
    }
}

/// The maximum signed distance along a rim.
fn along_rim(centre: DVec3, axis: DVec3, radius: f64, outer: &Placed) -> Furthest {
    let value = |d: DVec3| outer.signed_distance(centre + radius * d).0;
    // The distance from this rim to a rim about the outer shape's axis is at most this, and all points of that rim
    // have the same value.
    let z = (centre - outer.centre).dot(outer.axis);
    let on_axis = outer.centre + z * outer.axis;
    let tilt = (axis - outer.axis).length().min((axis + outer.axis).length());
    let alike = outer.signed_distance(on_axis + radius * outer.axis.any_orthonormal_vector()).0;
    let alike = alike + centre.distance(on_axis) + radius * tilt;

    let away = unit_along(centre - on_axis);
    let away = unit_along(away - away.dot(axis) * axis);
    let x = if away == DVec3::ZERO { axis.any_orthonormal_vector() } else { away };
    let y = axis.cross(x);
    let mut best = Furthest { lower: f64::NEG_INFINITY, upper: f64::INFINITY, point: centre };
    let mut offer = |d: DVec3| {
        let value = value(d);
        if value > best.lower {
            (best.lower, best.point) = (value, centre + radius * d);
        }
        value
    };
    let arc = |ends: [DVec3; 2], values: [f64; 2]| {
        let sum = ends[0] + ends[1];
        // The tangents at unit vectors d and e intersect at (d + e) / (1 + d·e).
        let apex = sum * (2.0 / sum.length_squared());
        RimArc { ends, upper: values[0].max(values[1]).max(value(apex)) }
    };
    let middle = |d: DVec3, e: DVec3| unit_along(d + e);
    let corners = [x, middle(x, y), y, middle(y, -x), -x, middle(-x, -y), -y, middle(-y, x)];
    let values = corners.map(&mut offer);
    let mut arcs: Vec<RimArc> =
        (0..8).map(|i| arc([corners[i], corners[(i + 1) % 8]], [values[i], values[(i + 1) % 8]])).collect();
    let mut upper = f64::INFINITY;
    for _ in 0..HALVINGS {
        let widest = (0..arcs.len()).max_by(|i, j| arcs[*i].upper.total_cmp(&arcs[*j].upper));
        let Some(widest) = widest else { break };
        let RimArc { ends: [d, e], upper: bound } = arcs[widest];
        upper = bound;
        if bound.min(alike) - best.lower <= FINE * radius {
            break;
        }
        let m = middle(d, e);
        let [at_d, at_m, at_e] = [value(d), value(m), value(e)];
        if at_m > best.lower {
            (best.lower, best.point) = (at_m, centre + radius * m);
        }
        arcs[widest] = arc([d, m], [at_d, at_m]);
        arcs.push(arc([m, e], [at_m, at_e]));
        arcs.retain(|arc| arc.upper > best.lower - FINE * radius);
    }
    best.upper = upper.min(alike).max(best.lower);
    best
}
