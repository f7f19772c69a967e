//! The intervals in which two bodies are within a clearance.
//!
//! The gap changes no faster than the maximum speed v of one body in the frame of the other. If the gaps at two
//! times h apart are g and g', the gap in between lies between (g + g' - v h) / 2 and (g + g' + v h) / 2. An
//! interval that these bounds do not decide is cut in two. They never decide a gap that hovers at the clearance. If
//! such a gap is larger than the clearance at both ends of an interval, a front proves that it stays larger
//! ([`RigidPair::separated_until`]). If it is within the clearance at both ends, the nearest parts in the middle of
//! the interval prove that it stays within ([`RigidPair::distance_upper_bound`]).

use crate::error::Error;
use crate::instant::gap::GapLimits;
use crate::math::budget::Budget;
use crate::math::interval::Side;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::piece::UndecidedInterval;
use crate::mesh_screw::query::UndecidedReason;
use crate::motion::relative::{MotionInterval, RelativeMotion};
use crate::pair::{PairDistance, PairKind, PairMemory, RigidPair, SeparationGoal};
use crate::sets::first::DistanceTolerance;
use crate::sets::follow::near_interval::{ContactGoal, StopCondition};
use crate::sets::follow::{SetPair, SmoothMotion, follow};
use crate::trajectory::contact_intervals::ContactTimeline;
use crate::trajectory::moving_pair::MovingPair;
use crate::trajectory::watch::ProgressMonitor;

/// An interval within the clearance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WithinInterval {
    /// Enclosure of its start, in seconds; [0, 0] if the bodies are proven near at the start. It ends at the first
    /// time at which the gap is proven within the clearance, because rounding may leave earlier times open.
    pub(crate) enter: [f64; 2],
    /// Enclosure of its end; `None` if the bodies are near until the end.
    pub(crate) exit: Option<[f64; 2]>,
}

/// The intervals within the clearance along a motion.
#[derive(Debug, Default)]
pub(crate) struct WithinIntervals {
    pub(crate) near: Vec<WithinInterval>,
    /// Undecided intervals; adjacent ones are joined.
    pub(crate) undecided: Vec<UndecidedInterval>,
}

impl WithinIntervals {
    /// Time that rounding leaves undecided directly beside an end of an interval belongs to the enclosure of that end.
    fn of(mut near: Vec<WithinInterval>, mut undecided: Vec<UndecidedInterval>) -> Self {
        undecided.retain(|UndecidedInterval { from, to, reason }| {
            for span in near.iter_mut().filter(|_| *reason == UndecidedReason::Rounding) {
                if let Some(exit) = &mut span.exit
                    && exit[1] == *from
                {
                    exit[1] = *to;
                    return false;
                }
                if span.enter[0] == *to {
                    span.enter[0] = *from;
                    return false;
                }
            }
            true
        });
        Self { near, undecided }
    }
}

/// Ends of intervals are computed to this fraction of the duration.
const SHARP: f64 = 1e-8;

/// An interval that is not near at either end is cut down to this fraction before it is left undecided, because it
/// may adjoin a near interval.
const FINEST: f64 = SHARP / 16.0;

/// Gaps are computed to this fraction, and to rounding.
const SHARE: f64 = 1e-12;

/// Two gaps count as equal if they differ by at most `ROUNDINGS` roundings of a position, from the pose and from
/// the computation with the pose.
const ROUNDINGS: f64 = 4.0;

/// In intervals shorter than this fraction of the duration, the gap may be hovering, so a front or a screw is used.
const HOVERING: f64 = 1e-3;

/// The length of the next screw, as a multiple of the last proven time.
const LONGER: f64 = 3.0;

/// A cut that leaves less than this fraction of the interval before it does not help.
const FAIR: f64 = 0.05;

/// Steps after which the search for one gap ends, so that a check can be stopped.
const AT_ONCE: u64 = 1_000_000;

/// Steps of the budget that a sample costs in addition to its search.
const STEPS_A_LOOK: u64 = 20;

