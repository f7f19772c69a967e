//! Chooses which states are recorded: all requested ones, and as many between them as the screws between recorded
//! poses need to follow the motion and to keep bodies separated.

use glam::DVec3;

use crate::motion::Pose;
use crate::simulate::proof::{Proven, ProvenPairs, SeparatingHints, StepPoses, prove};
use crate::simulate::recorded::{MomentContact, SimulationEnergy, SimulationState};
use crate::simulate::rigid::RigidState;
use crate::simulate::stepping::{StepContacts, StepState};
use crate::simulate::world::{World, rest_gap};
use crate::trajectory::watch::ProgressMonitor;

/// Maximum number of states that wait to be recorded.
const MOST_WAITING: usize = 512;

/// A sum smaller than this fraction of its terms is zero.
const ROUNDING: f64 = 1e-12;

/// Springs that store more than this fraction of the kinetic energy hold energy of an impact.
const HELD: f64 = 1e-3;

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
    /// Whether it must be recorded.
    is_event: bool,
    /// Whether springs store kinetic energy.
    is_held: bool,
    /// The penetration depth since then, in metres.
    depth: f64,
}

/// The states that are computed but not yet returned.
#[derive(Debug, Clone)]
pub(crate) struct OutputWriter {
    /// The last recorded state.
    last: StateSample,
    waiting: Vec<StateSample>,
    ready: Vec<SimulationState>,
    contacts: Vec<MomentContact>,
    is_event: bool,
    taken: f64,
}

/// The energy of the recorded bodies.
pub(crate) fn energy(world: &World, station: &StepState, taken: f64) -> SimulationEnergy {
    let gravity = world.definition.gravity;
    let all = || station.rigid.iter().chain(&station.held);
    SimulationEnergy {
        kinetic: all().map(RigidState::kinetic).sum(),
        potential: all().map(|own| -own.mass * gravity.dot(own.center)).sum(),
        dissipated: taken,
    }
}

