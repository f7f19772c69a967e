//! Processes items with several threads and returns the results in the order of the items.
//!
//! With one thread, the caller does all work. Otherwise one thread reads a limited number of items ahead, and the
//! others process them. These are plain threads and not rayon tasks, because they wait for each other's meshes: a rayon
//! task that waits for a part of its own work may steal another task, which may wait for a result of the first.

use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// The number of items that are read ahead, per thread: enough to keep all threads busy while one item takes long,
/// and few enough to hold in memory.
const READ_AHEAD: usize = 32;

/// An iterator of results, in order.
pub(crate) enum InOrder<O> {
    /// The caller does the work when it requests a result.
    InCaller(Box<dyn Iterator<Item = O>>),
    Threads(Threads<O>),
}

/// Results of several threads.
#[derive(Debug)]
pub(crate) struct Threads<O> {
    /// One channel for each item that was read, in order.
    result_channels: Receiver<Receiver<O>>,
    /// The channel of the next result.
    next_channel: Option<Receiver<O>>,
    reader: Option<JoinHandle<()>>,
}

/// The result of [`InOrder::next_within`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next<O> {
    /// The next result.
    Ready(O),
    /// The next result is not available yet.
    Later,
    /// There are no more results.
    End,
    /// A thread panicked: the next result will never be available.
    Panicked,
}

/// Starts to process the items. The threads end after the last item, or some time after the results are dropped.
/// With one thread, the caller does the work.
///
/// # Errors
/// The system cannot start more threads.
pub(crate) fn process_in_order<I: Send + 'static, O: Send + 'static>(
    items: impl Iterator<Item = I> + Send + 'static,
    work: impl Fn(I) -> O + Send + Sync + 'static,
    threads: NonZeroUsize,
) -> io::Result<InOrder<O>> {
    if threads == NonZeroUsize::MIN {
        return Ok(InOrder::InCaller(Box::new(items.map(work))));
    }
    let (result_channels_in, result_channels) = sync_channel(READ_AHEAD.saturating_mul(threads.get()));
    let (jobs_in, jobs) = channel::<(I, Sender<O>)>();
    let (jobs, work) = (Arc::new(Mutex::new(jobs)), Arc::new(work));
    for _ in 0..threads.get() {
        let (jobs, work) = (Arc::clone(&jobs), Arc::clone(&work));
        Builder::new().name("worker".into()).spawn(move || {
            loop {
                // The lock is held while waiting for a job, not while processing it.
                let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok((item, result_channel)) = job else { break };
                // An error means that the results were dropped.
                if result_channel.send(work(item)).is_err() {
                    break;
                }
            }
        })?;
    }
    let reader = Builder::new().name("reader".into()).spawn(move || {
        for item in items {
            let (result, result_channel) = channel();
            if result_channels_in.send(result_channel).is_err() || jobs_in.send((item, result)).is_err() {
                break;
            }
        }
    })?;
    Ok(InOrder::Threads(Threads { result_channels, next_channel: None, reader: Some(reader) }))
}

impl<O> InOrder<O> {
    /// Returns the next result, waiting for at most `wait`. If the caller does the work itself, the work starts
    /// unless `wait` is zero, and is not interrupted.
    pub(crate) fn next_within(&mut self, wait: Duration) -> Next<O> {
        match self {
            Self::InCaller(_) if wait.is_zero() => Next::Later,
            Self::InCaller(results) => results.next().map_or(Next::End, Next::Ready),
            Self::Threads(threads) => threads.next_within(wait),
        }
    }
}

impl<O> Threads<O> {
    fn next_within(&mut self, wait: Duration) -> Next<O> {
        let result_channel = match self.next_channel.take() {
            Some(result_channel) => result_channel,
            None => match self.result_channels.recv_timeout(wait) {
                Ok(result_channel) => result_channel,
                Err(RecvTimeoutError::Timeout) => return Next::Later,
                Err(RecvTimeoutError::Disconnected) => {
                    let fine = self.reader.take().is_none_or(|reader| reader.join().is_ok());
                    return if fine { Next::End } else { Next::Panicked };
                }
            },
        };
        match result_channel.recv_timeout(wait) {
            Ok(result) => Next::Ready(result),
            Err(RecvTimeoutError::Timeout) => {
                self.next_channel = Some(result_channel);
                Next::Later
            }
            Err(RecvTimeoutError::Disconnected) => Next::Panicked,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn start<I: Send + 'static, O: Send + 'static>(
        items: impl Iterator<Item = I> + Send + 'static,
        work: impl Fn(I) -> O + Send + Sync + 'static,
        threads: usize,
    ) -> InOrder<O> {
        process_in_order(items, work, NonZeroUsize::new(threads).unwrap()).unwrap()
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for threads in [1, 2, 8] {
            // Every seventh item takes long, so that others overtake it.
            let work = |i: u64| {
                if i.is_multiple_of(7) {
                    std::thread::sleep(Duration::from_millis(2));
                }
                i * i
            };
            let mut results = start(0..500, work, threads);
            for i in 0..500 {
                assert_eq!(results.next_within(LONG), Next::Ready(i * i));
            }
            assert_eq!(results.next_within(LONG), Next::End);
        }
    }

    #[test]
    fn reading_ahead_is_limited() {
        let read = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&read);
        let mut results = start((0..).inspect(move |_| _ = counter.fetch_add(1, Ordering::SeqCst)), |i| i, 2);
        for i in 0..10 {
            assert_eq!(results.next_within(LONG), Next::Ready(i));
        }
        std::thread::sleep(Duration::from_millis(50));
        // The items taken, the items that wait in a channel, and the item that waits for a free channel.
        assert!(read.load(Ordering::SeqCst) <= 10 + 2 * READ_AHEAD + 1);
    }

    #[test]
    fn results_are_returned_before_the_next_item_arrives() {
        let (items_in, items) = channel();
        let mut results = start(items.into_iter(), |i: u32| i + 1, 3);
        assert_eq!(results.next_within(Duration::ZERO), Next::Later);
        for i in 0..3 {
            items_in.send(i).unwrap();
            assert_eq!(results.next_within(LONG), Next::Ready(i + 1));
        }
        drop(items_in);
        assert_eq!(results.next_within(LONG), Next::End);
    }

    #[test]
    fn a_panic_is_not_the_end_of_the_results() {
        let mut results = start(0..3, |i| assert_ne!(i, 1, "a test of panics"), 2);
        assert_eq!(results.next_within(LONG), Next::Ready(()));
        assert_eq!(results.next_within(LONG), Next::Panicked);
        let mut results = start((0..3).inspect(|i| assert_ne!(*i, 1, "a test of panics")), |i| i, 2);
        assert_eq!(results.next_within(LONG), Next::Ready(0));
        assert_eq!(results.next_within(LONG), Next::Panicked);
    }
}
