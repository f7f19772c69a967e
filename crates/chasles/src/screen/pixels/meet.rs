//! When and where two features meet that lie on top of each other on the screen (Buss 2005, "Pixel algorithm", last
//! steps, where Newton's iteration does this).

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

/// A collision that the pixel screen shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PixelCollision {
    /// When, in [0, 1].
    pub time: f64,
    /// The features.
    pub features: ContactFeatures,
    /// Where, in B's frame, in metres; between features that leave a gap, its middle.
    pub point: DVec3,
    /// Unit normal from A to B, in B's frame: that of the face, or the direction across both edges with the sign of
    /// the greater properness.
    pub normal: DVec3,
    /// See [`Rating::properness`](crate::Rating::properness).
    pub properness: f64,
    /// See [`Rating::proper`](crate::Rating::proper).
    pub proper: bool,
}

/// Works out collisions of pairs of features, and keeps those that are some.
pub(crate) struct PixelMeetings<'a> {
    meeters: &'a MatchingParts<'a>,
    /// Features that come within this many metres of each other at the root count.
    slack: f64,
    /// No vertex is faster, in metres for the whole motion.
    fastest: f64,
    isolation: Isolation,
    pub(crate) found: Vec<PixelCollision>,
}

impl<'a> PixelMeetings<'a> {
    pub(crate) fn new(meeters: &'a MatchingParts<'a>, slack: f64, fastest: f64) -> Self {
        Self { meeters, slack, fastest, isolation: Isolation::default(), found: Vec::with_capacity(32) }
    }

    /// The vertices and faces of A and B.
    fn meshes(&self) -> (&'a Mesh, &'a Mesh) {
        (self.meeters.a.mesh, self.meeters.b.mesh)
    }

    /// Keeps the collisions of two features at times in a span.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn find_collisions(
        &mut self,
        pair: FeaturePair,
        span: TimeInterval,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        let Some(function) = self.function(pair) else { return Ok(()) };
        let levels = Levels { error: function.error, window: function.error };
        let mut isolation = std::mem::take(&mut self.isolation);
        let found = isolate(&function.f, span, levels, budget, &mut isolation);
        for window in &isolation.windows {
            let roots = &isolation.roots[window.first_root..window.last_root];
            for root in roots {
                self.check(pair, 0.5 * (root.lo + root.hi), budget)?;
            }
            // Where rounding, or the end of the motion, hides the change of sign.
            if roots.is_empty() && (window.hi - window.lo) * self.fastest <= self.slack {
                self.check(pair, 0.5 * (window.lo + window.hi), budget)?;
            }
        }
        self.isolation = isolation;
        found
    }

    fn function(&self, pair: FeaturePair) -> Option<MeetingFunction> {
        let ((a, b), motion) = (self.meshes(), self.meeters.motion);
        of_pair(pair, (a, b), motion, &mut |seen| match seen {
            PathOf::FromB(vertex) => motion.path(a.local()[vertex as usize]),
            PathOf::FromA(vertex) => motion.path_seen_from_a(b.local()[vertex as usize]),
        })
    }

    /// Keeps the collision at a time, if the features meet then and matter.
    fn check(&mut self, pair: FeaturePair, time: f64, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        let basis = self.meeters.motion.basis(time);
        let closest = closest_of(pair, self.meshes(), self.meeters.motion, &basis);
        // A NaN distance compares false, and is none.
        if closest.squared.sqrt() <= self.slack {
            let place = 0.5 * (closest.a + closest.b);
            let fallback = match unit_along(self.meeters.a.flow.at(place)) {
                DVec3::ZERO => DVec3::Z,
                direction => direction,
            };
            let rating = self.meeters.rate(pair, &basis, place, fallback);
            if rating.kept {
                budget.keep::<PixelCollision>()?;
                self.found.push(PixelCollision {
                    time,
                    features: features_of(pair, self.meshes()),
                    point: place + self.meeters.b.mesh.centre(),
                    normal: rating.normal,
                    properness: rating.properness,
                    proper: rating.proper,
                });
            }
        }
        Ok(())
    }
}
