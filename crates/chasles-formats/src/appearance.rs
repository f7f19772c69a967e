//! How things look: what pictures use of a file, and no check.

/// The axis that points upward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Up {
    /// As in glTF, VRML and X3D.
    Y,
    /// As in scene files and in URDF.
    #[default]
    Z,
}

/// What a file says of the looks of its scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Appearance {
    /// The axis that points upward.
    pub up: Up,
}
