//! Checks of edges and configurations, and of the free length of an edge.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use rayon::prelude::*;

use crate::error::Error;
use crate::instant::gap::GapLimits;
use crate::math::lanes::Instructions;
use crate::pair::PairMemory;
use crate::planning::answer::{EdgeContact, EdgeFreeSpan, EdgeOutcome};
use crate::planning::chain::{Chain, ChainPath, JointEdge};
use crate::planning::clearance_grid::GridInput;
use crate::planning::edge::{EdgeMemory, EdgeQuery, PlanningModel};
use crate::planning::parts::{CollisionModel, GroupPair};
use crate::robot::RobotCell;
use crate::robot::path::{JointPath, Waypoint};
use crate::robot::tree::{Follower, LIMIT_SLACK, Robot};

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

/// A robot in its cell, prepared for many checks of straight edges in joint space. It is built once and used from
/// any number of threads. Each thread has its own [`EdgeMemory`], which keeps no result from one query to the next.
///
/// **Guarantee.** On a *free* edge, no tested pair comes within the cell's tolerance or its clearance at any moment
/// of the true motion of the true shapes, and in no tested pair is a body inside a solid one. A *blocked* edge has
/// such a contact, at a time within the reported enclosure. All pairs that a joint of the robot can move relative
/// to each other are tested, whether or not this edge moves that joint. Pairs that no joint of the planner moves
/// are tested once, when the checker is built ([`Self::static_contacts`]). Links connected only by fixed joints, and
/// static bodies with the base, are not tested.
#[derive(Debug, Clone)]
pub struct EdgeChecker {
    prepared: PlanningModel,
    options: EdgeOptions,
    standing: StaticOutcome,
    limited: Vec<Limited>,
}

/// The results for pairs that no joint of the planner moves, which apply to every query.
#[derive(Debug, Clone, Default)]
struct StaticOutcome {
    /// The pairs that touch.
    touching: Vec<[usize; 2]>,
    /// A pair that is not proven separated.
    doubtful: Option<[usize; 2]>,
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
const STANDING_ROUNDINGS: f64 = 1024.0;

/// Minimum distance of surfaces in the free cells of a grid, as a fraction of the size of the parts.
const APART: f64 = 1e-6;

impl EdgeChecker {
    /// Prepares a cell.
    ///
    /// # Errors
    /// A joint that does not exist, is listed twice, is fixed or follows another; a wrong number of values, a value
    /// that is NaN or beyond its limits; a body of the world that moves by itself (see [`RobotCell::with_static_world`]).
    pub fn new(cell: &RobotCell, options: &EdgeOptions) -> Result<Self, Error> {
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
        let waypoint =
            |time| Waypoint { time, positions: joints.iter().map(at).collect(), velocities: vec![] };
        JointPath { joints: joints.clone(), waypoints: vec![waypoint(0.0), waypoint(1.0)] }.check(robot)?;
        for (joint, value) in values.iter().enumerate() {
            if robot.is_set(joint) && !joints.contains(&joint) {
                robot.check_limits(joint, *value, "of edges")?;
            }
        }
        let chain = Chain::new(robot, &joints, &values);
        Self::built(cell, options.clone(), (joints, values, Arc::new(chain)), None)
    }

    /// The same checker for another cell of the same robot, with a changed base, world or attached bodies. Unchanged
    /// data is reused.
    ///
    /// # Errors
    /// Other links or joints; and as [`Self::new`].
    pub fn with_cell(&self, cell: &RobotCell) -> Result<Self, Error> {
        let own = &self.prepared;
        let [robot, other] = [own.cell.robot(), cell.robot()];
        let links = |robot: &Robot| robot.links().len();
        if robot.joints() != other.joints() || links(robot) != links(other) {
            return Error::out_of_range(
                links(other) as f64,
                "the links and joints of the checker",
                "links of a cell",
            );
        }
        let prepared = (own.joints.clone(), own.values.clone(), own.chain.clone());
        Self::built(cell, self.options.clone(), prepared, Some(&own.parts))
    }

