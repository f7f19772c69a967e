//! Chooses which states are recorded: all requested ones, and as many between them as the screws between recorded
//! poses need to follow the motion and to keep bodies separated.

use std::ops::Range;

use glam::DVec3;

use crate::motion::Pose;
use crate::simulate::impact::rebound_gap;
use crate::simulate::proof::{ProofRequest, ProvenPairs, SeparatingHints, prove};
use crate::simulate::recorded::{EnergyLosses, ForcedStop, MomentContact, SimulationEnergy, SimulationState};
use crate::simulate::separation::StepPoses;
use crate::simulate::state::rigid::RigidState;
use crate::simulate::state::world::World;
use crate::simulate::state::{MAX_STEP_ROTATION, StepContacts, StepState};
use crate::trajectory::watch::ProgressMonitor;

/// Maximum number of states that wait to be recorded.
const MAX_WAITING: usize = 512;

/// A sum smaller than this fraction of its terms is zero.
const ROUNDING: f64 = 1e-12;

/// Springs that store more than this fraction of the kinetic energy are still in an impact.
const STORED_ENERGY: f64 = 1e-3;

/// A computed state.
#[derive(Debug, Clone)]
struct StateSample {
    time: f64,
    /// All bodies of the scene.
    poses: Vec<Pose>,
    /// The recorded bodies.
    velocities: Vec<[DVec3; 2]>,
    hints: SeparatingHints,
    /// Since the sample before.
    contacts: Vec<MomentContact>,
    energy: SimulationEnergy,
    losses: EnergyLosses,
    /// Since the sample before.
    forced: Vec<ForcedStop>,
    /// Whether it must be recorded.
    is_event: bool,
    /// Whether springs are in an impact, and store kinetic energy.
    stores_energy: bool,
    /// The penetration depth since the sample before, in metres.
    depth: f64,
}

/// The states that are computed but not yet returned.
#[derive(Debug, Clone)]
pub(crate) struct OutputWriter {
    /// The last recorded state.
    last: StateSample,
    waiting: Vec<StateSample>,
    ready: Vec<SimulationState>,
    /// What happened since the last sample.
    pending: PendingOutput,
}

/// What happened between two samples.
#[derive(Debug, Clone)]
struct PendingOutput {
    contacts: Vec<MomentContact>,
    /// Whether the second sample must be recorded.
    is_event: bool,
    /// The energy that contacts and joints dissipated up to the second sample, in joules, and its causes.
    dissipated: f64,
    losses: EnergyLosses,
    forced: Vec<ForcedStop>,
}

impl PendingOutput {
    fn new(dissipated: f64, losses: EnergyLosses) -> Self {
        Self { contacts: Vec::new(), is_event: false, dissipated, losses, forced: Vec::new() }
    }
}

/// The energy of the recorded bodies.
pub(crate) fn energy(world: &World, state: &StepState, dissipated: f64) -> SimulationEnergy {
    let gravity = world.definition.gravity;
    let all = || state.rigid.iter().chain(&state.waiting);
    SimulationEnergy {
        kinetic: all().map(RigidState::kinetic).sum(),
        potential: all().map(|own| -own.mass * gravity.dot(own.center)).sum(),
        dissipated,
    }
}

/// Adds up the impulses of one pair whose normals are nearly parallel.
pub(crate) fn sum_by_pair(contacts: &[MomentContact]) -> Vec<MomentContact> {
    let mut sums: Vec<(MomentContact, f64)> = Vec::new();
    for contact in contacts {
        let weight = contact.impulse.length();
        let same = |(sum, _): &&mut (MomentContact, f64)| {
            sum.bodies == contact.bodies && sum.normal.dot(contact.normal) > 0.95
        };
        match sums.iter_mut().find(same) {
            Some((sum, total)) => {
                let fraction = if weight > 0.0 { weight / (*total + weight) } else { 0.0 };
                sum.point += fraction * (contact.point - sum.point);
                sum.time += fraction * (contact.time - sum.time);
                sum.normal = (sum.normal + fraction * (contact.normal - sum.normal)).normalize();
                sum.impulse += contact.impulse;
                *total += weight;
            }
            None => sums.push((*contact, weight)),
        }
    }
    // Impulses that cancel leave rounding.
    sums.retain(|(sum, total)| sum.impulse.length() > ROUNDING * total);
    sums.sort_by_key(|(sum, _)| sum.bodies);
    sums.into_iter().map(|(sum, _)| sum).collect()
}

