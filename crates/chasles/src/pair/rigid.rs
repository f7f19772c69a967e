//! Pairs of meshes and round bodies: proofs about two rigid surfaces along one screw, or with bounds of any motion.
//!
//! ```text
//! at one pose   distance_at           the distance, and the witness points
//!               distance_upper_bound  an upper bound of the distance around one time ([`within`](super::within))
//!               is_flush_deep         whether touching bodies are proven to overlap deeply ([`flush`](super::flush))
//! along a screw contacts              every interval of contact
//!               separated_on_screw    until when the distance exceeds a threshold
//!               touches_throughout    whether the surfaces touch all the time
//! on any motion separated_until       until when the distance exceeds a threshold
//!               intersecting_until    until when the surfaces keep intersecting
//! ```
//!
//! [`trajectory`](crate::trajectory) combines these proofs along a whole motion. Solids, clouds and parametric
//! surfaces are not rigid pairs: [`sets`](crate::sets) examines them along the motion itself.

use glam::DVec3;

use crate::body::{MeshSurface, PreparedMesh, PreparedPair};
use crate::error::Error;
use crate::features::collector::EventFilter;
use crate::features::pairs::Aim;
use crate::instant::gap::{Gap, GapLimits, GapSearch, gap};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;
use crate::mesh_motion::fronts::{FrontCache, MovingMeshes};
use crate::mesh_motion::intersecting::IntersectionProof;
pub(crate) use crate::mesh_motion::separation::SeparationGoal;
use crate::mesh_screw::pipeline::{ScrewSearch, Workspace};
use crate::mesh_screw::query::{Options, Outcome, UndecidedReason};
use crate::mesh_screw::timed::{PoseState, ScrewContacts, timed_intervals};
use crate::motion::relative::{MotionInterval, RelativeMotion};
use crate::motion::track::TimedScrew;
use crate::motion::{Pose, Screw};
use crate::pair::within::{ConvexPart, DistanceBound};
use crate::round::intersecting::RoundIntersectionProof;
use crate::round::intervals::{round_intervals, round_rest};
use crate::round::{RoundFound, RoundMemory, RoundPair, RoundState};

/// Two meshes, or two bodies of which at least one is round. A comes first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RigidPair<'s> {
    Meshes(MeshSurface<'s>, MeshSurface<'s>),
    Round(RoundPair<'s>),
}

/// Reusable memory for queries about pairs.
#[derive(Debug, Default)]
pub(crate) struct PairMemory {
    pub(super) workspace: Workspace,
    pub(super) round: RoundMemory,
    pub(super) fronts: FrontCache,
    pub(super) gap: GapSearch,
}

impl PairMemory {
    /// Discards the results for later times. Call this before a query about another pair, another smooth interval or a
    /// larger distance.
    pub(crate) fn forget(&mut self) {
        self.fronts.forget();
    }
}

/// How long two surfaces stay separated along a screw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SeparationTime {
    Throughout,
    /// Up to this fraction of the screw.
    Until(f64),
    /// They intersect at its start.
    Overlapping,
    /// The budget did not suffice.
    Unknown,
}

impl SeparationTime {
    /// The fraction of the screw up to which they are proven separated.
    pub(crate) fn fraction(self) -> f64 {
        match self {
            Self::Throughout => 1.0,
            Self::Until(fraction) => fraction,
            Self::Overlapping | Self::Unknown => 0.0,
        }
    }
}

/// The distance of two surfaces at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairDistance {
    /// Proven, in metres; 0 if they intersect or no bound is proven.
    pub(crate) lower: f64,
    /// In metres.
    pub(crate) upper: f64,
    /// The witness points on A and B, in B's frame.
    pub(crate) points: [DVec3; 2],
    /// The triangles that contain these points, for meshes.
    pub(crate) faces: [Option<u32>; 2],
    /// The steps spent.
    pub(crate) steps: u64,
}

/// The price of one distance of a round body, in steps of the budget.
const STEPS_OF_ROUND: u64 = 50;

