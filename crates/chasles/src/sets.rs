//! When do two bodies of any kind meet: solids given by formulas, parts or grids, clouds, parametric surfaces, and meshes
//! and primitives beside them?
//!
//! Every body becomes a [`tree`] of convex volumes that provably hold it, refined as far as a search needs. Solids are
//! [`program`]s of functions whose bounds over boxes give the volumes. From then on all bodies are alike.
//!
//! [`volume`] computes how far two volumes are apart and how fast they close, and [`bounded_motion`] how long they stay apart.
//! [`first`] finds when two bodies first come within a distance, [`between`] the contact normal, [`gap`] their distance
//! at one time, [`hold`] how long they stay near, [`corner`] the inward direction where several sides meet, [`cross`]
//! whether surfaces cross, [`sharpen`] when they come to touch, and [`place`] where. [`follow`] combines these steps;
//! [`least`] computes the minimum distance.
//! [`polygons`] and [`cloud_mesh`] make the meshes that show bodies, on which no answer depends; [`samples`] are points of a
//! surface, [`mass`] is how much a solid holds.
//!
//! The guarantee of the paper on arbitrary geometry (Algorithm 1) ends at the points that were sampled; this one holds
//! for whole surfaces.
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
pub(crate) mod hold;
pub(crate) mod corner;
pub(crate) mod sharpen;
pub(crate) mod place;
pub(crate) mod follow;
pub(crate) mod least;
pub(crate) mod polygons;
pub(crate) mod cloud_mesh;
pub(crate) mod samples;
pub(crate) mod mass;
