//! Rigid motion: poses, screws between them, and curves through keys.
//!
//! ```text
//! pose     position and rotation of a body
//! screw    the motion that rotates about an axis and slides along it
//! helix    the path of one point along a screw
//! curve    a position or a rotation given by keys: steps, linear, cubic
//! rates    bounds of speed and acceleration, propagated from frame to frame
//! joint    one degree of freedom
//! curved   a smooth interval of motion that is not a screw
//! track    the motion of a body in its parent's frame, divided into smooth intervals
//! spin     solids of revolution that rotate about their own axes: the spin is removed
//! moment   the relative motion of a pair of bodies at one time
//! carried  bodies on chains of carriers: speeds of their points, and rounding errors of their poses
//! relative the motion of one body in the frame of another: screws, and their deviation
//! ```
//!
//! Start with `screw`.

pub(crate) mod pose;
pub(crate) mod screw;
pub(crate) mod helix;
pub(crate) mod curve;
pub(crate) mod rates;
pub(crate) mod joint;
pub(crate) mod curved;
pub(crate) mod track;
pub(crate) mod spin;
pub(crate) mod state;
pub(crate) mod chain;
pub(crate) mod relative;
#[cfg(test)]
mod relative_tests;

pub use curve::{CubicKey, Curve};
pub use joint::JointAxis;
pub use pose::Pose;
pub use screw::{Screw, ScrewAxis};
