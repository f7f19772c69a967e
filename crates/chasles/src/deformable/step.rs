//! One step of a simulation: surfaces with their vertices before and after, and all contacts in between. This file is
//! the one to read first.
//!
//! ```text
//! hierarchy          a tree over a mesh whose boxes are refitted to every step
//! self_exclusion     parts of a surface that cannot meet themselves during a step
//! candidates         features of surfaces that can meet during a step
//! meeting_intervals  all times at which two features meet, with rounding bounds
//! exact_intervals    the same without any rounding
//! faces              two moving faces: bounds of their minimum distance
//! cover              times of a step at which a condition holds
//! touches            two faces that lie on each other: whether one passes through the other
//! contact_intervals  all times of a step at which two surfaces meet
//! near_intervals     all times of a step at which two surfaces are within a distance
//! least              the minimum distance of two surfaces during a step
//! ```

pub(crate) mod hierarchy;
pub(crate) mod self_exclusion;
pub(crate) mod candidates;
pub(crate) mod meeting_intervals;
mod exact_intervals;
pub(crate) mod faces;
pub(crate) mod cover;
mod touches;
pub(crate) mod contact_intervals;
pub(crate) mod near_intervals;
pub(crate) mod least;

use glam::DVec3;

use crate::deformable::elementary::features::{FeatureContact, FeatureMeeting};
use crate::deformable::step::candidates::{MovingSurface, SurfacePair};
use crate::deformable::step::contact_intervals::contact_intervals;
use crate::deformable::step::cover::StepIntervals;
use crate::deformable::step::hierarchy::{Hierarchy, RefitBoxes, VertexMotion};
use crate::deformable::step::meeting_intervals::{Accuracy, TouchingConditions};
use crate::deformable::step::self_exclusion::Borders;
use crate::error::{Error, check_not_negative, check_vector};
use crate::features::contact::ContactFeatures;
use crate::math::budget::{Budget, OutOfBudget};
use crate::shape::Mesh;

/// Whether a surface is tested against itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SelfTest {
    /// The surface is not tested against itself.
    #[default]
    Skipped,
    /// Pairs of its features without a common vertex are tested against each other.
    Tested,
}

/// Surfaces whose vertices move, with the data that stays the same from step to step. All are tested against each
/// other.
#[derive(Debug, Clone)]
pub struct MovingSurfaces {
    surfaces: Vec<StepSurface>,
}

#[derive(Debug, Clone)]
struct StepSurface {
    mesh: Mesh,
    tree: Hierarchy,
    /// The borders of its parts, once it is tested against itself.
    borders: Option<Borders>,
    fitted: RefitBoxes,
    self_test: SelfTest,
}

/// The vertices of all surfaces before and after a step, in metres: each moves at constant velocity along a straight
/// line.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceStep<'a> {
    /// Before, by surface.
    pub start: &'a [Vec<DVec3>],
    /// After, by surface.
    pub end: &'a [Vec<DVec3>],
}

/// Two features of two surfaces, or of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SurfaceFeatures {
    /// The surfaces, the lower number first; twice the same number for a surface with itself.
    pub surfaces: [usize; 2],
    /// A vertex and a face, a face and a vertex, or two edges. If both are of one surface, they have no common
    /// vertex, the vertex comes before the face, and the smaller edge comes first.
    pub features: ContactFeatures,
}

/// Two features that come within a distance of each other during a step, with their first time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceEvent {
    /// The features.
    pub pair: SurfaceFeatures,
    /// When, as a fraction of the step, and where. The vertex is the first feature in `weights`; `point` is on the
    /// feature of the second surface, and `normal` points there.
    pub contact: FeatureContact,
}

/// All events of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepEvents {
    /// Sorted by time, then features: every pair of features that come within the distance, once.
    pub events: Vec<SurfaceEvent>,
    /// The pairs for which the budget did not suffice.
    pub undecided: Vec<SurfaceFeatures>,
    /// Whether all candidates were examined; if not, the budget did not suffice.
    pub is_complete: bool,
}

