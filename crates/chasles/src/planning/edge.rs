//! One query about an edge: bounding spheres in blocks of seven intervals, then exact tests of the remaining pairs.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::Arc;

use glam::DVec3;

use crate::features::contact::FirstContact;
use crate::math::budget::Budget;
use crate::math::lanes::Instructions;
use crate::math::time_interval::TimeInterval;
use crate::pair::PairMemory;
use crate::planning::answer::{EdgeContact, EdgeWork};
use crate::planning::chain::{Chain, ChainPath, EdgeBounds, GroupAtEnds, JointEdge, SPANS};
use crate::planning::clearance_grid::ClearanceGrid;
use crate::planning::near::{GroupsAt, PartPairContact, PartPairMotion, speed_from_root};
use crate::planning::part::CollisionPart;
use crate::planning::parts::{CollisionModel, GroupParts, separation_threshold, upward};
use crate::planning::sweep::{
    ALL, DeepSlice, MovingTree, Other, SliceMask, SweepOverlap, SweepTest, TestStack, may_meet, swept,
};
use crate::robot::path::{JointPath, Waypoint};
use crate::robot::{CellDefinition, RobotCell};
use crate::scene::definition::PairSide;
use crate::scene::pairing::RestingPairs;
use crate::scene::report::{CheckOptions, PairReport, PairVerdict};

/// A cell, prepared for queries.
#[derive(Debug, Clone)]
pub(crate) struct PlanningModel {
    pub(crate) cell: RobotCell,
    /// The numbers of the joints that a query sets.
    pub(crate) joints: Vec<usize>,
    /// The values of all joints, used for joints that a query does not set.
    pub(crate) values: Vec<f64>,
    pub(crate) chain: Arc<Chain>,
    pub(crate) parts: CollisionModel,
    /// The path from the root to each group.
    pub(crate) legs: Vec<ChainPath>,
    /// The path between each pair of groups in `parts.between`.
    pub(crate) legs_between: Vec<ChainPath>,
    /// Steps of work for a query.
    pub(crate) budget: u64,
    pub(crate) instructions: Instructions,
}

/// Reusable memory for queries. After it has grown, a query about meshes and boxes allocates only if a pair touches
/// so closely that it is passed to [`RobotCell::check_path`].
#[derive(Debug, Default)]
pub struct EdgeMemory {
    ends: Vec<GroupAtEnds>,
    bounds: Vec<EdgeBounds>,
    at: RefCell<GroupsAt>,
    waiting: TestStack,
    left: Vec<OpenPair>,
    pair: PairMemory,
    work: EdgeWork,
}

impl EdgeMemory {
    /// The work of all queries with this memory.
    #[must_use]
    pub fn work(&self) -> EdgeWork {
        EdgeWork { sphere_tests: self.waiting.tests, ..self.work }
    }
}

/// The number of pairs of a block, deepest first, that are tested for intersection.
const LOOKS: usize = 3;

/// Only pairs whose leaves overlap by more than this fraction of the leaf size are tested.
const DEEP: f32 = 0.0;

/// 24 roundings in 32 bits, multiplied by the number of joints plus four frames: see [`Chain::poses_at_ends`].
pub(crate) const PAD: f64 = 24.0 * (f32::EPSILON as f64);

/// A pair that the spheres did not prove separated.
#[derive(Debug, Clone, Copy)]
struct OpenPair {
    parts: [usize; 2],
    /// The path from the group of the second part to the group of the first.
    leg: ChainRef,
    spans: SliceMask,
    /// The block of seven intervals.
    lot: TimeInterval,
    deepest: usize,
    depth: f32,
}

#[derive(Debug, Clone, Copy)]
enum ChainRef {
    Root(usize),
    Between(usize),
}

/// The contact that a query searches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeQuery {
    Any,
    First,
}

/// The acceptable chord error of an interval, as a fraction of the robot's reach.
const BEND: f64 = 1.5e-3;

/// Maximum number of blocks of seven intervals per edge.
const MOST_LOTS: usize = 32;

