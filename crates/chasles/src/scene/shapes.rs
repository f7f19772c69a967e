//! The shapes of a pair of bodies: what can be asked of them, whichever they are.

use glam::DVec3;

use crate::body::Body;
use crate::error::Error;
use crate::features::collector::Wanted;
use crate::features::pairs::Aim;
use crate::instant::gap::{Gap, GapLimits, GapSearch, gap};
use crate::instant::inside::{Location, is_inside};
use crate::math::budget::{Budget, IsOver, OutOfBudget};
use crate::motion::track::TimedScrew;
use crate::motion::{Pose, Screw};
use crate::round::against_mesh::Surface;
use crate::round::support::Round;
use crate::round::{RoundMemory, RoundPair, RoundState, at_origin};
use crate::scene::ahead::Ahead;
use crate::scene::definition::SceneShape;
use crate::scene::joined::{Found, piece_intervals};
use crate::scene::round::round_intervals;
use crate::search::overlap::{Depth, Through};
use crate::search::pipeline::{Search, Workspace};
use crate::search::query::{Doubt, Options, Outcome};

/// Two shapes, A first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PairShapes<'s> {
    Meshes(Surface<'s>, Surface<'s>),
    /// At least one is round.
    Round(RoundPair<'s>),
}

/// Memory for questions about pairs, to be used again.
#[derive(Debug, Default)]
pub(crate) struct PairMemory {
    pub(crate) workspace: Workspace,
    pub(crate) round: RoundMemory,
    pub(crate) ahead: Ahead,
    gap: GapSearch,
}

/// What keeps two surfaces apart along a screw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Apart {
    Throughout,
    /// Up to this share of the screw.
    Until(f64),
    /// Nothing: they intersect at its start.
    Overlapping,
    /// It was not found out within the budget.
    Unknown,
}

/// A convex part of a body, in its frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Triangle([DVec3; 3]),
    /// All of a round body.
    Round(Round),
}

/// How near two surfaces are at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Nearness {
    /// Proven, in metres; 0 where they intersect or nothing is proven.
    pub(crate) at_least: f64,
    /// In metres.
    pub(crate) at_most: f64,
    /// Of A and B, in B's frame.
    pub(crate) points: [DVec3; 2],
    /// The triangles that have them, of meshes.
    pub(crate) faces: [Option<u32>; 2],
    /// Steps that it took.
    pub(crate) steps: u64,
}

impl<'s> PairShapes<'s> {
    pub(crate) fn new(a: &'s SceneShape, b: &'s SceneShape) -> Self {
        let surface = |shape: &'s SceneShape| Surface { body: &shape.body, pieces: &shape.pieces };
        match (a.round(), b.round()) {
            (None, None) => Self::Meshes(surface(a), surface(b)),
            (Some(round), None) => Self::Round(RoundPair::RoundMesh(round, surface(b))),
            (None, Some(round)) => Self::Round(RoundPair::MeshRound(surface(a), round)),
            (Some(a), Some(b)) => Self::Round(RoundPair::RoundRound(a, b)),
        }
    }

