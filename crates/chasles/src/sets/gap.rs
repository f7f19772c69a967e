//! The distance of two static bodies.
//!
//! A priority queue holds pairs of nodes, ordered by a lower bound of their distance. The nearest pair is opened,
//! until points of both bodies are as near to each other as the next pair can be. A later query reuses the bounds of
//! an earlier one, reduced by how far the bodies have moved since.

use std::collections::BinaryHeap;

use glam::DVec3;

use crate::math::budget::Budget;
use crate::math::priority::QueueEntry;
use crate::sets::first::{
    DistanceTolerance, SMALLEST, STEPS_A_PAIR, TreePair, WaitingNodes, WitnessPoints, opened_size,
};
use crate::sets::volume::{DistanceGoal, RoundedTransform, separation};

/// The distance of two static bodies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetDistance {
    /// Lower and upper bound of the gap, in metres.
    pub(crate) bounds: [f64; 2],
    /// Points at the distance of the upper bound, if any were found.
    pub(crate) witness: Option<WitnessPoints>,
    /// Whether the budget ran out.
    pub(crate) spent: bool,
}

/// The accuracy at which a gap is needed, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SetLimits {
    pub(crate) relative: f64,
    pub(crate) absolute: f64,
    /// A gap above this need not be computed more accurately.
    pub(crate) beyond: f64,
    /// A gap below this need not be computed more accurately.
    pub(crate) enough: f64,
}

/// Pairs of nodes that together contain all of two bodies. The front keeps lower bounds from one distance query to
/// the next; they shrink by how far the bodies have moved.
#[derive(Debug, Default)]
pub(crate) struct DistanceFront {
    /// Ordered by the lower bound when queued, plus how far the bodies had moved by then.
    queue: BinaryHeap<QueueEntry<WaitingNodes>>,
    /// An upper bound of how far the bodies have moved since the first query, in metres.
    travel: f64,
    /// The ages of the trees whose nodes the front refers to.
    ages: Option<[u32; 2]>,
}

impl DistanceFront {
    /// Records that since the last query every point of either body moved by at most `displacement` metres, as seen
    /// from the other body.
    pub(crate) fn note_travel(&mut self, displacement: f64) {
        self.travel = (self.travel + displacement) * (1.0 + 4.0 * f64::EPSILON);
    }

    /// The remaining lower bound of a pair that was queued at `since`.
    fn remaining(&self, since: f64) -> f64 {
        since - self.travel - 4.0 * f64::EPSILON * (since.abs() + self.travel)
    }
}

/// The pairs of nodes that are searched for the nearest.
struct NodeQueues<'q> {
    /// Measured in this query.
    measured: BinaryHeap<QueueEntry<WaitingNodes>>,
    /// Measured in earlier queries.
    front: &'q mut DistanceFront,
    /// Pairs that cannot be refined further.
    unrefinable: Vec<WaitingNodes>,
}

/// Bounds of the bodies' distance for a transform of the first body, in metres. They are as accurate as `limits`
/// requires, unless the lower bound is above `beyond`, or the upper bound at most `enough`. Points at the upper
/// bound are included. If the budget runs out, the bounds are wider than required.
pub(crate) fn gap_between(
    trees: &mut TreePair<'_>,
    transform: &RoundedTransform,
    limits: &SetLimits,
    budget: &mut Budget<'_>,
) -> SetDistance {
    gap_again(trees, transform, limits, &mut DistanceFront::default(), budget)
}

