//! Robots: links on joints, their paths in joint space, and the contacts along these paths.
//!
//! ```text
//! definition      links, joints, exempt pairs of links
//! tree            the checked robot, and the poses of its links
//! path            paths in joint space: waypoints with times
//! limits          intervals in which a path exceeds joint limits
//! configurations  links that touch in given configurations
//! cell            the robot in its world of bodies
//! tested_pairs    the pairs of links and bodies that are tested
//! path_scene      the scene of a path
//! check           whether a path is free
//! intersecting    bodies that intersect at one time of a path
//! escape          moves that only separate bodies that already overlap
//! moves           moves that are refused unless proven free
//! session         moves by hand, one after the other
//! ```
//!
//! Read `check` first.

pub(crate) mod definition;
pub(crate) mod tree;
pub(crate) mod path;
pub(crate) mod limits;
pub(crate) mod configurations;
pub(crate) mod cell;
mod tested_pairs;
pub(crate) mod path_scene;
pub(crate) mod check;
pub(crate) mod intersecting;
pub(crate) mod escape;
pub(crate) mod moves;
pub(crate) mod session;
#[cfg(test)]
pub(crate) mod arms;

use crate::error::{Error, check_number, check_positive};
use crate::motion::Pose;
use crate::robot::tree::Follower;
use crate::scene::penetration::Penetration;
use crate::scene::report::{CheckOptions, IntersectingPair};
use crate::scene::{BodyMotion, PairCounts, Scene, SceneDefinition};
use crate::trajectory::watch::ProgressMonitor;

pub use cell::{CellDefinition, WorldBody};
pub use check::{PathEntry, PathReport};
pub use configurations::LinkContacts;
pub use definition::{AdjacentLinks, Joint, Link, LinkElement, Mimic, RobotDefinition};
pub use escape::SeparatedPair;
pub use limits::{JointLimit, LimitBreach};
pub use moves::MoveOutcome;
pub use path::{JointPath, Waypoint};
pub use path_scene::PathScene;
pub use session::Session;

/// A checked robot: links on joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    definition: RobotDefinition,
    /// The joint that carries each link; `None` for the root.
    above: Vec<Option<usize>>,
    /// Links, each after its parent link.
    order: Vec<usize>,
    /// The joint that each joint finally follows: value = factor * value of that joint + offset.
    followed: Vec<Follower>,
}

impl Robot {
    /// Checks a definition.
    ///
    /// # Errors
    /// No links, two links or two joints with the same name, a joint or a disabled pair that names a link that does
    /// not exist, a link that is carried by two joints, links that form a circle or more than one tree; an axis
    /// without length, an upper limit below the lower limit, numbers that are not finite, a joint that follows a
    /// joint that does not exist, or itself. (A joint that follows a fixed joint rests.) A solid part of a link whose
    /// surface is not closed. The message names the link or joint.
    pub fn new(definition: RobotDefinition) -> Result<Self, Error> {
        tree::checked(definition)
    }

    /// The definition that the robot was made from.
    #[must_use]
    pub fn definition(&self) -> &RobotDefinition {
        &self.definition
    }

    /// The same robot, whose joints may have any value. Their maximum speeds remain.
    #[must_use]
    pub fn without_limits(mut self) -> Self {
        self.definition.joints.iter_mut().for_each(|joint| joint.limits = None);
        self
    }

    /// The same robot with some links hollow: a body inside such a link is not in contact with it.
    #[must_use]
    pub fn with_hollow(mut self, is_hollow: impl Fn(&Link) -> bool) -> Self {
        for link in self.definition.links.iter_mut().filter(|link| is_hollow(link)) {
            link.elements.iter_mut().for_each(|part| part.solid = false);
        }
        self
    }

