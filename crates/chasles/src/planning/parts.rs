//! What a robot consists of for a planner: parts that move with groups, parts that stand, and the pairs of both that
//! are tested.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::motion::Pose;
use crate::planning::balls::Ball;
use crate::planning::chain::{Chain, ROUNDINGS};
use crate::planning::map::Map;
use crate::planning::part::{OfBody, Part, Tree};
use crate::robot::cell::RobotCell;
use crate::scene::definition::BodyMotion;

/// All parts, and which pairs of them are tested.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    /// Those of the robot, and what rides on it, by their groups; then those of the world.
    pub(crate) parts: Vec<Part>,
    /// How many are of the robot or ride on it.
    pub(crate) robot: usize,
    /// The robot's parts by their groups.
    pub(crate) groups: Vec<GroupParts>,
    /// Pairs of the robot's parts, by their groups.
    pub(crate) between: Vec<GroupPair>,
    /// The least and the greatest coordinates of each part of the world, in their order.
    pub(crate) bounds: Vec<[[f32; 3]; 2]>,
    /// Pairs of parts that never move relative to each other.
    pub(crate) never_moving: Vec<[usize; 2]>,
}

/// The robot's parts of a group.
#[derive(Debug, Clone)]
pub(crate) struct GroupParts {
    pub(crate) parts: Range<usize>,
    /// A ball that holds all of them; `None`: there are none.
    pub(crate) ball: Option<Ball>,
    /// How far parts reach from the origin of the frame, in metres.
    pub(crate) reach: f64,
    /// For each part and each part of the world whether both are tested, row by row.
    tested: Vec<bool>,
}

/// Pairs of parts of two groups: that first which hangs on more joints, and is seen to move past the other.
#[derive(Debug, Clone)]
pub(crate) struct GroupPair {
    pub(crate) groups: [usize; 2],
    pub(crate) parts: Vec<[usize; 2]>,
    /// Where those of them that are links stay apart; none where nothing is known.
    pub(crate) map: Option<Arc<Map>>,
}

impl Parts {
    /// The parts of a cell, whose smallest balls have radii of about a share `fine` of that of the largest link. Trees
    /// of parts that are `known` are not made again.
    ///
    /// # Errors
    /// A body of the world that moves by itself.
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
                let body = OfBody { owner: number, shape: &element.shape, solid: false };
                parts.push(Part::riding(body, (group, pose.compose(&element.pose)), known));
            }
        }
        let base = cell.definition().base;
        let to_root = base.inverse();
        // What stands near a base that is far from the origin of the world is known to no more than this from there.
        let far = ROUNDINGS * f64::EPSILON * base.position().length();
        for (number, world) in cell.definition().world.iter().enumerate() {
            let Some(shape) = &world.body.shape else { continue };
            let (link, pose) = placed(cell, number)?;
            let body = OfBody { owner: links.len() + number, shape, solid: world.body.solid };
            parts.push(match link {
                Some(link) => {
                    let (group, carrier) = chain.link(link);
                    Part::riding(body, (group, carrier.compose(&pose)), known)
                }
                None => Part::standing(body, to_root.compose(&pose), far),
            });
        }
        let robot = parts.iter().filter(|part| cell.rides(part.owner)).count();
        // Those of the robot by their groups; the world last.
        parts.sort_by_key(|part| if cell.rides(part.owner) { part.group } else { usize::MAX });
        let mut found = Self {
            robot,
            groups: Vec::new(),
            between: Vec::new(),
            bounds: Vec::new(),
            never_moving: Vec::new(),
            parts,
        };
        found.bounds.extend(found.parts.iter().filter_map(|part| match &part.tree {
            Tree::Boxes(boxes) => Some(boxes[0].bounds()),
            Tree::Balls(_) => None,
        }));
        found.find_pairs(cell, chain.count());
        Ok(found)
    }

    fn find_pairs(&mut self, cell: &RobotCell, groups: usize) {
        let parts = &self.parts;
        let wanted = |a: usize, b: usize| cell.is_tested(parts[a].owner, parts[b].owner);
        for group in 0..groups {
            let first = parts[..self.robot].partition_point(|part| part.group < group);
            let last = parts[..self.robot].partition_point(|part| part.group <= group);
            let own = first..last;
            let ball = Ball::around(parts[own.clone()].iter().map(|part| &part.balls()[0]));
            let reach = own.clone().map(|part| parts[part].reach()).fold(0.0, f64::max);
            let tested = own
                .clone()
                .flat_map(|a| (self.robot..parts.len()).map(move |b| (a, b)))
                .map(|(a, b)| wanted(a, b))
                .collect();
            self.groups.push(GroupParts { parts: own, ball, reach, tested });
        }
        for b in 0..groups {
            for a in b + 1..groups {
                let both = self.groups[a]
                    .parts
                    .clone()
                    .flat_map(|x| self.groups[b].parts.clone().map(move |y| [x, y]));
                let both: Vec<[usize; 2]> = both.filter(|[x, y]| wanted(*x, *y)).collect();
                if !both.is_empty() {
                    self.between.push(GroupPair { groups: [a, b], parts: both, map: None });
                }
            }
        }
        for a in 0..parts.len() {
            for b in a + 1..parts.len() {
                if parts[a].group == parts[b].group && wanted(a, b) {
                    self.never_moving.push([a, b]);
                }
            }
        }
    }

    /// The map that these have of the same pairs of parts.
    pub(crate) fn map(&self, pairs: &[[&Part; 2]], links: usize) -> Option<&Arc<Map>> {
        let is = |between: &&GroupPair| {
            let own: Vec<_> = self.mapped(between, links);
            own.len() == pairs.len() && own.iter().zip(pairs).all(|([a, b], [x, y])| a.is_as(x) && b.is_as(y))
        };
        self.between.iter().find(is)?.map.as_ref()
    }

    /// The pairs of two groups that a map is of: those of links.
    pub(crate) fn mapped(&self, between: &GroupPair, links: usize) -> Vec<[&Part; 2]> {
        let both = between.parts.iter().map(|pair| pair.map(|part| &self.parts[part]));
        both.filter(|pair| pair.iter().all(|part| part.owner < links)).collect()
    }

    /// Whether a part of the robot is tested against one of the world.
    pub(crate) fn is_tested(&self, group: usize, part: usize, standing: usize) -> bool {
        let GroupParts { parts, tested, .. } = &self.groups[group];
        tested[(part - parts.start) * (self.parts.len() - self.robot) + standing - self.robot]
    }
}

/// The link that a body of the world rides on, and where it is in the frame of that; in the world if it rides on none.
fn placed(cell: &RobotCell, number: usize) -> Result<(Option<usize>, Pose), Error> {
    let world = &cell.definition().world;
    let mut pose = Pose::IDENTITY;
    let mut at = number;
    // A cell is checked: parents make no circle.
    loop {
        let BodyMotion::Still(own) = &world[at].body.motion else {
            let what = "a world that moves by itself is, for edges,";
            return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", world[at].body.name)));
        };
        pose = own.compose(&pose);
        match world[at].body.parent {
            Some(parent) => at = parent,
            None => return Ok((world[at].link, pose)),
        }
    }
}
