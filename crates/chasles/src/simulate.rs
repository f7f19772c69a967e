//! What bodies do after their contacts: a scene with masses, joints and gravity, moved step by step.
//!
//! Read `definition` first (what is given), then `recorded` (what is told).

pub(crate) mod definition;
pub(crate) mod recorded;
pub(crate) mod simulation;
