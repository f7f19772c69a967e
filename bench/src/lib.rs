//! Measurements of chasles, against its papers and its peers.
//!
//! Each program in `src/bin` is one bench; here is what they share.

pub mod random;
pub mod shapes;
pub mod cases;
pub mod timing;
pub mod machine;
pub mod table;
pub mod options;
pub mod paper;
pub mod peers;
pub mod meshes;
pub mod sweeps;
pub mod engine;
pub mod sets;
pub mod queries;
pub mod throughput;
pub mod outside;
pub mod rivals;
pub mod swarm;
pub mod robot_world;
pub mod gears;
pub mod moving;
pub mod arm;
pub mod linkage;
