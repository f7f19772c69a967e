//! Contact of two bodies along a smooth interval of any motion: one screw after the other, each over an interval as
//! long as the proof allows.
//!
//! In each interval the motion is replaced by the screw between the poses at its ends. The proven deviation of this
//! screw from the motion is added to distances. The state of the bodies decides how the next interval is examined:
//!
//! ```text
//! Followed   separated, two meshes: a front proves for how long         -> Near, where the front ends
//!                                                                       -> Tried, if fronts keep ending early
//! Near       separated, but close: a fine interval for the features     -> Followed
//! Tried      separated, round bodies or hovering meshes: screws         -> Followed, meshes after a while
//! Held       in contact, for as long as this provably lasts             -> Ending
//! Ending     in contact: a fine interval for the features               -> Held, Resting, or separated as at first
//! Resting    in contact, only touching: screws prove it                 -> Held, Ending
//! ```
//!
//! * A screw **proves separation** if it keeps the surfaces further apart than the tolerance plus its deviation.
//!   Intervals grow while this proof succeeds and shrink if it fails. The deviation shrinks with the square of the
//!   interval.
//! * An interval is **fine** if its deviation is a small fraction of the tolerance. In every state that takes a
//!   screw, the features are then examined as along a single screw. Each start or end of contact gets an enclosure
//!   that holds for every motion within the deviation. The next state is `Held` or `Resting` if the surfaces are in
//!   contact at the end of the interval, otherwise one of the separated states.

use crate::error::Error;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::piece::ScrewContacts;
use crate::mesh_screw::query::UndecidedReason;
use crate::motion::relative::MotionInterval;
use crate::motion::track::TimedScrew;
use crate::pair::{RigidPair, SeparatedUntil};
use crate::trajectory::course::{ContactSearch, SHRINKAGE, SeparationSearch};

/// A proof that contact lasts for less than this fraction of a fine interval is not worth its work.
const WORTH: f64 = 0.1;

/// The rotation angle of the first interval, in radians.
const FIRST_TURN: f64 = 0.3;

/// The factors for the length of the next interval: after a clear interval, and after one in which something was near.
const GROWTH: f64 = 1.7;
const NEAR: f64 = 0.3;

/// After an interval that took too many steps, later ones are at most `CEILING` times as long. Each clear interval
/// raises this limit by the factor `RISE` or more.
const CEILING: f64 = 0.6;
const RISE: f64 = 1.06;

/// A longer interval counts as hardly more work if its steps grew by less than this power of its length.
const CHEAPER: f64 = 0.25;

/// Bodies that hover close to each other are examined by screws, because the deviation of a screw may be less than
/// the acceleration bounds suggest. This starts after more than `STUCK` useless fronts in a row, and lasts for
/// `BY_SCREWS` intervals.
const STUCK: u32 = 2;
const BY_SCREWS: u64 = 64;

/// Intervals shorter than this fraction of their time are not tried. Undecided time then stays undecided.
const SHORTEST: f64 = 1e-14;

/// A deviation of at most `ALL_ROUNDING` roundings does not get smaller in a shorter interval.
const ALL_ROUNDING: f64 = 1.1;

/// If rounding leaves more than `PATIENCE` intervals in a row undecided, time is skipped in leaps.
const PATIENCE: u32 = 20;

/// Steps of the budget that an interval costs in addition to its search.
const STEPS_A_SPAN: u64 = 100;

/// Round bodies that roll on each other within rounding of the tolerance can use up any budget. So a spell may use
/// 1 / `SPELLS` of the remaining budget. Some time is skipped after it: first the fraction `SKIPPED` of the walk,
/// then twice as much each time. Bodies that are separated after the skipped time are thus still found separated.
const SPELLS: u64 = 16;
const SKIPPED: f64 = 1e-3;

/// Maximum fraction of the time that is skipped at once.
const LONGEST_LEAP: f64 = 0.25;

