//! One time step: half of the effect of the forces and the impulses of joints and contacts, then a free flight, then
//! the other half of the forces and impulses again.
//!
//! Joints hold at the end of the flight to rounding, and their velocities at the end of the step (RATTLE, Andersen
//! 1983, with bodies that rotate freely in between). Contacts are one-sided
//! constraints of the same kind. The first half keeps each contact from closing by more than its gap during the flight.
//! The second half keeps it from approaching, and may take back normal impulses of the first half. So a body at rest
//! stays at rest, and sliding stays second-order accurate. Velocities that only restore a gap move the bodies during
//! the flight, and are then discarded (split impulses).
//!
//! A step is tried several times, with other durations or with more anticipated contacts.

use glam::DVec3;

use crate::error::Error;
use crate::impulses::problem::{Friction, ImpulseProblem};
use crate::motion::Pose;
use crate::simulate::recorded::EnergyLosses;
use crate::simulate::rows::{
    ContactRows, ContactTarget, ContactUpdate, ContinuedSolution, Solution, SolutionEnergy, SolverBody,
    WarmStart, settle_with_sweeps,
};
use crate::simulate::state::joints::{ArticulationSolver, JointCorrections, corrections, project_velocities};
use crate::simulate::state::rigid::RigidState;
use crate::simulate::state::springs::Springs;
use crate::simulate::state::world::{MotionTime, World, rest_gap};
use crate::simulate::state::{
    AnticipatedContact, AppliedImpulse, StepContacts, StepState, WarmImpulses, articulation_problems,
    articulation_solvers, bounces, jointed_groups, velocities,
};

/// Once a contact is closer than half of its rest gap, a step of the largest duration restores the missing gap divided
/// by this number, and a shorter step proportionally less. A larger number restores gaps more slowly; a smaller one
/// pushes bodies apart faster.
const RECOVERY_STEPS: f64 = 4.0;

/// Number of solver sweeps for the velocities that restore gaps: the first ones are plain, and conjugate gradients are
/// used from then on, up to the second number.
const RECOVERY_SWEEPS: [usize; 2] = [5, 20];

/// A trial with more contacts than this continues from the solution of the previous one.
const MAX_CONTACTS_SOLVED_AGAIN: usize = 200;

/// Maximum number of joint corrections in a step, and their tolerance, relative to the largest coordinate of a body.
const MAX_CORRECTIONS: usize = 30;
const JOINT_TOLERANCE: f64 = 1e-14;

/// A trial of the first half of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlightRequest<'s> {
    /// The duration of the step, in seconds.
    pub(crate) duration: f64,
    /// Contacts during the step that are not visible at its start.
    pub(crate) anticipated: &'s [AnticipatedContact],
    /// The contacts of these pairs have no impulses: the step will end where they touch.
    pub(crate) followed: &'s [[usize; 2]],
    pub(crate) start: &'s SolverStart,
    /// Contacts that would rebound faster than this, in metres per second, are left to impacts.
    pub(crate) min_rebound: f64,
}

/// The result of a free flight.
#[derive(Debug, Clone)]
pub(crate) struct FreeFlight {
    /// In seconds.
    pub(crate) duration: f64,
    pub(crate) rigid: Vec<RigidState>,
    pub(crate) poses: Vec<Pose>,
    /// The impulses of the contacts at the start.
    pub(crate) impulses: Vec<AppliedImpulse>,
    /// The energy that contacts dissipated.
    pub(crate) losses: EnergyLosses,
    /// The pairs that collide during the step.
    pub(crate) contacts: StepContacts,
    /// The springs after the impulses.
    pub(crate) springs: Option<Springs>,
    /// The velocities during the flight, including the velocities that restore gaps.
    pub(crate) velocities: Vec<[DVec3; 2]>,
    /// The contact solution; `None` if another trial cannot continue from it.
    solution: Option<HalfStepSolution>,
}

/// The contact solution of the first half of a step, anticipated contacts last.
#[derive(Debug, Clone)]
pub(crate) struct HalfStepSolution {
    anticipated: Vec<AnticipatedContact>,
    /// The impulses.
    impulses: Solution,
    /// The velocities that restore gaps. They are discarded after the flight.
    recovery: Solution,
}

