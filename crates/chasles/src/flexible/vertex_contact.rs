//! Two features that nearly touch, or will touch in this step: their vertices, and their relative velocity.

use glam::DVec3;

use crate::features::contact::ContactFeatures;

/// A vertex of a flexible body that takes part in a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ContactCorner {
    /// The number of its flexible body.
    pub(super) flexible: usize,
    pub(super) vertex: usize,
    /// The weight of the vertex's velocity in the velocity of B relative to A at the contact.
    pub(super) weight: f64,
}

/// Two features that nearly touch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VertexContact {
    /// Their numbers in the scene; equal for a body and itself.
    pub(super) bodies: [usize; 2],
    /// Identifies the contact: the number of the tested pairing, and the features.
    pub(super) key: (usize, ContactFeatures),
    /// All moving corners of its features; a static feature has none.
    pub(super) corners: Vec<ContactCorner>,
    pub(super) point: DVec3,
    /// From A to B, unit.
    pub(super) normal: DVec3,
    /// Along the normal, in metres.
    pub(super) gap: f64,
}

/// The velocities of all vertices of all flexible bodies.
pub(super) type Velocities = Vec<Vec<DVec3>>;

impl VertexContact {
    /// The same contact with the lower body number as A.
    pub(super) fn ordered(mut self) -> Self {
        if self.bodies[0] > self.bodies[1] {
            self.bodies.reverse();
            self.normal = -self.normal;
            self.corners.iter_mut().for_each(|corner| corner.weight = -corner.weight);
        }
        self
    }

    /// Whether one of its features is static: together they have four corners, and only moving ones are listed.
    pub(super) fn has_static_body(&self) -> bool {
        self.corners.len() < 4
    }

    /// The velocity of B relative to A at the contact.
    pub(super) fn velocity(&self, velocities: &Velocities) -> DVec3 {
        self.corners.iter().map(|corner| corner.weight * velocities[corner.flexible][corner.vertex]).sum()
    }

    /// How fast the gap opens, in metres per second.
    pub(super) fn opening(&self, velocities: &Velocities) -> f64 {
        self.normal.dot(self.velocity(velocities))
    }

    /// The change of the velocity along an impulse of 1 N s: the inverse of the effective mass.
    pub(super) fn inverse_mass(&self, inverse: &[&[f64]]) -> f64 {
        let response =
            |corner: &ContactCorner| corner.weight * corner.weight * inverse[corner.flexible][corner.vertex];
        self.corners.iter().map(response).sum()
    }

    /// Applies an impulse to B, and its opposite to A.
    pub(super) fn apply_impulse(&self, velocities: &mut Velocities, inverse: &[&[f64]], impulse: DVec3) {
        for ContactCorner { flexible, vertex, weight } in self.corners.iter().copied() {
            velocities[flexible][vertex] += weight * inverse[flexible][vertex] * impulse;
        }
    }
}
