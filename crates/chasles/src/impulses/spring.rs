//! The penalty spring of a contact (paper 004, 3.1): a force that grows without bound as the gap closes, and is
//! weaker while the bodies recede.
//!
//! At a gap d inside the zone z, the force is K (z - d) / d^2, where K is the energy of the approach. For receding
//! bodies it is multiplied by the square of the restitution, so that the ratio of speeds is the restitution (the
//! paper's ratio of constants, which is the restitution itself, gives its square root). At rest any force between the
//! two may act. A spring returns no more energy than it received; its account keeps track.

/// The zone of a spring, as a fraction of the allowed depth.
const ZONE: f64 = 0.5;

/// Approaching bodies are followed into the zone by this fraction of it.
const MET: f64 = 0.1;

/// A spring with a gap below this fraction of the zone is rigid, and returns to twice that gap.
const CLOSEST: f64 = 1e-3;

/// A step changes the gap of a spring by at most the fraction `CLOSING`, and lasts at most the fraction `SWINGING` of
/// the time in which the spring would oscillate by a radian.
const CLOSING: f64 = 0.1;
const SWINGING: f64 = 0.3;

/// Springs are at least as stiff as for this approach speed, in metres per second.
const SLOWEST: f64 = 1e-3;

/// The gap below which contacts have springs, for an allowed depth, in metres.
pub(crate) fn zone(depth: f64) -> f64 {
    ZONE * depth
}

/// The gap down to which approaching bodies are followed to get their spring.
pub(crate) fn engagement_gap(zone: f64) -> f64 {
    (1.0 - MET) * zone
}

/// The gap to which springs return.
pub(crate) fn rest_gap(zone: f64) -> f64 {
    2.0 * CLOSEST * zone
}

/// Whether an approach is so slow that the minimum stiffness applies.
pub(crate) fn is_slow(approach: f64) -> bool {
    approach <= SLOWEST
}

/// The spring of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactSpring {
    /// K, in joules.
    stiffness: f64,
    zone: f64,
    /// The energy that it received and can return, in joules.
    account: f64,
    /// Neither force limit was reached: it holds its contact, and does not oscillate.
    holds: bool,
}

impl ContactSpring {
    /// A spring for a contact with an approach speed, to carry an acceleration; `answer` is the inverse effective
    /// mass.
    pub(crate) fn new(zone: f64, approach: f64, acceleration: f64, answer: f64) -> Self {
        let speed = approach.max(SLOWEST);
        let stiffness = (0.5 * speed * speed + acceleration * zone) / answer;
        Self { stiffness, zone, account: 0.0, holds: false }
    }

    pub(crate) fn zone(&self) -> f64 {
        self.zone
    }

    /// The energy that it will return, in joules.
    pub(crate) fn account(&self) -> f64 {
        self.account
    }

    fn is_closed(&self, room: f64) -> bool {
        room < CLOSEST * self.zone
    }

    fn force(&self, room: f64) -> f64 {
        if self.is_closed(room) {
            return f64::INFINITY;
        }
        self.stiffness * (self.zone - room).max(0.0) / (room * room)
    }

    /// The minimum and maximum impulse in a time; `speed` is the sum of the opening speeds before and after the
    /// forces.
    pub(crate) fn asked(
        &self,
        room: f64,
        time: f64,
        (answer, elasticity): (f64, f64),
        speed: f64,
    ) -> [f64; 2] {
        let most = self.force(room) * time;
        // The impulse that returns all stored energy.
        let back = ((speed * speed + 8.0 * answer * self.account).sqrt() - speed) / (2.0 * answer);
        let receding = if elasticity == 0.0 { 0.0 } else { elasticity.powi(2) * most };
        [receding.min(back), most]
    }

    /// Adds the energy received by an impulse between two limits; negative: returned.
    pub(crate) fn enter(&mut self, taken: f64, elasticity: f64, between: [f64; 2], impulse: f64) {
        let share = if taken > 0.0 { elasticity.powi(2) } else { 1.0 };
        self.account = (self.account + share * taken).max(0.0);
        self.holds = between[0] < impulse && impulse < between[1];
    }

    /// The longest step, in seconds, for a contact that opens at a speed.
    pub(crate) fn longest(&self, room: f64, (answer, elasticity): (f64, f64), speed: f64) -> f64 {
        let is_done = speed >= 0.0 && self.account == 0.0;
        if is_done || self.is_closed(room) {
            return f64::INFINITY;
        }
        let closing = CLOSING * room / speed.abs();
        if self.holds {
            return closing;
        }
        let slope = self.stiffness * (2.0 * self.zone - room) / (room * room * room);
        let share = if speed < 0.0 { 1.0 } else { elasticity.powi(2) };
        closing.min(SWINGING / (share * answer * slope).sqrt())
    }
}
