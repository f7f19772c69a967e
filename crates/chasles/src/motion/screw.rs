//! A screw: the motion that rotates about an axis and slides along it (Chasles).

use glam::{DMat3, DQuat, DVec3};

#[cfg(feature = "serde")]
use crate::error::check_not_negative;
use crate::error::{Error, ErrorKind, check_number, check_vector};
use crate::math::direction::unit_along;
use crate::math::exact::cross_of_difference;
use crate::math::rounding::Rounding;
use crate::math::screw_function::Basis;
use crate::motion::pose::{Pose, RoundedPose};

/// A body's motion over t in [0, 1]: from a start pose, it rotates by
/// `angle` about a fixed axis and slides by `slide` along it, both at constant rates.
///
/// Stored as the start pose and the **twist**, not as a point on the axis, which goes to infinity as the angle goes
/// to zero. With omega = angle * direction, a point x0 of the body moves along
///
/// ```text
/// x(t) = x0 + t slide direction + sigma u + kappa (omega x u)       u = v + omega x (x0 - c)
/// ```
///
/// where v, perpendicular to the direction, is the velocity across the axis of a reference point c at t = 0. c is
/// the origin of the body's frame, so that points near it lose no digits, however far away the axis is. This is
/// exact for every angle >= 0 and an axis at any distance. (Kim and Rossignac 2003, "Computation of screw
/// parameters" and equation 7, there about a point of the axis.)
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "PlainScrew"))]
pub struct Screw {
    start: Pose,
    direction: DVec3,
    slide: f64,
    /// The translation along the axis over t in [0, 1]: slide * direction, but exact in a pure translation.
    #[cfg_attr(feature = "serde", serde(rename = "way_along"))]
    axial: DVec3,
    angle: f64,
    reference: DVec3,
    velocity: DVec3,
    /// Bound of the error of the frame at all times.
    rounding: Rounding,
}

/// The axis of a screw, for display.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ScrewAxis {
    /// Unit direction s of the axis.
    pub direction: DVec3,
    /// The point p of the axis nearest to the body's start; `None` for a pure translation.
    pub point: Option<DVec3>,
    /// Slide d along the axis over the whole motion, in metres.
    pub slide: f64,
    /// Angle b about the axis over the whole motion, in radians, not negative.
    pub angle: f64,
}

/// A deserialized screw before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PlainScrew {
    start: Pose,
    direction: DVec3,
    slide: f64,
    #[serde(rename = "way_along")]
    axial: DVec3,
    angle: f64,
    reference: DVec3,
    velocity: DVec3,
    rounding: Rounding,
}

#[cfg(feature = "serde")]
impl TryFrom<PlainScrew> for Screw {
    type Error = Error;

    fn try_from(plain: PlainScrew) -> Result<Self, Error> {
        let PlainScrew { start, direction, slide, axial, angle, reference, velocity, rounding } = plain;
        for (name, vector) in [("direction", direction), ("displacement", axial), ("reference", reference)] {
            check_vector(vector, || name.into())?;
        }
        check_vector(velocity / (1.0 + angle), || "velocity".into())?;
        check_number(slide, || "slide".into())?;
        check_not_negative(angle, "angle")?;
        // A NaN compares false, so it passes none of these checks.
        let is_unit = (direction.length() - 1.0).abs() <= 1e-12;
        let is_along = axial.distance(slide * direction) <= 1e-9 * slide.abs();
        let is_rounded = rounding.shift >= 0.0 && rounding.tilt >= 0.0;
        if !is_unit {
            return Error::out_of_range(direction.length(), "a direction of length 1", "direction");
        }
        if !is_along {
            return Error::out_of_range(
                axial.length(),
                "a displacement along the axis as long as the slide",
                "displacement",
            );
        }
        if !is_rounded {
            return Error::out_of_range(rounding.shift.min(rounding.tilt), "roundings from 0 up", "rounding");
        }
        Ok(Self { start, direction, slide, axial, angle, reference, velocity, rounding })
    }
}

impl Screw {
    /// A static body.
    #[must_use]
    pub fn still(pose: Pose) -> Self {
        Self::still_rounded(&RoundedPose::given(pose))
    }

