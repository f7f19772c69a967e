//! Contact of two bodies along their whole motion, stretch by stretch: all at once, or in stages.
//!
//! A pair that is laid down between two stretches and taken up again later has the same answer, to the last bit. So many
//! pairs can be followed side by side, and whoever stops them knows of all until when they keep apart.

use crate::error::Error;
use crate::math::budget::{Budget, price_of_turns};
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::piece::ScrewContacts;
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::motion::relative::{MotionInterval, RelativeMotion};
use crate::pair::{Pair, PairMemory};
use crate::sets::first::DistanceTolerance;
use crate::sets::follow::{SetPair, follow};
use crate::sets::hold::HoldGoal;
use crate::trajectory::contact_intervals::ContactTimeline;
use crate::trajectory::course::ContactSearch;
use crate::trajectory::stepping::Stepper;
use crate::trajectory::watch::{EarliestContact, ProgressMonitor};

/// How far a pair was followed.
pub(crate) enum StagedSearch {
    /// To the end.
    Whole(ContactTimeline),
    /// Through its first stretches.
    Begun(PausedSearch),
}

/// What is known of a pair after its first stretches, and all that it takes to go on.
pub(crate) struct PausedSearch {
    joined: ContactTimeline,
    /// The number of the next stretch.
    next: usize,
    /// When that begins, in seconds.
    pub(crate) reached: f64,
    /// What is left of the budget.
    budget: u64,
    /// As [`ContactSearch::quick`].
    quick: u64,
}

/// Every span during which the surfaces of two bodies intersect or touch. Outside of `spans` they are known to be apart.
///
/// Where the relative motion is a screw, [`contact_intervals`](crate::contact_intervals) gives the intervals of contact.
/// What comes after a stop is unknown.
///
/// # Errors
/// As [`contact_intervals`](crate::contact_intervals).
pub(crate) fn contact_course(
    (pair, relative, watch): (&Pair<'_>, &RelativeMotion<'_>, &dyn ProgressMonitor),
    (memory, spans): (&mut PairMemory, &[[f64; 2]]),
    options: &Options,
) -> Result<ContactTimeline, Error> {
    let is_over = || watch.is_over();
    let mut course = ContactSearch::new((pair, relative), memory, options, &is_over);
    resume(&mut course, spans, (0, f64::INFINITY))?;
    Ok(course.joined)
}

/// The same, through every stretch that begins before `until`, in seconds, from where the pair was laid down, if it was.
/// What comes after the earliest contact of any pair may be left unknown.
///
/// # Errors
/// As [`contact_course`].
pub(crate) fn contact_stage(
    (pair, relative, watch): (&Pair<'_>, &RelativeMotion<'_>, &dyn ProgressMonitor),
    (memory, spans): (&mut PairMemory, &[[f64; 2]]),
    options: &Options,
    (begun, until, earliest): (Option<PausedSearch>, f64, Option<&EarliestContact>),
) -> Result<StagedSearch, Error> {
    let is_over = || watch.is_over();
    let mut course = ContactSearch::new((pair, relative), memory, options, &is_over);
    course.earliest = earliest;
    let mut next = 0;
    if let Some(begun) = begun {
        course.budget = Budget::new(begun.budget).watched(Some(&is_over));
        (course.joined, course.quick, next) = (begun.joined, begun.quick, begun.next);
    }
    let left = resume(&mut course, spans, (next, until))?;
    let (budget, quick) = (course.budget.remaining(), course.quick);
    Ok(match left {
        None => StagedSearch::Whole(course.joined),
        Some((next, reached)) => {
            StagedSearch::Begun(PausedSearch { joined: course.joined, next, reached, budget, quick })
        }
    })
}

/// Follows the stretches from a number on; the number and begin of the first that does not begin before `until`.
fn resume(
    course: &mut ContactSearch<'_>,
    spans: &[[f64; 2]],
    (mut next, until): (usize, f64),
) -> Result<Option<(usize, f64)>, Error> {
    let relative = course.relative;
    for stretch in relative.stretches_from(next) {
        let TimeInterval { start: begin, end } = stretch.interval();
        if course.is_over() || course.is_after_first_contact(begin) {
            let last = relative.breaks.last().copied().unwrap_or(end);
            course.joined.append(begin, ScrewContacts::undecided(begin, last, UndecidedReason::Budget));
            return Ok(None);
        }
        if begin >= until {
            return Ok(Some((next, begin)));
        }
        let price = price_of(course, &stretch);
        course.at_price(price, |course| follow_stretch(course, &stretch, spans))?;
        if next == 0 {
            course.deepen_start();
        }
        course.report_contact();
        next += 1;
    }
    Ok(None)
}

/// The price of a step along a stretch, in steps of the budget. A search of meshes along one screw accounts for its
/// turns itself.
fn price_of(course: &ContactSearch<'_>, stretch: &MotionInterval) -> u64 {
    match stretch {
        MotionInterval::Exact(_) if course.pair.is_searched() => 1,
        MotionInterval::Exact(piece) => price_of_turns(piece.screw.angle()),
        MotionInterval::General { begin, end } => price_of_turns(course.relative.turning(*begin, *end)),
    }
}

