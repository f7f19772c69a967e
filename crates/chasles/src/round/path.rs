//! The path of a round shape past a static body, and for how long it certainly stays separated.
//!
//! In a time h, a point on a smooth path stays within h^2 / 8 times its maximum acceleration of the chord between
//! its two end positions. So the end values of a convex function, like n·x or a signed distance, bound its values in
//! between. Each step is proven by itself, so its length can be found by trial.

use glam::{DMat3, DVec3};

use super::support::{Placed, RoundShape};
use crate::math::direction::unit_along;
use crate::math::rounding::of_positions;
use crate::math::safe_time::safe_time;
use crate::math::screw_function::{Basis, length_bound};
use crate::motion::Screw;
use crate::motion::helix::Helix;

/// The path of a round shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RoundPath {
    round: RoundShape,
    centre: Helix,
    /// The axis at t = 0, and its coefficients of sigma and kappa (first and second derivative).
    axis: [DVec3; 3],
    omega: DVec3,
    angle: f64,
    /// The speed of the axis' rotation.
    axis_speed: f64,
    /// A bound of the error of any computed position, in metres.
    pub(crate) rounding: f64,
}

/// The square of a shorter length underflows.
const SHORTEST_SQUARED: f64 = 1e-150;

/// Upper bounds of positions, in metres.
struct CoordinateBounds {
    /// The size of the coordinates.
    size: f64,
    /// The error of the given positions.
    error: f64,
}

impl RoundPath {
    /// A round shape that moves along a screw, relative to the point `from` of the frame in which the screw is
    /// given. The static body is within `radius` of that point.
    pub(crate) fn moving(round: RoundShape, screw: &Screw, from: DVec3, radius: f64) -> Self {
        let position = screw.start().position();
        let centre = Helix {
            start: position - from,
            slide: screw.slide() * screw.direction(),
            u: screw.velocity_across_at(DVec3::ZERO),
            w: DVec3::ZERO,
        };
        let axis = screw.start_rotation().z_axis;
        let far = position.length() + from.length() + radius;
        let given = screw.rounding(round.radius()) + of_positions(screw.angle() * screw.lever());
        Self::new(round, centre, axis, screw.omega(), CoordinateBounds { size: far, error: given })
    }

    /// A round shape that is static at the origin, seen from a body that moves along a screw: relative to the point
    /// `from` of that body's frame, along the axes of that frame.
    pub(crate) fn of_static(round: RoundShape, screw: &Screw, from: DVec3, radius: f64) -> Self {
        let rotation: DMat3 = screw.start_rotation();
        let arm = rotation * from;
        let offset = screw.start().position() + arm;
        // Seen from A, the point moves in the opposite direction.
        let velocity = screw.velocity_across_at(arm) - screw.omega().cross(offset);
        let back = rotation.transpose();
        let centre = Helix {
            start: back * -offset,
            slide: back * (-screw.slide() * screw.direction()),
            u: back * -velocity,
            w: DVec3::ZERO,
        };
        let far = screw.start().position().length() + from.length() + radius;
        let far = far + screw.angle() * (offset.length() + from.length());
        let given = screw.rounding(from.length() + radius) + of_positions(screw.angle() * screw.lever());
        let bounds = CoordinateBounds { size: far, error: given };
        Self::new(round, centre, back.z_axis, back * -screw.omega(), bounds)
    }

    fn new(round: RoundShape, centre: Helix, axis: DVec3, omega: DVec3, bounds: CoordinateBounds) -> Self {
        let angle = omega.length();
        let axis = unit_along(axis);
        let across = omega.cross(axis);
        let travel = centre.slide.length() + centre.u.length();
        let rounding = of_positions(bounds.size + travel + (2.0 + angle) * round.radius());
        let rounding = rounding + bounds.error + SHORTEST_SQUARED;
        Self {
            round,
            centre: Helix { w: omega.cross(centre.u), ..centre },
            axis: [axis, across, omega.cross(across)],
            omega,
            angle,
            axis_speed: across.length() * (1.0 + 1e-12),
            rounding,
        }
    }

    /// The shape's placement at t.
    pub(crate) fn at(&self, t: f64) -> Placed {
        self.shape_at(&Basis::at(self.angle, t))
    }

