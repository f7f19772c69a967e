//! Features that matter: at some point they lead (A) or trail (B). The search skips all others (Buss 2005, "Back face
//! culling").

use std::cell::Cell;

use crate::features::event::FeaturePair;
use crate::screen::facing::FacingMesh;
use crate::screen::proper::MatchingParts;

/// Whether features of two meshes matter, cached once computed.
pub(super) struct FacingFilter<'m> {
    a: FacingCache<'m>,
    b: FacingCache<'m>,
}

/// Whether the features of one mesh matter; `None` if not computed yet.
struct FacingCache<'m> {
    faced: &'m FacingMesh<'m>,
    vertices: Vec<Cell<Option<bool>>>,
    edges: Vec<Cell<Option<bool>>>,
    faces: Vec<Cell<Option<bool>>>,
}

impl<'m> FacingFilter<'m> {
    pub(super) fn new(surfaces: &'m MatchingParts<'m>) -> Self {
        Self { a: FacingCache::new(&surfaces.a), b: FacingCache::new(&surfaces.b) }
    }

    /// Whether both features of a pair matter somewhere.
    pub(super) fn both_matter(&self, pair: FeaturePair) -> bool {
        match pair {
            FeaturePair::VertexFace { vertex, face } => self.b.face(face) && self.a.vertex(vertex),
            FeaturePair::FaceVertex { face, vertex } => self.a.face(face) && self.b.vertex(vertex),
            FeaturePair::EdgeEdge { a, b } => self.a.edge(a) && self.b.edge(b),
        }
    }
}

impl<'m> FacingCache<'m> {
    fn new(faced: &'m FacingMesh<'m>) -> Self {
        let mesh = faced.mesh;
        let none = |count: usize| vec![Cell::new(None); count];
        let (vertices, edges) = (none(mesh.vertex_count()), none(mesh.edges().len()));
        Self { faced, vertices, edges, faces: none(mesh.triangles().len()) }
    }

    fn vertex(&self, vertex: u32) -> bool {
        cached(&self.vertices[vertex as usize], || self.faced.vertex_matters(vertex))
    }

    fn edge(&self, edge: u32) -> bool {
        cached(&self.edges[edge as usize], || self.faced.edge_matters(edge))
    }

    /// n.v is affine on a face, so it suffices to test the corners.
    fn face(&self, face: u32) -> bool {
        cached(&self.faces[face as usize], || {
            self.faced.at_corners(face).into_iter().any(|facing| self.faced.matters(facing))
        })
    }
}

fn cached(cell: &Cell<Option<bool>>, compute: impl Fn() -> bool) -> bool {
    cell.get().unwrap_or_else(|| {
        let matters = compute();
        cell.set(Some(matters));
        matters
    })
}
