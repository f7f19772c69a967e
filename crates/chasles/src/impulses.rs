//! What happens after a contact: impulses of bodies with contacts and joints.
//!
//! ```text
//! problem  bodies, contacts and joints at one moment, and what is told of them
//! rows     directions in which bodies act on each other
//! tree     joints that make trees: their impulses, in a time that grows with their number
//! sparse   a matrix with a block for each body: for joints that make loops
//! joined   bodies on joints
//! fitting  velocities that fit joints, and the impulses that make them so
//! dense    dense matrices in memory that is kept
//! pushes   impulses that only push, the shortest that do
//! checks   whether a problem has a meaning
//! friction one contact with friction
//! spring   the spring of a contact, which holds and bounces in place of impulses
//! contacts all contacts: compression, restitution, and what approaches still
//! solve    the rule: compression, restitution, friction; start here
//! ```

pub(crate) mod problem;
pub(crate) mod rows;
mod tree;
mod sparse;
pub(crate) mod joined;
mod fitting;
mod dense;
mod pushes;
pub(crate) mod checks;
mod friction;
pub(crate) mod spring;
mod contacts;
pub(crate) mod solve;
