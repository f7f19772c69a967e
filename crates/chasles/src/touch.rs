//! Points, normals and gaps at which two bodies at given poses touch, or nearly do, for contact forces.
//!
//! ```text
//! place                    one contact place, and the reduction of many places to a few
//! separating_translation   the translation that separates two penetrating bodies
//! posed_mesh               a mesh at a pose: orientation of its faces, convexity of its edges and vertices
//! meshes                   two meshes: vertices over faces, crossing edges, vertices near edges
//! rounds                   spheres, cylinders, cones and capsules against meshes and each other
//! ```
//!
//! The places are computed, not proven: a caller that moves bodies by them must test afterwards whether they stayed
//! separated.

pub(crate) mod place;
pub(crate) mod separating_translation;
pub(crate) mod posed_mesh;
pub(crate) mod meshes;
pub(crate) mod rounds;
