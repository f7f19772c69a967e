//! Contact of two bodies along their whole motion, one smooth interval after the other: all at once, or in stages.
//!
//! A search that is suspended between two smooth intervals and resumed later gives the same answer, to the last bit. So
//! pairs can be examined side by side, and after a stop it is known until when each of the pairs stays separated.

use crate::error::Error;
use crate::math::budget::{Budget, price_of_turns};
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::mesh_screw::timed::ScrewContacts;
use crate::motion::relative::MotionInterval;
use crate::pair::{PairKind, PairMemory};
use crate::sets::first::DistanceTolerance;
use crate::sets::follow::near_interval::{ContactGoal, StopCondition};
use crate::sets::follow::{SetPair, SmoothMotion, follow};
use crate::trajectory::contact_intervals::ContactTimeline;
use crate::trajectory::moving_pair::MovingPair;
use crate::trajectory::progress::SearchProgress;
use crate::trajectory::search::ContactSearch;
use crate::trajectory::stepping::Stepper;
use crate::trajectory::watch::EarliestContact;

/// The search of a pair, after a stage.
pub(crate) enum StagedSearch {
    /// The whole motion is examined.
    Complete(ContactTimeline),
    /// Only the first smooth intervals are examined.
    Suspended(SuspendedSearch),
}

/// The results for a pair after its first smooth intervals, and all data to resume the search.
pub(crate) struct SuspendedSearch {
    timeline: ContactTimeline,
    /// The number of the next smooth interval.
    next: usize,
    /// The start of that interval, in seconds.
    pub(crate) reached: f64,
    /// The remaining budget.
    budget: u64,
    /// As [`SearchProgress::quick`].
    quick: u64,
}

/// The search for contacts of a pair of any kind.
enum TrajectorySearch<'a> {
    Rigid(ContactSearch<'a>),
    Sets(SetPair<'a>, SearchProgress<'a>),
}

/// Every interval in which the surfaces of two bodies intersect or touch. The bodies must be separated outside
/// `intervals`, in seconds. If the caller stops the search, the rest of the motion is undecided.
///
/// # Errors
/// As [`contact_intervals`](crate::contact_intervals).
pub(crate) fn contact_timeline(
    moving: &MovingPair<'_>,
    (memory, intervals): (&mut PairMemory, &[[f64; 2]]),
    options: &Options,
) -> Result<ContactTimeline, Error> {
    let is_over = || moving.watch.is_over();
    let progress = SearchProgress::new(moving.relative, options, &is_over);
    let mut search = TrajectorySearch::new(moving, progress, memory, options);
    search.resume(intervals, (0, f64::INFINITY))?;
    Ok(search.into_progress().found)
}

/// As [`contact_timeline`], through every smooth interval that starts before `stage_end`, in seconds; resumed
/// from `suspended` if that is given. The time after the earliest contact of all pairs may be left undecided.
///
/// # Errors
/// As [`contact_timeline`].
pub(crate) fn contact_stage(
    moving: &MovingPair<'_>,
    (memory, intervals): (&mut PairMemory, &[[f64; 2]]),
    options: &Options,
    (suspended, stage_end, earliest): (Option<SuspendedSearch>, f64, Option<&EarliestContact>),
) -> Result<StagedSearch, Error> {
    let is_over = || moving.watch.is_over();
    let mut progress = SearchProgress { earliest, ..SearchProgress::new(moving.relative, options, &is_over) };
    let mut next = 0;
    if let Some(suspended) = suspended {
        progress.budget = Budget::new(suspended.budget).watched(Some(&is_over));
        (progress.found, progress.quick, next) = (suspended.timeline, suspended.quick, suspended.next);
    }
    let mut search = TrajectorySearch::new(moving, progress, memory, options);
    let rest = search.resume(intervals, (next, stage_end))?;
    let SearchProgress { found, budget, quick, .. } = search.into_progress();
    Ok(match rest {
        None => StagedSearch::Complete(found),
        Some((next, reached)) => StagedSearch::Suspended(SuspendedSearch {
            timeline: found,
            next,
            reached,
            budget: budget.remaining(),
            quick,
        }),
    })
}

