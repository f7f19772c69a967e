//! Who wants to know how a check gets on, and what pairs that are followed at once know of each other.

use std::sync::atomic::{AtomicU64, Ordering};

/// Who wants to know how a check gets on, and may end it.
pub trait ProgressMonitor: Sync {
    /// So many pairs are tested.
    fn begin(&self, _pairs: usize) {}

    /// So many more pairs have been answered; many that are followed side by side count by the share of their time.
    fn done(&self, _pairs: usize) {}

    /// Whether to stop: pairs that have not been answered are then undecided.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether to stop at once, at the price of what is half done: once it is so, it stays so. Simulations, which
    /// else stop between two tries of a step, then do not wait for the try to end.
    fn is_final(&self) -> bool {
        false
    }
}

/// Nobody.
impl ProgressMonitor for () {}

/// The earliest contact that any pair is known to have, in seconds. Where only the first contact is asked for, no
/// pair is followed beyond it, except to the end of a contact of its own.
#[derive(Debug)]
pub(crate) struct EarliestContact(AtomicU64);

impl EarliestContact {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(f64::INFINITY.to_bits()))
    }

    /// A pair is in contact at a time, not before 0.
    pub(crate) fn contact_at(&self, time: f64) {
        // The bits of numbers without a sign are in the order of the numbers.
        self.0.fetch_min(time.abs().to_bits(), Ordering::Relaxed);
    }

    /// Whether some pair is in contact before a time.
    pub(crate) fn is_before(&self, time: f64) -> bool {
        f64::from_bits(self.0.load(Ordering::Relaxed)) < time
    }
}
