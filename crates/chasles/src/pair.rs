//! All queries about two bodies, with one interface for every kind of shape.
//!
//! ```text
//! at one pose   intersection_at          whether they intersect, and in which triangles
//!               distance_at              the distance, and the witness points
//!               interpenetration         of convex bodies: whether interiors share a point, and which pieces overlap
//!               contact_points_at        the contact points of the simulation
//!               contact_places_at        every separate place of contact
//!               certainly_intersects     whether they intersect, even if the pose has an error ([`bounded_motion`])
//! on a motion   separated_until_bounded  until when the distance exceeds a threshold, from motion bounds
//!                                        ([`bounded_motion`])
//! ```
//!
//! A [`Pair`] is the only type that knows all kinds of shapes. Two meshes or round bodies are a
//! [`RigidPair`](rigid::RigidPair), which also answers queries along screws. All other pairs are a [`SetPair`], which
//! is examined along the motion itself. [`trajectory`](crate::trajectory) does this for both along a whole motion.
//!
//! A new kind of shape needs one more variant in [`shape`] and here, and a folder of its own for these queries.

pub(crate) mod shape;
pub(crate) mod within;
pub(crate) mod rigid;
pub(crate) mod flush;
pub(crate) mod bounded_motion;
#[cfg(test)]
mod contact_point_tests;

use glam::DVec3;

use crate::body::{MeshSurface, PreparedPair};
use crate::convex::inner::{Interpenetration, PlacedPieces, are_interpenetrating, interpenetration};
use crate::convex::world::HullFrame;
use crate::features::screw_motion::ScrewMotion;
use crate::instant::gap::GapLimits;
use crate::math::budget::{Budget, OutOfBudget};
use crate::mesh_screw::overlap::{Overlap, OverlapGoal};
use crate::motion::relative::{MovingBody, RelativeMotion};
use crate::motion::{Pose, Screw};
pub(crate) use crate::pair::rigid::{PairDistance, PairMemory, RigidPair, SeparationGoal, SeparationTime};
use crate::round::support::{Placed, RoundShape};
use crate::round::{RoundPair, RoundState, at_origin};
pub(crate) use crate::sets::follow::place::ContactPlace;
use crate::sets::follow::{SetPair, contact_places_at};
use crate::sets::gap::{SetDistance, SetLimits, gap_between};
use crate::sets::tree::cells::Interior;
use crate::sets::volume::RoundedTransform;
use crate::touch;
use crate::touch::place::{Reach, TouchPlace, TouchQuery};
use crate::touch::posed_mesh::{OrientedMesh, Winding};
use crate::touch::rounds::{TessellatedRound, round_mesh, round_round};
use shape::{CollisionShape, Kind};

/// Two shapes, A first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<'s> {
    pub(crate) kind: PairKind<'s>,
    shapes: [&'s CollisionShape; 2],
}

