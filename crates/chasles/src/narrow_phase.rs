//! Pairs of meshes, triangles and features.

pub(crate) mod distance;
pub(crate) mod advance;
pub(crate) mod functions;
pub(crate) mod event;
pub mod contact;
pub(crate) mod collector;
pub(crate) mod features;
pub(crate) mod boxes;
pub mod overlap;
pub(crate) mod traversal;
pub mod rejection;
pub(crate) mod reference;
