//! Combines flexible with rigid bodies. A rigid state is returned once the flexible bodies reach its time. When the
//! flexible bodies need more states, rigid bodies are interpolated on the screws between theirs.

use std::collections::VecDeque;

use crate::error::Error;
use crate::flexible::course::{FlexibleRun, RunOutcome};
use crate::flexible::definition::{ContactModel, FlexibleInput, FlexibleOutput, VertexImpact};
use crate::impulses::problem::SurfaceProperties;
use crate::motion::Screw;
use crate::simulate::definition::{SimulatedBody, SimulationDefinition, SimulationMethod};
use crate::simulate::output::sum_by_pair;
use crate::simulate::recorded::{MomentContact, SimulationEnergy, SimulationState};
use crate::trajectory::watch::ProgressMonitor;

/// The flexible bodies, and the rigid states that wait for them.
#[derive(Debug)]
pub(crate) struct FlexibleCoupling {
    /// The flexible bodies, if there are any.
    run: Option<FlexibleRun>,
    /// The last returned state, without the flexible bodies.
    last: Option<SimulationState>,
    waiting: VecDeque<SimulationState>,
    /// Two flexible bodies that block each other, if they are stuck.
    stuck: Option<[usize; 2]>,
}

/// The combined states.
pub(crate) enum MergedStates {
    /// No state is complete.
    None,
    States(Vec<SimulationState>),
    /// After this time, every step of flexible bodies would make these bodies pass through each other.
    Stuck(f64, [usize; 2]),
    /// The monitor requested a stop.
    Stopped,
}

impl FlexibleCoupling {
    /// The flexible bodies of a definition, at time 0 or in a given state.
    ///
    /// # Errors
    /// As [`FlexibleRun::new`].
    pub(crate) fn new(
        definition: &SimulationDefinition,
        from: Option<&SimulationState>,
    ) -> Result<Self, Error> {
        let mut coupling = Self { run: None, last: None, waiting: VecDeque::new(), stuck: None };
        if definition.flexible.is_empty() {
            return Ok(coupling);
        }
        let surfaces: Vec<SurfaceProperties> = definition.bodies.iter().map(SimulatedBody::surface).collect();
        let input = FlexibleInput {
            scene: &definition.scene,
            bodies: &definition.flexible,
            surfaces: &surfaces,
            gravity: definition.gravity,
            step: definition.step,
            depth: definition.depth,
            model: match definition.method {
                SimulationMethod::Both | SimulationMethod::Impulse => ContactModel::Impulses,
                SimulationMethod::Spring => ContactModel::Springs,
            },
        };
        let is_dynamic = |body: usize| definition.bodies[body].dynamics.is_some();
        let from = from.map(|from| (from.time, from.flexible.as_slice()));
        coupling.run = Some(FlexibleRun::new(&input, &is_dynamic, from)?);
        Ok(coupling)
    }

    /// Continues from a rigid state that was returned before.
    pub(crate) fn continue_after(&mut self, returned: Vec<SimulationState>) {
        self.last = returned.into_iter().last();
    }

    /// Adds the current energy of the flexible bodies to the energy of the rigid bodies.
    pub(crate) fn with_energy(&mut self, energy: SimulationEnergy) -> SimulationEnergy {
        self.run.as_mut().map_or(energy, |run| energy_with(energy, &run.current_output(Vec::new())))
    }

    /// The number of steps of the flexible bodies.
    pub(crate) fn steps(&self) -> u64 {
        self.run.as_ref().map_or(0, FlexibleRun::steps)
    }

    /// Adds rigid states, and returns the states that are complete.
    ///
    /// # Errors
    /// Coordinates that overflow.
    pub(crate) fn merge_states(
        &mut self,
        moments: Vec<SimulationState>,
        watch: &dyn ProgressMonitor,
    ) -> Result<MergedStates, Error> {
        let Some(run) = &mut self.run else {
            return Ok(if moments.is_empty() { MergedStates::None } else { MergedStates::States(moments) });
        };
        self.waiting.extend(moments);
        if let Some(bodies) = self.stuck {
            self.waiting.clear();
            return Ok(MergedStates::Stuck(run.time(), bodies));
        }
        let Some(next) = self.waiting.front() else { return Ok(MergedStates::None) };
        let reached = if run.time() < next.time {
            run.advance_to(next.time, watch)?
        } else {
            RunOutcome::Reached(vec![run.current_output(Vec::new())])
        };
        let outputs = match reached {
            RunOutcome::Reached(outputs) => outputs,
            RunOutcome::Stuck(outputs, bodies) => {
                self.stuck = Some(bodies);
                outputs
            }
            RunOutcome::Stopped => return Ok(MergedStates::Stopped),
        };
        let last = self.last.as_ref();
        let merged: Vec<SimulationState> = outputs
            .iter()
            .map(|output| {
                let last = last.filter(|_| output.time < next.time);
                let rigid = last.map_or_else(|| next.clone(), |last| interpolate(last, next, output.time));
                merge_state(rigid, output)
            })
            .collect();
        if self.stuck.is_none() {
            self.last = self.waiting.pop_front();
        }
        match self.stuck.filter(|_| merged.is_empty()) {
            Some(bodies) => {
                self.waiting.clear();
                Ok(MergedStates::Stuck(run.time(), bodies))
            }
            None => Ok(MergedStates::States(merged)),
        }
    }
}

/// The energy of rigid bodies, with the energy of flexible bodies.
fn energy_with(energy: SimulationEnergy, output: &FlexibleOutput) -> SimulationEnergy {
    SimulationEnergy {
        kinetic: energy.kinetic + output.kinetic,
        potential: energy.potential + output.potential,
        dissipated: energy.dissipated + output.dissipated,
    }
}

/// A rigid state, combined with the flexible bodies at the same time.
fn merge_state(mut state: SimulationState, output: &FlexibleOutput) -> SimulationState {
    let contact = |impact: &VertexImpact| {
        let VertexImpact { bodies, time, point, normal, impulse } = *impact;
        MomentContact { bodies, time, point, normal, impulse }
    };
    let impacts: Vec<MomentContact> = output.impacts.iter().map(contact).collect();
    state.contacts.extend(sum_by_pair(&impacts));
    state.contacts.sort_by_key(|contact| contact.bodies);
    state.flexible.clone_from(&output.states);
    state.energy = energy_with(state.energy, output);
    state.losses.springs += output.dissipated;
    state
}

/// Interpolates rigid bodies between two states, on the screws between their poses.
fn interpolate(first: &SimulationState, last: &SimulationState, time: f64) -> SimulationState {
    let fraction = (time - first.time) / (last.time - first.time);
    let mean = |p: f64, q: f64| p + fraction * (q - p);
    let poses = first.poses.iter().zip(&last.poses);
    let velocities = first.velocities.iter().zip(&last.velocities);
    SimulationState {
        time,
        poses: poses.map(|(p, q)| Screw::between(*p, *q).pose_at(fraction)).collect(),
        velocities: velocities.map(|([v, w], [x, y])| [v.lerp(*x, fraction), w.lerp(*y, fraction)]).collect(),
        flexible: Vec::new(),
        released: last.released.iter().filter(|own| own.time <= time).copied().collect(),
        contacts: Vec::new(),
        energy: SimulationEnergy {
            kinetic: mean(first.energy.kinetic, last.energy.kinetic),
            potential: mean(first.energy.potential, last.energy.potential),
            dissipated: mean(first.energy.dissipated, last.energy.dissipated),
        },
        losses: first.losses.lerp(&last.losses, fraction),
        forced: Vec::new(),
    }
}
