//! A part of a motion, with bounds of its velocity and acceleration.

use std::cell::{Cell, OnceCell};

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::math::safe_time::safe_time;
use crate::math::time_interval::TimeInterval;
use crate::motion::moment::{MotionBounds, MotionState};
use crate::motion::relative::{MovingBody, RelativeMotion};
use crate::sets::volume::{
    DistanceGoal, RoundedTransform, SweptVolume, closing, separation, separation_along, swerve,
};

/// A part of one smooth interval of a relative motion, in seconds. The moving body is the first of the pair.
#[derive(Debug, Clone)]
pub(crate) struct BoundedMotion<'a> {
    relative: &'a RelativeMotion<'a>,
    mover: MovingBody,
    /// A time within the smooth interval.
    within: f64,
    bends: MotionBounds,
    /// Whether the relative motion is a single screw with finite acceleration bounds.
    is_screw: bool,
    /// The point of the moving body whose velocity a moment gives.
    centre: DVec3,
    /// The last queried time with the body's state then, and the number of queries for other times.
    last: Cell<Option<KeptMoment>>,
    others: Cell<u32>,
    /// More states, once there are many queries: pairs of child nodes start at the same time.
    kept: OnceCell<Box<[Cell<Option<KeptMoment>>; KEPT]>>,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// A time with the body's state and transform then.
type KeptMoment = (f64, MotionState, RoundedTransform);

/// The direction in which time is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeDirection {
    Forward,
    Backward,
}

impl TimeDirection {
    /// 1 or -1.
    pub(crate) fn sign(self) -> f64 {
        if self == Self::Forward { 1.0 } else { -1.0 }
    }
}

/// The result of following two volumes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LegOutcome {
    /// They stay further apart than the distance.
    Beyond,
    /// Until this time they stay further apart; then they may come within the distance, or the bounds do not decide.
    At {
        time: f64,
        /// The unit direction along which they are separated.
        towards: DVec3,
    },
}

/// The maximum number of time steps for a pair of volumes.
const STEPS: usize = 12;

/// The relative accuracy of the distance of volumes.
const SHARE: f64 = 0.1;

/// The same if the distance is returned.
const FINE_SHARE: f64 = 1e-3;

/// The maximum rotation of a part, in radians: over longer parts the bounds are coarse.
const TURN: f64 = 0.7;

/// The number of states kept, once more than `FEW` queries were for other times than the last.
const KEPT: usize = 64;
const FEW: u32 = 8;

/// Time steps end early by at most this fraction of their length, at a time where many other steps end.
const EARLY: f64 = 1.0 / 16.0;

/// A time slightly closer to `from` than `to` is: a multiple of a power of two.
fn rounded(to: f64, from: f64) -> f64 {
    let way = EARLY * (to - from).abs();
    // The largest power of two below it.
    let grid = f64::from_bits(way.to_bits() & (0x7ff << 52));
    let whole = if to > from { (to / grid).floor() } else { (to / grid).ceil() };
    whole * grid
}

impl<'a> BoundedMotion<'a> {
    /// The part of a smooth interval from a time on, as long as its bounds are useful.
    pub(crate) fn new(
        relative: &'a RelativeMotion<'a>,
        mover: MovingBody,
        within: f64,
        interval: TimeInterval,
    ) -> Self {
        let end = relative.end_of_part(interval, TURN);
        Self::on_interval(relative, mover, within, TimeInterval { end, ..interval })
    }

    /// The part between two times of a smooth interval.
    pub(crate) fn on_interval(
        relative: &'a RelativeMotion<'a>,
        mover: MovingBody,
        within: f64,
        TimeInterval { start: from, end: to }: TimeInterval,
    ) -> Self {
        let bends = relative.motion_bounds_of(mover, from, to);
        let centre = relative.centre(mover);
        let is_screw = bends.change.is_finite() && relative.is_screw(from, to);
        Self {
            relative,
            mover,
            within,
            bends,
            is_screw,
            centre,
            last: Cell::new(None),
            others: Cell::new(0),
            kept: OnceCell::new(),
            from,
            to,
        }
    }

