//! Writes JSON: one line, with numbers without -0.

use glam::DVec3;
use serde::Serialize;

use crate::printable::printable_json;

/// A value as one line of JSON, with its line end.
pub(crate) fn json_line(value: &impl Serialize) -> String {
    let line = serde_json::to_string(value).expect("memory takes every byte, and our keys are text");
    let mut line = printable_json(line);
    line.push('\n');
    line
}

/// Replaces -0 by 0, because its sign has no meaning in an answer.
#[must_use]
pub fn plain(number: f64) -> f64 {
    number + 0.0
}

/// [`plain`] for each coordinate.
#[must_use]
pub fn plain_vector(vector: DVec3) -> [f64; 3] {
    vector.to_array().map(plain)
}
