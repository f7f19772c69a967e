//! Contacts as constraint rows, and their impulses: solved one after another, until they converge.

use glam::DVec3;

use crate::flexible::definition::VertexImpact;
use crate::flexible::touch::{Velocities, VertexContact};
use crate::impulses::problem::Friction;

/// Maximum number of sweeps over all rows.
const SWEEPS: usize = 60;

/// Maximum number of row updates in all sweeps.
const VISITS: usize = 200_000;

/// Sweeps end when no speed changes by more than this fraction of the largest.
const SETTLED: f64 = 1e-9;

/// A contact, and its target.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FlexibleContactRow {
    pub(super) touch: VertexContact,
    pub(super) friction: Friction,
    /// The minimum opening speed of the gap, in metres per second; negative: the gap may close.
    pub(super) target: f64,
    /// The bounds of the normal impulse, in newton seconds.
    pub(super) between: [f64; 2],
    /// On B.
    pub(super) impulse: DVec3,
}

impl FlexibleContactRow {
    /// A contact that pushes until its gap opens at the target speed.
    pub(super) fn new(touch: VertexContact, target: f64, friction: Friction) -> Self {
        Self { touch, friction, target, between: [0.0, f64::INFINITY], impulse: DVec3::ZERO }
    }

    pub(super) fn strike(&self, time: f64) -> VertexImpact {
        let VertexContact { bodies, point, normal, .. } = self.touch;
        VertexImpact { bodies, time, point, normal, impulse: self.impulse }
    }

    /// Updates the impulse once; returns the change of speed.
    fn visit(&mut self, answer: f64, velocities: &mut Velocities, inverse: &[&[f64]]) -> f64 {
        let normal = self.touch.normal;
        let pushed = self.impulse.dot(normal);
        let opening = self.touch.opening(velocities);
        let [least, most] = self.between;
        let push = (pushed + (self.target - opening) / answer).max(least).min(most);
        let across = (push - pushed) * normal;
        self.touch.push(velocities, inverse, across);
        self.impulse += across;
        let along = self.friction_change(push, answer, velocities);
        if along != DVec3::ZERO {
            self.touch.push(velocities, inverse, along);
            self.impulse += along;
        }
        answer * (across.length() + along.length())
    }

    /// The change of the tangential impulse by friction: it stops the slip, within its limit.
    fn friction_change(&self, push: f64, answer: f64, velocities: &Velocities) -> DVec3 {
        let most = match self.friction {
            Friction::Coefficient(0.0) => return DVec3::ZERO,
            Friction::Coefficient(share) => share * push,
            Friction::Rough => f64::INFINITY,
        };
        let normal = self.touch.normal;
        let flat = |v: DVec3| v - normal * normal.dot(v);
        let (slip, before) = (flat(self.touch.velocity(velocities)), flat(self.impulse));
        let stuck = before - slip / answer;
        let length = stuck.length();
        // Without a normal impulse there is no friction, however rough the surfaces.
        let most = if push > 0.0 { most } else { 0.0 };
        let after = if length > most { stuck * (most / length) } else { stuck };
        after - before
    }
}

/// Solves all rows by impulses, which change the velocities.
pub(super) fn solve(rows: &mut [FlexibleContactRow], velocities: &mut Velocities, inverse: &[&[f64]]) {
    let answers: Vec<f64> = rows.iter().map(|row| row.touch.answer(inverse)).collect();
    let sweeps = SWEEPS.min(VISITS / rows.len().max(1)).max(4);
    for _ in 0..sweeps {
        let (mut changed, mut greatest) = (0.0_f64, 0.0_f64);
        for (row, answer) in rows.iter_mut().zip(&answers).filter(|(_, answer)| **answer > 0.0) {
            changed = changed.max(row.visit(*answer, velocities, inverse));
            greatest = greatest.max(answer * row.impulse.length());
        }
        if changed <= SETTLED * greatest {
            break;
        }
    }
}
