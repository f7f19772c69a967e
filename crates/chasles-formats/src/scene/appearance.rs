//! The appearance of scenes, which affects pictures, but never checks. Invalid values are ignored, because they do
//! not make a file invalid.

use serde::{Deserialize, Serialize};

/// The axis that points upward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum UpAxis {
    /// As in glTF, VRML and X3D.
    Y,
    /// As in scene files and in URDF.
    #[default]
    Z,
}

/// Consecutive triangles of a body with the same colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColourRange {
    /// The number of triangles.
    pub triangles: usize,
    /// Red, green and blue, in sRGB.
    pub colour: [u8; 3],
}

/// The appearance of a scene.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Appearance {
    /// The axis that points upward.
    pub up: UpAxis,
    /// For each body of the scene, or link of the robot, the colours of its triangles, in order; empty if the file
    /// has no colours. For a link they are the triangles that represent its parts, part by part. A round body of a
    /// scene has one colour for all triangles that represent it.
    pub colours: Vec<Vec<ColourRange>>,
}

/// Appends triangles of one colour.
pub(crate) fn add(colours: &mut Vec<ColourRange>, triangles: usize, colour: [u8; 3]) {
    match colours.last_mut() {
        Some(last) if last.colour == colour => last.triangles += triangles,
        _ if triangles > 0 => colours.push(ColourRange { triangles, colour }),
        _ => {}
    }
}

/// Converts a colour with components in [0, 1] to bytes. Values outside are clamped, and a NaN becomes 0.
pub(crate) fn on_screen(colour: [f64; 3]) -> [u8; 3] {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies within 0 and 255")]
    colour.map(|part| (255.0 * part.clamp(0.0, 1.0)).round() as u8)
}
