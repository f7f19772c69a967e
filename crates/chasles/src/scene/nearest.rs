//! The nearest of all pairs that are clear: how near, at least and at most, and when.
//!
//! A report that everything is clear should let its reader notice a cell that was placed a metre off. So it names the
//! pair that comes nearest. Enclosing that gap sharply would take longer than the check; a little work tells enough.
//! Pairs and spans of time wait in a queue, the least lower bound of their gap first. A lower bound comes from the
//! swept boxes, or from the gaps at both ends of a span and the greatest speed, as in [`within_distance`](crate::trajectory::within_distance). The first entry is
//! cut in two, or looked at, until its bound is about the nearest gap seen, or until the work is used up. Entries that
//! then still wait have their bounds, so the answer holds whenever the search ends.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::broad_phase::{SweptBox, candidates};
use crate::instant::gap::GapLimits;
use crate::math::time_interval::TimeInterval;
use crate::motion::relative::{MotionInterval, RelativeMotion};
use crate::pair::PairMemory;
use crate::scene::definition::Scene;
use crate::scene::pairing::TestedClasses;
use crate::trajectory::watch::ProgressMonitor;

/// The pair that comes nearest of all that were tested.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearestPair {
    /// The numbers of its bodies, the lower first.
    pub bodies: [usize; 2],
    /// Proven bounds, in metres: no pair ever comes nearer than the first, and this one comes as near as the second.
    pub gap: [f64; 2],
    /// A time, in seconds, at which its gap is no more than the second.
    pub time: f64,
}

/// Bounds that differ by less than this share of the upper one need not be brought closer.
const SHARE: f64 = 0.1;

/// The gap at one time is wanted to this share.
const LOOK: f64 = 0.02;

/// Work, in units of a pair of boxes or triangles that is looked at, some 200 ns: a hundredth of a second.
const WORK: u64 = 50_000;

/// Work that one look takes beside those pairs, and that one cut takes.
const STEPS_A_LOOK: u64 = 20;
const STEPS_A_CUT: u64 = 20;

/// Pairs of boxes or triangles that are looked at for one gap.
const STEPS_OF_ONE: u64 = 5_000;

/// If there are more pairs than this, only those are looked at that a broad phase finds near each other.
const PAIRS: usize = 20_000;

/// Then this many pairs are looked at first, to learn how near.
const PROBES: usize = 8;

/// Where bodies are, as the check knows it.
pub(crate) struct SweptBoxes<'a> {
    /// Sorted by body and time.
    pub(crate) boxes: &'a [SweptBox],
    /// How much they are enlarged, in metres.
    pub(crate) pad: f64,
    /// Pairs whose boxes meet.
    pub(crate) met: &'a [[usize; 2]],
    pub(crate) classes: TestedClasses,
}

/// The nearest of all pairs that are tested, which are clear; `None` where there is no such pair.
pub(crate) fn nearest(
    scene: &Scene,
    bounds: &SweptBoxes<'_>,
    watch: &dyn ProgressMonitor,
) -> Option<NearestPair> {
    let mut search = NearestSearch::new(scene, bounds);
    search.gather();
    search.run(watch);
    let (bodies, upper, time) = search.best?;
    // Clear bodies are further apart than the tolerance.
    let lower = search.lower.max(scene.tolerance()).clamp(0.0, upper);
    Some(NearestPair { bodies, gap: [lower, upper], time })
}

struct NearestSearch<'a> {
    scene: &'a Scene,
    bounds: &'a SweptBoxes<'a>,
    /// Where each body's boxes are among all.
    places: Vec<Range<usize>>,
    memory: PairMemory,
    pairs: Vec<NearestCandidate<'a>>,
    waiting: BinaryHeap<RivalSpan>,
    /// Lower bound of the gap of all pairs that are not in the queue.
    lower: f64,
    best: Option<([usize; 2], f64, f64)>,
    left: u64,
}

