//! Parametric surfaces as trees of parallelograms with a thickness.
//!
//! Over a rectangle of parameters with centre (s, t) each coordinate is a linear function with a remainder,
//!
//! ```text
//! x(u, v) = g (u - s) + h (v - t) + r.
//! ```
//!
//! The linear functions make a parallelogram; the remainders make a thickness that shrinks with the square of the
//! rectangle.

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::math::interval::RealInterval;
use crate::shape::ParametricSurface;
use crate::shape::expression::TapeMemory;
use crate::solid::tree::node::{Children, Sure, TreeNode};
use crate::solid::volume::number_of;
use crate::solid::volume::{Convex, Volume};

/// A parametric surface as a tree.
#[derive(Debug)]
pub(crate) struct Patches<'s> {
    surface: &'s ParametricSurface,
    pub(crate) nodes: Vec<TreeNode>,
    /// The ranges of u and v of each node.
    ranges: Vec<[[f64; 2]; 2]>,
    memory: TapeMemory,
}

/// A place on a surface.
struct PatchPoint {
    point: DVec3,
    /// How far the point may be off.
    rounding: f64,
    along: [DVec3; 2],
}

/// Steps towards the nearest point.
const STEPS: usize = 12;

impl<'s> Patches<'s> {
    pub(crate) fn new(surface: &'s ParametricSurface) -> Self {
        let mut patches =
            Self { surface, nodes: Vec::new(), ranges: Vec::new(), memory: TapeMemory::default() };
        patches.push(surface.ranges());
        patches
    }

    pub(crate) fn restart(&mut self) {
        self.nodes.truncate(1);
        self.ranges.truncate(1);
        self.nodes[0].children = Children::Unopened;
    }

    fn push(&mut self, ranges: [[f64; 2]; 2]) {
        let middle = ranges.map(|[from, to]| 0.5 * (from + to));
        let half = [0, 1].map(|i| (ranges[i][1] - middle[i]).max(middle[i] - ranges[i][0]));
        let at = [RealInterval::point(middle[0]), RealInterval::point(middle[1]), RealInterval::ZERO];
        let sides = [half[0], half[1], 0.0].map(|half| half * (1.0 + 4.0 * f64::EPSILON));
        let mut centre = DVec3::ZERO;
        let mut along = [DVec3::ZERO; 2];
        let mut off = DVec3::ZERO;
        let (mut least, mut greatest) = (DVec3::ZERO, DVec3::ZERO);
        for (axis, formula) in self.surface.coordinates().iter().enumerate() {
            let (gradient, rest, range) = formula.linear(&at, &sides, &mut self.memory);
            centre[axis] = rest.middle();
            off[axis] = (rest.hi - centre[axis]).max(centre[axis] - rest.lo);
            for i in 0..2 {
                along[i][axis] = sides[i] * gradient[i];
            }
            (least[axis], greatest[axis]) = (range.lo, range.hi);
        }
        let scale = self.surface.scale();
        let thickness = off.length() * (1.0 + 1e-12);
        let size = 2.0 * (along[0].length() + along[1].length() + thickness);
        // Where derivatives have no bounds the ranges serve.
        let (volume, error, size) = if size.is_finite() && thickness <= 2.0 * least.distance(greatest) {
            let [a, b] = along;
            let corners = [a + b, a - b, -a - b, b - a].map(|corner| scale * (centre + corner));
            let rounding = 16.0 * f64::EPSILON * (centre.abs().element_sum() + size);
            let pad = scale * (thickness + rounding);
            (Volume::new(Convex::Hull(corners.into()), 0.0, pad), 2.0 * scale * thickness, scale * size)
        } else {
            let limit = f64::MAX.sqrt();
            let ends =
                [least, greatest].map(|end| scale * end.clamp(DVec3::splat(-limit), DVec3::splat(limit)));
            let size = ends[0].distance(ends[1]);
            (Volume::cuboid(ends), size, size)
        };
        self.nodes.push(TreeNode { volume, error, size, children: Children::Unopened });
        self.ranges.push(ranges);
    }

