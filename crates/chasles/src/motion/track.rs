//! Tracks: the motion of a body in its parent's frame over the duration of a scene, divided into smooth segments.

use glam::{DQuat, DVec3};

use crate::error::Error;
use crate::math::rounding::Rounding;
use crate::math::time_interval::TimeInterval;
use crate::motion::curve::{CubicKey, Curve, CurveKind, CurveSegment};
use crate::motion::curved::{Curved, RotationCurve};
use crate::motion::joint::{CubicRotation, JointAxis};
use crate::motion::pose::RoundedPose;
use crate::motion::rates::Rates;
use crate::motion::{Pose, Screw};

/// A screw at constant rates over an interval of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TimedScrew {
    /// Start in seconds.
    pub(crate) start: f64,
    /// End in seconds, after `start`.
    pub(crate) end: f64,
    /// Its t in [0, 1] corresponds to `start` to `end`.
    pub(crate) screw: Screw,
}

/// Times computed from fractions of a segment are rounded outward by this relative amount: four roundings.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl TimedScrew {
    pub(crate) fn is_still(&self) -> bool {
        self.screw.angle() == 0.0 && self.screw.slide() == 0.0
    }

    /// The fraction of the segment that has passed at a time.
    pub(crate) fn fraction(&self, time: f64) -> f64 {
        ((time - self.start) / (self.end - self.start)).clamp(0.0, 1.0)
    }

    /// The pose at a time of the segment.
    pub(crate) fn pose_at(&self, time: f64) -> Pose {
        self.screw.pose_at(self.fraction(time))
    }

    /// A time, in seconds, at or before the time of the fraction `t`; exact at both ends.
    pub(crate) fn not_after(&self, t: f64) -> f64 {
        self.seconds(t, -ROUNDING)
    }

    /// A time, in seconds, at or after the time of the fraction `t`; exact at both ends.
    pub(crate) fn not_before(&self, t: f64) -> f64 {
        self.seconds(t, ROUNDING)
    }

    fn seconds(&self, t: f64, relative: f64) -> f64 {
        if t <= 0.0 {
            return self.start;
        }
        if t >= 1.0 {
            return self.end;
        }
        let time = self.start + t * (self.end - self.start);
        (time + relative * (self.start.abs() + self.end.abs())).clamp(self.start, self.end)
    }

    /// Converts an enclosure from fractions to seconds.
    pub(crate) fn enclosure(&self, [lo, hi]: [f64; 2]) -> [f64; 2] {
        [self.not_after(lo), self.not_before(hi)]
    }

    /// The part of the segment between two of its times.
    pub(crate) fn part(&self, from: f64, to: f64) -> Self {
        let (from, to) = (from.max(self.start), to.min(self.end));
        if from == self.start && to == self.end {
            return *self;
        }
        Self { start: from, end: to, screw: self.screw.part(self.fraction(from), self.fraction(to)) }
    }
}

/// An interval of a track on which the motion is smooth.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TrackSegment {
    /// A screw.
    Screw(TimedScrew),
    /// Any other motion, from one time to another, in seconds.
    Curved { start: f64, end: f64, curved: Box<Curved> },
}

impl TrackSegment {
    pub(crate) fn start(&self) -> f64 {
        match self {
            Self::Screw(timed_screw) => timed_screw.start,
            Self::Curved { start, .. } => *start,
        }
    }

    pub(crate) fn end(&self) -> f64 {
        match self {
            Self::Screw(timed_screw) => timed_screw.end,
            Self::Curved { end, .. } => *end,
        }
    }

    pub(crate) fn is_still(&self) -> bool {
        matches!(self, Self::Screw(timed_screw) if timed_screw.is_still())
    }

    /// The pose at a time of the segment.
    pub(crate) fn pose_at(&self, time: f64) -> Pose {
        match self {
            Self::Screw(timed_screw) => timed_screw.pose_at(time),
            Self::Curved { start, end, curved } => curved.pose_at(time.clamp(*start, *end)),
        }
    }

