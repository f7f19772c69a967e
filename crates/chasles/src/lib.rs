//! Engine.
pub mod error;
pub mod math;
pub mod motion;
pub mod shape;
pub mod bvh;
pub mod body;
mod relative_motion;
pub mod narrow_phase;
pub mod predict;
pub mod intervals;
pub use body::Body;
pub use error::{Error, ErrorKind};
pub use intervals::{Interval, Intervals, contact_intervals};
pub use motion::{Pose, Screw, ScrewAxis};
pub use narrow_phase::contact::{Contact, ContactFeatures};
pub use predict::*;
pub use shape::{Mesh, MeshFacts, Primitive, Tessellation};
