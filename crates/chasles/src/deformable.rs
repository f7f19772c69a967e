//! Features whose vertices move at constant velocity along straight lines, each on its own: when do two features
//! first meet?
//!
//! Moore and Wilhelms (1988), "Collision Detection and Response for Computer Animation", section 2.1, made exact:
//! the answer is exact for the doubles as given. A filter with rounding bounds decides most cases; integer
//! arithmetic decides the rest. Surfaces consist of such features.
//!
//! ```text
//! elementary         when two features first meet, decided exactly: start here
//! surface            triangles whose vertices are read frame by frame, or moved by bones and morph targets
//! step               surfaces before and after one step: events, the safe part of the step, intervals
//! course             a mesh on moving carriers over seconds: straight paths, with bounds of their chord error
//! against_round      a round body on its true path beside a surface
//! contacts           the contacts of two moving meshes over seconds
//! contact_intervals  all times at which two moving meshes meet, or are within a distance
//! events             the pairs of features that meet as two meshes move
//! entry              the features with which a contact starts
//! gap                the minimum distance of two moving meshes
//! ```

pub(crate) mod elementary;
pub(crate) mod surface;
pub(crate) mod step;
pub(crate) mod course;
pub(crate) mod against_round;
pub(crate) mod contacts;
pub(crate) mod contact_intervals;
pub(crate) mod events;
pub(crate) mod entry;
pub(crate) mod gap;
