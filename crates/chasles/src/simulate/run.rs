//! Runs rigid bodies step by step. Each step is proven before it counts. This file is the one to read first.
//!
//! ```text
//! sleep        islands at rest, which cost no work
//! release      bodies that are keyframed until their first contact
//! speculative  contacts that occur during a step but are not visible at its start
//! landing      bodies that meet without a rebound, on normals that rotate
//! attempt      a step that is being tried, and how it changes after a trial
//! dissipated   the energy that was dissipated, and its causes
//! forced       the last resort: bodies that block each other are stopped for a while
//! ```

mod sleep;
mod release;
mod speculative;
mod landing;
mod attempt;
mod dissipated;
mod forced;

use crate::error::Error;
use crate::simulate::checks::check_start;
use crate::simulate::impact::{Impacts, MAX_IMPACTS, impacts, rebound_gap, touching_gap};
use crate::simulate::output::OutputWriter;
use crate::simulate::proof::{BlockingPair, ProofRequest, ProvenPairs, SeparatingHints, StepProof, prove};
use crate::simulate::recorded::{EnergyLosses, ForcedStop, MomentContact};
use crate::simulate::run::attempt::StepAttempt;
use crate::simulate::run::dissipated::{DissipatedEnergy, gravity_correction};
use crate::simulate::run::forced::{ForcedHold, bodies_to_stop, crushed_bodies, free, stop};
use crate::simulate::run::landing::rotated_landings;
use crate::simulate::run::release::{
    present_contacts, recollect_contacts, release, waiting_bodies_in_contact, with_joined_bodies,
};
use crate::simulate::run::sleep::{
    SleepTimers, disturbed_bodies, fall_asleep, sleeping_bodies, sleeping_impulses, wake,
};
use crate::simulate::run::speculative::anticipated_contacts;
use crate::simulate::separation::StepPoses;
use crate::simulate::state::pull::MouseForce;
use crate::simulate::state::rigid::RigidState;
use crate::simulate::state::springs::PenaltySpring;
use crate::simulate::state::world::{MotionTime, World};
use crate::simulate::state::{
    AnticipatedContact, MAX_STEP_ROTATION, StepState, WarmImpulses, satisfy_joints,
};
use crate::simulate::stepping::{FreeFlight, finish_flight, fly};
use crate::trajectory::watch::ProgressMonitor;

/// The simulation of rigid bodies.
#[derive(Debug)]
pub(crate) struct RigidRun {
    pub(crate) world: World,
    pub(crate) state: StepState,
    pub(crate) output: OutputWriter,
    /// The number of steps.
    pub(crate) steps: u64,
    /// The maximum penetration depth on the recorded screws, in metres, if it is computed.
    pub(crate) deepest: Option<f64>,
    pub(crate) dissipated: DissipatedEnergy,
    /// A time inside the last step: if a keyframed motion breaks at the current time, it selects the side.
    within: f64,
    sleep: SleepTimers,
    /// Impacts since the last whole step.
    impacts: u32,
    /// Steps since the last whole step or record, without those that fast rotations shorten.
    partial_steps: u32,
    /// The maximum duration of the next step, in seconds.
    max_duration: f64,
    /// An unfinished step, if the monitor requested a stop.
    attempt: Option<StepAttempt>,
    /// The forced stops, in order of time.
    pub(crate) forced: Vec<ForcedStop>,
    hold: ForcedHold,
}

/// The start of a simulation.
#[derive(Debug)]
pub(crate) struct SimulationStart {
    pub(crate) world: World,
    pub(crate) rigid: Vec<RigidState>,
    /// In seconds.
    pub(crate) time: f64,
    /// The energy that contacts and joints dissipated before, in joules.
    pub(crate) dissipated: f64,
}

/// The times of the next step.
#[derive(Debug, Clone, Copy)]
struct StepPlan {
    /// The time at which the smooth interval ends.
    stop: f64,
    /// Whether the state at `stop` is recorded.
    is_recorded: bool,
    /// The duration of a whole step, in seconds.
    whole: f64,
    /// The duration in which no body rotates too far and springs are stable, in seconds.
    longest: f64,
}

/// The bodies at the end of a flight.
struct StepArrival {
    state: StepState,
    /// Whether sleeping bodies woke.
    is_woken: bool,
}

