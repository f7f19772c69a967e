//! Contact of two bodies along a stretch of any motion: screw after screw, each over a span as long as the proof
//! allows.
//!
//! A span of time is taken as the screw between the poses at its ends. The proven deviation of this screw from the
//! motion is carried as a distance. The state of the bodies decides how the next span is examined:
//!
//! ```text
//! Followed   apart, two meshes: a front proves for how long              -> Near, where the front ends
//!                                                                        -> Tried, where fronts keep ending early
//! Near       apart, but close: a fine span, for the features to decide   -> Followed
//! Tried      apart, round bodies or meshes that hover: screws prove it   -> Followed, meshes after a while
//! Held       in contact: as long as this provably lasts                  -> Ending
//! Ending     in contact: a fine span, for the features to decide         -> Held, Resting, or apart as at first
//! Resting    in contact, and they only touch: screws prove it            -> Held, Ending
//! ```
//!
//! * A screw **proves the bodies apart** if it keeps the surfaces further apart than the tolerance plus its deviation.
//!   Spans grow while this proof succeeds and shrink where it fails. The deviation shrinks with the square of the span.
//! * A span is **fine** if its deviation is a small share of the tolerance. In every state that takes a screw, the
//!   features are then examined as along a single screw. Each begin or end of contact gets an enclosure that holds for
//!   every motion within the deviation. The next state is `Held` or `Resting` if the surfaces meet at the end of the
//!   span, else one of those apart.

use crate::error::Error;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::piece::ScrewContacts;
use crate::mesh_screw::query::UndecidedReason;
use crate::motion::relative::MotionInterval;
use crate::motion::track::TimedScrew;
use crate::pair::{Apart, RigidPair};
use crate::trajectory::course::{ContactSearch, SHRINKAGE, SeparationSearch};

/// A proof that contact lasts for less than this share of a fine span is not worth its work.
const WORTH: f64 = 0.1;

/// The turn, in radians, of the first span that is tried.
const FIRST_TURN: f64 = 0.3;

/// The factors for the length of the next span: after a clear one, and after one in which something was near.
const GROWTH: f64 = 1.7;
const NEAR: f64 = 0.3;

/// After a span that took too many steps, later ones are at most `CEILING` times as long. Each clear span raises this
/// limit by the factor `RISE` or more.
const CEILING: f64 = 0.6;
const RISE: f64 = 1.06;

/// A longer span counts as hardly more work if its steps grew by less than this power of its length.
const CHEAPER: f64 = 0.25;

/// Bodies that hover close to each other are followed by screws, whose deviation may be less than the bounds of the
/// accelerations give. This begins after more than `STUCK` fronts of no use in a row, and lasts for `BY_SCREWS` spans.
const STUCK: u32 = 2;
const BY_SCREWS: u64 = 64;

/// Spans shorter than this share of the time at which they lie are not tried. What is undecided then stays undecided.
const SHORTEST: f64 = 1e-14;

/// A deviation of at most this many roundings does not get smaller in a shorter span.
const ALL_ROUNDING: f64 = 1.1;

/// After more than this many spans in a row that rounding leaves undecided, time is given up in leaps.
const PATIENCE: u32 = 20;

/// Steps of the budget that a span costs in addition to those of its search.
const STEPS_A_SPAN: u64 = 100;

/// Round bodies that roll on each other within rounding of the tolerance can use up any budget. So a spell may use 1 /
/// `SPELLS` of the budget left. Some time is skipped after it: first the share `SKIPPED` of the walk, then twice as
/// much each time. Bodies that are apart after the skipped time are thus still found apart.
const SPELLS: u64 = 16;
const SKIPPED: f64 = 1e-3;

/// No more than this share of the time is given up at once.
const LONGEST_LEAP: f64 = 0.25;

