//! Paths of a robot: what is read, what is refused and in which words, and timing.

mod csv;
mod ros;
mod retime;
mod resolve;

use chasles_formats::robot::joint_path::{PathFile, PathOptions, parse};

/// The path in a text, or the error.
fn read(text: &str, file: &str) -> Result<PathFile, String> {
    parse(text.as_bytes(), file.as_ref(), PathOptions::default()).map_err(|error| error.to_string())
}

/// Times, and positions one after the other.
fn numbers(path: &PathFile) -> (Vec<f64>, Vec<f64>) {
    let times = path.waypoints.iter().map(|waypoint| waypoint.time).collect();
    (times, path.waypoints.iter().flat_map(|waypoint| waypoint.positions.clone()).collect())
}

/// Numbers that come from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next()).unwrap() % count
    }

    /// From -1 to 1.
    fn signed(&mut self) -> f64 {
        (self.next() as f64) / f64::from(1 << 30) - 1.0
    }
}
