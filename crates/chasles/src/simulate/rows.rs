//! Contacts of one moment as rows: what their impulses do to all bodies, and the impulses that keep them from going on.
//!
//! ```text
//! contact     a contact as rows, and what is asked of it
//! settling    the impulses that answer all contacts: start here
//! solution    what came of it, and how it goes on with other contacts
//! ```

mod contact;
mod settling;
mod solution;

pub(crate) use contact::{ContactPoint, ContactRows, ContactTarget, Jointly, SolverBody};
pub(crate) use settling::{WarmStart, settle_in};
pub(crate) use solution::Solution;