/// Contacts rebound only at speeds above `REBOUND_FACTOR` times the speed that gravity adds in a step: below this,
/// gravity alone would bring the bodies back to the same contact within the step. The speeds are also above
/// `MIN_REBOUND_SPEED` metres per second.
const REBOUND_FACTOR: f64 = 0.5;
const MIN_REBOUND_SPEED: f64 = 1e-5;

/// Maximum number of steps between whole steps or records: springs and endless impacts shorten steps more and more.
const MAX_PARTIAL_STEPS: u32 = 100_000;

/// Landings are followed until this number of steps since the last whole step or record.
const MAX_FOLLOWED_LANDINGS: u32 = 8;

/// Maximum number of trials of a step, and its minimum duration as a fraction of the largest step.
const MAX_TRIALS: usize = 200;
const MIN_DURATION: f64 = 1e-9;

/// A step is shortened to end at a contact only if the contact occurs after this fraction of it.
const MIN_FRACTION: f64 = 1e-9;

/// The outcome of a step.
pub(crate) enum StepOutcome {
    Done,
    Crushed(Vec<usize>),
    Stuck([usize; 2]),
    /// The monitor requested a stop before the step was done.
    Stopped,
}

impl RigidRun {
    /// The bodies at the start; `deepest` is the initial depth.
    ///
    /// # Errors
    /// Joints whose equations are singular within rounding; bodies that overlap deeper than allowed.
    pub(crate) fn new(start: SimulationStart, deepest: Option<f64>) -> Result<Self, Error> {
        let SimulationStart { mut world, rigid, time, dissipated } = start;
        let losses = EnergyLosses::before_start(dissipated);
        let within = world.smooth_time_after(time);
        let at = MotionTime { time, within };
        let mut state = StepState::new(&world, rigid, at, world.definition.step, &())?;
        let touched = waiting_bodies_in_contact(&world, &state, touching_gap(&world));
        if !touched.is_empty() {
            // The account of energy starts afterwards.
            let _ = release(&mut world, &mut state, &touched, within)?;
            recollect_contacts(&world, &mut state, within)?;
        }
        state.attach_springs(&world, within, None);
        check_start(&world, &state)?;
        Ok(Self {
            sleep: SleepTimers::new(world.numbers.len()),
            output: OutputWriter::new(&world, &state, losses),
            world,
            state,
            steps: 0,
            deepest,
            dissipated: DissipatedEnergy { sum: losses, reported: dissipated },
            within,
            impacts: 0,
            partial_steps: 0,
            max_duration: f64::INFINITY,
            attempt: None,
            forced: Vec::new(),
            hold: ForcedHold::default(),
        })
    }

    /// Changes the mouse force, between two steps.
    pub(crate) fn set_pull(&mut self, pull: Option<MouseForce>) -> Result<(), Error> {
        if let Some(pull) = &pull {
            pull.check(&self.world.definition)?;
            self.wake(&[pull.body])?;
        }
        if let Some(attempt) = &mut self.attempt {
            attempt.start.keep_impulses_only(attempt.duration);
        }
        self.world.pull = pull;
        Ok(())
    }

    /// Wakes the islands of these bodies, between two steps.
    fn wake(&mut self, bodies: &[usize]) -> Result<StepOutcome, Error> {
        if wake(&mut self.world, bodies) {
            recollect_contacts(&self.world, &mut self.state, self.within)?;
            self.output.mark_wake(&self.world, &self.state);
            self.attempt = None;
        }
        Ok(StepOutcome::Done)
    }

    /// Solves the impacts of bodies that touch and approach before the first step; returns crushed bodies.
    pub(crate) fn solve_first_impacts(&mut self) -> Result<Option<Vec<usize>>, Error> {
        if self.steps > 0 {
            return Ok(None);
        }
        let time = self.state.time;
        let at = MotionTime { time, within: self.world.smooth_time_after(time) };
        let joints_at_start = satisfy_joints(&self.world, &mut self.state, at)?;
        let min_rebound = self.min_rebound();
        match impacts(&self.world, &mut self.state, at, min_rebound, &mut self.impacts)? {
            Impacts::Crushed(bodies) => Ok(Some(bodies)),
            Impacts::Solved { contacts, mut losses } => {
                losses.joints_at_start = joints_at_start;
                self.add_output(contacts, losses);
                Ok(None)
            }
        }
    }

