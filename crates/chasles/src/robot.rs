//! Robots: links on joints, their paths in joint space, and what these meet.
//!
//! ```text
//! definition   links, joints, which links are not tested
//! path         where the joints are to be, and when
//! ```

pub mod definition;
pub mod path;

pub use definition::{AdjacentLinks, Joint, Link, LinkElement, Mimic, RobotDefinition};
pub use path::{JointPath, Waypoint};
