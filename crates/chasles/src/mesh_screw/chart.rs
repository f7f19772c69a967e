//! The helical chart: coordinates in which a screw motion is a translation.
//!
//! Take cylindrical coordinates about the axis of the screw: R away from it, phi around it, z along it. The motion
//! preserves R and changes phi and z at constant rates: in these coordinates a body only slides. Two bounds that
//! are intervals of (R, phi, z) meet during one interval of time, and so do two oriented slabs.
//!
//! One chart must be valid for an axis through the object, a distant axis and no axis (a translation). So its
//! origin o lies 1/k from the axis, with x away from the axis and y along the velocity there:
//!
//! ```text
//!                 y
//!                 |    p
//!             R   |   /         rho = R - 1/k = (2x + k (x^2 + y^2)) / (sqrt((1 + kx)^2 + (ky)^2) + 1)
//!           ______|__/          u   = phi / k = atan2(ky, 1 + kx) / k
//!         / phi   | /           z   = z
//!   axis +--------o------ x
//!           1/k                 at time t: (rho, u + t speed_u, z + t speed_z)
//! ```
//!
//! As k goes to 0 these become Cartesian coordinates, without cancellation. o is the centre of B if that is at
//! least one unit of length from the axis, and otherwise a point at one unit from it, so k <= 1. The sense of z
//! makes `speed_z` non-negative. u has the period 2 pi / k; a search covers at most half a turn at a time.
//!
//! **Short intervals.** Large faces curve in the chart, by about k/2 times the square of half their size. In an
//! interval in which A rotates by less than that, k = 0 is better: A moves along a straight line with the velocity
//! of its centre at the middle of the interval, and the distance of its points from that motion is added to its pad
//! ([`Chart::straight`]).
//!
//! A is placed at its pose at a time of the search at which it is close to B, and times are relative to that time:
//! 32 bits then suffice for every bound, at any time of the motion.

use glam::{DMat3, DVec3};

use crate::features::screw_motion::ScrewMotion;
use crate::math::direction::unit_along;
use crate::math::lanes::{max, min};
use crate::math::screw_function::Basis;
use crate::math::time_interval::TimeInterval;

/// The chart of a motion. Lengths are in units of `unit`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chart {
    /// In metres.
    pub(crate) unit: f64,
    /// Rotates vectors of B's frame into (x, y, z).
    to_axes: DMat3,
    /// o, in B's coordinates, in metres.
    origin: DVec3,
    /// Curvature: the reciprocal of o's distance from the axis; 0 in a translation.
    pub(crate) k: f64,
    /// Speed along u.
    pub(crate) speed_u: f64,
    /// Speed along z.
    pub(crate) speed_z: f64,
    /// Maximum distance, in metres, of A's points from their positions in this chart; 0 unless the chart is
    /// [`straight`](Self::straight).
    pub(crate) deviation: f64,
}

/// A body's placement in a chart: maps the coordinates of its hierarchy to (x, y, z).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ChartTransform {
    /// Rows of the matrix.
    pub(crate) rows: [[f32; 3]; 3],
    /// The centre of the mesh.
    pub(crate) centre: [f32; 3],
    /// See [`Chart::k`].
    pub(crate) k: f32,
    /// The reciprocal of k, limited to 1e6, because larger values are not needed.
    pub(crate) inverse_k: f32,
    /// Bound of the error of every point of the body in every coordinate.
    pub(crate) margin: f32,
}

/// Rounding of 2^-24 in (x, y, z): of the hierarchy's coordinates, of the matrix, and of the product with the
/// matrix.
const PLACING: f64 = 8e-7;

/// If the error of a body's position exceeds this, in units, it may be anywhere near the other body.
const EVERYWHERE: f64 = 1e3;

/// A rotation by less than this angle has less effect than rounding.
const NO_TURN: f64 = 1e-20;

/// Below this k the axis is so far away that no body comes near half a period.
const NO_PERIOD: f64 = 1e-6;

