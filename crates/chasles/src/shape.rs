//! The geometry of a body.
//!
//! A [`mesh`] has vertex positions, and a `topology` that describes how its triangles are connected and stays the
//! same when vertices move. A [`primitive`] becomes a mesh with a proven deviation.
//!
//! An `expression` is a function of x, y and z, given by a formula. [`mass`] computes volume, centre of mass and
//! inertia of the solid enclosed by a mesh or a primitive.
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
