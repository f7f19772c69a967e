//! Jogging: one client at a time moves a robot, and all clients watch.
//!
//! ```text
//! message       the messages of clients
//! state         the state sent to all clients: where the robot is
//! shared_state  who has control, and the newest state
//! record        the recorded moves
//! work          the thread that owns the robot and moves it
//! ```
//!
//! Messages are JSON text frames. Each may carry an `id`, a number or a short text, which the answer repeats.
//!
//! | message of a client | answer |
//! |---|---|
//! | `{"type":"take"}`, `{"type":"release"}` | done, or an error: another client has control |
//! | `{"type":"resume","secret":".."}` | done, with `client`: this connection has control again |
//! | `{"type":"move","joints":{"elbow":{"by":0.1},"wrist":{"to":1.0}}}` | done, with `way_out` for a move out of an overlap; or refused, with `free` and `refusal` |
//! | `{"type":"undo"}`, `{"type":"clear"}` | done: the last move is undone; the record restarts at the current configuration |
//! | `{"type":"replay","name":"a.csv","text":".."}` | done or refused, with `verdict` |
//! | `{"type":"path"}` | done, with `csv`: all moves; any client may send it |
//! | `{"type":"stop"}` | done: this client's moves in progress are cancelled |
//! | `{"type":"ping"}` | done |
//!
//! An answer is `{"type":"answer","id":..,"result":"done"|"refused"|"error",..}`; an error has a `message`. The
//! first message to a client is `{"type":"hello","client":1,"secret":"..","state":{..}}`. After each change the
//! server sends `{"type":"state","state":{..}}`; a slow client gets only the newest state.

pub(crate) mod message;
pub(crate) mod state;
pub(crate) mod shared_state;
mod record;
pub(crate) mod work;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use chasles::Session;
use tokio::sync::{Semaphore, mpsc};

use self::record::Record;
use self::shared_state::SharedState;
use self::state::JogStatus;
use self::work::Job;
use crate::limits;

/// A robot that clients jog.
pub(crate) struct Jog {
    pub(crate) shared_state: Arc<SharedState>,
    pub(crate) record: Arc<Record>,
    /// Sends jobs to the thread that owns the robot.
    pub(crate) jobs: mpsc::Sender<Job>,
    /// Limits the records being sent at a time, because each may be large.
    pub(crate) paths: Semaphore,
    over: Arc<AtomicBool>,
}

/// The number of records that are sent at a time.
const PATHS: usize = 4;

impl Jog {
    /// Starts the thread that owns the robot. It ends after a call of `end`, or when all senders of jobs are gone.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(crate) fn start(session: Session) -> io::Result<(Arc<Self>, JoinHandle<()>)> {
        let (jobs, waiting) = mpsc::channel(limits::WAITING);
        let over = Arc::new(AtomicBool::new(false));
        let shared_state = Arc::new(SharedState::new(&JogStatus::of(&session)));
        let record = Arc::new(Record::new(&session));
        let (worker_state, worker_record, is_over) =
            (Arc::clone(&shared_state), Arc::clone(&record), Arc::clone(&over));
        let thread = thread::Builder::new().name("jog".into());
        let thread =
            thread.spawn(move || work::run(session, (&worker_state, &worker_record), waiting, &is_over))?;
        Ok((Arc::new(Self { shared_state, record, jobs, paths: Semaphore::new(PATHS), over }), thread))
    }

    /// Cancels the current move and all waiting moves.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
