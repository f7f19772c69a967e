//! Flexible bodies beside rigid ones: each moment of the rigid ones is told once the flexible ones are there, and where these
//! need more moments, the rigid ones are on the screws between theirs.

use std::collections::VecDeque;

use crate::error::Error;
use crate::flexible::course::{FlexibleRun, RunOutcome};
use crate::flexible::definition::{ContactModel, FlexibleOutput, Given, VertexImpact};
use crate::motion::Screw;
use crate::simulate::definition::{SimulationDefinition, SimulationMethod};
use crate::simulate::output::summed;
use crate::simulate::recorded::{MomentContact, SimulationEnergy, SimulationState};
use crate::trajectory::watch::ProgressMonitor;

/// The moments of rigid bodies on their way to being told.
#[derive(Debug)]
pub(crate) struct FlexibleCoupling {
    /// The flexible bodies, if there are any.
    course: Option<FlexibleRun>,
    /// The last moment that was told, without them.
    last: Option<SimulationState>,
    waiting: VecDeque<SimulationState>,
    /// How they ended, where no step of theirs could be made.
    stuck: Option<[usize; 2]>,
}

/// What becomes of moments.
pub(crate) enum Woven {
    Nothing,
    Moments(Vec<SimulationState>),
    /// No step of flexible bodies could be made after this time that keeps these bodies from passing through each other.
    Stuck(f64, [usize; 2]),
    /// Somebody wanted an end.
    Stopped,
}

impl FlexibleCoupling {
    /// The flexible bodies of a definition, at time 0 or where a moment has them.
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

    /// Goes on from a moment of the rigid bodies that was told before.
    pub(crate) fn follow(&mut self, told: Vec<SimulationState>) {
        self.last = told.into_iter().last();
    }

    /// The energy of the rigid bodies with that of the flexible ones where they are.
    pub(crate) fn with_energy(&mut self, energy: SimulationEnergy) -> SimulationEnergy {
        self.course.as_mut().map_or(energy, |course| with(energy, &course.current_output(Vec::new())))
    }

    /// How many steps the flexible bodies made.
    pub(crate) fn steps(&self) -> u64 {
        self.course.as_ref().map_or(0, FlexibleRun::steps)
    }

    /// Takes more moments of the rigid bodies, and tells what can be told.
    ///
    /// # Errors
    /// Places that leave the range of numbers.
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

/// A moment of rigid bodies with the output of the flexible bodies at the same time.
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

/// Rigid bodies between two moments: on the screws that join their poses.
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
