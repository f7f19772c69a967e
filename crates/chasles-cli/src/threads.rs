//! The threads of the program: a pool for all work, or the main thread alone.

use std::error::Error as _;
use std::num::NonZeroUsize;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::exit::Failure;

/// Starts the threads that all commands share. If `alone`, the main thread does all work and no thread is started;
/// within another program, such as Python, one thread is started.
///
/// # Errors
/// The system cannot start threads.
pub(crate) fn start(alone: bool) -> Result<(), Failure> {
    let builder = ThreadPoolBuilder::new();
    let is_ours = thread::current().name() == Some("main");
    let builder = if alone && is_ours { builder.num_threads(1).use_current_thread() } else { builder };
    match builder.build_global() {
        Err(error) if error.source().is_some() => Err(refused(&error)),
        // A process that runs several commands has already started them.
        Ok(()) | Err(_) => Ok(()),
    }
}

fn refused(error: &ThreadPoolBuildError) -> Failure {
    Failure::Bad(format!(
        "cannot start threads: {error}; with --threads 1, check, simulate, batch, impulse and screen need none"
    ))
}

/// Whether the system can start another thread now.
pub(crate) fn are_granted() -> bool {
    thread::Builder::new().spawn(|| ()).is_ok()
}

/// The threads of one command.
#[derive(Debug)]
pub(crate) enum Pool {
    /// The main thread, as a pool of one.
    Main,
    Threads(ThreadPool),
}

impl Pool {
    /// A pool of `threads` threads, by default one for each processor.
    ///
    /// # Errors
    /// The system cannot start threads.
    pub(crate) fn new(threads: Option<NonZeroUsize>) -> Result<Self, Failure> {
        if rayon::current_thread_index().is_some() {
            return Ok(Self::Main);
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads.map_or(0, NonZeroUsize::get)).build();
        pool.map(Self::Threads).map_err(|error| refused(&error))
    }

    /// Runs work on these threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Main => work(),
            Self::Threads(pool) => pool.install(work),
        }
    }
}
