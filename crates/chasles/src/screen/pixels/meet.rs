//! When and where two features meet that lie on top of each other on the screen (Buss 2005, "Pixel algorithm", last
//! steps, where Newton's iteration does this).

use glam::DVec3;

use crate::features::contact::ContactFeatures;
use crate::features::distance::{Closest, point_triangle, segment_segment};
use crate::features::event::FeaturePair;
use crate::features::functions::{MeetingFunction, edge_edge, point_face};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::math::roots::{Isolation, Levels, isolate};
use crate::math::screw_function::Basis;
use crate::screen::proper::Meeters;
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
    meeters: &'a Meeters<'a>,
    /// Features that come within this many metres of each other at the root count.
    slack: f64,
    /// No vertex is faster, in metres for the whole motion.
    fastest: f64,
    isolation: Isolation,
    pub(crate) found: Vec<PixelCollision>,
}

impl<'a> PixelMeetings<'a> {
    pub(crate) fn new(meeters: &'a Meeters<'a>, slack: f64, fastest: f64) -> Self {
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
    pub(crate) fn ask(
        &mut self,
        pair: FeaturePair,
        span: (f64, f64),
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
        match pair {
            FeaturePair::VertexFace { vertex, face } => {
                point_face(&motion.path(a.local()[vertex as usize]), &b.local_triangle(face), motion)
            }
            FeaturePair::FaceVertex { face, vertex } => {
                let path = motion.path_seen_from_a(b.local()[vertex as usize]);
                point_face(&path, &a.local_triangle(face).map(|p| motion.placed(p)), motion)
            }
            FeaturePair::EdgeEdge { a: edge_a, b: edge_b } => {
                let [p, q] = a.edges()[edge_a as usize].map(|v| a.local()[v as usize]);
                let [r, s] = b.edges()[edge_b as usize].map(|v| b.local()[v as usize]);
                Some(edge_edge(&motion.path(p), motion.turned(q - p), r, s - r, motion))
            }
        }
    }

    /// The closest points of A and B, and the features.
    fn closest(&self, pair: FeaturePair, basis: &Basis) -> (Closest, ContactFeatures) {
        let ((a, b), motion) = (self.meshes(), self.meeters.motion);
        let at = |p: DVec3| motion.path(p).at(basis);
        match pair {
            FeaturePair::VertexFace { vertex, face } => {
                let closest = point_triangle(at(a.local()[vertex as usize]), &b.local_triangle(face));
                (closest, ContactFeatures::VertexFace { a: vertex, b: face })
            }
            FeaturePair::FaceVertex { face, vertex } => {
                let triangle = a.local_triangle(face).map(at);
                let closest = point_triangle(b.local()[vertex as usize], &triangle);
                (
                    Closest { a: closest.b, b: closest.a, ..closest },
                    ContactFeatures::FaceVertex { a: face, b: vertex },
                )
            }
            FeaturePair::EdgeEdge { a: edge_a, b: edge_b } => {
                let (ends_a, ends_b) = (a.edges()[edge_a as usize], b.edges()[edge_b as usize]);
                let segment = ends_a.map(|v| at(a.local()[v as usize]));
                let closest = segment_segment(segment, ends_b.map(|v| b.local()[v as usize]));
                (closest, ContactFeatures::EdgeEdge { a: ends_a, b: ends_b })
            }
        }
    }

    /// Keeps the collision at a time, if the features meet then and matter.
    fn check(&mut self, pair: FeaturePair, time: f64, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        let basis = self.meeters.motion.basis(time);
        let (closest, features) = self.closest(pair, &basis);
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
                    features,
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
