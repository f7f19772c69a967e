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
//! ```

pub mod pose;
pub mod screw;
pub(crate) mod helix;
pub mod curve;
pub(crate) mod rates;
pub mod joint;
pub(crate) mod curved;

pub use curve::{CubicKey, Curve};
pub use joint::JointAxis;
pub use pose::Pose;
pub use screw::{Screw, ScrewAxis};
