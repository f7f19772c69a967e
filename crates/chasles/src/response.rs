//! What happens after a contact: impulses of bodies with contacts and joints.
//!
//! ```text
//! problem  bodies, contacts and joints at one moment, and what is told of them
//! sparse   a matrix with a block for each body, solved without fill where they make a tree
//! joined   bodies on joints: velocities that fit, and the impulses that make them so
//! pushes   impulses that only push, the shortest that do
//! checks   whether a problem has a meaning
//! friction one contact with friction
//! contacts all contacts: compression, restitution, and what approaches still
//! solve    the rule: compression, restitution, friction; start here
//! ```

pub(crate) mod problem;
pub(crate) mod sparse;
pub(crate) mod joined;
mod pushes;
pub(crate) mod checks;
mod friction;
mod contacts;
mod solve;
