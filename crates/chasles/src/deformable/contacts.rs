//! The contacts of two moving meshes over seconds, put together from those of single intervals.

use crate::deformable::step::cover::StepInterval;
use crate::math::time_interval::{IntervalSet, TimeInterval, merge};

/// The times at which two meshes meet, or are within a distance, in seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DeformingContacts {
    /// Enclosures of the start and end of each contact, in order; an end of [duration, duration] means no end.
    pub(crate) contacts: Vec<StepInterval>,
    /// Undecided intervals.
    pub(crate) undecided: Vec<[f64; 2]>,
    /// Whether the budget ran out in some undecided intervals.
    pub(crate) is_spent: bool,
    /// An upper bound of the deviation of the examined paths from the true ones, apart from rounding, in metres,
    /// wherever a contact starts or ends.
    pub(crate) deviation: f64,
    /// Intervals in each of which the meshes are proven to meet, throughout or at some time. In the rest of `contacts`
    /// they are proven to be within the tolerance.
    pub(crate) certain: Vec<[f64; 2]>,
}

impl DeformingContacts {
    /// Adds disjoint intervals of contact that another test found: one body is inside the other.
    pub(crate) fn add(&mut self, spans: &[[f64; 2]], duration: f64) {
        self.contacts
            .extend(spans.iter().map(|[from, to]| StepInterval { enter: [*from; 2], exit: [*to; 2] }));
        self.certain.extend(spans);
        self.contacts.sort_by(|x, y| x.enter[0].total_cmp(&y.enter[0]));
        self.join_contacts(duration);
    }

    /// Whether the meshes are proven to touch at time 0, but not proven to meet there.
    pub(super) fn touches_at_start(&self) -> bool {
        self.contacts.first().is_some_and(|first| first.enter == [0.0; 2]) && !self.intersects_at_start()
    }

    /// Whether the meshes are proven to meet from time 0 on.
    pub(crate) fn intersects_at_start(&self) -> bool {
        self.certain.iter().any(|span| span[0] == 0.0)
    }

    /// Joins contacts whose gaps are at most as long as the shortest interval examined.
    fn join_contacts(&mut self, duration: f64) {
        let mut joined: Vec<StepInterval> = Vec::with_capacity(self.contacts.len());
        for next in self.contacts.drain(..) {
            match joined.last_mut() {
                Some(last) if next.enter[0] - last.exit[1] <= SHORTEST * duration => last.exit = next.exit,
                _ => joined.push(next),
            }
        }
        self.contacts = joined;
    }

    /// The times within `[0, duration]` at which the meshes are known to be separated, cut at breaks, which are in
    /// order.
    pub(super) fn separated_intervals(&self, breaks: &[f64]) -> Vec<[f64; 2]> {
        let mut known: Vec<[f64; 2]> = self.undecided.clone();
        known.extend(self.contacts.iter().map(|contact| [contact.enter[0], contact.exit[1]]));
        let known = IntervalSet::union_of(known);
        breaks.windows(2).flat_map(|ends| known.gaps([ends[0], ends[1]])).collect()
    }
}

/// Intervals are not halved below this fraction of the duration.
pub(super) const SHORTEST: f64 = 1e-9;

/// Undecided intervals this close to a contact, as a fraction of the duration, join the enclosure of its start or end.
const SHORT: f64 = 1e-7;

/// A touch no longer than this multiple of [`SHORT`] counts as momentary.
const MOMENT: f64 = 10.0;

/// Fractions of an interval in seconds, rounded outward.
pub(super) fn seconds([lo, hi]: [f64; 2], TimeInterval { start: from, end: to }: TimeInterval) -> [f64; 2] {
    let rounding = 4.0 * f64::EPSILON * from.abs().max(to.abs());
    let time = |fraction: f64, shift: f64| match fraction {
        0.0 => from,
        1.0 => to,
        fraction => (from + fraction * (to - from) + shift).clamp(from, to),
    };
    [time(lo, -rounding), time(hi, rounding)]
}

/// Joins contacts across intervals. An undecided interval close to a contact joins the enclosure of its start or end.
pub(super) fn join(found: &mut DeformingContacts, duration: f64) {
    let short = SHORT * duration;
    let mut undecided = std::mem::take(&mut found.undecided);
    merge(&mut undecided);
    for contact in &mut found.contacts {
        let [entered, exited] = [contact.enter[1], contact.exit[0]];
        let before =
            undecided.iter().filter(|interval| interval[1] <= entered && entered - interval[0] <= short);
        contact.enter[0] = before.fold(contact.enter[0], |first, interval| first.min(interval[0]));
        let after =
            undecided.iter().filter(|interval| interval[0] >= exited && interval[1] - exited <= short);
        contact.exit[1] = after.fold(contact.exit[1], |last, interval| last.max(interval[1]));
    }
    let is_enclosed = |[from, to]: &[f64; 2]| {
        let within = |span: &[f64; 2]| span[0] <= *from && *to <= span[1];
        found.contacts.iter().any(|contact| {
            within(&contact.enter) || within(&contact.exit) || within(&[contact.enter[0], contact.exit[1]])
        })
    };
    undecided.retain(|interval| !is_enclosed(interval));
    found.undecided = undecided;
    found.join_contacts(duration);
    // A touch next to a proven contact, or a momentary touch, joins the enclosures of the start and end.
    let moment = MOMENT * short;
    for contact in &mut found.contacts {
        let (from, to) = (contact.enter[0], contact.exit[1]);
        let own = || found.certain.iter().filter(move |span| from <= span[1] && span[0] <= to);
        let long = || own().filter(move |span| span[1] - span[0] > moment);
        let first = long().map(|span| span[0]).reduce(f64::min);
        let first = first.unwrap_or_else(|| own().map(|span| span[1]).fold(from, f64::max));
        let last = long().map(|span| span[1]).reduce(f64::max);
        let last = last.unwrap_or_else(|| own().map(|span| span[0]).fold(to, f64::min));
        if contact.enter != [0.0; 2] && first - from <= moment {
            // A jump at the end may be followed up to the next double after the duration.
            contact.enter[1] = contact.enter[1].max(first.min(duration));
        }
        if contact.exit[0] < duration && to - last <= moment {
            contact.exit[0] = contact.exit[0].min(last);
        }
    }
}
