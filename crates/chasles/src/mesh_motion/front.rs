//! The front: pairs of boxes and triangles, each proven separated until its own time.
//!
//! Two bodies on any smooth motion are tracked by their hierarchies. Every pair of the front covers some of A's
//! triangles and some of B's, and every pair of triangles is covered by exactly one pair of the front. Each pair
//! has a time until which it is certainly separated. The pair with the earliest time is examined again: either it
//! stays separated for a while longer, or the larger of its two nodes is opened and the children replace the pair.
//! So distant pairs are examined rarely and near pairs often, and no search restarts from the roots after a
//! contact.

use std::cmp::Ordering;
use std::collections::binary_heap::{BinaryHeap, PeekMut};

use crate::body::PreparedMesh;
use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::priority::{Priority, QueueEntry};
use crate::mesh_motion::relative_state::{FrontMotion, RelativeStates};
use crate::mesh_motion::separation::{
    Bounded, Nodes, PLACES, SeparatingAxisKind, SeparationGoal, SeparationProof, narrow, separated_for,
};
use crate::motion::relative::MovingBody;

/// The pairs of nodes that are proven separated, with their times. Each pair of bodies has a new front.
#[derive(Debug, Clone, Default)]
pub(crate) struct Front {
    waiting: BinaryHeap<QueueEntry<FrontPair>>,
    end: f64,
    /// Whether the memory did not suffice for some pairs, so that no time is proven.
    is_full: bool,
}

/// Maximum number of pairs of a front, of 40 bytes each. Bodies that need more are handled by screws.
const CAPACITY: usize = 1 << 22;
const _: () = assert!(size_of::<FrontPair>() == 40);

/// A pair of the front. The pair that is due first comes first.
#[derive(Debug, Clone, Copy)]
struct FrontPair {
    /// The pair is separated until this time.
    due: f64,
    /// The time for which it was separated when it was last examined.
    step: f32,
    /// That time when a direction was last searched for.
    fresh: f32,
    a: u32,
    b: u32,
    /// The proof of separation, as in [`SeparationProof`].
    direction: [f32; 3],
    by: SeparatingAxisKind,
    mover: MovingBody,
}

impl Priority for FrontPair {
    fn order(&self, other: &Self) -> Ordering {
        other.due.total_cmp(&self.due).then((self.a, self.b).cmp(&(other.a, other.b)))
    }
}

impl FrontPair {
    fn with_proof(&self, due: f64, found: &SeparationProof) -> Self {
        let [step, fresh] = [found.step, found.fresh].map(narrow);
        Self { due, step, fresh, direction: found.direction, by: found.by, mover: found.mover, ..*self }
    }

    /// The last proof that its nodes are separated.
    fn last_proof(&self) -> SeparationProof {
        let Self { step, fresh, direction, by, mover, .. } = *self;
        SeparationProof { step: f64::from(step), fresh: f64::from(fresh), gap: 0.0, direction, by, mover }
    }
}

/// The child of the first block, which contains all triangles.
const ROOT: u32 = 0;

/// A pair may be examined before its time by this fraction of its last step, if a motion state is available.
const EARLY_FRACTION: f64 = 0.2;

/// Boxes whose gap exceeds this fraction of the larger box's size are not opened.
const CLEAR_FRACTION: f64 = 0.3;

/// A pair whose proof lasts too short a time, with its nodes at the time at which it was examined.
struct ExaminedPair<'a> {
    pair: &'a FrontPair,
    nodes: &'a Nodes,
    state: &'a RelativeStates<'a>,
    /// The time from which a proof is needed: the end of the last proof, or now if that is later.
    due: f64,
}

/// Boxes that stay separated for this fraction of the remaining time are not opened either.
const LONG_FRACTION: f64 = 0.1;

/// The direction that separated a box is reused for its children if it separates them for half of this fraction of
/// the remaining time.
const FIRST_FRACTION: f64 = 0.4;

impl Front {
    /// Discards all pairs and starts at `start`, for an interval up to `end`.
    pub(crate) fn start(&mut self, start: f64, end: f64) {
        self.waiting.clear();
        self.waiting.push(QueueEntry(FrontPair {
            due: start,
            step: 0.0,
            fresh: f32::INFINITY,
            a: ROOT,
            b: ROOT,
            direction: [0.0; 3],
            by: SeparatingAxisKind::Between,
            mover: MovingBody::A,
        }));
        self.end = end;
        self.is_full = false;
    }