/// The part of a step that can be taken before any features come within a distance.
#[derive(Debug, Clone, PartialEq)]
pub struct SafeStep {
    /// A proven lower bound of the first time, as a fraction of the step: up to it, no features are within the
    /// distance. 1 if none are throughout.
    pub until: f64,
    /// The first events: all whose times cannot be distinguished from the first time.
    pub contacts: Vec<SurfaceEvent>,
    /// Whether the budget sufficed; if not, `until` may be smaller than necessary.
    pub is_complete: bool,
}

/// Time intervals are not halved below this fraction of a step before integer arithmetic decides.
pub(super) const NARROWEST: f64 = 1.0 / (1_u64 << 36) as f64;

impl MovingSurfaces {
    /// Surfaces, each with whether it is tested against itself. The triangles of each mesh count, not the vertex
    /// positions, except that vertices at the same position are one vertex.
    #[must_use]
    pub fn new(surfaces: Vec<(Mesh, SelfTest)>) -> Self {
        let surfaces = surfaces.into_iter().map(|(mesh, self_test)| {
            let tree = Hierarchy::new(&mesh);
            StepSurface { mesh, tree, borders: None, fitted: RefitBoxes::default(), self_test }
        });
        Self { surfaces: surfaces.collect() }
    }

    /// All pairs of features whose boxes, which contain their paths, come within a distance of each other, in
    /// metres: no other pairs can.
    ///
    /// # Errors
    /// As [`Self::events`]; or there are more candidates than the budget has steps.
    pub fn candidates(
        &mut self,
        step: &SurfaceStep<'_>,
        distance: f64,
        budget: u64,
    ) -> Result<Vec<SurfaceFeatures>, Error> {
        self.fit(step, distance)?;
        let mut found = Vec::new();
        let mut budget = Budget::new(budget);
        let searched = self.each_candidate(step, &mut budget, &mut |pair, _, budget| {
            found.push(pair);
            budget.step()
        });
        match searched {
            Ok(()) => Ok(found),
            Err(OutOfBudget) => {
                Error::out_of_range(found.len() as f64, "fewer candidates than the budget has steps", "step")
            }
        }
    }

    /// All pairs of features that come within a distance of each other during a step, in metres; with 0: that share
    /// a point. The decision is exact for the numbers as given, as in [`MovingFeatures::first_contact`].
    ///
    /// The budget is counted in steps of some 100 ns.
    ///
    /// # Errors
    /// The number of surfaces or vertices differs; a coordinate is not finite or not below 1e70; or the distance is
    /// not a nonnegative number.
    ///
    /// # Example
    /// ```
    /// use chasles::{Mesh, MovingSurfaces, SelfTest, SurfaceStep};
    /// use glam::DVec3;
    /// // A triangle falls through another one.
    /// let flat = |z: f64| vec![DVec3::new(-1.0, -1.0, z), DVec3::new(2.0, -1.0, z), DVec3::new(-1.0, 2.0, z)];
    /// let upright = |z: f64| vec![DVec3::Z * z, DVec3::new(0.1, 0.0, z + 1.0), DVec3::new(0.0, 0.1, z + 1.0)];
    /// let mesh = |vertices| Mesh::new(vertices, vec![[0, 1, 2]]);
    /// let surfaces = vec![(mesh(flat(0.0))?, SelfTest::Skipped), (mesh(upright(1.0))?, SelfTest::Skipped)];
    /// let mut surfaces = MovingSurfaces::new(surfaces);
    /// let (start, end) = ([flat(0.0), upright(1.0)], [flat(0.0), upright(-1.0)]);
    /// let step = SurfaceStep { start: &start, end: &end };
    /// let found = surfaces.events(&step, 0.0, 1_000_000)?;
    /// assert!(found.is_complete && found.undecided.is_empty());
    /// assert!(found.events[0].contact.time[0] <= 0.5 && 0.5 <= found.events[0].contact.time[1]);
    /// assert!(surfaces.safe_step(&step, 0.5, 1_000_000)?.until <= 0.25);
    /// # Ok::<(), chasles::Error>(())
    /// ```
    ///
    /// [`MovingFeatures::first_contact`]: crate::MovingFeatures::first_contact
    pub fn events(
        &mut self,
        step: &SurfaceStep<'_>,
        distance: f64,
        budget: u64,
    ) -> Result<StepEvents, Error> {
        self.fit(step, distance)?;
        if distance == 0.0 {
            self.exclude_unfolded(step, |surface| surface.self_test == SelfTest::Tested);
        }
        let mut found = StepEvents::default();
        let mut budget = Budget::new(budget);
        let searched = self.each_candidate(step, &mut budget, &mut |pair, sides, budget| {
            budget.step()?;
            match first_contact(sides, &pair.features, distance, budget) {
                FeatureMeeting::Clear => {}
                FeatureMeeting::Contact(contact) => found.events.push(SurfaceEvent { pair, contact }),
                FeatureMeeting::Undecided(_) => found.undecided.push(pair),
            }
            Ok(())
        });
        found.is_complete = searched.is_ok();
        found.events.sort_by(SurfaceEvent::order);
        Ok(found)
    }

