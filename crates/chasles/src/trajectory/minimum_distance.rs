//! The minimum gap of two bodies along their motion.
//!
//! The gap changes no faster than the maximum speed v. If the gaps at two times h apart are g and g', the gap in
//! between is at least (g + g' - v h) / 2. Intervals are cut until no interval can contain a gap much smaller than
//! the smallest gap found. This takes few cuts, unless the gap hovers just above its minimum, as for gears in mesh.
//! After some samples, a front (pairs of nodes of two hierarchies, each proven separated) must prove that the gap
//! in the remaining intervals stays above a value just below the smallest gap found. If this fails, a smaller gap
//! may be found, and the front continues with this gap.

use crate::error::Error;
use crate::instant::gap::GapLimits;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::motion::carried::INSIDE;
use crate::motion::relative::MotionInterval;
use crate::pair::{PairKind, PairMemory, SeparationGoal};
use crate::sets::least;
use crate::trajectory::moving_pair::MovingPair;
use crate::trajectory::within_distance::{DistanceAt, DistanceSearch};

/// The minimum distance is computed to this fraction of itself, or to this length in metres for bodies of a metre
/// or more. If the smaller body is less than a metre, the length is smaller in proportion.
const SHARE: f64 = 0.005;
const ABSOLUTE: f64 = 4e-6;

/// If points may be off by a distance, the bounds may differ by this multiple of the distance.
const UNCERTAIN: f64 = 4.0;

/// The number of samples before a front is used.
const LOOKS: u32 = 300;

/// The minimum time for which a front must prove a gap, as a fraction of the duration. A sample proves as much.
const LEAST_STEP: f64 = 1e-9;

/// If a sample proves too little, the lower bound is reduced by at least this fraction of the permitted difference.
const AT_LEAST: f64 = 0.25;

/// The bounds of the minimum gap, in metres.
struct Least {
    /// The smallest lower bound of all examined times.
    lower: f64,
    upper: f64,
    /// A time at which the gap is no more than `upper`, in seconds.
    time: f64,
    /// The permitted difference of the bounds, in metres.
    absolute: f64,
}

/// An interval whose gap may be smaller than the smallest gap found, and the number of its smooth interval.
struct OpenGapInterval {
    from: DistanceAt,
    to: DistanceAt,
    stretch: usize,
}

impl Least {
    /// Only a gap below this value matters.
    fn target_distance(&self) -> f64 {
        self.upper - (SHARE * self.upper).max(self.absolute)
    }

    /// The precision of one sample.
    fn limits(&self) -> GapLimits {
        GapLimits { share: 0.1 * SHARE, absolute: 0.1 * self.absolute, ..GapLimits::EXACT }
    }

    fn add_sample(&mut self, at: &DistanceAt) {
        if at.upper < self.upper {
            (self.upper, self.time) = (at.upper, at.time);
        }
    }
}

/// Enclosure of the minimum distance over the whole motion, in metres, and a time at which the distance is at most
/// its upper end. The lower end is 0 if the budget did not suffice, or if the check was stopped.
///
/// # Errors
/// As [`RigidPair::separated_until`](crate::pair::RigidPair::separated_until).
pub(crate) fn minimum_distance<'a>(
    moving: &MovingPair<'a>,
    memory: &'a mut PairMemory,
    budget: Budget<'a>,
) -> Result<([f64; 2], f64), Error> {
    let mut budget = moving.budget_of_turns(&budget);
    let MovingPair { pair, relative, watch } = *moving;
    let size = pair.smaller_size();
    match &pair.kind {
        PairKind::Rigid(pair) => {
            DistanceSearch { pair: *pair, relative, watch, memory, budget }.minimum(size)
        }
        PairKind::Sets(sets) => Ok(least::minimum_distance(sets, size, relative, &mut budget)),
    }
}

