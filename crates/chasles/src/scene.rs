//! Scenes: bodies that ride on each other and move, which pairs of them meet, when and where.
//!
//! ```text
//! definition   bodies, motions, filters: what a scene is made of; poses at any time
//! track        a motion cut into single screws, in seconds
//! pairing      which pairs are tested; the motion of one body as seen from the other
//! report       what is told about a scene
//! joined       the intervals of contact of two polyhedra along a track, joined where they run over its pieces
//! round        the same for round bodies, for which polyhedra stand in
//! check        all pairs
//! ```

pub(crate) mod track;
pub mod definition;
pub(crate) mod pairing;
pub mod report;
pub(crate) mod joined;
pub(crate) mod round;
pub mod check;

pub use check::CheckOptions;
pub use definition::{BodyMotion, Scene, SceneBody, SceneDefinition, SceneShape, Side};
pub use report::{Listed, PairDoubt, PairReport, PairVerdict, SceneContact, SceneInterval, SceneReport};
