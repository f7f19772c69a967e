//! Two features that nearly touch, or will: which vertices they hang on, and how fast they come together.

use glam::DVec3;

use crate::features::contact::ContactFeatures;

/// A vertex of a flexible body that bears a share of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct VertexWeight {
    /// Among the flexible bodies.
    pub(super) own: usize,
    pub(super) vertex: usize,
    /// The velocity of B at the contact, less that of A, has this share of the vertex' velocity.
    pub(super) share: f64,
}

/// Two features and where they nearly touch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VertexContact {
    /// In the scene; twice the same for a body and itself.
    pub(super) bodies: [usize; 2],
    /// What tells it from all others: the number of what is tested, and the features.
    pub(super) key: (usize, ContactFeatures),
    /// All corners of its features that move; what stands has none.
    pub(super) shares: Vec<VertexWeight>,
    pub(super) point: DVec3,
    /// From A to B, unit.
    pub(super) normal: DVec3,
    /// Along the normal, in metres.
    pub(super) gap: f64,
}

/// The velocities of all vertices of all flexible bodies.
pub(super) type Velocities = Vec<Vec<DVec3>>;

impl VertexContact {
    /// The same with the body of the lower number as A.
    pub(super) fn ordered(mut self) -> Self {
        if self.bodies[0] > self.bodies[1] {
            self.bodies.reverse();
            self.normal = -self.normal;
            self.shares.iter_mut().for_each(|own| own.share = -own.share);
        }
        self
    }

    /// Whether one of its features stands: each flexible one has at least a corner, and both have four.
    pub(super) fn meets_standing(&self) -> bool {
        self.shares.len() < 4
    }

    /// The velocity of B at the contact, less that of A.
    pub(super) fn velocity(&self, velocities: &Velocities) -> DVec3 {
        self.shares.iter().map(|own| own.share * velocities[own.own][own.vertex]).sum()
    }

    /// How fast the gap opens, in metres per second.
    pub(super) fn opening(&self, velocities: &Velocities) -> f64 {
        self.normal.dot(self.velocity(velocities))
    }

    /// By how much an impulse of 1 N s changes the velocity along it: the inverse of the mass that it meets.
    pub(super) fn answer(&self, inverse: &[&[f64]]) -> f64 {
        self.shares.iter().map(|own| own.share * own.share * inverse[own.own][own.vertex]).sum()
    }

    /// Gives an impulse to B, and its opposite to A.
    pub(super) fn push(&self, velocities: &mut Velocities, inverse: &[&[f64]], impulse: DVec3) {
        for own in &self.shares {
            velocities[own.own][own.vertex] += own.share * inverse[own.own][own.vertex] * impulse;
        }
    }
}
