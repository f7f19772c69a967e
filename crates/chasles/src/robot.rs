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

pub use cell::{CellDefinition, RobotCell, WorldBody};
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
