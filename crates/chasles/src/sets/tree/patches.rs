//! Parametric surfaces as trees of thick parallelograms.
//!
//! Over a rectangle of parameters with centre (s, t) each coordinate is a linear function with a remainder,
//!
//! ```text
//! x(u, v) = g (u - s) + h (v - t) + r.
//! ```
//!
//! The linear functions span a parallelogram; the remainders give its thickness, which shrinks with the square of
//! the rectangle's size.

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::math::interval::RealInterval;
use crate::sets::tree::node::{Children, ProvenPoint, TreeNode};
use crate::sets::tree::sheet::Flat;
use crate::sets::volume::number_of;
use crate::sets::volume::{ConvexCore, SweptVolume};
use crate::shape::ParametricSurface;
use crate::shape::expression::TapeMemory;

/// A parametric surface as a tree.
#[derive(Debug)]
pub(crate) struct Patches<'s> {
    surface: &'s ParametricSurface,
    pub(crate) nodes: Vec<TreeNode>,
    /// The ranges of u and v of each node.
    ranges: Vec<[[f64; 2]; 2]>,
    memory: TapeMemory,
}

/// A point of a surface.
#[derive(Debug, Clone, Copy)]
struct PatchPoint {
    point: DVec3,
    /// An upper bound of the point's rounding error.
    rounding: f64,
    along: [DVec3; 2],
}

/// The linearization over a rectangle of parameters.
struct PatchLinearization {
    centre: DVec3,
    /// The vectors from the centre to the midpoints of two sides of the parallelogram.
    along: [DVec3; 2],
    /// An upper bound of the distance from a surface point to its counterpart on the parallelogram.
    thickness: f64,
    range: [DVec3; 2],
}