/// The search for the distance of two rigid bodies along their motion.
pub(crate) struct DistanceSearch<'a> {
    pub(crate) pair: RigidPair<'a>,
    pub(crate) relative: &'a RelativeMotion<'a>,
    pub(crate) watch: &'a dyn ProgressMonitor,
    pub(crate) memory: &'a mut PairMemory,
    /// The remaining budget.
    pub(crate) budget: Budget<'a>,
}

/// The gap at a time, with its bounds in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DistanceAt {
    pub(crate) time: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    nearness: PairDistance,
    /// The rounding of a position, in metres.
    rounding: f64,
}

/// A clearance in metres, for comparison with gaps.
#[derive(Debug, Clone, Copy)]
struct WithinClearance(f64);

/// The relation of a gap to the clearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// Proven to be more than the clearance, or unknown.
    Beyond,
    /// Equal to the clearance up to rounding. This counts as within.
    Level,
    /// Proven.
    Within,
}

impl WithinClearance {
    fn with_rounding(self, rounding: f64) -> f64 {
        self.0 * (1.0 + 4.0 * SHARE) + ROUNDINGS * rounding
    }

    fn relation(self, at: &DistanceAt) -> Stands {
        if at.upper <= self.0 {
            Stands::Within
        } else if at.lower <= self.0 && at.upper <= self.with_rounding(at.rounding) {
            Stands::Level
        } else {
            Stands::Beyond
        }
    }

    fn holds(self, at: &DistanceAt) -> bool {
        self.relation(at) != Stands::Beyond
    }
}

/// The side of the clearance on which the gap is between two times. If it is undecided, the interval must be cut at the
/// given gap; without one, the side changes, or may change, in a very short time.
type GapSide = Side<Option<DistanceAt>>;

/// One smooth interval of the motion.
struct Examined {
    stretch: MotionInterval,
    middle: f64,
    /// The time until which the gap is proven larger than the clearance, from the last query.
    beyond_until: f64,
    /// How long this was proven for, in seconds.
    reach: f64,
}

/// The intervals in which the distance is within the clearance, in metres, and the undecided intervals; `None` if
/// the check was stopped. The surfaces must not intersect.
///
/// # Errors
/// As [`RigidPair::separated_until`].
pub(crate) fn within_intervals<'a>(
    moving: &MovingPair<'a>,
    memory: &'a mut PairMemory,
    budget: Budget<'a>,
    clearance: f64,
) -> Result<Option<WithinIntervals>, Error> {
    let budget = moving.budget_of_turns(&budget);
    let MovingPair { relative, watch, .. } = *moving;
    match &moving.pair.kind {
        PairKind::Rigid(pair) => {
            DistanceSearch { pair: *pair, relative, watch, memory, budget }.intervals(clearance)
        }
        PairKind::Sets(sets) => Ok(within_intervals_of_sets(sets, moving, budget, clearance)),
    }
}

fn within_intervals_of_sets(
    sets: &SetPair<'_>,
    moving: &MovingPair<'_>,
    mut budget: Budget<'_>,
    clearance: f64,
) -> Option<WithinIntervals> {
    let relative = moving.relative;
    let mut joined = ContactTimeline::new(relative.end());
    let near = DistanceTolerance { distance: clearance, epsilon: sets.epsilon };
    let goal = ContactGoal { near, stop: StopCondition::Separated };
    for stretch in relative.smooth_intervals() {
        let interval = stretch.interval();
        let motion = SmoothMotion { relative, interval: &stretch };
        joined.append(interval.start, follow(sets, motion, interval, goal, &mut budget));
        if moving.watch.is_over() {
            return None;
        }
    }
    let near = joined.met.iter().map(|met| WithinInterval { enter: met.enter, exit: met.exit }).collect();
    Some(WithinIntervals { near, undecided: joined.undecided })
}

