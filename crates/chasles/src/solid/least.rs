//! How near do two bodies come along their whole motion?
//!
//! Looks at some times give a gap that is not beaten by much; a search for the first time at which the bodies come
//! nearer either proves that they never do, or finds a time from which the gap is followed down.

use crate::math::budget::{Budget, OutOfBudget};
use crate::motion::relative::Relative;
use crate::solid::first::{First, GapLimits, Near, Trees};
use crate::solid::follow::SolidPair;
use crate::solid::hold::Course;
use crate::solid::leg::Way;

/// The least gap is computed to this share, or to this many metres, or to epsilon, whichever is most.
const SHARE: f64 = 0.008;
const ABSOLUTE: f64 = 8e-6;

/// Looks at each stretch before the search.
const LOOKS: usize = 9;

/// Looks while a gap is followed down.
const DOWN: usize = 24;

/// The least gap that was seen.
struct Least {
    at_most: f64,
    time: f64,
}

/// The gap at a time, and its lower bound.
fn look(
    trees: &mut Trees<'_>,
    course: &Course<'_>,
    time: f64,
    (least, epsilon): (&mut Least, f64),
    budget: &mut Budget<'_>,
) -> Result<f64, OutOfBudget> {
    let stand = course.leg(time).stand(time);
    let limits = GapLimits {
        share: 0.1 * SHARE,
        absolute: 0.1 * ABSOLUTE.max(epsilon),
        beyond: f64::INFINITY,
        enough: 0.0,
    };
    let ([_, at_most], _) = trees.gap(&stand, &limits, budget)?;
    if at_most < least.at_most {
        (least.at_most, least.time) = (at_most, time);
    }
    Ok(at_most)
}

/// Bounds of the least gap, in metres, and a time at which the gap is no more than the upper one. The lower one is 0
/// where the budget did not suffice.
pub(crate) fn least_gap(
    pair: &SolidPair<'_>,
    relative: &Relative<'_>,
    budget: &mut Budget<'_>,
) -> ([f64; 2], f64) {
    let mut least = Least { at_most: f64::INFINITY, time: 0.0 };
    let at_least = bounded(pair, relative, (&mut least, budget)).unwrap_or(0.0);
    ([at_least.min(least.at_most).max(0.0), least.at_most], least.time)
}

fn bounded(
    pair: &SolidPair<'_>,
    relative: &Relative<'_>,
    (least, budget): (&mut Least, &mut Budget<'_>),
) -> Result<f64, OutOfBudget> {
    let stretches: Vec<(f64, f64)> = relative.stretches().map(|stretch| stretch.span()).collect();
    let mut all: Vec<(Trees<'_>, Course<'_>, f64)> = Vec::with_capacity(stretches.len());
    for (begin, end) in stretches {
        let within = 0.5 * (begin + end);
        let (mover, _) = relative.bends(begin, end);
        let mut trees = pair.trees(mover);
        let course = Course { relative, mover, within, end };
        for n in 0..=LOOKS {
            let time = begin + (end - begin) * n as f64 / LOOKS as f64;
            look(&mut trees, &course, time, (least, pair.epsilon), budget)?;
        }
        all.push((trees, course, begin));
    }
    let mut at_least = f64::INFINITY;
    for (trees, course, begin) in &mut all {
        let mut time = *begin;
        while time < course.end {
            let leg = course.leg(time);
            let room = (SHARE * least.at_most).max(ABSOLUTE).max(pair.epsilon);
            let good = (least.at_most - 0.75 * room).max(0.0);
            let near = Near { distance: good, epsilon: 0.25 * room };
            match trees.first(&leg, (time, leg.to, Way::Forward), near, budget) {
                First::Beyond => {
                    at_least = at_least.min(good);
                    time = leg.to;
                }
                First::Met(meeting) => {
                    at_least = at_least.min(good);
                    let before = least.at_most;
                    down(trees, course, (meeting.time, leg.to), (least, pair.epsilon), budget)?;
                    // Nothing much nearer is to be seen: this is as near as they come, within what is asked.
                    if least.at_most > before - 0.25 * room {
                        if least.at_most <= 0.0 {
                            return Ok(0.0);
                        }
                        let good = (good - 0.25 * room).max(0.0);
                        let near = Near { distance: good, epsilon: 0.1 * room };
                        match trees.first(&leg, (meeting.time, leg.to, Way::Forward), near, budget) {
                            First::Beyond => {
                                at_least = at_least.min(good);
                                time = leg.to;
                                continue;
                            }
                            First::Met(again) => {
                                at_least = at_least.min(good);
                                look(trees, course, again.time, (least, pair.epsilon), budget)?;
                                time = again.time;
                            }
                            First::Unknown { .. } => return Err(OutOfBudget),
                        }
                    } else {
                        time = meeting.time;
                    }
                    // What was proven before holds for a gap that was greater then.
                    at_least = at_least.min((least.at_most - room).max(0.0));
                }
                First::Unknown { .. } => return Err(OutOfBudget),
            }
        }
    }
    Ok(at_least)
}

/// Follows the gap down from a time, no later than another.
fn down(
    trees: &mut Trees<'_>,
    course: &Course<'_>,
    (from, to): (f64, f64),
    (least, epsilon): (&mut Least, f64),
    budget: &mut Budget<'_>,
) -> Result<(), OutOfBudget> {
    let mut step = 0.05 * (to - from);
    let mut best = (from, look(trees, course, from, (least, epsilon), budget)?);
    for _ in 0..DOWN {
        let mut moved = false;
        for time in [best.0 + step, best.0 - step] {
            if time < from || time > to {
                continue;
            }
            let gap = look(trees, course, time, (least, epsilon), budget)?;
            if gap < best.1 {
                (best, moved) = ((time, gap), true);
                break;
            }
        }
        if !moved {
            step *= 0.35;
        }
        if step < 1e-7 * (to - from) {
            break;
        }
    }
    Ok(())
}