    /// The velocity of a point at `place` that moves with the segment, in metres per second, and the angular
    /// velocity, in radians per second, at a time of the segment.
    pub(crate) fn velocities_at(&self, place: DVec3, time: f64) -> [DVec3; 2] {
        match self {
            Self::Screw(timed_screw) if timed_screw.is_still() => [DVec3::ZERO; 2],
            Self::Screw(TimedScrew { start, end, screw }) => {
                let (duration, fraction) = (end - start, ((time - start) / (end - start)).clamp(0.0, 1.0));
                [screw.velocity_at(place, fraction), screw.omega()].map(|velocity| velocity / duration)
            }
            Self::Curved { start, end, curved } => {
                let time = time.clamp(*start, *end);
                let [linear, spin] = curved.velocities_at(time);
                [linear + spin.cross(place - curved.pose_at(time).position()), spin]
            }
        }
    }

    /// Upper bounds of the motion between two times of the segment.
    pub(crate) fn rates(&self, interval: TimeInterval) -> Rates {
        match self {
            Self::Screw(TimedScrew { start, end, screw }) => {
                let duration = end - start;
                let spin = screw.angle() / duration;
                let across = screw.velocity_across_at(DVec3::ZERO).length() / duration;
                let speed = across + screw.slide().abs() / duration;
                Rates {
                    spin,
                    speed,
                    speed_change: spin * across,
                    speed_jerk: spin * spin * across,
                    ..Rates::default()
                }
            }
            Self::Curved { curved, .. } => curved.rates(interval),
        }
    }

    /// The rounding of the poses between two times of the segment, if the body's origin is within `place` metres of
    /// the parent's origin.
    pub(crate) fn rounding(&self, interval: TimeInterval, place: f64) -> Rounding {
        match self {
            Self::Screw(timed_screw) => timed_screw.screw.rounding_along(place),
            Self::Curved { curved, .. } => curved.rounding(interval, place),
        }
    }

    /// The part between two times of the segment.
    fn part(&self, from: f64, to: f64) -> Self {
        match self {
            Self::Screw(timed_screw) => Self::Screw(timed_screw.part(from, to)),
            Self::Curved { start, end, curved } => {
                Self::Curved { start: start.max(from), end: end.min(to), curved: curved.clone() }
            }
        }
    }

    /// The same segment, `by` seconds later.
    fn later(&self, by: f64) -> Self {
        match self {
            Self::Screw(TimedScrew { start, end, screw }) => {
                Self::Screw(TimedScrew { start: start + by, end: end + by, screw: *screw })
            }
            Self::Curved { start, end, curved } => {
                Self::Curved { start: start + by, end: end + by, curved: Box::new(curved.later(by)) }
            }
        }
    }

    fn constant_segment(start: f64, end: f64, pose: Pose) -> Self {
        Self::Screw(TimedScrew { start, end, screw: Screw::still(pose) })
    }

    /// The motion along parts of a position curve and of a rotation curve, between two times that lie in both.
    fn of_parts(
        TimeInterval { start, end }: TimeInterval,
        position: &CurveSegment<DVec3>,
        rotation: &CurveSegment<DQuat>,
    ) -> Result<Self, Error> {
        let curved = Curved { position: *position, rotation: RotationCurve::new(rotation) };
        let screw = |screw: Screw, whole: (f64, f64)| {
            Ok(Self::Screw(TimedScrew { start: whole.0, end: whole.1, screw }.part(start, end)))
        };
        if curved.is_still() {
            return screw(Screw::still(curved.pose_at(start)), (start, end));
        }
        let pose = |rotation: DQuat, at: DVec3| Pose::from_parts(at, rotation);
        match (position.shape, curved.rotation) {
            (CurveKind::Linear(from, to), RotationCurve::Constant(rotation)) => {
                screw(Screw::translation(pose(rotation, from), to - from), (position.start, position.end))
            }
            (CurveKind::Constant(at), RotationCurve::Uniform { start, end, screw: about }) => {
                let start_pose = pose(about.start().rotation(), at);
                screw(Screw::about(start_pose, about.direction(), at, 0.0, about.angle())?, (start, end))
            }
            (CurveKind::Linear(from, to), RotationCurve::Uniform { start, end, screw: about })
                if parallel(to - from, about.direction())
                    && position.start == start
                    && position.end == end =>
            {
                let slide = about.direction().dot(to - from);
                let start_pose = pose(about.start().rotation(), from);
                screw(Screw::about(start_pose, about.direction(), from, slide, about.angle())?, (start, end))
            }
            _ => Ok(Self::Curved { start, end, curved: Box::new(curved) }),
        }
    }
}