    fn built(
        cell: &RobotCell,
        options: EdgeOptions,
        (joints, values, chain): (Vec<usize>, Vec<f64>, Arc<Chain>),
        known: Option<&CollisionModel>,
    ) -> Result<Self, Error> {
        let parts = CollisionModel::new(cell, &chain, (known, options.resolution()))?;
        let legs_between = parts.between.iter().map(|pair| chain.leg(pair.groups[1], pair.groups[0]));
        let prepared = PlanningModel {
            cell: cell.clone(),
            joints,
            values,
            legs: (0..chain.count()).map(|group| chain.leg(0, group)).collect(),
            legs_between: legs_between.collect(),
            chain,
            parts,
            budget: options.budget,
            instructions: Instructions::Detected,
        };
        let standing = StaticOutcome::default();
        let mut checker = Self { prepared, options, standing, limited: Vec::new() };
        checker.standing = checker.find_static();
        checker.limited = checker.find_limited();
        checker.find_maps(known);
        Ok(checker)
    }
}

impl EdgeChecker {
    /// The cell.
    #[must_use]
    pub fn cell(&self) -> &RobotCell {
        &self.prepared.cell
    }

    /// The numbers of the joints that a query sets, in order.
    #[must_use]
    pub fn joints(&self) -> &[usize] {
        &self.prepared.joints
    }

    /// Surfaces within this distance of each other touch, in metres.
    #[must_use]
    pub fn tolerance(&self) -> f64 {
        self.prepared.parts.tolerance
    }

    /// Pairs of links and bodies that touch and that no joint of the planner moves, although another joint can. They
    /// block every edge and configuration. In the numbers of the cell, the lower first.
    #[must_use]
    pub fn static_contacts(&self) -> &[[usize; 2]] {
        &self.standing.touching
    }

    /// Whether the straight edge from one configuration to another is free.
    ///
    /// # Errors
    /// A wrong number of values; a value that is NaN or beyond the limits of its joint or of a joint that follows it.
    pub fn check_edge(
        &self,
        from: &[f64],
        to: &[f64],
        memory: &mut EdgeMemory,
    ) -> Result<EdgeOutcome, Error> {
        self.check_values(from)?;
        self.check_values(to)?;
        Ok(self.outcome(&JointEdge { from, to }, memory))
    }

    /// Whether a configuration is free.
    ///
    /// # Errors
    /// As [`Self::check_edge`].
    pub fn check_configuration(&self, values: &[f64], memory: &mut EdgeMemory) -> Result<EdgeOutcome, Error> {
        self.check_values(values)?;
        let outcome = self.outcome(&JointEdge { from: values, to: values }, memory);
        Ok(match outcome {
            EdgeOutcome::Blocked(contact) => EdgeOutcome::Blocked(EdgeContact { at: [0.0; 2], ..contact }),
            EdgeOutcome::Free | EdgeOutcome::Undecided(_) => outcome,
        })
    }

    /// The free length of the straight edge from one configuration to another, and the contact that ends it.
    ///
    /// # Errors
    /// As [`Self::check_edge`].
    pub fn reach(&self, from: &[f64], to: &[f64], memory: &mut EdgeMemory) -> Result<EdgeFreeSpan, Error> {
        self.check_values(from)?;
        self.check_values(to)?;
        if let Some(contact) = self.standing.contact() {
            return Ok(EdgeFreeSpan { free_until: 0.0, contact: Some(contact) });
        }
        let found = self.prepared.check(&JointEdge { from, to }, EdgeQuery::First, memory);
        let free_until = if self.standing.doubtful.is_some() { 0.0 } else { found.free_until };
        Ok(EdgeFreeSpan { free_until, contact: found.contact })
    }

