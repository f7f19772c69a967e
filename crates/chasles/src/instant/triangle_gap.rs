//! The distance of two static triangles: nearest points, and a bound proven by a direction.
//!
//! The points are on the triangles up to rounding, for any shape of the triangles, so their distance is never less
//! than the true distance. It may be larger, especially for slivers, so it is not a lower bound. A direction proves
//! a lower bound: the gap between the extents of the two triangles along it.
//!
//! Nearly parallel lines and nearly degenerate faces need no special case: the component along one edge is
//! subtracted first, so that the component across it keeps its digits.

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::math::distance::point_triangle;

/// The corners of a triangle.
pub(crate) type TriangleCorners = [DVec3; 3];

/// Points of two triangles that are near each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ClosestPoints {
    /// The point on the first and the point on the second triangle.
    pub(crate) points: [DVec3; 2],
    /// The square of their distance.
    pub(crate) squared: f64,
}

/// A vector whose square is below this counts as zero: in units of the pair that is far below all rounding.
const MIN_SQUARE: f64 = 1e-200;

/// The edges of a triangle, prepared for the search for nearest points.
struct TriangleEdges {
    corners: TriangleCorners,
    edges: [DVec3; 3],
    squared: [f64; 3],
    inverse: [f64; 3],
}

impl TriangleEdges {
    fn new(corners: &TriangleCorners) -> Self {
        let [a, b, c] = *corners;
        let edges = [b - a, c - b, a - c];
        let squared = edges.map(DVec3::length_squared);
        // On an edge of zero length every point is at its start.
        let inverse = squared.map(|s| if s > MIN_SQUARE { 1.0 / s } else { 0.0 });
        Self { corners: *corners, edges, squared, inverse }
    }
}

impl ClosestPoints {
    const FAR: Self = Self { points: [DVec3::ZERO; 2], squared: f64::INFINITY };

    fn new(points: [DVec3; 2]) -> Self {
        Self { points, squared: points[0].distance_squared(points[1]) }
    }

    fn improve(&mut self, other: Self) {
        if other.squared < self.squared {
            *self = other;
        }
    }
}

/// The nearest points of two triangles, unless these intersect: the nearest of edges and edges, and of the corners
/// of each and the face of the other.
pub(crate) fn nearest_points(a: &TriangleCorners, b: &TriangleCorners) -> ClosestPoints {
    nearest_points_and_edges(a, b).0
}

/// The same, and an edge of each triangle that contains its point, unless a point is inside a face. Edge i is from
/// corner i to the next.
pub(crate) fn nearest_points_and_edges(
    a: &TriangleCorners,
    b: &TriangleCorners,
) -> (ClosestPoints, Option<[u8; 2]>) {
    let (sides_a, sides_b) = (TriangleEdges::new(a), TriangleEdges::new(b));
    let (mut best, edges) = edges_and_edges(&sides_a, &sides_b);
    let squared_of_edges = best.squared;
    best.improve(corners_and_face(&sides_a, &sides_b));
    let ClosestPoints { points: [on_b, on_a], squared } = corners_and_face(&sides_b, &sides_a);
    best.improve(ClosestPoints { points: [on_a, on_b], squared });
    (best, (best.squared == squared_of_edges).then_some(edges))
}

/// The nearest points of all pairs of edges. Each search starts at the point of the second line nearest to the
/// first, then moves to the nearest point of the first segment, of the second, and of the first again. If the lines
/// are parallel, any start is valid (Ericson 2005, "Real-time collision detection", section 5.1.9).
fn edges_and_edges(a: &TriangleEdges, b: &TriangleEdges) -> (ClosestPoints, [u8; 2]) {
    let mut least = f64::INFINITY;
    // The edges, and the parameters of the nearest points on them.
    let mut place = (0, 0, 0.0, 0.0);
    for i in 0..3 {
        let (l, by_ll) = (a.edges[i], a.inverse[i]);
        for j in 0..3 {
            let (m, by_mm) = (b.edges[j], b.inverse[j]);
            let r = a.corners[i] - b.corners[j];
            let (lm, lr, mr) = (l.dot(m), l.dot(r), m.dot(r));
            let across = m - (lm * by_ll) * l;
            let t = (r - (lr * by_ll) * l).dot(across) / across.length_squared().max(MIN_SQUARE);
            let t = t.clamp(0.0, 1.0);
            let s = ((lm * t - lr) * by_ll).clamp(0.0, 1.0);
            let t = ((lm * s + mr) * by_mm).clamp(0.0, 1.0);
            let s = ((lm * t - lr) * by_ll).clamp(0.0, 1.0);
            let squared = (r + s * l - t * m).length_squared();
            if squared < least {
                least = squared;
                place = (i, j, s, t);
            }
        }
    }
    let (i, j, s, t) = place;
    let nearest = ClosestPoints::new([a.corners[i] + s * a.edges[i], b.corners[j] + t * b.edges[j]]);
    #[expect(clippy::cast_possible_truncation, reason = "they are less than 3")]
    (nearest, [i as u8, j as u8])
}

