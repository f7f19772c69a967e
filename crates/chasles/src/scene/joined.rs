//! Intervals of contact of two bodies: those of each piece of their motion, in seconds, joined where they run over from one piece
//! into the next.

use crate::body::Body;
use crate::error::Error;
use crate::features::contact::Contact;
use crate::math::budget::IsOver;
use crate::motion::track::TimedScrew;
use crate::search::intervals::{Interval, ON_THE_HEELS, intervals_of};
use crate::search::pipeline::{Search, Workspace};
use crate::search::query::{Doubt, Options, Outcome};

/// A stretch of time during which two surfaces intersect or touch. Times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Met {
    /// Enclosure of its begin; [0, 0] where they do so from the start.
    pub(crate) enter: [f64; 2],
    /// Enclosure of its end; `None` where they still do at the end.
    pub(crate) exit: Option<[f64; 2]>,
    /// The last time at which they are known to intersect, not only to touch; it may be after the end, or minus infinity.
    pub(crate) crossed: f64,
    /// The contact with which it begins, as the engine gave it, and the screw.
    pub(crate) contact: Option<(Contact, TimedScrew)>,
    /// Whether the surfaces are nowhere in it known to intersect.
    pub(crate) touching: bool,
}

impl Met {
    /// They touch from a time on, and nothing more is known yet.
    pub(crate) fn touched(enter: [f64; 2]) -> Self {
        Self { enter, exit: None, crossed: f64::NEG_INFINITY, contact: None, touching: true }
    }

    /// The same goes on in a piece that begins at a time.
    fn go_on(&mut self, next: &Self, (begin, heels): (f64, f64)) {
        self.crossed = if next.touching { self.crossed.min(begin) } else { next.crossed };
        self.touching &= next.touching;
        self.exit = with_heels(next.exit, self.crossed, heels);
    }

    /// They intersect from a time on, as far as is asked.
    pub(crate) fn throughout(begin: f64) -> Self {
        Self { crossed: f64::INFINITY, touching: false, ..Self::touched([begin; 2]) }
    }
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
    /// How far, in metres, what was examined is from the motion, at most.
    pub(crate) deviation: f64,
    /// In seconds.
    shortest_gap: f64,
    heels: f64,
    begun: bool,
}

/// Intervals closer to each other than this share of the duration are one. The engine does the same within a screw.
const SHORTEST_GAP: f64 = 1e-9;

/// What was found along one piece; times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The first of them has lasted since the begin of the piece where `from_begin`.
    pub(crate) met: Vec<Met>,
    pub(crate) from_begin: bool,
    pub(crate) unknown: Option<Unknown<Doubt>>,
    pub(crate) start: AtStart,
    /// Of the budget.
    pub(crate) steps: u64,
}

impl Found {
    /// Nothing meets.
    pub(crate) fn clear() -> Self {
        Self { met: Vec::new(), from_begin: false, unknown: None, start: AtStart::Apart, steps: 0 }
    }

    /// The surfaces intersect all the time.
    pub(crate) fn throughout(begin: f64) -> Self {
        Self {
            met: vec![Met::throughout(begin)],
            from_begin: true,
            start: AtStart::Touching,
            ..Self::clear()
        }
    }

    /// Nothing is known.
    pub(crate) fn unknown(from: f64, to: f64, why: Doubt) -> Self {
        Self { unknown: Some(Unknown { from, to, why }), ..Self::clear() }
    }

    /// Whether the surfaces still meet at the end.
    pub(crate) fn is_open(&self) -> bool {
        self.unknown.is_none() && self.met.last().is_some_and(|met| met.exit.is_none())
    }
}

