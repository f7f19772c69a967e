//! A part of a motion, with bounds of its velocity and acceleration.

use std::cell::{Cell, OnceCell};

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::math::safe_time::safe_time;
use crate::math::time_interval::TimeInterval;
use crate::motion::relative::{MovingBody, RelativeMotion};
use crate::motion::state::{MotionBounds, MotionState};
use crate::sets::volume::{
    DistanceGoal, RoundedTransform, SweptVolume, VolumePair, acceleration_along, approach_speed_along,
    separation, separation_along,
};

/// A part of one smooth interval of a relative motion, in seconds. The moving body is the first of the pair.
#[derive(Debug, Clone)]
pub(crate) struct BoundedMotion<'a> {
    relative: &'a RelativeMotion<'a>,
    mover: MovingBody,
    /// A time within the smooth interval.
    within: f64,
    bounds: MotionBounds,
    /// Whether the relative motion is a single screw with finite acceleration bounds.
    is_screw: bool,
    /// The point of the moving body whose velocity a moment gives.
    centre: DVec3,
    /// The last queried time with the body's state then, and the number of queries for other times.
    last: Cell<Option<MotionSample>>,
    other_queries: Cell<u32>,
    /// More states, once there are many queries: pairs of child nodes start at the same time.
    cache: OnceCell<Box<[Cell<Option<MotionSample>>; CACHE_SIZE]>>,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// The moving body's state at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MotionSample {
    /// In seconds.
    pub(crate) time: f64,
    pub(crate) state: MotionState,
    /// The transform from the frame of the moving body to the frame of the other body.
    pub(crate) transform: RoundedTransform,
}

/// A closed interval of time in seconds, followed from `from` to `to`; `to` is earlier if time is followed backward.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectedInterval {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) direction: TimeDirection,
}

/// The gap up to which two volumes are followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FollowGoal {
    /// Volumes further apart than this, in metres, are separated.
    pub(crate) distance: f64,
    /// The volumes are followed until their gap is at most this much more than the distance, in metres.
    pub(crate) enough: f64,
    /// A unit direction along which the volumes may be separated, or zero.
    pub(crate) towards: DVec3,
}

/// A gap between two volumes along a unit direction, in metres.
#[derive(Debug, Clone, Copy)]
struct DirectedGap {
    gap: f64,
    normal: DVec3,
}

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

/// The end of a proven separation of two volumes. From then on they may be within the distance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeparationEnd {
    pub(crate) time: f64,
    /// The unit direction along which they are separated.
    pub(crate) towards: DVec3,
}

/// The maximum number of time steps for a pair of volumes.
const STEPS: usize = 12;

/// The relative accuracy of the distance of volumes.
const RELATIVE_ACCURACY: f64 = 0.1;

/// The same if the distance is returned.
const FINE_ACCURACY: f64 = 1e-3;

/// The maximum rotation of a part, in radians: over longer parts the bounds are coarse.
const MAX_ROTATION: f64 = 0.7;

/// The number of states kept, once more than `FEW_QUERIES` queries were for other times than the last.
const CACHE_SIZE: usize = 64;
const FEW_QUERIES: u32 = 8;

/// Time steps end early by at most this fraction of their length, at a time where many other steps end.
const EARLY: f64 = 1.0 / 16.0;

