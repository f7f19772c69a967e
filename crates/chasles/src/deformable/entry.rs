//! The two features with which a contact starts: the first pair that meets on straight paths around its start.

use crate::deformable::DeformablePair;
use crate::deformable::against_round::NearestSample;
use crate::deformable::contacts::seconds;
use crate::deformable::elementary::features::{FeatureContact, FeatureMeeting, MovingFeatures, MovingKind};
use crate::deformable::events::DeformingEvent;
use crate::deformable::moving_mesh::SmoothPart;
use crate::deformable::step::candidates::SurfacePair;
use crate::deformable::step::first_contact;
use crate::deformable::step::least::GapGoal;
use crate::deformable::step::meeting_intervals::MovingPoints;
use crate::error::Error;
use crate::features::contact::ContactFeatures;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;

/// The features that meet first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FirstFeatures {
    pub(crate) event: DeformingEvent,
    /// The speed of approach along the normal, in metres per second; negative if the features separate.
    pub(crate) speed: f64,
    /// The ends of the interval between frames, or of the smooth interval, in which they meet, in seconds.
    pub(crate) span: [f64; 2],
}

/// Paths are first examined this close to the start, as a fraction of the interval: there curved paths are nearly
/// straight, and few features are near.
const NEAR: f64 = 1e-5;

/// The features must meet this close to the start, as a fraction of the duration. The gap of a round body must be
/// less than this fraction of the surface's size.
const START_TOLERANCE: f64 = 1e-6;

/// The closing speed of a gap is measured over this fraction of the interval.
const CLOSING: f64 = 1e-6;

/// The features with which a contact starts. `None` if the contact starts at time 0 or at a jump, if the budget
/// does not suffice, or if straight paths are inconclusive, as when a curved path grazes. The bodies are
/// separated from `separated` to the start.
pub(super) fn entry(
    pair: &mut DeformablePair<'_>,
    enter: [f64; 2],
    separated: f64,
    budget: &mut Budget<'_>,
) -> Result<Option<FirstFeatures>, Error> {
    for ends in pair.breaks().windows(2).filter(|ends| ends[0] < enter[1] && enter[0] <= ends[1]) {
        let (start, end) = (ends[0], ends[1]);
        let first =
            if separated <= start { start } else { start.max((0.5 * (separated + enter[0])).min(enter[0])) };
        if pair.round.is_some() {
            return round_entry(pair, enter, TimeInterval::new(start, end), budget);
        }
        let margin = NEAR * (end - start);
        for (from, to) in [(first.max(enter[0] - margin), end.min(enter[1] + margin)), (first, end)] {
            if from >= to || pair.pay(budget).is_err() {
                continue;
            }
            let part = SmoothPart { interval: TimeInterval::new(from, to), within: 0.5 * (start + end) };
            pair.move_to(part)?;
            pair.fit_boxes(0.0);
            let tolerance = START_TOLERANCE * pair.duration;
            let is_here = |event: &DeformingEvent| {
                event.contact.time[0] <= enter[1] + tolerance && event.contact.time[1] >= enter[0] - tolerance
            };
            let found =
                first_event(pair, TimeInterval::new(from, to), budget).filter(|(event, _)| is_here(event));
            if let Some((event, speed)) = found {
                return Ok(Some(FirstFeatures { event, speed, span: [start, end] }));
            }
        }
    }
    Ok(None)
}

