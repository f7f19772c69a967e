//! The time for which two meshes stay separated along a motion that is not a single screw: a sequence of fronts.

use crate::body::PreparedPair;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;
use crate::mesh_motion::front::Front;
use crate::mesh_motion::relative_state::FrontMotion;
use crate::mesh_motion::separation::SeparationGoal;
use crate::motion::relative::{MovingBody, RelativeMotion};
use crate::motion::state::{BoundedMotionFn, MotionBounds};

/// A front, and the part of a smooth interval for which it is valid.
#[derive(Debug, Default)]
pub(crate) struct FrontCache {
    front: Front,
    part: Option<BoundedPart>,
}

/// Two meshes and their relative motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingMeshes<'a> {
    pub(crate) bodies: PreparedPair<'a>,
    pub(crate) relative: &'a RelativeMotion<'a>,
}

/// A part of a smooth interval, with bounds of the motion in it.
#[derive(Debug, Clone, Copy)]
struct BoundedPart {
    start: f64,
    end: f64,
    within: f64,
    mover: MovingBody,
    /// Motion bounds of A relative to B, and of B relative to A.
    bounds: [MotionBounds; 2],
}

/// Maximum relative rotation of the bodies in a part, in radians: the bounds over longer parts are too coarse.
const MAX_ROTATION: f64 = 1.0;

/// Directions that rotate with the mover are tried unless the bound of accelerations relative to it is larger by
/// this factor.
const MAX_BOUND_RATIO: f64 = 4.0;

/// Number of steps after which the proven time is returned, so that the caller can stop.
const STEPS_PER_CALL: u64 = 200_000;

impl FrontCache {
    /// Discards the front.
    pub(crate) fn forget(&mut self) {
        self.part = None;
    }

    /// A time, at most the end of the interval, until which the surfaces are proven to stay further apart than a
    /// distance, starting at `now`. It is `now` without a proof, or if two triangles stay separated for less than the
    /// minimum step. The true time may be later.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn separated_until(
        &mut self,
        MovingMeshes { bodies, relative }: MovingMeshes<'_>,
        TimeInterval { start: mut now, end }: TimeInterval,
        goal: &SeparationGoal,
        budget: &mut Budget<'_>,
    ) -> Result<f64, OutOfBudget> {
        let mut call_budget = budget.part(STEPS_PER_CALL);
        let initial = call_budget.remaining();
        let mut failed = false;
        while now < end {
            let part = match self.part.filter(|part| part.start <= now && now < part.end && part.end <= end) {
                Some(part) => part,
                None => self.next_part(relative, TimeInterval::new(now, end)),
            };
            let states = [MovingBody::A, MovingBody::B]
                .map(|mover| move |time: f64| relative.state_at(mover, time, part.within));
            let [a, b] = [0, 1].map(|i| BoundedMotionFn { state_at: &states[i], bounds: part.bounds[i] });
            let (bodies, a, b) = match part.mover {
                MovingBody::A => (bodies, a, b),
                MovingBody::B => (bodies.swapped(), b, a),
            };
            let b = (b.bounds.change < MAX_BOUND_RATIO * a.bounds.change).then_some(b);
            let front_motion = FrontMotion { bodies, a, b };
            match self.front.separated_until(&front_motion, now, goal, &mut call_budget) {
                Ok(until) if until < part.end => {
                    now = until;
                    break;
                }
                Ok(_) => now = part.end,
                Err(OutOfBudget) => {
                    now = now.max(self.front.proven_until());
                    failed = budget.remaining() <= initial;
                    break;
                }
            }
        }
        budget.take(initial - call_budget.remaining())?;
        if failed { Err(OutOfBudget) } else { Ok(now) }
    }

    /// The same along one motion that is bounded as a whole, from the start of an interval on, without a stored front.
    pub(crate) fn separated_until_alone(
        &mut self,
        front_motion: &FrontMotion<'_>,
        TimeInterval { start, end }: TimeInterval,
        goal: &SeparationGoal,
        budget: &mut Budget<'_>,
    ) -> f64 {
        self.forget();
        self.front.start(start, end);
        match self.front.separated_until(front_motion, start, goal, budget) {
            Ok(until) => until.clamp(start, end),
            Err(OutOfBudget) => self.front.proven_until().clamp(start, end),
        }
    }

    fn next_part(&mut self, relative: &RelativeMotion<'_>, interval: TimeInterval) -> BoundedPart {
        let start = interval.start;
        let to = relative.end_of_part(interval, MAX_ROTATION);
        let (mover, bounds) = relative.motion_bounds(start, to);
        self.front.start(start, to);
        let part = BoundedPart { start, end: to, within: 0.5 * (start + to), mover, bounds };
        self.part = Some(part);
        part
    }
}
