//! The search over space and time: two hierarchies in the chart of one motion.
//!
//! Pairs of children, one of A and one of B, wait in a queue, ordered by the time at which they can first meet. The
//! larger child of the earliest pair is opened: its block is charted, once, and its eight children are tested
//! against the other child of the pair. Remaining pairs of triangles are passed to the visitor, in order of time up
//! to the length of a bucket of the queue.

use glam::{DMat3, DVec3};

use crate::body::PreparedMesh;
use crate::bvh::layout::{Bvh, NONE};
use crate::features::screw_motion::ScrewMotion;
use crate::math::budget::OutOfBudget;
use crate::math::lanes::Instructions;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::approach::{near_from, near_span};
use crate::mesh_screw::chart::{Chart, ChartMotion, ChartTransform, narrow};
use crate::mesh_screw::charted::Charted;
use crate::mesh_screw::feature_spans::FeatureSpans;
use crate::mesh_screw::hulls::HullPair;
use crate::mesh_screw::near_axis::{ChartedBound, NearAxis};
use crate::mesh_screw::queue::{Queue, QueuedPair};
use crate::mesh_screw::spans::{EightOf, LaneIntervals};

/// The amount of work of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Work {
    pub(crate) box_pairs: u64,
    pub(crate) triangle_pairs: u64,
    pub(crate) charts: u64,
}

/// The receiver of a search's pairs of triangles.
pub(crate) trait Visitor {
    /// Takes one step of the budget of the search.
    fn step(&mut self) -> Result<(), OutOfBudget>;

    /// The search has reached a time: pairs that are passed from now on do not meet before this time.
    fn move_to(&mut self, t: f64) -> Result<(), OutOfBudget>;

    /// Takes two triangles that may be near each other during an interval of this part of the search, and at no
    /// other time.
    fn triangles(&mut self, pair: &Triangles<'_>) -> Result<(), OutOfBudget>;

    /// The time up to which pairs are needed, and the next time at which to call `move_to`.
    fn horizon(&self) -> SearchEnd;

    /// Whether an early event makes later pairs irrelevant.
    fn accepts_earliest_only(&self) -> bool;
}

/// The extent of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchEnd {
    /// Pairs that can meet only later are not needed.
    pub(crate) bound: f64,
    /// The visitor is to be notified when the search reaches this time.
    pub(crate) wake: f64,
}

/// Two triangles in the chart that may be near each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Triangles<'a> {
    /// Their numbers in A and B.
    pub(crate) faces: (u32, u32),
    /// Their features, and the interval in which they can meet.
    pub(crate) features: FeatureSpans<'a>,
    /// The clock of this part of the search.
    pub(crate) clock: &'a Clock,
}

/// The memory of a search, for reuse.
#[derive(Debug, Clone, Default)]
pub(crate) struct Charts {
    pub(crate) instructions: Instructions,
    pub(crate) work: Work,
    a: ChartedTree,
    b: ChartedTree,
    queue: Queue,
    spans: LaneIntervals,
    near_axis: NearAxis,
    pieces: Vec<TimeInterval>,
}

/// The charted blocks of one hierarchy. Child i of block k has the index 8 k + i.
#[derive(Debug, Clone, Default)]
struct ChartedTree {
    blocks: Vec<Charted>,
    used: usize,
    at: ChartTransform,
    sweep: ChartMotion,
}

impl ChartedTree {
    /// Discards all blocks, and charts the first block of a hierarchy.
    fn start(&mut self, bvh: &Bvh, (at, sweep): (ChartTransform, ChartMotion), instructions: Instructions) {
        (self.used, self.at, self.sweep) = (0, at, sweep);
        self.chart(bvh, 0, instructions);
    }

    fn chart(&mut self, bvh: &Bvh, child: u32, instructions: Instructions) -> u32 {
        if self.used == self.blocks.len() {
            self.blocks.push(Charted::EMPTY);
        }
        self.blocks[self.used].chart(bvh, child, (&self.at, &self.sweep), instructions);
        self.used += 1;
        u32::try_from(self.used - 1).unwrap_or(NONE)
    }

    #[inline]
    fn at(&self, place: u32) -> (&Charted, usize) {
        (&self.blocks[(place / 8) as usize], (place % 8) as usize)
    }

    #[inline]
    fn is_triangle(&self, place: u32) -> bool {
        self.blocks[(place / 8) as usize].is_leaf
    }

    #[inline]
    fn size(&self, place: u32) -> f32 {
        let (block, lane) = self.at(place);
        block.size[lane]
    }

