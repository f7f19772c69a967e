//! Rigid motion: poses, and screws between them.

pub mod pose;
pub mod screw;
pub(crate) mod helix;

pub use pose::Pose;
pub use screw::{Screw, ScrewAxis};