impl<'a> TrajectorySearch<'a> {
    fn new(
        moving: &MovingPair<'a>,
        progress: SearchProgress<'a>,
        memory: &'a mut PairMemory,
        options: &Options,
    ) -> Self {
        match moving.pair.kind {
            PairKind::Rigid(pair) => Self::Rigid(ContactSearch::new(pair, progress, memory, options)),
            PairKind::Sets(sets) => Self::Sets(sets, progress),
        }
    }

    fn progress(&mut self) -> &mut SearchProgress<'a> {
        match self {
            Self::Rigid(search) => &mut search.progress,
            Self::Sets(_, progress) => progress,
        }
    }

    fn into_progress(self) -> SearchProgress<'a> {
        match self {
            Self::Rigid(search) => search.progress,
            Self::Sets(_, progress) => progress,
        }
    }

    /// Examines the smooth intervals from a number on. Returns the number and the start of the first interval that
    /// does not start before `stage_end`; `None` if the search is complete.
    fn resume(
        &mut self,
        intervals: &[[f64; 2]],
        (mut next, stage_end): (usize, f64),
    ) -> Result<Option<(usize, f64)>, Error> {
        let relative = self.progress().relative;
        for smooth_interval in relative.smooth_intervals_from(next) {
            let start = smooth_interval.interval().start;
            let progress = self.progress();
            if progress.is_over() || progress.is_after_first_contact(start) {
                let last = relative.end();
                let rest = ScrewContacts::undecided(start, last, UndecidedReason::Budget);
                progress.found.append(start, rest);
                return Ok(None);
            }
            if start >= stage_end {
                return Ok(Some((next, start)));
            }
            self.follow_at_price(&smooth_interval, intervals)?;
            if let Self::Rigid(search) = self
                && next == 0
            {
                search.deepen_start();
            }
            self.progress().report_contact();
            next += 1;
        }
        Ok(None)
    }

    /// Examines a smooth interval. The price of each step is proportional to the turns of the interval.
    fn follow_at_price(
        &mut self,
        smooth_interval: &MotionInterval,
        intervals: &[[f64; 2]],
    ) -> Result<(), Error> {
        let price = self.price_of(smooth_interval);
        let mut whole = self.progress().budget;
        let followed = whole.at_price(price, |part| {
            self.progress().budget = *part;
            let followed = self.follow(smooth_interval, intervals);
            *part = self.progress().budget;
            followed
        });
        self.progress().budget = whole;
        followed
    }

    /// The price of a step along a smooth interval, in steps of the budget. The search of two meshes along one screw
    /// accounts for its turns itself.
    fn price_of(&mut self, smooth_interval: &MotionInterval) -> u64 {
        match (&*self, smooth_interval) {
            (Self::Rigid(search), MotionInterval::Exact(_)) if search.pair.is_of_meshes() => 1,
            _ => price_of_turns(self.progress().relative.angle_in(smooth_interval)),
        }
    }

    fn follow(&mut self, smooth_interval: &MotionInterval, intervals: &[[f64; 2]]) -> Result<(), Error> {
        let TimeInterval { start, end } = smooth_interval.interval();
        let mut time = start;
        for [from, to] in intervals.iter().filter(|[from, to]| *from <= end && *to >= start) {
            let (from, to) = (from.max(start), to.min(end));
            if from > time {
                self.progress().found.append(time, ScrewContacts::clear());
            }
            time = to;
            match (&mut *self, smooth_interval) {
                (Self::Sets(sets, progress), _) => {
                    follow_sets(sets, progress, smooth_interval, TimeInterval::new(from, to));
                }
                // One screw is examined as a whole and once, so the answer does not depend on `intervals`.
                (Self::Rigid(search), MotionInterval::Exact(timed_screw)) => {
                    search.follow_screw(timed_screw)?;
                    time = end;
                    break;
                }
                (Self::Rigid(search), MotionInterval::General { .. }) => {
                    Stepper::new(search, smooth_interval, TimeInterval::new(from, to)).run()?;
                }
            }
        }
        if time < end {
            self.progress().found.append(time, ScrewContacts::clear());
        }
        Ok(())
    }
}

