//! The state of a dynamic body, and its free motion.
//!
//! A body that rotates freely keeps its angular momentum L. Its Hamiltonian is split into the rotation of a symmetric
//! top, which has a closed form, and the remainder, a rotation about one principal axis. Both parts only rotate, so L
//! is constant to rounding, for any inertia. Their composition is symmetric and of fourth order (M. Suzuki, "Fractal
//! decomposition of exponential operators", Physics Letters A 146, 1990), so the energy oscillates within a bound and
//! does not drift. The top gets the two principal axes whose inverse moments are closest; a body with two equal moments
//! rotates exactly.

use glam::{DMat3, DQuat, DVec3};
use nalgebra::{Matrix3, SymmetricEigen};

use crate::motion::Pose;
use crate::simulate::definition::Dynamics;

/// A dynamic body at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RigidState {
    pub(crate) mass: f64,
    /// Inertia about the centre of mass, in the body's axes, and its inverse.
    pub(crate) inertia: DMat3,
    pub(crate) inverse: DMat3,
    pub(crate) principal: PrincipalInertia,
    /// The centre of mass in the body's frame.
    pub(crate) center_in_body: DVec3,
    /// The centre of mass in the world.
    pub(crate) center: DVec3,
    pub(crate) rotation: DQuat,
    /// Velocity of the centre of mass.
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
}

/// The principal axes and moments of an inertia.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PrincipalInertia {
    /// Rotates the coordinate axes to the principal axes, in the body's frame.
    axes: DQuat,
    moments: DVec3,
}

/// Maximum rotation, in radians, of one step of the free rotation of a body with three different moments.
const MAX_ROTATION: f64 = 0.05;

/// Maximum number of these steps.
const MAX_STEPS: f64 = 4096.0;

/// The durations of the five second-order stages of a fourth-order step, as fractions of the step:
/// p, p, 1 - 4 p, p, p with p = 1 / (4 - 4^(1/3)).
const STAGES: [f64; 5] = {
    let p = 0.414_490_771_794_375_7;
    [p, p, 1.0 - 4.0 * p, p, p]
};

/// Maximum number of sweeps that diagonalize an inertia; three to five are usual.
const MAX_SWEEPS: usize = 100;

impl PrincipalInertia {
    fn new(inertia: &DMat3) -> Self {
        let diagonal = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
        let as_given = Self { axes: DQuat::IDENTITY, moments: diagonal };
        if *inertia == DMat3::from_diagonal(diagonal) {
            return as_given;
        }
        let matrix = Matrix3::from_column_slice(&inertia.to_cols_array());
        let Some(own) = SymmetricEigen::try_new(matrix, f64::EPSILON, MAX_SWEEPS) else { return as_given };
        let column = |i: usize| {
            let axis = own.eigenvectors.column(i);
            DVec3::new(axis[0], axis[1], axis[2])
        };
        // The axes are right-handed, and a moment is not below what the matrix can resolve.
        let axes = DMat3::from_cols(column(0), column(1), column(0).cross(column(1)));
        let values = DVec3::new(own.eigenvalues[0], own.eigenvalues[1], own.eigenvalues[2]);
        let moments = values.max(DVec3::splat(f64::EPSILON * values.max_element()));
        Self { axes: DQuat::from_mat3(&axes).normalize(), moments }
    }

    /// The principal axes in the world after a free rotation with constant angular momentum, in seconds. `speed` is
    /// the angular speed, in radians per second.
    fn rotate_freely(&self, start: DQuat, momentum: DVec3, speed: f64, time: f64) -> DQuat {
        let inverse = 1.0 / self.moments;
        let difference = |i: usize| (inverse[(i + 2) % 3] - inverse[(i + 1) % 3]).abs();
        let top = (1..3).fold(0, |best, i| if difference(i) < difference(best) { i } else { best });
        let (across, other) = ((top + 1) % 3, (top + 2) % 3);
        let spin = inverse[top] - inverse[across];
        let remainder = inverse[other] - inverse[across];
        // The angular momentum in the principal axes; each rotation of the body rotates it back.
        let mut own = start.conjugate() * momentum;
        let mut rotation = start;
        let move_top = |rotation: &mut DQuat, own: &mut DVec3, time: f64| {
            *rotation *= DQuat::from_scaled_axis(time * inverse[across] * *own);
            let angle = time * spin * own[top];
            rotate_about(top, angle, rotation, own);
        };
        if remainder == 0.0 {
            move_top(&mut rotation, &mut own, time);
            return rotation.normalize();
        }
        let steps = (speed * time / MAX_ROTATION).ceil().clamp(1.0, MAX_STEPS);
        let mut done = 0.0;
        while done < steps {
            done += 1.0;
            for stage in STAGES {
                let step = stage * time / steps;
                let half = 0.5 * step * remainder;
                rotate_about(other, half * own[other], &mut rotation, &mut own);
                move_top(&mut rotation, &mut own, step);
                rotate_about(other, half * own[other], &mut rotation, &mut own);
            }
            rotation = rotation.normalize();
        }
        rotation
    }
}

