//! Contact of two bodies along any motion: screw by screw, as long as may be and as short as must be.
//!
//! Where the relative motion is a screw its intervals are those of [`contact_intervals`](crate::contact_intervals). Elsewhere a
//! span of time is taken as the screw between the poses at its ends, and the proven deviation of that is carried as a distance:
//!
//! * **Apart.** While the screw keeps the surfaces further apart than the tolerance and the deviation together, the true motion
//!   keeps them further apart than the tolerance. The spans that are tried grow while this succeeds and shrink, and their deviation
//!   with the square of them, where it does not.
//!   Two meshes are not asked so at first: they are followed by a front ([`front`](crate::narrow_phase::front)), span or no span.
//! * **In contact.** From a moment at which something holds the surfaces together, they intersect for at least as long as that provably
//!   does ([`Held`]; of round bodies, for as long as the greatest speed needs to undo their depth).
//! * **In between.** Where neither gets on, the span is made so short that its deviation is a small share of the tolerance, and the
//!   features are asked as in a single screw. What then begins or ends does so in an enclosure that holds for every motion
//!   within the deviation.

use crate::body::Body;
use crate::error::Error;
use crate::math::roots::Budget;
use crate::motion::Screw;
use crate::narrow_phase::front::Ask;
use crate::narrow_phase::round::RoundState;
use crate::predict::{Doubt, Options};
use crate::scene::held::Held;
use crate::scene::joined::{AtStart, Found, Joined, Met};
use crate::scene::relative::{Relative, Stretch};
use crate::scene::shapes::{Apart, PairMemory, PairShapes};
use crate::scene::track::TimedScrew;
use crate::scene::watch::Watch;

/// A screw counts as the motion itself when its deviation is at most this share of the tolerance.
const FINE: f64 = 0.005;

/// Or this share of the size of the bodies, where the tolerance is smaller: some dozens of roundings.
const FINEST: f64 = 1e-14;

/// Steps after which a search that is to prove two bodies apart is first given up; each time four times as many.
const QUICK: u64 = 50;

/// A proof that contact lasts for less than this share of a span in which the features can be asked is not worth its work.
const WORTH: f64 = 0.1;

/// The turn, in radians, of the first span that is tried.
const FIRST_TURN: f64 = 0.3;

/// What a span grows by where it was clear, and shrinks by where that took too long to tell, or where something was near.
const GROWTH: f64 = 1.7;
const SHRINKAGE: f64 = 0.5;
const NEAR: f64 = 0.3;

/// After a span that took too long to tell of, others are at most this much of it, and this much more with each that is clear.
const CEILING: f64 = 0.6;
const RISE: f64 = 1.06;

/// A longer span took hardly more where its steps grew by less than this power of its length.
const CHEAPER: f64 = 0.25;

/// Bodies that hover close to each other are followed by screws, whose deviation may be less than all that is known of their
/// accelerations: after so many times in a row that a front is of no use, for so many spans.
const STUCK: u32 = 2;
const BY_SCREWS: u32 = 64;

/// Times that a span is shrunk or stretched until it is fine.
const FINDING: usize = 3;

/// Times that it is halved at most where nothing is known of its deviation.
const HALVINGS: usize = 64;

/// Surfaces that rest on each other are followed with a deviation of up to this share of the tolerance.
const RESTING: f64 = 0.3;

/// Spans shorter than this share of the times are not tried: what cannot be decided in them is left open.
const SHORTEST: f64 = 1e-14;

/// Steps, some seconds of work, with which a single screw is asked first.
const FIRST_BUDGET: u64 = 10_000_000;

/// Steps of the budget that a span costs beside those of its search.
const STEPS_A_SPAN: u64 = 100;