/// The intervals of contact along one screw.
///
/// # Errors
/// As [`contact_intervals`].
pub(crate) fn piece_intervals(
    workspace: &mut Workspace,
    (a, b): (&Body, &Body),
    piece: &TimedScrew,
    options: &Options,
    is_over: Option<IsOver<'_>>,
) -> Result<Found, Error> {
    let search = Search::new((a, b), &piece.screw, options)?.watched(is_over);
    let found = intervals_of(&search, workspace);
    let mut steps = found.counters.steps;
    let (outcome, intervals, doubt) = match found.outcome {
        // Not all could be found: the first contact is still worth telling.
        Outcome::Undecided { clear_until, why } => {
            let first = search.first_contact(workspace);
            steps += first.counters.steps;
            first_only(first.outcome, clear_until, why)
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
        crossed: if interval.touching { f64::NEG_INFINITY } else { piece.not_after(interval.crossed) },
        contact: interval.contact.map(|contact| (contact, *piece)),
        touching: interval.touching,
    });
    let unknown = doubt.map(|(t, why)| Unknown { from: piece.not_after(t), to: piece.end, why });
    Ok(Found { met: met.collect(), from_begin, unknown, start, steps })
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
        crossed: enter[0],
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
    /// Nothing yet; intervals closer to each other than [`SHORTEST_GAP`] of the duration will be one, and so are a crossing and
    /// a touch that ends within [`ON_THE_HEELS`] of it.
    pub(crate) fn new(duration: f64) -> Self {
        let (shortest_gap, heels) = (SHORTEST_GAP * duration, ON_THE_HEELS * duration);
        Self {
            met: Vec::new(),
            unknown: Vec::new(),
            start: AtStart::Apart,
            deviation: 0.0,
            shortest_gap,
            heels,
            begun: false,
        }
    }

    /// Since when nothing is known of the time right before another; `None` where something is.
    fn doubtful_since(&self, time: f64) -> Option<f64> {
        let doubts = self.unknown.iter().rev();
        doubts.fold(None, |since: Option<f64>, doubt| {
            if doubt.to >= since.unwrap_or(time) {
                Some(since.map_or(doubt.from, |since| since.min(doubt.from)))
            } else {
                since
            }
        })
    }

    /// Adds what was found along the next piece, which begins where the last one ended.
    pub(crate) fn append(&mut self, begin: f64, found: Found) {
        let later = self.begun;
        if !later {
            (self.start, self.begun) = (found.start, true);
        }
        // Since when nothing is known up to the end of the piece before.
        let doubtful = self.doubtful_since(begin).filter(|_| later);
        let open = later && doubtful.is_none() && self.met.last().is_some_and(|met| met.exit.is_none());
        let Found { mut met, from_begin, unknown, .. } = found;
        for met in &mut met {
            met.exit = with_heels(met.exit, met.crossed, self.heels);
        }
        if from_begin && later {
            // Where it was apart before, to rounding, it meets at the key itself.
            met[0].enter = [doubtful.unwrap_or(begin), begin];
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
                last.go_on(&first, (begin, self.heels));
            } else {
                // It ends with the piece, unless nothing is known of the next one's begin.
                let until = unknown.filter(|unknown| unknown.from <= begin);
                let exit = [begin, until.map_or(begin, |unknown| unknown.to)];
                last.exit = with_heels(Some(exit), last.crossed.min(begin), self.heels);
            }
        }
        // What may have ended in a short doubt, and is there after it, has not.
        let goes_on = doubtful.is_some_and(|since| from_begin && begin - since <= self.heels);
        for next in met {
            match self.met.last_mut() {
                Some(last)
                    if (doubtful.is_none() || goes_on)
                        && last.exit.is_some_and(|exit| next.enter[0] - exit[1] <= self.shortest_gap) =>
                {
                    last.go_on(&next, (begin, self.heels));
                }
                _ => self.met.push(next),
            }
        }
        if let Some(next) = unknown {
            // What may have ended before may still not have.
            let exit = self.met.last_mut().and_then(|met| met.exit.as_mut());
            if let Some(exit) = exit.filter(|exit| exit[1] >= next.from) {
                exit[1] = exit[1].max(next.to);
            }
            match self.unknown.last_mut().filter(|last| last.to >= next.from && last.why == next.why) {
                Some(last) => last.to = next.to,
                None => self.unknown.push(next),
            }
        }
    }
}

/// The end of a touch on the heels of a crossing, from the time on that the crossing may have ended at, where that is not long before. (What
/// is closer than the tolerance touches: the end of that alone is right too.)
fn with_heels(exit: Option<[f64; 2]>, crossed: f64, heels: f64) -> Option<[f64; 2]> {
    exit.map(|[from, to]| [if to - crossed <= heels { crossed.min(from) } else { from }, to])
}
