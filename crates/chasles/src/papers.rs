//! The methods of the papers on which Chasles is based, as published: kept, documented and measured.
//!
//! Each file implements one paper. No query uses these methods: they are slower than the methods of the engine, and
//! tests compare the fast methods with them.
//!
//! ```text
//! rejection         Kim and Rossignac 2003, "Early rejection tests": which pairs of features cannot meet on a screw
//! methods           overlapping swept boxes by several methods: sweep, grid (Sinjur, 4.2), octree (Moore and
//!                   Wilhelms), all pairs (Sinjur, 4.1)
//! triangle_grid     Sinjur, 4.2: the triangles of static bodies, in cells
//! static_check      Sinjur, 4.1: which bodies of such a grid intersect, by the raw method and the grid
//! flexible          Moore and Wilhelms, 2.1: vertices that pass through triangles whose vertices move independently
//! three_steps       Moore and Wilhelms, 2.2: vertices, edges and faces of a convex polyhedron inside another
//! points_on_curves  Algorithm 1, DETERMINE-TOC: the time at which points on curved paths meet a solid of any kind
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
