//! Where two bodies that stand touch, or nearly do: points, directions and gaps for contact forces.
//!
//! ```text
//! place       one place; how many become a few
//! undone      the shift that undoes all touches of bodies that are in each other
//! standing    a mesh where it stands: which way its faces look, and what its edges and vertices are like
//! meshes      two meshes: vertices over faces, edges that cross, vertices near edges
//! rounds      spheres, cylinders, cones and capsules against meshes and each other
//! ```
//!
//! Points are found, nothing is proven: whoever moves bodies by them asks afterwards whether they stayed apart.

pub(crate) mod place;
pub(crate) mod undone;
pub(crate) mod standing;
pub(crate) mod meshes;
pub(crate) mod rounds;
