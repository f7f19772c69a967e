//! Contact of two bodies along a smooth interval of any motion: one screw after the other, each over an interval as
//! long as the proof allows.
//!
//! In each interval the motion is replaced by the screw between the poses at its ends. The proven deviation of this
//! screw from the motion is added to distances. The state of the bodies decides how the next interval is examined:
//!
//! ```text
//! Front      separated, two meshes: pairs of boxes give a time until    -> Near, at this time
//!            which they stay separated (a front)
//!                                                                       -> Screws, if fronts keep ending early
//! Near       separated, but close: a fine interval for the features     -> Front
//! Screws     separated, round bodies or hovering meshes: screws         -> Front, meshes after a while
//! InContact  in contact, for as long as this provably lasts             -> Ending
//! Ending     in contact: a fine interval for the features               -> InContact, Resting, Front, Screws
//! Resting    in contact, only touching: screws prove it                 -> InContact, Ending
//! ```
//!
//! * A screw **proves separation** if it keeps the surfaces further apart than the tolerance plus its deviation.
//!   Intervals grow while this proof succeeds and shrink if it fails. The deviation shrinks with the square of the
//!   interval.
//! * An interval is **fine** if its deviation is a small fraction of the tolerance. In every state that uses
//!   screws, the features are then examined as along a single screw. Each start or end of contact gets an enclosure
//!   that is valid for every motion within the deviation. The next state is `InContact` or `Resting` if the
//!   surfaces are in contact at the end of the interval, otherwise one of the separated states.

use crate::error::Error;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::query::UndecidedReason;
use crate::mesh_screw::timed::ScrewContacts;
use crate::motion::relative::MotionInterval;
use crate::motion::track::TimedScrew;
use crate::pair::{RigidPair, SeparationTime};
use crate::trajectory::search::{ContactSearch, SHRINKAGE, SeparationSearch};

/// Steps that prove contact for less than this fraction of a fine interval are not taken: a fine interval is cheaper.
const MIN_FRACTION: f64 = 0.1;

/// The rotation angle of the first interval, in radians.
const FIRST_ROTATION: f64 = 0.3;

/// The factors for the length of the next interval: after a clear interval, and after one in which something was near.
const GROWTH: f64 = 1.7;
const NEAR: f64 = 0.3;

/// After an interval that took too many steps, later ones are at most `CEILING` times as long. Each clear interval
/// raises this limit by the factor `RISE` or more.
const CEILING: f64 = 0.6;
const RISE: f64 = 1.06;

/// A longer interval counts as hardly more work if its number of steps grew by less than this power of the length.
const CHEAPER: f64 = 0.25;

/// Bodies that hover close to each other are examined by screws, because the deviation of a screw may be less than
/// the acceleration bounds suggest. This starts after more than `STUCK` useless fronts in a row, and lasts for
/// `BY_SCREWS` intervals.
const STUCK: u32 = 2;
const BY_SCREWS: u64 = 64;

/// Intervals shorter than this fraction of their start time are not examined: they stay undecided.
const SHORTEST: f64 = 1e-14;

/// A deviation of at most `ROUNDING_ONLY` roundings does not get smaller in a shorter interval.
const ROUNDING_ONLY: f64 = 1.1;

/// If rounding leaves more than this number of intervals in a row undecided, some time is skipped.
const MAX_UNDECIDED_IN_A_ROW: u32 = 20;

/// Steps of the budget that each interval costs in addition to the steps of its search.
const STEPS_PER_INTERVAL: u64 = 100;

/// Round bodies that roll on each other within rounding of the tolerance can use up any budget. So their search uses
/// the budget in portions of 1 / `PORTIONS` of the remaining steps. After each portion some time is skipped: first the
/// fraction `SKIPPED` of the interval of the walk, then twice as much each time. So the search reaches later times at
/// which the bodies are separated.
const PORTIONS: u64 = 16;
const SKIPPED: f64 = 1e-3;

