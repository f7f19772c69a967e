//! Whether a point is inside a closed surface: the parity of the number of triangles that a ray from it passes
//! through.
//!
//! The ray is parallel to a coordinate axis, so two coordinates decide which triangles it intersects: it passes
//! through a triangle ahead of the point whose projection along the axis contains the point's projection. All signs
//! are exact. If the point's projection is on the projection of an edge or a corner, the point is displaced by
//! (e, e^2), with an e smaller than any positive number (Edelsbrunner, Mücke 1990, "Simulation of simplicity"). The
//! displaced ray meets no edge; of the two triangles at an edge it passes through one, none or both. It misses
//! triangles whose projection is a line.
//!
//! If the point is on no triangle, it passes through none during this displacement, so the answer for the displaced
//! point is also the answer for the point itself.

use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::body::PreparedMesh;
use crate::bvh::layout::{BoxBlock, LEAF, NONE, WIDTH};
use crate::mesh_screw::overlap::triangles_intersect;

/// The location of a point relative to a closed surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Location {
    /// Rays from the point cross the surface an odd number of times: it is within the skin, not in a hollow.
    Inside,
    /// Rays from the point cross the surface an even number of times.
    Outside,
    /// On a triangle.
    OnSurface,
}

/// The location of a point in the body's frame, in metres. Every edge of the mesh must have an even number of
/// triangles; the surface may intersect itself.
///
/// Exact for the given coordinates, unless these differ so much in size that products of three coordinates, with the
/// largest scaled to one, underflow.
pub(crate) fn is_inside(solid: &PreparedMesh, point: DVec3) -> Location {
    let mut ray = Ray::new(solid, point);
    ray.pass_boxes(0);
    match (ray.on_surface, ray.odd) {
        (true, _) => Location::OnSurface,
        (false, true) => Location::Inside,
        (false, false) => Location::Outside,
    }
}

struct Ray<'a> {
    solid: &'a PreparedMesh,
    /// The axis of the ray, and the two that follow.
    axes: [usize; 3],
    /// Converts coordinates to the frame of an upward ray, with the largest about one: a power of two, exact.
    scale: f64,
    from: DVec3,
    /// The point in the coordinates of the hierarchy, and a bound of its error.
    local: DVec3,
    pad: f64,
    /// Whether an odd number of triangles has been crossed.
    odd: bool,
    on_surface: bool,
}

/// Padding, in units of the hierarchy, for the error of the boxes and of positions in them, which is 1e-14.
const BOXES: f64 = 1e-12;

impl<'a> Ray<'a> {
    /// A ray along the shortest way out of the bounding box.
    fn new(solid: &'a PreparedMesh, point: DVec3) -> Self {
        let (mesh, bvh) = (solid.mesh(), solid.bvh());
        let local = (point - mesh.centre()) / bvh.unit;
        let [lo, hi] = range(&bvh.boxes[0], 0);
        let (mut axis, mut sign, mut shortest) = (0, 1.0, f64::INFINITY);
        for i in 0..3 {
            for (s, w) in [(1.0, hi[i] - local[i]), (-1.0, local[i] - lo[i])] {
                if w < shortest {
                    (axis, sign, shortest) = (i, s, w);
                }
            }
        }
        let [lo, hi] = [point - mesh.centre(), point].map(|p| p.abs().max_element());
        let largest = lo.max(hi) + mesh.radius();
        let mut ray = Self {
            solid,
            axes: [axis, (axis + 1) % 3, (axis + 2) % 3],
            scale: sign * inverse_power(largest),
            from: DVec3::ZERO,
            local,
            pad: BOXES + 4.0 * f64::EPSILON * local.abs().max_element(),
            odd: false,
            on_surface: false,
        };
        ray.from = ray.in_mesh_frame(point);
        ray
    }

    fn in_mesh_frame(&self, point: DVec3) -> DVec3 {
        let [i, j, k] = self.axes;
        self.scale * DVec3::new(point[i], point[j], point[k])
    }

    /// Visits the boxes of a block through which the ray may pass.
    fn pass_boxes(&mut self, block: u32) {
        let block = &self.solid.bvh().boxes[block as usize];
        let lanes = self.lanes(block);
        for (lane, &child) in block.child.iter().enumerate() {
            if self.on_surface {
                return;
            }
            if !lanes[lane] {
            } else if child & LEAF == 0 {
                self.pass_boxes(child);
            } else {
                self.pass_triangles(child & !LEAF);
            }
        }
    }

