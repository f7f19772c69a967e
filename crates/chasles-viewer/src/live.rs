//! A simulation that runs while it is looked at: one client at a time plays, pauses and pulls at bodies, all see it.
//!
//! ```text
//! standing  what all are told: where bodies are, the shapes of flexible ones, what they give each other
//! hand      how a body is pulled
//! work      the thread that owns the simulation
//! ```
//!
//! Messages, answers, control and limits are those of [`jog`](crate::jog), with orders of its own:
//!
//! | a client says | and is answered |
//! |---|---|
//! | `{"type":"play"}`, `{"type":"pause"}` | done: it runs, as fast as the clock at most; it stands |
//! | `{"type":"step"}` | done: paused, on to the next moment |
//! | `{"type":"restart"}` | done: paused, at time 0 |
//! | `{"type":"grab","body":1,"point":[0,0,0.1]}` | done: the hand holds the body, a rigid one with a mass, at a point of its frame, in metres |
//! | `{"type":"drag","target":[0,0,1]}` | done: the hand goes there, in the world |
//! | `{"type":"drop"}` | done: the hand lets go |
//!
//! It is paused, and its hand lets go, as soon as the client in control has gone or gives up control; and where nothing
//! has been asked for ten minutes.

pub(crate) mod standing;
pub(crate) mod hand;
pub(crate) mod work;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use chasles::SimulationDefinition;
use tokio::sync::mpsc;

use self::work::Run;
use crate::jog::desk::JogSession;
use crate::jog::work::Job;
use crate::limits;

/// A simulation that a client runs.
pub(crate) struct Live {
    pub(crate) desk: Arc<JogSession>,
    /// To the thread that owns the simulation.
    pub(crate) jobs: mpsc::Sender<Job>,
    over: Arc<AtomicBool>,
}

impl Live {
    /// Starts the thread that owns the simulation. It ends when it is told to, or when nobody is left who could send it
    /// work.
    ///
    /// # Errors
    /// A definition that has no meaning; where the system starts no thread.
    pub(crate) fn start(definition: SimulationDefinition) -> io::Result<(Arc<Self>, JoinHandle<()>)> {
        let (jobs, waiting) = mpsc::channel(limits::WAITING);
        let over = Arc::new(AtomicBool::new(false));
        let run = Run::new(definition).map_err(io::Error::other)?;
        let desk = Arc::new(JogSession::new(&run.standing()));
        let (ours, until) = (Arc::clone(&desk), Arc::clone(&over));
        let thread = thread::Builder::new().name("simulation".into());
        let thread = thread.spawn(move || work::run(run, &ours, waiting, &until))?;
        Ok((Arc::new(Self { desk, jobs, over }), thread))
    }

    /// Ends the thread, with the step that is under way.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
