//! The minimum distance of two bodies along their whole motion.
//!
//! A priority queue holds pairs of nodes over time intervals, ordered by a lower bound of their gap. The bound is
//! the gap at the middle of the interval, minus how much it can shrink along the separating direction: the volumes'
//! speed there times half the interval, plus a term for the acceleration. The search takes the pair with the
//! smallest bound, and either halves its interval or opens the node with the larger error, depending on which causes
//! more of the uncertainty. Points of both bodies give the upper bound.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::math::budget::{Budget, OutOfBudget};
use crate::math::priority::{Priority, QueueEntry};
use crate::math::time_interval::TimeInterval;
use crate::motion::relative::RelativeMotion;
use crate::sets::bounded_motion::BoundedMotion;
use crate::sets::first::{DistanceTolerance, STEPS_A_PAIR, TreePair};
use crate::sets::follow::SetPair;
use crate::sets::follow::near_interval::MotionToEnd;
use crate::sets::volume::{DistanceGoal, separation};

/// The minimum distance is computed to this fraction of itself, to epsilon, or to `ABSOLUTE_ACCURACY` metres,
/// whichever is largest. For bodies smaller than a metre, `ABSOLUTE_ACCURACY` shrinks in proportion to their size.
const RELATIVE_ACCURACY: f64 = 0.008;
const ABSOLUTE_ACCURACY: f64 = 8e-6;

/// Steps that the budget is charged for a search for points of both bodies: for solids made of meshes it takes some
/// 0.1 ms.
const STEPS_A_WITNESS: u64 = 2_000;

/// The maximum number of steps: a few seconds. If they run out, the answer keeps the gap between its bounds.
const MAX_STEPS: u64 = 50_000_000;

/// The smallest gap found so far, in metres, and its time.
struct SmallestGap {
    upper: f64,
    time: f64,
}

/// A pair of nodes over a time interval.
#[derive(Debug, Clone, Copy)]
struct OpenInterval {
    /// A lower bound of the gap, in metres.
    bound: f64,
    /// The part of the uncertainty of `bound` that comes from the length of the interval.
    cost: f64,
    interval: [f64; 2],
    motion_part: usize,
    nodes: [u32; 2],
}

impl OpenInterval {
    fn middle(&self) -> f64 {
        0.5 * (self.interval[0] + self.interval[1])
    }
}

impl Priority for OpenInterval {
    /// Smallest bound first; ties by earliest time, then by node numbers.
    fn order(&self, other: &Self) -> Ordering {
        let by_bound = other.bound.total_cmp(&self.bound);
        by_bound.then(other.interval[0].total_cmp(&self.interval[0])).then(other.nodes.cmp(&self.nodes))
    }
}

/// Bounds of the minimum gap, in metres, and a time at which the gap is at most the upper bound. The bounds are
/// further apart if the budget ran out. `size` is the diagonal of the smaller body, in metres.
pub(crate) fn minimum_distance(
    pair: &SetPair<'_>,
    size: f64,
    relative: &RelativeMotion<'_>,
    budget: &mut Budget<'_>,
) -> ([f64; 2], f64) {
    let mut smallest = SmallestGap { upper: f64::INFINITY, time: 0.0 };
    let mut lower = f64::INFINITY;
    let absolute_accuracy = (ABSOLUTE_ACCURACY * size.min(1.0)).max(pair.epsilon);
    let mut part = budget.part(MAX_STEPS);
    let allowed = part.remaining();
    for smooth in relative.smooth_intervals() {
        let TimeInterval { start, end } = smooth.interval();
        let (mover, _) = relative.motion_bounds(start, end);
        let motion_to_end = MotionToEnd { relative, mover, within: 0.5 * (start + end), end };
        let mut search =
            SetDistanceSearch { trees: pair.trees(mover), motion_parts: Vec::new(), absolute_accuracy };
        let found = search.run(&motion_to_end, start, &mut smallest, &mut part).unwrap_or(0.0);
        lower = lower.min(found);
    }
    // `part` never exceeds the rest of the budget, so this succeeds.
    let _ = budget.take(allowed - part.remaining());
    ([lower.min(smallest.upper).max(0.0), smallest.upper], smallest.time)
}

struct SetDistanceSearch<'s, 'a> {
    trees: TreePair<'s>,
    motion_parts: Vec<BoundedMotion<'a>>,
    /// The bounds may differ by this, in metres.
    absolute_accuracy: f64,
}

