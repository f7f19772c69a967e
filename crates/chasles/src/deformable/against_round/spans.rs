//! The times at which a round body and a surface are within a distance.
//!
//! They meet if a triangle crosses the round surface. A connected piece of the surface with a point inside the round
//! body and a vertex outside has such a triangle; so the contact continues while one triangle after another passes
//! through.

use rustc_hash::FxHashMap;

use super::RoundSides;
use super::face::{depth, face_gap, rough_gap};
use crate::deformable::cover::{ContactSpans, Look, halved, spans_of_cover};
use crate::deformable::near_spans::DistanceThreshold;
use crate::math::budget::{Budget, OutOfBudget};
use crate::round::support::Placed;

/// A gap whose excess is below this multiple of its rounding error cannot be distinguished from the distance.
const LEVEL: f64 = 4.0;

/// The number of vertices examined for one step of the budget.
const VERTICES_A_STEP: usize = 16;

/// The maximum number of undecided intervals at a time: a body that is small compared with its path is found in
/// short intervals only, and a gap that hovers at the distance must not take forever.
const MOST: usize = 1024;

/// Steps of the budget for one sample.
const STEPS_A_LOOK: u64 = 4;

/// A vertex of a piece of the surface that was outside, and the time at which no vertex was found outside.
#[derive(Debug, Clone, Copy)]
struct Outside {
    vertex: u32,
    none_at: f64,
}

/// Results by piece.
type PieceStates = FxHashMap<usize, Outside>;

impl RoundSides<'_> {
    /// The times at which the surfaces are within a distance; 0: at which they meet.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(in crate::deformable) fn spans(
        &self,
        nearby: &DistanceThreshold,
        budget: &mut Budget<'_>,
    ) -> Result<ContactSpans, OutOfBudget> {
        let DistanceThreshold { distance, accuracy, .. } = *nearby;
        let faces = self.faces(distance, budget)?;
        // Only looked up, never iterated.
        let mut known = PieceStates::default();
        let mut last = (f64::NAN, self.way.at(0.0));
        let limits = (accuracy.narrowest, MOST);
        let (cover, doubts) = halved((faces, [0.0, 1.0]), limits, budget, |face, [from, to], budget| {
            budget.take(STEPS_A_LOOK)?;
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            if last.0 != middle {
                last = (middle, self.way.at(middle));
            }
            let placed = &last.1;
            let own = self.face(face);
            let corners = own.at(middle);
            let unsure = self.position_error(&corners);
            let room = (self.way.length + own.length) * half * (1.0 + 1e-9) + unsure;
            if rough_gap(placed, &corners) > distance + room {
                return Ok(Look::Beyond);
            }
            let seen = face_gap(placed, &corners);
            if seen.gap[0] > distance + room {
                return Ok(Look::Beyond);
            }
            let level = nearby.tolerance_of(LEVEL * (unsure - self.off));
            let upper = seen.gap[1] + room;
            let is_within = upper <= distance + level
                || distance == 0.0
                    && seen.gap[0] <= 0.0
                    && placed.round.inradius() > room
                    && depth(placed, &corners) > room
                    && self.is_outside((&mut known, face), (middle, half), placed, budget)?;
            if is_within {
                return Ok(Look::Within);
            }
            let touched = (seen.gap[1] + unsure <= distance + level).then_some(middle);
            Ok(Look::Open { upper, touched })
        })?;
        Ok(spans_of_cover(&cover, doubts.into_iter()))
    }

    /// Whether some vertex of the piece that contains a face stays outside around a time.
    fn is_outside(
        &self,
        (known, face): (&mut PieceStates, u32),
        (middle, half): (f64, f64),
        placed: &Placed,
        budget: &mut Budget<'_>,
    ) -> Result<bool, OutOfBudget> {
        let corners = self.surface.corners(face);
        let piece = self.way.beside.pieces.of_vertex(corners[0]);
        let (begin, end) = (self.surface.motion.begin, self.surface.motion.end);
        let at = |v: u32| begin[v as usize] + middle * (end[v as usize] - begin[v as usize]);
        let is_out = |v: u32| {
            let way = (self.way.length + begin[v as usize].distance(end[v as usize])) * half * (1.0 + 1e-9);
            let place = at(v);
            placed.signed_distance(place).0 > way + self.position_error(&[place; 3])
        };
        let own = known.entry(piece).or_insert(Outside { vertex: corners[0], none_at: f64::NAN });
        if is_out(own.vertex) {
            return Ok(true);
        }
        if own.none_at == middle {
            return Ok(false);
        }
        let mut furthest = (f64::NEG_INFINITY, own.vertex);
        budget.take((begin.len() / VERTICES_A_STEP) as u64)?;
        let vertices = 0..u32::try_from(begin.len()).unwrap_or(u32::MAX);
        for vertex in vertices.filter(|v| self.way.beside.pieces.of_vertex(*v) == piece) {
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
