//! How long an edge that passes through a triangle provably does so while one of them moves.
//!
//! It does until one of its ends comes to the triangle, or it comes to the triangle's border: until one of five pairs of features
//! meets. Each of these is kept apart by a direction, along which the gap changes with the velocities of the corners, and by their greatest
//! acceleration. Against a bound for all directions and points ([`edge_margin`](crate::features::witness::edge_margin)) that is
//! long where an edge slides along a face, or goes deeper.

use crate::ahead::passing::{Corner, Passing};
use crate::features::distance::{Closest, point_triangle, segment_segment};
use crate::math::direction::unit_along;
use crate::math::safe_time::safe_time;

/// For how many seconds an edge provably passes through a face; 0 where it does not, or nothing is proven. Only one of them moves.
pub(crate) fn holds_for(edge: &[Corner; 2], face: &[Corner; 3], passing: &Passing) -> f64 {
    let [p, q] = edge.map(|corner| corner.at);
    let [a, b, c] = face.map(|corner| corner.at);
    let normal = unit_along((b - a).cross(c - a));
    let (above, below) = (normal.dot(p - a), normal.dot(q - a));
    // From one side to the other, and there inside the border: on the same side of all three edges.
    if above * below >= 0.0 {
        return 0.0;
    }
    let at = p + (above / (above - below)) * (q - p);
    let sides = [[0, 1], [1, 2], [2, 0]].map(|side: [usize; 2]| side.map(|i| face[i]));
    if !sides.iter().all(|[v, w]| normal.cross(w.at - v.at).dot(at - v.at) > 0.0) {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for end in edge {
        let closest = point_triangle(end.at, &[a, b, c]);
        least = least.min(apart_for(&closest, (&[*end], face), passing));
    }
    for side in &sides {
        if least <= 0.0 {
            return 0.0;
        }
        let closest = segment_segment([p, q], side.map(|corner| corner.at));
        least = least.min(apart_for(&closest, (edge, side), passing));
    }
    // What is no number proves nothing.
    if least > 0.0 { least } else { 0.0 }
}

/// For how many seconds two features are kept apart by the direction from the one's closest point to the other's.
fn apart_for(closest: &Closest, (first, second): (&[Corner], &[Corner]), passing: &Passing) -> f64 {
    let direction = unit_along(closest.b - closest.a);
    let mut least = f64::INFINITY;
    for near in first {
        for far in second {
            let gap = direction.dot(far.at - near.at) - 4.0 * passing.rounding;
            let speed = direction.dot(far.velocity - near.velocity) - 2.0 * passing.drift;
            least = least.min(safe_time(gap, -speed, passing.bend));
        }
    }
    least
}
