//! The proofs about two rigid bodies from which [`stepping`](super::stepping) composes their motion: until when
//! they stay separated, until when they intersect, whether they rest on each other, and their contacts along a
//! screw. Each proof draws on the budget of the search.

use crate::error::Error;
use crate::features::collector::EventFilter;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::piece::{ContactSpan, PoseState, ScrewContacts};
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::motion::Screw;
use crate::motion::relative::MotionInterval;
use crate::motion::track::TimedScrew;
use crate::pair::{PairMemory, RigidPair, SeparatedUntil, SeparationGoal};
use crate::trajectory::progress::{QUICK, SearchProgress};

/// A screw counts as the motion itself if its deviation is at most this fraction of the tolerance.
const FINE: f64 = 0.005;

/// Or at most this fraction of the size of the bodies, if that is more: some dozens of roundings.
const FINEST: f64 = 1e-14;

/// A deviation of more than this fraction of the size of the bodies always matters.
const COARSEST: f64 = 1e-6;

/// A gap or a depth of `UNSURE` roundings is certain if a screw is off by two roundings: its sign is certain if it
/// is more than eight times that.
const UNSURE: f64 = 20.0;

/// How often the length of an interval is adjusted until its screw is fine.
const FINDING: usize = 3;

/// How often the length is halved at most while the deviation is unknown.
const HALVINGS: usize = 64;

/// The factor for the length of an interval whose deviation is unknown, or whose search took too long.
pub(crate) const SHRINKAGE: f64 = 0.5;

/// Surfaces that rest on each other are examined with a deviation of up to this fraction of the tolerance.
const RESTING: f64 = 0.3;

/// Steps, some seconds of work, of one spell of a single screw of round bodies.
const SPELL_BUDGET: u64 = 10_000_000;

/// Maximum number of steps for a screw of round bodies that is as precise as the motion. Most take less than 10,000.
const ROUND_BUDGET: u64 = 1_000_000;

/// If a screw of round bodies is undecided from a time on, the fraction `LEAP` of the screw is skipped. The
/// fraction grows by `LEAPS_GROW` each time that this does not help, up to `LONGEST_LEAP`.
const LEAP: f64 = 1e-9;
const LEAPS_GROW: f64 = 4.0;
const LONGEST_LEAP: f64 = 1.0 / 32.0;

/// The precision of the time from which bodies are separated again, as a fraction of the time given up; and the
/// maximum number of steps of each attempt.
const BACK: f64 = 1e-3;
const QUICK_BACK: u64 = 100_000;

/// A search of round bodies that ended after more than this fraction of a screw continues at its end.
const PROGRESS: f64 = 0.01;

/// The search for the contacts of two rigid bodies along their motion.
pub(crate) struct ContactSearch<'a> {
    pub(crate) pair: RigidPair<'a>,
    pub(crate) memory: &'a mut PairMemory,
    pub(crate) progress: SearchProgress<'a>,
    /// With the initial budget.
    options: Options,
    /// A negligible deviation, in metres.
    fine: f64,
}

/// The result of a search for a proof of separation, and its steps.
pub(crate) struct SeparationSearch {
    pub(crate) apart: SeparatedUntil,
    pub(crate) steps: u64,
    /// Whether the search used all or nearly all of its steps.
    pub(crate) is_spent: bool,
}

impl<'a> ContactSearch<'a> {
    pub(crate) fn new(
        pair: RigidPair<'a>,
        progress: SearchProgress<'a>,
        memory: &'a mut PairMemory,
        options: &Options,
    ) -> Self {
        let tolerance = options.tolerance.unwrap_or(0.0);
        Self { pair, memory, progress, options: *options, fine: (FINE * tolerance).max(FINEST * pair.size()) }
    }

    /// In metres.
    pub(crate) fn tolerance(&self) -> f64 {
        self.options.tolerance.unwrap_or(0.0)
    }

    /// Runs a query with at most `most` steps. Returns the answer and its steps, which are taken from the budget.
    fn asked<T>(
        &mut self,
        most: u64,
        ask: impl FnOnce(&RigidPair<'a>, &mut PairMemory, &mut Budget<'a>) -> T,
    ) -> (T, u64) {
        let mut part = self.progress.budget.part(most);
        let given = part.remaining();
        let answer = ask(&self.pair, self.memory, &mut part);
        let steps = given - part.remaining();
        // The query takes no more steps than its budget.
        let _ = self.progress.budget.take(steps);
        (answer, steps)
    }

