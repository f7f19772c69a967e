//! A queue of pairs, ordered by the time at which they can first meet.
//!
//! It consists of buckets of equal duration, each a stack: nearly the order of a heap at the cost of a stack. In
//! large meshes many pairs have times just before the first contact: with 256 buckets the search tests a third more
//! triangles than with 4096 (100,000 triangles each). In small meshes 256 buckets are enough, and stay in the L1
//! cache.

use crate::math::lanes::{max, min};
use crate::mesh_screw::chart::ChartInterval;

/// Two bounds, by their indices in the workspace, and the interval in which they can meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct QueuedPair {
    pub(crate) first: f32,
    pub(crate) last: f32,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// Maximum number of buckets, a power of two.
const MAX_BUCKETS: usize = 4096;

/// Number of empty buckets that are skipped at once.
const STRIDE: usize = 16;

/// Minimum number of buckets.
const MIN_BUCKETS: usize = 256;

/// Number of triangles per bucket.
const TRIANGLES_PER_BUCKET: usize = 32;

/// 2^23: larger f32 numbers are whole.
const WHOLE: f32 = 8_388_608.0;

/// The end of a stack.
const END: u32 = u32::MAX;

/// Pairs still to be examined. The memory is reused.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    /// The pairs, each with the next in its stack.
    entries: Vec<(QueuedPair, u32)>,
    /// The first free entry.
    free: u32,
    heads: Box<[u32; MAX_BUCKETS]>,
    /// The first bucket that may contain a pair. Pairs found inside another pair do not meet before that pair.
    cursor: usize,
    /// The last bucket that is needed.
    limit: usize,
    /// Start of the first bucket, buckets per unit of time, number of buckets, and index of the last.
    start: f32,
    per_time: f32,
    buckets: usize,
    last: f32,
    /// Pairs for which the buckets have no space: these are searched depth first, so the list stays short.
    overflow: Vec<QueuedPair>,
    capacity: usize,
}

/// Maximum number of pairs in the buckets, 20 bytes each.
const CAPACITY: usize = 1 << 22;

impl Default for Queue {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            free: END,
            heads: Box::new([END; MAX_BUCKETS]),
            cursor: 0,
            limit: MAX_BUCKETS - 1,
            start: 0.0,
            per_time: 0.0,
            buckets: MIN_BUCKETS,
            last: 0.0,
            overflow: Vec::new(),
            capacity: CAPACITY,
        }
    }
}

impl Queue {
    /// Empties the queue, for pairs that meet between two times; `triangles` is the total number of both bodies.
    pub(crate) fn start(&mut self, interval: ChartInterval, triangles: usize) {
        self.entries.clear();
        self.overflow.clear();
        self.free = END;
        let buckets = (triangles / TRIANGLES_PER_BUCKET).clamp(MIN_BUCKETS, MAX_BUCKETS);
        self.heads[..buckets].fill(END);
        (self.cursor, self.limit) = (0, buckets - 1);
        (self.start, self.buckets) = (interval.start, buckets);
        self.last = (buckets - 1) as f32;
        let ChartInterval { start, end } = interval;
        self.per_time = if end > start { buckets as f32 / (end - start) } else { 0.0 };
    }

    /// Pairs that meet only after time `t` are not needed any more.
    #[inline]
    pub(crate) fn end_after(&mut self, t: f32) {
        self.limit = self.bucket(t);
    }

    /// The bucket of a time.
    #[inline]
    fn bucket(&self, t: f32) -> usize {
        // A NaN time goes into the last bucket.
        let bucket = min(max(0.0, (t - self.start) * self.per_time), self.last);
        // The whole part of a number below 2^23, without a conversion.
        ((bucket + WHOLE).to_bits() as usize % MAX_BUCKETS).max(self.cursor)
    }

