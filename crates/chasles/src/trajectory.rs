//! What happens to a pair along its whole motion, whatever carries the two bodies?
//!
//! The motion is a sequence of smooth [stretches](crate::motion::relative::MotionInterval). [`contacts`] finds every
//! span of contact: it takes a stretch that is one screw as it is, and goes through any other by [`stepping`], with
//! steps as long as may be and as short as must be; [`course`] holds the two bodies, what is left of the budget and
//! what was found, and [`contact_intervals`] puts together what comes from one piece after the other. Between two
//! stretches a pair can be laid down, and taken up again later. [`containment`] adds the time that is spent inside of
//! solids. Of bodies that do not meet, [`within_distance`] finds the spans within a clearance and
//! [`minimum_distance`] the least gap. All of them ask a [`Pair`](crate::pair::Pair) and know no kind of shape.
//!
//! Read [`contacts`] first.

pub(crate) mod watch;
pub(crate) mod moving_pair;
pub(crate) mod contact_intervals;
pub(crate) mod progress;
pub(crate) mod course;
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