    /// A static body at a computed pose.
    pub(crate) fn still_rounded(RoundedPose { pose, rounding }: &RoundedPose) -> Self {
        Self {
            start: *pose,
            direction: DVec3::Z,
            slide: 0.0,
            axial: DVec3::ZERO,
            angle: 0.0,
            reference: pose.position(),
            velocity: DVec3::ZERO,
            rounding: *rounding,
        }
    }

    /// The screw with the smallest angle, at most half a turn, from one pose to another.
    ///
    /// A rotation by exactly half a turn has two such screws; by convention the axis is then the one whose first
    /// non-zero component is positive.
    #[must_use]
    pub fn between(start: Pose, end: Pose) -> Self {
        let displacement = end.position() - start.position();
        let mut rotation = relative_rotation(end.rotation(), start.rotation());
        if rotation.w < 0.0 || (rotation.w == 0.0 && first_component_is_negative(rotation.xyz())) {
            rotation = -rotation;
        }
        let sine = rotation.xyz().length();
        // A smaller rotation moves no point with coordinates below 1e70 by a representable amount.
        if sine < 1e-200 {
            return Self::translation(start, displacement);
        }
        let angle = 2.0 * sine.atan2(rotation.w);
        let direction = (rotation.xyz() / sine).normalize();
        let slide = direction.dot(displacement);
        let across = displacement - slide * direction;
        let half_cot = 0.5 * angle * (rotation.w / sine);
        let velocity = half_cot * across - (0.5 * angle) * direction.cross(across);
        Self {
            start,
            direction,
            slide,
            axial: slide * direction,
            angle,
            reference: start.position(),
            velocity: velocity - direction.dot(velocity) * direction,
            rounding: Rounding::given(start.rotation()),
        }
    }

    /// A translation by `displacement` metres.
    #[must_use]
    pub fn translation(start: Pose, displacement: DVec3) -> Self {
        Self::translation_rounded(&RoundedPose::given(start), displacement)
    }

    /// The same from a computed pose.
    pub(crate) fn translation_rounded(start: &RoundedPose, displacement: DVec3) -> Self {
        let mut screw = Self::still_rounded(start);
        let along = unit_along(displacement);
        if along != DVec3::ZERO {
            screw.direction = along;
            screw.slide = along.dot(displacement);
            screw.axial = displacement;
        }
        screw
    }

    /// A motion from `start` that slides by `slide` metres along, and rotates by
    /// `angle` radians about, the axis through `point` along `direction`. Any number of turns in either sense is
    /// possible.
    ///
    /// # Errors
    /// If a number is not finite or not below 1e70, or the direction has zero length.
    pub fn about(start: Pose, direction: DVec3, point: DVec3, slide: f64, angle: f64) -> Result<Self, Error> {
        check_vector(direction, || "axis direction".into())?;
        check_vector(point, || "axis point".into())?;
        check_number(slide, || "slide".into())?;
        check_number(angle, || "angle".into())?;
        let unit = unit_along(direction);
        if unit == DVec3::ZERO {
            return Err(Error::new(ErrorKind::ZeroLength, "axis direction"));
        }
        // The motion does not depend on which point of the axis is given: the component of a distant point along
        // the axis cancels without rounding. Dividing by a power of two changes no digit of the direction.
        let power = f64::from_bits(direction.abs().max_element().to_bits() & f64::INFINITY.to_bits());
        let along = direction / power;
        let velocity = (angle / along.length()) * cross_of_difference(along, start.position(), point);
        let sense = if angle < 0.0 { -1.0 } else { 1.0 };
        let rounding = Rounding::given(start.rotation());
        let (direction, slide, angle) = (sense * unit, sense * slide, angle.abs());
        let axial = slide * direction;
        Ok(Self { start, direction, slide, axial, angle, reference: start.position(), velocity, rounding })
    }

    /// The pose at t = 0.
    #[must_use]
    pub fn start(&self) -> Pose {
        self.start
    }

    /// The pose at t = 0 with its rounding.
    pub(crate) fn start_rounded(&self) -> RoundedPose {
        RoundedPose { pose: self.start, rounding: self.rounding }
    }

    /// The pose at t = 1.
    #[must_use]
    pub fn end(&self) -> Pose {
        self.pose_at(1.0)
    }

    /// The pose at time t.
    #[must_use]
    pub fn pose_at(&self, t: f64) -> Pose {
        let rotation = DQuat::from_axis_angle(self.direction, self.angle * t);
        let position = self.point_at(self.start.position(), t);
        Pose::from_parts(position, (rotation * self.start.rotation()).normalize())
    }

