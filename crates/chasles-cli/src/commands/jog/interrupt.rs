//! Ctrl-C: during a move it cancels the move, which the command then refuses. A second Ctrl-C, or one while the program
//! waits for input, ends the program.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use chasles::ProgressMonitor;

use crate::exit::Failure;
use crate::output::{complain, unfinished};
use crate::stop::{ECHO, ENDED};

const WAITING: u8 = 0;
const MOVING: u8 = 1;
const CANCELLED: u8 = 2;

/// Whether a move is in progress, and whether it is to be cancelled.
#[derive(Debug, Clone)]
pub(super) struct Interrupt(Arc<AtomicU8>);

impl Interrupt {
    /// Handles Ctrl-C from now on; call it once.
    pub(super) fn install() -> Result<Self, Failure> {
        let state = Arc::new(AtomicU8::new(WAITING));
        let ours = Arc::clone(&state);
        let mut last: Option<Instant> = None;
        let handler = move || {
            if last.is_some_and(|last| last.elapsed() < ECHO) {
                return;
            }
            last = Some(Instant::now());
            let cancels =
                ours.compare_exchange(MOVING, CANCELLED, Ordering::Relaxed, Ordering::Relaxed).is_ok();
            if !cancels {
                unfinished::remove_all();
                process::exit(ENDED);
            }
            complain("stopping this move; Ctrl-C once more ends at once");
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Failure::Bad(format!("cannot handle Ctrl-C: {error}")))?;
        Ok(Self(state))
    }

    /// Marks the start of a move.
    pub(super) fn start_move(&self) {
        self.0.store(MOVING, Ordering::Relaxed);
    }

    /// Marks the end of a move. Returns whether it was cancelled.
    pub(super) fn end_move(&self) -> bool {
        self.0.swap(WAITING, Ordering::Relaxed) == CANCELLED
    }
}

impl ProgressMonitor for Interrupt {
    fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed) == CANCELLED
    }
}
