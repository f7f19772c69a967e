//! Conservative steps for two meshes along any smooth motion: the time for which they stay separated, or intersect.
//!
//! No screw is needed here: the motion is known by a position, a velocity and a bound of the acceleration
//! ([`relative_state`]).
//!
//! * [`separation`] bounds the time for which two nodes of two hierarchies stay separated. [`front`] does so for two
//!   surfaces; it stores pairs of boxes and triangles, each proven separated until its own time.
//! * Three proofs bound the time for which two surfaces intersect: an edge passes through a triangle
//!   ([`edge_through_face`]), a vertex stays inside a convex body ([`vertex_inside`]), or two points stay on both sides
//!   of a closed surface ([`both_sides`]).
//! * [`fronts`] and [`intersecting`] apply these bounds along a whole [relative motion](crate::motion::relative), part
//!   by part.
//!
//! Start with [`separation`].

pub(crate) mod relative_state;
pub(crate) mod separation;
pub(crate) mod front;
pub(crate) mod edge_through_face;
pub(crate) mod vertex_inside;
pub(crate) mod both_sides;
pub(crate) mod fronts;
pub(crate) mod intersecting;
#[cfg(test)]
mod tests;