/// Maximum fraction of the time that is skipped at once.
const LONGEST_SKIP: f64 = 0.25;

/// A walk along a smooth interval whose motion is not a single screw. Times and durations in seconds.
pub(crate) struct Stepper<'w, 'a> {
    search: &'w mut ContactSearch<'a>,
    smooth_interval: &'w MotionInterval,
    /// A time within the smooth interval.
    within: f64,
    end: f64,
    /// The current time: the results before it are final.
    time: f64,
    state: State,
    /// The length of the next interval that is replaced by a screw.
    next_length: f64,
    /// Approximate maximum length at which such an interval is fine, as last computed; 0 if unknown.
    fine_length: f64,
    /// The length of the next interval in which the bodies may rest on each other.
    resting_length: f64,
    /// The number of intervals in a row that rounding left undecided.
    undecided_in_a_row: u32,
    /// The minimum time that [`Self::give_up`] skips next: more each time, until a proof succeeds again.
    skip_length: f64,
    /// The time that is skipped when the current portion of the budget is used up.
    portion_skip: f64,
    /// The remaining budget at which the current portion is used up.
    floor: u64,
    /// The time and the remaining budget at the start of the current portion.
    portion: (f64, u64),
    pace: Pace,
}

/// The relation of the bodies at the current time, which decides the next step.
#[derive(Debug, Clone, Copy)]
enum State {
    /// Two meshes are separated, and a front proves until when. Each of the last `stuck` fronts ended within two fine
    /// intervals.
    Front { stuck: u32 },
    /// The meshes are separated, but so close that only their features can decide. A front comes next.
    Near { stuck: u32 },
    /// The bodies are separated, and screws must prove it: for `remaining` intervals, before a front is used again.
    Screws { remaining: u64 },
    /// The bodies are in contact, and a proof of its duration is tried next.
    InContact,
    /// The bodies are in contact, and no proof of its duration was found: their features determine when it ends.
    Ending,
    /// The bodies have touched since this time, and may continue to touch.
    Resting { since: f64 },
}

impl State {
    /// The state of bodies about which nothing else is known. Round bodies have no front.
    fn at_first(pair: &RigidPair<'_>) -> Self {
        if pair.is_of_meshes() { Self::Front { stuck: 0 } } else { Self::Screws { remaining: u64::MAX } }
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
        search: &'w mut ContactSearch<'a>,
        smooth_interval: &'w MotionInterval,
        TimeInterval { start, end }: TimeInterval,
    ) -> Self {
        let TimeInterval { start: first, end: last } = smooth_interval.interval();
        search.memory.forget();
        let spin = search.progress.relative.spin(start, end);
        let state = State::at_first(&search.pair);
        let budget = search.progress.budget.remaining();
        let floor = if search.pair.is_of_meshes() { 0 } else { budget - budget / PORTIONS };
        Self {
            search,
            smooth_interval,
            within: 0.5 * (first + last),
            end,
            time: start,
            state,
            next_length: (end - start).min(FIRST_ROTATION / spin),
            fine_length: 0.0,
            resting_length: 0.0,
            undecided_in_a_row: 0,
            skip_length: 0.0,
            portion_skip: SKIPPED * (end - start),
            floor,
            portion: (start, budget),
            pace: Pace { ceiling: f64::INFINITY, easy: (f64::INFINITY, 0.0) },
        }
    }

    /// Walks to the end.
    ///
    /// # Errors
    /// As [`contact_intervals`](crate::contact_intervals).
    pub(crate) fn run(mut self) -> Result<(), Error> {
        while self.time < self.end {
            self.search.progress.report_contact();
            let is_spent = self.search.progress.budget.remaining() < STEPS_PER_INTERVAL;
            if self.search.progress.is_over()
                || self.search.progress.is_after_first_contact(self.time)
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
            let _ = self.search.progress.budget.take(STEPS_PER_INTERVAL);
            match self.state {
                State::Front { stuck } => self.follow(stuck)?,
                State::Near { .. } | State::Ending => self.take_screw()?,
                State::Screws { .. } => {
                    self.take_screw()?;
                    self.count_screw_step();
                }
                State::InContact => self.follow_intersection()?,
                State::Resting { since } => self.follow_touching(since)?,
            }
        }
        Ok(())
    }

