//! Joints: one degree of freedom between a body and what carries it.

use glam::DVec3;

/// What a joint lets its child do, in the child's frame at value 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointAxis {
    /// It turns about this axis through its origin; values in radians, right-handed.
    Revolute(DVec3),
    /// It slides along this axis; values in metres.
    Prismatic(DVec3),
}
