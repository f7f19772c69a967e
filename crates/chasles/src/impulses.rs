//! Contact response at one moment: the impulses of bodies with contacts and joints.
//!
//! ```text
//! problem       the input (bodies, contacts and joints at one moment) and the output
//! rows          constraint rows: directions in which bodies act on each other
//! tree          joints that form trees: impulses in linear time
//! sparse        a matrix with a block for each body, for joints that form loops
//! joined        bodies with joints
//! fitting       projects velocities to the joints, and finds the joint impulses
//! dense         dense matrices with reusable memory
//! non_negative  impulses that push and do not pull, of minimum norm
//! checks        validates a problem
//! friction      one contact with friction
//! spring        the penalty spring of a contact, an alternative to impulses
//! contacts      all contacts: compression, restitution, second compression
//! solve         the solver: compression, restitution, friction; start here
//! ```

pub(crate) mod problem;
pub(crate) mod rows;
mod tree;
mod sparse;
pub(crate) mod joined;
pub(crate) mod fitting;
pub(crate) mod dense;
pub(crate) mod non_negative;
pub(crate) mod checks;
mod friction;
pub(crate) mod spring;
mod contacts;
pub(crate) mod solve;
