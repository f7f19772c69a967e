//! Contact of two bodies along any motion: screw by screw, as long as may be and as short as must be.
//!
//! Where the relative motion is a screw its intervals are those of [`contact_intervals`](crate::contact_intervals). Elsewhere a
//! span of time is taken as the screw between the poses at its ends, and the proven deviation of that is carried as a distance:
//!
//! * **Apart.** While the screw keeps the surfaces further apart than the tolerance and the deviation together, the true motion
//!   keeps them further apart than the tolerance. The spans that are tried grow while this succeeds and shrink, and their deviation
//!   with the square of them, where it does not.
//! * **In contact.** From a moment at which an edge passes through a triangle, it does so for at least as long as the greatest
//!   speed needs to undo that ([`witness`](crate::narrow_phase::witness)).
//! * **In between.** Where neither gets on, the span is made so short that its deviation is a small share of the tolerance, and the
//!   features are asked as in a single screw. What then begins or ends does so in an enclosure that holds for every motion
//!   within the deviation.

use crate::error::Error;
use crate::math::roots::Budget;
use crate::motion::Screw;
use crate::predict::{Doubt, Options};
use crate::scene::joined::{AtStart, Found, Joined, Met};
use crate::scene::relative::{Relative, Stretch};
use crate::scene::shapes::{Apart, Grip, PairMemory, PairShapes};
use crate::scene::track::TimedScrew;
use crate::scene::watch::Watch;

/// A screw counts as the motion itself when its deviation is at most this share of the tolerance.
const FINE: f64 = 0.005;

/// Or this share of the size of the bodies, where the tolerance is smaller: some dozens of roundings.
const FINEST: f64 = 1e-14;

/// Steps after which a search that is to prove two bodies apart is first given up; each time twice as many.
const QUICK: u64 = 50;

/// A proof that contact lasts for less than this share of a span in which the features can be asked is not worth its work.
const WORTH: f64 = 0.1;

/// What holds two surfaces together is looked for anew when it does so for less than this share of the first time.
const STALE: f64 = 0.2;

/// The turn, in radians, of the first span that is tried.
const FIRST_TURN: f64 = 0.3;

/// What a span grows by where it was clear, and shrinks by where it was not.
const GROWTH: f64 = 1.7;
const SHRINKAGE: f64 = 0.5;

/// After a span that was not clear, or took too long to tell, others are at most this much of it, and this much more with each that is
/// clear.
const CEILING: f64 = 0.6;
const RISE: f64 = 1.05;

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
struct Course<'a> {
    shapes: &'a PairShapes<'a>,
    relative: &'a Relative<'a>,
    watch: &'a dyn Watch,
    memory: &'a mut PairMemory,
    /// The budget is what is left of it.
    options: Options,
    /// A deviation that does not matter, in metres.
    fine: f64,
    /// Steps of the next search that is to prove the bodies apart.
    quick: u64,
    joined: Joined,
}

