//! When an edge and a face, or two other features, meet during a step: proven intervals, and undecided ones.
//!
//! An edge AB meets a face PQR if A and B are on different sides of its plane, and the line AB passes on the same side
//! of its three edges: the signs of five volumes, each a cubic function of time. If all signs are certain on a time
//! interval, the answer is certain there; other intervals are halved. A plane can also prove features separated.
//!
//! Vertices may deviate from their straight paths by a length: the volumes' error bounds then include the deviation,
//! and the proofs hold for the true paths.

use glam::DVec3;

use crate::deformable::elementary::crossings::{Line, ROUNDINGS, SIZES, cross, cubic, halved, has_one_sign};
use crate::deformable::elementary::features::{MovingFeatures, MovingKind};
use crate::math::distance::{Closest, point_triangle, segment_segment};
use crate::math::time_interval::merge;

/// The moving points of two features.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MovingPoints {
    /// An edge AB and a face PQR.
    EdgeFace {
        start: [DVec3; 5],
        end: [DVec3; 5],
    },
    Features(MovingFeatures),
}

/// The points of two features.
struct FeaturePoints {
    count: usize,
    /// The number of points that belong to the first feature; they come first.
    first_count: usize,
    start: [DVec3; 5],
    end: [DVec3; 5],
}

impl MovingPoints {
    /// The points. If there are four, the last one comes twice.
    fn points(&self) -> FeaturePoints {
        match self {
            Self::EdgeFace { start, end } => {
                FeaturePoints { count: 5, first_count: 2, start: *start, end: *end }
            }
            Self::Features(MovingFeatures { kind, start, end }) => {
                let first_count = if *kind == MovingKind::VertexFace { 1 } else { 2 };
                let five = |[a, b, c, d]: [DVec3; 4]| [a, b, c, d, d];
                FeaturePoints { count: 4, first_count, start: five(*start), end: five(*end) }
            }
        }
    }

    /// Whether a coordinate axis separates the features at all times, possibly except the first or the last moment,
    /// as given by `excluded`: the features may touch there. Vertices move exactly along straight lines, so rounding
    /// has no effect: if one feature is not behind the other at one end of the step and is ahead at the other end,
    /// it is ahead at all times between.
    pub(crate) fn is_separated_between(&self, excluded: [bool; 2]) -> bool {
        let FeaturePoints { count, first_count, start, end } = self.points();
        let ends = [(start, excluded[0]), (end, excluded[1])];
        let is_separated = |axis: usize, sign: f64| {
            let orders = ends.map(|(points, is_excluded)| {
                let heights = points.map(|p| sign * p[axis]);
                let highest = heights[..first_count].iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let lowest = heights[first_count..count].iter().copied().fold(f64::INFINITY, f64::min);
                (lowest > highest, is_excluded && lowest >= highest)
            });
            orders.iter().all(|(separated, touching)| *separated || *touching)
                && orders.iter().any(|(separated, _)| *separated)
        };
        (0..3).any(|axis| is_separated(axis, 1.0) || is_separated(axis, -1.0))
    }
}

/// Proven results for two features in a step, in order of time: intervals in which they meet, and undecided intervals.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeetingIntervals {
    pub(crate) intersecting: Vec<[f64; 2]>,
    pub(crate) undecided: Vec<[f64; 2]>,
    /// The number of time intervals examined.
    pub(crate) samples: u64,
    /// Memory.
    waiting: Vec<VolumeSegment>,
    halves: Vec<VolumeSegment>,
}

impl MeetingIntervals {
    pub(crate) fn clear(&mut self) {
        self.intersecting.clear();
        self.undecided.clear();
        self.samples = 0;
    }
}

/// The required accuracy of vertices and times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accuracy {
    /// The maximum deviation of any vertex from its straight path, in metres.
    pub(crate) deviation: f64,
    /// Time intervals are not halved below this fraction of the step.
    pub(crate) narrowest: f64,
    /// The touches to find if rounding leaves open whether surfaces meet.
    pub(crate) touching: TouchingConditions,
}

/// The conditions under which surfaces touch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TouchingConditions {
    /// Surfaces touch if their distance is at most this, in metres.
    pub(crate) distance: f64,
    /// Time intervals are not halved below this fraction of the step. With 1, only a touch throughout the step counts.
    pub(crate) narrowest: f64,
}

/// The maximum number of undecided intervals at a time: a resting contact stays undecided throughout, but must not
/// take forever.
const MAX_OPEN: usize = 64;

