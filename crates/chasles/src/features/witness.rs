//! Witnesses: margins by which two surfaces intersect at one time.
//!
//! An edge passes through a triangle until one of its ends reaches the triangle, or the edge reaches the border of
//! the triangle: as long as every point moves by less than the minimum of these distances. So surfaces that
//! intersect now provably intersect for some time, however they move.

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::math::distance::{Closest, point_triangle, segment_segment};

/// The distance, in metres, by which every point of an edge or of a face may move, while the other is static,
/// before the edge may cease to pass through the face; 0 if it does not pass through. A position error of the
/// corners reduces this margin by four times the error.
pub(crate) fn edge_margin([p, q]: [DVec3; 2], face: &[DVec3; 3]) -> f64 {
    if !passes_through([p, q], face) {
        return 0.0;
    }
    let [a, b, c] = *face;
    let ends = [p, q].map(|end| proven(&point_triangle(end, face), &[end], face));
    let border = [[a, b], [b, c], [c, a]].map(|side| proven(&segment_segment([p, q], side), &[p, q], &side));
    ends.into_iter().chain(border).fold(f64::INFINITY, f64::min)
}

/// Whether an edge passes through a face as computed: its ends are on opposite sides of the plane, and it
/// intersects the plane inside the border, on the same side of all three edges.
pub(crate) fn passes_through([p, q]: [DVec3; 2], [a, b, c]: &[DVec3; 3]) -> bool {
    let normal = unit_along((*b - *a).cross(*c - *a));
    let (above, below) = (normal.dot(p - *a), normal.dot(q - *a));
    let at = p + (above / (above - below)) * (q - p);
    let is_inside = |[v, w]: [&DVec3; 2]| normal.cross(*w - *v).dot(at - *v) > 0.0;
    above * below < 0.0 && [[a, b], [b, c], [c, a]].into_iter().all(is_inside)
}

/// For two triangles, the edges of each that provably pass through the other, by any margin, if corners have an
/// error of up to `rounding`. Edge i runs from corner i to corner i + 1; the edges of `a` come first.
pub(crate) fn edges_through(a: &[DVec3; 3], b: &[DVec3; 3], rounding: f64) -> [[bool; 3]; 2] {
    if is_on_one_side(a, b) || is_on_one_side(b, a) {
        return [[false; 3]; 2];
    }
    let through = |edges: &[DVec3; 3], face: &[DVec3; 3]| {
        [[0, 1], [1, 2], [2, 0]].map(|[i, j]| edge_margin([edges[i], edges[j]], face) > 4.0 * rounding)
    };
    [through(a, b), through(b, a)]
}

/// Whether all corners of a triangle are on one side of the plane of another, as computed. Then no edge of one
/// provably passes through the other.
fn is_on_one_side(corners: &[DVec3; 3], [a, b, c]: &[DVec3; 3]) -> bool {
    let normal = (*b - *a).cross(*c - *a);
    let heights = corners.map(|corner| normal.dot(corner - *a));
    heights.iter().all(|height| *height > 0.0) || heights.iter().all(|height| *height < 0.0)
}

/// A lower bound of the distance of two convex hulls, proven along the direction between their closest points.
fn proven(closest: &Closest, a: &[DVec3], b: &[DVec3]) -> f64 {
    let direction = unit_along(closest.b - closest.a);
    let far = a.iter().map(|p| direction.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
    let near = b.iter().map(|p| direction.dot(*p)).fold(f64::INFINITY, f64::min);
    near - far
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh_screw::overlap::triangles_intersect;
    use chasles_testing::cases;

    /// The maximum margin of any edge of one triangle through the other, reduced for the error of the corners.
    fn margin(a: &[DVec3; 3], b: &[DVec3; 3], rounding: f64) -> f64 {
        let edges = |t: &[DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let margins = edges(a).map(|edge| edge_margin(edge, b)).into_iter();
        let margins = margins.chain(edges(b).map(|edge| edge_margin(edge, a)));
        let margin = margins.fold(0.0, f64::max) - 4.0 * rounding;
        let through = edges_through(a, b, rounding).as_flattened().contains(&true);
        assert_eq!(through, margin > 0.0);
        margin.max(0.0)
    }

    const FLOOR: [DVec3; 3] =
        [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];

    #[test]
    fn a_spike_through_a_floor() {
        let spike = [DVec3::new(0.0, 0.0, -0.25), DVec3::new(0.0, 0.0, 2.0), DVec3::new(5.0, 0.0, 2.0)];
        assert!((margin(&FLOOR, &spike, 0.0) - 0.25).abs() < 1e-15);
        assert!((margin(&spike, &FLOOR, 0.01) - 0.21).abs() < 1e-15);
        let away = spike.map(|p| p + 3.0 * DVec3::Y);
        assert_eq!(margin(&FLOOR, &away, 0.0), 0.0);
    }

    /// If each corner moves by less than the margin, in any direction, the triangles still intersect.
    #[test]
    fn triangles_displaced_within_the_margin_still_intersect() {
        let mut seed = 3_u64;
        let mut number = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(seed >> 33).unwrap()) / f64::from(1_u32 << 30) - 1.0
        };
        let mut vector = move || DVec3::new(number(), number(), number());
        let (mut tried, mut kept) = (0, 0);
        for case in 0..cases(4_000, 20_000) {
            let flat = if case % 3 == 0 { 1e-4 } else { 1.0 };
            let a = [(); 3].map(|()| vector() * DVec3::new(1.0, 1.0, flat));
            let b = [(); 3].map(|()| vector());
            let distance = margin(&a, &b, 0.0);
            if distance == 0.0 {
                continue;
            }
            tried += 1;
            for _ in 0..20 {
                let moved = b.map(|p| p + 0.999 * distance * unit_along(vector()));
                kept += 1;
                assert!(triangles_intersect(&a, &moved), "{a:?} {b:?} {distance}");
            }
        }
        assert!(tried > 150 && kept > 3_000, "{tried}");
    }
}
