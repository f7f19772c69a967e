//! The motion of a body in the world as poses at times, joined by screws: it can be played without knowing which body
//! carries which.
//!
//! If one motion carries the body, and it is a screw, keys at its ends are exact. If several do, or the one is no
//! screw, keys are added, always in the span that is furthest off, until the screws between them are proven to be near
//! the true motion (`path_difference_bound`).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::math::time_interval::TimeInterval;
use crate::motion::carried::{
    Carried, Carrier, MovingBall, breaks, carried, max_displacement, path_difference_bound, pieces, placed,
    rounding_of,
};
use crate::motion::relative::SHORT_TURN;
use crate::motion::track::TrackSegment;
use crate::motion::{Pose, Screw};
use crate::scene::definition::Scene;

/// The motion of a body in the world.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldKeys {
    /// Times in seconds, not decreasing, from 0 to the duration, with the body's pose. Between two keys the body
    /// follows [`Screw::between`] evenly; two keys of one time are a jump. One key: the body stands there all the
    /// time.
    pub keys: Vec<(f64, Pose)>,
    /// Proven: no point within the radius of the limits is further than this from its true place, in metres. 0 where
    /// the screws are the motion, to the rounding of places. Infinite where nothing is proven.
    pub deviation: f64,
}

/// How near keys are to be to a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyLimits {
    /// Points of the body no further than `radius` from this, in its frame, count.
    pub centre: DVec3,
    /// In metres.
    pub radius: f64,
    /// The deviation that is wanted, in metres.
    pub within: f64,
    /// At most this many keys are added to those at which a motion stops being smooth.
    pub most: usize,
}

/// Part of a motion, between two keys that follow each other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct KeySpan {
    off: f64,
    begin: f64,
    end: f64,
    /// A time of the smooth stretch that it lies in.
    within: f64,
}

impl Eq for KeySpan {}

impl Ord for KeySpan {
    /// The greatest span is the one furthest off; among equals the last.
    fn cmp(&self, other: &Self) -> Ordering {
        self.off.total_cmp(&other.off).then(self.begin.total_cmp(&other.begin))
    }
}

impl PartialOrd for KeySpan {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A pose that differs from the one before by no more than this many roundings is no jump.
const SAME: f64 = 16.0;

impl Scene {
    /// The motion of a body in the world, as keys.
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn keys(&self, body: usize, limits: &KeyLimits) -> WorldKeys {
        let matter = MovingBall { centre: limits.centre, radius: limits.radius };
        let carriers = Ridden { duration: self.duration(), chain: self.chain(body, None), matter };
        let breaks = breaks(carriers.chain.iter(), self.duration());
        let mut exact = Vec::new();
        let mut general = BinaryHeap::new();
        for pair in breaks.windows(2) {
            let (begin, end) = (pair[0], pair[1]);
            let within = 0.5 * (begin + end);
            match carriers.rotation_angle(begin, end) {
                // If there are too many turns for the keys, nothing is proven.
                Some(angle) => {
                    let parts = (angle / SHORT_TURN).ceil().clamp(1.0, limits.most.max(1) as f64);
                    let off = if angle / parts > SHORT_TURN { f64::INFINITY } else { 0.0 };
                    exact.extend(cuts(begin, end, parts).map(|(begin, end)| KeySpan {
                        off,
                        begin,
                        end,
                        within,
                    }));
                }
                None => general.push(carriers.span(TimeInterval::new(begin, end), within)),
            }
        }
        let mut set = 0;
        while set < limits.most && general.peek().is_some_and(|span| span.off > limits.within) {
            let Some(span) = general.pop() else { break };
            let middle = 0.5 * (span.begin + span.end);
            if middle <= span.begin || middle >= span.end {
                exact.push(span);
                continue;
            }
            set += 1;
            general.push(carriers.span(TimeInterval::new(span.begin, middle), span.within));
            general.push(carriers.span(TimeInterval::new(middle, span.end), span.within));
        }
        exact.extend(general);
        exact.sort_by(|a, b| a.begin.total_cmp(&b.begin));
        let deviation = exact.iter().map(|span| span.off).fold(0.0, f64::max);
        WorldKeys { keys: carriers.keys(&exact), deviation }
    }
}

/// A span of time in this many equal parts.
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

/// A body on its carriers, up to the world.
struct Ridden<'s> {
    duration: f64,
    chain: Vec<Carrier<'s>>,
    matter: MovingBall,
}

impl Ridden<'_> {
    /// By what angle the body turns between two times of a smooth stretch, where its motion is a single screw there.
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

    /// How far, in metres, rounding alone can put a point from where [`placed`] puts it, between two times of
    /// the stretch that holds `within`.
    fn rounding(&self, span: TimeInterval, within: f64) -> f64 {
        let Carried { rounding, .. } = rounding_of(pieces(&self.chain, within), span);
        rounding.at(self.matter.centre.length() + self.matter.radius)
    }

    /// The screw between two times of a stretch, and how far it may be off.
    fn span(&self, interval: TimeInterval, within: f64) -> KeySpan {
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
            path_difference_bound(duration, rates.change + own, (apart, rates.jerk + spin * own)) + rounding;
        // After more than that the shorter way round may be the wrong one.
        let proven = rates.spin * duration <= SHORT_TURN && !off.is_nan();
        KeySpan { off: if proven { off } else { f64::INFINITY }, begin, end, within }
    }

    /// The poses at the ends of spans that follow each other.
    fn keys(&self, spans: &[KeySpan]) -> Vec<(f64, Pose)> {
        let mut keys: Vec<(f64, Pose)> = Vec::new();
        for span in spans {
            for time in [span.begin, span.end] {
                let pose = placed(&self.chain, time, span.within);
                let slack = SAME * self.rounding(TimeInterval::new(time, time), span.within);
                // After a jump at the end the body stands there for a time that is none.
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
