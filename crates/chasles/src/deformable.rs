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
//! moving_mesh        a mesh on moving carriers over seconds: straight paths, with bounds of their chord error
//! against_round      a round body on its true path beside a surface
//! contacts           the contacts of two moving meshes over seconds
//! current_interval   the vertices and boxes of two meshes in the interval that is examined
//! contact_intervals  all times at which two moving meshes meet, or are within a distance
//! events             the pairs of features that meet as two meshes move
//! entry              the features with which a contact starts
//! gap                the minimum distance of two moving meshes
//! ```

pub(crate) mod elementary;
pub(crate) mod surface;
pub(crate) mod step;
pub(crate) mod moving_mesh;
pub(crate) mod against_round;
pub(crate) mod contacts;
mod current_interval;
pub(crate) mod contact_intervals;
pub(crate) mod events;
pub(crate) mod entry;
pub(crate) mod gap;

use glam::DVec3;

use crate::deformable::against_round::{MovingRoundBody, RoundSides};
use crate::deformable::contact_intervals::ProximityGoal;
use crate::deformable::contacts::DeformingContacts;
use crate::deformable::entry::FirstFeatures;
use crate::deformable::events::DeformingEvent;
use crate::deformable::gap::DeformableDistance;
use crate::deformable::moving_mesh::{ChordError, MovingMesh, SmoothPart};
use crate::deformable::step::candidates::SurfacePair;
use crate::deformable::step::hierarchy::{Hierarchy, RefitBoxes};
use crate::deformable::step::self_exclusion::Borders;
use crate::error::Error;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;

/// Two moving meshes, a mesh with itself, or a mesh and a round body. Times are in seconds.
#[derive(Debug)]
pub(crate) struct DeformablePair<'s> {
    /// The meshes: one or two.
    moving_meshes: Vec<MovingMesh<'s>>,
    /// The round body, if there is only one mesh and it is not tested against itself.
    pub(crate) round: Option<MovingRoundBody<'s>>,
    trees: Vec<Hierarchy>,
    /// The borders of the parts of a mesh that is tested against itself.
    borders: Option<Borders>,
    duration: f64,
    /// The vertices at the start and at the end of the current interval, and boxes around their paths.
    start: [Vec<DVec3>; 2],
    end: [Vec<DVec3>; 2],
    fitted: [RefitBoxes; 2],
    /// For each vertex, a bound of its deviation from its straight path, along the axes; empty if unknown.
    deviations: [Vec<DVec3>; 2],
}

impl<'s> DeformablePair<'s> {
    /// Two moving meshes, or one with itself.
    pub(crate) fn new(moving_meshes: Vec<MovingMesh<'s>>, duration: f64) -> Self {
        let trees = moving_meshes.iter().map(|moving_mesh| Hierarchy::new(moving_mesh.mesh())).collect();
        let empty = || [Vec::new(), Vec::new()];
        let fitted = Default::default();
        let (start, end, deviations) = (empty(), empty(), empty());
        Self { moving_meshes, round: None, trees, borders: None, duration, start, end, fitted, deviations }
    }

    /// A moving mesh and a round body.
    pub(crate) fn with_round(moving_mesh: MovingMesh<'s>, round: MovingRoundBody<'s>, duration: f64) -> Self {
        Self { round: Some(round), ..Self::new(vec![moving_mesh], duration) }
    }