    /// The block below a child, charted if it has not been.
    #[inline]
    fn open(&mut self, bvh: &Bvh, place: u32, (instructions, work): (Instructions, &mut Work)) -> u32 {
        let (block, lane) = self.at(place);
        if block.opened[lane] != NONE {
            return block.opened[lane];
        }
        work.charts += 1;
        let opened = self.chart(bvh, block.child[lane], instructions);
        self.blocks[(place / 8) as usize].opened[(place % 8) as usize] = opened;
        opened
    }
}

/// Maximum path length of A in one part of the search, in units. Rounding grows with this length.
const LONGEST: f64 = 16.0;

/// An interval is short if A rotates by less than this times the grain of the meshes: half of the pads of the
/// helical chart.
const STRAIGHT: f64 = 0.5;

/// If hulls determine when two bodies are close, parts of a search are short at first. In the first part the
/// movement is at most this fraction of the radii. So few triangles can meet in this part, and a pair that does is
/// usually the first.
const SHORT: f64 = 0.04;

/// Each such part is longer than the previous part by this factor.
const LONGER: f64 = 8.0;

/// Two bodies and a motion, for a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairOnScrew<'a> {
    pub(crate) bodies: (&'a PreparedMesh, &'a PreparedMesh),
    pub(crate) motion: &'a ScrewMotion,
    /// The distance, in metres, within which triangles are passed to the visitor.
    pub(crate) pad: f64,
}

impl<'a> PairOnScrew<'a> {
    /// The hulls of both bodies, if they are small.
    pub(crate) fn hulls(&self) -> Option<HullPair<'a>> {
        let (a, b) = self.bodies;
        let corners = [a, b].map(|body| (body.corners(), body.mesh().radius()));
        HullPair::new(corners[0], corners[1], self.motion, self.pad)
    }

    /// The maximum distance of the centres at which the bodies may be near each other.
    pub(crate) fn reach(&self) -> f64 {
        self.bodies.0.mesh().radius() + self.bodies.1.mesh().radius() + self.pad
    }

    /// Whether the bodies' spheres or hulls are proven separated at a time.
    pub(crate) fn is_clear_at(&self, t: f64, hulls: Option<&mut HullPair<'_>>) -> bool {
        near_from(self.motion, TimeInterval::new(t, t), self.reach()).is_none()
            || hulls.is_some_and(|hulls| hulls.are_apart_at(t))
    }
}

impl Charts {
    /// Passes to the visitor every pair of triangles that can come within the pad of each other during [first,
    /// last].
    ///
    /// # Errors
    /// If the budget ran out: the time up to which all pairs were passed.
    pub(crate) fn search(
        &mut self,
        scene: &PairOnScrew<'_>,
        TimeInterval { start: first, end: last }: TimeInterval,
        mut hulls: Option<&mut HullPair<'_>>,
        visitor: &mut impl Visitor,
    ) -> Result<(), f64> {
        let (a, b) = scene.bodies;
        let (mut chart, instant) = (None, first >= last);
        // If an early event makes the rest irrelevant, short parts come first.
        let short = hulls.is_some() && visitor.accepts_earliest_only();
        let mut share = SHORT;
        self.pieces.clear();
        self.pieces.push(TimeInterval::new(first, last));
        // The earliest part first. A chart is valid for half a turn.
        while let Some(TimeInterval { start: first, end: last }) = self.pieces.pop() {
            visitor.step().and_then(|()| visitor.move_to(first)).map_err(|OutOfBudget| first)?;
            if first > visitor.horizon().bound {
                break;
            }
            let near = if short {
                near_from(scene.motion, TimeInterval::new(first, last), scene.reach())
                    .map(|first| TimeInterval::new(first, last))
            } else {
                near_span(scene.motion, TimeInterval::new(first, last), scene.reach())
            };
            let Some(TimeInterval { start: mut first, end: mut last }) = near else { continue };
            if let Some(hulls) = &mut hulls {
                let Some(apart) = hulls.separated_until(TimeInterval::new(first, last)) else { continue };
                first = apart.until;
                let end = first + hulls.time_for(share);
                if short && end > first && end < last {
                    self.pieces.push(TimeInterval::new(end, last));
                    last = end;
                }
                share *= LONGER;
            }
            let middle = 0.5 * (first + last);
            let unit = a.bvh().unit.max(b.bvh().unit);
            let turned = (last - first) * scene.motion.angle;
            let (chart, off) = if instant {
                (Chart::still(unit), 0.0)
            } else if turned < STRAIGHT * a.grain().max(b.grain()) {
                let (basis, half) = (scene.motion.basis(middle), 0.5 * (last - first));
                Chart::straight(scene.motion, unit, (&basis, half, a.mesh().radius()))
            } else {
                (*chart.get_or_insert_with(|| Chart::new(scene.motion, unit)), 0.0)
            };
            let too_long = turned > std::f64::consts::PI || (last - first) * chart.speed() > LONGEST;
            if too_long && first < middle && middle < last {
                self.pieces.push(TimeInterval::new(middle, last));
                self.pieces.push(TimeInterval::new(first, middle));
            } else {
                self.piece(scene, (&chart, off), TimeInterval::new(first, last), visitor)?;
            }
        }
        visitor.move_to(f64::INFINITY).map_err(|OutOfBudget| last)?;
        Ok(())
    }

