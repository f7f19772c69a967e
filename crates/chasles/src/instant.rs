//! The relative position of two meshes at one time: distance, containment and penetration.
//!
//! [`gap`] encloses the distance of two surfaces, best first over both hierarchies:
//! [`gap_bounds`] bounds eight boxes against one, [`triangle_gap`] computes the distance of two triangles.
//! [`inside`] decides whether a point is inside a closed surface, [`nearest_on`] computes its distance from a
//! surface, and [`penetration`] computes the translation that separates a convex body from another that it
//! intersects. [`flush`] proves that bodies are deep in each other though their surfaces only touch.
//! [`mesh_screw::overlap`](crate::mesh_screw::overlap) finds the triangles in which two surfaces intersect: it is
//! the search along a screw, restricted to one time.
//!
//! Start with [`gap`].

pub(crate) mod triangle_gap;
pub(crate) mod gap_bounds;
pub(crate) mod gap;
pub(crate) mod inside;
pub(crate) mod nearest_on;
pub(crate) mod depth;
pub(crate) mod flush;
pub(crate) mod penetration;
#[cfg(test)]
pub(crate) mod triangle_gap_tests;
#[cfg(test)]
pub(crate) mod gap_tests;
#[cfg(test)]
mod inside_tests;
#[cfg(test)]
mod flush_tests;
