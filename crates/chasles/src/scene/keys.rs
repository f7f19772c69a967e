//! The motion of a body in the world, as poses at times that are joined by screws: it can be played without the
//! tree of carriers.
//!
//! If a single motion carries the body, and it is a screw, keys at its ends are exact. Otherwise keys are added,
//! always in the interval with the largest error, until the screws between them are proven to be close to the true
//! motion (`path_difference_bound`).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::math::priority::{Priority, QueueEntry};
use crate::math::time_interval::TimeInterval;
use crate::motion::chain::{
    ChainBody, ChainRounding, MovingBall, breaks, chain_pose, chain_rates, chain_segments, max_displacement,
    path_difference_bound, rounding_of,
};
use crate::motion::relative::MAX_ROTATION;
use crate::motion::track::TrackSegment;
use crate::motion::{Pose, Screw};
use crate::scene::Scene;

/// The motion of a body in the world.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldKeys {
    /// Times in seconds, not decreasing, from 0 to the duration, with the body's pose. The body follows
    /// [`Screw::between`] evenly from key to key; two keys at the same time are a jump. A single key is a constant
    /// pose.
    pub keys: Vec<(f64, Pose)>,
    /// Proven bound, in metres, of the distance of all points within the radius of the limits from their true
    /// positions. 0 if the screws are the motion, to the rounding of positions. Infinite if there is no proof.
    pub deviation: f64,
}

/// Limits for the keys of a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyLimits {
    /// Only points of the body within `radius` of this point, in its frame, count.
    pub centre: DVec3,
    /// In metres.
    pub radius: f64,
    /// The required deviation, in metres.
    pub deviation: f64,
    /// Maximum number of keys that are added to the keys at which a motion stops being smooth.
    pub max_keys: usize,
}

/// Part of a motion, between two successive keys.
#[derive(Debug, Clone, Copy)]
struct KeyInterval {
    error: f64,
    start: f64,
    end: f64,
    /// A time of the smooth interval that contains this part.
    within: f64,
}

impl Priority for KeyInterval {
    /// The interval with the largest error comes first; among equals, the last.
    fn order(&self, other: &Self) -> Ordering {
        self.error.total_cmp(&other.error).then(self.start.total_cmp(&other.start))
    }
}

/// A pose that differs from the pose before by at most this number of roundings is no jump.
const JUMP_ROUNDINGS: f64 = 16.0;

/// See [`Scene::keys`].
pub(super) fn keys(scene: &Scene, body: usize, limits: &KeyLimits) -> WorldKeys {
    let ball = MovingBall { centre: limits.centre, radius: limits.radius };
    let carriers = CarriedBody { duration: scene.duration(), chain: scene.chain(body, None), ball };
    let breaks = breaks(carriers.chain.iter(), scene.duration());
    let mut exact = Vec::new();
    let mut general = BinaryHeap::new();
    for pair in breaks.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        let within = 0.5 * (start + end);
        match carriers.rotation_angle(start, end) {
            // If the keys do not suffice for all rotations, the deviation is infinite.
            Some(angle) => {
                let parts = (angle / MAX_ROTATION).ceil().clamp(1.0, limits.max_keys.max(1) as f64);
                let error = if angle / parts > MAX_ROTATION { f64::INFINITY } else { 0.0 };
                exact.extend(cuts(start, end, parts).map(|(start, end)| KeyInterval {
                    error,
                    start,
                    end,
                    within,
                }));
            }
            None => general.push(QueueEntry(carriers.interval(TimeInterval::new(start, end), within))),
        }
    }
    let mut added = 0;
    while added < limits.max_keys
        && general.peek().is_some_and(|interval| interval.0.error > limits.deviation)
    {
        let Some(QueueEntry(interval)) = general.pop() else { break };
        let middle = 0.5 * (interval.start + interval.end);
        if middle <= interval.start || middle >= interval.end {
            exact.push(interval);
            continue;
        }
        added += 1;
        for [start, end] in [[interval.start, middle], [middle, interval.end]] {
            general.push(QueueEntry(carriers.interval(TimeInterval::new(start, end), interval.within)));
        }
    }
    exact.extend(general.into_iter().map(|QueueEntry(interval)| interval));
    exact.sort_by(|a, b| a.start.total_cmp(&b.start));
    let deviation = exact.iter().map(|interval| interval.error).fold(0.0, f64::max);
    WorldKeys { keys: carriers.keys(&exact), deviation }
}