impl DistanceSearch<'_> {
    /// The gap at a time in the smooth interval that contains `within`.
    pub(crate) fn distance_at(&mut self, time: f64, within: f64, limits: &GapLimits) -> DistanceAt {
        let pose = self.relative.pose_at(time, within);
        let limits = GapLimits { steps: self.budget.remaining().min(AT_ONCE), ..*limits };
        let nearness = self.pair.distance_at(self.memory, &pose, &limits);
        // If fewer steps are left, this takes all of the budget.
        let _ = self.budget.take(nearness.steps + STEPS_A_LOOK);
        let rounding = self.relative.rounding(time, within);
        let (lower, upper) = ((nearness.lower - rounding).max(0.0), nearness.upper + rounding);
        DistanceAt { time, lower, upper, nearness, rounding }
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.budget.remaining() == 0
    }

    /// As [`within_intervals`].
    fn intervals(&mut self, clearance: f64) -> Result<Option<WithinIntervals>, Error> {
        let clearance = WithinClearance(clearance);
        let mut spans = IntervalList { found: Vec::new(), open: false, sure: None };
        let mut undecided: Vec<UndecidedInterval> = Vec::new();
        let stretches: Vec<_> = self.relative.smooth_intervals().collect();
        for stretch in stretches {
            self.memory.forget();
            let TimeInterval { start: begin, end } = stretch.interval();
            let mut part = Examined { stretch, middle: 0.5 * (begin + end), beyond_until: begin, reach: 0.0 };
            let [first, last] = [begin, end].map(|time| self.distance_at(time, part.middle, &LIMITS));
            let mut waiting = vec![(first, last)];
            while let Some((from, to)) = waiting.pop() {
                if self.watch.is_over() {
                    return Ok(None);
                }
                if self.is_spent() {
                    let rest = UndecidedInterval {
                        from: from.time,
                        to: self.relative.end(),
                        reason: UndecidedReason::Budget,
                    };
                    spans.close([rest.from, rest.to]);
                    undecided.push(rest);
                    return Ok(Some(WithinIntervals::of(spans.found, undecided)));
                }
                let stands = [clearance.relation(&from), clearance.relation(&to)];
                let side = self.judge(&mut part, (&from, &to), clearance)?;
                if let Side::Undecided(Some(cut)) = side {
                    waiting.push((cut, to));
                    waiting.push((from, cut));
                    continue;
                }
                if matches!(side, Side::Undecided(None)) && stands == [Stands::Beyond; 2] {
                    let reason = UndecidedReason::Rounding;
                    match undecided.last_mut().filter(|last| last.to == from.time) {
                        Some(last) => last.to = to.time,
                        None => undecided.push(UndecidedInterval { from: from.time, to: to.time, reason }),
                    }
                }
                spans.add(side, [from.time, to.time], stands);
            }
        }
        spans.end_at(self.relative.end());
        Ok(Some(WithinIntervals::of(spans.found, undecided)))
    }

    /// The relation in a part of a smooth interval, or where to cut it.
    fn judge(
        &mut self,
        part: &mut Examined,
        (from, to): (&DistanceAt, &DistanceAt),
        clearance: WithinClearance,
    ) -> Result<GapSide, Error> {
        let (span, duration) = (to.time - from.time, self.relative.end());
        let near = [clearance.holds(from), clearance.holds(to)];
        let swing = self.relative.speed(from.time, to.time) * span;
        if 0.5 * (from.lower + to.lower - swing) > clearance.0 || to.time <= part.beyond_until {
            return Ok(Side::Beyond);
        }
        // The time at which a level gap becomes certain is narrowed down like a change.
        let stands = [clearance.relation(from), clearance.relation(to)];
        let settles = stands[0] != stands[1];
        let is_level = stands == [Stands::Level; 2];
        let most =
            if is_level { clearance.with_rounding(from.rounding.min(to.rounding)) } else { clearance.0 };
        if 0.5 * (from.upper + to.upper + swing) <= most && !settles {
            return Ok(Side::Within);
        }
        if span <= SHARP * duration && near == [true; 2] {
            return Ok(Side::Within);
        }
        if span <= SHARP * duration && near != [false; 2] {
            return Ok(Side::Undecided(None));
        }
        let mut cut = 0.5 * (from.time + to.time);
        if near == [false; 2] && span < HOVERING * duration {
            let ask = SeparationGoal { distance: clearance.0, least_step: FINEST * duration };
            let end = part.stretch.interval().end;
            let next = (from.time + LONGER * part.reach).clamp(to.time, end);
            let (motion, times) = ((self.relative, &part.stretch), (from.time, next, end));
            part.beyond_until =
                self.pair.separated_until(self.memory, motion, times, (&ask, &mut self.budget))?;
            part.reach = part.beyond_until - from.time;
            if to.time <= part.beyond_until {
                return Ok(Side::Beyond);
            }
            if part.beyond_until - from.time > FAIR * span {
                cut = part.beyond_until;
            }
        }
        if span <= FINEST * duration {
            return Ok(Side::Undecided(None));
        }
        let cut = self.distance_at(cut, part.middle, &LIMITS);
        if near == [true; 2] && clearance.holds(&cut) && !settles {
            let pose = self.relative.pose_at(cut.time, part.middle);
            let close = self.pair.distance_upper_bound(&pose, &cut.nearness);
            let upper =
                close.map(|close| close.gap_at_most(self.relative, [from.time, to.time], part.middle));
            if upper.is_some_and(|upper| upper <= clearance.with_rounding(cut.rounding)) {
                return Ok(Side::Within);
            }
        }
        Ok(Side::Undecided(Some(cut)))
    }
}

