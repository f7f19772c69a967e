//! How long do two bodies stay within a distance?
//!
//! Take a point of one body with a ball of radius r inside that body, and a point of the other with a ball of radius
//! s, at distance e. Then the distance of the bodies is at most e - r - s. They stay within the required distance
//! until the first point has moved by the remaining margin. Then the search looks for new points, deeper if possible,
//! so steps grow with the depth. Surfaces without interior are followed by proofs that they cross.

use glam::DVec3;

use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::math::safe_time::safe_time;
use crate::math::time_interval::TimeInterval;
use crate::motion::relative::{MovingBody, RelativeMotion};
use crate::sets::bounded_motion::BoundedMotion;
use crate::sets::cross::crossing;
use crate::sets::first::{DistanceTolerance, STEPS_A_PAIR, TreePair, WitnessPoints};
use crate::sets::gap::{DistanceFront, SetDistance, SetLimits, gap_again};
use crate::sets::tree::BoundingTree;
use crate::sets::tree::node::ProvenPoint;
use crate::sets::volume::RoundedTransform;

/// The result of following two bodies that were near.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearInterval {
    /// They are near at least until this time.
    pub(crate) until: f64,
    /// A time at which the bodies are provably further apart than the distance plus epsilon; `None` if they stay
    /// near to the end, or the search stopped.
    pub(crate) separated: Option<f64>,
    /// The depth proven at the start, in metres.
    pub(crate) depth_at_start: f64,
    /// The maximum depth seen, in metres.
    pub(crate) depth: f64,
    /// The first and last time at which a depth or a crossing was proven.
    pub(crate) deep: Option<[f64; 2]>,
    /// Whether surfaces without interior were proven to cross at the start.
    pub(crate) crossed_at_start: bool,
    /// Whether the budget ran out.
    pub(crate) spent: bool,
}

impl NearInterval {
    fn note_depth(&mut self, depth: f64, time: f64) {
        self.depth = self.depth.max(depth);
        self.deep = Some([self.deep.map_or(time, |[first, _]| first), time]);
    }
}

/// The time until which a contact is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCondition {
    /// Until the bodies are further apart.
    Separated,
    /// Until the bodies are proven to overlap, or their surfaces to cross.
    Overlapping,
}

/// If the margin is below this fraction of epsilon, the search looks for other points.
const MIN_MARGIN: f64 = 0.2;

/// The bodies may exceed epsilon by this fraction of epsilon, unnoticed, between two queries.
const MAX_EXCESS: f64 = 0.2;

/// Whether the gap exceeds epsilon is decided down to this fraction of epsilon.
const FINEST: f64 = 1.0 / 256.0;

/// The fraction of the time for which points are provably deep that one step takes: the remaining depth helps to
/// find deeper points.
const LEAP: f64 = 0.7;

/// The maximum number of steps for one distance query: if it cannot decide whether the gap exceeds epsilon, the
/// result stays undecided.
const STEPS_A_QUERY: u64 = 4_000_000;

/// The maximum number of steps towards deeper points.
const MAX_DEPTH_STEPS: usize = 10;

/// Gains of less than this fraction of the depth are not worth a step.
const MIN_GAIN: f64 = 0.1;

/// The number of steps without a search for deeper points once no more depth is gained.
const STEPS_WITHOUT_SEARCH: u32 = 4;

/// After this number of steps, the search looks for deeper points at other places.
const STEPS_A_PLACE: u32 = 16;

/// The maximum number of estimates that are tried to be proven, the last first.
const MAX_PROOFS: usize = 3;

/// The goal of a search for contacts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactGoal {
    /// The distance that counts as contact.
    pub(crate) near: DistanceTolerance,
    /// Until when a contact is followed.
    pub(crate) stop: StopCondition,
}

/// A relative motion in one smooth interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MotionToEnd<'a> {
    pub(crate) relative: &'a RelativeMotion<'a>,
    pub(crate) mover: MovingBody,
    pub(crate) within: f64,
    pub(crate) end: f64,
}

