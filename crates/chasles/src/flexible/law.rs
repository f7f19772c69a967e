//! The spring of a contact (paper 004, 3.1): a force that grows without bound as the gap closes, and is less while it opens.
//!
//! Of the gap d that is left in a zone z the force is K (z - d) / d^2, and K is the energy with which the contact comes.
//! While the gap opens it is the square of the elasticity times that, so that speeds are in the ratio of the elasticity.
//! At rest any force between the two may act. No spring gives back more than it took: it keeps an account. These are the
//! springs of rigid bodies (`simulate/springs`), but that surfaces never pass through each other here, so that none
//! counts its room from elsewhere.

use std::collections::BTreeMap;

use crate::features::contact::ContactFeatures;
use crate::flexible::rows::Row;
use crate::flexible::touch::{Touch, Velocities};

/// The zone of a spring, as a share of the depth.
const ZONE: f64 = 0.5;

/// Bodies that come are followed into the zone by this share of it.
const MET: f64 = 0.1;

/// A spring with less room than this share of the zone yields to no force.
const CLOSEST: f64 = 1e-3;

/// A step closes a spring by at most this share of its room, and lasts at most this share of the time in which the spring
/// would swing by a radian.
const CLOSING: f64 = 0.1;
const SWINGING: f64 = 0.3;

/// Springs are at least as stiff as this approach asks, in metres per second.
const SLOWEST: f64 = 1e-3;

/// The spring of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Law {
    /// K, in joules.
    stiffness: f64,
    /// What it can give back of what it took, in joules.
    account: f64,
    /// Neither of the two forces was reached: it holds its contact, and does not swing.
    holds: bool,
}

/// The springs of all contacts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Laws {
    zone: f64,
    /// The greatest acceleration that springs are to hold from the begin on, in metres per square second.
    weight: f64,
    own: BTreeMap<(usize, ContactFeatures), Law>,
}

impl Laws {
    pub(super) fn new(depth: f64, weight: f64) -> Self {
        Self { zone: ZONE * depth, weight, own: BTreeMap::new() }
    }

    /// The gap at which a contact that comes is met, in metres.
    pub(super) fn met(&self) -> f64 {
        (1.0 - MET) * self.zone
    }

    /// The gap below which no force is enough, in metres.
    pub(super) fn closed(&self) -> f64 {
        2.0 * CLOSEST * self.zone
    }

    /// Springs for what is in the zone now; those of what left it are over.
    pub(super) fn renew(&mut self, near: &[Touch], velocities: &Velocities, inverse: &[&[f64]]) {
        let mut known = std::mem::take(&mut self.own);
        for touch in near.iter().filter(|touch| touch.gap < self.zone) {
            let answer = touch.answer(inverse);
            if answer <= 0.0 {
                continue;
            }
            let speed = (-touch.opening(velocities)).max(SLOWEST);
            let stiffness = (0.5 * speed * speed + self.weight * self.zone) / answer;
            let new = Law { stiffness, account: 0.0, holds: false };
            let law = known.remove(&touch.key).unwrap_or(new);
            self.own.insert(touch.key, law);
        }
    }

    /// What the spring of a contact asks in a time: its row with a floor and a ceiling; `None` where it has no spring.
    /// `before` and `kicked` are the velocities before the other forces and after.
    pub(super) fn asked(
        &self,
        row: &Row,
        (time, elasticity, answer): (f64, f64, f64),
        before: &Velocities,
        kicked: &Velocities,
    ) -> Option<[f64; 2]> {
        let law = self.own.get(&row.touch.key)?;
        let most = law.force(self.zone, row.touch.gap) * time;
        // The impulse that gives back all of the account.
        let speed = (row.touch.opening(before) + row.touch.opening(kicked)).max(0.0);
        let back = ((speed * speed + 8.0 * answer * law.account).sqrt() - speed) / (2.0 * answer);
        let floor = if elasticity == 0.0 { 0.0 } else { elasticity * elasticity * most };
        Some([floor.min(back).max(0.0), most])
    }

    /// Enters what rows took where velocities changed from the first to the second.
    pub(super) fn enter(
        &mut self,
        rows: &[Row],
        elasticity: &dyn Fn(&Touch) -> f64,
        [before, after]: [&Velocities; 2],
    ) {
        for row in rows {
            let Some(law) = self.own.get_mut(&row.touch.key) else { continue };
            let push = row.impulse.dot(row.touch.normal);
            let taken = -0.5 * push * (row.touch.opening(before) + row.touch.opening(after));
            let share = if taken > 0.0 { elasticity(&row.touch).powi(2) } else { 1.0 };
            law.account = (law.account + share * taken).max(0.0);
            law.holds = row.between[0] < push && push < row.between[1];
        }
    }

    /// What they will give back, in joules.
    pub(super) fn stored(&self) -> f64 {
        self.own.values().map(|law| law.account).sum()
    }

    /// How long a step may be, in seconds.
    pub(super) fn longest(
        &self,
        near: &[Touch],
        elasticity: &dyn Fn(&Touch) -> f64,
        (velocities, inverse): (&Velocities, &[&[f64]]),
    ) -> f64 {
        let own = |touch: &Touch| {
            let speed = touch.opening(velocities);
            match self.own.get(&touch.key) {
                Some(law) => law.longest(self.zone, touch, (speed, elasticity(touch), touch.answer(inverse))),
                // Followed into the zone.
                None if speed < 0.0 => (touch.gap - self.met()).max(MET * self.zone) / -speed,
                None => f64::INFINITY,
            }
        };
        near.iter().map(own).fold(f64::INFINITY, f64::min)
    }
}

impl Law {
    fn force(&self, zone: f64, room: f64) -> f64 {
        if room < CLOSEST * zone {
            return f64::INFINITY;
        }
        self.stiffness * (zone - room).max(0.0) / (room * room)
    }

    fn longest(&self, zone: f64, touch: &Touch, (speed, elasticity, answer): (f64, f64, f64)) -> f64 {
        let room = touch.gap;
        let is_done = speed >= 0.0 && self.account == 0.0;
        if is_done || room < CLOSEST * zone {
            return f64::INFINITY;
        }
        let closing = CLOSING * room / speed.abs();
        if self.holds {
            return closing;
        }
        let slope = self.stiffness * (2.0 * zone - room) / (room * room * room);
        let share = if speed < 0.0 { 1.0 } else { elasticity * elasticity };
        closing.min(SWINGING / (share * answer * slope).sqrt())
    }
}
