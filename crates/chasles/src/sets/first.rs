//! When do two bodies first come within a distance?
//!
//! A priority queue holds pairs of nodes, ordered by the time until which each pair is proven separated. The search
//! takes the earliest pair and opens the node with the larger error, so the bodies stay beyond the distance until
//! that pair's time. If the errors of both nodes are negligible, nearby points of both bodies prove that the
//! distance is reached.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::features::contact::FirstContact;
use crate::math::budget::Budget;
use crate::math::direction::unit_along;
use crate::math::priority::{Priority, QueueEntry};
use crate::mesh_screw::query::{UndecidedReason, UndecidedRest};
use crate::sets::bounded_motion::{BoundedMotion, DirectedInterval, FollowGoal, SeparationEnd};
use crate::sets::tree::BoundingTree;
use crate::sets::tree::node::{ProvenPoint, TreeNode};
use crate::sets::volume::{
    DistanceGoal, RoundedTransform, VolumeGap, VolumePair, separating_direction, separation,
};

/// The trees of both bodies, the moving body's first.
#[derive(Debug)]
pub(crate) struct TreePair<'s> {
    pub(crate) first: BoundingTree<'s>,
    pub(crate) second: BoundingTree<'s>,
}

/// The distance that counts as contact, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DistanceTolerance {
    /// Bodies at this distance count as touching: 0, or a clearance.
    pub(crate) distance: f64,
    /// Bodies up to this much further apart may also count as touching.
    pub(crate) epsilon: f64,
}

/// Nearby points of two bodies, in the frame of the second body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WitnessPoints {
    /// A point of the first body and one of the second. All points within the depth belong to the same body.
    pub(crate) points: [DVec3; 2],
    pub(crate) depths: [f64; 2],
    pub(crate) nodes: [u32; 2],
}

/// The limits of a search.
#[derive(Debug)]
pub(crate) struct SearchLimits<'l, 'b> {
    pub(crate) near: DistanceTolerance,
    pub(crate) budget: &'l mut Budget<'b>,
}

impl WitnessPoints {
    /// An upper bound of the bodies' distance; negative if they overlap.
    pub(crate) fn gap(&self) -> f64 {
        self.points[0].distance(self.points[1]) - self.depths[0] - self.depths[1]
    }
}

/// Two bodies that have come within a distance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetContact {
    pub(crate) time: f64,
    pub(crate) witness: WitnessPoints,
    /// The unit direction from the first to the second along which their volumes were proven separated.
    pub(crate) normal: DVec3,
}

/// When two bodies first come within a distance, in the direction of time.
pub(crate) type FirstSetContact = FirstContact<SetContact, UndecidedRest>;

/// A pair of nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaitingNodes {
    /// Time since the start of the search; for static bodies, a lower bound of their distance.
    pub(super) since: f64,
    pub(super) size: f64,
    pub(super) nodes: [u32; 2],
    /// The direction along which the nodes were last separated.
    pub(super) towards: DVec3,
}

impl Priority for WaitingNodes {
    /// Earliest first; ties by smaller size, then by node numbers.
    fn order(&self, other: &Self) -> Ordering {
        let by_time = other.since.total_cmp(&self.since);
        by_time.then(other.size.total_cmp(&self.size)).then(other.nodes.cmp(&self.nodes))
    }
}

/// Pairs of nodes that together contain everything that is not proven separated in a part of the motion.
#[derive(Debug)]
pub(crate) struct SetFront {
    /// The time at which the front started.
    origin: f64,
    /// Until this time, everything outside the front is proven separated.
    end: f64,
    queue: BinaryHeap<QueueEntry<WaitingNodes>>,
    /// The ages of the trees whose nodes the front refers to.
    ages: Option<[u32; 2]>,
}

impl SetFront {
    pub(crate) fn new(origin: f64) -> Self {
        Self { origin, end: origin, queue: BinaryHeap::new(), ages: None }
    }

    /// The pairs that may be near between two times; the first time must not precede any waiting pair. An
    /// empty front, without any knowledge, if this front does not extend to the second time.
    pub(crate) fn between(&self, interval: DirectedInterval) -> Self {
        let DirectedInterval { from, to, direction } = interval;
        let sign = direction.sign();
        if (self.end - to) * sign < 0.0 {
            return Self::new(from);
        }
        let last = (to - self.origin) * sign;
        let queue = self.queue.iter().filter(|waiting| waiting.0.since <= last).copied().collect();
        Self { queue, ..*self }
    }
}

