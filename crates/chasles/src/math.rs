//! Numbers: the functions of time that a screw gives rise to, and their roots.

pub mod budget;
pub(crate) mod direction;
pub(crate) mod exact;
pub(crate) mod rounding;
pub mod screw_function;
pub mod roots;
pub(crate) mod safe_time;
pub(crate) mod lanes;
pub(crate) mod simplex;
#[cfg(test)]
mod rounding_tests;