/// Directions count as parallel, and a motion as a single screw, if they differ only by rounding.
const PARALLEL: f64 = 4.0 * f64::EPSILON;

fn parallel(v: DVec3, w: DVec3) -> bool {
    let unit = |v: DVec3| v / v.abs().max_element().max(f64::MIN_POSITIVE);
    let (v, w) = (unit(v), unit(w));
    v.cross(w).length() <= PARALLEL * v.length() * w.length()
}

/// Consecutive segments without gaps; at least one. They cover the duration. If the body jumps at its end, one more
/// segment of the shortest possible length follows, in which the body is static at the pose after the jump.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Track(pub(crate) Vec<TrackSegment>);

impl Track {
    /// A constant pose.
    pub(crate) fn still(pose: Pose, duration: f64) -> Self {
        Self::from_screw(Screw::still(pose), duration)
    }

    /// A constant pose with a maximum position error of `error` metres at every point.
    pub(crate) fn constant_with_error(pose: Pose, error: f64, duration: f64) -> Self {
        let mut near = RoundedPose::given(pose);
        near.rounding.shift += error;
        Self::from_screw(Screw::still_rounded(&near), duration)
    }

    /// One screw over the whole duration.
    pub(crate) fn from_screw(screw: Screw, duration: f64) -> Self {
        Self(vec![TrackSegment::Screw(TimedScrew { start: 0.0, end: duration, screw })])
    }

    /// A body whose origin moves by `linear` and that rotates by `angular`, per second, both at constant rates.
    ///
    /// # Errors
    /// As [`Screw::about`].
    pub(crate) fn twist(start: Pose, [linear, angular]: [DVec3; 2], duration: f64) -> Result<Self, Error> {
        let (displacement, angle) = (linear * duration, length(angular) * duration);
        if angle == 0.0 {
            let slide = length(displacement);
            let screw = if slide == 0.0 {
                Screw::still(start)
            } else {
                // `Screw::about` checks the numbers.
                Screw::about(start, displacement, start.position(), slide, 0.0)?
            };
            return Ok(Self::from_screw(screw, duration));
        }
        let about_origin = Pose::from_parts(DVec3::ZERO, start.rotation());
        let screw = Screw::about(about_origin, angular, DVec3::ZERO, 0.0, angle)?;
        let shape = CurveKind::Linear(start.position(), start.position() + displacement);
        let position = CurveSegment { start: 0.0, end: duration, shape };
        if parallel(displacement, angular) || displacement == DVec3::ZERO {
            let slide = screw.direction().dot(displacement);
            let screw = Screw::about(start, screw.direction(), start.position(), slide, angle)?;
            return Ok(Self::from_screw(screw, duration));
        }
        let curved = Box::new(Curved {
            position,
            rotation: RotationCurve::Uniform { start: 0.0, end: duration, screw },
        });
        Ok(Self(vec![TrackSegment::Curved { start: 0.0, end: duration, curved }]))
    }

    /// Poses at times, joined by screws and constant before the first and after the last: the part within [0,
    /// `duration`].
    pub(crate) fn keyframes(keys: &[(f64, Pose)], duration: f64) -> Self {
        let mut segments = Vec::new();
        if let Some(&(first, pose)) = keys.first()
            && first > 0.0
        {
            segments.push(TrackSegment::constant_segment(0.0, first.min(duration), pose));
        }
        for pair in keys.windows(2) {
            let [(start, from), (end, to)] = [pair[0], pair[1]];
            if end > 0.0 && start < duration {
                let whole = TimedScrew { start, end, screw: Screw::between(from, to) };
                segments.push(TrackSegment::Screw(whole.part(0.0, duration)));
            }
        }
        if let Some(&(last, pose)) = keys.last()
            && last < duration
        {
            segments.push(TrackSegment::constant_segment(last.max(0.0), duration, pose));
        }
        Self(segments)
    }

