//! The interval that a pair of meshes examines: the positions of the vertices at its start and end, and boxes around
//! their paths.

use glam::DVec3;

use crate::deformable::DeformablePair;
use crate::deformable::against_round::RoundSides;
use crate::deformable::contacts::SHORTEST;
use crate::deformable::moving_mesh::{ChordError, SmoothPart};
use crate::deformable::step::candidates::{MovingSurface, SurfacePair};
use crate::deformable::step::hierarchy::VertexMotion;
use crate::deformable::step::self_exclusion::Borders;
use crate::error::Error;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;

/// The number of vertices, moved to an interval with boxes around their paths, that cost one step of the budget.
const VERTICES_A_STEP: usize = 16;

/// The ends of the smooth intervals, including 0 and the duration.
pub(super) fn breaks(pair: &DeformablePair<'_>) -> Vec<f64> {
    let mut all: Vec<f64> =
        pair.moving_meshes.iter().flat_map(|moving_mesh| moving_mesh.breaks(pair.duration)).collect();
    all.extend(pair.round.iter().flat_map(|round| round.breaks(pair.duration)));
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// The smooth intervals, from the last to the first.
pub(super) fn smooth_parts(pair: &DeformablePair<'_>) -> Vec<SmoothPart> {
    let breaks = pair.breaks();
    let intervals = breaks.windows(2).rev().map(|ends| TimeInterval::new(ends[0], ends[1]));
    intervals.map(|interval| SmoothPart { interval, within: interval.middle() }).collect()
}

/// Charges the steps that it costs to move to an interval.
pub(super) fn pay(pair: &DeformablePair<'_>, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
    let vertices: usize =
        pair.moving_meshes.iter().map(|moving_mesh| moving_mesh.mesh().vertex_count()).sum();
    budget.step()?;
    budget.take((vertices / VERTICES_A_STEP) as u64)
}

/// Moves to part of a smooth interval.
pub(super) fn move_to(
    pair: &mut DeformablePair<'_>,
    SmoothPart { interval: span, within }: SmoothPart,
) -> Result<ChordError, Error> {
    let mut error = ChordError::default();
    for (i, moving_mesh) in pair.moving_meshes.iter_mut().enumerate() {
        moving_mesh.move_to(within)?;
        moving_mesh.vertices_at(span.start, within, &mut pair.start[i]);
        moving_mesh.vertices_at(span.end, within, &mut pair.end[i]);
        let own = moving_mesh.chord_error(span);
        error = ChordError { chord: error.chord.max(own.chord), rounding: error.rounding.max(own.rounding) };
    }
    Ok(error)
}

/// Fits the boxes to the current interval, enlarged by a reach. For a mesh with itself, excludes the parts that
/// cannot meet themselves if vertices deviate from their straight paths by at most that reach.
pub(super) fn fit_boxes(pair: &mut DeformablePair<'_>, reach: f64) {
    let centre = pair.centre();
    let is_with_itself = pair.moving_meshes.len() == 1 && pair.round.is_none();
    for (i, moving_mesh) in pair.moving_meshes.iter().enumerate() {
        let motion = VertexMotion { start: &pair.start[i], end: &pair.end[i], centre };
        let mesh = moving_mesh.mesh();
        pair.trees[i].fit(mesh, &motion, reach * (1.0 + 1e-9), &mut pair.fitted[i]);
        if is_with_itself {
            let borders = pair.borders.get_or_insert_with(|| Borders::new(&pair.trees[i], mesh));
            pair.fitted[i].unfolded = borders.unfolded(&pair.trees[i], mesh, &motion, reach);
        }
    }
}

/// The round body and the surface in the current interval; `None` if the pair has no round body.
pub(super) fn round_sides<'p>(
    pair: &'p DeformablePair<'_>,
    part: SmoothPart,
    deviation: f64,
) -> Option<RoundSides<'p>> {
    let path = pair.round.as_ref()?.path(part);
    let [surface, _] = pair.sides().both().map(|side| *side);
    Some(RoundSides { path, surface, deviation })
}

/// The surfaces in the current interval.
pub(super) fn sides<'p>(pair: &'p DeformablePair<'_>) -> SurfacePair<'p> {
    let centre = pair.centre();
    let moving = |i: usize| MovingSurface {
        mesh: pair.moving_meshes[i].mesh(),
        tree: &pair.trees[i],
        fitted: &pair.fitted[i],
        motion: VertexMotion { start: &pair.start[i], end: &pair.end[i], centre },
        deviations: &pair.deviations[i],
    };
    if pair.moving_meshes.len() == 1 {
        SurfacePair::Itself(moving(0))
    } else {
        SurfacePair::Two(moving(0), moving(1))
    }
}

/// Whether an interval is long enough to be halved.
pub(super) fn can_be_halved(
    pair: &DeformablePair<'_>,
    TimeInterval { start: from, end: to }: TimeInterval,
) -> bool {
    let middle = 0.5 * (from + to);
    to - from > SHORTEST * pair.duration && from < middle && middle < to
}

/// The positions of both meshes' vertices at a time, in the common frame; a round body has none.
pub(super) fn vertices_at<'p>(
    pair: &'p mut DeformablePair<'_>,
    time: f64,
) -> Result<[&'p [DVec3]; 2], Error> {
    pair.move_to(SmoothPart::at(time))?;
    let [a, b] = pair.start.each_ref().map(Vec::as_slice);
    Ok(if pair.round.as_ref().is_some_and(|round| round.is_first) { [b, a] } else { [a, b] })
}