    /// All pairs are proven separated until this time.
    pub(crate) fn proven_until(&self) -> f64 {
        self.waiting.peek().map_or(self.end, |pair| pair.0.due.min(self.end))
    }

    /// A time until which, starting at `now`, the surfaces are proven to stay further apart than a distance. It is
    /// not before `now`; it is `now` without a proof. Entries that expire before `now` are ignored.
    ///
    /// # Errors
    /// [`OutOfBudget`]; the front keeps all proofs found until then.
    pub(crate) fn separated_until(
        &mut self,
        motion: &FrontMotion<'_>,
        now: f64,
        goal: &SeparationGoal,
        budget: &mut Budget<'_>,
    ) -> Result<f64, OutOfBudget> {
        if !motion.a.bounds.change.is_finite() || self.is_full {
            return Ok(now);
        }
        let mut at: Option<RelativeStates<'_>> = None;
        while let Some(QueueEntry(pair)) = self.waiting.peek().copied() {
            if pair.due >= self.end {
                break;
            }
            budget.step()?;
            let due = pair.due.max(now);
            let time = match &at {
                Some(RelativeStates { time, .. })
                    if *time >= now && due - time <= EARLY_FRACTION * f64::from(pair.step) =>
                {
                    *time
                }
                _ => due,
            };
            let state = match &mut at {
                Some(state) if state.time == time => &*state,
                at => &*at.insert(motion.relative_states_at(time, self.end)),
            };
            let remaining = self.end - time;
            let nodes =
                Nodes { a: Bounded::new(motion.bodies.a, pair.a), b: Bounded::new(motion.bodies.b, pair.b) };
            let found = separated_for(&nodes, state, goal, remaining, &pair.last_proof());
            let both_faces = pair.a & pair.b & LEAF != 0;
            let stays = found.step >= remaining
                || if both_faces {
                    found.step >= goal.min_step
                } else {
                    found.step >= LONG_FRACTION * remaining
                        || found.gap >= CLEAR_FRACTION * nodes.a.size.max(nodes.b.size)
                };
            let until = time + found.step;
            if stays && until > due {
                if let Some(mut first) = self.waiting.peek_mut() {
                    if until < self.end {
                        *first = QueueEntry(pair.with_proof(until, &found));
                    } else {
                        PeekMut::pop(first);
                    }
                }
            } else if both_faces {
                // The step may have been short because the pair was examined early.
                if time == due {
                    return Ok(due);
                }
                at = None;
            } else {
                self.waiting.pop();
                let examined = ExaminedPair { pair: &pair, nodes: &nodes, state, due };
                self.open(motion, &examined, goal);
                if self.is_full {
                    return Ok(due);
                }
            }
        }
        Ok(self.end)
    }

    fn keep(&mut self, pair: &FrontPair, due: f64, found: &SeparationProof) {
        if due < self.end && self.waiting.len() >= CAPACITY {
            self.is_full = true;
        } else if due < self.end {
            self.waiting.push(QueueEntry(pair.with_proof(due, found)));
        }
    }

    /// Replaces a pair by the children of its larger node.
    fn open(
        &mut self,
        motion: &FrontMotion<'_>,
        &ExaminedPair { pair, nodes, state, due }: &ExaminedPair<'_>,
        goal: &SeparationGoal,
    ) {
        let opens_b = pair.a & LEAF != 0 || pair.b & LEAF == 0 && nodes.b.size > nodes.a.size;
        let (body, opened) = if opens_b { (motion.bodies.b, pair.b) } else { (motion.bodies.a, pair.a) };
        let remaining = self.end - state.time;
        for child in children(body, opened).into_iter().filter(|child| *child != NONE) {
            let (mut nodes, mut next) = (*nodes, *pair);
            if opens_b {
                (nodes.b, next.b) = (Bounded::new(body, child), child);
            } else {
                (nodes.a, next.a) = (Bounded::new(body, child), child);
            }
            let last = SeparationProof {
                fresh: FIRST_FRACTION * remaining,
                by: SeparatingAxisKind::Between,
                ..pair.last_proof()
            };
            let found = separated_for(&nodes, state, goal, remaining, &last);
            self.keep(&next, (state.time + found.step).max(due), &found);
        }
    }
}

/// The children of a child of a box block, by index: the children of its block, or its triangles.
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
