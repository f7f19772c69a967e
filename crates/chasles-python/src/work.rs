//! Calls that may take long: other threads of Python go on, progress is told, Ctrl-C ends them.
//!
//! A call has threads of its own: a process that forks leaves none behind that its child would wait for. They end with the
//! call, or if Ctrl-C ended a call whose work has no watch ([`unwatched`]), with the work.

use std::any::Any;
use std::error::Error as _;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use chasles::ProgressMonitor;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::given::Threads;

/// The number of the process that imported the package.
static IMPORTED_BY: OnceLock<u32> = OnceLock::new();

/// Remembers the process.
pub(crate) fn import() {
    IMPORTED_BY.get_or_init(std::process::id);
}

/// Whether this is a child of the process that imported the package, made by `fork`.
pub(crate) fn is_forked() -> bool {
    IMPORTED_BY.get().is_some_and(|process| *process != std::process::id())
}

/// Makes the calling thread a pool of one for the rest of its life, so that work on it starts no threads.
fn stay_here() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    // An error says that the thread is in a pool already.
    std::mem::forget(pool);
}

/// Makes sure that the calling thread can do parallel work: with the threads of the process, or alone if the system grants
/// none.
pub(crate) fn ready() {
    static GRANTED: OnceLock<bool> = OnceLock::new();
    let start = || match rayon::ThreadPoolBuilder::new().build_global() {
        Err(error) => error.source().is_none(),
        Ok(()) => true,
    };
    if !GRANTED.get_or_init(start) && rayon::current_thread_index().is_none() {
        stay_here();
    }
}

/// Does work on threads that end with it, or on the calling thread if the system grants none.
pub(crate) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(work),
        Err(_) => {
            stay_here();
            work()
        }
    }
}

/// How a call goes, and whether it is to stop.
#[derive(Debug, Default)]
pub(crate) struct Work {
    total: AtomicUsize,
    done: AtomicUsize,
    is_stopped: AtomicBool,
}

impl ProgressMonitor for Work {
    fn begin(&self, pairs: usize) {
        self.total.store(pairs, Ordering::Relaxed);
    }

