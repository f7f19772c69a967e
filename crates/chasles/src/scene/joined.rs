//! Intervals of contact of two meshes along a track: those of each piece, in seconds, joined where they run over from one
//! piece into the next.

use crate::body::Body;
use crate::error::Error;
use crate::intervals::{Interval, contact_intervals};
use crate::narrow_phase::contact::Contact;
use crate::predict::{Doubt, Options, Outcome, first_contact};
use crate::scene::track::{TimedScrew, Track};

/// A stretch of time during which two surfaces intersect or touch. Times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Met {
    /// Enclosure of its begin; [0, 0] where they do so from the start.
    pub(crate) enter: [f64; 2],
    /// Enclosure of its end; `None` where they still do at the end.
    pub(crate) exit: Option<[f64; 2]>,
    /// The contact with which it begins, as the engine gave it, and the piece of the track.
    pub(crate) contact: Option<(Contact, usize)>,
    /// Whether the surfaces are nowhere in it known to intersect.
    pub(crate) touching: bool,
}

/// A stretch of time of which not everything is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unknown<Why> {
    /// In seconds.
    pub(crate) from: f64,
    /// In seconds.
    pub(crate) to: f64,
    pub(crate) why: Why,
}

impl<Why> Unknown<Why> {
    /// The same stretch of time for another reason.
    pub(crate) fn map<Other>(self, change: impl Fn(Why) -> Other) -> Unknown<Other> {
        Unknown { from: self.from, to: self.to, why: change(self.why) }
    }
}

/// What holds at time 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtStart {
    /// The surfaces are apart, or it is not known.
    Apart,
    /// They only touch.
    Touching,
    /// They intersect more deeply than the tolerance.
    Overlapping,
}

/// What was found along a track.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Joined {
    /// In order of time.
    pub(crate) met: Vec<Met>,
    /// In order of time; outside of these the list of intervals is complete.
    pub(crate) unknown: Vec<Unknown<Doubt>>,
    pub(crate) start: AtStart,
}

/// Intervals closer to each other than this share of the duration are one. The engine does the same within a screw.
const SHORTEST_GAP: f64 = 1e-9;

/// Every span during which the surfaces of `a`, moving along `track`, and `b` intersect or touch.
///
/// # Errors
/// As [`contact_intervals`].
pub(crate) fn joined_intervals(
    (a, b): (&Body, &Body),
    track: &Track,
    options: &Options,
) -> Result<Joined, Error> {
    let pieces = &track.0;
    let duration = pieces.last().map_or(0.0, |piece| piece.end);
    let mut joined = Joined { met: Vec::new(), unknown: Vec::new(), start: AtStart::Apart };
    for (index, piece) in pieces.iter().enumerate() {
        let found = piece_intervals((a, b), piece, options)?;
        if index == 0 {
            joined.start = found.start;
        }
        joined.append((index, piece), found, SHORTEST_GAP * duration);
    }
    Ok(joined)
}

/// What was found along one piece; times in seconds.
struct Found {
    /// The first of them has lasted since the begin of the piece where `from_begin`.
    met: Vec<Met>,
    from_begin: bool,
    unknown: Option<Unknown<Doubt>>,
    start: AtStart,
}

fn piece_intervals((a, b): (&Body, &Body), piece: &TimedScrew, options: &Options) -> Result<Found, Error> {
    let found = contact_intervals(a, b, &piece.screw, options)?;
    let (outcome, intervals, doubt) = match found.outcome {
        // Not all could be found: the first contact is still worth telling.
        Outcome::Undecided { clear_until, why } => {
            let first = first_contact(a, b, &piece.screw, options)?.outcome;
            first_only(first, clear_until, why)
        }
        // The budget ran out after the overlap at the start was found.
        Outcome::Overlapping(_) if found.intervals.is_empty() => {
            first_only(found.outcome, 0.0, Doubt::Budget)
        }
        outcome => (outcome, found.intervals, None),
    };
    let from_begin = intervals.first().is_some_and(|first| first.contact.is_none());
    let start = match outcome {
        Outcome::Overlapping(_) => AtStart::Overlapping,
        _ if from_begin => AtStart::Touching,
        _ => AtStart::Apart,
    };
    let met = intervals.iter().map(|interval| Met {
        enter: piece.enclosure(interval.enter),
        exit: interval.exit.map(|exit| piece.enclosure(exit)),
        contact: interval.contact.map(|contact| (contact, 0)),
        touching: interval.touching,
    });
    let unknown = doubt.map(|(t, why)| Unknown { from: piece.not_after(t), to: piece.end, why });
    Ok(Found { met: met.collect(), from_begin, unknown, start })
}

