//! The time for which two intersecting meshes provably continue to intersect, along a motion that is not a single
//! screw.
//!
//! The proof passes from witness to witness: an edge that passes through a triangle, a vertex inside a convex body,
//! or two points on both sides of a closed body.

use crate::body::{MeshSurface, PreparedMesh, PreparedPair};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;
use crate::mesh_motion::both_sides::{PointsOnBothSides, longest_witness};
use crate::mesh_motion::edge_through_face::passes_through_for;
use crate::mesh_motion::relative_state::{MovingPoint, RelativeState};
use crate::mesh_motion::vertex_inside::Planes;
use crate::mesh_screw::overlap::{EdgeThroughFace, Overlap, OverlapGoal};
use crate::mesh_screw::pipeline::Workspace;
use crate::motion::relative::{MovingBody, RelativeMotion};
use crate::motion::state::MotionBounds;

/// A pair of meshes in a smooth interval.
pub(crate) struct IntersectionProof<'a> {
    pub(crate) surfaces: [MeshSurface<'a>; 2],
    pub(crate) relative: &'a RelativeMotion<'a>,
    /// A time of the smooth interval.
    pub(crate) within: f64,
}

/// A witness that two surfaces intersect, for as long as it lasts.
#[derive(Debug, Clone, Copy)]
enum IntersectionWitness {
    Edge(EdgeThroughFace),
    /// A vertex of the moving body is inside the other body, which is convex.
    Vertex(MovingBody, u32),
    /// Points of the moving body are inside and outside the other body, which is closed.
    Points(MovingBody, PointsOnBothSides),
}

/// A witness, if there is one, and the time in seconds for which it lasts.
#[derive(Debug, Clone, Copy)]
struct TimedWitness {
    witness: Option<IntersectionWitness>,
    step: f64,
}

impl TimedWitness {
    const NONE: Self = Self { witness: None, step: 0.0 };
}

/// Motion bounds in a part of the interval: of A relative to B, and of B relative to A.
#[derive(Debug, Clone, Copy)]
struct MotionPart {
    end: f64,
    /// The body whose motion is used for edges.
    mover: MovingBody,
    bounds: [MotionBounds; 2],
}

/// Maximum relative rotation of the bodies in a part, in radians.
const MAX_ROTATION: f64 = 0.3;

/// Cost of a search for points on both sides, in steps of the budget; each point costs some.
const STEPS_ACROSS: u64 = 100;

/// Maximum number of edges through triangles that are examined.
const MAX_EDGES: usize = 64;

/// Another witness is searched for when the current one lasts for less than this fraction of its first time.
const REUSE_FRACTION: f64 = 0.5;

/// All edges are searched for again when no witness lasts for more than this fraction of the longest time.
const SEARCH_FRACTION: f64 = 0.2;

impl<'a> IntersectionProof<'a> {
    /// A time until which surfaces that intersect at `time` provably still do, up to at most `end`, in steps of
    /// more than `min_step` seconds.
    pub(crate) fn intersecting_until(
        &self,
        TimeInterval { start: time, end }: TimeInterval,
        min_step: f64,
        workspace: &mut Workspace,
        budget: &mut Budget<'_>,
    ) -> f64 {
        let mut now = time;
        let mut part = self.part(now, end);
        let [a, b] = self.surfaces.map(|surface| Planes::of(surface.body));
        // The planes of the static body, because the moving body can be inside it.
        let planes = [b, a];
        let mut edges: Vec<EdgeThroughFace> = Vec::new();
        let mut current = TimedWitness::NONE;
        // The time for which the chosen witness lasted at first, and the longest time of any witness.
        let (mut chosen, mut longest) = (0.0, 0.0);
        while now < end {
            if now >= part.end {
                part = self.part(now, end);
            }
            let instant = Instant { proof: self, planes: &planes, part: &part, time: now };
            let edges_move = instant.motion_of(part.mover);
            current.step = match current.witness {
                Some(IntersectionWitness::Edge(through)) => instant.penetration_time(through, &edges_move),
                Some(IntersectionWitness::Vertex(mover, vertex)) => {
                    instant.vertex_inside_for(mover, vertex, &instant.motion_of(mover))
                }
                Some(IntersectionWitness::Points(mover, points)) => {
                    points.intersecting_for(instant.other(mover), &instant.motion_of(mover))
                }
                None => 0.0,
            };
            if current.step <= REUSE_FRACTION * chosen {
                current = instant.deepest(budget);
                if current.step <= REUSE_FRACTION * longest {
                    instant.longest_edge(&edges, &edges_move, &mut current);
                }
                if current.step <= SEARCH_FRACTION * longest {
                    let pose = self.relative.pose_at(now, self.within);
                    let bodies = PreparedPair::new(self.surfaces[0].body, self.surfaces[1].body);
                    let depth = OverlapGoal::EdgesThrough(MAX_EDGES);
                    let Ok(Overlap { through, .. }) = workspace.overlap_of(bodies, &pose, depth, budget)
                    else {
                        break;
                    };
                    edges = through;
                    instant.longest_edge(&edges, &edges_move, &mut current);
                    longest = current.step;
                }
                (chosen, longest) = (current.step, current.step.max(longest));
            }
            let next = (now + current.step).min(part.end);
            if next - now <= min_step || budget.step() == Err(OutOfBudget) {
                break;
            }
            now = next;
        }
        now
    }

