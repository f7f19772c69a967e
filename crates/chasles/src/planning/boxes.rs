//! Oriented boxes, rounded by a radius, that contain static bodies: one tree of boxes per body.

use glam::{DMat3, DVec3};

use crate::body::PreparedMesh;
use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::mesh_screw::chart::narrow;
use crate::motion::Pose;
use crate::pair::shape::{CollisionShape, ShapeBounds};
use crate::planning::chain::narrow_vector;
use crate::sets::volume::number_of;
use crate::shape::Primitive;

/// All points within `radius` of an oriented box, and the numbers of its children in the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RoundedBox {
    /// In the frame of the root link, in metres.
    pub(crate) centre: [f32; 3],
    /// Unit vectors along the edges.
    pub(crate) axes: [[f32; 3]; 3],
    /// Half of the length of each edge.
    pub(crate) half: [f32; 3],
    pub(crate) radius: f32,
    /// Every point whose signed distance from the box is below this is inside the body; less than `radius`. Minus
    /// infinity if no point is known to be inside.
    pub(crate) inner: f32,
    /// The numbers of its children; none for a leaf.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// Approximate maximum number of boxes per body.
const MOST: usize = 512;

/// A body fills its box if its surface is nearer to the sides than this fraction of the smallest half edge.
const SIDES: f64 = 0.05;

/// Boxes are enlarged by this fraction of their size, because their axes are rounded.
const LARGER: f64 = 1e-6;

/// A tree of boxes, the root first, that contains the surface of a static shape within `rounding` metres of a pose.
/// A solid, a cloud or a parametric surface has the root alone, which contains its interior too.
pub(crate) fn boxes(shape: &CollisionShape, pose: &Pose, rounding: f64) -> Vec<RoundedBox> {
    let axes = DMat3::from_quat(pose.rotation());
    let alone = |half: DVec3, radius: f64| {
        let centre = pose.position();
        vec![RoundedBox::new(centre, axes, half, radius + rounding).filled(radius - rounding)]
    };
    match shape.primitive_shape() {
        Some(Primitive::Box { size }) => return alone(0.5 * size, 0.0),
        Some(Primitive::Sphere { radius }) => return alone(DVec3::ZERO, radius),
        Some(Primitive::Capsule { radius, height }) => return alone(0.5 * height * DVec3::Z, radius),
        _ => {}
    }
    if shape.is_set() {
        let extent = shape.extent();
        return vec![RoundedBox::of_extent(
            &ShapeBounds { beyond: extent.beyond + rounding, ..extent },
            pose,
        )];
    }
    of_hierarchy(shape, pose, shape.deviation() + rounding)
}

/// A box that contains a body at a pose, and all points within `grown` metres of the body.
pub(crate) fn hull(body: &PreparedMesh, pose: &Pose, grown: f64) -> RoundedBox {
    of_child(body, (pose, &DMat3::from_quat(pose.rotation())), (0, 0), grown)
}

/// The box of a child in the hierarchy of a body at a pose.
fn of_child(
    body: &PreparedMesh,
    (pose, rotation): (&Pose, &DMat3),
    (block, lane): (u32, usize),
    grown: f64,
) -> RoundedBox {
    let bvh = body.bvh();
    let block = &bvh.boxes[block as usize];
    let vector = |v: &[[f32; WIDTH]; 3]| {
        *rotation * (DVec3::from_array([0, 1, 2].map(|c| f64::from(v[c][lane]))) * bvh.unit)
    };
    let centre = pose.transform_point(body.mesh().centre()) + vector(&block.centre);
    RoundedBox::about(centre, block.axes.each_ref().map(vector), grown)
}

