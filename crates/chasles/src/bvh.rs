//! Bounding volume hierarchies over the triangles of a mesh.

pub(crate) mod layout;
mod sah;
mod oriented;
mod collapse;
#[cfg(test)]
mod tests;

pub(crate) use layout::Bvh;