    /// Checks many edges on the threads of the current rayon pool. The outcomes do not depend on the number of threads.
    ///
    /// # Errors
    /// As [`Self::check_edge`], for the first invalid edge.
    pub fn check_edges(&self, edges: &[[&[f64]; 2]]) -> Result<Vec<EdgeOutcome>, Error> {
        edges.iter().flatten().try_for_each(|values| self.check_values(values))?;
        let outcomes =
            edges.par_iter().with_min_len(AT_ONCE).map_init(EdgeMemory::default, |memory, [from, to]| {
                self.outcome(&JointEdge { from, to }, memory)
            });
        Ok(outcomes.collect())
    }

    /// The mask of free edges: true where [`Self::check_edges`] returns [`EdgeOutcome::Free`].
    ///
    /// # Errors
    /// As [`Self::check_edges`].
    pub fn edges_free(&self, edges: &[[&[f64]; 2]]) -> Result<Vec<bool>, Error> {
        Ok(self.check_edges(edges)?.iter().map(EdgeOutcome::is_free).collect())
    }

    /// Checks many configurations, as [`Self::check_edges`] checks edges.
    ///
    /// # Errors
    /// As [`Self::check_configuration`], for the first invalid configuration.
    pub fn check_configurations(&self, configurations: &[&[f64]]) -> Result<Vec<EdgeOutcome>, Error> {
        configurations.iter().try_for_each(|values| self.check_values(values))?;
        let each = configurations.par_iter().with_min_len(AT_ONCE);
        each.map_init(EdgeMemory::default, |memory, values| self.check_configuration(values, memory))
            .collect()
    }

    /// The mask of free configurations: true where [`Self::check_configurations`] returns [`EdgeOutcome::Free`].
    ///
    /// # Errors
    /// As [`Self::check_configurations`].
    pub fn configurations_free(&self, configurations: &[&[f64]]) -> Result<Vec<bool>, Error> {
        Ok(self.check_configurations(configurations)?.iter().map(EdgeOutcome::is_free).collect())
    }

    /// The same checker with another budget for each edge.
    #[must_use]
    pub fn with_budget(&self, budget: u64) -> Self {
        let mut checker = self.clone();
        (checker.prepared.budget, checker.options.budget) = (budget, budget);
        checker
    }

    /// Checks that values are valid for a query.
    ///
    /// # Errors
    /// As [`Self::check_edge`].
    pub fn check_values(&self, values: &[f64]) -> Result<(), Error> {
        if values.len() != self.prepared.joints.len() {
            let expected = "one value for each joint of the edge checker";
            return Error::out_of_range(values.len() as f64, expected, "values of a configuration");
        }
        for limited in &self.limited {
            self.prepared.cell.robot().check_limits(
                limited.joint,
                limited.of(values),
                "of a configuration",
            )?;
        }
        Ok(())
    }

    fn outcome(&self, way: &JointEdge<'_>, memory: &mut EdgeMemory) -> EdgeOutcome {
        if let Some(contact) = self.standing.contact() {
            return EdgeOutcome::Blocked(contact);
        }
        let found = self.prepared.check(way, EdgeQuery::Any, memory);
        match (found.contact, found.doubt.or(self.standing.doubtful)) {
            (Some(contact), _) => EdgeOutcome::Blocked(contact),
            (None, Some(bodies)) => EdgeOutcome::Undecided(bodies),
            (None, None) => EdgeOutcome::Free,
        }
    }

