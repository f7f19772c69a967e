//! Queries about two bodies on a motion given only by its state at each time and by bounds.

use super::{CollisionShape, Pair, PairKind, PairMemory, RigidPair};
use crate::body::PreparedPair;
use crate::instant::gap::GapLimits;
use crate::math::budget::Budget;
use crate::math::safe_time::safe_time;
use crate::math::time_interval::TimeInterval;
use crate::mesh_motion::apart::SeparationGoal;
use crate::mesh_motion::passing::FrontMotion;
use crate::mesh_screw::overlap::{Depth, Overlap};
use crate::motion::Pose;
use crate::motion::moment::{BoundedMotionFn, MotionBounds, MotionState};
use crate::round::RoundState;

/// The relative precision of distances that bound a step.
const SHARE: f64 = 0.1;

impl Pair<'_> {
    /// A time, at most `end`, until which the surfaces provably stay further apart than a distance, from `begin` on;
    /// `begin` itself if this is not proven. The search stops at about the first step that proves less than the
    /// minimum step. The motion state refers to the centre of A's [extent](CollisionShape::extent).
    pub(crate) fn separated_until_bounded(
        &self,
        memory: &mut PairMemory,
        (passed, (begin, end)): (&BoundedMotionFn<'_>, (f64, f64)),
        ask: &SeparationGoal,
        budget: &mut Budget<'_>,
    ) -> f64 {
        if let PairKind::Rigid(RigidPair::Meshes(a, b)) = &self.kind {
            let motion = FrontMotion { bodies: PreparedPair::new(a.body, b.body), a: *passed, b: None };
            return memory.fronts.separated_until_alone(&motion, TimeInterval::new(begin, end), ask, budget);
        }
        let extent = self.shapes[0].extent();
        let radius = extent.radius + extent.beyond;
        let MotionBounds { change, rounding, velocity_rounding, .. } = passed.bends;
        let mut now = begin;
        while now < end {
            let MotionState { pose, velocity, spin } = (passed.moment)(now);
            let limits = GapLimits { share: SHARE, steps: budget.remaining(), ..GapLimits::EXACT };
            let nearness = self.distance_at(memory, &pose, &limits);
            let fastest = velocity.length() + spin.length() * radius + velocity_rounding;
            let step = safe_time(nearness.lower - ask.distance - rounding, fastest, change);
            if budget.take(nearness.steps.max(1)).is_err() || step.is_nan() || step < ask.least_step {
                break;
            }
            now = (now + step).min(end);
        }
        now
    }

    /// Whether the surfaces certainly intersect, with A within `rounding` metres of a pose in B's frame. `false`
    /// proves nothing.
    pub(crate) fn intersects_for_certain(
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
                let enough = Depth::Deeper(2.0 * rounding);
                match memory.workspace.overlap_of(PreparedPair::new(a, b), pose, enough, budget) {
                    Ok(Overlap { anywhere, depth, .. }) => anywhere && depth > 2.0 * rounding,
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
