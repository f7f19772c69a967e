//! Features whose vertices move at constant velocity along straight lines, each on its own: when do two features
//! first meet?
//!
//! Moore and Wilhelms (1988), "Collision Detection and Response for Computer Animation", section 2.1, made exact:
//! the answer is exact for the doubles as given. A filter with rounding bounds decides most cases; integer
//! arithmetic decides the rest. Surfaces consist of such features.
//!
//! ```text
//! elementary         when two features first meet, decided exactly: start here
//! bones              a hierarchy of frames that carry vertices, with speed bounds
//! rig                vertices moved by morph targets and bones: positions at any time, bounds of the chord error
//! surface            triangles whose vertices are read frame by frame, or come from a rig
//! hierarchy          a tree over a mesh whose boxes are refitted to every step
//! self_exclusion     parts of a surface that cannot meet themselves during a step
//! candidates         features of surfaces that can meet during a step
//! spans              all times at which two features meet, with rounding bounds
//! exact_spans        the same without any rounding
//! faces              two moving faces: bounds of their minimum distance
//! cover              times of a step at which a condition holds
//! touches            two faces that lie on each other: whether one passes through the other
//! contact_spans      all times of a step at which two surfaces meet
//! near_spans         all times of a step at which two surfaces are within a distance
//! least              the minimum distance of two surfaces during a step
//! step               surfaces before and after: events, the safe part of a step, intervals
//! course             a mesh on moving carriers over seconds: straight paths, with bounds of their chord error
//! against_round      a round body on its true path beside a surface
//! contacts           the contacts of two moving meshes over seconds
//! contact_intervals  all times at which two moving meshes meet, or are within a distance
//! events             the pairs of features that meet as two meshes move
//! entry              the features with which a contact starts
//! gap                the minimum distance of two moving meshes
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
pub(crate) mod contacts;
pub(crate) mod contact_intervals;
pub(crate) mod events;
pub(crate) mod entry;
pub(crate) mod gap;
