//! Numbers: when is a function of time zero, for how long is a gap open, how far may a result be off?
//!
//! Along a screw every distance is a combination of six functions ([`screw_function`]), whose roots [`roots`] encloses.
//! `safe_time` is the one conservative step, `rounding` the one account of rounding errors, and a [`budget`] bounds the work.
//!
//! An [`interval`] holds a result whatever was rounded; a `polynomial` has whole coefficients, and no rounding at all;
//! `whole` turns doubles into whole numbers.
//!
//! Read [`roots`] first.

pub mod budget;
pub mod time_interval;
pub(crate) mod direction;
pub(crate) mod exact;
pub(crate) mod rounding;
pub mod screw_function;
pub mod roots;
pub(crate) mod safe_time;
pub(crate) mod lanes;
pub(crate) mod simplex;
pub(crate) mod gjk;
pub mod interval;
pub(crate) mod elementary;
pub(crate) mod polynomial;
pub(crate) mod whole;
#[cfg(test)]
mod rounding_tests;