    /// Records that a result depends on a screw with this deviation.
    pub(crate) fn note_deviation(&mut self, deviation: f64) {
        self.progress.found.deviation = self.progress.found.deviation.max(deviation);
    }

    /// A negligible deviation, in metres, for positions known to `rounding`. Far from the origin it does not get
    /// smaller. Rounding counts up to a millionth of the size of the bodies. A larger rounding, for example near a
    /// zero of a spline of quaternions, leaves no negligible deviation.
    pub(crate) fn negligible_deviation(&self, rounding: f64) -> f64 {
        self.fine.max(
            (2.0 * rounding).min(COARSEST * self.pair.size() + 2.0 * self.progress.relative.position_error),
        )
    }

    /// Changes a touch at the start into an overlap if the bodies are proven to overlap deeply, with coplanar faces.
    pub(crate) fn deepen_start(&mut self) {
        if self.progress.found.start != PoseState::Touching {
            return;
        }
        let (pose, tolerance) = (self.progress.relative.pose_at(0.0, 0.0), self.tolerance());
        if self.pair.is_flush_deep(self.memory, (&pose, tolerance), &mut self.progress.budget) {
            self.progress.found.start = PoseState::Intersecting;
            if let Some(met) = self.progress.found.met.first_mut() {
                met.touching = false;
            }
        }
    }

    /// Adds the intervals of contact in a smooth interval that is one screw.
    ///
    /// # Errors
    /// As [`contact_intervals`](crate::contact_intervals).
    pub(crate) fn follow_screw(&mut self, piece: &TimedScrew) -> Result<(), Error> {
        if !self.pair.is_of_meshes() {
            return self.by_spells(piece);
        }
        let found = self.exact_screw_contacts(piece)?;
        self.progress.found.append(piece.begin, found);
        Ok(())
    }

    /// As `follow_screw` for round bodies, in spells that each use a part of the budget. The time after an undecided
    /// spell is a new query.
    fn by_spells(&mut self, piece: &TimedScrew) -> Result<(), Error> {
        let (whole, mut left) = (piece.end - piece.begin, self.progress.budget.remaining());
        let (mut rest, mut leap) = (*piece, LEAP * whole);
        self.note_deviation(self.progress.relative.deviation(piece));
        loop {
            if self.progress.is_over() {
                self.progress.found.append(
                    rest.begin,
                    ScrewContacts::undecided(rest.begin, rest.end, UndecidedReason::Budget),
                );
                return Ok(());
            }
            let mut budget = self.progress.budget.part(left.min(SPELL_BUDGET));
            let given = budget.remaining();
            let mut found = self.pair.contacts(self.memory, &rest, &self.options, &mut budget)?;
            left = left.saturating_sub((given - budget.remaining()).max(1));
            let begin = rest.begin;
            let Some(doubt) = found.undecided.as_mut() else {
                self.progress.found.append(begin, found);
                return Ok(());
            };
            let from = doubt.from;
            let apart = found.met.last().is_none_or(|met| met.exit.is_some_and(|exit| exit[1] <= from));
            let got_on = apart && doubt.reason == UndecidedReason::Budget && from - begin > PROGRESS * whole;
            let to = if got_on { from } else { (from + leap).max(from.next_up()) };
            if left == 0 || to >= rest.end {
                self.progress.found.append(begin, found);
                return Ok(());
            }
            if got_on {
                found.undecided = None;
                self.progress.found.append(begin, found);
            } else {
                leap = (LEAPS_GROW * leap).min(LONGEST_LEAP * whole);
                let (since, steps) = self.separated_since(&piece.part(from, to))?;
                left = left.saturating_sub(steps);
                doubt.to = since;
                if let Some(exit) = found.met.last_mut().and_then(|met| met.exit.as_mut()) {
                    exit[1] = exit[1].min(since);
                }
                self.progress.found.append(begin, found);
                if since < to {
                    self.progress.found.append(since, ScrewContacts::clear());
                }
            }
            rest = piece.part(to, piece.end);
        }
    }

