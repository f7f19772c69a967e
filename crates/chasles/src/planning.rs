//! Is a straight way in joint space free? Asked millions of times, as planners do.
//!
//! ```text
//! chain     the robot as groups of links that move as one; where they are
//! balls     trees of small balls that hold what moves
//! boxes     trees of boxes that hold what stands
//! shells    connected surfaces, and which places closed ones enclose
//! inside    larger balls in place of the small ones, which stand out of it less
//! sweep     balls on chords against boxes and balls, seven spans of time at once
//! part      a shape, and what holds it
//! near      one pair whose balls may meet, by its true shapes
//! map       where in the values of few joints two groups of links stay apart
//! parts     all shapes, and which pairs of them are tested
//! answer    what is told
//! question  one question, from its balls to its true shapes
//! checker   THE DOOR: edges, postures, how far an edge is free
//! ```
//!
//! Where the insides of two bodies certainly overlap, as balls tell, an edge is blocked ([`shells`]). What the balls of
//! [`sweep`] do not prove free goes to the true shapes, pair by pair and span by span ([`near`]): first a look whether a
//! pair surely intersects in the middle of the span in which its balls are deepest in each other, then
//! [bounds of the motion](crate::mesh_motion). What remains even then, some touching, is asked of
//! [`RobotCell::check_path`](crate::RobotCell::check_path). Nothing is learnt from one question for the next.
//!
//! Read [`checker`] first.

pub(crate) mod chain;
pub(crate) mod spheres;
pub(crate) mod boxes;
pub(crate) mod shells;
pub(crate) mod interior_spheres;
pub(crate) mod sweep;
pub(crate) mod part;
pub(crate) mod near;
pub(crate) mod clearance_grid;
pub(crate) mod parts;
pub(crate) mod answer;
pub(crate) mod edge;
pub(crate) mod checker;
#[cfg(test)]
mod chain_tests;
#[cfg(test)]
mod spheres_tests;
#[cfg(test)]
mod clearance_grid_tests;
#[cfg(test)]
mod shells_tests;
