//! Checks of edges and configurations, and of the free length of an edge.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use rayon::prelude::*;

use crate::error::Error;
use crate::instant::gap::GapLimits;
use crate::math::lanes::Instructions;
use crate::pair::PairMemory;
use crate::planning::EdgeChecker;
use crate::planning::answer::{EdgeContact, EdgeFreeSpan, EdgeOutcome};
use crate::planning::chain::{Chain, ChainPath, JointEdge};
use crate::planning::clearance_grid::GridInput;
use crate::planning::edge::{EdgeMemory, EdgeQuery, PlanningModel};
use crate::planning::parts::{CollisionModel, GroupPair};
use crate::robot::path::{JointPath, Waypoint};
use crate::robot::tree::{Follower, LIMIT_TOLERANCE};
use crate::robot::{Robot, RobotCell};

/// Options for edge checks.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeOptions {
    /// The numbers of the joints that a planner sets, in the order of its values. Empty: all joints that can be set,
    /// in the order of the robot.
    pub joints: Vec<usize>,
    /// The values of all other joints, one for each joint of the robot. Empty: the rest position.
    pub values: Vec<f64>,
    /// Steps of work to precompute the clearance of each pair of link groups with few joints between them; with 0, very
    /// little is precomputed. More steps make edges faster and the checker slower to build: a million take about 40 ms
    /// for each pair of groups. The spheres that contain the links become finer with the fourth root of the steps.
    pub preparation: u64,
    /// Steps of work for an edge, after which the outcome is [`EdgeOutcome::Undecided`].
    pub budget: u64,
}

impl Default for EdgeOptions {
    fn default() -> Self {
        Self { joints: Vec::new(), values: Vec::new(), preparation: 5_000_000, budget: 10_000_000 }
    }
}

/// The radius of the smallest link spheres, as a fraction of the radius of the largest link, with default preparation.
const FINE: f64 = 1.0 / 64.0;

/// The largest value of this fraction, with less preparation.
const COARSE: f64 = 1.0 / 12.0;

impl EdgeOptions {
    fn resolution(&self) -> f64 {
        let less = Self::default().preparation as f64 / self.preparation.max(1) as f64;
        (FINE * less.sqrt().sqrt()).min(COARSE)
    }
}

/// The results for pairs that no joint of the planner moves, which apply to every query.
#[derive(Debug, Clone, Default)]
pub(super) struct StaticOutcome {
    /// The pairs that touch.
    pub(super) touching: Vec<[usize; 2]>,
    /// A pair that is not proven separated.
    undecided: Option<[usize; 2]>,
}

impl StaticOutcome {
    /// The contact that blocks every query, if any.
    fn contact(&self) -> Option<EdgeContact> {
        self.touching.first().map(|bodies| EdgeContact { bodies: *bodies, at: [0.0; 2] })
    }
}

/// Minimum number of edges per parallel task.
const AT_ONCE: usize = 16;

/// Roundings of two poses computed once, for each metre that a part reaches from the origin of its frame.
const POSE_ROUNDINGS: f64 = 1024.0;

/// Minimum distance of surfaces in the free cells of a grid, as a fraction of the size of the parts.
const GRID_DISTANCE: f64 = 1e-6;

/// Prepares a cell.
pub(super) fn checker_of(cell: &RobotCell, options: &EdgeOptions) -> Result<EdgeChecker, Error> {
    let robot = cell.robot();
    let joints: Vec<usize> = match options.joints.is_empty() {
        true => (0..robot.joints().len()).filter(|joint| robot.is_set(*joint)).collect(),
        false => options.joints.clone(),
    };
    let mut values = robot.rest();
    if !options.values.is_empty() {
        let (found, expected) = (options.values.len(), values.len());
        if found != expected {
            return Error::out_of_range(found as f64, "one value for each joint", "values of edges");
        }
        values.clone_from(&options.values);
        robot.complete(&mut values);
    }
    let at = |joint: &usize| values.get(*joint).copied().unwrap_or(0.0);
    let waypoint = |time| Waypoint { time, positions: joints.iter().map(at).collect(), velocities: vec![] };
    JointPath { joints: joints.clone(), waypoints: vec![waypoint(0.0), waypoint(1.0)] }.check(robot)?;
    for (joint, value) in values.iter().enumerate() {
        if robot.is_set(joint) && !joints.contains(&joint) {
            robot.check_limits(joint, *value, "of edges")?;
        }
    }
    let chain = Chain::new(robot, &joints, &values);
    assembled(cell, options.clone(), (joints, values, Arc::new(chain)), None)
}

/// The same checker for another cell of the same robot. Unchanged data is reused.
pub(super) fn with_cell(checker: &EdgeChecker, cell: &RobotCell) -> Result<EdgeChecker, Error> {
    let model = &checker.model;
    let [robot, other] = [model.cell.robot(), cell.robot()];
    let links = |robot: &Robot| robot.links().len();
    if robot.joints() != other.joints() || links(robot) != links(other) {
        return Error::out_of_range(
            links(other) as f64,
            "the links and joints of the checker",
            "links of a cell",
        );
    }
    let prepared = (model.joints.clone(), model.values.clone(), model.chain.clone());
    assembled(cell, checker.options.clone(), prepared, Some(&model.parts))
}