    /// The triangles of these numbers, of meshes, or the round bodies.
    pub(crate) fn parts(&self, faces: [Option<u32>; 2]) -> Option<[Part; 2]> {
        let triangle = |surface: &Surface<'_>, face: Option<u32>| {
            let mesh = surface.body.mesh();
            let corners = mesh.triangles().get(face? as usize)?;
            Some(Part::Triangle(corners.map(|corner| mesh.vertex(corner))))
        };
        Some(match self {
            Self::Meshes(a, b) => [triangle(a, faces[0])?, triangle(b, faces[1])?],
            Self::Round(RoundPair::MeshRound(a, b)) => [triangle(a, faces[0])?, Part::Round(*b)],
            Self::Round(RoundPair::RoundMesh(a, b)) => [Part::Round(*a), triangle(b, faces[1])?],
            Self::Round(RoundPair::RoundRound(a, b)) => [Part::Round(*a), Part::Round(*b)],
        })
    }

    /// The larger of both, in metres.
    pub(crate) fn size(&self) -> f64 {
        let mesh = |body: &Body| body.mesh().diagonal();
        match self {
            Self::Meshes(a, b) => mesh(a.body).max(mesh(b.body)),
            Self::Round(RoundPair::RoundMesh(round, surface) | RoundPair::MeshRound(surface, round)) => {
                mesh(surface.body).max(2.0 * round.radius())
            }
            Self::Round(RoundPair::RoundRound(a, b)) => 2.0 * a.radius().max(b.radius()),
        }
    }

    /// The intervals of contact along one screw, of whose deviation the options speak.
    ///
    /// # Errors
    /// As [`contact_intervals`](crate::contact_intervals).
    pub(crate) fn intervals(
        &self,
        memory: &mut PairMemory,
        piece: &TimedScrew,
        options: &Options,
        is_over: Option<IsOver<'_>>,
    ) -> Result<Found, Error> {
        match self {
            Self::Meshes(a, b) => {
                piece_intervals(&mut memory.workspace, (a.body, b.body), piece, options, is_over)
            }
            Self::Round(pair) => Ok(round_intervals(pair, &mut memory.round, piece, options, is_over)),
        }
    }

    /// Until when a screw keeps the surfaces further apart than a distance: proven.
    ///
    /// # Errors
    /// As [`first_within`](crate::first_within).
    pub(crate) fn apart_until(
        &self,
        memory: &mut PairMemory,
        screw: &Screw,
        distance: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Apart, Error> {
        match self {
            Self::Meshes(a, b) => {
                let options =
                    Options { tolerance: Some(distance), budget: budget.left(), ..Options::default() };
                let search = Search::new((a.body, b.body), screw, &options)?.watched(budget.is_over());
                let found = search.run(Wanted::First, Aim::Within, &mut memory.workspace);
                let apart = match found.outcome() {
                    Outcome::Clear => Apart::Throughout,
                    Outcome::Contact(contact) => Apart::Until(contact.time[0]),
                    Outcome::Overlapping(_) => Apart::Overlapping,
                    Outcome::Undecided { clear_until, .. } if clear_until > 0.0 => {
                        Apart::Until(clear_until.min(1.0))
                    }
                    Outcome::Undecided { why: Doubt::Rounding, .. } => Apart::Until(0.0),
                    Outcome::Undecided { why: Doubt::Budget | Doubt::Memory, .. } => Apart::Unknown,
                };
                // It takes no more than it was given.
                let _ = budget.take(found.counters.steps);
                Ok(apart)
            }
            Self::Round(pair) => Ok(match pair.apart_until(&mut memory.round, screw, distance, budget) {
                Ok(None) => Apart::Throughout,
                Ok(Some(share)) => Apart::Until(share),
                Err(OutOfBudget) => Apart::Unknown,
            }),
        }
    }

    /// How near the surfaces are, A being at a pose in B's frame.
    pub(crate) fn nearness_at(&self, memory: &mut PairMemory, pose: &Pose, limits: &GapLimits) -> Nearness {
        match self {
            Self::Meshes(a, b) => {
                let Gap { at_least, at_most, points, faces, steps } =
                    gap(&mut memory.gap, (a.body, b.body), pose, limits);
                Nearness { at_least, at_most, points, faces: faces.map(Some), steps }
            }
            Self::Round(pair) => {
                let (state, face) = pair.state_and_face_at(&mut memory.round, pose);
                let [at_least, at_most] = match state {
                    RoundState::Apart { at_least, at_most, .. } => [at_least, at_most],
                    RoundState::Touching { at_most, .. } => [0.0, at_most],
                    RoundState::Meeting { .. } => [0.0; 2],
                };
                let faces = match pair {
                    RoundPair::MeshRound(..) => [face, None],
                    RoundPair::RoundMesh(..) | RoundPair::RoundRound(..) => [None, face],
                };
                Nearness { at_least, at_most, points: state.points(), faces, steps: STEPS_OF_ROUND }
            }
        }
    }
}

/// Steps of the budget that a look at a round body takes.
const STEPS_OF_ROUND: u64 = 50;

/// Of edges that pass through triangles so many are looked at.
const EDGES: usize = 64;

/// Edges of one mesh that provably pass through triangles of the other, A being at a pose in B's frame: all, or some of many.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn edges_through(
    bodies: (&Body, &Body),
    memory: &mut PairMemory,
    pose: &Pose,
    budget: &mut Budget<'_>,
) -> Result<Vec<Through>, OutOfBudget> {
    let Ok(search) = Search::new(bodies, &Screw::still(*pose), &Options::default()) else {
        return Ok(Vec::new());
    };
    let found = search.overlap_at(0.0, Depth::Through(EDGES), &mut memory.workspace.charts, budget)?;
    Ok(found.through)
}

impl SceneShape {
    /// The round shape, where it is one.
    pub(crate) fn round(&self) -> Option<Round> {
        self.round.as_ref().and_then(Round::of)
    }

    /// Whether any piece of another shape's surface, which is at a pose in this one's frame, is wholly inside this body; the
    /// surfaces do not intersect.
    pub(crate) fn contains(&self, other: &Self, pose: &Pose) -> bool {
        self.contains_any(other, pose, usize::MAX)
    }

    /// The same of so many pieces at most. Where the whole of the other is inside, one is enough.
    pub(crate) fn contains_any(&self, other: &Self, pose: &Pose, most: usize) -> bool {
        let is_within = |point: DVec3| match self.round() {
            Some(round) => at_origin(round).signed_distance(point).0 < 0.0,
            None => is_inside(&self.body, point) == Location::Inside,
        };
        match other.round() {
            // Any point of its surface.
            Some(round) => is_within(pose.transform_point(at_origin(round).support(DVec3::Z))),
            None => {
                let (pieces, centre) = (&other.pieces, other.body.mesh().centre());
                (0..pieces.count().min(most))
                    .any(|piece| is_within(pose.transform_point(centre + pieces.outermost(piece)[0])))
            }
        }
    }
}
