//! What is told: of pair problems, of a simulation, of a scene, or of a robot on a path, which [`subject`] tells apart.

pub mod answer;
pub mod impulse;
pub mod simulation;
pub mod suggestion;
pub mod screen;
pub mod screened;
pub mod clearance_map;
pub mod breach;
pub mod path_doubts;
pub mod subject;
pub mod verdict;
pub mod json;
pub mod reported;
pub mod csv;
pub mod moments;
pub mod junit;
pub mod standing;
pub mod jog;
pub mod pairs;
