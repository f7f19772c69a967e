//! A rigid body, ready for queries.

use crate::bvh::Bvh;
use crate::shape::Mesh;

/// A mesh with its hierarchy: built once, used in any number of queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    mesh: Mesh,
    bvh: Bvh,
}

impl Body {
    /// Builds the hierarchy of a mesh.
    #[must_use]
    pub fn new(mesh: Mesh) -> Self {
        let bvh = Bvh::build(&mesh);
        Self { mesh, bvh }
    }

    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The hierarchy.
    #[must_use]
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }
}

impl From<Mesh> for Body {
    fn from(mesh: Mesh) -> Self {
        Self::new(mesh)
    }
}
