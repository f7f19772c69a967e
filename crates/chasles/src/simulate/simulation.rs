//! Runs a simulation step by step. Each step is proven before it counts.

use crate::error::Error;
use crate::simulate::checks::{check_moment, check_start, validate};
use crate::simulate::definition::{Dynamics, SimulationDefinition, SimulationMethod};
use crate::simulate::impact::{EVENTS, HIT, Impact, Impacts, MET, impacts};
use crate::simulate::output::{OutputWriter, energy};
use crate::simulate::proof::{BlockingPair, Proven, ProvenPairs, SeparatingHints, StepPoses, prove};
use crate::simulate::pull::MouseForce;
use crate::simulate::recorded::{MomentContact, Released, SimulationState, SimulationSummary, StepResult};
use crate::simulate::release::{recollect_contacts, release, touching, with_joined};
use crate::simulate::rigid::RigidState;
use crate::simulate::sleep::{SleepTimers, asleep, disturbed, fall_asleep, impulses_asleep, wake};
use crate::simulate::speculative::add_anticipated_contacts;
use crate::simulate::springs::PenaltySpring;
use crate::simulate::stepping::{AnticipatedContact, FreeFlight, SolverStart, StepState};
use crate::simulate::with_flexible::{FlexibleCoupling, Woven};
use crate::simulate::world::{World, rest_gap};
use crate::trajectory::watch::ProgressMonitor;

/// A simulation that is advanced from one recorded state to the next.
#[derive(Debug)]
pub struct Simulation {
    world: World,
    station: StepState,
    telling: OutputWriter,
    summary: SimulationSummary,
    /// Energy that contacts and joints took, in joules: the sum, and its maximum without the energy in springs.
    taken: (f64, f64),
    /// A time of the smooth interval of the keyframed motions that led here.
    before: f64,
    calm: SleepTimers,
    /// Impacts since the last whole step.
    events: u32,
    /// Steps since the last whole step or record.
    parts: u32,
    /// The maximum duration of the next step, in seconds.
    pace: f64,
    /// An unfinished step, if the monitor requested a stop.
    attempt: Option<StepAttempt>,
    /// The flexible bodies beside the rigid ones.
    weaving: FlexibleCoupling,
    /// The final result.
    end: Option<StepResult>,
}

/// A step that is being tried.
#[derive(Debug, Clone)]
struct StepAttempt {
    duration: f64,
    tries: usize,
    /// Two bodies that blocked it.
    barrier: Option<[usize; 2]>,
    /// Its anticipated contacts, how often they were searched, and the fewest blocking pairs since.
    ahead: Vec<AnticipatedContact>,
    looks: usize,
    fewest: usize,
    /// Whether it had to be shortened.
    is_shorter: bool,
    /// The starting point of its solver.
    begin: SolverStart,
    /// Proven pairs of the previous try with the same duration.
    known: ProvenPairs,
}

/// Contacts rebound only at speeds above `GENTLE` times the speed that gravity adds in a step, and above `SLOWEST`
/// metres per second.
const GENTLE: f64 = 4.0;
const SLOWEST: f64 = 1e-5;

/// A step that ends at a contact is shortened by this fraction; it is tiny, because the step may be long.
const SHY: f64 = 1e-13;

/// Maximum number of steps between whole steps or records: springs and endless impacts shorten steps more and more.
const PARTS: u32 = 100_000;

/// Maximum number of searches for anticipated contacts, before a step is shortened.
const LOOKS: usize = 6;

/// Maximum number of tries of a step, and its minimum duration as a fraction of the largest step.
const TRIES: usize = 200;
const SHORTEST: f64 = 1e-9;

