//! A contact solution, and how it continues with other contacts.

use std::ops::Range;

use glam::DVec3;

use crate::impulses::problem::Friction;
use crate::simulate::recorded::EnergyLosses;
use crate::simulate::rows::contact::{ContactRows, ContactTarget};
use crate::simulate::rows::settling::{
    Convergence, WarmStart, continue_settling, settle, settle_with_sweeps,
};

/// Friction on the drift may add at most this fraction of the kinetic energy.
const MAX_CREATED_FRACTION: f64 = 0.01;

/// Sweeps used if conjugate gradients created energy.
const PLAIN_SWEEPS: usize = 100;

/// Energy created below this fraction of the work of the impulses is rounding, or due to incomplete convergence.
const MAX_CREATED_ENERGY: f64 = 1e-6;

/// Contacts, their targets, and the velocities with their impulses.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    pub(crate) contacts: Vec<ContactRows>,
    pub(crate) targets: Vec<ContactTarget>,
    pub(crate) velocities: Vec<[DVec3; 2]>,
    pub(crate) convergence: Convergence,
}

/// A contact that replaces the contact of a solution with this number or, if there is none, is added.
#[derive(Debug, Clone)]
pub(crate) struct ContactUpdate {
    pub(crate) number: usize,
    pub(crate) rows: ContactRows,
    pub(crate) target: ContactTarget,
}

/// A solution that is to be solved again after some contacts changed.
#[derive(Debug, Clone)]
pub(crate) struct ContinuedSolution {
    pub(crate) solution: Solution,
    /// How each contact starts.
    pub(crate) starts: Vec<WarmStart>,
}

/// The energy of a solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SolutionEnergy {
    /// The energy that the impulses dissipated.
    pub(crate) losses: EnergyLosses,
    /// The solution was computed again, without drift or friction.
    pub(crate) is_repeated: bool,
}

impl ContinuedSolution {
    /// Solves the remaining contacts.
    pub(crate) fn solve(self) -> Solution {
        let Self { mut solution, starts } = self;
        let Solution { contacts, targets, velocities, convergence } = &mut solution;
        continue_settling(contacts, targets, &starts, velocities, convergence);
        solution
    }
}

impl Solution {
    /// Solves from velocities after the forces, and from initial impulses.
    pub(crate) fn new(
        mut contacts: Vec<ContactRows>,
        targets: Vec<ContactTarget>,
        mut velocities: Vec<[DVec3; 2]>,
    ) -> Self {
        let convergence = settle(&mut contacts, &targets, &mut velocities);
        Self { contacts, targets, velocities, convergence }
    }

    /// The same solution with some contacts replaced or added.
    pub(crate) fn with_updates(&self, updates: Vec<ContactUpdate>) -> ContinuedSolution {
        let mut own = self.clone();
        let relative = |contact: &ContactRows| WarmStart::Unchanged(contact.relative(&self.velocities));
        let mut starts: Vec<WarmStart> = self.contacts.iter().map(relative).collect();
        for ContactUpdate { number, rows, target } in updates {
            if let (Some(known), Some(start)) = (own.contacts.get_mut(number), starts.get_mut(number)) {
                known.replace(rows, &mut own.velocities);
                (own.targets[number], *start) = (target, WarmStart::NewTarget);
            } else {
                own.contacts.push(rows);
                own.targets.push(target);
                starts.push(WarmStart::NewTarget);
            }
        }
        ContinuedSolution { solution: own, starts }
    }

    /// Checks that the impulses create no energy, from the velocities before the forces (`initial`) and after them
    /// (`after_forces`). Springs may return their stored energy, but friction must not create as much in addition. If
    /// friction does not converge, so that energy would be created, the solution is computed without friction.
    ///
    /// Friction on the drift of bodies that rotate fast also creates energy. If this exceeds a fraction of the kinetic
    /// energy after the forces (`kinetic`), the solution is computed again without drift.
    pub(crate) fn limit_energy(
        &mut self,
        [initial, after_forces]: [&[[DVec3; 2]]; 2],
        [stored, kinetic]: [f64; 2],
    ) -> SolutionEnergy {
        let Self { contacts, targets, velocities, .. } = self;
        let created = -contacts.iter().map(ContactRows::work_on_drift).sum::<f64>();
        let has_drift = created > MAX_CREATED_FRACTION * kinetic;
        if has_drift {
            contacts.iter_mut().for_each(ContactRows::restart_without_drift);
            velocities.copy_from_slice(after_forces);
            settle(contacts, targets, velocities);
        }
        let along = |own: &ContactRows| own.dissipated([after_forces, velocities], 0..1);
        let returned = contacts.iter().map(|own| (-along(own)).max(0.0)).sum::<f64>().min(stored);
        let sum = returned
            + contacts.iter().map(|own| own.dissipated([after_forces, velocities], 0..3)).sum::<f64>();
        let work =
            |own: &ContactRows| own.impulse().length() * own.relative(after_forces).abs().max_element();
        let is_frictionless = sum < -MAX_CREATED_ENERGY * contacts.iter().map(work).sum::<f64>();
        if is_frictionless {
            for contact in &mut *contacts {
                (contact.impulses, contact.touch.friction) = ([0.0; 3], Friction::Coefficient(0.0));
            }
            velocities.copy_from_slice(after_forces);
            let target = |own: &ContactTarget| ContactTarget {
                min_speed: own.min_speed.min(0.0),
                before: [0.0; 3],
                ..*own
            };
            let targets: Vec<ContactTarget> = targets.iter().map(target).collect();
            settle_with_sweeps([PLAIN_SWEEPS; 2], contacts, &targets, velocities);
        }
        let dissipated = |rows: Range<usize>| -> f64 {
            contacts.iter().map(|contact| contact.kinetic_loss([initial, velocities], rows.clone())).sum()
        };
        let losses =
            EnergyLosses { impacts: dissipated(0..1), friction: dissipated(1..3), ..EnergyLosses::default() };
        SolutionEnergy { losses, is_repeated: has_drift || is_frictionless }
    }
}