/// A walk along a stretch whose motion is no single screw. Times and lengths of time in seconds.
pub(crate) struct Stepper<'w, 'a> {
    course: &'w mut ContactSearch<'a>,
    stretch: &'w MotionInterval,
    /// A time within the stretch.
    within: f64,
    end: f64,
    /// The time that is reached: everything before it is settled.
    time: f64,
    state: State,
    /// The length of the next span that is taken as a screw.
    span: f64,
    /// About the greatest length at which such a span is fine, as last computed; 0 where it is not known.
    fine_span: f64,
    /// The length of the next span in which the bodies may rest on each other.
    rest_span: f64,
    /// How many spans in a row rounding left undecided.
    blind: u32,
    /// How much time is given up next: more each time, until something is proven again.
    leap: f64,
    /// How much time is skipped next when a spell has used up its part of the budget. The budget is then at `floor`.
    skip: f64,
    floor: u64,
    /// When the current spell began, and the budget at that time.
    spell: (f64, u64),
    pace: Pace,
}

/// How the bodies stand to each other at the time that is reached. This decides the next step.
#[derive(Debug, Clone, Copy)]
enum State {
    /// Two meshes are apart, and a front proves for how long. The last `stuck` fronts got no further than features do.
    Followed { stuck: u32 },
    /// The meshes are apart, but so near that only their features can decide. A front is asked after that.
    Near { stuck: u32 },
    /// The bodies are apart, and screws are to prove it: for `left` spans, before a front is asked again.
    Tried { left: u64 },
    /// The bodies are in contact, and something may hold them in contact for long.
    Held,
    /// The bodies are in contact, and nothing holds them for long: their features tell when contact ends.
    Ending,
    /// The bodies have touched since this time, and may go on touching.
    Resting { since: f64 },
}

impl State {
    /// The state of bodies that are apart when nothing else is known. Round bodies have no front.
    fn at_first(pair: &RigidPair<'_>) -> Self {
        if pair.is_of_meshes() { Self::Followed { stuck: 0 } } else { Self::Tried { left: u64::MAX } }
    }
}

/// How long the spans are in which screws are to prove the bodies apart.
struct Pace {
    /// The greatest length, after a span that took too many steps. It rises slowly, and faster where spans have become
    /// easy.
    ceiling: f64,
    /// The length of the last clear span, and its steps.
    easy: (f64, f64),
}

impl<'w, 'a> Stepper<'w, 'a> {
    /// A walk from one time of a stretch to another.
    pub(crate) fn new(
        course: &'w mut ContactSearch<'a>,
        stretch: &'w MotionInterval,
        TimeInterval { start: begin, end }: TimeInterval,
    ) -> Self {
        let TimeInterval { start: first, end: last } = stretch.interval();
        course.memory.forget();
        let spin = course.progress.relative.spin(begin, end);
        let state = State::at_first(&course.pair);
        let budget = course.progress.budget.remaining();
        let floor = if course.pair.is_of_meshes() { 0 } else { budget - budget / SPELLS };
        Self {
            course,
            stretch,
            within: 0.5 * (first + last),
            end,
            time: begin,
            state,
            span: (end - begin).min(FIRST_TURN / spin),
            fine_span: 0.0,
            rest_span: 0.0,
            blind: 0,
            leap: 0.0,
            skip: SKIPPED * (end - begin),
            floor,
            spell: (begin, budget),
            pace: Pace { ceiling: f64::INFINITY, easy: (f64::INFINITY, 0.0) },
        }
    }

    /// Goes to its end.
    ///
    /// # Errors
    /// As [`contact_intervals`](crate::contact_intervals).
    pub(crate) fn run(mut self) -> Result<(), Error> {
        while self.time < self.end {
            self.course.progress.report_contact();
            let is_spent = self.course.progress.budget.remaining() < STEPS_A_SPAN;
            if self.course.progress.is_over()
                || self.course.progress.is_after_first_contact(self.time)
                || is_spent
            {
                self.advance_to(
                    self.end,
                    ScrewContacts::undecided(self.time, self.end, UndecidedReason::Budget),
                );
                break;
            }
            if self.is_spent() {
                self.skip()?;
                continue;
            }
            let _ = self.course.progress.budget.take(STEPS_A_SPAN);
            match self.state {
                State::Followed { stuck } => self.follow(stuck)?,
                State::Near { .. } | State::Ending => self.take_screw()?,
                State::Tried { .. } => {
                    self.take_screw()?;
                    self.count_screw_step();
                }
                State::Held => self.follow_intersection()?,
                State::Resting { since } => self.follow_touching(since)?,
            }
        }
        Ok(())
    }