    /// Like [`Self::search`], in an interval so short that one chart is valid throughout, up to an error of `off`
    /// metres.
    fn piece(
        &mut self,
        scene: &PairOnScrew<'_>,
        (chart, off): (&Chart, f64),
        TimeInterval { start: first, end: last }: TimeInterval,
        visitor: &mut impl Visitor,
    ) -> Result<(), f64> {
        let (a, b) = (scene.bodies.0.bvh(), scene.bodies.1.bvh());
        let clock = Clock::new(TimeInterval::new(first, last));
        let basis = scene.motion.basis(clock.zero);
        let rounding = 4.0 * scene.motion.rounding;
        let place_a = (scene.motion.rotation_at(&basis), scene.motion.path(DVec3::ZERO).at(&basis));
        let place_b = (DMat3::IDENTITY, DVec3::ZERO);
        let sweep = chart.sweep(TimeInterval::new(first - clock.zero, last - clock.zero));
        self.a.start(a, (chart.placement(place_a, a.unit, rounding + off), sweep), self.instructions);
        self.b.start(b, (chart.placement(place_b, b.unit, rounding + scene.pad), sweep), self.instructions);
        if sweep.has_period() {
            self.near_axis.start((&self.a.at, &self.b.at), &sweep);
        }
        let pair = QueuedPair { first: clock.whole.0, last: clock.whole.1, a: 0, b: 0 };
        self.spans.find(self.a.at(0), self.b.at(0).0, (EightOf::OfB, &sweep, self.instructions), &pair);
        if self.spans.live & 1 == 0 {
            return Ok(());
        }
        let pair = QueuedPair { first: self.spans.first[0], last: self.spans.last[0], ..pair };
        let meshes = (scene.bodies.0.mesh(), scene.bodies.1.mesh());
        self.queue.start((pair.first, pair.last), meshes.0.triangles().len() + meshes.1.triangles().len());
        self.queue.push(pair);
        let (mut bound, mut wake) = clock.horizon(visitor);
        let mut next = None;
        while let Some(pair) = next.take().or_else(|| self.queue.pop()) {
            if pair.first > bound {
                continue;
            }
            if pair.first >= wake {
                let told = visitor.move_to(clock.time(pair.first));
                told.map_err(|OutOfBudget| self.earliest_start(&clock, &pair))?;
                (bound, wake) = clock.horizon(visitor);
                self.queue.end_after(bound);
                if pair.first > bound {
                    continue;
                }
            }
            visitor.step().map_err(|OutOfBudget| self.earliest_start(&clock, &pair))?;
            if self.a.is_triangle(pair.a) && self.b.is_triangle(pair.b) {
                self.work.triangle_pairs += 1;
                let ((block_a, i), (block_b, j)) = (self.a.at(pair.a), self.b.at(pair.b));
                let features = FeatureSpans::new((block_a, i), (block_b, j), &sweep, (pair.first, pair.last));
                let faces = (block_a.child[i], block_b.child[j]);
                let taken = visitor.triangles(&Triangles { faces, features, clock: &clock });
                taken.map_err(|OutOfBudget| self.earliest_start(&clock, &pair))?;
                (bound, wake) = clock.horizon(visitor);
                self.queue.end_after(bound);
            } else {
                next = self.open(scene.bodies, QueuedPair { last: pair.last.min(bound), ..pair }, &sweep);
            }
        }
        Ok(())
    }

    /// The earliest time that remains to be examined, including a given pair.
    #[cold]
    fn earliest_start(&self, clock: &Clock, pair: &QueuedPair) -> f64 {
        clock.time(pair.first.min(self.queue.earliest_start()))
    }

