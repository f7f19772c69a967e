//! When two moving meshes, or one mesh with itself, meet during an interval in seconds.
//!
//! In a smooth interval, vertices deviate from straight lines by a bounded length; if too large, the interval is
//! halved.

use glam::DVec3;

use crate::deformable::DeformablePair;
use crate::deformable::contacts::{DeformingContacts, SHORTEST, join, seconds};
use crate::deformable::moving_mesh::SmoothPart;
use crate::deformable::step::NARROWEST;
use crate::deformable::step::contact_intervals::contact_intervals;
use crate::deformable::step::cover::{StepInterval, StepIntervals};
use crate::deformable::step::meeting_intervals::{Accuracy, TouchingConditions};
use crate::deformable::step::near_intervals::{DistanceThreshold, near_intervals};
use crate::error::Error;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;

/// The goal of a search, and its accuracy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProximityGoal {
    /// Find the times at which the meshes are at most this far apart, in metres; 0: at which they meet.
    pub(crate) within: f64,
    /// Straight paths that deviate from the true ones by at most this, in metres, are accurate enough.
    pub(crate) tolerance: f64,
}

/// A gap is undecided if its excess over the distance is below this multiple of the rounding of positions.
const LEVEL: f64 = 8.0;

/// If an interval is undecided, it is halved until its straight paths are this near to the true ones, as a fraction
/// of the tolerance. Then the deviations of two surfaces leave room for a proof that they touch.
const FINE: f64 = 0.25;

/// The maximum number of separated intervals that are tested for a body inside a hollow one.
const MAX_SAMPLES: usize = 16;

/// All times at which the pair is within the distance of the goal. Outside of `spans` it is known to be further apart.
pub(super) fn follow(
    pair: &mut DeformablePair<'_>,
    spans: &[[f64; 2]],
    goal: &ProximityGoal,
    budget: &mut Budget<'_>,
) -> Result<DeformingContacts, Error> {
    let mut found = DeformingContacts::default();
    let mut waiting = pair.smooth_parts();
    // The parts are in backward order.
    let first = waiting.last().copied();
    while let Some(part) = waiting.pop() {
        let span = part.interval;
        let TimeInterval { start: from, end: to } = span;
        if !spans.iter().any(|near| near[0] <= to && from <= near[1]) {
            continue;
        }
        if pair.pay(budget).is_err() {
            found.is_spent = true;
            found.undecided.push([from, to]);
            continue;
        }
        let error = pair.move_to(part)?;
        let reach = error.chord + error.rounding;
        let can_be_halved = pair.can_be_halved(span);
        // An infinite bound is never near, even if rounding is infinite too.
        let is_straight = reach.is_finite() && error.chord <= goal.tolerance.max(4.0 * error.rounding);
        let is_near = is_straight || !can_be_halved;
        let is_fine = reach.is_finite() && error.chord <= (FINE * goal.tolerance).max(4.0 * error.rounding);
        let known = if !reach.is_finite() {
            Ok(StepIntervals::undecided())
        } else {
            pair.fit_boxes(reach + 0.5 * goal.within);
            let is_last = is_fine || !can_be_halved;
            let touching = TouchingConditions {
                distance: goal.tolerance,
                narrowest: if is_last { NARROWEST } else { 1.0 },
            };
            let accuracy = Accuracy { deviation: reach, narrowest: NARROWEST, touching };
            let nearby = DistanceThreshold { distance: goal.within, level: LEVEL * error.rounding, accuracy };
            if let Some(sides) = pair.round_sides(part, reach) {
                sides.near_intervals(&nearby, budget)
            } else if goal.within > 0.0 {
                near_intervals(&pair.sides(), &nearby, budget)
            } else {
                chord_errors(pair, span, error.rounding);
                contact_intervals(&pair.sides(), &accuracy, budget)
            }
        };
        let is_decided = |known: &StepIntervals| match known.intervals[..] {
            [] => known.undecided.is_empty(),
            [only] => known.undecided.is_empty() && only == StepInterval { enter: [0.0; 2], exit: [1.0; 2] },
            _ => false,
        };
        match known {
            // Otherwise shorter intervals, with smaller deviations, may prove that the surfaces touch.
            Ok(known)
                if is_decided(&known)
                    || is_near && (known.undecided.is_empty() || is_fine || !can_be_halved) =>
            {
                // A result for the whole interval holds whatever the paths are.
                if !is_decided(&known) {
                    found.deviation = found.deviation.max(error.chord);
                }
                found.contacts.extend(known.intervals.iter().map(|contact| StepInterval {
                    enter: seconds(contact.enter, span),
                    exit: seconds(contact.exit, span),
                }));
                found.undecided.extend(known.undecided.iter().map(|undecided| seconds(*undecided, span)));
                found.certain.extend(known.certain.iter().map(|certain| seconds(*certain, span)));
            }
            Ok(_) | Err(OutOfBudget) if !is_fine && can_be_halved => {
                waiting.extend(part.halves());
            }
            _ => {
                found.is_spent = true;
                found.undecided.push([from, to]);
            }
        }
    }
    join(&mut found, pair.duration);
    if let Some(first) = first
        && found.touches_at_start()
        && goal.within == 0.0
        && pair.round.is_none()
    {
        check_start(pair, first, &mut found, budget)?;
    }
    Ok(found)
}