    fn done(&self, pairs: usize) {
        self.done.fetch_add(pairs, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn is_final(&self) -> bool {
        self.is_over()
    }
}

/// So often, at most, the caller's thread looks for Ctrl-C and tells progress.
const LOOK: Duration = Duration::from_millis(50);

/// Who is told how a call goes.
#[derive(Clone, Copy)]
pub(crate) struct Teller<'a, 'py> {
    py: Python<'py>,
    progress: Option<&'a Bound<'py, PyAny>>,
}

impl<'a, 'py> Teller<'a, 'py> {
    pub(crate) fn new(py: Python<'py>, progress: Option<&'a Bound<'py, PyAny>>) -> Self {
        Self { py, progress: progress.filter(|progress| !progress.is_none()) }
    }

    /// The interpreter of the caller.
    pub(crate) fn py(&self) -> Python<'py> {
        self.py
    }

    /// Tells that so much is done.
    pub(crate) fn tell(&self, done: usize, total: usize) -> PyResult<()> {
        if let Some(progress) = self.progress {
            progress.call1((done, total))?;
        }
        Ok(())
    }

    /// Does work on the thread of the caller.
    fn here<T: Send>(&self, state: &Work, work: impl FnOnce(&Work) -> T + Send) -> T {
        self.py.detach(|| {
            stay_here();
            work(state)
        })
    }

    /// Runs work on new threads and checks for Ctrl-C on the thread of the caller. It does not report the end. With one
    /// thread, if the system grants none, the caller does the work, and Ctrl-C waits until it is done.
    pub(crate) fn look_after<T: Send>(
        &self,
        threads: Option<Threads>,
        work: impl FnOnce(&Work) -> T + Send,
    ) -> PyResult<T> {
        let (state, place) = (Work::default(), Place::default());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, |threads| threads.0.get()));
        let is_one = threads.is_some_and(|threads| threads.0 == NonZeroUsize::MIN);
        let no_threads = |error: &dyn Display| no_threads(&format_args!("{error}; threads=1 needs none"));
        let pool = match pool.build() {
            Ok(pool) => pool,
            Err(_) if is_one => return Ok(self.here(&state, work)),
            Err(error) => return Err(no_threads(&error)),
        };
        // Taken by the thread, or again by the caller if there is no thread.
        let work = Mutex::new(Some(work));
        let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
        std::thread::scope(|scope| {
            let worker = || {
                if let Some(work) = take() {
                    place.put(catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&state)))));
                }
            };
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, worker) {
                return match take().filter(|_| is_one) {
                    Some(work) => Ok(self.here(&state, work)),
                    None => Err(no_threads(&error)),
                };
            }
            self.attend(&place, &state, Interrupted::Waits)
        })
    }

    /// Waits for the result of work, and looks for Ctrl-C meanwhile.
    fn attend<T: Send>(&self, place: &Place<T>, state: &Work, interrupted: Interrupted) -> PyResult<T> {
        let mut failed = None;
        loop {
            match self.py.detach(|| place.wait()) {
                Some(Ok(found)) => return failed.map_or(Ok(found), Err),
                Some(Err(panic)) => resume_unwind(panic),
                None if failed.is_none() => {
                    failed = self.look(state).err();
                    state.is_stopped.store(failed.is_some(), Ordering::Relaxed);
                    if let Some(error) = failed.take_if(|_| interrupted == Interrupted::Leaves) {
                        return Err(error);
                    }
                }
                None => {}
            }
        }
    }

    fn look(&self, state: &Work) -> PyResult<()> {
        self.py.check_signals()?;
        let total = state.total.load(Ordering::Relaxed);
        if total > 0 {
            self.tell(state.done.load(Ordering::Relaxed).min(total), total)?;
        }
        Ok(())
    }
}

#[cold]
fn no_threads(error: &dyn Display) -> PyErr {
    PyRuntimeError::new_err(format!("cannot start threads: {error}"))
}

/// The reaction of a call to Ctrl-C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interrupted {
    /// It waits for the work, which has a watch and ends soon.
    Waits,
    /// It returns, and the work ends later.
    Leaves,
}

/// Does work that has no watch on new threads. After Ctrl-C the call returns within a tenth of a second, and the work
/// ends later, unused. If the system grants no threads, the caller does the work, and Ctrl-C waits until it is done.
pub(crate) fn unwatched<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let place = Arc::new(Place::default());
    // Taken by the thread, or by the caller if there is no thread.
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let started = rayon::ThreadPoolBuilder::new().build().is_ok_and(|pool| {
        let (result, work) = (place.clone(), work.clone());
        let worker = move || {
            if let Some(work) = take(&work) {
                result.put(catch_unwind(AssertUnwindSafe(|| pool.install(work))));
            }
        };
        std::thread::Builder::new().spawn(worker).is_ok()
    });
    match (!started).then(|| take(&work)).flatten() {
        Some(work) => Ok(py.detach(|| {
            stay_here();
            work()
        })),
        None => Teller::new(py, None).attend(&place, &Work::default(), Interrupted::Leaves),
    }
}

/// What work comes to: its result, or the panic that it ended with.
type End<T> = Result<T, Box<dyn Any + Send>>;

/// Where a result is put, once there is one.
struct Place<T>(Mutex<Option<End<T>>>, Condvar);

impl<T> Default for Place<T> {
    fn default() -> Self {
        Self(Mutex::new(None), Condvar::new())
    }
}

impl<T> Place<T> {
    fn put(&self, end: End<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        self.1.notify_one();
    }

    /// The result, where there is one soon.
    fn wait(&self) -> Option<End<T>> {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if found.is_none() {
            found = self.1.wait_timeout(found, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        found.take()
    }
}
