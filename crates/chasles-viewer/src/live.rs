//! A simulation that runs in the viewer: one client at a time plays, pauses and pulls at bodies, and all clients watch.
//!
//! ```text
//! status       the state sent to all clients: poses of bodies, shapes of flexible bodies, impulses
//! mouse_force  how a body is pulled
//! work         the thread that owns the simulation
//! ```
//!
//! Messages, answers, control and limits are the same as in [`jog`](crate::jog), with these additional orders:
//!
//! | message of a client | answer |
//! |---|---|
//! | `{"type":"play"}`, `{"type":"pause"}` | done: the simulation runs, in real time at most; it is paused |
//! | `{"type":"step"}` | done: the simulation is paused at the next moment |
//! | `{"type":"restart"}` | done: the simulation is paused at time 0 |
//! | `{"type":"grab","body":1,"point":[0,0,0.1]}` | done: the hand holds the body, which must be rigid and have a mass, at this point of its frame, in metres |
//! | `{"type":"drag","target":[0,0,1]}` | done: the hand moves to this point of the world, in metres |
//! | `{"type":"drop"}` | done: the hand lets go |
//!
//! The simulation is paused and the hand lets go as soon as the client in control leaves or releases control, and
//! after ten minutes without a request.

pub(crate) mod status;
pub(crate) mod mouse_force;
pub(crate) mod work;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use chasles::SimulationDefinition;
use tokio::sync::mpsc;

use self::work::Run;
use crate::jog::shared_state::SharedState;
use crate::jog::work::Job;
use crate::limits;

/// A simulation that a client controls.
pub(crate) struct Live {
    pub(crate) shared_state: Arc<SharedState>,
    /// Sends jobs to the thread that owns the simulation.
    pub(crate) jobs: mpsc::Sender<Job>,
    over: Arc<AtomicBool>,
}

impl Live {
    /// Starts the thread that owns the simulation. It ends after a call of `end`, or when all senders of jobs are gone.
    ///
    /// # Errors
    /// The definition is invalid; the system cannot start a thread.
    pub(crate) fn start(definition: SimulationDefinition) -> io::Result<(Arc<Self>, JoinHandle<()>)> {
        let (jobs, waiting) = mpsc::channel(limits::WAITING);
        let over = Arc::new(AtomicBool::new(false));
        let run = Run::new(definition).map_err(io::Error::other)?;
        let shared_state = Arc::new(SharedState::new(&run.status()));
        let (ours, is_over) = (Arc::clone(&shared_state), Arc::clone(&over));
        let thread = thread::Builder::new().name("simulation".into());
        let thread = thread.spawn(move || work::run(run, &ours, waiting, &is_over))?;
        Ok((Arc::new(Self { shared_state, jobs, over }), thread))
    }

    /// Ends the thread and cancels its current step.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
