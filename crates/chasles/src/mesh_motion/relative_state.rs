//! The relative motion of two meshes at one time, for any motion: position, velocity, and bounds of their change.

use std::cell::OnceCell;

use glam::{DMat3, DVec3};

use crate::body::PreparedPair;
use crate::math::rounding::of_edges;
use crate::math::time_interval::TimeInterval;
use crate::motion::chain::OUTSIDE;
use crate::motion::state::{BoundedMotionFn, MotionBounds, MotionState};

/// Two velocities, each with an error of a drift, are subtracted, and their rotations computed.
const DRIFTS: f64 = 8.0;

/// Accelerations are computed from velocities a short time later: this fraction of the time in which jerks could
/// equal them.
const DELAY_FRACTION: f64 = 1e-4;

/// A at a time, in coordinates with B's axes and their origin at the centre of B's mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RelativeState {
    pub(crate) rotation: DMat3,
    /// The centre of A's mesh.
    pub(crate) offset: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
    /// Maximum acceleration of a point, in metres per second squared.
    pub(crate) acceleration: f64,
    /// Bound of the error of a position, and of a gap computed from positions, in metres.
    pub(crate) rounding: f64,
    /// Bound of the error of their rate of change, in metres per second.
    pub(crate) drift: f64,
    /// The accelerations of A's points, if known.
    pub(crate) second: Option<Accelerations>,
}

/// The accelerations of A's points at a time: `centre` + `angular` `arm` for the point at `arm` from the centre of A's
/// mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accelerations {
    pub(crate) centre: DVec3,
    pub(crate) angular: DMat3,
    /// Bound of the error of an acceleration, in metres per second squared.
    pub(crate) error: f64,
    /// Maximum jerk of a point, in metres per second cubed.
    pub(crate) jerk: f64,
}

/// The matrix of a cross product.
fn crossing(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

impl RelativeState {
    pub(crate) fn new(bodies: PreparedPair<'_>, state: &MotionState, bounds: &MotionBounds) -> Self {
        let (a, b) = (bodies.a.mesh(), bodies.b.mesh());
        let rotation = DMat3::from_quat(state.pose.rotation());
        // The two large terms cancel before the small one is added.
        let offset = (state.pose.position() - b.centre()) + rotation * a.centre();
        let reach = offset.abs().element_sum() + a.radius() + b.radius() + a.centre().abs().element_sum();
        let fast = state.velocity.abs().element_sum() + state.spin.abs().element_sum() * a.radius();
        Self {
            rotation,
            offset,
            velocity: state.velocity,
            spin: state.spin,
            acceleration: bounds.change * OUTSIDE,
            rounding: of_edges(reach) + bounds.rounding,
            drift: of_edges(fast) + bounds.velocity_rounding,
            second: None,
        }
    }

    /// The motion at a time, with accelerations if these are known better than by their bound.
    fn with_accelerations(
        bodies: PreparedPair<'_>,
        BoundedMotionFn { state_at, bounds }: &BoundedMotionFn<'_>,
        TimeInterval { start: time, end }: TimeInterval,
    ) -> Self {
        let relative_state = Self::new(bodies, &state_at(time), bounds);
        // In such a short time the jerk adds little, but the velocities change by far more than their errors.
        let after = DELAY_FRACTION * bounds.change / bounds.jerk;
        if !(after > 0.0 && time + after <= end) {
            return relative_state;
        }
        // The rounded sum.
        let later = time + after;
        relative_state.with_later(&state_at(later), later - time, bounds)
    }

    /// The same with accelerations, computed from the motion state `after` seconds later. The change of a point's
    /// velocity in that time is its acceleration now times the time, up to the effect of the jerk.
    fn with_later(self, later: &MotionState, after: f64, bounds: &MotionBounds) -> Self {
        let back = self.rotation.transpose();
        let later_rotation = DMat3::from_quat(later.pose.rotation()) * back;
        let angular = (crossing(later.spin) * later_rotation - crossing(self.spin)) * after.recip();
        let centre = (later.velocity - self.velocity) * after.recip();
        let jerk = bounds.jerk * OUTSIDE;
        let error = OUTSIDE * (0.5 * after * jerk + DRIFTS * self.drift / after);
        let second = Accelerations { centre, angular, error, jerk };
        Self { second: Some(second).filter(|_| error < self.acceleration), ..self }
    }

    /// The position and velocity of a point of A given relative to the centre of its mesh.
    pub(crate) fn corner(&self, local: DVec3) -> MovingPoint {
        let arm = self.rotation * local;
        MovingPoint { at: self.offset + arm, velocity: self.velocity + self.spin.cross(arm) }
    }
}

/// Two bodies, A first, and their relative motion.
pub(crate) struct FrontMotion<'a> {
    pub(crate) bodies: PreparedPair<'a>,
    /// A relative to B.
    pub(crate) a: BoundedMotionFn<'a>,
    /// B relative to A, if known: the same motion.
    pub(crate) b: Option<BoundedMotionFn<'a>>,
}

/// The relative motion of two bodies at a time.
pub(crate) struct RelativeStates<'m> {
    pub(crate) time: f64,
    /// A relative to B.
    pub(crate) of_a: RelativeState,
    of_b: OnceCell<Option<RelativeState>>,
    motion: &'m FrontMotion<'m>,
    end: f64,
}

impl<'m> FrontMotion<'m> {
    /// The relative motion at a time, with bounds that hold up to `end`.
    pub(crate) fn relative_states_at(&'m self, time: f64, end: f64) -> RelativeStates<'m> {
        let of_a = RelativeState::with_accelerations(self.bodies, &self.a, TimeInterval::new(time, end));
        RelativeStates { time, of_a, of_b: OnceCell::new(), motion: self, end }
    }
}

impl RelativeStates<'_> {
    /// B relative to A, if known.
    pub(crate) fn of_b(&self) -> Option<&RelativeState> {
        let bodies = self.motion.bodies.swapped();
        let make = |motion: &BoundedMotionFn<'_>| {
            RelativeState::with_accelerations(bodies, motion, TimeInterval::new(self.time, self.end))
        };
        self.of_b.get_or_init(|| self.motion.b.as_ref().map(make)).as_ref()
    }
}

/// A corner of a mesh: position in metres and velocity in metres per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MovingPoint {
    pub(crate) at: DVec3,
    pub(crate) velocity: DVec3,
}

impl MovingPoint {
    /// A static corner.
    pub(crate) fn fixed(at: DVec3) -> Self {
        Self { at, velocity: DVec3::ZERO }
    }
}
