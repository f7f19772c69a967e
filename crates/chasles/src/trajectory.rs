//! Queries about a pair of bodies along its whole motion, for any kind of motion.
//!
//! The motion is a sequence of smooth [intervals](crate::motion::relative::MotionInterval). [`contacts`] finds every
//! interval of contact. A smooth interval that is one screw is examined as a whole; any other goes through
//! [`stepping`], with steps as long as possible. [`search`] has the proofs that these steps use, with the
//! remaining budget and the results. [`contact_intervals`] joins the results of consecutive intervals. The search of a
//! pair can be suspended between two smooth intervals and resumed later. [`containment`] adds the time spent inside
//! solids. For bodies that do not intersect, [`within_distance`] finds the intervals within a clearance and
//! [`minimum_distance`] the minimum gap. All of these modules query a [`Pair`](crate::pair::Pair) and are independent
//! of the kind of shape.
//!
//! Read [`contacts`] first.

pub(crate) mod watch;
pub(crate) mod moving_pair;
pub(crate) mod contact_intervals;
pub(crate) mod progress;
pub(crate) mod search;
pub(crate) mod stepping;
pub(crate) mod contacts;
#[cfg(test)]
mod stepping_tests;
pub(crate) mod containment;
pub(crate) mod within_distance;
#[cfg(test)]
mod within_distance_tests;
pub(crate) mod minimum_distance;
pub(crate) mod deviating;
#[cfg(test)]
mod deviating_tests;
