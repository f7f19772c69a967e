//! The pairs of parts that bounding spheres leave open in a block of seven intervals.

use std::cmp::Ordering;

use crate::math::time_interval::TimeInterval;
use crate::planning::chain::INTERVALS;
use crate::planning::sweep::{SliceMask, SweepOverlap};

/// A pair that the spheres did not prove separated.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenPair {
    pub(super) parts: [usize; 2],
    /// The path from the group of the second part to the group of the first.
    pub(super) chain_path: ChainRef,
    pub(super) intervals: SliceMask,
    /// The block of seven intervals.
    pub(super) block: TimeInterval,
    pub(super) deepest: usize,
    pub(super) depth: f32,
}

/// The path between the groups of two parts: from the root to a group, or between a pair of groups, by number.
#[derive(Debug, Clone, Copy)]
pub(super) enum ChainRef {
    Root(usize),
    Between(usize),
}

impl OpenPair {
    /// An open pair of two parts.
    pub(super) fn of(
        parts: [usize; 2],
        chain_path: ChainRef,
        block: TimeInterval,
        found: SweepOverlap,
    ) -> Self {
        let SweepOverlap { intervals, deepest, depth, .. } = found;
        Self { parts, chain_path, intervals, block, deepest, depth }
    }

    /// An open pair of two parts; `None` if they are proven separated.
    pub(super) fn new(
        parts: [usize; 2],
        chain_path: ChainRef,
        block: TimeInterval,
        found: SweepOverlap,
    ) -> Option<Self> {
        (found.intervals != 0).then(|| Self::of(parts, chain_path, block, found))
    }

    /// The time when `intervals` of the seven intervals have passed.
    pub(super) fn time(&self, intervals: f64) -> f64 {
        let TimeInterval { start, end } = self.block;
        if intervals >= INTERVALS as f64 {
            end
        } else {
            start + (end - start) * (intervals / INTERVALS as f64)
        }
    }

    /// A total order of the pairs of one query.
    pub(super) fn deepest_first(&self, other: &Self) -> Ordering {
        other.depth.total_cmp(&self.depth).then_with(|| self.earliest_first(other))
    }

    pub(super) fn earliest_first(&self, other: &Self) -> Ordering {
        self.start().total_cmp(&other.start()).then(self.parts.cmp(&other.parts))
    }

    fn start(&self) -> f64 {
        self.time(f64::from(self.intervals.trailing_zeros()))
    }

    /// Start and end of each maximal sequence of consecutive intervals.
    pub(super) fn merged_intervals(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let has = |k: usize| self.intervals & (1 << k) != 0;
        (0..INTERVALS).filter(move |k| has(*k) && (*k == 0 || !has(k - 1))).map(move |first| {
            let last = (first..INTERVALS).find(|k| !has(*k)).unwrap_or(INTERVALS);
            (self.time(first as f64), self.time(last as f64))
        })
    }
}
