//! Which triangles of a mesh are in a region? Bounding volume hierarchies over its triangles.
//!
//! A binary tree is built by the surface area heuristic (`sah`), gets boxes that fit (`oriented`), and is made eight wide
//! (`collapse`). Read [`layout`] first: it is what searches see.

pub(crate) mod layout;
mod sah;
mod oriented;
mod collapse;
#[cfg(test)]
mod tests;

pub(crate) use layout::Bvh;
