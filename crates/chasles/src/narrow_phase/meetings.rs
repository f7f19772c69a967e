//! The visitor that looks for meetings of features: those that the triangles of a pair own.

use crate::math::roots::{Budget, OutOfBudget};
use crate::narrow_phase::collector::Collector;
use crate::narrow_phase::event::FeaturePair;
use crate::narrow_phase::features::FeatureTests;
use crate::narrow_phase::traversal::{Horizon, Triangles, Visitor};

/// Looks for meetings of features.
///
/// What may meet is a candidate first, and is asked, for the whole motion, only when the search has come to the time at which
/// it may meet: by then a contact before it has mostly been found, and it need not be asked at all.
#[derive(Debug)]
pub(crate) struct Meetings<'s, 'a> {
    pub(crate) tests: &'s mut FeatureTests<'a>,
    pub(crate) out: &'s mut Collector,
}

impl Visitor for Meetings<'_, '_> {
    fn budget(&mut self) -> &mut Budget {
        &mut self.tests.budget
    }

    fn come_to(&mut self, t: f64) -> Result<(), OutOfBudget> {
        self.tests.settle(t, self.out)
    }

    fn horizon(&self) -> Horizon {
        Horizon { bound: self.out.bound(), wake: self.tests.earliest_candidate() }
    }

    fn triangles(&mut self, pair: &Triangles<'_>) -> Result<(), OutOfBudget> {
        let (face_a, face_b) = pair.faces;
        let (a, b) = (self.tests.a, self.tests.b);
        let (own_a, own_b) = (a.owned(face_a), b.owned(face_b));
        let features = &pair.features;
        let time = |(first, last)| (pair.clock.time(first), pair.clock.time(last));
        let now = pair.clock.time(features.first());
        for i in 0..3 {
            if own_a.vertex(i)
                && let Some(span) = features.vertex_face(i)
            {
                let vertex = a.triangles()[face_a as usize][i];
                self.tests.offer(
                    FeaturePair::VertexFace { vertex, face: face_b },
                    time(span),
                    now,
                    self.out,
                )?;
            }
            if own_b.vertex(i)
                && let Some(span) = features.face_vertex(i)
            {
                let vertex = b.triangles()[face_b as usize][i];
                self.tests.offer(
                    FeaturePair::FaceVertex { face: face_a, vertex },
                    time(span),
                    now,
                    self.out,
                )?;
            }
            for j in (0..3).filter(|j| own_a.edge(i) && own_b.edge(*j)) {
                if let Some(span) = features.edge_edge(i, j) {
                    let (a, b) =
                        (a.triangle_edges()[face_a as usize][i], b.triangle_edges()[face_b as usize][j]);
                    self.tests.offer(FeaturePair::EdgeEdge { a, b }, time(span), now, self.out)?;
                }
            }
        }
        if self.out.wants_in_any_order() {
            self.tests.settle(f64::INFINITY, self.out)?;
        }
        Ok(())
    }
}
