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
use crate::mesh_screw::query::UndecidedReason;
use crate::mesh_screw::timed::UndecidedInterval;
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
    /// Adds each undecided interval that is due to rounding and adjoins an end of a near interval to the enclosure of
    /// that end.
    fn of(mut near: Vec<WithinInterval>, mut undecided: Vec<UndecidedInterval>) -> Self {
        undecided.retain(|UndecidedInterval { from, to, reason }| {
            for interval in near.iter_mut().filter(|_| *reason == UndecidedReason::Rounding) {
                if let Some(exit) = &mut interval.exit
                    && exit[1] == *from
                {
                    exit[1] = *to;
                    return false;
                }
                if interval.enter[0] == *to {
                    interval.enter[0] = *from;
                    return false;
                }
            }
            true
        });
        Self { near, undecided }
    }
}

/// The precision of the ends of intervals, as a fraction of the duration.
const END_PRECISION: f64 = 1e-8;

/// An interval whose gap exceeds the clearance at both ends is left undecided only if it is shorter than this fraction
/// of the duration.
const FINEST: f64 = END_PRECISION / 16.0;

/// The relative precision of gaps, in addition to rounding.
const GAP_PRECISION: f64 = 1e-12;

/// Two gaps count as equal if they differ by at most `ROUNDINGS` roundings of a position, from the pose and from
/// the computation with the pose.
const ROUNDINGS: f64 = 4.0;

/// In intervals shorter than this fraction of the duration, the gap may be hovering, so a front or a screw is used.
const HOVERING: f64 = 1e-3;

/// The length of the next screw, as a multiple of the last proven time.
const LONGER: f64 = 3.0;

/// If less than this fraction of an interval is proven clear, the interval is cut in the middle instead of there.
const MIN_CUT: f64 = 0.05;

/// Maximum number of steps of the search for one gap, so that a check can be stopped.
const MAX_GAP_STEPS: u64 = 1_000_000;

/// Steps of the budget that a sample costs in addition to its search.
const STEPS_PER_SAMPLE: u64 = 20;

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
    distance: PairDistance,
    /// The rounding of a position, in metres.
    rounding: f64,
}

/// A clearance in metres, for comparison with gaps.
#[derive(Debug, Clone, Copy)]
struct WithinClearance(f64);

/// The relation of a gap to the clearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GapRelation {
    /// Proven to be more than the clearance, or unknown.
    Beyond,
    /// Equal to the clearance up to rounding. This counts as within.
    Level,
    /// Proven to be within the clearance.
    Within,
}

impl WithinClearance {
    fn with_rounding(self, rounding: f64) -> f64 {
        self.0 * (1.0 + 4.0 * GAP_PRECISION) + ROUNDINGS * rounding
    }

    fn relation(self, at: &DistanceAt) -> GapRelation {
        if at.upper <= self.0 {
            GapRelation::Within
        } else if at.lower <= self.0 && at.upper <= self.with_rounding(at.rounding) {
            GapRelation::Level
        } else {
            GapRelation::Beyond
        }
    }

    fn is_near(self, at: &DistanceAt) -> bool {
        self.relation(at) != GapRelation::Beyond
    }
}

/// The side of the clearance on which the gap is between two times. If it is undecided, the interval must be cut at
/// this time; without a time, the side changes, or may change, in a very short interval.
type GapSide = Side<Option<DistanceAt>>;

/// A smooth interval of the motion, and what is proven in it.
struct SmoothInterval {
    motion: MotionInterval,
    middle: f64,
    /// The time until which the gap is proven larger than the clearance, from the last query.
    beyond_until: f64,
    /// How long the last query proved this, in seconds.
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
    let mut timeline = ContactTimeline::new(relative.end());
    let near = DistanceTolerance { distance: clearance, epsilon: sets.epsilon };
    let goal = ContactGoal { near, stop: StopCondition::Separated };
    for smooth_interval in relative.smooth_intervals() {
        let interval = smooth_interval.interval();
        let motion = SmoothMotion { relative, interval: &smooth_interval };
        timeline.append(interval.start, follow(sets, motion, interval, goal, &mut budget));
        if moving.watch.is_over() {
            return None;
        }
    }
    let near = timeline
        .intervals
        .iter()
        .map(|contact| WithinInterval { enter: contact.enter, exit: contact.exit })
        .collect();
    Some(WithinIntervals { near, undecided: timeline.undecided })
}