impl RigidState {
    pub(crate) fn new(dynamics: &Dynamics, pose: &Pose) -> Self {
        Self {
            mass: dynamics.mass,
            inertia: dynamics.inertia,
            inverse: dynamics.inertia.inverse(),
            principal: PrincipalInertia::new(&dynamics.inertia),
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

    /// The angular momentum about the centre of mass, in world axes.
    fn angular_momentum(&self) -> DVec3 {
        let axes = self.rotation * self.principal.axes;
        axes * (self.principal.moments * (axes.conjugate() * self.angular))
    }

    /// The angular velocity with this angular momentum, in world axes.
    fn angular_with(&self, momentum: DVec3) -> DVec3 {
        let axes = self.rotation * self.principal.axes;
        axes * ((axes.conjugate() * momentum) / self.principal.moments)
    }

    pub(crate) fn kinetic(&self) -> f64 {
        0.5 * (self.mass * self.linear.length_squared() + self.angular.dot(self.angular_momentum()))
    }

    /// Stops the body; returns the kinetic energy that it loses, in joules.
    pub(crate) fn halt(&mut self) -> f64 {
        let lost = self.kinetic();
        (self.linear, self.angular) = (DVec3::ZERO, DVec3::ZERO);
        lost
    }

    /// The state after a time without forces, with constant angular momentum. The body moves with the given
    /// velocities, which may include a push, and keeps its own.
    pub(crate) fn after_free_motion(&self, time: f64, [linear, angular]: [DVec3; 2]) -> Self {
        let moved = Self { linear, angular, ..*self }.move_freely(time);
        if [linear, angular] == [self.linear, self.angular] {
            return moved;
        }
        Self { linear: self.linear, angular: moved.angular_with(self.angular_momentum()), ..moved }
    }

    /// The state after a time without forces, moving with its own velocities.
    fn move_freely(&self, time: f64) -> Self {
        let momentum = self.angular_momentum();
        let axes = self.principal.axes;
        let start = self.rotation * axes;
        let end = self.principal.rotate_freely(start, momentum, self.angular.length(), time);
        let moved = Self {
            center: self.center + time * self.linear,
            rotation: (end * axes.conjugate()).normalize(),
            ..*self
        };
        Self { angular: moved.angular_with(momentum), ..moved }
    }
}

/// Rotates a body about one of its axes, and a vector in these axes back.
fn rotate_about(axis: usize, angle: f64, rotation: &mut DQuat, own: &mut DVec3) {
    let step_rotation = DQuat::from_scaled_axis(angle * DVec3::AXES[axis]);
    *rotation *= step_rotation;
    *own = step_rotation.conjugate() * *own;
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
                principal: PrincipalInertia::new(&inertia),
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

    /// The rotation by many tiny steps of Runge and Kutta's method.
    fn rotation_in_small_steps(body: &RigidState, time: f64) -> DQuat {
        let (momentum, steps) = (body.inertia() * body.angular, 40_000);
        let rate = |q: DQuat| {
            let w = in_world(q, &body.inverse) * momentum;
            DQuat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0) * q
        };
        let step = time / f64::from(steps);
        (0..steps).fold(body.rotation, |q, _| {
            let first = rate(q);
            let second = rate(q + first * (0.5 * step));
            let third = rate(q + second * (0.5 * step));
            let fourth = rate(q + third * step);
            (q + (first + second * 2.0 + third * 2.0 + fourth) * (step / 6.0)).normalize()
        })
    }

    /// A random body with these moments about random axes.
    fn tumbling_body(random: &mut Random, moments: DVec3, speed: f64) -> RigidState {
        let axes = DMat3::from_quat(random.rotation());
        let inertia = axes * DMat3::from_diagonal(moments) * axes.transpose();
        let pose = Pose::from_parts(DVec3::ZERO, random.rotation());
        let dynamics = Dynamics {
            mass: 1.0,
            center: DVec3::ZERO,
            inertia,
            linear: DVec3::ZERO,
            angular: speed * random.direction(),
        };
        RigidState::new(&dynamics, &pose)
    }

    #[test]
    fn a_tumbling_body_rotates_as_in_tiny_steps() {
        for seed in 0..40 {
            let random = &mut Random(seed);
            let moments = DVec3::new(random.within(0.5, 1.0), random.within(0.8, 1.2), 1.3);
            let speed = random.within(0.0, 20.0);
            let body = tumbling_body(random, moments, speed);
            let moved = body.after_free_motion(0.5, [body.linear, body.angular]);
            let error = (moved.rotation.conjugate() * rotation_in_small_steps(&body, 0.5)).xyz().length();
            assert!(error < 1e-7, "seed {seed}: {error}");
        }
    }

    #[test]
    fn free_rotation_keeps_energy_and_angular_momentum_for_any_inertia() {
        for seed in 0..100 {
            let random = &mut Random(seed);
            let small = 10f64.powf(random.within(-9.0, 0.0));
            let middle = if seed % 3 == 0 { 1.0 } else { random.within(small.max(1.0 - 0.5 * small), 1.0) };
            let mut body = tumbling_body(random, DVec3::new(small, middle, 1.0), 5.0);
            if seed % 2 == 0 {
                // About its axes as given, without rounding.
                body = RigidState {
                    inertia: DMat3::from_diagonal(DVec3::new(small, middle, 1.0)),
                    inverse: DMat3::from_diagonal(1.0 / DVec3::new(small, middle, 1.0)),
                    principal: PrincipalInertia {
                        axes: DQuat::IDENTITY,
                        moments: DVec3::new(small, middle, 1.0),
                    },
                    ..body
                };
            }
            let (energy, momentum) = (body.kinetic(), body.angular_momentum());
            for _ in 0..2000 {
                body = body.after_free_motion(0.001, [body.linear, body.angular]);
                let kinetic = body.kinetic();
                assert!((kinetic / energy - 1.0).abs() < 1e-6, "seed {seed}: {kinetic} of {energy}");
            }
            let change = (body.angular_momentum() - momentum).length() / momentum.length();
            assert!(change < 1e-10, "seed {seed}: {change}");
        }
    }
}
