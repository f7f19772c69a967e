//! Files in and out of Chasles: the only crate that knows a format.
//!
//! | module | what it reads or writes |
//! |---|---|
//! | [`error`] | the one error: file, place, what was found, what was expected |
//! | [`mesh`] | OBJ, STL, PLY and OFF into vertices and triangles |
//! | [`scene_file`] | scenes in TOML |
//! | [`problems`] | pair problems, one JSON object a line |
//! | [`report`] | their answers, one JSON object a line |
//! | [`scene_build`] | from a scene file to a scene of the engine |
//! | [`scene_report`] | reports of checked scenes as JSON |
//! | [`scene_csv`] | the same as CSV, one row an interval |
//! | [`scene_junit`] | the same as JUnit XML, for build servers |
//! | [`standing_report`] | what intersects at one time, as JSON |
//! | [`info`] | facts about a file, for `chasles info` |
//! | [`gltf`] | scenes in glTF 2.0, animated |
//! | [`vrml`] | worlds in VRML97 and in X3D's XML form |

pub mod error;
pub mod mesh;
pub mod scene_file;
pub mod problems;
pub mod report;
pub mod scene_build;
pub mod scene_report;
pub mod scene_csv;
pub mod scene_junit;
pub mod standing_report;
pub mod info;
pub mod gltf;
pub mod vrml;

pub use error::{Error, Place, Result};
