//! Boxes, rounded by a radius, that hold what stands: a tree of them for each body.

use glam::{DMat3, DVec3};

use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::motion::Pose;
use crate::pair::shape::SceneShape;
use crate::planning::chain::narrow_vector;
use crate::search::chart::narrow;
use crate::shape::Primitive;
use crate::solid::volume::number_of;

/// All points that are within `radius` of an oriented box, and the boxes inside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RoundedBox {
    /// In the frame of the root link, in metres.
    pub(crate) centre: [f32; 3],
    /// Unit vectors along the edges.
    pub(crate) axes: [[f32; 3]; 3],
    /// Half of the length of each edge.
    pub(crate) half: [f32; 3],
    pub(crate) radius: f32,
    /// The numbers of the boxes inside it; none: it is a leaf.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// Boxes of one body, at most about so many.
const MOST: usize = 512;

/// A box is made larger by this share of its size: its axes are rounded.
const LARGER: f64 = 1e-6;

/// A tree of boxes, the root first, that holds the surface of a shape that stands within `rounding` metres of a pose.
/// Where the shape is solid there is the root alone, which holds its inside too.
pub(crate) fn boxes((shape, solid): (&SceneShape, bool), pose: &Pose, rounding: f64) -> Vec<RoundedBox> {
    let axes = DMat3::from_quat(pose.rotation());
    let alone = |half: DVec3, radius: f64| {
        let centre = pose.position();
        vec![RoundedBox::new(centre, axes, half, radius + rounding)]
    };
    match shape.primitive_shape() {
        Some(Primitive::Box { size }) => return alone(0.5 * size, 0.0),
        Some(Primitive::Sphere { radius }) => return alone(DVec3::ZERO, radius),
        Some(Primitive::Capsule { radius, height }) => return alone(0.5 * height * DVec3::Z, radius),
        _ => {}
    }
    if shape.is_set() {
        let extent = shape.extent();
        let centre = pose.transform_point(extent.centre);
        return vec![RoundedBox::new(centre, axes, extent.half, extent.beyond + rounding)];
    }
    of_hierarchy(shape, pose, (shape.deviation() + rounding, if solid { 1 } else { MOST }))
}

fn of_hierarchy(shape: &SceneShape, pose: &Pose, (grown, most): (f64, usize)) -> Vec<RoundedBox> {
    let body = shape.drawn_body();
    let (bvh, mesh) = (body.bvh(), body.mesh());
    let turn = DMat3::from_quat(pose.rotation());
    let of_child = |block: u32, lane: usize| {
        let block = &bvh.boxes[block as usize];
        let vector = |v: &[[f32; WIDTH]; 3]| {
            turn * (DVec3::from_array([0, 1, 2].map(|c| f64::from(v[c][lane]))) * bvh.unit)
        };
        let centre = pose.transform_point(mesh.centre()) + vector(&block.centre);
        RoundedBox::about(centre, block.axes.each_ref().map(vector), grown)
    };
    let mut found = vec![of_child(0, 0)];
    // Boxes, and the block or the leaf below each.
    let mut below = vec![bvh.boxes[0].child[0]];
    let mut at = 0;
    while at < found.len() && found.len() + WIDTH <= most {
        let block = below[at];
        if block & LEAF == 0 {
            let first = found.len();
            for lane in 0..WIDTH {
                let child = bvh.boxes[block as usize].child[lane];
                if child != NONE {
                    found.push(of_child(block, lane));
                    below.push(child);
                }
            }
            (found[at].first, found[at].count) = (number_of(first), number_of(found.len() - first));
        }
        at += 1;
    }
    found
}

impl RoundedBox {
    fn new(centre: DVec3, axes: DMat3, half: DVec3, radius: f64) -> Self {
        let size = half.length() + radius + centre.length();
        Self {
            centre: narrow_vector(centre),
            axes: [axes.x_axis, axes.y_axis, axes.z_axis].map(narrow_vector),
            half: narrow_vector(half),
            radius: narrow(radius + LARGER * size),
            first: 0,
            count: 0,
        }
    }

    /// The box of all points c + s0 g0 + s1 g1 + s2 g2, |s| <= 1, where the edges may be a little askew.
    fn about(centre: DVec3, arms: [DVec3; 3], radius: f64) -> Self {
        let x = arms[0].try_normalize().unwrap_or(DVec3::X);
        let y = (arms[1] - arms[1].dot(x) * x).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
        let axes = DMat3::from_cols(x, y, x.cross(y));
        let half = [x, y, axes.z_axis].map(|axis| arms.iter().map(|arm| axis.dot(*arm).abs()).sum());
        Self::new(centre, axes, DVec3::from_array(half), radius)
    }

    /// The size of the box, in metres.
    pub(crate) fn size(&self) -> f32 {
        let [x, y, z] = self.half;
        (x * x + y * y + z * z).sqrt() + self.radius
    }

    /// The least and the greatest coordinates of a box about this one.
    pub(crate) fn bounds(&self) -> [[f32; 3]; 2] {
        let reach = [0, 1, 2].map(|c| {
            let along = [0, 1, 2].map(|k| self.axes[k][c].abs() * self.half[k]);
            (along[0] + along[1] + along[2] + self.radius) * (1.0 + 1e-5)
        });
        [-1.0, 1.0].map(|sense| [0, 1, 2].map(|c| self.centre[c] + sense * reach[c]))
    }
}
