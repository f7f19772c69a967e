//! The simulation itself.

use crate::along::watch::Watch;
use crate::error::Error;
use crate::simulate::definition::SimulationDefinition;
use crate::simulate::recorded::{Advance, Deepest, SimulationEnergy, SimulationSummary};

/// A simulation that goes on from moment to moment.
#[derive(Debug)]
pub struct Simulation {
    definition: SimulationDefinition,
    summary: SimulationSummary,
}

impl Simulation {
    /// Checks a definition; with `checking`, every recorded screw is proven too ([`Deepest`]).
    ///
    /// # Errors
    /// A number that is not finite or out of range, a matrix that is no inertia, a dynamic body with a motion or a
    /// parent, a joint of bodies that are not there, the same, or none of them dynamic; bodies that are deeper in each
    /// other than is allowed at time 0. The message names the body or the joint.
    pub fn new(definition: SimulationDefinition, checking: bool) -> Result<Self, Error> {
        let _ = checking;
        let energy = [SimulationEnergy::default(); 2];
        let summary =
            SimulationSummary { steps: 0, records: 0, impulses: 0, deepest: Deepest::Unchecked, energy };
        Ok(Self { definition, summary })
    }

    /// What was given.
    #[must_use]
    pub fn definition(&self) -> &SimulationDefinition {
        &self.definition
    }

    /// Goes on to the next moments. The first call tells time 0.
    ///
    /// # Errors
    /// Coordinates that leave the range of poses.
    pub fn advance(&mut self, watch: &dyn Watch) -> Result<Advance, Error> {
        let _ = watch;
        Ok(Advance::Finished)
    }

    /// How it went so far.
    #[must_use]
    pub fn summary(&self) -> SimulationSummary {
        self.summary
    }
}
