//! First contact of large meshes: the calls, the sets of queries, and the peers.

pub mod engine;
pub mod sets;
pub mod queries;
pub mod throughput;
pub mod outside;
pub mod rivals;