/// The precision of a computed gap.
const LIMITS: GapLimits = GapLimits { share: SHARE, ..GapLimits::EXACT };

/// The intervals found so far in a search.
struct IntervalList {
    found: Vec<WithinInterval>,
    open: bool,
    /// The last time at which the gap was proven to be within the clearance, in the open interval.
    sure: Option<f64>,
}

impl IntervalList {
    /// Adds the side between two times, and the relation at each of these times.
    fn add(&mut self, side: GapSide, [from, to]: [f64; 2], stands: [Stands; 2]) {
        let [near_before, near_after] = stands.map(|stands| stands != Stands::Beyond);
        match side {
            Side::Beyond => self.close([from; 2]),
            Side::Within => {
                self.open([from; 2]);
                if stands[0] == Stands::Within {
                    self.is_sure_at(from);
                }
            }
            Side::Undecided(_) => {
                if near_before {
                    self.open([from; 2]);
                    self.close([from, to]);
                }
                if near_after {
                    self.open([from, to]);
                }
                if !near_before && !near_after {
                    self.close([from; 2]);
                }
            }
        }
        if self.open && stands[1] == Stands::Within {
            self.is_sure_at(to);
        }
    }

    /// The first time at which the gap is proven to be within the clearance ends the enclosure of the interval's
    /// start, because rounding left earlier times open.
    fn is_sure_at(&mut self, time: f64) {
        if self.sure.replace(time).is_none()
            && let Some(last) = self.found.last_mut()
        {
            last.enter[1] = last.enter[1].max(time);
        }
    }

    /// The end of the motion. An open interval then remains without an end.
    fn end_at(&mut self, end: f64) {
        if self.open
            && self.sure.is_none()
            && let Some(last) = self.found.last_mut()
        {
            last.enter[1] = end;
        }
    }

    /// An interval that starts where an uncertain interval ends continues it, because the distance is not proven to
    /// exceed the clearance between the two.
    fn open(&mut self, enter: [f64; 2]) {
        if self.open {
            return;
        }
        match self.found.last_mut() {
            Some(last) if self.sure.is_none() && last.exit.is_some_and(|exit| exit[1] >= enter[0]) => {
                last.exit = None;
            }
            _ => self.found.push(WithinInterval { enter, exit: None }),
        }
        (self.open, self.sure) = (true, None);
    }