    /// A joint whose child has the pose `origin` at value 0, and whose value follows a curve: the part within [0,
    /// `duration`].
    ///
    /// # Errors
    /// As [`Screw::about`].
    pub(crate) fn joint(
        origin: Pose,
        axis: JointAxis,
        values: &Curve<f64>,
        duration: f64,
    ) -> Result<Self, Error> {
        // This checks the axis.
        let along = Screw::about(origin, axis.direction(), origin.position(), 0.0, 0.0)?.direction();
        let direction = origin.rotation() * along;
        let at = |value: f64| axis.moved(&origin, value);
        let to_segment = |part: &CurveSegment<f64>| {
            let start = part.start.max(0.0);
            let end = if start < duration { part.end.min(duration) } else { part.end };
            let (from, to) = match part.shape {
                CurveKind::Constant(value) => {
                    return Ok(TrackSegment::constant_segment(start, end, at(value)));
                }
                CurveKind::Linear(from, to) if from == to => {
                    return Ok(TrackSegment::constant_segment(start, end, at(from)));
                }
                CurveKind::Linear(from, to) => {
                    let screw = match axis {
                        JointAxis::Revolute(_) => {
                            Screw::about(at(from), direction, origin.position(), 0.0, to - from)?
                        }
                        JointAxis::Prismatic(_) => Screw::translation(at(from), (to - from) * direction),
                    };
                    let whole = TimedScrew { start: part.start, end: part.end, screw };
                    return Ok(TrackSegment::Screw(whole.part(start, end)));
                }
                CurveKind::Cubic(from, to) => (from, to),
            };
            if from.value == to.value && from.out_tangent == 0.0 && to.in_tangent == 0.0 {
                return Ok(TrackSegment::constant_segment(start, end, at(from.value)));
            }
            let (shape, rotation) = match axis {
                JointAxis::Revolute(_) => {
                    let rotation = CubicRotation { start: origin.rotation(), axis: direction, from, to };
                    (CurveKind::Constant(origin.position()), RotationCurve::About(rotation))
                }
                JointAxis::Prismatic(_) => {
                    let key = |key: CubicKey<f64>| CubicKey {
                        time: key.time,
                        in_tangent: key.in_tangent * direction,
                        value: at(key.value).position(),
                        out_tangent: key.out_tangent * direction,
                    };
                    (CurveKind::Cubic(key(from), key(to)), RotationCurve::Constant(origin.rotation()))
                }
            };
            let position = CurveSegment { start: part.start, end: part.end, shape };
            Ok(TrackSegment::Curved { start, end, curved: Box::new(Curved { position, rotation }) })
        };
        let segments: Result<Vec<TrackSegment>, Error> =
            values.parts(duration).iter().map(to_segment).collect();
        segments.map(Self)
    }

    /// The same track, `offset` seconds later, and constant before and after: the part within [0, `duration`].
    pub(crate) fn during(&self, offset: f64, duration: f64) -> Self {
        let mut segments = Vec::new();
        let first = self.0.first().filter(|first| first.start() + offset > 0.0);
        if let Some(first) = first {
            segments.push(TrackSegment::constant_segment(
                0.0,
                (first.start() + offset).min(duration),
                first.pose_at(first.start()),
            ));
        }
        for segment in self.0.iter().map(|segment| segment.later(offset)) {
            let (start, end) = (segment.start().max(0.0), segment.end().min(duration));
            // Far from 0, rounding may leave no time for a very short segment.
            if start < end {
                segments.push(segment.part(start, end));
            }
        }
        // A jump at the very end, whatever follows it.
        let at_end = self.0.iter().find(|segment| segment.start() + offset == duration);
        if let (Some(segment), Some(before)) =
            (at_end, segments.last().map(|segment| segment.pose_at(duration)))
        {
            let pose = segment.pose_at(segment.start());
            if is_jump(&before, &pose) {
                segments.push(TrackSegment::constant_segment(duration, duration.next_up(), pose));
            }
        }
        let last = self.0.last().filter(|last| last.end() + offset < duration);
        if let Some(last) = last {
            segments.push(TrackSegment::constant_segment(
                (last.end() + offset).max(0.0),
                duration,
                last.pose_at(last.end()),
            ));
        }
        Self(segments)
    }

