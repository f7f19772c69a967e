//! When do two bodies of any kind come into contact: solids (formulas, parts or grids), clouds, parametric surfaces,
//! meshes and primitives?
//!
//! Every body becomes a [`tree`] of convex volumes that provably contain it, refined as far as a search needs. A
//! solid is a [`program`] of functions, whose bounds over boxes give the volumes. All later steps treat every kind
//! of body alike.
//!
//! [`volume`] computes the distance of two volumes and how fast it shrinks, and [`bounded_motion`] how long they
//! stay separated. [`first`] finds when two bodies first come within a distance, [`between`] the contact normal,
//! [`gap`] their distance at one time, and [`cross`] whether surfaces cross. [`follow`] combines these steps to all
//! intervals in which they are near; [`least`] computes the minimum distance. [`polygons`] and [`cloud_mesh`] make
//! meshes for display only; no answer depends on them. [`samples`] places points on a surface, and [`mass`]
//! integrates a solid's volume and mass.
//!
//! The guarantee of the paper on arbitrary geometry (Algorithm 1) covers only the sampled points; this one covers
//! whole surfaces.
//!
//! Read [`first`] first.

pub(crate) mod volume;
pub(crate) mod clip;
pub(crate) mod program;
pub(crate) mod tree;
pub(crate) mod bounded_motion;
pub(crate) mod first;
pub(crate) mod between;
pub(crate) mod gap;
pub(crate) mod cross;
pub(crate) mod follow;
pub(crate) mod least;
pub(crate) mod polygons;
pub(crate) mod cloud_mesh;
pub(crate) mod samples;
pub(crate) mod mass;
