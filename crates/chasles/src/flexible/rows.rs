//! Contacts as rows, and the impulses that answer them: one after another, until nothing changes.

use glam::DVec3;

use crate::flexible::definition::VertexImpact;
use crate::flexible::touch::{Velocities, VertexContact};
use crate::impulses::problem::Friction;

/// Sweeps over all rows, at most.
const SWEEPS: usize = 60;

/// Visits of rows, at most, however many sweeps that is.
const VISITS: usize = 200_000;

/// A sweep that changes no speed by more than this share of the greatest is the last.
const SETTLED: f64 = 1e-9;

/// A contact, and what is asked of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FlexibleContactRow {
    pub(super) touch: VertexContact,
    pub(super) friction: Friction,
    /// The gap is to open at least so fast, in metres per second; below 0 it may close.
    pub(super) target: f64,
    /// The impulse along the normal lies between these, in newton seconds.
    pub(super) between: [f64; 2],
    /// On B.
    pub(super) impulse: DVec3,
}

impl FlexibleContactRow {
    /// A contact that pushes as far as its gap is to open so fast.
    pub(super) fn new(touch: VertexContact, target: f64, friction: Friction) -> Self {
        Self { touch, friction, target, between: [0.0, f64::INFINITY], impulse: DVec3::ZERO }
    }

    pub(super) fn strike(&self, time: f64) -> VertexImpact {
        let VertexContact { bodies, point, normal, .. } = self.touch;
        VertexImpact { bodies, time, point, normal, impulse: self.impulse }
    }

    /// Answers it once; by how much a speed changed.
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

    /// The change of the impulse along the surfaces by friction: it stops the slip, or as much as it may.
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
        // Without a push there is no friction, however rough.
        let most = if push > 0.0 { most } else { 0.0 };
        let after = if length > most { stuck * (most / length) } else { stuck };
        after - before
    }
}

/// Answers all rows by impulses, which change the velocities.
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
