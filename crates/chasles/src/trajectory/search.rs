//! The proofs about two rigid bodies that [`stepping`](super::stepping) combines along their motion: until when they
//! stay separated, until when they intersect, whether they rest on each other, and their contacts along a screw.
//! The steps of each proof are taken from the budget of the search.

use crate::error::Error;
use crate::features::collector::EventFilter;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::mesh_screw::timed::{PoseState, ScrewContacts, TimedContact};
use crate::motion::Screw;
use crate::motion::relative::MotionInterval;
use crate::motion::track::TimedScrew;
use crate::pair::{PairMemory, RigidPair, SeparationGoal, SeparationTime};
use crate::trajectory::progress::{QUICK, SearchProgress};

/// A screw counts as the motion itself if its deviation is at most this fraction of the tolerance.
const FINE: f64 = 0.005;

/// Or at most this fraction of the size of the bodies, if that is more: some dozens of roundings.
const FINEST: f64 = 1e-14;

/// A deviation of more than this fraction of the size of the bodies always matters.
const COARSEST: f64 = 1e-6;

/// The sign of a gap or depth is certain if it exceeds this multiple of the rounding. The screw is off by two
/// roundings, and the sign is certain if the gap or depth exceeds eight times that error.
const UNDECIDED: f64 = 20.0;

/// How often the length of an interval is adjusted until the deviation of its screw is negligible.
const ADJUSTMENTS: usize = 3;

/// Maximum number of halvings of the length while the deviation is unknown.
const HALVINGS: usize = 64;

/// The factor for the length of an interval whose deviation is unknown, or whose search took too long.
pub(crate) const SHRINKAGE: f64 = 0.5;

/// Surfaces that rest on each other are examined with a deviation of up to this fraction of the tolerance.
const RESTING: f64 = 0.3;

/// Maximum number of steps of one portion of the search along a screw of round bodies: some seconds of work.
const PORTION_BUDGET: u64 = 10_000_000;

/// Maximum number of steps for a screw of round bodies that is as precise as the motion. Most take less than 10,000.
const ROUND_BUDGET: u64 = 1_000_000;

/// If a screw of round bodies is undecided from a time on, the fraction `SKIP` of the screw is skipped. The
/// fraction grows by `SKIP_GROWTH` each time that this does not help, up to `LONGEST_SKIP`.
const SKIP: f64 = 1e-9;
const SKIP_GROWTH: f64 = 4.0;
const LONGEST_SKIP: f64 = 1.0 / 32.0;

/// The precision of the time from which bodies are separated again, as a fraction of the skipped time; and the
/// maximum number of steps of each attempt.
const BACK_PRECISION: f64 = 1e-3;
const BACK_STEPS: u64 = 100_000;