/// A walk along a smooth interval whose motion is not a single screw. Times and durations in seconds.
pub(crate) struct Stepper<'w, 'a> {
    course: &'w mut ContactSearch<'a>,
    stretch: &'w MotionInterval,
    /// A time within the smooth interval.
    within: f64,
    end: f64,
    /// The current time: everything before it is settled.
    time: f64,
    state: State,
    /// The length of the next interval that is replaced by a screw.
    span: f64,
    /// Approximate maximum length at which such an interval is fine, as last computed; 0 if unknown.
    fine_span: f64,
    /// The length of the next interval in which the bodies may rest on each other.
    rest_span: f64,
    /// The number of consecutive intervals that rounding left undecided.
    blind: u32,
    /// How much time is skipped next: more each time, until a proof succeeds again.
    leap: f64,
    /// How much time is skipped when the current spell has used up its budget, which is then at `floor`.
    skip: f64,
    floor: u64,
    /// The start of the current spell, and the budget at that time.
    spell: (f64, u64),
    pace: Pace,
}

/// The relation of the bodies at the current time, which decides the next step.
#[derive(Debug, Clone, Copy)]
enum State {
    /// Two meshes are separated, and a front proves for how long. The last `stuck` fronts got no further than features.
    Followed { stuck: u32 },
    /// The meshes are separated, but so close that only their features can decide. A front is used after that.
    Near { stuck: u32 },
    /// The bodies are separated, and screws must prove it: for `left` intervals, before a front is used again.
    Tried { left: u64 },
    /// The bodies are in contact, which may last long.
    Held,
    /// The bodies are in contact, which does not last long: their features determine its end.
    Ending,
    /// The bodies have touched since this time, and may continue to touch.
    Resting { since: f64 },
}

impl State {
    /// The state of separated bodies without further information. Round bodies have no front.
    fn at_first(pair: &RigidPair<'_>) -> Self {
        if pair.is_of_meshes() { Self::Followed { stuck: 0 } } else { Self::Tried { left: u64::MAX } }
    }
}

/// The length of the intervals in which screws must prove separation.
struct Pace {
    /// The maximum length, after an interval that took too many steps. It rises slowly, or faster after easy intervals.
    ceiling: f64,
    /// The length of the last clear interval, and its steps.
    easy: (f64, f64),
}

impl<'w, 'a> Stepper<'w, 'a> {
    /// A walk from one time of a smooth interval to another.
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

    /// Walks to the end.
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

    /// `Followed`: advances as far as a front proves the bodies separated.
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

