//! Triangle meshes with their unique vertices and edges, each owned by one triangle.

use std::collections::HashMap;

use glam::DVec3;

use crate::error::{Error, ErrorKind, check_vector};

/// Vertices and triangles of a body, in metres, in the body's frame.
///
/// Any triangles will do: open, self-intersecting, degenerate, in several pieces. A triangle of zero area still has
/// its edges, and one of zero length its point; vertices that no triangle uses belong to no surface.
///
/// Vertices that are equal bit for bit (-0 equals 0) count as one, the first; all numbers of vertices and
/// triangles that the engine gives back are those of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    origin: DVec3,
    half_size: DVec3,
    vertices: Vec<DVec3>,
    local: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    triangle_edges: Vec<[u32; 3]>,
    owned: Vec<Owned>,
    edge_faces: Vec<[u32; 2]>,
}

/// Which of a triangle's three vertices and three edges are its own: every vertex and edge in use belongs to the
/// first triangle that uses it. A pair of triangles is then tested on 3.3 pairs of features instead of 15 (chart
/// findings, "Leaf"). Bits 0 to 2 are vertices, 3 to 5 edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owned(u8);

/// No triangle: the other side of a border edge.
pub(crate) const NO_FACE: u32 = u32::MAX;

impl Owned {
    /// Whether the triangle's vertex `corner` is its own.
    pub(crate) fn vertex(self, corner: usize) -> bool {
        self.0 >> corner & 1 == 1
    }

    /// Whether the triangle's edge from `corner` to the next is its own.
    pub(crate) fn edge(self, corner: usize) -> bool {
        self.0 >> (3 + corner) & 1 == 1
    }
}

impl Mesh {
    /// A mesh from vertices and triangles.
    ///
    /// # Errors
    /// No triangles; an index out of range; a coordinate that is not finite or not below 1e70; more elements than a
    /// 32-bit index can name.
    pub fn new(vertices: Vec<DVec3>, mut triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        for (i, v) in vertices.iter().enumerate() {
            check_vector(*v, || format!("vertex {i}"))?;
        }
        if triangles.is_empty() {
            return Err(Error::new(ErrorKind::NoTriangles, "mesh"));
        }
        for count in [vertices.len(), 3 * triangles.len()] {
            if u32::try_from(count).is_err() {
                return Err(Error::new(ErrorKind::TooMany(count), "mesh"));
            }
        }
        for (i, triangle) in triangles.iter().enumerate() {
            if let Some(&index) = triangle.iter().find(|v| **v as usize >= vertices.len()) {
                let kind = ErrorKind::IndexOutOfRange { index, vertices: vertices.len() };
                return Err(Error::new(kind, format!("triangle {i}")));
            }
        }
        let first = first_equal_vertices(&vertices);
        for index in triangles.iter_mut().flatten() {
            *index = first[*index as usize];
        }
        let (origin, half_size) = bounds(&vertices, &triangles);
        let mut mesh = Self {
            origin,
            half_size,
            local: vertices.iter().map(|v| *v - origin).collect(),
            vertices,
            triangles,
            edges: Vec::new(),
            triangle_edges: Vec::new(),
            owned: Vec::new(),
            edge_faces: Vec::new(),
        };
        mesh.connect();
        Ok(mesh)
    }

    /// Finds the unique edges, their faces, and the owner of every feature.
    fn connect(&mut self) {
        let mut index = HashMap::with_capacity(self.triangles.len() * 3 / 2);
        let mut vertex_owned = vec![false; self.vertices.len()];
        for (face, &triangle) in (0_u32..).zip(&self.triangles) {
            let mut mask = 0;
            let mut edges = [0; 3];
            for corner in 0..3 {
                let (v, w) = (triangle[corner], triangle[(corner + 1) % 3]);
                if !std::mem::replace(&mut vertex_owned[v as usize], true) {
                    mask |= 1 << corner;
                }
                let next = u32::try_from(self.edges.len()).unwrap_or(NO_FACE);
                let edge = *index.entry([v.min(w), v.max(w)]).or_insert(next);
                if edge == next {
                    self.edges.push([v.min(w), v.max(w)]);
                    self.edge_faces.push([face, NO_FACE]);
                    mask |= 8 << corner;
                } else if self.edge_faces[edge as usize][1] == NO_FACE {
                    self.edge_faces[edge as usize][1] = face;
                }
                edges[corner] = edge;
            }
            self.triangle_edges.push(edges);
            self.owned.push(Owned(mask));
        }
    }

