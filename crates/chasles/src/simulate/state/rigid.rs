//! The state of a dynamic body, and its free motion.

use glam::{DMat3, DQuat, DVec3};

use crate::motion::Pose;
use crate::simulate::definition::Dynamics;

/// A dynamic body at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RigidState {
    pub(crate) mass: f64,
    /// Inertia about the centre of mass, in the body's axes, and its inverse.
    pub(crate) inertia: DMat3,
    pub(crate) inverse: DMat3,
    /// The centre of mass in the body's frame.
    pub(crate) center_in_body: DVec3,
    /// The centre of mass in the world.
    pub(crate) center: DVec3,
    pub(crate) rotation: DQuat,
    /// Velocity of the centre of mass.
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
}

/// Maximum rotation, in radians, of one integration step of the free rotation.
const MAX_ROTATION: f64 = 0.03;

/// Maximum number of these steps.
const MAX_STEPS: f64 = 4096.0;

impl RigidState {
    pub(crate) fn new(dynamics: &Dynamics, pose: &Pose) -> Self {
        Self {
            mass: dynamics.mass,
            inertia: dynamics.inertia,
            inverse: dynamics.inertia.inverse(),
            center_in_body: dynamics.center,
            center: pose.transform_point(dynamics.center),
            rotation: pose.rotation(),
            linear: dynamics.linear,
            angular: dynamics.angular,
        }
    }

    pub(crate) fn pose(&self) -> Pose {
        Pose::from_parts(self.center - self.rotation * self.center_in_body, self.rotation)
    }

    /// The inertia in world axes.
    pub(crate) fn inertia(&self) -> DMat3 {
        in_world(self.rotation, &self.inertia)
    }

    /// The inverse of the inertia in world axes.
    pub(crate) fn inverse_inertia(&self) -> DMat3 {
        in_world(self.rotation, &self.inverse)
    }

    pub(crate) fn kinetic(&self) -> f64 {
        0.5 * (self.mass * self.linear.length_squared() + self.angular.dot(self.inertia() * self.angular))
    }

    /// The state after a time without forces, with constant angular momentum. The body moves with the given
    /// velocities, which may include a push, and keeps its own.
    pub(crate) fn after_free_motion(&self, time: f64, [linear, angular]: [DVec3; 2]) -> Self {
        let moved = Self { linear, angular, ..*self }.moved_freely(time);
        if [linear, angular] == [self.linear, self.angular] {
            return moved;
        }
        let momentum = self.inertia() * self.angular;
        let own = in_world(moved.rotation, &self.inverse) * momentum;
        Self { linear: self.linear, angular: own, ..moved }
    }

    /// The state after a time without forces, moving with its own velocities.
    fn moved_freely(&self, time: f64) -> Self {
        let momentum = self.inertia() * self.angular;
        let steps = (self.angular.length() * time / MAX_ROTATION).ceil().clamp(1.0, MAX_STEPS);
        let step = time / steps;
        let mut rotation = self.rotation;
        // Euler's equations, of fourth order (Runge and Kutta).
        let angular = |q: DQuat| in_world(q, &self.inverse) * momentum;
        let rate = |q: DQuat| {
            let w = angular(q);
            DQuat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0) * q
        };
        let mut done = 0.0;
        while done < steps {
            done += 1.0;
            let first = rate(rotation);
            let second = rate((rotation + first * (0.5 * step)).normalize());
            let third = rate((rotation + second * (0.5 * step)).normalize());
            let fourth = rate((rotation + third * step).normalize());
            rotation = (rotation + (first + second * 2.0 + third * 2.0 + fourth) * (step / 6.0)).normalize();
        }
        Self { center: self.center + time * self.linear, rotation, angular: angular(rotation), ..*self }
    }
}

fn in_world(rotation: DQuat, body: &DMat3) -> DMat3 {
    let rotation = DMat3::from_quat(rotation);
    rotation * *body * rotation.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;

    #[test]
    fn a_symmetric_body_rotates_as_in_the_closed_form() {
        for seed in 0..50 {
            let random = &mut Random(seed);
            let (across, along) = (random.within(0.5, 2.0), random.within(0.5, 2.0));
            let inertia = DMat3::from_diagonal(DVec3::new(across, across, along));
            let (rotation, momentum) = (random.rotation(), random.vector(5.0));
            let body = RigidState {
                mass: 1.0,
                inertia,
                inverse: inertia.inverse(),
                center_in_body: DVec3::ZERO,
                center: random.vector(1.0),
                rotation,
                linear: random.vector(1.0),
                angular: in_world(rotation, &inertia.inverse()) * momentum,
            };
            let time = random.within(0.0, 2.0);
            let moved = body.after_free_motion(time, [body.linear, body.angular]);
            // It rotates about the angular momentum at one rate and about its axis at another.
            let spin = (rotation.conjugate() * momentum).z * (1.0 / along - 1.0 / across);
            let expected = DQuat::from_scaled_axis(time / across * momentum)
                * rotation
                * DQuat::from_rotation_z(time * spin);
            let error = (moved.rotation.conjugate() * expected).xyz().length();
            assert!(error < 1e-7, "seed {seed}: {error}");
            assert!(
                (moved.inertia() * moved.angular - momentum).length() < 1e-12 * (1.0 + momentum.length())
            );
            assert!((moved.kinetic() - body.kinetic()).abs() < 1e-6 * body.kinetic());
            assert!(moved.center.distance(body.center + time * body.linear) < 1e-14 * 4.0);
        }
    }
}
