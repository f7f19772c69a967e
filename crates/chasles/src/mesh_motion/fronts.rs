//! The time for which two meshes stay separated along a motion that is not a single screw: a sequence of fronts.

use crate::body::PreparedMesh;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;
use crate::mesh_motion::apart::SeparationGoal;
use crate::mesh_motion::front::Front;
use crate::mesh_motion::passing::FrontMotion;
use crate::motion::moment::{BoundedMotionFn, MotionBounds};
use crate::motion::relative::{MovingBody, RelativeMotion};

/// A front, and the part of a smooth interval for which it is valid.
#[derive(Debug, Default)]
pub(crate) struct FrontCache {
    front: Front,
    part: Option<BoundedPart>,
}

/// A part of a smooth interval, with bounds of the motion in it.
#[derive(Debug, Clone, Copy)]
struct BoundedPart {
    begin: f64,
    end: f64,
    within: f64,
    mover: MovingBody,
    /// Motion bounds of A relative to B, and of B relative to A.
    bends: [MotionBounds; 2],
}

/// Maximum relative rotation of the bodies in a part, in radians: the bounds over longer parts are too coarse.
const TURN: f64 = 1.0;

/// Directions that rotate with the mover are tried unless the bound of accelerations relative to it is larger by
/// this factor.
const WORSE: f64 = 4.0;

/// Number of steps after which the proven time is returned, so that the caller can stop.
const AT_ONCE: u64 = 200_000;

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
        (bodies, relative): ((&PreparedMesh, &PreparedMesh), &RelativeMotion<'_>),
        TimeInterval { start: mut now, end }: TimeInterval,
        ask: &SeparationGoal,
        budget: &mut Budget<'_>,
    ) -> Result<f64, OutOfBudget> {
        let mut own = budget.part(AT_ONCE);
        let given = own.remaining();
        let mut failed = false;
        while now < end {
            let part = match self.part.filter(|part| part.begin <= now && now < part.end && part.end <= end) {
                Some(part) => part,
                None => self.next_part(relative, TimeInterval::new(now, end)),
            };
            let moments = [MovingBody::A, MovingBody::B]
                .map(|mover| move |time: f64| relative.moment_at(mover, time, part.within));
            let [a, b] = [0, 1].map(|i| BoundedMotionFn { moment: &moments[i], bends: part.bends[i] });
            let (bodies, a, b) = match part.mover {
                MovingBody::A => (bodies, a, b),
                MovingBody::B => ((bodies.1, bodies.0), b, a),
            };
            let b = (b.bends.change < WORSE * a.bends.change).then_some(b);
            let course = FrontMotion { bodies, a, b };
            match self.front.separated_until(&course, now, ask, &mut own) {
                Ok(until) if until < part.end => {
                    now = until;
                    break;
                }
                Ok(_) => now = part.end,
                Err(OutOfBudget) => {
                    now = now.max(self.front.proven_until());
                    failed = budget.remaining() <= given;
                    break;
                }
            }
        }
        budget.take(given - own.remaining())?;
        if failed { Err(OutOfBudget) } else { Ok(now) }
    }

    /// The same along one motion that is bounded as a whole, from `begin` on, without a stored front.
    pub(crate) fn separated_until_alone(
        &mut self,
        course: &FrontMotion<'_>,
        TimeInterval { start: begin, end }: TimeInterval,
        ask: &SeparationGoal,
        budget: &mut Budget<'_>,
    ) -> f64 {
        self.forget();
        self.front.start(begin, end);
        match self.front.separated_until(course, begin, ask, budget) {
            Ok(until) => until.clamp(begin, end),
            Err(OutOfBudget) => self.front.proven_until().clamp(begin, end),
        }
    }

    fn next_part(&mut self, relative: &RelativeMotion<'_>, interval: TimeInterval) -> BoundedPart {
        let begin = interval.start;
        let to = relative.end_of_part(interval, TURN);
        let (mover, bends) = relative.motion_bounds(begin, to);
        self.front.start(begin, to);
        let part = BoundedPart { begin, end: to, within: 0.5 * (begin + to), mover, bends };
        self.part = Some(part);
        part
    }
}
