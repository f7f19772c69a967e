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
use crate::motion::chain::INSIDE;
use crate::motion::relative::MotionInterval;
use crate::pair::{PairKind, PairMemory, SeparationGoal};
use crate::sets::least;
use crate::trajectory::moving_pair::MovingPair;
use crate::trajectory::within_distance::{DistanceAt, DistanceSearch};

/// The relative precision of the minimum distance, and its precision in metres for bodies of a metre or more. If the
/// smaller body is less than a metre, the precision in metres is smaller in proportion.
const RELATIVE: f64 = 0.005;
const ABSOLUTE: f64 = 4e-6;

/// If points may be off by a distance, the bounds may differ by this multiple of the distance.
const UNCERTAINTY: f64 = 4.0;

/// The number of samples before a front is used.
const MAX_SAMPLES: u32 = 300;

/// The minimum time for which a front must prove a gap, as a fraction of the duration. A sample proves a gap for about
/// this time.
const MIN_STEP: f64 = 1e-9;

/// If a front proves nothing, the lower bound is reduced by at least this fraction of the permitted difference.
const MIN_REDUCTION: f64 = 0.25;

/// The bounds of the minimum gap, in metres.
struct MinimumGap {
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
    smooth_interval: usize,
}

impl MinimumGap {
    /// Only a gap below this value matters.
    fn target_distance(&self) -> f64 {
        self.upper - (RELATIVE * self.upper).max(self.absolute)
    }

    /// The precision of one sample.
    fn limits(&self) -> GapLimits {
        GapLimits { relative: 0.1 * RELATIVE, absolute: 0.1 * self.absolute, ..GapLimits::EXACT }
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
        let smooth_intervals: Vec<MotionInterval> = self.relative.smooth_intervals().collect();
        let absolute = ABSOLUTE * size.min(1.0);
        // Points that may be off make the gap uncertain by this much at every time.
        let absolute = absolute.max(UNCERTAINTY * self.relative.position_error);
        let mut minimum_gap = MinimumGap { lower: f64::INFINITY, upper: f64::INFINITY, time: 0.0, absolute };
        let limits = minimum_gap.limits();
        let mut open = Vec::new();
        for (number, smooth_interval) in smooth_intervals.iter().enumerate() {
            let TimeInterval { start, end } = smooth_interval.interval();
            let [from, to] = [start, end].map(|time| self.distance_at(time, 0.5 * (start + end), &limits));
            minimum_gap.add_sample(&from);
            minimum_gap.add_sample(&to);
            open.push(OpenGapInterval { from, to, smooth_interval: number });
        }
        let mut samples = MAX_SAMPLES;
        while samples > 0
            && let Some(interval) = open.pop()
        {
            if self.watch.is_over() {
                open.push(interval);
                break;
            }
            samples -= u32::from(self.cut(interval, &smooth_intervals, (&mut minimum_gap, &mut open)));
        }
        // In order of time, since a front moves forward in time.
        open.sort_by(|x, y| x.from.time.total_cmp(&y.from.time));
        let mut last = None;
        for interval in open {
            if last != Some(interval.smooth_interval) {
                self.memory.forget();
                last = Some(interval.smooth_interval);
            }
            if !self.follow(&interval, &smooth_intervals[interval.smooth_interval], &mut minimum_gap)? {
                minimum_gap.lower = 0.0;
                break;
            }
        }
        Ok(([minimum_gap.lower.clamp(0.0, minimum_gap.upper), minimum_gap.upper], minimum_gap.time))
    }

    /// Decides an interval, or cuts it in two. Returns whether this took a sample.
    fn cut(
        &mut self,
        OpenGapInterval { from, to, smooth_interval }: OpenGapInterval,
        smooth_intervals: &[MotionInterval],
        (minimum_gap, open): (&mut MinimumGap, &mut Vec<OpenGapInterval>),
    ) -> bool {
        let length = to.time - from.time;
        let max_change = self.relative.speed(from.time, to.time) * length;
        let bound = 0.5 * (from.lower + to.lower - max_change);
        let cut = 0.5 * (from.time + to.time);
        if bound >= minimum_gap.target_distance() || cut <= from.time || cut >= to.time {
            minimum_gap.lower = minimum_gap.lower.min(bound.min(from.lower).min(to.lower));
            return false;
        }
        let TimeInterval { start, end } = smooth_intervals[smooth_interval].interval();
        let cut = self.distance_at(cut, 0.5 * (start + end), &minimum_gap.limits());
        minimum_gap.add_sample(&cut);
        // The nearer half comes first: its gaps lower the smallest gap found for the other half.
        let mut halves = [
            OpenGapInterval { from, to: cut, smooth_interval },
            OpenGapInterval { from: cut, to, smooth_interval },
        ];
        if from.upper < to.upper {
            halves.reverse();
        }
        open.extend(halves);
        true
    }

    /// Proves a lower bound of the gap from the start of an interval to its end. Returns whether this succeeded.
    fn follow(
        &mut self,
        interval: &OpenGapInterval,
        smooth_interval: &MotionInterval,
        minimum_gap: &mut MinimumGap,
    ) -> Result<bool, Error> {
        let TimeInterval { start, end } = smooth_interval.interval();
        let duration = self.relative.end();
        let mut at = interval.from;
        // The length of the next screw, for round bodies.
        let mut length = interval.to.time - interval.from.time;
        while at.time < interval.to.time {
            if self.watch.is_over() || self.is_spent() {
                return Ok(false);
            }
            let target = minimum_gap.target_distance();
            if target <= 0.0 {
                // The gap is too small to prove a lower bound.
                return Ok(false);
            }
            let goal = SeparationGoal { distance: target, min_step: MIN_STEP * duration };
            let to = (at.time + length).min(interval.to.time);
            let (motion, times) = ((self.relative, smooth_interval), (at.time, to, end));
            let until = self.pair.separated_until(self.memory, motion, times, (&goal, &mut self.budget))?;
            let mut until = until.min(interval.to.time);
            if until >= to {
                length *= 2.0;
            } else if !self.pair.is_of_meshes() {
                length *= 0.5;
            }
            let mut proven = target;
            if until <= at.time {
                // The speed is bounded, so part of the gap remains for some time.
                let reduction = (at.lower - target).max(MIN_REDUCTION * (minimum_gap.upper - target));
                let speed = self.relative.speed(at.time, to);
                if speed.is_infinite() && length > MIN_STEP * duration {
                    // The speed has no bound somewhere in this time.
                    length *= 0.5;
                    continue;
                }
                until = (at.time + INSIDE * reduction / speed).min(to);
                proven = target.min(at.lower - reduction);
                // A NaN proves nothing.
                if until.is_nan() || until <= at.time {
                    return Ok(false);
                }
            }
            minimum_gap.lower = minimum_gap.lower.min(proven);
            if until >= interval.to.time {
                break;
            }
            at = self.distance_at(until, 0.5 * (start + end), &minimum_gap.limits());
            minimum_gap.add_sample(&at);
        }
        Ok(true)
    }
}