    /// Adds contacts, and the energy that they and the joints dissipated, to the output.
    fn add_output(&mut self, contacts: Vec<MomentContact>, mut losses: EnergyLosses) {
        if self.world.is_sprung() {
            // Springs answer the normal forces of contacts.
            losses.springs += std::mem::take(&mut losses.impacts) + std::mem::take(&mut losses.repeated);
        }
        self.dissipated.add(losses, self.state.stored_energy());
        self.output.add_contacts(contacts, self.dissipated.reported, self.dissipated.losses());
    }

    /// The end of the smooth interval after a time (the next record or motion break), and whether it is recorded.
    fn next_stop(&self, time: f64) -> (f64, bool) {
        let record = self.world.definition.record;
        let duration = self.world.scene().duration();
        // A multiple that is reached up to rounding counts as reached.
        let mut number = (time / record).floor() + 1.0;
        if number * record - time <= 1e-9 * record {
            number += 1.0;
        }
        let recorded = (number * record).min(duration);
        // The last multiple may equal the duration up to rounding.
        let recorded = if duration - recorded <= 1e-9 * record { duration } else { recorded };
        let corner = self.world.breaks.iter().copied().find(|corner| *corner > time + 1e-12 * (1.0 + time));
        match corner {
            Some(corner) if corner < recorded => (corner, false),
            _ => (recorded, true),
        }
    }

    /// The times of the next step.
    fn plan_step(&self) -> StepPlan {
        let time = self.state.time;
        let (stop, is_recorded) = self.next_stop(time);
        let steps = (stop - time) / self.world.definition.step;
        // If no body moves, a step may have any duration.
        let is_still = |body: usize| self.world.is_immobile(body) && !self.world.stopped[body];
        let is_quiet = (0..self.world.numbers.len()).all(is_still);
        let whole = (stop - time) / if is_quiet { 1.0 } else { (steps - 1e-9).ceil().max(1.0) };
        StepPlan { stop, is_recorded, whole, longest: self.state.longest_step(&self.world) }
    }

    /// Makes one step: tries it, shorter or with anticipated contacts, until it is proven.
    pub(crate) fn step(&mut self, watch: &dyn ProgressMonitor) -> Result<StepOutcome, Error> {
        if self.hold.is_over(self.state.time) && free(&mut self.world) {
            recollect_contacts(&self.world, &mut self.state, self.within)?;
        }
        let plan = self.plan_step();
        let min_rebound = self.min_rebound();
        let mut hints = SeparatingHints::of(&self.world, &self.state);
        let max_trials = if self.partial_steps < MAX_PARTIAL_STEPS { MAX_TRIALS } else { 0 };
        let mut attempt = self
            .attempt
            .take()
            .unwrap_or_else(|| StepAttempt::new(plan.whole.min(plan.longest).min(self.max_duration)));
        while attempt.trials < max_trials {
            attempt.trials += 1;
            let flight = fly(&self.state, &self.world, &attempt.request(min_rebound))?;
            let rotation = self.fastest_rotation(&flight) * flight.duration;
            if rotation > MAX_STEP_ROTATION {
                attempt.shorten(attempt.duration * (0.9 * MAX_STEP_ROTATION / rotation));
                continue;
            }
            let woken = sleeping_bodies(&self.world, flight.impulses.iter().flat_map(|own| own.touch.bodies));
            if !woken.is_empty() {
                return self.wake(&woken);
            }
            hints.set_anticipated(&attempt.anticipated);
            let blocking = match self.prove_flight(&flight, &hints, &mut attempt.proven, watch) {
                Ok(depth) => {
                    let landings = self.rotated_landings(&flight, watch);
                    if !landings.is_empty() {
                        attempt.follow(landings);
                        continue;
                    }
                    let outcome = self.accept(&flight, &plan, depth, watch)?;
                    match outcome {
                        StepOutcome::Done => self.limit_duration(&attempt),
                        StepOutcome::Stopped => self.attempt = Some(attempt),
                        StepOutcome::Crushed(_) | StepOutcome::Stuck(_) => {}
                    }
                    return Ok(outcome);
                }
                Err(blocking) => blocking,
            };
            if watch.is_final() {
                self.attempt = Some(attempt);
                return Ok(StepOutcome::Stopped);
            }
            attempt.blocking = Some(blocking[0].bodies);
            let followed = self.followed_contact(&flight, &blocking);
            let sleepers = sleeping_bodies(&self.world, blocking.iter().flat_map(|own| own.bodies));
            if followed.is_none() && !sleepers.is_empty() {
                return self.wake(&sleepers);
            }
            let may_search = followed.is_none() && attempt.may_search();
            let found = if may_search { self.search_contacts(&flight, &blocking, watch) } else { Vec::new() };
            if watch.is_final() {
                self.attempt = Some(attempt);
                return Ok(StepOutcome::Stopped);
            }
            attempt.adapt(followed, found, blocking.len());
            attempt.start = flight.next_start(attempt.duration);
            // The step to a contact may be arbitrarily short, within the resolution of the time.
            let resolution = 8.0 * f64::EPSILON * self.state.time;
            let shortest =
                if followed.is_some() { resolution } else { MIN_DURATION * self.world.definition.step };
            if attempt.duration < shortest {
                break;
            }
            if watch.is_over() {
                self.attempt = Some(attempt);
                return Ok(StepOutcome::Stopped);
            }
        }
        // Even the shortest step would let a waiting body touch a body that is this near: this is its first contact.
        let near = attempt.blocking.filter(|_| attempt.trials < max_trials);
        let near = near.map_or(Vec::new(), |bodies| with_joined_bodies(&self.world, bodies.to_vec()));
        if !near.is_empty() {
            return self.release_bodies(&near);
        }
        if let Some(bodies) = crushed_bodies(&self.world, &self.state)? {
            return Ok(StepOutcome::Crushed(bodies));
        }
        // If no trial was allowed, no pair blocked one; then the nearest pair is reported.
        let near = self.state.contacts.iter().map(|contact| &contact.touch);
        let nearest = near.min_by(|p, q| p.gap.total_cmp(&q.gap)).map(|touch| touch.bodies);
        let bodies = attempt.blocking.or(nearest).unwrap_or_default();
        if max_trials == 0 && self.world.is_sprung() {
            // Bodies on springs rebound, so a stop would not help.
            return Ok(StepOutcome::Stuck(bodies));
        }
        self.force_stop(bodies, plan.whole)
    }

