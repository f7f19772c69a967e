//! The relative motion of two bodies, each at the end of a chain of bodies that move each other.
//!
//! Motions of parents that are equal for both bodies cancel. If one motion remains, and it is a screw, the relative
//! motion is that screw in another frame. If several remain, the relative motion is not a screw in general. It is
//! then replaced, over an interval of length h, by the screw between the poses at the ends. Two paths that agree at
//! both ends of h differ in between by at most
//!
//! ```text
//! h^2 / 8 max |x'' - y''|
//! ```
//!
//! where the accelerations are bounded ([`PointRates`]): a proven **deviation**. If the paths are e apart at the
//! middle of the interval, they differ by at most
//!
//! ```text
//! e + h^3 sqrt(3) / 216 max |x''' - y'''|
//! ```
//!
//! which is the tighter bound for short intervals. (Kim and Rossignac 2003, "General motions", estimate the
//! deviation at the corners of a box.)

use glam::DVec3;

use crate::math::rounding::Rounding;
use crate::math::time_interval::TimeInterval;
use crate::motion::chain::{
    ChainBody, MovingBall, OUTSIDE, breaks, chain_pose, chain_rates, chain_segments, max_displacement,
    path_difference_bound, rounding_of,
};
use crate::motion::curved::RotationCurve;
use crate::motion::pose::RoundedPose;
use crate::motion::rates::PointRates;
use crate::motion::state::{MotionBounds, MotionState};
use crate::motion::track::{TimedScrew, TrackSegment};
use crate::motion::{Pose, Screw};

/// The motion of body A of a pair in the frame of body B.
#[derive(Debug, Clone)]
pub(crate) struct RelativeMotion<'m> {
    duration: f64,
    /// A, its parent, the parent of that, and so on, up to the frame that A and B have in common.
    above_a: Vec<ChainBody<'m>>,
    above_b: Vec<ChainBody<'m>>,
    /// Balls that contain the relevant points of A and of B.
    pub(crate) balls: [MovingBall; 2],
    /// The times at which the motion of either body is not smooth, with 0 and the duration. After a jump at the end
    /// one more time follows, the next double after the duration; between the two, the bodies are static at their
    /// poses after the jump.
    pub(crate) breaks: Vec<f64>,
    /// The maximum position error of points at all times, in metres
    /// ([`Track::position_error`](crate::motion::track::Track::position_error)).
    pub(crate) position_error: f64,
}

/// An interval of time in which a relative motion is smooth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MotionInterval {
    /// A single screw, exactly.
    Exact(TimedScrew),
    /// Any other motion.
    General {
        /// In seconds.
        start: f64,
        /// In seconds.
        end: f64,
    },
}

impl MotionInterval {
    /// The interval, in seconds.
    pub(crate) fn interval(&self) -> TimeInterval {
        match self {
            Self::Exact(timed_screw) => TimeInterval::new(timed_screw.start, timed_screw.end),
            Self::General { start, end } => TimeInterval::new(*start, *end),
        }
    }
}

/// The body of a pair that is treated as moving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MovingBody {
    A,
    B,
}

/// The bodies of a chain that move in their parents' frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Movers {
    None,
    /// Only the body at this index of the chain.
    One(usize),
    Several,
}

/// Maximum rotation, in radians, of an interval that is replaced by a screw. Below half a turn, the screw with the
/// smallest angle is the right one.
pub(crate) const MAX_ROTATION: f64 = 3.0;

