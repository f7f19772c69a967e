//! Long calls: Python's other threads continue, progress is reported, Ctrl-C ends the call.
//!
//! A call has threads of its own, so that the child of a fork never waits for threads of its parent. The threads end
//! with the call. If Ctrl-C ended a call whose work has no monitor ([`run_unmonitored`]), they end with the work.

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

use crate::arguments::Threads;

/// The number of the process that imported the package.
static IMPORTED_BY: OnceLock<u32> = OnceLock::new();

/// Remembers the process.
pub(crate) fn remember_process() {
    IMPORTED_BY.get_or_init(std::process::id);
}

/// Whether this is a child of the process that imported the package, made by `fork`.
pub(crate) fn is_forked() -> bool {
    IMPORTED_BY.get().is_some_and(|process| *process != std::process::id())
}

/// Makes the calling thread a pool of one for the rest of its life, so that work on it starts no threads.
fn use_calling_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    // An error means that the thread is in a pool already.
    std::mem::forget(pool);
}

/// Makes sure that the calling thread can do parallel work: with the threads of the process, or alone if the system
/// grants no threads.
pub(crate) fn ensure_thread_pool() {
    static GRANTED: OnceLock<bool> = OnceLock::new();
    let start = || match rayon::ThreadPoolBuilder::new().build_global() {
        Err(error) => error.source().is_none(),
        Ok(()) => true,
    };
    if !GRANTED.get_or_init(start) && rayon::current_thread_index().is_none() {
        use_calling_thread();
    }
}

/// Does work on threads that end with it, or on the calling thread if the system grants none.
pub(crate) fn on_new_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(work),
        Err(_) => {
            use_calling_thread();
            work()
        }
    }
}

/// The progress of a call, and the request to stop.
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

/// The interval at which the caller's thread checks for Ctrl-C and reports progress.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs the work of a call and reports its progress to the caller.
#[derive(Clone, Copy)]
pub(crate) struct Runner<'a, 'py> {
    py: Python<'py>,
    progress: Option<&'a Bound<'py, PyAny>>,
}

impl<'a, 'py> Runner<'a, 'py> {
    pub(crate) fn new(py: Python<'py>, progress: Option<&'a Bound<'py, PyAny>>) -> Self {
        Self { py, progress: progress.filter(|progress| !progress.is_none()) }
    }

    /// The interpreter of the caller.
    pub(crate) fn py(&self) -> Python<'py> {
        self.py
    }

    /// Calls the caller's function with the progress.
    pub(crate) fn report_progress(&self, done: usize, total: usize) -> PyResult<()> {
        if let Some(progress) = self.progress {
            progress.call1((done, total))?;
        }
        Ok(())
    }

    /// Does work on the caller's thread.
    fn run_on_calling_thread<T: Send>(&self, state: &Work, work: impl FnOnce(&Work) -> T + Send) -> T {
        self.py.detach(|| {
            use_calling_thread();
            work(state)
        })
    }

    /// Runs work on new threads and checks for Ctrl-C on the thread of the caller. It does not report the end. With one
    /// thread, if the system grants none, the caller does the work, and Ctrl-C waits until it is done.
    pub(crate) fn run<T: Send>(
        &self,
        threads: Option<Threads>,
        work: impl FnOnce(&Work) -> T + Send,
    ) -> PyResult<T> {
        let (state, slot) = (Work::default(), ResultSlot::default());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, |threads| threads.0.get()));
        let is_one = threads.is_some_and(|threads| threads.0 == NonZeroUsize::MIN);
        let no_threads = |error: &dyn Display| no_threads(&format_args!("{error}; threads=1 needs none"));
        let pool = match pool.build() {
            Ok(pool) => pool,
            Err(_) if is_one => return Ok(self.run_on_calling_thread(&state, work)),
            Err(error) => return Err(no_threads(&error)),
        };
        // Taken by the thread, or again by the caller if there is no thread.
        let work = Mutex::new(Some(work));
        let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
        std::thread::scope(|scope| {
            let worker = || {
                if let Some(work) = take() {
                    slot.put(catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&state)))));
                }
            };
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, worker) {
                return match take().filter(|_| is_one) {
                    Some(work) => Ok(self.run_on_calling_thread(&state, work)),
                    None => Err(no_threads(&error)),
                };
            }
            self.wait_for(&slot, &state, OnInterrupt::Wait)
        })
    }

    /// Waits for the result of work, and checks for Ctrl-C meanwhile.
    fn wait_for<T: Send>(
        &self,
        slot: &ResultSlot<T>,
        state: &Work,
        on_interrupt: OnInterrupt,
    ) -> PyResult<T> {
        let mut failed = None;
        loop {
            match self.py.detach(|| slot.wait()) {
                Some(Ok(result)) => return failed.map_or(Ok(result), Err),
                Some(Err(panic)) => resume_unwind(panic),
                None if failed.is_none() => {
                    failed = self.poll(state).err();
                    state.is_stopped.store(failed.is_some(), Ordering::Relaxed);
                    if let Some(error) = failed.take_if(|_| on_interrupt == OnInterrupt::Leave) {
                        return Err(error);
                    }
                }
                None => {}
            }
        }
    }

    fn poll(&self, state: &Work) -> PyResult<()> {
        self.py.check_signals()?;
        let total = state.total.load(Ordering::Relaxed);
        if total > 0 {
            self.report_progress(state.done.load(Ordering::Relaxed).min(total), total)?;
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
enum OnInterrupt {
    /// It waits for the work, which has a monitor and ends soon.
    Wait,
    /// It returns, and the work ends later.
    Leave,
}

/// Does work without a monitor on new threads. After Ctrl-C the call returns within a tenth of a second, and the work
/// ends later, unused. If the system grants no threads, the caller does the work, and Ctrl-C waits until it is done.
pub(crate) fn run_unmonitored<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let slot = Arc::new(ResultSlot::default());
    // Taken by the thread, or by the caller if there is no thread.
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let started = rayon::ThreadPoolBuilder::new().build().is_ok_and(|pool| {
        let (result, work) = (slot.clone(), work.clone());
        let worker = move || {
            if let Some(work) = take(&work) {
                result.put(catch_unwind(AssertUnwindSafe(|| pool.install(work))));
            }
        };
        std::thread::Builder::new().spawn(worker).is_ok()
    });
    match (!started).then(|| take(&work)).flatten() {
        Some(work) => Ok(py.detach(|| {
            use_calling_thread();
            work()
        })),
        None => Runner::new(py, None).wait_for(&slot, &Work::default(), OnInterrupt::Leave),
    }
}

/// The result of work, or its panic.
type ThreadResult<T> = Result<T, Box<dyn Any + Send>>;

/// A place for the result of a thread.
struct ResultSlot<T>(Mutex<Option<ThreadResult<T>>>, Condvar);

impl<T> Default for ResultSlot<T> {
    fn default() -> Self {
        Self(Mutex::new(None), Condvar::new())
    }
}

impl<T> ResultSlot<T> {
    fn put(&self, end: ThreadResult<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        self.1.notify_one();
    }

    /// The result, if it comes within the interval.
    fn wait(&self) -> Option<ThreadResult<T>> {
        let mut result = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if result.is_none() {
            result = self.1.wait_timeout(result, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        result.take()
    }
}
