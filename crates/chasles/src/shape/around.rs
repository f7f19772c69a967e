//! Neighbourhoods in a mesh: the faces and edges at each vertex, and all faces at each edge.

use super::topology::Topology;

/// The neighbourhoods of vertices and edges. Faces and edges are in the order of their numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Around {
    faces_at_vertices: Rows,
    edges_at_vertices: Rows,
    faces_at_edges: Rows,
    /// Whether every edge has exactly two faces.
    closed: bool,
}

/// A list of items for each row, stored one after the other (compressed rows).
#[derive(Debug, Clone, PartialEq)]
struct Rows {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// The items of `count` rows, from pairs (row, item), in the order of `pairs`.
    fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0_u32; count + 1];
        pairs.clone().for_each(|(row, _)| starts[row as usize] += 1);
        let mut total = 0;
        for start in &mut starts {
            total += std::mem::replace(start, total);
        }
        let (mut items, mut next) = (vec![0; total as usize], starts.clone());
        for (row, item) in pairs {
            let place = &mut next[row as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { starts, items }
    }

    fn of(&self, row: u32) -> &[u32] {
        let at = |i: u32| self.starts[i as usize] as usize;
        &self.items[at(row)..at(row + 1)]
    }
}

impl Around {
    /// For a mesh with this number of vertices.
    pub(super) fn new(vertices: usize, topology: &Topology) -> Self {
        let corners = |(face, [p, q, r]): (u32, &[u32; 3])| {
            // A triangle that uses a vertex twice is listed at it once.
            let second = (q != p).then_some((*q, face));
            let third = (r != p && r != q).then_some((*r, face));
            [Some((*p, face)), second, third].into_iter().flatten()
        };
        let faces_at_vertices = Rows::new(vertices, (0..).zip(&topology.triangles).flat_map(corners));
        let ends = (0..).zip(&topology.edges).filter(|(_, [v, w])| v != w);
        let edges_at_vertices =
            Rows::new(vertices, ends.flat_map(|(edge, ends)| ends.map(|vertex| (vertex, edge))));
        let sides = (0..).zip(&topology.triangle_edges);
        let faces_at_edges = Rows::new(
            topology.edges.len(),
            sides.flat_map(|(face, edges): (u32, &[u32; 3])| edges.map(|edge| (edge, face))),
        );
        let joined = |(edge, [v, w]): (u32, &[u32; 2])| v == w || faces_at_edges.of(edge).len() == 2;
        let closed = (0..).zip(&topology.edges).all(joined);
        Self { faces_at_vertices, edges_at_vertices, faces_at_edges, closed }
    }

    /// The faces that have a vertex as a corner.
    pub(crate) fn faces_at_vertex(&self, vertex: u32) -> &[u32] {
        self.faces_at_vertices.of(vertex)
    }

    /// The edges that end at a vertex, without edges from the vertex to itself.
    pub(crate) fn edges_at_vertex(&self, vertex: u32) -> &[u32] {
        self.edges_at_vertices.of(vertex)
    }

    /// All faces at an edge.
    pub(crate) fn faces_at_edge(&self, edge: u32) -> &[u32] {
        self.faces_at_edges.of(edge)
    }

    /// Whether every edge has exactly two faces.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }
}
