//! The random cases of Kim and Rossignac (2003), "Results".

use chasles::{Error, Mesh, Pose, PreparedMesh, Screw};
use glam::DVec3;

use crate::cases::shapes::{Raw, lump, prism};
use chasles_testing::Random;

/// Vertices of A: it has 156 triangles and 234 edges.
pub const VERTICES_A: usize = 80;
/// Vertices of B: it has 166 triangles and 249 edges.
pub const VERTICES_B: usize = 85;
/// Seeds of the two lumps.
pub const SHAPE_SEEDS: [u64; 2] = [1, 2];
/// Side of the cube in which A starts and ends.
pub const OUTER: f64 = 15.0;
/// Side of the inner cube, in which A neither starts nor ends.
pub const INNER: f64 = 5.0;

/// The two bodies of all cases of a run.
#[derive(Debug)]
pub struct Pair {
    /// The moving body.
    pub a: PreparedMesh,
    /// The static body, at the origin.
    pub b: PreparedMesh,
    /// The vertices and triangles of both bodies, for the peers.
    pub raw: [Raw; 2],
}

/// The shapes of the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shapes {
    /// Non-convex lumps with triangles of even size.
    Lumps,
    /// Prisms with long thin triangles.
    Prisms,
}

impl Shapes {
    /// The radius of each body such that half of the pairs of objects are rejected, as in the paper.
    #[must_use]
    pub fn usual_size(self) -> f64 {
        match self {
            Self::Lumps => 1.15,
            Self::Prisms => 1.2,
        }
    }
}

impl Pair {
    /// Two bodies with the paper's numbers of elements, each with radius `size` about its origin.
    ///
    /// # Errors
    /// Does not fail for a finite size greater than 0.
    pub fn new(shapes: Shapes, size: f64) -> Result<Self, Error> {
        let raw = match shapes {
            Shapes::Lumps => [lump(VERTICES_A, size, SHAPE_SEEDS[0]), lump(VERTICES_B, size, SHAPE_SEEDS[1])],
            Shapes::Prisms => [prism(VERTICES_A, size), prism(VERTICES_B, size)],
        };
        let body = |(vertices, triangles): &Raw| {
            Mesh::new(vertices.clone(), triangles.clone()).map(PreparedMesh::new)
        };
        Ok(Self { a: body(&raw[0])?, b: body(&raw[1])?, raw })
    }

    /// The number of pairs of a vertex and a triangle, in both orders.
    #[must_use]
    pub fn vertex_triangles(&self) -> u64 {
        let [(va, ta), (vb, tb)] = &self.raw;
        (va.len() * tb.len() + vb.len() * ta.len()) as u64
    }

    /// The number of pairs of edges.
    #[must_use]
    pub fn edge_edges(&self) -> u64 {
        (self.a.mesh().edges().len() * self.b.mesh().edges().len()) as u64
    }
}

/// A motion of A past B: from one random pose to another.
///
/// # Errors
/// None.
pub fn motion(seed: u64) -> Result<Screw, Error> {
    let random = &mut Random(seed);
    let mut pose = || Pose::new(position(random), random.even_rotation());
    Ok(Screw::between(pose()?, pose()?))
}

/// A uniform position in the outer cube, outside the inner cube.
fn position(random: &mut Random) -> DVec3 {
    loop {
        let at = random.vector(0.5 * OUTER);
        if at.abs().max_element() >= 0.5 * INNER {
            return at;
        }
    }
}
