//! Ctrl-C: the first ends the check, and partial results are reported; the second ends the program. While files are
//! read, the first ends the program.

use std::io::{self, IsTerminal as _, Write as _};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::exit::Failure;
use crate::output::{complain, unfinished};

/// The exit status of a program that Ctrl-C ends at once, as in shells: 128 plus the number of the signal.
pub(crate) const ENDED: i32 = 130;

/// A second signal within this time counts as the first: programs that start others pass on a signal that the whole
/// process group has received.
pub(crate) const ECHO: Duration = Duration::from_millis(300);

/// A request to stop.
#[derive(Debug)]
pub(crate) struct Stop {
    is_requested_flag: Arc<AtomicBool>,
    /// Whether files are being read, so that there are no results yet.
    reading: Arc<AtomicBool>,
}

impl Stop {
    /// Handles Ctrl-C from now on: call it once, on the thread that will [`wait`](Self::wait).
    pub(crate) fn install() -> Result<Self, Failure> {
        let stop = Self::install_before_reading()?;
        stop.end_reading();
        Ok(stop)
    }

    /// The same, before files are read: Ctrl-C ends the program at once until [`Self::end_reading`] is called.
    pub(crate) fn install_before_reading() -> Result<Self, Failure> {
        let is_requested_flag = Arc::new(AtomicBool::new(false));
        let reading = Arc::new(AtomicBool::new(true));
        let (flag, at_once, waiting) =
            (Arc::clone(&is_requested_flag), Arc::clone(&reading), thread::current());
        let mut first: Option<Instant> = None;
        let handler = move || {
            match first {
                _ if at_once.load(Ordering::Relaxed) => {
                    unfinished::remove_all();
                    process::exit(ENDED);
                }
                None => first = Some(Instant::now()),
                Some(first) if first.elapsed() < ECHO => return,
                Some(_) => {
                    unfinished::remove_all();
                    process::exit(ENDED);
                }
            }
            flag.store(true, Ordering::Relaxed);
            if io::stderr().is_terminal() {
                // On a terminal, the line has a bar and `^C` on it.
                let _ = writeln!(io::stderr());
            }
            complain("stopping; Ctrl-C once more ends at once");
            waiting.unpark();
        };
        match ctrlc::set_handler(handler) {
            // The system refuses a thread that would wait for the signal.
            Err(ctrlc::Error::System(_)) => Self::without_thread(&is_requested_flag, &reading),
            other => other.map_err(|error| error.to_string()),
        }
        .map_err(|error| Failure::Bad(format!("cannot take Ctrl-C: {error}")))?;
        Ok(Self { is_requested_flag, reading })
    }

    /// The same with a handler that only sets the flag, and ends the program the second time.
    #[cfg(unix)]
    fn without_thread(is_requested_flag: &Arc<AtomicBool>, reading: &Arc<AtomicBool>) -> Result<(), String> {
        use signal_hook::consts::SIGINT;
        use signal_hook::flag;
        flag::register_conditional_shutdown(SIGINT, ENDED, Arc::clone(reading))
            .and_then(|_| flag::register_conditional_shutdown(SIGINT, ENDED, Arc::clone(is_requested_flag)))
            .and_then(|_| flag::register(SIGINT, Arc::clone(is_requested_flag)))
            .map(|_| ())
            .map_err(|error| error.to_string())
    }

    #[cfg(not(unix))]
    fn without_thread(_: &Arc<AtomicBool>, _: &Arc<AtomicBool>) -> Result<(), String> {
        Err("no thread is granted".into())
    }

    /// Files have been read: from now on, the first Ctrl-C lets the program report partial results.
    pub(crate) fn end_reading(&self) {
        self.reading.store(false, Ordering::Relaxed);
    }

    /// Files are read again: Ctrl-C ends the program at once until the next [`Self::end_reading`].
    pub(crate) fn start_reading(&self) {
        self.reading.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub(crate) fn is_requested(&self) -> bool {
        self.is_requested_flag.load(Ordering::Relaxed)
    }

    /// Waits for `time`, or until a stop is requested. May return early.
    pub(crate) fn wait(&self, time: Duration) {
        if !self.is_requested() {
            thread::park_timeout(time);
        }
    }
}
