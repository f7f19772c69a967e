//! The curved path of a point of A in B's frame, and boxes that are proven to contain intervals of it.
//!
//! Both bodies move along screws. In the coordinates of B's pose at t = 0, let y(t) be the point's path, a helix. Let V
//! and W be the velocity fields of the screws of A and of B, v and w their angular velocities, and R the rotation of B.
//! The path x(t) in B's frame satisfies
//!
//! ```text
//! x'  = R^T p                        p = V(y) - W(y)
//! x'' = R^T ((v - w) x y' - w x p)
//! ```
//!
//! because both fields are constant in time: p' = (v - w) x y'. The length of x'' therefore changes no faster than
//! |v - w| (|v x y'| + |w| |y'|), and is constant if B is static. Its value in the middle of an interval of length h and
//! this rate bound |x''| on the interval by C, and
//!
//! ```text
//! |x(t) - L(t)| <= C h^2 / 8
//! ```
//!
//! where L moves uniformly along the chord. This is the **deviation** of the path from its chord.

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::math::rounding::{Lengths, of_motion};
use crate::motion::Screw;

/// The motions of both bodies of a pair over the same time, each from pose to pose in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motions {
    /// The motion of A, whose points are followed.
    pub a: Screw,
    /// The motion of B, the target.
    pub b: Screw,
}

/// An oriented box: all points centre + sum of `x_i axes_i` with `|x_i| <= half_i`, in metres, in B's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathBox {
    /// The centre.
    pub centre: DVec3,
    /// Unit vectors, perpendicular to each other up to rounding; the first is along the chord of the path.
    pub axes: [DVec3; 3],
    /// Half of the length along each axis.
    pub half: [f64; 3],
}

impl PathBox {
    /// A box that contains every point within `radius` metres of the segment.
    #[must_use]
    pub fn around([from, to]: [DVec3; 2], radius: f64) -> Self {
        let chord = to - from;
        let along = unit_along(chord);
        let along = if along == DVec3::ZERO { DVec3::X } else { along };
        let (beta, gamma) = along.any_orthonormal_pair();
        // The axes are perpendicular only up to some EPSILON, and the coordinates are rounded.
        let length = chord.length();
        let size = length + radius + from.abs().max_element() + to.abs().max_element();
        let across = radius * (1.0 + ROUNDING) + ROUNDING * size;
        Self {
            centre: 0.5 * (from + to),
            axes: [along, beta, gamma],
            half: [0.5 * length + across, across, across],
        }
    }

    /// The smallest and the largest corner of an axis-aligned box around this box.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        let reach: DVec3 = self.axes.iter().zip(self.half).map(|(axis, half)| half * axis.abs()).sum();
        let reach = (1.0 + ROUNDING) * reach + ROUNDING * self.centre.abs();
        [self.centre - reach, self.centre + reach]
    }

    /// An upper bound of the distance of the box's points from the centre, in metres.
    #[must_use]
    pub fn radius(&self) -> f64 {
        DVec3::from_array(self.half).length() * (1.0 + ROUNDING)
    }
}

/// Relative rounding error of a handful of operations.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A part of a path: an interval of time with the point's positions at its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PathSegment {
    /// The start and end, in [0, 1].
    pub(crate) time: [f64; 2],
    /// The positions at these times, in B's frame.
    pub(crate) ends: [DVec3; 2],
}

impl PathSegment {
    /// The time in the middle, or `None` if there is no number between the ends.
    pub(crate) fn middle(&self) -> Option<f64> {
        let [start, end] = self.time;
        let middle = 0.5 * (start + end);
        (start < middle && middle < end).then_some(middle)
    }
}