    /// The position at time t of the body's point that is at `x0` in the world at t = 0.
    #[must_use]
    pub fn point_at(&self, x0: DVec3, t: f64) -> DVec3 {
        let basis = Basis::at(self.angle, t);
        let u = self.velocity + self.omega().cross(x0 - self.reference);
        if self.angle == 0.0 {
            return x0 + t * self.axial;
        }
        x0 + t * self.slide * self.direction + basis.sigma * u + basis.kappa * self.omega().cross(u)
    }

    /// The velocity, in metres per unit of t, of the body's point that is at `x` in the world at the same time t.
    #[must_use]
    pub fn velocity_at(&self, x: DVec3, t: f64) -> DVec3 {
        let across = self.velocity_across_then(t);
        let reference = self.point_at(self.reference, t);
        self.slide * self.direction + across + self.omega().cross(x - reference)
    }

    /// The axis, for display.
    #[must_use]
    pub fn axis(&self) -> ScrewAxis {
        let point = (self.angle > 0.0)
            .then(|| {
                let on_axis = self.reference + self.direction.cross(self.velocity) / self.angle;
                on_axis + self.direction.dot(self.start.position() - on_axis) * self.direction
            })
            .filter(|p| p.is_finite());
        ScrewAxis { direction: self.direction, point, slide: self.slide, angle: self.angle }
    }

    /// Unit direction of the axis; in a pure translation, of the displacement.
    #[must_use]
    pub fn direction(&self) -> DVec3 {
        self.direction
    }

    /// Slide along the axis over t in [0, 1], in metres.
    #[must_use]
    pub fn slide(&self) -> f64 {
        self.slide
    }

    /// Angle over t in [0, 1], in radians, not negative.
    #[must_use]
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// Angular velocity, in radians per unit of t.
    #[must_use]
    pub fn omega(&self) -> DVec3 {
        self.angle * self.direction
    }