fn assembled(
    cell: &RobotCell,
    options: EdgeOptions,
    (joints, values, chain): (Vec<usize>, Vec<f64>, Arc<Chain>),
    known: Option<&CollisionModel>,
) -> Result<EdgeChecker, Error> {
    let parts = CollisionModel::new(cell, &chain, (known, options.resolution()))?;
    let paths_between = parts.between.iter().map(|pair| chain.chain_path(pair.groups[1], pair.groups[0]));
    let model = PlanningModel {
        cell: cell.clone(),
        joints,
        values,
        chain_paths: (0..chain.count()).map(|group| chain.chain_path(0, group)).collect(),
        paths_between: paths_between.collect(),
        chain,
        parts,
        budget: options.budget,
        instructions: Instructions::Detected,
    };
    let static_outcome = StaticOutcome::default();
    let mut checker = EdgeChecker { model, options, static_outcome, limited: Vec::new() };
    checker.static_outcome = find_static(&checker);
    checker.limited = find_limited(&checker);
    build_grids(&mut checker, known);
    Ok(checker)
}

/// Whether the straight edge from one configuration to another is free.
pub(super) fn check_edge(
    checker: &EdgeChecker,
    from: &[f64],
    to: &[f64],
    memory: &mut EdgeMemory,
) -> Result<EdgeOutcome, Error> {
    checker.check_values(from)?;
    checker.check_values(to)?;
    Ok(outcome(checker, &JointEdge { from, to }, memory))
}

/// Whether a configuration is free.
pub(super) fn check_configuration(
    checker: &EdgeChecker,
    values: &[f64],
    memory: &mut EdgeMemory,
) -> Result<EdgeOutcome, Error> {
    checker.check_values(values)?;
    let outcome = outcome(checker, &JointEdge { from: values, to: values }, memory);
    Ok(match outcome {
        EdgeOutcome::Blocked(contact) => EdgeOutcome::Blocked(EdgeContact { at: [0.0; 2], ..contact }),
        EdgeOutcome::Free | EdgeOutcome::Undecided(_) => outcome,
    })
}

/// The free length of the straight edge from one configuration to another, and the contact that ends it.
pub(super) fn reach(
    checker: &EdgeChecker,
    from: &[f64],
    to: &[f64],
    memory: &mut EdgeMemory,
) -> Result<EdgeFreeSpan, Error> {
    checker.check_values(from)?;
    checker.check_values(to)?;
    if let Some(contact) = checker.static_outcome.contact() {
        return Ok(EdgeFreeSpan { free_until: 0.0, contact: Some(contact) });
    }
    let found = checker.model.check(&JointEdge { from, to }, EdgeQuery::First, memory);
    let free_until = if checker.static_outcome.undecided.is_some() { 0.0 } else { found.free_until };
    Ok(EdgeFreeSpan { free_until, contact: found.contact })
}

/// Checks many edges, in parallel.
pub(super) fn check_edges(checker: &EdgeChecker, edges: &[[&[f64]; 2]]) -> Result<Vec<EdgeOutcome>, Error> {
    edges.iter().flatten().try_for_each(|values| checker.check_values(values))?;
    let outcomes =
        edges.par_iter().with_min_len(AT_ONCE).map_init(EdgeMemory::default, |memory, [from, to]| {
            outcome(checker, &JointEdge { from, to }, memory)
        });
    Ok(outcomes.collect())
}

/// Checks many configurations, in parallel.
pub(super) fn check_configurations(
    checker: &EdgeChecker,
    configurations: &[&[f64]],
) -> Result<Vec<EdgeOutcome>, Error> {
    configurations.iter().try_for_each(|values| checker.check_values(values))?;
    let each = configurations.par_iter().with_min_len(AT_ONCE);
    each.map_init(EdgeMemory::default, |memory, values| checker.check_configuration(values, memory)).collect()
}

/// Checks that values are valid for a query.
pub(super) fn check_values(checker: &EdgeChecker, values: &[f64]) -> Result<(), Error> {
    if values.len() != checker.model.joints.len() {
        let expected = "one value for each joint of the edge checker";
        return Error::out_of_range(values.len() as f64, expected, "values of a configuration");
    }
    for limited in &checker.limited {
        checker.model.cell.robot().check_limits(limited.joint, limited.of(values), "of a configuration")?;
    }
    Ok(())
}

