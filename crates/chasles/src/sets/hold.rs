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
use crate::sets::first::{DistanceTolerance, STEPS_A_PAIR, TreePair, WitnessPoints};
use crate::sets::gap::{DistanceFront, SetDistance, SetLimits};
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
    pub(crate) parted: Option<f64>,
    /// The depth proven at the start, in metres.
    pub(crate) at_begin: f64,
    /// The maximum depth seen, in metres.
    pub(crate) depth: f64,
    /// The first and last time at which a depth or a crossing was proven.
    pub(crate) deep: Option<[f64; 2]>,
    /// Whether surfaces without interior were proven to cross at the start.
    pub(crate) crossed: bool,
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
pub(crate) enum HoldGoal {
    /// Until the bodies are further apart.
    Parted,
    /// Until the bodies are proven to overlap, or their surfaces to cross.
    Deep,
}

/// If the margin is below this fraction of epsilon, the search looks for other points.
const ROOM: f64 = 0.2;

/// The bodies may exceed epsilon by this fraction of epsilon, unnoticed, between two queries.
const UNSEEN: f64 = 0.2;

/// Whether the gap exceeds epsilon is decided down to this fraction of epsilon.
const FINEST: f64 = 1.0 / 256.0;

/// The fraction of the time for which points are provably deep that one step takes: the remaining depth helps to
/// find deeper points.
const LEAP: f64 = 0.7;

/// The maximum number of steps for one distance query: if it cannot decide whether the gap exceeds epsilon, the
/// result stays undecided.
const STEPS_A_LOOK: u64 = 4_000_000;

/// The maximum number of steps towards deeper points.
const CLIMB: usize = 10;

/// Gains of less than this fraction of the depth are not worth a step.
const LITTLE: f64 = 0.1;

/// The number of steps without a search for deeper points once no more depth is gained.
const RESTS: u32 = 4;

/// After this number of steps, the search looks for deeper points at other places.
const STEPS_A_PLACE: u32 = 16;

/// The maximum number of estimates that are tried to be proven, the last first.
const PROOFS: usize = 3;

/// A relative motion in one smooth interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MotionToEnd<'a> {
    pub(crate) relative: &'a RelativeMotion<'a>,
    pub(crate) mover: MovingBody,
    pub(crate) within: f64,
    pub(crate) end: f64,
}

impl<'a> MotionToEnd<'a> {
    pub(crate) fn leg(&self, from: f64) -> BoundedMotion<'a> {
        BoundedMotion::new(self.relative, self.mover, self.within, TimeInterval::new(from, self.end))
    }
}

impl<'s> TreePair<'s> {
    /// Follows two bodies that are near at a time, as the witness proves.
    pub(crate) fn follow_contact(
        &mut self,
        route: &MotionToEnd<'_>,
        (begin, witness): (f64, WitnessPoints),
        (near, goal): (DistanceTolerance, HoldGoal),
        budget: &mut Budget<'_>,
    ) -> NearInterval {
        let mut held = NearInterval {
            until: begin,
            parted: None,
            at_begin: 0.0,
            depth: 0.0,
            deep: None,
            crossed: false,
            spent: false,
        };
        if self.continue_contact(route, (begin, witness), (near, goal), (budget, &mut held)).is_err() {
            held.spent = true;
        }
        held
    }

