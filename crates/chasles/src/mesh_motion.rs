//! Conservative steps for two meshes along any smooth motion: the time for which they stay separated, or intersect.
//!
//! No screw is needed here: a motion is a position, a velocity and a bound of the acceleration
//! ([`passing`]). [`apart`] bounds the time for which two nodes of two hierarchies stay separated. [`front`] does
//! so for two surfaces; it stores pairs of boxes and triangles, each proven separated until its own time. [`hold`]
//! bounds the time for which an edge passes through a triangle, [`convex_hold`] for which a vertex stays inside a
//! convex body, [`across`] for which two points stay on both sides of any closed surface: during these times the
//! surfaces intersect. [`fronts`] and [`held`] apply this along a whole [relative motion](crate::motion::relative),
//! part by part.
//!
//! Start with [`apart`].

pub(crate) mod passing;
pub(crate) mod apart;
pub(crate) mod front;
pub(crate) mod hold;
pub(crate) mod convex_hold;
pub(crate) mod across;
pub(crate) mod fronts;
pub(crate) mod held;
#[cfg(test)]
mod passing_tests;
