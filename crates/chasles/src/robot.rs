//! Robots: links on joints, their paths in joint space, and the contacts on these.
//!
//! ```text
//! definition   links, joints, which links are not tested
//! tree         the robot: checked, and where its links are
//! path         where the joints are to be, and when
//! limits       where a path is beyond limits of joints
//! postures     which links touch in given postures
//! cell         the robot where it stands, with the bodies around it; the scene of a path
//! check        whether a path is free
//! intersecting what intersects at one time of a path
//! way_out      moves that part what overlaps already
//! moves        moves that are refused
//! session      moves by hand, one after the other
//! ```
//!
//! Read `check` first.

pub(crate) mod definition;
pub(crate) mod tree;
pub(crate) mod path;
pub(crate) mod limits;
pub(crate) mod configurations;
pub(crate) mod cell;
pub(crate) mod check;
pub(crate) mod intersecting;
pub(crate) mod escape;
pub(crate) mod moves;
pub(crate) mod session;
#[cfg(test)]
pub(crate) mod arms;

pub use cell::{CellDefinition, PathScene, RobotCell, WorldBody};
pub use check::{PathEntry, PathReport};
pub use configurations::LinkContacts;
pub use definition::{AdjacentLinks, Joint, Link, LinkElement, Mimic, RobotDefinition};
pub use escape::SeparatedPair;
pub use limits::{JointLimit, LimitBreach};
pub use moves::MoveOutcome;
pub use path::{JointPath, Waypoint};
pub use session::Session;
pub use tree::Robot;
