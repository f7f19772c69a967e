//! Collisions of two bodies along a screw: which parts can collide, and all collisions at once (Buss 2005, "Collision
//! detection with relative screw motion").
//!
//! Under a screw every point follows a fixed curve, its **flow line** ([`flow`]). A part of a surface leads, trails
//! or slides along the flow, and this never changes ([`facing`]): leading parts of A can collide only with trailing
//! parts of B. These are the parts that *matter*. The **screen** is the view along the flow lines: two points of A
//! and B that cover each other on the screen collide, and their distance along the flow line determines the time.
//! [`collisions`] finds all collisions of features between parts that matter, each with how *proper* it is
//! ([`proper`]); [`inside`] counts how often each vertex enters and leaves the other body.
//!
//! [`clearance`] computes the distance from A ahead to B on the flow line through a point, [`map`] computes it for
//! the vertices of A, and [`play`] proves how far A may move forward and backward. All three use the [`frame`] in
//! which screens are drawn; [`line`], [`band`] and [`crossings`] follow flow lines through a mesh.
//!
//! Read [`collisions`] first.

pub(crate) mod flow;
pub(crate) mod facing;
pub(crate) mod surface;
pub(crate) mod proper;
pub(crate) mod collision;
mod resolve;
mod facing_filter;
pub(crate) mod inside;
pub(crate) mod collisions;
pub(crate) mod frame;
pub(crate) mod line;
pub(crate) mod band;
pub(crate) mod crossings;
pub(crate) mod clearance;
pub(crate) mod map;
pub(crate) mod play;
pub(crate) mod concurrent;
pub(crate) mod pixels;
