//! Whether two bodies whose surfaces touch at one time nevertheless overlap deeply, with coplanar or coincident faces.

use glam::DVec3;

use super::rigid::{PairMemory, RigidPair};
use crate::body::{MeshSurface, PreparedPair};
use crate::features::screw_motion::ScrewMotion;
use crate::instant::depth::depth_in;
use crate::instant::flush::are_deep;
use crate::math::budget::Budget;
use crate::mesh_screw::overlap::OverlapGoal;
use crate::motion::{Pose, Screw};
use crate::round::{RoundPair, at_origin};

/// Extents that differ by less than this fraction of the size of the bodies count as equal, because rounding may
/// explain the difference.
const ROUNDING: f64 = 1e-14;

impl RigidPair<'_> {
    /// Whether two bodies whose surfaces touch at a pose of A in B's frame are proven to overlap by more than a
    /// distance, so that no translation by that distance separates them: see
    /// [`instant::flush`](crate::instant::flush). `false` proves nothing.
    pub(crate) fn is_flush_deep(
        &self,
        memory: &mut PairMemory,
        (pose, distance): (&Pose, f64),
        budget: &mut Budget<'_>,
    ) -> bool {
        match self {
            Self::Meshes(a, b) => {
                let bodies = PreparedPair::new(a.body, b.body);
                let motion = ScrewMotion::new(a.body.mesh(), b.body.mesh(), &Screw::still(*pose));
                let touching = memory.workspace.overlap_of(bodies, pose, OverlapGoal::All, budget);
                touching.and_then(|found| are_deep(bodies, &motion, distance, &found.pairs, budget))
                    == Ok(true)
            }
            Self::Round(pair) => self.is_round_deep(pair, pose, distance),
        }
    }

    /// As [`Self::is_flush_deep`], if at least one body is round, and so convex. The middles decide whether the
    /// interiors share a point. The extents along the axes of both bodies decide whether one fits into the other.
    fn is_round_deep(&self, pair: &RoundPair<'_>, pose: &Pose, distance: f64) -> bool {
        let back = pose.inverse();
        let in_mesh = |surface: &MeshSurface<'_>, point: DVec3| {
            let mesh = surface.body.mesh();
            let is_closed = mesh.around().is_closed();
            if is_closed { depth_in(surface.body, point - mesh.centre()) } else { f64::NEG_INFINITY }
        };
        let in_a = |point: DVec3| {
            let local = back.transform_point(point);
            match pair {
                RoundPair::MeshRound(a, _) => in_mesh(a, local),
                RoundPair::RoundMesh(a, _) | RoundPair::RoundRound(a, _) => {
                    -at_origin(*a).signed_distance(local).0
                }
            }
        };
        let in_b = |point: DVec3| match pair {
            RoundPair::RoundMesh(_, b) => in_mesh(b, point),
            RoundPair::MeshRound(_, b) | RoundPair::RoundRound(_, b) => {
                -at_origin(*b).signed_distance(point).0
            }
        };
        let margin = ROUNDING * (self.size() + pose.position().length());
        let deep = distance + margin;
        let middles = [pose.position(), DVec3::ZERO, 0.5 * pose.position()];
        let is_common = middles.into_iter().any(|point| {
            let [a, b] = [in_a(point), in_b(point)];
            a > 0.0 && b > 0.0 && a + b > deep
        });
        if !is_common {
            return false;
        }
        let support_a = |n: DVec3| match pair {
            RoundPair::MeshRound(a, _) => a.support(n),
            RoundPair::RoundMesh(a, _) | RoundPair::RoundRound(a, _) => at_origin(*a).support(n),
        };
        let support_b = |n: DVec3| match pair {
            RoundPair::RoundMesh(_, b) => b.support(n),
            RoundPair::MeshRound(_, b) | RoundPair::RoundRound(_, b) => at_origin(*b).support(n),
        };
        let extent = |support: &dyn Fn(DVec3) -> DVec3, to: &Pose, n: DVec3| {
            let local_normal = to.inverse().transform_vector(n);
            [-local_normal, local_normal].map(|direction| n.dot(to.transform_point(support(direction))))
        };
        let axes = DVec3::AXES.into_iter().chain(DVec3::AXES.map(|axis| pose.transform_vector(axis)));
        let extents: Vec<[[f64; 2]; 2]> =
            axes.map(|n| [extent(&support_a, pose, n), extent(&support_b, &Pose::IDENTITY, n)]).collect();
        let has_no_room = |inner: usize| {
            extents.iter().any(|both| {
                let ([lo, hi], [other_lo, other_hi]) = (both[inner], both[1 - inner]);
                hi - lo >= other_hi - other_lo - margin || lo < other_lo - deep || hi > other_hi + deep
            })
        };
        has_no_room(0) && has_no_room(1)
    }
}