    fn shape_at(&self, basis: &Basis) -> Placed {
        let [axis, first, second] = self.axis;
        let axis = if self.angle == 0.0 { axis } else { axis + basis.sigma * first + basis.kappa * second };
        Placed { round: self.round, centre: self.centre.at(basis), axis: unit_along(axis) }
    }

    /// A bound of the acceleration, along a direction n, of any point relative to the centre. The shape does not
    /// rotate about its axis u; |n·u| is at most `along` and |n·u'| at most `axis_rate`.
    ///
    /// A vector e perpendicular to the axis that is carried along without rotation about it has e' = -(e·u') u, so
    /// n·e'' = -(e·u'') (n·u) - (e·u') (n·u').
    fn arm_acceleration(&self, along: f64, axis_rate: f64) -> f64 {
        let [half, radius] = self.round.arms();
        let acceleration =
            half * self.angle * axis_rate + radius * self.axis_speed * (self.angle * along + axis_rate);
        acceleration * (1.0 + 1e-12)
    }

    /// Whether the axis keeps its direction, up to rounding: true for a ball, and for a shape that rotates about its
    /// own axis.
    fn keeps_axis(&self) -> bool {
        matches!(self.round, RoundShape::Sphere { .. }) || self.axis_speed <= 4.0 * f64::EPSILON * self.angle
    }

    fn arm_acceleration_along(&self, n: DVec3) -> f64 {
        if self.axis_speed == 0.0 {
            return 0.0;
        }
        // n·u oscillates about its component along the screw's axis.
        let [axis, first, _] = self.axis;
        let direction = unit_along(self.omega);
        let middle = direction.dot(axis);
        let across = axis - middle * direction;
        let amplitude = length_bound(n.dot(across), n.dot(first) / self.angle);
        self.arm_acceleration((n.dot(direction) * middle).abs() + amplitude, self.angle * amplitude)
    }

    /// For how long from `t` on the shape certainly stays further than `distance` from a body whose minimum along
    /// the unit vector n is `minimum`; infinite if it does until t = 1.
    pub(crate) fn separated_along(&self, t: f64, n: DVec3, minimum: f64, distance: f64) -> f64 {
        let basis = Basis::at(self.angle, t);
        let placed = self.shape_at(&basis);
        let acceleration = self.centre.max_acceleration(self.angle, n) + self.arm_acceleration_along(n);
        let now = placed.reach(n);
        let margin = minimum - now - self.rounding - distance;
        if margin.is_nan() || margin <= 0.0 {
            return 0.0;
        }
        let arm = placed.support(n) - placed.centre;
        let speed = n.dot(self.centre.velocity(&basis)) + n.cross(self.omega).dot(arm);
        let remaining = |step: f64| {
            let reach = self.at(t + step).reach(n).max(now);
            minimum - reach - 0.125 * acceleration * step * step - self.rounding - distance
        };
        longest(1.0 - t, margin, speed, acceleration, remaining)
    }

    /// For how long from `t` on static points certainly stay deeper than `distance` inside the shape; infinite if
    /// they do until t = 1.
    pub(crate) fn inside(&self, t: f64, points: &[DVec3], distance: f64) -> f64 {
        let shallowest = |placed: &Placed| {
            points.iter().map(|p| placed.signed_distance(*p).0).fold(f64::NEG_INFINITY, f64::max)
        };
        let now = shallowest(&self.at(t));
        let margin = -now - self.rounding - distance;
        if margin.is_nan() || margin <= 0.0 {
            return 0.0;
        }
        // Seen from the shape, a static point moves on a helix about the same axis. If the axis is constant, the
        // shape is symmetric under the rotation, which can be ignored.
        let rotated = |arm: DVec3| if self.keeps_axis() { DVec3::ZERO } else { self.omega.cross(arm) };
        let velocity = |p: &DVec3| self.centre.u + rotated(*p - self.centre.start);
        let across = points.iter().map(|p| velocity(p).length()).fold(0.0, f64::max) * (1.0 + 1e-12);
        let acceleration = self.angle * across;
        let speed = across + self.centre.slide.length();
        let remaining = |step: f64| {
            let then = shallowest(&self.at(t + step)).max(now);
            -then - 0.125 * acceleration * step * step - self.rounding - distance
        };
        longest(1.0 - t, margin, speed, acceleration, remaining)
    }

