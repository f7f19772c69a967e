//! The cases of the benches: seeded bodies, motions, scenes and robots.

pub mod shapes;
pub mod meshes;
pub mod pairs;
pub mod sweeps;
pub mod swarm;
pub mod robot_world;
pub mod gears;
pub mod moving;
pub mod arm;
pub mod linkage;
pub mod experiments;
pub mod solids;
pub mod scans;
