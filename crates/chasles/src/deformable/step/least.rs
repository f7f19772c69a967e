//! The minimum distance of two surfaces during a step: best-first search over both hierarchies and over time.
//!
//! A priority queue holds pairs of nodes or of faces, each with a time interval; the pair with the smallest lower
//! bound comes first. If the boxes move further than their size, the interval is halved; otherwise the larger node is
//! opened. In a time interval, a box is contained in the interpolation of its boxes at both ends, so the gap of two
//! boxes along an axis is at least the smaller of its values there. [`MovingTriangles`] gives bounds for faces, whose
//! intervals are halved.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::deformable::step::candidates::SurfacePair;
use crate::deformable::step::faces::{MovingTriangles, SampledGap};
use crate::deformable::step::hierarchy::{Aabb32, RefitBoxes};
use crate::math::budget::Budget;
use crate::math::priority::{Priority, QueueEntry};

/// Boxes of two surfaces at the start and at the end of a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct StepBoxes {
    pub(crate) start: [RefitBoxes; 2],
    pub(crate) end: [RefitBoxes; 2],
}

/// The gap to search for, in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GapGoal {
    /// An upper bound that is already known; only smaller gaps are reported.
    pub(crate) known: f64,
    /// The bounds may differ by this fraction of the gap.
    pub(crate) relative: f64,
    /// Or by this length.
    pub(crate) absolute: f64,
}

impl GapGoal {
    /// Given an upper bound of the gap: a lower bound at least this large need not be improved.
    pub(crate) fn sufficient_bound(&self, upper: f64) -> f64 {
        if upper == f64::INFINITY {
            return upper;
        }
        upper - (self.relative * upper).max(self.absolute)
    }
}

/// Bounds of the minimum gap during a step, in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepGap {
    /// A proven lower bound at every time.
    pub(crate) lower: f64,
    /// Points that are nearer than the known upper bound, if any.
    pub(crate) sample: Option<SampledGap>,
    /// Whether the budget sufficed.
    pub(crate) is_complete: bool,
}

/// Two nodes or two faces between two times. The pair with the smallest bound comes first.
#[derive(Debug, Clone, Copy)]
struct OpenNodePair {
    lower: f64,
    span: [f64; 2],
    pair: NodeOrFacePair,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NodeOrFacePair {
    Faces([u32; 2]),
    Nodes([u32; 2]),
}

impl Priority for OpenNodePair {
    fn order(&self, other: &Self) -> Ordering {
        let by_time = other.span[0].total_cmp(&self.span[0]);
        other.lower.total_cmp(&self.lower).then(by_time).then(other.pair.cmp(&self.pair))
    }
}

/// The maximum length of the queue.
const MAX_QUEUE: usize = 1 << 21;

/// Time intervals are not halved below this fraction of a step.
const NARROWEST: f64 = 1e-12;

/// Boxes are padded to f32; later computations round by at most this fraction of their size.
const ROUNDING: f64 = 1e-12;

/// The minimum distance of two sides during a step, A first. The search stops at the accuracy that the goal requires.
pub(crate) fn minimum_distance(
    sides: &SurfacePair<'_>,
    ends: &StepBoxes,
    goal: &GapGoal,
    budget: &mut Budget<'_>,
) -> StepGap {
    let mut search =
        MinimumSearch { sides, ends, goal, queue: BinaryHeap::new(), lower: f64::INFINITY, sample: None };
    search.add_nodes([0, 0], [0.0, 1.0]);
    let mut is_complete = true;
    while let Some(QueueEntry(open)) = search.queue.pop() {
        if open.lower >= search.sufficient_bound() {
            search.lower = search.lower.min(open.lower);
            break;
        }
        if budget.step().is_err() || search.queue.len() > MAX_QUEUE {
            search.lower = search.lower.min(open.lower);
            is_complete = false;
            break;
        }
        search.open(open);
    }
    StepGap { lower: search.lower, sample: search.sample, is_complete }
}

struct MinimumSearch<'a> {
    sides: &'a SurfacePair<'a>,
    ends: &'a StepBoxes,
    goal: &'a GapGoal,
    queue: BinaryHeap<QueueEntry<OpenNodePair>>,
    /// The smallest bound that was set aside.
    lower: f64,
    sample: Option<SampledGap>,
}

