//! The minimum distance of two bodies along their whole motion.
//!
//! A priority queue holds pairs of nodes over time intervals, ordered by a lower bound of their gap. The bound is
//! the gap at the middle of the interval, minus how much it can shrink along the separating direction: the volumes'
//! speed there times half the interval, plus a term for the acceleration. The search takes the pair with the
//! smallest bound, and either halves its interval or opens the node with the larger error, depending on which causes
//! more slack. Points of both bodies give the upper bound.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;
use crate::motion::relative::RelativeMotion;
use crate::sets::bounded_motion::BoundedMotion;
use crate::sets::first::{DistanceTolerance, STEPS_A_PAIR, TreePair};
use crate::sets::follow::SetPair;
use crate::sets::hold::MotionToEnd;
use crate::sets::volume::{DistanceGoal, separation};

/// The minimum distance is computed to this fraction of itself, to epsilon, or to `ABSOLUTE` metres, whichever is
/// largest. For bodies smaller than a metre, `ABSOLUTE` shrinks in proportion to their size.
const SHARE: f64 = 0.008;
const ABSOLUTE: f64 = 8e-6;

/// Steps that the budget is charged for a search for points of both bodies: for solids made of meshes it takes some
/// 0.1 ms.
const STEPS_A_LOOK: u64 = 2_000;

/// The maximum number of steps: a few seconds. If they run out, the answer keeps the gap between its bounds.
const MOST_STEPS: u64 = 50_000_000;

/// The smallest gap found so far, in metres, and its time.
struct LeastSeen {
    upper: f64,
    time: f64,
}

/// A pair of nodes over a time interval.
#[derive(Debug, Clone, Copy)]
struct OpenSpan {
    /// A lower bound of the gap, in metres.
    bound: f64,
    /// The part of the slack of `bound` that comes from the length of the interval.
    cost: f64,
    span: [f64; 2],
    leg: usize,
    nodes: [u32; 2],
}

impl OpenSpan {
    /// Smallest bound first; ties by earliest time, then by node numbers.
    fn order(&self, other: &Self) -> Ordering {
        let by_bound = other.bound.total_cmp(&self.bound);
        by_bound.then(other.span[0].total_cmp(&self.span[0])).then(other.nodes.cmp(&self.nodes))
    }
}

impl PartialEq for OpenSpan {
    fn eq(&self, other: &Self) -> bool {
        self.order(other) == Ordering::Equal
    }
}

impl Eq for OpenSpan {}

impl PartialOrd for OpenSpan {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OpenSpan {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order(other)
    }
}

