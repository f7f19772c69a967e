//! Bounding volume hierarchies over the triangles of a mesh.

pub mod build;

pub use build::{Bvh, Node};
