//! The front: pairs of boxes and triangles, each proven apart until a time of its own.
//!
//! Two bodies on any smooth motion are followed by their hierarchies. Every pair of the front holds some of A's
//! triangles and some of B's, and every pair of triangles is held by one pair of the front. The front knows until when
//! each of its pairs is certainly apart. The pair whose time comes first is looked at again: either it is apart for a
//! while longer, or the larger of its two nodes is opened and the children take its place. So distant pairs are looked
//! at seldom and near pairs often, and no search starts from the roots again after a contact.

use std::collections::binary_heap::{BinaryHeap, PeekMut};

use crate::body::PreparedMesh;
use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::math::budget::{Budget, OutOfBudget};
use crate::mesh_motion::apart::{
    Bounded, Nodes, PLACES, SeparatingAxisKind, SeparationGoal, SeparationProof, narrow, separated_for,
};
use crate::mesh_motion::passing::{FrontMotion, PassingAt};
use crate::motion::relative::MovingBody;

/// The pairs that are known to be apart, and until when. Each pair of bodies starts anew.
#[derive(Debug, Clone, Default)]
pub(crate) struct Front {
    waiting: BinaryHeap<FrontPair>,
    end: f64,
    /// Some pairs had no room: nothing more is known.
    is_full: bool,
}

/// The most pairs that a front may hold, of 40 bytes each. Bodies that need more are left to screws.
const ROOM: usize = 1 << 22;
const _: () = assert!(size_of::<FrontPair>() == 40);

/// A pair of the front. The greatest is due first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FrontPair {
    /// Until then it is apart.
    due: f64,
    /// For how long it was apart, when it was last looked at.
    step: f32,
    /// The same, when a direction was last looked for.
    fresh: f32,
    a: u32,
    b: u32,
    /// What proved them apart, as in [`SeparationProof`].
    way: [f32; 3],
    by: SeparatingAxisKind,
    mover: MovingBody,
}

impl Eq for FrontPair {}

impl Ord for FrontPair {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.due.total_cmp(&self.due).then((self.a, self.b).cmp(&(other.a, other.b)))
    }
}

impl FrontPair {
    fn kept(&self, due: f64, found: &SeparationProof) -> Self {
        let [step, fresh] = [found.step, found.fresh].map(narrow);
        Self { due, step, fresh, way: found.way, by: found.by, mover: found.mover, ..*self }
    }

    /// How its nodes were last proven apart.
    fn last_proof(&self) -> SeparationProof {
        let Self { step, fresh, way, by, mover, .. } = *self;
        SeparationProof { step: f64::from(step), fresh: f64::from(fresh), gap: 0.0, way, by, mover }
    }
}

impl PartialOrd for FrontPair {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The child of the first block, which holds everything.
const ROOT: u32 = 0;

/// A pair may be looked at before its time by this share of its last step, where a moment is at hand.
const EARLY: f64 = 0.2;

/// Boxes that are further apart than this share of the larger one's size are not opened.
const APART: f64 = 0.3;

/// Nor are boxes opened that stay apart for this share of the time left.
const LONG: f64 = 0.1;

/// What separated a box separates its children well enough if it does so for half of this share of the time left.
const AT_FIRST: f64 = 0.4;

impl Front {
    /// Forgets everything: nothing is known from `begin` on, and the question goes up to `end`.
    pub(crate) fn start(&mut self, begin: f64, end: f64) {
        self.waiting.clear();
        self.waiting.push(FrontPair {
            due: begin,
            step: 0.0,
            fresh: f32::INFINITY,
            a: ROOT,
            b: ROOT,
            way: [0.0; 3],
            by: SeparatingAxisKind::Between,
            mover: MovingBody::A,
        });
        self.end = end;
        self.is_full = false;
    }

    /// All pairs are proven apart until this time.
    pub(crate) fn proven_until(&self) -> f64 {
        self.waiting.peek().map_or(self.end, |pair| pair.due.min(self.end))
    }

