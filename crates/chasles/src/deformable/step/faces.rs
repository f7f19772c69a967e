//! Two faces whose vertices move at constant velocity along straight lines: bounds of their distance between two times.
//!
//! Along a fixed direction n the gap of the faces, min n·q over the second minus max n·p over the first, is a
//! concave function of time: between two times it is at least the smaller of its values there. The direction between
//! the nearest points at the middle time is nearly optimal throughout, so the error of the bound is quadratic in the
//! interval's length. The distance of two points fixed on the faces is convex: between two times it is at most the
//! larger of its values there.

use glam::DVec3;

use crate::deformable::elementary::place::barycentric;
use crate::deformable::step::candidates::SurfacePair;
use crate::instant::triangle_gap::{
    ClosestPoints, TriangleCorners, common_points, nearest_points, proven_gap,
};
use crate::math::direction::unit_along;
use crate::mesh_screw::overlap::triangles_intersect;

/// Two faces, the first of the first surface, relative to one of its corners and in units of their size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingTriangles {
    start: [TriangleCorners; 2],
    end: [TriangleCorners; 2],
    origin: DVec3,
    /// In metres.
    unit: f64,
    /// An upper bound of the relative speed of any point of one face and any point of the other, in units per step.
    speed: f64,
}

/// Bounds of the distance of two faces between two times, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FaceGap {
    /// Proven lower bound at every time, including rounding; may be negative.
    pub(crate) lower: f64,
    /// Proven upper bound at every time, including rounding.
    pub(crate) upper: f64,
    /// How much rounding widens either bound.
    pub(crate) rounding: f64,
    /// Points at one of these times.
    pub(crate) sample: SampledGap,
}

/// Two points of two faces at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SampledGap {
    /// Their distance, in metres, including rounding.
    pub(crate) upper: f64,
    /// As a fraction of the step.
    pub(crate) time: f64,
    /// A point of the first face and one of the second.
    pub(crate) points: [DVec3; 2],
}

/// An upper bound of the position error, in units: differences, quotients, interpolation in time, points of faces
/// and their distances.
const ROUNDING: f64 = 128.0 * f64::EPSILON;

/// For faces smaller than this, in metres, the size alone gives the bounds.
const MIN_SIZE: f64 = 1e-280;

impl MovingTriangles {
    pub(crate) fn new(sides: &SurfacePair<'_>, faces: [u32; 2]) -> Self {
        let both = sides.both();
        let corners = [0, 1].map(|i| both[i].corners(faces[i]).map(|v| v as usize));
        let places = |at: usize| {
            [0, 1].map(|i| {
                let motion = &both[i].motion;
                let own = if at == 0 { motion.start } else { motion.end };
                corners[i].map(|v| own[v])
            })
        };
        let (start, end) = (places(0), places(1));
        let origin = start[0][0];
        let all = start.iter().chain(&end).flatten();
        let size = all.fold(DVec3::ZERO, |size, p| size.max((*p - origin).abs())).max_element();
        let unit = if size >= MIN_SIZE { size } else { 0.0 };
        let local = |p: DVec3| if unit > 0.0 { (p - origin) / unit } else { DVec3::ZERO };
        let [start, end] = [start, end].map(|both| both.map(|corners| corners.map(local)));
        let displacement = |i: usize, k: usize| end[i][k] - start[i][k];
        let corners = (0..3).flat_map(|k| (0..3).map(move |l| (k, l)));
        let speed = corners.map(|(k, l)| displacement(0, k).distance(displacement(1, l))).fold(0.0, f64::max);
        Self { start, end, origin, unit: if unit > 0.0 { unit } else { 4.0 * MIN_SIZE }, speed }
    }

    /// How much the gap may change between two times, in metres; 0 if it is below the rounding error.
    pub(crate) fn gap_change(&self, [from, to]: [f64; 2]) -> f64 {
        let change = self.speed * (to - from);
        if change > ROUNDING { change * self.unit } else { 0.0 }
    }

    fn at(&self, time: f64) -> [TriangleCorners; 2] {
        let between = |i: usize, k: usize| {
            let (p, q) = (self.start[i][k], self.end[i][k]);
            if time == 1.0 { q } else { p + time * (q - p) }
        };
        [0, 1].map(|i| [0, 1, 2].map(|k| between(i, k)))
    }

    /// Bounds between two times. A lower bound of at least `enough`, in metres, need not be improved.
    pub(crate) fn gap(&self, [from, to]: [f64; 2], enough: f64) -> FaceGap {
        let middle = 0.5 * (from + to);
        let [first, between, last] = [from, middle, to].map(|time| self.at(time));
        let enough = enough / self.unit + ROUNDING;
        let along = |n: DVec3| {
            if n == DVec3::ZERO { f64::NEG_INFINITY } else { gap_along(&first, n).min(gap_along(&last, n)) }
        };
        let near = nearest_points(&between[0], &between[1]);
        let n = unit_along(near.points[1] - near.points[0]);
        let mut lower = along(n);
        let mut sample = self.gap_at(middle, &near);
        if lower < enough {
            let (time, nearer) =
                if gap_along(&first, n) < gap_along(&last, n) { (from, &first) } else { (to, &last) };
            let other = nearest_points(&nearer[0], &nearer[1]);
            lower = lower.max(along(unit_along(other.points[1] - other.points[0])));
            let own = self.gap_at(time, &other);
            if own.upper < sample.upper {
                sample = own;
            }
        }
        let half = 0.5 * self.speed * (to - from);
        if lower < enough {
            // An upper bound of the displacement of one face relative to the other, within half the interval.
            let proven = proven_gap(&between[0], &between[1], &near, enough + half);
            lower = lower.max(proven - half);
        }
        // Faces that cross have their common points away from their borders.
        if lower <= 0.0 && triangles_intersect(&between[0], &between[1]) {
            let common = common_points(&between[0], &between[1]);
            sample = SampledGap { upper: ROUNDING * self.unit, ..self.gap_at(middle, &common) };
        }
        // The same points of both faces at both ends.
        let weights = [0, 1].map(|i| {
            let [a, b, c] = between[i];
            barycentric(near.points[i] - a, [b - a, c - a])
        });
        let distance = |corners: &[TriangleCorners; 2]| {
            let [p, q] = [0, 1].map(|i| {
                let ([a, b, c], [u, v]) = (corners[i], weights[i]);
                a + u * (b - a) + v * (c - a)
            });
            p.distance(q)
        };
        let upper = distance(&first).max(distance(&last));
        FaceGap {
            lower: (lower - ROUNDING) * self.unit,
            upper: (upper + ROUNDING) * self.unit,
            rounding: ROUNDING * self.unit,
            sample,
        }
    }

    fn gap_at(&self, time: f64, near: &ClosestPoints) -> SampledGap {
        let points = near.points.map(|p| self.origin + p * self.unit);
        let upper = (near.points[0].distance(near.points[1]) + ROUNDING) * self.unit;
        SampledGap { upper, time, points }
    }
}

/// How far the second face is ahead of the first along a unit direction.
fn gap_along([a, b]: &[TriangleCorners; 2], n: DVec3) -> f64 {
    let [a, b] = [a, b].map(|corners| corners.map(|p| n.dot(p)));
    b[0].min(b[1]).min(b[2]) - a[0].max(a[1]).max(a[2])
}
