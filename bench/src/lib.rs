//! Benchmarks of chasles, against its papers and its peers.
//!
//! Each program in `src/bin` is one bench; this library has their common parts.

pub mod program;
pub mod cases;
pub mod paper;
pub mod peers;
pub mod first_contact;
pub mod sampling;
pub mod checks;