fn follow_stretch(
    course: &mut ContactSearch<'_>,
    stretch: &MotionInterval,
    spans: &[[f64; 2]],
) -> Result<(), Error> {
    let TimeInterval { start: begin, end } = stretch.interval();
    let mut time = begin;
    for [from, to] in spans.iter().filter(|[from, to]| *from <= end && *to >= begin) {
        let (from, to) = (from.max(begin), to.min(end));
        if from > time {
            course.joined.append(time, ScrewContacts::clear());
        }
        time = to;
        if let Some(sets) = course.pair.sets() {
            follow_sets(course, sets, stretch, TimeInterval::new(from, to));
            continue;
        }
        match stretch {
            // One screw is examined as a whole and once: the answer does not depend on the spans.
            MotionInterval::Exact(piece) => {
                course.follow_screw(piece)?;
                time = end;
                break;
            }
            MotionInterval::General { .. } => {
                Stepper::new(course, stretch, TimeInterval::new(from, to)).run()?
            }
        }
    }
    if time < end {
        course.joined.append(time, ScrewContacts::clear());
    }
    Ok(())
}

/// Follows two sets through a span of a stretch. If neither contact nor a gap can be proven because of rounding, they
/// are followed again from a later time. The pauses grow, so they are few.
fn follow_sets(
    course: &mut ContactSearch<'_>,
    sets: &SetPair<'_>,
    stretch: &MotionInterval,
    TimeInterval { start: from, end: to }: TimeInterval,
) {
    let near = DistanceTolerance { distance: 0.0, epsilon: sets.epsilon };
    let goal = if course.earliest.is_some() { HoldGoal::Deep } else { HoldGoal::Parted };
    let (mut begin, mut pause) = (from, FIRST_PAUSE * (to - from));
    loop {
        let motion = (course.relative, stretch);
        let mut found = follow(sets, motion, TimeInterval::new(begin, to), (near, goal), &mut course.budget);
        let doubt = found.undecided.as_mut().filter(|doubt| doubt.reason == UndecidedReason::Rounding);
        let next = doubt.map(|doubt| {
            doubt.to = to.min(doubt.from + pause);
            doubt.to
        });
        course.joined.append(begin, found);
        match next {
            Some(next) if next < to => (begin, pause) = (next, LONGER_PAUSE * pause),
            _ => return,
        }
    }
}

/// The first pause, after which two sets are followed again, as a fraction of the span; each further pause is longer by a
/// factor.
const FIRST_PAUSE: f64 = 1.0 / 1024.0;
const LONGER_PAUSE: f64 = 4.0;

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::motion::{Curve, Pose};
    use crate::pair::shape::CollisionShape;
    use crate::scene::definition::{BodyMotion, Scene, SceneBody, SceneDefinition};
    use crate::shape::Primitive;
    use chasles_testing::Random;

    /// Two boxes that tumble past each other through 40 keys each.
    fn tumblers(seed: u64) -> Scene {
        let mut random = Random(seed);
        let mut body = |name: &str, is_linear: bool| {
            let times: Vec<f64> = (0..40).map(f64::from).collect();
            let place = |random: &mut Random| 2.0 * DVec3::new(random.unit(), random.unit(), random.unit());
            let turn = |random: &mut Random| DQuat::from_scaled_axis(3.0 * place(random));
            let places: Vec<(f64, DVec3)> = times.iter().map(|time| (*time, place(&mut random))).collect();
            let turns: Vec<(f64, DQuat)> = times.iter().map(|time| (*time, turn(&mut random))).collect();
            let motion = match is_linear {
                true => {
                    BodyMotion::Curves { position: Curve::Linear(places), rotation: Curve::Linear(turns) }
                }
                false => {
                    let pose = |((time, place), (_, turn))| (time, Pose::new(place, turn).unwrap());
                    BodyMotion::Keyframes(places.into_iter().zip(turns).map(pose).collect())
                }
            };
            let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::new(0.3, 0.5, 0.7) }).ok();
            SceneBody { name: name.into(), shape, motion, parent: None, group: None, solid: false }
        };
        let bodies = vec![body("a", true), body("b", false)];
        let definition =
            SceneDefinition { duration: 39.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
        Scene::new(definition).unwrap()
    }

    #[test]
    fn in_stages_the_answer_is_the_same() {
        for seed in 0..4 {
            let scene = tumblers(seed);
            let relative = scene.relative([0, 1]);
            let pair = scene.pair([0, 1]).unwrap();
            let spans = [[0.0, 17.3], [20.1, 39.0]];
            for budget in [3_000, 500_000_000] {
                let options = Options { tolerance: Some(scene.tolerance()), budget, ..Options::default() };
                let memory = &mut PairMemory::default();
                let whole = contact_course((&pair, &relative, &()), (memory, &spans), &options).unwrap();
                assert_eq!(whole.undecided.is_empty(), budget > 3_000);
                assert!(budget == 3_000 || whole.met.len() > 3);
                for step in [0.25, 1.0, 7.5] {
                    let (mut begun, mut until) = (None, 0.0);
                    let staged = loop {
                        until += step;
                        let how = (&mut *memory, &spans[..]);
                        match contact_stage((&pair, &relative, &()), how, &options, (begun, until, None))
                            .unwrap()
                        {
                            StagedSearch::Whole(joined) => break joined,
                            StagedSearch::Begun(next) => {
                                assert!(next.reached >= until && next.reached < until + 1.0);
                                begun = Some(next);
                            }
                        }
                    };
                    assert_eq!(staged, whole, "seed {seed}, budget {budget}, step {step}");
                }
            }
        }
    }
}
