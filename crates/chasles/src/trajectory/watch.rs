//! Progress reports of a check, and data shared between pairs that are examined in parallel.

use std::sync::atomic::{AtomicU64, Ordering};

/// Receives the progress of a check, and may end it.
pub trait ProgressMonitor: Sync {
    /// The check starts, with this number of pairs to test.
    fn begin(&self, _pairs: usize) {}

    /// This number of further pairs is complete. Pairs examined side by side count by the fraction of their time.
    fn done(&self, _pairs: usize) {}

    /// Whether to stop. Pairs that are not complete are then undecided.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether to stop at once and lose unfinished work. After it returned `true` once, it must stay `true`. A
    /// simulation otherwise stops between two attempts at a step; with this it does not wait for the attempt to end.
    fn is_final(&self) -> bool {
        false
    }
}

/// No monitor.
impl ProgressMonitor for () {}

/// The earliest proven contact of any pair, in seconds. If only the first contact is wanted, no pair is examined
/// after this time, except to the end of its own contact.
#[derive(Debug)]
pub(crate) struct EarliestContact(AtomicU64);

impl EarliestContact {
    /// No contact yet.
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(f64::INFINITY.to_bits()))
    }

    /// Records a contact of a pair at a time of at least 0.
    pub(crate) fn contact_at(&self, time: f64) {
        // The bits of non-negative numbers have the same order as the numbers.
        self.0.fetch_min(time.abs().to_bits(), Ordering::Relaxed);
    }

    /// Whether some pair is in contact before a time.
    pub(crate) fn is_before(&self, time: f64) -> bool {
        f64::from_bits(self.0.load(Ordering::Relaxed)) < time
    }
}
