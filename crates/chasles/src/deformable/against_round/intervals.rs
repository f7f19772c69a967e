//! The times at which a round body and a surface are within a distance.
//!
//! They meet if a triangle crosses the round surface. A connected piece of the surface with a point inside the round
//! body and a vertex outside has such a triangle; so the contact continues while one triangle after another passes
//! through.

use rustc_hash::FxHashMap;

use super::RoundSides;
use super::face::{depth, face_gap, rough_gap};
use crate::deformable::step::cover::{
    HalvingLimits, OpenDistance, StepIntervals, halved, intervals_of_cover,
};
use crate::deformable::step::near_intervals::DistanceThreshold;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::interval::Side;
use crate::round::support::Placed;

/// A gap whose excess is below this multiple of its rounding error cannot be distinguished from the distance.
const LEVEL: f64 = 4.0;

/// The number of vertices examined for one step of the budget.
const VERTICES_A_STEP: usize = 16;

/// The maximum number of undecided intervals at a time: a body that is small compared with its path is found in
/// short intervals only, and a gap that hovers at the distance must not take forever.
const MAX_OPEN: usize = 1024;

/// Steps of the budget for one sample.
const STEPS_A_SAMPLE: u64 = 4;

/// A vertex of a piece of the surface that was outside, and the time at which no vertex was found outside.
#[derive(Debug, Clone, Copy)]
struct Outside {
    vertex: u32,
    none_at: f64,
}

/// A face during an interval, sampled at its middle; times are fractions of the step.
#[derive(Debug, Clone, Copy)]
struct FaceSample {
    face: u32,
    middle: f64,
    /// Half of the interval's length.
    half: f64,
}

/// Results by piece.
type PieceStates = FxHashMap<usize, Outside>;

impl RoundSides<'_> {
    /// The times at which the surfaces are within a distance; 0: at which they meet.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(in crate::deformable) fn near_intervals(
        &self,
        nearby: &DistanceThreshold,
        budget: &mut Budget<'_>,
    ) -> Result<StepIntervals, OutOfBudget> {
        let DistanceThreshold { distance, accuracy, .. } = *nearby;
        let faces = self.faces(distance, budget)?;
        // Only looked up, never iterated.
        let mut known = PieceStates::default();
        let mut last = (f64::NAN, self.path.at(0.0));
        let limits = HalvingLimits { narrowest: accuracy.narrowest, max_open: MAX_OPEN };
        let (cover, undecided) = halved(faces, [0.0, 1.0], limits, budget, |face, [from, to], budget| {
            budget.take(STEPS_A_SAMPLE)?;
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            if last.0 != middle {
                last = (middle, self.path.at(middle));
            }
            let placed = &last.1;
            let own = self.face(face);
            let corners = own.at(middle);
            let error = self.position_error(&corners);
            let margin = (self.path.length + own.length) * half * (1.0 + 1e-9) + error;
            if rough_gap(placed, &corners) > distance + margin {
                return Ok(Side::Beyond);
            }
            let found = face_gap(placed, &corners);
            if found.gap[0] > distance + margin {
                return Ok(Side::Beyond);
            }
            let level = nearby.tolerance_of(LEVEL * (error - self.deviation));
            let upper = found.gap[1] + margin;
            let is_within = upper <= distance + level
                || distance == 0.0
                    && found.gap[0] <= 0.0
                    && placed.round.inradius() > margin
                    && depth(placed, &corners) > margin
                    && self.is_outside(&mut known, FaceSample { face, middle, half }, placed, budget)?;
            if is_within {
                return Ok(Side::Within);
            }
            let touched = (found.gap[1] + error <= distance + level).then_some(middle);
            Ok(Side::Undecided(OpenDistance { upper, touched }))
        })?;
        Ok(intervals_of_cover(&cover, undecided.into_iter()))
    }

    /// Whether some vertex of the piece that contains a face stays outside around a time.
    fn is_outside(
        &self,
        known: &mut PieceStates,
        FaceSample { face, middle, half }: FaceSample,
        placed: &Placed,
        budget: &mut Budget<'_>,
    ) -> Result<bool, OutOfBudget> {
        let corners = self.surface.corners(face);
        let piece = self.path.body.pieces.of_vertex(corners[0]);
        let (start, end) = (self.surface.motion.start, self.surface.motion.end);
        let at = |v: u32| start[v as usize] + middle * (end[v as usize] - start[v as usize]);
        let is_out = |v: u32| {
            let displacement =
                (self.path.length + start[v as usize].distance(end[v as usize])) * half * (1.0 + 1e-9);
            let position = at(v);
            placed.signed_distance(position).0 > displacement + self.position_error(&[position; 3])
        };
        let own = known.entry(piece).or_insert(Outside { vertex: corners[0], none_at: f64::NAN });
        if is_out(own.vertex) {
            return Ok(true);
        }
        if own.none_at == middle {
            return Ok(false);
        }
        let mut furthest = (f64::NEG_INFINITY, own.vertex);
        budget.take((start.len() / VERTICES_A_STEP) as u64)?;
        let vertices = 0..u32::try_from(start.len()).unwrap_or(u32::MAX);
        for vertex in vertices.filter(|v| self.path.body.pieces.of_vertex(*v) == piece) {
            let value = placed.signed_distance(at(vertex)).0;
            if value > furthest.0 {
                furthest = (value, vertex);
            }
        }
        own.vertex = furthest.1;
        if is_out(own.vertex) {
            return Ok(true);
        }
        own.none_at = middle;
        Ok(false)
    }
}
