//! What happens to a pair along its whole motion, whatever carries the two bodies?
//!
//! The motion is a sequence of smooth [stretches](crate::motion::relative::MotionInterval). [`stages`] finds every span of contact: it takes a
//! stretch that is one screw as it is, and goes through any other by [`stepping`], with steps as long as may be and as short as must be;
//! [`course`] holds the two bodies, what is left of the budget and what was found, and [`joined`] puts together what comes from one piece
//! after the other. Between two stretches a pair can be laid down, and taken up again later. [`containment`] adds the time that is spent inside of solids. Of bodies that do not meet, [`nearness`] finds the spans within a
//! clearance and [`least_gap`] the least gap. All of them ask a [`Pair`](crate::pair::Pair) and know no kind of shape.
//!
//! Read [`stages`] first.

pub(crate) mod watch;
pub(crate) mod joined;
pub(crate) mod course;
pub(crate) mod stepping;
pub(crate) mod stages;
#[cfg(test)]
mod stepping_tests;
pub(crate) mod containment;
pub(crate) mod nearness;
#[cfg(test)]
mod nearness_tests;
pub(crate) mod least_gap;
pub(crate) mod deviating;
#[cfg(test)]
mod deviating_tests;
