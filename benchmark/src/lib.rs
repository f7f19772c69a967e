//! The benchmark's generator: problems whose answers have proofs that others can check. The format is in README.md.
//!
//! [`screws`], [`features`], [`cloths`] and [`robots`] make problems; [`certify`] finds their certificates with
//! [`cover`], [`plane`] and [`contacts`] on the bodies of [`body`]; [`set`] writes them. All of this is search: the
//! result counts only if `check.py` accepts it.

pub mod shapes;
pub mod body;
pub mod plane;
pub mod cover;
pub mod contacts;
pub mod certify;
pub mod set;
pub mod screws;
pub mod features;
pub mod cloths;
pub mod robots;
