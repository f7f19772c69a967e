//! Contact intervals of round bodies along one screw.
//!
//! Four facts can be proven: until when the surfaces are separated, until when they intersect (by a **margin**,
//! which the motion must first use up), their distance at one time, and that they are closer than the tolerance. The
//! intervals follow from these facts: separated, then within the tolerance, then intersecting, and back.

use crate::features::contact::{Contact, ContactFeatures};
use crate::math::budget::{Budget, OutOfBudget};
use crate::mesh_screw::piece::{ContactSpan, PoseState, ScrewContacts, UndecidedInterval};
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::motion::Pose;
use crate::motion::track::TimedScrew;
use crate::round::held::intersecting_for;
use crate::round::{RoundFound, RoundMemory, RoundPair, RoundState};

/// The fraction of the tolerance by which a gap that counts as touching may exceed it.
const TOUCH_SLACK: f64 = 0.02;

/// Surfaces count as separated again when the gap exceeds the tolerance by this fraction: from there few steps prove
/// that they stay separated.
const SEPARATION_SLACK: f64 = 0.05;

/// The gap must also exceed the tolerance by at least this multiple of the rounding error.
const SEPARATION_ROUNDINGS: f64 = 4.0;

/// The search for a contact continues for this multiple of the time that the surfaces, approaching straight, need from
/// the end of the proven gap to proven contact; or over the fraction [`MIN_SEARCH`] of the screw, if that is more.
const SLANTED: f64 = 64.0;
const MIN_SEARCH: f64 = 1e-6;

/// Ends of intervals are narrowed to this fraction of the screw; or, if that is larger, to where the surfaces move
/// by a rounding error, up to `SHARP_ENOUGH`.
const SHARP: f64 = 1e-12;
const SHARP_ENOUGH: f64 = 1e-9;

/// So that both ends approach the change, the next sample is not at the predicted time, but closer to the middle by
/// this fraction of the remaining interval. After a sample that left at most the fraction `SLOW`, the offset is
/// divided by 10, down to `MIN_ASIDE`.
const ASIDE: f64 = 0.5;
const MIN_ASIDE: f64 = 1e-3;
const SLOW: f64 = 0.6;

/// Surfaces that have been within the tolerance for this fraction of the screw without intersecting only touch.
const LANDING: f64 = 1e-7;

/// The first step into a touch, as a fraction of the screw.
const FIRST_STEP: f64 = 1e-13;

/// The number of stored samples, the latest first: some are needed again, and two predict how the gap changes.
const KEPT: usize = 4;

/// A margin is followed while it lasts for this fraction of the screw.
const MIN_STEP: f64 = 1e-10;

/// The maximum number of proofs of how long they keep intersecting; after that they are only sampled, less and less
/// often.
const PROOFS: usize = 200;

/// Steps of the budget for one sample.
const STEPS_A_SAMPLE: u64 = 50;

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
    piece: &TimedScrew,
    options: &Options,
    budget: &mut Budget<'_>,
) -> ScrewContacts {
    let tolerance = options.tolerance.unwrap_or(0.0);
    let given = budget.part(u64::MAX);
    let before = given.remaining();
    let speed = pair.speed(&piece.screw) * (1.0 + 1e-12);
    let (deviation, rounding) = (options.deviation, pair.rounding(&piece.screw));
    let mut stepper = RoundStepper {
        pair,
        memory,
        piece,
        tolerance,
        deviation,
        rounding,
        budget: given,
        speed,
        known: 0.0,
        samples: [None; KEPT],
    };
    let mut found = ScrewContacts::clear();
    if let Err(RoundUndecided(reason)) = stepper.follow(&mut found) {
        let from = piece.not_after(stepper.known);
        if let Some(open) = found.met.last_mut().filter(|met| met.exit.is_none()) {
            open.exit = Some([from, piece.end]);
        }
        found.undecided = Some(UndecidedInterval { from, to: piece.end, reason });
    }
    // The last known time may be before the end.
    if let Some(open) = found.met.last_mut().filter(|met| met.exit.is_none() && stepper.known < 1.0) {
        open.exit = Some([piece.not_after(stepper.known), piece.end]);
    }
    // The search never takes more than it was given, so this succeeds.
    let _ = budget.take(before - stepper.budget.remaining());
    found
}

/// Steps of the budget that [`round_rest`] takes.
pub(crate) const STEPS_A_REST: u64 = 3 * STEPS_A_SAMPLE;

