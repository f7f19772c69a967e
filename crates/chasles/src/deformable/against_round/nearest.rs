//! The minimum distance of a round body and a surface, and where they touch.

use glam::DVec3;

use super::RoundSides;
use super::face::{face_gap, rough_gap};
use crate::deformable::step::least::GapGoal;
use crate::math::budget::Budget;

/// Bounds of the minimum gap in an interval, in metres, including rounding.
#[derive(Debug, Clone, Copy)]
pub(in crate::deformable) struct RoundGap {
    /// A proven lower bound at every time.
    pub(in crate::deformable) lower: f64,
    /// Points nearer than the known upper bound, if any.
    pub(in crate::deformable) sample: Option<NearestSample>,
    /// Whether the budget sufficed.
    pub(in crate::deformable) is_complete: bool,
}

/// A triangle near the round body at a time.
#[derive(Debug, Clone, Copy)]
pub(in crate::deformable) struct NearestSample {
    pub(in crate::deformable) upper: f64,
    /// As a fraction of the interval.
    pub(in crate::deformable) time: f64,
    /// A point of the round body, and a point of the triangle.
    pub(in crate::deformable) points: [DVec3; 2],
    /// Unit vector from the round body to the triangle.
    pub(in crate::deformable) normal: DVec3,
    pub(in crate::deformable) face: u32,
}

/// Time intervals are not halved below this fraction of the whole interval.
const NARROWEST: f64 = 1e-12;

/// Steps of the budget for one sample.
const STEPS_A_SAMPLE: u64 = 4;

impl RoundSides<'_> {
    /// The minimum distance during the interval, or at its time if it is a single time.
    pub(in crate::deformable) fn nearest(&self, goal: &GapGoal, budget: &mut Budget<'_>) -> RoundGap {
        let mut found = RoundGap { lower: f64::INFINITY, sample: None, is_complete: true };
        let all = 0..u32::try_from(self.surface.mesh.triangles().len()).unwrap_or(u32::MAX);
        let (whole, is_moment) = ([0.0, 1.0], self.path.length == 0.0 && self.is_still());
        let mut waiting = vec![(whole, all.collect::<Vec<u32>>())];
        while let Some(([from, to], mut faces)) = waiting.pop() {
            let (middle, half) = (0.5 * (from + to), if is_moment { 0.0 } else { 0.5 * (to - from) });
            let placed = self.path.at(middle);
            let mut bounds = Vec::with_capacity(faces.len());
            for &face in &faces {
                if budget.take(STEPS_A_SAMPLE).is_err() {
                    return RoundGap { lower: 0.0, is_complete: false, ..found };
                }
                let own = self.face(face);
                let corners = own.at(middle);
                let error = self.position_error(&corners);
                let margin = (self.path.length + own.length) * half * (1.0 + 1e-9) + error;
                let rough = rough_gap(&placed, &corners) - margin;
                if rough >= sufficient(&found, goal) {
                    bounds.push(rough.max(0.0));
                    continue;
                }
                let sample = face_gap(&placed, &corners);
                let upper = sample.gap[1] + error;
                if upper < found.sample.map_or(goal.known, |sample| sample.upper) {
                    let (points, normal) = (sample.points, sample.normal);
                    found.sample = Some(NearestSample { upper, time: middle, points, normal, face });
                }
                // A gap is never negative; a NaN bound counts as 0.
                bounds.push((sample.gap[0] - margin).max(rough).max(0.0));
            }
            let good = sufficient(&found, goal);
            let mut numbers = 0..bounds.len();
            faces.retain(|_| {
                let bound = numbers.next().map_or(0.0, |number| bounds[number]);
                let is_open = bound < good;
                let is_last = is_moment || to - from <= NARROWEST;
                if !is_open || is_last {
                    found.lower = found.lower.min(bound);
                }
                is_open && !is_last
            });
            if !faces.is_empty() {
                waiting.push(([from, middle], faces.clone()));
                waiting.push(([middle, to], faces));
            }
        }
        found
    }

    /// Whether no vertex moves during the interval.
    fn is_still(&self) -> bool {
        self.surface.motion.start == self.surface.motion.end
    }

    /// An estimate of a triangle's distance from the round surface at a fraction of the interval.
    pub(in crate::deformable) fn gap_of(&self, face: u32, fraction: f64) -> f64 {
        face_gap(&self.path.at(fraction), &self.face(face).at(fraction)).gap[1]
    }
}

/// A bound at least this large need not be improved.
fn sufficient(found: &RoundGap, goal: &GapGoal) -> f64 {
    goal.sufficient_bound(found.sample.map_or(goal.known, |sample| sample.upper))
}
