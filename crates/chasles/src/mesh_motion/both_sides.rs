//! The time for which a surface provably passes through a closed surface of any shape: as long as one of its points
//! stays inside, and another outside.
//!
//! A connected piece of a surface with points on both sides of a closed surface intersects that surface. A point
//! cannot reach the other side before it has moved by its distance from the surface. Deep inside, this takes far
//! longer than the time for which an edge stays in a triangle.

use glam::DVec3;

use crate::body::{MeshSurface, PreparedMesh};
use crate::instant::inside::{Location, is_inside};
use crate::instant::nearest_on::nearest_on;
use crate::math::safe_time::safe_time;
use crate::mesh_motion::relative_state::{MovingPoint, RelativeState};

/// Two points of a piece of a body, relative to the centre of its mesh: one inside the other body, one outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PointsOnBothSides {
    inside: DVec3,
    outside: DVec3,
}

/// Maximum number of pieces of a body that are tested.
const PIECES: usize = 8;

/// Maximum number of points inside the box around the other body that are tested for being outside of the body, if
/// no point is outside the box.
const OUTSIDE: usize = 4;

/// The pair of points that proves for the longest time that the moving body intersects the other's surface, and
/// this time in seconds; `None` if the other body is not closed, or no piece extends through its surface.
pub(crate) fn longest_witness(
    moving: &MeshSurface<'_>,
    other: &PreparedMesh,
    state: &RelativeState,
) -> Option<(PointsOnBothSides, f64)> {
    if !other.mesh().around().is_closed() {
        return None;
    }
    let mut best: Option<(PointsOnBothSides, f64)> = None;
    for piece in 0..moving.pieces.count().min(PIECES) {
        let points = moving.pieces.outermost(piece);
        let sides = [Location::Inside, Location::Outside].map(|side| {
            let mut best_point = (0.0, DVec3::ZERO);
            let mut tested = 0;
            for local in points {
                let corner = state.corner(*local);
                let out = out_of_box(other, &corner);
                // Points outside the box are not inside the body, and are usually the furthest outside.
                let is_candidate = match side {
                    Location::Inside => out <= 0.0,
                    _ => out > 0.0 || best_point.0 <= 0.0 && tested < OUTSIDE,
                };
                if is_candidate {
                    tested += 1;
                    let stays = same_side_for(other, &corner, out, side, state);
                    if stays > best_point.0 {
                        best_point = (stays, *local);
                    }
                }
            }
            best_point
        });
        let [(inside_for, inside), (outside_for, outside)] = sides;
        let both_for = inside_for.min(outside_for);
        if both_for > best.map_or(0.0, |(_, longest)| longest) {
            best = Some((PointsOnBothSides { inside, outside }, both_for));
        }
    }
    best
}

impl PointsOnBothSides {
    /// The time in seconds for which the points prove that the moving body intersects the other's surface.
    pub(crate) fn intersecting_for(&self, other: &PreparedMesh, state: &RelativeState) -> f64 {
        let [inside, outside] = [self.inside, self.outside].map(|local| state.corner(local));
        let inside = same_side_for(other, &inside, out_of_box(other, &inside), Location::Inside, state);
        if inside <= 0.0 {
            return 0.0;
        }
        inside.min(same_side_for(other, &outside, out_of_box(other, &outside), Location::Outside, state))
    }
}

/// The distance of a corner from the box around a body; negative inside the box.
fn out_of_box(body: &PreparedMesh, corner: &MovingPoint) -> f64 {
    (corner.at.abs() - body.mesh().half_size()).max_element()
}

/// The time in seconds for which a corner certainly stays on a side of a closed surface; 0 if it is not on that
/// side.
fn same_side_for(
    body: &PreparedMesh,
    corner: &MovingPoint,
    out: f64,
    side: Location,
    state: &RelativeState,
) -> f64 {
    let distance = if out > 0.0 {
        if side == Location::Outside { out } else { 0.0 }
    } else {
        let at = body.mesh().centre() + corner.at;
        if is_inside(body, at) == side {
            nearest_on(body, at, f64::INFINITY).map_or(0.0, |nearest| nearest.distance)
        } else {
            0.0
        }
    };
    safe_time(distance - 2.0 * state.rounding, corner.velocity.length() + state.drift, state.acceleration)
}