/// Errors up to this fraction of epsilon are negligible.
pub(crate) const FINE: f64 = 1.0 / 16.0;

/// Volumes nearer than this fraction of epsilon touch.
pub(crate) const TOUCH: f64 = 1.0 / 16.0;

/// Volumes are followed with a coarse lower bound of their gap. If that bound counts as touching, the true gap may
/// be larger by this factor.
const MAX_GAP_RATIO: f64 = 2.0;

/// While the volumes' errors are far larger than epsilon, volumes are followed until their gap is this fraction of
/// the errors.
const COARSE: f64 = 0.03;

/// If volumes smaller than this fraction of epsilon cannot be proven in contact, the time is undecided.
pub(super) const SMALLEST: f64 = 1e-3;

/// The maximum number of further pairs of nodes that are searched for a proof of contact once one is undecided.
const MAX_AFTER_UNDECIDED: usize = 5_000;

/// When points are computed, the accuracy of the volumes' distance: as a fraction of the distance, and of what
/// counts as touching.
const FINE_ACCURACY: f64 = 1e-3;
const FINE_TOUCH_ACCURACY: f64 = 0.02;

/// If the cosine between the volumes' separating direction and the surface normal is smaller than this, they lie
/// side by side.
const SIDEWAYS: f64 = 0.3;

/// Steps of the budget that a pair of nodes takes.
pub(crate) const STEPS_A_PAIR: u64 = 100;

/// The maximum number of waiting pairs: some hundred megabytes.
const MAX_WAITING: usize = 4_000_000;