/// Divides an interval into equal parts.
fn cuts(start: f64, end: f64, parts: f64) -> impl Iterator<Item = (f64, f64)> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number, not negative"
    )]
    let count = parts as u64;
    let at = move |i: u64| if i == count { end } else { start + (end - start) * (i as f64 / parts) };
    (0..count).map(move |i| (at(i), at(i + 1)))
}

/// A body and its carriers, up to the world.
struct CarriedBody<'s> {
    duration: f64,
    chain: Vec<ChainBody<'s>>,
    ball: MovingBall,
}

impl CarriedBody<'_> {
    /// The angle by which the body rotates between two times of a smooth interval, if its motion there is a single
    /// screw.
    fn rotation_angle(&self, start: f64, end: f64) -> Option<f64> {
        let within = 0.5 * (start + end);
        let mut moving = chain_segments(&self.chain, within).filter(|piece| !piece.is_still());
        match (moving.next(), moving.next()) {
            (None, _) => Some(0.0),
            (Some(TrackSegment::Screw(piece)), None) => {
                Some(piece.screw.angle() * ((end - start) / (piece.end - piece.start)).min(1.0))
            }
            _ => None,
        }
    }

    /// Bound, in metres, of the rounding of a point that [`chain_pose`] computes, between two times of the smooth
    /// interval that contains `within`.
    fn rounding(&self, interval: TimeInterval, within: f64) -> f64 {
        let ChainRounding { rounding, .. } = rounding_of(chain_segments(&self.chain, within), interval);
        rounding.at(self.ball.centre.length() + self.ball.radius)
    }

    /// The screw between two times of a smooth interval, and a bound of its error.
    fn interval(&self, interval: TimeInterval, within: f64) -> KeyInterval {
        let TimeInterval { start, end } = interval;
        let (middle, duration) = (0.5 * (start + end), end - start);
        let (rates, _) = chain_rates(chain_segments(&self.chain, middle), &self.ball, interval);
        let screw =
            Screw::between(chain_pose(&self.chain, start, within), chain_pose(&self.chain, end, within));
        let rounding = self.rounding(interval, within);
        let spin = screw.angle() / duration;
        let across = screw.velocity_across_at(screw.start_rotation() * self.ball.centre).length() / duration;
        let own = spin * (across + spin * self.ball.radius);
        let halfway = [chain_pose(&self.chain, middle, within), screw.pose_at(0.5)];
        let middle_distance = max_displacement(0, &self.ball, &halfway) + 2.0 * rounding;
        let error =
            path_difference_bound(duration, rates.change + own, middle_distance, rates.jerk + spin * own)
                + rounding;
        // For a larger rotation, the shorter way round may be the wrong one.
        let proven = rates.spin * duration <= MAX_ROTATION && !error.is_nan();
        KeyInterval { error: if proven { error } else { f64::INFINITY }, start, end, within }
    }

    /// The poses at the ends of successive intervals.
    fn keys(&self, intervals: &[KeyInterval]) -> Vec<(f64, Pose)> {
        let mut keys: Vec<(f64, Pose)> = Vec::new();
        for interval in intervals {
            for time in [interval.start, interval.end] {
                let pose = chain_pose(&self.chain, time, interval.within);
                let tolerance =
                    JUMP_ROUNDINGS * self.rounding(TimeInterval::new(time, time), interval.within);
                // A pose after a jump at the end gets the duration as its time.
                let time = time.min(self.duration);
                let same = |(at, last): &(f64, Pose)| {
                    *at == time && max_displacement(0, &self.ball, &[*last, pose]) <= tolerance
                };
                if !keys.last().is_some_and(same) {
                    keys.push((time, pose));
                }
            }
        }
        if self.chain.iter().all(|carrier| carrier.is_constant) {
            keys.truncate(1);
        }
        keys
    }
}