    /// The same motion in reverse: from the end pose to the start pose.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let end = self.part(1.0, 1.0);
        Self {
            direction: -self.direction,
            slide: self.slide,
            axial: -self.axial,
            angle: self.angle,
            velocity: -self.velocity_across_then(1.0),
            ..end
        }
    }

    /// The part of the motion between two times, rescaled to [0, 1].
    pub(crate) fn part(&self, from: f64, to: f64) -> Self {
        let (place, fraction) = (self.start.position().length(), to - from);
        Self {
            start: self.pose_at(from),
            direction: self.direction,
            slide: fraction * self.slide,
            axial: fraction * self.axial,
            angle: fraction * self.angle,
            reference: self.point_at(self.reference, from),
            velocity: fraction * self.velocity_across_then(from),
            rounding: self.rounding.along(place, self.path_length_bound(), self.angle),
        }
    }

    /// The same motion, continued or cut to a fraction of itself. The start is the same, to the last bit.
    pub(crate) fn extended(&self, ratio: f64) -> Self {
        let (slide, angle) = (ratio * self.slide, ratio * self.angle);
        Self { slide, axial: ratio * self.axial, angle, velocity: ratio * self.velocity, ..*self }
    }

    /// The motion from the same start in the opposite direction: its pose at t is the pose of this motion at -t. The
    /// start is the same, to the last bit.
    pub(crate) fn backward(&self) -> Self {
        let (direction, axial) = (-self.direction, -self.axial);
        Self { direction, axial, velocity: -self.velocity, ..*self }
    }

    /// The motion of the static frame relative to the moving body: the inverse pose at every time.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let back = self.start.inverse();
        let distance = self.start.position().length() + self.path_length_bound();
        Self {
            start: back,
            direction: -back.transform_vector(self.direction),
            slide: self.slide,
            axial: -back.transform_vector(self.axial),
            angle: self.angle,
            reference: back.transform_point(self.reference),
            velocity: -back.transform_vector(self.velocity),
            rounding: Rounding::NONE.in_frame_of(self.rounding, distance),
        }
    }

    /// The motion in the frame of a static body with the pose `frame`.
    #[must_use]
    pub fn in_frame_of(&self, frame: &Pose) -> Self {
        self.in_rounded_frame_of(&RoundedPose::given(*frame))
    }

    /// The motion in the frame of a static body whose pose was computed, with its rounding.
    pub(crate) fn in_rounded_frame_of(&self, RoundedPose { pose: frame, rounding }: &RoundedPose) -> Self {
        let back = frame.inverse();
        // The difference is computed before the rotation: both positions may be far from the origin but close
        // together.
        let back_rotation = back.rotation();
        let difference = self.start.position() - frame.position();
        let start_rotation = self.start.rotation();
        // The product of a quaternion and its conjugate has rounding errors, so equal rotations are handled
        // separately.
        let is_equal = start_rotation == frame.rotation() || start_rotation == -frame.rotation();
        let rotation = if is_equal { DQuat::IDENTITY } else { (back_rotation * start_rotation).normalize() };
        let start = Pose::from_parts(back_rotation * difference, rotation);
        Self {
            start,
            direction: (back_rotation * self.direction).normalize(),
            slide: self.slide,
            axial: back_rotation * self.axial,
            angle: self.angle,
            reference: back_rotation * (self.reference - frame.position()),
            velocity: back_rotation * self.velocity,
            rounding: self.rounding.in_frame_of(*rounding, difference.length() + self.path_length_bound()),
        }
    }

    /// A bound, at all times, of the error of a point `arm` metres from the origin of the body's frame, in metres.
    /// It does not include the rounding of evaluating the screw.
    pub(crate) fn rounding(&self, arm: f64) -> f64 {
        self.rounding.at(arm + self.lever())
    }

    /// The rounding of a pose along the screw, if its position stays within `place` metres of the origin.
    pub(crate) fn rounding_along(&self, place: f64) -> Rounding {
        let still = self.angle == 0.0 && self.slide == 0.0;
        if still { self.rounding } else { self.rounding.along(place, self.path_length_bound(), self.angle) }
    }

    /// The distance, in metres, from the origin of the body's frame to the reference point, where the motion is
    /// known best.
    pub(crate) fn lever(&self) -> f64 {
        (self.start.position() - self.reference).length()
    }

    /// A bound of the distance between the origin of the body's frame and its start position, in metres.
    fn path_length_bound(&self) -> f64 {
        let turns = if self.angle > 2.0 { 2.0 / self.angle } else { 1.0 };
        self.slide.abs() + turns * self.velocity_across_at(DVec3::ZERO).length()
    }

    /// The velocity across the axis of the reference point at time t.
    fn velocity_across_then(&self, t: f64) -> DVec3 {
        let basis = Basis::at(self.angle, t);
        basis.cos * self.velocity + basis.sigma * self.omega().cross(self.velocity)
    }

    /// u: the velocity across the axis, at t = 0, of the point at `arm` from the body's origin. Large terms cancel
    /// before the small one is added.
    pub(crate) fn velocity_across_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.omega().cross((self.start.position() - self.reference) + arm)
    }

    /// The rotation of the body at t = 0 as a matrix.
    pub(crate) fn start_rotation(&self) -> DMat3 {
        DMat3::from_quat(self.start.rotation())
    }
}

/// q1 conj(q0), computed so that equal or opposite quaternions give exactly the identity.
fn relative_rotation(q1: DQuat, q0: DQuat) -> DQuat {
    let (v1, v0) = (q1.xyz(), q0.xyz());
    let v = (q0.w * v1 - q1.w * v0) - v1.cross(v0);
    DQuat::from_xyzw(v.x, v.y, v.z, q1.w * q0.w + v1.dot(v0))
}

