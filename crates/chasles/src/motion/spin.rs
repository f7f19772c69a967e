//! Solids of revolution that rotate about their own axes.
//!
//! The surface of a cylinder, cone or capsule is unchanged by such a rotation: its pose follows from the position
//! of its centre and the direction of its axis. So a can that rolls, or spins in place, is treated as a can that
//! slides: along one screw, exactly, instead of along thousands of screws that approximate its motion.

use glam::DVec3;

use crate::math::rounding::Rounding;
use crate::motion::curve::{CurveKind, CurveSegment};
use crate::motion::curved::RotationCurve;
use crate::motion::pose::RoundedPose;
use crate::motion::track::{TimedScrew, Track, TrackSegment};
use crate::motion::{Pose, Screw};

/// Two axes count as equal if the sine of their angle is at most this, because quaternions in files are rounded.
/// The resulting displacement is added to the rounding of the pose.
const SAME_AXIS: f64 = 16.0 * f64::EPSILON;

/// The track of a solid of revolution about its z axis, without its rotation about that axis; `None` if it has no
/// such rotation.
pub(crate) fn without_spin(track: &Track) -> Option<Track> {
    let mut has_spin = false;
    let segments = track.0.iter().map(|segment| match segment_without_spin(segment) {
        Some(sliding) => {
            has_spin = true;
            TrackSegment::Screw(sliding)
        }
        None => segment.clone(),
    });
    let segments = segments.collect();
    has_spin.then_some(Track(segments))
}

/// The segment without its rotation, if that is only about the z axis of the body.
fn segment_without_spin(segment: &TrackSegment) -> Option<TimedScrew> {
    match segment {
        TrackSegment::Screw(TimedScrew { start, end, screw }) => {
            if screw.angle() == 0.0 {
                return None;
            }
            // The displacement of the centre by the rotation.
            let shift = screw.velocity_across_at(DVec3::ZERO).length();
            let is_own_axis = shift <= SAME_AXIS * screw.start().position().length();
            let RoundedPose { pose, rounding } = screw.start_rounded();
            let start_pose = rotated_about_axis(pose, screw.direction(), rounding)?;
            let rounding = Rounding { shift: start_pose.rounding.shift + shift, ..start_pose.rounding };
            let displacement = screw.slide() * screw.direction();
            let screw = Screw::translation_rounded(&RoundedPose { rounding, ..start_pose }, displacement);
            is_own_axis.then_some(TimedScrew { start: *start, end: *end, screw })
        }
        TrackSegment::Curved { start, end, curved } => {
            let direction = match curved.rotation {
                RotationCurve::Constant(_) | RotationCurve::Cubic(..) => return None,
                RotationCurve::Uniform { screw, .. } => screw.direction(),
                RotationCurve::About(cubic) => cubic.axis,
            };
            let CurveSegment { start: first, end: last, shape } = curved.position;
            let (from, displacement) = match shape {
                CurveKind::Constant(at) => (at, DVec3::ZERO),
                CurveKind::Linear(from, to) => (from, to - from),
                CurveKind::Cubic(..) => return None,
            };
            let rotation = curved.pose_at(*start).rotation();
            let start_pose = Pose::from_parts(from, rotation);
            let start_pose = rotated_about_axis(start_pose, direction, Rounding::given(rotation))?;
            let screw = Screw::translation_rounded(&start_pose, displacement);
            let (first, last) = if displacement == DVec3::ZERO { (*start, *end) } else { (first, last) };
            Some(TimedScrew { start: first, end: last, screw }.part(*start, *end))
        }
    }
}

