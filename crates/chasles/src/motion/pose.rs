//! A pose: where a body is and which way it is turned.

use glam::{DQuat, DVec3};

use crate::error::{Error, ErrorKind, check_vector};
use crate::math::rounding::Rounding;

/// A rigid transform from a body's frame to the world: x -> rotation x + position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    position: DVec3,
    rotation: DQuat,
}

impl Pose {
    /// No displacement.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A pose from a position (metres) and a quaternion, which is normalised.
    ///
    /// # Errors
    /// A coordinate that is not finite or not below 1e70, or a quaternion of zero length.
    pub fn new(position: DVec3, rotation: DQuat) -> Result<Self, Error> {
        check_vector(position, || "position".into())?;
        let largest = rotation.to_array().into_iter().map(f64::abs).fold(0.0, f64::max);
        if let Some(bad) = rotation.to_array().into_iter().find(|x| !x.is_finite()) {
            return Err(Error::new(ErrorKind::NotFinite(bad), "rotation"));
        }
        if largest == 0.0 {
            return Err(Error::new(ErrorKind::ZeroLength, "rotation"));
        }
        // Scaled first, so that neither 1e-200 nor 1e200 leaves the range when squared.
        let scaled = DQuat::from_array(rotation.to_array().map(|x| x / largest));
        // A quaternion that is a unit to the last bits stays as it is: dividing it would only turn it by a rounding.
        let rotation = if (rotation.length_squared() - 1.0).abs() <= 2.0 * f64::EPSILON {
            rotation
        } else {
            scaled.normalize()
        };
        Ok(Self { position, rotation })
    }

    /// The pose that only moves, by `position` metres.
    ///
    /// # Errors
    /// As [`Pose::new`].
    pub fn from_position(position: DVec3) -> Result<Self, Error> {
        Self::new(position, DQuat::IDENTITY)
    }

    /// The pose whose position is known to be finite and whose rotation is known to be a unit.
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

    /// A point of the body's frame in the world.
    #[must_use]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.position
    }

    /// A direction of the body's frame in the world.
    #[must_use]
    pub fn transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// The pose that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { position: -(rotation * self.position), rotation }
    }

    /// First `inner`, then `self`.
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            position: self.transform_point(inner.position),
            rotation: (self.rotation * inner.rotation).normalize(),
        }
    }
}

/// A computed pose, and how far it may be from the true one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RoundedPose {
    pub(crate) pose: Pose,
    pub(crate) rounding: Rounding,
}

impl RoundedPose {
    /// No displacement, exactly.
    pub(crate) const IDENTITY: Self = Self { pose: Pose::IDENTITY, rounding: Rounding::NONE };

    /// A pose as it was given.
    pub(crate) fn given(pose: Pose) -> Self {
        Self { pose, rounding: Rounding::given(pose.rotation()) }
    }

    /// First `inner`, then `self`.
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
    fn inverse_undoes() {
        let pose = Pose::new(DVec3::new(1.0, -2.0, 3.0), DQuat::from_xyzw(0.1, 0.7, -0.3, 0.4)).unwrap();
        let point = DVec3::new(0.3, 0.2, 0.1);
        let back = pose.inverse().transform_point(pose.transform_point(point));
        assert!(back.distance(point) < 1e-15);
        let same = pose.compose(&pose.inverse());
        assert!(same.position().length() < 1e-14 && same.rotation().w.abs() > 1.0 - 1e-15);
    }
}
