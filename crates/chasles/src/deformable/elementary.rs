//! Two features whose vertices move at constant velocity along straight lines: when do they first meet?
//!
//! ```text
//! features   two moving features, and the result types
//! planes     separating planes: proven clear, or until when
//! crossings  the times at which they are coplanar, and whether they meet there
//! exactly    the same without any rounding
//! place      place and direction of the contact
//! meeting    when they first meet: start here
//! ```

pub(crate) mod features;

mod planes;
pub(super) mod crossings;
pub(super) mod exactly;
pub(crate) mod place;
mod meeting;