impl DistanceSearch<'_> {
    /// The gap at a time in the smooth interval that contains `within`.
    pub(crate) fn distance_at(&mut self, time: f64, within: f64, limits: &GapLimits) -> DistanceAt {
        let pose = self.relative.pose_at(time, within);
        let limits = GapLimits { steps: self.budget.remaining().min(MAX_GAP_STEPS), ..*limits };
        let distance = self.pair.distance_at(self.memory, &pose, &limits);
        // If fewer steps are left, this takes all of the budget.
        let _ = self.budget.take(distance.steps + STEPS_PER_SAMPLE);
        let rounding = self.relative.rounding(time, within);
        let (lower, upper) = ((distance.lower - rounding).max(0.0), distance.upper + rounding);
        DistanceAt { time, lower, upper, distance, rounding }
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.budget.remaining() == 0
    }

    /// As [`within_intervals`].
    fn intervals(&mut self, clearance: f64) -> Result<Option<WithinIntervals>, Error> {
        let clearance = WithinClearance(clearance);
        let mut near_intervals = IntervalList { found: Vec::new(), open: false, certain: None };
        let mut undecided: Vec<UndecidedInterval> = Vec::new();
        let smooth_intervals: Vec<_> = self.relative.smooth_intervals().collect();
        for smooth_interval in smooth_intervals {
            self.memory.forget();
            let TimeInterval { start, end } = smooth_interval.interval();
            let mut part = SmoothInterval {
                motion: smooth_interval,
                middle: 0.5 * (start + end),
                beyond_until: start,
                reach: 0.0,
            };
            let [first, last] = [start, end].map(|time| self.distance_at(time, part.middle, &LIMITS));
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
                    near_intervals.close([rest.from, rest.to]);
                    undecided.push(rest);
                    return Ok(Some(WithinIntervals::of(near_intervals.found, undecided)));
                }
                let relations = [clearance.relation(&from), clearance.relation(&to)];
                let side = self.side_of_clearance(&mut part, (&from, &to), clearance)?;
                if let Side::Undecided(Some(cut)) = side {
                    waiting.push((cut, to));
                    waiting.push((from, cut));
                    continue;
                }
                if matches!(side, Side::Undecided(None)) && relations == [GapRelation::Beyond; 2] {
                    let reason = UndecidedReason::Rounding;
                    match undecided.last_mut().filter(|last| last.to == from.time) {
                        Some(last) => last.to = to.time,
                        None => undecided.push(UndecidedInterval { from: from.time, to: to.time, reason }),
                    }
                }
                near_intervals.add(side, [from.time, to.time], relations);
            }
        }
        near_intervals.end_at(self.relative.end());
        Ok(Some(WithinIntervals::of(near_intervals.found, undecided)))
    }

    /// The side of the clearance in a part of a smooth interval, or where to cut the part.
    fn side_of_clearance(
        &mut self,
        part: &mut SmoothInterval,
        (from, to): (&DistanceAt, &DistanceAt),
        clearance: WithinClearance,
    ) -> Result<GapSide, Error> {
        let (length, duration) = (to.time - from.time, self.relative.end());
        let near = [clearance.is_near(from), clearance.is_near(to)];
        let max_change = self.relative.speed(from.time, to.time) * length;
        if 0.5 * (from.lower + to.lower - max_change) > clearance.0 || to.time <= part.beyond_until {
            return Ok(Side::Beyond);
        }
        // The time at which a level gap becomes a proven one is narrowed down like a change of side.
        let relations = [clearance.relation(from), clearance.relation(to)];
        let settles = relations[0] != relations[1];
        let is_level = relations == [GapRelation::Level; 2];
        let limit =
            if is_level { clearance.with_rounding(from.rounding.min(to.rounding)) } else { clearance.0 };
        if 0.5 * (from.upper + to.upper + max_change) <= limit && !settles {
            return Ok(Side::Within);
        }
        if length <= END_PRECISION * duration && near == [true; 2] {
            return Ok(Side::Within);
        }
        if length <= END_PRECISION * duration && near != [false; 2] {
            return Ok(Side::Undecided(None));
        }
        let mut cut = 0.5 * (from.time + to.time);
        if near == [false; 2] && length < HOVERING * duration {
            let goal = SeparationGoal { distance: clearance.0, min_step: FINEST * duration };
            let end = part.motion.interval().end;
            let next = (from.time + LONGER * part.reach).clamp(to.time, end);
            let (motion, times) = ((self.relative, &part.motion), (from.time, next, end));
            part.beyond_until =
                self.pair.separated_until(self.memory, motion, times, (&goal, &mut self.budget))?;
            part.reach = part.beyond_until - from.time;
            if to.time <= part.beyond_until {
                return Ok(Side::Beyond);
            }
            if part.beyond_until - from.time > MIN_CUT * length {
                cut = part.beyond_until;
            }
        }
        if length <= FINEST * duration {
            return Ok(Side::Undecided(None));
        }
        let cut = self.distance_at(cut, part.middle, &LIMITS);
        if near == [true; 2] && clearance.is_near(&cut) && !settles {
            let pose = self.relative.pose_at(cut.time, part.middle);
            let bound = self.pair.distance_upper_bound(&pose, &cut.distance);
            let upper =
                bound.map(|bound| bound.upper_bound(self.relative, [from.time, to.time], part.middle));
            if upper.is_some_and(|upper| upper <= clearance.with_rounding(cut.rounding)) {
                return Ok(Side::Within);
            }
        }
        Ok(Side::Undecided(Some(cut)))
    }
}

