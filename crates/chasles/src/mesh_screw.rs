//! When do two meshes meet, one of them moving along a screw?
//!
//! In the **helical chart** ([`chart`]) a screw is a translation, so boxes that turn and slide become bounds that only
//! slide. [`traversal`] descends two hierarchies in the chart at the same time, earliest pairs first, and gives a
//! visitor the pairs of triangles that can meet, with the span of time in which they can. There are two visitors:
//! [`meetings`] asks the features when they meet, [`overlap`] asks whether triangles intersect at one time. Before the
//! descent the bounding spheres ([`approach`]) and the convex hulls of small bodies ([`hulls`], [`slab`]) rule out
//! most of the motion. [`pipeline`] puts these together for one query. [`intervals`] joins the events of a whole
//! motion to spans of contact, which [`piece`] gives in seconds. [`reference`] is the slow twin, which asks every pair
//! of features.
//!
//! Read [`pipeline`] first.

pub(crate) mod query;
pub(crate) mod approach;
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
pub(crate) mod overlap;
pub(crate) mod reference;
pub(crate) mod pipeline;
pub(crate) mod intervals;
pub(crate) mod piece;
#[cfg(test)]
pub(crate) mod small_bodies;
#[cfg(test)]
mod chart_tests;
