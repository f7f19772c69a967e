//! The static check: what intersects at one time.

use glam::DVec3;
use rayon::prelude::*;

use crate::broad_phase::{BroadPhase, Candidate, SweptBox, candidates};
use crate::error::{Error, ErrorKind};
use crate::math::budget::Budget;
use crate::motion::Screw;
use crate::narrow_phase::overlap::Depth;
use crate::predict::{Options, Search, Workspace};
use crate::scene::definition::Scene;

/// Two bodies that intersect at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingPair {
    /// The numbers of the bodies A and B, the lower first.
    pub bodies: [usize; 2],
    /// All pairs of triangles of A and B that have a point in common, in order: exact for the corners as they are placed. Of
    /// round bodies, triangles of the polyhedra that show them.
    pub triangles: Vec<[u32; 2]>,
}

impl Scene {
    /// All pairs of triangles that intersect at a time in [0, `duration`] (at a jump, after it), of the pairs of bodies that
    /// are tested; pairs without any are not listed. (The test of Sinjur, corrected: see
    /// [`overlap`](crate::narrow_phase::overlap).)
    ///
    /// # Errors
    /// A time that is not in [0, `duration`].
    pub fn standing(&self, time: f64) -> Result<Vec<StandingPair>, Error> {
        if !(0.0..=self.duration()).contains(&time) {
            let kind = ErrorKind::OutOfRange { value: time, expected: "a time within the duration" };
            return Err(Error::new(kind, "time"));
        }
        let poses: Vec<_> = (0..self.bodies().len()).map(|body| self.pose_at(body, time)).collect();
        let boxes: Vec<SweptBox> = (0_u32..)
            .zip(self.bodies().iter().zip(&poses))
            .filter_map(|(number, (body, pose))| {
                let mesh = body.shape.as_ref()?.body().mesh();
                let centre = pose.transform_point(mesh.centre());
                let reach = DVec3::splat(mesh.radius() * (1.0 + 1e-9) + 1e-12 * centre.length());
                Some(SweptBox {
                    body: number,
                    begin: time,
                    end: time,
                    min: centre - reach,
                    max: centre + reach,
                })
            })
            .collect();
        let wanted = |a: u32, b: u32| self.is_tested(a as usize, b as usize);
        let pair = |workspace: &mut Workspace, candidate: &Candidate| {
            let bodies = candidate.bodies.map(|body| body as usize);
            let screw = Screw::still(poses[bodies[0]]).seen_from(&poses[bodies[1]]);
            let [Some(a), Some(b)] = bodies.map(|body| self.bodies()[body].shape.as_ref()) else {
                return None;
            };
            let search = Search::new((a.body(), b.body()), &screw, &Options::default()).ok()?;
            let mut budget = Budget::new(u64::MAX);
            let found = search.overlap_at(0.0, Depth::All, &mut workspace.charts, &mut budget).ok()?;
            found.anywhere.then_some(StandingPair { bodies, triangles: found.pairs })
        };
        let near = candidates(&boxes, &wanted, BroadPhase::default());
        let found = near.par_iter().map_init(Workspace::default, pair);
        Ok(found.flatten_iter().collect())
    }
}
