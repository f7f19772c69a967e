//! The minimum distance of two moving meshes, and their distance at a time.
//!
//! Paths are treated as straight in each interval; the deviation of the true paths is bounded. If it is too large
//! for the required accuracy, the interval is halved.

use glam::DVec3;

use crate::deformable::against_round::RoundGap;
use crate::deformable::contact_intervals::DeformablePair;
use crate::deformable::faces::SeenGap;
use crate::deformable::hierarchy::VertexMotion;
use crate::deformable::least::{GapGoal, StepBoxes, StepGap, minimum_distance};
use crate::error::Error;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::motion::carried::OUTSIDE;

/// The minimum distance is computed to this fraction of itself, or to this length in metres for bodies of a metre or
/// more. If the smaller body is less than a metre, the length is smaller in proportion.
const SHARE: f64 = 0.005;
const ABSOLUTE: f64 = 4e-6;

/// The minimum gap of two moving meshes, including all errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DeformableDistance {
    /// Enclosure, in metres; the lower end is 0 if the budget did not suffice.
    pub(crate) bounds: [f64; 2],
    /// A time, in seconds, at which the gap is at most the upper end.
    pub(crate) time: f64,
    /// Points at most this far apart then, of the first and of the second mesh, in the common frame.
    pub(crate) points: [DVec3; 2],
}

impl DeformablePair<'_> {
    /// The minimum gap over the whole duration; 0 for one mesh with itself. `size` is the diagonal of the smaller
    /// body, in metres.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn minimum_distance(
        &mut self,
        size: f64,
        budget: &mut Budget<'_>,
    ) -> Result<DeformableDistance, Error> {
        let absolute = ABSOLUTE * size.min(1.0);
        let mut least =
            DeformableDistance { bounds: [f64::INFINITY; 2], time: 0.0, points: [DVec3::ZERO; 2] };
        let mut ends = StepBoxes::default();
        // From the last to the first.
        let breaks = self.breaks();
        let stretches = breaks.windows(2).rev();
        let mut waiting: Vec<(TimeInterval, f64)> = stretches
            .map(|ends| TimeInterval::new(ends[0], ends[1]))
            .map(|span| (span, span.middle()))
            .collect();
        while let Some((span, within)) = waiting.pop() {
            if self.pay(budget).is_err() {
                least.bounds[0] = 0.0;
                break;
            }
            let off = self.move_to(span, within)?;
            // Both meshes may deviate.
            let off = 2.0 * (off.chord + off.rounding) * OUTSIDE;
            let upper = least.bounds[1];
            let room = (SHARE * upper).max(absolute);
            let wanted =
                GapGoal { known: upper + off, share: 0.5 * SHARE, absolute: (0.5 * absolute).max(off) };
            let found = self.gap_of_piece(&mut ends, (span, within), &wanted, budget);
            let proven = found.lower - off;
            let is_good = proven >= upper - room;
            let TimeInterval { start: from, end: to } = span;
            if let Some(seen) = found.seen
                && seen.upper + off < upper
            {
                least.bounds[1] = seen.upper + off;
                least.time = (from + seen.time * (to - from)).clamp(from, to);
                least.points = seen.points;
            }
            let is_rough = !off.is_finite() || 4.0 * off > (SHARE * least.bounds[1]).max(absolute);
            if !is_good && is_rough && self.can_be_halved(span) {
                let middle = 0.5 * (from + to);
                waiting.extend([
                    (TimeInterval::new(middle, to), within),
                    (TimeInterval::new(from, middle), within),
                ]);
                continue;
            }
            let proven = if proven.is_nan() { 0.0 } else { proven };
            least.bounds[0] = least.bounds[0].min(proven);
            if !found.is_complete {
                break;
            }
        }
        if !waiting.is_empty() {
            least.bounds[0] = 0.0;
        }
        least.bounds[0] = least.bounds[0].clamp(0.0, least.bounds[1].max(0.0));
        Ok(least)
    }

    /// The distance of two meshes at a time; 0 for one mesh with itself.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn gap_at(&mut self, time: f64, budget: &mut Budget<'_>) -> Result<DeformableDistance, Error> {
        let off = self.move_to(TimeInterval::new(time, time), time)?;
        let off = 2.0 * off.rounding * OUTSIDE;
        let wanted = GapGoal { known: f64::INFINITY, share: SHARE, absolute: off };
        let found = self.gap_of_piece(
            &mut StepBoxes::default(),
            (TimeInterval::new(time, time), time),
            &wanted,
            budget,
        );
        let (upper, points) =
            found.seen.map_or((f64::INFINITY, [DVec3::ZERO; 2]), |seen| (seen.upper + off, seen.points));
        let lower = (found.lower - off).max(0.0);
        Ok(DeformableDistance { bounds: [lower.min(upper), upper], time, points })
    }

    /// The minimum gap in the current interval, as if paths were straight.
    fn gap_of_piece(
        &self,
        ends: &mut StepBoxes,
        (span, within): (TimeInterval, f64),
        wanted: &GapGoal,
        budget: &mut Budget<'_>,
    ) -> StepGap {
        if let Some(sides) = self.round_sides(span, within, 0.0) {
            let RoundGap { lower, seen, is_complete } = sides.nearest(wanted, budget);
            let seen = seen.map(|seen| {
                let [own, other] = seen.points;
                let points = if sides.way.is_first() { [own, other] } else { [other, own] };
                SeenGap { upper: seen.upper, time: seen.time, points }
            });
            return StepGap { lower, seen, is_complete };
        }
        let centre = self.centre();
        for side in 0..2 {
            // One mesh with itself is both sides.
            let own = side.min(self.courses.len() - 1);
            let ways = [(&self.begin[own], &mut ends.begin[side]), (&self.end[own], &mut ends.end[side])];
            for (places, fitted) in ways {
                let motion = VertexMotion { begin: places, end: places, centre };
                self.trees[own].fit(self.courses[own].mesh(), &motion, 0.0, fitted);
            }
        }
        minimum_distance((&self.sides(), ends), wanted, budget)
    }
}
