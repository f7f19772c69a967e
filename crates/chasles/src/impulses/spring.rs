//! The penalty spring of a contact (paper 004, 3.1): a force that grows without bound as the gap closes, and is
//! weaker while the bodies recede.
//!
//! At a gap d inside the zone z, the force is K (z - d) / d^2, where K is the energy of the approach. For receding
//! bodies it is multiplied by the square of the restitution, so that the ratio of speeds is the restitution (the
//! paper's ratio of constants, which is the restitution itself, gives its square root). At rest any force between the
//! two may act. A spring returns no more energy than it received; its account keeps track.

/// The zone of a spring, as a fraction of the allowed depth.
const ZONE_FRACTION: f64 = 0.5;

/// Approaching bodies are followed into the zone by this fraction of it.
const ENGAGEMENT_FRACTION: f64 = 0.1;

/// A spring with a gap below this fraction of the zone is rigid, and returns to twice that gap.
const CLOSED_GAP: f64 = 1e-3;

/// A step changes the gap of a spring by at most the fraction `GAP_CHANGE`, and lasts at most the fraction
/// `MAX_PHASE` of the time in which the spring would oscillate by a radian.
const GAP_CHANGE: f64 = 0.1;
const MAX_PHASE: f64 = 0.3;

/// Springs are at least as stiff as for this approach speed, in metres per second.
const MIN_APPROACH_SPEED: f64 = 1e-3;

/// The gap below which contacts have springs, for an allowed depth, in metres.
pub(crate) fn zone(depth: f64) -> f64 {
    ZONE_FRACTION * depth
}

/// The gap down to which approaching bodies are followed to get their spring.
pub(crate) fn engagement_gap(zone: f64) -> f64 {
    (1.0 - ENGAGEMENT_FRACTION) * zone
}

/// The gap to which springs return.
pub(crate) fn rest_gap(zone: f64) -> f64 {
    2.0 * CLOSED_GAP * zone
}

/// Whether an approach is so slow that the minimum stiffness applies.
pub(crate) fn is_slow(approach: f64) -> bool {
    approach <= MIN_APPROACH_SPEED
}

/// The properties of a contact on which its spring depends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactProperties {
    /// The inverse effective mass, in 1/kg: the change of the opening speed by an impulse of 1 N s.
    pub(crate) inverse_mass: f64,
    /// Restitution.
    pub(crate) elasticity: f64,
}

/// The spring of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactSpring {
    /// K, in joules.
    stiffness: f64,
    zone: f64,
    /// The energy that it received and can return, in joules.
    account: f64,
    /// Neither force limit was reached in the last step, so the contact rests and does not oscillate.
    is_within_bounds: bool,
}

impl ContactSpring {
    /// A spring for a contact with an approach speed, to carry an acceleration; `inverse_mass` is the inverse
    /// effective mass.
    pub(crate) fn new(zone: f64, approach: f64, acceleration: f64, inverse_mass: f64) -> Self {
        let speed = approach.max(MIN_APPROACH_SPEED);
        let stiffness = (0.5 * speed * speed + acceleration * zone) / inverse_mass;
        Self { stiffness, zone, account: 0.0, is_within_bounds: false }
    }

    pub(crate) fn zone(&self) -> f64 {
        self.zone
    }

    /// The energy that it will return, in joules.
    pub(crate) fn account(&self) -> f64 {
        self.account
    }

    fn is_closed(&self, gap: f64) -> bool {
        gap < CLOSED_GAP * self.zone
    }

    fn force(&self, gap: f64) -> f64 {
        if self.is_closed(gap) {
            return f64::INFINITY;
        }
        self.stiffness * (self.zone - gap).max(0.0) / (gap * gap)
    }

    /// The minimum and maximum impulse in a time; `speed` is the sum of the opening speeds before and after the
    /// forces.
    pub(crate) fn impulse_bounds(
        &self,
        gap: f64,
        time: f64,
        contact: ContactProperties,
        speed: f64,
    ) -> [f64; 2] {
        let ContactProperties { inverse_mass, elasticity } = contact;
        let maximum = self.force(gap) * time;
        // The impulse that returns all stored energy.
        let returning =
            ((speed * speed + 8.0 * inverse_mass * self.account).sqrt() - speed) / (2.0 * inverse_mass);
        let receding = if elasticity == 0.0 { 0.0 } else { elasticity.powi(2) * maximum };
        [receding.min(returning), maximum]
    }

    /// Adds the energy received by an impulse between two limits; negative: returned.
    pub(crate) fn update_account(&mut self, energy: f64, elasticity: f64, bounds: [f64; 2], impulse: f64) {
        let fraction = if energy > 0.0 { elasticity.powi(2) } else { 1.0 };
        self.account = (self.account + fraction * energy).max(0.0);
        self.is_within_bounds = bounds[0] < impulse && impulse < bounds[1];
    }

    /// The longest step, in seconds, for a contact that opens at a speed.
    pub(crate) fn longest_step(&self, gap: f64, contact: ContactProperties, speed: f64) -> f64 {
        let ContactProperties { inverse_mass, elasticity } = contact;
        let is_done = speed >= 0.0 && self.account == 0.0;
        if is_done || self.is_closed(gap) {
            return f64::INFINITY;
        }
        let closing = GAP_CHANGE * gap / speed.abs();
        if self.is_within_bounds {
            return closing;
        }
        let slope = self.stiffness * (2.0 * self.zone - gap) / (gap * gap * gap);
        let fraction = if speed < 0.0 { 1.0 } else { elasticity.powi(2) };
        closing.min(MAX_PHASE / (fraction * inverse_mass * slope).sqrt())
    }
}