    /// `Followed`: goes on as far as a front proves the bodies apart.
    fn follow(&mut self, stuck: u32) -> Result<(), Error> {
        if self.fine_span == 0.0 {
            self.fine_span = self.course.precise_screw_duration((self.time, self.span), self.end);
        }
        let until = self.course.separated_until(
            self.stretch,
            TimeInterval::new(self.time, self.end),
            0.5 * self.fine_span,
        )?;
        let stuck = if until - self.time < 2.0 * self.fine_span { stuck + 1 } else { 0 };
        if until > self.time {
            self.advance_to(until, ScrewContacts::clear());
        }
        if stuck > STUCK {
            (self.state, self.span) = (State::Tried { left: BY_SCREWS }, GROWTH * self.fine_span);
            return Ok(());
        }
        if stuck == 0 {
            (self.blind, self.leap) = (0, 0.0);
        }
        (self.state, self.span) = (State::Near { stuck }, self.fine_span);
        Ok(())
    }

    /// `Held`: goes on as far as contact provably lasts.
    fn follow_intersection(&mut self) -> Result<(), Error> {
        self.fine_span = self.course.precise_screw_duration((self.time, self.span), self.end);
        let until = self.course.lasts((self.time, self.within), self.end, WORTH * self.fine_span);
        let until = self.before_the_end(until);
        if until > self.time {
            (self.state, self.blind, self.leap) = (State::Held, 0, 0.0);
            self.advance_to(until, ScrewContacts::throughout(self.time));
            return Ok(());
        }
        if !self.course.pair.is_of_meshes() {
            // The bodies may intersect so little that it is a touch as well, and can be followed as one.
            let to = self.end_of(self.rest_span.max(2.0 * self.fine_span));
            if let Some(found) = self.course.touches_throughout(TimeInterval::new(self.time, to))? {
                (self.state, self.rest_span) = (State::Held, GROWTH * (to - self.time));
                self.advance_to(to, found);
                return Ok(());
            }
            self.rest_span = 0.5 * (to - self.time);
        }
        self.state = State::Ending;
        self.take_screw()
    }

    /// A time before `until`, up to which contact lasts. The margin covers rounding, so that an end of contact soon
    /// after `until` is proven in one screw.
    fn before_the_end(&self, until: f64) -> f64 {
        let unsure = self.course.undecided_duration(TimeInterval::new(self.time, self.end));
        if unsure == 0.0 || until >= self.end || until <= self.time {
            return until;
        }
        let speed = self.course.progress.relative.speed(self.time, until);
        // A NaN leaves `until` as it is.
        let before = until - unsure / speed;
        if before < until { before.max(self.time) } else { until }
    }

    /// `Resting`: takes a longer span each time.
    fn follow_touching(&mut self, since: f64) -> Result<(), Error> {
        let to = self.end_of(self.rest_span);
        if let Some(found) = self.course.touches_throughout(TimeInterval::new(self.time, to))? {
            self.rest_span = GROWTH * (to - self.time);
            self.advance_to(to, found);
            return Ok(());
        }
        // Something ends or begins here. It is examined closely, and no longer span is tried for a while.
        self.rest_span *= 0.5;
        if since < self.time {
            return self.follow_intersection();
        }
        // Nothing holds bodies together that only touch.
        self.state = State::Ending;
        self.take_screw()
    }

