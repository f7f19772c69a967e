//! Poses, also from matrices.

use std::mem::MaybeUninit;

use glam::{DQuat, DVec3};

use crate::given::{array, wanted};
use crate::status::{Failure, Status, guarded};

/// Where a body stands: first turned by the quaternion about its own origin, then moved by the position. A point x of
/// the body is at `position + q x q*`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where the body's origin is, in metres; each below 1e70.
    pub position: [f64; 3],
    /// w, x, y, z. Of any length but zero: it is normalised.
    pub quaternion: [f64; 4],
}

impl Pose {
    /// Neither turned nor moved.
    pub(crate) const IDENTITY: Self = Self { position: [0.0; 3], quaternion: [1.0, 0.0, 0.0, 0.0] };

    /// As the engine has it; `place` says in messages which pose it is.
    pub(crate) fn checked(&self, place: &str) -> Result<chasles::Pose, Failure> {
        let [w, x, y, z] = self.quaternion;
        chasles::Pose::new(DVec3::from_array(self.position), DQuat::from_xyzw(x, y, z, w))
            .map_err(|error| Failure::engine(place, &error))
    }
}

/// The pose that neither turns nor moves.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_pose_identity() -> Pose {
    Pose::IDENTITY
}

/// A pose from a rigid 4 by 4 matrix.
///
/// @param matrix 16 numbers, column by column: `matrix[4 * column + row]`. This is what `Eigen::Isometry3d::data()` and
/// OpenGL have. The last column is the position, in metres.
/// @param pose Where the pose is written.
///
/// A matrix that scales, shears or mirrors by more than 1e-6 is refused. Up to that it is taken for a rotation near it: the
/// pose is as exact as the matrix is rigid.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_pose_from_matrix(
    matrix: *const f64,
    pose: Option<&mut MaybeUninit<Pose>>,
) -> Status {
    guarded(|| {
        let pose = wanted(pose, "pose")?;
        // SAFETY: the caller vouches for the 16 numbers.
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
    let turn = pose.rotation();
    Ok(Pose { position: pose.position().to_array(), quaternion: [turn.w, turn.x, turn.y, turn.z] })
}
