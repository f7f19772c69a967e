//! What the tests, benches and fuzz targets of Chasles share: random numbers from a seed, meshes, gears, the order of
//! modules, a robot.
//!
//! It knows nothing of the engine, whose own unit tests use it too.

mod random;
pub mod gears;
pub mod meshes;
pub mod modules;
pub mod robots;

pub use random::Random;
