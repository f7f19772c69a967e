//! The thread that owns the robot: it proves and makes one move after the other, and answers each request.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use chasles::{MoveOutcome, PairVerdict, ProgressMonitor, Session};
use chasles_formats::report::jog::{Refusal, escape_json};
use chasles_formats::report::verdict;
use chasles_formats::robot::joint_path::{self, PathOptions};
use chasles_formats::robot::joint_values;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::message::{Id, Work};
use super::record::Record;
use super::shared_state::{Member, SharedState};
use super::state::JogStatus;
use crate::limits;

/// Work with a client that waits for its answer.
pub(crate) struct Job {
    pub(crate) member: Member,
    pub(crate) id: Option<Id>,
    pub(crate) work: Work,
    /// Set to cancel the job.
    pub(crate) stop: Arc<AtomicBool>,
    /// Has capacity for all answers: a client has no more jobs in progress than the channel holds.
    pub(crate) answers: mpsc::Sender<String>,
}

/// An answer, without the `id`.
pub(crate) enum Answer {
    Done(Map<String, Value>),
    Refused(Map<String, Value>),
    Error(String),
}

impl Answer {
    /// Done, without further fields.
    pub(crate) fn done() -> Self {
        Self::Done(Map::new())
    }

    /// Serializes the message.
    pub(crate) fn into_message(self, id: Option<&Id>) -> String {
        let (result, more) = match self {
            Self::Done(more) => ("done", more),
            Self::Refused(more) => ("refused", more),
            Self::Error(message) => ("error", Map::from_iter([("message".to_owned(), json!(message))])),
        };
        let mut answer = Map::new();
        answer.insert("type".into(), json!("answer"));
        answer.insert("id".into(), json!(id));
        answer.insert("result".into(), json!(result));
        answer.extend(more);
        Value::Object(answer).to_string()
    }
}

impl From<Result<(), String>> for Answer {
    fn from(done: Result<(), String>) -> Self {
        done.map_or_else(Self::Error, |()| Self::done())
    }
}

/// Carries out jobs one after the other, until all senders are gone or shutdown is requested.
pub(crate) fn run(
    mut session: Session,
    (shared_state, record): (&SharedState, &Record),
    mut jobs: mpsc::Receiver<Job>,
    over: &AtomicBool,
) {
    while let Some(job) = jobs.blocking_recv() {
        if over.load(Ordering::Relaxed) {
            return;
        }
        shared_state.start_work(&job.stop);
        // Control may have changed since the request was sent, or the client may have cancelled it.
        let control = shared_state.check_control(&job.member);
        let answer = match control {
            Err(message) => Answer::Error(message),
            Ok(()) if job.stop.load(Ordering::Relaxed) => Answer::Error("stopped before it started".into()),
            Ok(()) => {
                let mut worker =
                    Worker { session: &mut session, shared_state, record, stop: &job.stop, over };
                worker.carry_out(job.work).unwrap_or_else(Answer::Error)
            }
        };
        // The client may have disconnected.
        let _ = job.answers.try_send(answer.into_message(job.id.as_ref()));
    }
}

struct Worker<'a> {
    session: &'a mut Session,
    shared_state: &'a SharedState,
    record: &'a Record,
    stop: &'a AtomicBool,
    over: &'a AtomicBool,
}

/// Ends a proof when it is cancelled or takes too long.
struct ProofDeadline<'a> {
    stop: &'a AtomicBool,
    over: &'a AtomicBool,
    deadline: Instant,
}

impl ProgressMonitor for ProofDeadline<'_> {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.over.load(Ordering::Relaxed)
            || Instant::now() >= self.deadline
    }
}

