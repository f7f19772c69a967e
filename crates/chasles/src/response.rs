//! What happens after a contact: impulses of bodies with contacts and joints.
//!
//! ```text
//! problem  bodies, contacts and joints at one moment, and what is told of them
//! ```

pub(crate) mod problem;
mod sparse;
mod joined;
mod pushes;
mod solve;
