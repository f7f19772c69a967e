//! Scenes: moving bodies that may carry each other; which pairs of bodies collide, when and where.
//!
//! ```text
//! definition       bodies, motions, filters: the parts of a scene; poses at any time
//! pairing          which pairs are tested
//! carriers         the bodies that carry a body; the motion of one body relative to another
//! closed_surfaces  which surfaces are closed
//! nearest          the nearest of all pairs, if all are clear
//! report           the options of a check, and its report
//! check            all pairs, side by side in time
//! first            the first contact of all pairs
//! intersections    which bodies intersect at one time
//! penetration      the translation that separates two intersecting bodies
//! distances        the distance of two bodies at given times
//! keys             the motion of a body in the world, as poses joined by screws
//! one_screw        two bodies as a pair of meshes on one screw
//! ```
//!
//! Read `check` first.

pub(crate) mod definition;
pub(crate) mod pairing;
pub(crate) mod carriers;
pub(crate) mod closed_surfaces;
pub(crate) mod nearest;
pub(crate) mod report;
pub(crate) mod check;
pub(crate) mod first;
pub(crate) mod intersections;
pub(crate) mod penetration;
pub(crate) mod distances;
pub(crate) mod keys;
pub(crate) mod one_screw;
#[cfg(test)]
mod motion_tests;

pub use definition::{BodyMotion, PairSide, Scene, SceneBody, SceneDefinition};
pub use keys::{KeyLimits, WorldKeys};
pub use nearest::NearestPair;
pub use one_screw::{PairScrew, PairScrewError};
pub use pairing::{PairClass, PairCounts, RestingPairs, StaticPairs};
pub use penetration::Penetration;
pub use report::{
    CheckOptions, Containment, Guarantee, Horizon, IntersectingPair, ModelOverlaps, NearestReport,
    PairListing, PairReport, PairUndecidedReason, PairVerdict, SceneContact, SceneEvent, SceneInterval,
    SceneReport, SkippedPairs,
};
