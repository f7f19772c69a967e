//! What surfaces are made with, and of how much.

use crate::gltf::fault::GltfWarnings;
use crate::mesh::polygon::Cutter;

/// What surfaces are made with.
pub(crate) struct Workshop<'a> {
    pub(crate) cutter: &'a mut Cutter,
    pub(crate) budget: &'a mut MeshBudget,
    pub(crate) warnings: &'a mut GltfWarnings,
}

/// Vertices and triangles that may still be made.
#[derive(Debug)]
pub(crate) struct MeshBudget(pub(crate) usize);

impl MeshBudget {
    /// Takes so many; otherwise what is wrong.
    pub(crate) fn spend(&mut self, wanted: usize) -> std::result::Result<(), String> {
        match self.0.checked_sub(wanted) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err("found more vertices and triangles in this world than can be held".into()),
        }
    }
}