/// Lengths of intervals, in seconds, for which bounds of accelerations are computed.
const BOUNDED_LENGTHS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl<'m> RelativeMotion<'m> {
    /// The motion of A relative to B over [0, `duration`] seconds. Each chain starts with A or B, and its last body
    /// moves in a frame that both chains have in common.
    pub(crate) fn new(
        duration: f64,
        [above_a, above_b]: [Vec<ChainBody<'m>>; 2],
        balls: [MovingBall; 2],
    ) -> Self {
        let breaks = breaks(above_a.iter().chain(&above_b), duration);
        let position_error = above_a.iter().chain(&above_b).map(|body| body.track.position_error()).sum();
        Self { duration, above_a, above_b, balls, breaks, position_error }
    }

    /// The duration, in seconds.
    pub(crate) fn duration(&self) -> f64 {
        self.duration
    }

    /// The last break, in seconds: the duration, or the next double after it if the motion jumps at its end.
    pub(crate) fn end(&self) -> f64 {
        self.breaks.last().copied().unwrap_or(0.0)
    }

    /// The centre of a body's relevant points, in its frame.
    pub(crate) fn centre(&self, mover: MovingBody) -> DVec3 {
        self.balls[usize::from(mover == MovingBody::B)].centre
    }

    /// The smooth intervals, in order, without gaps.
    pub(crate) fn smooth_intervals(&self) -> impl Iterator<Item = MotionInterval> + '_ {
        self.smooth_intervals_from(0)
    }

    /// The smooth intervals from index `index` on.
    pub(crate) fn smooth_intervals_from(&self, index: usize) -> impl Iterator<Item = MotionInterval> + '_ {
        let breaks = self.breaks.get(index..).unwrap_or_default();
        breaks.windows(2).map(|pair| self.interval_between(pair[0], pair[1]))
    }

    /// Whether the motion between two times of one smooth interval is exactly one screw.
    pub(crate) fn is_screw(&self, start: f64, end: f64) -> bool {
        matches!(self.interval_between(start, end), MotionInterval::Exact(_))
    }

    fn interval_between(&self, start: f64, end: f64) -> MotionInterval {
        let middle = 0.5 * (start + end);
        let general = MotionInterval::General { start, end };
        let exact = |screw: Screw| MotionInterval::Exact(TimedScrew { start, end, screw });
        if start >= self.duration {
            // After a jump at the end, both bodies are static.
            let [a, b] = [&self.above_a, &self.above_b].map(|chain| RoundedPose {
                pose: chain_pose(chain, start, middle),
                rounding: rounding_of(chain_segments(chain, middle), TimeInterval::new(start, start))
                    .rounding,
            });
            return exact(Screw::still_rounded(&a).in_rounded_frame_of(&b));
        }
        let (mover, index) = match (Self::movers(&self.above_a, middle), Self::movers(&self.above_b, middle))
        {
            (Movers::None, Movers::None) => {
                let [a, b] = [&self.above_a, &self.above_b].map(|chain| self.static_pose(chain, middle));
                return exact(Screw::still_rounded(&a).in_rounded_frame_of(&b));
            }
            (Movers::One(p), Movers::One(q)) if self.have_equal_motion(p, q, middle) => {
                // Both parents move in the same way, so their motions cancel.
                let [a, b] =
                    [&self.above_a[..p], &self.above_b[..q]].map(|chain| self.static_pose(chain, middle));
                return exact(Screw::still_rounded(&a).in_rounded_frame_of(&b));
            }
            (Movers::One(index), Movers::None) => (MovingBody::A, index),
            (Movers::None, Movers::One(index)) => (MovingBody::B, index),
            _ if self.has_no_rotation(middle) => {
                return exact(self.translation_between(TimeInterval::new(start, end), middle));
            }
            _ => return general,
        };
        let (chain, other) = match mover {
            MovingBody::A => (&self.above_a, &self.above_b),
            MovingBody::B => (&self.above_b, &self.above_a),
        };
        let TrackSegment::Screw(timed_screw) = chain[index].track.segment_at(middle) else { return general };
        let timed_screw = timed_screw.part(start, end);
        // The pose of the static body in the frame in which the moving body of the chain moves, and the pose of the
        // chain's first body in the frame of that moving body.
        let static_pose = self.static_pose(other, middle);
        let base = self.static_pose(&chain[index + 1..], middle);
        let from = Screw::still_rounded(&static_pose).in_rounded_frame_of(&base).start_rounded();
        let from = if base == RoundedPose::IDENTITY { static_pose } else { from };
        let offset = self.static_pose(&chain[..index], middle);
        let mut screw = timed_screw.screw.in_rounded_frame_of(&from);
        if offset != RoundedPose::IDENTITY {
            // Seen from the moving body, the world moves by the inverse motion; so it does seen from the first body.
            screw = screw.inverse().in_rounded_frame_of(&offset).inverse();
        }
        exact(if mover == MovingBody::A { screw } else { screw.inverse() })
    }

    /// A bound, in metres, of the distance between the motion and its screw in an interval that is one screw, due
    /// to the rounding of poses or a position error. 0 if neither body has a parent and no position error is given.
    pub(crate) fn deviation(&self, timed_screw: &TimedScrew) -> f64 {
        match (self.above_a.as_slice(), self.above_b.as_slice()) {
            ([_], [_]) | ([], [_]) | ([_], []) => self.position_error,
            _ => timed_screw.screw.rounding(self.arms()),
        }
    }

    /// The body that is treated as moving at a time: B if only B moves, otherwise A.
    pub(crate) fn mover(&self, time: f64) -> MovingBody {
        match Self::movers(&self.above_a, time) {
            Movers::None if Self::movers(&self.above_b, time) != Movers::None => MovingBody::B,
            _ => MovingBody::A,
        }
    }

    /// Whether the only moving bodies of the two chains, at these indices, have the same motion. The relative pose of A
    /// and B is then constant.
    fn have_equal_motion(&self, p: usize, q: usize, time: f64) -> bool {
        self.above_a[p].track.segment_at(time) == self.above_b[q].track.segment_at(time)
            && self.static_pose(&self.above_a[p + 1..], time)
                == self.static_pose(&self.above_b[q + 1..], time)
    }

    /// Whether no body of the chains rotates. Then each of them translates at constant velocity, and so does A relative
    /// to B.
    fn has_no_rotation(&self, time: f64) -> bool {
        let translates = |segment: &TrackSegment| match segment {
            TrackSegment::Screw(timed_screw) => timed_screw.screw.angle() == 0.0,
            TrackSegment::Curved { .. } => false,
        };
        chain_segments(&self.above_a, time).chain(chain_segments(&self.above_b, time)).all(translates)
    }

    /// The translation of A relative to B if nothing rotates. The bound of the error at the ends holds in between
    /// too.
    fn translation_between(&self, interval: TimeInterval, within: f64) -> Screw {
        let TimeInterval { start, end } = interval;
        let [first, last] = [start, end].map(|time| self.pose_at(time, within));
        let start_pose = RoundedPose { pose: first, rounding: self.rounding_of_poses(interval, within) };
        Screw::translation_rounded(&start_pose, last.position() - first.position())
    }

    fn movers(chain: &[ChainBody<'_>], time: f64) -> Movers {
        let mut moving = (0..chain.len()).filter(|index| !chain[*index].track.segment_at(time).is_still());
        match (moving.next(), moving.next()) {
            (None, _) => Movers::None,
            (Some(index), None) => Movers::One(index),
            _ => Movers::Several,
        }
    }

    /// The pose of a static chain, with its rounding.
    fn static_pose(&self, chain: &[ChainBody<'_>], within: f64) -> RoundedPose {
        chain.iter().fold(RoundedPose::IDENTITY, |pose, body| match body.track.segment_at(within) {
            TrackSegment::Screw(timed_screw) => timed_screw.screw.start_rounded().compose(&pose),
            curved @ TrackSegment::Curved { .. } => RoundedPose::given(curved.pose_at(within)).compose(&pose),
        })
    }

    /// The pose of A in B's frame at a time of the smooth interval that contains `within` (a jump has two poses).
    pub(crate) fn pose_at(&self, time: f64, within: f64) -> Pose {
        let (a, b) = (chain_pose(&self.above_a, time, within), chain_pose(&self.above_b, time, within));
        Screw::still(a).in_frame_of(&b).start()
    }

    /// Whether the motion jumps at a time between two smooth intervals, by more than rounding.
    pub(crate) fn jumps_at(&self, time: f64) -> bool {
        let Ok(index) = self.breaks.binary_search_by(|other| other.total_cmp(&time)) else { return false };
        let (Some(before), Some(after)) = (index.checked_sub(1), self.breaks.get(index + 1)) else {
            return false;
        };
        let within = [0.5 * (self.breaks[before] + time), 0.5 * (time + after)];
        let [x, y] = within.map(|within| self.pose_at(time, within));
        let margin = 8.0 * within.map(|within| self.rounding(time, within)).into_iter().fold(0.0, f64::max);
        // The two quaternions of one rotation are opposite.
        let rotation_measure = (1.0 - x.rotation().dot(y.rotation()).abs()).max(0.0);
        x.position().distance(y.position()) > margin || rotation_measure > 1e-14
    }

    /// The motion state at a time of the smooth interval that contains `within`: A relative to B, or B relative to
    /// A if `mover` is B.
    pub(crate) fn state_at(&self, mover: MovingBody, time: f64, within: f64) -> MotionState {
        let [chain, other_chain] = self.ordered(mover);
        let centre = self.balls[usize::from(mover == MovingBody::B)].centre;
        let (mut pose, mut velocity, mut spin) = (Pose::IDENTITY, DVec3::ZERO, DVec3::ZERO);
        let mut point = centre;
        for body in chain {
            let segment = body.track.segment_at(within);
            let above = segment.pose_at(time);
            point = above.transform_point(point);
            let [linear, angular] = segment.velocities_at(point, time);
            velocity = above.transform_vector(velocity) + linear;
            spin = above.transform_vector(spin) + angular;
            pose = if pose == Pose::IDENTITY { above } else { above.compose(&pose) };
        }
        let mut static_pose = Pose::IDENTITY;
        for body in other_chain.iter().rev() {
            let segment = body.track.segment_at(within);
            let below = segment.pose_at(time);
            let [linear, angular] = segment.velocities_at(point, time);
            let rotation = below.rotation().conjugate();
            velocity = rotation * (velocity - linear);
            spin = rotation * (spin - angular);
            point = rotation * (point - below.position());
            static_pose = if static_pose == Pose::IDENTITY { below } else { static_pose.compose(&below) };
        }
        MotionState { pose: Screw::still(pose).in_frame_of(&static_pose).start(), velocity, spin }
    }

    /// The body with the smaller acceleration bound (`change`) between two times of one smooth interval, best treated
    /// as moving, and the motion bounds of A relative to B and of B relative to A.
    pub(crate) fn motion_bounds(&self, start: f64, end: f64) -> (MovingBody, [MotionBounds; 2]) {
        let bounds = self.motion_bounds_of_both(start, end);
        (if bounds[1].change < bounds[0].change { MovingBody::B } else { MovingBody::A }, bounds)
    }

    /// The motion bounds if a given body is treated as moving.
    pub(crate) fn motion_bounds_of(&self, mover: MovingBody, start: f64, end: f64) -> MotionBounds {
        self.motion_bounds_of_both(start, end)[usize::from(mover == MovingBody::B)]
    }

    fn motion_bounds_of_both(&self, start: f64, end: f64) -> [MotionBounds; 2] {
        let rounding = 2.0 * self.rounding_over(start, end);
        self.rates(start, end).map(|rates| {
            // Speeds are added frame by frame, with one or two roundings each, and the centre of each rotation has
            // a rounding error.
            let velocity_rounding = 1e-13 * rates.speed + rounding * rates.spin;
            // For intervals outside this range the square of the time, or an acceleration, may underflow.
            let change = if BOUNDED_LENGTHS.contains(&(end - start)) { rates.change } else { f64::INFINITY };
            MotionBounds { change, jerk: rates.jerk, rounding, velocity_rounding }
        })
    }

    fn ordered(&self, mover: MovingBody) -> [&[ChainBody<'m>]; 2] {
        match mover {
            MovingBody::A => [&self.above_a, &self.above_b],
            MovingBody::B => [&self.above_b, &self.above_a],
        }
    }

    /// A bound of the rate at which the gap changes between two times of one smooth interval, in metres per second.
    pub(crate) fn speed(&self, start: f64, end: f64) -> f64 {
        self.speed_of(&self.balls, start, end)
    }

    /// The same for given points of A and of B: the smaller of the speed bounds of A's points in B's frame and of
    /// B's points in A's frame.
    pub(crate) fn speed_of(&self, balls: &[MovingBall; 2], start: f64, end: f64) -> f64 {
        let [a, b] = self.speeds(balls, start, end);
        a.min(b)
    }

    /// The maximum speed of A's points in B's frame, and of B's points in A's frame.
    pub(crate) fn max_speed(&self, start: f64, end: f64) -> f64 {
        let [a, b] = self.speeds(&self.balls, start, end);
        a.max(b)
    }

    pub(crate) fn speeds(&self, balls: &[MovingBall; 2], start: f64, end: f64) -> [f64; 2] {
        let (middle, duration) = (0.5 * (start + end), end - start);
        let rates = self.rates_of_both(balls, start, end);
        let poses = [self.pose_at(start, middle), self.pose_at(end, middle)];
        let margin = 2.0 * self.rounding_over(start, end);
        // No speed differs from the mean speed over the interval by more than its average change in half of the
        // time.
        [0, 1].map(|i| {
            let from_mean = (max_displacement(i, &balls[i], &poses) + margin) / duration
                + 0.5 * duration * rates[i].change;
            rates[i].speed.min(from_mean * OUTSIDE)
        })
    }

    /// A bound of the angular speed of one body relative to the other, in radians per second.
    pub(crate) fn spin(&self, start: f64, end: f64) -> f64 {
        self.rates(start, end)[0].spin
    }

    /// About the angle by which the bodies rotate in a smooth interval, in radians; exact for a screw.
    pub(crate) fn angle_in(&self, interval: &MotionInterval) -> f64 {
        match interval {
            MotionInterval::Exact(timed_screw) => timed_screw.screw.angle(),
            MotionInterval::General { start, end } => self.rotation_estimate(*start, *end),
        }
    }

    /// An estimate of the angle by which the bodies rotate in a part of a smooth interval, in radians. It leaves
    /// out rotation splines, which rotate by less than a turn from key to key, though their bounds may be much
    /// larger.
    pub(crate) fn rotation_estimate(&self, start: f64, end: f64) -> f64 {
        let length = end - start;
        let of = |body: &ChainBody<'_>| match body.track.segment_at(0.5 * (start + end)) {
            TrackSegment::Screw(timed_screw) => {
                timed_screw.screw.angle() * length / (timed_screw.end - timed_screw.start)
            }
            TrackSegment::Curved { curved, .. } => match &curved.rotation {
                RotationCurve::Constant(_) | RotationCurve::Cubic(..) => 0.0,
                RotationCurve::Uniform { start, end, screw } => screw.angle() * length / (end - start),
                RotationCurve::About(_) => curved.rates(TimeInterval::new(start, end)).spin * length,
            },
        };
        self.above_a.iter().chain(&self.above_b).map(of).sum()
    }

    /// An end, at most `end`, of a part of a smooth interval in which the relative rotation is at most about `rotation`
    /// radians, because motion bounds over longer parts are too coarse. If the angular speed is unbounded, the
    /// part is halved until it is bounded.
    pub(crate) fn end_of_part(&self, TimeInterval { start, end }: TimeInterval, rotation: f64) -> f64 {
        let mut to = end;
        loop {
            let length = rotation / self.spin(start, to);
            if to - start <= 1.3 * length {
                return to;
            }
            let next = start + if length > 0.0 { length } else { 0.5 * (to - start) };
            if next <= start || next >= to {
                return to;
            }
            to = next;
        }
    }

    /// Bounds of the motion of A's points in B's frame, and of B's points in A's frame.
    pub(crate) fn rates(&self, start: f64, end: f64) -> [PointRates; 2] {
        self.rates_of_both(&self.balls, start, end)
    }

    fn rates_of_both(&self, [a, b]: &[MovingBall; 2], start: f64, end: f64) -> [PointRates; 2] {
        let (above_a, above_b) = (&self.above_a, &self.above_b);
        [
            self.rates_of(a, above_a, above_b, TimeInterval::new(start, end)),
            self.rates_of(b, above_b, above_a, TimeInterval::new(start, end)),
        ]
    }

    /// Bounds of the motion of the body of the first chain in the frame of the body of the second.
    fn rates_of(
        &self,
        ball: &MovingBall,
        chain: &[ChainBody<'_>],
        other_chain: &[ChainBody<'_>],
        interval: TimeInterval,
    ) -> PointRates {
        let TimeInterval { start, end } = interval;
        let middle = 0.5 * (start + end);
        let half = 0.5 * (end - start);
        let (mut rates, mut centre) = chain_rates(chain_segments(chain, middle), ball, interval);
        for body in other_chain.iter().rev() {
            let segment = body.track.segment_at(middle);
            let frame = segment.rates(interval);
            let pose = segment.pose_at(middle);
            let reach = centre.distance(pose.position()) + ball.radius + (rates.speed + frame.speed) * half;
            rates = rates.in_frame_of(&frame, reach * OUTSIDE);
            centre = pose.inverse().transform_point(centre);
        }
        rates
    }

    /// A bound, in metres, of the error of A's points in B's frame as placed by [`Self::pose_at`], due to rounding
    /// alone, at a time of the smooth interval that contains `within`.
    pub(crate) fn rounding(&self, time: f64, within: f64) -> f64 {
        self.rounding_in(TimeInterval::new(time, time), within)
    }

    /// The same bound for all times between two times of one smooth interval.
    pub(crate) fn rounding_over(&self, start: f64, end: f64) -> f64 {
        self.rounding_in(TimeInterval::new(start, end), 0.5 * (start + end))
    }

    fn rounding_in(&self, interval: TimeInterval, within: f64) -> f64 {
        self.rounding_of_poses(interval, within).at(self.arms())
    }

    /// The rounding of the poses of A in B's frame between two times of the smooth interval that contains `within`.
    fn rounding_of_poses(&self, interval: TimeInterval, within: f64) -> Rounding {
        let [a, b] =
            [&self.above_a, &self.above_b].map(|chain| rounding_of(chain_segments(chain, within), interval));
        let distance = a.place.distance(b.place) + a.displacement + b.displacement;
        a.rounding.in_frame_of(b.rounding, distance)
    }

    /// The sum of the maximum distances of each body's points from the origin of its frame, in metres.
    fn arms(&self) -> f64 {
        self.balls.iter().map(|ball| ball.centre.length() + ball.radius).sum()
    }

    /// Whether B is a ball and A is not. A ball moves with its centre, whatever its rotation: [`Self::screw`] then
    /// omits the rotation of A relative to B, and B's axes rotate with A instead ([`Self::omitted_rotation`]).
    pub(crate) fn is_only_b_a_ball(&self) -> bool {
        self.balls[0].radius > 0.0 && self.balls[1].radius == 0.0
    }

    /// The rotation that [`Self::screw`] omits if B is a ball: maps B's axes as used by the screw at a time to the
    /// true ones.
    pub(crate) fn omitted_rotation(&self, timed_screw: &TimedScrew, time: f64) -> Pose {
        let within = 0.5 * (timed_screw.start + timed_screw.end);
        self.pose_at(time, within).compose(&timed_screw.pose_at(time).inverse())
    }

    /// The straight path of a ball's centre relative to the other body, from pose to pose. A's poses are in axes of
    /// B that rotate with A.
    fn straight(&self, first: &Pose, last: &Pose) -> Option<Screw> {
        let displacement = if self.balls[0].radius == 0.0 {
            last.position() - first.position()
        } else if self.balls[1].radius == 0.0 {
            let [from, to] = [first, last].map(|pose| pose.inverse().position());
            first.transform_vector(from - to)
        } else {
            return None;
        };
        Some(Screw::translation(*first, displacement))
    }

    /// The screw between the poses at two times of one smooth interval, and its deviation in metres. The deviation
    /// is infinite if the rotation is so large that this may be the wrong screw.
    ///
    /// Two bodies that come within a distance in the true motion come within that distance plus the deviation in
    /// the screw. If a point of A touches a point of B, the error may be attributed to either point. So the
    /// deviation is the smaller of the bounds for A's points in B's frame and for B's points in A's frame.
    pub(crate) fn screw(&self, start: f64, end: f64) -> (TimedScrew, f64) {
        let middle = 0.5 * (start + end);
        let rates = self.rates(start, end);
        let (first, last) = (self.pose_at(start, middle), self.pose_at(end, middle));
        let duration = end - start;
        let rounding = self.rounding_over(start, end);
        let true_middle = self.pose_at(middle, middle);
        // The distance computed at the middle may be wrong by two roundings.
        let difference = |second: f64, middle: f64, third: f64| {
            path_difference_bound(duration, second, middle + 2.0 * rounding, third)
        };
        if let Some(screw) = self.straight(&first, &last) {
            let index = usize::from(self.balls[0].radius > 0.0);
            let [from, to, at_middle] = [first, last, true_middle].map(|pose| match index {
                0 => pose.position(),
                _ => pose.inverse().position(),
            });
            let middle = at_middle.distance(0.5 * (from + to));
            let difference = difference(rates[index].change, middle, rates[index].jerk);
            return (TimedScrew { start, end, screw }, difference + rounding);
        }
        let screw = Screw::between(first, last);
        let spin = screw.angle() / duration;
        // Relative to the start position of A, as the screw uses it.
        let arms =
            [screw.start_rotation() * self.balls[0].centre, self.balls[1].centre - screw.start().position()];
        let halfway = [true_middle, screw.pose_at(0.5)];
        let deviation = |i: usize| {
            let across = screw.velocity_across_at(arms[i]).length() / duration;
            let rotation_part = spin * (across + spin * self.balls[i].radius);
            difference(
                rates[i].change + rotation_part,
                max_displacement(i, &self.balls[i], &halfway),
                rates[i].jerk + spin * rotation_part,
            )
        };
        let smaller = deviation(0).min(deviation(1)) + rounding;
        let too_long = rates[0].spin * duration > MAX_ROTATION;
        (TimedScrew { start, end, screw }, if too_long { f64::INFINITY } else { smaller })
    }
}
