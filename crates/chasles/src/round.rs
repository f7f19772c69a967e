//! Exact spheres, cylinders, cones and capsules against meshes and each other.
//!
//! Round surfaces are not approximated by triangles: a round shape is a profile rotated about an axis ([`support`]).
//! [`convex`] computes, with a proof and by [`gjk`], its distance from a triangle or another round shape, or the
//! penetration depth. A [`path`] is the shape's path along a screw, and bounds how long a current fact stays true.
//! [`against_mesh`] and [`against_round`] answer queries for one pose and for one screw, [`intervals`] finds all
//! contact intervals along a screw, and [`intersecting`] bounds how long a pair keeps intersecting along any motion.
//!
//! Only surfaces count: a shape wholly inside another is separated from it. All answers hold for the true round
//! surfaces, rounding included. Read this file first.

pub(crate) mod support;
pub(crate) mod gjk;
pub(crate) mod convex;
pub(crate) mod path;
pub(crate) mod against_mesh;
pub(crate) mod against_round;
pub(crate) mod intersecting;
pub(crate) mod intervals;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod sampled_tests;
#[cfg(test)]
mod witness_tests;

use glam::DVec3;
use rustc_hash::FxHashMap;

use crate::body::MeshSurface;
use crate::math::budget::{Budget, OutOfBudget};
use crate::motion::{Pose, Screw};
use against_mesh::{Outermost, RoundQueue};
use path::RoundPath;
use support::{Placed, RoundShape};

/// Two bodies, at least one of them round; A comes first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RoundPair<'a> {
    RoundMesh(RoundShape, MeshSurface<'a>),
    MeshRound(MeshSurface<'a>, RoundShape),
    RoundRound(RoundShape, RoundShape),
}

/// The proven state at one pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RoundState {
    /// The surfaces are separated.
    Separated {
        /// In metres, greater than 0.
        lower: f64,
        upper: f64,
    },
    /// They intersect, and still do after either body is moved so that each of its points moves by less than the
    /// margin.
    Intersecting {
        /// In metres, greater than 0.
        margin: f64,
    },
    /// Neither is proven: within rounding of touching.
    Touching { upper: f64 },
}

/// Point and normal of the contact of two bodies, in B's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RoundPlace {
    /// In the middle of the gap.
    pub(crate) point: DVec3,
    /// Unit, from A to B.
    pub(crate) normal: DVec3,
    /// The mesh's triangle.
    pub(crate) face: Option<u32>,
}

/// Memory for queries; its content before a query does not matter.
#[derive(Debug, Clone, Default)]
pub(crate) struct RoundMemory {
    queue: RoundQueue,
    second: RoundQueue,
    /// For each piece of a mesh, how far outside a round shape it extends.
    outside: FxHashMap<usize, Outermost>,
}

/// The proven state at one pose, and its place. In the points and the normal, the round shape or A comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RoundFound {
    pub(crate) state: RoundState,
    /// The nearest points. If the bodies intersect, the points at the shallowest witness: the point of one body that
    /// is furthest inside or outside the other, and the nearest point of the other's surface.
    pub(crate) points: [DVec3; 2],
    normal: DVec3,
    /// The triangle of the mesh that is nearest, or at the witness.
    pub(crate) face: Option<u32>,
    /// The witness if they intersect.
    witness: Option<Witness>,
}

/// Points that prove that a round shape (or A) intersects the static body, as long as each stays as its field states.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Witness {
    /// A point of the static body, inside the shape.
    inside: DVec3,
    /// A point of the same piece of the static body, outside the shape.
    outside: DVec3,
    /// If the static body is round too: a point of the shape, outside the static body.
    beyond: Option<DVec3>,
}

impl RoundState {
    /// An estimate of the surfaces' distance, in metres; if they intersect, minus the margin.
    fn gap(&self) -> f64 {
        match self {
            Self::Separated { lower, upper } => 0.5 * (lower + upper),
            Self::Intersecting { margin } => -margin,
            Self::Touching { upper } => 0.5 * upper,
        }
    }
}

impl RoundFound {
    /// The answer for a surface without triangles, which cannot occur.
    fn without_triangles() -> Self {
        let state = RoundState::Touching { upper: f64::INFINITY };
        Self { state, points: [DVec3::ZERO; 2], normal: DVec3::ZERO, face: None, witness: None }
    }

    /// The same points without a proof.
    fn touching(self) -> Self {
        let upper = match self.state {
            RoundState::Separated { upper, .. } | RoundState::Touching { upper } => upper.max(0.0),
            RoundState::Intersecting { .. } => 0.0,
        };
        Self { state: RoundState::Touching { upper }, witness: None, ..self }
    }
}

