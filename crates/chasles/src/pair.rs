//! The questions that can be asked of two bodies, with one answer for every kind of shape.
//!
//! ```text
//! at one pose      intersection_at          whether they intersect, and in which triangles
//!                  distance_at              the distance, and where it is
//!                  interpenetration         of convex bodies: whether their insides share a point, and what is inside
//!                  contact_points_at        the places at which they nearly touch
//!                  intersects_for_certain   whether they intersect, even if the pose is a little off ([`passed`])
//! along a screw    contacts                 every interval of contact
//!                  apart_until              until when they stay further apart than a distance
//!                  rests                    whether they touch all the time
//! on any motion    separated_until          until when they stay further apart than a distance, with no slack
//!                  close                    an upper bound of the distance ([`within`])
//!                  intersecting_until       until when they keep intersecting
//!                  separated_until_bounded  as separated_until, of a motion of which only bounds are known ([`passed`])
//! ```
//!
//! A [`Pair`] is the only place that knows which kinds of shapes there are. A new kind needs one more entry in
//! [`shape`] and here, and a folder of its own that answers these questions. The code that asks them does not change.
//! Read this file first, from top to bottom.

pub(crate) mod shape;
pub(crate) mod within;
pub(crate) mod flush;
pub(crate) mod passed;

use glam::DVec3;

use crate::body::{MeshSurface, PreparedMesh};
use crate::convex::inner::{Interpenetration, PlacedPieces, are_interpenetrating, interpenetration};
use crate::convex::world::HullFrame;
use crate::error::Error;
use crate::features::collector::EventFilter;
use crate::features::pairs::Aim;
use crate::features::screw_motion::ScrewMotion;
use crate::instant::gap::{Gap, GapLimits, GapSearch, gap};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;
pub(crate) use crate::mesh_motion::apart::SeparationGoal;
use crate::mesh_motion::fronts::FrontCache;
use crate::mesh_motion::held::IntersectionHold;
use crate::mesh_screw::overlap::{Depth, Overlap};
use crate::mesh_screw::piece::{Rest, ScrewContacts, piece_intervals};
use crate::mesh_screw::pipeline::{ScrewSearch, Workspace};
use crate::mesh_screw::query::{Options, Outcome, UndecidedReason};
use crate::motion::relative::{MotionInterval, MovingBody, RelativeMotion};
use crate::motion::track::TimedScrew;
use crate::motion::{Pose, Screw};
use crate::round::held::round_held_until;
use crate::round::intervals::{STEPS_A_REST, round_intervals, round_rest};
use crate::round::support::{Placed, RoundShape};
use crate::round::{RoundMemory, RoundPair, RoundState, at_origin};
use crate::sets::follow::{SetPair, contact_places_at};
use crate::sets::gap::{SetDistance, SetLimits};
pub(crate) use crate::sets::place::ContactPlace;
use crate::sets::tree::cells::Interior;
use crate::sets::volume::RoundedTransform;
use crate::touch;
use crate::touch::place::{Reach, TouchPlace};
use crate::touch::rounds::{round_mesh, round_round};
use crate::touch::standing::Winding;
use shape::{CollisionShape, Kind};
use within::{Close, ConvexPart};

/// Two shapes, A first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<'s> {
    kinds: Kinds<'s>,
    shapes: [&'s CollisionShape; 2],
}

/// The kinds of both shapes, which decide who answers.
#[derive(Debug, Clone, Copy)]
enum Kinds<'s> {
    Meshes(MeshSurface<'s>, MeshSurface<'s>),
    /// At least one is round.
    Round(RoundPair<'s>),
    /// At least one is a solid, a cloud or a parametric surface.
    Sets(SetPair<'s>),
}

/// Memory for questions about pairs, to be used again.
#[derive(Debug, Default)]
pub(crate) struct PairMemory {
    workspace: Workspace,
    round: RoundMemory,
    fronts: FrontCache,
    gap: GapSearch,
}

impl PairMemory {
    /// Forgets what is known about the motion ahead. This is needed before another pair, another stretch or a greater
    /// distance is asked about.
    pub(crate) fn forget(&mut self) {
        self.fronts.forget();
    }
}

/// For how long two surfaces stay apart along a screw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Apart {
    Throughout,
    /// Up to this share of the screw.
    Until(f64),
    /// Nothing: they intersect at its start.
    Overlapping,
    /// The budget did not suffice.
    Unknown,
}

