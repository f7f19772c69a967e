//! Triangle meshes with their unique vertices and edges, each owned by one triangle.

use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::around::Around;
pub(crate) use super::topology::NO_FACE;
use super::topology::{Owned, Topology};
use crate::error::{Error, ErrorKind, check_positive, check_vector};

/// Vertices and triangles of a body, in metres, in the body's frame.
///
/// Any triangles are allowed: open, self-intersecting, degenerate, in several pieces. A triangle of zero area still
/// has its edges, and one of zero length its point. Vertices that no triangle uses belong to no surface.
///
/// Vertices that are equal bit for bit (-0 equals 0) count as one, the first; all vertex and triangle numbers that
/// the engine returns are the input's.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    origin: DVec3,
    half_size: DVec3,
    radius: f64,
    vertices: Vec<DVec3>,
    local: Vec<DVec3>,
    /// Shared by all meshes that differ only in their vertex positions.
    topology: Arc<Topology>,
    around: Remembered,
}

/// A value that is computed on first use. It depends on the topology only, so meshes are equal whether it has been
/// computed or not.
#[derive(Debug, Clone, Default)]
struct Remembered(OnceLock<Arc<Around>>);

impl PartialEq for Remembered {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Mesh {
    /// A mesh from vertices and triangles.
    ///
    /// # Errors
    /// There are no triangles; an index is out of range; a coordinate is not finite or not below 1e70; or there are
    /// more elements than a 32-bit index can address.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        check_vertices(&vertices)?;
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
        let topology = Topology::new(&vertices, triangles);
        Ok(Self::with_topology(vertices, Arc::new(topology)))
    }

    /// The same triangles with moved vertices: the edges are reused. Vertices that were equal stay one vertex, at
    /// the new position of the first of them. Vertices that become equal are not merged.
    ///
    /// # Errors
    /// The number of vertices differs; or a coordinate is not finite or not below 1e70.
    pub fn moved(&self, vertices: Vec<DVec3>) -> Result<Self, Error> {
        check_vertices(&vertices)?;
        if vertices.len() != self.vertices.len() {
            return Error::out_of_range(vertices.len() as f64, "as many vertices as before", "mesh");
        }
        let around = self.around.clone();
        Ok(Self { around, ..Self::with_topology(vertices, Arc::clone(&self.topology)) })
    }

    /// The triangles as given, before equal vertices were merged.
    #[must_use]
    pub fn given_triangles(&self) -> Vec<[u32; 3]> {
        let mut triangles = self.topology.triangles.clone();
        for (corner, given) in &self.topology.joined {
            triangles.as_flattened_mut()[*corner as usize] = *given;
        }
        triangles
    }

    /// The vertices in the body's frame, in metres, as given.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The same mesh with equal vertices kept separate: every corner is at the input's vertex.
    pub(crate) fn with_all_vertices(self) -> Self {
        if self.topology.joined.is_empty() {
            return self;
        }
        let topology = Topology::of_joined(self.vertices.len(), self.given_triangles(), Vec::new());
        Self::with_topology(self.vertices, Arc::new(topology))
    }

    fn with_topology(vertices: Vec<DVec3>, topology: Arc<Topology>) -> Self {
        let (origin, half_size) = bounds(&vertices, &topology.triangles);
        let local: Vec<DVec3> = vertices.iter().map(|v| *v - origin).collect();
        let radius = radius(half_size, topology.triangles.iter().flatten().map(|v| local[*v as usize]));
        Self { origin, half_size, radius, vertices, local, topology, around: Remembered::default() }
    }

    /// Number of vertices, including unused and repeated ones.
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

