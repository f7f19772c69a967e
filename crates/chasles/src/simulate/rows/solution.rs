//! A contact solution, and how it continues with other contacts.

use glam::DVec3;

use crate::impulses::problem::Friction;
use crate::simulate::rows::contact::{ContactRows, ContactTarget};
use crate::simulate::rows::settling::{Settled, WarmStart, settle, settle_in, settle_on};

/// Sweeps used if conjugate gradients created energy.
const PLAIN_SWEEPS: usize = 100;

/// Energy created below this fraction of the work of the impulses is rounding, or due to incomplete convergence.
const MADE: f64 = 1e-6;

/// Contacts, their targets, and the velocities with their impulses.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    pub(crate) contacts: Vec<ContactRows>,
    pub(crate) asked: Vec<ContactTarget>,
    pub(crate) velocities: Vec<[DVec3; 2]>,
    pub(crate) settled: Settled,
}

impl Solution {
    /// Solves from velocities after the forces, and from initial impulses.
    pub(crate) fn new(
        mut contacts: Vec<ContactRows>,
        asked: Vec<ContactTarget>,
        mut velocities: Vec<[DVec3; 2]>,
    ) -> Self {
        let settled = settle(&mut contacts, &asked, &mut velocities);
        Self { contacts, asked, velocities, settled }
    }

    /// The same solution with some contacts, by number, replaced or added, and how each contact starts.
    pub(crate) fn with(&self, others: Vec<(usize, ContactRows, ContactTarget)>) -> (Self, Vec<WarmStart>) {
        let mut own = self.clone();
        let relative = |contact: &ContactRows| WarmStart::AsIs(contact.relative(&self.velocities));
        let mut left: Vec<WarmStart> = self.contacts.iter().map(relative).collect();
        for (number, rows, asked) in others {
            if let (Some(known), Some(left)) = (own.contacts.get_mut(number), left.get_mut(number)) {
                known.replace(rows, &mut own.velocities);
                (own.asked[number], *left) = (asked, WarmStart::Anew);
            } else {
                own.contacts.push(rows);
                own.asked.push(asked);
                left.push(WarmStart::Anew);
            }
        }
        (own, left)
    }

    /// Solves the remaining contacts.
    pub(crate) fn resume(&mut self, left: &[WarmStart]) {
        let Self { contacts, asked, velocities, settled } = self;
        settle_on(contacts, (asked, left), velocities, settled);
    }

    /// The energy that the impulses dissipated, given the velocities before the forces (`given`) and after
    /// (`before`). Springs may return their stored energy, but friction must not create as much in addition. If
    /// friction does not converge, so that energy would be created, the solution is computed without friction; then
    /// the second value is true.
    pub(crate) fn weighed(&mut self, [given, before]: [&[[DVec3; 2]]; 2], stored: f64) -> (f64, bool) {
        let Self { contacts, asked, velocities, .. } = self;
        let along = |own: &ContactRows| own.energy_taken([before, velocities], 0..1);
        let given_back = contacts.iter().map(|own| (-along(own)).max(0.0)).sum::<f64>().min(stored);
        let made =
            given_back + contacts.iter().map(|own| own.energy_taken([before, velocities], 0..3)).sum::<f64>();
        let work = |own: &ContactRows| own.impulse().length() * own.relative(before).abs().max_element();
        let is_plain = made < -MADE * contacts.iter().map(work).sum::<f64>();
        if is_plain {
            for contact in &mut *contacts {
                (contact.impulses, contact.touch.friction) = ([0.0; 3], Friction::Coefficient(0.0));
            }
            velocities.copy_from_slice(before);
            let asked: Vec<ContactTarget> =
                asked.iter().map(|own| ContactTarget { least: own.least.min(0.0), ..*own }).collect();
            settle_in([PLAIN_SWEEPS; 2], contacts, &asked, velocities);
        }
        (contacts.iter().map(|contact| contact.energy_taken([given, velocities], 0..3)).sum(), is_plain)
    }
}