/// The same bounds, reusing the results of an earlier query.
pub(crate) fn gap_again(
    trees: &mut TreePair<'_>,
    transform: &RoundedTransform,
    limits: &SetLimits,
    front: &mut DistanceFront,
    budget: &mut Budget<'_>,
) -> SetDistance {
    let tree_ages = [trees.first.age(), trees.second.age()];
    let mut measured = BinaryHeap::new();
    if front.ages != Some(tree_ages) {
        *front = DistanceFront { ages: Some(tree_ages), ..DistanceFront::default() };
        let roots = WaitingNodes { since: 0.0, size: 0.0, nodes: [0, 0], towards: DVec3::ZERO };
        measured.push(QueueEntry(measure(trees, roots, transform, limits)));
    }
    let mut queues = NodeQueues { measured, front, unrefinable: Vec::new() };
    let found = nearest(trees, &mut queues, transform, limits, budget);
    let NodeQueues { measured, front, unrefinable } = queues;
    if found.bounds[0] <= 0.0 {
        // If the bodies overlap, the front is large and of no further use.
        *front = DistanceFront::default();
    } else {
        let travel = front.travel;
        let kept = measured.into_iter().map(|QueueEntry(next)| next).chain(unrefinable);
        front.queue.extend(kept.map(|next| QueueEntry(WaitingNodes { since: next.since + travel, ..next })));
    }
    found
}

/// A pair of nodes with a lower bound of their distance for a transform of the first body, at least the given
/// bound, and the direction to try first.
fn measure(
    trees: &TreePair<'_>,
    waiting: WaitingNodes,
    transform: &RoundedTransform,
    limits: &SetLimits,
) -> WaitingNodes {
    let WaitingNodes { since: known, nodes, towards, .. } = waiting;
    let (a, b) = (trees.first.node(nodes[0]), trees.second.node(nodes[1]));
    // More accuracy than the nodes' errors is useless.
    let absolute = (0.05 * limits.absolute).max(0.01 * (a.error + b.error));
    let goal =
        DistanceGoal { less: 0.0, relative: 0.05 * limits.relative, absolute, more: limits.beyond, towards };
    let found = separation(trees.volumes(nodes), transform, &goal);
    let since = found.lower.max(known);
    WaitingNodes { since, size: a.size + b.size, nodes, towards: found.normal }
}