/// The maximum number of steps to the nearest point.
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

    /// The linearization over a rectangle of parameters, before scaling.
    fn linear(&mut self, ranges: [[f64; 2]; 2]) -> PatchLinearization {
        let middle = ranges.map(|[from, to]| 0.5 * (from + to));
        let half = [0, 1].map(|i| (ranges[i][1] - middle[i]).max(middle[i] - ranges[i][0]));
        let at = [RealInterval::point(middle[0]), RealInterval::point(middle[1]), RealInterval::ZERO];
        let sides = [half[0], half[1], 0.0].map(|half| half * (1.0 + 4.0 * f64::EPSILON));
        let mut centre = DVec3::ZERO;
        let mut along = [DVec3::ZERO; 2];
        let mut error = DVec3::ZERO;
        let (mut min_corner, mut max_corner) = (DVec3::ZERO, DVec3::ZERO);
        for (axis, formula) in self.surface.coordinates().iter().enumerate() {
            let (gradient, rest, range) = formula.linear(&at, &sides, &mut self.memory);
            centre[axis] = rest.middle();
            error[axis] = (rest.hi - centre[axis]).max(centre[axis] - rest.lo);
            for i in 0..2 {
                along[i][axis] = sides[i] * gradient[i];
            }
            (min_corner[axis], max_corner[axis]) = (range.lo, range.hi);
        }
        PatchLinearization {
            centre,
            along,
            thickness: error.length() * (1.0 + 1e-12),
            range: [min_corner, max_corner],
        }
    }

    fn push(&mut self, ranges: [[f64; 2]; 2]) {
        let PatchLinearization { centre, along, thickness, range: [min_corner, max_corner] } =
            self.linear(ranges);
        let scale = self.surface.scale();
        let size = 2.0 * (along[0].length() + along[1].length() + thickness);
        // If the derivatives are unbounded, the coordinate ranges give a box.
        let (volume, error, size) = if size.is_finite() && thickness <= 2.0 * min_corner.distance(max_corner)
        {
            let [a, b] = along;
            let corners = [a + b, a - b, -a - b, b - a].map(|corner| scale * (centre + corner));
            let rounding = 16.0 * f64::EPSILON * (centre.abs().element_sum() + size);
            let pad = scale * (thickness + rounding);
            (
                SweptVolume::new(ConvexCore::Hull(corners.into()), 0.0, pad),
                2.0 * scale * thickness,
                scale * size,
            )
        } else {
            let limit = f64::MAX.sqrt();
            let ends = [min_corner, max_corner]
                .map(|end| scale * end.clamp(DVec3::splat(-limit), DVec3::splat(limit)));
            let size = ends[0].distance(ends[1]);
            (SweptVolume::cuboid(ends), size, size)
        };
        self.nodes.push(TreeNode { volume, error, size, children: Children::Unopened });
        self.ranges.push(ranges);
    }

    pub(crate) fn split(&mut self, node: u32) -> (u32, u32) {
        let first = number_of(self.nodes.len());
        let ranges = self.ranges[node as usize];
        // Split the parameter with the longer side.
        let sample = self.patch_point(ranges.map(|[from, to]| 0.5 * (from + to)));
        let length = |i: usize| (ranges[i][1] - ranges[i][0]) * sample.along[i].length();
        let whole = self.surface.ranges();
        let fraction = |i: usize| (ranges[i][1] - ranges[i][0]) / (whole[i][1] - whole[i][0]);
        // Keep the two parameters' divisions within a factor of 16: a derivative may vanish at the middle.
        let axis = if fraction(0) > 16.0 * fraction(1) {
            0
        } else if fraction(1) > 16.0 * fraction(0) {
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
            // As small as f64 allows.
            let mut same = self.nodes[node as usize].clone();
            same.children = Children::Exact;
            self.nodes.push(same);
            self.ranges.push(ranges);
        }
        let last = number_of(self.nodes.len());
        self.nodes[node as usize].children = Children::Known(first, last);
        (first, last)
    }

    fn patch_point(&mut self, [u, v]: [f64; 2]) -> PatchPoint {
        let at = [RealInterval::point(u), RealInterval::point(v), RealInterval::ZERO];
        let (mut point, mut error, mut along) = (DVec3::ZERO, DVec3::ZERO, [DVec3::ZERO; 2]);
        for (axis, formula) in self.surface.coordinates().iter().enumerate() {
            let (gradient, value, _) = formula.linear(&at, &[0.0; 3], &mut self.memory);
            point[axis] = value.middle();
            error[axis] = (value.hi - point[axis]).max(point[axis] - value.lo);
            for i in 0..2 {
                along[i][axis] = gradient[i];
            }
        }
        let scale = self.surface.scale();
        let rounding = scale * (error.length() + 4.0 * f64::EPSILON * point.abs().element_sum());
        PatchPoint { point: scale * point, rounding, along: along.map(|derivative| scale * derivative) }
    }

    /// A point of the surface near a point, by iteration from the middle of a node.
    pub(crate) fn proven_point(&mut self, node: u32, near: DVec3) -> Option<ProvenPoint> {
        let (sample, _) = self.nearest(node, near)?;
        Some(ProvenPoint { point: sample.point, depth: 0.0 })
    }

    /// The same point with its parameters.
    fn nearest(&mut self, node: u32, near: DVec3) -> Option<(PatchPoint, [f64; 2])> {
        let whole = self.surface.ranges();
        let mut at = self.ranges[node as usize].map(|[from, to]| 0.5 * (from + to));
        let mut best: Option<(f64, (PatchPoint, [f64; 2]))> = None;
        for _ in 0..STEPS {
            let sample = self.patch_point(at);
            let PatchPoint { point, rounding, along: [a, b] } = sample;
            let distance = point.distance(near) + rounding;
            if !distance.is_finite() {
                break;
            }
            let gain = best.as_ref().map_or(f64::INFINITY, |(nearest, _)| nearest - distance);
            if gain > 0.0 {
                best = Some((distance, (sample, at)));
            }
            if gain <= 1e-3 * distance {
                break;
            }
            // Least squares: minimizes |point + a s + b t - near|.
            let offset = near - point;
            let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
            let (ra, rb) = (a.dot(offset), b.dot(offset));
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
        best.map(|(_, found)| found)
    }

    /// The point of the surface nearest to a point, and the normal there.
    pub(crate) fn tangent_plane(&mut self, node: u32, near: DVec3) -> Option<(DVec3, DVec3)> {
        let (PatchPoint { point, along: [a, b], .. }, _) = self.nearest(node, near)?;
        Some((point, unit_along(a.cross(b))))
    }

    /// A flat piece of the surface around its point nearest to `at`, extending about `reach` in all directions.
    pub(crate) fn flat(&mut self, node: u32, at: DVec3, reach: f64) -> Option<Flat> {
        let (PatchPoint { along: [a, b], .. }, middle) = self.nearest(node, at)?;
        // The parameter range of each direction if they are not perpendicular.
        let normal = unit_along(a.cross(b));
        let steps = [(a, b), (b, a)]
            .map(|(direction, other)| reach / direction.dot(unit_along(other.cross(normal))).abs());
        let whole = self.surface.ranges();
        let ranges = [0, 1].map(|i| {
            let [from, to] = [middle[i] - steps[i], middle[i] + steps[i]];
            [from.max(whole[i][0]), to.min(whole[i][1])]
        });
        let PatchLinearization { centre, along: [a, b], thickness, .. } = self.linear(ranges);
        let scale = self.surface.scale();
        let corners = [-a - b, a - b, a + b, b - a].map(|corner| scale * (centre + corner));
        let rounding = 32.0 * f64::EPSILON * (centre.abs() + a.abs() + b.abs()).element_sum();
        Flat::between(corners, scale * (thickness + rounding))
    }

    pub(crate) fn normal(&mut self, node: u32) -> Option<DVec3> {
        let middle = self.ranges[node as usize].map(|[from, to]| 0.5 * (from + to));
        let [a, b] = self.patch_point(middle).along;
        Some(unit_along(a.cross(b))).filter(|normal| *normal != DVec3::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::tree::sheet::SheetSide;
    use crate::shape::Expression;
    use chasles_testing::Random;

    /// A curved graph z = h(u, v) above a square, times a scale.
    struct Graph {
        factors: [f64; 6],
        surface: ParametricSurface,
    }

    impl Graph {
        fn new(random: &mut Random) -> Self {
            let factors = [1.0, 2.0, 2.0, 1.0, 1.0, 0.5].map(|amplitude| amplitude * random.side());
            let [a, b, c, d, e, f] = factors;
            let height = format!("({a})*sin(({b})*u + ({c})*v) + ({d})*u*v + ({e})*u^2 + ({f})*exp(v)");
            let coordinates = ["u", "v", &height].map(|text| Expression::parse(text, &["u", "v"]).unwrap());
            let scale = [0.25, 1.0, 3.0][random.below(3)];
            Self { factors, surface: ParametricSurface::new(coordinates, [[-1.0, 1.0]; 2], scale).unwrap() }
        }

        fn at(&self, u: f64, v: f64) -> DVec3 {
            let [a, b, c, d, e, f] = self.factors;
            let height = a * (b * u + c * v).sin() + d * u * v + e * u * u + f * v.exp();
            self.surface.scale() * DVec3::new(u, v, height)
        }
    }

    #[test]
    fn points_in_front_of_a_part_of_a_curved_graph_are_above_it() {
        let random = &mut Random(3);
        let mut decided = [0; 2];
        for _ in 0..400 {
            let graph = Graph::new(random);
            let scale = graph.surface.scale();
            let mut patches = Patches::new(&graph.surface);
            let [u, v] = [0.9 * random.side(), 0.9 * random.side()];
            let reach = 10.0_f64.powf(random.within(-3.0, -0.5));
            let Some(flat) = patches.flat(0, graph.at(u, v), scale * reach) else { continue };
            for _ in 0..40 {
                let on = graph.at(u + reach * random.side(), v + reach * random.side());
                let above = random.side().signum() * reach * reach * 10.0_f64.powf(random.within(-3.0, 1.0));
                let p = on + scale * above * DVec3::Z;
                if let Some(side) = flat.side([p; 2], 0.0) {
                    assert_eq!(side == SheetSide::Front, above > 0.0, "{above:e} above {on}: {flat:?}");
                    decided[usize::from(above > 0.0)] += 1;
                }
            }
        }
        assert!(decided.iter().all(|decided| *decided > 1000), "{decided:?}");
    }

    #[test]
    fn every_point_of_a_curved_graph_is_in_the_volume_of_its_node() {
        let random = &mut Random(4);
        let mut curved = 0;
        for _ in 0..60 {
            let graph = Graph::new(random);
            let mut patches = Patches::new(&graph.surface);
            for node in 0..60 {
                patches.split(node);
            }
            for node in 0..patches.nodes.len() {
                let SweptVolume { core: ConvexCore::Hull(corners), radius, pad, .. } =
                    &patches.nodes[node].volume
                else {
                    panic!("no hull");
                };
                let across = unit_along((corners[1] - corners[0]).cross(corners[2] - corners[0]));
                let reach = |n: DVec3| corners.iter().map(|q| n.dot(*q)).fold(f64::NEG_INFINITY, f64::max);
                for _ in 0..10 {
                    let [u, v] = patches.ranges[node].map(|[from, to]| random.within(from, to));
                    let p = graph.at(u, v);
                    for n in [across, -across, random.direction(), random.direction()] {
                        let beyond = n.dot(p) - reach(n);
                        assert!(
                            beyond <= radius + pad,
                            "{p} is beyond {node} along {n}: {beyond:e}, {pad:e}"
                        );
                        curved += usize::from(beyond > 1e-9);
                    }
                }
            }
        }
        assert!(curved > 1000, "{curved}");
    }
}
