//! The time for which two intersecting meshes provably continue to intersect, along a motion that is not a single
//! screw.
//!
//! The proof passes from witness to witness: an edge that passes through a triangle, a vertex inside a convex body,
//! or two points on both sides of a closed body.

use crate::body::{MeshSurface, PreparedMesh};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;
use crate::mesh_motion::across::{Across, longest_witness};
use crate::mesh_motion::convex_hold::Planes;
use crate::mesh_motion::hold::holds_for;
use crate::mesh_motion::passing::{MovingPoint, Passing};
use crate::mesh_screw::overlap::{Depth, Overlap, Through};
use crate::mesh_screw::pipeline::Workspace;
use crate::motion::moment::MotionBounds;
use crate::motion::relative::{MovingBody, RelativeMotion};

/// A pair of meshes in a smooth interval.
pub(crate) struct IntersectionHold<'a> {
    pub(crate) surfaces: [MeshSurface<'a>; 2],
    pub(crate) relative: &'a RelativeMotion<'a>,
    /// A time of the smooth interval.
    pub(crate) within: f64,
}

/// A witness that two surfaces intersect, for as long as it lasts.
#[derive(Debug, Clone, Copy)]
enum HoldWitness {
    Edge(Through),
    /// A vertex of the moving body is inside the other body, which is convex.
    Vertex(MovingBody, u32),
    /// Points of the moving body are inside and outside the other body, which is closed.
    Points(MovingBody, Across),
}

/// Motion bounds in a part of the interval: of A relative to B, and of B relative to A.
#[derive(Debug, Clone, Copy)]
struct HeldLeg {
    end: f64,
    /// The body whose motion is used for edges.
    mover: MovingBody,
    bends: [MotionBounds; 2],
}

/// Maximum relative rotation of the bodies in a part, in radians.
const TURN: f64 = 0.3;

/// Cost of a search for points on both sides, in steps of the budget; each point costs some.
const STEPS_ACROSS: u64 = 100;

/// Maximum number of edges through triangles that are examined.
const EDGES: usize = 64;

/// Another witness is searched for when the current one lasts for less than this fraction of its first time.
const LOOSE: f64 = 0.5;

/// All edges are searched for again when no witness lasts for more than this fraction of the longest time.
const STALE: f64 = 0.2;

impl<'a> IntersectionHold<'a> {
    /// A time until which surfaces that intersect at `time` provably still do, up to at most `end`, in steps of
    /// more than `least` seconds.
    pub(crate) fn intersecting_until(
        &self,
        TimeInterval { start: time, end }: TimeInterval,
        least: f64,
        (workspace, budget): (&mut Workspace, &mut Budget<'_>),
    ) -> f64 {
        let mut now = time;
        let mut part = self.part(now, end);
        let [a, b] = self.surfaces.map(|surface| Planes::of(surface.body));
        // The planes of the static body, because the moving body can be inside it.
        let planes = [b, a];
        let mut edges: Vec<Through> = Vec::new();
        let mut grip: Option<HoldWitness> = None;
        // The time for which the chosen witness lasted at first, and the longest time of any witness.
        let (mut chosen, mut longest) = (0.0, 0.0);
        while now < end {
            if now >= part.end {
                part = self.part(now, end);
            }
            let instant = Instant { held: self, planes: &planes, part: &part, time: now };
            let edges_move = instant.motion_of(part.mover);
            let mut step = match grip {
                Some(HoldWitness::Edge(through)) => instant.penetration_time(through, &edges_move),
                Some(HoldWitness::Vertex(mover, vertex)) => {
                    instant.vertex_holds((mover, vertex), &instant.motion_of(mover))
                }
                Some(HoldWitness::Points(mover, points)) => {
                    points.holds_for(instant.other(mover), &instant.motion_of(mover))
                }
                None => 0.0,
            };
            if step <= LOOSE * chosen {
                (grip, step) = instant.deepest(budget);
                if step <= LOOSE * longest {
                    instant.longest_hold(&edges, &edges_move, (&mut grip, &mut step));
                }
                if step <= STALE * longest {
                    let pose = self.relative.pose_at(now, self.within);
                    let bodies = (self.surfaces[0].body, self.surfaces[1].body);
                    let depth = Depth::Through(EDGES);
                    let Ok(Overlap { through, .. }) = workspace.overlap_of(bodies, &pose, depth, budget)
                    else {
                        break;
                    };
                    edges = through;
                    instant.longest_hold(&edges, &edges_move, (&mut grip, &mut step));
                    longest = step;
                }
                (chosen, longest) = (step, step.max(longest));
            }
            let next = (now + step).min(part.end);
            if next - now <= least || budget.step() == Err(OutOfBudget) {
                break;
            }
            now = next;
        }
        now
    }

    fn part(&self, begin: f64, end: f64) -> HeldLeg {
        let to = self.relative.end_of_part(TimeInterval::new(begin, end), TURN);
        let (mover, bends) = self.relative.motion_bounds(begin, to);
        HeldLeg { end: to, mover, bends }
    }
}

/// The bodies at one time.
struct Instant<'a> {
    held: &'a IntersectionHold<'a>,
    planes: &'a [Option<Planes>; 2],
    part: &'a HeldLeg,
    time: f64,
}

