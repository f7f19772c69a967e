//! Springs at the contacts of rigid bodies (`impulses/spring`).
//!
//! A spring that begins closer than its zone counts its room from there.

use glam::DVec3;

use crate::impulses::spring::{self, ContactSpring, is_slow, rest_gap};
use crate::simulate::rows::{ContactPoint, ContactRows, ContactTarget};
use crate::simulate::world::World;

/// The room in which a spring that bears the weight of its contact rests, as a share of the zone: (z - d) z = d^2.
const RESTING: f64 = 0.618;

/// A spring that begins closer to its contact than the zone lets bodies into each other; by less than this share of the zone
/// it does not.
const SHIFTED: f64 = 0.15;

/// The spring of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PenaltySpring {
    touch: ContactPoint,
    own: ContactSpring,
    /// The room is the gap and this.
    shift: f64,
}

impl PenaltySpring {
    /// Where a contact of a gap comes into the zone: without a force; at the begin of a simulation as if it had rested there.
    fn new(contact: &ContactRows, world: &World, approach: f64, is_begin: bool) -> Option<Self> {
        let (zone, gravity) = (Self::zone(world), world.definition.gravity.length());
        let (gap, answer) = (contact.touch.gap, contact.answer());
        if gap >= zone || answer <= 0.0 {
            return None;
        }
        let own = ContactSpring::new(zone, approach, gravity, answer);
        let shift = if is_begin && is_slow(approach) { RESTING * zone - gap } else { zone - gap };
        // A place that appears deeper is held where it is.
        Some(Self { touch: contact.touch, own, shift: shift.clamp(0.0, zone) })
    }

    /// The gap below which a contact gets a spring, in metres.
    pub(crate) fn zone(world: &World) -> f64 {
        spring::zone(world.definition.depth)
    }

    /// The gap down to which bodies that come are followed, to get their spring.
    pub(crate) fn engagement_gap(world: &World) -> f64 {
        spring::engagement_gap(Self::zone(world))
    }

    fn rest_gap(&self) -> f64 {
        self.touch.gap + self.shift
    }

    /// Goes on at another place of the same two bodies, as it is.
    fn moved(&self, touch: ContactPoint) -> Self {
        let shift = if self.touch.is_same(&touch) { self.shift } else { self.rest_gap() - touch.gap };
        Self { touch, shift: shift.clamp(0.0, self.own.zone()), ..*self }
    }

    fn is_over(&self) -> bool {
        self.rest_gap() >= self.own.zone()
    }

    /// What it asks in a time of its contact, which has this answer and these speeds, before the forces and after: no
    /// approach, by an impulse between that of receding and that of approaching.
    fn asked(&self, time: f64, answer: f64, speeds: [f64; 2]) -> ContactTarget {
        let [floor, most] =
            self.own.asked(self.rest_gap(), time, (answer, self.touch.elasticity), speeds[0] + speeds[1]);
        ContactTarget { floor, most, ..ContactTarget::least(0.0) }
    }

    /// Whether bodies may be in each other.
    fn is_shifted(&self) -> bool {
        self.shift > SHIFTED * self.own.zone()
    }
}

/// Springs of contacts whose features changed go on where normals have a greater cosine than this.
const ALIKE: f64 = 0.9;

/// The springs of the contacts of one time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Springs {
    /// By contact.
    own: Vec<Option<PenaltySpring>>,
}

impl Springs {
    /// Those that were there before, and new ones.
    pub(crate) fn new(
        world: &World,
        contacts: &[ContactRows],
        velocities: &[[DVec3; 2]],
        before: Option<&Self>,
    ) -> Self {
        // Those of the same features, and then the nearest of the same two bodies.
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

    /// What they ask of contacts in a time, with the velocities before the forces and after.
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

    /// What contacts bore of what was asked when velocities changed from the first to the second.
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

    /// How long a step may be, in seconds.
    pub(crate) fn longest(&self, contacts: &[ContactRows], velocities: &[[DVec3; 2]]) -> f64 {
        let own = |(spring, contact): (&Option<PenaltySpring>, &ContactRows)| {
            let spring = spring.as_ref()?;
            let own = (contact.answer(), spring.touch.elasticity);
            Some(spring.own.longest(spring.rest_gap(), own, contact.along_normal(velocities)))
        };
        self.own.iter().zip(contacts).filter_map(own).fold(f64::INFINITY, f64::min)
    }

    /// By how much the room of each is less than it may be, in metres; below 0 where it is not.
    pub(crate) fn lacks(&self) -> Vec<f64> {
        let own = |spring: &Option<PenaltySpring>| {
            spring
                .as_ref()
                .map_or(f64::NEG_INFINITY, |spring| rest_gap(spring.own.zone()) - spring.rest_gap())
        };
        self.own.iter().map(own).collect()
    }

    /// What they will give back, in joules.
    pub(crate) fn stored(&self) -> f64 {
        self.own.iter().flatten().map(|spring| spring.own.account()).sum()
    }

    /// Pairs of bodies that may be in each other.
    pub(crate) fn overlapping_pairs(&self) -> Vec<[usize; 2]> {
        let all = self.own.iter().flatten().filter(|spring| spring.is_shifted());
        all.map(|spring| spring.touch.bodies).collect()
    }
}
