//! Triangle meshes with their unique vertices and edges, each owned by one triangle.

use glam::DVec3;

use super::connect;
pub(crate) use super::connect::NO_FACE;
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
    radius: f64,
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
        let first = connect::first_equal_vertices(&vertices);
        for index in triangles.iter_mut().flatten() {
            *index = first[*index as usize];
        }
        let (origin, half_size) = bounds(&vertices, &triangles);
        let edges = connect::edges(vertices.len(), &triangles);
        let local: Vec<DVec3> = vertices.iter().map(|v| *v - origin).collect();
        Ok(Self {
            origin,
            half_size,
            radius: radius(half_size, triangles.iter().flatten().map(|v| local[*v as usize])),
            local,
            owned: owners(vertices.len(), &triangles, &edges.of_triangles),
            vertices,
            triangles,
            edges: edges.vertices,
            triangle_edges: edges.of_triangles,
            edge_faces: edges.faces,
        })
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
    #[inline]
    pub(crate) fn local(&self) -> &[DVec3] {
        &self.local
    }

    /// The corners of a triangle, relative to the centre.
    #[inline]
    pub(crate) fn local_triangle(&self, face: u32) -> [DVec3; 3] {
        self.triangles[face as usize].map(|v| self.local[v as usize])
    }

    /// The features that belong to a triangle.
    #[inline]
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
        self.radius
    }
}

/// A bound of the distance of vertices from the centre, in a box of a given half size.
fn radius(half_size: DVec3, local: impl Iterator<Item = DVec3>) -> f64 {
    let largest = half_size.max_element();
    // Squares of less may underflow.
    if largest < 1e-140 {
        return 2.0 * largest;
    }
    local.map(DVec3::length_squared).fold(0.0, f64::max).sqrt() * (1.0 + 4.0 * f64::EPSILON)
}

/// What each triangle is the first to use.
fn owners(vertices: usize, triangles: &[[u32; 3]], edges: &[[u32; 3]]) -> Vec<Owned> {
    let mut used = vec![false; vertices];
    // Edges are numbered in the order of their use.
    let mut unused_edge = 0;
    let owned = triangles.iter().zip(edges).map(|(triangle, edges)| {
        let mut mask = 0;
        for corner in 0..3 {
            if !std::mem::replace(&mut used[triangle[corner] as usize], true) {
                mask |= 1 << corner;
            }
            if edges[corner] == unused_edge {
                unused_edge += 1;
                mask |= 8 << corner;
            }
        }
        Owned(mask)
    });
    owned.collect()
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
