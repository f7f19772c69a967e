//! Chasles for C and C++: the library behind `include/chasles.h`.
//!
//! | module | functions for C |
//! |---|---|
//! | `status` | status codes, the message of the last error, the version |
//! | `argument` | none: checks of the arguments from C |
//! | `pose` | poses, also from matrices |
//! | `body` | bodies: meshes and primitives |
//! | `contact` | first contacts: of two bodies, and of many pairs at a time |
//! | `distance` | static bodies: intersection and distance |
//! | `cell` | robots in their cells: checks of paths |
//! | `edges` | straight edges in joint space and configurations, for planners |
//!
//! The header consists of these doc comments, so they are written for readers who do not know Rust. A test compares
//! the header with freshly generated text; `CHASLES_WRITE=1 cargo test -p chasles-c --test header` writes it.
//!
//! **Preconditions.** A pointer that is not NULL points to what its type says, which no other code changes during
//! the call, and an array has as many elements as its count says. These conditions cannot be checked. NULL,
//! impossible counts, misaligned pointers and invalid numbers are detected and rejected. No panic crosses the
//! boundary: it becomes `CHASLES_STATUS_INTERNAL`.

#![allow(clippy::doc_markdown, reason = "parameters stand in the comments as Doxygen has them")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the same is relied on everywhere, and stands above and in the header"
)]

pub mod status;
mod argument;
pub mod pose;
pub mod body;
pub mod contact;
pub mod distance;
pub mod cell;
pub mod edges;
