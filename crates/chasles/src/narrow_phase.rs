//! Pairs of meshes, triangles and features.

pub(crate) mod distance;
pub(crate) mod advance;
pub(crate) mod functions;
pub(crate) mod event;
pub mod contact;
pub(crate) mod collector;
pub(crate) mod features;
pub(crate) mod lanes;
pub(crate) mod approach;
pub(crate) mod chart;
pub(crate) mod charted;
pub(crate) mod queue;
pub(crate) mod spans;
pub(crate) mod feature_spans;
pub(crate) mod traversal;
pub(crate) mod meetings;
pub mod overlap;
pub mod rejection;
pub(crate) mod reference;
#[cfg(test)]
mod chart_tests;
