//! Contact of two meshes, one moving along a screw.
//!
//! In the **helical chart** ([`chart`]) a screw is a translation, so boxes that rotate and slide become bounds that
//! only slide. [`traversal`] descends two hierarchies in the chart at the same time, earliest pairs first, and
//! passes to a visitor the pairs of triangles that can meet, with the interval of time in which they can. There are
//! two visitors: [`meetings`] finds the times at which features meet, [`overlap`] tests whether triangles intersect
//! at one time. Before the descent the bounding spheres ([`approach`]) and the convex hulls of small bodies
//! ([`hulls`], [`slab`]) exclude most of the motion. [`pipeline`] combines these for one query. [`intervals`] joins
//! the events of a whole motion to contact intervals, which [`timed`] converts to seconds. [`reference`] is the
//! slow twin, which tests every pair of features.
//!
//! Start with [`pipeline`].

pub(crate) mod query;
pub(crate) mod approach;
pub(crate) mod hulls;
pub(crate) mod chart;
pub(crate) mod charted;
pub(crate) mod queue;
pub(crate) mod lane_intervals;
pub(crate) mod near_axis;
pub(crate) mod feature_intervals;
pub(crate) mod traversal;
pub(crate) mod meetings;
pub(crate) mod slab;
pub(crate) mod overlap;
pub(crate) mod reference;
pub(crate) mod pipeline;
pub(crate) mod intervals;
pub(crate) mod timed;
#[cfg(test)]
pub(crate) mod small_bodies;
#[cfg(test)]
mod chart_tests;
