//! What is a body made of?
//!
//! A [`mesh`] is vertices in places, and a `topology` that says how its triangles hang together and stays when vertices move.
//! A [`primitive`] becomes a mesh whose deviation is proven.
//!
//! An `expression` is a function of x, y and z, given by a formula. [`mass`] is volume, centre and inertia of what a mesh or a
//! primitive surrounds.
//!
//! Read [`mesh`] first.

mod topology;
pub(crate) mod around;
pub(crate) mod mesh;
pub(crate) mod pieces;
pub(crate) mod mesh_facts;
pub(crate) mod primitive;
pub(crate) mod expression;
pub(crate) mod grid;
pub(crate) mod cloud;
pub(crate) mod patch;
pub(crate) mod solid;
pub(crate) mod mass;

pub use cloud::PointCloud;
pub use expression::{Expression, ExpressionError, TapeMemory};
pub use grid::{HeightField, LevelSet};
pub use mass::MassProperties;
pub use mesh::Mesh;
pub use mesh_facts::MeshFacts;
pub use patch::ParametricSurface;
pub use primitive::{Primitive, Tessellation};
pub use solid::{PartShape, Solid, SolidError, SolidPart};
