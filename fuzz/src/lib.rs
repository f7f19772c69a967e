//! Fuzz targets of chasles as plain functions of bytes, which run on stable Rust too.
//!
//! Each panics if the bytes reveal a fault: a panic of the library, a contradiction, or an incomplete message. A
//! run of more than ten seconds is a fault as well, which the fuzzer detects.
//!
//! | module | content |
//! |---|---|
//! | [`bytes`] | numbers, poses and screws from bytes |
//! | [`jog`] | the commands of `chasles jog` |
//! | [`formula`] | formulas |
//! | [`readers`] | one target for each kind of file |
//! | [`recording`] | recordings of simulations |
//! | [`packed`] | scenes, cells and shapes in the format of the Python package's pickles |
//! | [`mass`] | masses of meshes and primitives, against integers |
//! | [`features`] | features whose vertices move, against the exact twin |
//! | [`engine`] | two meshes, their report on a screw, a scene, a robot in its cell |
//! | [`seeds`] | small inputs from which the fuzzer starts |

#![forbid(unsafe_code)]

pub mod bytes;
pub mod jog;
pub mod formula;
pub mod readers;
pub mod recording;
pub mod packed;
#[path = "../../crates/chasles/tests/engine/exact/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "of the engine's tests")]
mod exact;
#[path = "../../crates/chasles/tests/engine/bending/moving_cases/twin.rs"]
#[allow(dead_code, unreachable_pub, reason = "of the engine's tests")]
mod twin;
pub mod features;
#[path = "../../crates/chasles/tests/engine/shapes/mass_twin.rs"]
#[allow(dead_code, unreachable_pub, reason = "of the engine's tests")]
mod mass_twin;
pub mod mass;
pub mod engine;
pub mod seeds;

/// A fuzz target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name, as in `cargo fuzz run NAME`.
    pub name: &'static str,
    /// Runs the target on bytes; panics if they reveal a fault.
    pub run: fn(&[u8]),
    /// Inputs to start from, each valid or nearly valid.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: [Target; 35] = [
    Target { name: "packed", run: packed::packed, seeds: packed::seeds },
    Target { name: "scene", run: readers::scene, seeds: seeds::scene },
    Target { name: "gltf", run: readers::gltf, seeds: seeds::gltf },
    Target { name: "obj", run: readers::obj, seeds: seeds::obj },
    Target { name: "stl", run: readers::stl, seeds: seeds::stl },
    Target { name: "ply", run: readers::ply, seeds: seeds::ply },
    Target { name: "off", run: readers::off, seeds: seeds::off },
    Target { name: "dae", run: readers::dae, seeds: seeds::dae },
    Target { name: "octomap", run: readers::octomap, seeds: seeds::octomap },
    Target { name: "npy", run: readers::npy, seeds: seeds::npy },
    Target { name: "cache", run: readers::cache, seeds: seeds::cache },
    Target { name: "xyz", run: readers::xyz, seeds: seeds::xyz },
    Target { name: "pcd", run: readers::pcd, seeds: seeds::pcd },
    Target { name: "urdf", run: readers::urdf, seeds: seeds::urdf },
    Target { name: "xacro", run: readers::xacro, seeds: seeds::xacro },
    Target { name: "robots", run: readers::robots, seeds: seeds::robots },
    Target { name: "sequence", run: readers::sequence, seeds: seeds::sequence },
    Target { name: "srdf", run: readers::srdf, seeds: seeds::srdf },
    Target { name: "world", run: readers::world, seeds: seeds::world },
    Target { name: "motion_keys", run: readers::motion_keys, seeds: seeds::motion_keys },
    Target { name: "path_csv", run: readers::path_csv, seeds: seeds::path_csv },
    Target { name: "path_yaml", run: readers::path_yaml, seeds: seeds::path_yaml },
    Target { name: "path_json", run: readers::path_json, seeds: seeds::path_json },
    Target { name: "clearances", run: readers::clearances, seeds: seeds::clearances },
    Target { name: "problems", run: readers::problems, seeds: seeds::problems },
    Target { name: "impulse", run: readers::impulse, seeds: seeds::impulse },
    Target { name: "recording", run: recording::recording, seeds: seeds::recording },
    Target { name: "jog", run: jog::lines, seeds: seeds::jog },
    Target { name: "formula", run: formula::text, seeds: seeds::formula },
    Target { name: "features", run: features::vertex_face_and_edge_edge, seeds: seeds::engine },
    Target { name: "mass", run: mass::mass, seeds: seeds::engine },
    Target { name: "first_contact", run: engine::first_contact_of_two, seeds: seeds::engine },
    Target { name: "screened", run: engine::screened_report, seeds: seeds::engine },
    Target { name: "bodies", run: engine::scene_of_a_few, seeds: seeds::engine },
    Target { name: "cell", run: engine::robot_cell, seeds: seeds::engine },
];

/// The target with a name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