    /// The triangles, by vertex; equal vertices are replaced by the first.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.topology.triangles
    }

    /// The unique edges, lower vertex first, in the order in which the triangles use them.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.topology.edges
    }

    /// The edges of each triangle; entry i is the edge from corner i to corner i + 1.
    #[must_use]
    pub fn triangle_edges(&self) -> &[[u32; 3]] {
        &self.topology.triangle_edges
    }

    /// The centre of the bounding box of the triangles, in the body's frame.
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        self.origin
    }

    /// Lower and upper corner of the bounding box of the triangles, in the body's frame.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        let used = self.topology.triangles.iter().flatten().map(|&v| self.vertex(v));
        let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        used.fold(start, |[lo, hi], v| [lo.min(v), hi.max(v)])
    }

    /// Length of the diagonal of the bounding box, in metres.
    #[must_use]
    pub fn diagonal(&self) -> f64 {
        2.0 * self.half_size.length()
    }

    /// Half of the size of the bounding box of all triangles, along the axes; its middle is [the centre](Self::centre).
    pub(crate) fn half_size(&self) -> DVec3 {
        self.half_size
    }

    /// The mesh scaled by a factor about the origin of the body's frame.
    ///
    /// # Errors
    /// The factor is not finite and greater than 0, or it leads out of the range of [`Mesh::new`].
    pub fn scaled(&self, factor: f64) -> Result<Self, Error> {
        check_positive(factor, "scale")?;
        let vertices = self.vertices.iter().map(|v| *v * factor).collect();
        Self::new(vertices, self.topology.triangles.clone())
    }

    /// Vertices relative to [`Self::centre`], so their coordinates are small even if the frame's origin is far away.
    #[inline]
    pub(crate) fn local(&self) -> &[DVec3] {
        &self.local
    }

    /// The corners of a triangle, relative to the centre.
    #[inline]
    pub(crate) fn local_triangle(&self, face: u32) -> [DVec3; 3] {
        self.topology.triangles[face as usize].map(|v| self.local[v as usize])
    }

    /// The features owned by a triangle.
    #[inline]
    pub(crate) fn owned_features(&self, face: u32) -> Owned {
        self.topology.owned[face as usize]
    }

    /// The vertices that some triangle uses, in order.
    pub(crate) fn used_vertices(&self) -> Vec<u32> {
        let mut used: Vec<u32> = self.topology.triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// For each vertex of the input, the vertex that replaces it: the first of the equal vertices that triangles use.
    pub(crate) fn leaders(&self) -> Vec<u32> {
        let mut leaders: Vec<u32> = (0_u32..).take(self.vertices.len()).collect();
        for (corner, given) in &self.topology.joined {
            leaders[*given as usize] = self.topology.triangles.as_flattened()[*corner as usize];
        }
        leaders
    }

    /// The first two faces at an edge; the second is [`NO_FACE`] at a border.
    pub(crate) fn edge_faces(&self, edge: u32) -> [u32; 2] {
        self.topology.edge_faces[edge as usize]
    }

    /// Faces and edges around vertices and edges: computed on first use, in time linear in the mesh.
    pub(crate) fn around(&self) -> &Around {
        self.around.0.get_or_init(|| Arc::new(Around::new(self.vertices.len(), &self.topology)))
    }

    /// An upper bound of the distance of any used vertex from the centre.
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }
}

/// A mesh is serialized as given.
#[cfg(feature = "serde")]
impl serde::Serialize for Mesh {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.vertices, self.given_triangles()).serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Mesh {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (vertices, triangles) = serde::Deserialize::deserialize(deserializer)?;
        Self::new(vertices, triangles).map_err(serde::de::Error::custom)
    }
}

fn check_vertices(vertices: &[DVec3]) -> Result<(), Error> {
    vertices.iter().enumerate().try_for_each(|(i, v)| check_vector(*v, || format!("vertex {i}")))
}

/// An upper bound of the distance of vertices from the centre, in a box of a given half size.
fn radius(half_size: DVec3, local: impl Iterator<Item = DVec3>) -> f64 {
    let largest = half_size.max_element();
    // Squares of smaller lengths may underflow.
    if largest < 1e-140 {
        return 2.0 * largest;
    }
    local.map(DVec3::length_squared).fold(0.0, f64::max).sqrt() * (1.0 + 4.0 * f64::EPSILON)
}

/// Centre and half size of the bounding box of the triangles.
fn bounds(vertices: &[DVec3], triangles: &[[u32; 3]]) -> (DVec3, DVec3) {
    let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for v in triangles.iter().flatten().map(|&v| vertices[v as usize]) {
        lo = lo.min(v);
        hi = hi.max(v);
    }
    let centre = 0.5 * (lo + hi);
    (centre, (hi - centre).max(centre - lo))
}
