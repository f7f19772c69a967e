//! Pairs of features of moving surfaces that can meet during a step: those whose boxes overlap.

use glam::DVec3;

use crate::deformable::elementary::features::{MovingFeatures, MovingKind};
use crate::deformable::step::hierarchy::{
    Aabb32, FittedTree, Hierarchy, RefitBoxes, VertexMotion, overlapping_faces, overlapping_faces_of_one,
};
use crate::features::contact::ContactFeatures;
use crate::math::budget::{Budget, OutOfBudget};
use crate::shape::Mesh;

/// A surface during one step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingSurface<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) tree: &'a Hierarchy,
    pub(crate) fitted: &'a RefitBoxes,
    pub(crate) motion: VertexMotion<'a>,
    /// For each vertex, a bound of the distance between its true and its straight path, along the axes, in metres.
    /// Empty if only a bound for all vertices together is known.
    pub(crate) deviations: &'a [DVec3],
}

/// The two sides of a test during a step.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SurfacePair<'a> {
    Two(MovingSurface<'a>, MovingSurface<'a>),
    /// A surface against itself: pairs of features without a common vertex.
    Itself(MovingSurface<'a>),
}

/// An edge and a face, by the edge's ends and the number of the face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeFace {
    /// An edge of the first surface and a face of the second.
    First { edge: [u32; 2], face: u32 },
    /// A face of the first surface and an edge of the second.
    Second { face: u32, edge: [u32; 2] },
}

impl<'a> SurfacePair<'a> {
    pub(crate) fn both(&self) -> [&MovingSurface<'a>; 2] {
        match self {
            Self::Two(a, b) => [a, b],
            Self::Itself(a) => [a, a],
        }
    }

    fn are_one(&self) -> bool {
        matches!(self, Self::Itself(_))
    }