/// What the first contact alone says: an interval of unknown end, and from when on nothing more is known.
fn first_only(
    first: Outcome,
    clear_until: f64,
    why: Doubt,
) -> (Outcome, Vec<Interval>, Option<(f64, Doubt)>) {
    let interval = |enter: [f64; 2], contact: Option<Contact>| Interval {
        enter,
        exit: Some([enter[1], 1.0]),
        contact,
        touching: contact.is_some_and(|contact| contact.touching),
    };
    match first {
        Outcome::Clear => (Outcome::Clear, vec![], None),
        Outcome::Undecided { clear_until: later, why } => {
            let from = clear_until.max(later);
            (Outcome::Undecided { clear_until: from, why }, vec![], Some((from, why)))
        }
        Outcome::Overlapping(pairs) => {
            (Outcome::Overlapping(pairs), vec![interval([0.0; 2], None)], Some((0.0, why)))
        }
        Outcome::Contact(contact) => {
            let from_start = contact.time[1] <= 0.0;
            let interval = interval(contact.time, (!from_start).then_some(contact));
            let interval = Interval { touching: contact.touching, ..interval };
            (Outcome::Contact(contact), vec![interval], Some((contact.time[1], why)))
        }
    }
}

impl Joined {
    fn append(&mut self, (index, piece): (usize, &TimedScrew), found: Found, shortest_gap: f64) {
        // What is not known up to the end of the piece before.
        let doubtful = self.unknown.last().filter(|unknown| index > 0 && unknown.to >= piece.begin).copied();
        let open = index > 0 && doubtful.is_none() && self.met.last().is_some_and(|met| met.exit.is_none());
        let Found { mut met, from_begin, unknown, .. } = found;
        for met in &mut met {
            met.contact = met.contact.map(|(contact, _)| (contact, index));
        }
        if from_begin && index > 0 {
            // Where it was apart before, to rounding, it meets at the key itself.
            met[0].enter = [doubtful.map_or(piece.begin, |doubt| doubt.from), piece.begin];
        }
        if let Some(last) = self.met.last_mut().filter(|_| open) {
            let runs_over =
                met.first().is_some_and(|first| from_begin || first.enter[0] <= piece.begin + shortest_gap);
            if runs_over {
                let first = met.remove(0);
                last.exit = first.exit;
                last.touching &= first.touching;
            } else {
                // It ends with the piece, unless nothing is known of the next one's begin.
                let until = unknown.filter(|unknown| unknown.from <= piece.begin);
                last.exit = Some([piece.begin, until.map_or(piece.begin, |unknown| unknown.to)]);
            }
        }
        for next in met {
            match self.met.last_mut() {
                Some(last)
                    if doubtful.is_none()
                        && last.exit.is_some_and(|exit| next.enter[0] - exit[1] <= shortest_gap) =>
                {
                    last.exit = next.exit;
                    last.touching &= next.touching;
                }
                _ => self.met.push(next),
            }
        }
        self.unknown.extend(unknown);
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::motion::{Pose, Screw};
    use crate::shape::Primitive;

    fn cube() -> Body {
        Body::new(Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh)
    }

    /// Two unit cubes, of which one runs through keys (time, x) along x, touching within 1e-9.
    fn along_x(keys: &[(f64, f64)], duration: f64) -> Joined {
        let keys: Vec<_> = keys
            .iter()
            .map(|&(time, x)| (time, Pose::from_position(DVec3::new(x, 0.1, 0.2)).unwrap()))
            .collect();
        let track = Track::keyframes(&keys, duration).unwrap();
        let options = Options { tolerance: Some(1e-9), ..Options::default() };
        joined_intervals((&cube(), &cube()), &track, &options).unwrap()
    }

    /// Each interval contains the times, and is as sharp as the tolerance lets it be.
    #[track_caller]
    fn assert_met(found: &Joined, expected: &[(f64, Option<f64>)]) {
        assert!(found.unknown.is_empty());
        let sharp = |[lo, hi]: [f64; 2], t: f64| lo <= t + 1e-8 && hi >= t - 1e-8 && hi - lo <= 1e-8;
        assert_eq!(found.met.len(), expected.len(), "{:?}", found.met);
        for (met, (enter, exit)) in found.met.iter().zip(expected) {
            assert!(sharp(met.enter, *enter), "{met:?} {enter}");
            assert_eq!(met.exit.is_some(), exit.is_some(), "{met:?}");
            assert!(met.exit.is_none_or(|found| sharp(found, exit.unwrap())), "{met:?} {exit:?}");
        }
    }

    #[test]
    fn an_interval_over_keys_is_one() {
        let found = along_x(&[(0.0, 3.0), (1.0, 0.5), (2.0, 0.0), (3.0, -3.0)], 4.0);
        assert_met(&found, &[(0.8, Some(2.0 + 1.0 / 3.0))]);
        assert_eq!(found.met[0].contact.unwrap().1, 0);
        assert!(!found.met[0].touching && found.start == AtStart::Apart);
    }

    #[test]
    fn holds_before_and_after_count() {
        let found = along_x(&[(1.0, 0.5), (2.0, 3.0), (3.0, 3.0), (4.0, 0.5)], 6.0);
        assert_met(&found, &[(0.0, Some(1.2)), (3.8, None)]);
        assert_eq!(found.start, AtStart::Overlapping);
    }

    #[test]
    fn a_bounce_at_a_key_is_one_short_interval() {
        let found = along_x(&[(0.0, 2.0), (1.0, 1.0), (2.0, 2.0)], 2.0);
        assert_met(&found, &[(1.0, Some(1.0))]);
        assert!(found.met[0].touching);
    }

    #[test]
    fn resting_over_keys_and_landing_at_one() {
        let found = along_x(&[(0.0, 2.0), (1.0, 1.0), (2.0, 1.0), (3.0, 1.0)], 4.0);
        assert_met(&found, &[(1.0, None)]);
        assert!(found.met[0].touching);
        let found = along_x(&[(0.0, 1.0), (1.0, 1.0), (3.0, 2.0)], 4.0);
        assert_met(&found, &[(0.0, Some(1.0))]);
        assert_eq!(found.start, AtStart::Touching);
    }

    #[test]
    fn nothing_is_claimed_of_pieces_that_were_not_decided() {
        let keys = [(0.0, 3.0), (1.0, 0.5), (2.0, 0.0), (3.0, -3.0)]
            .map(|(time, x)| (time, Pose::from_position(DVec3::new(x, 0.1, 0.2)).unwrap()));
        let track = Track::keyframes(&keys, 4.0).unwrap();
        for budget in [1, 10, 30, 100, 200, 300, 400, 600, 1000, 2000] {
            let options = Options { tolerance: Some(1e-9), budget, ..Options::default() };
            let found = joined_intervals((&cube(), &cube()), &track, &options).unwrap();
            // The truth is [0.8, 2.333]: what is said must not contradict it.
            let first = found.met.first().map_or(f64::INFINITY, |met| met.enter[0]);
            let unknown = found.unknown.first().map_or(f64::INFINITY, |unknown| unknown.from);
            assert!(first.min(unknown) <= 0.8 + 1e-9, "{budget}: {found:?}");
            if found.unknown.is_empty() {
                assert_met(&found, &[(0.8, Some(2.0 + 1.0 / 3.0))]);
            }
            for met in &found.met {
                let holds = |t: f64| (0.8 - 1e-8..=7.0 / 3.0 + 1e-8).contains(&t);
                assert!(holds(met.enter[1]), "{budget}: {found:?}");
                let covered = |t: f64| found.unknown.iter().any(|u| u.from <= t && u.to >= t);
                assert!(met.exit.is_none_or(|e| holds(e[0]) && (e[1] >= 7.0 / 3.0 - 1e-8 || covered(e[1]))));
            }
        }
    }

    #[test]
    fn turns_without_number_are_one_screw() {
        // A cube circles at distance 3 past a standing one three times; they meet where the angle is small.
        let start = Pose::from_position(DVec3::new(0.0, 3.0, 0.2)).unwrap();
        let screw = Screw::about(start, DVec3::Z, DVec3::new(3.0, 3.0, 0.0), 0.0, 6.0 * std::f64::consts::PI);
        let track = Track::one(screw.unwrap(), 3.0);
        let far = Pose::from_position(DVec3::new(6.0, 3.0, 0.0)).unwrap();
        let track = track.map(|screw| screw.seen_from(&far));
        let options = Options { tolerance: Some(1e-9), ..Options::default() };
        let found = joined_intervals((&cube(), &cube()), &track, &options).unwrap();
        assert_eq!(found.met.len(), 3);
        for (turn, met) in (0_i32..).zip(&found.met) {
            // Half a turn after the start they stand on each other; by symmetry about that time.
            let [enter, exit] = [met.enter, met.exit.unwrap()].map(|[lo, hi]| 0.5 * (lo + hi));
            assert!((0.5 * (enter + exit) - 0.5 - f64::from(turn)).abs() < 1e-8, "{met:?}");
        }
    }
}