/// For each vertex, bounds the deviation from its straight path in the current interval.
fn chord_errors(pair: &mut DeformablePair<'_>, span: TimeInterval, rounding: f64) {
    for (moving_mesh, each) in pair.moving_meshes.iter().zip(&mut pair.deviations) {
        moving_mesh.chord_errors(span, each);
        each.iter_mut().for_each(|own| *own += rounding);
    }
}

/// Searches the shortest interval for a proof that surfaces that touch at time 0 also intersect there, and adds it.
fn check_start(
    pair: &mut DeformablePair<'_>,
    first: SmoothPart,
    found: &mut DeformingContacts,
    budget: &mut Budget<'_>,
) -> Result<(), Error> {
    let span = TimeInterval::new(0.0, (SHORTEST * pair.duration).min(first.interval.end));
    if pair.pay(budget).is_err() {
        return Ok(());
    }
    let error = pair.move_to(SmoothPart { interval: span, ..first })?;
    let reach = error.chord + error.rounding;
    if !reach.is_finite() {
        return Ok(());
    }
    pair.fit_boxes(reach);
    let touching = TouchingConditions { distance: 0.0, narrowest: 1.0 };
    let accuracy = Accuracy { deviation: reach, narrowest: NARROWEST, touching };
    // If the budget runs out, there is no proof.
    if let Ok(known) = contact_intervals(&pair.sides(), &accuracy, budget) {
        found.certain.extend(known.certain.iter().map(|certain| seconds(*certain, span)));
    }
    Ok(())
}

/// Adds the intervals without contact in which `is_inside` holds for the vertices of both meshes. A body inside
/// another can come out only through a contact, or at a break, so one sample of each interval suffices.
pub(super) fn add_times_inside(
    pair: &mut DeformablePair<'_>,
    spans: &[[f64; 2]],
    found: &mut DeformingContacts,
    budget: &mut Budget<'_>,
    is_inside: impl Fn(f64, [&[DVec3]; 2]) -> bool,
) -> Result<(), Error> {
    let mut inside = Vec::new();
    for [from, to] in found.separated_intervals(&pair.breaks()) {
        if !spans.iter().any(|near| near[0] <= to && from <= near[1]) {
            continue;
        }
        if pair.pay(budget).is_err() {
            found.is_spent = true;
            found.undecided.push([from, to]);
            continue;
        }
        let middle = 0.5 * (from + to);
        if is_inside(middle, pair.vertices_at(middle)?) {
            inside.push([from, to]);
        }
    }
    found.undecided.sort_by(|x, y| x[0].total_cmp(&y[0]));
    found.add(&inside, pair.duration);
    Ok(())
}

/// The start of the first interval without contact in which `is_inside` holds. At most `MAX_SAMPLES` intervals are
/// sampled.
pub(super) fn first_time_inside(
    pair: &mut DeformablePair<'_>,
    spans: &[[f64; 2]],
    found: &DeformingContacts,
    is_inside: impl Fn(f64, [&[DVec3]; 2]) -> bool,
) -> Result<Option<f64>, Error> {
    let near = |[from, to]: &[f64; 2]| spans.iter().any(|near| near[0] <= *to && from <= &near[1]);
    for [from, to] in found.separated_intervals(&pair.breaks()).into_iter().filter(near).take(MAX_SAMPLES) {
        let middle = 0.5 * (from + to);
        if is_inside(middle, pair.vertices_at(middle)?) {
            return Ok(Some(from));
        }
    }
    Ok(None)
}
