//! The springs of all contacts of flexible bodies (`impulses/spring`). Surfaces never pass through each other, so
//! each spring acts on the gap of its contact.

use std::collections::BTreeMap;

use crate::features::contact::ContactFeatures;
use crate::flexible::rows::FlexibleContactRow;
use crate::flexible::vertex_contact::{Velocities, VertexContact};
use crate::impulses::spring::{self, ContactProperties, ContactSpring};

/// The springs of all contacts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PenaltyLaws {
    zone: f64,
    /// The maximum acceleration that new springs must hold, in metres per square second.
    weight: f64,
    own: BTreeMap<(usize, ContactFeatures), ContactSpring>,
}

impl PenaltyLaws {
    pub(super) fn new(depth: f64, weight: f64) -> Self {
        Self { zone: spring::zone(depth), weight, own: BTreeMap::new() }
    }

    /// The gap at which an approaching contact gets its spring, in metres.
    pub(super) fn engagement_gap(&self) -> f64 {
        spring::engagement_gap(self.zone)
    }

    /// The gap below which contacts are pushed apart, in metres.
    pub(super) fn rest_gap(&self) -> f64 {
        spring::rest_gap(self.zone)
    }

    /// Adds springs for contacts that are new in the zone, and removes the springs of contacts that have left it.
    pub(super) fn update_contacts(
        &mut self,
        near: &[VertexContact],
        velocities: &Velocities,
        inverse: &[&[f64]],
    ) {
        let mut known = std::mem::take(&mut self.own);
        for contact in near.iter().filter(|contact| contact.gap < self.zone) {
            let inverse_mass = contact.inverse_mass(inverse);
            if inverse_mass <= 0.0 {
                continue;
            }
            let new = ContactSpring::new(self.zone, -contact.opening(velocities), self.weight, inverse_mass);
            self.own.insert(contact.key, known.remove(&contact.key).unwrap_or(new));
        }
    }

    /// The minimum and maximum impulse of the spring of a contact in a time; `None` if it has no spring.
    /// The velocities are those before and after the other forces.
    pub(super) fn impulse_bounds(
        &self,
        contact: &VertexContact,
        time: f64,
        properties: ContactProperties,
        velocities: [&Velocities; 2],
    ) -> Option<[f64; 2]> {
        let spring = self.own.get(&contact.key)?;
        // A closing contact gets no more than one at rest, because the vertices around it push too.
        let speed = velocities.map(|velocities| contact.opening(velocities)).iter().sum::<f64>().max(0.0);
        Some(spring.impulse_bounds(contact.gap, time, properties, speed))
    }

    /// Updates the springs by the rows, whose impulses changed the velocities from the first to the second.
    pub(super) fn update_accounts(
        &mut self,
        rows: &[FlexibleContactRow],
        elasticity: &dyn Fn(&VertexContact) -> f64,
        [before, after]: [&Velocities; 2],
    ) {
        for row in rows {
            let Some(spring) = self.own.get_mut(&row.contact.key) else { continue };
            let normal_impulse = row.impulse.dot(row.contact.normal);
            let energy = -0.5 * normal_impulse * (row.contact.opening(before) + row.contact.opening(after));
            spring.update_account(energy, elasticity(&row.contact), row.impulse_bounds, normal_impulse);
        }
    }

    /// The energy that the springs will return, in joules.
    pub(super) fn stored(&self) -> f64 {
        self.own.values().map(ContactSpring::account).sum()
    }

    /// The longest stable step, in seconds.
    pub(super) fn longest_step(
        &self,
        near: &[VertexContact],
        elasticity: &dyn Fn(&VertexContact) -> f64,
        velocities: &Velocities,
        inverse: &[&[f64]],
    ) -> f64 {
        let own = |contact: &VertexContact| {
            let speed = contact.opening(velocities);
            match self.own.get(&contact.key) {
                Some(spring) => {
                    let inverse_mass = contact.inverse_mass(inverse);
                    let properties = ContactProperties { inverse_mass, elasticity: elasticity(contact) };
                    spring.longest_step(contact.gap, properties, speed)
                }
                // Followed into the zone.
                None if speed < 0.0 => {
                    (contact.gap - self.engagement_gap()).max(self.zone - self.engagement_gap()) / -speed
                }
                None => f64::INFINITY,
            }
        };
        near.iter().map(own).fold(f64::INFINITY, f64::min)
    }
}
