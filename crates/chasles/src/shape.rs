//! Shapes of bodies.

pub mod mesh;
pub mod mesh_facts;

pub use mesh::Mesh;
pub use mesh_facts::MeshFacts;