impl<'a> MotionToEnd<'a> {
    pub(crate) fn motion_part(&self, from: f64) -> BoundedMotion<'a> {
        BoundedMotion::new(self.relative, self.mover, self.within, TimeInterval::new(from, self.end))
    }
}

/// Two points, one per body, near which points of the bodies are searched for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearbySearch {
    /// A node of each body near the points.
    pub(crate) nodes: [u32; 2],
    /// In the frame of the second body.
    pub(crate) points: [DVec3; 2],
    /// How far from the points the search goes, in metres.
    pub(crate) reach: f64,
}

/// Estimates of ever deeper points.
#[derive(Debug)]
pub(crate) struct DeeperEstimates {
    pub(crate) witnesses: Vec<WitnessPoints>,
    /// The largest distance within which an estimate was searched for, in metres.
    pub(crate) reach: f64,
}

impl DeeperEstimates {
    pub(crate) fn add(&mut self, witness: WitnessPoints, reach: f64) {
        self.witnesses.push(witness);
        self.reach = self.reach.max(reach);
    }
}

/// A contact that is being followed.
pub(crate) struct NearIntervalSearch<'t, 's, 'r> {
    pub(crate) trees: &'t mut TreePair<'s>,
    pub(crate) motion_to_end: &'r MotionToEnd<'r>,
    pub(crate) goal: ContactGoal,
}

