//! One body on its way past another at one time, whatever the motion: where it is, how fast, and how fast that can
//! change.

use std::cell::OnceCell;

use glam::{DMat3, DVec3};

use crate::body::PreparedMesh;
use crate::math::rounding::of_edges;
use crate::math::time_interval::TimeInterval;
use crate::motion::carried::OUTSIDE;
use crate::motion::moment::{BoundedMotionFn, MotionBounds, MotionState};

/// Two velocities are subtracted, each off by a drift, and their turns computed.
const DRIFTS: f64 = 8.0;

/// Accelerations are taken from the velocities a while later: this share of the time in which jerks could make them up.
const SOON: f64 = 1e-4;

/// A at a time, in coordinates from the centre of B's mesh on, with B's axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passing {
    pub(crate) turn: DMat3,
    /// The centre of A's mesh.
    pub(crate) offset: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
    /// The greatest acceleration of a point, in metres per second squared.
    pub(crate) bend: f64,
    /// No position, and no gap that is made of positions, is further off than this, in metres.
    pub(crate) rounding: f64,
    /// Nor any change of one, in metres per second.
    pub(crate) drift: f64,
    /// How its points accelerate, where that is known.
    pub(crate) second: Option<Accelerations>,
}

/// How the points of A accelerate at a time: that at `arm` from the centre of its mesh by `centre` + `turn` `arm`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accelerations {
    pub(crate) centre: DVec3,
    pub(crate) turn: DMat3,
    /// No acceleration is further off than this, in metres per second squared.
    pub(crate) doubt: f64,
    /// The greatest jerk of a point, in metres per second cubed.
    pub(crate) jerk: f64,
}

/// The matrix of a cross product.
fn crossing(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

impl Passing {
    pub(crate) fn new(
        (a, b): (&PreparedMesh, &PreparedMesh),
        moment: &MotionState,
        bends: &MotionBounds,
    ) -> Self {
        let (a, b) = (a.mesh(), b.mesh());
        let turn = DMat3::from_quat(moment.pose.rotation());
        // The two far terms cancel before the near one is added.
        let offset = (moment.pose.position() - b.centre()) + turn * a.centre();
        let reach = offset.abs().element_sum() + a.radius() + b.radius() + a.centre().abs().element_sum();
        let fast = moment.velocity.abs().element_sum() + moment.spin.abs().element_sum() * a.radius();
        Self {
            turn,
            offset,
            velocity: moment.velocity,
            spin: moment.spin,
            bend: bends.change * OUTSIDE,
            rounding: of_edges(reach) + bends.rounding,
            drift: of_edges(fast) + bends.velocity_rounding,
            second: None,
        }
    }

    /// At a time, with accelerations where these are known better than by their bound.
    fn with_accelerations(
        bodies: (&PreparedMesh, &PreparedMesh),
        BoundedMotionFn { moment, bends }: &BoundedMotionFn<'_>,
        TimeInterval { start: time, end }: TimeInterval,
    ) -> Self {
        let passing = Self::new(bodies, &moment(time), bends);
        // In so short a time the jerk changes little, and the velocities change by far more than they are off.
        let after = SOON * bends.change / bends.jerk;
        if !(after > 0.0 && time + after <= end) {
            return passing;
        }
        // As the sum was rounded.
        let later = time + after;
        passing.with_later(&moment(later), later - time, bends)
    }

    /// The same with accelerations, from the moment that comes `after` seconds later. What a point's velocity changes
    /// by in that time is its acceleration now times the time, but for what a jerk makes of it.
    fn with_later(self, later: &MotionState, after: f64, bends: &MotionBounds) -> Self {
        let back = self.turn.transpose();
        let turned = DMat3::from_quat(later.pose.rotation()) * back;
        let turn = (crossing(later.spin) * turned - crossing(self.spin)) * after.recip();
        let centre = (later.velocity - self.velocity) * after.recip();
        let jerk = bends.jerk * OUTSIDE;
        let doubt = OUTSIDE * (0.5 * after * jerk + DRIFTS * self.drift / after);
        let second = Accelerations { centre, turn, doubt, jerk };
        Self { second: Some(second).filter(|_| doubt < self.bend), ..self }
    }

    /// Where a point of A is that is so far from the centre of its mesh, and its velocity.
    pub(crate) fn corner(&self, local: DVec3) -> MovingPoint {
        let arm = self.turn * local;
        MovingPoint { at: self.offset + arm, velocity: self.velocity + self.spin.cross(arm) }
    }
}

/// Two bodies, A first, and how they pass each other.
pub(crate) struct FrontMotion<'a> {
    pub(crate) bodies: (&'a PreparedMesh, &'a PreparedMesh),
    /// A past B.
    pub(crate) a: BoundedMotionFn<'a>,
    /// B past A, where that is known: the same motion.
    pub(crate) b: Option<BoundedMotionFn<'a>>,
}

/// How two bodies pass each other at a time.
pub(crate) struct PassingAt<'m> {
    pub(crate) time: f64,
    /// A past B.
    pub(crate) of_a: Passing,
    of_b: OnceCell<Option<Passing>>,
    motion: &'m FrontMotion<'m>,
    end: f64,
}

impl<'m> FrontMotion<'m> {
    /// At a time, up to an end for which the bounds hold.
    pub(crate) fn motion_state_at(&'m self, time: f64, end: f64) -> PassingAt<'m> {
        let of_a = Passing::with_accelerations(self.bodies, &self.a, TimeInterval::new(time, end));
        PassingAt { time, of_a, of_b: OnceCell::new(), motion: self, end }
    }
}

impl PassingAt<'_> {
    /// B past A, where it is known.
    pub(crate) fn of_b(&self) -> Option<&Passing> {
        let (a, b) = self.motion.bodies;
        let make = |passed: &BoundedMotionFn<'_>| {
            Passing::with_accelerations((b, a), passed, TimeInterval::new(self.time, self.end))
        };
        self.of_b.get_or_init(|| self.motion.b.as_ref().map(make)).as_ref()
    }
}

/// A corner of a mesh where it is, in metres, and its velocity, in metres per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MovingPoint {
    pub(crate) at: DVec3,
    pub(crate) velocity: DVec3,
}

impl MovingPoint {
    /// A corner that stands.
    pub(crate) fn standing(at: DVec3) -> Self {
        Self { at, velocity: DVec3::ZERO }
    }
}