    /// A time from which a screw provably keeps the surfaces further apart than the tolerance, up to its end; and
    /// the steps spent.
    fn separated_since(&mut self, piece: &TimedScrew) -> Result<(f64, u64), Error> {
        let back = piece.screw.reversed();
        let mut budget = Budget::new(ROUND_BUDGET).watched(self.progress.budget.is_over());
        let apart = self.pair.separated_on_screw(
            self.memory,
            &back,
            (self.tolerance(), EventFilter::First),
            &mut budget,
        )?;
        let steps = ROUND_BUDGET - budget.remaining();
        Ok((piece.not_before(1.0 - apart.fraction()).max(piece.begin.next_up()), steps))
    }

    /// As `separated_since` for any motion between two times, back as far as screws prove it. Shorter screws are
    /// tried if a proof fails.
    pub(crate) fn separated_back_to(
        &mut self,
        TimeInterval { start: from, end: to }: TimeInterval,
    ) -> Result<f64, Error> {
        let (mut since, mut length) = (to, to - from);
        while since > from && length > BACK * (to - from) {
            let begin = (since - length).max(from);
            let (piece, deviation) = self.progress.relative.screw(begin, since);
            let distance = 1.05 * self.tolerance() + 1.1 * deviation;
            let back = piece.screw.reversed();
            let apart = match distance.is_finite() {
                true => {
                    self.asked(QUICK_BACK, |pair, memory, budget| {
                        pair.separated_on_screw(memory, &back, (distance, EventFilter::First), budget)
                    })
                    .0?
                }
                false => SeparatedUntil::Unknown,
            };
            match apart {
                SeparatedUntil::Throughout => {
                    self.note_deviation(deviation);
                    since = begin;
                    length *= 2.0;
                }
                SeparatedUntil::Until(share) if share > 0.0 => {
                    self.note_deviation(deviation);
                    since = piece.not_before(1.0 - share);
                    length *= 0.5;
                }
                _ => length *= 0.5,
            }
        }
        Ok(since)
    }

    /// The contacts in a smooth interval that is one screw, with the whole budget each time.
    pub(crate) fn exact_screw_contacts(&mut self, piece: &TimedScrew) -> Result<ScrewContacts, Error> {
        if self.progress.is_over() {
            return Ok(ScrewContacts::undecided(piece.begin, piece.end, UndecidedReason::Budget));
        }
        self.note_deviation(self.progress.relative.deviation(piece));
        self.pair.contacts(self.memory, piece, &self.options, &mut self.progress.budget.part(u64::MAX))
    }

    /// The contacts along a screw that is as precise as the motion.
    pub(crate) fn precise_screw_contacts(
        &mut self,
        piece: &TimedScrew,
        deviation: f64,
    ) -> Result<ScrewContacts, Error> {
        let options = Options { deviation, ..self.options };
        let most = if self.pair.is_of_meshes() { u64::MAX } else { ROUND_BUDGET };
        let ask = |pair: &RigidPair<'_>, memory: &mut PairMemory, budget: &mut Budget<'_>| {
            pair.contacts(memory, piece, &options, budget)
        };
        let mut found = self.asked(most, ask).0?;
        if self.progress.relative.is_past_a_ball() {
            for (contact, piece) in found.met.iter_mut().filter_map(|met| met.contact.as_mut()) {
                let turned =
                    self.progress.relative.omitted_rotation(piece, piece.not_before(contact.time[1]));
                contact.point = turned.transform_point(contact.point);
                contact.normal = turned.transform_vector(contact.normal);
            }
        }
        Ok(found)
    }