    /// `Held`: advances as far as contact provably lasts.
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
            // The overlap may be so small that it is also a touch, and can be followed as a touch.
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
        // If `before` is NaN, the result is `until`.
        let before = until - unsure / speed;
        if before < until { before.max(self.time) } else { until }
    }

    /// `Resting`: takes a longer interval each time.
    fn follow_touching(&mut self, since: f64) -> Result<(), Error> {
        let to = self.end_of(self.rest_span);
        if let Some(found) = self.course.touches_throughout(TimeInterval::new(self.time, to))? {
            self.rest_span = GROWTH * (to - self.time);
            self.advance_to(to, found);
            return Ok(());
        }
        // Contact may start or end here, so this time is examined closely, with shorter intervals for a while.
        self.rest_span *= 0.5;
        if since < self.time {
            return self.follow_intersection();
        }
        // Bodies that only touch have no proof that contact lasts.
        self.state = State::Ending;
        self.take_screw()
    }

    /// `Near`, `Tried`, `Ending`: replaces the next interval by a screw. If the interval is too long to decide, the
    /// next one is shorter.
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
        // At this length the deviation is negligible.
        if rounding < fine {
            self.fine_span = 0.9 * length * ((fine - rounding) / deviation).sqrt();
        }
        match self.state {
            _ if !deviation.is_finite() || rounding >= fine => self.span = SHRINKAGE * length,
            State::Tried { .. } => self.prove_separated(&piece, deviation)?,
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
                // A shorter interval would take as many steps.
                self.advance_to(piece.end, found);
                return self.give_up(length, UndecidedReason::Budget);
            }
            if undecided.reason == UndecidedReason::Rounding && deviation <= ALL_ROUNDING * rounding {
                // No interval is short enough to decide. A little later the bodies may be found to intersect, or
                // round bodies to be separated.
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

    /// `Tried`: finds until when the screw keeps the surfaces further apart than the tolerance plus the deviation.
    fn prove_separated(&mut self, piece: &TimedScrew, deviation: f64) -> Result<(), Error> {
        let distance = 1.05 * self.course.tolerance() + 1.1 * deviation;
        let SeparationSearch { apart, steps, is_spent } =
            self.course.separated_on_screw(&piece.screw, distance)?;
        let length = piece.end - piece.begin;
        let until = piece.not_after(apart.fraction());
        if until > self.time {
            self.course.note_deviation(deviation);
            self.advance_to(until, ScrewContacts::clear());
        }
        match (apart, is_spent) {
            (SeparatedUntil::Throughout, _) => {
                self.span = self.pace.next_length_after_clear(length, steps);
                (self.blind, self.leap) = (0, 0.0);
            }
            (SeparatedUntil::Overlapping, _) => self.span = self.fine_span,
            (SeparatedUntil::Until(_), false) => self.span = (NEAR * length).max(self.fine_span),
            (SeparatedUntil::Until(_) | SeparatedUntil::Unknown, _) => {
                self.span = self.pace.next_length_after_long(length).max(self.fine_span);
            }
        }
        Ok(())
    }

    /// Skips some time, and twice as much the next time. No proof is possible where a spline of quaternions passes
    /// through or close to zero.
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

    /// Starts the next spell after one has used up its part of the budget. No time is skipped if the remaining
    /// budget suffices.
    fn skip(&mut self) -> Result<(), Error> {
        let left = self.course.progress.budget.remaining();
        let (since, had) = self.spell;
        let needed = (had - left) as f64 / (self.time - since) * (self.end - self.time);
        // A NaN compares false, so the budget does not count as sufficient.
        let will_do = needed <= left as f64;
        if !will_do {
            self.give_up(self.skip, UndecidedReason::Budget)?;
            self.skip *= 2.0;
        }
        self.floor = left - left / SPELLS;
        self.spell = (self.time, left);
        Ok(())
    }

    /// Counts one more interval that was examined by screws.
    fn count_screw_step(&mut self) {
        if let State::Tried { left } = self.state {
            self.state =
                if left > 1 { State::Tried { left: left - 1 } } else { State::Followed { stuck: 0 } };
        }
    }

    /// The state of bodies that are separated after a screw.
    fn state_after_contact(&self) -> State {
        match self.state {
            State::Near { stuck } => State::Followed { stuck },
            State::Tried { left } => State::Tried { left },
            _ => State::at_first(&self.course.pair),
        }
    }

    /// Adds the results from the current time to `to`, which becomes the current time.
    fn advance_to(&mut self, to: f64, found: ScrewContacts) {
        self.course.progress.found.append(self.time, found);
        self.time = to;
    }

    /// The end of an interval that starts now. A remainder that is much shorter than the interval is included.
    fn end_of(&self, span: f64) -> f64 {
        let to = self.time + span.max(SHORTEST * self.time.abs());
        if self.end - to < 0.3 * span || to <= self.time { self.end } else { to }
    }

    fn is_spent(&self) -> bool {
        self.course.progress.budget.remaining() < self.floor.max(STEPS_A_SPAN)
    }
}

impl Pace {
    /// The length of the next interval, after a clear one.
    fn next_length_after_clear(&mut self, length: f64, steps: u64) -> f64 {
        let next = (GROWTH * length).min(self.ceiling.max(length));
        let steps = steps as f64;
        // Longer intervals are worth trying if the last one took hardly more steps, or if the steps have halved.
        let hardly_more = steps < self.easy.1 * (length / self.easy.0).powf(CHEAPER);
        let cheaper = length > self.easy.0 && hardly_more || steps <= 0.5 * self.easy.1;
        self.ceiling *= if cheaper { GROWTH } else { RISE };
        self.easy = (length, steps);
        next
    }

    /// The length of the next interval, after an interval that took too many steps.
    fn next_length_after_long(&mut self, length: f64) -> f64 {
        self.ceiling = CEILING * length;
        SHRINKAGE * length
    }
}