    fn close(&mut self, exit: [f64; 2]) {
        if !self.open {
            return;
        }
        self.open = false;
        let Some(last) = self.found.last_mut() else { return };
        // Time that rounding leaves open since the gap was last certain belongs to the enclosure of the end.
        if let Some(sure) = self.sure {
            last.exit = Some([exit[0].min(sure), exit[1]]);
            return;
        }
        // The gap was never certain, so the bodies may have been within the clearance at any time of the interval.
        last.exit = Some([exit[0].min(last.enter[0]), exit[1]]);
        last.enter[1] = last.enter[1].max(exit[1]);
        let start = last.enter[0];
        if let [.., before, _] = self.found.as_mut_slice()
            && let Some(end) = &mut before.exit
            && end[1] >= start
        {
            end[1] = exit[1];
            self.sure = Some(end[0]);
            self.found.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance reaches the clearance, hovers there for several uncertain intervals, and leaves.
    #[test]
    fn unsure_spans_side_by_side_are_one() {
        let (beyond, level, within) = (Stands::Beyond, Stands::Level, Stands::Within);
        let changing = Side::Undecided(None);
        let mut spans = IntervalList { found: Vec::new(), open: false, sure: None };
        spans.add(Side::Beyond, [0.0, 1.0], [beyond; 2]);
        for start in [1.0, 2.0, 3.0] {
            spans.add(changing, [start, start + 0.25], [beyond, level]);
            spans.add(Side::Within, [start + 0.25, start + 0.75], [level; 2]);
            spans.add(changing, [start + 0.75, start + 1.0], [level, beyond]);
        }
        spans.add(Side::Beyond, [4.0, 5.0], [beyond; 2]);
        let unsure = WithinInterval { enter: [1.0, 4.0], exit: Some([1.0, 4.0]) };
        assert_eq!(spans.found, [unsure]);
        // After a proven gap comes a certain interval, and then an adjacent uncertain one, which belongs to its end.
        spans.add(changing, [5.0, 5.5], [beyond, within]);
        spans.add(Side::Within, [5.5, 6.0], [within; 2]);
        spans.add(changing, [6.0, 6.5], [within, beyond]);
        spans.add(changing, [6.5, 7.0], [beyond, level]);
        spans.add(changing, [7.0, 7.5], [level, beyond]);
        spans.add(Side::Beyond, [7.5, 8.0], [beyond; 2]);
        let sure = WithinInterval { enter: [5.0, 5.5], exit: Some([6.0, 7.5]) };
        assert_eq!(spans.found, [unsure, sure]);
        // An interval that is uncertain up to the end of the motion may start as late as the end.
        spans.add(changing, [8.0, 8.5], [beyond, level]);
        spans.add(Side::Within, [8.5, 9.0], [level; 2]);
        spans.end_at(9.0);
        assert_eq!(spans.found.last(), Some(&WithinInterval { enter: [8.0, 9.0], exit: None }));
    }

    #[test]
    fn what_is_undecided_beside_an_end_belongs_to_it() {
        let span = |enter, exit| WithinInterval { enter, exit };
        let undecided = |from, to, reason| UndecidedInterval { from, to, reason };
        let near = vec![span([1.0, 1.1], Some([2.0, 2.1])), span([3.0, 3.1], None)];
        let of_rounding = [(0.9, 1.0), (2.1, 2.2), (2.5, 2.6), (2.9, 3.0)]
            .map(|(from, to)| undecided(from, to, UndecidedReason::Rounding));
        let found = WithinIntervals::of(near.clone(), of_rounding.to_vec());
        assert_eq!(found.near, [span([0.9, 1.1], Some([2.0, 2.2])), span([2.9, 3.1], None)]);
        assert_eq!(found.undecided, [undecided(2.5, 2.6, UndecidedReason::Rounding)]);
        // Time for which the budget did not suffice is reported as such.
        let rest = vec![undecided(2.1, 9.0, UndecidedReason::Budget)];
        let found = WithinIntervals::of(near.clone(), rest.clone());
        assert_eq!((found.near, found.undecided), (near, rest));
    }
}
