//! The thread that owns a simulation: it carries out requests and advances the simulation in real time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use chasles::glam::DVec3;
use chasles::{
    BodyMotion, MomentContact, MouseForce, ProgressMonitor, Scene, Simulation, SimulationDefinition,
    SimulationState, StepResult,
};
use tokio::sync::mpsc::{self, error::TryRecvError};

use super::mouse_force;
use super::status::{self, MouseGrab, SimulationStatus};
use crate::jog::message::{SimulationCommand, Work};
use crate::jog::shared_state::SharedState;
use crate::jog::work::{Answer, Job};
use crate::limits;

/// The maximum interval between recorded moments, in seconds of the simulation, or one step if that is longer.
const RECORD: f64 = 0.01;

/// The maximum sleep while the simulation is ahead of the clock, or paused.
const WAIT: Duration = Duration::from_millis(4);

/// If the simulation is behind the clock by more than this, it does not try to catch up.
const MAX_DELAY: Duration = Duration::from_millis(100);

/// The real-time factor is averaged over about this time.
const PACE: Duration = Duration::from_millis(500);

const CONTROLLER_LEFT: &str = "the client in control has left";
const IDLE: &str = "no request came for ten minutes";

/// A simulation, and the state of its run.
pub(crate) struct Run {
    simulation: Simulation,
    /// Whether the scene prescribes the motion of each body.
    moves: Vec<bool>,
    /// The newest moment: the last recorded state.
    moment: SimulationState,
    /// Contacts since the last state that was sent.
    contacts: Vec<MomentContact>,
    /// The force with which the mouse pulls at a body.
    pull: Option<MouseForce>,
    /// The real time of the simulation's time 0, while the simulation runs.
    clock: Option<Instant>,
    pace: Pace,
    /// How often the simulation has started at time 0.
    runs: u64,
    end: Option<String>,
    paused: Option<&'static str>,
}

/// Measures the real-time factor: the simulated seconds per second of the clock.
struct Pace {
    /// When the measurement started, and the time of the simulation then.
    since: (Instant, f64),
    rate: f64,
}

impl Pace {
    fn new(time: f64) -> Self {
        Self { since: (Instant::now(), time), rate: 1.0 }
    }

    /// Updates the real-time factor: the simulation has reached `time`.
    fn update(&mut self, time: f64) {
        let passed = self.since.0.elapsed();
        if passed >= PACE {
            self.rate = (time - self.since.1) / passed.as_secs_f64();
            self.since = (Instant::now(), time);
        }
    }
}

/// Interrupts the current step at shutdown, when no client is in control, or when the step has taken long and
/// another job waits.
struct StepInterrupt<'a> {
    jobs: &'a mpsc::Receiver<Job>,
    shared_state: &'a SharedState,
    over: &'a AtomicBool,
    step_start: Instant,
}

