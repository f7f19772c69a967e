//! For how long do two meshes stay as they are, along any smooth motion?
//!
//! No screw is needed here: a motion is a position, a velocity and a bound of the acceleration ([`passing`]), and
//! every answer is a series of conservative steps. [`apart`] says for how long two nodes of two hierarchies stay apart.
//! [`front`] says until when two surfaces do; it remembers the pairs of boxes and triangles that are apart, each until a
//! time of its own. [`hold`] says for how long an edge passes through a triangle, [`convex_hold`] for how long a vertex
//! stays inside a convex body, [`across`] for how long two points stay on both sides of any closed surface: while one of
//! these lasts, the surfaces intersect.
//! [`fronts`] and [`held`] do this along a whole [relative motion](crate::motion::relative), part by part.
//!
//! Read [`apart`] first.

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