impl PlanningModel {
    /// Answers a query.
    pub(crate) fn check(&self, way: &JointEdge<'_>, goal: EdgeQuery, memory: &mut EdgeMemory) -> EdgeResult {
        let mut budget = Budget::new(self.budget);
        memory.work.edges += 1;
        memory.at.get_mut().forget();
        memory.left.clear();
        memory.bounds.clear();
        memory.bounds.extend(self.legs.iter().map(|leg| self.chain.bounds(leg, way)));
        let lots = self.count_blocks(&memory.bounds);
        for turn in 0..lots {
            // The middle first, because most blocked edges are blocked there.
            let lot = match goal {
                EdgeQuery::Any => {
                    (lots / 2 + if turn % 2 == 0 { lots - turn / 2 } else { turn.div_ceil(2) }) % lots
                }
                EdgeQuery::First => turn,
            };
            let share = |lot: usize| lot as f64 / lots as f64;
            let first = memory.left.len();
            let is_first = turn == 0;
            let mut contact =
                self.sweep(way, TimeInterval::new(share(lot), share(lot + 1)), (goal, is_first), memory);
            if goal == EdgeQuery::Any {
                contact = contact.or_else(|| self.check_deepest(way, first, memory, &mut budget));
            }
            if contact.is_some() {
                return EdgeResult { free_until: 0.0, contact, doubt: None };
            }
        }
        if memory.left.is_empty() {
            memory.work.by_spheres += 1;
            return EdgeResult { free_until: 1.0, contact: None, doubt: None };
        }
        self.prove(way, goal, memory, &mut budget)
    }

    /// The number of blocks for which the chord errors are small compared with the robot.
    fn count_blocks(&self, bounds: &[EdgeBounds]) -> usize {
        let mut most = 0.0_f64;
        for (group, bounds) in bounds.iter().enumerate() {
            let reach = self.parts.groups[group].reach;
            let bend = (bounds.bend[0] + bounds.bend[1] * reach) / (8.0 * (SPANS * SPANS) as f64);
            most = most.max(bend / (BEND * (bounds.reach + reach)).max(f64::MIN_POSITIVE));
        }
        let lots = most.sqrt();
        (1..MOST_LOTS).find(|count| lots <= *count as f64).unwrap_or(MOST_LOTS)
    }