impl Course<'_> {
    /// The intervals of a stretch that is one screw, each with the whole budget. It is first asked with less, so that whoever wants to
    /// stop need not wait for all of it.
    fn whole(&mut self, piece: &TimedScrew) -> Result<Found, Error> {
        let mut budget = FIRST_BUDGET.min(self.options.budget);
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
        // What was too long lately: longer spans are tried again little by little.
        let mut ceiling = f64::INFINITY;
        // How much is given up at once next, in seconds.
        let mut leap = 0.0_f64;
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
                let until = self.lasts((time, within), end, WORTH * fine_span);
                if until > time {
                    self.joined.append(time, Found::throughout(time));
                    time = until;
                    continue;
                }
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
                (meeting, leap) = (found.is_open(), 0.0);
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
                (leap, meeting, span) = (2.0 * (to - time), false, to - time);
                time = to;
                continue;
            }
            // What the span has to shrink to, so that its deviation no longer matters.
            fine_span = 0.9 * (to - time) * ((self.fine.max(2.0 * rounding) - rounding) / deviation).sqrt();
            if meeting || !deviation.is_finite() {
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
                    ceiling *= RISE;
                }
                Apart::Until(share) => {
                    let until = piece.not_after(share);
                    if until > time {
                        self.examined(deviation);
                        self.joined.append(time, Found::clear());
                    }
                    (span, ceiling) = ((SHRINKAGE * (to - time)).max(fine_span), CEILING * (to - time));
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
        let options = Options { budget: self.options.budget.min(self.quick), ..self.options };
        let (apart, steps) = self.shapes.apart_until(self.memory, screw, distance, &options)?;
        self.options.budget = self.options.budget.saturating_sub(steps);
        self.quick = if apart == Apart::Unknown { 2 * self.quick } else { QUICK.max(2 * steps) };
        Ok(apart)
    }

    /// A time until which surfaces that intersect provably still do, in steps of more than `least`.
    fn lasts(&mut self, (time, within): (f64, f64), end: f64, least: f64) -> f64 {
        let mut now = time;
        let mut budget = Budget(self.options.budget);
        let mut grips: Vec<Grip> = Vec::new();
        // The length of the last step, and of the first with these grips.
        let (mut step, mut fresh) = (0.01 * (end - time), 0.0);
        while now < end {
            let soon = (now + step).min(end);
            let poses = [self.relative.pose_at(now, within), self.relative.pose_at(soon, within)];
            let rounding = self.relative.rounding(now, within);
            let mut next = None;
            // What holds them together may do so for some steps more, but to look for something firmer is soon worth its work.
            if let Some(best) = self.shapes.firmest(&grips, &poses) {
                next = self.held_until(&best, now, end, rounding).filter(|until| until - now > STALE * fresh);
            }
            if next.is_none() {
                if self.shapes.grips_at(self.memory, &poses[0], (&mut grips, &mut budget)).is_err() {
                    break;
                }
                let Some(best) = self.shapes.firmest(&grips, &poses) else { break };
                next = self.held_until(&best, now, end, rounding);
                fresh = next.map_or(0.0, |next| next - now);
            }
            let Some(next) = next.filter(|next| next - now > least) else { break };
            step = next - now;
            now = next;
            // Edges may hold on; a depth is that of its time.
            grips.retain(|grip| matches!(grip, Grip::Edge(_)));
        }
        self.options.budget = budget.0;
        now
    }

    /// Until when something that holds the surfaces together now provably still does.
    fn held_until(&self, (grip, margin): &(Grip, f64), now: f64, end: f64, rounding: f64) -> Option<f64> {
        let margin = margin - rounding;
        if margin <= 0.0 {
            return None;
        }
        let matter = self.shapes.matter_of(grip);
        let speed = |to: f64| match &matter {
            Some(matter) => self.relative.speed_of(matter, now, to),
            None => self.relative.speed(now, to),
        };
        // A span in which the speed is bounded well.
        let mut to = end;
        let mut fast = speed(to);
        while now + margin / fast < now + 0.25 * (to - now) {
            to = now + 0.5 * (to - now);
            fast = speed(to);
        }
        // Nothing is known where the speed is no number.
        let next = now + 0.999 * margin / fast;
        (!next.is_nan()).then(|| next.min(to))
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::motion::{Curve, Pose};
    use crate::scene::definition::{BodyMotion, Scene, SceneBody, SceneDefinition, SceneShape};
    use crate::scene::joined::AtStart;
    use crate::shape::Primitive;

    /// A unit cube with a motion and one that stands.
    fn cubes(motion: BodyMotion, standing: BodyMotion, duration: f64) -> Scene {
        let shape = SceneShape::primitive(Primitive::Box { size: DVec3::ONE }).ok();
        let body = |motion| SceneBody {
            name: "cube".into(),
            shape: shape.clone(),
            motion,
            parent: None,
            group: None,
            solid: false,
        };
        let bodies = vec![body(motion), body(standing)];
        let definition =
            SceneDefinition { duration, tolerance: Some(1e-9), clearance: 0.0, bodies, ignore: vec![] };
        Scene::new(definition).unwrap()
    }

    fn met(scene: &Scene, budget: u64) -> Joined {
        let shapes = [0, 1].map(|body| scene.bodies[body].shape.as_ref().unwrap());
        let shapes = PairShapes::new(shapes[0], shapes[1]);
        let relative = Relative::new(scene, [0, 1]);
        let options = Options { tolerance: Some(1e-9), budget, ..Options::default() };
        let spans = [[0.0, scene.duration()]];
        contact_course((&shapes, &relative, &()), (&mut PairMemory::default(), &spans), &options).unwrap()
    }

    const STANDING: BodyMotion = BodyMotion::Still(Pose::IDENTITY);

    fn at(x: f64) -> Pose {
        Pose::from_position(DVec3::new(x, 0.1, 0.2)).unwrap()
    }

    fn keys(keys: &[(f64, f64)]) -> BodyMotion {
        BodyMotion::Keyframes(keys.iter().map(|&(time, x)| (time, at(x))).collect())
    }

    /// One of the cubes runs through keys (time, x) along x.
    fn along_x(points: &[(f64, f64)], duration: f64) -> Joined {
        met(&cubes(keys(points), STANDING, duration), 1_000_000)
    }

    /// Each interval contains the times, and is as sharp as the tolerance lets it be.
    #[track_caller]
    fn assert_met(found: &Joined, expected: &[(f64, Option<f64>)]) {
        assert!(found.unknown.is_empty());
        let sharp = |[lo, hi]: [f64; 2], t: f64| lo <= t + 1e-8 && hi >= t - 1e-8 && hi - lo <= 1e-8;
        assert_eq!(found.met.len(), expected.len(), "{:?}", found.met);
        for (met, (enter, exit)) in found.met.iter().zip(expected) {
            assert!(sharp(met.enter, *enter), "{met:?} {enter}");
            assert_eq!(met.exit.is_some(), exit.is_some(), "{met:?}");
            assert!(met.exit.is_none_or(|found| sharp(found, exit.unwrap())), "{met:?} {exit:?}");
        }
    }

    #[test]
    fn an_interval_over_keys_is_one() {
        let found = along_x(&[(0.0, 3.0), (1.0, 0.5), (2.0, 0.0), (3.0, -3.0)], 4.0);
        assert_met(&found, &[(0.8, Some(2.0 + 1.0 / 3.0))]);
        assert!(!found.met[0].touching && found.start == AtStart::Apart);
    }

    #[test]
    fn holds_before_and_after_count() {
        let found = along_x(&[(1.0, 0.5), (2.0, 3.0), (3.0, 3.0), (4.0, 0.5)], 6.0);
        assert_met(&found, &[(0.0, Some(1.2)), (3.8, None)]);
        assert_eq!(found.start, AtStart::Overlapping);
    }

    #[test]
    fn a_bounce_at_a_key_is_one_short_interval() {
        let found = along_x(&[(0.0, 2.0), (1.0, 1.0), (2.0, 2.0)], 2.0);
        assert_met(&found, &[(1.0, Some(1.0))]);
        assert!(found.met[0].touching);
    }

    #[test]
    fn resting_over_keys_and_landing_at_one() {
        let found = along_x(&[(0.0, 2.0), (1.0, 1.0), (2.0, 1.0), (3.0, 1.0)], 4.0);
        assert_met(&found, &[(1.0, None)]);
        assert!(found.met[0].touching);
        let found = along_x(&[(0.0, 1.0), (1.0, 1.0), (3.0, 2.0)], 4.0);
        assert_met(&found, &[(0.0, Some(1.0))]);
        assert_eq!(found.start, AtStart::Touching);
    }

    #[test]
    fn nothing_is_claimed_of_pieces_that_were_not_decided() {
        let scene = cubes(keys(&[(0.0, 3.0), (1.0, 0.5), (2.0, 0.0), (3.0, -3.0)]), STANDING, 4.0);
        for budget in [1, 10, 30, 100, 200, 300, 400, 600, 1000, 2000] {
            let found = met(&scene, budget);
            // The truth is [0.8, 2.333]: what is said must not contradict it.
            let first = found.met.first().map_or(f64::INFINITY, |met| met.enter[0]);
            let unknown = found.unknown.first().map_or(f64::INFINITY, |unknown| unknown.from);
            assert!(first.min(unknown) <= 0.8 + 1e-9, "{budget}: {found:?}");
            if found.unknown.is_empty() {
                assert_met(&found, &[(0.8, Some(2.0 + 1.0 / 3.0))]);
            }
            for met in &found.met {
                let holds = |t: f64| (0.8 - 1e-8..=7.0 / 3.0 + 1e-8).contains(&t);
                assert!(holds(met.enter[1]), "{budget}: {found:?}");
                let covered = |t: f64| found.unknown.iter().any(|u| u.from <= t && u.to >= t);
                assert!(met.exit.is_none_or(|e| holds(e[0]) && (e[1] >= 7.0 / 3.0 - 1e-8 || covered(e[1]))));
            }
        }
    }

    #[test]
    fn turns_without_number_are_one_screw() {
        // A cube circles at distance 3 past a standing one three times; they meet where the angle is small.
        let start = Pose::from_position(DVec3::new(0.0, 3.0, 0.2)).unwrap();
        let screw = Screw::about(start, DVec3::Z, DVec3::new(3.0, 3.0, 0.0), 0.0, 6.0 * std::f64::consts::PI);
        let far = Pose::from_position(DVec3::new(6.0, 3.0, 0.0)).unwrap();
        let found = met(&cubes(BodyMotion::Screw(screw.unwrap()), BodyMotion::Still(far), 3.0), 1_000_000);
        assert_eq!(found.met.len(), 3);
        for (turn, met) in (0_i32..).zip(&found.met) {
            // Half a turn after the start they stand on each other; by symmetry about that time.
            let [enter, exit] = [met.enter, met.exit.unwrap()].map(|[lo, hi]| 0.5 * (lo + hi));
            assert!((0.5 * (enter + exit) - 0.5 - f64::from(turn)).abs() < 1e-8, "{met:?}");
        }
    }

    #[test]
    fn two_that_move_are_as_one_that_does() {
        // Both slide, so that their relative motion is that of the other tests; then both turn with what they are seen from.
        let slides = |x: f64, speed: f64| BodyMotion::Twist {
            start: at(x),
            linear: DVec3::new(speed, 0.0, 0.0),
            angular: DVec3::ZERO,
        };
        let found = met(&cubes(slides(3.0, -1.0), slides(0.0, 1.5), 2.0), 10_000_000);
        assert_met(&found, &[(0.8, Some(1.6))]);
        let spins = |x: f64, speed: f64| BodyMotion::Twist {
            start: at(x),
            linear: DVec3::new(speed, 0.0, 0.0),
            angular: DVec3::new(2.0 * speed, 0.0, 0.0),
        };
        // About the line on which they meet: face against face, whichever way they are turned.
        let found = met(&cubes(spins(3.0, -1.0), spins(0.0, 1.5), 2.0), 100_000_000);
        assert_met(&found, &[(0.8, Some(1.6))]);
    }

    #[test]
    fn what_moves_alike_stands() {
        // Face on face, and both go and turn by the same twist: one screw that stands, asked once.
        let twist = |start| BodyMotion::Twist {
            start,
            linear: DVec3::new(1.0, -2.0, 0.5),
            angular: DVec3::new(0.3, 4.0, 1.0),
        };
        let scene = cubes(twist(Pose::IDENTITY), twist(Pose::IDENTITY), 2.0);
        let found = met(&scene, 1_000_000);
        assert_met(&found, &[(0.0, None)]);
        assert!(
            found.deviation == 0.0
                && matches!(Relative::new(&scene, [0, 1]).stretches().next(), Some(Stretch::Exact(_)))
        );
        // From elsewhere the same twist is another motion.
        let scene = cubes(twist(at(3.0)), twist(Pose::IDENTITY), 2.0);
        assert!(matches!(Relative::new(&scene, [0, 1]).stretches().next(), Some(Stretch::General { .. })));
        assert!(met(&scene, 100_000_000).deviation > 0.0);
    }

    #[test]
    fn nothing_is_swept_at_a_jump() {
        let steps = |points: &[(f64, f64)]| BodyMotion::Curves {
            position: Curve::Step(points.iter().map(|&(time, x)| (time, at(x).position())).collect()),
            rotation: Curve::constant(DQuat::IDENTITY),
        };
        let found = met(&cubes(steps(&[(0.0, 3.0), (1.0, -3.0)]), STANDING, 2.0), 1_000_000);
        assert_met(&found, &[]);
        let found = met(&cubes(steps(&[(0.0, 3.0), (0.5, 0.25), (1.25, -3.0)]), STANDING, 2.0), 1_000_000);
        assert_met(&found, &[(0.5, Some(1.25))]);
        assert_eq!((found.met[0].enter, found.met[0].exit), ([0.5; 2], Some([1.25; 2])));
    }
}
