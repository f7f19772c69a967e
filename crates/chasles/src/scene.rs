//! Scenes: bodies that ride on each other and move, which pairs of them meet, when and where.
//!
//! ```text
//! definition   bodies, motions, filters: the parts of a scene; poses at any time
//! pairing      which pairs are tested
//! chain        what a body rides on; the motion of one body past another
//! skins        which surfaces are closed
//! report       what is asked about a scene, and the answers
//! nearest      the nearest of all pairs that are clear
//! sweeping     boxes around bodies during spans of time, for the broad phase
//! candidates   pairs to be looked at closely, in pieces of bounded size
//! fused        one answer from those about parts of two bodies
//! bending      pairs of which one body deforms, and bodies with themselves
//! answer       one pair
//! rounds       many pairs, side by side in time
//! found        the results of pairs, collected piece by piece
//! resting      pairs that do not move relative to each other
//! check        all pairs
//! first        the first contact of all pairs, and nothing after it
//! standing     which bodies intersect at one time
//! parting      by how much bodies that intersect must be moved apart
//! apart        how far two bodies are apart at given times
//! keys         the motion of a body in the world, as poses that screws join
//! one_screw    two bodies as a pair of meshes on one screw
//! ```
//!
//! Read `check` first.

pub(crate) mod definition;
pub(crate) mod pairing;
pub(crate) mod carriers;
pub(crate) mod closed_surfaces;
pub(crate) mod nearest;
pub(crate) mod report;
pub(crate) mod sweeping;
pub(crate) mod candidates;
pub(crate) mod fused;
pub(crate) mod deformable_pairs;
pub(crate) mod answer;
pub(crate) mod rounds;
pub(crate) mod found;
pub(crate) mod resting;
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
