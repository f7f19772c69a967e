//! The methods of the papers that Chasles began with, as published: kept, documented and measured.
//!
//! Read the file of the paper that you know. No query runs these methods: they answer the same questions more slowly, and
//! tests compare the fast methods with them.
//!
//! ```text
//! rejection         Kim and Rossignac 2003, "Early rejection tests": which pairs of features cannot meet on a screw
//! methods           which swept boxes overlap: sweep, grid (Sinjur, 4.2), octree (Moore and Wilhelms),
//!                   all pairs (Sinjur, 4.1)
//! triangle_grid     Sinjur, 4.2: the triangles of bodies that stand, in cells
//! static_check      Sinjur, 4.1: which bodies of such a grid intersect, by the raw method and the grid
//! flexible          Moore and Wilhelms, 2.1: which vertices go through triangles whose vertices move on their own
//! three_steps       Moore and Wilhelms, 2.2: which vertices, edges and faces of convex polyhedra are inside of the other
//! points_on_curves  Algorithm 1, DETERMINE-TOC: when do points on curved paths meet a solid of any kind
//! ```

pub mod rejection;
pub(crate) mod cells;
mod sweep;
mod grid;
mod octree;
pub mod methods;
pub mod triangle_grid;
pub mod static_check;
pub mod flexible;
pub mod three_steps;
pub mod points_on_curves;
#[cfg(test)]
mod methods_tests;
#[cfg(test)]
mod flexible_tests;
#[cfg(test)]
mod three_steps_tests;
