//! Features whose vertices move evenly along straight lines, each on its own: when do two of them first meet?
//!
//! Moore and Wilhelms (1988), "Collision Detection and Response for Computer Animation", section 2.1, made exact: the
//! answer is that for the doubles as they are given. A filter with bounds of its roundings ends most questions; what is
//! too close for it is decided by whole numbers. Surfaces are made of such features.
//!
//! ```text
//! elementary     two features: when they first meet, decided exactly: start here
//! bones          frames that hang on each other and carry vertices, and how fast these are at most
//! rig            vertices that morph targets and bones move: places at any time, bounds of how far from straight
//! surface        triangles whose vertices are read frame by frame, or are those of a rig
//! hierarchy      a tree over a mesh whose boxes are fitted to every step
//! unfolded       parts of a surface that cannot meet themselves during a step
//! candidates     which features of surfaces can meet during a step
//! spans          all times at which two features meet, with bounds of roundings
//! exact_spans    the same without any rounding
//! faces          two faces on their way: how near they come at least and at most
//! cover          times of a step at which a condition holds
//! touches        two faces that lie on each other: whether one passes through the other
//! contact_spans  all times of a step at which two surfaces meet
//! near_spans     all times of a step at which two surfaces are within a distance
//! least          how near two surfaces come during a step
//! step           surfaces before and after: events, the safe part of a step, intervals
//! course         a mesh on carriers through seconds: straight ways, and how far the true ones are from them
//! beside         a round body on its true way beside a surface
//! following      all times at which two courses meet, or are within a distance
//! entry          the features with which such a time begins
//! gap            how near two courses come
//! ```

pub(crate) mod elementary;

pub(crate) mod bones;
pub(crate) mod rig;
pub(crate) mod surface;
mod hierarchy;
mod self_exclusion;
mod candidates;
mod spans;
mod exact_spans;
mod faces;
pub(crate) mod cover;
mod touches;
mod contact_spans;
mod near_spans;
mod least;
pub(crate) mod step;
pub(crate) mod course;
pub(crate) mod against_round;
pub(crate) mod contact_intervals;
pub(crate) mod entry;
pub(crate) mod gap;