impl NearIntervalSearch<'_, '_, '_> {
    /// Follows two bodies that are near at a time, as the witness proves.
    pub(crate) fn run(
        &mut self,
        start: f64,
        witness: WitnessPoints,
        budget: &mut Budget<'_>,
    ) -> NearInterval {
        let mut followed = NearInterval {
            until: start,
            separated: None,
            depth_at_start: 0.0,
            depth: 0.0,
            deep: None,
            crossed_at_start: false,
            spent: false,
        };
        if self.continue_contact(witness, &mut followed, budget).is_err() {
            followed.spent = true;
        }
        followed
    }

    /// Extends the interval from its end, at which the witness proves the bodies near.
    fn continue_contact(
        &mut self,
        mut witness: WitnessPoints,
        followed: &mut NearInterval,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        let (motion_to_end, trees) = (self.motion_to_end, &mut *self.trees);
        let ContactGoal { near, stop: goal } = self.goal;
        let start = followed.until;
        let mut time = start;
        let mut motion_part = motion_to_end.motion_part(time);
        // Whether the witness holds for the current time.
        let mut known = true;
        let surfaces = near.distance == 0.0 && trees.are_surfaces();
        let largest = trees.first.node(0).size.min(trees.second.node(0).size);
        let mut size = largest;
        // The front of the last distance query, and its time.
        let (mut front, mut last) = (DistanceFront::default(), start);
        // The number of remaining steps without a search for deeper points.
        let mut steps_to_skip = 0;
        let mut steps = 0_u32;
        loop {
            if goal == StopCondition::Overlapping && followed.depth > 0.0 {
                return Ok(());
            }
            budget.take(2 * STEPS_A_PAIR)?;
            budget.step()?;
            if time >= motion_part.to {
                motion_part = motion_to_end.motion_part(time);
            }
            let at = motion_part.sample(time);
            let transform = at.transform;
            if surfaces
                && let Some(found) =
                    crossing(trees, witness.nodes, witness.points[1], &transform, [near.epsilon, size])
            {
                followed.until = time;
                followed.note_depth(found.margin, time);
                followed.crossed_at_start |= time == start;
                if time >= motion_to_end.end {
                    return Ok(());
                }
                let speed = motion_part.speed_at(&at, found.at) + at.state.spin.length() * found.radius;
                let next = time + safe_time(found.margin, speed, motion_part.change());
                if next.is_nan() || next <= time {
                    return Err(OutOfBudget);
                }
                time = next.min(motion_part.to).min(motion_to_end.end);
                followed.until = time;
                size = largest.min(2.0 * found.radius);
                // The search for the next crossing starts here; no points of both bodies are known for this one.
                (witness.points, known) = ([found.at; 2], false);
                continue;
            }
            let margin = |witness: &WitnessPoints| {
                near.distance + near.epsilon - witness.gap() - 2.0 * transform.rounding
            };
            if known {
                witness = witness_on_bodies(trees, witness, &transform, near, budget);
                if steps_to_skip > 0 && margin(&witness) >= 0.5 * near.epsilon {
                    steps_to_skip -= 1;
                } else {
                    let deeper = deeper_witness_from(trees, witness, &transform, near, budget);
                    let gained = witness.gap() - deeper.gap();
                    steps_to_skip =
                        if gained <= MIN_GAIN * margin(&deeper) { STEPS_WITHOUT_SEARCH } else { 0 };
                    witness = deeper;
                }
                steps += 1;
                // Points near a grazing contact may be far from the deepest ones.
                if steps.is_multiple_of(STEPS_A_PLACE)
                    && let Some(deeper) = deepest_node_points(trees, &transform, near, budget)
                    && deeper.gap() < 2.0 * witness.gap().min(-near.epsilon)
                {
                    (witness, steps_to_skip) = (deeper, 0);
                }
            }
            if !known || margin(&witness) < MIN_MARGIN * near.epsilon {
                let beyond = near.distance + near.epsilon;
                let coarse = SetLimits {
                    relative: 0.0,
                    absolute: near.epsilon / 8.0,
                    beyond,
                    enough: near.distance + (1.0 - 2.0 * MIN_MARGIN) * near.epsilon,
                };
                // The search below makes its own nodes.
                trees.forget_nodes();
                witness.nodes = [0; 2];
                if time > last {
                    front.note_travel(motion_to_end.relative.speed(last, time) * (time - last));
                    last = time;
                }
                let mut measured = distance_at(trees, &transform, &coarse, &mut front, budget)?;
                if measured.bounds[0] <= beyond && measured.bounds[1] > beyond {
                    let fine = SetLimits { absolute: FINEST * near.epsilon, enough: beyond, ..coarse };
                    measured = distance_at(trees, &transform, &fine, &mut front, budget)?;
                }
                let SetDistance { bounds: [lower, _], witness: found, .. } = measured;
                if lower > beyond && time > start {
                    followed.separated = Some(time);
                    return Ok(());
                }
                known = false;
                if let Some(found) = found {
                    witness = deeper_witness(trees, found, &transform, near, budget);
                    steps_to_skip = 0;
                    known = margin(&witness) >= MIN_MARGIN * near.epsilon;
                }
            }
            if !known {
                // Undecided: a later query may decide.
                if time >= motion_to_end.end {
                    followed.until = time;
                    return Ok(());
                }
                let speed = motion_to_end.relative.speed(motion_part.from, motion_part.to);
                let next = time + MAX_EXCESS * near.epsilon / speed;
                if next.is_nan() || next <= time {
                    return Err(OutOfBudget);
                }
                time = next.min(motion_to_end.end);
                continue;
            }
            followed.until = time;
            let depth = -witness.gap();
            if depth > 0.0 {
                followed.note_depth(depth, time);
                if time == start {
                    followed.depth_at_start = followed.depth_at_start.max(depth);
                }
            }
            if time >= motion_to_end.end {
                followed.until = motion_to_end.end;
                return Ok(());
            }
            let speed = motion_part.speed_at(&at, witness.points[0]);
            let certain = safe_time(margin(&witness), speed, motion_part.change());
            let next = time + if depth > near.epsilon { LEAP * certain } else { certain };
            if next.is_nan() || next <= time {
                return Err(OutOfBudget);
            }
            let next = next.min(motion_part.to).min(motion_to_end.end);
            witness = carried_witness(&witness, &transform, &motion_part.transform_at(next));
            time = next;
            followed.until = time;
        }
    }
}

