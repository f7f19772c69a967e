//! The collision model of a robot for a planner: parts that move with link groups, static parts, and the tested pairs.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::mesh_screw::pipeline::DEFAULT_TOLERANCE;
use crate::motion::Pose;
use crate::planning::chain::{Chain, ROUNDINGS};
use crate::planning::clearance_grid::ClearanceGrid;
use crate::planning::part::{CollisionPart, OfBody, PartTree};
use crate::planning::spheres::BoundingSphere;
use crate::robot::RobotCell;
use crate::scene::definition::BodyMotion;

/// All parts, and the tested pairs.
#[derive(Debug, Clone)]
pub(crate) struct CollisionModel {
    /// The parts of the robot and those attached to it, sorted by group; then the parts of the world.
    pub(crate) parts: Vec<CollisionPart>,
    /// The number of parts of the robot, including attached ones.
    pub(crate) robot: usize,
    /// The parts of the robot by group.
    pub(crate) groups: Vec<GroupParts>,
    /// Pairs of the robot's parts, by pairs of groups.
    pub(crate) between: Vec<GroupPair>,
    /// Surfaces within this distance of each other touch, in metres.
    pub(crate) tolerance: f64,
    /// The maximum required distance of all tested pairs, in metres.
    pub(crate) max_required: f32,
    /// Minimum and maximum coordinates of each part of the world, in their order.
    pub(crate) bounds: Vec<[[f32; 3]; 2]>,
    /// Pairs of parts that no joint of the planner moves relative to each other, though another joint can.
    pub(crate) resting: Vec<[usize; 2]>,
}

/// The robot's parts of one group.
#[derive(Debug, Clone)]
pub(crate) struct GroupParts {
    pub(crate) parts: Range<usize>,
    /// A sphere that contains all its parts; `None` for a group without parts.
    pub(crate) ball: Option<BoundingSphere>,
    /// The maximum distance of its parts from the origin of the group's frame, in metres.
    pub(crate) reach: f64,
    /// The required distance of each part from each part of the world, in metres, row by row; `None` for a pair that
    /// is not tested.
    required: Vec<Option<f32>>,
}

/// Pairs of parts of two groups. The group that depends on more joints is first and moves relative to the other.
#[derive(Debug, Clone)]
pub(crate) struct GroupPair {
    pub(crate) groups: [usize; 2],
    pub(crate) parts: Vec<[usize; 2]>,
    /// The required distance of each pair, in metres.
    pub(crate) required: Vec<f32>,
    /// The joint values at which all pairs of links stay separated; `None` if unknown.
    pub(crate) grid: Option<Arc<ClearanceGrid>>,
}

impl CollisionModel {
    /// The parts of a cell. The radii of the smallest spheres are about `fine` times the radius of the largest link
    /// shape. The trees of parts in `known` are reused.
    pub(crate) fn new(
        cell: &RobotCell,
        chain: &Chain,
        (known, fine): (Option<&Self>, f64),
    ) -> Result<Self, Error> {
        let mut parts = Vec::new();
        let known = known.map_or(&[][..], |known| &known.parts);
        let links = cell.robot().links();
        let shapes = links.iter().flat_map(|link| &link.elements).map(|element| element.shape.extent());
        let largest = shapes.map(|extent| extent.radius + extent.beyond).fold(0.0, f64::max);
        let known = (known, fine * largest);
        for (number, link) in links.iter().enumerate() {
            let (group, pose) = chain.link(number);
            for element in &link.elements {
                let body = OfBody { owner: number, shape: &element.shape, solid: element.solid };
                parts.push(CollisionPart::of_robot(body, (group, pose.compose(&element.pose)), known));
            }
        }
        let base = cell.definition().base;
        let to_root = base.inverse();
        // Static bodies near a base that is far from the origin of the world are accurate to this distance, in metres.
        let far = ROUNDINGS * f64::EPSILON * base.position().length();
        for (number, world) in cell.definition().world.iter().enumerate() {
            let Some(shape) = &world.body.shape else { continue };
            let (link, pose) = link_and_pose(cell, number)?;
            let body = OfBody { owner: links.len() + number, shape, solid: world.body.solid };
            parts.push(match link {
                Some(link) => {
                    let (group, link_pose) = chain.link(link);
                    CollisionPart::of_robot(body, (group, link_pose.compose(&pose)), known)
                }
                None => CollisionPart::of_world(body, to_root.compose(&pose), far),
            });
        }
        let robot = parts.iter().filter(|part| cell.is_on_robot(part.owner)).count();
        // Robot parts by group, world parts last.
        parts.sort_by_key(|part| if cell.is_on_robot(part.owner) { part.group } else { usize::MAX });
        let diagonal = parts.iter().map(|part| part.shape.diagonal()).fold(0.0, f64::max);
        let mut found = Self {
            tolerance: cell.definition().tolerance.unwrap_or(DEFAULT_TOLERANCE * diagonal),
            robot,
            groups: Vec::new(),
            between: Vec::new(),
            max_required: 0.0,
            bounds: Vec::new(),
            resting: Vec::new(),
            parts,
        };
        found.bounds.extend(found.parts.iter().filter_map(|part| match &part.tree {
            PartTree::Boxes(boxes) => Some(boxes[0].bounds()),
            PartTree::Balls(_) => None,
        }));
        found.find_pairs(cell, chain.count());
        Ok(found)
    }