/// Every span during which the surfaces of two bodies intersect or touch. Outside of `spans` they are known to be apart.
///
/// # Errors
/// As [`contact_intervals`](crate::contact_intervals).
pub(crate) fn contact_course(
    (shapes, relative, watch): (&PairShapes<'_>, &Relative<'_>, &dyn Watch),
    (memory, spans): (&mut PairMemory, &[[f64; 2]]),
    options: &Options,
) -> Result<Joined, Error> {
    let duration = relative.breaks.last().copied().unwrap_or(0.0);
    let mut course = Course {
        shapes,
        relative,
        watch,
        memory,
        options: *options,
        fine: 0.0,
        quick: QUICK,
        effort: Effort::Fair,
        steps: 0.0,
        first_budget: FIRST_BUDGET,
        joined: Joined::new(duration),
    };
    let tolerance = options.tolerance.unwrap_or(0.0);
    course.fine = (FINE * tolerance).max(FINEST * shapes.size());
    for stretch in relative.stretches() {
        let (begin, end) = stretch.span();
        let mut time = begin;
        for [from, to] in spans.iter().filter(|[from, to]| *from <= end && *to >= begin) {
            let (from, to) = (from.max(begin), to.min(end));
            if from > time {
                course.joined.append(time, Found::clear());
            }
            time = to;
            match stretch {
                // One screw is asked as a whole: once, and the same whatever the spans.
                Stretch::Exact(piece) => {
                    let found = course.whole(&piece)?;
                    course.joined.append(begin, found);
                    time = end;
                    break;
                }
                Stretch::General { .. } => course.walk((begin, end), (from, to))?,
            }
        }
        if time < end {
            course.joined.append(time, Found::clear());
        }
    }
    Ok(course.joined)
}

/// The walk along one motion.
pub(crate) struct Course<'a> {
    pub(crate) shapes: &'a PairShapes<'a>,
    pub(crate) relative: &'a Relative<'a>,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) memory: &'a mut PairMemory,
    /// The budget is what is left of it.
    pub(crate) options: Options,
    /// A deviation that does not matter, in metres.
    pub(crate) fine: f64,
    /// Steps of the next search that is to prove the bodies apart.
    pub(crate) quick: u64,
    /// What the last of them took.
    pub(crate) effort: Effort,
    pub(crate) steps: f64,
    /// Of a single screw.
    pub(crate) first_budget: u64,
    pub(crate) joined: Joined,
}

/// How much of its steps a search took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Not all.
    Fair,
    /// All, or nearly.
    Spent,
}

