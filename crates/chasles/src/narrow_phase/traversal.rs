//! The search over space and time: two hierarchies, one motion.
//!
//! Pairs of boxes with the span of time in which they can meet, in a queue by the begin of that span. A pair is dropped
//! when it begins after what the collector still wants, cut in time while rotation blurs the boxes, and opened
//! otherwise; at the leaves the triangles' own features are asked.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::body::Body;
use crate::math::roots::OutOfBudget;
use crate::narrow_phase::boxes::meeting_span;
use crate::narrow_phase::collector::Collector;
use crate::narrow_phase::features::FeatureTests;

/// How much work a search took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Work {
    pub(crate) box_pairs: u64,
    pub(crate) triangle_pairs: u64,
}

/// Two nodes and the span in which they can meet.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pair {
    lo: f64,
    hi: f64,
    a: u32,
    b: u32,
}

impl Eq for Pair {}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pair {
    /// The earliest is the greatest; ties go by number, so that the order is the same in every run.
    fn cmp(&self, other: &Self) -> Ordering {
        other.lo.total_cmp(&self.lo).then_with(|| (other.a, other.b).cmp(&(self.a, self.b)))
    }
}

/// Pairs still to be looked into.
#[derive(Debug, Default)]
struct Queue {
    /// The earliest first.
    heap: BinaryHeap<Pair>,
    /// What the heap has no room for, the last first: goes into depth and so stays short.
    stack: Vec<Pair>,
}

/// Pairs in a heap, 32 bytes each.
const HEAP: usize = 1 << 22;

impl Queue {
    fn push(&mut self, pair: Pair) {
        if self.heap.len() < HEAP { self.heap.push(pair) } else { self.stack.push(pair) }
    }

    fn pop(&mut self) -> Option<Pair> {
        self.stack.pop().or_else(|| self.heap.pop())
    }

    /// The earliest time that is still to be looked into.
    fn begin(&self) -> f64 {
        let first = self.heap.peek().map_or(f64::INFINITY, |pair| pair.lo);
        self.stack.iter().map(|pair| pair.lo).fold(first, f64::min)
    }
}

/// The rotation during a span, times the size of the moving box, beyond which the span is cut rather than a box opened: as
/// a share of the sizes of both boxes.
const BLUR: f64 = 0.25;

/// Gives the collector every event of every pair of features that it may still want.
///
/// # Errors
/// When the budget ran out: the time up to which everything was given.
pub(crate) fn traverse(
    (a, b): (&Body, &Body),
    tests: &mut FeatureTests<'_>,
    work: &mut Work,
    out: &mut Collector,
) -> Result<(), f64> {
    let motion = tests.motion;
    let pad = 1.1 * tests.tolerance;
    let mut queue = Queue::default();
    let enter = |queue: &mut Queue, work: &mut Work, pair: Pair, bound: f64| {
        work.box_pairs += 1;
        let nodes = (a.bvh().node(pair.a), b.bvh().node(pair.b));
        if let Some((lo, hi)) = meeting_span(motion, nodes, (pair.lo, pair.hi), pad)
            && lo <= bound
        {
            queue.push(Pair { lo, hi, ..pair });
        }
    };
    let whole = Pair { lo: 0.0, hi: 1.0, a: a.bvh().root(), b: b.bvh().root() };
    enter(&mut queue, work, whole, f64::INFINITY);
    while let Some(pair) = queue.pop() {
        if pair.lo > out.bound() {
            continue;
        }
        if tests.budget.step().is_err() {
            return Err(queue.begin().min(pair.lo));
        }
        let bound = out.bound();
        let (node_a, node_b) = (a.bvh().node(pair.a), b.bvh().node(pair.b));
        let (size_a, size_b) = (node_a.half.length(), node_b.half.length());
        let blur = 0.5 * motion.angle * (pair.hi - pair.lo) * size_a;
        if blur > BLUR * (size_a + size_b) {
            let middle = 0.5 * (pair.lo + pair.hi);
            enter(&mut queue, work, Pair { hi: middle, ..pair }, bound);
            enter(&mut queue, work, Pair { lo: middle, ..pair }, bound);
            continue;
        }
        match (node_a.triangle(), node_b.triangle()) {
            (Some(face_a), Some(face_b)) => {
                work.triangle_pairs += 1;
                let span = (pair.lo, pair.hi);
                triangle_pair(tests, (face_a, face_b), span, out)
                    .map_err(|OutOfBudget| queue.begin().min(pair.lo))?;
            }
            (Some(_), None) => {
                for b in b.bvh().children(pair.b) {
                    enter(&mut queue, work, Pair { b, ..pair }, bound);
                }
            }
            (None, None) if size_b > size_a => {
                for b in b.bvh().children(pair.b) {
                    enter(&mut queue, work, Pair { b, ..pair }, bound);
                }
            }
            (None, _) => {
                for a in a.bvh().children(pair.a) {
                    enter(&mut queue, work, Pair { a, ..pair }, bound);
                }
            }
        }
    }
    Ok(())
}

/// Asks the features that two triangles own.
fn triangle_pair(
    tests: &mut FeatureTests<'_>,
    (face_a, face_b): (u32, u32),
    span: (f64, f64),
    out: &mut Collector,
) -> Result<(), OutOfBudget> {
    let (a, b) = (tests.a, tests.b);
    let (own_a, own_b) = (a.owned(face_a), b.owned(face_b));
    for corner in 0..3 {
        if own_a.vertex(corner) {
            tests.vertex_face((a.triangles()[face_a as usize][corner], face_b), span, out)?;
        }
        if own_b.vertex(corner) {
            tests.face_vertex((face_a, b.triangles()[face_b as usize][corner]), span, out)?;
        }
        for other in (0..3).filter(|other| own_a.edge(corner) && own_b.edge(*other)) {
            let edges =
                (a.triangle_edges()[face_a as usize][corner], b.triangle_edges()[face_b as usize][other]);
            tests.edge_edge(edges, span, out)?;
        }
    }
    Ok(())
}
