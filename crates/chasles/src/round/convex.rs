//! The distance of two convex shapes, and their penetration depth.
//!
//! Spheres and capsules are a point or a segment with a radius; their distances have closed forms. Cylinders and
//! cones use an iteration (`gjk`), which stops when the distance is accurate to a fraction of 1e-12, when it no
//! longer decreases, or after 48 steps. The result has its own proof, independent of the iteration. A direction n
//! proves that the shapes are separated by at least min n·y over the second minus max n·x over the first; two points
//! prove that the shapes are at most as far apart as these points.
//!
//! A direction computed from nearest points that are 1e-9 apart has 7 digits. If both shapes have straight faces or
//! edges perpendicular to it, that would cost 1e-7 of their size, so the directions of such faces and edges are
//! tried too.
//!
//! **Depth.** The points at least x inside a round shape form a round shape of the same kind. The depth of T in K is
//! the maximum x for which T intersects K shrunk by x. Along a fixed direction the gap grows linearly with x, so a
//! direction that separates at some x bounds the depth. This is Newton's iteration from the inradius downward
//! (Dinkelbach 1967); each step computes one distance.

use glam::DVec3;

use super::gjk::{ConvexShape, NearestPoints, RoundPrecision, gjk};
use super::support::{Placed, RoundShape};
use crate::math::direction::unit_along;
use crate::math::distance::{Closest, point_triangle, segment_segment};

/// The penetration depth of a shape in a round shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DeepestPoint {
    /// The depth of `point`; not positive if no point inside was found.
    pub(crate) depth: f64,
    pub(crate) point: DVec3,
    /// Unit normal from the round shape to the other.
    pub(crate) normal: DVec3,
}

/// The maximum number of distance computations for one depth; most depths take 1 to 4.
const STEPS: usize = 48;

/// The accuracy of a distance.
const PRECISE: RoundPrecision = RoundPrecision { relative: 1e-12, stop_above: f64::INFINITY };

/// The relative accuracy of a depth.
const DEPTH_PRECISION: f64 = 0.01;

/// A point or segment and the radius around it.
type Core = ([DVec3; 2], f64);

fn core(placed: &Placed) -> Option<Core> {
    let c = placed.centre;
    match placed.round {
        RoundShape::Sphere { radius } => Some(([c, c], radius)),
        RoundShape::Capsule { radius, height } => {
            let half = 0.5 * height * placed.axis;
            Some(([c - half, c + half], radius))
        }
        RoundShape::Cylinder { .. } | RoundShape::Cone { .. } => None,
    }
}

/// The nearest points of a round shape and another shape.
pub(crate) fn nearest(a: &Placed, b: &ConvexShape) -> NearestPoints {
    nearest_within(a, b, PRECISE)
}

/// The same for a caller that needs distances up to `stop_above` only. If the distance is larger, only this is proven.
pub(crate) fn nearest_up_to(a: &Placed, b: &ConvexShape, stop_above: f64) -> NearestPoints {
    nearest_within(a, b, RoundPrecision { stop_above, ..PRECISE })
}

/// The same for a caller that needs the excess of the gap over a distance: the excess is accurate to a tenth or a
/// fifth, or as well as possible.
pub(crate) fn nearest_beyond(a: &Placed, b: &ConvexShape, distance: f64) -> NearestPoints {
    let found = nearest_within(a, b, RoundPrecision { relative: STEP_PRECISION, ..PRECISE });
    let enough = found.lower - distance >= (1.0 - 2.0 * STEP_PRECISION) * (found.upper - distance);
    if enough { found } else { nearest(a, b) }
}

/// The relative accuracy of a distance that suffices for a step.
const STEP_PRECISION: f64 = 0.1;

/// The same at the required accuracy.
fn nearest_within(a: &Placed, b: &ConvexShape, precision: RoundPrecision) -> NearestPoints {
    let found = match (core(a), b) {
        (Some(core_a), ConvexShape::Triangle(corners)) => {
            with_radii(segment_triangle(core_a.0, corners), core_a.1, 0.0)
        }
        (Some(core_a), ConvexShape::Round(other)) => match core(other) {
            Some(core_b) => with_radii(segment_segment(core_a.0, core_b.0), core_a.1, core_b.1),
            None => {
                let back = to_core(other, core_a, precision);
                NearestPoints { points: [back.points[1], back.points[0]], normal: -back.normal, ..back }
            }
        },
        (None, ConvexShape::Round(other)) => match core(other) {
            Some(core_b) => to_core(a, core_b, precision),
            None => gjk(a, b, precision),
        },
        (None, ConvexShape::Triangle(_)) => gjk(a, b, precision),
    };
    improved(found, a, b, precision)
}