    /// A time until which, from `now` on, the surfaces stay further apart than a distance: proven. The time is not
    /// before `now`; it is `now` where nothing is proven. Entries that expire before `now` are ignored.
    ///
    /// # Errors
    /// [`OutOfBudget`]; the front keeps all it has proven so far.
    pub(crate) fn separated_until(
        &mut self,
        motion: &FrontMotion<'_>,
        now: f64,
        ask: &SeparationGoal,
        budget: &mut Budget<'_>,
    ) -> Result<f64, OutOfBudget> {
        if !motion.a.bends.change.is_finite() || self.is_full {
            return Ok(now);
        }
        let mut at: Option<PassingAt<'_>> = None;
        while let Some(pair) = self.waiting.peek().copied() {
            if pair.due >= self.end {
                break;
            }
            budget.step()?;
            let due = pair.due.max(now);
            let time = match &at {
                Some(PassingAt { time, .. })
                    if *time >= now && due - time <= EARLY * f64::from(pair.step) =>
                {
                    *time
                }
                _ => due,
            };
            let passing = match &mut at {
                Some(passing) if passing.time == time => &*passing,
                at => &*at.insert(motion.motion_state_at(time, self.end)),
            };
            let left = self.end - time;
            let nodes =
                Nodes { a: Bounded::new(motion.bodies.0, pair.a), b: Bounded::new(motion.bodies.1, pair.b) };
            let found = separated_for(&nodes, (passing, ask), left, &pair.last_proof());
            let both_faces = pair.a & pair.b & LEAF != 0;
            let stays = found.step >= left
                || if both_faces {
                    found.step >= ask.least_step
                } else {
                    found.step >= LONG * left || found.gap >= APART * nodes.a.size.max(nodes.b.size)
                };
            let until = time + found.step;
            if stays && until > due {
                if let Some(mut first) = self.waiting.peek_mut() {
                    if until < self.end {
                        *first = pair.kept(until, &found);
                    } else {
                        PeekMut::pop(first);
                    }
                }
            } else if both_faces {
                // The step may have been short because it was taken early.
                if time == due {
                    return Ok(due);
                }
                at = None;
            } else {
                self.waiting.pop();
                self.open(motion, (&pair, &nodes, passing), (time, due), ask);
                if self.is_full {
                    return Ok(due);
                }
            }
        }
        Ok(self.end)
    }

    fn keep(&mut self, pair: &FrontPair, due: f64, found: &SeparationProof) {
        if due < self.end && self.waiting.len() >= ROOM {
            self.is_full = true;
        } else if due < self.end {
            self.waiting.push(pair.kept(due, found));
        }
    }

    /// Puts the children of the larger one in the place of a pair.
    fn open(
        &mut self,
        motion: &FrontMotion<'_>,
        (pair, nodes, passing): (&FrontPair, &Nodes, &PassingAt<'_>),
        (time, due): (f64, f64),
        ask: &SeparationGoal,
    ) {
        let opens_b = pair.a & LEAF != 0 || pair.b & LEAF == 0 && nodes.b.size > nodes.a.size;
        let (body, opened) = if opens_b { (motion.bodies.1, pair.b) } else { (motion.bodies.0, pair.a) };
        let left = self.end - time;
        for child in children(body, opened).into_iter().filter(|child| *child != NONE) {
            let (mut nodes, mut next) = (*nodes, *pair);
            if opens_b {
                (nodes.b, next.b) = (Bounded::new(body, child), child);
            } else {
                (nodes.a, next.a) = (Bounded::new(body, child), child);
            }
            let last = SeparationProof {
                fresh: AT_FIRST * left,
                by: SeparatingAxisKind::Between,
                ..pair.last_proof()
            };
            let found = separated_for(&nodes, (passing, ask), left, &last);
            self.keep(&next, (time + found.step).max(due), &found);
        }
    }
}

/// The children of a child of a box block, by place: the children of its block, or its triangles.
fn children(body: &PreparedMesh, place: u32) -> [u32; WIDTH] {
    let bvh = body.bvh();
    let below = bvh.boxes[(place / PLACES) as usize].child[(place % PLACES) as usize];
    if below & LEAF != 0 {
        return bvh.triangles[(below & !LEAF) as usize]
            .face
            .map(|face| if face == NONE { NONE } else { LEAF | face });
    }
    let block = &bvh.boxes[below as usize];
    let mut lane = 0;
    block.child.map(|child| {
        let place = if child == NONE { NONE } else { PLACES * below + lane };
        lane += 1;
        place
    })
}
