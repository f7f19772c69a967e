//! Edges, postures, and how far an edge is free.

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
use crate::robot::cell::RobotCell;
use crate::robot::path::{JointPath, Waypoint};
use crate::robot::tree::{Follower, LIMIT_SLACK, Robot};

/// What edges are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeOptions {
    /// The numbers of the joints that a planner sets, in the order of its values; empty: all that can be set, in the
    /// order of the robot.
    pub joints: Vec<usize>,
    /// The values at which all other joints stay, one for each joint of the robot; empty: at rest.
    pub values: Vec<f64>,
    /// Steps of work for what is known once for all of each two groups of links that few joints join; 0: hardly
    /// anything is. More make edges faster and the checker slower to build: a million take some 40 ms for each two
    /// groups, and what holds the links is finer by the fourth root.
    pub preparation: u64,
    /// Steps of work for an edge, after which it is [`EdgeOutcome::Undecided`].
    pub budget: u64,
}

impl Default for EdgeOptions {
    fn default() -> Self {
        Self { joints: Vec::new(), values: Vec::new(), preparation: 5_000_000, budget: 10_000_000 }
    }
}

/// The smallest balls that hold links have radii of this share of that of the largest link, at the work of the default.
const FINE: f64 = 1.0 / 64.0;

/// At less work balls are larger, but not than this.
const COARSE: f64 = 1.0 / 12.0;

impl EdgeOptions {
    fn resolution(&self) -> f64 {
        let less = Self::default().preparation as f64 / self.preparation.max(1) as f64;
        (FINE * less.sqrt().sqrt()).min(COARSE)
    }
}

/// A robot in its cell, prepared for many straight ways in joint space. It is built once and used from any number of
/// threads; each brings its own [`EdgeMemory`], which carries nothing from one question to the next.
///
/// **Guarantee.** A *free* edge is one on which no tested pair comes within the cell's tolerance or its clearance, at any
/// moment of the true motion and by the true shapes, and none is inside a solid one. A *blocked* edge has such a contact,
/// at a time within the reported enclosure. Tested are all pairs that a joint of the robot can move relative to each
/// other, whether it moves on this edge or not. Pairs that no joint of the planner moves are tested once, when the checker
/// is built ([`Self::standing`]). Links that only fixed joints join, and what stands beside the base, play no part.
#[derive(Debug, Clone)]
pub struct EdgeChecker {
    prepared: PlanningModel,
    options: EdgeOptions,
    standing: Standstill,
    limited: Vec<Limited>,
}

/// What pairs say of every question that no joint of the planner moves.
#[derive(Debug, Clone, Default)]
struct Standstill {
    /// Those that touch.
    touching: Vec<[usize; 2]>,
    /// One that is not proven to be apart.
    doubtful: Option<[usize; 2]>,
}

impl Standstill {
    /// The contact that every question has.
    fn contact(&self) -> Option<EdgeContact> {
        self.touching.first().map(|bodies| EdgeContact { bodies: *bodies, at: [0.0; 2] })
    }
}

/// Edges that a thread takes at once.
const AT_ONCE: usize = 16;

/// Roundings of two poses that are worked out once, for each metre that a part reaches from the origin of its frame.
const STANDING_ROUNDINGS: f64 = 1024.0;

/// In the free cells of maps surfaces are further apart than this share of the size of the parts.
const APART: f64 = 1e-6;

impl EdgeChecker {
    /// Prepares a cell.
    ///
    /// # Errors
    /// A joint that does not exist, stands twice, is fixed or follows another; a wrong number of values, a value that
    /// is NaN or beyond its limits; a body of the world that moves by itself (see [`RobotCell::standing_at`]).
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

    /// The same for another cell of the same robot: its base, its world or what is attached has changed. What has not
    /// changed is not prepared again.
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
        let standing = Standstill::default();
        let mut checker = Self { prepared, options, standing, limited: Vec::new() };
        checker.standing = checker.find_standing();
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

    /// The numbers of the joints that a question has values for, in their order.
    #[must_use]
    pub fn joints(&self) -> &[usize] {
        &self.prepared.joints
    }

    /// Within this the surfaces touch, in metres.
    #[must_use]
    pub fn tolerance(&self) -> f64 {
        self.prepared.parts.tolerance
    }

    /// Pairs of links and bodies that touch, and that no joint of the planner moves, though another joint can: every edge
    /// and posture is blocked by them. In the numbers of the cell, the lower first.
    #[must_use]
    pub fn standing(&self) -> &[[usize; 2]] {
        &self.standing.touching
    }

    /// Whether the straight way from one posture to another is free.
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

    /// Whether the robot is free in a posture.
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

    /// How far the straight way from one posture to another is free, and what ends it.
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

    /// Many edges, spread over the threads of the current rayon pool: the same answers with any number of them.
    ///
    /// # Errors
    /// As [`Self::check_edge`], of the first edge that has one.
    pub fn check_edges(&self, edges: &[[&[f64]; 2]]) -> Result<Vec<EdgeOutcome>, Error> {
        edges.iter().flatten().try_for_each(|values| self.check_values(values))?;
        let outcomes =
            edges.par_iter().with_min_len(AT_ONCE).map_init(EdgeMemory::default, |memory, [from, to]| {
                self.outcome(&JointEdge { from, to }, memory)
            });
        Ok(outcomes.collect())
    }

    /// The same checker with another budget for each edge.
    #[must_use]
    pub fn with_budget(&self, budget: u64) -> Self {
        let mut checker = self.clone();
        (checker.prepared.budget, checker.options.budget) = (budget, budget);
        checker
    }

    /// Whether these are values that can be asked about.
    ///
    /// # Errors
    /// As [`Self::check_edge`].
    pub fn check_values(&self, values: &[f64]) -> Result<(), Error> {
        if values.len() != self.prepared.joints.len() {
            let expected = "one value for each joint of the edge checker";
            return Error::out_of_range(values.len() as f64, expected, "values of a posture");
        }
        for limited in &self.limited {
            self.prepared.cell.robot().check_limits(limited.joint, limited.of(values), "of a posture")?;
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

    /// Makes maps of groups with few joints between them. Those of a checker of the same robot are known.
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

    /// The ranges of all values.
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

    /// All joints that the planner moves.
    fn find_limited(&self) -> Vec<Limited> {
        let robot = self.prepared.cell.robot();
        let of = |joint: usize| {
            let Follower { joint: set, factor, offset } = robot.followed_joint(joint);
            let value = self.prepared.joints.iter().position(|own| *own == set)?;
            robot.joints()[joint].axis.map(|_| Limited { joint, value, factor, offset })
        };
        (0..robot.joints().len()).filter_map(of).collect()
    }

    /// Looks at the pairs that no joint of the planner moves, though another one can: where those joints stay, they touch
    /// always or never.
    fn find_standing(&self) -> Standstill {
        let parts = &self.prepared.parts;
        let memory = &mut PairMemory::default();
        let mut found = Standstill::default();
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

/// A joint whose value is made of a planner's.
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