/// Whether surfaces rest on each other along a screw that has a deviation; both are small compared with the tolerance.
/// They are separated, or intersect, if they do so at the start, in the middle or at the end.
pub(crate) fn round_rest(
    pair: &RoundPair<'_>,
    memory: &mut RoundMemory,
    piece: &TimedScrew,
    tolerance: f64,
    deviation: f64,
) -> PoseState {
    let mut rest = PoseState::Touching;
    let error = deviation + pair.rounding(&piece.screw);
    for t in [0.0, 0.5, 1.0] {
        match pair.state_at(memory, &piece.screw.pose_at(t)) {
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

/// A screw with the pair that moves along it.
struct RoundStepper<'a> {
    pair: &'a RoundPair<'a>,
    memory: &'a mut RoundMemory,
    piece: &'a TimedScrew,
    tolerance: f64,
    deviation: f64,
    /// An upper bound of the rounding error of positions, in metres. Proofs along a motion already include it;
    /// samples at one time add it here.
    rounding: f64,
    budget: Budget<'a>,
    /// An upper bound of the speed of A's points as seen from B, per unit of t.
    speed: f64,
    /// Up to this fraction of the screw it is decided whether they are in contact.
    known: f64,
    /// The latest samples, each with its time.
    samples: [Option<(f64, RoundFound)>; KEPT],
}

impl RoundStepper<'_> {
    fn follow(&mut self, found: &mut ScrewContacts) -> Result<(), RoundUndecided> {
        let mut t = 0.0;
        let mut state = self.state(t)?;
        if matches!(state, RoundProximity::Touching | RoundProximity::Intersecting { .. }) {
            found.from_begin = true;
            found.start = match state {
                RoundProximity::Intersecting { margin } if margin > self.tolerance => PoseState::Intersecting,
                _ => PoseState::Touching,
            };
            found.met.push(ContactSpan::touched([self.piece.begin; 2]));
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
                let times = self.piece.enclosure([lo, t]);
                let contact = self.contact(t, times, matches!(state, RoundProximity::Touching));
                let contact = Some((contact, *self.piece));
                found.met.push(ContactSpan { contact, ..ContactSpan::touched(times) });
            }
            // In contact at t: until when?
            let ContactEnd { last, separated, intersects_by, intersects_until } = self.leaves(t, state)?;
            let Some(met) = found.met.last_mut() else { return Ok(()) };
            met.touching &= intersects_by.is_none();
            if intersects_by.is_some() {
                met.crossed = self.piece.not_after(intersects_until);
            }
            if let (Some(since), Some((contact, _))) = (intersects_by, &mut met.contact) {
                // The crossing belongs to the enclosure, unless it comes much later than the start of the contact.
                let by = met.enter[1].max(self.piece.not_before(since));
                if by - met.enter[1] <= LANDING * self.piece.end.abs() {
                    met.enter[1] = by;
                    (contact.time[1], contact.touching) = (self.piece.fraction(by), false);
                }
            }
            let Some(separated) = separated else { return Ok(()) };
            met.exit = Some(self.piece.enclosure([last, separated]));
            (t, self.known) = (separated, separated);
        }
    }

    fn pose(&self, t: f64) -> Pose {
        self.piece.screw.pose_at(t)
    }

    fn count_evaluation(&mut self) -> Result<(), RoundUndecided> {
        self.budget.take(STEPS_A_SAMPLE).map_err(|OutOfBudget| RoundUndecided(UndecidedReason::Budget))
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
        (1.0 + TOUCH_SLACK) * self.tolerance
    }

    /// A gap larger than this counts as separated. Proofs along a motion stop a few rounding errors before the
    /// tolerance.
    fn separation_distance(&self) -> f64 {
        self.tolerance
            + (SEPARATION_SLACK * self.tolerance).max(SEPARATION_ROUNDINGS * self.rounding)
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
        let rest = self.piece.screw.part(t, 1.0);
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
        let back = self.piece.screw.part(lo, t).reversed();
        self.pair.separated_until(self.memory, &back, distance, &mut self.budget) == Ok(None)
    }

    /// From a time up to which they are separated: a time by which they are in contact, with the state; or a later
    /// time up to which they are also separated.
    fn enters(&mut self, lo: f64) -> Result<(f64, Option<RoundProximity>), RoundUndecided> {
        let (mut step, mut touched) = (0.0, None);
        let given_up = (SLANTED * (self.tolerance + self.position_error()) / self.speed).max(MIN_SEARCH);
        loop {
            let t = (lo + step).min(1.0);
            let found = self.state_at(t)?.state;
            match self.classify(&found) {
                state @ RoundProximity::Intersecting { .. } => return Ok((t, Some(state))),
                state @ RoundProximity::Touching => {
                    let since = touched.unwrap_or(t);
                    // They are this near, but certainly do not intersect for as long as matters.
                    if let RoundState::Separated { lower, .. } = found
                        && lower - self.position_error() > self.speed * (since + LANDING - t)
                    {
                        return Ok((since, Some(state)));
                    }
                    touched = Some(since);
                }
                RoundProximity::Separated { lower } if step > 0.0 => match touched {
                    // Surfaces that were within the tolerance on the way have been in contact.
                    Some(touched) => return Ok((touched, Some(RoundProximity::Touching))),
                    None if self.is_separated_between(lo, t, lower) => return Ok((t, None)),
                    None => {}
                },
                RoundProximity::Separated { .. } | RoundProximity::Undecided => {}
            }
            if let Some(touched) = touched.filter(|touched| t >= 1.0 || t - touched > LANDING) {
                return Ok((touched, Some(RoundProximity::Touching)));
            }
            if t >= 1.0 || step > given_up {
                return Err(RoundUndecided(UndecidedReason::Rounding));
            }
            step = if step == 0.0 { FIRST_STEP } else { 2.0 * step };
        }
    }

    /// From a time at which they are in contact: how the contact ends.
    fn leaves(&mut self, t: f64, state: RoundProximity) -> Result<ContactEnd, RoundUndecided> {
        let (mut last, mut state, mut intersects_by) = (t, state, None);
        // The previous sample.
        let mut before = t;
        // Until this time they have certainly intersected.
        let (mut intersects_until, mut proofs) = (f64::NEG_INFINITY, 0);
        // The step from the last time to the next sample.
        let mut step = FIRST_STEP;
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
                    // The contact was proven to last until now.
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
            let certain = intersecting_for(&found, &self.piece.screw, self.speed, last, limits);
            let next = (last + step.max(certain)).min(1.0);
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

    /// For how long from a time on they certainly keep intersecting, given their margin.
    fn intersects_for(&mut self, t: f64, margin: f64) -> Result<f64, RoundUndecided> {
        let found = self.state_at(t)?;
        let rest = self.piece.screw.part(t, 1.0);
        let fraction = self.pair.intersects_for(&found, &rest, self.deviation);
        let followed = if fraction >= 1.0 { 1.0 } else { fraction * (1.0 - t) };
        Ok(followed.max(0.999 * margin / self.speed))
    }

    /// Narrows the change from contact to separated, given that they are separated at `last`. Returns a time at
    /// which they are within the tolerance, if they are at `within`, or else in proven contact that lasts as far as
    /// is known; and a time at which they are clearly further apart.
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

    /// Narrows the time at which a condition that is false at the first time and true at the last becomes true, when
    /// an estimated gap passes a limit. The next sample is near the secant's prediction from the latest two samples.
    fn change(
        &mut self,
        mut before: f64,
        mut after: f64,
        limit: f64,
        holds: impl Fn(&Self, &RoundState) -> bool,
    ) -> Result<(f64, f64), RoundUndecided> {
        let fine = (self.rounding / self.speed).clamp(SHARP, SHARP_ENOUGH);
        let mut aside = 0.1 * ASIDE;
        while after - before > fine {
            let (width, middle) = (after - before, 0.5 * (before + after));
            // A NaN is in no range.
            let t = match self.predicted_time_at(limit).filter(|time| (before..=after).contains(time)) {
                Some(time) if time < middle => (time + aside * width + 0.5 * fine).min(middle),
                Some(time) => (time - aside * width - 0.5 * fine).max(middle),
                None => middle,
            };
            let found = self.state_at(t)?.state;
            if holds(self, &found) {
                after = t;
            } else {
                before = t;
            }
            aside = if after - before > SLOW * width { ASIDE } else { (0.1 * aside).max(MIN_ASIDE) };
        }
        Ok((before, after))
    }

    /// The time at which the gap passes a limit, extrapolated from the latest two samples.
    fn predicted_time_at(&self, limit: f64) -> Option<f64> {
        let [Some((t, now)), Some((before, then)), ..] = &self.samples else { return None };
        let [now, then] = [now, then].map(|found| found.state.gap());
        Some(t + (limit - now) * (t - before) / (now - then))
    }

    /// Whether they are proven within the tolerance itself, without `TOUCH_SLACK`.
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
        let velocity = self.piece.screw.velocity_at(place.point, t);
        let approach_speed = place.normal.dot(velocity);
        let time = [self.piece.fraction(time[0]), self.piece.fraction(time[1])];
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