impl ProgressMonitor for StepInterrupt<'_> {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
            || !self.shared_state.has_controller()
            || self.step_start.elapsed() >= limits::SIMULATION_STEP_TIME && !self.jobs.is_empty()
    }

    fn is_final(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// Carries out jobs and runs the simulation, until all senders are gone or shutdown is requested.
pub(crate) fn run(
    mut run: Run,
    shared_state: &SharedState,
    mut jobs: mpsc::Receiver<Job>,
    over: &AtomicBool,
) {
    let (mut last_publish, mut last_request) = (Instant::now(), Instant::now());
    let mut publish_interval = limits::SIMULATION_PUBLISH_INTERVAL;
    let mut shown = run.moment.time;
    while !over.load(Ordering::Relaxed) {
        let job = if run.is_running() || run.pull.is_some() {
            match jobs.try_recv() {
                Ok(job) => Some(job),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return,
            }
        } else {
            match jobs.blocking_recv() {
                Some(job) => Some(job),
                None => return,
            }
        };
        if let Some(job) = job {
            if over.load(Ordering::Relaxed) {
                return;
            }
            last_request = Instant::now();
            // Control may have changed since the request was sent.
            let answer = shared_state.check_control(&job.member).and_then(|()| match job.work {
                Work::Simulate(command) => {
                    let interrupt =
                        StepInterrupt { jobs: &jobs, shared_state, over, step_start: Instant::now() };
                    run.execute(command, &interrupt)
                }
                _ => Err("there is no robot here".into()),
            });
            if answer.is_ok() {
                run.publish(shared_state);
            }
            // The client may have disconnected.
            let _ = job.answers.try_send(Answer::from(answer).into_message(job.id.as_ref()));
            continue;
        }
        let reason = match (shared_state.has_controller(), last_request.elapsed() >= limits::SIMULATION_IDLE)
        {
            (false, _) => Some(CONTROLLER_LEFT),
            (true, true) => Some(IDLE),
            (true, false) => None,
        };
        if let Some(reason) = reason {
            run.set_paused(Some(reason));
            let _ = run.simulation.pull(None);
            run.pull = None;
            run.publish(shared_state);
            continue;
        }
        if !run.is_running() {
            // A body that the mouse holds must be released as soon as the client in control leaves.
            thread::sleep(WAIT);
            continue;
        }
        let interrupt = StepInterrupt { jobs: &jobs, shared_state, over, step_start: Instant::now() };
        run.catch_up(&interrupt);
        if last_publish.elapsed() >= publish_interval && run.moment.time != shown || !run.is_running() {
            let bytes = run.publish(shared_state);
            (last_publish, shown) = (Instant::now(), run.moment.time);
            let fraction = bytes as f64 / limits::SIMULATION_BYTES as f64;
            publish_interval =
                limits::SIMULATION_PUBLISH_INTERVAL.max(Duration::from_secs_f64(fraction.min(10.0)));
        }
    }
}

impl Run {
    /// Creates a run at time 0.
    ///
    /// # Errors
    /// A message that names the invalid value.
    pub(crate) fn new(mut definition: SimulationDefinition) -> Result<Self, String> {
        definition.settings.record = definition.settings.record.min(RECORD.max(definition.settings.step));
        // Live states are not kept.
        definition.settings.max_records = u64::MAX;
        let moves = (0..definition.scene.bodies().len()).map(|body| moves(&definition.scene, body)).collect();
        let (simulation, moment) = start_simulation(definition)?;
        Ok(Self {
            simulation,
            moves,
            pace: Pace::new(0.0),
            moment,
            contacts: Vec::new(),
            pull: None,
            clock: None,
            runs: 1,
            end: None,
            paused: None,
        })
    }

    fn is_running(&self) -> bool {
        self.clock.is_some()
    }

    fn execute(&mut self, command: SimulationCommand, interrupt: &StepInterrupt<'_>) -> Result<(), String> {
        match command {
            SimulationCommand::Play => self.play(),
            SimulationCommand::Pause => {
                self.set_paused(None);
                Ok(())
            }
            SimulationCommand::Step => {
                self.set_paused(None);
                self.check_not_ended()?;
                if self.advance(interrupt) {
                    Ok(())
                } else {
                    Err("the step was interrupted before the next moment: send it again".into())
                }
            }
            SimulationCommand::Restart => self.restart(),
            SimulationCommand::Grab { body, point } => {
                let point = DVec3::from_array(point);
                if self
                    .simulation
                    .definition()
                    .flexible
                    .iter()
                    .any(|flexible_body| flexible_body.body == body)
                {
                    return Err(format!(
                        "found body {body}, which is flexible and cannot be held yet, expected a rigid body with a mass"
                    ));
                }
                let Some(pose) = self.pose(body) else {
                    return Err(format!("found body {body}, expected the number of a body with a mass"));
                };
                let definition = self.simulation.definition();
                self.set_pull(mouse_force::pull(definition, body, (point, pose.transform_point(point))))
            }
            SimulationCommand::Drag { target } => {
                let Some(pull) = self.pull else {
                    return Err("found no body in the hand, expected one: grab it first".into());
                };
                self.set_pull(MouseForce { target: DVec3::from_array(target), ..pull })
            }
            SimulationCommand::Drop => {
                self.pull = None;
                self.simulation.pull(None).map_err(|error| error.to_string())
            }
        }
    }

    fn set_pull(&mut self, pull: MouseForce) -> Result<(), String> {
        self.simulation.pull(Some(pull)).map_err(|error| error.to_string())?;
        self.pull = Some(pull);
        Ok(())
    }

    /// The pose of a dynamic body.
    fn pose(&self, body: usize) -> Option<chasles::Pose> {
        let bodies = &self.simulation.definition().bodies;
        bodies.get(body)?.dynamics?;
        let number = bodies[..body].iter().filter(|simulated| simulated.dynamics.is_some()).count();
        self.moment.poses.get(number).copied()
    }

    fn check_not_ended(&self) -> Result<(), String> {
        match &self.end {
            Some(reason) => Err(format!("the simulation has ended ({reason}): restart it")),
            None => Ok(()),
        }
    }

    fn play(&mut self) -> Result<(), String> {
        self.check_not_ended()?;
        self.paused = None;
        if !self.is_running() {
            self.pace = Pace::new(self.moment.time);
            self.synchronise();
        }
        Ok(())
    }

    /// Sets the clock such that its current time is the time of the simulation.
    fn synchronise(&mut self) {
        let now = Instant::now();
        self.clock = Some(now.checked_sub(Duration::from_secs_f64(self.moment.time)).unwrap_or(now));
    }

    /// Pauses. `reason` says why, if no client paused it.
    fn set_paused(&mut self, reason: Option<&'static str>) {
        self.clock = None;
        self.paused = reason;
    }

    fn restart(&mut self) -> Result<(), String> {
        let (simulation, moment) = start_simulation(self.simulation.definition().clone())?;
        (self.simulation, self.moment) = (simulation, moment);
        self.set_paused(None);
        (self.end, self.pull) = (None, None);
        self.contacts.clear();
        self.runs += 1;
        Ok(())
    }

    /// Advances once if the simulation is behind the clock, and otherwise sleeps briefly.
    fn catch_up(&mut self, interrupt: &StepInterrupt<'_>) {
        let Some(clock) = self.clock else { return };
        let (now, time) = (clock.elapsed(), Duration::from_secs_f64(self.moment.time));
        if now < time {
            thread::sleep(WAIT.min(time - now));
        } else {
            self.advance(interrupt);
            let delay = clock.elapsed().saturating_sub(Duration::from_secs_f64(self.moment.time));
            if delay > MAX_DELAY && self.is_running() {
                self.synchronise();
            }
        }
        self.pace.update(self.moment.time);
    }

    /// Advances to the next moments, or to the end; returns `false` if it was interrupted before.
    fn advance(&mut self, interrupt: &StepInterrupt<'_>) -> bool {
        let end = match self.simulation.advance(interrupt) {
            Ok(StepResult::Moments(moments)) => {
                self.contacts.extend(moments.iter().flat_map(|moment| &moment.contacts));
                if let Some(last) = moments.into_iter().last() {
                    self.moment = last;
                }
                return true;
            }
            Ok(advance) => status::end(self.simulation.definition(), &advance),
            Err(error) => Some(error.to_string()),
        };
        if end.is_some() {
            self.set_paused(None);
            self.end = end;
        }
        self.end.is_some()
    }

    /// Sends the current state to all clients. Returns the approximate number of bytes.
    fn publish(&mut self, shared_state: &SharedState) -> usize {
        let status = self.status();
        self.contacts.clear();
        shared_state.set(&status);
        let shapes: usize = status.shapes.iter().map(|(_, shape)| shape.len()).sum();
        200 * (status.poses.iter().flatten().count() + status.impulses.len()) + shapes
    }

    /// The current state.
    pub(crate) fn status(&self) -> SimulationStatus {
        let definition = self.simulation.definition();
        let (impulses, weaker) = status::strongest(&self.contacts);
        let grab = self.pull.map(|pull| MouseGrab {
            body: pull.body,
            point: pull.point.to_array(),
            target: pull.target.to_array(),
        });
        SimulationStatus {
            time: self.moment.time,
            running: self.is_running(),
            pace: self.pace.rate,
            runs: self.runs,
            poses: status::poses(definition, &self.moves, &self.moment),
            shapes: status::shapes(definition, &self.moment),
            impulses,
            weaker,
            energy: status::energy(self.moment.energy),
            hand: grab,
            end: self.end.clone(),
            paused: self.paused,
        }
    }
}

/// Whether the scene prescribes the motion of a body or of one of its parents.
fn moves(scene: &Scene, body: usize) -> bool {
    let mut ancestors = std::iter::successors(Some(body), |body| scene.bodies()[*body].parent);
    ancestors.any(|body| !matches!(scene.bodies()[body].motion, BodyMotion::Still(_)))
}

/// A simulation at time 0.
fn start_simulation(definition: SimulationDefinition) -> Result<(Simulation, SimulationState), String> {
    let mut simulation = Simulation::new(definition, false).map_err(|error| error.to_string())?;
    match simulation.advance(&()).map_err(|error| error.to_string())? {
        StepResult::Moments(moments) => moments.into_iter().last().map(|moment| (simulation, moment)),
        _ => None,
    }
    .ok_or_else(|| "the simulation does not start".into())
}
