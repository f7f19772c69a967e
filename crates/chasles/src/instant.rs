//! How do two meshes stand to each other at one time?
//!
//! [`gap`] encloses the distance of two surfaces, best first over both hierarchies: [`gap_bounds`] bounds eight boxes
//! against one, [`triangle_gap`] is the distance of two triangles. [`inside`] says whether a point is inside a closed
//! surface, [`nearest_on`] how far it is from one, and [`penetration`] by how much a convex body that intersects another must be moved to part them.
//! [`flush`] tells bodies that are deep in each other though their surfaces only touch.
//! [`search::overlap`](crate::search::overlap) says whether two surfaces intersect, and in which triangles: it is the
//! search along a screw, held at one time.
//!
//! Read [`gap`] first.

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
