//! The clearance at every leading vertex of A: a map of the distances from A to B along the motion.

use rayon::prelude::*;

use crate::body::PreparedMesh;
use crate::error::Error;
use crate::math::budget::Budget;
use crate::mesh_screw::pipeline::ScrewSearch;
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::motion::Screw;
use crate::screen::clearance::{Clearance, FlowBetween};
use crate::screen::crossings::LineWalk;
use crate::trajectory::watch::ProgressMonitor;

/// The clearances of A's vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct ClearanceMap {
    /// For each vertex of A, by its number: the clearance to the nearest trailing part of B ahead of it. `None` if no
    /// face at the vertex leads, if B is not ahead, or if the vertex is undecided; also for all but the first of
    /// equal vertices.
    pub of_vertices: Vec<Option<Clearance>>,
    /// The vertex with the shortest time, and its clearance; the lower number if two are equal.
    pub minimum: Option<(u32, Clearance)>,
    /// Number of vertices that are undecided because the budget ran out.
    pub undecided: usize,
    /// The reason, if there are undecided vertices.
    pub reason: Option<UndecidedReason>,
}

/// Computes, for each vertex of A at the start of its motion along `screw`, the clearance to the nearest trailing
/// part of B ahead of it on its flow line: as [`probes`](crate::probes), but from the vertex itself.
///
/// This samples the surface and proves nothing between the vertices: at edges, and under the vertices of B, A may be
/// nearer to B. [`play`](crate::play) proves how far A may move. The result has the same bits for any number of
/// threads.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub fn clearance_map(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    options: &Options,
) -> Result<ClearanceMap, Error> {
    clearance_map_watched((a, b), screw, options, &())
}

/// As [`clearance_map`], and also stops when a monitor reports that it is over, as if the budget had run out.
///
/// # Errors
/// As [`clearance_map`].
pub fn clearance_map_watched(
    (a, b): (&PreparedMesh, &PreparedMesh),
    screw: &Screw,
    options: &Options,
    watch: &dyn ProgressMonitor,
) -> Result<ClearanceMap, Error> {
    let search = ScrewSearch::new(a, b, screw, options)?;
    let between = FlowBetween::new(&search, watch);
    let mesh = a.mesh();
    let mut of_vertices = vec![None; mesh.vertex_count()];
    let mut undecided = mesh.used_vertices();
    undecided.retain(|v| between.a.faced.vertex_matters(*v));
    let mut reason = between.undecided;
    if reason.is_none() {
        // Each vertex gets an equal part of the budget. The unused remainder goes to the undecided vertices.
        let (mut remaining, mut steps_each) = (between.options.budget, 0);
        while let Some(next) = remaining.checked_div(undecided.len() as u64).filter(|next| *next > steps_each)
        {
            steps_each = next;
            let clearances = clearances_of(&between, &undecided, steps_each);
            let mut still_undecided = Vec::new();
            for (v, (found, steps)) in undecided.iter().zip(clearances) {
                remaining = remaining.saturating_sub(steps);
                match found {
                    Some(clearance) => of_vertices[*v as usize] = clearance,
                    None => still_undecided.push(*v),
                }
            }
            undecided = still_undecided;
        }
        reason = (!undecided.is_empty()).then_some(UndecidedReason::Budget);
    }
    let decided = (0..).zip(&of_vertices).filter_map(|(v, clearance)| Some((v, (*clearance)?)));
    let least = decided.min_by(|(_, p), (_, q)| p.time.total_cmp(&q.time));
    Ok(ClearanceMap { of_vertices, minimum: least, undecided: undecided.len(), reason })
}

/// The clearances ahead of vertices, `None` if the steps did not suffice, and the number of steps of each.
fn clearances_of(
    between: &FlowBetween<'_>,
    vertices: &[u32],
    steps_each: u64,
) -> Vec<(Option<Option<Clearance>>, u64)> {
    let each = |walk: &mut LineWalk, v: &u32| {
        let is_over = || between.watch.is_over();
        let mut budget = Budget::new(steps_each).watched(Some(&is_over));
        let found = between.clearance_ahead(between.a.faced.vertex_in_frame(*v), walk, &mut budget).ok();
        (found, steps_each - budget.remaining())
    };
    vertices.par_iter().with_min_len(VERTICES_A_TASK).map_init(LineWalk::default, each).collect()
}

/// Minimum number of vertices per thread.
const VERTICES_A_TASK: usize = 32;
