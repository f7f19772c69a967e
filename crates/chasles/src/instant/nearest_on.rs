//! The point of a surface nearest to a given point.

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::instant::inside::range;
use crate::math::distance::point_triangle;

/// Boxes of the hierarchy are enlarged by this, in its unit: more than f32 rounding.
pub(crate) const PAD: f64 = 1e-6;

/// The point of a mesh nearest to a given point, its distance, and its triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestOn {
    pub(crate) point: DVec3,
    pub(crate) distance: f64,
    pub(crate) face: u32,
}

/// The point of a mesh nearest to a given point, and its distance, if that is at most `within`.
pub(crate) fn nearest_on(solid: &PreparedMesh, point: DVec3, within: f64) -> Option<NearestOn> {
    nearest_with(solid, point, within, None)
}

/// The same; `likely` is a triangle to try first.
pub(crate) fn nearest_with(
    solid: &PreparedMesh,
    point: DVec3,
    within: f64,
    likely: Option<u32>,
) -> Option<NearestOn> {
    let bvh = solid.bvh();
    let from_centre = point - solid.mesh().centre();
    let local = from_centre / bvh.unit;
    let on = |face: u32| {
        let closest = point_triangle(from_centre, &solid.mesh().local_triangle(face));
        let point = closest.b + solid.mesh().centre();
        NearestOn { point, distance: closest.squared.sqrt(), face }
    };
    let mut best = NearestOn { point: DVec3::ZERO, distance: f64::INFINITY, face: 0 };
    if let Some(face) = likely {
        let first = on(face);
        // A NaN distance compares false.
        if first.distance < best.distance {
            best = first;
        }
    }
    let mut open: Vec<(f64, u32)> = vec![(0.0, 0)];
    while let Some((distance, block)) = open.pop() {
        if distance * bvh.unit > best.distance.min(within) {
            continue;
        }
        if block & LEAF != 0 {
            let found = bvh.triangles[(block & !LEAF) as usize].face.into_iter().filter(|face| *face != NONE);
            for face in found {
                let next = on(face);
                if next.distance < best.distance {
                    best = next;
                }
            }
            continue;
        }
        let boxes = &bvh.boxes[block as usize];
        let from = open.len();
        for lane in 0..WIDTH {
            if boxes.child[lane] != NONE {
                let [lo, hi] = range(boxes, lane);
                let outside = (lo - local).max(local - hi).max(DVec3::ZERO);
                open.push(((outside.length() - 2.0 * PAD).max(0.0), boxes.child[lane]));
            }
        }
        // The nearest is last, so that it is taken first.
        open[from..].sort_by(|x, y| y.0.total_cmp(&x.0));
    }
    (best.distance <= within).then_some(best)
}
