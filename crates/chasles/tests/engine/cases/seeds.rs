//! Runs seeds on all threads, and reports every failure.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// The errors of an answer; empty if it is right.
pub(crate) type Wrong = Vec<String>;

/// The seeds of a long test: the first `normal`, and with `CHASLES_LONG` the first `long`, or the range
/// `CHASLES_SEEDS=FROM..TO`, so that a run of hours can be done in parts.
pub(crate) fn seed_range(normal: u64, long: u64) -> Range<u64> {
    if std::env::var_os("CHASLES_LONG").is_none() {
        return 0..normal;
    }
    let Ok(part) = std::env::var("CHASLES_SEEDS") else { return 0..long };
    let ends = part.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.unwrap_or_else(|| panic!("CHASLES_SEEDS is FROM..TO, two whole numbers, not {part:?}"))
}

/// Runs the seeds from 0 on all threads, and reports all failures at once.
#[track_caller]
pub(crate) fn for_all(seeds: u64, check: impl Fn(u64) -> Wrong + Sync) {
    for_each(0..seeds, check);
}

/// As `for_all`, for any range of seeds.
#[track_caller]
pub(crate) fn for_each(seeds: Range<u64>, check: impl Fn(u64) -> Wrong + Sync) {
    let count = seeds.end.saturating_sub(seeds.start);
    let wrong: Vec<(u64, Wrong)> =
        seeds.into_par_iter().map(|seed| (seed, check(seed))).filter(|(_, w)| !w.is_empty()).collect();
    let mut text = String::new();
    for (seed, wrong) in wrong.iter().take(20) {
        let _ = writeln!(text, "seed {seed}: {}", wrong.join("\n    "));
    }
    assert!(wrong.is_empty(), "{} of {count} seeds:\n{text}", wrong.len());
}

/// A count of cases of some kind, on all threads.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    /// Adds one.
    pub(crate) fn add(&self) {
        self.add_if(true);
    }

    /// Adds one if the condition holds.
    pub(crate) fn add_if(&self, is_one: bool) {
        self.0.fetch_add(usize::from(is_one), Ordering::Relaxed);
    }

    /// The count.
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
