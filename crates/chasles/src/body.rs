//! A rigid body, ready for queries.

use glam::DVec3;

use crate::bvh::Bvh;
use crate::shape::Mesh;
use crate::shape::pieces::Pieces;

/// A mesh with its hierarchy: built once, used by any number of queries.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedMesh {
    mesh: Mesh,
    bvh: Bvh,
    grain: f64,
    corners: Vec<DVec3>,
    corner_vertices: Vec<u32>,
}

impl PreparedMesh {
    /// Builds the hierarchy of a mesh.
    #[must_use]
    pub fn new(mesh: Mesh) -> Self {
        let bvh = Bvh::build(&mesh);
        let grain = grain(&mesh);
        let corner_vertices = corner_vertices(&mesh);
        let corners = corner_vertices.iter().map(|v| mesh.local()[*v as usize]).collect();
        Self { mesh, bvh, grain, corners, corner_vertices }
    }

    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The relative size of the triangles: the mean square of half their longest edges, in units of the mesh's
    /// squared radius.
    pub(crate) fn grain(&self) -> f64 {
        self.grain
    }

    /// All vertices used by a triangle, relative to the mesh's centre, if they are few; otherwise empty.
    pub(crate) fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// The numbers of the vertices in `corners`.
    pub(crate) fn corner_vertices(&self) -> &[u32] {
        &self.corner_vertices
    }

    /// The size of the hierarchy in bytes: about 55 per triangle in large meshes, and more in small meshes, whose
    /// blocks of eight are less full.
    #[must_use]
    pub fn hierarchy_bytes(&self) -> usize {
        size_of_val(self.bvh.boxes.as_slice()) + size_of_val(self.bvh.triangles.as_slice())
    }

    /// The hierarchy.
    pub(crate) fn bvh(&self) -> &Bvh {
        &self.bvh
    }
}

/// Maximum number of corners that are tested one by one.
const FEW: usize = 128;

fn corner_vertices(mesh: &Mesh) -> Vec<u32> {
    // A mesh of more triangles has more corners than that, or many coincident corners.
    if mesh.triangles().len() > 4 * FEW {
        return Vec::new();
    }
    let used = mesh.used_vertices();
    if used.len() > FEW { Vec::new() } else { used }
}

fn grain(mesh: &Mesh) -> f64 {
    let longest = |t: &[u32; 3]| {
        let [p, q, r] = t.map(|v| mesh.local()[v as usize]);
        p.distance_squared(q).max(q.distance_squared(r)).max(r.distance_squared(p))
    };
    let mean = mesh.triangles().iter().map(longest).sum::<f64>() / mesh.triangles().len() as f64;
    let grain = 0.25 * mean / mesh.radius().powi(2);
    // The mesh is a single point.
    if grain.is_finite() { grain } else { 1.0 }
}

impl From<Mesh> for PreparedMesh {
    fn from(mesh: Mesh) -> Self {
        Self::new(mesh)
    }
}

/// Two bodies of a query: A moves, B is static.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PreparedPair<'a> {
    pub(crate) a: &'a PreparedMesh,
    pub(crate) b: &'a PreparedMesh,
}

impl<'a> PreparedPair<'a> {
    pub(crate) fn new(a: &'a PreparedMesh, b: &'a PreparedMesh) -> Self {
        Self { a, b }
    }

    /// The same bodies, with B moving.
    pub(crate) fn swapped(self) -> Self {
        Self { a: self.b, b: self.a }
    }
}

/// A body with the connected pieces of its mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeshSurface<'a> {
    pub(crate) body: &'a PreparedMesh,
    pub(crate) pieces: &'a Pieces,
}

impl MeshSurface<'_> {
    /// The vertex that is furthest along a direction.
    pub(crate) fn support(&self, n: DVec3) -> DVec3 {
        let mesh = self.body.mesh();
        let points = mesh.triangles().iter().flatten().map(|v| mesh.local()[*v as usize]);
        let furthest = points.max_by(|p, q| p.dot(n).total_cmp(&q.dot(n)));
        furthest.unwrap_or(DVec3::ZERO) + mesh.centre()
    }
}

#[cfg(test)]
mod tests {
    use chasles_testing::Random;

    use super::*;
    use crate::mesh_screw::query::{Options, Outcome};
    use crate::motion::{Pose, Screw};
    use crate::predict::first_contact;
    use crate::shape::Primitive;

    #[test]
    fn octagons_exclude_blocks_and_change_no_answer() {
        let ball = Primitive::Capsule { radius: 0.5, height: 0.7 }.tessellate().unwrap().mesh;
        let body = PreparedMesh::new(ball);
        let mut plain = body.clone();
        for block in &mut plain.bvh.boxes {
            block.octagon = [[1.0; 8]; 2];
        }
        let (mut blocks, mut contacts, options) = ([0, 0], 0, Options::default());
        for seed in 0..200 {
            let random = &mut Random(seed);
            let [start, end] = [2.0, 1.0]
                .map(|far| Pose::new(far * random.vector(1.0).normalize(), random.even_rotation()).unwrap());
            let screw = Screw::between(start, end);
            let [with, without] =
                [&body, &plain].map(|body| first_contact(body, body, &screw, &options).unwrap());
            assert_eq!(with.outcome, without.outcome, "seed {seed}");
            contacts += usize::from(matches!(with.outcome, Outcome::Contact(_)));
            blocks[0] += with.counters.box_pairs;
            blocks[1] += without.counters.box_pairs;
        }
        // Patches of this mesh are nearly rectangular: for other meshes more blocks are saved.
        assert!(contacts > 150 && 20 * blocks[0] < 19 * blocks[1], "{contacts} met, {blocks:?}");
    }
}
