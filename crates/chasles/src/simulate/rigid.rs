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

/// Maximum number of these steps. Longer steps are less exact; energy and angular momentum are kept all the same.
const MAX_STEPS: u32 = 4096;

/// Maximum number of Newton steps that restore the energy. Two or three suffice.
const MAX_CORRECTIONS: usize = 20;

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

    /// The state after a time without forces, moving with its own velocities. Angular momentum and energy stay as they
    /// are, to rounding, for any inertia.
    fn moved_freely(&self, time: f64) -> Self {
        let momentum = self.inertia() * self.angular;
        let energy = self.angular.dot(momentum);
        let mut rotation = self.rotation;
        // Euler's equations, of fourth order (Runge and Kutta).
        let angular = |q: DQuat| in_world(q, &self.inverse) * momentum;
        let rate = |q: DQuat| {
            let w = angular(q);
            DQuat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0) * q
        };
        let mut rest = time;
        for left in (1..=MAX_STEPS).rev() {
            let step = (MAX_ROTATION / angular(rotation).length()).max(rest / f64::from(left)).min(rest);
            let first = rate(rotation);
            let second = rate((rotation + first * (0.5 * step)).normalize());
            let third = rate((rotation + second * (0.5 * step)).normalize());
            let fourth = rate((rotation + third * step).normalize());
            let next = rotation + (first + second * 2.0 + third * 2.0 + fourth) * (step / 6.0);
            rotation = self.with_energy(next.normalize(), momentum, energy);
            rest -= step;
            if rest <= 0.0 {
                break;
            }
        }
        Self { center: self.center + time * self.linear, rotation, angular: angular(rotation), ..*self }
    }

    /// A rotation near the given one at which the angular momentum, in world axes, means this energy, in twice joules.
    ///
    /// In the body's axes, the direction m of the angular momentum L moves on the unit sphere along a line of constant
    /// energy L^2 m . inverse(I) m. An integration step leaves that line by its error, which a small inertia multiplies;
    /// Newton's method leads back, against the gradient along the sphere.
    fn with_energy(&self, rotation: DQuat, momentum: DVec3, energy: f64) -> DQuat {
        let length = momentum.length();
        if length == 0.0 {
            return rotation;
        }
        let start = rotation.conjugate() * (momentum / length);
        let mut m = start;
        let mut best = (f64::INFINITY, start);
        for _ in 0..MAX_CORRECTIONS {
            let velocity = self.inverse * m;
            let error = length * length * m.dot(velocity) - energy;
            // NaN after the correction of a body that rotates about a principal axis, where the slope is 0.
            if error.is_nan() || error.abs() >= best.0 {
                break;
            }
            best = (error.abs(), m);
            let slope = 2.0 * length * length * velocity.reject_from_normalized(m);
            m = (m - error / slope.length_squared() * slope).normalize();
        }
        let (found, axis) = (best.1, best.1.cross(start));
        rotation * DQuat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + found.dot(start)).normalize()
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
            assert!((moved.kinetic() - body.kinetic()).abs() < 1e-12 * body.kinetic());
            assert!(moved.center.distance(body.center + time * body.linear) < 1e-14 * 4.0);
        }
    }
    /// A body at the origin with principal inertias, and an angular momentum.
    fn free_body(inertias: DVec3, rotation: DQuat, momentum: DVec3) -> RigidState {
        let inertia = DMat3::from_diagonal(inertias);
        RigidState {
            mass: 1.0,
            inertia,
            inverse: inertia.inverse(),
            center_in_body: DVec3::ZERO,
            center: DVec3::ZERO,
            rotation,
            linear: DVec3::ZERO,
            angular: in_world(rotation, &inertia.inverse()) * momentum,
        }
    }

    #[test]
    fn energy_and_angular_momentum_are_kept_for_any_inertia() {
        for seed in 0..200 {
            let random = &mut Random(seed);
            let mut inertias = [(); 3].map(|()| 10_f64.powf(random.within(-9.0, 0.0)));
            // The largest is at most the sum of the others.
            inertias[2] = inertias[0].max(inertias[1]);
            let start = free_body(DVec3::from(inertias), random.rotation(), random.vector(1.0));
            // Angular velocities of any axis, so that thin bodies do not only spin about their axis.
            let mut body = RigidState { angular: random.vector(10.0), ..start };
            let (momentum, energy) = (body.inertia() * body.angular, body.kinetic());
            for _ in 0..100 {
                body = body.after_free_motion(1e-2, [body.linear, body.angular]);
            }
            let now = body.inertia() * body.angular;
            // The rounding of a thin body's direction changes its energy.
            assert!(
                (body.kinetic() - energy).abs() < 1e-6 * energy,
                "seed {seed}: {} {energy}",
                body.kinetic()
            );
            assert!(now.distance(momentum) < 1e-9 * momentum.length(), "seed {seed}: {now} {momentum}");
        }
    }

    /// A body with three different inertias, in steps of 0.3 radians and in steps a hundred times shorter.
    #[test]
    fn long_steps_lead_where_short_ones_do() {
        for seed in 0..50 {
            let random = &mut Random(seed);
            let inertias =
                DVec3::new(random.within(0.5, 0.9), random.within(0.9, 1.1), random.within(1.1, 1.4));
            let start = free_body(inertias, random.rotation(), random.vector(3.0));
            let long = start.after_free_motion(1.0, [start.linear, start.angular]);
            let mut short = start;
            for _ in 0..10_000 {
                short = short.after_free_motion(1e-4, [short.linear, short.angular]);
            }
            let error = (long.rotation.conjugate() * short.rotation).xyz().length();
            assert!(error < 1e-7, "seed {seed}: {error}");
        }
    }
}
