//! How long two meshes that intersect provably go on doing so along a motion that is no single screw: from edge to edge.

use crate::body::Body;
use crate::math::roots::{Budget, OutOfBudget};
use crate::narrow_phase::hold::holds_for;
use crate::narrow_phase::overlap::Through;
use crate::narrow_phase::passing::{Bends, Corner, Passing};
use crate::scene::relative::{Mover, Relative};
use crate::scene::shapes::{PairMemory, edges_through};
use crate::shape::Mesh;

/// A pair of meshes along a stretch.
pub(crate) struct Held<'a> {
    pub(crate) bodies: (&'a Body, &'a Body),
    pub(crate) relative: &'a Relative<'a>,
    /// A time of the stretch.
    pub(crate) within: f64,
}

/// What is known of the motion in a part of the stretch.
#[derive(Debug, Clone, Copy)]
struct Part {
    end: f64,
    mover: Mover,
    bends: Bends,
}

/// A part is as long as the bodies take to turn by so many radians, at most, as seen from each other.
const TURN: f64 = 0.3;

/// An edge is let go of when it holds for less than this share of the first time.
const LOOSE: f64 = 0.5;

/// All edges are looked for anew when none holds for more than this share of the first time.
const STALE: f64 = 0.2;

impl Held<'_> {
    /// A time until which surfaces that intersect at `time` provably still do, up to at most `end`, in steps of more than `least`.
    pub(crate) fn until(
        &self,
        (time, end): (f64, f64),
        least: f64,
        (memory, budget): (&mut PairMemory, &mut Budget),
    ) -> f64 {
        let mut now = time;
        let mut part = self.part(now, end);
        let mut edges: Vec<Through> = Vec::new();
        let mut tight: Option<Through> = None;
        // For how long the one that was chosen held, and for how long when all were looked for.
        let (mut chosen, mut fresh) = (0.0, 0.0);
        while now < end {
            if now >= part.end {
                part = self.part(now, end);
            }
            let instant = Instant::new(self, &part, now);
            let mut step = tight.map_or(0.0, |through| instant.hold(through));
            if step <= LOOSE * chosen {
                (tight, step) = instant.firmest(&edges);
                if step <= STALE * fresh {
                    let pose = self.relative.pose_at(now, self.within);
                    let Ok(found) = edges_through(self.bodies, memory, &pose, budget) else { break };
                    edges = found;
                    (tight, step) = instant.firmest(&edges);
                    fresh = step;
                }
                chosen = step;
            }
            let next = (now + step).min(part.end);
            if next - now <= least || budget.step() == Err(OutOfBudget) {
                break;
            }
            now = next;
        }
        now
    }

    fn part(&self, begin: f64, end: f64) -> Part {
        let turn = TURN / self.relative.spin(begin, end);
        let to = begin + turn;
        let to = if to > begin && end - to > 0.3 * turn { to } else { end };
        let (mover, bends) = self.relative.bends(begin, to);
        Part { end: to, mover, bends }
    }
}

/// The bodies at one time.
struct Instant<'a> {
    meshes: (&'a Mesh, &'a Mesh),
    mover: Mover,
    passing: Passing,
}

impl<'a> Instant<'a> {
    fn new(held: &Held<'a>, part: &Part, time: f64) -> Self {
        let moment = held.relative.moment_at(part.mover, time, held.within);
        let (a, b) = held.bodies;
        let bodies = if part.mover == Mover::A { (a, b) } else { (b, a) };
        Self {
            meshes: (a.mesh(), b.mesh()),
            mover: part.mover,
            passing: Passing::new(bodies, &moment, &part.bends),
        }
    }

    /// For how long something provably holds the surfaces together, in seconds.
    fn hold(&self, through: Through) -> f64 {
        let (edge, face) = match through {
            Through::EdgeOfA { edge, face } => {
                let edge = self.meshes.0.edges()[edge as usize].map(|v| self.corner(Mover::A, v));
                (edge, self.meshes.1.triangles()[face as usize].map(|v| self.corner(Mover::B, v)))
            }
            Through::EdgeOfB { face, edge } => {
                let edge = self.meshes.1.edges()[edge as usize].map(|v| self.corner(Mover::B, v));
                (edge, self.meshes.0.triangles()[face as usize].map(|v| self.corner(Mover::A, v)))
            }
        };
        holds_for(&edge, &face, &self.passing)
    }

    fn corner(&self, body: Mover, vertex: u32) -> Corner {
        let mesh = if body == Mover::A { self.meshes.0 } else { self.meshes.1 };
        let local = mesh.local()[vertex as usize];
        if body == self.mover { self.passing.corner(local) } else { Corner::standing(local) }
    }

    /// Of edges that may pass through triangles the one that provably does so for longest, and for how long.
    fn firmest(&self, edges: &[Through]) -> (Option<Through>, f64) {
        let mut best = (None, 0.0);
        for through in edges {
            let step = self.hold(*through);
            if step > best.1 {
                best = (Some(*through), step);
            }
        }
        best
    }
}
