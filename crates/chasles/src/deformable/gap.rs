//! The minimum distance of two moving meshes, and their distance at a time.
//!
//! Paths are treated as straight in each interval; the deviation of the true paths is bounded. If it is too large
//! for the required accuracy, the interval is halved.

use glam::DVec3;

use crate::deformable::DeformablePair;
use crate::deformable::against_round::RoundGap;
use crate::deformable::moving_mesh::SmoothPart;
use crate::deformable::step::faces::SampledGap;
use crate::deformable::step::hierarchy::VertexMotion;
use crate::deformable::step::least::{GapGoal, StepBoxes, StepGap, minimum_distance};
use crate::error::Error;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::motion::chain::OUTSIDE;

/// The accuracy of the minimum distance is the larger of this fraction of it and this length in metres. If the smaller
/// body is less than a metre, the length is smaller in proportion.
const RELATIVE_ACCURACY: f64 = 0.005;
const ABSOLUTE_ACCURACY: f64 = 4e-6;

/// The minimum gap of two moving meshes, including all errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DeformableDistance {
    /// Enclosure, in metres; the lower end is 0 if an interval was not examined because the budget ran out.
    pub(crate) bounds: [f64; 2],
    /// A time, in seconds, at which the gap is at most the upper end.
    pub(crate) time: f64,
    /// A point of the first and one of the second mesh, in the common frame, that are at most the upper end apart at
    /// `time`.
    pub(crate) points: [DVec3; 2],
}

/// The minimum gap over the whole duration; 0 for one mesh with itself, whose adjacent triangles touch. `size` is
/// the diagonal of the smaller body, in metres.
pub(super) fn minimum_gap(
    pair: &mut DeformablePair<'_>,
    size: f64,
    budget: &mut Budget<'_>,
) -> Result<DeformableDistance, Error> {
    let absolute = ABSOLUTE_ACCURACY * size.min(1.0);
    let mut minimum = DeformableDistance { bounds: [f64::INFINITY; 2], time: 0.0, points: [DVec3::ZERO; 2] };
    let mut ends = StepBoxes::default();
    let mut waiting = pair.smooth_parts();
    while let Some(part) = waiting.pop() {
        if pair.pay(budget).is_err() {
            minimum.bounds[0] = 0.0;
            break;
        }
        let error = pair.move_to(part)?;
        // `error` bounds the deviation of each of the two meshes.
        let deviation = 2.0 * (error.chord + error.rounding) * OUTSIDE;
        let upper = minimum.bounds[1];
        let accuracy = (RELATIVE_ACCURACY * upper).max(absolute);
        let goal = GapGoal {
            known: upper + deviation,
            relative: 0.5 * RELATIVE_ACCURACY,
            absolute: (0.5 * absolute).max(deviation),
        };
        let found = gap_of_part(pair, &mut ends, part, &goal, budget);
        let proven = found.lower - deviation;
        let is_good = proven >= upper - accuracy;
        let TimeInterval { start: from, end: to } = part.interval;
        if let Some(sample) = found.sample
            && sample.upper + deviation < upper
        {
            minimum.bounds[1] = sample.upper + deviation;
            minimum.time = (from + sample.time * (to - from)).clamp(from, to);
            minimum.points = sample.points;
        }
        let is_rough =
            !deviation.is_finite() || 4.0 * deviation > (RELATIVE_ACCURACY * minimum.bounds[1]).max(absolute);
        if !is_good && is_rough && pair.can_be_halved(part.interval) {
            waiting.extend(part.halves());
            continue;
        }
        let proven = if proven.is_nan() { 0.0 } else { proven };
        minimum.bounds[0] = minimum.bounds[0].min(proven);
        if !found.is_complete {
            break;
        }
    }
    if !waiting.is_empty() {
        minimum.bounds[0] = 0.0;
    }
    minimum.bounds[0] = minimum.bounds[0].clamp(0.0, minimum.bounds[1].max(0.0));
    Ok(minimum)
}

/// The distance of two meshes at a time; 0 for one mesh with itself.
pub(super) fn gap_at(
    pair: &mut DeformablePair<'_>,
    time: f64,
    budget: &mut Budget<'_>,
) -> Result<DeformableDistance, Error> {
    let part = SmoothPart::at(time);
    let deviation = 2.0 * pair.move_to(part)?.rounding * OUTSIDE;
    let goal = GapGoal { known: f64::INFINITY, relative: RELATIVE_ACCURACY, absolute: deviation };
    let found = gap_of_part(pair, &mut StepBoxes::default(), part, &goal, budget);
    let (upper, points) = found
        .sample
        .map_or((f64::INFINITY, [DVec3::ZERO; 2]), |sample| (sample.upper + deviation, sample.points));
    let lower = (found.lower - deviation).max(0.0);
    Ok(DeformableDistance { bounds: [lower.min(upper), upper], time, points })
}

/// The minimum gap in the current interval, as if paths were straight.
fn gap_of_part(
    pair: &DeformablePair<'_>,
    ends: &mut StepBoxes,
    part: SmoothPart,
    goal: &GapGoal,
    budget: &mut Budget<'_>,
) -> StepGap {
    if let Some(sides) = pair.round_sides(part, 0.0) {
        let RoundGap { lower, sample, is_complete } = sides.nearest(goal, budget);
        let sample = sample.map(|sample| {
            let [own, other] = sample.points;
            let points = if sides.path.is_first() { [own, other] } else { [other, own] };
            SampledGap { upper: sample.upper, time: sample.time, points }
        });
        return StepGap { lower, sample, is_complete };
    }
    let centre = pair.centre();
    for side in 0..2 {
        // One mesh with itself is both sides.
        let own = side.min(pair.moving_meshes.len() - 1);
        let ends_of_side = [(&pair.start[own], &mut ends.start[side]), (&pair.end[own], &mut ends.end[side])];
        for (positions, fitted) in ends_of_side {
            // Boxes of the positions at one end.
            let motion = VertexMotion { start: positions, end: positions, centre };
            pair.trees[own].fit(pair.moving_meshes[own].mesh(), &motion, 0.0, fitted);
        }
    }
    minimum_distance(&pair.sides(), ends, goal, budget)
}