/// The outcome of a step.
enum StepOutcome {
    Done,
    Crushed(Vec<usize>),
    Stuck([usize; 2]),
    /// The monitor requested a stop before the step was done.
    Stopped,
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
        let weaving = FlexibleCoupling::new(&world.definition, None)?;
        Self::at_time_taken((world, rigid, weaving), (0.0, 0.0), checking)
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
            .filter(|body| world.is_told(*body))
            .zip(from.poses.iter().zip(&from.velocities))
            .filter(|(body, _)| world.numbers[*body].is_some())
            .filter_map(|(body, (pose, [linear, angular]))| {
                let dynamics = world.definition.bodies[body].dynamics?;
                Some(RigidState::new(&Dynamics { linear: *linear, angular: *angular, ..dynamics }, pose))
            })
            .collect();
        let weaving = FlexibleCoupling::new(&world.definition, Some(from))?;
        let mut simulation =
            Self::at_time_taken((world, rigid, weaving), (from.time, from.energy.dissipated), checking)?;
        // It was returned before.
        simulation.weaving.follow(simulation.telling.ready_states());
        Ok(simulation)
    }

    /// Starts from bodies at a time at which contacts and joints have dissipated `taken` joules.
    fn at_time_taken(
        (mut world, rigid, mut weaving): (World, Vec<RigidState>, FlexibleCoupling),
        (time, taken): (f64, f64),
        checking: bool,
    ) -> Result<Self, Error> {
        let within = world.after(time);
        let mut station = StepState::new(&world, rigid, (time, within), world.definition.step, &())?;
        let touched = touching(&world, &station, MET * HIT * rest_gap(&world));
        if !touched.is_empty() {
            release(&mut world, &mut station, (&touched, within))?;
            recollect_contacts(&world, &mut station, within)?;
        }
        let start = weaving.with_energy(energy(&world, &station, taken));
        let deepest = checking.then_some(0.0);
        let summary = SimulationSummary { steps: 0, records: 0, impulses: 0, deepest, energy: [start; 2] };
        station.attach(&world, within, None);
        check_start(&world, &station)?;
        let telling = OutputWriter::new(&world, &station, taken);
        Ok(Self {
            calm: SleepTimers::new(world.numbers.len()),
            world,
            station,
            telling,
            summary,
            taken: (taken, taken),
            before: within,
            events: 0,
            parts: 0,
            pace: f64::INFINITY,
            attempt: None,
            weaving,
            end: None,
        })
    }

    /// The input of the simulation.
    #[must_use]
    pub fn definition(&self) -> &SimulationDefinition {
        &self.world.definition
    }

    /// Statistics up to now.
    #[must_use]
    pub fn summary(&self) -> SimulationSummary {
        SimulationSummary { steps: self.summary.steps + self.weaving.steps(), ..self.summary }
    }

    /// The bodies that were released at their first contact, ordered by time, then by number.
    #[must_use]
    pub fn released(&self) -> &[Released] {
        &self.world.released
    }

    /// The sleeping bodies, in the order of the scene: they have rested for a while, and stay where they are until
    /// something approaches them. With springs alone, or without gravity, no body sleeps.
    #[must_use]
    pub fn asleep(&self) -> Vec<usize> {
        (0..self.world.asleep.len()).filter(|body| self.world.asleep[*body].is_some()).collect()
    }

    /// Sets or ends the pull of a body. A body that waits for its first contact is pulled only after that contact.
    /// The work of the pull changes the energies of later states; `dissipated` still counts contacts and joints only.
    ///
    /// # Errors
    /// A number that is not finite or out of range; a body that is not dynamic. The simulation is then unchanged.
    pub fn pull(&mut self, pull: Option<MouseForce>) -> Result<(), Error> {
        if let Some(pull) = &pull {
            pull.check(&self.world.definition)?;
            self.wake(&[pull.body])?;
        }
        if let Some(attempt) = &mut self.attempt {
            attempt.begin.with_other_forces(attempt.duration);
        }
        self.world.pull = pull;
        Ok(())
    }

    /// Wakes the islands of these bodies, between two steps.
    fn wake(&mut self, bodies: &[usize]) -> Result<StepOutcome, Error> {
        if wake(&mut self.world, bodies) {
            recollect_contacts(&self.world, &mut self.station, self.before)?;
            self.telling.note_wake(&self.world, &self.station);
            self.attempt = None;
        }
        Ok(StepOutcome::Done)
    }

    /// Advances to the next states. The first call returns time 0, if the simulation starts there.
    ///
    /// # Errors
    /// Coordinates or velocities that overflow.
    pub fn advance(&mut self, watch: &dyn ProgressMonitor) -> Result<StepResult, Error> {
        loop {
            match self.weaving.merge_states(self.telling.ready_states(), watch)? {
                Woven::Moments(moments) => return Ok(self.counted(moments)),
                Woven::Stuck(time, bodies) => self.end = Some(StepResult::Stuck { time, bodies }),
                Woven::Stopped => return Ok(StepResult::Stopped),
                Woven::Nothing => {}
            }
            if let Some(end) = &self.end {
                return Ok(end.clone());
            }
            if watch.is_over() {
                return Ok(StepResult::Stopped);
            }
            let time = self.station.time;
            if time >= self.world.scene().duration() {
                self.end = Some(StepResult::Finished);
                continue;
            }
            let stepped = match self.begin()? {
                Some(crushed) => StepOutcome::Crushed(crushed),
                None => self.step(watch)?,
            };
            match stepped {
                StepOutcome::Done => continue,
                StepOutcome::Stopped => return Ok(StepResult::Stopped),
                StepOutcome::Crushed(bodies) => self.end = Some(StepResult::Crushed { time, bodies }),
                StepOutcome::Stuck(bodies) => self.end = Some(StepResult::Stuck { time, bodies }),
            }
            self.flush_output(watch);
        }
    }

    /// Counts returned states.
    fn counted(&mut self, moments: Vec<SimulationState>) -> StepResult {
        self.summary.records += moments.len() as u64;
        self.summary.impulses += moments.iter().map(|moment| moment.contacts.len() as u64).sum::<u64>();
        if let Some(last) = moments.last() {
            self.summary.energy[1] = last.energy;
        }
        StepResult::Moments(moments)
    }

    /// Solves the impacts of bodies that touch and approach before the first step; returns crushed bodies.
    fn begin(&mut self) -> Result<Option<Vec<usize>>, Error> {
        if self.summary.steps > 0 {
            return Ok(None);
        }
        let gentle = self.gentle();
        let time = self.station.time;
        let at = (time, self.world.after(time));
        match impacts(&self.world, &mut self.station, at, gentle, &mut self.events)? {
            Impacts::Crushed(bodies) => Ok(Some(bodies)),
            Impacts::Over(contacts, taken) => {
                self.count_energy_taken(taken);
                self.telling.add(contacts, false, self.taken.1);
                Ok(None)
            }
        }
    }

    /// Counts the energy that contacts and joints dissipated.
    fn count_energy_taken(&mut self, taken: f64) {
        self.taken.0 += taken;
        self.taken.1 = self.taken.1.max(self.taken.0 - self.station.stored());
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

    /// Makes one step.
    fn step(&mut self, watch: &dyn ProgressMonitor) -> Result<StepOutcome, Error> {
        let station = &self.station;
        let (stop, is_recorded) = self.next_stop(station.time);
        let steps = (stop - station.time) / self.world.definition.step;
        // If no body moves, a step may have any duration.
        let is_quiet = (0..self.world.numbers.len()).all(|body| self.world.is_immobile(body));
        let whole = (stop - station.time) / if is_quiet { 1.0 } else { (steps - 1e-9).ceil().max(1.0) };
        let gentle = self.gentle();
        let mut hints = SeparatingHints::of(&self.world, station);
        let is_sprung = self.world.definition.method == SimulationMethod::Spring;
        let distance =
            if is_sprung { PenaltySpring::engagement_gap(&self.world) } else { HIT * rest_gap(&self.world) };
        let most = if self.parts < PARTS { TRIES } else { 0 };
        let mut attempt = self.attempt.take().unwrap_or_else(|| StepAttempt {
            duration: whole.min(station.longest(&self.world)).min(self.pace),
            tries: 0,
            barrier: None,
            ahead: Vec::new(),
            looks: 0,
            fewest: usize::MAX,
            is_shorter: false,
            begin: SolverStart::Before,
            known: ProvenPairs::default(),
        });
        while attempt.tries < most {
            attempt.tries += 1;
            let duration = attempt.duration;
            let drift =
                station.drift_half_step(&self.world, (duration, &attempt.ahead, &attempt.begin), gentle)?;
            let pushed = asleep(&self.world, drift.borne.iter().flat_map(|borne| borne.touch.bodies));
            if !pushed.is_empty() {
                return self.wake(&pushed);
            }
            let times = [station.time, station.time + duration];
            let span = StepPoses { times, poses: [&station.poses, &drift.poses], is_still: false };
            hints.note_anticipated(&attempt.ahead);
            let asked = (&hints, &drift.meetings, &mut attempt.known);
            let barriers = match prove(&self.world, &span, asked, distance, watch) {
                Proven::Apart(depth) => {
                    let is_stop = duration >= stop - station.time;
                    let time = if is_stop { stop } else { station.time + duration };
                    match self.finish_step(&drift, (time, duration), gentle, watch)? {
                        StepOutcome::Done => {}
                        StepOutcome::Stopped => {
                            self.attempt = Some(attempt);
                            return Ok(StepOutcome::Stopped);
                        }
                        other => return Ok(other),
                    }
                    if is_stop && !is_recorded {
                        // No recorded screw may span a break.
                        self.telling.add(Vec::new(), true, self.taken.1);
                    }
                    self.telling.note(&self.world, &self.station, depth);
                    if is_stop && is_recorded || self.telling.is_full() {
                        self.flush_output(watch);
                    }
                    if duration >= whole {
                        self.events = 0;
                    }
                    // The steps grow again one by one.
                    self.pace = if attempt.is_shorter { duration } else { self.pace.max(2.0 * duration) };
                    self.parts = if duration >= whole || is_stop { 0 } else { self.parts + 1 };
                    self.summary.steps += 1;
                    return Ok(StepOutcome::Done);
                }
                Proven::Until(barriers) => barriers,
            };
            if watch.is_final() {
                self.attempt = Some(attempt);
                return Ok(StepOutcome::Stopped);
            }
            attempt.barrier = Some(barriers[0].bodies);
            // Pairs that will rebound, or wait for their first contact, are followed until they touch.
            let is_hit = |own: &&BlockingPair| {
                let is_awaited = self.world.awaits_contact(own.bodies);
                is_sprung || is_awaited || drift.meetings.is_bouncing(own.bodies)
            };
            let hit = barriers.iter().find(is_hit).filter(|hit| hit.share > 1e-3);
            let others: Vec<BlockingPair> = barriers.iter().filter(|own| !is_hit(own)).copied().collect();
            let sleepers = asleep(&self.world, barriers.iter().flat_map(|own| own.bodies));
            if hit.is_none() && !sleepers.is_empty() {
                return self.wake(&sleepers);
            }
            let mut ahead = attempt.ahead.clone();
            let is_looked = hit.is_none() && attempt.looks < LOOKS;
            let is_shown = is_looked
                && add_anticipated_contacts(
                    &self.world,
                    (station, &drift),
                    (duration, &others),
                    &mut ahead,
                    watch,
                );
            let is_fewer = barriers.len() < attempt.fewest;
            if watch.is_final() {
                self.attempt = Some(attempt);
                return Ok(StepOutcome::Stopped);
            }
            if let Some(hit) = hit {
                attempt.duration *= (hit.share * (1.0 - SHY)).min(0.9999);
            } else if is_shown && (ahead.len() > attempt.ahead.len() || is_fewer) {
                // Tried again while this finds more contacts, or leaves fewer blocking pairs.
                (attempt.ahead, attempt.looks, attempt.fewest) = (ahead, attempt.looks + 1, barriers.len());
            } else {
                attempt.duration *= 0.5;
                attempt.is_shorter = true;
            }
            if attempt.duration < duration {
                attempt.ahead.clear();
                (attempt.looks, attempt.fewest) = (0, usize::MAX);
            }
            if attempt.duration < duration {
                attempt.known = ProvenPairs::default();
            }
            attempt.begin = drift.begin(duration, attempt.duration);
            // The step to a contact may be arbitrarily short, within the resolution of the time.
            let told = 8.0 * f64::EPSILON * station.time;
            let shortest = if hit.is_some() { told } else { SHORTEST * self.world.definition.step };
            if attempt.duration < shortest {
                break;
            }
            if watch.is_over() {
                self.attempt = Some(attempt);
                return Ok(StepOutcome::Stopped);
            }
        }
        // Waiting bodies cannot be kept from what they nearly touch, even by the shortest step: this is their first
        // contact.
        let near = attempt.barrier.filter(|_| attempt.tries < most);
        let near = near.map_or(Vec::new(), |bodies| with_joined(&self.world, bodies.to_vec()));
        if !near.is_empty() {
            return self.let_go(&near);
        }
        self.crushed_or_stuck(attempt.barrier)
    }

    /// Releases waiting bodies, between two steps.
    fn let_go(&mut self, bodies: &[usize]) -> Result<StepOutcome, Error> {
        let at = (self.station.time, self.before);
        release(&mut self.world, &mut self.station, (bodies, at.1))?;
        self.telling.mark();
        let gentle = self.gentle();
        match impacts(&self.world, &mut self.station, at, gentle, &mut self.events)? {
            Impacts::Crushed(bodies) => Ok(StepOutcome::Crushed(bodies)),
            Impacts::Over(contacts, taken) => {
                recollect_contacts(&self.world, &mut self.station, at.1)?;
                self.count_energy_taken(taken);
                self.telling.add(contacts, false, self.taken.1);
                Ok(StepOutcome::Done)
            }
        }
    }

    /// The end of a step: forces, impulses and impacts.
    fn finish_step(
        &mut self,
        drift: &FreeFlight,
        (time, duration): (f64, f64),
        gentle: f64,
        watch: &dyn ProgressMonitor,
    ) -> Result<StepOutcome, Error> {
        let (within, ahead) = (0.5 * (self.station.time + time), self.world.definition.step);
        let mut first = drift.borne.clone();
        first.extend(impulses_asleep(&self.world, &self.station.warm[0], duration));
        let mut next = StepState::new(&self.world, drift.rigid.clone(), (time, within), ahead, watch)?;
        if watch.is_final() {
            return Ok(StepOutcome::Stopped);
        }
        let mut is_roused = false;
        loop {
            let disturbed = disturbed(&self.world, &next);
            if !wake(&mut self.world, &disturbed) {
                break;
            }
            next = StepState::new(&self.world, drift.rigid.clone(), (time, within), ahead, &())?;
            is_roused = true;
        }
        let world = &self.world;
        next.attach(world, within, drift.springs.as_ref());
        next.warm = [(first, duration), self.station.warm[1].clone()];
        let (mut second, taken) = next.finish(world, duration, (drift, gentle))?;
        second.extend(impulses_asleep(world, &self.station.warm[1], duration));
        next.warm[1] = (second, duration);
        let borne = next.warm.iter().flat_map(|(borne, _)| borne);
        let mut contacts: Vec<MomentContact> = borne.map(|borne| borne.moment_contact(time)).collect();
        let touched = touching(world, &next, MET * HIT * rest_gap(world));
        if !touched.is_empty() {
            release(&mut self.world, &mut next, (&touched, within))?;
        }
        let world = &self.world;
        let (bounced, lost) = match impacts(world, &mut next, (time, within), gentle, &mut self.events)? {
            Impacts::Over(bounced, lost) => (bounced, lost),
            Impacts::Crushed(bodies) => return Ok(StepOutcome::Crushed(bodies)),
        };
        if !touched.is_empty() {
            recollect_contacts(world, &mut next, within)?;
        }
        let is_event = !bounced.is_empty() || !touched.is_empty() || is_roused;
        contacts.extend(bounced);
        let mut taken = drift.taken + taken + lost;
        self.calm.update_timers(world, (drift, &next), duration);
        let islands = self.calm.islands(world, &next);
        if !islands.is_empty() {
            taken += fall_asleep(&mut self.world, &mut next, &islands);
            self.calm.restart(&islands);
            recollect_contacts(&self.world, &mut next, within)?;
        }
        (self.station, self.before) = (next, within);
        self.count_energy_taken(taken);
        self.telling.add(contacts, is_event, self.taken.1);
        Ok(StepOutcome::Done)
    }

    /// The rebound speed below which contacts do not rebound.
    fn gentle(&self) -> f64 {
        let definition = &self.world.definition;
        if self.events >= EVENTS || definition.method == SimulationMethod::Spring {
            return f64::INFINITY;
        }
        (GENTLE * definition.gravity.length() * definition.step).max(SLOWEST)
    }

    /// The reason why no step is possible.
    fn crushed_or_stuck(&self, barrier: Option<[usize; 2]>) -> Result<StepOutcome, Error> {
        let station = &self.station;
        let within = station.time;
        let movers = self.world.movers(&station.rigid, station.time, within);
        let rest = 8.0 * rest_gap(&self.world);
        let touching: Vec<usize> =
            (0..station.contacts.len()).filter(|i| station.contacts[*i].touch.gap <= rest).collect();
        Ok(match station.impact(&self.world, (&movers, &touching), rest, false)? {
            Impact::Crushed(bodies) => StepOutcome::Crushed(bodies),
            Impact::Bounced { .. } | Impact::Unsettled => {
                // If no more steps were tried, the nearest pair.
                let near = station.contacts.iter().map(|contact| &contact.touch);
                let nearest = near.min_by(|p, q| p.gap.total_cmp(&q.gap)).map(|touch| touch.bodies);
                StepOutcome::Stuck(barrier.or(nearest).unwrap_or_default())
            }
        })
    }

    /// Records the computed states.
    fn flush_output(&mut self, watch: &dyn ProgressMonitor) {
        let deepest = self.telling.flush(&self.world, watch);
        self.summary.deepest = self.summary.deepest.map(|before| before.max(deepest));
    }
}
