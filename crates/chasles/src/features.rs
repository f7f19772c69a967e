//! Times at which two features meet: a vertex and a face, or two edges, with one body moving along a screw.
//!
//! Along a screw the signed distance of a vertex from a plane, and the signed volume that two edges span, are linear
//! combinations of six functions of time ([`functions`]). Every time of contact is a root of such a function, or a
//! time at which the features come within the tolerance. [`pairs`] finds the roots, tests at each whether the
//! features themselves meet there ([`crossing`], [`advance`]), and gives the resulting [`event`]s to a [`collector`],
//! which keeps the needed events. [`contact`] computes the point, normal and approach speed of an event.
//!
//! Start with [`pairs`].

pub(crate) mod screw_motion;
pub(crate) mod witness;
pub(crate) mod advance;
pub(crate) mod event;
pub(crate) mod functions;
pub(crate) mod contact;
pub(crate) mod collector;
pub(crate) mod crossing;
mod paths;
pub(crate) mod pairs;