    /// `Front`: advances as far as a front proves the bodies separated.
    fn follow(&mut self, stuck: u32) -> Result<(), Error> {
        if self.fine_length == 0.0 {
            self.fine_length = self.search.precise_screw_duration((self.time, self.next_length), self.end);
        }
        let until = self.search.separated_until(
            self.smooth_interval,
            TimeInterval::new(self.time, self.end),
            0.5 * self.fine_length,
        )?;
        let stuck = if until - self.time < 2.0 * self.fine_length { stuck + 1 } else { 0 };
        if until > self.time {
            self.advance_to(until, ScrewContacts::clear());
        }
        if stuck > STUCK {
            (self.state, self.next_length) =
                (State::Screws { remaining: BY_SCREWS }, GROWTH * self.fine_length);
            return Ok(());
        }
        if stuck == 0 {
            (self.undecided_in_a_row, self.skip_length) = (0, 0.0);
        }
        (self.state, self.next_length) = (State::Near { stuck }, self.fine_length);
        Ok(())
    }

    /// `InContact`: advances as far as contact provably lasts.
    fn follow_intersection(&mut self) -> Result<(), Error> {
        self.fine_length = self.search.precise_screw_duration((self.time, self.next_length), self.end);
        let until = self.search.intersecting_until(
            (self.time, self.within),
            self.end,
            MIN_FRACTION * self.fine_length,
        );
        let until = self.with_margin(until);
        if until > self.time {
            (self.state, self.undecided_in_a_row, self.skip_length) = (State::InContact, 0, 0.0);
            self.advance_to(until, ScrewContacts::throughout(self.time));
            return Ok(());
        }
        if !self.search.pair.is_of_meshes() {
            // The overlap may be so small that it is also a touch, and can be followed as a touch.
            let to = self.end_of(self.resting_length.max(2.0 * self.fine_length));
            if let Some(found) = self.search.touches_throughout(TimeInterval::new(self.time, to))? {
                (self.state, self.resting_length) = (State::InContact, GROWTH * (to - self.time));
                self.advance_to(to, found);
                return Ok(());
            }
            self.resting_length = 0.5 * (to - self.time);
        }
        self.state = State::Ending;
        self.take_screw()
    }

    /// A time somewhat before `until`, at which contact is proven. The screw that starts there can prove an end of
    /// contact soon after `until` ([`ContactSearch::undecided_distance`]).
    fn with_margin(&self, until: f64) -> f64 {
        let margin = self.search.undecided_distance(TimeInterval::new(self.time, self.end));
        if margin == 0.0 || until >= self.end || until <= self.time {
            return until;
        }
        let speed = self.search.progress.relative.speed(self.time, until);
        // If `before` is NaN, the result is `until`.
        let before = until - margin / speed;
        if before < until { before.max(self.time) } else { until }
    }

    /// `Resting`: proves that the surfaces touch, over a longer interval each time.
    fn follow_touching(&mut self, since: f64) -> Result<(), Error> {
        let to = self.end_of(self.resting_length);
        if let Some(found) = self.search.touches_throughout(TimeInterval::new(self.time, to))? {
            self.resting_length = GROWTH * (to - self.time);
            self.advance_to(to, found);
            return Ok(());
        }
        // Contact may start or end here, so this time is examined closely, with shorter intervals for a while.
        self.resting_length *= 0.5;
        if since < self.time {
            return self.follow_intersection();
        }
        // Bodies that only touch have no proof that contact lasts.
        self.state = State::Ending;
        self.take_screw()
    }

