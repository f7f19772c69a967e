//! Fast collision checks of straight edges in joint space, for motion planners, which make millions.
//!
//! ```text
//! chain             the robot as groups of links that move as one, and their poses
//! spheres           trees of small spheres that contain moving parts
//! boxes             trees of boxes that contain static bodies
//! shells            connected surfaces, and the points that closed surfaces enclose
//! interior_spheres  larger spheres about interior points, which protrude less than small ones
//! sweep             spheres on chords against boxes and spheres, seven time intervals at once
//! part              a shape and its bounding tree
//! near              exact test of one pair whose spheres may intersect
//! clearance_grid    the values of a few joints for which two groups of links stay separated
//! parts             all shapes, and the pairs of them that are tested
//! answer            the outcomes of edge and configuration checks
//! edge              one query, from bounding spheres to exact shapes
//! checker           the entry point: edges, configurations, the free length of an edge
//! ```
//!
//! If interior spheres prove that the interiors of two bodies overlap, the edge is blocked ([`shells`]). The pairs
//! and intervals that [`sweep`] does not prove free are tested with the exact shapes, pair by pair ([`near`]):
//! first at the middle of the interval in which the spheres overlap most deeply, for an intersection, then with
//! [bounds of the motion](crate::mesh_motion). Cases that are still undecided, some touching contacts, go to
//! [`RobotCell::check_path`](crate::RobotCell::check_path). A query keeps no result for the next query.
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
