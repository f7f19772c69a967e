//! When two surfaces are within a distance during a step.
//!
//! Pairs of faces whose boxes are that near are bounded on time intervals that are halved: the surfaces are within
//! the distance if one pair is throughout, and beyond if all pairs are.

use crate::deformable::step::candidates::SurfacePair;
use crate::deformable::step::cover::{
    HalvingLimits, OpenDistance, StepIntervals, halved, intervals_of_cover,
};
use crate::deformable::step::faces::MovingTriangles;
use crate::deformable::step::meeting_intervals::Accuracy;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::interval::Side;

/// A distance in metres, and the accuracy of its test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DistanceThreshold {
    pub(crate) distance: f64,
    /// The rounding error of positions, in metres. An excess of this size is within rounding of zero: see
    /// [`Self::tolerance_of`].
    pub(crate) level: f64,
    pub(crate) accuracy: Accuracy,
}

impl DistanceThreshold {
    /// A gap counts as within the distance if its excess is at most this: the rounding errors of positions and of
    /// one sample, but no more than the touching distance. If rounding errors are larger, the result is undecided.
    pub(crate) fn tolerance_of(&self, of_sample: f64) -> f64 {
        (self.level + of_sample).min(self.accuracy.touching.distance)
    }
}

/// A gap whose excess is below this multiple of its rounding error cannot be distinguished from the distance.
const LEVEL: f64 = 4.0;

/// The maximum number of stored pairs of faces.
const MAX_PAIRS: usize = 1 << 20;

/// The maximum number of undecided intervals at a time: a gap that hovers at the distance must not take forever.
const MAX_OPEN: usize = 64;

/// The times at which the sides, whose boxes are enlarged by half of the distance, are within the distance.
///
/// # Errors
/// [`OutOfBudget`], or there are more pairs of faces than can be stored.
pub(crate) fn near_intervals(
    sides: &SurfacePair<'_>,
    nearby: &DistanceThreshold,
    budget: &mut Budget<'_>,
) -> Result<StepIntervals, OutOfBudget> {
    let DistanceThreshold { distance, accuracy, .. } = *nearby;
    // Both vertices may deviate from their straight paths.
    let deviation = 2.0 * accuracy.deviation;
    let beyond = distance + deviation;
    let mut pairs = Vec::new();
    sides.faces(budget, |faces, budget| {
        budget.step()?;
        if pairs.len() >= MAX_PAIRS {
            return Err(OutOfBudget);
        }
        if !is_beyond(sides, faces, [0.0, 1.0], beyond) {
            pairs.push(faces);
        }
        Ok(())
    })?;
    let limits = HalvingLimits { narrowest: accuracy.narrowest, max_open: MAX_OPEN };
    let (cover, undecided) = halved(pairs, [0.0, 1.0], limits, budget, |faces, span, budget| {
        budget.step()?;
        let gap = MovingTriangles::new(sides, faces).gap(span, beyond.next_up());
        let within = distance + nearby.tolerance_of(LEVEL * gap.rounding) - deviation;
        if gap.upper <= within {
            return Ok(Side::Within);
        }
        // A NaN compares false, so it proves nothing.
        if gap.lower > beyond {
            return Ok(Side::Beyond);
        }
        let touched = (gap.sample.upper <= within).then_some(gap.sample.time);
        Ok(Side::Undecided(OpenDistance { upper: gap.upper, touched }))
    })?;
    Ok(intervals_of_cover(&cover, undecided.into_iter()))
}

/// Whether two faces are further apart than a distance between two times.
fn is_beyond(sides: &SurfacePair<'_>, faces: [u32; 2], span: [f64; 2], distance: f64) -> bool {
    MovingTriangles::new(sides, faces).gap(span, distance.next_up()).lower > distance
}