    fn part(&self, start: f64, end: f64) -> MotionPart {
        let to = self.relative.end_of_part(TimeInterval::new(start, end), MAX_ROTATION);
        let (mover, bounds) = self.relative.motion_bounds(start, to);
        MotionPart { end: to, mover, bounds }
    }
}

/// The bodies at one time.
struct Instant<'a> {
    proof: &'a IntersectionProof<'a>,
    planes: &'a [Option<Planes>; 2],
    part: &'a MotionPart,
    time: f64,
}

fn index_of(body: MovingBody) -> usize {
    usize::from(body == MovingBody::B)
}

impl Instant<'_> {
    fn motion_of(&self, mover: MovingBody) -> RelativeState {
        let state = self.proof.relative.state_at(mover, self.time, self.proof.within);
        let [a, b] = self.proof.surfaces.map(|surface| surface.body);
        let bodies = if mover == MovingBody::A { PreparedPair::new(a, b) } else { PreparedPair::new(b, a) };
        RelativeState::new(bodies, &state, &self.part.bounds[index_of(mover)])
    }

    /// The time for which an edge provably passes through a triangle, in seconds.
    fn penetration_time(&self, through: EdgeThroughFace, state: &RelativeState) -> f64 {
        let corner = |body: MovingBody, vertex: u32| {
            let local = self.proof.surfaces[index_of(body)].body.mesh().local()[vertex as usize];
            if body == self.part.mover { state.corner(local) } else { MovingPoint::fixed(local) }
        };
        let (edges_of, edge, face) = match through {
            EdgeThroughFace::EdgeOfA { edge, face } => (MovingBody::A, edge, face),
            EdgeThroughFace::EdgeOfB { face, edge } => (MovingBody::B, edge, face),
        };
        let faces_of = if edges_of == MovingBody::A { MovingBody::B } else { MovingBody::A };
        let [with_edge, with_face] =
            [edges_of, faces_of].map(|body| self.proof.surfaces[index_of(body)].body.mesh());
        let edge = with_edge.edges()[edge as usize].map(|v| corner(edges_of, v));
        let face = with_face.triangles()[face as usize].map(|v| corner(faces_of, v));
        passes_through_for(&edge, &face, state)
    }

    /// Replaces the best witness by the edge that provably passes through its triangle for the longest time, if that
    /// is longer.
    fn longest_edge(&self, edges: &[EdgeThroughFace], state: &RelativeState, best: &mut TimedWitness) {
        for through in edges {
            let step = self.penetration_time(*through, state);
            if step > best.step {
                *best = TimedWitness { witness: Some(IntersectionWitness::Edge(*through)), step };
            }
        }
    }

    fn other(&self, mover: MovingBody) -> &PreparedMesh {
        self.proof.surfaces[1 - index_of(mover)].body
    }

    /// A witness deep inside the other body, if that body is convex or closed, and the time for which it lasts.
    fn deepest(&self, budget: &mut Budget<'_>) -> TimedWitness {
        let mut best = TimedWitness::NONE;
        for mover in [MovingBody::A, MovingBody::B] {
            let state = self.motion_of(mover);
            let Some(planes) = &self.planes[index_of(mover)] else {
                if budget.take(STEPS_ACROSS).is_err() {
                    continue;
                }
                let found = longest_witness(&self.proof.surfaces[index_of(mover)], self.other(mover), &state);
                if let Some((points, step)) = found.filter(|(_, step)| *step > best.step) {
                    best = TimedWitness { witness: Some(IntersectionWitness::Points(mover, points)), step };
                }
                continue;
            };
            let Some(vertex) = planes.deepest(self.proof.surfaces[index_of(mover)].body, &state) else {
                continue;
            };
            let step = self.vertex_inside_for(mover, vertex, &state);
            if step > best.step {
                best = TimedWitness { witness: Some(IntersectionWitness::Vertex(mover, vertex)), step };
            }
        }
        best
    }

    fn vertex_inside_for(&self, mover: MovingBody, vertex: u32, state: &RelativeState) -> f64 {
        let surface = &self.proof.surfaces[index_of(mover)];
        self.planes[index_of(mover)]
            .as_ref()
            .map_or(0.0, |planes| planes.intersecting_for(surface, vertex, state))
    }
}