    fn continue_contact(
        &mut self,
        route: &MotionToEnd<'_>,
        (begin, mut witness): (f64, WitnessPoints),
        (near, goal): (DistanceTolerance, HoldGoal),
        (budget, held): (&mut Budget<'_>, &mut NearInterval),
    ) -> Result<(), OutOfBudget> {
        let mut time = begin;
        let mut leg = route.leg(time);
        // Whether the witness holds for the current time.
        let mut known = true;
        let surfaces = near.distance == 0.0 && self.are_surfaces();
        let most = self.first.node(0).size.min(self.second.node(0).size);
        let mut size = most;
        // The front of the last distance query, and its time.
        let (mut looked, mut last) = (DistanceFront::default(), begin);
        // The number of steps left without a search for deeper points.
        let mut rests = 0;
        let mut steps = 0_u32;
        loop {
            if goal == HoldGoal::Deep && held.depth > 0.0 {
                return Ok(());
            }
            budget.take(2 * STEPS_A_PAIR)?;
            budget.step()?;
            if time >= leg.to {
                leg = route.leg(time);
            }
            let moment = leg.moment(time);
            let stand = moment.1;
            if surfaces
                && let Some(found) =
                    self.crossing((witness.nodes, witness.points[1]), &stand, [near.epsilon, size])
            {
                held.until = time;
                held.note_depth(found.room, time);
                held.crossed |= time == begin;
                if time >= route.end {
                    return Ok(());
                }
                let speed = leg.speed_at(&moment, found.at) + moment.0.spin.length() * found.radius;
                let next = time + safe_time(found.room, speed, leg.change());
                if next.is_nan() || next <= time {
                    return Err(OutOfBudget);
                }
                time = next.min(leg.to).min(route.end);
                held.until = time;
                size = most.min(2.0 * found.radius);
                // The search for the next crossing starts here; no points of both bodies are known for this one.
                (witness.points, known) = ([found.at; 2], false);
                continue;
            }
            let room =
                |witness: &WitnessPoints| near.distance + near.epsilon - witness.gap() - 2.0 * stand.rounding;
            if known {
                witness = self.settled(witness, &stand, (near, &mut *budget));
                if rests > 0 && room(&witness) >= 0.5 * near.epsilon {
                    rests -= 1;
                } else {
                    let deeper = self.deepened_from(witness, &stand, (near, &mut *budget));
                    let gained = witness.gap() - deeper.gap();
                    rests = if gained <= LITTLE * room(&deeper) { RESTS } else { 0 };
                    witness = deeper;
                }
                steps += 1;
                // Points near a grazing contact may be far from the deepest ones.
                if steps.is_multiple_of(STEPS_A_PLACE)
                    && let Some(deeper) = self.deepest_node_points(&stand, (near, &mut *budget))
                    && deeper.gap() < 2.0 * witness.gap().min(-near.epsilon)
                {
                    (witness, rests) = (deeper, 0);
                }
            }
            if !known || room(&witness) < ROOM * near.epsilon {
                let beyond = near.distance + near.epsilon;
                let coarse = SetLimits {
                    share: 0.0,
                    absolute: near.epsilon / 8.0,
                    beyond,
                    enough: near.distance + (1.0 - 2.0 * ROOM) * near.epsilon,
                };
                // The search below makes its own nodes.
                self.forget_nodes();
                witness.nodes = [0; 2];
                if time > last {
                    looked.note_travel(route.relative.speed(last, time) * (time - last));
                    last = time;
                }
                let mut seen = self.distance_at(&stand, &coarse, &mut looked, budget)?;
                if seen.bounds[0] <= beyond && seen.bounds[1] > beyond {
                    let fine = SetLimits { absolute: FINEST * near.epsilon, enough: beyond, ..coarse };
                    seen = self.distance_at(&stand, &fine, &mut looked, budget)?;
                }
                let SetDistance { bounds: [lower, _], witness: found, .. } = seen;
                if lower > beyond && time > begin {
                    held.parted = Some(time);
                    return Ok(());
                }
                known = false;
                if let Some(found) = found {
                    witness = self.deepened(found, &stand, (near, &mut *budget));
                    rests = 0;
                    known = room(&witness) >= ROOM * near.epsilon;
                }
            }
            if !known {
                // Undecided: a later query may decide.
                if time >= route.end {
                    held.until = time;
                    return Ok(());
                }
                let speed = route.relative.speed(leg.from, leg.to);
                let next = time + UNSEEN * near.epsilon / speed;
                if next.is_nan() || next <= time {
                    return Err(OutOfBudget);
                }
                time = next.min(route.end);
                continue;
            }
            held.until = time;
            let depth = -witness.gap();
            if depth > 0.0 {
                held.note_depth(depth, time);
                if time == begin {
                    held.at_begin = held.at_begin.max(depth);
                }
            }
            if time >= route.end {
                held.until = route.end;
                return Ok(());
            }
            let speed = leg.speed_at(&moment, witness.points[0]);
            let sure = safe_time(room(&witness), speed, leg.change());
            let next = time + if depth > near.epsilon { LEAP * sure } else { sure };
            if next.is_nan() || next <= time {
                return Err(OutOfBudget);
            }
            let next = next.min(leg.to).min(route.end);
            witness = carried(&witness, (&stand, &leg.transform_at(next)));
            time = next;
            held.until = time;
        }
    }

    /// A query of the bodies' distance for a transform of the first body.
    fn distance_at(
        &mut self,
        stand: &RoundedTransform,
        limits: &SetLimits,
        looked: &mut DistanceFront,
        budget: &mut Budget<'_>,
    ) -> Result<SetDistance, OutOfBudget> {
        let mut part = budget.part(STEPS_A_LOOK);
        let given = part.remaining();
        let found = self.gap_again(stand, limits, looked, &mut part);
        budget.take(given - part.remaining())?;
        let is_known = found.bounds[0] > limits.beyond || found.bounds[1] <= limits.beyond;
        if found.spent && !is_known { Err(OutOfBudget) } else { Ok(found) }
    }

    /// The witness at a time, with its points put back on the bodies and moved to where both are deeper. The steps
    /// are estimates; points prove their end.
    pub(crate) fn deepened(
        &mut self,
        witness: WitnessPoints,
        stand: &RoundedTransform,
        (near, budget): (DistanceTolerance, &mut Budget<'_>),
    ) -> WitnessPoints {
        let begun = self.settled(witness, stand, (near, &mut *budget));
        self.deepened_from(begun, stand, (near, &mut *budget))
    }

    /// The witness with its points put back on the bodies.
    fn settled(
        &mut self,
        witness: WitnessPoints,
        stand: &RoundedTransform,
        (near, budget): (DistanceTolerance, &mut Budget<'_>),
    ) -> WitnessPoints {
        let reach = near.distance + near.epsilon + witness.gap().abs();
        self.snapped(
            (witness.nodes, witness.points),
            (stand, reach),
            (BoundingTree::proven_point, &mut *budget),
        )
        .filter(|snapped| snapped.gap() < witness.gap())
        .unwrap_or(witness)
    }

    /// A witness moved to where both bodies are deeper.
    fn deepened_from(
        &mut self,
        begun: WitnessPoints,
        stand: &RoundedTransform,
        (near, budget): (DistanceTolerance, &mut Budget<'_>),
    ) -> WitnessPoints {
        if near.distance > 0.0 {
            return begun;
        }
        let reach = near.distance + near.epsilon + begun.gap().abs();
        let mut best = begun;
        let mut way: Vec<WitnessPoints> = Vec::new();
        let mut step = (-best.gap()).max(near.epsilon);
        let mut far = reach;
        let mut tries = CLIMB;
        while tries > 0 {
            let at = best.points[1];
            let out_a =
                self.first.outward(best.nodes[0], stand.inverse_transform_point(at)).map(|n| stand.turn * n);
            let out_b = self.second.outward(best.nodes[1], at);
            let inward = -out_a.unwrap_or(DVec3::ZERO) - out_b.unwrap_or(DVec3::ZERO);
            if inward.length() < 1e-3 {
                break;
            }
            let inward = unit_along(inward);
            let mut improved = false;
            while tries > 0 {
                tries -= 1;
                let goal = at + step * inward;
                let around = (stand, 4.0 * step + reach);
                let next = self.snapped((best.nodes, [goal; 2]), around, (BoundingTree::guess, &mut *budget));
                match next.filter(|next| next.gap() < best.gap()) {
                    Some(next) => {
                        (best, improved) = (next, true);
                        way.push(next);
                        far = far.max(4.0 * step + reach);
                        step *= 2.0;
                        break;
                    }
                    None => step *= 0.4,
                }
                if step < (0.1 * near.epsilon).max(LITTLE * -best.gap()) {
                    tries = 0;
                }
            }
            if !improved {
                break;
            }
        }
        self.proven(&way, begun, (stand, far), budget)
    }

    /// The last of some estimates that is proven to be deeper than a witness, or that witness. The last estimate may
    /// lie outside a body although an earlier one lies in both.
    pub(crate) fn proven(
        &mut self,
        way: &[WitnessPoints],
        begun: WitnessPoints,
        (stand, far): (&RoundedTransform, f64),
        budget: &mut Budget<'_>,
    ) -> WitnessPoints {
        for guess in way.iter().rev().take(PROOFS) {
            let proven = self.snapped(
                (guess.nodes, guess.points),
                (stand, far),
                (BoundingTree::proven_point, &mut *budget),
            );
            if let Some(proven) = proven.filter(|proven| proven.gap() < begun.gap()) {
                return proven;
            }
        }
        begun
    }

    /// Points of both bodies near the place where some node of one body is deepest in the other.
    fn deepest_node_points(
        &mut self,
        stand: &RoundedTransform,
        (near, budget): (DistanceTolerance, &mut Budget<'_>),
    ) -> Option<WitnessPoints> {
        if near.distance > 0.0 || !self.first.is_found_by_place() || !self.second.is_found_by_place() {
            return None;
        }
        let mut deepest = (near.epsilon, None);
        let mut see = |depth: f64, at: DVec3| {
            if depth > deepest.0 {
                deepest = (depth, Some(at));
            }
        };
        if !self.second.is_surface() {
            for middle in self.first.middles() {
                budget.take(STEPS_A_PAIR).ok()?;
                let at = stand.transform_point(middle);
                self.second.guess(0, at, 0.0).inspect(|sure| see(sure.depth - sure.point.distance(at), at));
            }
        }
        if !self.first.is_surface() {
            for at in self.second.middles() {
                budget.take(STEPS_A_PAIR).ok()?;
                let own = stand.inverse_transform_point(at);
                self.first.guess(0, own, 0.0).inspect(|sure| see(sure.depth - sure.point.distance(own), at));
            }
        }
        let (depth, at) = deepest;
        let begun =
            self.snapped(([0; 2], [at?; 2]), (stand, depth), (BoundingTree::proven_point, &mut *budget))?;
        Some(self.deepened_from(begun, stand, (near, &mut *budget)))
    }

    /// Points of both bodies near two given points, as returned by `find`; `None` if the budget does not suffice.
    pub(crate) fn snapped(
        &mut self,
        (nodes, points): ([u32; 2], [DVec3; 2]),
        (stand, reach): (&RoundedTransform, f64),
        (find, budget): (Find<'s>, &mut Budget<'_>),
    ) -> Option<WitnessPoints> {
        budget.take(3 * STEPS_A_PAIR).ok()?;
        let a = find(&mut self.first, nodes[0], stand.inverse_transform_point(points[0]), reach)?;
        let at = stand.transform_point(a.point);
        let goal = if points[0] == points[1] || at.distance(points[1]) < reach { at } else { points[1] };
        let b = find(&mut self.second, nodes[1], goal, 2.0 * reach)?;
        let witness = |a: ProvenPoint| WitnessPoints {
            points: [stand.transform_point(a.point), b.point],
            depths: [a.depth, b.depth],
            nodes,
        };
        let one = witness(a);
        if one.points[0] == one.points[1] {
            return Some(one);
        }
        let again =
            find(&mut self.first, nodes[0], stand.inverse_transform_point(b.point), 2.0 * reach).map(witness);
        Some(again.filter(|again| again.gap() < one.gap()).unwrap_or(one))
    }
}

/// [`BoundingTree::proven_point`] or [`BoundingTree::guess`].
type Find<'s> = fn(&mut BoundingTree<'s>, u32, DVec3, f64) -> Option<ProvenPoint>;

/// The witness a little later: the first point has moved with its body, up to rounding.
pub(crate) fn carried(
    witness: &WitnessPoints,
    (before, after): (&RoundedTransform, &RoundedTransform),
) -> WitnessPoints {
    let moved = after.transform_point(before.inverse_transform_point(witness.points[0]));
    let [of_a, of_b] = witness.depths;
    let depths = [of_a - before.rounding - after.rounding, of_b];
    WitnessPoints { points: [moved, witness.points[1]], depths, nodes: witness.nodes }
}
