//! The spring of a contact (paper 004, 3.1): a force that grows without bound as the gap closes, and is less while bodies
//! recede.
//!
//! Of the room d that is left in a zone z the force is K (z - d) / d^2, and K is the energy with which the contact comes.
//! While bodies recede it is the square of the elasticity times that, so that speeds are in the ratio of the elasticity
//! (the paper's ratio of constants, which is the elasticity itself, gives its root). At rest any force between the two
//! may act. No spring gives back more than it took: it keeps an account.

/// The zone of a spring, as a share of the depth that is allowed.
const ZONE: f64 = 0.5;

/// Bodies that come are followed into the zone by this share of it.
const MET: f64 = 0.1;

/// Springs with less room than this share of the zone yield to no force, and get back to twice that.
const CLOSEST: f64 = 1e-3;

/// A step changes the room of a spring by at most this share of it, and lasts at most this share of the time in which
/// the spring would swing by a radian.
const CLOSING: f64 = 0.1;
const SWINGING: f64 = 0.3;

/// Springs are at least as stiff as this approach asks, in metres per second.
const SLOWEST: f64 = 1e-3;

/// The gap below which contacts have springs where this depth is allowed, in metres.
pub(crate) fn zone(depth: f64) -> f64 {
    ZONE * depth
}

/// The gap down to which bodies that come are followed, to get their spring.
pub(crate) fn engagement_gap(zone: f64) -> f64 {
    (1.0 - MET) * zone
}

/// The room that springs get back to.
pub(crate) fn rest_gap(zone: f64) -> f64 {
    2.0 * CLOSEST * zone
}

/// Whether an approach is so slow that springs are as stiff as for any slower one.
pub(crate) fn is_slow(approach: f64) -> bool {
    approach <= SLOWEST
}

/// The spring of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactSpring {
    /// K, in joules.
    stiffness: f64,
    zone: f64,
    /// What it can give back of what it took, in joules.
    account: f64,
    /// Neither of the two forces was reached: it holds its contact, and does not swing.
    holds: bool,
}

impl ContactSpring {
    /// Of a contact that comes at a speed and is to bear an acceleration; `answer` is the inverse of the mass that it
    /// meets.
    pub(crate) fn new(zone: f64, approach: f64, acceleration: f64, answer: f64) -> Self {
        let speed = approach.max(SLOWEST);
        let stiffness = (0.5 * speed * speed + acceleration * zone) / answer;
        Self { stiffness, zone, account: 0.0, holds: false }
    }

    pub(crate) fn zone(&self) -> f64 {
        self.zone
    }

    /// What it will give back, in joules.
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

    /// Between which impulses it pushes in a time; `speed` is twice the mean of those at which its contact opens before
    /// the forces and after.
    pub(crate) fn asked(
        &self,
        room: f64,
        time: f64,
        (answer, elasticity): (f64, f64),
        speed: f64,
    ) -> [f64; 2] {
        let most = self.force(room) * time;
        // The impulse that gives back all of the account.
        let back = ((speed * speed + 8.0 * answer * self.account).sqrt() - speed) / (2.0 * answer);
        let receding = if elasticity == 0.0 { 0.0 } else { elasticity.powi(2) * most };
        [receding.min(back), most]
    }

    /// Enters what it took by an impulse between two; below 0: what it gave.
    pub(crate) fn enter(&mut self, taken: f64, elasticity: f64, between: [f64; 2], impulse: f64) {
        let share = if taken > 0.0 { elasticity.powi(2) } else { 1.0 };
        self.account = (self.account + share * taken).max(0.0);
        self.holds = between[0] < impulse && impulse < between[1];
    }

    /// How long a step may be where its contact opens at a speed.
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