/// The starting point of the solver in a step.
#[derive(Debug, Clone)]
pub(crate) enum SolverStart {
    /// The impulses of the step before.
    PreviousStep,
    /// The impulses of another trial, whose solution cannot be continued.
    Impulses(WarmImpulses),
    /// The solution of a trial with the same duration and forces.
    Solution(Box<HalfStepSolution>),
}

impl FreeFlight {
    /// The starting point of the solver for another trial after this one.
    pub(crate) fn next_start(self, duration: f64) -> SolverStart {
        match self.solution.filter(|_| self.duration == duration) {
            Some(solution) => SolverStart::Solution(Box::new(solution)),
            None => SolverStart::Impulses(WarmImpulses { impulses: self.impulses, duration: self.duration }),
        }
    }
}

impl SolverStart {
    /// Keeps only the impulses, as a warm start, because other forces act than in the earlier trial.
    pub(crate) fn keep_impulses_only(&mut self, duration: f64) {
        if let Self::Solution(solution) = self {
            let impulses = applied_impulses(&solution.impulses.contacts);
            *self = Self::Impulses(WarmImpulses { impulses, duration });
        }
    }

    /// The solution of a trial with the same duration.
    fn solution(&self) -> Option<&HalfStepSolution> {
        match self {
            Self::Solution(solution) => Some(solution.as_ref()),
            Self::PreviousStep | Self::Impulses(_) => None,
        }
    }
}

impl HalfStepSolution {
    /// The anticipated contacts that this solution lacks, or has with other values. A contact keeps its index in the
    /// list from trial to trial, and new contacts are appended.
    fn new_contacts(
        &self,
        anticipated: &[AnticipatedContact],
        rows: impl Fn(&AnticipatedContact) -> ContactRows,
    ) -> Vec<ContactUpdate> {
        let count = self.impulses.contacts.len() - self.anticipated.len();
        let all = anticipated.iter().enumerate();
        let new = all.filter(|(i, contact)| self.anticipated.get(*i) != Some(*contact));
        let other = |(i, contact): (usize, &AnticipatedContact)| ContactUpdate {
            number: count + i,
            rows: rows(contact),
            target: contact.target(),
        };
        new.map(other).collect()
    }
}

/// The velocities at the start of half a step.
struct HalfStep {
    /// All bodies, before the forces act.
    solver_bodies: Vec<SolverBody>,
    /// The velocities of all bodies, before the forces act.
    initial: Vec<[DVec3; 2]>,
    /// After the forces.
    after_forces: Vec<[DVec3; 2]>,
    /// One problem per articulation.
    problems: Vec<ImpulseProblem>,
}