    /// The links, in order.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.definition.links
    }

    /// The joints, in order.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.definition.joints
    }

    /// The number of the link that no joint carries.
    #[must_use]
    pub fn root(&self) -> usize {
        self.order[0]
    }

    /// The number of the joint that carries a link; `None` for the root.
    ///
    /// # Panics
    /// If there is no such link.
    #[must_use]
    pub fn joint_above(&self, link: usize) -> Option<usize> {
        self.above[link]
    }

    /// Whether a joint can be set: it is neither fixed nor follows another.
    ///
    /// # Panics
    /// If there is no such joint.
    #[must_use]
    pub fn is_set(&self, joint: usize) -> bool {
        let joint = &self.definition.joints[joint];
        joint.axis.is_some() && joint.mimic.is_none()
    }

    /// The value of each joint at rest.
    #[must_use]
    pub fn rest(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.joints().iter().map(|joint| joint.rest).collect();
        self.complete(&mut values);
        values
    }

    /// Sets the values of the joints that follow others.
    ///
    /// # Panics
    /// If there is not one value for each joint.
    pub fn complete(&self, values: &mut [f64]) {
        tree::complete(self, values);
    }

    /// The pose of each link in the frame of the root, for one value for each joint (including joints that follow
    /// others).
    ///
    /// # Panics
    /// If there is not one value for each joint.
    #[must_use]
    pub fn link_poses(&self, values: &[f64]) -> Vec<Pose> {
        tree::link_poses(self, values)
    }

    /// Counts, for each pair of links with a surface (adjacent and disabled pairs too), the configurations in which
    /// they touch. The counts are in the order of the links. A configuration is one value for each joint; values of
    /// joints that follow others are computed here. Configurations are spread over the threads of the current rayon
    /// pool.
    ///
    /// # Panics
    /// If a configuration does not have one value for each joint.
    #[must_use]
    pub fn count_contacts(&self, configurations: &[Vec<f64>]) -> Vec<LinkContacts> {
        configurations::count_contacts(self, configurations)
    }

    /// Links, each after its parent link.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(crate) fn followed_joint(&self, joint: usize) -> Follower {
        self.followed[joint]
    }

    /// Checks that a value lies within the limits of a joint.
    ///
    /// # Errors
    /// Otherwise; the message names the joint, the value and `place`.
    pub(crate) fn check_limits(&self, number: usize, value: f64, place: &str) -> Result<(), Error> {
        tree::check_limits(self, number, value, place)
    }
}

/// A robot in its cell, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotCell {
    definition: CellDefinition,
    /// As [`Scene::with_epsilon`].
    epsilon: Option<f64>,
    /// For each link and each body of the world, whether it is part of the robot or carried by it.
    is_on_robot: Vec<bool>,
    /// Pairs that are exempt by the robot itself, lower number first, sorted.
    exempt: Vec<[usize; 2]>,
}

impl RobotCell {
    /// Checks a definition.
    ///
    /// # Errors
    /// A link or a body that does not exist, an attached body with a parent, a duration that is not greater than 0, a
    /// negative tolerance or clearance; and for the world on its own the errors of [`Scene::new`].
    pub fn new(definition: CellDefinition) -> Result<Self, Error> {
        cell::checked(definition)
    }

    /// The same cell, in which some pairs, in either order, have their own clearance, in metres.
    ///
    /// # Errors
    /// A link or a body that does not exist, a negative clearance.
    pub fn with_clearances(&self, clearances: Vec<([usize; 2], f64)>) -> Result<Self, Error> {
        let cell = Self::new(CellDefinition { clearances, ..self.definition.clone() })?;
        Ok(Self { epsilon: self.epsilon, ..cell })
    }

    /// The same cell with an epsilon, in metres, for pairs with a solid, a cloud or a parametric surface: see
    /// [`Scene::with_epsilon`].
    ///
    /// # Errors
    /// An epsilon that is not greater than 0.
    pub fn with_epsilon(self, epsilon: f64) -> Result<Self, Error> {
        check_positive(epsilon, "epsilon")?;
        Ok(Self { epsilon: Some(epsilon), ..self })
    }

    /// The same cell, around [`Robot::without_limits`].
    #[must_use]
    pub fn without_limits(mut self) -> Self {
        self.definition.robot = self.definition.robot.without_limits();
        self
    }

    /// The same cell with a static world: its bodies have their poses at a time of the paths, in seconds.
    ///
    /// # Errors
    /// A time that is not finite.
    pub fn with_static_world(&self, time: f64) -> Result<Self, Error> {
        check_number(time, || "time".into())?;
        let mut definition = self.definition.clone();
        if let Some(world) = self.world_alone()? {
            for (number, WorldBody { body, .. }) in definition.world.iter_mut().enumerate() {
                let pose = world.pose_in_parent(number, time.clamp(0.0, self.definition.world_duration));
                body.motion = BodyMotion::Still(pose);
            }
        }
        Ok(Self { epsilon: self.epsilon, ..Self::new(definition)? })
    }

    /// Finds contacts of links with each other or with the world along a path, with times and places: as
    /// [`Scene::check`](crate::Scene::check) for the true motion of every link, with the same guarantees. Two bodies
    /// of the world are never tested against each other.
    ///
    /// # Errors
    /// As [`JointPath::check`], and a motion that leaves the range of coordinates.
    pub fn check_path(
        &self,
        path: &JointPath,
        options: &CheckOptions,
        watch: &dyn ProgressMonitor,
    ) -> Result<PathReport, Error> {
        check::check_path(self, path, options, watch)
    }

