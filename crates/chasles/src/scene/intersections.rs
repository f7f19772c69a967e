//! The static check: which bodies intersect at one time.

use glam::DVec3;
use rayon::prelude::*;

use crate::broad_phase::{CandidatePair, SweptBox, candidates};
use crate::convex::inner::Interpenetration;
use crate::error::Error;
use crate::math::budget::Budget;
use crate::motion::Screw;
use crate::pair::PairMemory;
use crate::scene::definition::Scene;
use crate::scene::report::IntersectingPair;

impl Scene {
    /// The bodies that intersect at a time in [0, `duration`] (at a jump, after it), and their intersecting
    /// triangles. All pairs of bodies except the exempt ones are tested, whether they move or not; pairs that do not
    /// intersect are not listed. (The test of Sinjur, corrected: see
    /// [`triangles_intersect`](crate::triangles_intersect).) Round bodies, solids, clouds and parametric surfaces
    /// are tested by their true surfaces, and listed unless proven separated. The vertices of deforming bodies lie
    /// between the vertices of the frames. A body with itself is listed with the pairs of triangles, the lower
    /// number first, of which an edge and a face, two edges, or a vertex and a face meet and have no common vertex.
    ///
    /// # Errors
    /// A time is not in [0, `duration`]. If a body deforms: a frame cannot be read, or the other body is a solid, a
    /// cloud or a parametric surface.
    pub fn static_intersections(&self, time: f64) -> Result<Vec<IntersectingPair>, Error> {
        if !(0.0..=self.duration()).contains(&time) {
            return Error::out_of_range(time, "a time within the duration", "time");
        }
        let poses: Vec<_> = (0..self.bodies().len()).map(|body| self.pose_at(body, time)).collect();
        let boxes: Vec<SweptBox> = (0_u32..)
            .zip(self.bodies().iter().zip(&poses))
            .filter_map(|(number, (body, pose))| {
                let shape = body.shape.as_ref()?;
                let extent = shape.extent();
                let centre = pose.transform_point(extent.centre);
                let radius = extent.radius + extent.beyond;
                let reach = DVec3::splat(radius * (1.0 + 1e-9) + 1e-12 * centre.length());
                Some(SweptBox {
                    body: number,
                    start: time,
                    end: time,
                    min: centre - reach,
                    max: centre + reach,
                })
            })
            .collect();
        let wanted = |a: u32, b: u32| !self.is_exempt(a as usize, b as usize);
        let pair = |memory: &mut PairMemory, candidate: &CandidatePair| {
            let bodies = candidate.bodies.map(|body| body as usize);
            if bodies.into_iter().any(|body| self.is_deforming(body)) {
                return self.static_deformable_intersection(bodies, time).transpose();
            }
            let mut rigid = || {
                let screw = Screw::still(poses[bodies[0]]).in_frame_of(&poses[bodies[1]]);
                let pair = self.pair(bodies)?;
                let pose = screw.start();
                let (meets, triangles) =
                    pair.intersection_at(memory, &pose, &mut Budget::new(u64::MAX)).ok()?;
                let solid = bodies.map(|body| self.bodies()[body].solid);
                let is_inside = || {
                    pair.is_within(solid, &pose)
                        || pair.is_interpenetrating(&pose, &mut Budget::new(u64::MAX)) == Ok(Some(true))
                };
                (meets || is_inside()).then_some(IntersectingPair { bodies, triangles })
            };
            rigid().map(Ok)
        };
        let near = candidates(&boxes, &wanted);
        let found = near.par_iter().map_init(PairMemory::default, pair);
        let selves: Vec<usize> = self.self_tested().collect();
        let with_itself = |body: &usize| self.static_deformable_intersection([*body; 2], time).transpose();
        let all = found.chain(selves.par_iter().map(with_itself)).flatten_iter();
        let mut all: Vec<IntersectingPair> = all.collect::<Result<_, Error>>()?;
        all.sort_by_key(|pair| pair.bodies);
        Ok(all)
    }
    /// The interpenetration of pairs that intersect at a time in [0, `duration`], as found by [`Self::static_intersections`];
    /// `None` if the bodies are not both convex ([`CollisionShape::convex_mesh`](crate::CollisionShape::convex_mesh)).
    /// The pairs are spread over the threads of the current rayon pool.
    ///
    /// Guarantee: the decision, and the set of points inside, are exact for the vertices as they are placed, which
    /// the triangle test also uses; each piece is the convex hull of its vertices. Moore and Wilhelms, section 2.2.
    ///
    /// # Panics
    /// If there are no such bodies.
    #[must_use]
    pub fn interpenetrations(&self, pairs: &[IntersectingPair], time: f64) -> Vec<Option<Interpenetration>> {
        let of = |IntersectingPair { bodies, .. }: &IntersectingPair| {
            let [a, b] = bodies.map(|body| self.pose_at(body, time));
            let pose = Screw::still(a).in_frame_of(&b).start();
            let found = self.pair(*bodies)?.interpenetration((&pose, &b), &mut Budget::new(u64::MAX));
            found.ok().flatten()
        };
        pairs.par_iter().map(of).collect()
    }
}
