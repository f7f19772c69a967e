//! Rotations in the form of the files: an axis and an angle.

use glam::{DQuat, DVec3};

use super::file::syntax::Typed;

/// A unit axis, z if the file has none, and an angle; otherwise the error.
pub(super) fn axis_angle([x, y, z, angle]: [f64; 4]) -> Typed<(DVec3, f64)> {
    let axis = DVec3::new(x, y, z);
    // Divided first, because the squares of large or small numbers would overflow or underflow.
    match (axis / axis.abs().max_element()).try_normalize() {
        Some(axis) => Ok((axis, angle)),
        // Exporters write a zero axis for no rotation.
        None if angle == 0.0 => Ok((DVec3::Z, 0.0)),
        None => Err(format!("found the axis 0 0 0 with the angle {angle}, expected an axis")),
    }
}

/// The rotation for an axis and an angle in the file; otherwise the error.
pub(super) fn rotation(numbers: [f64; 4]) -> Typed<DQuat> {
    axis_angle(numbers).map(quaternion)
}

/// The rotation about a unit axis by an angle.
pub(super) fn quaternion((axis, angle): (DVec3, f64)) -> DQuat {
    if angle == 0.0 { DQuat::IDENTITY } else { DQuat::from_axis_angle(axis, angle) }
}