impl HalfStep {
    /// The velocities after the forces, projected to the joints.
    fn projected_velocities(&self, solvers: &[ArticulationSolver<'_>]) -> Vec<[DVec3; 2]> {
        let mut velocities = self.after_forces.clone();
        solvers.iter().for_each(|own| project_velocities(own, &mut velocities, None));
        velocities
    }
}

/// The velocities of all bodies in a flight.
struct FlightVelocities {
    /// The velocities that the bodies have after the flight.
    kept: Vec<[DVec3; 2]>,
    /// The velocities during the flight, including the velocities that restore gaps.
    flight: Vec<[DVec3; 2]>,
}

/// The bodies at the end of a flight.
struct FlightEnd {
    rigid: Vec<RigidState>,
    poses: Vec<Pose>,
}

/// The first half of a step, and the free flight.
///
/// # Errors
/// Joints whose equations are singular within rounding.
pub(crate) fn fly(
    state: &StepState,
    world: &World,
    request: &FlightRequest<'_>,
) -> Result<FreeFlight, Error> {
    let FlightRequest { duration, anticipated, .. } = *request;
    let within = state.time + 0.5 * duration;
    let mut half = half_step(state, world, within, 0.5 * duration);
    let solvers = articulation_solvers(world, &half.problems)?;
    half.after_forces = half.projected_velocities(&solvers);
    let groups = jointed_groups(&solvers);
    let rows = |contact: &AnticipatedContact| {
        ContactRows::new(contact.touch, &half.solver_bodies, &groups)
            .with_drift(&half.solver_bodies, duration)
    };
    let targets = start_targets(state, world, [&half.initial, &half.after_forces], request);
    let mut solution = solve_contacts(state, &half, targets, request, rows);
    let SolutionEnergy { losses, is_repeated } = solution
        .limit_energy([&half.initial, &half.after_forces], energies(state, world, &half.after_forces));
    let mut springs = state.springs.clone();
    if let Some(springs) = &mut springs {
        let Solution { contacts, targets, velocities, .. } = &solution;
        springs.update_accounts(contacts, targets, [&half.initial, velocities]);
    }
    let impulses = applied_impulses(&solution.contacts);
    let contacts = step_contacts(&solution, &impulses, springs.as_ref());
    let recovery = recover_gaps(state, world, &solution, request, rows);
    let (kept, flight) = (solution.velocities.clone(), recovery.velocities.clone());
    let mut velocities = FlightVelocities { kept, flight };
    let end = move_on_joints(state, world, &solvers, &mut velocities, duration);
    // Another trial continues only from a solution of many contacts. Few contacts are solved anew, which is more exact.
    // Articulations are also solved anew, because the corrections of their joints changed the velocities.
    let may_continue = solution.contacts.len() > MAX_CONTACTS_SOLVED_AGAIN
        && !is_repeated
        && solvers.is_empty()
        && springs.is_none();
    let solution = may_continue.then(|| HalfStepSolution {
        anticipated: anticipated.to_vec(),
        impulses: solution,
        recovery,
    });
    Ok(FreeFlight {
        duration,
        rigid: end.rigid,
        poses: end.poses,
        impulses,
        losses,
        contacts,
        springs,
        velocities: velocities.flight,
        solution,
    })
}

/// Solves the contacts in the first half of a step, anticipated contacts last, from the velocities before and
/// after the forces.
fn solve_contacts(
    state: &StepState,
    half: &HalfStep,
    mut targets: Vec<ContactTarget>,
    request: &FlightRequest<'_>,
    rows: impl Fn(&AnticipatedContact) -> ContactRows,
) -> Solution {
    if let Some(last) = request.start.solution() {
        return last.impulses.with_updates(last.new_contacts(request.anticipated, rows)).solve();
    }
    let all = state.contacts.iter().cloned();
    let mut contacts: Vec<ContactRows> =
        all.map(|contact| contact.with_drift(&half.solver_bodies, request.duration)).collect();
    contacts.extend(request.anticipated.iter().map(rows));
    targets.extend(request.anticipated.iter().map(AnticipatedContact::target));
    let before = if let SolverStart::Impulses(before) = request.start { before } else { &state.warm[0] };
    warm_start(&mut contacts, before, request.duration);
    Solution::new(contacts, targets, half.after_forces.clone())
}

/// The targets of the contacts in the first half of a step, from the velocities before and after the forces.
fn start_targets(
    state: &StepState,
    world: &World,
    [initial, after_forces]: [&[[DVec3; 2]]; 2],
    request: &FlightRequest<'_>,
) -> Vec<ContactTarget> {
    if let Some(springs) = &state.springs {
        return springs.targets(0.5 * request.duration, &state.contacts, [initial, after_forces]);
    }
    let rest = rest_gap(world);
    let min_speed = |contact: &ContactRows| {
        // Impacts at this time have already changed the initial velocities.
        let is_followed = request.followed.contains(&contact.touch.bodies);
        if is_followed || bounces(contact, initial, request.min_rebound) {
            return f64::NEG_INFINITY;
        }
        -(contact.touch.gap - rest).max(0.0) / request.duration
    };
    state.contacts.iter().map(|contact| ContactTarget::min_speed(min_speed(contact))).collect()
}

/// Moves the bodies for the duration of a step, and corrects the velocities until the joints hold at its end.
fn move_on_joints(
    state: &StepState,
    world: &World,
    solvers: &[ArticulationSolver<'_>],
    velocities: &mut FlightVelocities,
    duration: f64,
) -> FlightEnd {
    let extent = state.poses.iter().map(|pose| pose.position().abs().max_element()).fold(1e-3, f64::max);
    let mut end = after_flight(state, world, velocities, duration);
    let mut last = f64::INFINITY;
    for _ in 0..MAX_CORRECTIONS {
        let all: Vec<JointCorrections> =
            solvers.iter().map(|own| corrections(own, &world.joints, &end.poses, duration)).collect();
        let worst = all.iter().map(|own| own.error).fold(0.0, f64::max);
        if worst <= JOINT_TOLERANCE * extent || worst >= last {
            break;
        }
        last = worst;
        for (solver, JointCorrections { changes, .. }) in solvers.iter().zip(&all) {
            let members = &solver.articulation.members;
            let before: Vec<[DVec3; 2]> = members.iter().map(|body| velocities.kept[*body]).collect();
            project_velocities(solver, &mut velocities.kept, Some(changes));
            for (body, before) in members.iter().zip(before) {
                let after = velocities.kept[*body];
                (0..2).for_each(|i| velocities.flight[*body][i] += after[i] - before[i]);
            }
        }
        end = after_flight(state, world, velocities, duration);
    }
    end
}

/// The bodies after a free flight.
fn after_flight(state: &StepState, world: &World, velocities: &FlightVelocities, duration: f64) -> FlightEnd {
    let all = state.rigid.iter().zip(&world.dynamic);
    let rigid: Vec<RigidState> = all
        .map(|(rigid, body)| {
            if !world.is_mobile(*body) {
                return *rigid;
            }
            let [linear, angular] = velocities.kept[*body];
            let own = RigidState { linear, angular, ..*rigid };
            own.after_free_motion(duration, velocities.flight[*body])
        })
        .collect();
    let end = MotionTime { time: state.time + duration, within: state.time + 0.5 * duration };
    let poses = world.poses(&rigid, end);
    FlightEnd { rigid, poses }
}

/// The second half of a step after a free flight: forces, and impulses of contacts that still approach. Returns
/// the impulses, and the energy that they dissipate.
///
/// # Errors
/// As [`fly`].
pub(crate) fn finish_flight(
    state: &mut StepState,
    world: &World,
    flight: &FreeFlight,
    min_rebound: f64,
) -> Result<(Vec<AppliedImpulse>, EnergyLosses), Error> {
    let duration = flight.duration;
    let half = half_step(state, world, state.time - 0.5 * duration, 0.5 * duration);
    let before = half.projected_velocities(&articulation_solvers(world, &half.problems)?);
    let (near, targets): (Vec<usize>, Vec<ContactTarget>) = match &state.springs {
        Some(springs) => {
            let targets = springs.targets(0.5 * duration, &state.contacts, [&half.initial, &before]);
            ((0..state.contacts.len()).collect(), targets)
        }
        None => end_targets(state, world, flight, &before, min_rebound),
    };
    let mut contacts: Vec<ContactRows> = near.iter().map(|i| state.contacts[*i].clone()).collect();
    warm_start(&mut contacts, &state.warm[1], duration);
    let mut solution = Solution::new(contacts, targets, before.clone());
    let energy = solution.limit_energy([&half.initial, &before], energies(state, world, &before));
    let Solution { contacts, targets, velocities, .. } = solution;
    if let Some(springs) = &mut state.springs {
        springs.update_accounts(&contacts, &targets, [&half.initial, &velocities]);
    }
    state.set_velocities(world, &velocities);
    Ok((applied_impulses(&contacts), energy.losses))
}

/// The energy that springs store, and the kinetic energy with these velocities, in joules.
fn energies(state: &StepState, world: &World, velocities: &[[DVec3; 2]]) -> [f64; 2] {
    [state.stored_energy(), state.kinetic(world, velocities)]
}

/// The contacts, by number, that take part in the second half of a step without springs, and their targets.
fn end_targets(
    state: &StepState,
    world: &World,
    flight: &FreeFlight,
    velocities: &[[DVec3; 2]],
    min_rebound: f64,
) -> (Vec<usize>, Vec<ContactTarget>) {
    let rest = rest_gap(world);
    let initial = initial_impulses(state, &flight.impulses);
    let is_near = |i: &usize| {
        let gap = state.contacts[*i].touch.gap;
        let is_near = gap <= 2.0 * rest || initial[*i][0] > 0.0 && gap <= 4.0 * rest;
        is_near && !bounces(&state.contacts[*i], velocities, min_rebound)
    };
    let target = |i: usize| {
        let before = initial[i];
        ContactTarget { min_impulse: -before[0], before, ..ContactTarget::min_speed(0.0) }
    };
    (0..state.contacts.len()).filter(is_near).map(|i| (i, target(i))).unzip()
}

/// The impulse of each contact along its rows at the start of the step. Each impulse is assigned to the most similar
/// contact only, so it is taken back once.
fn initial_impulses(state: &StepState, impulses: &[AppliedImpulse]) -> Vec<[f64; 3]> {
    let mut initial = vec![[0.0; 3]; state.contacts.len()];
    for own in impulses {
        let similarity = |i: &usize| state.contacts[*i].touch.normal.dot(own.touch.normal);
        let bodies = own.touch.bodies;
        let first = state.contacts.partition_point(|other| other.touch.bodies < bodies);
        let of_pair = (first..initial.len()).take_while(|i| state.contacts[*i].touch.bodies == bodies);
        let same = of_pair.filter(|i| state.contacts[*i].touch.is_same(&own.touch));
        if let Some(contact) = same.max_by(|i, k| similarity(i).total_cmp(&similarity(k))) {
            let [normal, s, t] = state.contacts[contact].along(own.impulse);
            let along = [normal.max(0.0), s, t];
            (0..3).for_each(|row| initial[contact][row] += along[row]);
        }
    }
    initial
}

/// The start of half a step, in which forces act for `time` seconds. `within` is a time inside the step: if a motion
/// breaks at the state's time, it selects the side.
fn half_step(state: &StepState, world: &World, within: f64, time: f64) -> HalfStep {
    let solver_bodies = world.solver_bodies(&state.rigid, MotionTime { time: state.time, within });
    let initial = velocities(&solver_bodies);
    let mut after_forces = initial.clone();
    for body in world.dynamic.iter().filter(|body| world.is_mobile(**body)) {
        after_forces[*body][0] += time * world.definition.gravity;
    }
    let pull = world.pull.filter(|pull| world.is_mobile(pull.body));
    if let Some((pull, number)) = pull.and_then(|pull| Some((pull, world.numbers[pull.body]?))) {
        let change = pull.velocity_change(&world.definition, &state.rigid[number], time);
        (0..2).for_each(|i| after_forces[pull.body][i] += change[i]);
    }
    let problems = articulation_problems(world, &solver_bodies, &state.poses);
    HalfStep { solver_bodies, initial, after_forces, problems }
}

/// Velocities that restore the rest gaps of contacts during the step, without adding energy.
fn recover_gaps(
    state: &StepState,
    world: &World,
    solution: &Solution,
    request: &FlightRequest<'_>,
    rows: impl Fn(&AnticipatedContact) -> ContactRows,
) -> Solution {
    let missing = missing_gaps(state, world, &solution.contacts);
    if missing.iter().all(|missing| *missing <= 0.0) {
        return Solution { contacts: Vec::new(), targets: Vec::new(), ..solution.clone() };
    }
    let targets = recovery_targets(state, world, solution, &missing, request.duration);
    let last = request.start.solution().filter(|last| !last.recovery.contacts.is_empty());
    if let Some(last) = last {
        let updates = last.new_contacts(request.anticipated, |own| frictionless(&rows(own)));
        return continue_recovery(last, solution, updates, targets);
    }
    let mut contacts: Vec<ContactRows> = solution.contacts.iter().map(frictionless).collect();
    let mut velocities = solution.velocities.clone();
    let convergence = settle_with_sweeps(RECOVERY_SWEEPS, &mut contacts, &targets, &mut velocities);
    Solution { contacts, targets, velocities, convergence }
}

/// By how much the gap of each contact is below half of its rest gap or, with springs, below the springs' rest
/// gap, in metres; negative above it. With springs, the list has no entries for anticipated contacts.
fn missing_gaps(state: &StepState, world: &World, contacts: &[ContactRows]) -> Vec<f64> {
    match &state.springs {
        Some(springs) => springs.missing_gaps(),
        None => {
            let rest = rest_gap(world);
            contacts.iter().map(|contact| 0.5 * rest - contact.touch.gap).collect()
        }
    }
}

/// The targets of the velocities that restore gaps.
fn recovery_targets(
    state: &StepState,
    world: &World,
    solution: &Solution,
    missing: &[f64],
    duration: f64,
) -> Vec<ContactTarget> {
    let rest = rest_gap(world);
    let target = |(i, (contact, target)): (usize, (&ContactRows, &ContactTarget))| {
        if i >= state.contacts.len() {
            return *target;
        }
        let margin = if state.springs.is_some() { -missing[i] } else { contact.touch.gap - rest };
        ContactTarget::min_speed(if state.springs.is_none() && target.min_speed == f64::NEG_INFINITY {
            // The impact that follows must find its approach speed unchanged.
            contact.along_normal(&solution.velocities)
        } else if margin >= 0.0 {
            -margin / duration
        } else {
            -margin / (RECOVERY_STEPS * world.definition.step)
        })
    };
    solution.contacts.iter().zip(&solution.targets).enumerate().map(target).collect()
}

/// A contact without impulses and friction.
fn frictionless(contact: &ContactRows) -> ContactRows {
    let mut contact = contact.clone();
    (contact.impulses, contact.touch.friction) = ([0.0; 3], Friction::Coefficient(0.0));
    contact
}

/// Continues the recovery of an earlier trial, with other contacts, after the solution of the impulses changed.
fn continue_recovery(
    last: &HalfStepSolution,
    solution: &Solution,
    updates: Vec<ContactUpdate>,
    targets: Vec<ContactTarget>,
) -> Solution {
    let ContinuedSolution { solution: mut recovery, mut starts } = last.recovery.with_updates(updates);
    let mut is_changed = vec![false; solution.velocities.len()];
    let all = solution.velocities.iter().zip(&last.impulses.velocities).enumerate();
    for (body, (now, before)) in all.filter(|(_, (now, before))| now != before) {
        is_changed[body] = true;
        (0..2).for_each(|i| recovery.velocities[body][i] += now[i] - before[i]);
    }
    for (i, start) in starts.iter_mut().enumerate() {
        let WarmStart::Unchanged(relative) = *start else { continue };
        if targets[i] != recovery.targets[i] {
            *start = WarmStart::NewTarget;
        } else if recovery.contacts[i].touch.bodies.iter().any(|body| is_changed[*body]) {
            *start = WarmStart::ChangedVelocities(relative);
        }
    }
    recovery.targets = targets;
    ContinuedSolution { solution: recovery, starts }.solve()
}

/// The pairs that collide in a step, from its solution and its impulses.
fn step_contacts(
    solution: &Solution,
    impulses: &[AppliedImpulse],
    springs: Option<&Springs>,
) -> StepContacts {
    if let Some(springs) = springs {
        return StepContacts::new(Vec::new(), springs.overlapping_pairs());
    }
    // Contacts that rebound are left to impacts, so their target is no bound.
    let is_bouncing = |(_, target): &(&ContactRows, &ContactTarget)| target.min_speed == f64::NEG_INFINITY;
    let bouncing = solution.contacts.iter().zip(&solution.targets).filter(is_bouncing);
    let bouncing = bouncing.map(|(contact, _)| contact.touch.bodies).collect();
    StepContacts::new(bouncing, impulses.iter().map(|own| own.touch.bodies).collect())
}

/// Starts with the impulses of an earlier step or trial, scaled by the ratio of the durations.
fn warm_start(contacts: &mut [ContactRows], before: &WarmImpulses, duration: f64) {
    let WarmImpulses { impulses, duration: time } = before;
    let mut impulses: Vec<&AppliedImpulse> = impulses.iter().collect();
    impulses.sort_by_key(|own| own.touch.bodies);
    for contact in contacts.iter_mut().filter(|contact| contact.is_movable()) {
        let touch = contact.touch;
        let first = impulses.partition_point(|own| own.touch.bodies < touch.bodies);
        let of_pair = impulses[first..].iter().take_while(|own| own.touch.bodies == touch.bodies);
        let mut same = of_pair.filter(|own| own.touch.is_same(&touch));
        contact.impulses = same.next().map_or([0.0; 3], |own| {
            let [normal, s, t] = contact.along(own.impulse).map(|amount| amount * (duration / time));
            [normal.max(0.0), s, t]
        });
    }
}

/// The impulses of all contacts that have one.
fn applied_impulses(contacts: &[ContactRows]) -> Vec<AppliedImpulse> {
    let own = |contact: &ContactRows| AppliedImpulse {
        touch: contact.touch,
        impulse: contact.impulse(),
        normal_impulse: contact.impulses[0],
    };
    contacts.iter().filter(|contact| contact.impulses != [0.0; 3]).map(own).collect()
}
