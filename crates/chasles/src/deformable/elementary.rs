//! Two features whose vertices move evenly along straight lines: when do they first meet?
//!
//! ```text
//! features   two features in motion, and what is told of them
//! planes     planes that part them: proven clear, or until when
//! crossings  the times at which they are in one plane, and whether they meet there
//! exactly    the same questions without any rounding
//! place      where they meet, and which way
//! meeting    when they first meet: start here
//! ```

pub(crate) mod features;

mod planes;
pub(super) mod crossings;
pub(super) mod exactly;
pub(crate) mod place;
mod meeting;
