//! Penalty springs at the contacts of rigid bodies (`impulses/spring`).
//!
//! The gap of a spring that starts inside its zone is shifted to start at the zone's edge.

use glam::DVec3;

use crate::impulses::spring::{self, ContactProperties, ContactSpring, is_slow, rest_gap};
use crate::simulate::rows::{ContactPoint, ContactRows, ContactTarget};
use crate::simulate::state::world::World;

/// The gap at which a spring carries the weight of its contact, as a fraction of the zone: (z - d) z = d^2.
const RESTING_GAP: f64 = 0.618;

/// A spring lets bodies overlap if its shift exceeds this fraction of the zone.
const OVERLAP_SHIFT: f64 = 0.15;

/// The penalty spring of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PenaltySpring {
    touch: ContactPoint,
    own: ContactSpring,
    /// The spring's gap is the contact's gap plus this shift.
    shift: f64,
}

impl PenaltySpring {
    /// A new spring for a contact inside the zone. It starts without a force; at the start of a simulation
    /// (`is_start`), a slow contact starts as if at rest.
    fn new(contact: &ContactRows, world: &World, approach: f64, is_start: bool) -> Option<Self> {
        let (zone, gravity) = (Self::zone(world), world.definition.settings.gravity.length());
        let (gap, inverse_mass) = (contact.touch.gap, contact.inverse_mass());
        if gap >= zone || inverse_mass <= 0.0 {
            return None;
        }
        let own = ContactSpring::new(zone, approach, gravity, inverse_mass);
        let shift = if is_start && is_slow(approach) { RESTING_GAP * zone - gap } else { zone - gap };
        // A contact that appears deeper is held at its gap.
        Some(Self { touch: contact.touch, own, shift: shift.clamp(0.0, zone) })
    }

    /// The gap below which a contact gets a spring, in metres.
    pub(crate) fn zone(world: &World) -> f64 {
        spring::zone(world.definition.settings.depth)
    }

    /// The gap down to which approaching bodies are followed to get their spring, in metres.
    pub(crate) fn engagement_gap(world: &World) -> f64 {
        spring::engagement_gap(Self::zone(world))
    }

    /// The gap on which the spring acts, in metres.
    fn gap(&self) -> f64 {
        self.touch.gap + self.shift
    }

    /// Moves the spring to another contact point of the same bodies, with the same spring gap.
    fn move_to(&self, touch: ContactPoint) -> Self {
        let shift = if self.touch.is_same(&touch) { self.shift } else { self.gap() - touch.gap };
        Self { touch, shift: shift.clamp(0.0, self.own.zone()), ..*self }
    }

    fn is_over(&self) -> bool {
        self.gap() >= self.own.zone()
    }

    /// The target of the contact in a time, from its inverse effective mass and its opening speeds before and after
    /// the forces: no approach, by an impulse between the impulses of a receding and an approaching spring.
    fn target(&self, time: f64, inverse_mass: f64, speeds: [f64; 2]) -> ContactTarget {
        let properties = self.properties(inverse_mass);
        let [min_impulse, max_impulse] =
            self.own.impulse_bounds(self.gap(), time, properties, speeds[0] + speeds[1]);
        ContactTarget { min_impulse, max_impulse, ..ContactTarget::min_speed(0.0) }
    }

    fn properties(&self, inverse_mass: f64) -> ContactProperties {
        ContactProperties { inverse_mass, elasticity: self.touch.elasticity }
    }

    /// Whether the bodies may overlap.
    fn is_shifted(&self) -> bool {
        self.shift > OVERLAP_SHIFT * self.own.zone()
    }
}

/// A contact whose features change keeps its spring if the cosine between its normals exceeds this.
const MIN_KEPT_COSINE: f64 = 0.9;

/// The springs of all contacts at one time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Springs {
    /// By contact.
    own: Vec<Option<PenaltySpring>>,
}