    /// Adds the pairs of a block that the spheres do not prove separated. If any contact suffices and spheres prove
    /// one, returns it. The first block processed also tests whether one part of a pair is inside the other, which
    /// cannot change while their surfaces stay separated.
    fn sweep(
        &self,
        way: &JointEdge<'_>,
        lot: TimeInterval,
        (goal, is_first): (EdgeQuery, bool),
        memory: &mut EdgeMemory,
    ) -> Option<EdgeContact> {
        let EdgeMemory { ends, bounds, at, waiting, left, .. } = memory;
        let ask =
            |spans| SweepTest { spans, until_deep: goal == EdgeQuery::Any, instructions: self.instructions };
        let to_the_end = |spans| SweepTest { until_deep: false, ..ask(spans) };
        // Stores the open intervals of two parts, or returns a contact.
        let mut meet =
            |tree: &MovingTree<'_>, other: &Other<'_>, (parts, leg), spans, waiting: &mut TestStack| {
                let mut found = may_meet(tree, other, &ask(spans), waiting);
                if let Some(deep) = found.deep {
                    let left = OpenPair::of(parts, leg, lot, found);
                    let contact = self.contact_inside(way, &left, deep, (bounds, at));
                    if contact.is_some() {
                        return contact;
                    }
                    found = may_meet(tree, other, &to_the_end(spans), waiting);
                }
                let (near, seen) = (OpenPair::of(parts, leg, lot, found), (tree, bounds.as_slice(), &*at));
                if is_first && spans & !found.spans & 1 != 0 && self.is_within(way, &near, seen) {
                    found.spans |= 1;
                }
                left.extend(OpenPair::new(parts, leg, lot, found));
                None
            };
        self.chain.poses_at_ends(way, lot, ends);
        let span = (lot.end - lot.start) / SPANS as f64;
        let moving = |group: usize, tree, kept: f32| -> MovingTree<'_> {
            let EdgeBounds { bend, reach, joints, .. } = bounds[group];
            let pad = PAD * (joints + 4) as f64;
            let off = bounds[group].of_values();
            let share = 0.125 * span * span * (1.0 + 1e-6);
            let bend = [bend[0] * share + pad * reach + off[0], bend[1] * share + pad + off[1]];
            let [bend, more] = bend.map(upward);
            MovingTree { balls: tree, at: &ends[group], bend: [bend + kept, more] }
        };
        let standing = self.parts.robot..self.parts.parts.len();
        for (group, GroupParts { parts, ball, .. }) in self.parts.groups.iter().enumerate().skip(1) {
            let Some(ball) = ball else { continue };
            let whole = moving(group, std::slice::from_ref(ball), self.parts.most_kept);
            let [least, most] = swept(&whole);
            for other in standing.clone() {
                let [from, to] = &self.parts.bounds[other - self.parts.robot];
                if (0..3).any(|c| least[c] > to[c] || most[c] < from[c]) {
                    continue;
                }
                let boxes = Other::Standing(self.parts.parts[other].boxes());
                // All parts of the group together first.
                let mut spans = match parts.len() {
                    1 => ALL,
                    _ => may_meet(&whole, &boxes, &to_the_end(ALL), waiting).spans,
                };
                if is_first && spans & 1 == 0 && self.parts.parts[other].may_enclose(&whole) {
                    spans |= 1;
                }
                if spans == 0 {
                    continue;
                }
                for part in parts.clone() {
                    let Some(kept) = self.parts.required_distance(group, part, other) else { continue };
                    let tree = moving(group, self.parts.parts[part].balls(), kept);
                    let pair = ([part, other], ChainRef::Root(group));
                    if let Some(contact) = meet(&tree, &boxes, pair, spans, waiting) {
                        return Some(contact);
                    }
                }
            }
        }
        let links = self.cell.robot().links().len();
        for (number, between) in self.parts.between.iter().enumerate() {
            let [a, b] = between.groups;
            let [Some(ball_a), Some(ball_b)] = [a, b].map(|group| self.parts.groups[group].ball.as_ref())
            else {
                continue;
            };
            let whole = moving(a, std::slice::from_ref(ball_a), self.parts.most_kept);
            let other = Other::Moving(moving(b, std::slice::from_ref(ball_b), 0.0));
            let spans = may_meet(&whole, &other, &to_the_end(ALL), waiting).spans;
            if spans == 0 {
                continue;
            }
            let mut seen = None;
            let open = between.map.as_ref().map_or(ALL, |map| open_spans(map, way, lot));
            for (pair, kept) in between.parts.iter().zip(&between.kept) {
                let is_mapped = pair.iter().all(|part| self.parts.parts[*part].owner < links);
                let spans = if is_mapped { spans & open } else { spans };
                if spans == 0 {
                    continue;
                }
                let (at, bend) =
                    seen.get_or_insert_with(|| self.relative_bounds(number, way, span, (ends, bounds)));
                let bend = [bend[0] + kept, bend[1]];
                let tree = MovingTree { balls: self.parts.parts[pair[0]].balls(), at, bend };
                let other = Other::Resting(self.parts.parts[pair[1]].balls());
                let pair = (*pair, ChainRef::Between(number));
                if let Some(contact) = meet(&tree, &other, pair, spans, waiting) {
                    return Some(contact);
                }
            }
        }
        None
    }

    /// Whether one part is inside the other, which is solid, at the start of a block. Their surfaces must not
    /// intersect there. The tree gives the first part's position in the frame of the second.
    fn is_within(
        &self,
        way: &JointEdge<'_>,
        left: &OpenPair,
        (tree, bounds, at): (&MovingTree<'_>, &[EdgeBounds], &RefCell<GroupsAt>),
    ) -> bool {
        let [a, b] = left.parts.map(|part| &self.parts.parts[part]);
        if !a.solid && !b.solid {
            return false;
        }
        let rounding = f64::from(tree.bend[0]) + f64::from(tree.bend[1]) * (a.reach() + b.reach());
        let (turn, origin) = tree.at.first();
        let back = turn.transpose();
        let seen: [&dyn Fn(DVec3) -> DVec3; 2] =
            [&|place| turn * place + origin, &|place| back * (place - origin)];
        a.may_be_inside(b, seen, rounding) && self.near(way, left, bounds, at).is_within(left.lot.start)
    }

    /// The contact of two parts with overlapping interiors, if it is certain.
    fn contact_inside(
        &self,
        way: &JointEdge<'_>,
        left: &OpenPair,
        deep: DeepSlice,
        (bounds, at): (&[EdgeBounds], &RefCell<GroupsAt>),
    ) -> Option<EdgeContact> {
        let time = left.time(f64::from(deep.time));
        let near = self.near(way, left, bounds, at);
        near.intersects_for_certain_inside(time, deep.numbers).then(|| self.contact(left, [time; 2]))
    }

    /// The position of the first group in the frame of the second at the ends of the intervals, and the distance of
    /// a sphere's centre from its chord there, as in [`MovingTree`].
    fn relative_bounds(
        &self,
        number: usize,
        way: &JointEdge<'_>,
        span: f64,
        (ends, bounds): (&[GroupAtEnds], &[EdgeBounds]),
    ) -> (GroupAtEnds, [f32; 2]) {
        let [a, b] = self.parts.between[number].groups;
        let own = self.chain.bounds(&self.legs_between[number], way);
        let share = 0.125 * span * span * (1.0 + 1e-6);
        // Rounding of both positions in the frame of the root, and of the second group's rotation.
        let [pad_a, pad_b] = [a, b].map(|group| PAD * (bounds[group].joints + 4) as f64);
        let pad = pad_a * bounds[a].reach + pad_b * (bounds[b].reach + own.reach);
        // Rounding of the joint values of both groups, relative to the root.
        let [off_a, off_b] = [a, b].map(|group| bounds[group].of_values());
        let off = off_a[0] + off_b[0] + off_b[1] * own.reach;
        let bend =
            [own.bend[0] * share + pad + off, own.bend[1] * share + pad_a + pad_b + off_a[1] + off_b[1]];
        (ends[a].in_frame_of(&ends[b]), bend.map(upward))
    }

    fn near<'c>(
        &'c self,
        way: &'c JointEdge<'c>,
        left: &OpenPair,
        bounds: &[EdgeBounds],
        at: &'c RefCell<GroupsAt>,
    ) -> PartPairMotion<'c> {
        let parts = left.parts.map(|part| &self.parts.parts[part]);
        let reach_of = |part: &CollisionPart| bounds[part.group].reach + part.reach();
        let between = match left.leg {
            ChainRef::Root(group) => bounds[group],
            ChainRef::Between(number) => self.chain.bounds(&self.legs_between[number], way),
        };
        let of_root = parts.map(|part| &bounds[part.group]);
        let owners = parts.map(|part| part.owner);
        PartPairMotion {
            chain: &self.chain,
            way,
            parts,
            bounds: between,
            reach: reach_of(parts[0]).max(reach_of(parts[1]))
                + self.cell.definition().base.position().length(),
            speed: speed_from_root(of_root, [parts[0].reach(), between.reach]),
            at,
            keep: separation_threshold(&self.cell, owners, self.parts.tolerance),
            clearance: self.cell.clearance_of(owners),
        }
    }

    /// Tests whether the pairs with the deepest overlap certainly intersect, among the pairs from index `first`.
    fn check_deepest(
        &self,
        way: &JointEdge<'_>,
        first: usize,
        memory: &mut EdgeMemory,
        budget: &mut Budget<'_>,
    ) -> Option<EdgeContact> {
        let EdgeMemory { bounds, at, left, pair, work, .. } = memory;
        left[first..].sort_unstable_by(OpenPair::deepest_first);
        let deep = || left[first..].iter().take(LOOKS).filter(|left| left.depth > DEEP);
        let time = |left: &OpenPair| left.time(left.deepest as f64 + 0.5);
        let by_points =
            |left: &&OpenPair| self.near(way, left, bounds, at).intersects_for_certain_by_points(time(left));
        if let Some(left) = deep().find(by_points) {
            return Some(self.contact(left, [time(left); 2]));
        }
        for left in deep() {
            let near = self.near(way, left, bounds, at);
            let time = time(left);
            work.intersection_tests += 1;
            if near.intersects_for_certain(time, pair, budget) {
                return Some(self.contact(left, [time; 2]));
            }
        }
        None
    }

    fn contact(&self, left: &OpenPair, at: [f64; 2]) -> EdgeContact {
        let [a, b] = left.parts.map(|part| self.parts.parts[part].owner);
        EdgeContact { bodies: [a.min(b), a.max(b)], at }
    }

    /// Tests the remaining pairs with their exact shapes.
    fn prove(
        &self,
        way: &JointEdge<'_>,
        goal: EdgeQuery,
        memory: &mut EdgeMemory,
        budget: &mut Budget<'_>,
    ) -> EdgeResult {
        let EdgeMemory { bounds, at, left, pair, work, .. } = memory;
        let mut found = EdgeResult { free_until: 1.0, contact: None, doubt: None };
        match goal {
            EdgeQuery::Any => left.sort_unstable_by(OpenPair::deepest_first),
            EdgeQuery::First => left.sort_unstable_by(OpenPair::earliest_first),
        }
        // Contacts from this time on do not count.
        let mut limit = 1.0;
        for left in left.iter() {
            let near = self.near(way, left, bounds, at);
            work.pairs += 1;
            for (begin, end) in left.runs().filter(|(begin, _)| *begin < limit || *begin == 0.0) {
                let end = end.min(limit);
                let mut verdict =
                    near.follow(TimeInterval::new(begin, end), pair, budget, &mut work.intersection_tests);
                if let FirstContact::Undecided(until) = verdict {
                    work.by_path += 1;
                    let bodies = self.contact(left, [until; 2]).bodies;
                    verdict = self.by_path(way, bodies, until, budget);
                }
                match verdict {
                    FirstContact::Clear => continue,
                    FirstContact::Contact([apart_until, at]) => {
                        found.free_until = found.free_until.min(apart_until);
                        found.contact = Some(self.contact(left, [apart_until, at]));
                        limit = limit.min(at);
                    }
                    FirstContact::Undecided(until) => {
                        found.free_until = found.free_until.min(until);
                        found.doubt = found.doubt.or(Some(self.contact(left, [until; 2]).bodies));
                    }
                }
                if goal == EdgeQuery::Any && found.contact.is_some() {
                    return found;
                }
                break;
            }
        }
        if let Some(contact) = &mut found.contact {
            contact.at[0] = contact.at[0].max(found.free_until);
        }
        found
    }

    /// The verdict on one pair from a check of the whole path.
    fn by_path(
        &self,
        way: &JointEdge<'_>,
        bodies: [usize; 2],
        apart_until: f64,
        budget: &mut Budget<'_>,
    ) -> PartPairContact {
        let robot = self.cell.robot();
        let joints: Vec<usize> = (0..robot.joints().len()).filter(|joint| robot.is_set(*joint)).collect();
        let values_at = |values: &[f64]| {
            let own = |joint: &usize| match self.joints.iter().position(|set| set == joint) {
                Some(place) => values[place],
                None => self.values[*joint],
            };
            joints.iter().map(own).collect()
        };
        let waypoints = [(0.0, way.from), (1.0, way.to)].map(|(time, values)| Waypoint {
            time,
            positions: values_at(values),
            velocities: Vec::new(),
        });
        let path = JointPath { joints: joints.clone(), waypoints: waypoints.to_vec() };
        let count = self.cell.count();
        let others =
            (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])).filter(|pair| *pair != bodies);
        let ignore = others.map(|pair| pair.map(PairSide::Body)).collect();
        let definition = CellDefinition { ignore, ..self.cell.definition().clone() };
        // Half of the budget, because other pairs may need the rest.
        let half = budget.remaining().div_ceil(2);
        let _ = budget.take(half);
        let options =
            CheckOptions { budget: half.max(1), resting: RestingPairs::Tested, ..CheckOptions::default() };
        let checked = RobotCell::new(definition).and_then(|cell| cell.check_path(&path, &options, &()));
        let undecided = FirstContact::Undecided(apart_until);
        let Ok(checked) = checked else { return undecided };
        let clearance = self.cell.clearance_of(bodies);
        checked
            .report
            .pairs
            .first()
            .map_or(FirstContact::Clear, |pair| verdict_of(pair, (apart_until, clearance)))
    }
}

