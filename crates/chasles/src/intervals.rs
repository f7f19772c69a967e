//! Intervals: every span of time during which two surfaces intersect or touch.
//!
//! Whether the surfaces intersect changes only where two features meet. So the events of the whole motion cut time into
//! gaps, and one static test in each says what holds throughout it.

use crate::body::Body;
use crate::error::Error;
use crate::math::roots::{Budget, OutOfBudget};
use crate::motion::Screw;
use crate::narrow_phase::collector::{Collector, Wanted};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::event::{Event, Meeting};
use crate::narrow_phase::features::Aim;
use crate::narrow_phase::overlap::{Depth, Overlap, overlap};
use crate::predict::{Counters, Doubt, Options, Outcome, Search};

/// A span of time during which two surfaces intersect or touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Enclosure of its begin; [0, 0] where they do so from the start.
    pub enter: [f64; 2],
    /// Enclosure of its end; `None` where they still do at t = 1.
    pub exit: Option<[f64; 2]>,
    /// The contact with which it begins; `None` where it begins at the start.
    pub contact: Option<Contact>,
    /// Whether the surfaces are nowhere in it known to intersect, only to touch.
    pub touching: bool,
}

/// All intervals of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    /// The answer of [`first_contact`](crate::first_contact).
    pub outcome: Outcome,
    /// In order of time; apart by more than a billionth of the motion. Empty where the outcome is undecided.
    pub intervals: Vec<Interval>,
    /// The tolerance that was used, in metres.
    pub tolerance: f64,
    /// The work it took.
    pub counters: Counters,
}

/// Gaps between events shorter than this, as a share of the motion, are not looked into: what lies on both sides is one
/// interval.
const SHORTEST_GAP: f64 = 1e-9;

/// Every span during which the surfaces of `a`, moving along `screw`, and `b` intersect or touch.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub fn contact_intervals(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Intervals, Error> {
    let search = Search::new(a, b, screw, options)?;
    let found = search.run(Wanted::All, Aim::Contact);
    let mut outcome = found.outcome();
    let mut counters = found.counters;
    let mut intervals = Vec::new();
    let undecided = found.collector.sorted_events().iter().any(|e| e.meeting == Meeting::Undecided);
    if found.complete_until.is_none() && !undecided {
        let mut budget = Budget(options.budget - counters.steps);
        let overlapping = found.overlapping.is_some();
        let spans = contact_spans(&search, (overlapping, found.collector.sorted_events()), &mut budget);
        counters.steps = options.budget - budget.0;
        match spans {
            Ok(spans) => intervals.extend(spans.iter().map(|span| span.interval(|e| found.contact(e)))),
            Err(OutOfBudget) => {
                let clear_until = found.collector.begin().min(1.0);
                outcome = Outcome::Undecided { clear_until, why: Doubt::Budget };
            }
        }
    } else if undecided && !matches!(outcome, Outcome::Undecided { .. }) {
        outcome = Outcome::Undecided { clear_until: found.collector.begin().min(1.0), why: Doubt::Rounding };
    }
    Ok(Intervals { outcome, intervals, tolerance: search.tolerance, counters })
}

/// Events that follow each other without a gap, and what lies after them.
struct Span {
    events: Vec<Event>,
    /// Whether it has lasted since t = 0.
    from_start: bool,
    /// Whether it lasts to t = 1.
    to_end: bool,
    /// Whether the surfaces intersect somewhere in it.
    intersecting: bool,
}

impl Span {
    fn new() -> Self {
        Self { events: Vec::new(), from_start: false, to_end: false, intersecting: false }
    }

    fn interval(&self, contact: impl Fn(&Event) -> Contact) -> Interval {
        let mut first = Collector::new(Wanted::First);
        self.events.iter().for_each(|event| first.add(*event));
        let contact = first.first().filter(|_| !self.from_start).map(|event| contact(&event));
        // It lasts at least until every event has begun to end, and at most until the last has.
        let end = |i: usize| self.events.iter().map(|e| e.end[i]).fold(0.0, f64::max);
        Interval {
            enter: contact.map_or([0.0; 2], |contact| contact.time),
            exit: (!self.to_end).then(|| [end(0), end(1)]),
            contact,
            touching: !self.intersecting,
        }
    }
}

/// Joins events and the gaps between them in which the surfaces intersect.
fn contact_spans(
    search: &Search<'_>,
    (overlapping_at_start, mut events): (bool, Vec<Event>),
    budget: &mut Budget,
) -> Result<Vec<Span>, OutOfBudget> {
    events.sort_by(|x, y| x.lo.total_cmp(&y.lo).then(x.order(y)));
    let mut intersects = |t: f64| -> Result<bool, OutOfBudget> {
        let Overlap { pairs, .. } =
            overlap(search.bodies, &search.motion, t, Depth::Deeper(f64::NEG_INFINITY), budget)?;
        Ok(!pairs.is_empty())
    };
    let mut spans = Vec::new();
    let start = Span { from_start: true, intersecting: true, ..Span::new() };
    let mut open = overlapping_at_start.then_some(start);
    let mut last = 0.0;
    for event in &events {
        let touching_on = open.is_some() && event.lo - last <= SHORTEST_GAP;
        if !touching_on && event.lo > last + SHORTEST_GAP {
            let through = intersects(0.5 * (last + event.lo))?;
            close_or_open(&mut open, &mut spans, through, last);
        }
        let span = open.get_or_insert_with(Span::new);
        // Contact within the first instant is contact from the start.
        span.from_start |= event.lo <= 0.0 && event.since_start;
        last = last.max(event.end[1]);
        span.intersecting |= event.meeting == Meeting::Crossing;
        span.events.push(*event);
    }
    if last + SHORTEST_GAP < 1.0 {
        let through = intersects(0.5 * (last + 1.0))?;
        close_or_open(&mut open, &mut spans, through, last);
    }
    if let Some(mut span) = open {
        span.to_end = true;
        spans.push(span);
    }
    Ok(spans)
}

/// What a gap in which the surfaces do or do not intersect does to the span before it.
fn close_or_open(open: &mut Option<Span>, spans: &mut Vec<Span>, through: bool, last: f64) {
    if through {
        let span = open.get_or_insert_with(Span::new);
        span.intersecting = true;
        // Without an event so far they have intersected since the start.
        span.from_start |= span.events.is_empty() && last <= 0.0;
    } else {
        spans.extend(open.take());
    }
}