/// The precision of a computed gap.
const LIMITS: GapLimits = GapLimits { relative: GAP_PRECISION, ..GapLimits::EXACT };

/// The intervals found so far in a search.
struct IntervalList {
    found: Vec<WithinInterval>,
    open: bool,
    /// The last time at which the gap was proven to be within the clearance, in the open interval.
    certain: Option<f64>,
}

impl IntervalList {
    /// Adds the side between two times, and the relation at each of these times.
    fn add(&mut self, side: GapSide, [from, to]: [f64; 2], relations: [GapRelation; 2]) {
        let [near_before, near_after] = relations.map(|relation| relation != GapRelation::Beyond);
        match side {
            Side::Beyond => self.close([from; 2]),
            Side::Within => {
                self.open([from; 2]);
                if relations[0] == GapRelation::Within {
                    self.mark_certain(from);
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
        if self.open && relations[1] == GapRelation::Within {
            self.mark_certain(to);
        }
    }

    /// The first time at which the gap is proven to be within the clearance ends the enclosure of the interval's
    /// start, because rounding left earlier times open.
    fn mark_certain(&mut self, time: f64) {
        if self.certain.replace(time).is_none()
            && let Some(last) = self.found.last_mut()
        {
            last.enter[1] = last.enter[1].max(time);
        }
    }

    /// The end of the motion. An open interval then remains without an end.
    fn end_at(&mut self, end: f64) {
        if self.open
            && self.certain.is_none()
            && let Some(last) = self.found.last_mut()
        {
            last.enter[1] = end;
        }
    }

    /// Opens an interval. If it starts where an uncertain interval ends, it continues that interval, because the
    /// distance is not proven to exceed the clearance in between.
    fn open(&mut self, enter: [f64; 2]) {
        if self.open {
            return;
        }
        match self.found.last_mut() {
            Some(last) if self.certain.is_none() && last.exit.is_some_and(|exit| exit[1] >= enter[0]) => {
                last.exit = None;
            }
            _ => self.found.push(WithinInterval { enter, exit: None }),
        }
        (self.open, self.certain) = (true, None);
    }

    fn close(&mut self, exit: [f64; 2]) {
        if !self.open {
            return;
        }
        self.open = false;
        let Some(last) = self.found.last_mut() else { return };
        // The time since the gap was last proven within the clearance belongs to the enclosure of the end.
        if let Some(certain) = self.certain {
            last.exit = Some([exit[0].min(certain), exit[1]]);
            return;
        }
        // The gap was never proven, so the bodies may have been within the clearance at any time of the interval.
        last.exit = Some([exit[0].min(last.enter[0]), exit[1]]);
        last.enter[1] = last.enter[1].max(exit[1]);
        let start = last.enter[0];
        if let [.., before, _] = self.found.as_mut_slice()
            && let Some(end) = &mut before.exit
            && end[1] >= start
        {
            end[1] = exit[1];
            self.certain = Some(end[0]);
            self.found.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance reaches the clearance, hovers there for several uncertain intervals, and leaves.
    #[test]
    fn adjacent_uncertain_intervals_are_joined() {
        let (beyond, level, within) = (GapRelation::Beyond, GapRelation::Level, GapRelation::Within);
        let changing = Side::Undecided(None);
        let mut near_intervals = IntervalList { found: Vec::new(), open: false, certain: None };
        near_intervals.add(Side::Beyond, [0.0, 1.0], [beyond; 2]);
        for start in [1.0, 2.0, 3.0] {
            near_intervals.add(changing, [start, start + 0.25], [beyond, level]);
            near_intervals.add(Side::Within, [start + 0.25, start + 0.75], [level; 2]);
            near_intervals.add(changing, [start + 0.75, start + 1.0], [level, beyond]);
        }
        near_intervals.add(Side::Beyond, [4.0, 5.0], [beyond; 2]);
        let uncertain = WithinInterval { enter: [1.0, 4.0], exit: Some([1.0, 4.0]) };
        assert_eq!(near_intervals.found, [uncertain]);
        // After a proven gap comes a certain interval, and then an adjacent uncertain one, which belongs to its end.
        near_intervals.add(changing, [5.0, 5.5], [beyond, within]);
        near_intervals.add(Side::Within, [5.5, 6.0], [within; 2]);
        near_intervals.add(changing, [6.0, 6.5], [within, beyond]);
        near_intervals.add(changing, [6.5, 7.0], [beyond, level]);
        near_intervals.add(changing, [7.0, 7.5], [level, beyond]);
        near_intervals.add(Side::Beyond, [7.5, 8.0], [beyond; 2]);
        let certain = WithinInterval { enter: [5.0, 5.5], exit: Some([6.0, 7.5]) };
        assert_eq!(near_intervals.found, [uncertain, certain]);
        // An interval that is uncertain up to the end of the motion may start as late as the end.
        near_intervals.add(changing, [8.0, 8.5], [beyond, level]);
        near_intervals.add(Side::Within, [8.5, 9.0], [level; 2]);
        near_intervals.end_at(9.0);
        assert_eq!(near_intervals.found.last(), Some(&WithinInterval { enter: [8.0, 9.0], exit: None }));
    }

    #[test]
    fn time_left_undecided_by_rounding_beside_an_end_belongs_to_its_enclosure() {
        let interval = |enter, exit| WithinInterval { enter, exit };
        let undecided = |from, to, reason| UndecidedInterval { from, to, reason };
        let near = vec![interval([1.0, 1.1], Some([2.0, 2.1])), interval([3.0, 3.1], None)];
        let of_rounding = [(0.9, 1.0), (2.1, 2.2), (2.5, 2.6), (2.9, 3.0)]
            .map(|(from, to)| undecided(from, to, UndecidedReason::Rounding));
        let found = WithinIntervals::of(near.clone(), of_rounding.to_vec());
        assert_eq!(found.near, [interval([0.9, 1.1], Some([2.0, 2.2])), interval([2.9, 3.1], None)]);
        assert_eq!(found.undecided, [undecided(2.5, 2.6, UndecidedReason::Rounding)]);
        // Time for which the budget did not suffice is reported as such.
        let rest = vec![undecided(2.1, 9.0, UndecidedReason::Budget)];
        let found = WithinIntervals::of(near.clone(), rest.clone());
        assert_eq!((found.near, found.undecided), (near, rest));
    }
}
