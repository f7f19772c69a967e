//! Not finished: the branch on which the program is written beside the solver.

use crate::error::Error;
use crate::response::problem::{
    ContactImpulse, ContactState, ImpulseAnswer, ImpulseEnergy, ImpulseOutcome, ImpulseProblem, JointImpulse,
};

impl ImpulseProblem {
    /// The velocities after the impulses.
    ///
    /// # Errors
    /// Bodies that are not there.
    pub fn solve(&self) -> Result<ImpulseOutcome, Error> {
        let zero = glam::DVec3::ZERO;
        Ok(ImpulseOutcome::Solved(ImpulseAnswer {
            velocities: self.bodies.iter().map(|body| [body.linear, body.angular]).collect(),
            contacts: vec![ContactImpulse { impulse: zero, state: ContactState::None }; self.contacts.len()],
            joints: vec![JointImpulse { impulse: zero, moment: zero }; self.joints.len()],
            energy: ImpulseEnergy { before: 0.0, after: 0.0, dissipated: 0.0 },
        }))
    }
}