    /// Counts the pairs of links, and the pairs of a link and a body of the world, on a path, by their classes. Two
    /// bodies of the world count as a pair only if the robot carries one of them.
    ///
    /// # Errors
    /// As [`RobotCell::path_scene`].
    pub fn count_pairs_on(&self, path: &JointPath) -> Result<PairCounts, Error> {
        check::count_pairs_on(self, path)
    }

    /// Finds the links that intersect each other or bodies of the world at a time of a path, in seconds, and the
    /// translation of the first body, in metres, that separates it from the second. As in
    /// [`Scene::static_intersections`](crate::Scene::static_intersections), static pairs are tested too; exempt pairs
    /// are not. Triangles of a link are numbered through all of its parts in order.
    ///
    /// # Errors
    /// As [`JointPath::check`], and a time that is not on the path.
    pub fn intersecting_at(
        &self,
        path: &JointPath,
        time: f64,
    ) -> Result<Vec<(IntersectingPair, Option<Penetration>)>, Error> {
        intersecting::intersecting_at(self, path, time)
    }

    /// The scene of the robot on a path, which [`RobotCell::check_path`] checks.
    ///
    /// # Errors
    /// As [`JointPath::check`], and a motion that leaves the range of coordinates.
    pub fn path_scene(&self, path: &JointPath) -> Result<PathScene, Error> {
        path.check(self.robot())?;
        path_scene::scene_on(self, path)
    }

    /// Whether all joints can move uniformly and simultaneously from the first configuration to the second, one value
    /// for each joint of the robot, while the world moves as in its first second. (For a static world, see
    /// [`RobotCell::with_static_world`].) Values of joints that are fixed or follow others are ignored, and so are
    /// pairs that the move leaves at rest.
    ///
    /// # Errors
    /// A wrong number of values, and as [`JointPath::check`]: values beyond limits, at either end.
    pub fn try_move(
        &self,
        [from, to]: [&[f64]; 2],
        options: &CheckOptions,
        watch: &dyn ProgressMonitor,
    ) -> Result<MoveOutcome, Error> {
        moves::try_move(self, [from, to], options, watch)
    }

    /// The definition that the cell was made from.
    #[must_use]
    pub fn definition(&self) -> &CellDefinition {
        &self.definition
    }

    /// The robot.
    #[must_use]
    pub fn robot(&self) -> &Robot {
        &self.definition.robot
    }

    /// The epsilon for such pairs, if it was given.
    #[must_use]
    pub fn epsilon(&self) -> Option<f64> {
        self.epsilon
    }

    /// The name of a link, or of a body of the world.
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn name(&self, body: usize) -> &str {
        let links = self.robot().links();
        match links.get(body) {
            Some(link) => &link.name,
            None => &self.definition.world[body - links.len()].body.name,
        }
    }

    /// Number of links and bodies of the world.
    #[must_use]
    pub fn count(&self) -> usize {
        self.is_on_robot.len()
    }

    /// The clearance of a pair of links or bodies, in metres: the report lists pairs that come closer than this.
    #[must_use]
    pub fn clearance_of(&self, [a, b]: [usize; 2]) -> f64 {
        let CellDefinition { clearance, clearances, .. } = &self.definition;
        let entry = clearances.iter().rev().find(|(pair, _)| *pair == [a, b] || *pair == [b, a]);
        entry.map_or(*clearance, |(_, clearance)| *clearance)
    }

    /// Whether a link or body is part of the robot, or carried by it.
    pub(crate) fn is_on_robot(&self, body: usize) -> bool {
        self.is_on_robot[body]
    }

    /// Whether two links or bodies are tested against each other when they move relative to each other.
    pub(crate) fn is_tested(&self, a: usize, b: usize) -> bool {
        tested_pairs::is_tested(self, a, b)
    }

    /// The link that carries a body of the world, directly or through other bodies. `number` is the body's index in
    /// the world.
    pub(crate) fn carrying_link(&self, number: usize) -> Option<usize> {
        let world = &self.definition.world;
        let mut top = number;
        while let Some(parent) = world[top].body.parent {
            top = parent;
        }
        world[top].link
    }

    /// The world without the robot; `None` if it is empty.
    fn world_alone(&self) -> Result<Option<Scene>, Error> {
        if self.definition.world.is_empty() {
            return Ok(None);
        }
        let bodies = self.definition.world.iter().map(|world| world.body.clone()).collect();
        let CellDefinition { world_duration, tolerance, clearance, .. } = self.definition;
        let definition =
            SceneDefinition { tolerance, clearance, ..SceneDefinition::new(world_duration, bodies) };
        Scene::new(definition).map(Some)
    }
}
