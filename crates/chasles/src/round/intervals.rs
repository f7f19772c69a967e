//! Contact intervals of round bodies along one screw.
//!
//! Four facts can be proven: until when the surfaces are separated; until when they intersect (by a **margin**: they
//! intersect until points have moved that far); their distance at one time; and that they are closer than the
//! tolerance. The intervals are composed of these facts: separated, within the tolerance, intersecting, and back.

use crate::features::contact::{Contact, ContactFeatures};
use crate::math::budget::{Budget, OutOfBudget};
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::mesh_screw::timed::{PoseState, ScrewContacts, TimedContact, UndecidedInterval};
use crate::motion::Pose;
use crate::motion::track::TimedScrew;
use crate::round::intersecting::intersecting_for;
use crate::round::{RoundFound, RoundMemory, RoundPair, RoundState};

/// A gap that exceeds the tolerance by at most this fraction counts as touching.
const TOUCH_MARGIN: f64 = 0.02;

/// Surfaces count as separated again when the gap exceeds the tolerance by this fraction: from there few steps prove
/// that they stay separated.
const SEPARATION_MARGIN: f64 = 0.05;

/// The gap must also exceed the tolerance by at least this multiple of the rounding error.
const SEPARATION_ROUNDINGS: f64 = 4.0;

/// The search for a contact continues for this multiple of the time that the surfaces, approaching straight, need from
/// the end of the proven gap to proven contact; or over the fraction [`MIN_SEARCH`] of the screw, if that is more.
const SEARCH_FACTOR: f64 = 64.0;
const MIN_SEARCH: f64 = 1e-6;

/// Ends of intervals are narrowed to this fraction of the screw; or, if that is larger, to where the surfaces move
/// by a rounding error, up to `COARSEST_PRECISION`.
const PRECISION: f64 = 1e-12;
const COARSEST_PRECISION: f64 = 1e-9;

/// The next sample is closer to the middle than the predicted time, so that both ends of the interval approach the
/// change. The offset is a fraction of the interval: this one at most. After a sample that shortens the interval to at
/// most the fraction `SLOW`, the offset is divided by 10, down to `MIN_OFFSET`.
const MAX_OFFSET: f64 = 0.5;
const MIN_OFFSET: f64 = 1e-3;
const SLOW: f64 = 0.6;

/// Surfaces that have been within the tolerance for this fraction of the screw without intersecting only touch.
const LANDING: f64 = 1e-7;

/// The first step into a touch, as a fraction of the screw.
const FIRST_STEP: f64 = 1e-13;

/// The number of stored samples, the latest first: some are needed again, and two predict how the gap changes.
const STORED_SAMPLES: usize = 4;

/// A proof that surfaces keep intersecting is used if it is valid for at least this fraction of the screw.
const MIN_STEP: f64 = 1e-10;

/// Maximum number of proofs that surfaces keep intersecting. After that, and while they touch, they are only sampled, at
/// growing intervals. Between two samples no point moves by more than the fraction `SAMPLED_PATH` of the radius of the
/// smaller round body or, on very long screws, by more than the fraction `SAMPLED_SCREW` of its path.
const PROOFS: usize = 1000;
const SAMPLED_PATH: f64 = 0.25;
const SAMPLED_SCREW: f64 = 1.0 / 4096.0;

/// Steps of the budget for one sample.
const STEPS_PER_SAMPLE: u64 = 50;

/// The proven state at one time, for every motion within the deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
enum RoundProximity {
    /// Proven clearly further apart than the tolerance.
    Separated {
        lower: f64,
    },
    /// No further apart than the tolerance, or intersecting by too little to be proven.
    Touching,
    /// Intersecting.
    Intersecting {
        margin: f64,
    },
    Undecided,
}

impl RoundProximity {
    /// Whether they are proven within the tolerance or intersecting.
    fn is_contact(self) -> bool {
        matches!(self, Self::Touching | Self::Intersecting { .. })
    }
}

