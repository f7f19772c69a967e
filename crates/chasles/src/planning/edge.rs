//! One query about an edge: bounding spheres in blocks of seven intervals, then exact tests of the remaining pairs.

use std::cell::RefCell;
use std::sync::Arc;

use glam::DVec3;

use crate::features::contact::FirstContact;
use crate::math::budget::Budget;
use crate::math::lanes::Instructions;
use crate::math::time_interval::TimeInterval;
use crate::pair::PairMemory;
use crate::planning::answer::{EdgeContact, EdgeWork};
use crate::planning::chain::{Chain, ChainPath, EdgeBounds, GroupAtEnds, INTERVALS, JointEdge};
use crate::planning::clearance_grid::ClearanceGrid;
use crate::planning::near::{GroupsAt, PartPairContact, PartPairMotion, speed_from_root};
use crate::planning::open_pair::{ChainRef, OpenPair};
use crate::planning::part::CollisionPart;
use crate::planning::parts::{CollisionModel, GroupParts, separation_threshold, upward};
use crate::planning::sweep::{
    ALL, DeepSlice, MovingTree, Obstacle, SliceMask, SweepTest, TestStack, may_meet, swept,
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
    pub(crate) chain_paths: Vec<ChainPath>,
    /// The path between each pair of groups in `parts.between`.
    pub(crate) paths_between: Vec<ChainPath>,
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
    open: Vec<OpenPair>,
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
const DEEPEST_PAIRS: usize = 3;

/// Only pairs whose leaves overlap by more than this fraction of the leaf size are tested.
const DEEP: f32 = 0.0;

/// 24 roundings in 32 bits, multiplied by the number of joints plus four frames: see [`Chain::poses_at_ends`].
pub(crate) const PAD: f64 = 24.0 * (f32::EPSILON as f64);

/// The contact that a query searches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeQuery {
    Any,
    First,
}

/// The acceptable chord error of an interval, as a fraction of the robot's reach.
const MAX_CHORD_ERROR: f64 = 1.5e-3;

/// Maximum number of blocks of seven intervals per edge.
const MAX_BLOCKS: usize = 32;

impl PlanningModel {
    /// Answers a query.
    pub(crate) fn check(&self, edge: &JointEdge<'_>, goal: EdgeQuery, memory: &mut EdgeMemory) -> EdgeResult {
        let mut budget = Budget::new(self.budget);
        memory.work.edges += 1;
        memory.at.get_mut().forget();
        memory.open.clear();
        memory.bounds.clear();
        memory.bounds.extend(self.chain_paths.iter().map(|chain_path| self.chain.bounds(chain_path, edge)));
        let count = self.count_blocks(&memory.bounds);
        for round in 0..count {
            // The middle first, because most blocked edges are blocked there.
            let block = match goal {
                EdgeQuery::Any => {
                    (count / 2 + if round % 2 == 0 { count - round / 2 } else { round.div_ceil(2) }) % count
                }
                EdgeQuery::First => round,
            };
            let fraction = |block: usize| block as f64 / count as f64;
            let first = memory.open.len();
            let is_first = round == 0;
            let mut contact = self.sweep(
                edge,
                TimeInterval::new(fraction(block), fraction(block + 1)),
                (goal, is_first),
                memory,
            );
            if goal == EdgeQuery::Any {
                contact = contact.or_else(|| self.check_deepest(edge, first, memory, &mut budget));
            }
            if contact.is_some() {
                return EdgeResult { free_until: 0.0, contact, undecided: None };
            }
        }
        if memory.open.is_empty() {
            memory.work.by_spheres += 1;
            return EdgeResult { free_until: 1.0, contact: None, undecided: None };
        }
        self.prove(edge, goal, memory, &mut budget)
    }

    /// The number of blocks for which the chord errors are small compared with the robot.
    fn count_blocks(&self, bounds: &[EdgeBounds]) -> usize {
        let mut most = 0.0_f64;
        for (group, bounds) in bounds.iter().enumerate() {
            let reach = self.parts.groups[group].reach;
            let chord_error = (bounds.acceleration[0] + bounds.acceleration[1] * reach)
                / (8.0 * (INTERVALS * INTERVALS) as f64);
            most = most.max(chord_error / (MAX_CHORD_ERROR * (bounds.reach + reach)).max(f64::MIN_POSITIVE));
        }
        let required = most.sqrt();
        (1..MAX_BLOCKS).find(|count| required <= *count as f64).unwrap_or(MAX_BLOCKS)
    }

