//! Shared tools and budgets for creating surfaces.

use crate::error::Warnings;
use crate::mesh::polygon::Cutter;

/// The tools for creating surfaces.
pub(crate) struct Workshop<'a> {
    pub(crate) cutter: &'a mut Cutter,
    pub(crate) budget: &'a mut MeshBudget,
    pub(crate) warnings: &'a mut Warnings,
}

/// The number of vertices and triangles that may still be created.
#[derive(Debug)]
pub(crate) struct MeshBudget(pub(crate) usize);

impl MeshBudget {
    /// Takes this number from the budget, or returns an error.
    pub(crate) fn spend(&mut self, count: usize) -> std::result::Result<(), String> {
        match self.0.checked_sub(count) {
            Some(remaining) => {
                self.0 = remaining;
                Ok(())
            }
            None => Err("found more vertices and triangles in this world than can be held".into()),
        }
    }
}
