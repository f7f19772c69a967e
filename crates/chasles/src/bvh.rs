//! Bounding volume hierarchies over the triangles of a mesh, which find the triangles in a region.
//!
//! A binary tree is built by the surface area heuristic (`sah`), gets oriented boxes (`oriented`), and is made
//! eight wide (`collapse`). Start with [`layout`], which searches traverse.

pub(crate) mod layout;
mod sah;
mod oriented;
mod collapse;
#[cfg(test)]
mod tests;

pub(crate) use layout::Bvh;
