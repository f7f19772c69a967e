//! Penalty springs at the contacts of rigid bodies (`impulses/spring`).
//!
//! The gap of a spring that starts inside its zone is shifted to start at the zone's edge.

use glam::DVec3;

use crate::impulses::spring::{self, ContactSpring, is_slow, rest_gap};
use crate::simulate::rows::{ContactPoint, ContactRows, ContactTarget};
use crate::simulate::world::World;

/// The gap at which a spring carries the weight of its contact, as a fraction of the zone: (z - d) z = d^2.
const RESTING: f64 = 0.618;

/// A spring lets bodies overlap if its shift exceeds this fraction of the zone.
const SHIFTED: f64 = 0.15;

/// The penalty spring of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PenaltySpring {
    touch: ContactPoint,
    own: ContactSpring,
    /// The spring's gap is the contact's gap plus this shift.
    shift: f64,
}

impl PenaltySpring {
    /// A new spring for a contact inside the zone. It starts without a force; at the start of a simulation, a slow
    /// contact starts as if at rest.
    fn new(contact: &ContactRows, world: &World, approach: f64, is_begin: bool) -> Option<Self> {
        let (zone, gravity) = (Self::zone(world), world.definition.gravity.length());
        let (gap, answer) = (contact.touch.gap, contact.answer());
        if gap >= zone || answer <= 0.0 {
            return None;
        }
        let own = ContactSpring::new(zone, approach, gravity, answer);
        let shift = if is_begin && is_slow(approach) { RESTING * zone - gap } else { zone - gap };
        // A contact that appears deeper is held at its gap.
        Some(Self { touch: contact.touch, own, shift: shift.clamp(0.0, zone) })
    }

    /// The gap below which a contact gets a spring, in metres.
    pub(crate) fn zone(world: &World) -> f64 {
        spring::zone(world.definition.depth)
    }

    /// The gap down to which approaching bodies are followed to get their spring, in metres.
    pub(crate) fn engagement_gap(world: &World) -> f64 {
        spring::engagement_gap(Self::zone(world))
    }

    fn rest_gap(&self) -> f64 {
        self.touch.gap + self.shift
    }

    /// Moves the spring to another contact point of the same bodies, with the same spring gap.
    fn moved(&self, touch: ContactPoint) -> Self {
        let shift = if self.touch.is_same(&touch) { self.shift } else { self.rest_gap() - touch.gap };
        Self { touch, shift: shift.clamp(0.0, self.own.zone()), ..*self }
    }

    fn is_over(&self) -> bool {
        self.rest_gap() >= self.own.zone()
    }

    /// The target of the contact in a time, from its response and its speeds before and after the forces: no
    /// approach, by an impulse between the impulses of a receding and an approaching spring.
    fn asked(&self, time: f64, answer: f64, speeds: [f64; 2]) -> ContactTarget {
        let [floor, most] =
            self.own.asked(self.rest_gap(), time, (answer, self.touch.elasticity), speeds[0] + speeds[1]);
        ContactTarget { floor, most, ..ContactTarget::least(0.0) }
    }

    /// Whether the bodies may overlap.
    fn is_shifted(&self) -> bool {
        self.shift > SHIFTED * self.own.zone()
    }
}

/// A contact whose features change keeps its spring if the cosine between its normals exceeds this.
const ALIKE: f64 = 0.9;

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
            Some(known.swap_remove(i).moved(*touch))
        };
        let mut own: Vec<Option<PenaltySpring>> =
            contacts.iter().map(|own| take(&own.touch, &|spring| spring.touch.is_same(&own.touch))).collect();
        for (spring, contact) in own.iter_mut().zip(contacts).filter(|(own, _)| own.is_none()) {
            let touch = &contact.touch;
            let is_near = |spring: &PenaltySpring| {
                spring.touch.bodies == touch.bodies && spring.touch.normal.dot(touch.normal) > ALIKE
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
    pub(crate) fn asked(
        &self,
        time: f64,
        contacts: &[ContactRows],
        velocities: [&[[DVec3; 2]]; 2],
    ) -> Vec<ContactTarget> {
        let nothing = ContactTarget { most: 0.0, ..ContactTarget::least(f64::NEG_INFINITY) };
        let own = |(spring, contact): (&Option<PenaltySpring>, &ContactRows)| {
            let speeds = velocities.map(|velocities| contact.along_normal(velocities));
            spring.as_ref().map_or(nothing, |spring| spring.asked(time, contact.answer(), speeds))
        };
        self.own.iter().zip(contacts).map(own).collect()
    }

    /// Updates the springs with the impulses that changed the velocities from the first to the second.
    pub(crate) fn enter(
        &mut self,
        contacts: &[ContactRows],
        asked: &[ContactTarget],
        velocities: [&[[DVec3; 2]]; 2],
    ) {
        for ((spring, contact), asked) in self.own.iter_mut().zip(contacts).zip(asked) {
            if let Some(spring) = spring {
                let taken = contact.energy_taken(velocities, 0..1);
                let between = [asked.floor, asked.most];
                spring.own.enter(taken, spring.touch.elasticity, between, contact.impulses[0]);
            }
        }
    }

    /// The longest allowed step, in seconds.
    pub(crate) fn longest(&self, contacts: &[ContactRows], velocities: &[[DVec3; 2]]) -> f64 {
        let own = |(spring, contact): (&Option<PenaltySpring>, &ContactRows)| {
            let spring = spring.as_ref()?;
            let own = (contact.answer(), spring.touch.elasticity);
            Some(spring.own.longest(spring.rest_gap(), own, contact.along_normal(velocities)))
        };
        self.own.iter().zip(contacts).filter_map(own).fold(f64::INFINITY, f64::min)
    }

    /// By how much the gap of each spring is below its rest gap, in metres; negative above it.
    pub(crate) fn lacks(&self) -> Vec<f64> {
        let own = |spring: &Option<PenaltySpring>| {
            spring
                .as_ref()
                .map_or(f64::NEG_INFINITY, |spring| rest_gap(spring.own.zone()) - spring.rest_gap())
        };
        self.own.iter().map(own).collect()
    }

    /// The stored energy that the springs will return, in joules.
    pub(crate) fn stored(&self) -> f64 {
        self.own.iter().flatten().map(|spring| spring.own.account()).sum()
    }

    /// The pairs of bodies that may overlap.
    pub(crate) fn overlapping_pairs(&self) -> Vec<[usize; 2]> {
        let all = self.own.iter().flatten().filter(|spring| spring.is_shifted());
        all.map(|spring| spring.touch.bodies).collect()
    }
}