/// The path of one point of A in B's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PointPath {
    /// The point at t = 0, in the coordinates of B's pose at t = 0.
    start: DVec3,
    /// The motions in these coordinates, and the inverse of B's motion.
    a: Screw,
    b: Screw,
    back: Screw,
    is_b_static: bool,
    /// An upper bound of the rate of change of |x''|.
    change: f64,
    /// Maximum rounding error of computed second derivatives.
    curvature_rounding: f64,
    /// If B is static and A rotates, an upper bound of the distance of the path from any chord at the same time.
    widest: f64,
    /// Maximum rounding error of computed positions, in metres.
    rounding: f64,
}

impl PointPath {
    /// The path of the point at `point` in A's frame.
    pub(crate) fn new(motions: &Motions, point: DVec3) -> Self {
        let base = motions.b.start();
        let (a, b) = (motions.a.in_frame_of(&base), motions.b.in_frame_of(&base));
        let back = b.inverse();
        let is_b_static = b.angle() == 0.0 && b.slide() == 0.0;
        let start = a.start().transform_point(point);
        let across = a.velocity_across_at(start - a.start().position()).length();
        let speed = across + a.slide().abs();
        let reach = start.length() + speed;
        let (omega_a, omega_b) = (a.omega(), b.omega());
        let relative = omega_a - omega_b;
        let displacement = omega_a.cross(a.velocity_at(start, 0.0)).length();
        let change =
            if is_b_static { 0.0 } else { relative.length() * (displacement + omega_b.length() * speed) };
        let b_across = back.velocity_across_at(DVec3::ZERO).length() + back.angle() * reach;
        let curvature_rounding = if is_b_static {
            ROUNDING * displacement
        } else {
            let speeds = speed + b.slide().abs() + b_across;
            4.0 * ROUNDING * (omega_a.length() + omega_b.length()) * speeds
        };
        let widest = if is_b_static && a.angle() > 0.0 {
            2.0 * across / a.angle() * (1.0 + ROUNDING)
        } else {
            f64::INFINITY
        };
        let mut rounding = a.rounding(point.length())
            + of_motion(&Lengths { reach, across, arm: point.length(), lever: a.lever(), angle: a.angle() });
        if !is_b_static {
            let (lever, angle) = (back.lever(), back.angle());
            let lengths =
                Lengths { reach: reach + back.slide().abs(), across: b_across, arm: reach, lever, angle };
            rounding += back.rounding(reach) + of_motion(&lengths);
        }
        Self { start, a, b, back, is_b_static, change, curvature_rounding, widest, rounding }
    }

    /// The position of the point, in B's frame.
    pub(crate) fn at(&self, t: f64) -> DVec3 {
        let place = self.a.point_at(self.start, t);
        if self.is_b_static { place } else { self.back.point_at(place, t) }
    }

    /// The whole path.
    pub(crate) fn whole(&self) -> PathSegment {
        PathSegment { time: [0.0, 1.0], ends: [self.at(0.0), self.at(1.0)] }
    }

    /// The parts before and after a time.
    pub(crate) fn halves(&self, segment: &PathSegment, middle: f64) -> [PathSegment; 2] {
        let ([start, end], [from, to], at) = (segment.time, segment.ends, self.at(middle));
        [
            PathSegment { time: [start, middle], ends: [from, at] },
            PathSegment { time: [middle, end], ends: [at, to] },
        ]
    }

    /// An upper bound, in metres, of the distance of the true path from the computed chord at the same time.
    pub(crate) fn deviation(&self, segment: &PathSegment) -> f64 {
        let [start, end] = segment.time;
        let (h, middle) = (end - start, 0.5 * (start + end));
        let y = self.a.point_at(self.start, middle);
        let velocity = self.a.velocity_at(y, middle);
        let curvature = if self.is_b_static {
            self.a.omega().cross(velocity)
        } else {
            let past = velocity - self.b.velocity_at(y, middle);
            (self.a.omega() - self.b.omega()).cross(velocity) - self.b.omega().cross(past)
        };
        let curvature = curvature.length() + self.curvature_rounding + 0.5 * h * self.change;
        (0.125 * h * h * curvature * (1.0 + ROUNDING)).min(self.widest) + self.rounding
    }
}
