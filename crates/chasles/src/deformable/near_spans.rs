//! When two surfaces are within a distance during a step.
//!
//! Pairs of faces whose boxes come that near are told on spans of time that are halved: a span is within the distance
//! where one pair is throughout, and beyond where all pairs are.

use crate::deformable::candidates::SurfacePair;
use crate::deformable::cover::{ContactSpans, Look, halved, spans_of_cover};
use crate::deformable::faces::MovingTriangles;
use crate::deformable::spans::Accuracy;
use crate::math::budget::{Budget, OutOfBudget};

/// A distance in metres, and how exactly it is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct DistanceThreshold {
    pub(super) distance: f64,
    /// The rounding of places, in metres. An excess of this much is within rounding of none: see [`Self::tolerance_of`].
    pub(super) level: f64,
    pub(super) accuracy: Accuracy,
}

impl DistanceThreshold {
    /// A gap that exceeds the distance by no more than this counts as within it: the roundings of places and of one look,
    /// but no more than the distance at which surfaces touch. Larger roundings are a doubt.
    pub(super) fn tolerance_of(&self, of_look: f64) -> f64 {
        (self.level + of_look).min(self.accuracy.touching.distance)
    }
}

/// A gap that exceeds the distance by less than so many of its roundings cannot be told from it.
const LEVEL: f64 = 4.0;

/// Pairs of faces that are kept, at most.
const MOST_PAIRS: usize = 1 << 20;

/// Spans in doubt at a time, at most: what hovers at the distance must not take forever.
const MOST: usize = 64;

/// The times at which the sides, whose boxes are enlarged by half of the distance, are within it.
///
/// # Errors
/// [`OutOfBudget`], or more pairs of faces than can be kept.
pub(super) fn near_spans(
    sides: &SurfacePair<'_>,
    nearby: &DistanceThreshold,
    budget: &mut Budget<'_>,
) -> Result<ContactSpans, OutOfBudget> {
    let DistanceThreshold { distance, accuracy, .. } = *nearby;
    // Every vertex may be off its straight way.
    let off = 2.0 * accuracy.off;
    let beyond = distance + off;
    let mut pairs = Vec::new();
    sides.faces(budget, |faces, budget| {
        budget.step()?;
        if pairs.len() >= MOST_PAIRS {
            return Err(OutOfBudget);
        }
        if !is_beyond(sides, faces, ([0.0, 1.0], beyond)) {
            pairs.push(faces);
        }
        Ok(())
    })?;
    let (cover, doubts) =
        halved((pairs, [0.0, 1.0]), (accuracy.narrowest, MOST), budget, |faces, span, budget| {
            budget.step()?;
            let gap = MovingTriangles::new(sides, faces).gap(span, beyond.next_up());
            let within = distance + nearby.tolerance_of(LEVEL * gap.rounding) - off;
            if gap.upper <= within {
                return Ok(Look::Within);
            }
            // A NaN compares false, so it proves nothing.
            if gap.lower > beyond {
                return Ok(Look::Beyond);
            }
            let touched = (gap.seen.upper <= within).then_some(gap.seen.time);
            Ok(Look::Open { upper: gap.upper, touched })
        })?;
    Ok(spans_of_cover(&cover, doubts.into_iter()))
}

/// Whether two faces are further apart than a distance between two times.
fn is_beyond(sides: &SurfacePair<'_>, faces: [u32; 2], (span, distance): ([f64; 2], f64)) -> bool {
    MovingTriangles::new(sides, faces).gap(span, distance.next_up()).lower > distance
}