    /// `Near`, `Screws`, `Ending`: replaces the next interval by a screw. If the interval is too long to decide, the
    /// next one is shorter.
    fn take_screw(&mut self) -> Result<(), Error> {
        let (time, to) = (self.time, self.end_of(self.next_length));
        let length = to - time;
        let relative = self.search.progress.relative;
        let (timed_screw, deviation) = relative.screw(time, to);
        let rounding = relative.rounding_over(time, to);
        let fine = self.search.negligible_deviation(rounding);
        if deviation <= fine {
            return self.search_features(&timed_screw, (deviation, rounding));
        }
        if length <= 2.0 * SHORTEST * to.abs() {
            return self.give_up(length, UndecidedReason::Rounding);
        }
        // At this length the deviation is negligible.
        if rounding < fine {
            self.fine_length = 0.9 * length * ((fine - rounding) / deviation).sqrt();
        }
        match self.state {
            _ if !deviation.is_finite() || rounding >= fine => self.next_length = SHRINKAGE * length,
            State::Screws { .. } => self.prove_separated(&timed_screw, deviation)?,
            _ => self.next_length = self.fine_length,
        }
        Ok(())
    }

    /// Searches the features in a short interval: the contacts that start and end in it, and the state at its end.
    fn search_features(
        &mut self,
        timed_screw: &TimedScrew,
        (deviation, rounding): (f64, f64),
    ) -> Result<(), Error> {
        let mut found = self.search.precise_screw_contacts(timed_screw, deviation)?;
        let length = timed_screw.end - timed_screw.start;
        let shorter = SHRINKAGE * length;
        if let Some(undecided) = &mut found.undecided {
            if !self.search.pair.is_of_meshes() && undecided.reason == UndecidedReason::Budget {
                // A shorter interval would take as many steps.
                self.advance_to(timed_screw.end, found);
                return self.give_up(length, UndecidedReason::Budget);
            }
            if undecided.reason == UndecidedReason::Rounding && deviation <= ROUNDING_ONLY * rounding {
                // No interval is short enough to decide. A little later the bodies may be found to intersect, or
                // round bodies to be separated.
                let mut since = timed_screw.end;
                if !self.search.pair.is_of_meshes() {
                    since = self
                        .search
                        .separated_back_to(TimeInterval::new(undecided.from, timed_screw.end))?
                        .max(undecided.from.next_up());
                }
                undecided.to = since;
                if let Some(exit) = found.intervals.last_mut().and_then(|last| last.exit.as_mut()) {
                    exit[1] = exit[1].min(since);
                }
                self.advance_to(since, found);
                if since < timed_screw.end {
                    self.advance_to(timed_screw.end, ScrewContacts::clear());
                }
                self.undecided_in_a_row += 1;
                if self.time < self.end && self.undecided_in_a_row > MAX_UNDECIDED_IN_A_ROW {
                    self.give_up(length, UndecidedReason::Rounding)?;
                }
                self.state = State::InContact;
                return Ok(());
            }
            if shorter > SHORTEST * timed_screw.end.abs() && !self.is_spent() {
                self.next_length = shorter;
                return Ok(());
            }
        }
        self.state = if !found.is_open() {
            self.state_after_contact()
        } else if found.intervals.last().is_some_and(|last| last.touching) {
            self.resting_length = self.resting_length.max(2.0 * length);
            State::Resting { since: timed_screw.end }
        } else {
            State::InContact
        };
        (self.next_length, self.pace.ceiling) = (GROWTH * length, f64::INFINITY);
        (self.undecided_in_a_row, self.skip_length) = (0, 0.0);
        self.search.note_deviation(deviation);
        self.advance_to(timed_screw.end, found);
        Ok(())
    }

