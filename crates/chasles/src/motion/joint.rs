//! Joints: one degree of freedom between a body and its parent.

use glam::{DQuat, DVec3};

use crate::math::direction::unit_along;
use crate::math::time_interval::TimeInterval;
use crate::motion::curve::{CubicKey, Jet, number_jerk, number_jet};
use crate::motion::pose::Pose;

/// The degree of freedom of a joint, in the child's frame at value 0.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointAxis {
    /// Rotation about this axis through the origin; values in radians, right-handed.
    Revolute(DVec3),
    /// Translation along this axis, which may have any length; values in metres.
    Prismatic(DVec3),
}

impl JointAxis {
    /// The direction of the axis.
    #[must_use]
    pub fn direction(&self) -> DVec3 {
        match self {
            Self::Revolute(axis) | Self::Prismatic(axis) => *axis,
        }
    }

    /// The child's pose at a value, if `origin` is its pose at value 0. An axis of zero length moves nothing.
    #[must_use]
    pub fn moved(&self, origin: &Pose, value: f64) -> Pose {
        let direction = origin.rotation() * unit_along(self.direction());
        match self {
            Self::Revolute(_) => {
                let rotation = DQuat::from_axis_angle(direction, value);
                Pose::from_parts(origin.position(), rotation * origin.rotation())
            }
            Self::Prismatic(_) => Pose::from_parts(origin.position() + value * direction, origin.rotation()),
        }
    }
}

/// A rotation about a fixed axis by an angle that is a cubic of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CubicRotation {
    /// The rotation at angle 0.
    pub(crate) start: DQuat,
    /// Unit vector, in the parent's frame.
    pub(crate) axis: DVec3,
    pub(crate) from: CubicKey<f64>,
    pub(crate) to: CubicKey<f64>,
}

impl CubicRotation {
    pub(crate) fn at(&self, time: f64) -> DQuat {
        DQuat::from_axis_angle(self.axis, number_jet(&self.from, &self.to, time).value) * self.start
    }

    /// The angular velocity, in radians per second.
    pub(crate) fn velocity(&self, time: f64) -> DVec3 {
        number_jet(&self.from, &self.to, time).first * self.axis
    }

    /// Bounds of angular speed, acceleration and jerk, in radians per second, per second squared and per second cubed.
    pub(crate) fn rates(&self, TimeInterval { start, end }: TimeInterval) -> [f64; 3] {
        let half = 0.5 * (end - start);
        let [middle, first, last] = [start + half, start, end].map(|t| number_jet(&self.from, &self.to, t));
        // The second derivative is linear.
        let Jet { first: speed, .. } = middle;
        let change = first.second.abs().max(last.second.abs());
        [speed.abs() + change * half, change, number_jerk(&self.from, &self.to).abs()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_rotation_stays_within_its_bounds() {
        let key = |time, value: f64, tangent: f64| CubicKey {
            time,
            in_tangent: tangent,
            value,
            out_tangent: tangent,
        };
        let rotation = CubicRotation {
            start: DQuat::IDENTITY,
            axis: DVec3::Z,
            from: key(1.0, 0.3, -1.0),
            to: key(3.0, 7.0, 2.0),
        };
        let angle = |time: f64| number_jet(&rotation.from, &rotation.to, time).value;
        assert!(rotation.at(1.0).angle_between(DQuat::from_rotation_z(0.3)) < 1e-7);
        for i in 0..20 {
            let (start, step) = (1.0 + 0.1 * f64::from(i), 0.1 / 64.0);
            let [speed, change, jerk] = rotation.rates(TimeInterval::new(start, start + 0.1));
            let speeds: Vec<f64> = (0..64)
                .map(|k| (angle(start + step * f64::from(k + 1)) - angle(start + step * f64::from(k))) / step)
                .collect();
            let fastest = speeds.iter().fold(0.0_f64, |most, speed| most.max(speed.abs()));
            assert!(fastest <= speed * (1.0 + 1e-9) && fastest > 0.5 * speed, "{fastest} {speed}");
            let bent =
                speeds.windows(2).fold(0.0_f64, |most, pair| most.max((pair[1] - pair[0]).abs() / step));
            assert!(bent <= change * (1.0 + 1e-6) + 1e-9 && bent > 0.5 * change, "{bent} {change}");
            let [before, after] =
                [start, start + 0.1].map(|t| number_jet(&rotation.from, &rotation.to, t).second);
            assert!(((after - before).abs() / 0.1 - jerk).abs() < 1e-9 * jerk, "{before} {after} {jerk}");
        }
    }
}
