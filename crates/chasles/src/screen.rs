//! What of two bodies can meet along a screw, and what meets, all at once (Buss 2005, "Collision detection with relative
//! screw motion")?
//!
//! Under a screw every point runs along a fixed curved track, its **flow line** ([`flow`]). A part of a surface either
//! leads, trails or slides along it, and this never changes ([`facing`]): A's leading parts can meet only B's trailing
//! ones. The **screen** is what one sees when looking along the flow lines: points of A and B that lie on top of each
//! other there meet, and how far they are apart along the flow line says when. [`collisions`] are all meetings of
//! features between parts that matter, each with how *proper* it is ([`proper`]); [`inside`] counts how often each vertex
//! enters and leaves the other body.
//!
//! [`clearance`] tells, for the flow line through a point, how far B is ahead of A; [`map`] does so for the vertices of
//! A, and [`play`] proves how far A may go on, and how far back. All three see the screw in the [`frame`] that screens
//! are drawn in; [`line`], [`band`] and [`crossings`] follow flow lines through a mesh.
//!
//! Read [`collisions`] first.

pub(crate) mod flow;
pub(crate) mod facing;
pub(crate) mod surface;
pub(crate) mod proper;
pub(crate) mod collision;
mod resolve;
mod matter;
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