fn outcome(checker: &EdgeChecker, edge: &JointEdge<'_>, memory: &mut EdgeMemory) -> EdgeOutcome {
    if let Some(contact) = checker.static_outcome.contact() {
        return EdgeOutcome::Blocked(contact);
    }
    let found = checker.model.check(edge, EdgeQuery::Any, memory);
    match (found.contact, found.undecided.or(checker.static_outcome.undecided)) {
        (Some(contact), _) => EdgeOutcome::Blocked(contact),
        (None, Some(bodies)) => EdgeOutcome::Undecided(bodies),
        (None, None) => EdgeOutcome::Free,
    }
}

/// Builds the clearance grids of groups with few joints between them, or reuses the grids in `known`.
fn build_grids(checker: &mut EdgeChecker, known: Option<&CollisionModel>) {
    let links = checker.model.cell.robot().links().len();
    let ranges = ranges(checker);
    let unset = vec![0.0; checker.model.joints.len()];
    let reach = |group: usize| {
        let bounds = checker
            .model
            .chain
            .bounds(&checker.model.chain_paths[group], &JointEdge { from: &unset, to: &unset });
        bounds.reach + checker.model.parts.groups[group].reach
    };
    let grid = |(between, chain_path): (&GroupPair, &ChainPath)| {
        let pairs = checker.model.parts.grid_pairs(between, links);
        let known_grid = known.and_then(|known| known.grid_of(&pairs, links));
        let required = between.required.iter().copied().fold(0.0, f32::max).into();
        if let Some(grid) = known_grid.filter(|grid| grid.distance >= required) {
            return Some(grid.clone());
        }
        let size = pairs.iter().flatten().map(|part| part.radius).fold(0.0, f64::max);
        let input = GridInput {
            chain: &checker.model.chain,
            chain_path,
            parts: &pairs,
            steps: checker.options.preparation,
            ranges: &ranges,
            distance: (GRID_DISTANCE * size).max(required),
            reach: reach(between.groups[0]).max(reach(between.groups[1])),
        };
        input.grid().map(Arc::new)
    };
    let between = checker.model.parts.between.par_iter().zip(&checker.model.paths_between);
    let found: Vec<_> = between.map(grid).collect();
    checker.model.parts.between.iter_mut().zip(found).for_each(|(between, grid)| between.grid = grid);
}

/// The range of each value, and whether it is a full turn of a periodic value.
fn ranges(checker: &EdgeChecker) -> Vec<([f64; 2], bool)> {
    let robot = checker.model.cell.robot();
    let range = |(value, joint): (usize, &usize)| {
        let [least, most] = robot.joints()[*joint].limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        if checker.model.chain.is_periodic(value) && most - least >= TAU {
            return ([-PI, PI], true);
        }
        let tolerance = |limit: f64| LIMIT_TOLERANCE * limit.abs().max(1.0);
        ([least - tolerance(least), most + tolerance(most)], false)
    };
    checker.model.joints.iter().enumerate().map(range).collect()
}

/// All joints that the planner moves, including followers.
fn find_limited(checker: &EdgeChecker) -> Vec<LimitedJoint> {
    let robot = checker.model.cell.robot();
    let of = |joint: usize| {
        let Follower { joint: set, factor, offset } = robot.followed_joint(joint);
        let value = checker.model.joints.iter().position(|model_joint| *model_joint == set)?;
        robot.joints()[joint].axis.map(|_| LimitedJoint { joint, value, factor, offset })
    };
    (0..robot.joints().len()).filter_map(of).collect()
}

/// Tests the pairs that no joint of the planner moves, although another joint can. While those joints stay
/// fixed, such a pair touches always or never.
fn find_static(checker: &EdgeChecker) -> StaticOutcome {
    let parts = &checker.model.parts;
    let memory = &mut PairMemory::default();
    let mut found = StaticOutcome::default();
    for pair in &parts.resting {
        let [a, b] = pair.map(|part| &parts.parts[part]);
        let bodies = [a.owner.min(b.owner), a.owner.max(b.owner)];
        let pose = b.pose.inverse().compose(&a.pose);
        let near = parts.tolerance.max(checker.model.cell.clearance_of(bodies));
        let rounding = POSE_ROUNDINGS * f64::EPSILON * (a.reach() + b.reach());
        let steps = checker.options.budget;
        let limits = GapLimits { beyond: near + rounding, enough: near, steps, ..GapLimits::EXACT };
        let gap = a.pair_with(b).distance_at(memory, &pose, &limits);
        if gap.upper <= near || a.is_within(b, &pose) {
            found.touching.push(bodies);
        } else if gap.lower <= near + rounding {
            found.undecided = found.undecided.or(Some(bodies));
        }
    }
    found.touching.sort_unstable();
    found.touching.dedup();
    found
}

/// A joint whose value depends on a value of the planner.
#[derive(Debug, Clone, Copy)]
pub(super) struct LimitedJoint {
    joint: usize,
    value: usize,
    factor: f64,
    offset: f64,
}

impl LimitedJoint {
    fn of(&self, values: &[f64]) -> f64 {
        self.factor * values[self.value] + self.offset
    }
}