/// Whether a shape has edges or rims.
fn has_edges(solid: &ConvexShape) -> bool {
    match solid {
        ConvexShape::Triangle(_) => true,
        ConvexShape::Round(placed) => core(placed).is_none(),
    }
}

/// The nearest points of a cylinder or cone and a ball or capsule.
fn to_core(a: &Placed, (segment, radius): Core, precision: RoundPrecision) -> NearestPoints {
    if segment[0] == segment[1] {
        let c = segment[0];
        let (value, n) = a.signed_distance(c);
        let points = [c - value.max(0.0) * n, c - value.clamp(0.0, radius) * n];
        return NearestPoints { lower: value - radius, upper: value - radius, points, normal: n };
    }
    // The limit applies to the shapes themselves, not to this core.
    let precision = RoundPrecision { stop_above: f64::INFINITY, ..precision };
    let found = gjk(a, &ConvexShape::Triangle([segment[0], segment[1], segment[1]]), precision);
    let [x, y] = found.points;
    let (n, gap) = (unit_along(y - x), found.upper);
    NearestPoints {
        lower: f64::NEG_INFINITY,
        upper: gap - radius,
        points: [x, y - radius.min(gap) * n],
        normal: found.normal,
    }
}

/// The nearest points of two shapes, given the nearest points of their cores, and their radii.
fn with_radii(closest: Closest, a: f64, b: f64) -> NearestPoints {
    let between = closest.b - closest.a;
    let (n, length) = (unit_along(between), between.length());
    // Each point is at most on the core of the other shape, so overlapping shapes contain both points.
    let points = [closest.a + a.min(length) * n, closest.b - b.min(length) * n];
    NearestPoints { lower: f64::NEG_INFINITY, upper: length - a - b, points, normal: n }
}

/// The nearest points of a segment, perhaps a point, and a triangle.
fn segment_triangle([p, q]: [DVec3; 2], triangle: &[DVec3; 3]) -> Closest {
    let mut best = point_triangle(p, triangle);
    if p == q {
        return best;
    }
    let mut offer = |other: Closest| {
        if other.squared < best.squared {
            best = other;
        }
    };
    offer(point_triangle(q, triangle));
    let [a, b, c] = *triangle;
    for edge in [[a, b], [b, c], [c, a]] {
        offer(segment_segment([p, q], edge));
    }
    let normal = (b - a).cross(c - a);
    let (sp, sq) = (normal.dot(p - a), normal.dot(q - a));
    if (sp < 0.0) != (sq < 0.0) && sp != sq {
        offer(point_triangle(p + (sp / (sp - sq)) * (q - p), triangle));
    }
    best
}

/// The same with the best of the directions of faces and edges, and with nearer points.
fn improved(
    mut found: NearestPoints,
    a: &Placed,
    b: &ConvexShape,
    precision: RoundPrecision,
) -> NearestPoints {
    found.offer(found.normal, a, b);
    if found.is_precise(a, precision) {
        return found;
    }
    found.offer_features(a, b);
    if found.is_precise(a, precision) || found.upper <= 0.0 {
        return found;
    }
    found = found.on_lines(a, b).on_rims(a, b).projected(a, b).projected(a, b);
    let with_edges = core(a).is_none() && has_edges(b);
    for _ in 0..MAX_SHIFTS {
        if !with_edges || found.is_precise(a, precision) || found.normal == DVec3::ZERO {
            break;
        }
        found = found.try_shifted_apart(a, b);
    }
    found
}

/// If two curved shapes nearly touch, their nearest points give a poor direction. The nearest points of the shapes
/// moved apart along the current direction, by this fraction of their size, give a direction that is better by this
/// factor.
const SHIFT: f64 = 0.03;

/// The number of iterations with tangents.
const TANGENTS: usize = 4;

/// Maximum number of such steps.
const MAX_SHIFTS: usize = 4;

impl NearestPoints {
    /// Whether both bounds agree to a fraction, or the distance is larger than needed.
    fn is_precise(&self, a: &Placed, RoundPrecision { relative, stop_above }: RoundPrecision) -> bool {
        self.lower > stop_above
            || self.upper - self.lower
                <= (relative * self.upper.abs()).max(8.0 * f64::EPSILON * a.round.radius())
    }

    /// Takes a direction if it proves more. Both senses are tried, as the sign is unreliable if the points are very
    /// close.
    fn offer(&mut self, candidate: DVec3, a: &Placed, b: &ConvexShape) {
        let unit = unit_along(candidate);
        if unit == DVec3::ZERO {
            return;
        }
        for n in [unit, -unit] {
            let gap = b.minimum(n) - a.reach(n);
            if gap > self.lower {
                (self.lower, self.normal) = (gap, n);
            }
        }
    }