    /// Like [`Self::push`], but returns the pair if [`Self::pop`] would return it next.
    #[inline]
    pub(crate) fn push_unless_next(&mut self, pair: QueuedPair) -> Option<QueuedPair> {
        if self.bucket(pair.first) == self.cursor {
            return Some(pair);
        }
        self.push(pair);
        None
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, pair: QueuedPair) {
        let bucket = self.bucket(pair.first);
        let head = self.heads[bucket];
        let place = if self.free != END {
            let place = self.free;
            self.free = self.entries[place as usize].1;
            self.entries[place as usize] = (pair, head);
            place
        } else if self.entries.len() < self.capacity {
            let place = u32::try_from(self.entries.len()).unwrap_or(END);
            self.entries.push((pair, head));
            place
        } else {
            self.overflow.push(pair);
            return;
        };
        self.heads[bucket] = place;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<QueuedPair> {
        if let Some(pair) = self.overflow.pop() {
            return Some(pair);
        }
        let mut cursor = self.cursor % MAX_BUCKETS;
        while self.heads[cursor] == END {
            if cursor >= self.limit {
                return None;
            }
            cursor += 1;
            // Skips empty buckets in strides: END has all bits set.
            while let Some(stride) = self.heads.get(cursor..cursor + STRIDE)
                && stride.iter().fold(END, |all, head| all & head) == END
                && cursor + STRIDE <= self.limit
            {
                cursor += STRIDE;
            }
        }
        self.cursor = cursor;
        let place = self.heads[cursor];
        let (pair, next) = self.entries[place as usize];
        self.entries[place as usize].1 = self.free;
        self.free = place;
        self.heads[cursor] = next;
        Some(pair)
    }

    /// The earliest time at which a remaining pair can meet.
    pub(crate) fn earliest_start(&self) -> f32 {
        let mut earliest = f32::INFINITY;
        for head in &self.heads[self.cursor..self.buckets] {
            let mut place = *head;
            while place != END {
                let (pair, next) = self.entries[place as usize];
                earliest = earliest.min(pair.first);
                place = next;
            }
        }
        self.overflow.iter().map(|pair| pair.first).fold(earliest, f32::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(first: f32, a: u32) -> QueuedPair {
        QueuedPair { first, last: 1.0, a, b: 0 }
    }

    #[test]
    fn pairs_come_in_order_of_buckets_and_none_is_lost() {
        let mut queue = Queue::default();
        // Twice, because the second run must not see pairs of the first.
        for _ in 0..2 {
            queue.start(ChartInterval::new(-0.5, 0.5), 1 << 20);
            for a in 0..10_000 {
                queue.push(pair(((a * 7919) % 1000) as f32 * 1e-3 - 0.5, a));
            }
            let (mut last, mut seen) = (f32::NEG_INFINITY, vec![false; 10_000]);
            while let Some(QueuedPair { first, a, .. }) = queue.pop() {
                assert!(
                    first >= last - 2.0 / MAX_BUCKETS as f32
                        && !std::mem::replace(&mut seen[a as usize], true)
                );
                last = last.max(first);
                assert!(queue.earliest_start() >= first - 2.0 / MAX_BUCKETS as f32);
                // A child of the pair, for one pair in a hundred.
                if a % 100 == 0 && first < 0.4 {
                    assert!(queue.push_unless_next(pair(first + 0.05, a)).is_none());
                    assert_eq!(queue.push_unless_next(pair(first, a)), Some(pair(first, a)));
                    seen[a as usize] = false;
                }
                if a % 100 == 0 && first >= 0.4 {
                    seen[a as usize] = true;
                }
            }
            assert!(seen.iter().all(|s| *s));
        }
    }

    #[test]
    fn pairs_beyond_the_capacity_come_first_and_none_is_lost() {
        let mut queue = Queue { capacity: 50, ..Queue::default() };
        queue.start(ChartInterval::new(0.0, 1.0), 1 << 20);
        (0..100).for_each(|a| queue.push(pair(a as f32 * 0.01, a)));
        assert_eq!(queue.earliest_start(), 0.0);
        let popped: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|pair| pair.a).collect();
        assert_eq!(popped, (50..100).rev().chain(0..50).collect::<Vec<_>>());
    }

    #[test]
    fn pairs_after_the_end_are_not_returned() {
        let mut queue = Queue::default();
        queue.start(ChartInterval::new(0.0, 1.0), 1 << 20);
        (0..100).for_each(|a| queue.push(pair(a as f32 * 0.01, a)));
        queue.end_after(0.495);
        let popped: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|pair| pair.a).collect();
        assert_eq!(popped, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn times_outside_the_interval_and_nan_times_go_into_some_bucket() {
        let mut queue = Queue::default();
        queue.start(ChartInterval::new(0.25, 0.25), 0);
        for t in [f32::NEG_INFINITY, -1.0, 0.25, 7.0, f32::INFINITY, f32::NAN] {
            queue.push(pair(t, 0));
        }
        assert_eq!(std::iter::from_fn(|| queue.pop()).count(), 6);
    }
}