/// How near two surfaces are at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairDistance {
    /// Proven, in metres; 0 where they intersect or nothing is proven.
    pub(crate) lower: f64,
    /// In metres.
    pub(crate) upper: f64,
    /// A point of A and a point of B, in B's frame.
    pub(crate) points: [DVec3; 2],
    /// The triangles that have these points, for meshes.
    pub(crate) faces: [Option<u32>; 2],
    /// The steps that were taken.
    pub(crate) steps: u64,
}

/// How exactly sets are told where nothing else is said, as a share of the larger diagonal; in a scene, of the largest.
pub(crate) const EPSILON: f64 = 1e-6;

/// Steps that a look for places of sets may take.
const SET_STEPS: u64 = 20_000;

/// Steps of the budget that a look at a round body takes.
const STEPS_OF_ROUND: u64 = 50;

impl<'s> Pair<'s> {
    pub(crate) fn new(a: &'s CollisionShape, b: &'s CollisionShape) -> Self {
        Self::with_interiors([a, b], [a.interior(), b.interior()])
    }

    /// The same, with a given interior of each shape. The interior of two meshes or round bodies never counts.
    pub(crate) fn with_interiors([a, b]: [&'s CollisionShape; 2], fillings: [Interior; 2]) -> Self {
        // A set need not be drawn.
        let drawn = |shape: &'s CollisionShape| -> &'s PreparedMesh { shape.drawn_body() };
        let kinds = match (&a.kind, &b.kind) {
            (Kind::Mesh(p) | Kind::Deforming(_, p), Kind::Mesh(q) | Kind::Deforming(_, q)) => Kinds::Meshes(
                MeshSurface { body: drawn(a), pieces: p },
                MeshSurface { body: drawn(b), pieces: q },
            ),
            (Kind::Round(round, _), Kind::Mesh(pieces) | Kind::Deforming(_, pieces)) => {
                Kinds::Round(RoundPair::RoundMesh(*round, MeshSurface { body: drawn(b), pieces }))
            }
            (Kind::Mesh(pieces) | Kind::Deforming(_, pieces), Kind::Round(round, _)) => {
                Kinds::Round(RoundPair::MeshRound(MeshSurface { body: drawn(a), pieces }, *round))
            }
            (Kind::Round(a, _), Kind::Round(b, _)) => Kinds::Round(RoundPair::RoundRound(*a, *b)),
            _ => {
                let epsilon = EPSILON * a.diagonal().max(b.diagonal());
                let [of_a, of_b] = fillings;
                Kinds::Sets(SetPair { a: a.source(of_a), b: b.source(of_b), epsilon })
            }
        };
        Self { kinds, shapes: [a, b] }
    }

    /// Two bodies of a scene or a robot, each with whether it is solid.
    pub(crate) fn of_bodies(bodies: [(&'s CollisionShape, bool); 2]) -> Self {
        let filling = |solid: bool| if solid { Interior::Solid } else { Interior::Hollow };
        Self::with_interiors(bodies.map(|(shape, _)| shape), bodies.map(|(_, solid)| filling(solid)))
    }

    /// The same pair, told to this epsilon if it is one of sets.
    pub(crate) fn with_epsilon(mut self, epsilon: f64) -> Self {
        if let Kinds::Sets(sets) = &mut self.kinds {
            sets.epsilon = epsilon;
        }
        self
    }

    /// The pair as one of sets, which are followed along any motion by themselves.
    pub(crate) fn sets(&self) -> Option<&SetPair<'s>> {
        match &self.kinds {
            Kinds::Sets(sets) => Some(sets),
            Kinds::Meshes(..) | Kinds::Round(_) => None,
        }
    }

    /// The larger of both, in metres.
    pub(crate) fn size(&self) -> f64 {
        let mesh = |body: &PreparedMesh| body.mesh().diagonal();
        match &self.kinds {
            Kinds::Meshes(a, b) => mesh(a.body).max(mesh(b.body)),
            Kinds::Round(RoundPair::RoundMesh(round, surface) | RoundPair::MeshRound(surface, round)) => {
                mesh(surface.body).max(2.0 * round.radius())
            }
            Kinds::Round(RoundPair::RoundRound(a, b)) => 2.0 * a.radius().max(b.radius()),
            Kinds::Sets(_) => self.shapes[0].diagonal().max(self.shapes[1].diagonal()),
        }
    }

    /// Whether the shapes are best followed by bounds of the motion itself ([`Self::separated_until`]) where the motion is
    /// no screw. Otherwise screws near the motion are searched ([`Self::separated_on_screw`]).
    pub(crate) fn is_followed_ahead(&self) -> bool {
        matches!(self.kinds, Kinds::Meshes(..) | Kinds::Sets(_))
    }

    /// Whether contact along one screw is found by the search for two meshes.
    pub(crate) fn is_searched(&self) -> bool {
        matches!(self.kinds, Kinds::Meshes(..))
    }

    /// The diagonal of the smaller body, in metres: the scale by which a gap counts as small.
    pub(crate) fn smaller_size(&self) -> f64 {
        self.shapes[0].diagonal().min(self.shapes[1].diagonal())
    }

    /// Whether the surfaces intersect, A being at a pose in B's frame. Round surfaces count as intersecting unless they
    /// are proven apart. Also the intersecting triangles of the drawn meshes.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn intersection_at(
        &self,
        memory: &mut PairMemory,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Result<(bool, Vec<[u32; 2]>), OutOfBudget> {
        let meets = match &self.kinds {
            Kinds::Meshes(..) => None,
            Kinds::Round(pair) => {
                Some(!matches!(pair.state_at(&mut memory.round, pose), RoundState::Apart { .. }))
            }
            Kinds::Sets(sets) => {
                let limits = solid_gap_limits(sets, f64::INFINITY, 0.0);
                let found = sets.trees(MovingBody::A).gap(&RoundedTransform::new(pose, 0.0), &limits, budget);
                let meets = found.bounds[0] <= 0.0;
                return if meets && found.spent { Err(OutOfBudget) } else { Ok((meets, Vec::new())) };
            }
        };
        let [a, b] = self.shapes.map(CollisionShape::drawn_body);
        let Overlap { anywhere, pairs, .. } =
            memory.workspace.overlap_of((a, b), pose, Depth::All, budget)?;
        Ok((meets.unwrap_or(anywhere), pairs))
    }

    /// Whether one body is within the other at a pose of A in B's frame, if the outer one is solid and the surfaces do
    /// not intersect. Callers that follow surfaces alone use this test. Pairs of sets are followed with their insides
    /// ([`Self::with_interiors`]), so a body inside a solid set is in contact already.
    pub(crate) fn is_within(&self, solid: [bool; 2], pose: &Pose) -> bool {
        let [a, b] = self.shapes;
        self.sets().is_none()
            && (solid[1] && b.contains(a, pose) || solid[0] && a.contains(b, &pose.inverse()))
    }

    /// Whether A is inside the closed surface of B at a pose of A in B's frame, even if B is hollow. The surfaces must
    /// not intersect. `pieces`: the maximum number of pieces of a mesh that are tested.
    pub(crate) fn is_enclosed(
        [(a, solid), (b, _)]: [(&'s CollisionShape, bool); 2],
        pose: &Pose,
        (pieces, budget): (usize, &mut Budget<'_>),
    ) -> bool {
        let filled = Self::of_bodies([(a, solid), (b, true)]);
        match filled.sets() {
            None => b.contains_any(a, pose, pieces) && b.is_closed(),
            Some(_) if !b.is_closed() => false,
            Some(_) => {
                filled.intersection_at(&mut PairMemory::default(), pose, budget).is_ok_and(|(meets, _)| meets)
            }
        }
    }

    /// Whether the insides of two convex bodies share a point, A being at a pose in B's frame; `None`: they are not both
    /// convex. Vertices are where [`Self::intersection_at`] has them.
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

    /// How two convex bodies stand to each other, A being at a pose in B's frame, and B at one in the world; `None`:
    /// they are not both convex.
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

    /// Every separate place at which the bodies are within a tolerance of touching at a time, in seconds; of sets,
    /// within epsilon. `within` is a time of the stretch of the motion.
    pub(crate) fn contact_places_at(
        &self,
        relative: &RelativeMotion<'_>,
        (time, within): (f64, f64),
        tolerance: f64,
        budget: &mut Budget<'_>,
    ) -> Vec<ContactPlace> {
        let sets = match self.kinds {
            Kinds::Sets(sets) => sets,
            Kinds::Meshes(..) | Kinds::Round(_) => {
                let [a, b] = self.shapes.map(|shape| shape.source(Interior::Hollow));
                SetPair { a, b, epsilon: tolerance }
            }
        };
        contact_places_at(&sets, relative, (time, within), budget)
    }

    /// The places at which the surfaces nearly touch, A being at a pose in B's frame.
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
        let drawn = |i: usize| {
            let body: &PreparedMesh = self.shapes[i].drawn_body();
            (body, self.shapes[i].deviation())
        };
        let placed = |round: RoundShape, pose: &Pose| Placed {
            round,
            centre: pose.position(),
            axis: pose.transform_vector(DVec3::Z),
        };
        match &self.kinds {
            Kinds::Meshes(a, b) => {
                let bodies = ((a.body, facings[0]), (b.body, facings[1]));
                touch::meshes::touches(&mut memory.gap, bodies, (pose, reach), budget)
            }
            Kinds::Round(RoundPair::RoundMesh(a, b)) => {
                let round = (&placed(*a, pose), drawn(0));
                round_mesh(&mut memory.gap, round, (b.body, facings[1]), (pose, reach), budget)
            }
            Kinds::Round(RoundPair::MeshRound(a, b)) => {
                let back = pose.inverse();
                let round = (&placed(*b, &back), drawn(1));
                round_mesh(&mut memory.gap, round, (a.body, facings[0]), (&back, reach), budget).map(swapped)
            }
            Kinds::Round(RoundPair::RoundRound(a, b)) => {
                Ok(round_round(&placed(*a, pose), &at_origin(*b), reach))
            }
            Kinds::Sets(_) => {
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

    /// How near the surfaces are, A being at a pose in B's frame.
    pub(crate) fn distance_at(
        &self,
        memory: &mut PairMemory,
        pose: &Pose,
        limits: &GapLimits,
    ) -> PairDistance {
        match &self.kinds {
            Kinds::Meshes(a, b) => {
                let Gap { lower, upper, points, faces, steps } =
                    gap(&mut memory.gap, (a.body, b.body), pose, limits);
                PairDistance { lower, upper, points, faces: faces.map(Some), steps }
            }
            Kinds::Round(pair) => {
                let (state, face) = pair.state_and_face_at(&mut memory.round, pose);
                let [lower, upper] = match state {
                    RoundState::Apart { lower, upper, .. } => [lower, upper],
                    RoundState::Touching { upper, .. } => [0.0, upper],
                    RoundState::Meeting { .. } => [0.0; 2],
                };
                let faces = match pair {
                    RoundPair::MeshRound(..) => [face, None],
                    RoundPair::RoundMesh(..) | RoundPair::RoundRound(..) => [None, face],
                };
                PairDistance { lower, upper, points: state.points(), faces, steps: STEPS_OF_ROUND }
            }
            Kinds::Sets(sets) => {
                let own = solid_gap_limits(sets, limits.beyond, limits.enough);
                let own = SetLimits { share: limits.share.max(own.share), ..own };
                let mut budget = Budget::new(limits.steps);
                let SetDistance { bounds: [lower, upper], witness, .. } =
                    sets.trees(MovingBody::A).gap(&RoundedTransform::new(pose, 0.0), &own, &mut budget);
                let points = witness.map_or([pose.position(), DVec3::ZERO], |witness| witness.points);
                let steps = limits.steps - budget.remaining();
                PairDistance { lower: lower.max(0.0), upper, points, faces: [None; 2], steps }
            }
        }
    }

    /// The intervals of contact along one screw, with the deviation and the tolerance of the options.
    ///
    /// # Errors
    /// As [`contact_intervals`](crate::contact_intervals).
    pub(crate) fn contacts(
        &self,
        memory: &mut PairMemory,
        piece: &TimedScrew,
        options: &Options,
        budget: &mut Budget<'_>,
    ) -> Result<ScrewContacts, Error> {
        match &self.kinds {
            Kinds::Meshes(a, b) => {
                piece_intervals(&mut memory.workspace, (a.body, b.body), piece, options, budget)
            }
            Kinds::Round(pair) => Ok(round_intervals(pair, &mut memory.round, piece, options, budget)),
            // They are followed by themselves.
            Kinds::Sets(_) => Ok(ScrewContacts::undecided(piece.begin, piece.end, UndecidedReason::Budget)),
        }
    }

    /// Until when a screw provably keeps the surfaces further apart than a distance. Of meshes the first contact is wanted,
    /// or, with [`EventFilter::Apart`], no more of such as intersect at the begin than that they do.
    ///
    /// # Errors
    /// As [`first_within`](crate::first_within).
    pub(crate) fn separated_on_screw(
        &self,
        memory: &mut PairMemory,
        screw: &Screw,
        (distance, wanted): (f64, EventFilter),
        budget: &mut Budget<'_>,
    ) -> Result<Apart, Error> {
        match &self.kinds {
            Kinds::Meshes(a, b) => {
                let options =
                    Options { tolerance: Some(distance), budget: budget.remaining(), ..Options::default() };
                let search = ScrewSearch::new((a.body, b.body), screw, &options)?.watched(budget.is_over());
                let found = search.run(wanted, Aim::Within, &mut memory.workspace);
                let apart = match found.outcome() {
                    Outcome::Clear => Apart::Throughout,
                    Outcome::Contact(contact) => Apart::Until(contact.time[0]),
                    Outcome::Overlapping(_) => Apart::Overlapping,
                    Outcome::Undecided { clear_until, .. } if clear_until > 0.0 => {
                        Apart::Until(clear_until.min(1.0))
                    }
                    Outcome::Undecided {
                        reason: UndecidedReason::Rounding | UndecidedReason::Deviation,
                        ..
                    } => Apart::Until(0.0),
                    Outcome::Undecided {
                        reason: UndecidedReason::Budget | UndecidedReason::Memory, ..
                    } => Apart::Unknown,
                };
                // The search takes no more steps than it was given.
                let _ = budget.take(found.counters.steps);
                Ok(apart)
            }
            Kinds::Round(pair) => {
                Ok(match pair.separated_until(&mut memory.round, screw, distance, budget) {
                    Ok(None) => Apart::Throughout,
                    Ok(Some(share)) => Apart::Until(share),
                    Err(OutOfBudget) => Apart::Unknown,
                })
            }
            Kinds::Sets(_) => Ok(Apart::Unknown),
        }
    }

    /// Whether surfaces that are in contact at the begin of a screw rest on each other along it: so closely that they
    /// still touch if every point is off by the deviation of the options.
    ///
    /// # Errors
    /// As [`contact_intervals`](crate::contact_intervals).
    pub(crate) fn touches_throughout(
        &self,
        memory: &mut PairMemory,
        piece: &TimedScrew,
        options: &Options,
        budget: &mut Budget<'_>,
    ) -> Result<Rest, Error> {
        let (tolerance, deviation) = (options.tolerance.unwrap_or(0.0), options.deviation);
        match &self.kinds {
            Kinds::Meshes(..) => {
                let options = Options { tolerance: Some(tolerance - deviation), deviation: 0.0, ..*options };
                let found = self.contacts(memory, piece, &options, budget)?;
                Ok(match found.met.as_slice() {
                    [met] if found.from_begin && met.exit.is_none() && met.touching => Rest::Touching,
                    _ => Rest::Parted,
                })
            }
            Kinds::Round(pair) => {
                // Where less is left, this takes all of it.
                let _ = budget.take(STEPS_A_REST);
                Ok(round_rest(pair, &mut memory.round, piece, (tolerance, deviation)))
            }
            Kinds::Sets(_) => Ok(Rest::Parted),
        }
    }

    /// A time until which the surfaces provably stay further apart than a distance, with no slack, from `from` to at
    /// most `end`; `from` itself where nothing is proven. The proof uses bounds of the motion. Where shapes are not
    /// followed by those ([`Self::is_followed_ahead`]), it uses one screw from `from` to `to`, and goes no further.
    ///
    /// Before the next stretch, and before a greater distance, the memory of the pair has to be forgotten
    /// ([`PairMemory::forget`]).
    ///
    /// # Errors
    /// Where coordinates leave the range of [`Screw::about`](crate::Screw::about).
    pub(crate) fn separated_until(
        &self,
        memory: &mut PairMemory,
        (relative, stretch): (&RelativeMotion<'_>, &MotionInterval),
        (from, to, end): (f64, f64, f64),
        (ask, budget): (&SeparationGoal, &mut Budget<'_>),
    ) -> Result<f64, Error> {
        match &self.kinds {
            Kinds::Meshes(a, b) => {
                let motion = ((a.body, b.body), relative);
                let until = memory.fronts.separated_until(motion, TimeInterval::new(from, end), ask, budget);
                Ok(until.unwrap_or(from))
            }
            Kinds::Round(_) => {
                let (piece, deviation) = match stretch {
                    MotionInterval::Exact(piece) => {
                        let piece = piece.part(from, to);
                        (piece, relative.deviation(&piece))
                    }
                    MotionInterval::General { .. } => relative.screw(from, to),
                };
                let distance = ask.distance + deviation;
                if !distance.is_finite() {
                    return Ok(from);
                }
                let apart =
                    self.separated_on_screw(memory, &piece.screw, (distance, EventFilter::First), budget)?;
                Ok(match apart {
                    Apart::Throughout => to,
                    Apart::Until(share) => piece.not_after(share),
                    Apart::Overlapping | Apart::Unknown => from,
                })
            }
            Kinds::Sets(_) => Ok(from),
        }
    }

    /// An upper bound of how far the surfaces are apart, around a time at which A is at `pose` in B's frame and the
    /// surfaces have this `nearness`. `None` where there is no bound.
    pub(crate) fn distance_upper_bound(&self, pose: &Pose, nearness: &PairDistance) -> Option<Close> {
        let triangle = |surface: &MeshSurface<'_>, face: Option<u32>| {
            let mesh = surface.body.mesh();
            let corners = mesh.triangles().get(face? as usize)?;
            Some(ConvexPart::Triangle(corners.map(|corner| mesh.vertex(corner))))
        };
        let [of_a, of_b] = nearness.faces;
        let parts = match &self.kinds {
            Kinds::Meshes(a, b) => [triangle(a, of_a)?, triangle(b, of_b)?],
            Kinds::Round(RoundPair::MeshRound(a, b)) => [triangle(a, of_a)?, ConvexPart::Round(*b)],
            Kinds::Round(RoundPair::RoundMesh(a, b)) => [ConvexPart::Round(*a), triangle(b, of_b)?],
            Kinds::Round(RoundPair::RoundRound(a, b)) => [ConvexPart::Round(*a), ConvexPart::Round(*b)],
            Kinds::Sets(_) => return None,
        };
        Close::of(parts, pose, nearness.points)
    }

    /// A time, at most `end`, until which surfaces that intersect at `time` provably still do, found in steps of more
    /// than `least`. `within` is a time of the stretch.
    pub(crate) fn intersecting_until(
        &self,
        memory: &mut PairMemory,
        (relative, within): (&RelativeMotion<'_>, f64),
        (time, end, least): (f64, f64, f64),
        budget: &mut Budget<'_>,
    ) -> f64 {
        match &self.kinds {
            Kinds::Meshes(a, b) => {
                let held = IntersectionHold { surfaces: [*a, *b], relative, within };
                held.intersecting_until(TimeInterval::new(time, end), least, (&mut memory.workspace, budget))
            }
            Kinds::Round(pair) => {
                let memory = &mut memory.round;
                round_held_until((pair, memory), (relative, within), (time, end, least), budget)
            }
            Kinds::Sets(_) => time,
        }
    }
}

/// How exactly the gap of sets is told where nothing else is said.
fn solid_gap_limits(sets: &SetPair<'_>, beyond: f64, enough: f64) -> SetLimits {
    SetLimits { share: 1e-4, absolute: 0.1 * sets.epsilon, beyond, enough }
}
