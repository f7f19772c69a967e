//! The slow twin: every pair of features over the whole motion, nothing left out.
//!
//! Kept for ever, to hold the traversals against. It shares with them what is asked of one pair of features, which has
//! twins of its own in the tests.

use crate::math::roots::OutOfBudget;
use crate::narrow_phase::collector::Collector;
use crate::narrow_phase::features::{FeatureTests, WHOLE};

/// Gives the collector every event of every pair of features.
///
/// # Errors
/// When the budget ran out: 0, for nothing is known of any time then.
pub(crate) fn all_pairs(tests: &mut FeatureTests<'_>, out: &mut Collector<'_>) -> Result<(), f64> {
    ask_all(tests, out).map_err(|OutOfBudget| 0.0)
}

fn ask_all(tests: &mut FeatureTests<'_>, out: &mut Collector<'_>) -> Result<(), OutOfBudget> {
    let span = WHOLE;
    let (a, b) = (tests.a, tests.b);
    let (faces_a, faces_b) = (0..count(a.triangles().len()), 0..count(b.triangles().len()));
    let (vertices_a, vertices_b) = (a.used_vertices(), b.used_vertices());
    for face in faces_b {
        for vertex in &vertices_a {
            tests.vertex_face((*vertex, face), span, out)?;
        }
    }
    for face in faces_a {
        for vertex in &vertices_b {
            tests.face_vertex((face, *vertex), span, out)?;
        }
    }
    for edge_a in 0..count(a.edges().len()) {
        for edge_b in 0..count(b.edges().len()) {
            tests.edge_edge((edge_a, edge_b), span, out)?;
        }
    }
    Ok(())
}

/// A mesh has no more elements than 32 bits can number.
fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