struct NearestCandidate<'a> {
    bodies: [usize; 2],
    /// Made when it is first looked at.
    known: Option<(RelativeMotion<'a>, Vec<MotionInterval>)>,
}

/// The gap at a time: lower and upper bound, in metres.
#[derive(Debug, Clone, Copy)]
struct GapSample {
    time: f64,
    lower: f64,
    upper: f64,
}

/// A pair during a span of time.
#[derive(Debug, Clone, Copy)]
struct RivalSpan {
    lower: f64,
    /// How often it was cut: among equal bounds the longer span comes first, so that all pairs are looked at before
    /// any is looked at closely.
    depth: u32,
    pair: usize,
    span: RivalKind,
}

#[derive(Debug, Clone, Copy)]
enum RivalKind {
    /// The whole motion.
    Whole,
    /// Some smooth stretches of its motion, by their numbers.
    Stretches { first: usize, last: usize },
    /// A part of a stretch that holds a time `within`, looked at at both ends.
    Part { from: GapSample, to: GapSample, within: f64 },
}

impl RivalSpan {
    /// Among equal bounds and depths the earlier pair, and the earlier time, comes first.
    fn key(&self) -> (usize, f64) {
        let begin = match self.span {
            RivalKind::Whole => 0.0,
            RivalKind::Stretches { first, .. } => first as f64,
            RivalKind::Part { from, .. } => from.time,
        };
        (self.pair, begin)
    }
}

impl PartialEq for RivalSpan {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for RivalSpan {}

impl Ord for RivalSpan {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((p, s), (q, t)) = (self.key(), other.key());
        let bounds = other.lower.total_cmp(&self.lower);
        bounds.then(other.depth.cmp(&self.depth)).then(q.cmp(&p)).then(t.total_cmp(&s))
    }
}

impl PartialOrd for RivalSpan {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> NearestSearch<'a> {
    fn new(scene: &'a Scene, bounds: &'a SweptBoxes<'a>) -> Self {
        let mut places = vec![0..0; scene.bodies().len()];
        for (place, swept) in bounds.boxes.iter().enumerate() {
            let body = &mut places[swept.body as usize];
            *body = if body.start == body.end { place..place + 1 } else { body.start..place + 1 };
        }
        Self {
            scene,
            bounds,
            places,
            memory: PairMemory::default(),
            pairs: Vec::new(),
            waiting: BinaryHeap::new(),
            lower: f64::INFINITY,
            best: None,
            left: WORK,
        }
    }

    /// Puts pairs into the queue; for the others keeps a bound.
    fn gather(&mut self) {
        let count = self.scene.bodies().len();
        if count * count.saturating_sub(1) / 2 <= PAIRS {
            for a in 0..count {
                for b in a + 1..count {
                    if self.scene.is_tested(a, b, self.bounds.classes) {
                        self.add([a, b]);
                    }
                }
            }
            return;
        }
        for bodies in self.probes() {
            self.add(bodies);
            let pair = self.pairs.len() - 1;
            self.sample_distance(pair, 0.0, 0.0);
        }
        self.pairs.clear();
        self.waiting.clear();
        // Without a probe no pair is known to be near: only pairs whose boxes are near are looked at.
        let reach = self.best.map_or(0.0, |(_, upper, _)| upper).min(self.typical_extent());
        let extra = (0.5 * reach - self.bounds.pad).max(0.0);
        let grown: Vec<SweptBox> = self
            .bounds
            .boxes
            .iter()
            .map(|swept| SweptBox { min: swept.min - extra, max: swept.max + extra, ..*swept })
            .collect();
        let (scene, classes) = (self.scene, self.bounds.classes);
        let wanted = |a: u32, b: u32| scene.is_tested(a as usize, b as usize, classes);
        let mut near: Vec<[usize; 2]> = candidates(&grown, &wanted)
            .iter()
            .map(|candidate| candidate.bodies.map(|body| body as usize))
            .collect();
        near.dedup();
        self.lower = 2.0 * (extra + self.bounds.pad);
        if near.len() > PAIRS {
            self.lower = 0.0;
            near.truncate(PAIRS);
        }
        near.into_iter().for_each(|bodies| self.add(bodies));
    }