fn first_component_is_negative(v: DVec3) -> bool {
    v.to_array().into_iter().find(|x| *x != 0.0).is_some_and(|x| x < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI, TAU};

    fn pose(position: DVec3, rotation: DQuat) -> Pose {
        Pose::new(position, rotation).unwrap()
    }

    fn rotation_about(axis: DVec3, angle: f64) -> DQuat {
        DQuat::from_axis_angle(axis.normalize(), angle)
    }

    /// The motion by its definition, about a point of the axis, for angles large enough for this form.
    fn about_the_axis(screw: &Screw, x0: DVec3, t: f64) -> DVec3 {
        let axis = screw.axis();
        let p = axis.point.unwrap();
        p + rotation_about(axis.direction, t * axis.angle) * (x0 - p) + t * axis.slide * axis.direction
    }

    #[test]
    fn a_screw_leads_from_pose_to_pose_for_every_angle() {
        let start = pose(DVec3::new(3.0, -2.0, 0.5), rotation_about(DVec3::new(1.0, 2.0, -1.0), 0.7));
        let points = [DVec3::ZERO, DVec3::X, DVec3::new(-0.3, 2.0, 1.0)];
        let axis = DVec3::new(-0.2, 0.4, 1.0);
        for angle in [0.0, 5e-324, 1e-300, 1e-16, 1e-12, 1e-8, 1e-4, 0.1, 1.0, 3.0, PI - 1e-9, PI, 4.0, 6.0] {
            let end = pose(DVec3::new(-1.0, 0.7, 2.0), rotation_about(axis, angle) * start.rotation());
            let screw = Screw::between(start, end);
            assert!(screw.angle() <= PI + 1e-15, "{angle}");
            for point in points {
                let x0 = start.transform_point(point);
                let reached = screw.point_at(x0, 1.0);
                assert!(reached.distance(end.transform_point(point)) < 1e-14, "{angle}: {reached}");
                assert!(screw.pose_at(0.3).transform_point(point).distance(screw.point_at(x0, 0.3)) < 1e-14);
                if screw.angle() > 0.1 {
                    assert!(screw.point_at(x0, 0.4).distance(about_the_axis(&screw, x0, 0.4)) < 1e-13);
                }
            }
        }
    }

    #[test]
    fn equal_rotations_make_an_exact_translation() {
        let rotation = DQuat::from_xyzw(0.1, -0.7, 0.3, 0.4).normalize();
        let screw = Screw::between(pose(DVec3::ZERO, rotation), pose(DVec3::X, rotation));
        assert_eq!((screw.angle(), screw.slide(), screw.direction()), (0.0, 1.0, DVec3::X));
        assert_eq!(screw.axis().point, None);
        // The negative quaternion is the same rotation.
        let screw = Screw::between(pose(DVec3::ZERO, rotation), pose(DVec3::X, -rotation));
        assert_eq!(screw.angle(), 0.0);
    }

    #[test]
    fn a_translation_follows_the_given_displacement_exactly() {
        // Along the rounded unit direction, the midpoint would not be exactly the origin.
        for end in [DVec3::new(-6.0, 8.0, 7.0), DVec3::new(3.0, -5.0, 11.0)] {
            let screw = Screw::translation(pose(-end, DQuat::IDENTITY), 2.0 * end);
            assert_eq!((screw.pose_at(0.5).position(), screw.end().position()), (DVec3::ZERO, end));
            assert_eq!(screw.part(0.25, 1.0).start().position(), -0.5 * end);
            assert_eq!(screw.reversed().pose_at(0.5).position(), DVec3::ZERO);
        }
    }

    #[test]
    fn bodies_with_equal_rotations_have_no_relative_rotation() {
        for seed in 0..100 {
            let random = &mut chasles_testing::Random(seed);
            let pose = pose(random.vector(10.0), random.rotation());
            for other in [pose.rotation(), -pose.rotation()] {
                let seen = Screw::still(pose).in_frame_of(&Pose::from_parts(pose.position(), other)).start();
                assert_eq!(seen, Pose::IDENTITY);
            }
        }
    }

    #[test]
    fn a_half_turn_is_about_the_axis_whose_first_component_is_positive() {
        for axis in [DVec3::new(-0.6, 0.8, 0.0), DVec3::new(0.0, -1.0, 0.0), -DVec3::Z, DVec3::X] {
            let half = DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
            let screw = Screw::between(Pose::IDENTITY, pose(DVec3::ZERO, half));
            let first = screw.direction().to_array().into_iter().find(|x| *x != 0.0).unwrap();
            assert!(first > 0.0, "{axis}: {}", screw.direction());
            assert_eq!(screw.angle(), PI);
        }
    }

    #[test]
    fn a_far_axis_loses_no_digits() {
        // A small rotation about a distant axis that moves the body by one metre: almost a translation along y.
        let start = Pose::IDENTITY;
        for far in [1e3, 1e6, 1e9, 1e12] {
            let screw = Screw::about(start, DVec3::Z, DVec3::new(-far, 0.0, 0.0), 0.5, 1.0 / far).unwrap();
            let reached = screw.point_at(DVec3::ZERO, 1.0);
            // sin and 1 - cos of 1 / far, by their series.
            let expected = DVec3::new(-0.5 / far, 1.0 - 1.0 / (6.0 * far * far), 0.5);
            assert!(reached.distance(expected) < 1e-15 + 1.0 / (far * far * far), "{far}: {reached}");
        }
    }

    #[test]
    fn any_number_of_turns_in_either_sense_is_kept() {
        let start = pose(DVec3::X, DQuat::IDENTITY);
        for angle in [-3.25 * TAU, 3.25 * TAU, -FRAC_PI_2] {
            let screw = Screw::about(start, 2.0 * DVec3::Z, DVec3::ZERO, 1.0, angle).unwrap();
            let expected = DVec3::new(0.0, angle.signum(), 1.0);
            assert!(screw.end().position().distance(expected) < 1e-14, "{angle}");
            assert!(screw.angle() >= 0.0);
        }
    }

    #[test]
    fn reversed_and_inverse_screws_and_screws_in_other_frames_agree_with_their_poses() {
        let start = pose(DVec3::new(1.0, 2.0, 3.0), rotation_about(DVec3::Y, 0.3));
        let end = pose(DVec3::new(-2.0, 0.4, 1.0), rotation_about(DVec3::new(1.0, 1.0, 0.3), 2.0));
        let screw = Screw::between(start, end);
        let frame = pose(DVec3::new(5.0, -1.0, 0.2), rotation_about(DVec3::Z, 1.1));
        let point = DVec3::new(0.3, -0.4, 0.9);
        for t in [0.0, 0.2, 0.7, 1.0] {
            let there = screw.pose_at(t);
            let back = screw.reversed().pose_at(1.0 - t);
            assert!(back.transform_point(point).distance(there.transform_point(point)) < 1e-13);
            let inverse = screw.inverse().pose_at(t);
            assert!(inverse.transform_point(there.transform_point(point)).distance(point) < 1e-13);
            let seen = screw.in_frame_of(&frame).pose_at(t);
            let expected = frame.inverse().transform_point(there.transform_point(point));
            assert!(seen.transform_point(point).distance(expected) < 1e-13);
        }
    }

    #[test]
    fn extended_and_backward_screws_follow_the_same_path() {
        let start = pose(DVec3::new(1.0, 2.0, 3.0), rotation_about(DVec3::Y, 0.3));
        let screw = Screw::about(start, DVec3::new(1.0, 2.0, 2.0), DVec3::X, 0.7, 4.0).unwrap();
        let (reference, point) = (screw.axis(), DVec3::new(0.3, -0.4, 0.9));
        assert_eq!((screw.backward().start(), screw.extended(3.0).start()), (start, start));
        for t in [0.0, 0.3, 1.0] {
            let on = screw.extended(3.0).point_at(point, t);
            assert!(on.distance(about_the_axis(&screw, point, 3.0 * t)) < 1e-13);
            let back = screw.backward().point_at(point, t);
            assert!(back.distance(about_the_axis(&screw, point, -t)) < 1e-13);
        }
        assert_eq!(screw.backward().axis().slide, reference.slide);
    }

    #[test]
    fn the_velocity_is_the_derivative() {
        let screw = Screw::about(Pose::IDENTITY, DVec3::new(1.0, 2.0, 2.0), DVec3::X, 0.7, 4.0).unwrap();
        let (x0, step) = (DVec3::new(0.2, 1.0, -3.0), 1e-6);
        for t in [0.0, 0.3, 0.9] {
            let difference = screw.point_at(x0, t + step) - screw.point_at(x0, t - step);
            let velocity = screw.velocity_at(screw.point_at(x0, t), t);
            assert!(velocity.distance(difference / (2.0 * step)) < 1e-8);
        }
    }

    #[test]
    fn bad_axes_are_refused() {
        let about = |axis, slide, angle| Screw::about(Pose::IDENTITY, axis, DVec3::ZERO, slide, angle);
        assert_eq!(about(DVec3::ZERO, 0.0, 1.0).unwrap_err().kind(), &ErrorKind::ZeroLength);
        assert_eq!(about(DVec3::X, f64::INFINITY, 1.0).unwrap_err().place(), "slide");
        assert_eq!(about(DVec3::X, 0.0, f64::NAN).unwrap_err().place(), "angle");
        assert!(about(1e-200 * DVec3::X, 0.0, 1.0).is_ok());
    }
}