impl TreePair<'_> {
    /// The volumes of a node of the first tree and one of the second.
    pub(crate) fn volumes(&self, [a, b]: [u32; 2]) -> VolumePair<'_> {
        VolumePair { first: &self.first.node(a).volume, second: &self.second.node(b).volume }
    }

    /// Whether both bodies are surfaces without interior.
    pub(crate) fn are_surfaces(&self) -> bool {
        self.first.is_surface() && self.second.is_surface()
    }

    /// Whether the nodes or the waiting pairs have reached their memory limit.
    pub(crate) fn is_full(&self, waiting: usize) -> bool {
        waiting >= MAX_WAITING || self.first.is_full() || self.second.is_full()
    }

    /// Discards nodes if there are too many: their numbers, and witnesses, are invalid afterwards.
    pub(crate) fn forget_nodes(&mut self) {
        self.first.forget_nodes();
        self.second.forget_nodes();
    }

    /// The first time of an interval, in its direction, at which the bodies may be within a distance, with points that
    /// prove it. The front keeps the results of earlier searches in this part of
    /// the motion.
    pub(crate) fn next(
        &mut self,
        front: &mut SetFront,
        motion_part: &BoundedMotion<'_>,
        interval: DirectedInterval,
        limits: SearchLimits<'_, '_>,
    ) -> FirstSetContact {
        let DirectedInterval { from, to: end, direction } = interval;
        let SearchLimits { near, budget } = limits;
        let sign = direction.sign();
        let fine = FINE * near.epsilon;
        let SetFront { origin, end: reached, queue, ages } = front;
        let origin = *origin;
        // Times are counted from the start of the front.
        let start = (from - origin) * sign;
        let mut undecided: Option<f64> = None;
        let push = |trees: &Self,
                    nodes: [u32; 2],
                    towards: DVec3,
                    since: f64,
                    queue: &mut BinaryHeap<QueueEntry<WaitingNodes>>| {
            let (a, b) = (trees.first.node(nodes[0]), trees.second.node(nodes[1]));
            let enough = (TOUCH * near.epsilon).max(COARSE * (a.error + b.error));
            let time = if since <= start { from } else { origin + sign * since };
            let goal = FollowGoal { distance: near.distance, enough, towards };
            let interval = DirectedInterval { from: time, ..interval };
            if let Some(SeparationEnd { time, towards }) =
                motion_part.follow(trees.volumes(nodes), interval, &goal)
            {
                let since = since.max((time - origin) * sign);
                queue.push(QueueEntry(WaitingNodes { since, size: a.size + b.size, nodes, towards }));
            }
        };
        let tree_ages = [self.first.age(), self.second.age()];
        if *ages != Some(tree_ages) {
            // The front is new, or its node numbers are no longer valid.
            queue.clear();
            (*ages, *reached) = (Some(tree_ages), end);
            push(self, [0, 0], DVec3::ZERO, start, queue);
        }
        let mut tried = f64::INFINITY;
        let mut after_undecided = 0;
        while let Some(QueueEntry(WaitingNodes { since, size, nodes, towards })) = queue.pop() {
            if undecided.is_some_and(|time| since > time) || after_undecided > MAX_AFTER_UNDECIDED {
                break;
            }
            after_undecided += usize::from(undecided.is_some());
            let time = if since <= start { from } else { origin + sign * since };
            let full = self.is_full(queue.len());
            if full || budget.take(STEPS_A_PAIR + 1).is_err() {
                let time = undecided.map_or(time, |time| origin + sign * time);
                let reason = UndecidedReason::Budget;
                return FirstContact::Undecided(UndecidedRest { clear_until: time, reason });
            }
            if since < start {
                push(self, nodes, towards, start, queue);
                continue;
            }
            let (a, b) = (self.first.node(nodes[0]), self.second.node(nodes[1]));
            let (of_a, of_b) = (a.error, b.error);
            let is_fine = of_a.max(of_b) <= fine;
            // At the start, where large parts may overlap, points are tried earlier.
            let is_early = since == start && of_a + of_b <= 0.5 * tried;
            if is_fine || is_early {
                let enough = TOUCH * near.epsilon;
                let volumes = self.volumes(nodes);
                let goal = FollowGoal { distance: near.distance, enough, towards };
                let reached = motion_part.follow(volumes, DirectedInterval { from: time, ..interval }, &goal);
                let Some(SeparationEnd { time: then, towards }) = reached else { continue };
                let later = (then - origin) * sign;
                if later > since && is_fine {
                    queue.push(QueueEntry(WaitingNodes { since: later, size, nodes, towards }));
                    continue;
                }
                if is_early {
                    tried = of_a + of_b;
                }
                let at = motion_part.sample(time);
                let transform = at.transform;
                let accuracy = DistanceGoal {
                    less: near.distance,
                    relative: FINE_ACCURACY,
                    absolute: FINE_TOUCH_ACCURACY * enough,
                    more: near.distance + enough,
                    towards,
                };
                let found = separation(volumes, &transform, &accuracy);
                if then == time
                    && found.lower - near.distance <= MAX_GAP_RATIO * enough
                    && let Some(witness) = self.witness(nodes, found.points, &transform, near)
                {
                    let velocity = sign * motion_part.velocity_at(&at, witness.points[0]);
                    let normal = self.direction(&witness, &transform, velocity, &found);
                    queue.push(QueueEntry(WaitingNodes { since, size, nodes, towards }));
                    return FirstContact::Contact(SetContact { time, witness, normal });
                }
            }
            let (a, b) = (self.first.node(nodes[0]), self.second.node(nodes[1]));
            let open_first = if is_fine {
                // The volumes are as accurate as the bodies, but no points prove a contact: smaller volumes may.
                if opened_size(a, b) <= SMALLEST * near.epsilon {
                    undecided = Some(undecided.map_or(since, |time: f64| time.min(since)));
                    continue;
                }
                if of_a == 0.0 || of_b == 0.0 { of_b == 0.0 } else { a.size >= b.size }
            } else {
                of_a >= of_b
            };
            let children = if open_first { self.first.split(nodes[0]) } else { self.second.split(nodes[1]) };
            for child in children {
                let nodes = if open_first { [child, nodes[1]] } else { [nodes[0], child] };
                push(self, nodes, towards, since, queue);
            }
        }
        match undecided {
            Some(time) => {
                let (clear_until, reason) = (origin + sign * time, UndecidedReason::Rounding);
                FirstContact::Undecided(UndecidedRest { clear_until, reason })
            }
            None => FirstContact::Clear,
        }
    }

    /// An estimate of the direction from the first body to the second: the direction that separates or would
    /// separate their volumes, unless the normal of a body with an interior shows that they lie side by side.
    /// `velocity` is the velocity of the first body's point, seen in the direction of time.
    fn direction(
        &mut self,
        witness: &WitnessPoints,
        transform: &RoundedTransform,
        velocity: DVec3,
        found: &VolumeGap,
    ) -> DVec3 {
        let [of_a, of_b] = witness.nodes;
        let out_a = self
            .first
            .outward(of_a, transform.inverse_transform_point(witness.points[0]))
            .map(|n| transform.rotation * n);
        let out_b = self.second.outward(of_b, witness.points[1]).map(|n| -n);
        // If the volumes overlap, only the motion gives a direction.
        let estimate = if found.lower > 0.0 { found.normal } else { velocity };
        let across = match (out_a, out_b) {
            (Some(a), Some(b)) if a.dot(b) > 0.0 => Some(unit_along(a + b)),
            // At an edge or tip of one body, whose sides give a poor normal.
            (Some(a), Some(b)) => Some(if b.dot(estimate) > a.dot(estimate) { b } else { a }),
            (only, None) | (None, only) => only,
        };
        let separating = if found.lower > 0.0 {
            Some(found.normal)
        } else {
            separating_direction(
                self.volumes(witness.nodes),
                transform,
                [unit_along(velocity), across.unwrap_or(DVec3::ZERO)],
            )
        };
        match (separating, across) {
            (Some(separating), Some(across)) if across.dot(separating) < SIDEWAYS => across,
            (Some(separating), _) => separating,
            (None, Some(across)) => across,
            (None, None) if velocity.dot(found.normal) < 0.0 => -found.normal,
            (None, None) => found.normal,
        }
    }

    /// Points of both bodies, near given points of two nodes' volumes, that are provably within a distance.
    pub(crate) fn witness(
        &mut self,
        nodes: [u32; 2],
        points: [DVec3; 2],
        transform: &RoundedTransform,
        near: DistanceTolerance,
    ) -> Option<WitnessPoints> {
        // If the volumes overlap, both points coincide.
        let within = near.epsilon + points[0].distance(points[1]).max(near.distance);
        let reach = 0.5 * near.epsilon
            + self.first.node(nodes[0]).error.max(self.second.node(nodes[1]).error).min(within);
        let exact = self.first.proven_point_of_exact(nodes[0], transform.inverse_transform_point(points[0]));
        let a = match exact {
            Some(exact) => exact,
            None => self.first.proven_point(nodes[0], transform.inverse_transform_point(points[0]), reach)?,
        };
        let at = transform.transform_point(a.point);
        let goal = if near.distance == 0.0 { at } else { points[1] };
        let b = match self.second.proven_point_of_exact(nodes[1], points[1]) {
            Some(exact) => exact,
            None => self.second.proven_point(nodes[1], goal, within + reach)?,
        };
        // Projects onto the first body again from `b`, which gives a nearer point.
        let better = (near.distance == 0.0)
            .then(|| {
                self.first.proven_point(nodes[0], transform.inverse_transform_point(b.point), within + reach)
            })
            .flatten();
        let made = |a: ProvenPoint| WitnessPoints {
            points: [transform.transform_point(a.point), b.point],
            depths: [a.depth, b.depth],
            nodes,
        };
        let (one, other) = (made(a), better.map(made));
        let witness = other.filter(|other| other.gap() < one.gap()).unwrap_or(one);
        (witness.gap() + 2.0 * transform.rounding <= near.distance + near.epsilon).then_some(witness)
    }
}

