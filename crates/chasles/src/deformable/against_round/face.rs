//! One sample of a triangle and a round body.

use glam::DVec3;

use super::RoundSides;
use crate::math::rounding::of_positions;
use crate::round::convex::{deepest, nearest};
use crate::round::gjk::ConvexShape;
use crate::round::support::Placed;

/// The round surface and a triangle at one time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampledFace {
    /// Bounds of their gap, in metres, before rounding; the lower bound is nonpositive if they may intersect.
    pub(crate) gap: [f64; 2],
    /// Nearest points of the round surface and of the triangle.
    pub(crate) points: [DVec3; 2],
    /// Unit vector from the round body to the triangle.
    pub(crate) normal: DVec3,
}

/// A moving triangle: its positions, and a bound of its path.
#[derive(Debug, Clone, Copy)]
pub(super) struct FacePath {
    start: [DVec3; 3],
    end: [DVec3; 3],
    /// An upper bound of any corner's path length during the interval, in metres.
    pub(super) length: f64,
}

impl RoundSides<'_> {
    pub(super) fn face(&self, face: u32) -> FacePath {
        let corners = self.surface.corners(face).map(|v| v as usize);
        let [start, end] =
            [self.surface.motion.start, self.surface.motion.end].map(|all| corners.map(|v| all[v]));
        let length = (0..3).map(|i| start[i].distance(end[i])).fold(0.0, f64::max);
        FacePath { start, end, length }
    }

    /// An upper bound of the position error of both bodies, in metres.
    pub(super) fn position_error(&self, corners: &[DVec3; 3]) -> f64 {
        let far = corners.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        self.deviation + self.path.rounding + of_positions(2.0 * far)
    }
}

impl FacePath {
    /// The corners at a fraction of the interval.
    pub(super) fn at(&self, fraction: f64) -> [DVec3; 3] {
        std::array::from_fn(|i| {
            if fraction >= 1.0 {
                self.end[i]
            } else {
                self.start[i] + fraction * (self.end[i] - self.start[i])
            }
        })
    }
}

/// A cheap lower bound of a triangle's gap, apart from rounding, which often suffices.
pub(crate) fn rough_gap(placed: &Placed, corners: &[DVec3; 3]) -> f64 {
    let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
    let reach = corners.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
    let (value, _) = placed.signed_distance(middle);
    value.abs() - reach
}

/// The gap of a triangle.
pub(crate) fn face_gap(placed: &Placed, corners: &[DVec3; 3]) -> SampledFace {
    let start = (f64::NEG_INFINITY, DVec3::ZERO, DVec3::ZERO);
    let (value, corner, outward) = corners.iter().fold(start, |best, p| {
        let (value, outward) = placed.signed_distance(*p);
        if value > best.0 { (value, *p, outward) } else { best }
    });
    // The round body is convex: if it contains all corners, it contains the triangle.
    if value < 0.0 && value.is_finite() {
        return SampledFace {
            gap: [-value; 2],
            points: [corner - value * outward, corner],
            normal: -outward,
        };
    }
    let found = nearest(placed, &ConvexShape::Triangle(*corners));
    SampledFace { gap: [found.lower, found.upper.max(0.0)], points: found.points, normal: found.normal }
}

/// The depth of a triangle's deepest point inside the round body.
pub(super) fn depth(placed: &Placed, corners: &[DVec3; 3]) -> f64 {
    deepest(placed, &ConvexShape::Triangle(*corners)).depth
}
