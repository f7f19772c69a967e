//! Tests many turns of a flow line at once against the parts of a surface that matter.
//!
//! All turns of a line between two times lie on a **band**: the part of a cylinder about the axis between two
//! heights. If no part of the surface that matters intersects the band, all its turns are skipped in one step,
//! however many there are.

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::bvh::layout::{BoxBlock, LEAF, NONE};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::distance::point_triangle;
use crate::screen::facing::{FacingMesh, outward};

/// The flow in the axes of a mesh, as a function of the position relative to the mesh's centre.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlowInMesh {
    /// Unit direction of the axis.
    pub(crate) direction: DVec3,
    pub(crate) slide: DVec3,
    pub(crate) omega: DVec3,
    /// The velocity across the axis at the centre of the mesh.
    pub(crate) across: DVec3,
}

impl FlowInMesh {
    /// The velocity across the axis: its length is the distance from the axis times the angle, and it is
    /// perpendicular to the radius.
    pub(crate) fn across_at(&self, place: DVec3) -> DVec3 {
        self.across + self.omega.cross(place)
    }
}

/// The part of a cylinder about the axis between two heights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Band {
    /// Bounds of the speed across the axis. They replace bounds of the radius, because they need no point of the
    /// axis.
    pub(crate) across: [f64; 2],
    /// Bounds of the height along the axis, measured from the mesh's centre.
    pub(crate) along: [f64; 2],
}

impl Band {
    /// Whether two bands intersect.
    fn intersects(&self, other: &Self) -> bool {
        let are_separated = |p: [f64; 2], q: [f64; 2]| p[1] < q[0] || q[1] < p[0];
        !(are_separated(self.across, other.across) || are_separated(self.along, other.along))
    }
}

/// The surface of a body, searched for parts that matter in a band.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BandSearch<'s, 'a> {
    pub(crate) body: &'a PreparedMesh,
    pub(crate) faced: &'s FacingMesh<'a>,
    pub(crate) flow: &'s FlowInMesh,
}

/// Steps of the budget per block.
const STEPS: u64 = 16;

/// Relative error of the lengths of box axes.
const SKEW: f64 = 1e-6;

impl BandSearch<'_, '_> {
    /// Returns whether a part of the surface that matters may intersect a band; `false` is proven. `stack` is memory
    /// that is reused.
    ///
    /// # Errors
    /// [`OutOfBudget`]
    pub(crate) fn may_intersect(
        &self,
        band: &Band,
        stack: &mut Vec<u32>,
        budget: &mut Budget<'_>,
    ) -> Result<bool, OutOfBudget> {
        let bvh = self.body.bvh();
        stack.clear();
        stack.push(0);
        while let Some(child) = stack.pop() {
            budget.take(STEPS)?;
            if child & LEAF == 0 {
                let block = &bvh.boxes[child as usize];
                let children = (0..block.child.len()).filter(|i| block.child[*i] != NONE);
                let children = children.filter(|i| self.box_may_intersect(block, *i, band));
                stack.extend(children.map(|i| block.child[i]));
            } else {
                let faces = bvh.triangles[(child & !LEAF) as usize].face;
                let mut faces = faces.into_iter().take_while(|face| *face != NONE);
                if faces.any(|face| self.face_intersects(face, band)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a box of a block may intersect a band.
    fn box_may_intersect(&self, block: &BoxBlock, i: usize, band: &Band) -> bool {
        let (unit, flow) = (self.body.bvh().unit, self.flow);
        let vector = |v: &[[f32; 8]; 3]| unit * DVec3::from_array(v.map(|x| f64::from(x[i])));
        let (centre, axes) = (vector(&block.centre), block.axes.each_ref().map(vector));
        let (across, height) = (flow.across_at(centre).length(), flow.direction.dot(centre));
        let sum = |of: &dyn Fn(&DVec3) -> f64| axes.iter().map(of).sum::<f64>();
        let skew = SKEW * sum(&|axis| axis.length());
        let wide = sum(&|axis| flow.omega.cross(*axis).length()) + flow.omega.length() * skew;
        let tall = sum(&|axis| flow.direction.dot(*axis).abs()) + skew;
        band.intersects(&Band {
            across: [across - wide, across + wide],
            along: [height - tall, height + tall],
        })
    }

    /// Whether the part of a face that matters intersects a band.
    fn face_intersects(&self, face: u32, band: &Band) -> bool {
        let (faced, flow) = (self.faced, self.flow);
        let corners = faced.mesh.local_triangle(face);
        let normal = outward(faced.mesh, face);
        let facing = corners.map(|corner| normal.dot(flow.slide + flow.across_at(corner)));
        // n.v is affine on the face, so a straight line bounds the part that matters. The cut is at n.v = 0, which
        // leaves a little more than the part where n.v exceeds the speed tolerance.
        if !facing.iter().any(|facing| faced.matters(*facing)) {
            return false;
        }
        let leads = facing.iter().any(|facing| *facing > 0.0 && faced.matters(*facing));
        let sign = if leads { 1.0 } else { -1.0 };
        let height = |place: DVec3| flow.direction.dot(place);
        let part = Polygon::new(corners)
            .cut(|place| sign * normal.dot(flow.slide + flow.across_at(place)))
            .cut(|place| height(place) - band.along[0])
            .cut(|place| band.along[1] - height(place));
        let part = &part.corners[..part.count];
        let bounds = |of: &dyn Fn(&DVec3) -> f64| {
            let start = [f64::INFINITY, f64::NEG_INFINITY];
            part.iter().map(of).fold(start, |[lo, hi], x| [lo.min(x), hi.max(x)])
        };
        let [_, fastest] = bounds(&|corner| flow.across_at(*corner).length());
        let slowest = part.windows(2).skip(1).map(|pair| {
            let triangle = [part[0], pair[0], pair[1]].map(|corner| flow.across_at(corner));
            point_triangle(DVec3::ZERO, &triangle).squared.sqrt()
        });
        let slowest = slowest.fold(f64::INFINITY, f64::min);
        let around =
            Band { across: [slowest, fastest], along: bounds(&|corner| flow.direction.dot(*corner)) };
        // A NaN bound, from a coordinate that is too large, compares false and keeps the face.
        !part.is_empty() && band.intersects(&around)
    }
}

/// A convex polygon: a triangle that is cut up to three times.
struct Polygon {
    corners: [DVec3; 6],
    count: usize,
}

impl Polygon {
    fn new([p, q, r]: [DVec3; 3]) -> Self {
        Self { corners: [p, q, r, p, p, p], count: 3 }
    }

    /// The part of the polygon in which an affine function is not negative.
    fn cut(&self, of: impl Fn(DVec3) -> f64) -> Self {
        let mut part = Self { count: 0, ..*self };
        let corners = &self.corners[..self.count];
        for (i, corner) in corners.iter().enumerate() {
            let next = corners[(i + 1) % corners.len()];
            let (here, there) = (of(*corner), of(next));
            if here >= 0.0 {
                part.add(*corner);
            }
            if (here < 0.0) != (there < 0.0) {
                part.add(*corner + (here / (here - there)) * (next - *corner));
            }
        }
        part
    }

    fn add(&mut self, corner: DVec3) {
        // Even with rounding the polygon has at most six corners. A seventh would not fit and is dropped.
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }
}