/// The verdict on an edge from a pair's report, for a pair known to stay further apart than its clearance until a
/// time: the time until which the edge is free, and what ends it. A report of a contact or of an undecided interval
/// does not say when the pair came nearer than its clearance.
fn verdict_of(pair: &PairReport, (apart_until, clearance): (f64, f64)) -> PartPairContact {
    let free_until = match pair.verdict {
        PairVerdict::Clear => return FirstContact::Clear,
        PairVerdict::Near => pair.clear_until,
        _ if clearance > 0.0 => pair.clear_until.min(apart_until),
        _ => pair.clear_until,
    };
    match pair.intervals.first() {
        Some(interval) => FirstContact::Contact([free_until, interval.enter[1]]),
        None => FirstContact::Undecided(free_until),
    }
}

/// The intervals of a block in which an edge may leave the free cells of a grid.
fn open_spans(map: &ClearanceGrid, way: &JointEdge<'_>, interval: TimeInterval) -> SliceMask {
    let TimeInterval { start: begin, end } = interval;
    if map.is_free_on(way, interval) {
        return 0;
    }
    let time = |k: usize| if k == SPANS { end } else { begin + (end - begin) * (k as f64 / SPANS as f64) };
    (0..SPANS)
        .filter(|k| !map.is_free_on(way, TimeInterval::new(time(*k), time(k + 1))))
        .fold(0, |spans, k| spans | 1 << k)
}