    /// `Screws`: finds until when the screw keeps the surfaces further apart than the tolerance plus the deviation.
    fn prove_separated(&mut self, timed_screw: &TimedScrew, deviation: f64) -> Result<(), Error> {
        let distance = 1.05 * self.search.tolerance() + 1.1 * deviation;
        let SeparationSearch { separation, steps, is_spent } =
            self.search.separated_on_screw(&timed_screw.screw, distance)?;
        let length = timed_screw.end - timed_screw.start;
        let until = timed_screw.not_after(separation.fraction());
        if until > self.time {
            self.search.note_deviation(deviation);
            self.advance_to(until, ScrewContacts::clear());
        }
        match (separation, is_spent) {
            (SeparationTime::Throughout, _) => {
                self.next_length = self.pace.next_length_after_clear(length, steps);
                (self.undecided_in_a_row, self.skip_length) = (0, 0.0);
            }
            (SeparationTime::Overlapping, _) => self.next_length = self.fine_length,
            (SeparationTime::Until(_), false) => self.next_length = (NEAR * length).max(self.fine_length),
            (SeparationTime::Until(_) | SeparationTime::Unknown, _) => {
                self.next_length = self.pace.next_length_after_long(length).max(self.fine_length);
            }
        }
        Ok(())
    }

    /// Skips some time, and twice as much the next time. No proof is possible, for example, near a zero of a spline of
    /// quaternions.
    fn give_up(&mut self, length: f64, reason: UndecidedReason) -> Result<(), Error> {
        let to = self.end_of(self.skip_length.max(length).min(LONGEST_SKIP * self.end));
        let length = to - self.time;
        (self.state, self.next_length, self.skip_length) = (self.state_after_contact(), length, 2.0 * length);
        let since = if self.search.pair.is_of_meshes() {
            to
        } else {
            self.search.separated_back_to(TimeInterval::new(self.time, to))?.max(self.time.next_up())
        };
        self.advance_to(since, ScrewContacts::undecided(self.time, since, reason));
        if since < to {
            self.advance_to(to, ScrewContacts::clear());
        }
        Ok(())
    }

    /// Starts the next portion of the budget. Time is skipped unless the remaining budget suffices at the rate of the
    /// last portion.
    fn skip(&mut self) -> Result<(), Error> {
        let remaining = self.search.progress.budget.remaining();
        let (since, budget_then) = self.portion;
        let needed = (budget_then - remaining) as f64 / (self.time - since) * (self.end - self.time);
        // A NaN compares false, so the budget does not count as sufficient.
        let suffices = needed <= remaining as f64;
        if !suffices {
            self.give_up(self.portion_skip, UndecidedReason::Budget)?;
            self.portion_skip *= 2.0;
        }
        self.floor = remaining - remaining / PORTIONS;
        self.portion = (self.time, remaining);
        Ok(())
    }

    /// Counts one more interval that was examined by screws.
    fn count_screw_step(&mut self) {
        if let State::Screws { remaining } = self.state {
            self.state = if remaining > 1 {
                State::Screws { remaining: remaining - 1 }
            } else {
                State::Front { stuck: 0 }
            };
        }
    }

    /// The state of bodies that are separated after a screw.
    fn state_after_contact(&self) -> State {
        match self.state {
            State::Near { stuck } => State::Front { stuck },
            State::Screws { remaining } => State::Screws { remaining },
            _ => State::at_first(&self.search.pair),
        }
    }

    /// Adds the results from the current time to `to`, which becomes the current time.
    fn advance_to(&mut self, to: f64, found: ScrewContacts) {
        self.search.progress.found.append(self.time, found);
        self.time = to;
    }

    /// The end of an interval that starts now. A remainder that is much shorter than the interval is included.
    fn end_of(&self, length: f64) -> f64 {
        let to = self.time + length.max(SHORTEST * self.time.abs());
        if self.end - to < 0.3 * length || to <= self.time { self.end } else { to }
    }

    fn is_spent(&self) -> bool {
        self.search.progress.budget.remaining() < self.floor.max(STEPS_PER_INTERVAL)
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
