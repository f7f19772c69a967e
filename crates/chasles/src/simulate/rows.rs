//! Contacts as constraint rows, and the impulses that keep bodies from approaching.
//!
//! ```text
//! contact     a contact as rows, its response, and its target
//! exact       the impulses of few contacts by active sets
//! settling    the solver for all contacts: start here
//! solution    a solution, and how it continues with other contacts
//! ```

mod contact;
mod exact;
mod settling;
mod solution;

pub(crate) use contact::{ContactPoint, ContactRows, ContactTarget, JointedGroup, SolverBody};
pub(crate) use settling::{WarmStart, settle_with_sweeps};
pub(crate) use solution::{ContactUpdate, ContinuedSolution, Solution, SolutionEnergy};
