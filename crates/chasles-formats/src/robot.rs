//! Robots, their cells and their paths.

pub mod joint_values;
pub mod joint_path;
pub mod clearance_file;
mod xacro;
pub mod named_configurations;
pub mod srdf;
pub mod urdf;
pub mod several;
pub mod cell;
