//! How long a surface provably passes through a closed surface of any shape: while one of its points stays inside, and
//! another outside.
//!
//! A connected piece of a surface with points on both sides of a closed surface meets that surface. A point comes to
//! the other side no sooner than it has gone as far as the surface is away. Deep inside this lasts for far longer than
//! an edge stays in a triangle.

use glam::DVec3;

use crate::body::{MeshSurface, PreparedMesh};
use crate::instant::inside::{Location, is_inside};
use crate::instant::nearest_on::nearest_on;
use crate::math::safe_time::safe_time;
use crate::mesh_motion::passing::{MovingPoint, Passing};

/// Two points of a piece of a body, from the centre of its mesh on: one inside of the other body, one outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Across {
    inside: DVec3,
    outside: DVec3,
}

/// Bodies of more pieces are asked about the first of them only.
const PIECES: usize = 8;

/// So many points that are in the box around the other body are asked whether they are outside of it, where no point is
/// out of the box.
const OUTSIDE: usize = 4;

/// The pair of points that shows for longest that a body which moves past another one meets its surface, and for how
/// many seconds; `None` if the other body is not closed, or no piece reaches through its surface.
pub(crate) fn longest_witness(
    moving: &MeshSurface<'_>,
    other: &PreparedMesh,
    passing: &Passing,
) -> Option<(Across, f64)> {
    if !other.mesh().around().is_closed() {
        return None;
    }
    let mut best: Option<(Across, f64)> = None;
    for piece in 0..moving.pieces.count().min(PIECES) {
        let points = moving.pieces.outermost(piece);
        let sides = [Location::Inside, Location::Outside].map(|side| {
            let mut most = (0.0, DVec3::ZERO);
            let mut asked = 0;
            for local in points {
                let corner = passing.corner(*local);
                let out = out_of_box(other, &corner);
                // Out of the box there is nothing inside, and mostly the furthest outside.
                let wanted = match side {
                    Location::Inside => out <= 0.0,
                    _ => out > 0.0 || most.0 <= 0.0 && asked < OUTSIDE,
                };
                if wanted {
                    asked += 1;
                    let stays = same_side_for(other, (&corner, out), side, passing);
                    if stays > most.0 {
                        most = (stays, *local);
                    }
                }
            }
            most
        });
        let [(inside_for, inside), (outside_for, outside)] = sides;
        let lasts = inside_for.min(outside_for);
        if lasts > best.map_or(0.0, |(_, longest)| longest) {
            best = Some((Across { inside, outside }, lasts));
        }
    }
    best
}

impl Across {
    /// For how many seconds it certainly shows that the body which moves past the other one meets its surface.
    pub(crate) fn holds_for(&self, other: &PreparedMesh, passing: &Passing) -> f64 {
        let [inside, outside] = [self.inside, self.outside].map(|local| passing.corner(local));
        let inside = same_side_for(other, (&inside, out_of_box(other, &inside)), Location::Inside, passing);
        if inside <= 0.0 {
            return 0.0;
        }
        inside.min(same_side_for(other, (&outside, out_of_box(other, &outside)), Location::Outside, passing))
    }
}

/// How far a corner is out of the box around a body; negative inside of the box.
fn out_of_box(body: &PreparedMesh, corner: &MovingPoint) -> f64 {
    (corner.at.abs() - body.mesh().half_size()).max_element()
}

/// For how many seconds a corner certainly stays on a side of a closed surface; 0 where it is not there.
fn same_side_for(
    body: &PreparedMesh,
    (corner, out): (&MovingPoint, f64),
    side: Location,
    passing: &Passing,
) -> f64 {
    let room = if out > 0.0 {
        if side == Location::Outside { out } else { 0.0 }
    } else {
        let at = body.mesh().centre() + corner.at;
        if is_inside(body, at) == side {
            nearest_on(body, at, f64::INFINITY).map_or(0.0, |nearest| nearest.distance)
        } else {
            0.0
        }
    };
    safe_time(room - 2.0 * passing.rounding, corner.velocity.length() + passing.drift, passing.bend)
}