    /// `Near`, `Tried`, `Ending`: takes the next span as a screw. If this span is too long to decide, the next one is
    /// shorter.
    fn take_screw(&mut self) -> Result<(), Error> {
        let (time, to) = (self.time, self.end_of(self.span));
        let length = to - time;
        let relative = self.course.progress.relative;
        let (piece, deviation) = relative.screw(time, to);
        let rounding = relative.rounding_over(time, to);
        let fine = self.course.negligible_deviation(rounding);
        if deviation <= fine {
            return self.search_features(&piece, (deviation, rounding));
        }
        if length <= 2.0 * SHORTEST * to.abs() {
            return self.give_up(length, UndecidedReason::Rounding);
        }
        // The span has to shrink to this length, so that its deviation no longer matters.
        if rounding < fine {
            self.fine_span = 0.9 * length * ((fine - rounding) / deviation).sqrt();
        }
        match self.state {
            _ if !deviation.is_finite() || rounding >= fine => self.span = SHRINKAGE * length,
            State::Tried { .. } => self.prove_apart(&piece, deviation)?,
            _ => self.span = self.fine_span,
        }
        Ok(())
    }

    /// Searches the features in a short interval: the contacts that start and end in it, and the state at its end.
    fn search_features(
        &mut self,
        piece: &TimedScrew,
        (deviation, rounding): (f64, f64),
    ) -> Result<(), Error> {
        let mut found = self.course.precise_screw_contacts(piece, deviation)?;
        let length = piece.end - piece.begin;
        let shorter = SHRINKAGE * length;
        if let Some(undecided) = &mut found.undecided {
            if !self.course.pair.is_of_meshes() && undecided.reason == UndecidedReason::Budget {
                // A shorter span would take as many steps.
                self.advance_to(piece.end, found);
                return self.give_up(length, UndecidedReason::Budget);
            }
            if undecided.reason == UndecidedReason::Rounding && deviation <= ALL_ROUNDING * rounding {
                // No span is short enough to decide. A little later the bodies may be found to intersect, or round
                // bodies to be apart.
                let mut since = piece.end;
                if !self.course.pair.is_of_meshes() {
                    since = self
                        .course
                        .separated_back_to(TimeInterval::new(undecided.from, piece.end))?
                        .max(undecided.from.next_up());
                }
                undecided.to = since;
                if let Some(exit) = found.met.last_mut().and_then(|met| met.exit.as_mut()) {
                    exit[1] = exit[1].min(since);
                }
                self.advance_to(since, found);
                if since < piece.end {
                    self.advance_to(piece.end, ScrewContacts::clear());
                }
                self.blind += 1;
                if self.time < self.end && self.blind > PATIENCE {
                    self.give_up(length, UndecidedReason::Rounding)?;
                }
                self.state = State::Held;
                return Ok(());
            }
            if shorter > SHORTEST * piece.end.abs() && !self.is_spent() {
                self.span = shorter;
                return Ok(());
            }
        }
        self.state = if !found.is_open() {
            self.state_after_contact()
        } else if found.met.last().is_some_and(|met| met.touching) {
            self.rest_span = self.rest_span.max(2.0 * length);
            State::Resting { since: piece.end }
        } else {
            State::Held
        };
        (self.span, self.pace.ceiling) = (GROWTH * length, f64::INFINITY);
        (self.blind, self.leap) = (0, 0.0);
        self.course.note_deviation(deviation);
        self.advance_to(piece.end, found);
        Ok(())
    }

    /// `Tried`: asks until when the screw keeps the surfaces further apart than the tolerance plus the deviation.
    fn prove_apart(&mut self, piece: &TimedScrew, deviation: f64) -> Result<(), Error> {
        let distance = 1.05 * self.course.tolerance() + 1.1 * deviation;
        let SeparationSearch { apart, steps, is_spent } =
            self.course.separated_on_screw(&piece.screw, distance)?;
        let length = piece.end - piece.begin;
        let until = match apart {
            Apart::Throughout => piece.end,
            Apart::Until(share) => piece.not_after(share),
            Apart::Unknown | Apart::Overlapping => piece.begin,
        };
        if until > self.time {
            self.course.note_deviation(deviation);
            self.advance_to(until, ScrewContacts::clear());
        }
        match (apart, is_spent) {
            (Apart::Throughout, _) => {
                self.span = self.pace.next_length_after_clear(length, steps);
                (self.blind, self.leap) = (0, 0.0);
            }
            (Apart::Overlapping, _) => self.span = self.fine_span,
            (Apart::Until(_), false) => self.span = (NEAR * length).max(self.fine_span),
            (Apart::Until(_) | Apart::Unknown, _) => {
                self.span = self.pace.next_length_after_long(length).max(self.fine_span);
            }
        }
        Ok(())
    }

