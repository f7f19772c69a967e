//! Numerical methods: roots of functions of time, the time for which a gap stays open, and bounds of rounding
//! errors.
//!
//! Along a screw every distance is a combination of six functions ([`screw_function`]), whose roots [`roots`]
//! encloses. `distance` computes the closest points of two static features. `safe_time` is the
//! conservative-advancement step, `rounding` holds all bounds of rounding errors, and a [`budget`] limits the work.
//! `priority` orders the entries of priority queues, and `disjoint_sets` joins sets.
//!
//! An [`interval`] contains the exact result despite rounding; a `polynomial` has whole coefficients and no
//! rounding, and an `exact_time` is one of its zeros; `whole` converts doubles to whole numbers.
//!
//! Start with [`roots`].

pub mod budget;
pub mod time_interval;
pub(crate) mod priority;
pub(crate) mod disjoint_sets;
pub(crate) mod direction;
pub(crate) mod distance;
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
pub(crate) mod exact_time;
pub(crate) mod whole;
#[cfg(test)]
mod rounding_tests;