    /// Whether the surfaces rest on each other throughout an interval, so closely that they still touch if the
    /// motion is off by the deviation of the screw. `None` proves nothing.
    ///
    /// # Errors
    /// As [`contact_intervals`](crate::contact_intervals).
    pub(crate) fn touches_throughout(
        &mut self,
        TimeInterval { start: time, end: to }: TimeInterval,
    ) -> Result<Option<ScrewContacts>, Error> {
        let tolerance = self.tolerance();
        let (piece, deviation) = self.progress.relative.screw(time, to);
        if deviation.is_nan() || deviation > RESTING * tolerance {
            return Ok(None);
        }
        let options = Options { deviation: 1.1 * deviation, ..self.options };
        let rest = self.pair.touches_throughout(self.memory, &piece, &options, &mut self.progress.budget)?;
        if rest == PoseState::Separated {
            return Ok(None);
        }
        self.note_deviation(deviation);
        let touching = rest == PoseState::Touching;
        let crossed = if touching { f64::NEG_INFINITY } else { time };
        let met = ContactSpan { crossed, touching, ..ContactSpan::touched([time; 2]) };
        let found = ScrewContacts {
            met: vec![met],
            from_begin: true,
            start: PoseState::Touching,
            ..ScrewContacts::clear()
        };
        Ok(Some(found))
    }

    /// The approximate time for which a screw from a time on is as precise as the motion.
    pub(crate) fn precise_screw_duration(&self, (time, span): (f64, f64), end: f64) -> f64 {
        let within = 0.5 * (time + end);
        let rounding = self.progress.relative.rounding(time, within);
        let fine = self.negligible_deviation(rounding) - rounding;
        let mut length = span.min(end - time);
        let mut found = 0;
        for _ in 0..HALVINGS {
            let deviation = self.progress.relative.screw(time, time + length).1 - rounding;
            if deviation.is_finite() && fine > 0.0 {
                length = (length * (fine / deviation).sqrt()).min(end - time);
                found += 1;
            } else {
                length *= SHRINKAGE;
            }
            if found == FINDING {
                break;
            }
        }
        0.9 * length
    }

    /// A screw that is as precise as the motion cannot decide contact of features that are nearer than this, or
    /// intersect by less. It is 0 unless rounding matters beside the tolerance. The start or end of contact is
    /// proven in one screw only if the screw starts outside this margin.
    pub(crate) fn undecided_duration(&self, TimeInterval { start: time, end }: TimeInterval) -> f64 {
        let rounding = self.progress.relative.rounding(time, 0.5 * (time + end));
        if rounding > self.fine { UNSURE * rounding } else { 0.0 }
    }

    /// A time until which the surfaces provably stay further apart than the tolerance, from `time` to at most `end`;
    /// `time` itself if this is not proven. The search stops at about the first step that proves less than
    /// `least_step`, in seconds.
    ///
    /// # Errors
    /// As [`RigidPair::separated_until`].
    pub(crate) fn separated_until(
        &mut self,
        stretch: &MotionInterval,
        interval: TimeInterval,
        least_step: f64,
    ) -> Result<f64, Error> {
        let TimeInterval { start: time, end } = interval;
        let distance = 1.05 * self.tolerance() + self.undecided_duration(interval);
        let ask = SeparationGoal { distance, least_step };
        let motion = (self.progress.relative, stretch);
        self.pair.separated_until(self.memory, motion, (time, end, end), (&ask, &mut self.progress.budget))
    }

    /// Until when a screw provably keeps the surfaces further apart than a distance. If many parts are close, a
    /// search would examine all of the bodies, and a shorter interval is cheaper. So the search has a small budget,
    /// which grows if the last search exceeded it.
    ///
    /// # Errors
    /// As [`first_within`](crate::first_within).
    pub(crate) fn separated_on_screw(
        &mut self,
        screw: &Screw,
        distance: f64,
    ) -> Result<SeparationSearch, Error> {
        let given = self.progress.budget.remaining().min(self.progress.quick);
        let (apart, steps) = self.asked(given, |pair, memory, budget| {
            pair.separated_on_screw(memory, screw, (distance, EventFilter::First), budget)
        });
        let apart = apart?;
        let quick = &mut self.progress.quick;
        *quick = if apart == SeparatedUntil::Unknown { 4 * *quick } else { QUICK.max(2 * steps) };
        let is_spent = apart == SeparatedUntil::Unknown || steps >= given - given / 8;
        Ok(SeparationSearch { apart, steps, is_spent })
    }

    /// A time until which surfaces that intersect provably still do, in steps of more than `least`.
    pub(crate) fn lasts(&mut self, (time, within): (f64, f64), end: f64, least: f64) -> f64 {
        let motion = (self.progress.relative, within);
        self.pair.intersecting_until(self.memory, motion, (time, end, least), &mut self.progress.budget)
    }
}
