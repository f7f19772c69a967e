//! Every pair of features over the whole motion: the slow twin.
//!
//! It is permanent, to test the traversals. It shares with them the test of one pair of features, which has twins
//! of its own in the tests.

use crate::features::collector::Collector;
use crate::features::event::FeaturePair;
use crate::features::pairs::FeatureTests;
use crate::math::budget::OutOfBudget;

/// Passes every event of every pair of features to the collector.
///
/// # Errors
/// If the budget ran out: 0, because no time is proven then.
pub(crate) fn all_pairs(tests: &mut FeatureTests<'_>, out: &mut Collector) -> Result<(), f64> {
    all_pairs_but(tests, |_| false, out).map_err(|OutOfBudget| 0.0)
}

/// Like [`all_pairs`], without the pairs that are known to be separated.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn all_pairs_but(
    tests: &mut FeatureTests<'_>,
    mut is_separated: impl FnMut(FeaturePair) -> bool,
    out: &mut Collector,
) -> Result<(), OutOfBudget> {
    let (a, b) = (tests.a, tests.b);
    let mut test = |pair: FeaturePair| {
        tests.budget.step()?;
        if is_separated(pair) { Ok(()) } else { tests.find_events(pair, out) }
    };
    let (vertices_a, vertices_b) = (a.used_vertices(), b.used_vertices());
    for face in 0..count(b.triangles().len()) {
        for vertex in &vertices_a {
            test(FeaturePair::VertexFace { vertex: *vertex, face })?;
        }
    }
    for face in 0..count(a.triangles().len()) {
        for vertex in &vertices_b {
            test(FeaturePair::FaceVertex { face, vertex: *vertex })?;
        }
    }
    for edge_a in 0..count(a.edges().len()) {
        for edge_b in 0..count(b.edges().len()) {
            test(FeaturePair::EdgeEdge { a: edge_a, b: edge_b })?;
        }
    }
    Ok(())
}

/// A mesh has at most as many elements as 32 bits can number.
fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