impl RoundPair<'_> {
    /// The radius of the smaller round body, in metres: no point is further from the body's centre.
    fn radius(&self) -> f64 {
        match self {
            Self::RoundMesh(round, _) | Self::MeshRound(_, round) => round.radius(),
            Self::RoundRound(a, b) => a.radius().min(b.radius()),
        }
    }

    /// The proven state with A at a pose in B's frame.
    pub(crate) fn state_at(&self, memory: &mut RoundMemory, pose: &Pose) -> RoundState {
        self.found_at(memory, pose).state
    }

    /// The t in [0, 1] along A's screw, seen from B, up to which the surfaces are proven further apart than
    /// `distance`, which is greater than 0; `None`: throughout.
    ///
    /// The time is never too late. At this time, either the gap has fallen to the distance within a fraction of 1e-9
    /// and rounding, or no step tried proves more, or the budget is used up.
    ///
    /// # Errors
    /// [`OutOfBudget`] if there is no proof for any time.
    pub(crate) fn separated_until(
        &self,
        memory: &mut RoundMemory,
        screw: &Screw,
        distance: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<f64>, OutOfBudget> {
        let path = self.path(screw);
        match self {
            Self::RoundMesh(_, mesh) | Self::MeshRound(mesh, _) => {
                mesh.separated_until(memory, &path, distance, budget)
            }
            Self::RoundRound(_, b) => against_round::separated_until(&path, &at_origin(*b), distance, budget),
        }
    }

    /// The t in [0, 1] along A's screw up to which surfaces that intersect at its start are proven to keep
    /// intersecting, even if every point deviates by up to `deviation`; not positive without a proof.
    ///
    /// The proof follows the witness points of the intersection along their own paths. So it is valid for a long time
    /// for bodies that slide or roll on each other, however shallow the intersection is.
    fn intersects_for(&self, found: &RoundFound, screw: &Screw, deviation: f64) -> f64 {
        let Some(Witness { inside, outside, beyond }) = found.witness else { return 0.0 };
        let path = self.path(screw);
        let (_, n) = path.at(0.0).signed_distance(outside);
        let inside = path.inside(0.0, &[inside], deviation);
        let outside = path.separated_along(0.0, n, n.dot(outside), deviation);
        let beyond = match (self, beyond) {
            (Self::RoundRound(_, b), Some(point)) => {
                let (_, n) = at_origin(*b).signed_distance(point);
                path.point_separated_for(point, n, at_origin(*b).reach(n), deviation)
            }
            _ => f64::INFINITY,
        };
        inside.min(outside).min(beyond).min(1.0)
    }

    /// An upper bound of the rate of change of the gap along a screw, in metres per unit of t: the maximum speed of
    /// any point of one body as seen from the other.
    pub(crate) fn speed(&self, screw: &Screw) -> f64 {
        let round = |round: &RoundShape| (DVec3::ZERO, round.core_radius());
        let mesh = |surface: &MeshSurface<'_>| (surface.body.mesh().centre(), surface.body.mesh().radius());
        let (a, b) = match self {
            Self::RoundMesh(a, b) => (round(a), mesh(b)),
            Self::MeshRound(a, b) => (mesh(a), round(b)),
            Self::RoundRound(a, b) => (round(a), round(b)),
        };
        let arms = [(screw.start_rotation() * a.0, a.1), (b.0 - screw.start().position(), b.1)];
        let speed =
            |(arm, radius): (DVec3, f64)| screw.velocity_across_at(arm).length() + screw.angle() * radius;
        arms.map(speed).into_iter().fold(f64::INFINITY, f64::min) + screw.slide().abs()
    }

    /// An upper bound of the error of any position along A's screw, seen from B, in metres, including the rounding
    /// of the screw itself.
    pub(crate) fn rounding(&self, screw: &Screw) -> f64 {
        self.path(screw).rounding
    }

    /// Point and normal of the contact, for a pose of A at or just after the first contact.
    pub(crate) fn place_at(&self, memory: &mut RoundMemory, pose: &Pose) -> RoundPlace {
        let RoundFound { points: [a, b], normal, face, .. } = self.found_at(memory, pose);
        // Two concentric balls have no direction of their own.
        let normal = if normal == DVec3::ZERO { DVec3::Z } else { normal };
        RoundPlace { point: 0.5 * (a + b), normal, face }
    }

    /// The proven state and its place, in B's frame, with A at a pose in B's frame.
    pub(crate) fn found_at(&self, memory: &mut RoundMemory, pose: &Pose) -> RoundFound {
        let path = self.path(&Screw::still(*pose));
        let placed = path.at(0.0);
        match self {
            Self::RoundMesh(_, mesh) => {
                let found = mesh.state(memory, &placed, path.rounding);
                let centre = mesh.body.mesh().centre();
                RoundFound { points: found.points.map(|p| p + centre), ..found }
            }
            Self::MeshRound(mesh, _) => {
                let found = mesh.state(memory, &placed, path.rounding);
                let centre = mesh.body.mesh().centre();
                let [b, a] = found.points;
                let points = [a, b].map(|p| pose.transform_point(p + centre));
                RoundFound { points, normal: -pose.transform_vector(found.normal), ..found }
            }
            Self::RoundRound(_, b) => against_round::state(&placed, &at_origin(*b), path.rounding),
        }
    }

    /// The path of the round shape relative to the mesh's centre, or of A relative to B.
    fn path(&self, screw: &Screw) -> RoundPath {
        match self {
            Self::RoundMesh(round, mesh) => {
                let mesh = mesh.body.mesh();
                RoundPath::moving(*round, screw, mesh.centre(), mesh.radius())
            }
            Self::MeshRound(mesh, round) => {
                let mesh = mesh.body.mesh();
                RoundPath::of_static(*round, screw, mesh.centre(), mesh.radius())
            }
            Self::RoundRound(a, b) => RoundPath::moving(*a, screw, DVec3::ZERO, b.radius()),
        }
    }
}

/// A round shape in its own frame.
pub(crate) fn at_origin(round: RoundShape) -> Placed {
    Placed { round, centre: DVec3::ZERO, axis: DVec3::Z }
}
