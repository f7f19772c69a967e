//! Contacts as constraint rows, and their impulses: solved one after another, until they converge.

use glam::DVec3;

use crate::flexible::definition::VertexImpact;
use crate::flexible::vertex_contact::{Velocities, VertexContact};
use crate::impulses::problem::Friction;

/// Maximum number of sweeps over all rows.
const MAX_SWEEPS: usize = 60;

/// Maximum number of row updates in all sweeps.
const MAX_UPDATES: usize = 200_000;

/// Sweeps end when no speed changes by more than this fraction of the largest.
const TOLERANCE: f64 = 1e-9;

/// A contact, and its target.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FlexibleContactRow {
    pub(super) contact: VertexContact,
    pub(super) friction: Friction,
    /// The minimum opening speed of the gap, in metres per second; negative: the gap may close.
    pub(super) target: f64,
    /// The bounds of the normal impulse, in newton seconds.
    pub(super) impulse_bounds: [f64; 2],
    /// On B.
    pub(super) impulse: DVec3,
}

impl FlexibleContactRow {
    /// A contact that pushes until its gap opens at the target speed.
    pub(super) fn new(contact: VertexContact, target: f64, friction: Friction) -> Self {
        Self { contact, friction, target, impulse_bounds: [0.0, f64::INFINITY], impulse: DVec3::ZERO }
    }

    pub(super) fn impact(&self, time: f64) -> VertexImpact {
        let VertexContact { bodies, point, normal, .. } = self.contact;
        VertexImpact { bodies, time, point, normal, impulse: self.impulse }
    }

    /// Updates the impulse once; returns the change of speed.
    fn visit(&mut self, inverse_mass: f64, velocities: &mut Velocities, inverse: &[&[f64]]) -> f64 {
        let normal = self.contact.normal;
        let previous = self.impulse.dot(normal);
        let opening = self.contact.opening(velocities);
        let [minimum, maximum] = self.impulse_bounds;
        let normal_impulse = (previous + (self.target - opening) / inverse_mass).max(minimum).min(maximum);
        let across = (normal_impulse - previous) * normal;
        self.contact.apply_impulse(velocities, inverse, across);
        self.impulse += across;
        let along = self.friction_change(normal_impulse, inverse_mass, velocities);
        if along != DVec3::ZERO {
            self.contact.apply_impulse(velocities, inverse, along);
            self.impulse += along;
        }
        inverse_mass * (across.length() + along.length())
    }

    /// The change of the tangential impulse by friction: it stops the slip, within its limit.
    fn friction_change(&self, normal_impulse: f64, inverse_mass: f64, velocities: &Velocities) -> DVec3 {
        let limit = match self.friction {
            Friction::Coefficient(0.0) => return DVec3::ZERO,
            Friction::Coefficient(coefficient) => coefficient * normal_impulse,
            Friction::Rough => f64::INFINITY,
        };
        let normal = self.contact.normal;
        let flat = |v: DVec3| v - normal * normal.dot(v);
        let (slip, before) = (flat(self.contact.velocity(velocities)), flat(self.impulse));
        let sticking = before - slip / inverse_mass;
        let length = sticking.length();
        // Without a normal impulse there is no friction, however rough the surfaces.
        let limit = if normal_impulse > 0.0 { limit } else { 0.0 };
        let after = if length > limit { sticking * (limit / length) } else { sticking };
        after - before
    }
}

/// Solves all rows by impulses, which change the velocities.
pub(super) fn solve(rows: &mut [FlexibleContactRow], velocities: &mut Velocities, inverse: &[&[f64]]) {
    let inverse_masses: Vec<f64> = rows.iter().map(|row| row.contact.inverse_mass(inverse)).collect();
    let sweeps = MAX_SWEEPS.min(MAX_UPDATES / rows.len().max(1)).max(4);
    for _ in 0..sweeps {
        let (mut change, mut maximum) = (0.0_f64, 0.0_f64);
        let movable = rows.iter_mut().zip(&inverse_masses).filter(|(_, inverse_mass)| **inverse_mass > 0.0);
        for (row, inverse_mass) in movable {
            change = change.max(row.visit(*inverse_mass, velocities, inverse));
            maximum = maximum.max(inverse_mass * row.impulse.length());
        }
        if change <= TOLERANCE * maximum {
            break;
        }
    }
}