/// A time slightly closer to `from` than `to` is: a multiple of a power of two.
fn rounded(to: f64, from: f64) -> f64 {
    let margin = EARLY * (to - from).abs();
    // The largest power of two below it.
    let grid = f64::from_bits(margin.to_bits() & (0x7ff << 52));
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
        let end = relative.end_of_part(interval, MAX_ROTATION);
        Self::on_interval(relative, mover, within, TimeInterval { end, ..interval })
    }

    /// The part between two times of a smooth interval.
    pub(crate) fn on_interval(
        relative: &'a RelativeMotion<'a>,
        mover: MovingBody,
        within: f64,
        TimeInterval { start: from, end: to }: TimeInterval,
    ) -> Self {
        let bounds = relative.motion_bounds_of(mover, from, to);
        let centre = relative.centre(mover);
        let is_screw = bounds.change.is_finite() && relative.is_screw(from, to);
        Self {
            relative,
            mover,
            within,
            bounds,
            is_screw,
            centre,
            last: Cell::new(None),
            other_queries: Cell::new(0),
            cache: OnceCell::new(),
            from,
            to,
        }
    }

    /// The moving body's state at a time.
    pub(crate) fn sample(&self, time: f64) -> MotionSample {
        let found = |cache: &Cell<Option<MotionSample>>| {
            cache.get().filter(|sample| sample.time == time).map(|sample| MotionSample { time, ..sample })
        };
        if let Some(last) = found(&self.last) {
            return last;
        }
        self.other_queries.set(self.other_queries.get().saturating_add(1));
        let cache = (self.other_queries.get() > FEW_QUERIES).then(|| {
            let cache = self.cache.get_or_init(|| Box::new([const { Cell::new(None) }; CACHE_SIZE]));
            // A multiplicative hash, as times differ in their last digits.
            let digits =
                time.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - CACHE_SIZE.ilog2());
            &cache[usize::try_from(digits).unwrap_or(0)]
        });
        let sample = cache.and_then(found).unwrap_or_else(|| {
            let state = self.relative.state_at(self.mover, time, self.within);
            MotionSample { time, state, transform: RoundedTransform::new(&state.pose, self.bounds.rounding) }
        });
        for cache in cache.into_iter().chain([&self.last]) {
            cache.set(Some(sample));
        }
        sample
    }

    pub(crate) fn transform_at(&self, time: f64) -> RoundedTransform {
        self.sample(time).transform
    }

    /// The maximum acceleration of a point of the first body, in metres per second squared.
    pub(crate) fn change(&self) -> f64 {
        self.bounds.change
    }

    /// An upper bound of the speed of a point of the first body at a time, in metres per second; `p` in the frame of
    /// the second.
    pub(crate) fn speed_at(&self, at: &MotionSample, p: DVec3) -> f64 {
        self.velocity_at(at, p).length() * (1.0 + 1e-12) + self.bounds.velocity_rounding
    }

    /// The velocity of a point of the first body at a time, in metres per second; `p` in the frame of the second.
    pub(crate) fn velocity_at(&self, at: &MotionSample, p: DVec3) -> DVec3 {
        at.state.velocity + at.state.spin.cross(p - at.transform.transform_point(self.centre))
    }

    /// Until when two volumes are proven to stay further apart than a distance during an interval; `None`: throughout.
    pub(crate) fn follow(
        &self,
        volumes: VolumePair<'_>,
        interval: DirectedInterval,
        goal: &FollowGoal,
    ) -> Option<SeparationEnd> {
        let FollowGoal { distance, enough, mut towards } = *goal;
        let DirectedInterval { from, to: end, direction } = interval;
        let first = volumes.first;
        let sign = direction.sign();
        let mut time = from;
        let mut steps = STEPS;
        loop {
            let at = self.sample(time);
            let transform = &at.transform;
            // The time until which a plane keeps separating them.
            let until =
                |gap: f64, normal: DVec3| self.safe_until(first, &at, direction, DirectedGap { gap, normal });
            let is_beyond = |next: f64| (end - next) * sign <= 0.0;
            if towards != DVec3::ZERO {
                // Many pairs stay on both sides of the plane that last separated them, or their parents.
                let gap = separation_along(volumes, transform, towards) - distance;
                if gap > 0.0 && is_beyond(until(gap, towards)) {
                    return None;
                }
            }
            let remaining = (end - time) * sign;
            let farthest = remaining * (self.fastest(first, &at) + 0.5 * remaining * self.bounds.change);
            let accuracy = DistanceGoal {
                less: distance + enough,
                relative: RELATIVE_ACCURACY,
                absolute: 0.25 * enough,
                more: distance + 1.01 * farthest,
                towards,
            };
            let found = separation(volumes, transform, &accuracy);
            let gap = found.lower - distance;
            let mut next = time;
            towards = found.normal;
            if gap > 0.0 {
                next = until(gap, towards);
                if is_beyond(next) {
                    return None;
                }
                for side in self.sideways(first, &at, end, found.normal) {
                    let gap = separation_along(volumes, transform, side) - distance;
                    if gap > 0.0 {
                        let other = until(gap, side);
                        if is_beyond(other) {
                            return None;
                        }
                        if (other - next) * sign > 0.0 {
                            (next, towards) = (other, side);
                        }
                    }
                }
            }
            steps -= 1;
            if gap.is_nan() || gap <= enough || steps == 0 {
                return Some(SeparationEnd { time, towards });
            }
            let next = rounded(next, time);
            if next == time || next.is_nan() {
                return Some(SeparationEnd { time, towards });
            }
            time = next;
        }
    }

    /// Further unit directions along which passing volumes may stay separated for longer: perpendicular to the
    /// displacement of the first volume until `end`, and along its rotation axis.
    fn sideways(&self, first: &SweptVolume, at: &MotionSample, end: f64, normal: DVec3) -> [DVec3; 2] {
        let displacement = unit_along(
            self.transform_at(end).transform_point(first.middle) - at.transform.transform_point(first.middle),
        );
        let axis = unit_along(at.state.spin);
        [
            unit_along(normal - normal.dot(displacement) * displacement),
            axis * 1.0_f64.copysign(axis.dot(normal)),
        ]
    }

    /// An upper bound of the speed of the points of a volume, in metres per second.
    fn fastest(&self, first: &SweptVolume, at: &MotionSample) -> f64 {
        let middle = self.velocity_at(at, at.transform.transform_point(first.middle));
        middle.length() + at.state.spin.length() * first.reach_from_middle() + self.bounds.velocity_rounding
    }

    /// The time until which a gap along a direction stays open, in the given direction of time.
    fn safe_until(
        &self,
        first: &SweptVolume,
        at: &MotionSample,
        direction: TimeDirection,
        DirectedGap { gap, normal }: DirectedGap,
    ) -> f64 {
        let MotionSample { time, state, transform } = at;
        let sign = direction.sign();
        let directed = MotionState { velocity: sign * state.velocity, spin: sign * state.spin, ..*state };
        let rate = approach_speed_along(first, transform, &directed, self.centre, normal)
            + self.bounds.velocity_rounding;
        let acceleration = if self.is_screw {
            self.bounds.change.min(acceleration_along(first, transform, state, self.centre, normal))
        } else {
            self.bounds.change
        };
        time + sign * safe_time(gap, rate, acceleration)
    }

    /// A lower bound of the distance of two volumes at a time, and an upper bound of its decrease within `reach`
    /// seconds.
    pub(crate) fn separation_at(&self, volumes: VolumePair<'_>, time: f64, reach: f64) -> (f64, f64) {
        let MotionSample { state, transform, .. } = self.sample(time);
        let goal = DistanceGoal {
            less: 0.0,
            relative: FINE_ACCURACY,
            absolute: 0.0,
            more: f64::INFINITY,
            towards: DVec3::ZERO,
        };
        let found = separation(volumes, &transform, &goal);
        let back = MotionState { velocity: -state.velocity, spin: -state.spin, ..state };
        let rates = [state, back]
            .map(|state| approach_speed_along(volumes.first, &transform, &state, self.centre, found.normal));
        let rate = rates[0].max(rates[1]).max(0.0) + self.bounds.velocity_rounding;
        (found.lower, reach * (rate + 0.5 * reach * self.bounds.change))
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
            let fraction = (next - from) / (to - from);
            assert!((1.0 - EARLY..=1.0).contains(&fraction), "{from} {to} {next}");
            let nearby = rounded(to + 1e-3 * EARLY * (to - from), from);
            equal += usize::from(nearby == next);
        }
        assert!(equal > 9000, "{equal}");
        assert!(rounded(f64::NAN, 1.0).is_nan() && rounded(f64::INFINITY, 1.0).is_nan());
    }
}