    /// Finds the tested pairs and the required distance of each.
    fn find_pairs(&mut self, cell: &RobotCell, groups: usize) {
        let (parts, tolerance) = (&self.parts, self.tolerance);
        let is_tested = |a: usize, b: usize| cell.is_tested(parts[a].owner, parts[b].owner);
        let required = |a: usize, b: usize| {
            is_tested(a, b)
                .then(|| upward(separation_threshold(cell, [a, b].map(|part| parts[part].owner), tolerance)))
        };
        for group in 0..groups {
            let first = parts[..self.robot].partition_point(|part| part.group < group);
            let last = parts[..self.robot].partition_point(|part| part.group <= group);
            let range = first..last;
            let ball = BoundingSphere::around(parts[range.clone()].iter().map(|part| &part.balls()[0]));
            let reach = range.clone().map(|part| parts[part].reach()).fold(0.0, f64::max);
            let required = range
                .clone()
                .flat_map(|a| (self.robot..parts.len()).map(move |b| (a, b)))
                .map(|(a, b)| required(a, b))
                .collect();
            self.groups.push(GroupParts { parts: range, ball, reach, required });
        }
        for b in 0..groups {
            for a in b + 1..groups {
                let both = self.groups[a]
                    .parts
                    .clone()
                    .flat_map(|x| self.groups[b].parts.clone().map(move |y| [x, y]));
                let both = both.filter_map(|[x, y]| Some(([x, y], required(x, y)?)));
                let (both, required): (Vec<[usize; 2]>, Vec<f32>) = both.unzip();
                if !both.is_empty() {
                    self.between.push(GroupPair { groups: [a, b], parts: both, required, grid: None });
                }
            }
        }
        let of_groups = self.groups.iter().flat_map(|group| group.required.iter().flatten());
        let between = self.between.iter().flat_map(|pair| &pair.required);
        self.max_required = of_groups.chain(between).copied().fold(0.0, f32::max);
        let rigid = RigidLinks::new(cell);
        for a in 0..parts.len() {
            for b in a + 1..parts.len() {
                let [x, y] = [a, b].map(|part| rigid.of(cell, parts[part].owner));
                if parts[a].group == parts[b].group && x != y && is_tested(a, b) {
                    self.resting.push([a, b]);
                }
            }
        }
    }

    /// The clearance grid of this model for the same pairs of parts.
    pub(crate) fn grid_of(&self, pairs: &[[&CollisionPart; 2]], links: usize) -> Option<&Arc<ClearanceGrid>> {
        let is = |between: &&GroupPair| {
            let of_group: Vec<_> = self.grid_pairs(between, links);
            of_group.len() == pairs.len()
                && of_group.iter().zip(pairs).all(|([a, b], [x, y])| a.is_equal_to(x) && b.is_equal_to(y))
        };
        self.between.iter().find(is)?.grid.as_ref()
    }

    /// The pairs of two groups that a clearance grid covers: both parts must be links.
    pub(crate) fn grid_pairs(&self, between: &GroupPair, links: usize) -> Vec<[&CollisionPart; 2]> {
        let both = between.parts.iter().map(|pair| pair.map(|part| &self.parts[part]));
        both.filter(|pair| pair.iter().all(|part| part.owner < links)).collect()
    }

    /// The required distance of a part of the robot and a part of the world, in metres; `None` if not tested.
    pub(crate) fn required_distance(&self, group: usize, part: usize, static_part: usize) -> Option<f32> {
        let GroupParts { parts, required, .. } = &self.groups[group];
        required[(part - parts.start) * (self.parts.len() - self.robot) + static_part - self.robot]
    }
}

/// Two bodies are free if their distance provably exceeds this, in metres: more than the tolerance, and at least
/// the clearance of the pair.
pub(crate) fn separation_threshold(cell: &RobotCell, bodies: [usize; 2], tolerance: f64) -> f64 {
    (1.05 * tolerance).max(cell.clearance_of(bodies))
}

/// Rounds up.
#[expect(clippy::cast_possible_truncation, reason = "the next number is taken")]
pub(crate) fn upward(x: f64) -> f32 {
    (x as f32).next_up()
}

/// Groups of links that no joint can move relative to each other.
struct RigidLinks {
    /// For each link, the first link to which it is rigidly joined.
    first: Vec<usize>,
    /// The root link, which is static like the unattached bodies of the world.
    root: usize,
}

impl RigidLinks {
    fn new(cell: &RobotCell) -> Self {
        let robot = cell.robot();
        let mut first: Vec<usize> = (0..robot.links().len()).collect();
        for &link in robot.order() {
            let above = robot.joint_above(link).map(|joint| &robot.joints()[joint]);
            if let Some(joint) = above.filter(|joint| joint.axis.is_none()) {
                first[link] = first[joint.parent];
            }
        }
        Self { first, root: robot.root() }
    }

    /// The link that represents everything rigidly joined to a link or world body.
    fn of(&self, cell: &RobotCell, body: usize) -> usize {
        let link = match body.checked_sub(self.first.len()) {
            None => body,
            Some(number) => cell.carrying_link(number).unwrap_or(self.root),
        };
        self.first[link]
    }
}

/// The link to which a world body is attached, and the body's pose in the frame of this link; in the frame of the
/// world if it is not attached.
fn link_and_pose(cell: &RobotCell, number: usize) -> Result<(Option<usize>, Pose), Error> {
    let world = &cell.definition().world;
    let mut pose = Pose::IDENTITY;
    let mut at = number;
    // The loop ends: a checked cell has no cycle of parents.
    loop {
        let BodyMotion::Still(local_pose) = &world[at].body.motion else {
            let what = "a world that moves by itself is, for edges,";
            return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", world[at].body.name)));
        };
        pose = local_pose.compose(&pose);
        match world[at].body.parent {
            Some(parent) => at = parent,
            None => return Ok((world[at].link, pose)),
        }
    }
}