    /// Gives up some time, and twice as much the next time. Nothing can be proven where a spline of quaternions passes
    /// through zero, or close to this.
    fn give_up(&mut self, length: f64, reason: UndecidedReason) -> Result<(), Error> {
        let to = self.end_of(self.leap.max(length).min(LONGEST_LEAP * self.end));
        let length = to - self.time;
        (self.state, self.span, self.leap) = (self.state_after_contact(), length, 2.0 * length);
        let since = if self.course.pair.is_of_meshes() {
            to
        } else {
            self.course.separated_back_to(TimeInterval::new(self.time, to))?.max(self.time.next_up())
        };
        self.advance_to(since, ScrewContacts::undecided(self.time, since, reason));
        if since < to {
            self.advance_to(to, ScrewContacts::clear());
        }
        Ok(())
    }

    /// Begins the next spell after one has used up its part of the budget. No time is skipped where the budget left
    /// will do.
    fn skip(&mut self) -> Result<(), Error> {
        let left = self.course.progress.budget.remaining();
        let (since, had) = self.spell;
        let needed = (had - left) as f64 / (self.time - since) * (self.end - self.time);
        // A NaN compares false: the budget does not count as sufficient.
        let will_do = needed <= left as f64;
        if !will_do {
            self.give_up(self.skip, UndecidedReason::Budget)?;
            self.skip *= 2.0;
        }
        self.floor = left - left / SPELLS;
        self.spell = (self.time, left);
        Ok(())
    }

    /// Counts one more span that was tried by screws.
    fn count_screw_step(&mut self) {
        if let State::Tried { left } = self.state {
            self.state =
                if left > 1 { State::Tried { left: left - 1 } } else { State::Followed { stuck: 0 } };
        }
    }

    /// The state of bodies that are apart after a screw.
    fn state_after_contact(&self) -> State {
        match self.state {
            State::Near { stuck } => State::Followed { stuck },
            State::Tried { left } => State::Tried { left },
            _ => State::at_first(&self.course.pair),
        }
    }

    /// Adds what was found from the time reached so far to `to`, which is reached now.
    fn advance_to(&mut self, to: f64, found: ScrewContacts) {
        self.course.progress.found.append(self.time, found);
        self.time = to;
    }

    /// The end of a span that begins now. No remainder is left that is much shorter than the span.
    fn end_of(&self, span: f64) -> f64 {
        let to = self.time + span.max(SHORTEST * self.time.abs());
        if self.end - to < 0.3 * span || to <= self.time { self.end } else { to }
    }

    fn is_spent(&self) -> bool {
        self.course.progress.budget.remaining() < self.floor.max(STEPS_A_SPAN)
    }
}

impl Pace {
    /// The length of the next span, after one that was clear.
    fn next_length_after_clear(&mut self, length: f64, steps: u64) -> f64 {
        let next = (GROWTH * length).min(self.ceiling.max(length));
        let steps = steps as f64;
        // Longer spans are worth trying if the longer one took hardly more steps, or if the steps have halved.
        let hardly_more = steps < self.easy.1 * (length / self.easy.0).powf(CHEAPER);
        let cheaper = length > self.easy.0 && hardly_more || steps <= 0.5 * self.easy.1;
        self.ceiling *= if cheaper { GROWTH } else { RISE };
        self.easy = (length, steps);
        next
    }

    /// The length of the next span, after one that took too many steps.
    fn next_length_after_long(&mut self, length: f64) -> f64 {
        self.ceiling = CEILING * length;
        SHRINKAGE * length
    }
}
