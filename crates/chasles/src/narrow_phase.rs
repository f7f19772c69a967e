//! Pairs of meshes, triangles and features.

pub(crate) mod distance;
pub(crate) mod advance;
pub(crate) mod functions;
pub(crate) mod event;
pub mod contact;
pub(crate) mod collector;
pub(crate) mod crossing;
pub(crate) mod features;
pub(crate) mod lanes;
pub(crate) mod approach;
pub(crate) mod simplex;
pub(crate) mod hulls;
pub(crate) mod chart;
pub(crate) mod charted;
pub(crate) mod queue;
pub(crate) mod spans;
pub(crate) mod near_axis;
pub(crate) mod feature_spans;
pub(crate) mod traversal;
pub(crate) mod meetings;
pub(crate) mod slab;
pub(crate) mod witness;
pub mod overlap;
pub(crate) mod triangle_gap;
pub(crate) mod gap_bounds;
pub(crate) mod gap;
pub(crate) mod passing;
pub(crate) mod front;
pub(crate) mod hold;
pub(crate) mod inside;
pub(crate) mod convex_hold;
pub mod rejection;
pub(crate) mod reference;
pub(crate) mod round;
pub(crate) mod parting;
pub mod static_check;
#[cfg(test)]
pub(crate) mod small_bodies;
#[cfg(test)]
mod chart_tests;
#[cfg(test)]
mod triangle_gap_tests;
#[cfg(test)]
mod gap_tests;
#[cfg(test)]
mod inside_tests;
#[cfg(test)]
mod passing_tests;
