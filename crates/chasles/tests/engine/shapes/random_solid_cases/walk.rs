//! Whether two bodies stay separated over an interval of time, by tests at single times.

use std::collections::BinaryHeap;

use super::Case;
use super::twin::Found;

/// The result of a walk over an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Walked {
    /// A time at which the bodies are certainly within the distance, and their distance.
    pub(crate) near: Option<(f64, f64)>,
    /// Total time proven free, in seconds.
    pub(crate) proven: f64,
    /// Number of boxes examined.
    pub(crate) looks: usize,
}

/// A waiting interval; the longest comes first.
#[derive(Debug, PartialEq)]
struct Waiting {
    from: f64,
    to: f64,
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.to - self.from).total_cmp(&(other.to - other.from)).then(other.from.total_cmp(&self.from))
    }
}

/// Distances below this count as zero, in metres.
const LEAST: f64 = 1e-6;

/// Number of boxes for a test at one time.
const A_LOOK: usize = 150;

/// Searches for a time between two at which the bodies are within a distance, with at most `most` boxes. A larger gap
/// at a time persists for a while around it.
pub(crate) fn walk(case: &Case, [from, to]: [f64; 2], distance: f64, most: usize) -> Walked {
    let rate = case.rate();
    let mut walked = Walked { near: None, proven: 0.0, looks: 0 };
    let mut open = BinaryHeap::from([Waiting { from, to }]);
    while let Some(Waiting { from, to }) = open.pop() {
        if walked.looks >= most || to - from <= 1e-12 * case.duration {
            break;
        }
        let time = 0.5 * (from + to);
        let reach = 0.5 * rate * (to - from);
        let mut stance = case.stance(time);
        // The distance of balls around them.
        let [a, b] = [case.sides[0].radius, case.sides[1].radius];
        let balls = stance.between.place.length() - a - b - distance - LEAST;
        let mut covered = (balls > 0.0).then(|| balls / rate);
        let mut beyond = reach.min(0.25 * a.min(b)).max(balls.min(reach));
        let mut undecided = 0;
        while balls < reach && undecided < 2 {
            match stance.decide(distance + beyond, A_LOOK) {
                Found::Apart => {
                    covered = Some((beyond / rate).max(covered.unwrap_or(0.0)));
                    break;
                }
                Found::Near { distance: near, .. } if near <= distance => {
                    walked.near = Some((time, near));
                    walked.looks += stance.looks;
                    return walked;
                }
                Found::Near { distance: near, .. } => beyond = 0.5 * (near - distance),
                Found::Unknown => {
                    beyond *= 0.2;
                    undecided += 1;
                }
            }
            if beyond == 0.0 || beyond < balls {
                break;
            }
            if beyond < LEAST {
                beyond = 0.0;
            }
        }
        // A quick test counts as well.
        walked.looks += stance.looks + 1;
        let [before, after] = match covered {
            Some(half) => {
                walked.proven += (2.0 * half).min(to - from);
                [time - half, time + half]
            }
            None => [time, time],
        };
        for (from, to) in [(from, before), (after, to)] {
            if from < to {
                open.push(Waiting { from, to });
            }
        }
    }
    walked
}
