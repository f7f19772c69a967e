//! Ctrl-C: the first ends the check, and what is known is told; the second ends the program.

use std::io::{self, IsTerminal as _, Write as _};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::exit::Failure;
use crate::output::{complain, unfinished};

/// The exit status of a program that Ctrl-C ends at once, as shells have it: 128 and the number of the signal.
pub(crate) const ENDED: i32 = 130;

/// A second signal so soon is the first again: programs that start others pass on what the whole group has got.
pub(crate) const ECHO: Duration = Duration::from_millis(300);

/// Whether somebody wants an end.
#[derive(Debug)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Takes Ctrl-C from now on: call it once, on the thread that will [`wait`](Self::wait).
    pub(crate) fn install() -> Result<Self, Failure> {
        let asked = Arc::new(AtomicBool::new(false));
        let (flag, waiting) = (Arc::clone(&asked), thread::current());
        let mut first: Option<Instant> = None;
        let handler = move || {
            match first {
                None => first = Some(Instant::now()),
                Some(first) if first.elapsed() < ECHO => return,
                Some(_) => {
                    unfinished::remove_all();
                    process::exit(ENDED);
                }
            }
            flag.store(true, Ordering::Relaxed);
            if io::stderr().is_terminal() {
                // There the line has a bar on it, and `^C`.
                let _ = writeln!(io::stderr());
            }
            complain("stopping; Ctrl-C once more ends at once");
            waiting.unpark();
        };
        match ctrlc::set_handler(handler) {
            // No thread is granted that could wait for the signal.
            Err(ctrlc::Error::System(_)) => Self::without_thread(&asked),
            other => other.map_err(|error| error.to_string()),
        }
        .map_err(|error| Failure::Bad(format!("cannot take Ctrl-C: {error}")))?;
        Ok(Self(asked))
    }

    /// The same by a handler that only sets the flag, and ends the program the second time.
    #[cfg(unix)]
    fn without_thread(asked: &Arc<AtomicBool>) -> Result<(), String> {
        use signal_hook::consts::SIGINT;
        use signal_hook::flag;
        flag::register_conditional_shutdown(SIGINT, ENDED, Arc::clone(asked))
            .and_then(|_| flag::register(SIGINT, Arc::clone(asked)))
            .map(|_| ())
            .map_err(|error| error.to_string())
    }

    #[cfg(not(unix))]
    fn without_thread(_: &Arc<AtomicBool>) -> Result<(), String> {
        Err("no thread is granted".into())
    }

    /// Whether the end was asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits so long, or until the end is asked for; now and then less.
    pub(crate) fn wait(&self, time: Duration) {
        if !self.is_asked() {
            thread::park_timeout(time);
        }
    }
}
