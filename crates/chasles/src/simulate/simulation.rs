//! A simulation, advanced from one recorded state to the next.

use crate::error::{Error, ErrorKind};
use crate::simulate::checks::{check_moment, validate};
use crate::simulate::definition::{Dynamics, SimulationDefinition};
use crate::simulate::output::energy;
use crate::simulate::recorded::{
    EnergyLosses, Released, SimulationEnergy, SimulationState, SimulationSummary, StepResult,
};
use crate::simulate::run::{RigidRun, SimulationStart, StepOutcome};
use crate::simulate::state::pull::MouseForce;
use crate::simulate::state::rigid::RigidState;
use crate::simulate::state::world::World;
use crate::simulate::with_flexible::{FlexibleCoupling, MergedStates};
use crate::trajectory::watch::ProgressMonitor;

/// A simulation that is advanced from one recorded state to the next.
#[derive(Debug)]
pub struct Simulation {
    run: RigidRun,
    /// The flexible bodies beside the rigid ones.
    flexible: FlexibleCoupling,
    /// Number of returned states.
    records: u64,
    /// Number of contact impulses in these states.
    impulses: u64,
    /// At the first state, and at the last returned one.
    energy: [SimulationEnergy; 2],
    /// The causes of the dissipated energy, at the last returned state.
    losses: EnergyLosses,
    /// The final result.
    end: Option<StepResult>,
    /// The error that ended it.
    error: Option<Error>,
}

impl Simulation {
    /// Checks a definition; with `checking`, the depth along all recorded screws is reported too
    /// ([`SimulationSummary::deepest`]).
    ///
    /// # Errors
    /// A number that is not finite or out of range, or an invalid inertia matrix; a dynamic body with a parent, or
    /// with a motion that jumps or that it does not follow until its first contact; a joint whose bodies do not
    /// exist, are the same, or include no dynamic body; bodies that penetrate deeper than allowed at time 0. The
    /// message names the body or the joint.
    pub fn new(definition: SimulationDefinition, checking: bool) -> Result<Self, Error> {
        validate(&definition)?;
        let world = World::new(definition, Vec::new());
        let rigid: Vec<RigidState> = world
            .dynamic
            .iter()
            .filter_map(|body| {
                let dynamics = world.definition.bodies[*body].dynamics.as_ref()?;
                Some(RigidState::new(dynamics, &world.scene().pose_at(*body, 0.0)))
            })
            .collect();
        let flexible = FlexibleCoupling::new(&world.definition, None)?;
        let start = SimulationStart { world, rigid, time: 0.0, dissipated: 0.0 };
        Self::from_start(start, flexible, checking.then_some(0.0))
    }

    /// Continues from a recorded state of the same definition, for example one read back from a recording. The poses,
    /// velocities, time, released bodies and dissipated energy are those in the state; the rest comes from the
    /// definition, so bodies that still wait for their first contact are where their motions place them. Joint
    /// anchors are those at time 0. The state is not returned again, and the summary covers only the continuation.
    ///
    /// A state does not contain the contact impulses of its step, so contacts are solved without a warm start. The
    /// motion is as accurate as it would have been, but its bits may differ. Without contacts and joints the bits
    /// agree, if the state has the recorded numbers and centres of mass are the origins of bodies.
    ///
    /// # Errors
    /// As [`Simulation::new`], at the state's time in place of time 0; a state with another number of bodies, outside
    /// the duration, or with a number that is not finite; released bodies that are dynamic from time 0, or released
    /// later.
    pub fn resumed(
        definition: SimulationDefinition,
        from: &SimulationState,
        checking: bool,
    ) -> Result<Self, Error> {
        validate(&definition)?;
        check_moment(&definition, from)?;
        let world = World::new(definition, from.released.clone());
        let rigid: Vec<RigidState> = (0..world.numbers.len())
            .filter(|body| world.is_recorded(*body))
            .zip(from.poses.iter().zip(&from.velocities))
            .filter(|(body, _)| world.numbers[*body].is_some())
            .filter_map(|(body, (pose, [linear, angular]))| {
                let dynamics = world.definition.bodies[body].dynamics?;
                Some(RigidState::new(&Dynamics { linear: *linear, angular: *angular, ..dynamics }, pose))
            })
            .collect();
        let flexible = FlexibleCoupling::new(&world.definition, Some(from))?;
        let (time, dissipated) = (from.time, from.energy.dissipated);
        let start = SimulationStart { world, rigid, time, dissipated };
        let mut simulation = Self::from_start(start, flexible, checking.then_some(0.0))?;
        // It was returned before.
        simulation.flexible.continue_after(simulation.run.output.ready_states());
        Ok(simulation)
    }