/// A query of the bodies' distance for a transform of the first body.
fn distance_at<'s>(
    trees: &mut TreePair<'s>,
    transform: &RoundedTransform,
    limits: &SetLimits,
    front: &mut DistanceFront,
    budget: &mut Budget<'_>,
) -> Result<SetDistance, OutOfBudget> {
    let mut part = budget.part(STEPS_A_QUERY);
    let allowed = part.remaining();
    let found = gap_again(trees, transform, limits, front, &mut part);
    budget.take(allowed - part.remaining())?;
    let is_known = found.bounds[0] > limits.beyond || found.bounds[1] <= limits.beyond;
    if found.spent && !is_known { Err(OutOfBudget) } else { Ok(found) }
}

/// The witness at a time, with its points put back on the bodies and moved to where both are deeper. The steps
/// are estimates; points prove their end.
pub(crate) fn deeper_witness<'s>(
    trees: &mut TreePair<'s>,
    witness: WitnessPoints,
    transform: &RoundedTransform,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> WitnessPoints {
    let witness_on_bodies = witness_on_bodies(trees, witness, transform, near, budget);
    deeper_witness_from(trees, witness_on_bodies, transform, near, budget)
}

/// The witness with its points put back on the bodies.
fn witness_on_bodies<'s>(
    trees: &mut TreePair<'s>,
    witness: WitnessPoints,
    transform: &RoundedTransform,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> WitnessPoints {
    let reach = near.distance + near.epsilon + witness.gap().abs();
    let WitnessPoints { nodes, points, .. } = witness;
    let around = NearbySearch { nodes, points, reach };
    points_near(trees, around, transform, BoundingTree::proven_point, budget)
        .filter(|found| found.gap() < witness.gap())
        .unwrap_or(witness)
}

/// A witness moved to where both bodies are deeper.
fn deeper_witness_from<'s>(
    trees: &mut TreePair<'s>,
    start: WitnessPoints,
    transform: &RoundedTransform,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> WitnessPoints {
    if near.distance > 0.0 {
        return start;
    }
    let reach = near.distance + near.epsilon + start.gap().abs();
    let mut best = start;
    let mut estimates = DeeperEstimates { witnesses: Vec::new(), reach };
    let mut step = (-best.gap()).max(near.epsilon);
    let mut tries = MAX_DEPTH_STEPS;
    while tries > 0 {
        let at = best.points[1];
        let out_a = trees
            .first
            .outward(best.nodes[0], transform.inverse_transform_point(at))
            .map(|n| transform.rotation * n);
        let out_b = trees.second.outward(best.nodes[1], at);
        let inward = -out_a.unwrap_or(DVec3::ZERO) - out_b.unwrap_or(DVec3::ZERO);
        if inward.length() < 1e-3 {
            break;
        }
        let inward = unit_along(inward);
        let mut improved = false;
        while tries > 0 {
            tries -= 1;
            let goal = at + step * inward;
            let wide = 4.0 * step + reach;
            let around = NearbySearch { nodes: best.nodes, points: [goal; 2], reach: wide };
            let next = points_near(trees, around, transform, BoundingTree::guess, budget);
            match next.filter(|next| next.gap() < best.gap()) {
                Some(next) => {
                    (best, improved) = (next, true);
                    estimates.add(next, wide);
                    step *= 2.0;
                    break;
                }
                None => step *= 0.4,
            }
            if step < (0.1 * near.epsilon).max(MIN_GAIN * -best.gap()) {
                tries = 0;
            }
        }
        if !improved {
            break;
        }
    }
    proven(trees, &estimates, start, transform, budget)
}

/// The last of some estimates that is proven to be deeper than a witness, or that witness. The last estimate may
/// lie outside a body although an earlier one lies in both.
pub(crate) fn proven<'s>(
    trees: &mut TreePair<'s>,
    estimates: &DeeperEstimates,
    start: WitnessPoints,
    transform: &RoundedTransform,
    budget: &mut Budget<'_>,
) -> WitnessPoints {
    let reach = estimates.reach;
    for WitnessPoints { nodes, points, .. } in estimates.witnesses.iter().copied().rev().take(MAX_PROOFS) {
        let around = NearbySearch { nodes, points, reach };
        let proven = points_near(trees, around, transform, BoundingTree::proven_point, budget);
        if let Some(proven) = proven.filter(|proven| proven.gap() < start.gap()) {
            return proven;
        }
    }
    start
}