/// The nearest of the corners of the first triangle above or below the second, with its projection.
fn corners_and_face(a: &TriangleEdges, b: &TriangleEdges) -> ClosestPoints {
    let mut best = ClosestPoints::FAR;
    let longest = if b.squared[0] >= b.squared[1].max(b.squared[2]) {
        0
    } else if b.squared[1] >= b.squared[2] {
        1
    } else {
        2
    };
    // In (s, t), along this edge and across it, the corners are (0, 0), (1, 0) and (k, 1).
    let (origin, edge, by_square) = (b.corners[longest], b.edges[longest], b.inverse[longest]);
    let side = -b.edges[(longest + 2) % 3];
    let k = side.dot(edge) * by_square;
    let across = side - k * edge;
    let height_squared = across.length_squared();
    if height_squared < MIN_SQUARE {
        // No point is above a degenerate triangle; the edges suffice.
        return best;
    }
    let by_height = 1.0 / height_squared;
    for p in a.corners {
        let r = p - origin;
        let s = r.dot(edge) * by_square;
        let t = (r - s * edge).dot(across) * by_height;
        if t >= 0.0 && s >= k * t && s <= 1.0 - (1.0 - k) * t {
            best.improve(ClosestPoints::new([p, origin + (s * edge + t * across)]));
        }
    }
    best
}

/// Common points of two intersecting triangles: on both up to rounding.
pub(crate) fn common_points(a: &TriangleCorners, b: &TriangleCorners) -> ClosestPoints {
    let mut best = nearest_points(a, b);
    // The points at which an edge of one triangle passes through the plane of the other.
    let crossings = |edges: &TriangleCorners, face: &TriangleCorners, swapped: bool| {
        let mut best = ClosestPoints::FAR;
        let normal = (face[1] - face[0]).cross(face[2] - face[0]);
        for i in 0..3 {
            let (p, q) = (edges[i], edges[(i + 1) % 3]);
            let (from, to) = (normal.dot(p - face[0]), normal.dot(q - face[0]));
            let fraction = from / (from - to);
            if (0.0..=1.0).contains(&fraction) {
                let closest = point_triangle(p + fraction * (q - p), face);
                let points = if swapped { [closest.b, closest.a] } else { [closest.a, closest.b] };
                best.improve(ClosestPoints { points, squared: closest.squared });
            }
        }
        best
    };
    best.improve(crossings(a, b, false));
    best.improve(crossings(b, a, true));
    best
}

/// The gap of two triangles along the best of some directions: a lower bound of their distance, up to rounding, and
/// negative if no tried direction separates the triangles. Directions are tried in order of likelihood, until one
/// proves `enough`.
///
/// The direction between the nearest points is best unless these are so near each other that it consists of
/// rounding. The normals of the faces, the common normals of two edges, and the directions across an edge do not
/// depend on the distance.
pub(crate) fn proven_gap(
    a: &TriangleCorners,
    b: &TriangleCorners,
    nearest: &ClosestPoints,
    enough: f64,
) -> f64 {
    let between = nearest.points[1] - nearest.points[0];
    let mut best = gap_along(a, b, unit_along(between));
    if best >= enough {
        return best;
    }
    let mut offer = |candidate: DVec3| {
        let unit = unit_along(candidate);
        best = best.max(gap_along(a, b, unit)).max(gap_along(a, b, -unit));
        best >= enough
    };
    let edges = |t: &TriangleCorners| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (on_a, on_b) = (edges(a), edges(b));
    if offer(on_a[0].cross(on_a[1])) || offer(on_b[0].cross(on_b[1])) {
        return best;
    }
    for l in on_a {
        for m in on_b {
            if offer(l.cross(m)) {
                return best;
            }
        }
    }
    for edge in on_a.into_iter().chain(on_b) {
        if offer(edge.cross(between).cross(edge)) {
            return best;
        }
    }
    best
}

/// The gap between the first and the second triangle along a unit vector; minus infinity for the zero vector.
fn gap_along(a: &TriangleCorners, b: &TriangleCorners, unit: DVec3) -> f64 {
    if unit == DVec3::ZERO {
        return f64::NEG_INFINITY;
    }
    let [a, b] = [a, b].map(|t| t.map(|p| unit.dot(p)));
    b[0].min(b[1]).min(b[2]) - a[0].max(a[1]).max(a[2])
}