impl OutputWriter {
    /// Starts with an initial state, and with the energy that contacts and joints dissipated before it.
    pub(crate) fn new(world: &World, state: &StepState, losses: EnergyLosses) -> Self {
        let pending = || PendingOutput::new(losses.total(), losses);
        let last = sample(world, state, pending(), 0.0);
        let ready = vec![recorded_state(world, &last)];
        Self { last, waiting: Vec::new(), ready, pending: pending() }
    }

    /// The states that are ready to be returned.
    pub(crate) fn ready_states(&mut self) -> Vec<SimulationState> {
        std::mem::take(&mut self.ready)
    }

    /// Adds contacts that occur before the next state, and the energy dissipated up to there, in joules.
    pub(crate) fn add_contacts(
        &mut self,
        contacts: Vec<MomentContact>,
        dissipated: f64,
        losses: EnergyLosses,
    ) {
        self.pending.contacts.extend(contacts);
        (self.pending.dissipated, self.pending.losses) = (dissipated, losses);
    }

    /// Marks the next state as an event, which must be recorded.
    pub(crate) fn mark_next(&mut self) {
        self.pending.is_event = true;
    }

    /// Adds a computed state; `depth`: the penetration depth since the state before, in metres.
    pub(crate) fn add_state(&mut self, world: &World, state: &StepState, depth: f64) {
        let next = PendingOutput::new(self.pending.dissipated, self.pending.losses);
        let mut pending = std::mem::replace(&mut self.pending, next);
        pending.contacts = sum_by_pair(&pending.contacts);
        self.waiting.push(sample(world, state, pending, depth));
    }

    /// Adds a forced stop at the last state.
    pub(crate) fn add_forced(&mut self, stop: ForcedStop) {
        self.pending.forced.push(stop);
        self.mark_last();
    }

    /// Marks the last state as an event, because bodies were released or stopped in it.
    pub(crate) fn mark_last(&mut self) {
        if let Some(last) = self.waiting.last_mut() {
            last.is_event = true;
        }
    }

    /// Marks the last state as an event, because bodies woke there, and updates its contacts.
    pub(crate) fn mark_wake(&mut self, world: &World, state: &StepState) {
        let last = self.waiting.last_mut().unwrap_or(&mut self.last);
        (last.is_event, last.hints) = (true, SeparatingHints::of(world, state));
    }

    /// Whether the buffer of states is full.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() >= MAX_WAITING
    }

    /// Records as few of the computed states as possible; returns the penetration depth along their screws. If the
    /// monitor requires an immediate stop, all are recorded.
    pub(crate) fn flush(&mut self, world: &World, watch: &dyn ProgressMonitor) -> f64 {
        let waiting = std::mem::take(&mut self.waiting);
        let mut deepest = 0.0_f64;
        let mut remaining = ranges_between_events(&waiting);
        remaining.reverse();
        while let Some(Range { start, end }) = remaining.pop() {
            let first = if start == 0 { &self.last } else { &waiting[start - 1] };
            let last = &waiting[end - 1];
            let all = waiting[start..end].iter().flat_map(|own| own.contacts.iter().copied());
            let contacts = sum_by_pair(&all.collect::<Vec<_>>());
            // While springs store energy, states are recorded only if necessary: an impact of springs is one impact.
            let half = start + (end - start) / 2;
            let free = (start + 1..end).filter(|i| !waiting[i - 1].stores_energy);
            let middle = free.min_by_key(|i| i.abs_diff(half));
            let depth = if end == start + 1 {
                Some(last.depth)
            } else if max_rotation_between(first, &waiting[start..end]) > MAX_STEP_ROTATION
                || middle.is_some() && is_bent(world, first, last, &contacts)
            {
                None
            } else {
                deepest_between(world, first, last, watch)
            };
            match depth {
                Some(depth) => {
                    deepest = deepest.max(depth);
                    let forced =
                        waiting[start..end].iter().flat_map(|own| own.forced.iter().cloned()).collect();
                    self.ready.push(SimulationState { contacts, forced, ..recorded_state(world, last) });
                }
                None => {
                    let middle = middle.unwrap_or(half);
                    remaining.push(middle..end);
                    remaining.push(start..middle);
                }
            }
        }
        if let Some(last) = waiting.into_iter().last() {
            self.last = last;
        }
        deepest
    }
}

