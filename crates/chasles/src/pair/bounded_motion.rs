//! Queries about two bodies whose motion is known only by its state at each time and by motion bounds.

use super::{CollisionShape, Pair, PairKind, PairMemory, RigidPair};
use crate::body::PreparedPair;
use crate::instant::gap::GapLimits;
use crate::math::budget::Budget;
use crate::math::safe_time::safe_time;
use crate::math::time_interval::TimeInterval;
use crate::mesh_motion::relative_state::FrontMotion;
use crate::mesh_motion::separation::SeparationGoal;
use crate::mesh_screw::overlap::{Overlap, OverlapGoal};
use crate::motion::Pose;
use crate::motion::state::{BoundedMotionFn, MotionBounds, MotionState};
use crate::round::RoundState;

/// The relative precision of distances that bound a step.
const PRECISION: f64 = 0.1;

impl Pair<'_> {
    /// A time, at most `end`, until which the surfaces provably stay further apart than a distance, from `start` on;
    /// `start` itself if this is not proven. The search stops at about the first step that proves less than the
    /// minimum step. The velocity is that of the centre of A's [extent](CollisionShape::extent).
    pub(crate) fn separated_until_bounded(
        &self,
        memory: &mut PairMemory,
        (motion, (start, end)): (&BoundedMotionFn<'_>, (f64, f64)),
        goal: &SeparationGoal,
        budget: &mut Budget<'_>,
    ) -> f64 {
        if let PairKind::Rigid(RigidPair::Meshes(a, b)) = &self.kind {
            let front_motion = FrontMotion { bodies: PreparedPair::new(a.body, b.body), a: *motion, b: None };
            return memory.fronts.separated_until_alone(
                &front_motion,
                TimeInterval::new(start, end),
                goal,
                budget,
            );
        }
        let extent = self.shapes[0].extent();
        let radius = extent.radius + extent.beyond;
        let MotionBounds { change, rounding, velocity_rounding, .. } = motion.bounds;
        let mut now = start;
        while now < end {
            let MotionState { pose, velocity, spin } = (motion.state_at)(now);
            let limits = GapLimits { relative: PRECISION, steps: budget.remaining(), ..GapLimits::EXACT };
            let distance = self.distance_at(memory, &pose, &limits);
            let fastest = velocity.length() + spin.length() * radius + velocity_rounding;
            let step = safe_time(distance.lower - goal.distance - rounding, fastest, change);
            if budget.take(distance.steps.max(1)).is_err() || step.is_nan() || step < goal.min_step {
                break;
            }
            now = (now + step).min(end);
        }
        now
    }

    /// Whether the surfaces certainly intersect, with A within `rounding` metres of a pose in B's frame. `false`
    /// proves nothing.
    pub(crate) fn certainly_intersects(
        &self,
        memory: &mut PairMemory,
        (pose, rounding): (&Pose, f64),
        budget: &mut Budget<'_>,
    ) -> bool {
        match &self.kind {
            PairKind::Rigid(RigidPair::Meshes(..)) => {
                let [a, b] = self.shapes.map(CollisionShape::drawn_body);
                // Two convex sets that no translation of this length separates still intersect if each point of both
                // is off by half of this length.
                let enough = OverlapGoal::Deeper(2.0 * rounding);
                match memory.workspace.overlap_of(PreparedPair::new(a, b), pose, enough, budget) {
                    Ok(Overlap { intersects, depth, .. }) => intersects && depth > 2.0 * rounding,
                    Err(_) => false,
                }
            }
            PairKind::Rigid(RigidPair::Round(pair)) => {
                let state = pair.state_at(&mut memory.round, pose);
                matches!(state, RoundState::Intersecting { margin } if margin > rounding)
            }
            PairKind::Sets(_) => false,
        }
    }
}
