//! Jogging: one robot, moved by one client at a time, seen by all.
//!
//! ```text
//! message  what a client may say
//! state    what all are told: where the robot is
//! desk     who has control, the newest state
//! record   what was recorded
//! work     the thread that owns the robot and moves it
//! ```
//!
//! Messages are JSON text frames. Every one may carry an `id`, a number or a short text, which its answer repeats.
//!
//! | a client says | and is answered |
//! |---|---|
//! | `{"type":"take"}`, `{"type":"release"}` | done, or an error: another has control |
//! | `{"type":"resume","secret":".."}` | done, with `client`: control is this connection's again |
//! | `{"type":"move","joints":{"elbow":{"by":0.1},"wrist":{"to":1.0}}}` | done, with `way_out` from an overlap; or refused, with `free` and `refusal` |
//! | `{"type":"undo"}`, `{"type":"clear"}` | done: the last move taken back; the record begins here |
//! | `{"type":"replay","name":"a.csv","text":".."}` | done or refused, with `verdict` |
//! | `{"type":"path"}` | done, with `csv`: all moves, for whoever asks |
//! | `{"type":"stop"}` | done: moves of this client that are under way are given up |
//! | `{"type":"ping"}` | done |
//!
//! An answer is `{"type":"answer","id":..,"result":"done"|"refused"|"error",..}`, an error has a `message`. First of all a client is told
//! `{"type":"hello","client":1,"secret":"..","state":{..}}`, and after each change `{"type":"state","state":{..}}`, of several the newest.

pub(crate) mod message;
pub(crate) mod state;
pub(crate) mod desk;
mod record;
pub(crate) mod work;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use chasles::Session;
use tokio::sync::{Semaphore, mpsc};

use self::desk::JogSession;
use self::record::Record;
use self::state::JogStatus;
use self::work::Job;
use crate::limits;

/// A robot that clients jog.
pub(crate) struct Jog {
    pub(crate) desk: Arc<JogSession>,
    pub(crate) record: Arc<Record>,
    /// To the thread that owns the robot.
    pub(crate) jobs: mpsc::Sender<Job>,
    /// Records that are being sent: each may be large.
    pub(crate) paths: Semaphore,
    over: Arc<AtomicBool>,
}

/// Records that are sent at a time.
const PATHS: usize = 4;

impl Jog {
    /// Starts the thread that owns the robot. It ends when it is told to, or when nobody is left who could send it work.
    ///
    /// # Errors
    /// Where the system starts no thread.
    pub(crate) fn start(session: Session) -> io::Result<(Arc<Self>, JoinHandle<()>)> {
        let (jobs, waiting) = mpsc::channel(limits::WAITING);
        let over = Arc::new(AtomicBool::new(false));
        let desk = Arc::new(JogSession::new(&JogStatus::of(&session)));
        let record = Arc::new(Record::new(&session));
        let (ours, own, until) = (Arc::clone(&desk), Arc::clone(&record), Arc::clone(&over));
        let thread = thread::Builder::new().name("jog".into());
        let thread = thread.spawn(move || work::run(session, (&ours, &own), waiting, &until))?;
        Ok((Arc::new(Self { desk, record, jobs, paths: Semaphore::new(PATHS), over }), thread))
    }

    /// Gives up the move that is under way, and all that wait.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
