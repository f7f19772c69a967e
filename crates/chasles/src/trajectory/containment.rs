//! Solid bodies: time spent entirely inside a solid body counts as contact.
//!
//! A piece of a surface can enter or leave a closed surface only where the two intersect, or by a jump. So one
//! query in each interval without contact decides whether the piece is inside throughout the interval.

use crate::mesh_screw::timed::{PoseState, TimedContact};
use crate::motion::relative::RelativeMotion;
use crate::trajectory::contact_intervals::ContactTimeline;

/// Adds the times at which `is_inside` holds to the intervals of contact. In an interval without contact or jump it
/// holds throughout or nowhere, so it is evaluated once in each such interval.
pub(crate) fn add_times_inside(
    timeline: &mut ContactTimeline,
    relative: &RelativeMotion<'_>,
    is_inside: impl Fn(f64) -> bool,
) {
    let duration = relative.end();
    let mut all: Vec<TimedContact> = Vec::with_capacity(timeline.intervals.len());
    let mut known_from = 0.0;
    let contacts = std::mem::take(&mut timeline.intervals);
    let ends = contacts.iter().map(|contact| (contact.enter[0], Some(contact))).chain([(duration, None)]);
    for (to, next) in ends {
        for [from, to] in decided_parts(&relative.breaks, timeline, known_from, to) {
            if is_inside(0.5 * (from + to)) {
                if from <= 0.0 {
                    timeline.start = PoseState::Intersecting;
                }
                let exit = (to < duration).then_some([to; 2]);
                add(&mut all, TimedContact { exit, ..TimedContact::throughout(from) });
            }
        }
        let Some(next) = next else { break };
        add(&mut all, *next);
        known_from = next.exit.map_or(duration, |exit| exit[1]);
    }
    timeline.intervals = all;
}

/// Maximum number of intervals in which [`first_time_inside`] evaluates `is_inside`.
const MAX_QUERIES: usize = 256;

/// When a part is first inside: the start of the first interval without contact or jump in which `is_inside` holds.
/// A motion without contact or jump costs one evaluation.
pub(crate) fn first_time_inside(
    timeline: &ContactTimeline,
    relative: &RelativeMotion<'_>,
    is_inside: impl Fn(f64) -> bool,
) -> Option<f64> {
    let duration = relative.end();
    let jumps: Vec<f64> = relative.breaks.iter().copied().filter(|cut| relative.jumps_at(*cut)).collect();
    let starts = [0.0]
        .into_iter()
        .chain(timeline.intervals.iter().map(|contact| contact.exit.map_or(duration, |exit| exit[1])));
    let ends = timeline.intervals.iter().map(|contact| contact.enter[0]).chain([duration]);
    let free = starts.zip(ends).flat_map(|(from, to)| decided_parts(&jumps, timeline, from, to));
    free.take(MAX_QUERIES).find(|[from, to]| is_inside(0.5 * (from + to))).map(|[from, _]| from)
}

/// Adds an interval, joined to the previous one if they touch or overlap.
fn add(all: &mut Vec<TimedContact>, next: TimedContact) {
    match all.last_mut().filter(|last| last.exit.is_some_and(|exit| next.enter[0] <= exit[1])) {
        Some(last) => {
            last.exit = next.exit;
            last.touching &= next.touching;
        }
        None => all.push(next),
    }
}

/// The decided parts of a time interval, cut where a motion may jump.
fn decided_parts(breaks: &[f64], timeline: &ContactTimeline, from: f64, to: f64) -> Vec<[f64; 2]> {
    let mut cuts = vec![from];
    cuts.extend(breaks.iter().copied().filter(|cut| *cut > from && *cut < to));
    cuts.push(to);
    let known = |[from, to]: &[f64; 2]| {
        to > from && !timeline.undecided.iter().any(|undecided| undecided.from < *to && undecided.to > *from)
    };
    cuts.windows(2).map(|pair| [pair[0], pair[1]]).filter(known).collect()
}
