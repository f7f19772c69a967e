//! The flow of a screw: the velocity that the screw gives to every point of space.
//!
//! In the frame of the static body the flow depends on neither time nor body. Each point therefore moves along a
//! fixed curve, its flow line, and the angle of a surface to its own velocity never changes.

use glam::DVec3;

use crate::features::screw_motion::ScrewMotion;

/// The velocity of A's points at every position, in B's axes, with the origin at the centre of B's mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    /// The velocity at the centre of A's mesh at t = 0.
    velocity: DVec3,
    centre: DVec3,
    omega: DVec3,
}

impl Flow {
    pub(crate) fn new(motion: &ScrewMotion) -> Self {
        Self { velocity: motion.slide + motion.velocity, centre: motion.offset, omega: motion.omega }
    }

    /// The velocity at a position, in metres per whole motion.
    #[inline]
    pub(crate) fn at(&self, place: DVec3) -> DVec3 {
        self.velocity + self.omega.cross(place - self.centre)
    }
}
