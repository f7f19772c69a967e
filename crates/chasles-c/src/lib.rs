//! Chasles for C and C++: what `include/chasles.h` declares.
//!
//! | module | what C calls |
//! |---|---|
//! | `status` | codes, the message of the last error, the version |
//! | `given` | no function: what C hands over, checked |
//! | `pose` | poses, also from matrices |
//! | `body` | bodies: meshes and primitives |
//! | `contact` | first contacts: of two bodies, and of many pairs at a time |
//! | `stance` | bodies that stand: do they intersect, how far are they apart? |
//! | `cell` | robots in their cells: is this path free? |
//! | `edges` | straight edges in joint space and configurations, for planners |
//!
//! The header is made of these doc comments: what stands here is written for people who do not know Rust. A test
//! compares the header with what would be made now; `CHASLES_WRITE=1 cargo test -p chasles-c --test header` writes it.
//!
//! **What is relied on.** A pointer that is not NULL points to what its type says, which nobody else changes during the
//! call, and an array has as many elements as its count says; no more can be checked. NULL, counts that cannot be,
//! pointers that are not aligned, and numbers without meaning are found and refused. No panic crosses the border: it
//! becomes `CHASLES_STATUS_INTERNAL`.

#![allow(clippy::doc_markdown, reason = "parameters stand in the comments as Doxygen has them")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the same is relied on everywhere, and stands above and in the header"
)]

pub mod status;
mod given;
pub mod pose;
pub mod body;
pub mod contact;
pub mod stance;
pub mod cell;
pub mod edges;