/// Bounds of the minimum gap, in metres, and a time at which the gap is at most the upper bound. The bounds are
/// further apart if the budget ran out. `size` is the diagonal of the smaller body, in metres.
pub(crate) fn minimum_distance(
    (pair, size): (&SetPair<'_>, f64),
    relative: &RelativeMotion<'_>,
    budget: &mut Budget<'_>,
) -> ([f64; 2], f64) {
    let mut least = LeastSeen { upper: f64::INFINITY, time: 0.0 };
    let mut lower = f64::INFINITY;
    let slack = (ABSOLUTE * size.min(1.0)).max(pair.epsilon);
    let mut part = budget.part(MOST_STEPS);
    let allowed = part.remaining();
    for stretch in relative.smooth_intervals() {
        let TimeInterval { start: begin, end } = stretch.interval();
        let (mover, _) = relative.motion_bounds(begin, end);
        let route = MotionToEnd { relative, mover, within: 0.5 * (begin + end), end };
        let mut search = LeastSearch { trees: pair.trees(mover), legs: Vec::new(), slack };
        let found = search.run((&route, begin), (&mut least, &mut part)).unwrap_or(0.0);
        lower = lower.min(found);
    }
    // `part` never holds more than the budget has left, so this succeeds.
    let _ = budget.take(allowed - part.remaining());
    ([lower.min(least.upper).max(0.0), least.upper], least.time)
}

struct LeastSearch<'s, 'a> {
    trees: TreePair<'s>,
    legs: Vec<BoundedMotion<'a>>,
    /// The bounds may differ by this, in metres.
    slack: f64,
}

impl<'a> LeastSearch<'_, 'a> {
    /// A lower bound of the gap along one smooth interval. It matters only if it is below the smallest gap found.
    fn run(
        &mut self,
        (route, begin): (&MotionToEnd<'a>, f64),
        (least, budget): (&mut LeastSeen, &mut Budget<'_>),
    ) -> Result<f64, OutOfBudget> {
        let mut queue = BinaryHeap::new();
        let mut time = begin;
        loop {
            let leg = route.leg(time);
            time = leg.to;
            let span = [leg.from, leg.to];
            self.legs.push(leg);
            queue.push(self.bounded(span, (self.legs.len() - 1, [0, 0])));
            budget.take(STEPS_A_PAIR)?;
            if time >= route.end {
                break;
            }
        }
        let mut tried = f64::INFINITY;
        while let Some(open) = queue.pop() {
            let room = (SHARE * least.upper).max(self.slack);
            if open.bound >= least.upper - room {
                return Ok(open.bound);
            }
            // All pairs still in the queue have bounds no smaller than this one.
            if self.trees.is_full(queue.len()) || budget.take(STEPS_A_PAIR + 1).is_err() {
                return Ok(open.bound);
            }
            let OpenSpan { span, leg, nodes, cost, .. } = open;
            let middle = 0.5 * (span[0] + span[1]);
            let errors = [self.trees.first.node(nodes[0]).error, self.trees.second.node(nodes[1]).error];
            let unsure = errors[0] + errors[1] + cost;
            if unsure <= 0.5 * room || unsure <= 0.7 * tried {
                tried = unsure;
                if budget.take(STEPS_A_LOOK).is_err() {
                    return Ok(open.bound);
                }
                self.distance_at(middle, (leg, nodes), room, least);
            }
            if cost <= 0.0 && errors == [0.0; 2] || middle <= span[0] || middle >= span[1] {
                // Neither step can improve this bound.
                return Ok(open.bound.max(0.0));
            }
            if cost > errors[0] + errors[1] {
                for half in [[span[0], middle], [middle, span[1]]] {
                    let next = self.bounded(half, (leg, nodes));
                    queue.push(OpenSpan { bound: next.bound.max(open.bound), ..next });
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
                let next = self.bounded(span, (leg, nodes));
                queue.push(OpenSpan { bound: next.bound.max(open.bound), ..next });
            }
        }
        Ok(f64::INFINITY)
    }

    /// Lowers the upper bound by points of both bodies, near the two nodes, at a time.
    fn distance_at(&mut self, time: f64, (leg, nodes): (usize, [u32; 2]), room: f64, least: &mut LeastSeen) {
        let (a, b) = (self.trees.first.node(nodes[0]), self.trees.second.node(nodes[1]));
        let stand = self.legs[leg].transform_at(time);
        let wanted = DistanceGoal {
            less: 0.0,
            share: 1e-3,
            absolute: 0.01 * room,
            more: f64::INFINITY,
            towards: DVec3::ZERO,
        };
        let found = separation((&a.volume, &b.volume), &stand, &wanted);
        let errors = a.error + b.error;
        let near = DistanceTolerance { distance: found.lower.max(0.0), epsilon: room + 2.0 * errors };
        if let Some(witness) = self.trees.witness(nodes, found.points, &stand, near) {
            let gap = witness.gap().max(0.0) + stand.rounding;
            if gap < least.upper {
                (least.upper, least.time) = (gap, time);
            }
        }
    }

    /// The pair of two nodes over an interval, with its lower bound.
    fn bounded(&self, span: [f64; 2], (leg, nodes): (usize, [u32; 2])) -> OpenSpan {
        let half = 0.5 * (span[1] - span[0]);
        let middle = 0.5 * (span[0] + span[1]);
        let (a, b) = (self.trees.first.node(nodes[0]), self.trees.second.node(nodes[1]));
        let (gap, swing) = self.legs[leg].separation_at((&a.volume, &b.volume), middle, half * (1.0 + 1e-12));
        let bound = gap - swing;
        // A NaN bounds nothing.
        let bound = if bound.is_nan() { f64::NEG_INFINITY } else { bound };
        OpenSpan { bound, cost: swing, span, leg, nodes }
    }
}
