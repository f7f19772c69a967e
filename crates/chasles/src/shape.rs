//! Shapes of bodies.

mod topology;
pub(crate) mod mesh;
pub(crate) mod pieces;
pub(crate) mod mesh_facts;
pub(crate) mod primitive;

pub use mesh::Mesh;
pub use mesh_facts::MeshFacts;
pub use primitive::{Primitive, Tessellation};
