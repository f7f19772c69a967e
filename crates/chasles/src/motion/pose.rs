//! A pose: position and rotation of a body.

use glam::{DMat3, DQuat, DVec3};

use crate::error::{Error, ErrorKind, check_vector};
use crate::math::rounding::Rounding;

/// Maximum deviation of each entry of a matrix from a rigid one.
const RIGID: f64 = 1e-6;

/// A rigid transform from a body's frame to the world: x -> rotation x + position.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "PlainPose"))]
pub struct Pose {
    position: DVec3,
    rotation: DQuat,
}

/// A deserialized pose before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PlainPose {
    position: DVec3,
    rotation: DQuat,
}

#[cfg(feature = "serde")]
impl TryFrom<PlainPose> for Pose {
    type Error = Error;

    /// The rotation must be normalised already: it keeps its bits, which [`Pose::new`] might change.
    fn try_from(PlainPose { position, rotation }: PlainPose) -> Result<Self, Error> {
        check_vector(position, || "position".into())?;
        let length = rotation.length_squared();
        if (length - 1.0).abs() <= 1e-12 {
            Ok(Self { position, rotation })
        } else {
            Error::out_of_range(length, "a quaternion of length 1", "rotation")
        }
    }
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A pose from a position (metres) and a quaternion, which is normalised.
    ///
    /// # Errors
    /// If a coordinate is not finite or not below 1e70, or the quaternion has zero length.
    pub fn new(position: DVec3, rotation: DQuat) -> Result<Self, Error> {
        check_vector(position, || "position".into())?;
        let largest = rotation.to_array().into_iter().map(f64::abs).fold(0.0, f64::max);
        if let Some(bad) = rotation.to_array().into_iter().find(|x| !x.is_finite()) {
            return Err(Error::new(ErrorKind::NotFinite(bad), "rotation"));
        }
        if largest == 0.0 {
            return Err(Error::new(ErrorKind::ZeroLength, "rotation"));
        }
        // Scaled first, so that the squares of 1e-200 and 1e200 neither underflow nor overflow.
        let scaled = DQuat::from_array(rotation.to_array().map(|x| x / largest));
        let length = scaled.length();
        // A quaternion of unit length to the last bits is kept: normalising would only add rounding.
        let rotation = if (rotation.length_squared() - 1.0).abs() <= 2.0 * f64::EPSILON {
            rotation
        } else {
            // A division, not a product with the reciprocal, so that (0, -3, 4, 0) becomes (0, -0.6, 0.8, 0) to the
            // last bit.
            DQuat::from_array(scaled.to_array().map(|x| x / length))
        };
        Ok(Self { position, rotation })
    }

    /// A pose from a 4 x 4 matrix, given by rows, that maps (x, y, z, 1) from the body's frame to the world.
    /// Deviations from a rigid matrix of up to 1e-6 in each entry are discarded: the pose is as exact as the matrix
    /// is rigid.
    ///
    /// # Errors
    /// If the matrix scales, shears or mirrors, its last row is not 0, 0, 0, 1, or its position is not valid for
    /// [`Pose::new`].
    pub fn from_matrix(rows: &[[f64; 4]; 4]) -> Result<Self, Error> {
        let refused = |what| Err(Error::new(ErrorKind::NotRigid(what), "matrix"));
        let numbers = rows[..3].iter().flat_map(|row| &row[..3]).chain(&rows[3]);
        if let Some(bad) = numbers.copied().find(|x| !x.is_finite()) {
            return Err(Error::new(ErrorKind::NotFinite(bad), "matrix"));
        }
        if !rows[3].iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(found, right)| (found - right).abs() <= RIGID) {
            return refused("whose last row is not (0, 0, 0, 1)");
        }
        let column = |j: usize| DVec3::new(rows[0][j], rows[1][j], rows[2][j]);
        let rotation = DMat3::from_cols(column(0), column(1), column(2));
        let deviations = (rotation.transpose() * rotation - DMat3::IDENTITY).to_cols_array();
        if !deviations.iter().all(|deviation| deviation.abs() <= 2.0 * RIGID) {
            return refused("that scales or shears by more than 1e-6");
        }
        if rotation.determinant() < 0.0 {
            return refused("that mirrors");
        }
        Self::new(column(3), DQuat::from_mat3(&rotation).normalize())
    }

    /// The 4 x 4 matrix, by rows, that maps (x, y, z, 1) from the body's frame to the world.
    #[must_use]
    pub fn to_matrix(&self) -> [[f64; 4]; 4] {
        let (rotation, at) = (DMat3::from_quat(self.rotation), self.position.to_array());
        let row = |i: usize| [rotation.x_axis[i], rotation.y_axis[i], rotation.z_axis[i], at[i]];
        [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]
    }

    /// A pose without rotation, at `position` in metres.
    ///
    /// # Errors
    /// As [`Pose::new`].
    pub fn from_position(position: DVec3) -> Result<Self, Error> {
        Self::new(position, DQuat::IDENTITY)
    }

    /// A pose from a position known to be finite and a rotation known to be normalised.
    pub(crate) fn from_parts(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation }
    }

    /// Position of the body's origin in the world, in metres.
    #[must_use]
    pub fn position(&self) -> DVec3 {
        self.position
    }

    /// Rotation from the body's frame to the world, a unit quaternion.
    #[must_use]
    pub fn rotation(&self) -> DQuat {
        self.rotation
    }

    /// Maps a point from the body's frame to the world.
    #[must_use]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.position
    }

    /// Maps a vector from the body's frame to the world.
    #[must_use]
    pub fn transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// The inverse transform.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { position: -(rotation * self.position), rotation }
    }

    /// The product: `inner` is applied first, then `self`.
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            position: self.transform_point(inner.position),
            rotation: (self.rotation * inner.rotation).normalize(),
        }
    }
}

