//! Seeds on all threads, with every failure told.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// What is wrong with an answer; empty where nothing is.
pub(crate) type Wrong = Vec<String>;

/// The seeds of a long test: the first of `normal`, and with `CHASLES_LONG` the first of `long`, or those that
/// `CHASLES_SEEDS=FROM..TO` names, so that a run of hours can be done in parts.
pub(crate) fn seed_range(normal: u64, long: u64) -> Range<u64> {
    if std::env::var_os("CHASLES_LONG").is_none() {
        return 0..normal;
    }
    let Ok(part) = std::env::var("CHASLES_SEEDS") else { return 0..long };
    let ends = part.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.unwrap_or_else(|| panic!("CHASLES_SEEDS is FROM..TO, two whole numbers, not {part:?}"))
}

/// Runs so many seeds, on all threads, and tells of every failure at once.
#[track_caller]
pub(crate) fn for_all(seeds: u64, check: impl Fn(u64) -> Wrong + Sync) {
    for_each(0..seeds, check);
}

/// The same for any seeds.
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

/// How many of some kind were looked at, on all threads.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    /// One more.
    pub(crate) fn add(&self) {
        self.add_if(true);
    }

    /// One more, where it is one.
    pub(crate) fn add_if(&self, is_one: bool) {
        self.0.fetch_add(usize::from(is_one), Ordering::Relaxed);
    }

    /// So many.
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
