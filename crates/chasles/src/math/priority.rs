//! The order of the entries of priority queues.

use std::cmp::Ordering;

/// A value that waits in a priority queue.
pub(crate) trait Priority {
    /// `Greater` if this value leaves the queue before the other, `Less` if it leaves after the other.
    fn order(&self, other: &Self) -> Ordering;
}

/// An entry of a [`BinaryHeap`](std::collections::BinaryHeap), ordered by its priority.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueEntry<T>(pub(crate) T);

impl<T: Priority> Ord for QueueEntry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

impl<T: Priority> PartialOrd for QueueEntry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Priority> PartialEq for QueueEntry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Priority> Eq for QueueEntry<T> {}
