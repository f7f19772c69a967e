//! The relative motion of a pair of bodies at one time, and its motion bounds around that time.
//!
//! Conservative advancement needs only this of a motion: a position, a velocity, and a bound of the path's
//! curvature.

use glam::DVec3;

use crate::motion::Pose;

/// The motion of A in B's frame at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MotionState {
    /// The pose of A.
    pub(crate) pose: Pose,
    /// Velocity of the centre of A's mesh, in metres per second.
    pub(crate) velocity: DVec3,
    /// Angular velocity of A, in radians per second.
    pub(crate) spin: DVec3,
}

/// Bounds of a motion over an interval of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MotionBounds {
    /// Upper bound of the acceleration of A's points in B's frame, in metres per second squared.
    pub(crate) change: f64,
    /// Upper bound of their jerk, in metres per second cubed; infinite if unknown.
    pub(crate) jerk: f64,
    /// Upper bound of the position error of A's points, in metres.
    pub(crate) rounding: f64,
    /// Upper bound of the error of their velocities, in metres per second.
    pub(crate) velocity_rounding: f64,
}

/// The relative motion as a function of time, with its motion bounds.
#[derive(Clone, Copy)]
pub(crate) struct BoundedMotionFn<'m> {
    pub(crate) state_at: &'m dyn Fn(f64) -> MotionState,
    pub(crate) bounds: MotionBounds,
}
