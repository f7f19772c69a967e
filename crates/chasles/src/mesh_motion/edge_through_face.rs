//! The time for which an edge provably passes through a triangle while one of the two moves.
//!
//! The edge passes through until one of its ends reaches the triangle, or the edge reaches the triangle's border:
//! until one of five pairs of features meets. A direction separates each pair; along it the gap changes with the
//! velocities of the corners, and with at most their maximum acceleration. If an edge slides along a face, or moves
//! deeper, this time is much longer than a bound for all directions and points
//! ([`edge_margin`](crate::features::witness::edge_margin)).

use crate::features::witness::passes_through;
use crate::math::direction::unit_along;
use crate::math::distance::{Closest, point_triangle, segment_segment};
use crate::math::safe_time::safe_time;
use crate::mesh_motion::relative_state::{MovingPoint, RelativeState};

/// The time in seconds for which an edge provably passes through a face; 0 if it does not, or without a proof. Only
/// one of the two moves.
pub(crate) fn passes_through_for(
    edge: &[MovingPoint; 2],
    face: &[MovingPoint; 3],
    state: &RelativeState,
) -> f64 {
    let (ends, corners) = (edge.map(|corner| corner.at), face.map(|corner| corner.at));
    if !passes_through(ends, &corners) {
        return 0.0;
    }
    let sides = [[0, 1], [1, 2], [2, 0]].map(|side: [usize; 2]| side.map(|i| face[i]));
    let mut shortest = f64::INFINITY;
    for end in edge {
        let closest = point_triangle(end.at, &corners);
        shortest = shortest.min(separated_for(&closest, &[*end], face, state));
    }
    for side in &sides {
        if shortest <= 0.0 {
            return 0.0;
        }
        let closest = segment_segment(ends, side.map(|corner| corner.at));
        shortest = shortest.min(separated_for(&closest, edge, side, state));
    }
    // A NaN time proves nothing.
    if shortest > 0.0 { shortest } else { 0.0 }
}

/// The time in seconds for which the direction between their closest points separates two features.
fn separated_for(
    closest: &Closest,
    first: &[MovingPoint],
    second: &[MovingPoint],
    state: &RelativeState,
) -> f64 {
    let direction = unit_along(closest.b - closest.a);
    let mut shortest = f64::INFINITY;
    for near in first {
        for far in second {
            let gap = direction.dot(far.at - near.at) - 4.0 * state.rounding;
            let speed = direction.dot(far.velocity - near.velocity) - 2.0 * state.drift;
            shortest = shortest.min(safe_time(gap, -speed, state.acceleration));
        }
    }
    shortest
}
