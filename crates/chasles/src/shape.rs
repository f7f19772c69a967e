//! Shapes of bodies.

mod connect;
pub mod mesh;
pub(crate) mod pieces;
pub mod mesh_facts;
pub mod primitive;

pub use mesh::Mesh;
pub use mesh_facts::MeshFacts;
pub use primitive::{Primitive, Tessellation};
