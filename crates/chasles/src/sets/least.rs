//! How near do two bodies come along their whole motion?
//!
//! Pairs of nodes over spans of time wait in the order of a lower bound of their gap. Along the direction in which two
//! volumes are apart in the middle of a span, their gap changes at most as fast as the volumes do there, and as the
//! acceleration adds. The least bound is taken; its span is cut, or the node with the greater error opened, whichever
//! leaves more open. Points of both bodies give the upper bound.

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

/// The minimum distance is computed to this fraction, to epsilon, or to this length in metres, whichever is most. The
/// length is smaller in proportion for bodies of less than a metre.
const SHARE: f64 = 0.008;
const ABSOLUTE: f64 = 8e-6;

/// Steps of the budget for a search for points of both bodies: for solids made of meshes it takes some 0.1 ms.
const STEPS_A_LOOK: u64 = 2_000;

/// The maximum number of steps: a few seconds. Bounds that are still apart then are apart in the answer.
const MOST_STEPS: u64 = 50_000_000;

/// The least gap that was seen.
struct LeastSeen {
    upper: f64,
    time: f64,
}

/// A pair of nodes over a span of time.
#[derive(Debug, Clone, Copy)]
struct OpenSpan {
    /// The gap is at least this, in metres.
    bound: f64,
    /// How much of the bound the length of the span costs.
    cost: f64,
    span: [f64; 2],
    leg: usize,
    nodes: [u32; 2],
}

impl OpenSpan {
    /// The least bound first; then the earliest; then the first nodes.
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

/// Bounds of the minimum gap, in metres, and a time at which the gap is no more than the upper one. They are further apart
/// where the budget did not suffice. `size` is the diagonal of the smaller body, in metres.
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
    // The part has no more than this.
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
    /// A lower bound of the gap along one stretch, which counts only where it is less than the gap that was seen.
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
            // All pairs that wait have bounds no less than this one.
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
                // As near as it can be told.
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

    /// The gap at a time, as points of both bodies near to two nodes prove it.
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

    /// The bound of two nodes over a span.
    fn bounded(&self, span: [f64; 2], (leg, nodes): (usize, [u32; 2])) -> OpenSpan {
        let half = 0.5 * (span[1] - span[0]);
        let middle = 0.5 * (span[0] + span[1]);
        let (a, b) = (self.trees.first.node(nodes[0]), self.trees.second.node(nodes[1]));
        let (gap, swing) = self.legs[leg].separation_at((&a.volume, &b.volume), middle, half * (1.0 + 1e-12));
        let bound = gap - swing;
        // A NaN is no bound.
        let bound = if bound.is_nan() { f64::NEG_INFINITY } else { bound };
        OpenSpan { bound, cost: swing, span, leg, nodes }
    }
}
