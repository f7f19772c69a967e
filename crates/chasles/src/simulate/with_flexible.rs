//! Combines flexible with rigid bodies. A rigid state is returned once the flexible bodies reach its time. When the
//! flexible bodies need more states, rigid bodies are interpolated on the screws between theirs.

use std::collections::VecDeque;

use crate::error::Error;
use crate::flexible::course::{FlexibleRun, RunOutcome};
use crate::flexible::definition::{ContactModel, FlexibleOutput, Given, VertexImpact};
use crate::motion::Screw;
use crate::simulate::definition::{SimulationDefinition, SimulationMethod};
use crate::simulate::output::summed;
use crate::simulate::recorded::{MomentContact, SimulationEnergy, SimulationState};
use crate::trajectory::watch::ProgressMonitor;

/// The rigid states that wait for the flexible bodies.
#[derive(Debug)]
pub(crate) struct FlexibleCoupling {
    /// The flexible bodies, if there are any.
    course: Option<FlexibleRun>,
    /// The last returned state, without the flexible bodies.
    last: Option<SimulationState>,
    waiting: VecDeque<SimulationState>,
    /// Two flexible bodies that block each other, if they are stuck.
    stuck: Option<[usize; 2]>,
}

/// The combined states.
pub(crate) enum Woven {
    Nothing,
    Moments(Vec<SimulationState>),
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
        let mut weaving = Self { course: None, last: None, waiting: VecDeque::new(), stuck: None };
        if definition.flexible.is_empty() {
            return Ok(weaving);
        }
        let surfaces: Vec<_> =
            definition.bodies.iter().map(|body| (body.elasticity, body.friction)).collect();
        let given = Given {
            scene: &definition.scene,
            bodies: &definition.flexible,
            surfaces: &surfaces,
            gravity: definition.gravity,
            step: definition.step,
            depth: definition.depth,
            answer: match definition.method {
                SimulationMethod::Both | SimulationMethod::Impulse => ContactModel::Impulses,
                SimulationMethod::Spring => ContactModel::Springs,
            },
        };
        let is_dynamic = |body: usize| definition.bodies[body].dynamics.is_some();
        let from = from.map(|from| (from.time, from.flexible.as_slice()));
        weaving.course = Some(FlexibleRun::new(&given, &is_dynamic, from)?);
        Ok(weaving)
    }

    /// Continues from a rigid state that was returned before.
    pub(crate) fn follow(&mut self, told: Vec<SimulationState>) {
        self.last = told.into_iter().last();
    }

    /// Adds the current energy of the flexible bodies to the energy of the rigid bodies.
    pub(crate) fn with_energy(&mut self, energy: SimulationEnergy) -> SimulationEnergy {
        self.course.as_mut().map_or(energy, |course| with(energy, &course.current_output(Vec::new())))
    }

    /// The number of steps of the flexible bodies.
    pub(crate) fn steps(&self) -> u64 {
        self.course.as_ref().map_or(0, FlexibleRun::steps)
    }

    /// Adds rigid states, and returns the states that are complete.
    ///
    /// # Errors
    /// Coordinates that overflow.
    pub(crate) fn merge_states(
        &mut self,
        moments: Vec<SimulationState>,
        watch: &dyn ProgressMonitor,
    ) -> Result<Woven, Error> {
        let Some(course) = &mut self.course else {
            return Ok(if moments.is_empty() { Woven::Nothing } else { Woven::Moments(moments) });
        };
        self.waiting.extend(moments);
        if let Some(bodies) = self.stuck {
            self.waiting.clear();
            return Ok(Woven::Stuck(course.time(), bodies));
        }
        let Some(next) = self.waiting.front() else { return Ok(Woven::Nothing) };
        let reached = if course.time() < next.time {
            course.advance_to(next.time, watch)?
        } else {
            RunOutcome::There(vec![course.current_output(Vec::new())])
        };
        let told = match reached {
            RunOutcome::There(told) => told,
            RunOutcome::Stuck(told, bodies) => {
                self.stuck = Some(bodies);
                told
            }
            RunOutcome::Stopped => return Ok(Woven::Stopped),
        };
        let last = self.last.as_ref();
        let found: Vec<SimulationState> = told
            .iter()
            .map(|told| {
                let last = last.filter(|_| told.time < next.time);
                let rigid = last.map_or_else(|| next.clone(), |last| interpolated(last, next, told.time));
                merged_state(rigid, told)
            })
            .collect();
        if self.stuck.is_none() {
            self.last = self.waiting.pop_front();
        }
        match self.stuck.filter(|_| found.is_empty()) {
            Some(bodies) => {
                self.waiting.clear();
                Ok(Woven::Stuck(course.time(), bodies))
            }
            None => Ok(Woven::Moments(found)),
        }
    }
}

fn with(energy: SimulationEnergy, told: &FlexibleOutput) -> SimulationEnergy {
    SimulationEnergy {
        kinetic: energy.kinetic + told.kinetic,
        potential: energy.potential + told.potential,
        dissipated: energy.dissipated + told.taken,
    }
}

/// A rigid state, combined with the flexible bodies at the same time.
fn merged_state(mut moment: SimulationState, told: &FlexibleOutput) -> SimulationState {
    let contact = |strike: &VertexImpact| {
        let VertexImpact { bodies, time, point, normal, impulse } = *strike;
        MomentContact { bodies, time, point, normal, impulse }
    };
    let strikes: Vec<MomentContact> = told.strikes.iter().map(contact).collect();
    moment.contacts.extend(summed(&strikes));
    moment.contacts.sort_by_key(|contact| contact.bodies);
    moment.flexible.clone_from(&told.states);
    moment.energy = with(moment.energy, told);
    moment
}

/// Interpolates rigid bodies between two states, on the screws between their poses.
fn interpolated(first: &SimulationState, last: &SimulationState, time: f64) -> SimulationState {
    let share = (time - first.time) / (last.time - first.time);
    let mean = |p: f64, q: f64| p + share * (q - p);
    let poses = first.poses.iter().zip(&last.poses);
    let velocities = first.velocities.iter().zip(&last.velocities);
    SimulationState {
        time,
        poses: poses.map(|(p, q)| Screw::between(*p, *q).pose_at(share)).collect(),
        velocities: velocities.map(|([v, w], [x, y])| [v.lerp(*x, share), w.lerp(*y, share)]).collect(),
        flexible: Vec::new(),
        released: last.released.iter().filter(|own| own.time <= time).copied().collect(),
        contacts: Vec::new(),
        energy: SimulationEnergy {
            kinetic: mean(first.energy.kinetic, last.energy.kinetic),
            potential: mean(first.energy.potential, last.energy.potential),
            dissipated: mean(first.energy.dissipated, last.energy.dissipated),
        },
    }
}