/// A pose that represents all poses obtained from it by rotations about a direction, if that direction is the axis
/// of the body up to rounding.
fn rotated_about_axis(pose: Pose, direction: DVec3, rounding: Rounding) -> Option<RoundedPose> {
    let axis = pose.rotation() * DVec3::Z;
    let sine = axis.cross(direction).length();
    // The axis moves on a cone of this angle; directions are computed to a few roundings.
    let tilt = rounding.tilt + 2.0 * (sine + SAME_AXIS);
    (sine <= SAME_AXIS).then_some(RoundedPose { pose, rounding: Rounding { tilt, ..rounding } })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_1_SQRT_2;

    use glam::DQuat;

    use super::*;
    use crate::motion::{CubicKey, Curve, JointAxis};

    fn pose(position: DVec3, rotation: DQuat) -> Pose {
        Pose::new(position, rotation).unwrap()
    }

    /// The centre and the axis are unchanged, up to the stated rounding.
    fn check_same(track: &Track) {
        let sliding = without_spin(track).unwrap();
        assert_eq!(sliding.0.len(), track.0.len());
        for (segment, sliding) in track.0.iter().zip(&sliding.0) {
            let TrackSegment::Screw(screw) = sliding else { panic!("{sliding:?}") };
            assert!(
                screw.screw.angle() == 0.0 && screw.start == segment.start() && screw.end == segment.end()
            );
            for i in 0..=50 {
                let time = segment.start() + (segment.end() - segment.start()) * f64::from(i) / 50.0;
                let [original, sliding] = [segment.pose_at(time), sliding.pose_at(time)];
                let error = 1e-15 * (1.0 + original.position().length());
                assert!(
                    original.position().distance(sliding.position()) <= error,
                    "{original:?} {sliding:?}"
                );
                let [original, sliding] = [original, sliding].map(|pose| pose.transform_vector(DVec3::Z));
                // The axis that this test computes has rounding errors as well.
                assert!(
                    original.distance(sliding) <= screw.screw.start_rounded().rounding.tilt + 1e-15,
                    "{original} {sliding}"
                );
            }
        }
    }

    #[test]
    fn a_solid_that_rotates_about_its_own_axis_follows_its_centre() {
        let about_x = DQuat::from_xyzw(FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);
        let tilted = DQuat::from_xyzw(0.1, -0.5, 0.3, 0.4).normalize();
        for rotation in [DQuat::IDENTITY, about_x, tilted] {
            let (start, axis) = (pose(DVec3::new(1.0, -2.0, 0.5), rotation), rotation * DVec3::Z);
            for linear in [DVec3::ZERO, DVec3::X, 0.3 * axis, DVec3::new(0.3, -1.0, 2.0)] {
                check_same(&Track::twist(start, [linear, 2.5 * axis], 3.0).unwrap());
                check_same(&Track::twist(start, [linear, -0.1 * axis], 3.0).unwrap());
            }
            let own = JointAxis::Revolute(DVec3::Z);
            let key = |time: f64, value: f64| CubicKey { time, in_tangent: 0.3, value, out_tangent: -1.0 };
            for values in [
                Curve::Linear(vec![(0.5, 0.0), (1.0, 2.0), (2.0, -9.0)]),
                Curve::Cubic(vec![key(0.0, 0.0), key(1.0, 2.0), key(3.0, -9.0)]),
            ] {
                let track = Track::joint(start, own, &values, 3.0).unwrap();
                check_same(&Track(track.0.into_iter().filter(|segment| !segment.is_still()).collect()));
            }
        }
    }

    #[test]
    fn rotations_about_other_axes_are_kept() {
        let start = pose(DVec3::X, DQuat::IDENTITY);
        let tracks = [
            Track::twist(start, [DVec3::Y, DVec3::ZERO], 1.0).unwrap(),
            Track::twist(start, [DVec3::Y, DVec3::new(0.0, 1e-9, 1.0)], 1.0).unwrap(),
            Track::twist(start, [DVec3::Y, DVec3::X], 1.0).unwrap(),
            // Parallel to its axis, but offset.
            Track::from_screw(
                Screw::about(start, DVec3::Z, DVec3::new(1.0 + 1e-9, 0.0, 0.0), 0.0, 1.0).unwrap(),
                1.0,
            ),
        ];
        for track in tracks {
            assert_eq!(without_spin(&track), None, "{track:?}");
        }
    }
}