fn place(mover: MovingBody) -> usize {
    usize::from(mover == MovingBody::B)
}

impl Instant<'_> {
    fn motion_of(&self, mover: MovingBody) -> Passing {
        let moment = self.held.relative.moment_at(mover, self.time, self.held.within);
        let [a, b] = self.held.surfaces.map(|surface| surface.body);
        let bodies = if mover == MovingBody::A { (a, b) } else { (b, a) };
        Passing::new(bodies, &moment, &self.part.bends[place(mover)])
    }

    /// The time for which an edge provably passes through a triangle, in seconds.
    fn penetration_time(&self, through: Through, passing: &Passing) -> f64 {
        let corner = |body: MovingBody, vertex: u32| {
            let local = self.held.surfaces[place(body)].body.mesh().local()[vertex as usize];
            if body == self.part.mover { passing.corner(local) } else { MovingPoint::standing(local) }
        };
        let (edges_of, edge, face) = match through {
            Through::EdgeOfA { edge, face } => (MovingBody::A, edge, face),
            Through::EdgeOfB { face, edge } => (MovingBody::B, edge, face),
        };
        let faces_of = if edges_of == MovingBody::A { MovingBody::B } else { MovingBody::A };
        let [with_edge, with_face] =
            [edges_of, faces_of].map(|body| self.held.surfaces[place(body)].body.mesh());
        let edge = with_edge.edges()[edge as usize].map(|v| corner(edges_of, v));
        let face = with_face.triangles()[face as usize].map(|v| corner(faces_of, v));
        holds_for(&edge, &face, passing)
    }

    /// The edge that provably passes through its triangle for the longest time, if that is longer than `step`.
    fn longest_hold(
        &self,
        edges: &[Through],
        passing: &Passing,
        (grip, step): (&mut Option<HoldWitness>, &mut f64),
    ) {
        for through in edges {
            let holds = self.penetration_time(*through, passing);
            if holds > *step {
                (*grip, *step) = (Some(HoldWitness::Edge(*through)), holds);
            }
        }
    }

    fn other(&self, mover: MovingBody) -> &PreparedMesh {
        self.held.surfaces[1 - place(mover)].body
    }

    /// A witness deep inside the other body, if that body is convex or closed, and the time for which it lasts.
    fn deepest(&self, budget: &mut Budget<'_>) -> (Option<HoldWitness>, f64) {
        let mut best = (None, 0.0);
        for mover in [MovingBody::A, MovingBody::B] {
            let passing = self.motion_of(mover);
            let Some(planes) = &self.planes[place(mover)] else {
                if budget.take(STEPS_ACROSS).is_err() {
                    continue;
                }
                let found = longest_witness(&self.held.surfaces[place(mover)], self.other(mover), &passing);
                if let Some((points, step)) = found.filter(|(_, step)| *step > best.1) {
                    best = (Some(HoldWitness::Points(mover, points)), step);
                }
                continue;
            };
            let Some(vertex) = planes.deepest(self.held.surfaces[place(mover)].body, &passing) else {
                continue;
            };
            let step = self.vertex_holds((mover, vertex), &passing);
            if step > best.1 {
                best = (Some(HoldWitness::Vertex(mover, vertex)), step);
            }
        }
        best
    }

    fn vertex_holds(&self, (mover, vertex): (MovingBody, u32), passing: &Passing) -> f64 {
        let MeshSurface { body, pieces } = self.held.surfaces[place(mover)];
        self.planes[place(mover)]
            .as_ref()
            .map_or(0.0, |planes| planes.holds_for((body, pieces), vertex, passing))
    }
}