/// The rounding error of a difference of heights, as a fraction of the size.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Writes the proven intervals of two features to `found`, which is cleared first. Only times within `windows` are
/// of interest.
pub(crate) fn meeting_intervals(
    meeting: &MovingPoints,
    windows: &[[f64; 2]],
    accuracy: &Accuracy,
    found: &mut MeetingIntervals,
) {
    found.clear();
    let local = CenteredFeatures::new(meeting, accuracy.deviation);
    let is_separated = |window: &[f64; 2]| {
        [DVec3::X, DVec3::Y, DVec3::Z].into_iter().any(|n| local.is_separated_by(n, *window))
    };
    if windows.iter().all(|window| is_separated(window) || local.is_separated_in(*window)) {
        return;
    }
    let (volumes, errors) = local.volumes(accuracy.deviation);
    let narrowest = accuracy.narrowest.max(0.25 * accuracy.deviation / local.travel());
    let MeetingIntervals { intersecting, undecided, samples, waiting, halves } = found;
    waiting.clear();
    waiting.push(VolumeSegment { from: 0.0, to: 1.0, volumes });
    while !waiting.is_empty() {
        halves.clear();
        // If many intervals are undecided, finer ones do not help.
        let is_last = waiting.len() > MAX_OPEN;
        *samples += waiting.len() as u64;
        for interval in waiting.drain(..) {
            let VolumeSegment { from, to, .. } = interval;
            let mut known = if local.count == 5 {
                interval.meeting_state(&errors)
            } else {
                interval.meeting_state_of_four(errors[0])
            };
            if matches!(known, MeetingState::Open | MeetingState::Flat) && local.is_separated_in([from, to]) {
                known = MeetingState::Separated;
            }
            match known {
                MeetingState::Separated => {}
                MeetingState::Intersecting => intersecting.push([from, to]),
                MeetingState::Open | MeetingState::Flat if is_last || to - from <= narrowest => {
                    undecided.push([from, to])
                }
                // The volumes are flat and the features near, so the halves would probably be undecided too.
                MeetingState::Flat if local.is_near_in([from, to]) => undecided.push([from, to]),
                MeetingState::Open | MeetingState::Flat => halves.extend(interval.halves()),
            }
        }
        std::mem::swap(waiting, halves);
    }
    merge(intersecting);
    merge(undecided);
}

/// The state of two features on a time interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MeetingState {
    Separated,
    Intersecting,
    Open,
    /// Open, and so is every part of the interval: the deciding volumes are zero up to their errors.
    Flat,
}

/// The sign of a volume on a time interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Positive,
    Negative,
    /// Zero up to its error, throughout the interval.
    Flat,
    Open,
}

impl Sign {
    fn of(volume: &[f64; 4], error: f64) -> Self {
        if has_one_sign(volume, error) {
            return if volume[0] > 0.0 { Self::Positive } else { Self::Negative };
        }
        // A NaN compares false, so it is open.
        if volume.iter().all(|c| c.abs() <= error) { Self::Flat } else { Self::Open }
    }

    fn is_certain(self) -> bool {
        matches!(self, Self::Positive | Self::Negative)
    }
}

/// A time interval, and the Bernstein coefficients of the volumes on it: of A and B with the face, and of the edge
/// with each side of the face. Other features have one volume.
#[derive(Debug, Clone, Copy)]
struct VolumeSegment {
    from: f64,
    to: f64,
    volumes: [[f64; 4]; 5],
}

impl VolumeSegment {
    fn meeting_state(&self, errors: &[f64; 5]) -> MeetingState {
        let signs: [Sign; 5] = std::array::from_fn(|k| Sign::of(&self.volumes[k], errors[k]));
        let [a, b, around @ ..] = signs;
        if a.is_certain() && a == b {
            return MeetingState::Separated;
        }
        let has = |sign: Sign| around.contains(&sign);
        if has(Sign::Positive) && has(Sign::Negative) {
            return MeetingState::Separated;
        }
        if signs.iter().all(|sign| sign.is_certain()) {
            return MeetingState::Intersecting;
        }
        // On a part of the interval A and B may still be on one side, or the line AB may pass beside the face.
        let can_be_one = a != Sign::Flat && b != Sign::Flat && !(a.is_certain() && b.is_certain());
        let can_pass = has(Sign::Open) && around.iter().filter(|sign| **sign != Sign::Flat).count() >= 2;
        if signs.contains(&Sign::Flat) && !can_be_one && !can_pass {
            MeetingState::Flat
        } else {
            MeetingState::Open
        }
    }

    /// The same for a vertex and a face, or two edges: if not coplanar, they are separated.
    fn meeting_state_of_four(&self, error: f64) -> MeetingState {
        match Sign::of(&self.volumes[0], error) {
            Sign::Positive | Sign::Negative => MeetingState::Separated,
            Sign::Flat => MeetingState::Flat,
            Sign::Open => MeetingState::Open,
        }
    }

    /// Both halves.
    fn halves(&self) -> [Self; 2] {
        let middle = 0.5 * (self.from + self.to);
        let [mut sooner, mut later] = [*self; 2];
        (sooner.to, later.from) = (middle, middle);
        for (k, volume) in self.volumes.iter().enumerate() {
            (sooner.volumes[k], later.volumes[k]) = halved(volume);
        }
        [sooner, later]
    }
}