/// Points of both bodies near the place where some node of one body is deepest in the other.
fn deepest_node_points<'s>(
    trees: &mut TreePair<'s>,
    transform: &RoundedTransform,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> Option<WitnessPoints> {
    if near.distance > 0.0 || !trees.first.finds_by_position() || !trees.second.finds_by_position() {
        return None;
    }
    let mut deepest = (near.epsilon, None);
    let mut offer = |depth: f64, at: DVec3| {
        if depth > deepest.0 {
            deepest = (depth, Some(at));
        }
    };
    if !trees.second.is_surface() {
        for middle in trees.first.middles() {
            budget.take(STEPS_A_PAIR).ok()?;
            let at = transform.transform_point(middle);
            trees.second.guess(0, at, 0.0).inspect(|guess| offer(guess.depth - guess.point.distance(at), at));
        }
    }
    if !trees.first.is_surface() {
        for at in trees.second.middles() {
            budget.take(STEPS_A_PAIR).ok()?;
            let at_in_a = transform.inverse_transform_point(at);
            trees
                .first
                .guess(0, at_in_a, 0.0)
                .inspect(|guess| offer(guess.depth - guess.point.distance(at_in_a), at));
        }
    }
    let (depth, at) = deepest;
    let around = NearbySearch { nodes: [0; 2], points: [at?; 2], reach: depth };
    let start = points_near(trees, around, transform, BoundingTree::proven_point, budget)?;
    Some(deeper_witness_from(trees, start, transform, near, budget))
}

/// Points of both bodies near two given points, as returned by `find`. `None` if there are none, or the budget does
/// not suffice.
pub(crate) fn points_near<'s>(
    trees: &mut TreePair<'s>,
    NearbySearch { nodes, points, reach }: NearbySearch,
    transform: &RoundedTransform,
    find: PointFinder<'s>,
    budget: &mut Budget<'_>,
) -> Option<WitnessPoints> {
    budget.take(3 * STEPS_A_PAIR).ok()?;
    let a = find(&mut trees.first, nodes[0], transform.inverse_transform_point(points[0]), reach)?;
    let at = transform.transform_point(a.point);
    let goal = if points[0] == points[1] || at.distance(points[1]) < reach { at } else { points[1] };
    let b = find(&mut trees.second, nodes[1], goal, 2.0 * reach)?;
    let witness = |a: ProvenPoint| WitnessPoints {
        points: [transform.transform_point(a.point), b.point],
        depths: [a.depth, b.depth],
        nodes,
    };
    let one = witness(a);
    if one.points[0] == one.points[1] {
        return Some(one);
    }
    let again = find(&mut trees.first, nodes[0], transform.inverse_transform_point(b.point), 2.0 * reach)
        .map(witness);
    Some(again.filter(|again| again.gap() < one.gap()).unwrap_or(one))
}

/// [`BoundingTree::proven_point`] or [`BoundingTree::guess`].
type PointFinder<'s> = fn(&mut BoundingTree<'s>, u32, DVec3, f64) -> Option<ProvenPoint>;

/// The witness a little later: the first point has moved with its body, up to rounding.
pub(crate) fn carried_witness(
    witness: &WitnessPoints,
    before: &RoundedTransform,
    after: &RoundedTransform,
) -> WitnessPoints {
    let moved = after.transform_point(before.inverse_transform_point(witness.points[0]));
    let [of_a, of_b] = witness.depths;
    let depths = [of_a - before.rounding - after.rounding, of_b];
    WitnessPoints { points: [moved, witness.points[1]], depths, nodes: witness.nodes }
}
