//! The benchmark's generator: problems whose answers come with proofs that others can check. README.md has the format.
//!
//! [`screws`], [`features`], [`cloths`] and [`robots`] ask for problems; [`certify`] finds their certificates with
//! [`cover`], [`plane`] and [`meeting`] on the bodies of [`body`]; [`set`] writes them. All of this is search: what
//! counts is that `check.py` accepts the result.

pub mod shapes;
pub mod body;
pub mod plane;
pub mod cover;
pub mod meeting;
pub mod certify;
pub mod set;
pub mod screws;
pub mod features;
pub mod cloths;
pub mod robots;