/// The contact intervals along a screw. The options contain tolerance and deviation.
pub(crate) fn round_intervals(
    pair: &RoundPair<'_>,
    memory: &mut RoundMemory,
    timed_screw: &TimedScrew,
    options: &Options,
    budget: &mut Budget<'_>,
) -> ScrewContacts {
    let tolerance = options.tolerance.unwrap_or(0.0);
    let own_budget = budget.part(u64::MAX);
    let before = own_budget.remaining();
    let speed = pair.speed(&timed_screw.screw) * (1.0 + 1e-12);
    let (deviation, rounding) = (options.deviation, pair.rounding(&timed_screw.screw));
    let mut stepper = RoundStepper {
        pair,
        memory,
        timed_screw,
        tolerance,
        deviation,
        rounding,
        budget: own_budget,
        speed,
        known: 0.0,
        samples: [None; STORED_SAMPLES],
    };
    let mut found = ScrewContacts::clear();
    if let Err(RoundUndecided(reason)) = stepper.run(&mut found) {
        let from = timed_screw.not_after(stepper.known);
        if let Some(open) = found.intervals.last_mut().filter(|last| last.exit.is_none()) {
            open.exit = Some([from, timed_screw.end]);
        }
        found.undecided = Some(UndecidedInterval { from, to: timed_screw.end, reason });
    }
    // The last known time may be before the end.
    if let Some(open) = found.intervals.last_mut().filter(|last| last.exit.is_none() && stepper.known < 1.0) {
        open.exit = Some([timed_screw.not_after(stepper.known), timed_screw.end]);
    }
    // The search takes at most its own budget, so this succeeds.
    let _ = budget.take(before - stepper.budget.remaining());
    found
}

/// Maximum number of intervals between the samples of a rest.
const REST_INTERVALS: u32 = 8;

/// Whether surfaces rest on each other along a screw. The deviation must be small compared with the tolerance. The
/// surfaces count as separated, or as intersecting, if they are so in one of the samples, between which no point moves
/// further than `SAMPLED_PATH`; on longer screws they also count as separated, so that shorter ones are tried.
pub(crate) fn round_rest(
    pair: &RoundPair<'_>,
    memory: &mut RoundMemory,
    timed_screw: &TimedScrew,
    [tolerance, deviation]: [f64; 2],
    budget: &mut Budget<'_>,
) -> PoseState {
    let mut rest = PoseState::Touching;
    let error = deviation + pair.rounding(&timed_screw.screw);
    let (path, interval) = (pair.speed(&timed_screw.screw), SAMPLED_PATH * pair.radius());
    // A NaN proves nothing.
    let is_enough = |intervals: &u32| path <= f64::from(*intervals) * interval;
    let intervals = (2..=REST_INTERVALS).find(is_enough);
    // If fewer steps remain, this takes all of them.
    let _ = budget.take((1 + u64::from(intervals.unwrap_or(0))) * STEPS_PER_SAMPLE);
    let Some(intervals) = intervals else { return PoseState::Separated };
    for sample in 0..=intervals {
        let t = f64::from(sample) / f64::from(intervals);
        match pair.state_at(memory, &timed_screw.screw.pose_at(t)) {
            RoundState::Intersecting { margin } if margin > error => rest = PoseState::Intersecting,
            RoundState::Intersecting { .. } => {}
            RoundState::Separated { upper, .. } | RoundState::Touching { upper } => {
                // A NaN does not touch.
                let near = upper + error <= tolerance;
                if !near {
                    return PoseState::Separated;
                }
            }
        }
    }
    rest
}

/// The rest of the screw is undecided, for this reason.
struct RoundUndecided(UndecidedReason);

/// The end of a contact, as fractions of the screw.
struct ContactEnd {
    /// The last time at which they certainly are in contact.
    last: f64,
    /// The first time at which they are separated; `None` if they are in contact to the end.
    separated: Option<f64>,
    /// The time by which they have intersected, if they have.
    intersects_by: Option<f64>,
    /// The last time at which they certainly intersect.
    intersects_until: f64,
}

