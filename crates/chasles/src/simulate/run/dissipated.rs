//! The energy that contacts, joints and forced stops dissipated, and its causes.
//!
//! Springs store energy and return most, and friction may return a little within a step. The reported energy
//! counts only what did not return, so it never falls.

use glam::DVec3;

use crate::simulate::recorded::EnergyLosses;
use crate::simulate::state::WarmImpulses;
use crate::simulate::state::world::World;

/// Energy that contacts and joints dissipated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DissipatedEnergy {
    /// With the energy in springs, which they will return.
    pub(crate) sum: EnergyLosses,
    /// The maximum of the sum without the energy in springs, in joules: it never falls.
    pub(crate) reported: f64,
}

impl DissipatedEnergy {
    /// Adds losses; `stored` is the energy that springs store now, in joules.
    pub(crate) fn add(&mut self, losses: EnergyLosses, stored: f64) {
        self.sum += losses;
        self.reported = self.reported.max(self.sum.total() - stored);
    }

    /// The reported energy by cause. Energy that springs store, or that friction returned, is not among it.
    pub(crate) fn losses(&self) -> EnergyLosses {
        let rest = self.reported - self.sum.total();
        let mut losses = self.sum;
        if losses.springs == 0.0 && losses.friction.abs() > losses.impacts.abs() {
            losses.friction += rest;
        } else if losses.springs == 0.0 {
            losses.impacts += rest;
        } else {
            losses.springs += rest;
        }
        losses
    }
}

/// A correction of the energy that contacts dissipate in a step, in joules: the loss of potential energy less the work
/// of gravity on the velocities.
///
/// Gravity acts in both halves of a step, at the mean of the velocities before and after each half, v0, v and v1, but
/// bodies move with v throughout. So the difference is -m g (v0 - 2 v + v1) h/4 = g (J1 - J2) h/4, with the contact
/// impulses J1 and J2 of the halves. A body that lands within the step has J2 < J1.
pub(crate) fn gravity_correction(world: &World, warm: &[WarmImpulses; 2]) -> f64 {
    if world.is_sprung() {
        return 0.0;
    }
    let sum = |warm: &WarmImpulses| -> DVec3 {
        let on_mobile = |body: usize| f64::from(u8::from(world.is_mobile(body)));
        let own = |[a, b]: [usize; 2]| on_mobile(b) - on_mobile(a);
        warm.impulses.iter().map(|applied| own(applied.touch.bodies) * applied.impulse).sum()
    };
    0.25 * warm[0].duration * world.definition.gravity.dot(sum(&warm[0]) - sum(&warm[1]))
}