/// The ranges of samples that end at an event, or at the last sample.
fn ranges_between_events(samples: &[StateSample]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for (i, sample) in samples.iter().enumerate() {
        if sample.is_event || i + 1 == samples.len() {
            ranges.push(start..i + 1);
            start = i + 1;
        }
    }
    ranges
}

/// An upper estimate of the maximum rotation of a body from one sample through the next ones, in radians.
fn max_rotation_between(first: &StateSample, next: &[StateSample]) -> f64 {
    let mut rotations = vec![0.0; first.velocities.len()];
    let mut last = first;
    for sample in next {
        let speeds = last.velocities.iter().zip(&sample.velocities);
        for (rotation, ([_, before], [_, after])) in rotations.iter_mut().zip(speeds) {
            *rotation += before.length().max(after.length()) * (sample.time - last.time);
        }
        last = sample;
    }
    rotations.into_iter().fold(0.0, f64::max)
}

/// Whether an impact between two states bends the motion between them too much.
fn is_bent(world: &World, first: &StateSample, last: &StateSample, between: &[MomentContact]) -> bool {
    let whole = last.time - first.time;
    let mut bends = vec![0.0_f64; world.numbers.len()];
    for contact in between {
        let arms = (contact.time - first.time).max(0.0) * (last.time - contact.time).max(0.0) / whole;
        for body in contact.bodies {
            bends[body] += contact.impulse.length() * arms;
        }
    }
    let allowed = world.definition.depth + 0.25 * world.definition.gravity.length() * whole * whole;
    world.dynamic.iter().any(|body| {
        let mass = world.definition.bodies[*body].dynamics.map_or(1.0, |own| own.mass);
        bends[*body] / mass > allowed
    })
}

/// The penetration depth on the screws from one state to a later one; `None` if it exceeds the allowed depth.
fn deepest_between(
    world: &World,
    first: &StateSample,
    last: &StateSample,
    watch: &dyn ProgressMonitor,
) -> Option<f64> {
    let times = [first.time, last.time];
    let request = ProofRequest {
        step: StepPoses { times, poses: [&first.poses, &last.poses], is_still: false },
        hints: &first.hints,
        contacts: &StepContacts::default(),
        distance: rebound_gap(world),
    };
    prove(world, &request, &mut ProvenPairs::default(), watch).ok()
}

/// A computed state, and what happened before it.
fn sample(world: &World, state: &StepState, pending: PendingOutput, depth: f64) -> StateSample {
    let PendingOutput { contacts, is_event, dissipated, losses, forced } = pending;
    let energy = energy(world, state, dissipated);
    let mut bodies: Vec<(usize, &RigidState)> = world.dynamic.iter().copied().zip(&state.rigid).collect();
    bodies.extend(world.waiting.iter().copied().zip(&state.waiting));
    bodies.sort_by_key(|(body, _)| *body);
    StateSample {
        stores_energy: state.stored_energy() > STORED_ENERGY * energy.kinetic,
        time: state.time,
        poses: state.poses.clone(),
        velocities: bodies.into_iter().map(|(_, own)| [own.linear, own.angular]).collect(),
        hints: SeparatingHints::of(world, state),
        contacts,
        energy,
        losses,
        forced,
        is_event,
        depth,
    }
}

/// The recorded state of a sample.
fn recorded_state(world: &World, sample: &StateSample) -> SimulationState {
    SimulationState {
        time: sample.time,
        poses: (0..sample.poses.len())
            .filter(|body| world.is_recorded(*body))
            .map(|body| sample.poses[body])
            .collect(),
        velocities: sample.velocities.clone(),
        flexible: Vec::new(),
        released: world.released.iter().filter(|own| own.time <= sample.time).copied().collect(),
        contacts: sample.contacts.clone(),
        energy: sample.energy,
        losses: sample.losses,
        forced: sample.forced.clone(),
    }
}
