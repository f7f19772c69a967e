//! A mesh that passes another without rotation, compared with the exact times at which their features meet.

use chasles::{
    Contact, Intervals, Mesh, Options, Outcome, Pose, Prediction, PreparedMesh, Screw, all_contacts,
    any_contact, contact_intervals, first_contact, first_within,
};
use glam::{DQuat, DVec3};

use crate::cases::Raw;
use crate::exact::passing::{Meeting, Passing, Surface};
use crate::exact::rational::{Frame, Ratio, Unit, minus, scaled};
use crate::meshes::enclosures::verdict::{Verdict, holds, is_blurred, touches, widest};

/// A, rotated by a quaternion of any length, moves from one position to another; B is static in its own frame.
#[derive(Debug, Clone)]
pub struct Translation {
    pub a: Raw,
    pub b: Raw,
    pub turn: DQuat,
    pub from: DVec3,
    pub to: DVec3,
    pub tolerance: f64,
}

/// A case with its truth.
pub struct Known {
    pub case: Translation,
    pub passing: Passing,
    /// Sorted by time.
    pub meetings: Vec<Meeting>,
    /// Whether they intersect at the start, and at the end.
    pub inside: [bool; 2],
}

fn farthest(vertices: &[DVec3]) -> f64 {
    vertices.iter().map(|v| v.length()).fold(0.0, f64::max)
}

impl Translation {
    pub fn passing(&self) -> Passing {
        let lengths = self.a.0.iter().chain(&self.b.0).chain([&self.from, &self.to]);
        let unit = Unit::of(lengths.flat_map(|v| v.to_array()));
        let frame = Frame::new(unit, self.from, self.turn);
        let a = self.a.0.iter().map(|v| frame.point(&unit.vector(*v))).collect();
        let b = self.b.0.iter().map(|v| scaled(&frame.norm, &unit.vector(*v))).collect();
        let way = scaled(&frame.norm, &minus(&unit.vector(self.to), &unit.vector(self.from)));
        Passing {
            a: Surface::new(a, &self.a.1),
            b: Surface::new(b, &self.b.1),
            way,
            denominator: frame.norm,
            exponent: unit.0,
        }
    }

    pub fn known(self) -> Known {
        let passing = self.passing();
        let meetings = passing.meetings();
        let inside = [0.0, 1.0].map(|t| passing.intersects(&Ratio::of(t)));
        Known { case: self, passing, meetings, inside }
    }

    pub fn reversed(&self) -> Self {
        Self { from: self.to, to: self.from, ..self.clone() }
    }

    /// The same motion in the other's frame, if A is not rotated.
    pub fn swapped(&self) -> Self {
        assert_eq!(self.turn, DQuat::IDENTITY);
        let [a, b] = [self.b.clone(), self.a.clone()];
        Self { a, b, from: -self.from, to: -self.to, ..*self }
    }

    pub fn bodies(&self) -> (PreparedMesh, PreparedMesh) {
        let body = |raw: &Raw| PreparedMesh::new(Mesh::new(raw.0.clone(), raw.1.clone()).unwrap());
        (body(&self.a), body(&self.b))
    }

    pub fn screw(&self) -> Screw {
        let [from, to] = [self.from, self.to].map(|position| Pose::new(position, self.turn).unwrap());
        Screw::between(from, to)
    }

    pub fn options(&self) -> Options {
        Options { tolerance: Some(self.tolerance), ..Options::default() }
    }

    /// The largest coordinate.
    pub fn reach(&self) -> f64 {
        self.from.length().max(self.to.length()) + farthest(&self.a.0) + farthest(&self.b.0) + self.length()
    }

    pub fn length(&self) -> f64 {
        (self.to - self.from).length()
    }
}

impl Known {
    /// The speed at which features approach, smaller if they determine the direction badly.
    fn speed(&self, meeting: &Meeting) -> f64 {
        meeting.across * meeting.sine * self.case.length()
    }

    /// The first meeting, if it is suitable for a test: neither at once nor nearly parallel to the features.
    pub fn first(&self) -> Option<&Meeting> {
        let first = self.meetings.first()?;
        let lead = first.time.double() * first.across * self.case.length();
        (!self.inside[0] && first.across > 0.01 && lead > 10.0 * self.case.tolerance).then_some(first)
    }

    fn width(&self, meeting: &Meeting) -> f64 {
        widest(self.speed(meeting), self.case.reach())
    }

    fn gap_squared(&self, t: f64) -> Ratio {
        self.passing.gap_squared(&Ratio::of(t))
    }