    /// Starts; `deepest` is the initial depth of the summary.
    fn from_start(
        start: SimulationStart,
        mut flexible: FlexibleCoupling,
        deepest: Option<f64>,
    ) -> Result<Self, Error> {
        let (dissipated, losses) = (start.dissipated, EnergyLosses::before_start(start.dissipated));
        let run = RigidRun::new(start, deepest)?;
        let energy = flexible.with_energy(energy(&run.world, &run.state, dissipated));
        Ok(Self {
            run,
            flexible,
            records: 0,
            impulses: 0,
            energy: [energy; 2],
            losses,
            end: None,
            error: None,
        })
    }

    /// The input of the simulation.
    #[must_use]
    pub fn definition(&self) -> &SimulationDefinition {
        &self.run.world.definition
    }

    /// Statistics up to now.
    #[must_use]
    pub fn summary(&self) -> SimulationSummary {
        let steps = self.run.steps + self.flexible.steps();
        let Self { records, impulses, energy, losses, .. } = *self;
        let (deepest, forced) = (self.run.deepest, self.run.forced.clone());
        SimulationSummary { steps, records, impulses, deepest, energy, losses, forced }
    }

    /// The bodies that were released at their first contact, ordered by time, then by number.
    #[must_use]
    pub fn released(&self) -> &[Released] {
        &self.run.world.released
    }

    /// The sleeping bodies, in the order of the scene: they have rested for a while, and stay where they are until
    /// something approaches them. With springs alone, or without gravity, no body sleeps.
    #[must_use]
    pub fn asleep(&self) -> Vec<usize> {
        let asleep = &self.run.world.asleep;
        (0..asleep.len()).filter(|body| asleep[*body].is_some()).collect()
    }

    /// Sets or ends the pull of a body. A body that waits for its first contact is pulled only after that contact.
    /// The work of the pull changes the energies of later states; `dissipated` still counts contacts and joints only.
    ///
    /// # Errors
    /// A number that is not finite or out of range; a body that is not dynamic. The simulation is then unchanged.
    pub fn pull(&mut self, pull: Option<MouseForce>) -> Result<(), Error> {
        self.run.set_pull(pull)
    }

    /// Advances to the next states. The first call returns time 0, if the simulation starts there.
    ///
    /// # Errors
    /// Coordinates or velocities that overflow; more than [`max_records`](crate::SimulationSettings::max_records)
    /// states, after all states up to there have been returned. Further calls return the same error.
    pub fn advance(&mut self, watch: &dyn ProgressMonitor) -> Result<StepResult, Error> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        self.advance_once(watch).inspect_err(|error| self.error = Some(error.clone()))
    }

    fn advance_once(&mut self, watch: &dyn ProgressMonitor) -> Result<StepResult, Error> {
        loop {
            match self.flexible.merge_states(self.run.output.ready_states(), watch)? {
                MergedStates::States(moments) => return Ok(self.count_states(moments)),
                MergedStates::Stuck(time, bodies) => self.end = Some(StepResult::Stuck { time, bodies }),
                MergedStates::Stopped => return Ok(StepResult::Stopped),
                MergedStates::None => {}
            }
            if let Some(end) = &self.end {
                return Ok(end.clone());
            }
            if watch.is_over() {
                return Ok(StepResult::Stopped);
            }
            let time = self.run.state.time;
            if time >= self.run.world.scene().duration() {
                self.end = Some(StepResult::Finished);
                continue;
            }
            let stepped = match self.run.solve_first_impacts()? {
                Some(crushed) => StepOutcome::Crushed(crushed),
                None => self.run.step(watch)?,
            };
            match stepped {
                StepOutcome::Done => continue,
                StepOutcome::Stopped => return Ok(StepResult::Stopped),
                StepOutcome::Crushed(bodies) => self.end = Some(StepResult::Crushed { time, bodies }),
                StepOutcome::Stuck(bodies) => self.end = Some(StepResult::Stuck { time, bodies }),
            }
            self.run.flush_output(watch);
        }
    }

    /// Counts returned states.
    fn count_states(&mut self, mut moments: Vec<SimulationState>) -> StepResult {
        let room = self.definition().settings.max_records - self.records;
        if moments.len() as u64 > room {
            moments.truncate(usize::try_from(room).unwrap_or(usize::MAX));
            let maximum = self.definition().settings.max_records as f64;
            let kind =
                ErrorKind::OutOfRange { value: maximum, expected: "a larger number, or fewer records" };
            self.error = Some(Error::new(kind, "max_records"));
        }
        self.records += moments.len() as u64;
        self.impulses += moments.iter().map(|moment| moment.contacts.len() as u64).sum::<u64>();
        if let Some(last) = moments.last() {
            (self.energy[1], self.losses) = (last.energy, last.losses);
        }
        StepResult::Moments(moments)
    }
}