    pub(crate) fn moment(&self, time: f64) -> (MotionState, RoundedTransform) {
        let found = |kept: &Cell<Option<KeptMoment>>| {
            kept.get().filter(|(then, ..)| *then == time).map(|(_, moment, stand)| (moment, stand))
        };
        if let Some(last) = found(&self.last) {
            return last;
        }
        self.others.set(self.others.get().saturating_add(1));
        let kept = (self.others.get() > FEW).then(|| {
            let kept = self.kept.get_or_init(|| Box::new([const { Cell::new(None) }; KEPT]));
            // A multiplicative hash, as times differ in their last digits.
            let digits = time.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - KEPT.ilog2());
            &kept[usize::try_from(digits).unwrap_or(0)]
        });
        let (moment, stand) = kept.and_then(found).unwrap_or_else(|| {
            let moment = self.relative.moment_at(self.mover, time, self.within);
            (moment, RoundedTransform::new(&moment.pose, self.bends.rounding))
        });
        for kept in kept.into_iter().chain([&self.last]) {
            kept.set(Some((time, moment, stand)));
        }
        (moment, stand)
    }

    pub(crate) fn transform_at(&self, time: f64) -> RoundedTransform {
        self.moment(time).1
    }

    /// The maximum acceleration of a point of the first body, in metres per second squared.
    pub(crate) fn change(&self) -> f64 {
        self.bends.change
    }

    /// An upper bound of the speed of a point of the first body at a time, in metres per second; `p` in the frame of
    /// the second.
    pub(crate) fn speed_at(&self, at: &(MotionState, RoundedTransform), p: DVec3) -> f64 {
        self.velocity_at(at, p).length() * (1.0 + 1e-12) + self.bends.velocity_rounding
    }

    /// The velocity of a point of the first body at a time, in metres per second; `p` in the frame of the second.
    pub(crate) fn velocity_at(&self, (moment, stand): &(MotionState, RoundedTransform), p: DVec3) -> DVec3 {
        moment.velocity + moment.spin.cross(p - stand.transform_point(self.centre))
    }

    /// The time until which two volumes stay further apart than a distance, from one time to another in the given
    /// direction of time. They are followed until their gap is at most `enough` beyond the distance. `towards` is a
    /// direction along which they may be separated, or zero.
    pub(crate) fn follow(
        &self,
        (first, second): (&SweptVolume, &SweptVolume),
        (from, end, way): (f64, f64, TimeDirection),
        (distance, enough): (f64, f64),
        mut towards: DVec3,
    ) -> LegOutcome {
        let sign = way.sign();
        let mut time = from;
        let mut steps = STEPS;
        loop {
            let at = self.moment(time);
            let stand = &at.1;
            // The time until which a plane keeps separating them.
            let until = |gap: f64, normal: DVec3| self.safe_until(first, &at, (time, sign), (gap, normal));
            let is_beyond = |next: f64| (end - next) * sign <= 0.0;
            if towards != DVec3::ZERO {
                // Many pairs stay on both sides of the plane that last separated them, or their parents.
                let gap = separation_along((first, second), stand, towards) - distance;
                if gap > 0.0 && is_beyond(until(gap, towards)) {
                    return LegOutcome::Beyond;
                }
            }
            let left = (end - time) * sign;
            let farthest = left * (self.fastest(first, &at) + 0.5 * left * self.bends.change);
            let wanted = DistanceGoal {
                less: distance + enough,
                share: SHARE,
                absolute: 0.25 * enough,
                more: distance + 1.01 * farthest,
                towards,
            };
            let found = separation((first, second), stand, &wanted);
            let gap = found.lower - distance;
            let mut next = time;
            towards = found.normal;
            if gap > 0.0 {
                next = until(gap, towards);
                if is_beyond(next) {
                    return LegOutcome::Beyond;
                }
                for side in self.sideways(first, &at, end, found.normal) {
                    let gap = separation_along((first, second), stand, side) - distance;
                    if gap > 0.0 {
                        let other = until(gap, side);
                        if is_beyond(other) {
                            return LegOutcome::Beyond;
                        }
                        if (other - next) * sign > 0.0 {
                            (next, towards) = (other, side);
                        }
                    }
                }
            }
            steps -= 1;
            if gap.is_nan() || gap <= enough || steps == 0 {
                return LegOutcome::At { time, towards };
            }
            let next = rounded(next, time);
            if next == time || next.is_nan() {
                return LegOutcome::At { time, towards };
            }
            time = next;
        }
    }

    /// Further unit directions along which passing volumes may stay separated for longer: perpendicular to the
    /// displacement of the first volume until `end`, and along its rotation axis.
    fn sideways(
        &self,
        first: &SweptVolume,
        (moment, stand): &(MotionState, RoundedTransform),
        end: f64,
        normal: DVec3,
    ) -> [DVec3; 2] {
        let way = unit_along(
            self.transform_at(end).transform_point(first.middle) - stand.transform_point(first.middle),
        );
        let axis = unit_along(moment.spin);
        [unit_along(normal - normal.dot(way) * way), axis * 1.0_f64.copysign(axis.dot(normal))]
    }

    /// An upper bound of the speed of the points of a volume, in metres per second.
    fn fastest(&self, first: &SweptVolume, at: &(MotionState, RoundedTransform)) -> f64 {
        let middle = self.velocity_at(at, at.1.transform_point(first.middle));
        middle.length() + at.0.spin.length() * first.reach_from_middle() + self.bends.velocity_rounding
    }

    /// The time until which a gap along a direction stays open, in the given direction of time.
    fn safe_until(
        &self,
        first: &SweptVolume,
        (moment, stand): &(MotionState, RoundedTransform),
        (time, sign): (f64, f64),
        (gap, normal): (f64, DVec3),
    ) -> f64 {
        let turned = MotionState { velocity: sign * moment.velocity, spin: sign * moment.spin, ..*moment };
        let rate = closing(first, stand, (&turned, self.centre), normal) + self.bends.velocity_rounding;
        let bend = if self.is_screw {
            self.bends.change.min(swerve(first, stand, (moment, self.centre), normal))
        } else {
            self.bends.change
        };
        time + sign * safe_time(gap, rate, bend)
    }

    /// A lower bound of the distance of two volumes at a time, and an upper bound of its decrease within `reach`
    /// seconds.
    pub(crate) fn separation_at(
        &self,
        (first, second): (&SweptVolume, &SweptVolume),
        time: f64,
        reach: f64,
    ) -> (f64, f64) {
        let (moment, stand) = self.moment(time);
        let wanted = DistanceGoal {
            less: 0.0,
            share: FINE_SHARE,
            absolute: 0.0,
            more: f64::INFINITY,
            towards: DVec3::ZERO,
        };
        let found = separation((first, second), &stand, &wanted);
        let back = MotionState { velocity: -moment.velocity, spin: -moment.spin, ..moment };
        let rates = [moment, back].map(|moment| closing(first, &stand, (&moment, self.centre), found.normal));
        let rate = rates[0].max(rates[1]).max(0.0) + self.bends.velocity_rounding;
        (found.lower, reach * (rate + 0.5 * reach * self.bends.change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;

    #[test]
    fn steps_end_a_little_early_and_never_late() {
        let random = &mut Random(2);
        let mut equal = 0;
        for _ in 0..10_000 {
            let from = 10.0 * random.side();
            let to = from + 10_f64.powf(random.within(-9.0, 1.0)) * random.side().signum();
            let next = rounded(to, from);
            let share = (next - from) / (to - from);
            assert!((1.0 - EARLY..=1.0).contains(&share), "{from} {to} {next}");
            let beside = rounded(to + 1e-3 * EARLY * (to - from), from);
            equal += usize::from(beside == next);
        }
        assert!(equal > 9000, "{equal}");
        assert!(rounded(f64::NAN, 1.0).is_nan() && rounded(f64::INFINITY, 1.0).is_nan());
    }
}
