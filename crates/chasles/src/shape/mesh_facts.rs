//! Facts about a mesh: closed or open, number of pieces, and faults.

use std::collections::HashMap;

use glam::{DVec2, DVec3};
use robust::{Coord, orient2d};

use crate::math::disjoint_sets::DisjointSets;
use crate::shape::mesh::Mesh;

/// Facts about a mesh. Vertices that are equal bit for bit count as one.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFacts {
    /// Number of vertices, including unused and repeated ones.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of unique edges, including the edges of a triangle that uses a vertex twice.
    pub edges: usize,
    /// Whether every edge has exactly two triangles.
    pub closed: bool,
    /// Number of pieces: sets of triangles joined by edges.
    pub pieces: usize,
    /// Triangles whose area is exactly zero.
    pub degenerate_triangles: usize,
    /// Triangles that have the same three vertices as an earlier one.
    pub duplicate_triangles: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges of one triangle.
    pub border_edges: usize,
    /// Vertices that no triangle uses.
    pub isolated_vertices: usize,
    /// Lower and upper corner of the bounding box, in metres.
    pub bounds: [DVec3; 2],
}

impl MeshFacts {
    /// The facts about a mesh, in time linear in its size.
    #[must_use]
    pub fn of(mesh: &Mesh) -> Self {
        let mut uses = vec![0_u32; mesh.edges().len()];
        for edge in mesh.triangle_edges().iter().flatten() {
            uses[*edge as usize] += 1;
        }
        // An edge from a vertex to itself joins no triangles, so it is ignored.
        let uses = || mesh.edges().iter().zip(&uses).filter(|([v, w], _)| v != w).map(|(_, n)| *n);
        let mut used = vec![false; mesh.vertex_count()];
        for v in mesh.triangles().iter().flatten() {
            used[*v as usize] = true;
        }
        Self {
            vertices: mesh.vertex_count(),
            triangles: mesh.triangles().len(),
            edges: mesh.edges().len(),
            closed: uses().all(|n| n == 2),
            pieces: pieces(mesh),
            degenerate_triangles: mesh.triangles().iter().filter(|t| has_no_area(mesh, **t)).count(),
            duplicate_triangles: duplicates(mesh),
            non_manifold_edges: uses().filter(|n| *n > 2).count(),
            border_edges: uses().filter(|n| *n == 1).count(),
            isolated_vertices: used.iter().filter(|u| !**u).count(),
            bounds: mesh.bounds(),
        }
    }
}

/// Whether a triangle's area is exactly zero: its projections onto all three coordinate planes have no area.
fn has_no_area(mesh: &Mesh, triangle: [u32; 3]) -> bool {
    let corners = triangle.map(|v| mesh.vertex(v));
    let shadow = |project: fn(DVec3) -> DVec2| {
        let [a, b, c] = corners.map(|p| Coord { x: project(p).x, y: project(p).y });
        orient2d(a, b, c) == 0.0
    };
    shadow(|p| DVec2::new(p.x, p.y)) && shadow(|p| DVec2::new(p.y, p.z)) && shadow(|p| DVec2::new(p.z, p.x))
}

fn duplicates(mesh: &Mesh) -> usize {
    let mut seen = HashMap::with_capacity(mesh.triangles().len());
    for triangle in mesh.triangles() {
        let mut key = *triangle;
        key.sort_unstable();
        *seen.entry(key).or_insert(0_usize) += 1;
    }
    mesh.triangles().len() - seen.len()
}

/// Counts the sets of triangles connected by edges.
fn pieces(mesh: &Mesh) -> usize {
    let mut sets = DisjointSets::new(mesh.triangles().len());
    let mut at_edge = vec![usize::MAX; mesh.edges().len()];
    let mut count = mesh.triangles().len();
    for (face, edges) in mesh.triangle_edges().iter().enumerate() {
        for edge in edges {
            let other = std::mem::replace(&mut at_edge[*edge as usize], face);
            if other != usize::MAX && sets.join(face, other) {
                count -= 1;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> MeshFacts {
        let vertices = vertices.iter().map(|v| DVec3::from_array(*v)).collect();
        let mesh = Mesh::new(vertices, triangles.to_vec()).unwrap();
        let facts = MeshFacts::of(&mesh);
        // The query for this fact alone agrees.
        assert_eq!(mesh.around().is_closed(), facts.closed);
        facts
    }

    const CORNERS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn a_tetrahedron_is_closed() {
        let facts = facts(&CORNERS, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
        assert!(
            facts.closed && facts.pieces == 1 && facts.edges == 6 && facts.border_edges == 0,
            "{facts:?}"
        );
    }

    #[test]
    fn faults_are_counted() {
        let mut vertices = CORNERS.to_vec();
        // A repeated vertex with the other sign of zero, and an unused vertex.
        vertices.extend([[-0.0, 0.0, 0.0], [9.0, 9.0, 9.0]]);
        let facts = facts(&vertices, &[[0, 1, 2], [1, 2, 4], [0, 1, 3], [1, 0, 1], [3, 3, 3]]);
        assert_eq!((facts.vertices, facts.triangles, facts.isolated_vertices), (6, 5, 2));
        assert_eq!((facts.duplicate_triangles, facts.degenerate_triangles), (1, 2));
        // Four triangles at the edge 0-1; the edges from a vertex to itself do not count.
        assert_eq!((facts.closed, facts.non_manifold_edges, facts.border_edges), (false, 1, 2), "{facts:?}");
        assert_eq!(facts.pieces, 2, "{facts:?}");
        assert_eq!(facts.bounds, [DVec3::ZERO, DVec3::ONE]);
    }

    #[test]
    fn a_thin_triangle_has_area_and_one_in_line_has_none() {
        let thin = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1e-300, 0.0]];
        assert_eq!(facts(&thin, &[[0, 1, 2]]).degenerate_triangles, 0);
        let line = [[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [0.4, 0.4, 0.4]];
        assert_eq!(facts(&line, &[[0, 1, 2]]).degenerate_triangles, 1);
    }
}
