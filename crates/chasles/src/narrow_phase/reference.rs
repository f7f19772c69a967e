//! Every pair of features over the whole motion: the slow twin, and the paper's method.
//!
//! The slow twin is kept for ever, to hold the traversals against. It shares with them what is asked of one pair of features,
//! which has twins of its own in the tests. With the rejection tests of Kim and Rossignac in front it is the method of
//! their paper.

use crate::math::budget::OutOfBudget;
use crate::narrow_phase::collector::Collector;
use crate::narrow_phase::event::FeaturePair;
use crate::narrow_phase::features::FeatureTests;
use crate::narrow_phase::rejection::{AxisTests, Rejections, objects_apart};

/// Gives the collector every event of every pair of features.
///
/// # Errors
/// When the budget ran out: 0, for nothing is known of any time then.
pub(crate) fn all_pairs(tests: &mut FeatureTests<'_>, out: &mut Collector) -> Result<(), f64> {
    ask(tests, &mut NoRejection, out).map_err(|OutOfBudget| 0.0)
}

/// As [`all_pairs`], without the pairs that the rejection tests tell apart.
///
/// # Errors
/// As [`all_pairs`].
pub(crate) fn all_pairs_not_rejected(
    tests: &mut FeatureTests<'_>,
    rejections: &mut Rejections,
    out: &mut Collector,
) -> Result<(), f64> {
    let (meshes, motion) = ((tests.a, tests.b), tests.motion);
    if objects_apart(meshes, motion, tests.tolerance, rejections) {
        return Ok(());
    }
    let mut axis = AxisTests::new(meshes, motion, tests.tolerance, rejections);
    ask(tests, &mut axis, out).map_err(|OutOfBudget| 0.0)
}

/// What tells pairs of features apart before they are asked.
trait Rejection {
    fn vertex_face(&mut self, vertex: u32, face: u32) -> bool;
    fn face_vertex(&mut self, face: u32, vertex: u32) -> bool;
    fn edge_edge(&mut self, a: u32, b: u32) -> bool;
}

/// Nothing does.
struct NoRejection;

impl Rejection for NoRejection {
    fn vertex_face(&mut self, _: u32, _: u32) -> bool {
        false
    }

    fn face_vertex(&mut self, _: u32, _: u32) -> bool {
        false
    }

    fn edge_edge(&mut self, _: u32, _: u32) -> bool {
        false
    }
}

impl Rejection for AxisTests<'_> {
    fn vertex_face(&mut self, vertex: u32, face: u32) -> bool {
        self.vertex_face(vertex, face)
    }

    fn face_vertex(&mut self, face: u32, vertex: u32) -> bool {
        self.face_vertex(face, vertex)
    }

    fn edge_edge(&mut self, a: u32, b: u32) -> bool {
        self.edge_edge(a, b)
    }
}

fn ask(
    tests: &mut FeatureTests<'_>,
    rejection: &mut impl Rejection,
    out: &mut Collector,
) -> Result<(), OutOfBudget> {
    let (a, b) = (tests.a, tests.b);
    let (vertices_a, vertices_b) = (a.used_vertices(), b.used_vertices());
    for face in 0..count(b.triangles().len()) {
        for vertex in &vertices_a {
            tests.budget.step()?;
            if !rejection.vertex_face(*vertex, face) {
                tests.ask(FeaturePair::VertexFace { vertex: *vertex, face }, out)?;
            }
        }
    }
    for face in 0..count(a.triangles().len()) {
        for vertex in &vertices_b {
            tests.budget.step()?;
            if !rejection.face_vertex(face, *vertex) {
                tests.ask(FeaturePair::FaceVertex { face, vertex: *vertex }, out)?;
            }
        }
    }
    for edge_a in 0..count(a.edges().len()) {
        for edge_b in 0..count(b.edges().len()) {
            tests.budget.step()?;
            if !rejection.edge_edge(edge_a, edge_b) {
                tests.ask(FeaturePair::EdgeEdge { a: edge_a, b: edge_b }, out)?;
            }
        }
    }
    Ok(())
}

/// A mesh has no more elements than 32 bits can number.
fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