/// The total size of two nodes, counting only nodes that can be opened, which have an error.
pub(super) fn opened_size(a: &TreeNode, b: &TreeNode) -> f64 {
    [a, b].into_iter().filter(|node| node.error > 0.0).map(|node| node.size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::bounded_motion::TimeDirection;

    #[test]
    fn a_front_is_used_within_its_reach_only() {
        for (direction, sign) in [(TimeDirection::Forward, 1.0), (TimeDirection::Backward, -1.0)] {
            let waiting = |since: f64| {
                QueueEntry(WaitingNodes { since, size: 1.0, nodes: [0, 0], towards: DVec3::ZERO })
            };
            let mut front = SetFront::new(0.0);
            front.end = 0.5 * sign;
            front.queue.extend([waiting(0.1), waiting(0.45)]);
            let interval =
                |from: f64, to: f64| DirectedInterval { from: from * sign, to: to * sign, direction };
            let within = front.between(interval(0.2, 0.4));
            assert_eq!(
                (within.origin, within.end, within.queue.len()),
                (0.0, 0.5 * sign, 1),
                "{direction:?}"
            );
            let up_to_end = front.between(interval(0.2, 0.5));
            assert_eq!((up_to_end.origin, up_to_end.queue.len()), (0.0, 2), "{direction:?}");
            let beyond = front.between(interval(0.2, 0.6));
            assert_eq!(
                (beyond.origin, beyond.end, beyond.queue.len()),
                (0.2 * sign, 0.2 * sign, 0),
                "{direction:?}"
            );
        }
    }
}