impl Chart {
    /// The chart of a motion, with the length of one unit.
    pub(crate) fn new(motion: &ScrewMotion, unit: f64) -> Self {
        let (s, b) = (motion.direction, motion.angle);
        // The velocity across the axis of A's material point at the centre of B.
        let across = motion.velocity - motion.omega.cross(motion.offset);
        let speed = across.length();
        let slide = motion.slide.dot(s);
        let (x, origin, k, speed_u) = if b <= NO_TURN || b * unit <= speed {
            let y = unit_along(across);
            let x = if y == DVec3::ZERO { s.any_orthonormal_vector() } else { y.cross(s) };
            let k = if b <= NO_TURN { 0.0 } else { b * (unit / speed) };
            (x, DVec3::ZERO, k, speed / unit)
        } else {
            let axis = s.cross(across) / b;
            let x = unit_along(-axis);
            let x = if x == DVec3::ZERO { s.any_orthonormal_vector() } else { x };
            (x, axis + unit * x, 1.0, b)
        };
        // Projected once more: x was computed from differences.
        let x = (x - x.dot(s) * s).normalize();
        let z = if slide < 0.0 { -s } else { s };
        let to_axes = DMat3::from_cols(x, s.cross(x), z).transpose();
        Self { unit, to_axes, origin, k, speed_u, speed_z: slide.abs() / unit, deviation: 0.0 }
    }

    /// The chart of a static body: B's own coordinates.
    pub(crate) fn still(unit: f64) -> Self {
        let (to_axes, origin) = (DMat3::IDENTITY, DVec3::ZERO);
        Self { unit, to_axes, origin, k: 0.0, speed_u: 0.0, speed_z: 0.0, deviation: 0.0 }
    }

    /// The straight chart of a motion that hardly rotates: A, whose points are within `radius` metres of its centre,
    /// moves with the velocity of its centre at the middle of an interval. The deviation is valid up to `half` the
    /// interval before or after.
    pub(crate) fn straight(motion: &ScrewMotion, unit: f64, middle: &Basis, half: f64, radius: f64) -> Self {
        let path = motion.path(DVec3::ZERO);
        let velocity = path.velocity(middle);
        let y = unit_along(velocity);
        let y = if y == DVec3::ZERO { DVec3::Y } else { y };
        let x = y.any_orthonormal_vector();
        let to_axes = DMat3::from_cols(x, y, x.cross(y)).transpose();
        let speed_u = velocity.length() / unit;
        // The error of the centre comes from its acceleration, and the error of other points from the rotation as
        // well.
        let rotation = motion.angle * half;
        let deviation = rotation * radius + 0.5 * rotation * half * motion.velocity.length();
        let deviation = deviation * (1.0 + 1e-9);
        Self { unit, to_axes, origin: DVec3::ZERO, k: 0.0, speed_u, speed_z: 0.0, deviation }
    }

    /// The transform of a body from its axes and centre in B's coordinates;
    /// `unit`, the unit of its hierarchy, and `pad`, the distance within which bounds count as near, are in metres.
    pub(crate) fn transform(&self, axes: DMat3, centre: DVec3, unit: f64, pad: f64) -> ChartTransform {
        let matrix = self.to_axes * axes;
        let at = self.to_axes * (centre - self.origin) / self.unit;
        let scale = unit / self.unit;
        let rows = [0, 1, 2].map(|i| (matrix.row(i) * scale).to_array().map(narrow));
        let margin = PLACING * (at.abs().max_element() + 2.0 * scale) + pad / self.unit;
        if margin.is_nan() || margin > EVERYWHERE {
            return ChartTransform {
                margin: narrow(EVERYWHERE),
                inverse_k: narrow(1.0 / NO_PERIOD),
                ..ChartTransform::default()
            };
        }
        ChartTransform {
            rows,
            centre: at.to_array().map(narrow),
            k: narrow(self.k),
            inverse_k: narrow(if self.k > NO_PERIOD { 1.0 / self.k } else { 1.0 / NO_PERIOD }),
            margin: narrow(margin * 1.000_001),
        }
    }

    /// Bound of the speed, in units, at which the point at A's centre moves away from B's centre.
    pub(crate) fn speed(&self) -> f64 {
        self.speed_u + self.speed_z
    }

    /// The constants of a search from `first` to `last`, relative to the time at which A was placed.
    pub(crate) fn sweep(&self, TimeInterval { start: first, end: last }: TimeInterval) -> ChartMotion {
        let period = if self.k > NO_PERIOD { std::f64::consts::TAU / self.k } else { 0.0 };
        ChartMotion {
            speed: [narrow(self.speed_u), narrow(self.speed_z)],
            inverse: [inverse(self.speed_u), inverse(self.speed_z)],
            period: narrow(period),
            inverse_period: if period > 0.0 { narrow(1.0 / period) } else { 0.0 },
            half_period: if period > 0.0 { narrow(0.4999 * period) } else { NO_HALF_PERIOD },
            latest: narrow(first.abs().max(last.abs())),
        }
    }
}

