//! The path of one point along a screw.

use glam::DVec3;

use crate::math::screw_function::{Basis, length_bound};

/// x(t) = start + t slide + sigma u + kappa w, with w = omega x u, where omega is the angular velocity, of length b,
/// sigma = sin(b t) / b and kappa = (1 - cos(b t)) / b^2 ([`Basis`]).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Helix {
    /// Position at t = 0.
    pub(crate) start: DVec3,
    /// Velocity along the axis.
    pub(crate) slide: DVec3,
    /// Velocity across the axis at t = 0.
    pub(crate) u: DVec3,
    /// Acceleration at t = 0.
    pub(crate) w: DVec3,
}

impl Helix {
    /// Position.
    pub(crate) fn at(&self, basis: &Basis) -> DVec3 {
        self.start + basis.t * self.slide + basis.sigma * self.u + basis.kappa * self.w
    }

    /// Velocity.
    pub(crate) fn velocity(&self, basis: &Basis) -> DVec3 {
        self.slide + basis.cos * self.u + basis.sigma * self.w
    }

    /// Speed, which is constant: the components along and across the axis are perpendicular.
    pub(crate) fn speed(&self) -> f64 {
        (self.slide.length_squared() + self.u.length_squared()).sqrt() * (1.0 + 4.0 * f64::EPSILON)
    }

    /// A bound of the acceleration along a direction; the component across the axis rotates by the angle `b` at a
    /// constant rate.
    pub(crate) fn max_acceleration(&self, b: f64, direction: DVec3) -> f64 {
        length_bound(b * direction.dot(self.u), direction.dot(self.w))
    }
}
