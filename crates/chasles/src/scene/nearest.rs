//! The nearest of all pairs, if all are clear: bounds of its gap, and the time.
//!
//! A report that everything is clear should let its reader notice a cell that was placed a metre off. So it names
//! the pair that comes nearest. A tight enclosure of this gap would take longer than the check; rough bounds take
//! little work. Pairs and intervals of time wait in a queue, the smallest lower bound of the gap first. A lower
//! bound comes from the swept boxes, or from the gaps at both ends of an interval and the maximum speed, as in
//! [`within_distance`](crate::trajectory::within_distance). The first entry is sampled or cut in two until its
//! bound is close to the smallest gap seen, or until the budget is used up. The remaining entries have their
//! bounds, so the result holds whenever the search ends.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::broad_phase::{SweptBox, candidates};
use crate::instant::gap::GapLimits;
use crate::math::priority::{Priority, QueueEntry};
use crate::math::time_interval::TimeInterval;
use crate::motion::relative::{MotionInterval, RelativeMotion};
use crate::pair::PairMemory;
use crate::scene::Scene;
use crate::scene::pairing::TestedClasses;
use crate::trajectory::watch::ProgressMonitor;

/// The nearest of all tested pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearestPair {
    /// The numbers of its bodies, the lower first.
    pub bodies: [usize; 2],
    /// Proven bounds, in metres: no pair ever comes nearer than the first, and this pair comes as near as the second.
    pub gap: [f64; 2],
    /// A time, in seconds, at which the gap of the pair is at most the second bound.
    pub time: f64,
}

/// Bounds are close enough if they differ by less than this fraction of the upper bound.
const RELATIVE_ACCURACY: f64 = 0.1;

/// Relative precision of the gap at one time.
const SAMPLE_ACCURACY: f64 = 0.02;

/// Budget, in units of an examined pair of boxes or triangles, some 200 ns: a hundredth of a second.
const WORK: u64 = 50_000;

/// Budget that one sample takes besides these pairs, and that one cut takes.
const STEPS_A_SAMPLE: u64 = 20;
const STEPS_A_CUT: u64 = 20;

/// Maximum number of pairs of boxes or triangles that are examined for one gap.
const STEPS_OF_ONE: u64 = 5_000;

/// If there are more pairs than this, only pairs that a broad phase finds near each other are examined.
const PAIRS: usize = 20_000;

/// Then this number of pairs is sampled first, to estimate the smallest gap.
const PROBES: usize = 8;

/// The swept boxes of the bodies, as computed by the check.
pub(crate) struct SweptBoxes<'a> {
    /// Sorted by body and time.
    pub(crate) boxes: &'a [SweptBox],
    /// The length by which the boxes are enlarged, in metres.
    pub(crate) pad: f64,
    /// Pairs whose boxes overlap.
    pub(crate) near_pairs: &'a [[usize; 2]],
    pub(crate) classes: TestedClasses,
}

/// The nearest of all tested pairs, which are clear; `None` if there is no such pair.
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
    /// The range of each body's boxes among all boxes.
    places: Vec<Range<usize>>,
    memory: PairMemory,
    pairs: Vec<NearestCandidate<'a>>,
    waiting: BinaryHeap<QueueEntry<NearestInterval>>,
    /// Lower bound of the gap of all pairs that are not in the queue.
    lower: f64,
    best: Option<([usize; 2], f64, f64)>,
    remaining: u64,
}

struct NearestCandidate<'a> {
    bodies: [usize; 2],
    /// Computed for the first sample.
    known: Option<(RelativeMotion<'a>, Vec<MotionInterval>)>,
}

/// Bounds of the gap at a time, in metres.
#[derive(Debug, Clone, Copy)]
struct GapSample {
    time: f64,
    lower: f64,
    upper: f64,
}

/// A pair during an interval of time.
#[derive(Debug, Clone, Copy)]
struct NearestInterval {
    lower: f64,
    /// The number of cuts. Among equal bounds the longer interval comes first, so that all pairs are sampled before
    /// any pair is examined closely.
    depth: u32,
    pair: usize,
    kind: NearestKind,
}