    /// The largest part of a step before any features come within a distance of each other, in metres, with the
    /// first events.
    ///
    /// # Errors
    /// As [`Self::events`].
    pub fn safe_step(
        &mut self,
        step: &SurfaceStep<'_>,
        distance: f64,
        budget: u64,
    ) -> Result<SafeStep, Error> {
        self.fit(step, distance)?;
        if distance == 0.0 {
            self.exclude_unfolded(step, |surface| surface.self_test == SelfTest::Tested);
        }
        let mut contacts: Vec<SurfaceEvent> = Vec::new();
        // `first` bounds the first time from above; undecided pairs are clear until `undecided`.
        let (mut first, mut undecided) = (f64::INFINITY, 1.0_f64);
        let mut budget = Budget::new(budget);
        let searched = self.each_candidate(step, &mut budget, &mut |pair, sides, budget| {
            budget.step()?;
            match first_contact(sides, &pair.features, distance, budget) {
                FeatureMeeting::Clear => {}
                FeatureMeeting::Contact(contact) if contact.time[0] <= first => {
                    if contact.time[1] < first {
                        first = contact.time[1];
                        contacts.retain(|other| other.contact.time[0] <= first);
                    }
                    contacts.push(SurfaceEvent { pair, contact });
                }
                FeatureMeeting::Contact(_) => {}
                FeatureMeeting::Undecided(clear_until) => undecided = undecided.min(clear_until),
            }
            Ok(())
        });
        let is_complete = searched.is_ok() && undecided >= 1.0;
        let until = contacts.iter().fold(undecided, |until, event| until.min(event.contact.time[0]));
        contacts.sort_by(SurfaceEvent::order);
        Ok(SafeStep { until: if searched.is_ok() { until } else { 0.0 }, contacts, is_complete })
    }

    /// The times at which two surfaces, or one with itself, meet. A surface meets itself if an edge and a face, two
    /// edges, or a vertex and a face without a common vertex share a point. Decided exactly.
    ///
    /// # Errors
    /// As [`Self::events`]; or a surface does not exist.
    pub fn intervals(
        &mut self,
        step: &SurfaceStep<'_>,
        surfaces: [usize; 2],
        budget: u64,
    ) -> Result<StepIntervals, Error> {
        if let Some(bad) = surfaces.into_iter().find(|s| *s >= self.surfaces.len()) {
            return Error::out_of_range(bad as f64, "the number of a surface", "surface");
        }
        self.fit(step, 0.0)?;
        if surfaces[0] == surfaces[1] {
            self.exclude_unfolded(step, |_| true);
        }
        let sides = self.sides(step, surfaces);
        let accuracy =
            Accuracy { deviation: 0.0, narrowest: NARROWEST, touching: TouchingConditions::default() };
        let found = contact_intervals(&sides, &accuracy, &mut Budget::new(budget));
        Ok(found.unwrap_or_else(|OutOfBudget| StepIntervals::undecided()))
    }

