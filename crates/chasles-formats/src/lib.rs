//! File formats of Chasles: the only crate that reads or writes files.
//!
//! | module | content |
//! |---|---|
//! | [`printable`] | makes text from files safe to print |
//! | [`figures`] | formats numbers for people |
//! | [`error`] | the error type: file, place, what was found, what was expected |
//! | [`limits`] | limits of file sizes and memory |
//! | [`mesh`] | meshes: OBJ, STL, PLY, OFF and COLLADA |
//! | [`cloud`] | point clouds: XYZ, PCD and PLY |
//! | [`samples`] | samples that a scene names: of functions, of poses over time, of surfaces over time |
//! | [`info`] | facts about a file, for `chasles info` |
//! | [`scene`] | scenes in TOML: read, and built as scenes of the engine |
//! | [`problems`] | pair problems, one JSON object per line |
//! | [`problems::impulse`] | impulse problems, one JSON object per line |
//! | [`recording`] | recordings of simulations, JSON Lines: written, read as scenes, continued |
//! | [`robot`] | robots, their cells, paths and clearances |
//! | [`robot::joint_values`] | values of joints by name |
//! | [`robot::joint_path`] | paths of a robot: CSV, and ROS trajectories in YAML and JSON |
//! | [`robot::clearance_file`] | clearances of pairs, as CSV |
//! | [`robot::named_configurations`] | named configurations of a robot |
//! | [`robot::srdf`] | pairs of links that are not tested against each other, and named configurations |
//! | [`robot::urdf`] | robots |
//! | [`reading`] | the files that may be read, and the memory they may take |
//! | [`robot::several`] | several robots in one cell |
//! | [`robot::cell`] | a robot in its cell: a scene file around it |
//! | [`gltf`] | animated scenes in glTF 2.0 |
//! | [`vrml`] | worlds in VRML97 and in X3D's XML form |
//! | [`any_scene`] | scenes in any of these formats |
//! | [`packed`] | scenes and cells as plain values, for other processes |
//! | [`report`] | reports |
//! | [`report::answer`] | answers to pair problems, one JSON object per line |
//! | [`report::impulse`] | answers to impulse problems, one JSON object per line |
//! | [`report::simulation`] | the summary of a simulation, as one line of JSON |
//! | [`report::screen`] | the result of `chasles screen`: all collisions of a pair along a screw, as JSON |
//! | [`report::clearance_map`] | the distance that each vertex can travel before contact, as a PLY mesh |
//! | [`report::breach`] | violations of joint limits along a path |
//! | [`report::path_warnings`] | warnings about paths |
//! | [`report::subject`] | the subject of a report: a scene, or a robot on a path |
//! | [`report::verdict`] | verdicts and their reasons in words |
//! | [`report::json`] | reports of checked scenes and paths as JSON |
//! | [`report::reported`] | reads such a report back |
//! | [`report::csv`] | the same reports as CSV, one row per interval |
//! | [`report::moments`] | the moments of a simulation as CSV, one row per time and body |
//! | [`report::junit`] | the same reports as JUnit XML, for build servers |
//! | [`report::static_pairs`] | the intersecting pairs at one time, as JSON |
//! | [`report::jog`] | answers of `chasles jog`, one JSON object per line |
//! | [`report::pairs`] | links that might be exempt from testing, as JSON |

pub mod printable;
pub mod figures;
pub mod error;
pub mod reading;
pub mod limits;
mod text;
pub mod mesh;
pub mod cloud;
pub mod samples;
pub mod info;
pub mod scene;
pub mod problems;
pub mod recording;
pub mod robot;
pub mod gltf;
pub mod vrml;
pub mod any_scene;
pub mod packed;
pub mod report;

pub use error::{Error, ErrorLocation, Result};
pub use report::subject::Subject;

/// Tests the Rust examples of the book's chapter on planners. They are in this crate because it can read their
/// files.
#[cfg(doctest)]
#[allow(
    rustdoc::invalid_codeblock_attributes,
    reason = "the book's blocks say more than what language they are in"
)]
#[doc = include_str!("../../../docs/planners.md")]
struct Planners;
