//! The search over space and time: two hierarchies in the chart of one motion.
//!
//! Pairs of children, one of A and one of B, wait in a queue, ordered by the time at which they can first meet. The
//! larger child of the earliest pair is opened: its block is charted, once, and its eight children are tested
//! against the other child of the pair. Remaining pairs of triangles are passed to the visitor, in order of time up
//! to the length of a bucket of the queue.

use glam::{DMat3, DVec3};

use crate::body::PreparedPair;
use crate::bvh::layout::{Bvh, NONE};
use crate::features::screw_motion::ScrewMotion;
use crate::math::budget::OutOfBudget;
use crate::math::lanes::Instructions;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::approach::{near_from, near_interval};
use crate::mesh_screw::chart::{Chart, ChartInterval, ChartMotion, ChartPlacement, narrow};
use crate::mesh_screw::charted::{Charted, ChartedBound, ChartedLane};
use crate::mesh_screw::feature_intervals::FeatureIntervals;
use crate::mesh_screw::hulls::{HullCorners, HullPair};
use crate::mesh_screw::lane_intervals::{EightOf, LaneIntervals, OneAgainstEight};
use crate::mesh_screw::near_axis::NearAxis;
use crate::mesh_screw::queue::{Queue, QueuedPair};

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
    pub(crate) features: FeatureIntervals<'a>,
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
    tests: BoundTests,
    parts: Vec<TimeInterval>,
}

/// The tests of a bound against eight others, and their result.
#[derive(Debug, Clone, Default)]
struct BoundTests {
    intervals: LaneIntervals,
    near_axis: NearAxis,
}

/// The charted blocks of one hierarchy. Child i of block k has the index 8 k + i.
#[derive(Debug, Clone, Default)]
struct ChartedTree {
    blocks: Vec<Charted>,
    used: usize,
    placement: ChartPlacement,
}

impl ChartedTree {
    /// Discards all blocks, and charts the first block of a hierarchy.
    fn start(&mut self, bvh: &Bvh, placement: ChartPlacement, instructions: Instructions) {
        (self.used, self.placement) = (0, placement);
        self.chart(bvh, 0, instructions);
    }

    fn chart(&mut self, bvh: &Bvh, child: u32, instructions: Instructions) -> u32 {
        if self.used == self.blocks.len() {
            self.blocks.push(Charted::EMPTY);
        }
        self.blocks[self.used].chart(bvh, child, &self.placement, instructions);
        self.used += 1;
        u32::try_from(self.used - 1).unwrap_or(NONE)
    }

    #[inline]
    fn at(&self, place: u32) -> ChartedLane<'_> {
        ChartedLane { block: &self.blocks[(place / 8) as usize], lane: (place % 8) as usize }
    }

    #[inline]
    fn bound<'a>(&'a self, place: u32, bvh: &'a Bvh) -> ChartedBound<'a> {
        ChartedBound { block: &self.blocks[(place / 8) as usize], place, bvh }
    }

    #[inline]
    fn is_triangle(&self, place: u32) -> bool {
        self.blocks[(place / 8) as usize].is_leaf
    }

    #[inline]
    fn size(&self, place: u32) -> f32 {
        let ChartedLane { block, lane } = self.at(place);
        block.size[lane]
    }

    /// The block below a child, charted if it has not been.
    #[inline]
    fn open(&mut self, bvh: &Bvh, place: u32, instructions: Instructions, work: &mut Work) -> u32 {
        let ChartedLane { block, lane } = self.at(place);
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
const MAX_PATH: f64 = 16.0;

/// An interval is short if A rotates by less than this times the grain of the meshes: half of the pads of the
/// helical chart.
const STRAIGHT_ROTATION: f64 = 0.5;

/// If hulls determine when two bodies are close, parts of a search are short at first. In the first part the
/// movement is at most this fraction of the radii. So few triangles can meet in this part, and a pair that does is
/// usually the first.
const FIRST_MOVEMENT: f64 = 0.04;

/// Each such part is longer than the previous part by this factor.
const PART_GROWTH: f64 = 8.0;

/// Two bodies and a motion, for a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairOnScrew<'a> {
    pub(crate) bodies: PreparedPair<'a>,
    pub(crate) motion: &'a ScrewMotion,
    /// The distance, in metres, within which triangles are passed to the visitor.
    pub(crate) pad: f64,
}