    /// The maximum angular speed of a body in a flight, in radians per second.
    fn fastest_rotation(&self, flight: &FreeFlight) -> f64 {
        self.world.dynamic.iter().map(|body| flight.velocities[*body][1].length()).fold(0.0, f64::max)
    }

    /// The pairs that land on normals that rotate in a flight. Those that are followed have no impulses in it.
    fn rotated_landings(&self, flight: &FreeFlight, watch: &dyn ProgressMonitor) -> Vec<[usize; 2]> {
        if self.world.is_sprung() || self.partial_steps >= MAX_FOLLOWED_LANDINGS {
            return Vec::new();
        }
        rotated_landings(&self.world, &self.state, flight, self.min_rebound(), watch)
    }

    /// Proves that bodies stay separated in a flight.
    fn prove_flight(
        &self,
        flight: &FreeFlight,
        hints: &SeparatingHints,
        known: &mut ProvenPairs,
        watch: &dyn ProgressMonitor,
    ) -> StepProof {
        let time = self.state.time;
        let distance = if self.world.is_sprung() {
            PenaltySpring::engagement_gap(&self.world)
        } else {
            rebound_gap(&self.world)
        };
        let request = ProofRequest {
            step: StepPoses {
                times: [time, time + flight.duration],
                poses: [&self.state.poses, &flight.poses],
                is_still: false,
            },
            hints,
            contacts: &flight.contacts,
            distance,
        };
        prove(&self.world, &request, known, watch)
    }

    /// Whether a pair is followed until it touches: it will rebound, gets a spring, or waits for its first contact.
    fn is_followed(&self, flight: &FreeFlight, pair: &BlockingPair) -> bool {
        self.world.is_sprung()
            || self.world.awaits_contact(pair.bodies)
            || flight.contacts.is_bouncing(pair.bodies)
    }

    /// The fraction of a step until which the first blocking pair that is followed is separated; `None` if there is
    /// no such pair, or the fraction is too small.
    fn followed_contact(&self, flight: &FreeFlight, blocking: &[BlockingPair]) -> Option<f64> {
        let first = blocking.iter().find(|pair| self.is_followed(flight, pair))?;
        (first.fraction > MIN_FRACTION).then_some(first.fraction)
    }

