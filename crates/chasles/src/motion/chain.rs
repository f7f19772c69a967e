//! Chains of bodies, each of which moves in the frame of the next: motion bounds and rounding of the first body.

use glam::DVec3;

use crate::math::rounding::Rounding;
use crate::math::time_interval::TimeInterval;
use crate::motion::Pose;
use crate::motion::rates::PointRates;
use crate::motion::track::{Track, TrackSegment};

/// The maximum of |s (s - 1/2) (s - 1)| / 6 for s in [0, 1]: sqrt(3) / 216, rounded up.
const CUBIC: f64 = 0.008_018_754;

/// Factor by which bounds are enlarged to cover the rounding of computing them.
pub(crate) const OUTSIDE: f64 = 1.0 + 1e-9;

/// Factor by which computed times and distances that must not be too large are reduced, for the same reason.
pub(crate) const INSIDE: f64 = 1.0 - 1e-9;

/// A body of a chain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChainBody<'m> {
    /// Its motion in the frame of its parent, which is the next body of the chain.
    pub(crate) track: &'m Track,
    /// Whether its pose in that frame never changes.
    pub(crate) is_constant: bool,
}

/// The track segments of all bodies of a chain at a time.
pub(crate) fn chain_segments<'c>(
    chain: &'c [ChainBody<'_>],
    time: f64,
) -> impl Iterator<Item = &'c TrackSegment> {
    chain.iter().map(move |body| body.track.segment_at(time))
}

/// The times, in seconds, at which the motion of a body is not smooth, with 0 and the duration.
pub(crate) fn breaks<'c>(bodies: impl Iterator<Item = &'c ChainBody<'c>>, duration: f64) -> Vec<f64> {
    let moving = bodies.filter(|body| !body.is_constant);
    let ends = moving.flat_map(|body| body.track.0.iter().map(TrackSegment::end));
    // A track may be longer than the examined duration.
    let ends = ends.filter(|end| *end <= duration.next_up());
    let mut breaks: Vec<f64> = [0.0, duration].into_iter().chain(ends).collect();
    breaks.sort_by(f64::total_cmp);
    breaks.dedup();
    breaks
}

/// The pose of the first body of a chain in the frame in which the last body moves, at a time of the smooth interval
/// that contains `within`.
pub(crate) fn chain_pose(chain: &[ChainBody<'_>], time: f64, within: f64) -> Pose {
    let mut pose = Pose::IDENTITY;
    for body in chain {
        let body_pose = body.track.segment_at(within).pose_at(time);
        pose = if pose == Pose::IDENTITY { body_pose } else { body_pose.compose(&pose) };
    }
    pose
}

/// The maximum distance, in metres, of two paths that agree at both ends of an interval. It follows from a bound of
/// the difference of their second derivatives (`second`), or from their distance at the middle (`middle`) and a
/// bound of the difference of their third derivatives (`third`).
pub(crate) fn path_difference_bound(duration: f64, second: f64, middle: f64, third: f64) -> f64 {
    let by_second = duration * duration / 8.0 * second;
    let by_third = middle + CUBIC * duration.powi(3) * third;
    if by_third < by_second { by_third * OUTSIDE } else { by_second * OUTSIDE }
}

/// A bound of the displacement, in metres, of the points of one body (0: A, 1: B) between two poses of A, in the
/// frame of the other body.
pub(crate) fn max_displacement(body: usize, ball: &MovingBall, poses: &[Pose; 2]) -> f64 {
    let [first, last] = if body == 0 { *poses } else { poses.map(|pose| pose.inverse()) };
    let rotation = last.rotation() * first.rotation().conjugate();
    let moved = first.transform_point(ball.centre).distance(last.transform_point(ball.centre));
    moved + 2.0 * rotation.xyz().length() * ball.radius
}

/// Bounds of the motion of the points of a chain's first body, in the frame in which the last body moves, between two
/// times of one smooth interval; and the position of their centre at the middle time. `segments` has the segment of
/// each body for that interval, the first body first.
pub(crate) fn chain_rates<'p>(
    segments: impl Iterator<Item = &'p TrackSegment>,
    ball: &MovingBall,
    interval: TimeInterval,
) -> (PointRates, DVec3) {
    let TimeInterval { start, end } = interval;
    let middle = 0.5 * (start + end);
    let half = 0.5 * (end - start);
    let mut rates = PointRates::default();
    let mut centre = ball.centre;
    for segment in segments {
        let reach = centre.length() + ball.radius + rates.speed * half;
        rates = rates.carried(&segment.rates(interval), reach * OUTSIDE);
        centre = segment.pose_at(middle).transform_point(centre);
    }
    (rates, centre)
}

/// The position and the rounding of the frame of a chain's first body over an interval of time.
pub(crate) struct ChainRounding {
    /// The position of the origin at the middle of the interval, in the frame in which the last body moves.
    pub(crate) place: DVec3,
    /// The maximum distance of the origin from that position during the interval, in metres.
    pub(crate) displacement: f64,
    pub(crate) rounding: Rounding,
}

/// The rounding of the poses of a chain's first body between two times of one smooth interval. `segments` is as for
/// [`chain_rates`].
pub(crate) fn rounding_of<'p>(
    segments: impl Iterator<Item = &'p TrackSegment>,
    interval: TimeInterval,
) -> ChainRounding {
    let TimeInterval { start, end } = interval;
    let (middle, half) = (0.5 * (start + end), 0.5 * (end - start));
    let (mut place, mut rounding, mut rates) = (DVec3::ZERO, Rounding::NONE, PointRates::default());
    // The displacement in zero time is zero, even if the speed is infinite.
    let displacement = |speed: f64| if half > 0.0 { speed * half } else { 0.0 };
    for segment in segments {
        let (pose, arm) = (segment.pose_at(middle), place.length() + displacement(rates.speed));
        if half > 0.0 && !segment.is_still() {
            let frame = segment.rates(interval);
            let reach = pose.position().length() + displacement(frame.speed);
            rounding = rounding.carried(segment.rounding(interval, reach), arm, reach + arm);
            rates = rates.carried(&frame, arm * OUTSIDE);
        } else {
            let reach = pose.position().length();
            rounding = rounding.carried(segment.rounding(interval, reach), arm, reach + arm);
        }
        place = pose.transform_point(place);
    }
    ChainRounding { place, displacement: displacement(rates.speed), rounding }
}

/// A ball that contains the relevant points of a body: all points of a mesh, cylinder or cone, the segment of a
/// capsule, the centre of a ball.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingBall {
    /// In the body's frame.
    pub(crate) centre: DVec3,
    /// In metres.
    pub(crate) radius: f64,
}

impl MovingBall {
    /// The ball of a body without a surface: its origin.
    pub(crate) const POINT: Self = Self { centre: DVec3::ZERO, radius: 0.0 };
}
