//! Reports on pair problems, simulations, scenes, and robots on paths. A [`subject`] is what a report is about.

pub mod answer;
pub mod impulse;
pub mod simulation;
pub mod suggestion;
pub mod screen;
pub mod screen_query;
pub mod clearance_map;
pub mod breach;
pub mod path_warnings;
pub mod subject;
pub mod verdict;
pub mod json;
pub mod reported;
pub mod csv;
pub mod moments;
pub mod junit;
pub mod static_pairs;
pub mod jog;
pub mod pairs;