impl DistanceSearch<'_> {
    /// As [`minimum_distance`]. `size` is the diagonal of the smaller body, in metres.
    fn minimum(&mut self, size: f64) -> Result<([f64; 2], f64), Error> {
        let stretches: Vec<MotionInterval> = self.relative.smooth_intervals().collect();
        let absolute = ABSOLUTE * size.min(1.0);
        // Points that may be off make the gap uncertain by this much at every time.
        let absolute = absolute.max(UNCERTAIN * self.relative.position_error);
        let mut least = Least { lower: f64::INFINITY, upper: f64::INFINITY, time: 0.0, absolute };
        let limits = least.limits();
        let mut open = Vec::new();
        for (number, stretch) in stretches.iter().enumerate() {
            let TimeInterval { start: begin, end } = stretch.interval();
            let [from, to] = [begin, end].map(|time| self.distance_at(time, 0.5 * (begin + end), &limits));
            least.add_sample(&from);
            least.add_sample(&to);
            open.push(OpenGapInterval { from, to, stretch: number });
        }
        let mut looks = LOOKS;
        while looks > 0
            && let Some(span) = open.pop()
        {
            if self.watch.is_over() {
                open.push(span);
                break;
            }
            looks -= u32::from(self.cut(span, &stretches, (&mut least, &mut open)));
        }
        // In order of time, since a front moves forward in time.
        open.sort_by(|x, y| x.from.time.total_cmp(&y.from.time));
        let mut last = None;
        for span in open {
            if last != Some(span.stretch) {
                self.memory.forget();
                last = Some(span.stretch);
            }
            if !self.follow(&span, &stretches[span.stretch], &mut least)? {
                least.lower = 0.0;
                break;
            }
        }
        Ok(([least.lower.clamp(0.0, least.upper), least.upper], least.time))
    }

    /// Decides an interval, or cuts it in two. Returns whether this took a sample.
    fn cut(
        &mut self,
        OpenGapInterval { from, to, stretch }: OpenGapInterval,
        stretches: &[MotionInterval],
        (least, open): (&mut Least, &mut Vec<OpenGapInterval>),
    ) -> bool {
        let span = to.time - from.time;
        let swing = self.relative.speed(from.time, to.time) * span;
        let bound = 0.5 * (from.lower + to.lower - swing);
        let cut = 0.5 * (from.time + to.time);
        if bound >= least.target_distance() || cut <= from.time || cut >= to.time {
            least.lower = least.lower.min(bound.min(from.lower).min(to.lower));
            return false;
        }
        let TimeInterval { start: begin, end } = stretches[stretch].interval();
        let cut = self.distance_at(cut, 0.5 * (begin + end), &least.limits());
        least.add_sample(&cut);
        // The nearer half comes first: its gaps lower the smallest gap found for the other half.
        let mut halves =
            [OpenGapInterval { from, to: cut, stretch }, OpenGapInterval { from: cut, to, stretch }];
        if from.upper < to.upper {
            halves.reverse();
        }
        open.extend(halves);
        true
    }

    /// Examines an interval from its start to its end. Returns whether this was possible.
    fn follow(
        &mut self,
        span: &OpenGapInterval,
        stretch: &MotionInterval,
        least: &mut Least,
    ) -> Result<bool, Error> {
        let TimeInterval { start: begin, end } = stretch.interval();
        let duration = self.relative.end();
        let mut at = span.from;
        // The length of the next screw, for round bodies.
        let mut length = span.to.time - span.from.time;
        while at.time < span.to.time {
            if self.watch.is_over() || self.is_spent() {
                return Ok(false);
            }
            let good = least.target_distance();
            if good <= 0.0 {
                // The gap is too small to prove a lower bound.
                return Ok(false);
            }
            let ask = SeparationGoal { distance: good, least_step: LEAST_STEP * duration };
            let to = (at.time + length).min(span.to.time);
            let (motion, times) = ((self.relative, stretch), (at.time, to, end));
            let until = self.pair.separated_until(self.memory, motion, times, (&ask, &mut self.budget))?;
            let mut until = until.min(span.to.time);
            if until >= to {
                length *= 2.0;
            } else if !self.pair.is_of_meshes() {
                length *= 0.5;
            }
            let mut proven = good;
            if until <= at.time {
                // The speed is bounded, so part of the gap remains a moment later.
                let room = (at.lower - good).max(AT_LEAST * (least.upper - good));
                let speed = self.relative.speed(at.time, to);
                if speed.is_infinite() && length > LEAST_STEP * duration {
                    // The speed has no bound somewhere in this time.
                    length *= 0.5;
                    continue;
                }
                until = (at.time + INSIDE * room / speed).min(to);
                proven = good.min(at.lower - room);
                // A NaN proves nothing.
                if until.is_nan() || until <= at.time {
                    return Ok(false);
                }
            }
            least.lower = least.lower.min(proven);
            if until >= span.to.time {
                break;
            }
            at = self.distance_at(until, 0.5 * (begin + end), &least.limits());
            least.add_sample(&at);
        }
        Ok(true)
    }
}