impl RigidPair<'_> {
    /// The diameter of the larger body, in metres.
    pub(crate) fn size(&self) -> f64 {
        let mesh = |body: &PreparedMesh| body.mesh().diagonal();
        match self {
            Self::Meshes(a, b) => mesh(a.body).max(mesh(b.body)),
            Self::Round(RoundPair::RoundMesh(round, surface) | RoundPair::MeshRound(surface, round)) => {
                mesh(surface.body).max(2.0 * round.radius())
            }
            Self::Round(RoundPair::RoundRound(a, b)) => 2.0 * a.radius().max(b.radius()),
        }
    }

    /// Whether both are meshes. Meshes are examined with bounds of the motion itself ([`Self::separated_until`]),
    /// and their search along a screw accounts for the number of turns. Round bodies are searched along screws near
    /// the motion ([`Self::separated_on_screw`]).
    pub(crate) fn is_of_meshes(&self) -> bool {
        matches!(self, Self::Meshes(..))
    }

    /// The distance of the surfaces, with A at a pose in B's frame.
    pub(crate) fn distance_at(
        &self,
        memory: &mut PairMemory,
        pose: &Pose,
        limits: &GapLimits,
    ) -> PairDistance {
        match self {
            Self::Meshes(a, b) => {
                let Gap { lower, upper, points, faces, steps } =
                    gap(&mut memory.gap, a.body, b.body, pose, limits);
                PairDistance { lower, upper, points, faces: faces.map(Some), steps }
            }
            Self::Round(pair) => {
                let RoundFound { state, points, face, .. } = pair.found_at(&mut memory.round, pose);
                let [lower, upper] = match state {
                    RoundState::Separated { lower, upper } => [lower, upper],
                    RoundState::Touching { upper } => [0.0, upper],
                    RoundState::Intersecting { .. } => [0.0; 2],
                };
                let faces = match pair {
                    RoundPair::MeshRound(..) => [face, None],
                    RoundPair::RoundMesh(..) | RoundPair::RoundRound(..) => [None, face],
                };
                PairDistance { lower, upper, points, faces, steps: STEPS_OF_ROUND }
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
        timed_screw: &TimedScrew,
        options: &Options,
        budget: &mut Budget<'_>,
    ) -> Result<ScrewContacts, Error> {
        match self {
            Self::Meshes(a, b) => timed_intervals(
                &mut memory.workspace,
                PreparedPair::new(a.body, b.body),
                timed_screw,
                options,
                budget,
            ),
            Self::Round(pair) => Ok(round_intervals(pair, &mut memory.round, timed_screw, options, budget)),
        }
    }

    /// Until when a screw provably keeps the surfaces further apart than a distance. For meshes, the search finds the
    /// first contact. With [`EventFilter::Separation`], it only reports that meshes intersect if they do so at the
    /// start.
    ///
    /// # Errors
    /// As [`first_within`](crate::first_within).
    pub(crate) fn separated_on_screw(
        &self,
        memory: &mut PairMemory,
        screw: &Screw,
        (distance, filter): (f64, EventFilter),
        budget: &mut Budget<'_>,
    ) -> Result<SeparationTime, Error> {
        match self {
            Self::Meshes(a, b) => {
                let options =
                    Options { tolerance: Some(distance), budget: budget.remaining(), ..Options::default() };
                let search = ScrewSearch::new(a.body, b.body, screw, &options)?.watched(budget.is_over());
                let found = search.run(filter, Aim::Within, &mut memory.workspace);
                let separation = match found.outcome() {
                    Outcome::Clear => SeparationTime::Throughout,
                    Outcome::Contact(contact) => SeparationTime::Until(contact.time[0]),
                    Outcome::Overlapping(_) => SeparationTime::Overlapping,
                    Outcome::Undecided { clear_until, .. } if clear_until > 0.0 => {
                        SeparationTime::Until(clear_until.min(1.0))
                    }
                    Outcome::Undecided {
                        reason: UndecidedReason::Rounding | UndecidedReason::Deviation,
                        ..
                    } => SeparationTime::Until(0.0),
                    Outcome::Undecided {
                        reason: UndecidedReason::Budget | UndecidedReason::Memory, ..
                    } => SeparationTime::Unknown,
                };
                // The search takes at most the remaining steps.
                let _ = budget.take(found.counters.steps);
                Ok(separation)
            }
            Self::Round(pair) => Ok(match pair.separated_until(&mut memory.round, screw, distance, budget) {
                Ok(None) => SeparationTime::Throughout,
                Ok(Some(fraction)) => SeparationTime::Until(fraction),
                Err(OutOfBudget) => SeparationTime::Unknown,
            }),
        }
    }

    /// Whether surfaces that are in contact at the start of a screw rest on each other along it, so closely that
    /// they still touch if every point is off by the deviation of the options.
    ///
    /// # Errors
    /// As [`contact_intervals`](crate::contact_intervals).
    pub(crate) fn touches_throughout(
        &self,
        memory: &mut PairMemory,
        timed_screw: &TimedScrew,
        options: &Options,
        budget: &mut Budget<'_>,
    ) -> Result<PoseState, Error> {
        let (tolerance, deviation) = (options.tolerance.unwrap_or(0.0), options.deviation);
        match self {
            Self::Meshes(..) => {
                let options = Options { tolerance: Some(tolerance - deviation), deviation: 0.0, ..*options };
                let found = self.contacts(memory, timed_screw, &options, budget)?;
                Ok(match found.intervals.as_slice() {
                    [only] if found.from_start && only.exit.is_none() && only.touching => PoseState::Touching,
                    _ => PoseState::Separated,
                })
            }
            Self::Round(pair) => {
                Ok(round_rest(pair, &mut memory.round, timed_screw, [tolerance, deviation], budget))
            }
        }
    }

    /// A time until which the surfaces provably stay further apart than exactly a distance, from `from` to at most
    /// `end`; `from` itself if this is not proven. For meshes, the proof uses bounds of the motion. For pairs
    /// with a round body ([`Self::is_of_meshes`]), it uses one screw from `from` to `to` and ends there.
    ///
    /// Call [`PairMemory::forget`] before the next smooth interval, and before a larger distance.
    ///
    /// # Errors
    /// If coordinates leave the range of [`Screw::about`](crate::Screw::about).
    pub(crate) fn separated_until(
        &self,
        memory: &mut PairMemory,
        (relative, smooth_interval): (&RelativeMotion<'_>, &MotionInterval),
        (from, to, end): (f64, f64, f64),
        (goal, budget): (&SeparationGoal, &mut Budget<'_>),
    ) -> Result<f64, Error> {
        match self {
            Self::Meshes(a, b) => {
                let motion = MovingMeshes { bodies: PreparedPair::new(a.body, b.body), relative };
                let until = memory.fronts.separated_until(motion, TimeInterval::new(from, end), goal, budget);
                Ok(until.unwrap_or(from))
            }
            Self::Round(_) => {
                let (timed_screw, deviation) = match smooth_interval {
                    MotionInterval::Exact(timed_screw) => {
                        let timed_screw = timed_screw.part(from, to);
                        (timed_screw, relative.deviation(&timed_screw))
                    }
                    MotionInterval::General { .. } => relative.screw(from, to),
                };
                let distance = goal.distance + deviation;
                if !distance.is_finite() {
                    return Ok(from);
                }
                let filter = (distance, EventFilter::First);
                let separation = self.separated_on_screw(memory, &timed_screw.screw, filter, budget)?;
                Ok(timed_screw.not_after(separation.fraction()))
            }
        }
    }

    /// An upper bound of the distance of the surfaces around a time at which A is at `pose` in B's frame and the
    /// distance is `distance`. `None` if there is no bound.
    pub(crate) fn distance_upper_bound(&self, pose: &Pose, distance: &PairDistance) -> Option<DistanceBound> {
        let triangle = |surface: &MeshSurface<'_>, face: Option<u32>| {
            let mesh = surface.body.mesh();
            let corners = mesh.triangles().get(face? as usize)?;
            Some(ConvexPart::Triangle(corners.map(|corner| mesh.vertex(corner))))
        };
        let [of_a, of_b] = distance.faces;
        let parts = match self {
            Self::Meshes(a, b) => [triangle(a, of_a)?, triangle(b, of_b)?],
            Self::Round(RoundPair::MeshRound(a, b)) => [triangle(a, of_a)?, ConvexPart::Round(*b)],
            Self::Round(RoundPair::RoundMesh(a, b)) => [ConvexPart::Round(*a), triangle(b, of_b)?],
            Self::Round(RoundPair::RoundRound(a, b)) => [ConvexPart::Round(*a), ConvexPart::Round(*b)],
        };
        DistanceBound::of(parts, pose, distance.points)
    }

    /// A time, at most `end`, until which surfaces that intersect at `time` provably still do, found in steps of
    /// more than `min_step`. `within` is a time in the same smooth interval.
    pub(crate) fn intersecting_until(
        &self,
        memory: &mut PairMemory,
        (relative, within): (&RelativeMotion<'_>, f64),
        (time, end, min_step): (f64, f64, f64),
        budget: &mut Budget<'_>,
    ) -> f64 {
        match self {
            Self::Meshes(a, b) => {
                let proof = IntersectionProof { surfaces: [*a, *b], relative, within };
                proof.intersecting_until(
                    TimeInterval::new(time, end),
                    min_step,
                    &mut memory.workspace,
                    budget,
                )
            }
            Self::Round(pair) => {
                let proof = RoundIntersectionProof { pair, relative, within };
                proof.intersecting_until(&mut memory.round, TimeInterval::new(time, end), min_step, budget)
            }
        }
    }
}
