//! When two surfaces are within a distance during a step.
//!
//! Pairs of faces whose boxes come that near are told on spans of time that are halved: a span is within the distance
//! where one pair is throughout, and beyond where all pairs are.

use crate::deforming::candidates::Sides;
use crate::deforming::contact_spans::{ContactSpans, Cover};
use crate::deforming::faces::Faces;
use crate::deforming::spans::{Accuracy, join};
use crate::math::budget::{Budget, OutOfBudget};

/// A distance in metres, and how exactly it is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearby {
    pub(super) distance: f64,
    /// What exceeds the distance by no more than this counts as within: rounding cannot tell.
    pub(super) level: f64,
    pub(super) accuracy: Accuracy,
}

/// A gap that exceeds the distance by less than so many of its roundings cannot be told from it.
const LEVEL: f64 = 4.0;

/// Pairs of faces that are kept, at most.
const MOST_PAIRS: usize = 1 << 20;

/// Spans in doubt at a time, at most: what hovers at the distance must not take forever.
const MOST: usize = 64;

/// What one look at something tells of it between two times.
#[derive(Debug, Clone, Copy)]
pub(super) enum Look {
    /// It is beyond the distance throughout.
    Beyond,
    /// It is within the distance throughout.
    Within,
    /// Neither is known.
    Open {
        /// It is no further away than this throughout, in metres.
        at_most: f64,
        /// A time at which it is within the distance.
        touched: Option<f64>,
    },
}

/// What may be within the distance between two times.
struct Open<T> {
    span: [f64; 2],
    near: Vec<T>,
}

/// The times at which the sides, whose boxes are enlarged by half of the distance, are within it.
///
/// # Errors
/// [`OutOfBudget`], or more pairs of faces than can be kept.
pub(super) fn near_spans(
    sides: &Sides<'_>,
    nearby: &Nearby,
    budget: &mut Budget<'_>,
) -> Result<ContactSpans, OutOfBudget> {
    let Nearby { distance, level, accuracy } = *nearby;
    // Every vertex may be off its straight way.
    let off = 2.0 * accuracy.off;
    let (beyond, within) = (distance + off, distance + level - off);
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
    halved(pairs, (accuracy.narrowest, MOST), budget, |faces, span, budget| {
        budget.step()?;
        let gap = Faces::new(sides, faces).gap(span, beyond.next_up());
        let within = within + LEVEL * gap.rounding;
        if gap.at_most <= within {
            return Ok(Look::Within);
        }
        // A NaN proves nothing.
        if gap.at_least > beyond {
            return Ok(Look::Beyond);
        }
        let touched = (gap.seen.at_most <= within).then_some(gap.seen.time);
        Ok(Look::Open { at_most: gap.at_most, touched })
    })
}

/// The times at which one of these is within the distance; spans in doubt are halved, down to the narrowest, or until
/// there are more than so many.
///
/// # Errors
/// [`OutOfBudget`], or what `look` says.
pub(super) fn halved<'w, T: Copy>(
    near: Vec<T>,
    (narrowest, most): (f64, usize),
    budget: &mut Budget<'w>,
    mut look: impl FnMut(T, [f64; 2], &mut Budget<'w>) -> Result<Look, OutOfBudget>,
) -> Result<ContactSpans, OutOfBudget> {
    let (mut cover, mut doubts) = (Cover::default(), Vec::new());
    let mut waiting = if near.is_empty() { vec![] } else { vec![Open { span: [0.0, 1.0], near }] };
    while !waiting.is_empty() {
        let is_last = waiting.len() > most;
        let mut halves = Vec::new();
        for Open { span: [from, to], near } in waiting {
            let mut left: Vec<T> = Vec::new();
            let (mut is_within, mut nearest, mut touched) = (false, f64::INFINITY, None);
            for one in near {
                match look(one, [from, to], budget)? {
                    Look::Within => {
                        is_within = true;
                        break;
                    }
                    Look::Beyond => {}
                    Look::Open { at_most, touched: time } => {
                        touched = touched.or(time);
                        left.push(one);
                        // The likeliest comes first.
                        if at_most < nearest {
                            nearest = at_most;
                            let last = left.len() - 1;
                            left.swap(0, last);
                        }
                    }
                }
            }
            let middle = 0.5 * (from + to);
            if is_within {
                cover.add([from, to]);
            } else if left.is_empty() {
                continue;
            } else if is_last || to - from <= narrowest {
                // It may come that near for a moment alone.
                if let Some(time) = touched {
                    cover.add([time; 2]);
                }
                doubts.push([from, to]);
            } else {
                halves.push(Open { span: [from, middle], near: left.clone() });
                halves.push(Open { span: [middle, to], near: left });
            }
        }
        waiting = halves;
    }
    join(&mut doubts);
    Ok(cover.told(doubts.into_iter()))
}

/// Whether two faces are further apart than a distance between two times.
fn is_beyond(sides: &Sides<'_>, faces: [u32; 2], (span, distance): ([f64; 2], f64)) -> bool {
    Faces::new(sides, faces).gap(span, distance.next_up()).at_least > distance
}
