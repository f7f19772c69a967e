//! A hand that pulls a body by a point: an outer force, whose work is no contact's.

use glam::{DMat3, DVec3};

use crate::error::{Error, check_positive, check_vector};
use crate::simulate::definition::SimulationDefinition;
use crate::simulate::rigid::RigidState;

/// A spring between a point of a dynamic body and a place, critically damped: alone, the point goes to the place as
/// `(1 + rate t) exp(-rate t)` goes to 0, and does not pass it. The hand carries the body's weight, and takes a tenth of
/// the `rate` a second of its turning. Bodies that joints hold to it are pulled along, and follow more slowly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MouseForce {
    /// The number of a dynamic body of the scene.
    pub body: usize,
    /// In the body's frame, in metres.
    pub point: DVec3,
    /// Where the point is drawn to, in metres, in the world.
    pub target: DVec3,
    /// In radians a second, greater than 0. More than half a radian a step counts as that much.
    pub rate: f64,
    /// The force at most, in newtons, greater than 0.
    pub most: f64,
}

/// The most radians of a spring in a step: it does not swing up.
const TURN: f64 = 0.5;

/// The share of the rate at which the hand takes what turns.
const CALM: f64 = 0.1;

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
        check_positive(self.most, "force of the pull")
    }

    /// How much faster the body gets in a time, its centre and its turning.
    pub(crate) fn kick(
        &self,
        definition: &SimulationDefinition,
        rigid: &RigidState,
        time: f64,
    ) -> [DVec3; 2] {
        let rate = self.rate.min(TURN / definition.step);
        let arm = rigid.rotation * (self.point - rigid.center_in_body);
        let inverse = rigid.inverse_inertia();
        // What a force at the point does to the point: 1/m - [r] I^-1 [r].
        let cross = DMat3::from_cols(arm.cross(DVec3::X), arm.cross(DVec3::Y), arm.cross(DVec3::Z));
        let answer = DMat3::from_diagonal(DVec3::splat(1.0 / rigid.mass)) - cross * inverse * cross;
        let way = self.target - (rigid.center + arm);
        let speed = rigid.linear + rigid.angular.cross(arm);
        let wanted = rate * rate * way - 2.0 * rate * speed - definition.gravity;
        let force = (answer.inverse() * wanted).clamp_length_max(self.most);
        if !force.is_finite() {
            return [DVec3::ZERO; 2];
        }
        let turn = inverse * arm.cross(force) - CALM * rate * rigid.angular;
        [time / rigid.mass * force, time * turn]
    }

    /// How much faster any point of the body gets in a second, about: where contacts are looked for.
    pub(crate) fn haste(&self, definition: &SimulationDefinition) -> f64 {
        let mass = definition.bodies[self.body].dynamics.map_or(1.0, |own| own.mass);
        2.0 * self.most / mass
    }
}