impl Worker<'_> {
    fn carry_out(&mut self, work: Work) -> Result<Answer, String> {
        match work {
            Work::Move(moves) => self.change(&moves),
            Work::Undo => self.undo(),
            Work::Clear => {
                self.session.forget();
                self.set(&JogStatus::of(self.session), 0);
                Ok(Answer::done())
            }
            Work::Replay { name, text } => self.replay(&name, &text),
            Work::Simulate(_) => Err("there is no simulation here".into()),
        }
    }

    /// Publishes the state after a move or a refusal. The first `unchanged` recorded configurations are unchanged.
    fn set(&self, status: &JogStatus, unchanged: usize) {
        self.record.set(self.session, unchanged);
        self.shared_state.set(status);
    }

    fn change(&mut self, moves: &[(String, joint_values::JointChange)]) -> Result<Answer, String> {
        let values = joint_values::changed(self.session.cell().robot(), self.session.values(), moves)?;
        let (from, recorded) = (self.session.values().to_vec(), self.session.configurations().len());
        let outcome = self.advance(values)?;
        let escape = escape(&outcome, self.session);
        // The record restarts on the way out of an overlap.
        let unchanged = if escape.is_some() { 0 } else { recorded };
        let refusal = Refusal::of(self.session.cell().robot(), outcome, None);
        let refusal = refusal.map(|refusal| (refusal.free, refusal.to_value(self.session.cell())));
        let status = JogStatus::of(self.session).with_motion(self.session, [&from, self.session.values()]);
        let refusal_value = refusal.as_ref().map(|(_, refusal_value)| refusal_value.clone());
        self.set(&JogStatus { refusal: refusal_value, way_out: escape.clone(), ..status }, unchanged);
        Ok(match refusal {
            None => escape.map_or_else(Answer::done, |escape| {
                Answer::Done(Map::from_iter([("way_out".into(), escape)]))
            }),
            Some((free, refusal_value)) => Answer::Refused(Map::from_iter([
                ("free".into(), json!(free)),
                ("refusal".into(), refusal_value),
            ])),
        })
    }

    fn undo(&mut self) -> Result<Answer, String> {
        let from = self.session.values().to_vec();
        if !self.session.undo() {
            return Err("found no move to undo".into());
        }
        let status = JogStatus::of(self.session).with_motion(self.session, [&from, self.session.values()]);
        self.set(&status, self.session.configurations().len());
        Ok(Answer::done())
    }

    /// Follows a path, after a move to its start, as far as the motion is proven free.
    fn replay(&mut self, name: &str, text: &str) -> Result<Answer, String> {
        let robot = self.session.cell().robot();
        let read = joint_path::parse(text.as_bytes(), Path::new(name), PathOptions::default());
        let configurations = read.and_then(|path| joint_path::to_configurations(&path, robot));
        let configurations = configurations.map_err(|error| error.to_string())?;
        let (mut first, segments) = (self.session.configurations().len() - 1, configurations.len() - 1);
        let mut last_update = Instant::now();
        let mut unchanged = first + 1;
        let mut refused = None;
        let mut broken = None;
        for (number, values) in configurations.into_iter().enumerate() {
            let before = number.saturating_sub(1);
            match self.advance(values) {
                Ok(MoveOutcome::Free) => {}
                // The record restarts.
                Ok(MoveOutcome::Escape(_)) => (first, unchanged) = (0, 0),
                Ok(outcome) => {
                    refused = Some((before, outcome));
                    break;
                }
                // Segments that were carried out before remain, and are reported.
                Err(message) => {
                    broken = Some(message);
                    break;
                }
            }
            if last_update.elapsed() >= limits::REPLAY_INTERVAL {
                self.set(&JogStatus::of(self.session), unchanged);
                (last_update, unchanged) = (Instant::now(), self.session.configurations().len());
            }
        }
        let status = JogStatus::of(self.session);
        let status = status.with_configurations(self.session, &self.session.configurations()[first..]);
        if let Some(message) = broken {
            self.set(&status, unchanged);
            return Err(message);
        }
        let verdict_of = |outcome: &MoveOutcome| match outcome {
            MoveOutcome::Free | MoveOutcome::Escape(_) => PairVerdict::Clear,
            MoveOutcome::Refused { found, .. } => found.report.verdict,
        };
        let (done, verdict) = refused
            .as_ref()
            .map_or((segments, PairVerdict::Clear), |(done, outcome)| (*done, verdict_of(outcome)));
        let robot = self.session.cell().robot();
        let refusal = refused.and_then(|(done, outcome)| Refusal::of(robot, outcome, Some(done)));
        let refusal = refusal.map(|refusal| refusal.to_value(self.session.cell()));
        let verdict = json!({
            "name": name,
            "verdict": verdict::verdict(verdict),
            "segments": done,
            "of": segments,
            "refusal": refusal,
        });
        let status = JogStatus { refusal: refusal.clone(), verdict: Some(verdict.clone()), ..status };
        self.set(&status, unchanged);
        let more = Map::from_iter([("verdict".into(), verdict)]);
        Ok(match refusal {
            None => Answer::Done(more),
            Some(refusal) => {
                let free = refusal["free"].clone();
                Answer::Refused(
                    more.into_iter().chain([("free".into(), free), ("refusal".into(), refusal)]).collect(),
                )
            }
        })
    }

    /// Makes one move, as far as it is proven free.
    fn advance(&mut self, values: Vec<f64>) -> Result<MoveOutcome, String> {
        if self.session.configurations().len() > limits::MOVES {
            let maximum = limits::MOVES;
            return Err(format!(
                "found {maximum} moves in the record, expected fewer: save the path and clear it"
            ));
        }
        let deadline = Instant::now() + limits::MOVE_TIME;
        let patience = ProofDeadline { stop: self.stop, over: self.over, deadline };
        self.session.advance(values, &patience).map_err(|error| error.to_string())
    }
}

/// The overlaps that a move separates on its way out of an overlap.
fn escape(outcome: &MoveOutcome, session: &Session) -> Option<Value> {
    match outcome {
        MoveOutcome::Escape(escape) => Some(escape_json(escape, session.cell())),
        MoveOutcome::Free | MoveOutcome::Refused { .. } => None,
    }
}