impl<'a> PairOnScrew<'a> {
    /// The hulls of both bodies, if they are small.
    pub(crate) fn hulls(&self) -> Option<HullPair<'a>> {
        let [a, b] = [self.bodies.a, self.bodies.b]
            .map(|body| HullCorners { points: body.corners(), radius: body.mesh().radius() });
        HullPair::new(a, b, self.motion, self.pad)
    }

    /// The maximum distance of the centres at which the bodies may be near each other.
    pub(crate) fn reach(&self) -> f64 {
        self.bodies.a.mesh().radius() + self.bodies.b.mesh().radius() + self.pad
    }

    /// Whether the bodies' spheres or hulls are proven separated at a time.
    pub(crate) fn is_clear_at(&self, t: f64, hulls: Option<&mut HullPair<'_>>) -> bool {
        near_from(self.motion, TimeInterval::new(t, t), self.reach()).is_none()
            || hulls.is_some_and(|hulls| hulls.are_separated_at(t))
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
        let PreparedPair { a, b } = scene.bodies;
        let (mut chart, instant) = (None, first >= last);
        // If an early event makes the rest irrelevant, short parts come first.
        let short = hulls.is_some() && visitor.accepts_earliest_only();
        let mut fraction = FIRST_MOVEMENT;
        self.parts.clear();
        self.parts.push(TimeInterval::new(first, last));
        // The earliest part first. A chart is valid for half a turn.
        while let Some(TimeInterval { start: first, end: last }) = self.parts.pop() {
            visitor.step().and_then(|()| visitor.move_to(first)).map_err(|OutOfBudget| first)?;
            if first > visitor.horizon().bound {
                break;
            }
            let near = if short {
                near_from(scene.motion, TimeInterval::new(first, last), scene.reach())
                    .map(|first| TimeInterval::new(first, last))
            } else {
                near_interval(scene.motion, TimeInterval::new(first, last), scene.reach())
            };
            let Some(TimeInterval { start: mut first, end: mut last }) = near else { continue };
            if let Some(hulls) = &mut hulls {
                let Some(separation) = hulls.separated_until(TimeInterval::new(first, last)) else {
                    continue;
                };
                first = separation.until;
                let end = first + hulls.time_for(fraction);
                if short && end > first && end < last {
                    self.parts.push(TimeInterval::new(end, last));
                    last = end;
                }
                fraction *= PART_GROWTH;
            }
            let middle = 0.5 * (first + last);
            let unit = a.bvh().unit.max(b.bvh().unit);
            let rotation = (last - first) * scene.motion.angle;
            let part_chart = if instant {
                Chart::still(unit)
            } else if rotation < STRAIGHT_ROTATION * a.grain().max(b.grain()) {
                let (basis, half) = (scene.motion.basis(middle), 0.5 * (last - first));
                Chart::straight(scene.motion, unit, &basis, half, a.mesh().radius())
            } else {
                *chart.get_or_insert_with(|| Chart::new(scene.motion, unit))
            };
            let too_long = rotation > std::f64::consts::PI || (last - first) * part_chart.speed() > MAX_PATH;
            if too_long && first < middle && middle < last {
                self.parts.push(TimeInterval::new(middle, last));
                self.parts.push(TimeInterval::new(first, middle));
            } else {
                self.search_part(scene, &part_chart, TimeInterval::new(first, last), visitor)?;
            }
        }
        visitor.move_to(f64::INFINITY).map_err(|OutOfBudget| last)?;
        Ok(())
    }

    /// Like [`Self::search`], in an interval so short that one chart is valid throughout, up to its deviation.
    fn search_part(
        &mut self,
        scene: &PairOnScrew<'_>,
        chart: &Chart,
        TimeInterval { start: first, end: last }: TimeInterval,
        visitor: &mut impl Visitor,
    ) -> Result<(), f64> {
        let (a, b) = (scene.bodies.a.bvh(), scene.bodies.b.bvh());
        let clock = Clock::new(TimeInterval::new(first, last));
        let basis = scene.motion.basis(clock.zero);
        let rounding = 4.0 * scene.motion.rounding;
        let (axes, centre) = (scene.motion.rotation_at(&basis), scene.motion.path(DVec3::ZERO).at(&basis));
        let of_a = chart.transform(axes, centre, a.unit, rounding + chart.deviation);
        let of_b = chart.transform(DMat3::IDENTITY, DVec3::ZERO, b.unit, rounding + scene.pad);
        let sweep = chart.sweep(TimeInterval::new(first - clock.zero, last - clock.zero));
        self.a.start(a, ChartPlacement { transform: of_a, sweep }, self.instructions);
        self.b.start(b, ChartPlacement { transform: of_b, sweep }, self.instructions);
        if sweep.has_period() {
            self.tests.near_axis.start(&of_a, &of_b, &sweep);
        }
        let pair = QueuedPair { first: clock.whole.start, last: clock.whole.end, a: 0, b: 0 };
        let roots =
            OneAgainstEight { one: self.a.bound(0, a), eight: self.b.bound(0, b), eight_of: EightOf::OfB };
        let intervals = &mut self.tests.intervals;
        intervals.find(&roots, &sweep, &pair, self.instructions);
        if intervals.live & 1 == 0 {
            return Ok(());
        }
        let pair = QueuedPair { first: intervals.first[0], last: intervals.last[0], ..pair };
        let triangles = [scene.bodies.a, scene.bodies.b].map(|body| body.mesh().triangles().len());
        self.queue.start(ChartInterval::new(pair.first, pair.last), triangles[0] + triangles[1]);
        self.queue.push(pair);
        let mut horizon = clock.horizon(visitor);
        let mut next = None;
        while let Some(pair) = next.take().or_else(|| self.queue.pop()) {
            if pair.first > horizon.bound {
                continue;
            }
            if pair.first >= horizon.wake {
                let moved = visitor.move_to(clock.time(pair.first));
                moved.map_err(|OutOfBudget| self.earliest_start(&clock, &pair))?;
                horizon = clock.horizon(visitor);
                self.queue.end_after(horizon.bound);
                if pair.first > horizon.bound {
                    continue;
                }
            }
            visitor.step().map_err(|OutOfBudget| self.earliest_start(&clock, &pair))?;
            if self.a.is_triangle(pair.a) && self.b.is_triangle(pair.b) {
                self.work.triangle_pairs += 1;
                let (a, b) = (self.a.at(pair.a), self.b.at(pair.b));
                let interval = ChartInterval::new(pair.first, pair.last);
                let features = FeatureIntervals::new(a, b, &sweep, interval);
                let faces = (a.block.child[a.lane], b.block.child[b.lane]);
                let taken = visitor.triangles(&Triangles { faces, features, clock: &clock });
                taken.map_err(|OutOfBudget| self.earliest_start(&clock, &pair))?;
                horizon = clock.horizon(visitor);
                self.queue.end_after(horizon.bound);
            } else {
                next = self.open(
                    scene.bodies,
                    QueuedPair { last: pair.last.min(horizon.bound), ..pair },
                    &sweep,
                );
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
        PreparedPair { a, b }: PreparedPair<'_>,
        pair: QueuedPair,
        sweep: &ChartMotion,
    ) -> Option<QueuedPair> {
        self.work.box_pairs += 1;
        let opens_b = self.a.is_triangle(pair.a)
            || !self.b.is_triangle(pair.b) && self.b.size(pair.b) > self.a.size(pair.a);
        let (instructions, work) = (self.instructions, &mut self.work);
        let (opened, eight_of) = if opens_b {
            (self.b.open(b.bvh(), pair.b, instructions, work), EightOf::OfB)
        } else {
            (self.a.open(a.bvh(), pair.a, instructions, work), EightOf::OfA)
        };
        let (one, eight) = if opens_b {
            (self.a.bound(pair.a, a.bvh()), self.b.bound(8 * opened, b.bvh()))
        } else {
            (self.b.bound(pair.b, b.bvh()), self.a.bound(8 * opened, a.bvh()))
        };
        self.tests.find(&OneAgainstEight { one, eight, eight_of }, sweep, &pair, instructions);
        let mut live = self.tests.intervals.live;
        if live == 0 {
            return None;
        }
        let child = |intervals: &LaneIntervals, lane: u32| {
            let (first, last) = (intervals.first[lane as usize], intervals.last[lane as usize]);
            let place = 8 * opened + lane;
            let (a, b) = if opens_b { (pair.a, place) } else { (place, pair.b) };
            QueuedPair { first, last, a, b }
        };
        let next = live.trailing_zeros() % 8;
        live &= live - 1;
        while live != 0 {
            let lane = live.trailing_zeros() % 8;
            live &= live - 1;
            self.queue.push(child(&self.tests.intervals, lane));
        }
        self.queue.push_unless_next(child(&self.tests.intervals, next))
    }
}

impl BoundTests {
    /// Finds the times at which a bound can meet each of eight others: in the chart, and in straight coordinates if
    /// a bound wraps far around the axis.
    #[inline]
    fn find(
        &mut self,
        bounds: &OneAgainstEight<'_>,
        sweep: &ChartMotion,
        pair: &QueuedPair,
        instructions: Instructions,
    ) {
        let OneAgainstEight { one, eight, .. } = bounds;
        self.intervals.find(bounds, sweep, pair, instructions);
        let around = eight.block.around & self.intervals.live | one.block.around >> one.lane() & 1;
        if self.intervals.live != 0 && around != 0 {
            self.near_axis.cut(&mut self.intervals, bounds, instructions);
        }
    }
}

/// Times of a part of the search, in 32 bits relative to its middle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    zero: f64,
    first: f64,
    last: f64,
    /// The whole part, widened by a rounding.
    whole: ChartInterval,
}

