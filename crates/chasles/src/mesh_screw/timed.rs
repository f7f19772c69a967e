//! The contact intervals of two meshes along one screw that takes a given time.

use crate::body::PreparedPair;
use crate::error::Error;
use crate::features::contact::Contact;
use crate::math::budget::Budget;
use crate::mesh_screw::intervals::{ContactInterval, intervals_of};
use crate::mesh_screw::pipeline::{ScrewSearch, Workspace};
use crate::mesh_screw::query::{Options, Outcome, UndecidedReason, UndecidedRest};
use crate::motion::track::TimedScrew;

/// An interval of time during which two surfaces intersect or touch. Times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TimedContact {
    /// Enclosure of the start; [0, 0] if the surfaces are in contact from the start.
    pub(crate) enter: [f64; 2],
    /// Enclosure of the end; `None` if the surfaces are still in contact at the end.
    pub(crate) exit: Option<[f64; 2]>,
    /// The last time at which the surfaces are proven to intersect, not only to touch; minus infinity if they are not.
    /// It may be after the end.
    pub(crate) crossed: f64,
    /// The contact at the start, as the engine computed it, and the screw.
    pub(crate) contact: Option<(Contact, TimedScrew)>,
    /// Whether the surfaces only touch: they are not proven to intersect at any time of the interval.
    pub(crate) touching: bool,
}

impl TimedContact {
    /// The surfaces touch from a time on. The end is set later.
    pub(crate) fn touched(enter: [f64; 2]) -> Self {
        Self { enter, exit: None, crossed: f64::NEG_INFINITY, contact: None, touching: true }
    }

    /// The surfaces intersect from a time on, until the end of the screw.
    pub(crate) fn throughout(start: f64) -> Self {
        Self { crossed: f64::INFINITY, touching: false, ..Self::touched([start; 2]) }
    }
}

/// An interval of time that is not fully decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UndecidedInterval {
    /// In seconds.
    pub(crate) from: f64,
    /// In seconds.
    pub(crate) to: f64,
    pub(crate) reason: UndecidedReason,
}

/// The relation of two surfaces at one pose, or at several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PoseState {
    Separated,
    /// The surfaces only touch.
    Touching,
    Intersecting,
}

/// The contacts found along one screw; times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScrewContacts {
    /// If `from_start`, the first contact has lasted since the start of the screw.
    pub(crate) intervals: Vec<TimedContact>,
    pub(crate) from_start: bool,
    pub(crate) undecided: Option<UndecidedInterval>,
    /// At time 0. Intersecting surfaces are deeper than the tolerance. If it is undecided, they count as separated.
    pub(crate) start: PoseState,
}

impl ScrewContacts {
    /// No contact.
    pub(crate) fn clear() -> Self {
        Self { intervals: Vec::new(), from_start: false, undecided: None, start: PoseState::Separated }
    }

    /// The surfaces intersect all the time.
    pub(crate) fn throughout(start: f64) -> Self {
        Self {
            intervals: vec![TimedContact::throughout(start)],
            from_start: true,
            start: PoseState::Touching,
            ..Self::clear()
        }
    }

    /// The time between `from` and `to` is undecided.
    pub(crate) fn undecided(from: f64, to: f64, reason: UndecidedReason) -> Self {
        Self { undecided: Some(UndecidedInterval { from, to, reason }), ..Self::clear() }
    }

    /// Whether the surfaces are still in contact at the end.
    pub(crate) fn is_open(&self) -> bool {
        self.undecided.is_none() && self.intervals.last().is_some_and(|last| last.exit.is_none())
    }
}

/// The intervals of contact along one screw.
///
/// # Errors
/// As [`contact_intervals`].
pub(crate) fn timed_intervals(
    workspace: &mut Workspace,
    bodies: PreparedPair<'_>,
    timed_screw: &TimedScrew,
    options: &Options,
    budget: &mut Budget<'_>,
) -> Result<ScrewContacts, Error> {
    let options = Options { budget: budget.remaining(), ..*options };
    let search =
        ScrewSearch::new(bodies.a, bodies.b, &timed_screw.screw, &options)?.watched(budget.is_over());
    let found = intervals_of(&search, workspace);
    // If fewer steps remain, this takes the whole budget.
    let _ = budget.take(found.counters.steps);
    let (outcome, intervals, rest) = match found.outcome {
        // Not all intervals could be found, but the first contact is still worth reporting.
        Outcome::Undecided { clear_until, reason } => {
            let first = search.first_contact(workspace);
            let _ = budget.take(first.counters.steps);
            first_only(first.outcome, clear_until, reason)
        }
        // The budget ran out after the overlap at the start was found.
        Outcome::Overlapping(_) if found.intervals.is_empty() => {
            first_only(found.outcome, 0.0, UndecidedReason::Budget)
        }
        outcome => (outcome, found.intervals, None),
    };
    let from_start = intervals.first().is_some_and(|first| first.contact.is_none());
    let start = match outcome {
        Outcome::Overlapping(_) => PoseState::Intersecting,
        _ if from_start => PoseState::Touching,
        _ => PoseState::Separated,
    };
    let intervals = intervals.iter().map(|interval| TimedContact {
        enter: timed_screw.enclosure(interval.enter),
        exit: interval.exit.map(|exit| timed_screw.enclosure(exit)),
        crossed: if interval.touching { f64::NEG_INFINITY } else { timed_screw.not_after(interval.crossed) },
        contact: interval.contact.map(|contact| (contact, *timed_screw)),
        touching: interval.touching,
    });
    let undecided = rest.map(|UndecidedRest { clear_until, reason }| UndecidedInterval {
        from: timed_screw.not_after(clear_until),
        to: timed_screw.end,
        reason,
    });
    Ok(ScrewContacts { intervals: intervals.collect(), from_start, undecided, start })
}

/// The result of the first contact alone: an interval of unknown end, and the time from which the rest is
/// undecided.
fn first_only(
    first: Outcome,
    clear_until: f64,
    reason: UndecidedReason,
) -> (Outcome, Vec<ContactInterval>, Option<UndecidedRest>) {
    let interval = |enter: [f64; 2], contact: Option<Contact>| ContactInterval {
        enter,
        exit: Some([enter[1], 1.0]),
        crossed: enter[0],
        contact,
        touching: contact.is_some_and(|contact| contact.touching),
    };
    let rest = |clear_until: f64, reason: UndecidedReason| Some(UndecidedRest { clear_until, reason });
    match first {
        Outcome::Clear => (Outcome::Clear, vec![], None),
        Outcome::Undecided { clear_until: later, reason } => {
            let from = clear_until.max(later);
            (Outcome::Undecided { clear_until: from, reason }, vec![], rest(from, reason))
        }
        Outcome::Overlapping(pairs) => {
            (Outcome::Overlapping(pairs), vec![interval([0.0; 2], None)], rest(0.0, reason))
        }
        Outcome::Contact(contact) => {
            let from_start = contact.time[1] <= 0.0;
            let interval = interval(contact.time, (!from_start).then_some(contact));
            let interval = ContactInterval { touching: contact.touching, ..interval };
            (Outcome::Contact(contact), vec![interval], rest(contact.time[1], reason))
        }
    }
}