impl Course<'_> {
    /// The intervals of a stretch that is one screw, each with the whole budget. It is first asked with less, so that whoever wants to
    /// stop need not wait for all of it.
    pub(crate) fn whole(&mut self, piece: &TimedScrew) -> Result<Found, Error> {
        let mut budget = self.first_budget.min(self.options.budget);
        loop {
            if self.watch.is_over() {
                return Ok(Found::unknown(piece.begin, piece.end, Doubt::Budget));
            }
            let options = Options { budget, ..self.options };
            let found = self.shapes.intervals(self.memory, piece, &options)?;
            let cut_short = found.unknown.is_some() && found.steps >= budget / 2;
            if !cut_short || budget >= self.options.budget {
                return Ok(found);
            }
            budget = budget.saturating_mul(4).min(self.options.budget);
        }
    }

    /// Follows a stretch whose motion is no single screw, from one of its times to another.
    fn walk(&mut self, (first, last): (f64, f64), (begin, end): (f64, f64)) -> Result<(), Error> {
        let within = 0.5 * (first + last);
        let tolerance = self.options.tolerance.unwrap_or(0.0);
        let spin = self.relative.spin(begin, end);
        let (mut time, mut span) = (begin, (end - begin).min(FIRST_TURN / spin));
        let (mut meeting, mut looked_at, mut fine_span) = (false, f64::NAN, 0.0);
        // The length of the next span in which they may rest on each other, while they do.
        let (mut resting, mut rested) = (None::<f64>, 0.0_f64);
        // What took too long lately: longer spans are tried again little by little, or at once where they have become easy.
        let mut ceiling = f64::INFINITY;
        // The length of the last span that was clear, and the steps that this took.
        let mut easy = (f64::INFINITY, 0.0);
        // How much is given up at once next, in seconds.
        let mut leap = 0.0_f64;
        // Whether two meshes are so near that it takes their features to tell.
        let mut near = false;
        // How often in a row a front got no further than features did; and how many spans are to be tried by screws instead.
        let (mut stuck, mut by_screws) = (0, 0);
        self.memory.ahead.forget();
        while time < end {
            if self.is_spent() || self.watch.is_over() {
                self.joined.append(time, Found::unknown(time, end, Doubt::Budget));
                return Ok(());
            }
            self.options.budget -= STEPS_A_SPAN;
            if let Some(length) = resting.take() {
                let to = self.end_of(time, length, end);
                if let Some(found) = self.rest((time, to))? {
                    self.joined.append(time, found);
                    (time, resting) = (to, Some(GROWTH * (to - time)));
                    continue;
                }
                // Something ends or begins: that is looked at closely, and no longer span is tried for a while.
                rested = 0.5 * length;
            }
            if meeting && looked_at != time {
                looked_at = time;
                fine_span = self.fine_span((time, span), end);
                let until = self.lasts((time, within), end, WORTH * fine_span);
                if until > time {
                    self.joined.append(time, Found::throughout(time));
                    time = until;
                    continue;
                }
            }
            if meeting {
                (stuck, by_screws) = (0, 0);
            } else if by_screws > 0 {
                by_screws -= 1;
            } else if !near && let PairShapes::Meshes(a, b) = self.shapes {
                if fine_span == 0.0 {
                    fine_span = self.fine_span((time, span), end);
                }
                let until = self.stays_apart((a.body, b.body), (time, end), 0.5 * fine_span);
                stuck = if until - time < 2.0 * fine_span { stuck + 1 } else { 0 };
                if until > time {
                    self.joined.append(time, Found::clear());
                    time = until;
                }
                (near, span) = (true, fine_span);
                if stuck > STUCK {
                    (near, span, stuck, by_screws) = (false, GROWTH * fine_span, 0, BY_SCREWS);
                } else {
                    leap = if stuck == 0 { 0.0 } else { leap };
                }
                continue;
            }
            let to = self.end_of(time, span, end);
            let (piece, deviation) = self.relative.screw(time, to);
            let rounding = self.relative.rounding(time, within).max(self.relative.rounding(to, within));
            // Far from the origin it does not get finer than rounding.
            if deviation <= self.fine.max(2.0 * rounding) {
                let found = self.fine_piece(&piece, deviation)?;
                let shorter = SHRINKAGE * (to - time);
                if found.unknown.is_some() && shorter > SHORTEST * to.abs() && !self.is_spent() {
                    span = shorter;
                    continue;
                }
                (meeting, near, leap, ceiling) = (found.is_open(), false, 0.0, f64::INFINITY);
                // Nothing holds together what only touches.
                let touches = found.met.last().is_some_and(|met| met.touching);
                if meeting && touches {
                    looked_at = to;
                    rested = rested.max(2.0 * (to - time));
                    resting = Some(rested);
                }
                self.examined(deviation);
                self.joined.append(time, found);
                (time, span) = (to, GROWTH * (to - time));
                continue;
            }
            if to - time <= 2.0 * SHORTEST * to.abs() {
                // As where a spline of quaternions passes through zero. Close to that nothing is known either: so on by leaps.
                let to = self.end_of(time, leap.max(to - time), end);
                self.joined.append(time, Found::unknown(time, to, Doubt::Rounding));
                (leap, meeting, near, span) = (2.0 * (to - time), false, false, to - time);
                time = to;
                continue;
            }
            // What the span has to shrink to, so that its deviation no longer matters.
            fine_span = 0.9 * (to - time) * ((self.fine.max(2.0 * rounding) - rounding) / deviation).sqrt();
            if meeting || near || !deviation.is_finite() {
                span = if deviation.is_finite() { fine_span } else { SHRINKAGE * (to - time) };
                continue;
            }
            let distance = 1.05 * tolerance + 1.1 * deviation;
            match self.apart_until(&piece.screw, distance)? {
                Apart::Throughout => {
                    self.examined(deviation);
                    self.joined.append(time, Found::clear());
                    let length = to - time;
                    (time, span, leap) = (to, (GROWTH * length).min(ceiling.max(length)), 0.0);
                    // Where a longer span took hardly more, or all has become easier, longer ones are worth it.
                    let hardly_more = self.steps < easy.1 * (length / easy.0).powf(CHEAPER);
                    let cheaper = length > easy.0 && hardly_more || self.steps <= 0.5 * easy.1;
                    ceiling *= if cheaper { GROWTH } else { RISE };
                    easy = (length, self.steps);
                }
                Apart::Until(share) => {
                    let until = piece.not_after(share);
                    if until > time {
                        self.examined(deviation);
                        self.joined.append(time, Found::clear());
                    }
                    let share = if self.effort == Effort::Spent { SHRINKAGE } else { NEAR };
                    span = (share * (to - time)).max(fine_span);
                    if self.effort == Effort::Spent {
                        ceiling = CEILING * (to - time);
                    }
                    time = time.max(until);
                }
                Apart::Unknown => {
                    (span, ceiling) = ((SHRINKAGE * (to - time)).max(fine_span), CEILING * (to - time));
                }
                Apart::Overlapping => span = fine_span,
            }
        }
        Ok(())
    }

    /// About how long a screw from a time on is as good as the motion.
    fn fine_span(&self, (time, span): (f64, f64), end: f64) -> f64 {
        let within = 0.5 * (time + end);
        let rounding = self.relative.rounding(time, within);
        let fine = self.fine.max(2.0 * rounding) - rounding;
        let mut length = span.min(end - time);
        let mut found = 0;
        for _ in 0..HALVINGS {
            let deviation = self.relative.screw(time, time + length).1 - rounding;
            if deviation.is_finite() {
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

    /// A time until which, from one time to at most another, two meshes stay further apart than the tolerance: proven. It is about where
    /// they do so for less than a least step, in seconds.
    fn stays_apart(&mut self, bodies: (&Body, &Body), (time, end): (f64, f64), least_step: f64) -> f64 {
        let distance = 1.05 * self.options.tolerance.unwrap_or(0.0);
        let mut budget = Budget(self.options.budget);
        let ask = Ask { distance, least_step };
        let until = self.memory.ahead.apart_until((bodies, self.relative), (time, end), &ask, &mut budget);
        self.options.budget = budget.0;
        until.unwrap_or(time)
    }

    /// Whether the surfaces rest on each other throughout a span: so closely that they touch all the same where the motion is off by the
    /// deviation of a screw. `None` where that is not found, which proves nothing.
    fn rest(&mut self, (time, to): (f64, f64)) -> Result<Option<Found>, Error> {
        let tolerance = self.options.tolerance.unwrap_or(0.0);
        let (piece, deviation) = self.relative.screw(time, to);
        if deviation.is_nan() || deviation > RESTING * tolerance {
            return Ok(None);
        }
        let options = Options { tolerance: Some(tolerance - 1.1 * deviation), ..self.options };
        let found = self.shapes.intervals(self.memory, &piece, &options)?;
        self.options.budget = self.options.budget.saturating_sub(found.steps);
        let rests = match found.met.as_slice() {
            [met] => found.from_begin && met.exit.is_none() && met.touching,
            _ => false,
        };
        if !rests || found.unknown.is_some() {
            return Ok(None);
        }
        self.examined(deviation);
        let met = Met { enter: [time; 2], exit: None, contact: None, touching: true };
        Ok(Some(Found { met: vec![met], start: AtStart::Touching, steps: 0, ..found }))
    }

    /// Where a span that begins at `time` ends: no remainder is left that is much shorter than the span.
    fn end_of(&self, time: f64, span: f64, end: f64) -> f64 {
        let to = time + span.max(SHORTEST * time.abs());
        if end - to < 0.3 * span || to <= time { end } else { to }
    }

    /// Something was concluded from a screw with this deviation.
    fn examined(&mut self, deviation: f64) {
        self.joined.deviation = self.joined.deviation.max(deviation);
    }

    fn is_spent(&self) -> bool {
        self.options.budget < STEPS_A_SPAN
    }

    /// The intervals of a screw that is as good as the motion.
    fn fine_piece(&mut self, piece: &TimedScrew, deviation: f64) -> Result<Found, Error> {
        let options = Options { deviation, ..self.options };
        let mut found = self.shapes.intervals(self.memory, piece, &options)?;
        self.options.budget = self.options.budget.saturating_sub(found.steps);
        if self.relative.is_past_a_ball() {
            for (contact, piece) in found.met.iter_mut().filter_map(|met| met.contact.as_mut()) {
                let turned = self.relative.turned(piece, piece.not_before(contact.time[1]));
                contact.point = turned.transform_point(contact.point);
                contact.normal = turned.transform_vector(contact.normal);
            }
        }
        Ok(found)
    }

    /// Until when a screw keeps the surfaces further apart than a distance: proven.
    fn apart_until(&mut self, screw: &Screw, distance: f64) -> Result<Apart, Error> {
        // Where everything is near, a search would look at everything, and a shorter span is the better answer; unless it is not.
        let budget = self.options.budget.min(self.quick);
        let options = Options { budget, ..self.options };
        let (apart, steps) = self.shapes.apart_until(self.memory, screw, distance, &options)?;
        self.options.budget = self.options.budget.saturating_sub(steps);
        self.quick = if apart == Apart::Unknown { 4 * self.quick } else { QUICK.max(2 * steps) };
        self.steps = steps as f64;
        self.effort = match steps {
            _ if apart == Apart::Unknown || steps >= budget - budget / 8 => Effort::Spent,
            _ => Effort::Fair,
        };
        Ok(apart)
    }

    /// A time until which surfaces that intersect provably still do, in steps of more than `least`.
    pub(crate) fn lasts(&mut self, (time, within): (f64, f64), end: f64, least: f64) -> f64 {
        let pair = match self.shapes {
            PairShapes::Meshes(a, b) => {
                let mut budget = Budget(self.options.budget);
                let held = Held { surfaces: [*a, *b], relative: self.relative, within };
                let until = held.until((time, end), least, (&mut *self.memory, &mut budget));
                self.options.budget = budget.0;
                return until;
            }
            PairShapes::Round(pair) => pair,
        };
        let mut now = time;
        while now < end {
            let pose = self.relative.pose_at(now, within);
            let RoundState::Meeting { margin, .. } = pair.state_at(&mut self.memory.round, &pose) else {
                break;
            };
            let rounding = self.relative.rounding(now, within);
            let next = self.held_until(margin - rounding, (now, end)).filter(|next| next - now > least);
            let Some(next) = next else { break };
            now = next;
        }
        now
    }

    /// Until when bodies still intersect of which every point may move by a margin and they do.
    fn held_until(&self, margin: f64, (now, end): (f64, f64)) -> Option<f64> {
        if margin <= 0.0 {
            return None;
        }
        // A span in which the speed is bounded well.
        let mut to = end;
        let mut fast = self.relative.speed(now, to);
        while now + margin / fast < now + 0.25 * (to - now) {
            to = now + 0.5 * (to - now);
            fast = self.relative.speed(now, to);
        }
        // Nothing is known where the speed is no number.
        let next = now + 0.999 * margin / fast;
        (!next.is_nan()).then(|| next.min(to))
    }
}