/// Adds up the impulses of one pair whose normals are nearly parallel.
pub(crate) fn summed(contacts: &[MomentContact]) -> Vec<MomentContact> {
    let mut sums: Vec<(MomentContact, f64)> = Vec::new();
    for contact in contacts {
        let weight = contact.impulse.length();
        let same = |(sum, _): &&mut (MomentContact, f64)| {
            sum.bodies == contact.bodies && sum.normal.dot(contact.normal) > 0.95
        };
        match sums.iter_mut().find(same) {
            Some((sum, total)) => {
                let share = if weight > 0.0 { weight / (*total + weight) } else { 0.0 };
                sum.point += share * (contact.point - sum.point);
                sum.time += share * (contact.time - sum.time);
                sum.normal = (sum.normal + share * (contact.normal - sum.normal)).normalize();
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
    /// Starts with an initial state; contacts and joints have dissipated `taken` joules before it.
    pub(crate) fn new(world: &World, station: &StepState, taken: f64) -> Self {
        let last = sample(world, station, (Vec::new(), false), taken, 0.0);
        let ready = vec![moment(world, &last)];
        Self { last, waiting: Vec::new(), ready, contacts: Vec::new(), is_event: false, taken }
    }

    /// The states that are ready to be returned.
    pub(crate) fn ready_states(&mut self) -> Vec<SimulationState> {
        std::mem::take(&mut self.ready)
    }

    /// Adds contacts that occur before the next state.
    pub(crate) fn add(&mut self, contacts: Vec<MomentContact>, is_event: bool, taken: f64) {
        self.contacts.extend(contacts);
        self.is_event |= is_event;
        self.taken = taken;
    }

    /// Adds a computed state.
    pub(crate) fn note(&mut self, world: &World, station: &StepState, depth: f64) {
        let contacts = summed(&std::mem::take(&mut self.contacts));
        let is_event = std::mem::take(&mut self.is_event);
        self.waiting.push(sample(world, station, (contacts, is_event), self.taken, depth));
    }

    /// Marks the last state as an event, because bodies were released in it.
    pub(crate) fn mark(&mut self) {
        if let Some(last) = self.waiting.last_mut() {
            last.is_event = true;
        }
    }

    /// Marks the last state as an event, because bodies woke there, and updates its contacts.
    pub(crate) fn note_wake(&mut self, world: &World, station: &StepState) {
        let last = self.waiting.last_mut().unwrap_or(&mut self.last);
        (last.is_event, last.hints) = (true, SeparatingHints::of(world, station));
    }

    /// Whether the buffer of states is full.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() >= MOST_WAITING
    }

    /// Records as few of the computed states as possible; returns the penetration depth along their screws. If the
    /// monitor requires an immediate stop, all are recorded.
    pub(crate) fn flush(&mut self, world: &World, watch: &dyn ProgressMonitor) -> f64 {
        let waiting = std::mem::take(&mut self.waiting);
        let mut deepest = 0.0_f64;
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut begin = 0;
        for (i, sample) in waiting.iter().enumerate() {
            if sample.is_event || i + 1 == waiting.len() {
                open.push((begin, i + 1));
                begin = i + 1;
            }
        }
        open.reverse();
        while let Some((begin, end)) = open.pop() {
            let (first, last) =
                (if begin == 0 { &self.last } else { &waiting[begin - 1] }, &waiting[end - 1]);
            let all = waiting[begin..end].iter().flat_map(|own| own.contacts.iter().copied());
            let contacts = summed(&all.collect::<Vec<_>>());
            // While springs store energy, states are recorded only if necessary: an impact of springs is one impact.
            let half = begin + (end - begin) / 2;
            let free = (begin + 1..end).filter(|i| !waiting[i - 1].is_held);
            let middle = free.min_by_key(|i| i.abs_diff(half));
            let depth = if end == begin + 1 {
                Some(last.depth)
            } else if middle.is_some() && is_bent(world, (first, last), &contacts) {
                None
            } else {
                deepest_between(world, (first, last), watch)
            };
            match depth {
                Some(depth) => {
                    deepest = deepest.max(depth);
                    self.ready.push(SimulationState { contacts, ..moment(world, last) });
                }
                None => {
                    let middle = middle.unwrap_or(half);
                    open.push((middle, end));
                    open.push((begin, middle));
                }
            }
        }
        if let Some(last) = waiting.into_iter().last() {
            self.last = last;
        }
        deepest
    }
}

/// Whether an impact between two states bends the motion between them too much.
fn is_bent(world: &World, (first, last): (&StateSample, &StateSample), between: &[MomentContact]) -> bool {
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
    (first, last): (&StateSample, &StateSample),
    watch: &dyn ProgressMonitor,
) -> Option<f64> {
    let span =
        StepPoses { times: [first.time, last.time], poses: [&first.poses, &last.poses], is_still: false };
    match prove(
        world,
        &span,
        (&first.hints, &StepContacts::default(), &mut ProvenPairs::default()),
        1e-3 * rest_gap(world),
        watch,
    ) {
        Proven::Apart(depth) => Some(depth),
        Proven::Until(..) => None,
    }
}

fn sample(
    world: &World,
    station: &StepState,
    (contacts, is_event): (Vec<MomentContact>, bool),
    taken: f64,
    depth: f64,
) -> StateSample {
    let energy = energy(world, station, taken);
    let mut told: Vec<(usize, &RigidState)> = world.dynamic.iter().copied().zip(&station.rigid).collect();
    told.extend(world.waiting.iter().copied().zip(&station.held));
    told.sort_by_key(|(body, _)| *body);
    StateSample {
        is_held: station.stored() > HELD * energy.kinetic,
        time: station.time,
        poses: station.poses.clone(),
        velocities: told.into_iter().map(|(_, own)| [own.linear, own.angular]).collect(),
        hints: SeparatingHints::of(world, station),
        contacts,
        energy,
        is_event,
        depth,
    }
}

fn moment(world: &World, sample: &StateSample) -> SimulationState {
    SimulationState {
        time: sample.time,
        poses: (0..sample.poses.len())
            .filter(|body| world.is_told(*body))
            .map(|body| sample.poses[body])
            .collect(),
        velocities: sample.velocities.clone(),
        flexible: Vec::new(),
        released: world.released.iter().filter(|own| own.time <= sample.time).copied().collect(),
        contacts: sample.contacts.clone(),
        energy: sample.energy,
    }
}