    /// An undecided result must be clear only before the truth, and is wrong unless rounding excuses it.
    fn doubt(&self, clear_until: f64, truth: Option<&Ratio>) -> Verdict {
        if !is_blurred(self.case.reach(), self.case.tolerance) {
            return Err(format!("undecided, clear until {clear_until:?}, though rounding is small"));
        }
        match truth {
            Some(truth) if Ratio::of(clear_until) > *truth => {
                let late = Ratio::of(clear_until).minus(truth).double();
                Err(format!("undecided, but clear until {clear_until:?}, {late:.2e} after the truth"))
            }
            _ => Ok(()),
        }
    }

    /// Whether a contact contains the first meeting.
    fn holds_first(&self, contact: &Contact, first: &Meeting) -> Verdict {
        let (width, speed) = (self.width(first), first.across * self.case.length());
        let held = holds("time", contact.time, &first.time, (width, speed));
        if !contact.touching {
            held?;
            return self.holds_named(contact);
        }
        let [lo, hi] = contact.time;
        if held.is_ok() || Ratio::of(lo) > first.time || hi - lo > width + 1e-3 {
            return held;
        }
        touches(contact.time, self.case.tolerance, |t| self.gap_squared(t))
            .map_err(|reason| format!("{}, {reason}", held.unwrap_err()))
    }

    /// Whether the named features meet in an enclosure, or are within the tolerance at one of its ends: if a corner
    /// passes through the common edge of two faces, either may be named.
    fn holds_named(&self, contact: &Contact) -> Verdict {
        let [lo, hi] = contact.time.map(Ratio::of);
        let meets = |m: &Meeting| m.features == contact.features && lo <= m.time && m.time <= hi;
        let limit = Ratio::of(self.case.tolerance).times(&Ratio::new(101.into(), 100.into())).squared();
        let near = |t: &Ratio| self.passing.feature_gap_squared(contact.features, t) <= limit;
        let named = self.meetings.iter().any(meets) || near(&lo) || near(&hi);
        named.then_some(()).ok_or_else(|| format!("{:?} do not meet in {:?}", contact.features, contact.time))
    }

    /// Checks the result of `first_contact` if the surfaces cross.
    pub fn judge_first(&self, found: &Prediction) -> Verdict {
        let first = self.first().unwrap();
        match &found.outcome {
            Outcome::Contact(contact) => self.holds_first(contact, first),
            Outcome::Undecided { clear_until, .. } => self.doubt(*clear_until, Some(&first.time)),
            Outcome::Clear => Err(format!("MISSED, they meet at {:?}", first.time.double())),
            Outcome::Overlapping(_) => Err("overlapping".into()),
        }
    }

    pub fn ask_first(&self) -> Verdict {
        let (a, b) = self.case.bodies();
        self.judge_first(&first_contact(&a, &b, &self.case.screw(), &self.case.options()).unwrap())
    }

    /// Checks that any reported contact is a contact.
    pub fn ask_any(&self) -> Verdict {
        let (a, b) = self.case.bodies();
        match any_contact(&a, &b, &self.case.screw(), &self.case.options()).unwrap().outcome {
            Outcome::Contact(contact) => self.is_meeting(&contact),
            Outcome::Undecided { clear_until, .. } => {
                self.doubt(clear_until, Some(&self.first().unwrap().time))
            }
            other => Err(format!("{other:?}")),
        }
    }

    /// Whether a contact is a meeting of its features, or at least a touch.
    fn is_meeting(&self, contact: &Contact) -> Verdict {
        let [lo, hi] = contact.time.map(Ratio::of);
        let own = |m: &&Meeting| m.features == contact.features;
        if self.meetings.iter().filter(own).any(|m| lo <= m.time && m.time <= hi) {
            return Ok(());
        }
        if !contact.touching && self.holds_named(contact).is_ok() {
            return Ok(());
        }
        if !contact.touching {
            let nearest = self.meetings.iter().find(own).map(|m| m.time.double());
            return Err(format!("{:?} meet at {nearest:?}, not in {:?}", contact.features, contact.time));
        }
        touches(contact.time, self.case.tolerance, |t| {
            self.passing.feature_gap_squared(contact.features, &Ratio::of(t))
        })
        .map_err(|reason| format!("{:?} {reason}", contact.features))
    }

