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
use crate::motion::carried::{
    Carried, Carrier, MovingBall, breaks, carried, max_displacement, path_difference_bound, pieces, placed,
    rounding_of,
};
use crate::motion::relative::SHORT_TURN;
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
    off: f64,
    begin: f64,
    end: f64,
    /// A time of the smooth interval that contains this part.
    within: f64,
}

impl Priority for KeyInterval {
    /// The span with the largest error comes first; among equals, the last.
    fn order(&self, other: &Self) -> Ordering {
        self.off.total_cmp(&other.off).then(self.begin.total_cmp(&other.begin))
    }
}

/// A pose that differs from the pose before by at most this number of roundings is no jump.
const SAME: f64 = 16.0;

/// See [`Scene::keys`].
pub(super) fn keys(scene: &Scene, body: usize, limits: &KeyLimits) -> WorldKeys {
    let matter = MovingBall { centre: limits.centre, radius: limits.radius };
    let carriers = Ridden { duration: scene.duration(), chain: scene.chain(body, None), matter };
    let breaks = breaks(carriers.chain.iter(), scene.duration());
    let mut exact = Vec::new();
    let mut general = BinaryHeap::new();
    for pair in breaks.windows(2) {
        let (begin, end) = (pair[0], pair[1]);
        let within = 0.5 * (begin + end);
        match carriers.rotation_angle(begin, end) {
            // If the keys do not suffice for all rotations, the deviation is infinite.
            Some(angle) => {
                let parts = (angle / SHORT_TURN).ceil().clamp(1.0, limits.max_keys.max(1) as f64);
                let off = if angle / parts > SHORT_TURN { f64::INFINITY } else { 0.0 };
                exact.extend(cuts(begin, end, parts).map(|(begin, end)| KeyInterval {
                    off,
                    begin,
                    end,
                    within,
                }));
            }
            None => general.push(QueueEntry(carriers.span(TimeInterval::new(begin, end), within))),
        }
    }
    let mut set = 0;
    while set < limits.max_keys && general.peek().is_some_and(|span| span.0.off > limits.deviation) {
        let Some(QueueEntry(span)) = general.pop() else { break };
        let middle = 0.5 * (span.begin + span.end);
        if middle <= span.begin || middle >= span.end {
            exact.push(span);
            continue;
        }
        set += 1;
        for [begin, end] in [[span.begin, middle], [middle, span.end]] {
            general.push(QueueEntry(carriers.span(TimeInterval::new(begin, end), span.within)));
        }
    }
    exact.extend(general.into_iter().map(|QueueEntry(span)| span));
    exact.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    let deviation = exact.iter().map(|span| span.off).fold(0.0, f64::max);
    WorldKeys { keys: carriers.keys(&exact), deviation }
}

/// Divides an interval into equal parts.
fn cuts(begin: f64, end: f64, parts: f64) -> impl Iterator<Item = (f64, f64)> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number, not negative"
    )]
    let count = parts as u64;
    let at = move |i: u64| if i == count { end } else { begin + (end - begin) * (i as f64 / parts) };
    (0..count).map(move |i| (at(i), at(i + 1)))
}

/// A body and its carriers, up to the world.
struct Ridden<'s> {
    duration: f64,
    chain: Vec<Carrier<'s>>,
    matter: MovingBall,
}

impl Ridden<'_> {
    /// The angle by which the body rotates between two times of a smooth interval, if its motion there is a single
    /// screw.
    fn rotation_angle(&self, begin: f64, end: f64) -> Option<f64> {
        let within = 0.5 * (begin + end);
        let mut moving = pieces(&self.chain, within).filter(|piece| !piece.is_still());
        match (moving.next(), moving.next()) {
            (None, _) => Some(0.0),
            (Some(TrackSegment::Screw(piece)), None) => {
                Some(piece.screw.angle() * ((end - begin) / (piece.end - piece.begin)).min(1.0))
            }
            _ => None,
        }
    }

    /// Bound, in metres, of the rounding of a point that [`placed`] computes, between two times of the smooth
    /// interval that contains `within`.
    fn rounding(&self, span: TimeInterval, within: f64) -> f64 {
        let Carried { rounding, .. } = rounding_of(pieces(&self.chain, within), span);
        rounding.at(self.matter.centre.length() + self.matter.radius)
    }

    /// The screw between two times of a smooth interval, and a bound of its error.
    fn span(&self, interval: TimeInterval, within: f64) -> KeyInterval {
        let TimeInterval { start: begin, end } = interval;
        let (middle, duration) = (0.5 * (begin + end), end - begin);
        let (rates, _) = carried(pieces(&self.chain, middle), &self.matter, interval);
        let screw = Screw::between(placed(&self.chain, begin, within), placed(&self.chain, end, within));
        let rounding = self.rounding(interval, within);
        let spin = screw.angle() / duration;
        let across =
            screw.velocity_across_at(screw.start_rotation() * self.matter.centre).length() / duration;
        let own = spin * (across + spin * self.matter.radius);
        let halfway = [placed(&self.chain, middle, within), screw.pose_at(0.5)];
        let apart = max_displacement(0, &self.matter, &halfway) + 2.0 * rounding;
        let off =
            path_difference_bound(duration, rates.change + own, apart, rates.jerk + spin * own) + rounding;
        // For a larger rotation, the shorter way round may be the wrong one.
        let proven = rates.spin * duration <= SHORT_TURN && !off.is_nan();
        KeyInterval { off: if proven { off } else { f64::INFINITY }, begin, end, within }
    }

    /// The poses at the ends of successive spans.
    fn keys(&self, spans: &[KeyInterval]) -> Vec<(f64, Pose)> {
        let mut keys: Vec<(f64, Pose)> = Vec::new();
        for span in spans {
            for time in [span.begin, span.end] {
                let pose = placed(&self.chain, time, span.within);
                let slack = SAME * self.rounding(TimeInterval::new(time, time), span.within);
                // A pose after a jump at the end gets the duration as its time.
                let time = time.min(self.duration);
                let same = |(at, last): &(f64, Pose)| {
                    *at == time && max_displacement(0, &self.matter, &[*last, pose]) <= slack
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