/// The points relative to the start of the first.
struct CenteredFeatures {
    count: usize,
    /// The number of points that belong to the first feature.
    first_count: usize,
    start: [DVec3; 5],
    end: [DVec3; 5],
    /// Points further apart than this along a unit direction are certainly separated; NaN if sizes are too large or
    /// too small.
    separation: f64,
}

impl CenteredFeatures {
    fn new(meeting: &MovingPoints, deviation: f64) -> Self {
        let FeaturePoints { count, first_count, start, end } = meeting.points();
        let centre = start[0];
        let [start, end] = [start, end].map(|points| points.map(|p| p - centre));
        let size = start.iter().chain(&end).fold(DVec3::ZERO, |size, p| size.max(p.abs())).max_element();
        let separation = if SIZES.contains(&size) { ROUNDING * size + 2.0 * deviation } else { f64::NAN };
        Self { count, first_count, start, end, separation }
    }

    /// The maximum displacement of a point relative to the first.
    fn travel(&self) -> f64 {
        let displacement = |i: usize| self.end[i] - self.start[i];
        (1..self.count).map(|i| displacement(i).distance(displacement(0))).fold(f64::MIN_POSITIVE, f64::max)
    }

    fn at(&self, time: f64) -> [DVec3; 5] {
        std::array::from_fn(|i| self.start[i] + time * (self.end[i] - self.start[i]))
    }

    /// Whether a direction, or its opposite, separates the features between two times.
    fn is_separated_by(&self, n: DVec3, times: [f64; 2]) -> bool {
        let enough = self.separation * n.length();
        let gaps = times.map(|time| {
            let heights = self.at(time).map(|p| n.dot(p));
            let range = |of: &[f64]| {
                of.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], h| [lo.min(*h), hi.max(*h)])
            };
            let [first, second] =
                [range(&heights[..self.first_count]), range(&heights[self.first_count..self.count])];
            [second[0] - first[1], first[0] - second[1]]
        });
        (0..2).any(|side| gaps.iter().all(|gap| gap[side] > enough))
    }

    /// The nearest points of the two features at a time.
    fn nearest(&self, time: f64) -> Closest {
        let [a, b, c, d, e] = self.at(time);
        match (self.count, self.first_count) {
            (5, _) => {
                let sides = [[c, d], [d, e], [e, c]].map(|side| segment_segment([a, b], side));
                let ends = [a, b].map(|p| point_triangle(p, &[c, d, e]));
                let all = sides.into_iter().chain(ends);
                let nearest = all.min_by(|x, y| x.squared.total_cmp(&y.squared));
                nearest.unwrap_or(ends[0])
            }
            (_, 1) => point_triangle(a, &[b, c, d]),
            _ => segment_segment([a, b], [c, d]),
        }
    }

    /// Whether the direction between the nearest points at the middle time separates the features.
    fn is_separated_in(&self, [from, to]: [f64; 2]) -> bool {
        let Closest { a, b, .. } = self.nearest(0.5 * (from + to));
        self.is_separated_by(b - a, [from, to])
    }

    /// Whether the features touch, up to rounding, at the middle and at both ends, so that no direction separates them.
    fn is_near_in(&self, [from, to]: [f64; 2]) -> bool {
        let times = [0.5 * (from + to), from, to];
        times.into_iter().all(|time| self.nearest(time).squared <= self.separation * self.separation)
    }

    /// The volumes on the whole step, and their error bounds; infinite if a volume gives no information.
    fn volumes(&self, deviation: f64) -> ([[f64; 4]; 5], [f64; 5]) {
        let to = |i: usize, j: usize| [self.start[j] - self.start[i], self.end[j] - self.end[i]];
        let (mut volumes, mut errors) = ([[0.0; 4]; 5], [f64::INFINITY; 5]);
        let sides: &[[Line; 3]] = match (self.count, self.first_count) {
            (5, _) => {
                let (ab, pq, pr) = (to(0, 1), to(2, 3), to(2, 4));
                &[
                    [to(2, 0), pq, pr],
                    [to(2, 1), pq, pr],
                    [to(0, 2), ab, pq],
                    [to(0, 3), ab, to(3, 4)],
                    [to(0, 4), ab, to(4, 2)],
                ]
            }
            (_, 1) => &[[to(1, 0), to(1, 2), to(1, 3)]],
            _ => &[[to(0, 2), to(0, 1), to(2, 3)]],
        };
        for (k, [w, e, f]) in sides.iter().enumerate() {
            let lengths = [w, e, f].map(|[p, q]| p.length().max(q.length()));
            if lengths.iter().all(|length| SIZES.contains(length)) {
                let [x, y, z] = lengths;
                // Each vector may be off by the errors of both ends.
                let both = 2.0 * deviation;
                let moved = both * (x * y + y * z + z * x + both * (x + y + z + both));
                volumes[k] = cubic(cross(*e, *f), *w);
                errors[k] = ROUNDINGS * x * y * z + 1.000_001 * moved;
            }
        }
        (volumes, errors)
    }
}