/// The minimum gap of pairs of nodes: those measured in this query, and older ones, which are measured once they
/// may be the nearest. Pairs that cannot be refined further are set aside.
fn nearest(
    trees: &mut TreePair<'_>,
    queues: &mut NodeQueues<'_>,
    transform: &RoundedTransform,
    limits: &SetLimits,
    budget: &mut Budget<'_>,
) -> SetDistance {
    let NodeQueues { measured, front, unrefinable } = queues;
    let (mut upper, mut best) = (f64::INFINITY, None);
    let mut tried = f64::INFINITY;
    let mut lower = f64::INFINITY;
    loop {
        let other = front.queue.peek().map(|next| front.remaining(next.0.since));
        let here = measured.peek().map(|next| next.0.since);
        let since = other.unwrap_or(f64::INFINITY).min(here.unwrap_or(f64::INFINITY));
        let accuracy = limits.absolute.max(limits.relative * upper);
        if since >= upper - accuracy || since > limits.beyond || upper <= limits.enough {
            lower = lower.min(since);
            break;
        }
        let full = trees.is_full(front.queue.len() + measured.len());
        if full || budget.take(STEPS_A_PAIR + 1).is_err() {
            let bounds = [lower.min(since).min(upper), upper];
            return SetDistance { bounds, witness: best, spent: true };
        }
        if other == Some(since)
            && let Some(QueueEntry(next)) = front.queue.pop()
        {
            let next = WaitingNodes { since: since.max(0.0), ..next };
            measured.push(QueueEntry(measure(trees, next, transform, limits)));
            continue;
        }
        let Some(QueueEntry(next)) = measured.pop() else { break };
        let nodes = next.nodes;
        let (a, b) = (trees.first.node(nodes[0]), trees.second.node(nodes[1]));
        let errors = a.error + b.error;
        if errors <= 0.25 * limits.absolute || errors <= 0.5 * tried {
            tried = tried.min(errors);
            let goal = DistanceGoal {
                less: 0.0,
                relative: 1e-6,
                absolute: 0.01 * limits.absolute,
                more: f64::INFINITY,
                towards: next.towards,
            };
            let found = separation(trees.volumes(nodes), transform, &goal);
            let epsilon = limits.absolute + 2.0 * errors;
            let near = DistanceTolerance { distance: found.lower.max(0.0), epsilon };
            if let Some(witness) = trees.witness(nodes, found.points, transform, near) {
                let gap = witness.gap().max(0.0) + transform.rounding;
                if gap < upper {
                    (upper, best) = (gap, Some(witness));
                }
            }
        }
        let (a, b) = (trees.first.node(nodes[0]), trees.second.node(nodes[1]));
        if opened_size(a, b) <= SMALLEST * limits.absolute {
            // The pair cannot be refined further.
            lower = lower.min(since);
            unrefinable.push(next);
            continue;
        }
        let open_first = a.error >= b.error;
        let children = if open_first { trees.first.split(nodes[0]) } else { trees.second.split(nodes[1]) };
        for child in children {
            let nodes = if open_first { [child, nodes[1]] } else { [nodes[0], child] };
            let child = WaitingNodes { since, nodes, ..next };
            measured.push(QueueEntry(measure(trees, child, transform, limits)));
        }
    }
    SetDistance { bounds: [lower.min(upper), upper], witness: best, spent: false }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::motion::Pose;
    use crate::motion::relative::MovingBody;
    use crate::sets::follow::SetPair;
    use crate::sets::program::Program;
    use crate::sets::tree::TreeSource;
    use crate::sets::tree::cells::{Interior, PreparedSolid};
    use crate::shape::{PartShape, Primitive, Solid, SolidPart};
    use chasles_testing::Random;

    /// Some balls within one metre of the origin.
    fn balls(random: &mut Random) -> PreparedSolid {
        let mut parts: Vec<SolidPart> = (0..3)
            .map(|_| SolidPart {
                shape: PartShape::Primitive(Primitive::Sphere { radius: random.within(0.1, 0.4) }),
                pose: Pose::from_position(random.vector(0.6)).unwrap(),
                scale: 1.0,
            })
            .collect();
        parts.push(SolidPart { shape: PartShape::Union(vec![0, 1, 2]), pose: Pose::IDENTITY, scale: 1.0 });
        let solid = Solid::new(parts).unwrap();
        PreparedSolid::new(Program::new(&solid), solid.bounds(), Interior::Solid)
    }

    #[test]
    fn a_repeated_query_returns_the_same_gap_as_a_new_one() {
        let random = &mut Random(17);
        let limits = SetLimits { relative: 0.0, absolute: 1e-3, beyond: 0.3, enough: 0.0 };
        let mut nearer = 0;
        for _ in 0..60 {
            let built = [balls(random), balls(random)];
            let [a, b] = built.each_ref().map(TreeSource::Solid);
            let pair = SetPair { a, b, epsilon: 1e-3 };
            let mut trees = pair.trees(MovingBody::A);
            let mut front = DistanceFront::default();
            let mut position = random.direction() * random.within(1.2, 2.5);
            let mut rotation = DQuat::IDENTITY;
            let mut last = f64::INFINITY;
            for _ in 0..20 {
                let transform = RoundedTransform::new(&Pose::new(position, rotation).unwrap(), 0.0);
                let mut budget = Budget::new(100_000_000);
                let again = gap_again(&mut trees, &transform, &limits, &mut front, &mut budget);
                let anew = gap_between(&mut pair.trees(MovingBody::A), &transform, &limits, &mut budget);
                assert!(!again.spent && !anew.spent);
                let [again, anew] = [again.bounds, anew.bounds];
                assert!(again[0] <= anew[1] && anew[0] <= again[1], "{again:?} {anew:?} at {position}");
                let is_accurate = again[0] > limits.beyond || again[1] - again[0] <= 1.01 * limits.absolute;
                assert!(is_accurate, "{again:?} {anew:?} at {position}");
                nearer += usize::from(last > limits.beyond && again[1] < limits.beyond);
                last = again[0];
                let (step, angle) = (random.vector(0.03) - 0.02 * position, 0.05 * random.unit());
                position += step;
                rotation = DQuat::from_axis_angle(random.direction(), angle) * rotation;
                front.note_travel(step.length() + angle);
            }
        }
        assert!(nearer > 20, "{nearer}");
    }
}