/// The answer to a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeResult {
    pub(crate) free_until: f64,
    pub(crate) contact: Option<EdgeContact>,
    pub(crate) doubt: Option<[usize; 2]>,
}

impl OpenPair {
    /// An open pair of two parts.
    fn of(parts: [usize; 2], leg: ChainRef, lot: TimeInterval, found: SweepOverlap) -> Self {
        let SweepOverlap { spans, deepest, depth, .. } = found;
        Self { parts, leg, spans, lot, deepest, depth }
    }

    /// An open pair of two parts; `None` if they are proven separated.
    fn new(parts: [usize; 2], leg: ChainRef, lot: TimeInterval, found: SweepOverlap) -> Option<Self> {
        (found.spans != 0).then(|| Self::of(parts, leg, lot, found))
    }

    /// The time when `spans` of the seven intervals have passed.
    fn time(&self, spans: f64) -> f64 {
        let TimeInterval { start: begin, end } = self.lot;
        if spans >= SPANS as f64 { end } else { begin + (end - begin) * (spans / SPANS as f64) }
    }

    /// A total order of the pairs of one query.
    fn deepest_first(&self, other: &Self) -> Ordering {
        other.depth.total_cmp(&self.depth).then_with(|| self.earliest_first(other))
    }

    fn earliest_first(&self, other: &Self) -> Ordering {
        self.begin().total_cmp(&other.begin()).then(self.parts.cmp(&other.parts))
    }