/// A computed pose with a bound of its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RoundedPose {
    pub(crate) pose: Pose,
    pub(crate) rounding: Rounding,
}

impl RoundedPose {
    /// The identity, exact.
    pub(crate) const IDENTITY: Self = Self { pose: Pose::IDENTITY, rounding: Rounding::NONE };

    /// A pose as given.
    pub(crate) fn given(pose: Pose) -> Self {
        Self { pose, rounding: Rounding::given(pose.rotation()) }
    }

    /// The product: `inner` is applied first, then `self`.
    pub(crate) fn compose(&self, inner: &Self) -> Self {
        if self.pose == Pose::IDENTITY && self.rounding == Rounding::NONE {
            return *inner;
        }
        if inner.pose == Pose::IDENTITY && inner.rounding == Rounding::NONE {
            return *self;
        }
        let pose = self.pose.compose(&inner.pose);
        let (arm, reach) = (inner.pose.position().length(), pose.position().length());
        Self { pose, rounding: inner.rounding.carried(self.rounding, arm, reach) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quaternion_of_any_length_is_normalised() {
        for scale in [1e-200, 1.0, 1e200] {
            let pose = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 3.0 * scale, 4.0 * scale)).unwrap();
            assert!((pose.rotation().z - 0.6).abs() < 1e-15);
            assert!((pose.rotation().w - 0.8).abs() < 1e-15);
        }
    }

    #[test]
    fn bad_numbers_are_refused_by_name() {
        let zero = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)).unwrap_err();
        assert_eq!(zero.to_string(), "rotation: found zero length, expected a direction");
        let nan = Pose::from_position(DVec3::new(0.0, f64::NAN, 0.0)).unwrap_err();
        assert_eq!(nan.to_string(), "position: found NaN, expected a finite number");
    }

    #[test]
    fn rigid_matrices_are_poses() {
        let pose = Pose::new(DVec3::new(1.0, -2.0, 3.0), DQuat::from_xyzw(0.1, 0.7, -0.3, 0.4)).unwrap();
        let matrix = pose.to_matrix();
        let point = DVec3::new(0.3, 0.2, 0.1);
        let row = |row: [f64; 4]| row[0] * point.x + row[1] * point.y + row[2] * point.z + row[3];
        let by_rows = DVec3::new(row(matrix[0]), row(matrix[1]), row(matrix[2]));
        assert!(by_rows.distance(pose.transform_point(point)) < 1e-15);
        let back = Pose::from_matrix(&matrix).unwrap();
        assert!(
            back.position() == pose.position() && back.rotation().dot(pose.rotation()).abs() > 1.0 - 1e-15
        );
        let refused = |i: usize, j: usize, by: f64| {
            let mut matrix = matrix;
            matrix[i][j] += by;
            Pose::from_matrix(&matrix).map_err(|error| error.to_string())
        };
        assert!(refused(0, 0, 1e-7).is_ok());
        assert_eq!(
            refused(0, 1, 1e-5).unwrap_err(),
            "matrix: found a matrix that scales or shears by more than 1e-6, expected a rigid one"
        );
        assert!(refused(3, 0, 1e-5).unwrap_err().contains("last row"));
        assert!(refused(2, 2, f64::NAN).unwrap_err().contains("NaN"));
        assert!(refused(0, 3, 1e71).unwrap_err().contains("position"));
        let mirror =
            [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
        assert!(Pose::from_matrix(&mirror).unwrap_err().to_string().contains("mirrors"));
    }

    #[test]
    fn a_pose_composed_with_its_inverse_is_the_identity() {
        let pose = Pose::new(DVec3::new(1.0, -2.0, 3.0), DQuat::from_xyzw(0.1, 0.7, -0.3, 0.4)).unwrap();
        let point = DVec3::new(0.3, 0.2, 0.1);
        let back = pose.inverse().transform_point(pose.transform_point(point));
        assert!(back.distance(point) < 1e-15);
        let same = pose.compose(&pose.inverse());
        assert!(same.position().length() < 1e-14 && same.rotation().w.abs() > 1.0 - 1e-15);
    }
}
