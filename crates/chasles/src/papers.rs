//! The methods of the papers that Chasles began with, as they were published: kept, documented and measured.
//!
//! No query runs them: they answer the same questions more slowly, and hold the fast methods to their answers.

pub mod rejection;
pub mod static_check;