    /// Some pairs that may be near each other at time 0: pairs whose boxes meet, or else neighbours along an axis.
    fn probes(&self) -> Vec<[usize; 2]> {
        let met = self.bounds.met;
        if !met.is_empty() {
            return met.iter().step_by(met.len().div_ceil(PROBES)).copied().collect();
        }
        let first = |body: &usize| self.bounds.boxes[self.places[*body].start].min.x;
        let mut bodies: Vec<usize> =
            (0..self.places.len()).filter(|body| self.places[*body].start < self.places[*body].end).collect();
        bodies.sort_by(|x, y| first(x).total_cmp(&first(y)));
        let neighbours = bodies.windows(2).map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]);
        let mut tested: Vec<[usize; 2]> =
            neighbours.filter(|[a, b]| self.scene.is_tested(*a, *b, self.bounds.classes)).collect();
        let apart = |pair: &[usize; 2]| self.boxes_apart(*pair, [0.0; 2]);
        tested.sort_by(|x, y| apart(x).total_cmp(&apart(y)));
        tested.truncate(PROBES);
        tested
    }

    /// The median of the largest extents of the boxes, in metres.
    fn typical_extent(&self) -> f64 {
        let mut extents: Vec<f64> =
            self.bounds.boxes.iter().map(|swept| (swept.max - swept.min).max_element()).collect();
        let middle = extents.len() / 2;
        if extents.is_empty() { 0.0 } else { *extents.select_nth_unstable_by(middle, f64::total_cmp).1 }
    }

    fn add(&mut self, bodies: [usize; 2]) {
        let pair = self.pairs.len();
        self.pairs.push(NearestCandidate { bodies, known: None });
        let lower = self.boxes_apart(bodies, [0.0, self.scene.duration()]);
        self.waiting.push(RivalSpan { lower, depth: 0, pair, span: RivalKind::Whole });
    }

    /// How far the boxes of two bodies are apart at least at any time of a span.
    fn boxes_apart(&self, bodies: [usize; 2], [from, to]: [f64; 2]) -> f64 {
        let [a, b] = bodies.map(|body| &self.bounds.boxes[self.places[body].clone()]);
        let mut least = f64::INFINITY;
        let mut first = 0;
        for x in a.iter().filter(|x| x.begin <= to && x.end >= from) {
            while b.get(first).is_some_and(|y| y.end < x.begin.max(from)) {
                first += 1;
            }
            for y in b[first..].iter().take_while(|y| y.begin <= x.end.min(to)) {
                // The boxes themselves are smaller by the pad than as they are given.
                let apart = (y.min - x.max).max(x.min - y.max) + 2.0 * self.bounds.pad;
                // A NaN bound bounds nothing.
                let apart = apart.max(glam::DVec3::ZERO).length();
                least = least.min(if apart.is_nan() { 0.0 } else { apart });
            }
        }
        // For the roundings of the above.
        if least == f64::INFINITY { 0.0 } else { least * (1.0 - 8.0 * f64::EPSILON) }
    }

    fn run(&mut self, watch: &dyn ProgressMonitor) {
        while let Some(node) = self.waiting.pop() {
            let most = self.best.map_or(f64::INFINITY, |(_, upper, _)| upper);
            if node.lower >= (1.0 - SHARE) * most || self.left == 0 || watch.is_over() {
                // All others have greater bounds.
                self.lower = self.lower.min(node.lower);
                return;
            }
            self.left = self.left.saturating_sub(STEPS_A_CUT);
            self.cut(&node);
        }
    }

    /// Replaces a pair during a span by the pair during parts of the span.
    fn cut(&mut self, node: &RivalSpan) {
        let RivalSpan { lower, depth, pair, span } = *node;
        let [first, last] = match span {
            RivalKind::Whole => {
                self.note_distance(pair);
                [0, self.stretches(pair).len()]
            }
            RivalKind::Stretches { first, last } => [first, last],
            RivalKind::Part { from, to, within } => {
                let cut = 0.5 * (from.time + to.time);
                if cut <= from.time || cut >= to.time {
                    self.lower = self.lower.min(lower);
                    return;
                }
                let cut = self.sample_distance(pair, cut, within);
                self.queue_interval((lower, depth + 1), pair, [from, cut], within);
                self.queue_interval((lower, depth + 1), pair, [cut, to], within);
                return;
            }
        };
        if last - first == 1 {
            let TimeInterval { start: begin, end } = self.stretches(pair)[first].interval();
            let within = 0.5 * (begin + end);
            let ends = [begin, end].map(|time| self.sample_distance(pair, time, within));
            self.queue_interval((lower, depth + 1), pair, ends, within);
            return;
        }
        let middle = first + (last - first) / 2;
        for [first, last] in [[first, middle], [middle, last]] {
            let Some(begin) = self.stretches(pair).get(first).map(|stretch| stretch.interval().start) else {
                continue;
            };
            let end = self.stretches(pair)[last - 1].interval().end;
            let apart = self.boxes_apart(self.pairs[pair].bodies, [begin, end]);
            let span = RivalKind::Stretches { first, last };
            self.waiting.push(RivalSpan { lower: apart.max(lower), depth: depth + 1, pair, span });
        }
    }

    /// Puts a part of a stretch into the queue with the best of its bounds.
    fn queue_interval(
        &mut self,
        (lower, depth): (f64, u32),
        pair: usize,
        [from, to]: [GapSample; 2],
        within: f64,
    ) {
        let NearestCandidate { bodies, known } = &self.pairs[pair];
        let speed = known.as_ref().map_or(f64::INFINITY, |(relative, _)| relative.speed(from.time, to.time));
        let by_speed = 0.5 * (from.lower + to.lower - speed * (to.time - from.time));
        let apart = self.boxes_apart(*bodies, [from.time, to.time]);
        // The greater of those that are numbers; no more than at the ends.
        let bound = lower.max(apart).max(by_speed).min(from.lower).min(to.lower);
        self.waiting.push(RivalSpan {
            lower: bound,
            depth,
            pair,
            span: RivalKind::Part { from, to, within },
        });
    }

    fn note_distance(&mut self, pair: usize) {
        let NearestCandidate { bodies, known } = &mut self.pairs[pair];
        if known.is_none() {
            let relative = self.scene.relative(*bodies);
            let stretches = relative.smooth_intervals().collect();
            *known = Some((relative, stretches));
        }
    }

    fn stretches(&self, pair: usize) -> &[MotionInterval] {
        self.pairs[pair].known.as_ref().map_or(&[], |(_, stretches)| stretches)
    }

    /// The gap of a pair at a time of the stretch that holds `within`.
    fn sample_distance(&mut self, pair: usize, time: f64, within: f64) -> GapSample {
        self.note_distance(pair);
        let NearestCandidate { bodies, known } = &self.pairs[pair];
        let nothing = GapSample { time, lower: 0.0, upper: f64::INFINITY };
        let (Some((relative, _)), Some(both)) = (known, self.scene.pair(*bodies)) else { return nothing };
        let limits = GapLimits { share: LOOK, steps: STEPS_OF_ONE, ..GapLimits::EXACT };
        let found = both.distance_at(&mut self.memory, &relative.pose_at(time, within), &limits);
        let rounding = relative.rounding(time, within);
        let (lower, upper) = ((found.lower - rounding).max(0.0), found.upper + rounding);
        let at = GapSample { time, lower, upper };
        self.left = self.left.saturating_sub(found.steps + STEPS_A_LOOK);
        if self.best.is_none_or(|(_, upper, _)| at.upper < upper) {
            self.best = Some((*bodies, at.upper, time));
        }
        at
    }
}