/// A [`SearchEnd`] in 32 bits, relative to the middle of a part.
#[derive(Debug, Clone, Copy)]
struct ChartHorizon {
    bound: f32,
    wake: f32,
}

impl Clock {
    fn new(TimeInterval { start: first, end: last }: TimeInterval) -> Self {
        let zero = 0.5 * (first + last);
        let rounding = 2.0 * (last - first) * f64::from(f32::EPSILON) + f64::EPSILON;
        let whole = ChartInterval::new(narrow(first - zero - rounding), narrow(last - zero + rounding));
        Self { zero, first, last, whole }
    }

    /// In 64 bits, from the start of the motion.
    #[inline]
    pub(crate) fn time(&self, t: f32) -> f64 {
        let t = self.zero + f64::from(t);
        // A NaN becomes the first time of the part.
        let t = if t > self.first { t } else { self.first };
        if t < self.last { t } else { self.last }
    }

    /// An interval in 64 bits, from the start of the motion.
    #[inline]
    pub(crate) fn interval(&self, interval: ChartInterval) -> TimeInterval {
        TimeInterval::new(self.time(interval.start), self.time(interval.end))
    }

    /// The horizon of a visitor, in this clock's times.
    #[inline]
    fn horizon(&self, visitor: &impl Visitor) -> ChartHorizon {
        let SearchEnd { bound, wake } = visitor.horizon();
        ChartHorizon { bound: self.next_f32_time(bound), wake: narrow(wake - self.zero) }
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
