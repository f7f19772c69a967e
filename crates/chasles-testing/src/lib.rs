//! Common parts of the tests, benches and fuzz targets of Chasles: seeded random numbers, meshes, gears, the order
//! of modules, a robot.
//!
//! This crate does not depend on the engine, because the engine's own unit tests use it too.

mod random;
pub mod gears;
pub mod meshes;
pub mod modules;
pub mod robots;

pub use random::{Random, cases};