/// The search for contacts of a pair along a screw.
struct RoundStepper<'a> {
    pair: &'a RoundPair<'a>,
    memory: &'a mut RoundMemory,
    timed_screw: &'a TimedScrew,
    tolerance: f64,
    deviation: f64,
    /// An upper bound of the rounding error of positions, in metres. Proofs along a motion already include it;
    /// samples at one time add it here.
    rounding: f64,
    budget: Budget<'a>,
    /// An upper bound of the speed of A's points as seen from B, per unit of t.
    speed: f64,
    /// The results are decided up to this fraction of the screw.
    known: f64,
    /// The latest samples, each with its time.
    samples: [Option<(f64, RoundFound)>; STORED_SAMPLES],
}

impl RoundStepper<'_> {
    fn run(&mut self, found: &mut ScrewContacts) -> Result<(), RoundUndecided> {
        let mut t = 0.0;
        let mut state = self.state(t)?;
        if matches!(state, RoundProximity::Touching | RoundProximity::Intersecting { .. }) {
            found.from_start = true;
            found.start = match state {
                RoundProximity::Intersecting { margin } if margin > self.tolerance => PoseState::Intersecting,
                _ => PoseState::Touching,
            };
            found.intervals.push(TimedContact::touched([self.timed_screw.start; 2]));
        }
        loop {
            if !found.is_open() {
                let Some(lo) = self.separated_until(t)? else { return Ok(()) };
                self.known = lo;
                let (enter, entered) = self.enters(lo)?;
                self.known = enter;
                let Some(entered) = entered else {
                    t = enter;
                    continue;
                };
                state = entered;
                t = enter;
                let times = self.timed_screw.enclosure([lo, t]);
                let contact = self.contact(t, times, matches!(state, RoundProximity::Touching));
                let contact = Some((contact, *self.timed_screw));
                found.intervals.push(TimedContact { contact, ..TimedContact::touched(times) });
            }
            // In contact at t: until when?
            let ContactEnd { last, separated, intersects_by, intersects_until } = self.leaves(t, state)?;
            let Some(interval) = found.intervals.last_mut() else { return Ok(()) };
            interval.touching &= intersects_by.is_none();
            if intersects_by.is_some() {
                interval.crossed = self.timed_screw.not_after(intersects_until);
            }
            if let (Some(since), Some((contact, _))) = (intersects_by, &mut interval.contact) {
                // The crossing belongs to the enclosure, unless it comes much later than the start of the contact.
                let by = interval.enter[1].max(self.timed_screw.not_before(since));
                if by - interval.enter[1] <= LANDING * self.timed_screw.end.abs() {
                    interval.enter[1] = by;
                    (contact.time[1], contact.touching) = (self.timed_screw.fraction(by), false);
                }
            }
            let Some(separated) = separated else { return Ok(()) };
            interval.exit = Some(self.timed_screw.enclosure([last, separated]));
            (t, self.known) = (separated, separated);
        }
    }

    fn pose(&self, t: f64) -> Pose {
        self.timed_screw.screw.pose_at(t)
    }

    fn count_evaluation(&mut self) -> Result<(), RoundUndecided> {
        self.budget.take(STEPS_PER_SAMPLE).map_err(|OutOfBudget| RoundUndecided(UndecidedReason::Budget))
    }

    /// A bound of the error of the surfaces' positions at one time, in metres.
    fn position_error(&self) -> f64 {
        self.deviation + self.rounding
    }

    fn state_at(&mut self, t: f64) -> Result<RoundFound, RoundUndecided> {
        if let Some((_, found)) = self.samples.iter().flatten().find(|(time, _)| *time == t) {
            return Ok(*found);
        }
        self.count_evaluation()?;
        let found = self.pair.found_at(self.memory, &self.pose(t));
        self.samples.rotate_right(1);
        self.samples[0] = Some((t, found));
        Ok(found)
    }

    fn state(&mut self, t: f64) -> Result<RoundProximity, RoundUndecided> {
        let found = self.state_at(t)?;
        Ok(self.classify(&found.state))
    }

    /// A gap smaller than this counts as touching.
    fn contact_distance(&self) -> f64 {
        (1.0 + TOUCH_MARGIN) * self.tolerance
    }

    /// A gap larger than this counts as separated. Proofs along a motion stop a few rounding errors before the
    /// tolerance.
    fn separation_distance(&self) -> f64 {
        self.tolerance
            + (SEPARATION_MARGIN * self.tolerance).max(SEPARATION_ROUNDINGS * self.rounding)
            + self.position_error()
    }

    fn classify(&self, found: &RoundState) -> RoundProximity {
        let (error, within) = (self.position_error(), self.contact_distance());
        match *found {
            RoundState::Intersecting { margin } if margin > error => {
                RoundProximity::Intersecting { margin: margin - error }
            }
            RoundState::Intersecting { .. } if error <= within => RoundProximity::Touching,
            RoundState::Separated { lower, .. } if lower > self.separation_distance() => {
                RoundProximity::Separated { lower: lower - self.rounding }
            }
            RoundState::Separated { upper, .. } | RoundState::Touching { upper }
                if upper + error <= within =>
            {
                RoundProximity::Touching
            }
            _ => RoundProximity::Undecided,
        }
    }

    /// The fraction up to which the surfaces are proven further apart than the tolerance, from `t` on; `None`: to
    /// the end.
    fn separated_until(&mut self, t: f64) -> Result<Option<f64>, RoundUndecided> {
        let distance = (self.tolerance + self.deviation).max(f64::MIN_POSITIVE);
        let rest = self.timed_screw.screw.part(t, 1.0);
        match self.pair.separated_until(self.memory, &rest, distance, &mut self.budget) {
            Ok(None) => Ok(None),
            Ok(Some(fraction)) => Ok(Some((t + fraction * (1.0 - t)).clamp(t, 1.0))),
            Err(OutOfBudget) => Err(RoundUndecided(UndecidedReason::Budget)),
        }
    }

    /// Whether they are proven further apart than the tolerance from `lo` to `t`, given a lower bound of the gap at
    /// `t`.
    fn is_separated_between(&mut self, lo: f64, t: f64, lower: f64) -> bool {
        let distance = (self.tolerance + self.deviation).max(f64::MIN_POSITIVE);
        if lower - distance > self.speed * (t - lo) {
            return true;
        }
        let back = self.timed_screw.screw.part(lo, t).reversed();
        self.pair.separated_until(self.memory, &back, distance, &mut self.budget) == Ok(None)
    }

    /// Starts at a time up to which they are separated. Returns a time at which they are in contact, with the state; or
    /// a later time up to which they are also separated, with `None`.
    fn enters(&mut self, lo: f64) -> Result<(f64, Option<RoundProximity>), RoundUndecided> {
        let (mut step, mut touched) = (0.0, None);
        let max_step =
            (SEARCH_FACTOR * (self.tolerance + self.position_error()) / self.speed).max(MIN_SEARCH);
        loop {
            let t = (lo + step).min(1.0);
            let found = self.state_at(t)?.state;
            match self.classify(&found) {
                state @ RoundProximity::Intersecting { .. } => return Ok((t, Some(state))),
                state @ RoundProximity::Touching => {
                    let since = touched.unwrap_or(t);
                    // They are within the tolerance, and provably do not intersect within `LANDING`.
                    if let RoundState::Separated { lower, .. } = found
                        && lower - self.position_error() > self.speed * (since + LANDING - t)
                    {
                        return Ok((since, Some(state)));
                    }
                    touched = Some(since);
                }
                RoundProximity::Separated { lower } if step > 0.0 => match touched {
                    // The surfaces were within the tolerance at an earlier sample, so they had contact.
                    Some(touched) => return Ok((touched, Some(RoundProximity::Touching))),
                    None if self.is_separated_between(lo, t, lower) => return Ok((t, None)),
                    None => {}
                },
                RoundProximity::Separated { .. } | RoundProximity::Undecided => {}
            }
            if let Some(touched) = touched.filter(|touched| t >= 1.0 || t - touched > LANDING) {
                return Ok((touched, Some(RoundProximity::Touching)));
            }
            if t >= 1.0 || step > max_step {
                return Err(RoundUndecided(UndecidedReason::Rounding));
            }
            step = if step == 0.0 { FIRST_STEP } else { 2.0 * step };
        }
    }

    /// The end of a contact that exists at `t`.
    fn leaves(&mut self, t: f64, state: RoundProximity) -> Result<ContactEnd, RoundUndecided> {
        let (mut last, mut state, mut intersects_by) = (t, state, None);
        // The previous sample.
        let mut before = t;
        // Until this time they have certainly intersected.
        let (mut intersects_until, mut proofs) = (f64::NEG_INFINITY, 0);
        // The step from the last time to the next sample.
        let mut step = FIRST_STEP;
        let max_step = (SAMPLED_PATH * self.pair.radius() / self.speed).max(SAMPLED_SCREW);
        loop {
            if let RoundProximity::Intersecting { margin } = state {
                intersects_by = intersects_by.or(Some(last));
                intersects_until = last;
                let safe = self.intersects_for(last, margin)?;
                if safe >= MIN_STEP && proofs < PROOFS {
                    if last + safe >= 1.0 {
                        (intersects_until, self.known) = (1.0, 1.0);
                        return Ok(ContactEnd {
                            last: 1.0,
                            separated: None,
                            intersects_by,
                            intersects_until,
                        });
                    }
                    proofs += 1;
                    before = last;
                    last += safe;
                    (intersects_until, self.known) = (last, last);
                    state = self.state(last)?;
                    step = FIRST_STEP;
                    // Contact is proven up to this time.
                    if !matches!(state, RoundProximity::Intersecting { .. }) {
                        state = RoundProximity::Touching;
                    }
                    continue;
                }
            }
            if last >= 1.0 {
                return Ok(ContactEnd { last: 1.0, separated: None, intersects_by, intersects_until });
            }
            let found = self.state_at(last)?;
            let limits = [
                self.contact_distance() - self.position_error(),
                self.tolerance - self.position_error() - SEPARATION_ROUNDINGS * self.rounding,
            ];
            let certain = intersecting_for(&found, &self.timed_screw.screw, self.speed, last, limits);
            let next = (last + step.min(max_step).max(certain)).min(1.0);
            match self.state(next)? {
                RoundProximity::Separated { .. } => {
                    let within = if self.is_within(last)? { last } else { before };
                    let (last, separated) = self.narrowed(within, next)?;
                    // A touch directly after the intersection belongs to its end.
                    let last = if last - intersects_until < LANDING { intersects_until } else { last };
                    return Ok(ContactEnd {
                        last,
                        separated: Some(separated),
                        intersects_by,
                        intersects_until,
                    });
                }
                found => {
                    step = 2.0 * (next - last);
                    (before, last, state) = (last, next, found);
                    if found.is_contact() {
                        self.known = next;
                    }
                }
            }
        }
    }

    /// How long they provably keep intersecting from a time on, with this margin.
    fn intersects_for(&mut self, t: f64, margin: f64) -> Result<f64, RoundUndecided> {
        let found = self.state_at(t)?;
        let rest = self.timed_screw.screw.part(t, 1.0);
        let fraction = self.pair.intersects_for(&found, &rest, self.deviation);
        let proven = if fraction >= 1.0 { 1.0 } else { fraction * (1.0 - t) };
        Ok(proven.max(0.999 * margin / self.speed))
    }

    /// Encloses the end of a contact that is over at `last`. Returns two times: at the first they are within the
    /// tolerance, if they are so at `within`, and otherwise in proven contact; at the second they are clearly further
    /// apart than the tolerance.
    fn narrowed(&mut self, within: f64, last: f64) -> Result<(f64, f64), RoundUndecided> {
        let certain = self.known;
        let is_within = self.is_within(within)?;
        let is_separated = |stepper: &Self, found: &RoundState| {
            matches!(stepper.classify(found), RoundProximity::Separated { .. })
        };
        let (_, separated) =
            self.change(certain.max(within), last, self.separation_distance(), is_separated)?;
        let (first, _) = if is_within {
            let limit = self.tolerance - self.position_error();
            self.change(within, separated, limit, |stepper, found| !stepper.counts_as_within(found))?
        } else {
            let limit = self.contact_distance() - self.position_error();
            self.change(certain, separated, limit, |stepper, found| !stepper.classify(found).is_contact())?
        };
        Ok((first, separated))
    }

    /// Encloses the time at which a condition becomes true, because the gap passes a limit. The condition is false at
    /// `before` and true at `after`. Each sample is near the prediction of a secant through the latest two samples.
    fn change(
        &mut self,
        mut before: f64,
        mut after: f64,
        limit: f64,
        condition: impl Fn(&Self, &RoundState) -> bool,
    ) -> Result<(f64, f64), RoundUndecided> {
        let fine = (self.rounding / self.speed).clamp(PRECISION, COARSEST_PRECISION);
        let mut offset = 0.1 * MAX_OFFSET;
        while after - before > fine {
            let (width, middle) = (after - before, 0.5 * (before + after));
            // A NaN is in no range.
            let t = match self.predicted_time_at(limit).filter(|time| (before..=after).contains(time)) {
                Some(time) if time < middle => (time + offset * width + 0.5 * fine).min(middle),
                Some(time) => (time - offset * width - 0.5 * fine).max(middle),
                None => middle,
            };
            let found = self.state_at(t)?.state;
            if condition(self, &found) {
                after = t;
            } else {
                before = t;
            }
            offset = if after - before > SLOW * width { MAX_OFFSET } else { (0.1 * offset).max(MIN_OFFSET) };
        }
        Ok((before, after))
    }

    /// The time at which the gap passes a limit, extrapolated from the latest two samples.
    fn predicted_time_at(&self, limit: f64) -> Option<f64> {
        let [Some((t, now)), Some((before, then)), ..] = &self.samples else { return None };
        let [now, then] = [now, then].map(|found| found.state.gap());
        Some(t + (limit - now) * (t - before) / (now - then))
    }

    /// Whether they are proven within the tolerance itself, without `TOUCH_MARGIN`.
    fn is_within(&mut self, t: f64) -> Result<bool, RoundUndecided> {
        let found = self.state_at(t)?;
        Ok(self.counts_as_within(&found.state))
    }

    fn counts_as_within(&self, found: &RoundState) -> bool {
        match found {
            RoundState::Intersecting { margin } => {
                *margin > self.position_error() || self.position_error() <= self.tolerance
            }
            RoundState::Separated { upper, .. } | RoundState::Touching { upper } => {
                *upper + self.position_error() <= self.tolerance
            }
        }
    }

    fn contact(&mut self, t: f64, time: [f64; 2], touching: bool) -> Contact {
        let place = self.pair.place_at(self.memory, &self.pose(t));
        let (a, b) = match self.pair {
            RoundPair::MeshRound(..) => (place.face, None),
            RoundPair::RoundMesh(..) | RoundPair::RoundRound(..) => (None, place.face),
        };
        let velocity = self.timed_screw.screw.velocity_at(place.point, t);
        let approach_speed = place.normal.dot(velocity);
        let time = [self.timed_screw.fraction(time[0]), self.timed_screw.fraction(time[1])];
        Contact {
            time,
            features: ContactFeatures::Surfaces { a, b },
            point: place.point,
            normal: place.normal,
            approach_speed,
            touching,
        }
    }
}
