//! The flow of a screw: the velocity that it gives to every point of space.
//!
//! In the frame of the standing body it depends on neither time nor body, so that a point's track, its flow line, is
//! one of the fixed tracks of space, and the angle of a surface to its own velocity never changes.

use glam::DVec3;

use crate::features::screw_motion::ScrewMotion;

/// The velocity of A's matter at every place, in B's axes, with the origin at the centre of B's mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    /// At the centre of A's mesh at t = 0.
    velocity: DVec3,
    centre: DVec3,
    omega: DVec3,
}

impl Flow {
    pub(crate) fn new(motion: &ScrewMotion) -> Self {
        Self { velocity: motion.slide + motion.velocity, centre: motion.offset, omega: motion.omega }
    }

    /// The velocity at a place, in metres for the whole motion.
    #[inline]
    pub(crate) fn at(&self, place: DVec3) -> DVec3 {
        self.velocity + self.omega.cross(place - self.centre)
    }
}