    /// Takes the best of the directions of faces, edges and straight lines.
    fn offer_features(&mut self, a: &Placed, b: &ConvexShape) {
        let [x, y] = self.points;
        let between = y - x;
        let rough = if self.normal == DVec3::ZERO { b.middle() - a.centre } else { self.normal };
        self.offer(a.signed_distance(y).1, a, b);
        let line = a.generator(y);
        match b {
            ConvexShape::Triangle([p, q, r]) => {
                self.offer((*q - *p).cross(*r - *p), a, b);
                for edge in [*q - *p, *r - *q, *p - *r] {
                    let along = unit_along(edge);
                    self.offer(along.cross(line), a, b);
                    self.offer(rough - rough.dot(along) * along, a, b);
                    self.offer(between - between.dot(along) * along, a, b);
                }
            }
            ConvexShape::Round(other) => {
                self.offer(other.signed_distance(x).1, a, b);
                self.offer(line.cross(other.generator(x)), a, b);
            }
        }
    }

    /// Tries the direction and the points of the two shapes moved apart along the current direction.
    ///
    /// The minimum gap along n is concave in n; this is a step of the proximal point algorithm (Rockafellar 1976)
    /// for its maximum.
    fn try_shifted_apart(mut self, a: &Placed, b: &ConvexShape) -> Self {
        let shift = SHIFT * a.round.radius() * self.normal;
        let far = gjk(a, &b.moved(shift), PRECISE);
        self.offer(far.normal, a, b);
        let [x, y] = far.points;
        let y = y - shift;
        let upper = x.distance(y);
        // The points moved back are valid only if the shapes that were moved apart have no common point.
        if far.upper > 0.0 && upper < self.upper {
            (self.upper, self.points) = (upper, [x, y]);
        }
        if let ConvexShape::Triangle([p, q, r]) = b {
            for edge in [*q - *p, *r - *q, *p - *r] {
                let along = unit_along(edge);
                self.offer(far.normal - far.normal.dot(along) * along, a, b);
            }
        }
        self.projected(a, b)
    }

    /// Tries the straight line of the first shape that faces the second: there a cylinder or cone touches a face or
    /// edge.
    fn on_lines(self, a: &Placed, b: &ConvexShape) -> Self {
        let Some(line) = a.line_facing(self.normal) else { return self };
        let found = match b {
            ConvexShape::Triangle(corners) => segment_triangle(line, corners),
            ConvexShape::Round(other) => match other.line_facing(-self.normal) {
                Some(other) => segment_segment(line, other),
                None => return self,
            },
        };
        let upper = found.a.distance(found.b);
        if upper < self.upper { Self { upper, points: [found.a, found.b], ..self } } else { self }
    }

    /// If a rim of the first shape passes an edge or a rim of the second: alternately computes the nearest points of
    /// the tangents, and of the curves near these. The direction perpendicular to both tangents is valid even
    /// without a gap.
    fn on_rims(mut self, a: &Placed, b: &ConvexShape) -> Self {
        let edges = match b {
            ConvexShape::Triangle([p, q, r]) => [Some([*p, *q]), Some([*q, *r]), Some([*r, *p])],
            ConvexShape::Round(_) => [None; 3],
        };
        let other = match b {
            ConvexShape::Round(other) => Some(other),
            ConvexShape::Triangle(_) => None,
        };
        let curves = if other.is_some() { 1 } else { 3 };
        let start = self.points;
        for edge in &edges[..curves] {
            let [mut x, mut y] = start;
            for _ in 0..TANGENTS {
                let Some((p, tangent)) = a.on_rim(x) else { return self };
                let second = match (edge, other.and_then(|other| other.on_rim(y))) {
                    (Some(edge), _) => *edge,
                    (None, Some((q, along))) => [q - along, q + along],
                    (None, None) => return self,
                };
                let closest = segment_segment([p - tangent, p + tangent], second);
                self.offer(unit_along(tangent).cross(unit_along(second[1] - second[0])), a, b);
                (x, y) = (closest.a, closest.b);
            }
            let Some((x, _)) = a.on_rim(x) else { return self };
            let y = other.and_then(|other| other.on_rim(y)).map_or(y, |(y, _)| y);
            let upper = x.distance(y);
            if upper < self.upper {
                (self.upper, self.points) = (upper, [x, y]);
            }
        }
        self
    }

