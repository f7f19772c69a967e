//! The intervals of contact of two bodies, in seconds, joined from the parts of their motion. An interval may
//! continue from one part into the next.

use crate::mesh_screw::intervals::{SAME_EVENT, SHORTEST_GAP};
use crate::mesh_screw::piece::{ContactSpan, PoseState, ScrewContacts, UndecidedInterval};

/// The contacts found along a motion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContactTimeline {
    /// In order of time.
    pub(crate) met: Vec<ContactSpan>,
    /// In order of time. Outside these intervals, the list of contacts is complete.
    pub(crate) undecided: Vec<UndecidedInterval>,
    /// As [`ScrewContacts::start`].
    pub(crate) start: PoseState,
    /// Maximum distance of the examined motion from the true one, in metres.
    pub(crate) deviation: f64,
    /// In seconds.
    shortest_gap: f64,
    heels: f64,
    begun: bool,
}

impl ContactTimeline {
    /// An empty timeline. Intervals closer to each other than [`SHORTEST_GAP`] of the duration will be joined, and
    /// so will a crossing and a touch that ends within [`SAME_EVENT`] of the crossing.
    pub(crate) fn new(duration: f64) -> Self {
        let (shortest_gap, heels) = (SHORTEST_GAP * duration, SAME_EVENT * duration);
        Self {
            met: Vec::new(),
            undecided: Vec::new(),
            start: PoseState::Separated,
            deviation: 0.0,
            shortest_gap,
            heels,
            begun: false,
        }
    }

    /// The start of the undecided time that lasts up to `time`; `None` if the time right before `time` is decided.
    fn undecided_since(&self, time: f64) -> Option<f64> {
        let doubts = self.undecided.iter().rev();
        doubts.fold(None, |since: Option<f64>, doubt| {
            if doubt.to >= since.unwrap_or(time) {
                Some(since.map_or(doubt.from, |since| since.min(doubt.from)))
            } else {
                since
            }
        })
    }

    /// Adds the contacts of the next part of the motion, which starts at the end of the last part.
    pub(crate) fn append(&mut self, begin: f64, found: ScrewContacts) {
        let later = self.begun;
        if !later {
            (self.start, self.begun) = (found.start, true);
        }
        // The start of the undecided time that lasts until the end of the previous part.
        let doubtful = self.undecided_since(begin).filter(|_| later);
        let open = later && doubtful.is_none() && self.met.last().is_some_and(|met| met.exit.is_none());
        let ScrewContacts { mut met, from_begin, undecided, start } = found;
        for met in &mut met {
            met.exit = with_heels(met.exit, met.crossed, self.heels);
        }
        if from_begin && later {
            // The bodies were separated before, up to rounding, so contact starts at the key itself.
            met[0].enter = [doubtful.unwrap_or(begin), begin];
            if doubtful.is_some() || start == PoseState::Intersecting {
                // They came into contact before this part, or by a jump, which has no contact point.
                met[0].contact = None;
            }
        } else if let (Some(first), Some(since)) = (met.first_mut(), doubtful)
            && first.enter[0] <= begin
        {
            first.enter[0] = since;
        }
        if let Some(last) = self.met.last_mut().filter(|_| open) {
            let runs_over =
                met.first().is_some_and(|first| from_begin || first.enter[0] <= begin + self.shortest_gap);
            if runs_over {
                let first = met.remove(0);
                last.resume(&first, (begin, self.heels));
            } else {
                // The interval ends with the part, unless the start of the next part is undecided.
                let until = undecided.filter(|undecided| undecided.from <= begin);
                let exit = [begin, until.map_or(begin, |undecided| undecided.to)];
                last.exit = with_heels(Some(exit), last.crossed.min(begin), self.heels);
            }
        }
        // Contact that may have ended in a short undecided time, and exists after it, has not ended.
        let goes_on = doubtful.is_some_and(|since| from_begin && begin - since <= self.heels);
        for next in met {
            match self.met.last_mut() {
                Some(last)
                    if (doubtful.is_none() || goes_on)
                        && last.exit.is_some_and(|exit| next.enter[0] - exit[1] <= self.shortest_gap) =>
                {
                    last.resume(&next, (begin, self.heels));
                }
                _ => self.met.push(next),
            }
        }
        if let Some(next) = undecided {
            // Contact that may have ended before the undecided time may also last into it.
            let exit = self.met.last_mut().and_then(|met| met.exit.as_mut());
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

impl ContactSpan {
    /// Continues the interval into a part that starts at `begin`.
    fn resume(&mut self, next: &Self, (begin, heels): (f64, f64)) {
        self.crossed = if next.touching { self.crossed.min(begin) } else { next.crossed };
        self.touching &= next.touching;
        self.exit = with_heels(next.exit, self.crossed, heels);
    }
}

/// The enclosure of the end of a touch shortly after a crossing. It starts when the crossing may have ended, unless
/// that is long before. (Surfaces closer than the tolerance touch, so the end of the touch alone is correct too.)
fn with_heels(exit: Option<[f64; 2]>, crossed: f64, heels: f64) -> Option<[f64; 2]> {
    exit.map(|[from, to]| [if to - crossed <= heels { crossed.min(from) } else { from }, to])
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
        let screw = TimedScrew { begin: 1.0, end: 2.0, screw: Screw::translation(Pose::IDENTITY, DVec3::X) };
        let met = ContactSpan { contact: Some((contact, screw)), exit: None, ..ContactSpan::throughout(1.0) };
        ScrewContacts { met: vec![met], from_begin: true, undecided: None, start }
    }

    #[test]
    fn a_contact_after_a_doubt_has_no_place() {
        for (doubt, start, has_place) in [
            (None, PoseState::Touching, true),
            (None, PoseState::Intersecting, false),
            (Some(0.6), PoseState::Touching, false),
        ] {
            let mut joined = ContactTimeline::new(2.0);
            let undecided =
                doubt.map(|from| UndecidedInterval { from, to: 1.0, reason: UndecidedReason::Budget });
            joined.append(0.0, ScrewContacts { undecided, ..ScrewContacts::clear() });
            joined.append(1.0, since_the_start(start));
            let [met] = &joined.met[..] else { panic!("{joined:?}") };
            // It started at some time in the undecided interval.
            assert_eq!((met.enter, met.contact.is_some()), ([doubt.unwrap_or(1.0), 1.0], has_place));
            assert_eq!(joined.undecided, undecided.into_iter().collect::<Vec<_>>());
        }
    }
}