/// If the budget of a portion ends after more than this fraction of a screw, the next portion starts where it ended.
const MIN_ADVANCE: f64 = 0.01;

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
    pub(crate) separation: SeparationTime,
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

    /// Runs a query with at most `max_steps` steps. Returns the answer and its steps, which are taken from the budget.
    fn run_query<T>(
        &mut self,
        max_steps: u64,
        query: impl FnOnce(&RigidPair<'a>, &mut PairMemory, &mut Budget<'a>) -> T,
    ) -> (T, u64) {
        let mut part = self.progress.budget.part(max_steps);
        let initial = part.remaining();
        let answer = query(&self.pair, self.memory, &mut part);
        let steps = initial - part.remaining();
        // The query takes no more steps than its budget.
        let _ = self.progress.budget.take(steps);
        (answer, steps)
    }

    /// Records that a result depends on a screw with this deviation.
    pub(crate) fn note_deviation(&mut self, deviation: f64) {
        self.progress.found.deviation = self.progress.found.deviation.max(deviation);
    }

    /// A negligible deviation, in metres, for positions known to `rounding`. Far from the origin it does not get
    /// smaller. It allows for rounding up to a millionth of the size of the bodies. If the rounding is larger, for
    /// example near a zero of a spline of quaternions, no deviation is negligible.
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
            if let Some(first) = self.progress.found.intervals.first_mut() {
                first.touching = false;
            }
        }
    }

    /// Adds the intervals of contact in a smooth interval that is one screw.
    ///
    /// # Errors
    /// As [`contact_intervals`](crate::contact_intervals).
    pub(crate) fn follow_screw(&mut self, timed_screw: &TimedScrew) -> Result<(), Error> {
        if !self.pair.is_of_meshes() {
            return self.follow_in_portions(timed_screw);
        }
        let found = self.exact_screw_contacts(timed_screw)?;
        self.progress.found.append(timed_screw.start, found);
        Ok(())
    }

    /// As `follow_screw` for round bodies, in portions that each use a part of the budget. The time after an undecided
    /// portion is a new query.
    fn follow_in_portions(&mut self, timed_screw: &TimedScrew) -> Result<(), Error> {
        let (whole, mut remaining) = (timed_screw.end - timed_screw.start, self.progress.budget.remaining());
        let (mut rest, mut skip) = (*timed_screw, SKIP * whole);
        self.note_deviation(self.progress.relative.deviation(timed_screw));
        loop {
            if self.progress.is_over() {
                self.progress.found.append(
                    rest.start,
                    ScrewContacts::undecided(rest.start, rest.end, UndecidedReason::Budget),
                );
                return Ok(());
            }
            let mut budget = self.progress.budget.part(remaining.min(PORTION_BUDGET));
            let initial = budget.remaining();
            let mut found = self.pair.contacts(self.memory, &rest, &self.options, &mut budget)?;
            remaining = remaining.saturating_sub((initial - budget.remaining()).max(1));
            let start = rest.start;
            let Some(undecided) = found.undecided.as_mut() else {
                self.progress.found.append(start, found);
                return Ok(());
            };
            let from = undecided.from;
            let is_separated =
                found.intervals.last().is_none_or(|last| last.exit.is_some_and(|exit| exit[1] <= from));
            let has_advanced = is_separated
                && undecided.reason == UndecidedReason::Budget
                && from - start > MIN_ADVANCE * whole;
            let to = if has_advanced { from } else { (from + skip).max(from.next_up()) };
            if remaining == 0 || to >= rest.end {
                self.progress.found.append(start, found);
                return Ok(());
            }
            if has_advanced {
                found.undecided = None;
                self.progress.found.append(start, found);
            } else {
                skip = (SKIP_GROWTH * skip).min(LONGEST_SKIP * whole);
                let (since, steps) = self.separated_since(&timed_screw.part(from, to))?;
                remaining = remaining.saturating_sub(steps);
                undecided.to = since;
                if let Some(exit) = found.intervals.last_mut().and_then(|last| last.exit.as_mut()) {
                    exit[1] = exit[1].min(since);
                }
                self.progress.found.append(start, found);
                if since < to {
                    self.progress.found.append(since, ScrewContacts::clear());
                }
            }
            rest = timed_screw.part(to, timed_screw.end);
        }
    }

    /// A time from which a screw provably keeps the surfaces further apart than the tolerance, up to its end; and
    /// the steps spent.
    fn separated_since(&mut self, timed_screw: &TimedScrew) -> Result<(f64, u64), Error> {
        let back = timed_screw.screw.reversed();
        let mut budget = Budget::new(ROUND_BUDGET).watched(self.progress.budget.is_over());
        let separation = self.pair.separated_on_screw(
            self.memory,
            &back,
            (self.tolerance(), EventFilter::First),
            &mut budget,
        )?;
        let steps = ROUND_BUDGET - budget.remaining();
        Ok((timed_screw.not_before(1.0 - separation.fraction()).max(timed_screw.start.next_up()), steps))
    }

    /// As `separated_since` for any motion between two times, back as far as screws prove it. Shorter screws are
    /// tried if a proof fails.
    pub(crate) fn separated_back_to(
        &mut self,
        TimeInterval { start: from, end: to }: TimeInterval,
    ) -> Result<f64, Error> {
        let (mut since, mut length) = (to, to - from);
        while since > from && length > BACK_PRECISION * (to - from) {
            let start = (since - length).max(from);
            let (timed_screw, deviation) = self.progress.relative.screw(start, since);
            let distance = 1.05 * self.tolerance() + 1.1 * deviation;
            let back = timed_screw.screw.reversed();
            let separation = match distance.is_finite() {
                true => {
                    self.run_query(BACK_STEPS, |pair, memory, budget| {
                        pair.separated_on_screw(memory, &back, (distance, EventFilter::First), budget)
                    })
                    .0?
                }
                false => SeparationTime::Unknown,
            };
            match separation {
                SeparationTime::Throughout => {
                    self.note_deviation(deviation);
                    since = start;
                    length *= 2.0;
                }
                SeparationTime::Until(fraction) if fraction > 0.0 => {
                    self.note_deviation(deviation);
                    since = timed_screw.not_before(1.0 - fraction);
                    length *= 0.5;
                }
                _ => length *= 0.5,
            }
        }
        Ok(since)
    }

    /// The contacts in a smooth interval that is one screw, with the whole budget each time.
    pub(crate) fn exact_screw_contacts(&mut self, timed_screw: &TimedScrew) -> Result<ScrewContacts, Error> {
        if self.progress.is_over() {
            return Ok(ScrewContacts::undecided(timed_screw.start, timed_screw.end, UndecidedReason::Budget));
        }
        self.note_deviation(self.progress.relative.deviation(timed_screw));
        self.pair.contacts(self.memory, timed_screw, &self.options, &mut self.progress.budget.part(u64::MAX))
    }

    /// The contacts along a screw that is as precise as the motion.
    pub(crate) fn precise_screw_contacts(
        &mut self,
        timed_screw: &TimedScrew,
        deviation: f64,
    ) -> Result<ScrewContacts, Error> {
        let options = Options { deviation, ..self.options };
        let max_steps = if self.pair.is_of_meshes() { u64::MAX } else { ROUND_BUDGET };
        let query = |pair: &RigidPair<'_>, memory: &mut PairMemory, budget: &mut Budget<'_>| {
            pair.contacts(memory, timed_screw, &options, budget)
        };
        let mut found = self.run_query(max_steps, query).0?;
        if self.progress.relative.is_only_b_a_ball() {
            for (contact, timed_screw) in
                found.intervals.iter_mut().filter_map(|interval| interval.contact.as_mut())
            {
                let rotation = self
                    .progress
                    .relative
                    .omitted_rotation(timed_screw, timed_screw.not_before(contact.time[1]));
                contact.point = rotation.transform_point(contact.point);
                contact.normal = rotation.transform_vector(contact.normal);
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
        let (timed_screw, deviation) = self.progress.relative.screw(time, to);
        if deviation.is_nan() || deviation > RESTING * tolerance {
            return Ok(None);
        }
        let options = Options { deviation: 1.1 * deviation, ..self.options };
        let rest =
            self.pair.touches_throughout(self.memory, &timed_screw, &options, &mut self.progress.budget)?;
        if rest == PoseState::Separated {
            return Ok(None);
        }
        self.note_deviation(deviation);
        let touching = rest == PoseState::Touching;
        let crossed = if touching { f64::NEG_INFINITY } else { time };
        let interval = TimedContact { crossed, touching, ..TimedContact::touched([time; 2]) };
        let found = ScrewContacts {
            intervals: vec![interval],
            from_start: true,
            start: PoseState::Touching,
            ..ScrewContacts::clear()
        };
        Ok(Some(found))
    }

    /// The approximate time for which a screw from a time on is as precise as the motion.
    pub(crate) fn precise_screw_duration(&self, (time, length): (f64, f64), end: f64) -> f64 {
        let within = 0.5 * (time + end);
        let rounding = self.progress.relative.rounding(time, within);
        let fine = self.negligible_deviation(rounding) - rounding;
        let mut length = length.min(end - time);
        let mut found = 0;
        for _ in 0..HALVINGS {
            let deviation = self.progress.relative.screw(time, time + length).1 - rounding;
            if deviation.is_finite() && fine > 0.0 {
                length = (length * (fine / deviation).sqrt()).min(end - time);
                found += 1;
            } else {
                length *= SHRINKAGE;
            }
            if found == ADJUSTMENTS {
                break;
            }
        }
        0.9 * length
    }

    /// A distance in metres. A screw that is as precise as the motion cannot decide contact of features with a smaller
    /// gap or depth. The start or end of contact is proven in one screw only if the gap or depth at the start of the
    /// screw is larger. It is 0 if rounding is negligible compared with the tolerance.
    pub(crate) fn undecided_distance(&self, TimeInterval { start: time, end }: TimeInterval) -> f64 {
        let rounding = self.progress.relative.rounding(time, 0.5 * (time + end));
        if rounding > self.fine { UNDECIDED * rounding } else { 0.0 }
    }

    /// A time until which the surfaces provably stay further apart than the tolerance, from `time` to at most `end`;
    /// `time` itself if this is not proven. The search stops at about the first step that proves less than
    /// `min_step`, in seconds.
    ///
    /// # Errors
    /// As [`RigidPair::separated_until`].
    pub(crate) fn separated_until(
        &mut self,
        smooth_interval: &MotionInterval,
        interval: TimeInterval,
        min_step: f64,
    ) -> Result<f64, Error> {
        let TimeInterval { start: time, end } = interval;
        let distance = 1.05 * self.tolerance() + self.undecided_distance(interval);
        let goal = SeparationGoal { distance, min_step };
        let motion = (self.progress.relative, smooth_interval);
        self.pair.separated_until(self.memory, motion, (time, end, end), (&goal, &mut self.progress.budget))
    }

    /// Until when a screw provably keeps the surfaces further apart than a distance. If many parts are close, the
    /// search would examine nearly all features, and a shorter interval is cheaper. So the search has a small budget,
    /// which grows if the last search exceeded it.
    ///
    /// # Errors
    /// As [`first_within`](crate::first_within).
    pub(crate) fn separated_on_screw(
        &mut self,
        screw: &Screw,
        distance: f64,
    ) -> Result<SeparationSearch, Error> {
        let initial = self.progress.budget.remaining().min(self.progress.quick);
        let (separation, steps) = self.run_query(initial, |pair, memory, budget| {
            pair.separated_on_screw(memory, screw, (distance, EventFilter::First), budget)
        });
        let separation = separation?;
        let quick = &mut self.progress.quick;
        *quick = if separation == SeparationTime::Unknown { 4 * *quick } else { QUICK.max(2 * steps) };
        let is_spent = separation == SeparationTime::Unknown || steps >= initial - initial / 8;
        Ok(SeparationSearch { separation, steps, is_spent })
    }

    /// A time until which surfaces that intersect provably still do, in steps of more than `min_step`.
    pub(crate) fn intersecting_until(&mut self, (time, within): (f64, f64), end: f64, min_step: f64) -> f64 {
        let motion = (self.progress.relative, within);
        self.pair.intersecting_until(self.memory, motion, (time, end, min_step), &mut self.progress.budget)
    }
}
