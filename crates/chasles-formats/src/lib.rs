//! Files in and out of Chasles: the only crate that knows a format.
//!
//! | module | what it reads or writes |
//! |---|---|
//! | [`printable`] | text from files as it may be printed |
//! | [`error`] | the one error: file, place, what was found, what was expected |
//! | [`limits`] | how much is read, and how much is made of it |
//! | [`units`] | units of length |
//! | [`mesh`] | OBJ, STL, PLY, OFF and COLLADA into vertices and triangles |
//! | [`scene_file`] | scenes in TOML |
//! | [`problems`] | pair problems, one JSON object a line |
//! | [`report`] | their answers, one JSON object a line |
//! | [`scene_build`] | from a scene file to a scene of the engine |
//! | [`joint_values`] | values of joints by their names |
//! | [`joint_path`] | paths of a robot: CSV, and ROS trajectories in YAML and JSON |
//! | [`clearance_file`] | clearances of pairs, as CSV |
//! | [`subject`] | what a report is about: a scene, or a robot on a path |
//! | [`scene_report`] | reports of checked scenes and paths as JSON |
//! | [`scene_csv`] | the same as CSV, one row an interval |
//! | [`scene_junit`] | the same as JUnit XML, for build servers |
//! | [`report_file`] | such a report, read back |
//! | [`standing_report`] | what intersects at one time, as JSON |
//! | [`jog_report`] | answers of `chasles jog`, one JSON object a line |
//! | [`pairs_report`] | which links might be exempt from testing, as JSON |
//! | [`info`] | facts about a file, for `chasles info` |
//! | [`robot_cell`] | a robot in its cell: a scene file around it |
//! | [`gltf`] | scenes in glTF 2.0, animated |
//! | [`srdf`] | which links of a robot are not tested against each other |
//! | [`urdf`] | robots |
//! | [`vrml`] | worlds in VRML97 and in X3D's XML form |

pub mod printable;
pub mod error;
pub mod limits;
pub mod units;
mod xml;
pub mod mesh;
pub mod scene_file;
pub mod problems;
pub mod report;
pub mod scene_build;
mod csv_rows;
pub mod joint_values;
pub mod joint_path;
pub mod clearance_file;
pub mod subject;
pub mod scene_report;
pub mod report_file;
pub mod scene_csv;
pub mod scene_junit;
pub mod standing_report;
pub mod jog_report;
pub mod pairs_report;
pub mod info;
pub mod robot_cell;
pub mod gltf;
pub mod srdf;
pub mod urdf;
pub mod vrml;

pub use error::{Error, Place, Result};
pub use subject::Subject;