    /// Number of vertices, unused and repeated ones included.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Vertex `i` in the body's frame, in metres.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[must_use]
    pub fn vertex(&self, i: u32) -> DVec3 {
        self.vertices[i as usize]
    }

    /// The triangles, by vertex; of equal vertices the first stands for all.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The unique edges, lower vertex first, in the order in which the triangles use them.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The edges of each triangle, the one from corner i to corner i + 1 at place i.
    #[must_use]
    pub fn triangle_edges(&self) -> &[[u32; 3]] {
        &self.triangle_edges
    }

    /// The centre of the bounding box of the triangles, in the body's frame.
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        self.origin
    }

    /// Lower and upper corner of the bounding box of the triangles, in the body's frame.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        let used = self.triangles.iter().flatten().map(|&v| self.vertex(v));
        let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        used.fold(start, |[lo, hi], v| [lo.min(v), hi.max(v)])
    }

    /// Length of the diagonal of the bounding box, in metres.
    #[must_use]
    pub fn diagonal(&self) -> f64 {
        2.0 * self.half_size.length()
    }

    /// The mesh scaled by a factor about the origin of the body's frame.
    ///
    /// # Errors
    /// A factor that is not finite and greater than 0, or one that leads out of the range of [`Mesh::new`].
    pub fn scaled(&self, factor: f64) -> Result<Self, Error> {
        if !(factor > 0.0 && factor.is_finite()) {
            let kind = ErrorKind::OutOfRange { value: factor, expected: "a finite number greater than 0" };
            return Err(Error::new(kind, "scale"));
        }
        let vertices = self.vertices.iter().map(|v| *v * factor).collect();
        Self::new(vertices, self.triangles.clone())
    }

    /// Vertices relative to [`Self::centre`]: close to the body, wherever its frame has its origin.
    pub(crate) fn local(&self) -> &[DVec3] {
        &self.local
    }

    /// The corners of a triangle, relative to the centre.
    pub(crate) fn local_triangle(&self, face: u32) -> [DVec3; 3] {
        self.triangles[face as usize].map(|v| self.local[v as usize])
    }

    /// The features that belong to a triangle.
    pub(crate) fn owned(&self, face: u32) -> Owned {
        self.owned[face as usize]
    }

    /// The vertices that some triangle uses, in order.
    pub(crate) fn used_vertices(&self) -> Vec<u32> {
        let mut used: Vec<u32> = self.triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The first two faces at an edge, the second [`NO_FACE`] at a border.
    pub(crate) fn edge_faces(&self, edge: u32) -> [u32; 2] {
        self.edge_faces[edge as usize]
    }

    /// A bound of the distance of any used vertex from the centre.
    pub(crate) fn radius(&self) -> f64 {
        self.half_size.length() * (1.0 + 4.0 * f64::EPSILON)
    }
}

/// For every vertex the first that is equal to it, -0 counting as 0.
fn first_equal_vertices(vertices: &[DVec3]) -> Vec<u32> {
    let mut seen = HashMap::with_capacity(vertices.len());
    (0_u32..)
        .zip(vertices)
        .map(|(i, v)| *seen.entry((*v + DVec3::ZERO).to_array().map(f64::to_bits)).or_insert(i))
        .collect()
}

/// Centre and half size of the box around the triangles.
fn bounds(vertices: &[DVec3], triangles: &[[u32; 3]]) -> (DVec3, DVec3) {
    let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for v in triangles.iter().flatten().map(|&v| vertices[v as usize]) {
        lo = lo.min(v);
        hi = hi.max(v);
    }
    let centre = 0.5 * (lo + hi);
    (centre, (hi - centre).max(centre - lo))
}