    /// Whether all contacts are the meetings: each reported one, and each true one.
    pub fn ask_all(&self) -> Verdict {
        let (a, b) = self.case.bodies();
        let found = all_contacts(&a, &b, &self.case.screw(), &self.case.options()).unwrap();
        self.judge_first(&found)?;
        if matches!(found.outcome, Outcome::Undecided { .. }) {
            return Ok(());
        }
        found.contacts.iter().try_for_each(|contact| self.is_meeting(contact))?;
        let missed = self.meetings.iter().find(|meeting| {
            let holds = |contact: &Contact| {
                let [lo, hi] = contact.time.map(Ratio::of);
                // A touch that starts slightly before the features meet, and ends at the closest sampled time.
                let lasts = if contact.touching {
                    Ratio::of(contact.time[1] + 1e-3 + self.width(meeting))
                } else {
                    hi
                };
                contact.features == meeting.features && lo <= meeting.time && meeting.time <= lasts
            };
            !found.contacts.iter().any(holds)
        });
        // Contacts left out because of rounding are counted.
        let excused = found.doubtful > 0 && is_blurred(self.case.reach(), self.case.tolerance);
        missed.filter(|_| !excused).map_or(Ok(()), |meeting| {
            let t = meeting.time.double();
            let own = found.contacts.iter().find(|contact| contact.features == meeting.features);
            let told = own.map(|contact| (contact.time, contact.touching));
            Err(format!("{:?} meet at {t:?}, told is {told:?}", meeting.features))
        })
    }

    /// The interval of convex bodies, from the first meeting to the last: for bodies that start separated, or that
    /// start inside each other by more than the tolerance.
    pub fn ask_interval(&self, from_start: bool) -> Verdict {
        let (a, b) = self.case.bodies();
        let found = contact_intervals(&a, &b, &self.case.screw(), &self.case.options()).unwrap();
        self.judge_interval(&found, from_start)
    }

    fn judge_interval(&self, found: &Intervals, from_start: bool) -> Verdict {
        let last = self.meetings.last().unwrap();
        let first = if from_start { None } else { self.first() };
        if let Outcome::Undecided { clear_until, .. } = found.outcome {
            return self.doubt(clear_until, first.map(|m| &m.time));
        }
        let spans: Vec<_> = found.intervals.iter().map(|i| (i.enter, i.exit, i.touching)).collect();
        let [enter, ..] = found.intervals.first().ok_or("no interval")?.enter;
        // A gap between intervals must be real: a body is wholly inside the other.
        for pair in found.intervals.windows(2) {
            let exit =
                pair[0].exit.ok_or_else(|| format!("two intervals, the first to the end: {spans:?}"))?;
            let t = 0.5 * (exit[1] + pair[1].enter[0]);
            if self.passing.intersects(&Ratio::of(t)) {
                return Err(format!("apart at {t:?}, where they intersect: {spans:?}"));
            }
        }
        let slow = |m: &Meeting| 8.0 * self.case.tolerance / (m.across * self.case.length());
        match first {
            // Rounding leaves undecided whether they are in contact at the start.
            None if is_blurred(self.case.reach(), self.case.tolerance) && enter == 0.0 => {}
            None if found.intervals[0].enter != [0.0; 2] => {
                return Err(format!("enter {enter:?} for the start"));
            }
            None => {}
            Some(first) => {
                let contact = found.intervals[0].contact.ok_or("an enter without its contact")?;
                if contact.time != found.intervals[0].enter {
                    return Err(format!("enter {enter:?} and contact at {:?}", contact.time));
                }
                self.holds_first(&contact, first)?;
            }
        }
        let exit = found.intervals.last().unwrap().exit;
        let ends_inside = self.inside[1];
        match exit {
            None if ends_inside => Ok(()),
            None => Err(format!("to the end, where they are apart: {spans:?}")),
            Some([_, 1.0]) if ends_inside && is_blurred(self.case.reach(), self.case.tolerance) => Ok(()),
            Some(exit) if ends_inside => Err(format!("exit {exit:?}, where they intersect at the end")),
            Some(exit) => {
                let width = self.width(last) + slow(last);
                let held = holds("exit", exit, &last.time, (width, last.across * self.case.length()));
                // A touch lasts until the gap has risen to the tolerance: edges that separate slowly.
                let share = |t: f64| self.gap_squared(t).double().sqrt() / self.case.tolerance;
                let [lo, hi] = exit;
                let parts =
                    lo > last.time.double() && hi - lo <= width && share(lo) <= 1.05 && share(hi) >= 1.0;
                if parts { Ok(()) } else { held }
            }
        }
    }

    /// The time at which they come within a distance, which is larger than the tolerance.
    pub fn ask_within(&self, distance: f64) -> Verdict {
        let (a, b) = self.case.bodies();
        let options = Options { tolerance: Some(distance), ..Options::default() };
        match first_within(&a, &b, &self.case.screw(), &options).unwrap().outcome {
            Outcome::Contact(contact) => touches(contact.time, distance, |t| self.gap_squared(t)),
            other => Err(format!("within {distance}: {other:?}")),
        }
    }
}