    /// Projects the second shape's point onto the first shape, and the result back onto the second shape.
    fn projected(self, a: &Placed, b: &ConvexShape) -> Self {
        let onto = |placed: &Placed, p: DVec3| {
            let (value, n) = placed.signed_distance(p);
            p - value.max(0.0) * n
        };
        let x = onto(a, self.points[1]);
        let y = match b {
            ConvexShape::Triangle(corners) => point_triangle(x, corners).b,
            ConvexShape::Round(other) => onto(other, x),
        };
        let upper = x.distance(y);
        if upper < self.upper { Self { upper, points: [x, y], ..self } } else { self }
    }
}

/// The penetration depth of the second shape in the first: within 1 % of the maximum, unless rounding prevents it.
pub(crate) fn deepest(a: &Placed, b: &ConvexShape) -> DeepestPoint {
    let mut shrink = a.round.inradius();
    let mut best = DeepestPoint { depth: f64::NEG_INFINITY, point: b.middle(), normal: DVec3::ZERO };
    for _ in 0..STEPS {
        let core = a.shrunk(shrink);
        let found = nearest(&core, b);
        let point = found.points[1];
        let (value, _) = a.signed_distance(point);
        let improved = -value > best.depth;
        if improved {
            let normal = if found.normal == DVec3::ZERO { best.normal } else { found.normal };
            best = DeepestPoint { depth: -value, point, normal };
        }
        if found.lower <= 0.0 {
            break;
        }
        // Shrinking by one unit moves the surface back along n by this much, at least 1.
        let n = found.normal;
        let rate = if shrink > 0.0 { ((a.reach(n) - core.reach(n)) / shrink).max(1.0) } else { 1.0 };
        let next = shrink - found.lower / rate;
        if !(next > 0.0 && next < shrink) || best.depth >= (1.0 - DEPTH_PRECISION) * next {
            break;
        }
        shrink = next;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::support::tests::placed;
    use chasles_testing::{Random, cases};

    fn solid(random: &mut Random, scale: f64) -> ConvexShape {
        if random.below(2) == 0 {
            return ConvexShape::Round(placed(random, scale));
        }
        let mut corners = [random.vector(1.0), random.vector(1.0), random.vector(1.0)].map(|p| scale * p);
        match random.below(6) {
            0 => corners[2] = corners[0] + 1e-9 * (corners[2] - corners[0]),
            1 => corners[2] = 0.5 * (corners[0] + corners[1]),
            2 => corners = [corners[0]; 3],
            _ => {}
        }
        ConvexShape::Triangle(corners)
    }

    fn samples(random: &mut Random, solid: &ConvexShape) -> DVec3 {
        match solid {
            ConvexShape::Triangle([a, b, c]) => {
                let (mut s, mut t) = (random.unit(), random.unit());
                if s + t > 1.0 {
                    (s, t) = (1.0 - s, 1.0 - t);
                }
                *a + s * (*b - *a) + t * (*c - *a)
            }
            ConvexShape::Round(placed) => placed.support(random.direction()),
        }
    }

    #[test]
    fn proven_bounds_of_the_distance_hold_and_are_sharp() {
        let random = &mut Random(11);
        for i in 0..cases(1500, 6000) {
            let scale = [1.0, 1e-6, 1e6][i % 3];
            let (a, b) = (placed(random, scale), solid(random, scale));
            let shift = scale * random.within(0.0, 2.0) * random.direction();
            let b = match b {
                ConvexShape::Triangle(corners) => ConvexShape::Triangle(corners.map(|p| p + shift)),
                ConvexShape::Round(p) => ConvexShape::Round(Placed { centre: p.centre + shift, ..p }),
            };
            let NearestPoints { lower, upper, points: [x, y], normal } = nearest(&a, &b);
            let small = 1e-13 * scale;
            assert!(a.signed_distance(x).0 <= small, "{a:?} {b:?}");
            match &b {
                ConvexShape::Triangle(corners) => {
                    assert!(point_triangle(y, corners).squared <= small * small)
                }
                ConvexShape::Round(b) => assert!(b.signed_distance(y).0 <= small, "{a:?} {b:?}"),
            }
            if upper <= 0.0 {
                // Both points are in the first shape, and the second point is in both.
                assert!(a.signed_distance(y).0 <= small, "{a:?} {b:?} {upper}");
                continue;
            }
            assert!((x.distance(y) - upper).abs() <= small);
            assert!(upper - lower <= 1e-9 * scale, "{a:?} {b:?} [{lower}, {upper}]");
            for _ in 0..20 {
                let (p, q) = (a.support(random.direction()), samples(random, &b));
                assert!(normal.dot(q - p) >= lower - small, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_limit_of_the_distance_changes_no_smaller_distance() {
        let random = &mut Random(17);
        let mut cut = 0;
        for i in 0..cases(1500, 6000) {
            let scale = [1.0, 1e-6, 1e6][i % 3];
            let (a, b) = (placed(random, scale), solid(random, scale));
            let b = b.moved(scale * random.within(0.0, 2.0) * random.direction());
            let whole = nearest(&a, &b);
            let stop_above = random.within(0.0, 2.0) * whole.upper;
            let found = nearest_up_to(&a, &b, stop_above);
            if found.lower > stop_above {
                assert!(whole.upper > stop_above, "{a:?} {b:?} {found:?} {whole:?}");
                cut += u32::from(found != whole);
            } else {
                assert_eq!(found, whole, "{a:?} {b:?}");
            }
        }
        assert!(cut > 90, "{cut}");
    }

    #[test]
    fn the_distance_of_nearly_touching_shapes_is_as_accurate() {
        let random = &mut Random(14);
        let mut widths = Vec::new();
        for i in 0..6000 {
            let (a, b) = (placed(random, 1.0), solid(random, 1.0));
            let far = nearest(&a, &b);
            if far.upper <= 0.0 {
                continue;
            }
            // Along the line between the nearest points, until little is left.
            let gap = 10_f64.powf(random.within(-11.0, -3.0));
            let b = b.moved((gap - far.upper) * far.normal);
            let found = nearest(&a, &b);
            assert!(found.lower <= found.upper + 1e-14, "{i}: {gap} {found:?}");
            widths.push(found.upper - found.lower);
        }
        widths.sort_by(f64::total_cmp);
        let (count, worst) = (widths.len(), widths[widths.len() - 1]);
        assert!(count > 4000 && worst < 1e-9, "{count} {worst}");
        assert!(
            widths[count * 9 / 10] < 1e-14 && widths[count * 99 / 100] < 1e-11,
            "{:?}",
            &widths[count * 99 / 100..]
        );
    }

    #[test]
    fn the_depth_is_the_depth_of_its_point_and_the_maximum_of_dense_samples() {
        let random = &mut Random(12);
        for i in 0..cases(400, 2000) {
            let scale = [1.0, 1e-6, 1e6][i % 3];
            let (a, b) = (placed(random, scale), solid(random, scale));
            let found = deepest(&a, &b);
            let small = 1e-13 * scale;
            assert!((a.signed_distance(found.point).0 + found.depth).abs() <= small);
            match &b {
                ConvexShape::Triangle(corners) => {
                    assert!(point_triangle(found.point, corners).squared <= small * small)
                }
                ConvexShape::Round(b) => assert!(b.signed_distance(found.point).0 <= small),
            }
            for _ in 0..200 {
                let q = samples(random, &b);
                let q = if let ConvexShape::Round(b) = &b { q + random.unit() * (b.centre - q) } else { q };
                let depth = -a.signed_distance(q).0;
                assert!(0.98 * depth <= found.depth.max(small), "{a:?} {b:?} {depth} {found:?}");
            }
        }
    }

    #[test]
    fn parallel_faces_and_edges_that_nearly_touch_lose_no_digits() {
        let random = &mut Random(13);
        for i in 0..2000 {
            let axis = random.direction();
            let (x, y) = axis.any_orthonormal_pair();
            let gap = 10_f64.powf(random.within(-13.0, -1.0));
            let (radius, height) = (random.within(0.1, 2.0), random.within(0.1, 2.0));
            let at = |p: f64, q: f64, z: f64| p * x + q * y + z * axis;
            let round = if i % 2 == 0 {
                RoundShape::Cylinder { radius, height }
            } else {
                RoundShape::Capsule { radius, height }
            };
            let placed = Placed { round, centre: DVec3::ZERO, axis };
            // A face parallel to the side, with corners everywhere; an edge along it.
            let out = radius + gap;
            let side = [at(out, -3.0, 5.0), at(out, 4.0, -4.0), at(out, -2.0, -6.0)];
            let edge = [at(out, 0.0, -3.0), at(out, 0.0, 4.0), at(out + 2.0, 1.0, 0.3)];
            let above = 0.5 * height + gap + if i % 2 == 0 { 0.0 } else { radius };
            let top = [at(-3.0, -2.0, above), at(3.0, -2.0, above), at(0.0, 5.0, above)];
            for corners in [side, edge, top] {
                let found = nearest(&placed, &ConvexShape::Triangle(corners));
                assert!((found.lower - gap).abs() <= 1e-13, "{round:?} {gap} {found:?}");
                assert!((found.upper - gap).abs() <= 1e-13, "{round:?} {gap} {found:?}");
            }
        }
    }
}