    /// The boxes of a block through which the ray may pass.
    fn lanes(&self, block: &BoxBlock) -> [bool; WIDTH] {
        let [i, j, k] = self.axes;
        let mut lanes = [false; WIDTH];
        for (lane, passes) in lanes.iter_mut().enumerate() {
            let [lo, hi] = range(block, lane);
            let is_outside = |c: usize| self.local[c] < lo[c] - self.pad || self.local[c] > hi[c] + self.pad;
            let is_behind = if self.scale > 0.0 {
                self.local[i] > hi[i] + self.pad
            } else {
                self.local[i] < lo[i] - self.pad
            };
            *passes = block.child[lane] != NONE && !is_outside(j) && !is_outside(k) && !is_behind;
        }
        lanes
    }

    fn pass_triangles(&mut self, block: u32) {
        let solid = self.solid;
        let faces = solid.bvh().triangles[block as usize].face;
        for face in faces.into_iter().filter(|face| *face != NONE) {
            let corners =
                solid.mesh().triangles()[face as usize].map(|v| self.in_mesh_frame(solid.mesh().vertex(v)));
            if self.is_on(&corners) {
                self.on_surface = true;
                return;
            }
            self.odd ^= self.passes_through(&corners);
        }
    }

    fn is_on(&self, corners: &[DVec3; 3]) -> bool {
        let [a, b, c] = *corners;
        let p = self.from;
        p.cmpge(a.min(b).min(c)).all()
            && p.cmple(a.max(b).max(c)).all()
            && height(corners, p) == 0.0
            && triangles_intersect(&[p; 3], corners)
    }

    /// Whether the displaced ray passes through a triangle that does not contain the point.
    fn passes_through(&self, corners: &[DVec3; 3]) -> bool {
        let [a, b, c] = *corners;
        let p = self.from;
        let (lo, hi) = (a.min(b).min(c), a.max(b).max(c));
        if p.x > hi.x || p.y < lo.y || p.y > hi.y || p.z < lo.z || p.z > hi.z {
            return false;
        }
        let orientations = [self.orientation(a, b), self.orientation(b, c), self.orientation(c, a)];
        if orientations[0] == 0.0 || orientations[1] != orientations[0] || orientations[2] != orientations[0]
        {
            return false;
        }
        // Seen against the ray, the corners have the orientation `orientations`: the triangle is above the point if the
        // height has that sign.
        height(corners, p) * orientations[0] > 0.0
    }

    /// The orientation of an edge's projection about the projection of the moved point: 1, -1, or 0 if the edge's
    /// projection is a point.
    fn orientation(&self, v: DVec3, w: DVec3) -> f64 {
        let shadow = |p: DVec3| Coord { x: p.y, y: p.z };
        // The determinant, and its derivatives by the first and the second coordinate of the point.
        let signs = [orient2d(shadow(v), shadow(w), shadow(self.from)), v.z - w.z, w.y - v.y];
        let first = signs.into_iter().find(|s| *s != 0.0);
        first.map_or(0.0, f64::signum)
    }
}

/// Positive if the corners run counter-clockwise, seen from the side of their plane opposite to the point.
fn height([a, b, c]: &[DVec3; 3], p: DVec3) -> f64 {
    let coord = |p: &DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    orient3d(coord(a), coord(b), coord(c), coord(&p))
}

/// The lower and upper corner of a box's bounding box, in the unit of its hierarchy.
pub(crate) fn range(block: &BoxBlock, lane: usize) -> [DVec3; 2] {
    let vector = |v: &[[f32; WIDTH]; 3]| DVec3::from_array(v.map(|x| f64::from(x[lane])));
    let half: DVec3 = block.axes.iter().map(|axis| vector(axis).abs()).sum();
    let centre = vector(&block.centre);
    [centre - half, centre + half]
}

/// A power of two that scales a number to about one, if such a power exists.
fn inverse_power(x: f64) -> f64 {
    /// 2^1000 and its reciprocal.
    const LIMITS: [f64; 2] = [f64::from_bits(23 << 52), f64::from_bits(2023 << 52)];
    let power = f64::from_bits(x.to_bits() & f64::INFINITY.to_bits());
    1.0 / power.clamp(LIMITS[0], LIMITS[1])
}
