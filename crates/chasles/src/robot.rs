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
pub use tree::Robot;

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
        let own = clearances.iter().rev().find(|(pair, _)| *pair == [a, b] || *pair == [b, a]);
        own.map_or(*clearance, |(_, own)| *own)
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
    pub(crate) fn carrier(&self, number: usize) -> Option<usize> {
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
