//! Seeds on all threads, with every failure told.

#![allow(dead_code, reason = "each test program uses its own part")]

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// What is wrong with an answer; empty where nothing is.
pub(crate) type Wrong = Vec<String>;

/// Runs all seeds, on all threads, and tells of every failure at once.
#[track_caller]
pub(crate) fn for_all(seeds: u64, check: impl Fn(u64) -> Wrong + Sync) {
    let wrong: Vec<(u64, Wrong)> =
        (0..seeds).into_par_iter().map(|seed| (seed, check(seed))).filter(|(_, w)| !w.is_empty()).collect();
    let mut text = String::new();
    for (seed, wrong) in wrong.iter().take(20) {
        let _ = writeln!(text, "seed {seed}: {}", wrong.join("\n    "));
    }
    assert!(wrong.is_empty(), "{} of {seeds} seeds:\n{text}", wrong.len());
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