impl MinimumSearch<'_> {
    fn upper(&self) -> f64 {
        self.sample.map_or(self.goal.known, |sample| sample.upper)
    }

    /// A bound at least this large need not be improved.
    fn sufficient_bound(&self) -> f64 {
        self.goal.sufficient_bound(self.upper())
    }

    fn open(&mut self, OpenNodePair { lower, span, pair }: OpenNodePair) {
        let [from, to] = span;
        let middle = 0.5 * (from + to);
        let halves = [[from, middle], [middle, to]];
        match pair {
            NodeOrFacePair::Faces(faces) => {
                let change = MovingTriangles::new(self.sides, faces).gap_change(span);
                if change == 0.0 || to - from <= NARROWEST {
                    self.lower = self.lower.min(lower);
                } else {
                    halves.into_iter().for_each(|half| self.add_faces(faces, half));
                }
            }
            NodeOrFacePair::Nodes(nodes) => {
                let sizes = self.nodes(nodes).map(|[start, end]| extent(start).max(extent(end)));
                if to - from > NARROWEST && self.node_displacement(nodes, span) > sizes[0] + sizes[1] {
                    halves.into_iter().for_each(|half| self.add_nodes(nodes, half));
                    return;
                }
                let both = self.sides.both();
                let [i, j] = nodes;
                match (both[0].tree.children(i), both[1].tree.children(j)) {
                    (None, None) => {
                        for f in both[0].tree.faces(i) {
                            for g in both[1].tree.faces(j) {
                                self.add_faces([*f, *g], span);
                            }
                        }
                    }
                    (Some(own), other) if other.is_none() || sizes[0] >= sizes[1] => {
                        own.into_iter().for_each(|child| self.add_nodes([child, j], span));
                    }
                    (_, Some(other)) => other.into_iter().for_each(|child| self.add_nodes([i, child], span)),
                    (Some(_), None) => {}
                }
            }
        }
    }

    fn add_faces(&mut self, faces: [u32; 2], span: [f64; 2]) {
        let gap = MovingTriangles::new(self.sides, faces).gap(span, self.sufficient_bound());
        if gap.sample.upper < self.upper() {
            self.sample = Some(gap.sample);
        }
        self.add(OpenNodePair { lower: gap.lower, span, pair: NodeOrFacePair::Faces(faces) });
    }

    fn add_nodes(&mut self, nodes: [u32; 2], span: [f64; 2]) {
        self.add(OpenNodePair { lower: self.bound(nodes, span), span, pair: NodeOrFacePair::Nodes(nodes) });
    }

    fn add(&mut self, open: OpenNodePair) {
        // A NaN proves nothing, so the pair is examined.
        if open.lower >= self.sufficient_bound() {
            self.lower = self.lower.min(open.lower);
        } else {
            let lower = if open.lower.is_nan() { f64::NEG_INFINITY } else { open.lower };
            self.queue.push(QueueEntry(OpenNodePair { lower, ..open }));
        }
    }

    /// The boxes of two nodes, at the start and at the end.
    fn nodes(&self, nodes: [u32; 2]) -> [[Aabb32; 2]; 2] {
        [0, 1].map(|i| [&self.ends.start[i], &self.ends.end[i]].map(|fitted| fitted.nodes[nodes[i] as usize]))
    }

    /// A lower bound of the gap of two nodes between two times.
    fn bound(&self, nodes: [u32; 2], span: [f64; 2]) -> f64 {
        let [a, b] = self.nodes(nodes);
        // The second box may be on either side of the first, at both times.
        let sides = span.map(|time| {
            let ([a_min, a_max], [b_min, b_max]) = (between(a, time), between(b, time));
            let size = a_min.abs().max(a_max.abs()).max(b_min.abs()).max(b_max.abs());
            [b_min - a_max - ROUNDING * size, a_min - b_max - ROUNDING * size]
        });
        let [first, last] = sides;
        // Boxes outside the range of f32 give no bound.
        if !sides.as_flattened().iter().all(|gap| gap.is_finite()) {
            return 0.0;
        }
        let gap = first[0].min(last[0]).max(first[1].min(last[1])).max(DVec3::ZERO);
        gap.length() * (1.0 - 4.0 * f64::EPSILON)
    }

    /// The relative displacement of the middles of two nodes between two times.
    fn node_displacement(&self, nodes: [u32; 2], span: [f64; 2]) -> f64 {
        let [a, b] = self.nodes(nodes);
        let [from, to] = span.map(|time| {
            let ([a_min, a_max], [b_min, b_max]) = (between(a, time), between(b, time));
            0.5 * ((b_min + b_max) - (a_min + a_max))
        });
        (to - from).length()
    }
}

/// The interpolated box at a time.
fn between([start, end]: [Aabb32; 2], time: f64) -> [DVec3; 2] {
    let at = |p: glam::Vec3A, q: glam::Vec3A| (1.0 - time) * p.as_dvec3() + time * q.as_dvec3();
    [at(start.min, end.min), at(start.max, end.max)]
}

fn extent(bounds: Aabb32) -> f64 {
    f64::from((bounds.max - bounds.min).length())
}