impl Springs {
    /// Keeps the springs of earlier contacts, and adds new ones.
    pub(crate) fn new(
        world: &World,
        contacts: &[ContactRows],
        velocities: &[[DVec3; 2]],
        before: Option<&Self>,
    ) -> Self {
        // Springs of the same features first, then the nearest of the same two bodies.
        let mut known: Vec<PenaltySpring> =
            before.map_or(Vec::new(), |before| before.own.iter().flatten().copied().collect());
        let mut take = |touch: &ContactPoint, is_known: &dyn Fn(&PenaltySpring) -> bool| {
            let far = |spring: &PenaltySpring| spring.touch.point.distance_squared(touch.point);
            let all = known.iter().enumerate().filter(|(_, spring)| is_known(spring));
            let (i, _) = all.min_by(|p, q| far(p.1).total_cmp(&far(q.1)))?;
            Some(known.swap_remove(i).move_to(*touch))
        };
        let mut own: Vec<Option<PenaltySpring>> =
            contacts.iter().map(|own| take(&own.touch, &|spring| spring.touch.is_same(&own.touch))).collect();
        for (spring, contact) in own.iter_mut().zip(contacts).filter(|(own, _)| own.is_none()) {
            let touch = &contact.touch;
            let is_near = |spring: &PenaltySpring| {
                spring.touch.bodies == touch.bodies && spring.touch.normal.dot(touch.normal) > MIN_KEPT_COSINE
            };
            *spring = take(touch, &is_near);
        }
        for (spring, contact) in own.iter_mut().zip(contacts) {
            let speed = contact.along_normal(velocities);
            *spring = match spring.take() {
                Some(known) => Some(known).filter(|known| !known.is_over()),
                None => PenaltySpring::new(contact, world, -speed, before.is_none()),
            };
        }
        Self { own }
    }

    /// The targets of all contacts in a time, from the velocities before and after the forces.
    pub(crate) fn targets(
        &self,
        time: f64,
        contacts: &[ContactRows],
        velocities: [&[[DVec3; 2]]; 2],
    ) -> Vec<ContactTarget> {
        let none = ContactTarget { max_impulse: 0.0, ..ContactTarget::min_speed(f64::NEG_INFINITY) };
        let target = |(spring, contact): (&Option<PenaltySpring>, &ContactRows)| {
            let speeds = velocities.map(|velocities| contact.along_normal(velocities));
            spring.as_ref().map_or(none, |spring| spring.target(time, contact.inverse_mass(), speeds))
        };
        self.own.iter().zip(contacts).map(target).collect()
    }

    /// Updates the springs with the impulses that changed the velocities from the first to the second.
    pub(crate) fn update_accounts(
        &mut self,
        contacts: &[ContactRows],
        targets: &[ContactTarget],
        velocities: [&[[DVec3; 2]]; 2],
    ) {
        for ((spring, contact), target) in self.own.iter_mut().zip(contacts).zip(targets) {
            if let Some(spring) = spring {
                let energy = contact.dissipated(velocities, 0..1);
                let bounds = [target.min_impulse, target.max_impulse];
                spring.own.update_account(energy, spring.touch.elasticity, bounds, contact.impulses[0]);
            }
        }
    }

    /// The longest allowed step, in seconds.
    pub(crate) fn longest_step(&self, contacts: &[ContactRows], velocities: &[[DVec3; 2]]) -> f64 {
        let longest = |(spring, contact): (&Option<PenaltySpring>, &ContactRows)| {
            let spring = spring.as_ref()?;
            let properties = spring.properties(contact.inverse_mass());
            Some(spring.own.longest_step(spring.gap(), properties, contact.along_normal(velocities)))
        };
        self.own.iter().zip(contacts).filter_map(longest).fold(f64::INFINITY, f64::min)
    }

    /// By how much the gap of each spring is below its rest gap, in metres; negative above it.
    pub(crate) fn missing_gaps(&self) -> Vec<f64> {
        let missing = |spring: &Option<PenaltySpring>| {
            spring.as_ref().map_or(f64::NEG_INFINITY, |spring| rest_gap(spring.own.zone()) - spring.gap())
        };
        self.own.iter().map(missing).collect()
    }

    /// The stored energy that the springs will return, in joules.
    pub(crate) fn stored_energy(&self) -> f64 {
        self.own.iter().flatten().map(|spring| spring.own.account()).sum()
    }

    /// The pairs of bodies that may overlap.
    pub(crate) fn overlapping_pairs(&self) -> Vec<[usize; 2]> {
        let all = self.own.iter().flatten().filter(|spring| spring.is_shifted());
        all.map(|spring| spring.touch.bodies).collect()
    }
}