impl<'a> SetDistanceSearch<'_, 'a> {
    /// A lower bound of the gap along one smooth interval. It matters only if it is below the smallest gap found.
    fn run(
        &mut self,
        motion_to_end: &MotionToEnd<'a>,
        start: f64,
        smallest: &mut SmallestGap,
        budget: &mut Budget<'_>,
    ) -> Result<f64, OutOfBudget> {
        let mut queue = BinaryHeap::new();
        let mut time = start;
        loop {
            let motion_part = motion_to_end.motion_part(time);
            time = motion_part.to;
            let interval = [motion_part.from, motion_part.to];
            self.motion_parts.push(motion_part);
            queue.push(QueueEntry(self.bounded(interval, self.motion_parts.len() - 1, [0, 0])));
            budget.take(STEPS_A_PAIR)?;
            if time >= motion_to_end.end {
                break;
            }
        }
        let mut tried = f64::INFINITY;
        while let Some(QueueEntry(open)) = queue.pop() {
            let accuracy = (RELATIVE_ACCURACY * smallest.upper).max(self.absolute_accuracy);
            if open.bound >= smallest.upper - accuracy {
                return Ok(open.bound);
            }
            // All pairs still in the queue have bounds no smaller than this one.
            if self.trees.is_full(queue.len()) || budget.take(STEPS_A_PAIR + 1).is_err() {
                return Ok(open.bound);
            }
            let OpenInterval { interval, motion_part, nodes, cost, .. } = open;
            let middle = open.middle();
            let errors = [self.trees.first.node(nodes[0]).error, self.trees.second.node(nodes[1]).error];
            let uncertainty = errors[0] + errors[1] + cost;
            if uncertainty <= 0.5 * accuracy || uncertainty <= 0.7 * tried {
                tried = uncertainty;
                if budget.take(STEPS_A_WITNESS).is_err() {
                    return Ok(open.bound);
                }
                self.sample(&open, accuracy, smallest);
            }
            if cost <= 0.0 && errors == [0.0; 2] || middle <= interval[0] || middle >= interval[1] {
                // Neither step can improve this bound.
                return Ok(open.bound.max(0.0));
            }
            if cost > errors[0] + errors[1] {
                for half in [[interval[0], middle], [middle, interval[1]]] {
                    let next = self.bounded(half, motion_part, nodes);
                    queue.push(QueueEntry(OpenInterval { bound: next.bound.max(open.bound), ..next }));
                }
                continue;
            }
            let opens_first = errors[0] >= errors[1];
            let children = if opens_first {
                self.trees.first.split(nodes[0])
            } else {
                self.trees.second.split(nodes[1])
            };
            for child in children {
                let nodes = if opens_first { [child, nodes[1]] } else { [nodes[0], child] };
                let next = self.bounded(interval, motion_part, nodes);
                queue.push(QueueEntry(OpenInterval { bound: next.bound.max(open.bound), ..next }));
            }
        }
        Ok(f64::INFINITY)
    }

    /// Lowers the upper bound by points of both bodies, near the two nodes, at the middle of an interval.
    fn sample(&mut self, open: &OpenInterval, accuracy: f64, smallest: &mut SmallestGap) {
        let OpenInterval { motion_part, nodes, .. } = *open;
        let time = open.middle();
        let (a, b) = (self.trees.first.node(nodes[0]), self.trees.second.node(nodes[1]));
        let transform = self.motion_parts[motion_part].transform_at(time);
        let goal = DistanceGoal {
            less: 0.0,
            relative: 1e-3,
            absolute: 0.01 * accuracy,
            more: f64::INFINITY,
            towards: DVec3::ZERO,
        };
        let found = separation(self.trees.volumes(nodes), &transform, &goal);
        let errors = a.error + b.error;
        let near = DistanceTolerance { distance: found.lower.max(0.0), epsilon: accuracy + 2.0 * errors };
        if let Some(witness) = self.trees.witness(nodes, found.points, &transform, near) {
            let gap = witness.gap().max(0.0) + transform.rounding;
            if gap < smallest.upper {
                (smallest.upper, smallest.time) = (gap, time);
            }
        }
    }

    /// The pair of two nodes over an interval, with its lower bound.
    fn bounded(&self, interval: [f64; 2], motion_part: usize, nodes: [u32; 2]) -> OpenInterval {
        let half = 0.5 * (interval[1] - interval[0]);
        let middle = 0.5 * (interval[0] + interval[1]);
        let volumes = self.trees.volumes(nodes);
        let (gap, decrease) =
            self.motion_parts[motion_part].separation_at(volumes, middle, half * (1.0 + 1e-12));
        let bound = gap - decrease;
        // A NaN bounds nothing.
        let bound = if bound.is_nan() { f64::NEG_INFINITY } else { bound };
        OpenInterval { bound, cost: decrease, interval, motion_part, nodes }
    }
}
