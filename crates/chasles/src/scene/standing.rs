//! The static check: which bodies intersect at one time.

use glam::DVec3;
use rayon::prelude::*;

use crate::broad_phase::{Candidate, SweptBox, candidates};
use crate::error::Error;
use crate::math::budget::Budget;
use crate::motion::Screw;
use crate::pair::PairMemory;
use crate::scene::definition::Scene;
use crate::scene::pairing::Standing;

/// Two bodies that intersect at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingPair {
    /// The numbers of the bodies A and B, the lower first.
    pub bodies: [usize; 2],
    /// All pairs of triangles of A and B that have a point in common, in order: exact for the corners as they are
    /// placed. For round bodies they are triangles of the polyhedra that show them; there may be none. There are none,
    /// too, where one body is wholly inside the other, and the outer one is solid.
    pub triangles: Vec<[u32; 2]>,
}

impl Scene {
    /// Which bodies intersect at a time in [0, `duration`] (at a jump, after it), and which of their triangles. All
    /// pairs of bodies except the exempt ones are tested, whether they move or not; pairs that do not intersect are
    /// not listed. (The test of Sinjur, corrected: see [`triangles_intersect`](crate::triangles_intersect).) Round
    /// bodies, solids, clouds and parametric surfaces are tested by their true surfaces, and listed unless proven apart.
    ///
    /// # Errors
    /// A time that is not in [0, `duration`].
    pub fn standing(&self, time: f64) -> Result<Vec<StandingPair>, Error> {
        self.check_rigid()?;
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
                    begin: time,
                    end: time,
                    min: centre - reach,
                    max: centre + reach,
                })
            })
            .collect();
        let wanted = |a: u32, b: u32| self.is_tested(a as usize, b as usize, Standing::Tested);
        let pair = |memory: &mut PairMemory, candidate: &Candidate| {
            let bodies = candidate.bodies.map(|body| body as usize);
            let screw = Screw::still(poses[bodies[0]]).seen_from(&poses[bodies[1]]);
            let pair = self.pair(bodies)?;
            let pose = screw.start();
            let (meets, triangles) = pair.meeting_at(memory, &pose, &mut Budget::new(u64::MAX)).ok()?;
            let solid = bodies.map(|body| self.bodies()[body].solid);
            (meets || pair.is_within(solid, &pose)).then_some(StandingPair { bodies, triangles })
        };
        let near = candidates(&boxes, &wanted);
        let found = near.par_iter().map_init(PairMemory::default, pair);
        Ok(found.flatten_iter().collect())
    }
}
