//! Poses, also from matrices.

use std::mem::MaybeUninit;

use glam::{DQuat, DVec3};

use crate::argument::{array, needed_out};
use crate::status::{Failure, Status, guarded};

/// The pose of a body: a rotation by the quaternion about the body's own origin, then a translation by the
/// position. A point x of the body is at `position + q x q*`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// The position of the body's origin, in metres; each coordinate below 1e70.
    pub position: [f64; 3],
    /// w, x, y, z, of any length but zero: it is normalised.
    pub quaternion: [f64; 4],
}

impl Pose {
    /// The identity.
    pub(crate) const IDENTITY: Self = Self { position: [0.0; 3], quaternion: [1.0, 0.0, 0.0, 0.0] };

    /// Converts to the engine's pose; `place` is the name of the pose in messages.
    pub(crate) fn checked(&self, place: &str) -> Result<chasles::Pose, Failure> {
        let [w, x, y, z] = self.quaternion;
        chasles::Pose::new(DVec3::from_array(self.position), DQuat::from_xyzw(x, y, z, w))
            .map_err(|error| Failure::engine(place, &error))
    }
}

/// The identity pose.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_pose_identity() -> Pose {
    Pose::IDENTITY
}

/// A pose from a rigid 4 by 4 matrix.
///
/// @param matrix 16 numbers, column by column: `matrix[4 * column + row]`, as in `Eigen::Isometry3d::data()` and
/// OpenGL. The last column is the position, in metres.
/// @param pose Where the pose is written.
///
/// A matrix that scales, shears or mirrors by more than 1e-6 is rejected. Below that, a rotation near the matrix is
/// used: the pose is as exact as the matrix is rigid.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_pose_from_matrix(
    matrix: *const f64,
    pose: Option<&mut MaybeUninit<Pose>>,
) -> Status {
    guarded(|| {
        let pose = needed_out(pose, "pose")?;
        // SAFETY: the caller guarantees the 16 numbers.
        let matrix = unsafe { array(matrix, 16, "matrix")? };
        pose.write(of_matrix(matrix)?);
        Ok(())
    })
}

fn of_matrix(matrix: &[f64]) -> Result<Pose, Failure> {
    let rows = [0, 1, 2, 3].map(|i| [0, 1, 2, 3].map(|j| matrix[4 * j + i]));
    let by_column = "(the matrix is to be given column by column)";
    let pose = chasles::Pose::from_matrix(&rows)
        .map_err(|error| Failure::argument("matrix", format_args!("{error} {by_column}")))?;
    let rotation = pose.rotation();
    Ok(Pose {
        position: pose.position().to_array(),
        quaternion: [rotation.w, rotation.x, rotation.y, rotation.z],
    })
}