    fn begin(&self) -> f64 {
        self.time(f64::from(self.spans.trailing_zeros()))
    }

    /// Start and end of each run of consecutive intervals.
    fn runs(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let has = |k: usize| self.spans & (1 << k) != 0;
        (0..SPANS).filter(move |k| has(*k) && (*k == 0 || !has(k - 1))).map(move |first| {
            let last = (first..SPANS).find(|k| !has(*k)).unwrap_or(SPANS);
            (self.time(first as f64), self.time(last as f64))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::report::SceneInterval;

    #[test]
    fn an_edge_is_free_until_the_first_doubt_or_contact() {
        let met = |enter| SceneInterval::new(enter, None);
        let report = |verdict, clear_until, intervals| PairReport {
            verdict,
            clear_until,
            intervals,
            ..PairReport::clear([0, 1], 1.0)
        };
        let clear = report(PairVerdict::Clear, 1.0, vec![]);
        assert_eq!(verdict_of(&clear, (0.1, 0.0)), FirstContact::Clear);
        // Undecided from 0.2 on, with a contact at 0.6.
        let late = report(PairVerdict::Contact, 0.2, vec![met([0.6, 0.61])]);
        assert_eq!(verdict_of(&late, (0.1, 0.0)), FirstContact::Contact([0.2, 0.61]));
        let doubt = report(PairVerdict::Undecided, 0.2, vec![]);
        assert_eq!(verdict_of(&doubt, (0.1, 0.0)), FirstContact::Undecided(0.2));
        // The pair was nearer than its clearance before the contact, from an unknown time on.
        assert_eq!(verdict_of(&late, (0.1, 0.05)), FirstContact::Contact([0.1, 0.61]));
        assert_eq!(verdict_of(&doubt, (0.1, 0.05)), FirstContact::Undecided(0.1));
        let near = report(PairVerdict::Near, 0.3, vec![met([0.3, 0.31])]);
        assert_eq!(verdict_of(&near, (0.1, 0.05)), FirstContact::Contact([0.3, 0.31]));
    }
}