fn of_hierarchy(shape: &CollisionShape, pose: &Pose, grown: f64) -> Vec<RoundedBox> {
    let body = shape.drawn_body();
    let bvh = body.bvh();
    let rotation = DMat3::from_quat(pose.rotation());
    let of_child = |block: u32, lane: usize| of_child(body, (pose, &rotation), (block, lane), grown);
    let mut found = vec![of_child(0, 0)];
    // For each box, the block or leaf of the hierarchy below it.
    let mut below = vec![bvh.boxes[0].child[0]];
    let mut at = 0;
    while at < found.len() && found.len() + WIDTH <= MOST {
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
            inner: f32::NEG_INFINITY,
            first: 0,
            count: 0,
        }
    }

    /// A box that contains an extent at a pose.
    pub(crate) fn of_extent(extent: &ShapeBounds, pose: &Pose) -> Self {
        let axes = DMat3::from_quat(pose.rotation());
        Self::new(pose.transform_point(extent.centre), axes, extent.half, extent.beyond)
    }

    /// This box, where the body contains all points within `inner` metres. The stored value is less, for rounding.
    fn filled(self, inner: f64) -> Self {
        let size = f64::from(self.size()) + self.middle().length();
        Self { inner: narrow(inner - 4.0 * LARGER * size), ..self }
    }

    pub(crate) fn middle(&self) -> DVec3 {
        DVec3::from_array(self.centre.map(f64::from))
    }

    /// This box, the root of a body's tree, marked as filled if no triangle of the body's surface is far from the
    /// sides. The caller must check that the middle of the box is inside the body and that the corners are exact.
    pub(crate) fn filled_within(self, surface: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let depth = |triangle: [DVec3; 3]| {
            let corners = triangle.map(|corner| self.along(corner));
            let below_side = |axis: usize, sense: f64| {
                let half = f64::from(self.half[axis]);
                corners.iter().map(|corner| half - sense * corner[axis]).fold(0.0, f64::max)
            };
            (0..6).map(|side| below_side(side / 2, [-1.0, 1.0][side % 2])).fold(f64::INFINITY, f64::min)
        };
        // No triangle reaches deeper below the sides than the maximum of these depths, d, so the points of the box
        // deeper than d are free of the surface. All points of the box are within sqrt(3) d of such a point.
        let deepest = 3.0_f64.sqrt() * surface.map(depth).fold(0.0, f64::max);
        let least = self.half.into_iter().fold(f32::INFINITY, f32::min);
        if deepest < SIDES * f64::from(least) { self.filled(-deepest) } else { self }
    }

    /// The coordinates of a point along the axes, from the middle.
    fn along(&self, place: DVec3) -> DVec3 {
        let from = place - self.middle();
        DVec3::from_array(self.axes.map(|axis| DVec3::from_array(axis.map(f64::from)).dot(from)))
    }

    /// The signed distance of a point from the sides along each axis, negative between the two sides.
    fn outside(&self, place: DVec3) -> DVec3 {
        self.along(place).abs() - DVec3::from_array(self.half.map(f64::from))
    }

    /// Signed distance of a point from the box, in metres: negative inside, by the distance from the nearest side.
    /// Its rounding error is within the reserve in `inner`.
    pub(crate) fn distance(&self, place: DVec3) -> f64 {
        let outside = self.outside(place);
        outside.max(DVec3::ZERO).length() + outside.max_element().min(0.0)
    }

    /// Whether a point is more than `distance` metres outside the rounded box.
    pub(crate) fn is_beyond(&self, place: DVec3, distance: f64) -> bool {
        self.outside(place).max_element() > f64::from(self.radius) + distance
    }

    /// The box of all points c + s0 g0 + s1 g1 + s2 g2, |s| <= 1, for edges g that may be slightly oblique.
    fn about(centre: DVec3, arms: [DVec3; 3], radius: f64) -> Self {
        let x = arms[0].try_normalize().unwrap_or(DVec3::X);
        let y = (arms[1] - arms[1].dot(x) * x).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
        let axes = DMat3::from_cols(x, y, x.cross(y));
        let half = [x, y, axes.z_axis].map(|axis| arms.iter().map(|arm| axis.dot(*arm).abs()).sum());
        Self::new(centre, axes, DVec3::from_array(half), radius)
    }

    /// The half diagonal of the box plus its radius, in metres.
    pub(crate) fn size(&self) -> f32 {
        let [x, y, z] = self.half;
        (x * x + y * y + z * z).sqrt() + self.radius
    }

    /// Minimum and maximum coordinates of an axis-aligned box that contains this one.
    pub(crate) fn bounds(&self) -> [[f32; 3]; 2] {
        let reach = [0, 1, 2].map(|c| {
            let along = [0, 1, 2].map(|k| self.axes[k][c].abs() * self.half[k]);
            (along[0] + along[1] + along[2] + self.radius) * (1.0 + 1e-5)
        });
        [-1.0, 1.0].map(|sense| [0, 1, 2].map(|c| self.centre[c] + sense * reach[c]))
    }
}