impl ChartTransform {
    /// The same placement in a straight chart with the same axes and origin.
    pub(crate) fn straight(&self) -> Self {
        Self { k: 0.0, inverse_k: narrow(1.0 / NO_PERIOD), ..*self }
    }
}

/// The motion of A in the chart, for the test of two bounds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ChartMotion {
    /// Speeds along u and z.
    pub(crate) speed: [f32; 2],
    /// Their reciprocals; large instead of infinite.
    pub(crate) inverse: [f32; 2],
    /// The period of u; 0 if there is none.
    pub(crate) period: f32,
    /// The reciprocal of the period, or 0.
    pub(crate) inverse_period: f32,
    /// Slightly less than half the period; larger than any bound if there is none.
    pub(crate) half_period: f32,
    /// The longest time from the placement of A.
    pub(crate) latest: f32,
}

/// A body's placement in a chart, and the motion of A in the chart.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ChartPlacement {
    pub(crate) transform: ChartTransform,
    pub(crate) sweep: ChartMotion,
}

/// An interval of time in 32 bits, relative to the time at which A was placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChartInterval {
    pub(crate) start: f32,
    pub(crate) end: f32,
}

impl ChartInterval {
    #[inline(always)]
    pub(crate) fn new(start: f32, end: f32) -> Self {
        Self { start, end }
    }
}

/// Maximum reciprocal of a speed: a static body takes this long for one unit.
const SLOWEST: f64 = 1e30;

/// Larger than any bound.
const NO_HALF_PERIOD: f32 = 1e29;

fn inverse(speed: f64) -> f32 {
    narrow((1.0 / speed).min(SLOWEST))
}

/// Rounded to the nearest f32.
#[expect(clippy::cast_possible_truncation, reason = "callers pad for the rounding")]
pub(crate) fn narrow(x: f64) -> f32 {
    x as f32
}

/// Rounding of a product or sum of a few numbers, relative to their sizes.
const ROUNDING: f32 = 5e-7;

/// A length that has an effect only if the direction is zero and nothing may be concluded.
const NO_DIRECTION: f32 = 1e-18;

/// Adding and subtracting this rounds a number below 2^22 to the nearest whole number, on every processor.
const WHOLE: f32 = 12_582_912.0;

impl ChartMotion {
    /// Whether u has a period.
    pub(crate) fn has_period(&self) -> bool {
        self.period > 0.0
    }

    /// The angular speed of A in radians per unit of time.
    pub(crate) fn rate(&self) -> f32 {
        self.speed[0] * std::f32::consts::TAU * self.inverse_period
    }

    /// The position of A on its circle during an interval.
    #[inline(always)]
    pub(crate) fn arc(&self, ChartInterval { start: first, end: last }: ChartInterval) -> Arc {
        let [speed_u, _] = self.speed;
        Arc {
            middle: 0.5 * speed_u * (first + last),
            widest: self.half_period - 0.5 * speed_u * (last - first),
            period: self.period,
            inverse_period: self.inverse_period,
        }
    }

    /// The motion of A along a direction: the reciprocal of its speed, and a bound of the rounding of its path.
    #[inline(always)]
    pub(crate) fn along(&self, n: [f32; 3]) -> (f32, f32) {
        let [su, sz] = self.speed;
        let speed = n[1] * su + n[2] * sz;
        let inverse = 1.0 / if speed.abs() < 1e-30 { 1e-30 } else { speed };
        // The speed may consist of rounding only.
        (inverse, ROUNDING * (n[1].abs() * su + n[2].abs() * sz) * self.latest + NO_DIRECTION)
    }
}

/// The times during which A's path along a direction is between two lengths.
#[inline(always)]
pub(crate) fn between(low: f32, high: f32, inverse_speed: f32) -> ChartInterval {
    let low = low - ROUNDING * low.abs();
    let high = high + ROUNDING * high.abs();
    let (x, y) = (low * inverse_speed, high * inverse_speed);
    ChartInterval::new(min(x, y), max(x, y))
}

/// The arc of A's circle during an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arc {
    /// The position at the middle of the interval, along u.
    middle: f32,
    /// Bounds that are together wider than this along u can also meet a period earlier or later: half a period
    /// minus half the arc.
    pub(crate) widest: f32,
    period: f32,
    inverse_period: f32,
}

impl Arc {
    /// A difference along u, shifted by whole periods to be nearest to the middle.
    #[inline(always)]
    pub(crate) fn nearest_period(&self, d_u: f32) -> f32 {
        let turns = (d_u - self.middle) * self.inverse_period;
        d_u - self.period * ((turns + WHOLE) - WHOLE)
    }
}
