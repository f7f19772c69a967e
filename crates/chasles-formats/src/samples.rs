//! Files of samples that a scene names. Read [`npy`] first.
//!
//! | module | content |
//! |---|---|
//! | [`npy`] | arrays of NumPy: the samples of level sets and height fields |
//! | [`point_cache`] | PC2 and MDD: the vertices of a mesh over time |
//! | [`motion_keys`] | times and poses, as CSV or as an array of NumPy |
//! | [`mesh_sequence`] | mesh files that are the frames of one surface |

pub mod npy;
pub mod point_cache;
pub mod motion_keys;
pub mod mesh_sequence;
