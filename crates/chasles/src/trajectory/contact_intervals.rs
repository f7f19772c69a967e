//! The intervals of contact of two bodies, in seconds, joined from the parts of their motion. An interval may
//! continue from one part into the next.

use crate::mesh_screw::intervals::{SAME_EVENT, SHORTEST_GAP};
use crate::mesh_screw::timed::{PoseState, ScrewContacts, TimedContact, UndecidedInterval};

/// The contacts found along a motion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContactTimeline {
    /// In order of time.
    pub(crate) intervals: Vec<TimedContact>,
    /// In order of time. Outside these intervals, the list of contacts is complete.
    pub(crate) undecided: Vec<UndecidedInterval>,
    /// As [`ScrewContacts::start`].
    pub(crate) start: PoseState,
    /// Maximum distance of the examined motion from the true one, in metres.
    pub(crate) deviation: f64,
    /// As [`SHORTEST_GAP`], in seconds.
    shortest_gap: f64,
    /// As [`SAME_EVENT`], in seconds.
    same_event: f64,
    /// Whether a part was added.
    has_parts: bool,
}

impl ContactTimeline {
    /// An empty timeline. Intervals closer to each other than [`SHORTEST_GAP`] of the duration will be joined, and
    /// so will a crossing and a touch that ends within [`SAME_EVENT`] of the crossing.
    pub(crate) fn new(duration: f64) -> Self {
        let (shortest_gap, same_event) = (SHORTEST_GAP * duration, SAME_EVENT * duration);
        Self {
            intervals: Vec::new(),
            undecided: Vec::new(),
            start: PoseState::Separated,
            deviation: 0.0,
            shortest_gap,
            same_event,
            has_parts: false,
        }
    }

    /// The start of the undecided time that ends at `time`; `None` if the time right before `time` is decided.
    fn undecided_since(&self, time: f64) -> Option<f64> {
        self.undecided.iter().rev().fold(None, |since: Option<f64>, undecided| {
            if undecided.to >= since.unwrap_or(time) {
                Some(since.map_or(undecided.from, |since| since.min(undecided.from)))
            } else {
                since
            }
        })
    }

    /// Adds the contacts of the next part of the motion, which starts at the end of the last part.
    pub(crate) fn append(&mut self, part_start: f64, found: ScrewContacts) {
        let is_continued = self.has_parts;
        if !is_continued {
            (self.start, self.has_parts) = (found.start, true);
        }
        // The start of the undecided time that ends with the previous part.
        let undecided_from = self.undecided_since(part_start).filter(|_| is_continued);
        let open = is_continued
            && undecided_from.is_none()
            && self.intervals.last().is_some_and(|last| last.exit.is_none());
        let ScrewContacts { mut intervals, from_start, undecided, start } = found;
        for interval in &mut intervals {
            interval.exit = exit_after_crossing(interval.exit, interval.crossed, self.same_event);
        }
        if from_start && is_continued {
            // The bodies were separated before, up to rounding, so contact starts with the part.
            intervals[0].enter = [undecided_from.unwrap_or(part_start), part_start];
            if undecided_from.is_some() || start == PoseState::Intersecting {
                // Contact started before this part, or by a jump, so its contact point is unknown.
                intervals[0].contact = None;
            }
        } else if let (Some(first), Some(since)) = (intervals.first_mut(), undecided_from)
            && first.enter[0] <= part_start
        {
            first.enter[0] = since;
        }
        if let Some(last) = self.intervals.last_mut().filter(|_| open) {
            let continues = intervals
                .first()
                .is_some_and(|first| from_start || first.enter[0] <= part_start + self.shortest_gap);
            if continues {
                let first = intervals.remove(0);
                last.extend(&first, (part_start, self.same_event));
            } else {
                // The interval ends with the part, unless the start of the next part is undecided.
                let until = undecided.filter(|undecided| undecided.from <= part_start);
                let exit = [part_start, until.map_or(part_start, |undecided| undecided.to)];
                last.exit = exit_after_crossing(Some(exit), last.crossed.min(part_start), self.same_event);
            }
        }
        // Contact before and after a short undecided time counts as one interval.
        let has_lasted =
            undecided_from.is_some_and(|since| from_start && part_start - since <= self.same_event);
        for next in intervals {
            match self.intervals.last_mut() {
                Some(last)
                    if (undecided_from.is_none() || has_lasted)
                        && last.exit.is_some_and(|exit| next.enter[0] - exit[1] <= self.shortest_gap) =>
                {
                    last.extend(&next, (part_start, self.same_event));
                }
                _ => self.intervals.push(next),
            }
        }
        if let Some(next) = undecided {
            // Contact whose exit is not certain before the undecided time may last into that time.
            let exit = self.intervals.last_mut().and_then(|last| last.exit.as_mut());
            if let Some(exit) = exit.filter(|exit| exit[1] >= next.from) {
                exit[1] = exit[1].max(next.to);
            }
            match self.undecided.last_mut().filter(|last| last.to >= next.from && last.reason == next.reason)
            {
                Some(last) => last.to = next.to,
                None => self.undecided.push(next),
            }
        }
    }
}