    /// All times at which the two are within the distance of the goal. Outside of `spans` they are known to be further
    /// apart.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn follow(
        &mut self,
        spans: &[[f64; 2]],
        goal: &ProximityGoal,
        budget: &mut Budget<'_>,
    ) -> Result<DeformingContacts, Error> {
        contact_intervals::follow(self, spans, goal, budget)
    }

    /// Adds the intervals without contact in which `is_inside` holds for the vertices of both meshes. A body inside
    /// another can come out only through a contact, or at a break, so one sample of each interval suffices.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn add_times_inside(
        &mut self,
        spans: &[[f64; 2]],
        found: &mut DeformingContacts,
        budget: &mut Budget<'_>,
        is_inside: impl Fn(f64, [&[DVec3]; 2]) -> bool,
    ) -> Result<(), Error> {
        contact_intervals::add_times_inside(self, spans, found, budget, is_inside)
    }

    /// The start of the first interval without contact in which `is_inside` holds. At most 16 intervals are sampled.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn first_time_inside(
        &mut self,
        spans: &[[f64; 2]],
        found: &DeformingContacts,
        is_inside: impl Fn(f64, [&[DVec3]; 2]) -> bool,
    ) -> Result<Option<f64>, Error> {
        contact_intervals::first_time_inside(self, spans, found, is_inside)
    }

    /// The features with which a contact starts. `None` if the contact starts at time 0 or at a jump, if the budget
    /// does not suffice, or if straight paths are inconclusive, as when a curved path grazes. The bodies are
    /// separated from `separated` to the start.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn entry(
        &mut self,
        enter: [f64; 2],
        separated: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<FirstFeatures>, Error> {
        entry::entry(self, enter, separated, budget)
    }

    /// The pairs of triangles that meet at a time, in order, decided exactly for the computed vertices. For one mesh
    /// the lower number comes first, and the pair must contain an edge and a face, two edges, or a vertex and a face
    /// that meet and have no common vertex. Empty if one body is round.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn triangles_at(&mut self, time: f64) -> Result<Vec<[u32; 2]>, Error> {
        events::triangles_at(self, time)
    }

    /// All pairs of features that meet in one of some intervals, once, with the first time, sorted by time, then
    /// features; and whether the list is complete. A round body has no features. If vertices do not move along
    /// straight lines, the examined paths deviate from the true ones by at most 1e-6 of the meshes' size.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn events(
        &mut self,
        spans: &[[f64; 2]],
        budget: &mut Budget<'_>,
    ) -> Result<(Vec<DeformingEvent>, bool), Error> {
        events::events(self, spans, budget)
    }

    /// The minimum gap over the whole duration; 0 for one mesh with itself, whose adjacent triangles touch. `size` is
    /// the diagonal of the smaller body, in metres.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn minimum_distance(
        &mut self,
        size: f64,
        budget: &mut Budget<'_>,
    ) -> Result<DeformableDistance, Error> {
        gap::minimum_gap(self, size, budget)
    }

    /// The distance of two meshes at a time; 0 for one mesh with itself.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn gap_at(&mut self, time: f64, budget: &mut Budget<'_>) -> Result<DeformableDistance, Error> {
        gap::gap_at(self, time, budget)
    }

    /// The positions of both meshes' vertices at a time, in the common frame; a round body has none.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn vertices_at(&mut self, time: f64) -> Result<[&[DVec3]; 2], Error> {
        current_interval::vertices_at(self, time)
    }

    /// The ends of the smooth intervals, including 0 and the duration.
    fn breaks(&self) -> Vec<f64> {
        current_interval::breaks(self)
    }

    /// The smooth intervals, from the last to the first.
    fn smooth_parts(&self) -> Vec<SmoothPart> {
        current_interval::smooth_parts(self)
    }

    /// Charges the steps that it costs to move to an interval.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    fn pay(&self, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        current_interval::pay(self, budget)
    }

    /// Moves to part of a smooth interval.
    ///
    /// # Errors
    /// A frame cannot be read.
    fn move_to(&mut self, part: SmoothPart) -> Result<ChordError, Error> {
        current_interval::move_to(self, part)
    }

    /// Fits the boxes to the current interval, enlarged by a reach. For a mesh with itself, excludes the parts that
    /// cannot meet themselves if vertices deviate from their straight paths by at most that reach.
    fn fit_boxes(&mut self, reach: f64) {
        current_interval::fit_boxes(self, reach);
    }

    /// The origin of the interval's boxes.
    fn centre(&self) -> DVec3 {
        self.start[0].first().copied().unwrap_or(DVec3::ZERO)
    }

    /// The round body and the surface in the current interval; `None` if the pair has no round body.
    fn round_sides(&self, part: SmoothPart, deviation: f64) -> Option<RoundSides<'_>> {
        current_interval::round_sides(self, part, deviation)
    }

    /// The surfaces in the current interval.
    fn sides(&self) -> SurfacePair<'_> {
        current_interval::sides(self)
    }

    /// Whether an interval is long enough to be halved.
    fn can_be_halved(&self, interval: TimeInterval) -> bool {
        current_interval::can_be_halved(self, interval)
    }
}
