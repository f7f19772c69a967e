//! Closed intervals of time, and their unions.

/// A closed interval of time [start, end].
///
/// The unit is seconds along a trajectory, or a fraction of the motion along one screw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeInterval {
    /// The first time.
    pub start: f64,
    /// The last time, not before `start`.
    pub end: f64,
}

impl TimeInterval {
    /// The interval [start, end].
    pub const fn new(start: f64, end: f64) -> Self {
        Self { start, end }
    }

    /// Half of start plus end.
    pub fn middle(self) -> f64 {
        0.5 * (self.start + self.end)
    }

    /// End minus start.
    pub fn length(self) -> f64 {
        self.end - self.start
    }
}

/// A union of closed intervals, disjoint and in order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct IntervalSet(Vec<[f64; 2]>);

impl IntervalSet {
    /// The union of intervals in any order.
    pub(crate) fn union_of(mut intervals: Vec<[f64; 2]>) -> Self {
        merge(&mut intervals);
        Self(intervals)
    }

    /// The intervals, in order.
    pub(crate) fn as_slice(&self) -> &[[f64; 2]] {
        &self.0
    }

    /// Adds an interval, merged with all intervals that it touches or overlaps.
    pub(crate) fn add(&mut self, [start, end]: [f64; 2]) {
        let first = self.0.partition_point(|interval| interval[1] < start);
        let last = self.0.partition_point(|interval| interval[0] <= end);
        let merged = self.0[first..last]
            .iter()
            .fold([start, end], |hull, interval| [hull[0].min(interval[0]), hull[1].max(interval[1])]);
        self.0.splice(first..last, [merged]);
    }

    /// Whether one of the intervals contains a whole interval.
    pub(crate) fn contains(&self, [start, end]: [f64; 2]) -> bool {
        let at = self.0.partition_point(|interval| interval[1] < end);
        self.0.get(at).is_some_and(|interval| interval[0] <= start)
    }

    /// The closed gaps between the intervals, from a start to an end; gaps of zero length are omitted.
    pub(crate) fn gaps(&self, [start, end]: [f64; 2]) -> Vec<[f64; 2]> {
        let mut gaps = Vec::with_capacity(self.0.len() + 1);
        let mut from = start;
        let first = self.0.partition_point(|interval| interval[1] <= start);
        for [next, until] in self.0[first..].iter().copied() {
            if next >= end {
                break;
            }
            if next > from {
                gaps.push([from, next]);
            }
            from = from.max(until);
        }
        if from < end {
            gaps.push([from, end]);
        }
        gaps
    }

    /// The longest interval within the limits that contains the given interval and overlaps no interval of the set.
    /// The given interval must overlap none.
    pub(crate) fn gap_around(&self, [start, end]: [f64; 2], [first, last]: [f64; 2]) -> [f64; 2] {
        let before = self.0.iter().map(|interval| interval[1]).filter(|time| *time <= start);
        let after = self.0.iter().map(|interval| interval[0]).filter(|time| *time >= end);
        [before.fold(first, f64::max), after.fold(last, f64::min)]
    }
}

/// Sorts intervals, and merges intervals that touch or overlap.
pub(crate) fn merge(intervals: &mut Vec<[f64; 2]>) {
    intervals.sort_unstable_by(|x, y| x[0].total_cmp(&y[0]));
    intervals.dedup_by(|next, last| {
        let is_one = next[0] <= last[1];
        if is_one {
            last[1] = last[1].max(next[1]);
        }
        is_one
    });
}

#[cfg(test)]
mod tests {
    use chasles_testing::Random;

    use super::*;

    /// Random intervals with whole bounds from 0 to 40, some of zero length.
    fn intervals(random: &mut Random) -> Vec<[f64; 2]> {
        let mut end = || random.within(0.0, 40.0).floor();
        let pairs: Vec<[f64; 2]> = (0..8).map(|_| [end(), end()]).collect();
        pairs.into_iter().map(|[x, y]| [x.min(y), x.max(y).min(x.min(y) + 5.0)]).collect()
    }

    /// Compares with the membership of all times that are multiples of a quarter.
    #[test]
    fn sets_have_the_times_of_their_intervals() {
        for seed in 0..2000 {
            let random = &mut Random(seed);
            let given = intervals(random);
            let union = IntervalSet::union_of(given.clone());
            let mut added = IntervalSet::default();
            given.iter().for_each(|interval| added.add(*interval));
            assert_eq!(union, added, "{given:?}");
            assert!(union.as_slice().windows(2).all(|pair| pair[0][1] < pair[1][0]), "{union:?}");
            let gaps = union.gaps([2.0, 38.0]);
            for number in 0..=160 {
                let time = 0.25 * f64::from(number);
                let is_in = |set: &[[f64; 2]]| set.iter().any(|[start, end]| *start <= time && time <= *end);
                assert_eq!(union.contains([time; 2]), is_in(&given), "{given:?} at {time}");
                let is_inner = 2.0 < time && time < 38.0;
                if is_inner && !is_in(&given) {
                    assert!(is_in(&gaps), "{given:?} at {time}: {gaps:?}");
                }
                let is_end = given.iter().flatten().any(|end| *end == time);
                if is_in(&given) && !is_end {
                    assert!(!is_in(&gaps), "{given:?} at {time}: {gaps:?}");
                }
                if !is_in(&given) {
                    let [before, after] = union.gap_around([time; 2], [0.0, 40.0]);
                    assert!(before <= time && time <= after, "{given:?} at {time}");
                    assert!(!union.as_slice().iter().any(|[start, end]| *start < after && before < *end));
                }
            }
            for [start, end] in &given {
                assert!(union.contains([*start, *end]));
            }
            assert!(!union.contains([-1.0, 40.0]));
        }
    }
}