/// Examines two sets in a part of a smooth interval. If rounding prevents a proof of both contact and a gap, the
/// search restarts at a later time. The skipped intervals grow, so they are few.
fn follow_sets(
    sets: &SetPair<'_>,
    progress: &mut SearchProgress<'_>,
    smooth_interval: &MotionInterval,
    TimeInterval { start: from, end: to }: TimeInterval,
) {
    let near = DistanceTolerance { distance: 0.0, epsilon: sets.epsilon };
    let stop =
        if progress.earliest.is_some() { StopCondition::Overlapping } else { StopCondition::Separated };
    let goal = ContactGoal { near, stop };
    let (mut start, mut skip) = (from, FIRST_SKIP * (to - from));
    loop {
        let motion = SmoothMotion { relative: progress.relative, interval: smooth_interval };
        let mut found = follow(sets, motion, TimeInterval::new(start, to), goal, &mut progress.budget);
        let undecided =
            found.undecided.as_mut().filter(|undecided| undecided.reason == UndecidedReason::Rounding);
        let next = undecided.map(|undecided| {
            undecided.to = to.min(undecided.from + skip);
            undecided.to
        });
        progress.found.append(start, found);
        match next {
            Some(next) if next < to => (start, skip) = (next, SKIP_GROWTH * skip),
            _ => return,
        }
    }
}

/// The length of the first skipped interval, as a fraction of the whole interval; and the factor by which each further
/// skipped interval is longer.
const FIRST_SKIP: f64 = 1.0 / 1024.0;
const SKIP_GROWTH: f64 = 4.0;

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::motion::{Curve, Pose};
    use crate::pair::shape::CollisionShape;
    use crate::scene::{BodyMotion, Scene, SceneBody, SceneDefinition};
    use crate::shape::Primitive;
    use chasles_testing::Random;

    /// Two boxes that tumble past each other through 40 keys each.
    fn tumblers(seed: u64) -> Scene {
        let mut random = Random(seed);
        let mut body = |name: &str, is_linear: bool| {
            let times: Vec<f64> = (0..40).map(f64::from).collect();
            let place = |random: &mut Random| 2.0 * DVec3::new(random.unit(), random.unit(), random.unit());
            let rotation = |random: &mut Random| DQuat::from_scaled_axis(3.0 * place(random));
            let places: Vec<(f64, DVec3)> = times.iter().map(|time| (*time, place(&mut random))).collect();
            let rotations: Vec<(f64, DQuat)> =
                times.iter().map(|time| (*time, rotation(&mut random))).collect();
            let motion = match is_linear {
                true => {
                    BodyMotion::Curves { position: Curve::Linear(places), rotation: Curve::Linear(rotations) }
                }
                false => {
                    let pose = |((time, place), (_, rotation))| (time, Pose::new(place, rotation).unwrap());
                    BodyMotion::Keyframes(places.into_iter().zip(rotations).map(pose).collect())
                }
            };
            let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::new(0.3, 0.5, 0.7) }).ok();
            SceneBody::new(name, shape, motion)
        };
        let bodies = vec![body("a", true), body("b", false)];
        Scene::new(SceneDefinition::new(39.0, bodies)).unwrap()
    }

    #[test]
    fn in_stages_the_answer_is_the_same() {
        for seed in 0..4 {
            let scene = tumblers(seed);
            let relative = scene.relative([0, 1]);
            let pair = scene.pair([0, 1]).unwrap();
            let intervals = [[0.0, 17.3], [20.1, 39.0]];
            for budget in [3_000, 500_000_000] {
                let options = Options { tolerance: Some(scene.tolerance()), budget, ..Options::default() };
                let memory = &mut PairMemory::default();
                let moving = MovingPair { pair: &pair, relative: &relative, watch: &() };
                let whole = contact_timeline(&moving, (memory, &intervals), &options).unwrap();
                assert_eq!(whole.undecided.is_empty(), budget > 3_000);
                assert!(budget == 3_000 || whole.intervals.len() > 3);
                for step in [0.25, 1.0, 7.5] {
                    let (mut suspended, mut until) = (None, 0.0);
                    let staged = loop {
                        until += step;
                        let how = (&mut *memory, &intervals[..]);
                        match contact_stage(&moving, how, &options, (suspended, until, None)).unwrap() {
                            StagedSearch::Complete(timeline) => break timeline,
                            StagedSearch::Suspended(next) => {
                                assert!(next.reached >= until && next.reached < until + 1.0);
                                suspended = Some(next);
                            }
                        }
                    };
                    assert_eq!(staged, whole, "seed {seed}, budget {budget}, step {step}");
                }
            }
        }
    }
}