    /// Opens the larger child of a pair, and adds the remaining pairs to the queue, except the pair that would be
    /// next, which is returned.
    #[inline]
    fn open(
        &mut self,
        (a, b): (&PreparedMesh, &PreparedMesh),
        pair: QueuedPair,
        sweep: &ChartMotion,
    ) -> Option<QueuedPair> {
        self.work.box_pairs += 1;
        let opens_b = self.a.is_triangle(pair.a)
            || !self.b.is_triangle(pair.b) && self.b.size(pair.b) > self.a.size(pair.a);
        let context = (self.instructions, &mut self.work);
        let opened = if opens_b {
            let opened = self.b.open(b.bvh(), pair.b, context);
            let block = &self.b.blocks[opened as usize];
            let one = ChartedBound { block: self.a.at(pair.a).0, place: pair.a, bvh: a.bvh() };
            let eight = ChartedBound { block, place: 8 * opened, bvh: b.bvh() };
            let (of, how) = ((&pair, sweep), (EightOf::OfB, self.instructions));
            find((&mut self.spans, &mut self.near_axis), (&one, &eight), of, how);
            opened
        } else {
            let opened = self.a.open(a.bvh(), pair.a, context);
            let block = &self.a.blocks[opened as usize];
            let one = ChartedBound { block: self.b.at(pair.b).0, place: pair.b, bvh: b.bvh() };
            let eight = ChartedBound { block, place: 8 * opened, bvh: a.bvh() };
            let (of, how) = ((&pair, sweep), (EightOf::OfA, self.instructions));
            find((&mut self.spans, &mut self.near_axis), (&one, &eight), of, how);
            opened
        };
        let mut live = self.spans.live;
        if live == 0 {
            return None;
        }
        let child = |spans: &LaneIntervals, lane: u32| {
            let (first, last) = (spans.first[lane as usize], spans.last[lane as usize]);
            let place = 8 * opened + lane;
            let (a, b) = if opens_b { (pair.a, place) } else { (place, pair.b) };
            QueuedPair { first, last, a, b }
        };
        let next = live.trailing_zeros() % 8;
        live &= live - 1;
        while live != 0 {
            let lane = live.trailing_zeros() % 8;
            live &= live - 1;
            self.queue.push(child(&self.spans, lane));
        }
        self.queue.push_unless_next(child(&self.spans, next))
    }
}

/// The times at which a bound can meet each of eight others: in the chart, and in straight coordinates if a bound
/// wraps far around the axis.
#[inline]
fn find(
    (spans, near_axis): (&mut LaneIntervals, &mut NearAxis),
    (one, eight): (&ChartedBound<'_>, &ChartedBound<'_>),
    (pair, sweep): (&QueuedPair, &ChartMotion),
    (which, instructions): (EightOf, Instructions),
) {
    let lane = (one.place % 8) as usize;
    spans.find((one.block, lane), eight.block, (which, sweep, instructions), pair);
    let around = eight.block.around & spans.live | one.block.around >> lane & 1;
    if spans.live != 0 && around != 0 {
        near_axis.cut(spans, (one, eight), (which, instructions));
    }
}

/// Times of a part of the search, in 32 bits relative to its middle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    zero: f64,
    first: f64,
    last: f64,
    /// The whole part, widened by a rounding.
    whole: (f32, f32),
}

impl Clock {
    fn new(TimeInterval { start: first, end: last }: TimeInterval) -> Self {
        let zero = 0.5 * (first + last);
        let rounding = 2.0 * (last - first) * f64::from(f32::EPSILON) + f64::EPSILON;
        Self { zero, first, last, whole: (narrow(first - zero - rounding), narrow(last - zero + rounding)) }
    }

    /// In 64 bits, from the start of the motion.
    #[inline]
    pub(crate) fn time(&self, t: f32) -> f64 {
        let t = self.zero + f64::from(t);
        // A NaN becomes the first time of the part.
        let t = if t > self.first { t } else { self.first };
        if t < self.last { t } else { self.last }
    }

    /// The horizon of a visitor, in this clock's times.
    #[inline]
    fn horizon(&self, visitor: &impl Visitor) -> (f32, f32) {
        let SearchEnd { bound, wake } = visitor.horizon();
        (self.next_f32_time(bound), narrow(wake - self.zero))
    }

    /// A 32-bit time that is not before `t`.
    fn next_f32_time(&self, t: f64) -> f32 {
        let t = t - self.zero;
        // Widening an infinite time by its rounding, also infinite, would give NaN, which compares false with every
        // time.
        if t.is_infinite() {
            return narrow(t);
        }
        narrow(t + 2.0 * t.abs() * f64::from(f32::EPSILON) + f64::EPSILON)
    }
}