    /// Builds the clearance grids of groups with few joints between them, or reuses the grids in `known`.
    fn find_maps(&mut self, known: Option<&CollisionModel>) {
        let links = self.prepared.cell.robot().links().len();
        let ranges = self.ranges();
        let unset = vec![0.0; self.prepared.joints.len()];
        let reach = |group: usize| {
            let bounds = self
                .prepared
                .chain
                .bounds(&self.prepared.legs[group], &JointEdge { from: &unset, to: &unset });
            bounds.reach + self.prepared.parts.groups[group].reach
        };
        let map = |(between, leg): (&GroupPair, &ChainPath)| {
            let pairs = self.prepared.parts.mapped(between, links);
            let made = known.and_then(|known| known.map(&pairs, links));
            let kept = between.kept.iter().copied().fold(0.0, f32::max).into();
            if let Some(map) = made.filter(|map| map.distance >= kept) {
                return Some(map.clone());
            }
            let size = pairs.iter().flatten().map(|part| part.radius).fold(0.0, f64::max);
            let mapped = GridInput {
                chain: &self.prepared.chain,
                leg,
                parts: &pairs,
                steps: self.options.preparation,
                ranges: &ranges,
                distance: (APART * size).max(kept),
                reach: reach(between.groups[0]).max(reach(between.groups[1])),
            };
            mapped.map().map(Arc::new)
        };
        let between = self.prepared.parts.between.par_iter().zip(&self.prepared.legs_between);
        let found: Vec<_> = between.map(map).collect();
        self.prepared.parts.between.iter_mut().zip(found).for_each(|(between, map)| between.map = map);
    }

    /// The range of each value, and whether it is a full turn of a periodic value.
    fn ranges(&self) -> Vec<([f64; 2], bool)> {
        let robot = self.prepared.cell.robot();
        let range = |(value, joint): (usize, &usize)| {
            let [least, most] = robot.joints()[*joint].limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            if self.prepared.chain.comes_round(value) && most - least >= TAU {
                return ([-PI, PI], true);
            }
            let slack = |limit: f64| LIMIT_SLACK * limit.abs().max(1.0);
            ([least - slack(least), most + slack(most)], false)
        };
        self.prepared.joints.iter().enumerate().map(range).collect()
    }

    /// All joints that the planner moves, including followers.
    fn find_limited(&self) -> Vec<Limited> {
        let robot = self.prepared.cell.robot();
        let of = |joint: usize| {
            let Follower { joint: set, factor, offset } = robot.followed_joint(joint);
            let value = self.prepared.joints.iter().position(|own| *own == set)?;
            robot.joints()[joint].axis.map(|_| Limited { joint, value, factor, offset })
        };
        (0..robot.joints().len()).filter_map(of).collect()
    }

    /// Tests the pairs that no joint of the planner moves, although another joint can. While those joints stay
    /// fixed, such a pair touches always or never.
    fn find_static(&self) -> StaticOutcome {
        let parts = &self.prepared.parts;
        let memory = &mut PairMemory::default();
        let mut found = StaticOutcome::default();
        for pair in &parts.resting {
            let [a, b] = pair.map(|part| &parts.parts[part]);
            let bodies = [a.owner.min(b.owner), a.owner.max(b.owner)];
            let pose = b.pose.inverse().compose(&a.pose);
            let near = parts.tolerance.max(self.prepared.cell.clearance_of(bodies));
            let rounding = STANDING_ROUNDINGS * f64::EPSILON * (a.reach() + b.reach());
            let steps = self.options.budget;
            let limits = GapLimits { beyond: near + rounding, enough: near, steps, ..GapLimits::EXACT };
            let gap = a.pair_with(b).distance_at(memory, &pose, &limits);
            if gap.upper <= near || a.is_within(b, &pose) {
                found.touching.push(bodies);
            } else if gap.lower <= near + rounding {
                found.doubtful = found.doubtful.or(Some(bodies));
            }
        }
        found.touching.sort_unstable();
        found.touching.dedup();
        found
    }
}

/// A joint whose value depends on a value of the planner.
#[derive(Debug, Clone, Copy)]
struct Limited {
    joint: usize,
    value: usize,
    factor: f64,
    offset: f64,
}

impl Limited {
    fn of(&self, values: &[f64]) -> f64 {
        self.factor * values[self.value] + self.offset
    }
}