    /// The anticipated contacts of the blocking pairs that are not followed.
    fn search_contacts(
        &self,
        flight: &FreeFlight,
        blocking: &[BlockingPair],
        watch: &dyn ProgressMonitor,
    ) -> Vec<AnticipatedContact> {
        let all = blocking.iter().copied();
        let others: Vec<BlockingPair> = all.filter(|pair| !self.is_followed(flight, pair)).collect();
        anticipated_contacts(&self.world, &self.state, flight, &others, watch)
    }

    /// Accepts a proven flight with a penetration depth, in metres: finishes the step, and adds its state to the
    /// output.
    fn accept(
        &mut self,
        flight: &FreeFlight,
        plan: &StepPlan,
        depth: f64,
        watch: &dyn ProgressMonitor,
    ) -> Result<StepOutcome, Error> {
        let is_stop = flight.duration >= plan.stop - self.state.time;
        let time = if is_stop { plan.stop } else { self.state.time + flight.duration };
        let outcome = self.finish_step(flight, time, watch)?;
        if !matches!(outcome, StepOutcome::Done) {
            return Ok(outcome);
        }
        if is_stop && !plan.is_recorded {
            // No recorded screw may span a break.
            self.output.mark_next();
        }
        self.output.add_state(&self.world, &self.state, depth);
        if is_stop && plan.is_recorded || self.output.is_full() {
            self.flush_output(watch);
        }
        let is_whole = flight.duration >= plan.whole;
        if is_whole {
            self.impacts = 0;
        }
        let is_rotating = !self.world.is_sprung() && flight.duration >= plan.longest;
        self.partial_steps =
            if is_whole || is_stop { 0 } else { self.partial_steps + u32::from(!is_rotating) };
        self.steps += 1;
        Ok(StepOutcome::Done)
    }

    /// Limits the duration of the next step: after a shortened step, steps grow again one by one.
    fn limit_duration(&mut self, attempt: &StepAttempt) {
        let duration = attempt.duration;
        self.max_duration =
            if attempt.is_shortened { duration } else { self.max_duration.max(2.0 * duration) };
    }

    /// Releases waiting bodies, between two steps.
    fn release_bodies(&mut self, bodies: &[usize]) -> Result<StepOutcome, Error> {
        let at = MotionTime { time: self.state.time, within: self.within };
        let joints = release(&mut self.world, &mut self.state, bodies, at.within)?;
        self.output.mark_last();
        self.solve_impacts_now(at, EnergyLosses { joints, ..EnergyLosses::default() })
    }

    /// Stops the bodies that block each other, for some steps of this duration, in seconds: the last resort.
    fn force_stop(&mut self, blocking: [usize; 2], step: f64) -> Result<StepOutcome, Error> {
        let bodies = bodies_to_stop(&self.world, &self.state, blocking);
        if bodies.is_empty() {
            return Ok(StepOutcome::Stuck(blocking));
        }
        let at = MotionTime { time: self.state.time, within: self.within };
        let energy = stop(&mut self.world, &mut self.state, &bodies);
        self.hold.start(at.time, step);
        let stop = ForcedStop { time: at.time, bodies, energy };
        self.output.add_forced(stop.clone());
        self.forced.push(stop);
        (self.partial_steps, self.max_duration) = (0, f64::INFINITY);
        present_contacts(&self.world, &mut self.state, at.within)?;
        self.solve_impacts_now(at, EnergyLosses { forced: energy, ..EnergyLosses::default() })
    }

    /// Solves the impacts at the current time, after bodies were released or stopped; adds them and other losses to
    /// the output.
    fn solve_impacts_now(&mut self, at: MotionTime, mut losses: EnergyLosses) -> Result<StepOutcome, Error> {
        let min_rebound = self.min_rebound();
        match impacts(&self.world, &mut self.state, at, min_rebound, &mut self.impacts)? {
            Impacts::Crushed(bodies) => Ok(StepOutcome::Crushed(bodies)),
            Impacts::Solved { contacts, losses: lost } => {
                losses += lost;
                recollect_contacts(&self.world, &mut self.state, at.within)?;
                self.add_output(contacts, losses);
                Ok(StepOutcome::Done)
            }
        }
    }