    /// Position and rotation along separate curves: the part within [0, `duration`].
    ///
    /// # Errors
    /// As [`Screw::about`].
    pub(crate) fn curves(
        position: &Curve<DVec3>,
        rotation: &Curve<DQuat>,
        duration: f64,
    ) -> Result<Self, Error> {
        let (positions, rotations) = (position.parts(duration), rotation.parts(duration));
        let (mut i, mut j, mut start) = (0, 0, 0.0);
        let mut segments = Vec::new();
        while let (Some(p), Some(q)) = (positions.get(i), rotations.get(j)) {
            let end = p.end.min(q.end).min(duration);
            if end > start {
                segments.push(TrackSegment::of_parts(TimeInterval::new(start, end), p, q)?);
                start = end;
            }
            i += usize::from(p.end <= end);
            j += usize::from(q.end <= end);
            if end >= duration {
                break;
            }
        }
        if let (Some(p), Some(q)) = (positions.last(), rotations.last())
            && p.start.max(q.start) >= duration
        {
            let pose = Curved { position: *p, rotation: RotationCurve::new(q) }.pose_at(duration);
            segments.push(TrackSegment::constant_segment(duration, duration.next_up(), pose));
        }
        Ok(Self(segments))
    }

    /// The times of the jumps, in order.
    pub(crate) fn jumps(&self) -> impl Iterator<Item = f64> {
        let jumps = |pair: &&[TrackSegment]| {
            is_jump(&pair[0].pose_at(pair[0].end()), &pair[1].pose_at(pair[1].start()))
        };
        self.0.windows(2).filter(jumps).map(|pair| pair[1].start())
    }

    /// The pose, if it is constant.
    pub(crate) fn constant(&self) -> Option<Pose> {
        let first = self.0.first()?;
        let first = first.pose_at(first.start());
        let same = |pose: Pose| {
            let has_rotation = pose.rotation() == first.rotation() || -pose.rotation() == first.rotation();
            has_rotation && pose.position() == first.position()
        };
        self.0
            .iter()
            .all(|segment| segment.is_still() && same(segment.pose_at(segment.start())))
            .then_some(first)
    }

    /// The maximum position error, in metres, of a constant pose ([`Track::constant_with_error`]); 0 for other
    /// tracks.
    pub(crate) fn position_error(&self) -> f64 {
        match self.0.as_slice() {
            [TrackSegment::Screw(timed_screw)] if timed_screw.is_still() => {
                timed_screw.screw.start_rounded().rounding.shift
            }
            _ => 0.0,
        }
    }

    /// The segment that contains a time; at a boundary, the later one.
    pub(crate) fn segment_at(&self, time: f64) -> &TrackSegment {
        let index = self.0.partition_point(|segment| segment.end() <= time);
        &self.0[index.min(self.0.len() - 1)]
    }
}

/// Two poses whose distance, relative to their distance from the origin, exceeds this are a jump; otherwise the
/// motion is continuous up to rounding.
const JUMP: f64 = 1e-12;

fn is_jump(before: &Pose, after: &Pose) -> bool {
    let distance = before.position().distance(after.position());
    let rotation = (after.rotation() * before.rotation().conjugate()).xyz().length();
    distance > JUMP * (1.0 + after.position().length()) || rotation > JUMP
}