    /// Adds the pairs of a block that the spheres do not prove separated. If any contact suffices and spheres prove
    /// one, returns it. The first block processed also tests whether one part of a pair is inside the other, which
    /// cannot change while their surfaces stay separated.
    fn sweep(
        &self,
        edge: &JointEdge<'_>,
        block: TimeInterval,
        (goal, is_first): (EdgeQuery, bool),
        memory: &mut EdgeMemory,
    ) -> Option<EdgeContact> {
        let EdgeMemory { ends, bounds, at, waiting, open, .. } = memory;
        let test_of = |intervals| SweepTest {
            intervals,
            ends_when_deep: goal == EdgeQuery::Any,
            instructions: self.instructions,
        };
        let to_the_end = |intervals| SweepTest { ends_when_deep: false, ..test_of(intervals) };
        // Stores the open intervals of two parts, or returns a contact.
        let mut meet = |tree: &MovingTree<'_>,
                        other: &Obstacle<'_>,
                        (parts, chain_path),
                        intervals,
                        waiting: &mut TestStack| {
            let mut found = may_meet(tree, other, &test_of(intervals), waiting);
            if let Some(deep) = found.deep {
                let open = OpenPair::of(parts, chain_path, block, found);
                let contact = self.contact_inside(edge, &open, deep, (bounds, at));
                if contact.is_some() {
                    return contact;
                }
                found = may_meet(tree, other, &to_the_end(intervals), waiting);
            }
            let (near, seen) =
                (OpenPair::of(parts, chain_path, block, found), (tree, bounds.as_slice(), &*at));
            if is_first && intervals & !found.intervals & 1 != 0 && self.is_within(edge, &near, seen) {
                found.intervals |= 1;
            }
            open.extend(OpenPair::new(parts, chain_path, block, found));
            None
        };
        self.chain.poses_at_ends(edge, block, ends);
        let length = (block.end - block.start) / INTERVALS as f64;
        let moving = |group: usize, tree, required: f32| -> MovingTree<'_> {
            let EdgeBounds { acceleration, reach, joints, .. } = bounds[group];
            let pad = PAD * (joints + 4) as f64;
            let of_values = bounds[group].of_values();
            let factor = 0.125 * length * length * (1.0 + 1e-6);
            let chord_error = [
                acceleration[0] * factor + pad * reach + of_values[0],
                acceleration[1] * factor + pad + of_values[1],
            ];
            let [at_origin, per_metre] = chord_error.map(upward);
            MovingTree { balls: tree, at: &ends[group], chord_error: [at_origin + required, per_metre] }
        };
        let static_parts = self.parts.robot..self.parts.parts.len();
        for (group, GroupParts { parts, ball, .. }) in self.parts.groups.iter().enumerate().skip(1) {
            let Some(ball) = ball else { continue };
            let whole = moving(group, std::slice::from_ref(ball), self.parts.max_required);
            let [least, most] = swept(&whole);
            for other in static_parts.clone() {
                let [from, to] = &self.parts.bounds[other - self.parts.robot];
                if (0..3).any(|c| least[c] > to[c] || most[c] < from[c]) {
                    continue;
                }
                let boxes = Obstacle::StaticBoxes(self.parts.parts[other].boxes());
                // All parts of the group together first.
                let mut intervals = match parts.len() {
                    1 => ALL,
                    _ => may_meet(&whole, &boxes, &to_the_end(ALL), waiting).intervals,
                };
                if is_first && intervals & 1 == 0 && self.parts.parts[other].may_enclose(&whole) {
                    intervals |= 1;
                }
                if intervals == 0 {
                    continue;
                }
                for part in parts.clone() {
                    let Some(required) = self.parts.required_distance(group, part, other) else { continue };
                    let tree = moving(group, self.parts.parts[part].balls(), required);
                    let pair = ([part, other], ChainRef::Root(group));
                    if let Some(contact) = meet(&tree, &boxes, pair, intervals, waiting) {
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
            let whole = moving(a, std::slice::from_ref(ball_a), self.parts.max_required);
            let other = Obstacle::MovingSpheres(moving(b, std::slice::from_ref(ball_b), 0.0));
            let intervals = may_meet(&whole, &other, &to_the_end(ALL), waiting).intervals;
            if intervals == 0 {
                continue;
            }
            let mut relative = None;
            let unproven = between.grid.as_ref().map_or(ALL, |grid| open_intervals(grid, edge, block));
            for (pair, required) in between.parts.iter().zip(&between.required) {
                let are_links = pair.iter().all(|part| self.parts.parts[*part].owner < links);
                let intervals = if are_links { intervals & unproven } else { intervals };
                if intervals == 0 {
                    continue;
                }
                let (at, chord_error) = relative
                    .get_or_insert_with(|| self.relative_bounds(number, edge, length, (ends, bounds)));
                let chord_error = [chord_error[0] + required, chord_error[1]];
                let tree = MovingTree { balls: self.parts.parts[pair[0]].balls(), at, chord_error };
                let other = Obstacle::StaticSpheres(self.parts.parts[pair[1]].balls());
                let pair = (*pair, ChainRef::Between(number));
                if let Some(contact) = meet(&tree, &other, pair, intervals, waiting) {
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
        edge: &JointEdge<'_>,
        open: &OpenPair,
        (tree, bounds, at): (&MovingTree<'_>, &[EdgeBounds], &RefCell<GroupsAt>),
    ) -> bool {
        let [a, b] = open.parts.map(|part| &self.parts.parts[part]);
        if !a.solid && !b.solid {
            return false;
        }
        let rounding =
            f64::from(tree.chord_error[0]) + f64::from(tree.chord_error[1]) * (a.reach() + b.reach());
        let (rotation, origin) = tree.at.first();
        let back = rotation.transpose();
        let seen: [&dyn Fn(DVec3) -> DVec3; 2] =
            [&|place| rotation * place + origin, &|place| back * (place - origin)];
        a.may_be_inside(b, seen, rounding) && self.near(edge, open, bounds, at).is_within(open.block.start)
    }

    /// The contact of two parts with overlapping interiors, if it is certain.
    fn contact_inside(
        &self,
        edge: &JointEdge<'_>,
        open: &OpenPair,
        deep: DeepSlice,
        (bounds, at): (&[EdgeBounds], &RefCell<GroupsAt>),
    ) -> Option<EdgeContact> {
        let time = open.time(f64::from(deep.time));
        let near = self.near(edge, open, bounds, at);
        near.interiors_overlap(time, deep.numbers).then(|| self.contact(open, [time; 2]))
    }

    /// The position of the first group in the frame of the second at the ends of the intervals, and the distance of
    /// a sphere's centre from its chord there, as in [`MovingTree`].
    fn relative_bounds(
        &self,
        number: usize,
        edge: &JointEdge<'_>,
        length: f64,
        (ends, bounds): (&[GroupAtEnds], &[EdgeBounds]),
    ) -> (GroupAtEnds, [f32; 2]) {
        let [a, b] = self.parts.between[number].groups;
        let between = self.chain.bounds(&self.paths_between[number], edge);
        let factor = 0.125 * length * length * (1.0 + 1e-6);
        // Rounding of both positions in the frame of the root, and of the second group's rotation.
        let [pad_a, pad_b] = [a, b].map(|group| PAD * (bounds[group].joints + 4) as f64);
        let pad = pad_a * bounds[a].reach + pad_b * (bounds[b].reach + between.reach);
        // Rounding of the joint values of both groups, relative to the root.
        let [values_a, values_b] = [a, b].map(|group| bounds[group].of_values());
        let of_values = values_a[0] + values_b[0] + values_b[1] * between.reach;
        let chord_error = [
            between.acceleration[0] * factor + pad + of_values,
            between.acceleration[1] * factor + pad_a + pad_b + values_a[1] + values_b[1],
        ];
        (ends[a].in_frame_of(&ends[b]), chord_error.map(upward))
    }

    fn near<'c>(
        &'c self,
        edge: &'c JointEdge<'c>,
        open: &OpenPair,
        bounds: &[EdgeBounds],
        at: &'c RefCell<GroupsAt>,
    ) -> PartPairMotion<'c> {
        let parts = open.parts.map(|part| &self.parts.parts[part]);
        let reach_of = |part: &CollisionPart| bounds[part.group].reach + part.reach();
        let between = match open.chain_path {
            ChainRef::Root(group) => bounds[group],
            ChainRef::Between(number) => self.chain.bounds(&self.paths_between[number], edge),
        };
        let of_root = parts.map(|part| &bounds[part.group]);
        let owners = parts.map(|part| part.owner);
        PartPairMotion {
            chain: &self.chain,
            edge,
            parts,
            bounds: between,
            reach: reach_of(parts[0]).max(reach_of(parts[1]))
                + self.cell.definition().base.position().length(),
            speed: speed_from_root(of_root, [parts[0].reach(), between.reach]),
            at,
            required: separation_threshold(&self.cell, owners, self.parts.tolerance),
            clearance: self.cell.clearance_of(owners),
        }
    }

    /// Tests whether the pairs with the deepest overlap certainly intersect, among the pairs from index `first`.
    fn check_deepest(
        &self,
        edge: &JointEdge<'_>,
        first: usize,
        memory: &mut EdgeMemory,
        budget: &mut Budget<'_>,
    ) -> Option<EdgeContact> {
        let EdgeMemory { bounds, at, open, pair, work, .. } = memory;
        open[first..].sort_unstable_by(OpenPair::deepest_first);
        let deep = || open[first..].iter().take(DEEPEST_PAIRS).filter(|open| open.depth > DEEP);
        let time = |open: &OpenPair| open.time(open.deepest as f64 + 0.5);
        let by_points = |open: &&OpenPair| self.near(edge, open, bounds, at).intersects_by_points(time(open));
        if let Some(open) = deep().find(by_points) {
            return Some(self.contact(open, [time(open); 2]));
        }
        for open in deep() {
            let near = self.near(edge, open, bounds, at);
            let time = time(open);
            work.intersection_tests += 1;
            if near.intersects_for_certain(time, pair, budget) {
                return Some(self.contact(open, [time; 2]));
            }
        }
        None
    }

    fn contact(&self, open: &OpenPair, at: [f64; 2]) -> EdgeContact {
        let [a, b] = open.parts.map(|part| self.parts.parts[part].owner);
        EdgeContact { bodies: [a.min(b), a.max(b)], at }
    }

    /// Tests the remaining pairs with their exact shapes.
    fn prove(
        &self,
        edge: &JointEdge<'_>,
        goal: EdgeQuery,
        memory: &mut EdgeMemory,
        budget: &mut Budget<'_>,
    ) -> EdgeResult {
        let EdgeMemory { bounds, at, open, pair, work, .. } = memory;
        let mut found = EdgeResult { free_until: 1.0, contact: None, undecided: None };
        match goal {
            EdgeQuery::Any => open.sort_unstable_by(OpenPair::deepest_first),
            EdgeQuery::First => open.sort_unstable_by(OpenPair::earliest_first),
        }
        // Contacts from this time on do not count.
        let mut limit = 1.0;
        for open in open.iter() {
            let near = self.near(edge, open, bounds, at);
            work.pairs += 1;
            for (start, end) in open.merged_intervals().filter(|(start, _)| *start < limit || *start == 0.0) {
                let end = end.min(limit);
                let mut verdict =
                    near.follow(TimeInterval::new(start, end), pair, budget, &mut work.intersection_tests);
                if let FirstContact::Undecided(until) = verdict {
                    work.by_path += 1;
                    let bodies = self.contact(open, [until; 2]).bodies;
                    verdict = self.by_path(edge, bodies, until, budget);
                }
                match verdict {
                    FirstContact::Clear => continue,
                    FirstContact::Contact([separated_until, at]) => {
                        found.free_until = found.free_until.min(separated_until);
                        found.contact = Some(self.contact(open, [separated_until, at]));
                        limit = limit.min(at);
                    }
                    FirstContact::Undecided(until) => {
                        found.free_until = found.free_until.min(until);
                        found.undecided = found.undecided.or(Some(self.contact(open, [until; 2]).bodies));
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
        edge: &JointEdge<'_>,
        bodies: [usize; 2],
        separated_until: f64,
        budget: &mut Budget<'_>,
    ) -> PartPairContact {
        let robot = self.cell.robot();
        let joints: Vec<usize> = (0..robot.joints().len()).filter(|joint| robot.is_set(*joint)).collect();
        let values_at = |values: &[f64]| {
            let value_of = |joint: &usize| match self.joints.iter().position(|set| set == joint) {
                Some(place) => values[place],
                None => self.values[*joint],
            };
            joints.iter().map(value_of).collect()
        };
        let waypoints = [(0.0, edge.from), (1.0, edge.to)].map(|(time, values)| Waypoint {
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
        let undecided = FirstContact::Undecided(separated_until);
        let Ok(checked) = checked else { return undecided };
        let clearance = self.cell.clearance_of(bodies);
        checked
            .report
            .pairs
            .first()
            .map_or(FirstContact::Clear, |pair| verdict_of(pair, (separated_until, clearance)))
    }
}

/// The verdict on an edge from a pair's report, for a pair known to stay further apart than its clearance until a
/// time: the time until which the edge is free, and what ends it. A report of a contact or of an undecided interval
/// does not say when the pair came nearer than its clearance.
fn verdict_of(pair: &PairReport, (separated_until, clearance): (f64, f64)) -> PartPairContact {
    let free_until = match pair.verdict {
        PairVerdict::Clear => return FirstContact::Clear,
        PairVerdict::Near => pair.clear_until,
        _ if clearance > 0.0 => pair.clear_until.min(separated_until),
        _ => pair.clear_until,
    };
    match pair.intervals.first() {
        Some(interval) => FirstContact::Contact([free_until, interval.enter[1]]),
        None => FirstContact::Undecided(free_until),
    }
}

/// The intervals of a block in which an edge may leave the free cells of a grid.
fn open_intervals(grid: &ClearanceGrid, edge: &JointEdge<'_>, interval: TimeInterval) -> SliceMask {
    let TimeInterval { start, end } = interval;
    if grid.is_free_on(edge, interval) {
        return 0;
    }
    let time =
        |k: usize| if k == INTERVALS { end } else { start + (end - start) * (k as f64 / INTERVALS as f64) };
    (0..INTERVALS)
        .filter(|k| !grid.is_free_on(edge, TimeInterval::new(time(*k), time(k + 1))))
        .fold(0, |intervals, k| intervals | 1 << k)
}

/// The answer to a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeResult {
    pub(crate) free_until: f64,
    pub(crate) contact: Option<EdgeContact>,
    pub(crate) undecided: Option<[usize; 2]>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::report::SceneInterval;

    #[test]
    fn an_edge_is_free_until_the_first_undecided_time_or_contact() {
        let interval_at = |enter| SceneInterval::new(enter, None);
        let report = |verdict, clear_until, intervals| PairReport {
            verdict,
            clear_until,
            intervals,
            ..PairReport::clear([0, 1], 1.0)
        };
        let clear = report(PairVerdict::Clear, 1.0, vec![]);
        assert_eq!(verdict_of(&clear, (0.1, 0.0)), FirstContact::Clear);
        // Undecided from 0.2 on, with a contact at 0.6.
        let late = report(PairVerdict::Contact, 0.2, vec![interval_at([0.6, 0.61])]);
        assert_eq!(verdict_of(&late, (0.1, 0.0)), FirstContact::Contact([0.2, 0.61]));
        let undecided = report(PairVerdict::Undecided, 0.2, vec![]);
        assert_eq!(verdict_of(&undecided, (0.1, 0.0)), FirstContact::Undecided(0.2));
        // The pair was nearer than its clearance before the contact, from an unknown time on.
        assert_eq!(verdict_of(&late, (0.1, 0.05)), FirstContact::Contact([0.1, 0.61]));
        assert_eq!(verdict_of(&undecided, (0.1, 0.05)), FirstContact::Undecided(0.1));
        let near = report(PairVerdict::Near, 0.3, vec![interval_at([0.3, 0.31])]);
        assert_eq!(verdict_of(&near, (0.1, 0.05)), FirstContact::Contact([0.3, 0.31]));
    }
}
