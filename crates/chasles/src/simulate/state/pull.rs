//! A mouse force that pulls a body by a point. It is an external force, so its work is not counted as contact work.

use glam::{DMat3, DVec3};

use crate::error::{Error, check_positive, check_vector};
use crate::simulate::definition::SimulationDefinition;
use crate::simulate::state::rigid::RigidState;

/// A critically damped spring between a point of a dynamic body and a target. Without other forces, the point
/// approaches the target as `(1 + rate t) exp(-rate t)` approaches 0, and does not overshoot. The spring carries the
/// body's weight, and damps its rotation at a tenth of `rate`. Bodies that are joined to it are pulled along, and
/// follow more slowly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MouseForce {
    /// The number of a dynamic body of the scene.
    pub body: usize,
    /// The pulled point, in the body's frame, in metres.
    pub point: DVec3,
    /// The target of the point, in the world, in metres.
    pub target: DVec3,
    /// In radians per second, greater than 0; limited to half a radian per step.
    pub rate: f64,
    /// The maximum force, in newtons, greater than 0.
    pub max_force: f64,
}

/// Maximum phase of the spring per step, in radians; it keeps the spring stable.
const MAX_PHASE: f64 = 0.5;

/// The rate of the rotational damping, as a fraction of the spring's rate.
const ROTATION_DAMPING: f64 = 0.1;

impl MouseForce {
    /// # Errors
    /// A number that is not finite or out of range; a body that is not there or not dynamic.
    pub(crate) fn check(&self, definition: &SimulationDefinition) -> Result<(), Error> {
        if definition.bodies.get(self.body).is_none_or(|body| body.dynamics.is_none()) {
            return Error::out_of_range(self.body as f64, "the number of a dynamic body", "pulled body");
        }
        check_vector(self.point, || "pulled point".to_owned())?;
        check_vector(self.target, || "target of the pull".to_owned())?;
        check_positive(self.rate, "rate of the pull")?;
        check_positive(self.max_force, "force of the pull")
    }

    /// The change of the body's linear and angular velocity in a time.
    pub(crate) fn velocity_change(
        &self,
        definition: &SimulationDefinition,
        rigid: &RigidState,
        time: f64,
    ) -> [DVec3; 2] {
        let rate = self.rate.min(MAX_PHASE / definition.settings.step);
        let arm = rigid.rotation * (self.point - rigid.center_in_body);
        let inverse = rigid.inverse_inertia();
        // The response of the point to a force there: 1/m - [r] I^-1 [r].
        let cross = DMat3::from_cols(arm.cross(DVec3::X), arm.cross(DVec3::Y), arm.cross(DVec3::Z));
        let response = DMat3::from_diagonal(DVec3::splat(1.0 / rigid.mass)) - cross * inverse * cross;
        let offset = self.target - (rigid.center + arm);
        let speed = rigid.linear + rigid.angular.cross(arm);
        let acceleration = rate * rate * offset - 2.0 * rate * speed - definition.settings.gravity;
        let force = (response.inverse() * acceleration).clamp_length_max(self.max_force);
        if !force.is_finite() {
            return [DVec3::ZERO; 2];
        }
        let angular = inverse * arm.cross(force) - ROTATION_DAMPING * rate * rigid.angular;
        [time / rigid.mass * force, time * angular]
    }

    /// The approximate acceleration of the body's points, in m/s^2: it sets how far contacts are searched.
    pub(crate) fn approximate_acceleration(&self, definition: &SimulationDefinition) -> f64 {
        let mass = definition.bodies[self.body].dynamics.map_or(1.0, |own| own.mass);
        2.0 * self.max_force / mass
    }
}