    /// Visits all pairs of faces whose boxes overlap.
    pub(crate) fn faces<'w, V>(&self, budget: &mut Budget<'w>, mut visit: V) -> Result<(), OutOfBudget>
    where
        V: FnMut([u32; 2], &mut Budget<'w>) -> Result<(), OutOfBudget>,
    {
        match self {
            Self::Two(a, b) => overlapping_faces(a.fitted_tree(), b.fitted_tree(), budget, &mut visit),
            Self::Itself(a) => overlapping_faces_of_one(a.fitted_tree(), budget, &mut visit),
        }
    }

    /// Visits every vertex and face, and every two edges, whose boxes overlap, once. On one surface: only pairs
    /// without a common vertex, edges in order.
    pub(crate) fn features<'w, V>(&self, budget: &mut Budget<'w>, mut visit: V) -> Result<(), OutOfBudget>
    where
        V: FnMut(ContactFeatures, &mut Budget<'w>) -> Result<(), OutOfBudget>,
    {
        let [a, b] = self.both();
        let one = self.are_one();
        self.faces(budget, |[f, g], budget| {
            let (of_f, of_g) = (a.mesh.owned_features(f), b.mesh.owned_features(g));
            let (corners, other) = (a.corners(f), b.corners(g));
            let (box_f, box_g) = (a.fitted.faces[f as usize], b.fitted.faces[g as usize]);
            for i in 0..3 {
                let v = corners[i];
                if of_f.vertex(i) && a.vertex(v).overlaps(&box_g) && !(one && other.contains(&v)) {
                    visit(ContactFeatures::VertexFace { a: v, b: g }, budget)?;
                }
                let w = other[i];
                if of_g.vertex(i) && b.vertex(w).overlaps(&box_f) && !(one && corners.contains(&w)) {
                    visit(
                        if one {
                            ContactFeatures::VertexFace { a: w, b: f }
                        } else {
                            ContactFeatures::FaceVertex { a: f, b: w }
                        },
                        budget,
                    )?;
                }
            }
            for i in (0..3).filter(|i| of_f.edge(*i)) {
                let edge = sorted([corners[i], corners[(i + 1) % 3]]);
                let bounds = a.edge(edge);
                if !bounds.overlaps(&box_g) {
                    continue;
                }
                for k in (0..3).filter(|k| of_g.edge(*k)) {
                    let second = sorted([other[k], other[(k + 1) % 3]]);
                    if !bounds.overlaps(&b.edge(second)) || one && edge.iter().any(|v| second.contains(v)) {
                        continue;
                    }
                    let [x, y] = if one && second < edge { [second, edge] } else { [edge, second] };
                    visit(ContactFeatures::EdgeEdge { a: x, b: y }, budget)?;
                }
            }
            Ok(())
        })
    }

    /// Visits every edge and face whose boxes overlap, once. On one surface: only pairs without a common vertex, and
    /// in addition those pairs of a vertex and a face, or of two edges, that such pairs may not include.
    pub(crate) fn edges_and_faces<'w, V>(
        &self,
        budget: &mut Budget<'w>,
        mut visit: V,
    ) -> Result<(), OutOfBudget>
    where
        V: FnMut(FeatureCandidate, &mut Budget<'w>) -> Result<(), OutOfBudget>,
    {
        let [a, b] = self.both();
        let one = self.are_one();
        self.faces(budget, |[f, g], budget| {
            let (of_f, of_g) = (a.mesh.owned_features(f), b.mesh.owned_features(g));
            let (corners, other) = (a.corners(f), b.corners(g));
            let (box_f, box_g) = (a.fitted.faces[f as usize], b.fitted.faces[g as usize]);
            let meets = |edge: &[u32; 2], face: &[u32; 3]| one && edge.iter().any(|v| face.contains(v));
            for i in 0..3 {
                let edge = [corners[i], corners[(i + 1) % 3]];
                if of_f.edge(i) && !meets(&edge, &other) && a.edge(edge).overlaps(&box_g) {
                    visit(
                        FeatureCandidate::EdgeFace(EdgeFace::First { edge: sorted(edge), face: g }),
                        budget,
                    )?;
                }
                let edge = [other[i], other[(i + 1) % 3]];
                if of_g.edge(i) && !meets(&edge, &corners) && b.edge(edge).overlaps(&box_f) {
                    visit(
                        FeatureCandidate::EdgeFace(EdgeFace::Second { face: f, edge: sorted(edge) }),
                        budget,
                    )?;
                }
            }
            if !one || !corners.iter().any(|v| other.contains(v)) {
                return Ok(());
            }
            // Two faces with a common vertex: their features without a common vertex are not always part of an edge
            // and a face without one.
            for i in 0..3 {
                for (face, number, v) in [(&other, g, corners[i]), (&corners, f, other[i])] {
                    if !face.contains(&v) && a.vertex(v).overlaps(&a.fitted.faces[number as usize]) {
                        let features = ContactFeatures::VertexFace { a: v, b: number };
                        visit(FeatureCandidate::Features(features), budget)?;
                    }
                }
                let edge = sorted([corners[i], corners[(i + 1) % 3]]);
                for k in 0..3 {
                    let second = sorted([other[k], other[(k + 1) % 3]]);
                    let are_disjoint = !edge.iter().any(|v| second.contains(v));
                    let is_known = !meets(&edge, &other) || !meets(&second, &corners);
                    if are_disjoint && !is_known && a.edge(edge).overlaps(&a.edge(second)) {
                        let [x, y] = if second < edge { [second, edge] } else { [edge, second] };
                        visit(FeatureCandidate::Features(ContactFeatures::EdgeEdge { a: x, b: y }), budget)?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Two moving features; the vertex comes first.
    pub(crate) fn moving(&self, features: &ContactFeatures) -> Option<MovingFeatures> {
        let [a, b] = self.both();
        let face = |side: &MovingSurface<'a>, (of, vertex): (&MovingSurface<'a>, u32), face: u32| {
            let [p, q, r] = side.corners(face);
            let at = |motion: fn(&VertexMotion<'a>) -> &'a [DVec3]| {
                let (own, other) = (motion(&of.motion), motion(&side.motion));
                [own[vertex as usize], other[p as usize], other[q as usize], other[r as usize]]
            };
            MovingFeatures { kind: MovingKind::VertexFace, start: at(|m| m.start), end: at(|m| m.end) }
        };
        Some(match *features {
            ContactFeatures::VertexFace { a: v, b: f } => face(b, (a, v), f),
            ContactFeatures::FaceVertex { a: f, b: v } => face(a, (b, v), f),
            ContactFeatures::EdgeEdge { a: [p, q], b: [r, s] } => {
                let at = |own: &[DVec3], other: &[DVec3]| {
                    [own[p as usize], own[q as usize], other[r as usize], other[s as usize]]
                };
                MovingFeatures {
                    kind: MovingKind::EdgeEdge,
                    start: at(a.motion.start, b.motion.start),
                    end: at(a.motion.end, b.motion.end),
                }
            }
            _ => return None,
        })
    }
}

/// Features that may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeatureCandidate {
    EdgeFace(EdgeFace),
    /// A vertex and a face, or two edges, of one surface.
    Features(ContactFeatures),
}

impl MovingSurface<'_> {
    fn fitted_tree(&self) -> FittedTree<'_> {
        FittedTree { tree: self.tree, boxes: self.fitted }
    }

    pub(crate) fn corners(&self, face: u32) -> [u32; 3] {
        self.mesh.triangles()[face as usize]
    }

    fn vertex(&self, v: u32) -> &Aabb32 {
        &self.fitted.vertices[v as usize]
    }

    fn edge(&self, [v, w]: [u32; 2]) -> Aabb32 {
        self.vertex(v).union(*self.vertex(w))
    }
}

fn sorted([v, w]: [u32; 2]) -> [u32; 2] {
    [v.min(w), v.max(w)]
}