/// The kinds of both shapes, which select the algorithms.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PairKind<'s> {
    Rigid(RigidPair<'s>),
    /// At least one shape is a solid, a cloud or a parametric surface.
    Sets(SetPair<'s>),
}

/// The default epsilon of a pair of sets, as a fraction of the larger diagonal; in a scene, of the largest.
pub(crate) const EPSILON: f64 = 1e-6;

/// Maximum number of steps to find a contact point of sets.
const SET_STEPS: u64 = 20_000;

impl<'s> Pair<'s> {
    pub(crate) fn new(a: &'s CollisionShape, b: &'s CollisionShape) -> Self {
        Self::with_interiors([a, b], [a.interior(), b.interior()])
    }

    /// As `new`, with a given interior of each shape. The interior of two meshes or round bodies never counts.
    pub(crate) fn with_interiors([a, b]: [&'s CollisionShape; 2], fillings: [Interior; 2]) -> Self {
        let surface =
            |shape: &'s CollisionShape, pieces: &'s _| MeshSurface { body: shape.drawn_body(), pieces };
        let kind = match (&a.kind, &b.kind) {
            (Kind::Mesh(p) | Kind::Deforming(_, p), Kind::Mesh(q) | Kind::Deforming(_, q)) => {
                PairKind::Rigid(RigidPair::Meshes(surface(a, p), surface(b, q)))
            }
            (Kind::Round(round, _), Kind::Mesh(pieces) | Kind::Deforming(_, pieces)) => {
                PairKind::Rigid(RigidPair::Round(RoundPair::RoundMesh(*round, surface(b, pieces))))
            }
            (Kind::Mesh(pieces) | Kind::Deforming(_, pieces), Kind::Round(round, _)) => {
                PairKind::Rigid(RigidPair::Round(RoundPair::MeshRound(surface(a, pieces), *round)))
            }
            (Kind::Round(a, _), Kind::Round(b, _)) => {
                PairKind::Rigid(RigidPair::Round(RoundPair::RoundRound(*a, *b)))
            }
            _ => {
                let epsilon = EPSILON * a.diagonal().max(b.diagonal());
                let [of_a, of_b] = fillings;
                PairKind::Sets(SetPair { a: a.source(of_a), b: b.source(of_b), epsilon })
            }
        };
        Self { kind, shapes: [a, b] }
    }

    /// Two bodies of a scene or a robot, each with a flag for solid.
    pub(crate) fn of_bodies(bodies: [(&'s CollisionShape, bool); 2]) -> Self {
        let filling = |solid: bool| if solid { Interior::Solid } else { Interior::Hollow };
        Self::with_interiors(bodies.map(|(shape, _)| shape), bodies.map(|(_, solid)| filling(solid)))
    }

    /// The same pair, with this epsilon if it is a pair of sets.
    pub(crate) fn with_epsilon(mut self, epsilon: f64) -> Self {
        if let PairKind::Sets(sets) = &mut self.kind {
            sets.epsilon = epsilon;
        }
        self
    }

    /// The pair as two rigid surfaces; `None` if one is a solid, a cloud or a parametric surface.
    pub(crate) fn rigid(&self) -> Option<RigidPair<'s>> {
        match self.kind {
            PairKind::Rigid(rigid) => Some(rigid),
            PairKind::Sets(_) => None,
        }
    }

    /// The diameter of the larger body, in metres.
    pub(crate) fn size(&self) -> f64 {
        match &self.kind {
            PairKind::Rigid(rigid) => rigid.size(),
            PairKind::Sets(_) => self.shapes[0].diagonal().max(self.shapes[1].diagonal()),
        }
    }

    /// The diagonal of the smaller body, in metres: the scale by which a gap counts as small.
    pub(crate) fn smaller_size(&self) -> f64 {
        self.shapes[0].diagonal().min(self.shapes[1].diagonal())
    }

    /// Whether the surfaces intersect, with A at a pose in B's frame, and the intersecting triangles of the drawn
    /// meshes. Curved surfaces count as intersecting unless they are proven separated.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn intersection_at(
        &self,
        memory: &mut PairMemory,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Result<(bool, Vec<[u32; 2]>), OutOfBudget> {
        let meets = match &self.kind {
            PairKind::Rigid(RigidPair::Meshes(..)) => None,
            PairKind::Rigid(RigidPair::Round(pair)) => {
                Some(!matches!(pair.state_at(&mut memory.round, pose), RoundState::Separated { .. }))
            }
            PairKind::Sets(sets) => {
                let limits = solid_gap_limits(sets, f64::INFINITY, 0.0);
                let found = gap_between(
                    &mut sets.trees(MovingBody::A),
                    &RoundedTransform::new(pose, 0.0),
                    &limits,
                    budget,
                );
                let meets = found.bounds[0] <= 0.0;
                return if meets && found.spent { Err(OutOfBudget) } else { Ok((meets, Vec::new())) };
            }
        };
        let [a, b] = self.shapes.map(CollisionShape::drawn_body);
        let Overlap { intersects, pairs, .. } =
            memory.workspace.overlap_of(PreparedPair::new(a, b), pose, OverlapGoal::All, budget)?;
        Ok((meets.unwrap_or(intersects), pairs))
    }

    /// Whether one body is within the other at a pose of A in B's frame, if the outer one is solid and the surfaces
    /// do not intersect. This test is for callers that examine only surfaces. Pairs of sets include their interiors
    /// ([`Self::with_interiors`]), so a body inside a solid set is already in contact.
    pub(crate) fn is_within(&self, solid: [bool; 2], pose: &Pose) -> bool {
        let [a, b] = self.shapes;
        self.rigid().is_some()
            && (solid[1] && b.contains(a, pose) || solid[0] && a.contains(b, &pose.inverse()))
    }

    /// Whether A is inside the closed surface of B at a pose of A in B's frame, even if B is hollow. The surfaces
    /// must not intersect. `pieces` is the maximum number of pieces of a mesh that are tested.
    pub(crate) fn is_enclosed(
        [(a, solid), (b, _)]: [(&'s CollisionShape, bool); 2],
        pose: &Pose,
        (pieces, budget): (usize, &mut Budget<'_>),
    ) -> bool {
        let filled = Self::of_bodies([(a, solid), (b, true)]);
        match filled.kind {
            PairKind::Rigid(_) => b.contains_any(a, pose, pieces) && b.is_closed(),
            PairKind::Sets(_) if !b.is_closed() => false,
            PairKind::Sets(_) => {
                filled.intersection_at(&mut PairMemory::default(), pose, budget).is_ok_and(|(meets, _)| meets)
            }
        }
    }

    /// Whether the interiors of two convex bodies share a point, with A at a pose in B's frame; `None` if one is not
    /// convex. The vertices are placed as in [`Self::intersection_at`].
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn is_interpenetrating(
        &self,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Result<Option<bool>, OutOfBudget> {
        self.placed_pieces(pose).map(|bodies| are_interpenetrating(&bodies, budget)).transpose()
    }

    /// The interpenetration of two convex bodies, with A at a pose in B's frame, and B at a pose in the world;
    /// `None` if one is not convex.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn interpenetration(
        &self,
        (pose, of_b): (&Pose, &Pose),
        budget: &mut Budget<'_>,
    ) -> Result<Option<Interpenetration>, OutOfBudget> {
        let Some(bodies) = self.placed_pieces(pose) else { return Ok(None) };
        let frame = HullFrame { pose: *of_b, centre: bodies[1].mesh.centre() };
        interpenetration(&bodies, &frame, budget).map(Some)
    }

    /// Two convex bodies with their vertices relative to the centre of B's mesh.
    fn placed_pieces(&self, pose: &Pose) -> Option<[PlacedPieces<'s>; 2]> {
        let [a, b] = self.shapes;
        let pieces = [a.convex_pieces()?, b.convex_pieces()?];
        let [a, b] = [a.drawn(), b.drawn()];
        let motion = ScrewMotion::new(a, b, &Screw::still(*pose));
        let points = [a.local().iter().map(|p| motion.placed(*p)).collect(), b.local().to_vec()];
        let [in_a, in_b] = pieces;
        let [of_a, of_b] = points;
        Some([
            PlacedPieces { mesh: a, pieces: in_a, points: of_a },
            PlacedPieces { mesh: b, pieces: in_b, points: of_b },
        ])
    }

    /// Every separate place at which the bodies are within a tolerance (for sets, within epsilon) of touching at a
    /// time, in seconds. `within` is a time in the same smooth interval of the motion.
    pub(crate) fn contact_places_at(
        &self,
        relative: &RelativeMotion<'_>,
        (time, within): (f64, f64),
        tolerance: f64,
        budget: &mut Budget<'_>,
    ) -> Vec<ContactPlace> {
        let sets = match self.kind {
            PairKind::Sets(sets) => sets,
            PairKind::Rigid(_) => {
                let [a, b] = self.shapes.map(|shape| shape.source(Interior::Hollow));
                SetPair { a, b, epsilon: tolerance }
            }
        };
        contact_places_at(&sets, relative, time, within, budget)
    }

    /// The places at which the surfaces nearly touch, with A at a pose in B's frame.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn contact_points_at(
        &self,
        memory: &mut PairMemory,
        (pose, reach): (&Pose, &Reach),
        facings: [Winding; 2],
        budget: &mut Budget<'_>,
    ) -> Result<Vec<TouchPlace>, OutOfBudget> {
        let swapped = |places: Vec<TouchPlace>| {
            let swap = |place: TouchPlace| {
                let [b, a] = place.points.map(|p| pose.transform_point(p));
                TouchPlace { points: [a, b], normal: -pose.transform_vector(place.normal), ..place }
            };
            places.into_iter().map(swap).collect()
        };
        let tessellated = |placed, i: usize| TessellatedRound {
            placed,
            body: self.shapes[i].drawn_body(),
            deviation: self.shapes[i].deviation(),
        };
        let oriented = |body, i: usize| OrientedMesh { body, winding: facings[i] };
        let query = TouchQuery { pose, reach };
        let placed = |round: RoundShape, pose: &Pose| Placed {
            round,
            centre: pose.position(),
            axis: pose.transform_vector(DVec3::Z),
        };
        match &self.kind {
            PairKind::Rigid(RigidPair::Meshes(a, b)) => {
                let (a, b) = (oriented(a.body, 0), oriented(b.body, 1));
                touch::meshes::touches(&mut memory.gap, a, b, query, budget)
            }
            PairKind::Rigid(RigidPair::Round(RoundPair::RoundMesh(a, b))) => {
                let round = placed(*a, pose);
                round_mesh(&mut memory.gap, tessellated(&round, 0), oriented(b.body, 1), query, budget)
            }
            PairKind::Rigid(RigidPair::Round(RoundPair::MeshRound(a, b))) => {
                let back = pose.inverse();
                let round = placed(*b, &back);
                let query = TouchQuery { pose: &back, reach };
                round_mesh(&mut memory.gap, tessellated(&round, 1), oriented(a.body, 0), query, budget)
                    .map(swapped)
            }
            PairKind::Rigid(RigidPair::Round(RoundPair::RoundRound(a, b))) => {
                Ok(round_round(&placed(*a, pose), &at_origin(*b), reach))
            }
            PairKind::Sets(_) => {
                let limits = GapLimits { beyond: reach.gap, ..GapLimits::EXACT };
                let limits = GapLimits { steps: budget.remaining().min(SET_STEPS), ..limits };
                let near = self.distance_at(memory, pose, &limits);
                let normal = (near.points[1] - near.points[0]).normalize_or_zero();
                let place = TouchPlace { points: near.points, normal, gap: near.upper, key: 0 };
                let is_near = near.upper <= reach.gap && normal != DVec3::ZERO;
                Ok(is_near.then_some(place).into_iter().collect())
            }
        }
    }

    /// The distance of the bodies, with A at a pose in B's frame.
    pub(crate) fn distance_at(
        &self,
        memory: &mut PairMemory,
        pose: &Pose,
        limits: &GapLimits,
    ) -> PairDistance {
        match &self.kind {
            PairKind::Rigid(rigid) => rigid.distance_at(memory, pose, limits),
            PairKind::Sets(sets) => {
                let set_limits = solid_gap_limits(sets, limits.beyond, limits.enough);
                let set_limits =
                    SetLimits { relative: limits.relative.max(set_limits.relative), ..set_limits };
                let mut budget = Budget::new(limits.steps);
                let SetDistance { bounds: [lower, upper], witness, .. } = gap_between(
                    &mut sets.trees(MovingBody::A),
                    &RoundedTransform::new(pose, 0.0),
                    &set_limits,
                    &mut budget,
                );
                let points = witness.map_or([pose.position(), DVec3::ZERO], |witness| witness.points);
                let steps = limits.steps - budget.remaining();
                PairDistance { lower: lower.max(0.0), upper, points, faces: [None; 2], steps }
            }
        }
    }
}

/// The default precision of the gap of sets.
fn solid_gap_limits(sets: &SetPair<'_>, beyond: f64, enough: f64) -> SetLimits {
    SetLimits { relative: 1e-4, absolute: 0.1 * sets.epsilon, beyond, enough }
}
