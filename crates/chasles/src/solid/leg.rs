//! A part of a motion: where the first body is, and bounds of how its motion goes on.

use std::cell::Cell;

use glam::DVec3;

use crate::math::safe_time::safe_time;
use crate::motion::moment::{Bends, Moment};
use crate::motion::relative::{Mover, Relative};
use crate::solid::volume::{Placement, Volume, VolumeGap, apart, closing, swerve};

/// A part of one stretch of a relative motion, in seconds. The body that moves is the first of the pair.
#[derive(Debug, Clone)]
pub(crate) struct Leg<'a> {
    relative: &'a Relative<'a>,
    mover: Mover,
    /// A time within the stretch.
    within: f64,
    bends: Bends,
    /// Whether the bodies pass each other on one screw, and its accelerations can be told.
    is_screw: bool,
    /// The point of the mover whose velocity moments give.
    centre: DVec3,
    /// The time that was last asked for, and where the body is then: pairs of nodes below one begin at the same time.
    last: Cell<Option<(f64, Moment, Placement)>>,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// Which way time is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Forward,
    Backward,
}

impl Way {
    /// 1 or -1.
    pub(crate) fn sign(self) -> f64 {
        if self == Self::Forward { 1.0 } else { -1.0 }
    }
}

/// What becomes of two volumes on their way.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LegOutcome {
    /// They stay further apart than asked.
    Beyond,
    /// Until this time they do; then they may come as near, or the bounds tell no more.
    At { time: f64, apart: VolumeGap },
}

/// Steps that are taken for a pair of volumes at a time.
const STEPS: usize = 12;

/// The distance of volumes is computed to this share.
const SHARE: f64 = 0.1;

/// The same where a gap is told.
const FINE_SHARE: f64 = 1e-3;

/// How long parts are, in radians of turn: over longer parts the bounds are coarse.
const TURN: f64 = 0.7;

impl<'a> Leg<'a> {
    /// The part of a stretch from a time on, no longer than its bounds are good for.
    pub(crate) fn new(
        relative: &'a Relative<'a>,
        mover: Mover,
        within: f64,
        (from, end): (f64, f64),
    ) -> Self {
        let to = relative.end_of_part((from, end), TURN);
        Self::between(relative, mover, within, (from, to))
    }

    /// The part between two times of a stretch.
    pub(crate) fn between(
        relative: &'a Relative<'a>,
        mover: Mover,
        within: f64,
        (from, to): (f64, f64),
    ) -> Self {
        let bends = relative.bends_of(mover, from, to);
        let centre = relative.centre(mover);
        let is_screw = bends.change.is_finite() && relative.is_screw(from, to);
        Self { relative, mover, within, bends, is_screw, centre, last: Cell::new(None), from, to }
    }

    pub(crate) fn moment(&self, time: f64) -> (Moment, Placement) {
        if let Some((then, moment, stand)) = self.last.get()
            && then == time
        {
            return (moment, stand);
        }
        let moment = self.relative.moment_at(self.mover, time, self.within);
        let stand = Placement::new(&moment.pose, self.bends.rounding);
        self.last.set(Some((time, moment, stand)));
        (moment, stand)
    }

    pub(crate) fn stand(&self, time: f64) -> Placement {
        self.moment(time).1
    }

    /// The greatest acceleration of a point of the first body, in metres per second squared.
    pub(crate) fn change(&self) -> f64 {
        self.bends.change
    }

    /// How fast a point of the first body moves at a time, in metres per second; `p` in the frame of the second.
    pub(crate) fn speed_at(&self, at: &(Moment, Placement), p: DVec3) -> f64 {
        self.velocity_at(at, p).length() * (1.0 + 1e-12) + self.bends.velocity_rounding
    }

    /// How a point of the first body moves at a time, in metres per second; `p` in the frame of the second.
    pub(crate) fn velocity_at(&self, (moment, stand): &(Moment, Placement), p: DVec3) -> DVec3 {
        moment.velocity + moment.spin.cross(p - stand.out(self.centre))
    }

    /// Until when two volumes stay further apart than a distance, from a time on to another, in the direction of time
    /// given. They are followed until their gap is no more than `enough` beyond the distance.
    pub(crate) fn follow(
        &self,
        (first, second): (&Volume, &Volume),
        (from, end, way): (f64, f64, Way),
        (distance, enough): (f64, f64),
    ) -> LegOutcome {
        let sign = way.sign();
        let mut time = from;
        let mut steps = STEPS;
        loop {
            let (_, stand) = self.moment(time);
            let found = apart((first, second), &stand, distance, (SHARE, 0.25 * enough));
            let gap = found.at_least - distance;
            steps -= 1;
            if gap.is_nan() || gap <= enough || steps == 0 {
                return LegOutcome::At { time, apart: found };
            }
            let next = self.safe_until(first, (time, sign), (gap, found.normal));
            if (end - next) * sign <= 0.0 {
                return LegOutcome::Beyond;
            }
            if next == time || next.is_nan() {
                return LegOutcome::At { time, apart: found };
            }
            time = next;
        }
    }

    /// Until when a gap along a direction stays open, in the direction of time given.
    fn safe_until(&self, first: &Volume, (time, sign): (f64, f64), (gap, normal): (f64, DVec3)) -> f64 {
        let (moment, stand) = self.moment(time);
        let turned = Moment { velocity: sign * moment.velocity, spin: sign * moment.spin, ..moment };
        let rate = closing(first, &stand, (&turned, self.centre), normal) + self.bends.velocity_rounding;
        let bend = if self.is_screw {
            self.bends.change.min(swerve(first, &stand, (&moment, self.centre), normal))
        } else {
            self.bends.change
        };
        time + sign * safe_time(gap, rate, bend)
    }

    /// How far apart two volumes are at a time, at least, and by how much less at most within so many seconds of it.
    pub(crate) fn swing(&self, (first, second): (&Volume, &Volume), time: f64, reach: f64) -> (f64, f64) {
        let (moment, stand) = self.moment(time);
        let found = apart((first, second), &stand, 0.0, (FINE_SHARE, 0.0));
        let back = Moment { velocity: -moment.velocity, spin: -moment.spin, ..moment };
        let rates = [moment, back].map(|moment| closing(first, &stand, (&moment, self.centre), found.normal));
        let rate = rates[0].max(rates[1]).max(0.0) + self.bends.velocity_rounding;
        (found.at_least, reach * (rate + 0.5 * reach * self.bends.change))
    }
}