    pub(crate) fn open(&mut self, node: u32) -> (u32, u32) {
        let first = number_of(self.nodes.len());
        let ranges = self.ranges[node as usize];
        // The parameter that makes the longer side.
        let spot = self.spot(ranges.map(|[from, to]| 0.5 * (from + to)));
        let length = |i: usize| (ranges[i][1] - ranges[i][0]) * spot.along[i].length();
        let whole = self.surface.ranges();
        let share = |i: usize| (ranges[i][1] - ranges[i][0]) / (whole[i][1] - whole[i][0]);
        // No parameter gets ahead of the other too far: derivatives may be zero in the middle.
        let axis = if share(0) > 16.0 * share(1) {
            0
        } else if share(1) > 16.0 * share(0) {
            1
        } else {
            usize::from(length(1) > length(0))
        };
        let [from, to] = ranges[axis];
        let middle = 0.5 * (from + to);
        if middle > from && middle < to {
            for half in [[from, middle], [middle, to]] {
                let mut ranges = ranges;
                ranges[axis] = half;
                self.push(ranges);
            }
        } else {
            // As small as numbers get.
            let mut same = self.nodes[node as usize].clone();
            same.children = Children::Exact;
            self.nodes.push(same);
            self.ranges.push(ranges);
        }
        let last = number_of(self.nodes.len());
        self.nodes[node as usize].children = Children::Known(first, last);
        (first, last)
    }

    fn spot(&mut self, [u, v]: [f64; 2]) -> PatchPoint {
        let at = [RealInterval::point(u), RealInterval::point(v), RealInterval::ZERO];
        let (mut point, mut off, mut along) = (DVec3::ZERO, DVec3::ZERO, [DVec3::ZERO; 2]);
        for (axis, formula) in self.surface.coordinates().iter().enumerate() {
            let (gradient, value, _) = formula.linear(&at, &[0.0; 3], &mut self.memory);
            point[axis] = value.middle();
            off[axis] = (value.hi - point[axis]).max(point[axis] - value.lo);
            for i in 0..2 {
                along[i][axis] = gradient[i];
            }
        }
        let scale = self.surface.scale();
        let rounding = scale * (off.length() + 4.0 * f64::EPSILON * point.abs().element_sum());
        PatchPoint { point: scale * point, rounding, along: along.map(|way| scale * way) }
    }

    /// A point of the surface near a point, found from the middle of a node.
    pub(crate) fn sure(&mut self, node: u32, near: DVec3) -> Option<Sure> {
        let whole = self.surface.ranges();
        let mut at = self.ranges[node as usize].map(|[from, to]| 0.5 * (from + to));
        let mut best: Option<(f64, DVec3)> = None;
        for _ in 0..STEPS {
            let PatchPoint { point, rounding, along: [a, b] } = self.spot(at);
            let distance = point.distance(near) + rounding;
            if !distance.is_finite() {
                break;
            }
            let gain = best.map_or(f64::INFINITY, |(least, _)| least - distance);
            if gain > 0.0 {
                best = Some((distance, point));
            }
            if gain <= 1e-3 * distance {
                break;
            }
            // The least squares of point + a s + b t - near.
            let way = near - point;
            let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
            let (ra, rb) = (a.dot(way), b.dot(way));
            let det = aa * bb - ab * ab;
            let [s, t] = if det > 1e-12 * aa * bb {
                [(ra * bb - rb * ab) / det, (rb * aa - ra * ab) / det]
            } else if aa >= bb && aa > 0.0 {
                [ra / aa, 0.0]
            } else if bb > 0.0 {
                [0.0, rb / bb]
            } else {
                break;
            };
            at = [(at[0] + s).clamp(whole[0][0], whole[0][1]), (at[1] + t).clamp(whole[1][0], whole[1][1])];
        }
        best.map(|(_, point)| Sure { point, depth: 0.0 })
    }

    pub(crate) fn normal(&mut self, node: u32) -> Option<DVec3> {
        let middle = self.ranges[node as usize].map(|[from, to]| 0.5 * (from + to));
        let [a, b] = self.spot(middle).along;
        Some(unit_along(a.cross(b))).filter(|normal| *normal != DVec3::ZERO)
    }
}
