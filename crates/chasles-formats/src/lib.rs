//! Files in and out of Chasles: the only crate that knows a format.
//!
//! | module | what it reads or writes |
//! |---|---|
//! | [`printable`] | text from files as it may be printed |
//! | [`figures`] | numbers as a person reads them |
//! | [`error`] | the one error: file, place, what was found, what was expected |
//! | [`limits`] | how much is read, and how much is made of it |
//! | [`units`] | units of length |
//! | [`appearance`] | how things look: which axis is up, colours |
//! | [`mesh`] | OBJ, STL, PLY, OFF and COLLADA into vertices and triangles |
//! | [`cloud`] | XYZ, PCD and PLY into points |
//! | [`npy`] | arrays of NumPy: the samples of level sets and height fields |
//! | [`point_cache`] | PC2 and MDD: where the vertices of a mesh are at many times |
//! | [`motion_keys`] | times and poses in a file of their own, as CSV or as an array of NumPy |
//! | [`mesh_sequence`] | mesh files that are the frames of one surface |
//! | [`info`] | facts about a file, for `chasles info` |
//! | [`scene_file`] | scenes in TOML |
//! | [`problems`] | pair problems, one JSON object a line |
//! | [`impulse`] | problems of impulses, one JSON object a line |
//! | [`scene_build`] | from a scene file to a scene of the engine |
//! | [`recording`] | recordings of simulations, JSON Lines: written, read as scenes, gone on from |
//! | [`robot`] | robots, their cells, paths and clearances |
//! | [`robot::joint_values`] | values of joints by their names |
//! | [`robot::joint_path`] | paths of a robot: CSV, and ROS trajectories in YAML and JSON |
//! | [`robot::clearance_file`] | clearances of pairs, as CSV |
//! | [`robot::named_postures`] | postures of a robot that have names |
//! | [`robot::srdf`] | which links of a robot are not tested against each other, and its named postures |
//! | [`robot::urdf`] | robots |
//! | [`reading`] | which files may be read, and how much memory they take |
//! | [`robot::several`] | several robots in one cell |
//! | [`robot::cell`] | a robot in its cell: a scene file around it |
//! | [`gltf`] | scenes in glTF 2.0, animated |
//! | [`vrml`] | worlds in VRML97 and in X3D's XML form |
//! | [`any_scene`] | scenes of any of these formats |
//! | [`packed`] | scenes and cells as plain values, for other processes |
//! | [`report`] | what is told |
//! | [`report::answer`] | answers to pair problems, one JSON object a line |
//! | [`report::impulse`] | answers to problems of impulses, one JSON object a line |
//! | [`report::simulation`] | how a simulation went, as one line of JSON |
//! | [`report::screen`] | what `chasles screen` found: all collisions of a pair along a screw, as JSON |
//! | [`report::clearance_map`] | how far each vertex is from being hit, as a PLY mesh |
//! | [`report::breach`] | where a path is beyond the limits of joints |
//! | [`report::path_doubts`] | warnings about paths |
//! | [`report::subject`] | what a report is about: a scene, or a robot on a path |
//! | [`report::verdict`] | verdicts and their reasons in words |
//! | [`report::json`] | reports of checked scenes and paths as JSON |
//! | [`report::reported`] | such a report, read back |
//! | [`report::csv`] | the same as CSV, one row an interval |
//! | [`report::moments`] | the moments of a simulation as CSV, one row a time and body |
//! | [`report::junit`] | the same as JUnit XML, for build servers |
//! | [`report::standing`] | what intersects at one time, as JSON |
//! | [`report::jog`] | answers of `chasles jog`, one JSON object a line |
//! | [`report::pairs`] | which links might be exempt from testing, as JSON |

pub mod printable;
pub mod figures;
pub mod error;
pub mod reading;
pub mod limits;
pub mod units;
pub mod appearance;
mod text;
pub mod mesh;
pub mod cloud;
pub mod npy;
pub mod point_cache;
pub mod motion_keys;
pub mod mesh_sequence;
mod facing;
pub mod info;
mod dynamics;
pub mod scene_file;
pub mod problems;
pub mod impulse;
pub mod scene_build;
pub mod recording;
pub mod robot;
pub mod gltf;
pub mod vrml;
pub mod any_scene;
pub mod packed;
pub mod report;

pub use error::{Error, ErrorLocation, Result};
pub use report::subject::Subject;

/// What the book shows in Rust about planners is run as a test of this crate, which reads what it needs.
#[cfg(doctest)]
#[allow(
    rustdoc::invalid_codeblock_attributes,
    reason = "the book's blocks say more than what language they are in"
)]
#[doc = include_str!("../../../docs/planners.md")]
struct Planners;
