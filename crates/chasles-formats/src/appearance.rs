//! How things look: what pictures use of a file, and no check. What makes no sense here is ignored: a file with bad looks
//! is as good as any other.

use serde::{Deserialize, Serialize};

/// The axis that points upward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Up {
    /// As in glTF, VRML and X3D.
    Y,
    /// As in scene files and in URDF.
    #[default]
    Z,
}

/// Triangles of a body that follow each other and have one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coloured {
    /// How many there are.
    pub triangles: usize,
    /// Red, green and blue as the screen has them (sRGB).
    pub colour: [u8; 3],
}

/// What a file says of the looks of its scene.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Appearance {
    /// The axis that points upward.
    pub up: Up,
    /// Of each body of the scene, or link of the robot, the colours of its triangles, in order; empty where the file tells
    /// none. Those of a link are the triangles that its parts are drawn with, part after part. Round bodies of a scene have
    /// one colour, however many triangles show them.
    pub colours: Vec<Vec<Coloured>>,
}

/// Adds triangles of one colour to those of a body.
pub(crate) fn add(colours: &mut Vec<Coloured>, triangles: usize, colour: [u8; 3]) {
    match colours.last_mut() {
        Some(last) if last.colour == colour => last.triangles += triangles,
        _ if triangles > 0 => colours.push(Coloured { triangles, colour }),
        _ => {}
    }
}

/// A colour as the screen has it, of numbers in [0, 1]; what lies beyond is as bright or dark as can be, and a NaN dark.
pub(crate) fn on_screen(colour: [f64; 3]) -> [u8; 3] {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies within 0 and 255")]
    colour.map(|part| (255.0 * part.clamp(0.0, 1.0)).round() as u8)
}