/// The place where a round body and a surface first touch, and the closing speed of their gap then.
fn round_entry(
    pair: &mut DeformablePair<'_>,
    enter: [f64; 2],
    TimeInterval { start, end }: TimeInterval,
    budget: &mut Budget<'_>,
) -> Result<Option<FirstFeatures>, Error> {
    // At this time they are still separated, so that there is a direction.
    let (within, time) = (0.5 * (start + end), enter[0].clamp(start, end));
    if pair.pay(budget).is_err() {
        return Ok(None);
    }
    let moment = SmoothPart { interval: TimeInterval::new(time, time), within };
    pair.move_to(moment)?;
    let Some(sides) = pair.round_sides(moment, 0.0) else {
        return Ok(None);
    };
    let is_first = sides.path.is_first();
    let goal = GapGoal { known: f64::INFINITY, relative: 0.0, absolute: 0.0 };
    let found = sides.nearest(&goal, budget);
    let size = pair.moving_meshes.iter().map(|moving_mesh| moving_mesh.mesh().diagonal()).fold(0.0, f64::max);
    let is_near = |sample: &NearestSample| found.is_complete && sample.upper <= START_TOLERANCE * size;
    let Some(sample) = found.sample.filter(is_near) else { return Ok(None) };
    // From a little earlier (or from the start of the interval) to a little later.
    let step = CLOSING * (end - start);
    let from = (enter[0] - step).max(start);
    let span = TimeInterval::new(from, (from + step).min(end));
    let part = SmoothPart { interval: span, within };
    pair.move_to(part)?;
    let closing = pair.round_sides(part, 0.0).map_or(0.0, |sides| {
        let [before, after] = [0.0, 1.0].map(|fraction| sides.gap_of(sample.face, fraction));
        (before - after) / span.length()
    });
    let (features, normal) = if is_first {
        (ContactFeatures::Surfaces { a: None, b: Some(sample.face) }, sample.normal)
    } else {
        (ContactFeatures::Surfaces { a: Some(sample.face), b: None }, -sample.normal)
    };
    let point = 0.5 * (sample.points[0] + sample.points[1]);
    let contact = FeatureContact { time: enter, weights: [0.0; 2], point, normal, touching: true };
    let event = DeformingEvent { features, contact };
    Ok(Some(FirstFeatures { event, speed: closing, span: [start, end] }))
}

/// The first event of the current interval, and the speed of approach of its features.
fn first_event(
    pair: &DeformablePair<'_>,
    span: TimeInterval,
    budget: &mut Budget<'_>,
) -> Option<(DeformingEvent, f64)> {
    let sides = pair.sides();
    let mut first: Option<(ContactFeatures, FeatureContact)> = None;
    let searched = sides.features(budget, |features, budget| {
        budget.step()?;
        if first.as_ref().is_some_and(|first| comes_after(first, &sides, &features)) {
            return Ok(());
        }
        let FeatureMeeting::Contact(contact) = first_contact(&sides, &features, 0.0, budget) else {
            return Ok(());
        };
        let order = |(features, contact): &(ContactFeatures, FeatureContact)| (contact.time, *features);
        let own = (features, contact);
        let is_sooner = first.as_ref().is_none_or(|first| {
            let (([lo, hi], f), ([other_lo, other_hi], g)) = (order(&own), order(first));
            lo.total_cmp(&other_lo).then(hi.total_cmp(&other_hi)).then(f.cmp(&g)).is_lt()
        });
        if is_sooner {
            first = Some(own);
        }
        Ok(())
    });
    searched.ok()?;
    let (features, contact) = first?;
    let moving = sides.moving(&features)?;
    let approach = displacement_between(&moving, contact.weights).dot(contact.normal);
    // For a face and a vertex, the vertex of the second body comes first in `moving`, and the normal leads to it.
    let approach = if matches!(features, ContactFeatures::FaceVertex { .. }) { -approach } else { approach };
    let time = seconds(contact.time, span);
    Some((
        DeformingEvent { features, contact: FeatureContact { time, ..contact } },
        approach / (span.end - span.start),
    ))
}

/// Whether features are known to come after the first in the order of time and features: either the first meet at
/// the start of the step, or the first meet at its end and these features cannot meet earlier.
fn comes_after(
    (first, contact): &(ContactFeatures, FeatureContact),
    sides: &SurfacePair<'_>,
    features: &ContactFeatures,
) -> bool {
    if features < first {
        return false;
    }
    contact.time == [0.0; 2]
        || contact.time == [1.0; 2]
            && sides
                .moving(features)
                .is_some_and(|moving| MovingPoints::Features(moving).is_separated_between([false, true]))
}

/// The displacement of the first feature's nearest point relative to the second feature's.
fn displacement_between(moving: &MovingFeatures, [u, v]: [f64; 2]) -> glam::DVec3 {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| moving.end[i] - moving.start[i]);
    match moving.kind {
        MovingKind::VertexFace => a - ((1.0 - u - v) * b + u * c + v * d),
        MovingKind::EdgeEdge => (1.0 - u) * a + u * b - ((1.0 - v) * c + v * d),
    }
}
