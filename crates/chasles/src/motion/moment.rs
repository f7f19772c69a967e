//! A body on its way past another at one time, and bounds of its motion around that time.
//!
//! Conservative advancement needs only this of a motion: a position, a velocity, and a bound of how much the path
//! bends.

use glam::DVec3;

use crate::motion::Pose;

/// How A moves past B at one time, in B's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MotionState {
    /// The pose of A.
    pub(crate) pose: Pose,
    /// Velocity of the centre of A's mesh, in metres per second.
    pub(crate) velocity: DVec3,
    /// Angular velocity of A, in radians per second.
    pub(crate) spin: DVec3,
}

/// Bounds of a motion over a span of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MotionBounds {
    /// No point of A has a greater acceleration as seen from B, in metres per second squared.
    pub(crate) change: f64,
    /// Nor a greater jerk, in metres per second cubed; infinite where unknown.
    pub(crate) jerk: f64,
    /// No point of A is further than this from where a moment puts it, in metres.
    pub(crate) rounding: f64,
    /// No velocity of a moment is further off than this, in metres per second.
    pub(crate) velocity_rounding: f64,
}

/// How a body moves past another: its moment at each time, and bounds.
#[derive(Clone, Copy)]
pub(crate) struct BoundedMotionFn<'m> {
    pub(crate) moment: &'m dyn Fn(f64) -> MotionState,
    pub(crate) bends: MotionBounds,
}