    /// For how long from t = 0 on a point of the shape certainly stays further than `distance` beyond a body whose
    /// maximum along the unit vector n is `maximum`; infinite if it does until t = 1.
    pub(crate) fn point_separated_for(&self, point: DVec3, n: DVec3, maximum: f64, distance: f64) -> f64 {
        let margin = n.dot(point) - maximum - self.rounding - distance;
        let rotated = |arm: DVec3| if self.keeps_axis() { DVec3::ZERO } else { self.omega.cross(arm) };
        let across = self.centre.u + rotated(point - self.centre.start);
        let acceleration = self.angle * across.length() * (1.0 + 1e-12);
        let speed = n.dot(across + self.centre.slide);
        let step = safe_time(margin, -speed, acceleration);
        if step >= 1.0 { f64::INFINITY } else { step }
    }

    /// For how long from `t` on the shape certainly stays deeper than `distance` inside a static body; infinite if
    /// it does until t = 1. `furthest` returns, for a placed shape, an upper bound of the maximum signed distance of
    /// its points in that body.
    pub(crate) fn contained(&self, t: f64, furthest: impl Fn(&Placed) -> f64, distance: f64) -> f64 {
        let now = furthest(&self.at(t));
        let margin = -now - self.rounding - distance;
        if margin.is_nan() || margin <= 0.0 {
            return 0.0;
        }
        let acceleration =
            self.angle * self.centre.u.length() * (1.0 + 1e-12) + self.arm_acceleration(1.0, self.axis_speed);
        let speed = self.centre.speed() + self.axis[1].length() * self.round.radius();
        let remaining = |step: f64| {
            let then = furthest(&self.at(t + step)).max(now);
            -then - 0.125 * acceleration * step * step - self.rounding - distance
        };
        longest(1.0 - t, margin, speed, acceleration, remaining)
    }
}

/// A gap whose excess over the distance is below this fraction of the distance counts as having reached it.
const REACHED: f64 = 1e-9;

/// A shorter step does not move time.
const SHORTEST: f64 = 1e-12;

impl RoundPath {
    /// The next time after `t`, where the gap exceeds the distance by `margin`; `None` if the gap has reached the
    /// distance.
    pub(crate) fn next_time(&self, t: f64, step: f64, margin: f64, distance: f64) -> Option<f64> {
        (step > SHORTEST && margin > (REACHED * distance).max(self.rounding)).then_some(t + step)
    }
}

/// The relative accuracy of the length of a step.
const FINE: f64 = 1e-3;

/// Nearly the longest step at whose end `remaining` is positive; infinite if it is positive after `longest_step`.
/// `remaining` starts at `margin`, falls at about `speed`, and has a second derivative of at most `acceleration`.
fn longest(
    longest_step: f64,
    margin: f64,
    speed: f64,
    acceleration: f64,
    remaining: impl Fn(f64) -> f64,
) -> f64 {
    let at_end = remaining(longest_step);
    if at_end > 0.0 {
        return f64::INFINITY;
    }
    let (mut lo, mut hi) = ((0.0, margin), (longest_step, at_end));
    let mut step = safe_time(margin, speed, acceleration);
    while step > lo.0 && step < hi.0 {
        let value = remaining(step);
        if value > 0.0 {
            lo = (step, value);
            step *= 2.0;
        } else {
            hi = (step, value);
        }
    }
    // Regula falsi with a decreasing weight for the end that stays (Illinois method).
    let mut last = 0;
    for _ in 0..24 {
        if hi.0 - lo.0 <= FINE * hi.0 {
            break;
        }
        let width = hi.0 - lo.0;
        let fraction = lo.1 / (lo.1 - hi.1);
        let fraction = if fraction.is_nan() { 0.5 } else { fraction.clamp(0.25 * FINE, 1.0 - 0.25 * FINE) };
        let middle = lo.0 + fraction * width;
        if !(middle > lo.0 && middle < hi.0) {
            break;
        }
        let value = remaining(middle);
        if value > 0.0 {
            lo = (middle, value);
            if last == 1 {
                hi.1 *= 0.5;
            }
            last = 1;
        } else {
            hi = (middle, if value.is_nan() { f64::NEG_INFINITY } else { value });
            if last == -1 {
                lo.1 *= 0.5;
            }
            last = -1;
        }
    }
    lo.0
}
