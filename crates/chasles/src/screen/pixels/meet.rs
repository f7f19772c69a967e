//! Computes time and place of the collision of two features that cover each other on the screen (Buss 2005, "Pixel
//! algorithm", last steps, which use Newton's iteration).

use glam::DVec3;

use crate::features::contact::{ContactFeatures, closest_of, features_of};
use crate::features::event::FeaturePair;
use crate::features::functions::{MeetingFunction, PathOf, of_pair};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::math::roots::{Isolation, Levels, isolate};
use crate::math::time_interval::TimeInterval;
use crate::screen::proper::MatchingParts;
use crate::shape::Mesh;

/// A collision found with pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PixelCollision {
    /// The time, in [0, 1].
    pub time: f64,
    /// The features.
    pub features: ContactFeatures,
    /// The point in B's frame, in metres; between features that leave a gap, the middle of the gap.
    pub point: DVec3,
    /// Unit normal from A to B, in B's frame: the normal of the face, or the direction across both edges with the
    /// sign that gives the larger properness.
    pub normal: DVec3,
    /// See [`Rating::properness`](crate::Rating::properness).
    pub properness: f64,
    /// See [`Rating::proper`](crate::Rating::proper).
    pub proper: bool,
}

/// Computes the collisions of pairs of features, and keeps those between parts that matter.
pub(crate) struct PixelMeetings<'a> {
    surfaces: &'a MatchingParts<'a>,
    /// Features at most this far apart at the root, in metres, collide.
    margin: f64,
    /// Upper bound of the speed of vertices, in metres per whole motion.
    max_speed: f64,
    isolation: Isolation,
    pub(crate) found: Vec<PixelCollision>,
}

impl<'a> PixelMeetings<'a> {
    pub(crate) fn new(surfaces: &'a MatchingParts<'a>, margin: f64, max_speed: f64) -> Self {
        Self { surfaces, margin, max_speed, isolation: Isolation::default(), found: Vec::with_capacity(32) }
    }

    /// The meshes of A and B.
    fn meshes(&self) -> (&'a Mesh, &'a Mesh) {
        (self.surfaces.a.mesh, self.surfaces.b.mesh)
    }

    /// Keeps the collisions of two features at times in an interval.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn find_collisions(
        &mut self,
        pair: FeaturePair,
        interval: TimeInterval,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        let Some(function) = self.function(pair) else { return Ok(()) };
        let levels = Levels { error: function.error, window: function.error };
        let mut isolation = std::mem::take(&mut self.isolation);
        let found = isolate(&function.f, interval, levels, budget, &mut isolation);
        for window in &isolation.windows {
            let roots = &isolation.roots[window.first_root..window.last_root];
            for root in roots {
                self.check(pair, 0.5 * (root.lo + root.hi), budget)?;
            }
            // Rounding, or the end of the motion, may hide the change of sign.
            if roots.is_empty() && (window.hi - window.lo) * self.max_speed <= self.margin {
                self.check(pair, 0.5 * (window.lo + window.hi), budget)?;
            }
        }
        self.isolation = isolation;
        found
    }

    fn function(&self, pair: FeaturePair) -> Option<MeetingFunction> {
        let ((a, b), motion) = (self.meshes(), self.surfaces.motion);
        of_pair(pair, a, b, motion, &mut |path| match path {
            PathOf::FromB(vertex) => motion.path(a.local()[vertex as usize]),
            PathOf::FromA(vertex) => motion.path_seen_from_a(b.local()[vertex as usize]),
        })
    }

    /// Keeps the collision at a time if the features meet at that time and matter.
    fn check(&mut self, pair: FeaturePair, time: f64, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        let basis = self.surfaces.motion.basis(time);
        let (a, b) = self.meshes();
        let closest = closest_of(pair, a, b, self.surfaces.motion, &basis);
        // A NaN distance compares false, so it is no collision.
        if closest.squared.sqrt() <= self.margin {
            let place = 0.5 * (closest.a + closest.b);
            let fallback = match unit_along(self.surfaces.a.flow.at(place)) {
                DVec3::ZERO => DVec3::Z,
                direction => direction,
            };
            let rating = self.surfaces.rate(pair, &basis, place, fallback);
            if rating.matters {
                budget.keep::<PixelCollision>()?;
                self.found.push(PixelCollision {
                    time,
                    features: features_of(pair, a, b),
                    point: place + self.surfaces.b.mesh.centre(),
                    normal: rating.normal,
                    properness: rating.properness,
                    proper: rating.proper,
                });
            }
        }
        Ok(())
    }
}