impl TimedContact {
    /// Continues the interval into a part that starts at `part_start`.
    fn extend(&mut self, next: &Self, (part_start, same_event): (f64, f64)) {
        self.crossed = if next.touching { self.crossed.min(part_start) } else { next.crossed };
        self.touching &= next.touching;
        self.exit = exit_after_crossing(next.exit, self.crossed, same_event);
    }
}

/// The enclosure of the end of contact. If the surfaces stopped crossing at most `same_event` seconds before, the
/// enclosure starts at that time, so it contains the end of the crossing and the end of the touch. (The end of the
/// touch alone is also correct, because surfaces closer than the tolerance touch.)
fn exit_after_crossing(exit: Option<[f64; 2]>, crossed: f64, same_event: f64) -> Option<[f64; 2]> {
    exit.map(|[from, to]| [if to - crossed <= same_event { crossed.min(from) } else { from }, to])
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::features::contact::{Contact, ContactFeatures};
    use crate::mesh_screw::query::UndecidedReason;
    use crate::motion::track::TimedScrew;
    use crate::motion::{Pose, Screw};

    /// Bodies that are in contact since the start of a part from 1 s to 2 s.
    fn since_the_start(start: PoseState) -> ScrewContacts {
        let contact = Contact {
            time: [0.0; 2],
            features: ContactFeatures::VertexFace { a: 0, b: 0 },
            point: DVec3::X,
            normal: DVec3::X,
            approach_speed: 1.0,
            touching: false,
        };
        let screw = TimedScrew { start: 1.0, end: 2.0, screw: Screw::translation(Pose::IDENTITY, DVec3::X) };
        let interval =
            TimedContact { contact: Some((contact, screw)), exit: None, ..TimedContact::throughout(1.0) };
        ScrewContacts { intervals: vec![interval], from_start: true, undecided: None, start }
    }

    #[test]
    fn a_contact_that_may_start_in_an_undecided_interval_has_no_contact_point() {
        for (undecided_from, start, has_point) in [
            (None, PoseState::Touching, true),
            (None, PoseState::Intersecting, false),
            (Some(0.6), PoseState::Touching, false),
        ] {
            let mut timeline = ContactTimeline::new(2.0);
            let undecided = undecided_from.map(|from| UndecidedInterval {
                from,
                to: 1.0,
                reason: UndecidedReason::Budget,
            });
            timeline.append(0.0, ScrewContacts { undecided, ..ScrewContacts::clear() });
            timeline.append(1.0, since_the_start(start));
            let [interval] = &timeline.intervals[..] else { panic!("{timeline:?}") };
            // It started at some time in the undecided interval.
            assert_eq!(
                (interval.enter, interval.contact.is_some()),
                ([undecided_from.unwrap_or(1.0), 1.0], has_point)
            );
            assert_eq!(timeline.undecided, undecided.into_iter().collect::<Vec<_>>());
        }
    }
}