/// The length of a vector, without overflow or underflow of its square.
fn length(v: DVec3) -> f64 {
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() { largest * (v / largest).length() } else { largest }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use glam::{DQuat, DVec3};

    use super::*;

    fn at(x: f64) -> Pose {
        Pose::from_position(DVec3::new(x, 0.0, 0.0)).unwrap()
    }

    #[test]
    fn keyframes_are_extended_by_constant_poses_and_cut_to_the_duration() {
        let intervals = |track: &Track| track.0.iter().map(|p| (p.start(), p.end())).collect::<Vec<_>>();
        let keys = [(1.0, at(0.0)), (2.0, at(1.0)), (4.0, at(3.0))];
        let track = Track::keyframes(&keys, 3.0);
        assert_eq!(intervals(&track), [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]);
        assert!((track.0[2].pose_at(3.0).position().x - 2.0).abs() < 1e-15);
        let track = Track::keyframes(&keys, 5.0);
        assert_eq!(intervals(&track), [(0.0, 1.0), (1.0, 2.0), (2.0, 4.0), (4.0, 5.0)]);
        assert_eq!(intervals(&Track::keyframes(&keys, 0.5)), [(0.0, 0.5)]);
        assert_eq!(intervals(&Track::keyframes(&[(9.0, at(1.0))], 5.0)), [(0.0, 5.0)]);
        assert_eq!(intervals(&Track::keyframes(&[(-9.0, at(1.0))], 5.0)), [(0.0, 5.0)]);
        let early = [(-3.0, at(0.0)), (-1.0, at(1.0)), (1.0, at(5.0))];
        let track = Track::keyframes(&early, 1.0);
        assert_eq!(intervals(&track), [(0.0, 1.0)]);
        assert!((track.0[0].pose_at(0.0).position().x - 3.0).abs() < 1e-15);
    }

    #[test]
    fn only_a_static_track_is_constant() {
        assert_eq!(Track::keyframes(&[(0.0, at(1.0)), (1.0, at(1.0))], 2.0).constant(), Some(at(1.0)));
        assert_eq!(Track::keyframes(&[(0.0, at(1.0)), (1.0, at(2.0))], 2.0).constant(), None);
        let screw = Screw::about(at(1.0), DVec3::Z, DVec3::ZERO, 0.0, 1.0).unwrap();
        assert_eq!(Track::from_screw(screw, 1.0).constant(), None);
        // The same rotation as a quaternion of the opposite sign.
        let flipped = Pose::new(DVec3::new(1.0, 0.0, 0.0), -DQuat::IDENTITY).unwrap();
        assert!(Track::keyframes(&[(0.0, at(1.0)), (1.0, flipped)], 2.0).constant().is_some());
    }

    #[test]
    fn a_part_follows_the_whole() {
        let start = Pose::new(DVec3::new(1.0, -2.0, 0.5), DQuat::from_xyzw(0.1, 0.7, -0.3, 0.4)).unwrap();
        let axis = DVec3::new(1.0, 2.0, -0.5);
        for angle in [0.0, 1e-9, 0.3, PI, 20.0] {
            let screw = Screw::about(start, axis, DVec3::new(0.3, 0.1, 0.0), -0.7, angle).unwrap();
            let whole = TimedScrew { start: -1.0, end: 3.0, screw };
            for (from, to) in [(-1.0, 0.5), (0.0, 3.0), (0.3, 0.31), (-0.99, 2.99)] {
                let part = whole.part(from, to);
                for i in 0..=10 {
                    let time = from + (to - from) * f64::from(i) / 10.0;
                    for x in [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 2.0, 1.0)] {
                        let [p, q] = [&part, &whole].map(|t| t.pose_at(time).transform_point(x));
                        assert!(p.distance(q) < 1e-13, "{angle} {from} {to} {time}: {p} {q}");
                    }
                }
            }
        }
    }

    #[test]
    fn times_are_rounded_outward_and_exact_at_the_ends() {
        let timed_screw = TimedScrew { start: 0.1, end: 0.3, screw: Screw::still(Pose::IDENTITY) };
        assert_eq!(timed_screw.enclosure([0.0, 1.0]), [0.1, 0.3]);
        let [lo, hi] = timed_screw.enclosure([1.0 / 3.0, 1.0 / 3.0]);
        assert!(lo < hi && hi - lo < 1e-15 && lo < 0.5 / 3.0 && hi > 0.5 / 3.0);
    }
}
