//! Scenes in TOML. Read [`mod@file`] first.
//!
//! | module | content |
//! |---|---|
//! | [`units`] | units of length |
//! | [`appearance`] | the appearance of scenes: the upward axis, colours |
//! | `dynamics` | masses, joints and surface properties, which impulse problems have too |
//! | [`mod@file`] | a scene as it is in its file |
//! | [`build`] | builds a scene of the engine from a scene file |

pub mod units;
pub mod appearance;
pub(crate) mod dynamics;
pub mod file;
pub mod build;