#[derive(Debug, Clone, Copy)]
enum NearestKind {
    /// The whole motion.
    Whole,
    /// Successive smooth intervals of the motion, by their numbers.
    SmoothIntervals { first: usize, last: usize },
    /// A part, sampled at both ends, of the smooth interval that contains the time `within`.
    Part { from: GapSample, to: GapSample, within: f64 },
}

impl NearestInterval {
    /// Among equal bounds and depths, the earlier pair, then the earlier time, comes first.
    fn key(&self) -> (usize, f64) {
        let start = match self.kind {
            NearestKind::Whole => 0.0,
            NearestKind::SmoothIntervals { first, .. } => first as f64,
            NearestKind::Part { from, .. } => from.time,
        };
        (self.pair, start)
    }
}

impl Priority for NearestInterval {
    fn order(&self, other: &Self) -> Ordering {
        let ((p, s), (q, t)) = (self.key(), other.key());
        let bounds = other.lower.total_cmp(&self.lower);
        bounds.then(other.depth.cmp(&self.depth)).then(q.cmp(&p)).then(t.total_cmp(&s))
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
            remaining: WORK,
        }
    }

    /// Puts pairs into the queue; keeps a bound for the other pairs.
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
        // Without a probe no gap is known. Then only pairs with overlapping boxes are examined.
        let reach = self.best.map_or(0.0, |(_, upper, _)| upper).min(self.typical_extent());
        let extra = (0.5 * reach - self.bounds.pad).max(0.0);
        let grown: Vec<SweptBox> = self
            .bounds
            .boxes
            .iter()
            .map(|swept| SweptBox { min: swept.min - extra, max: swept.max + extra, ..*swept })
            .collect();
        let (scene, classes) = (self.scene, self.bounds.classes);
        let is_selected = |a: u32, b: u32| scene.is_tested(a as usize, b as usize, classes);
        let mut near: Vec<[usize; 2]> = candidates(&grown, &is_selected)
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

    /// Some pairs that may be near each other at time 0: pairs whose boxes overlap, or else neighbours along an axis.
    fn probes(&self) -> Vec<[usize; 2]> {
        let near_pairs = self.bounds.near_pairs;
        if !near_pairs.is_empty() {
            return near_pairs.iter().step_by(near_pairs.len().div_ceil(PROBES)).copied().collect();
        }
        let first = |body: &usize| self.bounds.boxes[self.places[*body].start].min.x;
        let mut bodies: Vec<usize> =
            (0..self.places.len()).filter(|body| self.places[*body].start < self.places[*body].end).collect();
        bodies.sort_by(|x, y| first(x).total_cmp(&first(y)));
        let neighbours = bodies.windows(2).map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]);
        let mut tested: Vec<[usize; 2]> =
            neighbours.filter(|[a, b]| self.scene.is_tested(*a, *b, self.bounds.classes)).collect();
        let distance = |pair: &[usize; 2]| self.distance_of_boxes(*pair, [0.0; 2]);
        tested.sort_by(|x, y| distance(x).total_cmp(&distance(y)));
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
        let lower = self.distance_of_boxes(bodies, [0.0, self.scene.duration()]);
        self.waiting.push(QueueEntry(NearestInterval { lower, depth: 0, pair, kind: NearestKind::Whole }));
    }

    /// Lower bound, in metres, of the distance between the boxes of two bodies at any time of an interval.
    fn distance_of_boxes(&self, bodies: [usize; 2], [from, to]: [f64; 2]) -> f64 {
        let [a, b] = bodies.map(|body| &self.bounds.boxes[self.places[body].clone()]);
        let mut least = f64::INFINITY;
        let mut first = 0;
        for x in a.iter().filter(|x| x.start <= to && x.end >= from) {
            while b.get(first).is_some_and(|y| y.end < x.start.max(from)) {
                first += 1;
            }
            for y in b[first..].iter().take_while(|y| y.start <= x.end.min(to)) {
                // The given boxes are enlarged by the pad.
                let distance = (y.min - x.max).max(x.min - y.max) + 2.0 * self.bounds.pad;
                // A NaN distance gives the bound 0.
                let distance = distance.max(glam::DVec3::ZERO).length();
                least = least.min(if distance.is_nan() { 0.0 } else { distance });
            }
        }
        // Covers the rounding of the operations above.
        if least == f64::INFINITY { 0.0 } else { least * (1.0 - 8.0 * f64::EPSILON) }
    }

    fn run(&mut self, watch: &dyn ProgressMonitor) {
        while let Some(QueueEntry(node)) = self.waiting.pop() {
            let most = self.best.map_or(f64::INFINITY, |(_, upper, _)| upper);
            if node.lower >= (1.0 - RELATIVE_ACCURACY) * most || self.remaining == 0 || watch.is_over() {
                // No other entry has a smaller bound.
                self.lower = self.lower.min(node.lower);
                return;
            }
            self.remaining = self.remaining.saturating_sub(STEPS_A_CUT);
            self.cut(&node);
        }
    }

    /// Replaces a pair during an interval by the same pair during parts of the interval.
    fn cut(&mut self, node: &NearestInterval) {
        let NearestInterval { lower, depth, pair, kind } = *node;
        let [first, last] = match kind {
            NearestKind::Whole => {
                self.prepare_motion(pair);
                [0, self.smooth_intervals(pair).len()]
            }
            NearestKind::SmoothIntervals { first, last } => [first, last],
            NearestKind::Part { from, to, within } => {
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
            let TimeInterval { start, end } = self.smooth_intervals(pair)[first].interval();
            let within = 0.5 * (start + end);
            let ends = [start, end].map(|time| self.sample_distance(pair, time, within));
            self.queue_interval((lower, depth + 1), pair, ends, within);
            return;
        }
        let middle = first + (last - first) / 2;
        for [first, last] in [[first, middle], [middle, last]] {
            let Some(start) =
                self.smooth_intervals(pair).get(first).map(|interval| interval.interval().start)
            else {
                continue;
            };
            let end = self.smooth_intervals(pair)[last - 1].interval().end;
            let distance = self.distance_of_boxes(self.pairs[pair].bodies, [start, end]);
            let kind = NearestKind::SmoothIntervals { first, last };
            let part = NearestInterval { lower: distance.max(lower), depth: depth + 1, pair, kind };
            self.waiting.push(QueueEntry(part));
        }
    }

    /// Puts a part of a smooth interval into the queue with the best of its bounds.
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
        let distance = self.distance_of_boxes(*bodies, [from.time, to.time]);
        // The maximum of the bounds that are not NaN, but at most the bounds at the ends.
        let lower = lower.max(distance).max(by_speed).min(from.lower).min(to.lower);
        let kind = NearestKind::Part { from, to, within };
        self.waiting.push(QueueEntry(NearestInterval { lower, depth, pair, kind }));
    }

    fn prepare_motion(&mut self, pair: usize) {
        let NearestCandidate { bodies, known } = &mut self.pairs[pair];
        if known.is_none() {
            let relative = self.scene.relative(*bodies);
            let smooth_intervals = relative.smooth_intervals().collect();
            *known = Some((relative, smooth_intervals));
        }
    }

    fn smooth_intervals(&self, pair: usize) -> &[MotionInterval] {
        self.pairs[pair].known.as_ref().map_or(&[], |(_, smooth_intervals)| smooth_intervals)
    }

    /// The gap of a pair at a time of the smooth interval that contains `within`.
    fn sample_distance(&mut self, pair: usize, time: f64, within: f64) -> GapSample {
        self.prepare_motion(pair);
        let NearestCandidate { bodies, known } = &self.pairs[pair];
        let unknown = GapSample { time, lower: 0.0, upper: f64::INFINITY };
        let (Some((relative, _)), Some(both)) = (known, self.scene.pair(*bodies)) else { return unknown };
        let limits = GapLimits { relative: SAMPLE_ACCURACY, steps: STEPS_OF_ONE, ..GapLimits::EXACT };
        let found = both.distance_at(&mut self.memory, &relative.pose_at(time, within), &limits);
        let rounding = relative.rounding(time, within);
        let (lower, upper) = ((found.lower - rounding).max(0.0), found.upper + rounding);
        let at = GapSample { time, lower, upper };
        self.remaining = self.remaining.saturating_sub(found.steps + STEPS_A_SAMPLE);
        if self.best.is_none_or(|(_, upper, _)| at.upper < upper) {
            self.best = Some((*bodies, at.upper, time));
        }
        at
    }
}
