//! Paths of a robot: accepted files, refused files with their messages, and timing.

mod csv;
mod ros;
mod retime;
mod resolve;
mod limits;
mod degrees;
mod warnings;

use chasles_formats::robot::joint_path::{PathFile, PathOptions, parse};

/// The path in a text, or the error.
fn read(text: &str, file: &str) -> Result<PathFile, String> {
    parse(text.as_bytes(), file.as_ref(), PathOptions::default()).map_err(|error| error.to_string())
}

/// Times, and all positions in sequence.
fn numbers(path: &PathFile) -> (Vec<f64>, Vec<f64>) {
    let times = path.waypoints.iter().map(|waypoint| waypoint.time).collect();
    (times, path.waypoints.iter().flat_map(|waypoint| waypoint.positions.clone()).collect())
}