    /// Fits all boxes to a step, so that boxes within a distance of each other overlap.
    fn fit(&mut self, step: &SurfaceStep<'_>, distance: f64) -> Result<(), Error> {
        check_not_negative(distance, "distance")?;
        for (when, places) in [("start", step.start), ("end", step.end)] {
            if places.len() != self.surfaces.len() {
                return Error::out_of_range(places.len() as f64, "as many surfaces as there are", when);
            }
            for (i, (places, surface)) in places.iter().zip(&self.surfaces).enumerate() {
                let place = || format!("{when} of surface {i}");
                if places.len() != surface.mesh.vertex_count() {
                    return Error::out_of_range(
                        places.len() as f64,
                        "as many vertices as the mesh has",
                        place(),
                    );
                }
                let all = places.iter().enumerate();
                all.into_iter()
                    .try_for_each(|(v, p)| check_vector(*p, || format!("{}: vertex {v}", place())))?;
            }
        }
        let centre = centre(step);
        for (i, surface) in self.surfaces.iter_mut().enumerate() {
            let motion = VertexMotion { start: &step.start[i], end: &step.end[i], centre };
            surface.tree.fit(&surface.mesh, &motion, 0.5 * distance * (1.0 + 1e-9), &mut surface.fitted);
        }
        Ok(())
    }

    /// Excludes the parts of these surfaces that are proven not to meet themselves during the step to which the
    /// boxes are fitted.
    fn exclude_unfolded(&mut self, step: &SurfaceStep<'_>, is_selected: impl Fn(&StepSurface) -> bool) {
        let centre = centre(step);
        for (i, surface) in self.surfaces.iter_mut().enumerate() {
            if is_selected(surface) {
                let StepSurface { mesh, tree, borders, fitted, .. } = surface;
                let motion = VertexMotion { start: &step.start[i], end: &step.end[i], centre };
                let borders = borders.get_or_insert_with(|| Borders::new(tree, mesh));
                fitted.unfolded = borders.unfolded(tree, mesh, &motion, 0.0);
            }
        }
    }

    fn sides<'s>(&'s self, step: &SurfaceStep<'s>, [i, j]: [usize; 2]) -> SurfacePair<'s> {
        let centre = centre(step);
        let moving = |i: usize| {
            let StepSurface { mesh, tree, fitted, .. } = &self.surfaces[i];
            let motion = VertexMotion { start: &step.start[i], end: &step.end[i], centre };
            MovingSurface { mesh, tree, fitted, motion, deviations: &[] }
        };
        if i == j { SurfacePair::Itself(moving(i)) } else { SurfacePair::Two(moving(i), moving(j)) }
    }

    fn each_candidate(
        &self,
        step: &SurfaceStep<'_>,
        budget: &mut Budget<'_>,
        visit: &mut FeatureVisit<'_>,
    ) -> Result<(), OutOfBudget> {
        for i in 0..self.surfaces.len() {
            for j in i..self.surfaces.len() {
                if i == j && self.surfaces[i].self_test == SelfTest::Skipped {
                    continue;
                }
                let sides = self.sides(step, [i, j]);
                sides.features(budget, |features, budget| {
                    visit(SurfaceFeatures { surfaces: [i, j], features }, &sides, budget)
                })?;
            }
        }
        Ok(())
    }
}

type FeatureVisit<'v> =
    dyn FnMut(SurfaceFeatures, &SurfacePair<'_>, &mut Budget<'_>) -> Result<(), OutOfBudget> + 'v;

/// Some vertex: the origin of the boxes.
fn centre(step: &SurfaceStep<'_>) -> DVec3 {
    step.start.iter().flatten().next().copied().unwrap_or(DVec3::ZERO)
}

/// When two features first come within a distance, with the contact as seen from A.
pub(super) fn first_contact(
    sides: &SurfacePair<'_>,
    features: &ContactFeatures,
    distance: f64,
    budget: &mut Budget<'_>,
) -> FeatureMeeting {
    let Some(moving) = sides.moving(features) else { return FeatureMeeting::Clear };
    match (moving.meeting(distance, budget), features) {
        (FeatureMeeting::Contact(contact), ContactFeatures::FaceVertex { .. }) => {
            // The vertex was the first feature, so the point on it is `distance` back along the normal.
            let point = contact.point - distance * contact.normal;
            FeatureMeeting::Contact(FeatureContact { point, normal: -contact.normal, ..contact })
        }
        (meeting, _) => meeting,
    }
}

impl SurfaceEvent {
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let [x, y] = [self, other].map(|event| event.contact.time);
        x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])).then(self.pair.cmp(&other.pair))
    }
}