    /// The bodies at the end of a flight, after those near moving bodies woke; `None` if the monitor requests an
    /// immediate stop.
    fn arrive(
        &mut self,
        flight: &FreeFlight,
        at: MotionTime,
        watch: &dyn ProgressMonitor,
    ) -> Result<Option<StepArrival>, Error> {
        let ahead = self.world.definition.step;
        let mut state = StepState::new(&self.world, flight.rigid.clone(), at, ahead, watch)?;
        if watch.is_final() {
            return Ok(None);
        }
        let mut is_woken = false;
        loop {
            let disturbed = disturbed_bodies(&self.world, &state);
            if !wake(&mut self.world, &disturbed) {
                return Ok(Some(StepArrival { state, is_woken }));
            }
            state = StepState::new(&self.world, flight.rigid.clone(), at, ahead, &())?;
            is_woken = true;
        }
    }

    /// The end of a step: forces, impulses and impacts.
    fn finish_step(
        &mut self,
        flight: &FreeFlight,
        time: f64,
        watch: &dyn ProgressMonitor,
    ) -> Result<StepOutcome, Error> {
        let (duration, min_rebound) = (flight.duration, self.min_rebound());
        let at = MotionTime { time, within: 0.5 * (self.state.time + time) };
        let mut first = flight.impulses.clone();
        first.extend(sleeping_impulses(&self.world, &self.state.warm[0], duration));
        let Some(StepArrival { state: mut next, is_woken }) = self.arrive(flight, at, watch)? else {
            return Ok(StepOutcome::Stopped);
        };
        next.attach_springs(&self.world, at.within, flight.springs.as_ref());
        next.warm = [WarmImpulses { impulses: first, duration }, self.state.warm[1].clone()];
        let (mut second, at_end) = finish_flight(&mut next, &self.world, flight, min_rebound)?;
        second.extend(sleeping_impulses(&self.world, &self.state.warm[1], duration));
        next.warm[1] = WarmImpulses { impulses: second, duration };
        let impulses = next.warm.iter().flat_map(|warm| &warm.impulses);
        let mut contacts: Vec<MomentContact> = impulses.map(|own| own.moment_contact(time)).collect();
        let touched = waiting_bodies_in_contact(&self.world, &next, touching_gap(&self.world));
        let mut losses = flight.losses;
        losses += at_end;
        losses.impacts += gravity_correction(&self.world, &next.warm);
        if !touched.is_empty() {
            losses.joints += release(&mut self.world, &mut next, &touched, at.within)?;
        }
        let (bounced, lost) = match impacts(&self.world, &mut next, at, min_rebound, &mut self.impacts)? {
            Impacts::Solved { contacts, losses } => (contacts, losses),
            Impacts::Crushed(bodies) => return Ok(StepOutcome::Crushed(bodies)),
        };
        if !touched.is_empty() || !bounced.is_empty() {
            // Other bodies may be ahead now.
            recollect_contacts(&self.world, &mut next, at.within)?;
        }
        let is_event = !bounced.is_empty() || !touched.is_empty() || is_woken;
        contacts.extend(bounced);
        losses += lost;
        self.sleep.update_timers(&self.world, flight, &next);
        losses.friction += self.put_to_sleep(&mut next, at.within)?;
        (self.state, self.within) = (next, at.within);
        if is_event {
            self.output.mark_next();
        }
        self.add_output(contacts, losses);
        Ok(StepOutcome::Done)
    }

    /// Puts islands to sleep that have rested long enough; returns the kinetic energy that they lose, in joules.
    fn put_to_sleep(&mut self, next: &mut StepState, within: f64) -> Result<f64, Error> {
        let islands = self.sleep.islands(&self.world, next);
        if islands.is_empty() {
            return Ok(0.0);
        }
        let lost = fall_asleep(&mut self.world, next, &islands);
        self.sleep.restart(&islands);
        recollect_contacts(&self.world, next, within)?;
        Ok(lost)
    }

    /// The rebound speed, in metres per second, below which contacts do not rebound.
    fn min_rebound(&self) -> f64 {
        let definition = &self.world.definition;
        if self.impacts >= MAX_IMPACTS || self.world.is_sprung() {
            return f64::INFINITY;
        }
        (REBOUND_FACTOR * definition.gravity.length() * definition.step).max(MIN_REBOUND_SPEED)
    }

    /// Records the computed states.
    pub(crate) fn flush_output(&mut self, watch: &dyn ProgressMonitor) {
        let deepest = self.output.flush(&self.world, watch);
        self.deepest = self.deepest.map(|before| before.max(deepest));
    }
}
