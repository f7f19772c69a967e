//! Rigid motion: poses, screws between them, and curves through keys.
//!
//! ```text
//! pose     where a body is
//! screw    the motion that turns about an axis and slides along it
//! helix    the path of one point along a screw
//! curve    a position or a rotation by keys: steps, straight, cubic
//! rates    bounds of speed and acceleration, carried from frame to frame
//! joint    one degree of freedom
//! curved   a stretch of motion that is no screw
//! track    how a body moves in its parent's frame, cut where it stops being smooth
//! spin     round bodies that turn about their own axes: their spin is left out
//! moment   one body on its way past another at one time
//! carried  bodies carried by others: how fast their points move, and how far off their places may be
//! relative the motion of one body as seen from another: screws, and how far they are from it
//! ```
//!
//! Read `screw` first.

pub(crate) mod pose;
pub(crate) mod screw;
pub(crate) mod helix;
pub(crate) mod curve;
pub(crate) mod rates;
pub(crate) mod joint;
pub(crate) mod curved;
pub(crate) mod track;
pub(crate) mod spin;
pub(crate) mod moment;
pub(crate) mod carried;
pub(crate) mod relative;
#[cfg(test)]
mod relative_tests;

pub use curve::{CubicKey, Curve};
pub use joint::JointAxis;
pub use pose::Pose;
pub use screw::{Screw, ScrewAxis};
