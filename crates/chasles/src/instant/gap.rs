//! The gap of two static bodies: a best-first search over both hierarchies.
//!
//! Pairs of children, one of A and one of B, wait in a queue; the pair with the smallest lower bound of its
//! distance comes first. The larger child of a pair is opened, and its eight children are bounded against the other
//! child of the pair. The distance of two triangles is computed in 64 bits. The search ends when no pair in the
//! queue can be nearer than the nearest found, by more than the limits allow. The minimum of all bounds that were
//! set aside is then a lower bound of the gap.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::{DMat3, DVec3};

use crate::body::{PreparedMesh, PreparedPair};
use crate::bvh::layout::{Bvh, LEAF, Lanes, MIN_UNIT, NONE, WIDTH};
use crate::instant::gap_bounds::{HierarchyPose, PlacedEight, PlacedLane, gaps};
use crate::instant::triangle_gap::{
    ClosestPoints, TriangleCorners, common_points, nearest_points, proven_gap,
};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::lanes::Instructions;
use crate::math::priority::{Priority, QueueEntry};
use crate::math::rounding::of_positions;
use crate::mesh_screw::chart::narrow;
use crate::mesh_screw::overlap::triangles_intersect;
use crate::motion::Pose;

/// The gap of two surfaces at one time, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gap {
    /// A lower bound, proven including all rounding; 0 if the surfaces intersect, or if rounding leaves undecided
    /// whether they are separated.
    pub(crate) lower: f64,
    /// An upper bound, including all rounding: the distance of `points`, or 0 if triangles were found to intersect
    /// as placed, up to rounding.
    pub(crate) upper: f64,
    /// A point of A and a point of B, in B's frame: the nearest found.
    pub(crate) points: [DVec3; 2],
    /// The triangles that contain these points.
    pub(crate) faces: [u32; 2],
    /// Number of pairs that were examined.
    pub(crate) steps: u64,
}

/// The required accuracy of a gap. Rounding may make it impossible to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GapLimits {
    /// The search may end as soon as `lower` is at least this, in metres.
    pub(crate) beyond: f64,
    /// The bounds may differ by this fraction of `upper`.
    pub(crate) relative: f64,
    /// Or by this, in metres. If this is smaller than rounding, every pair of coincident triangles of two surfaces
    /// must be examined.
    pub(crate) absolute: f64,
    /// The search may end as soon as `upper` is at most this, in metres.
    pub(crate) enough: f64,
    /// Maximum number of pairs that are examined. After these the bounds are valid, but may be further apart than
    /// required.
    pub(crate) steps: u64,
}

impl GapLimits {
    /// The gap as accurate as rounding allows.
    pub(crate) const EXACT: Self = Self {
        beyond: f64::INFINITY,
        relative: 0.0,
        absolute: 0.0,
        enough: f64::NEG_INFINITY,
        steps: u64::MAX,
    };
}

/// The memory of a search, for reuse. No results are carried over from one search to the next.
#[derive(Debug, Clone, Default)]
pub(crate) struct GapSearch {
    /// The kernels used: all give the same answer.
    pub(crate) instructions: Instructions,
    a: PlacedTree,
    b: PlacedTree,
    queue: BinaryHeap<QueueEntry<GapPair>>,
}

/// The placed blocks of one hierarchy. Child i of block k has the index 8 k + i.
#[derive(Debug, Clone, Default)]
struct PlacedTree {
    blocks: Vec<PlacedEight>,
    used: usize,
    at: HierarchyPose,
}

/// Two children, by index, with a lower bound of their distance. The pair with the smallest bound comes first. Among
/// equal bounds the last opened comes first, which is usually the deepest.
#[derive(Debug, Clone, Copy)]
struct GapPair {
    gap: f32,
    a: u32,
    b: u32,
}

impl Priority for GapPair {
    fn order(&self, other: &Self) -> Ordering {
        other.gap.total_cmp(&self.gap).then((self.a, self.b).cmp(&(other.a, other.b)))
    }
}

/// The placement of A. The origin is at the centre of B's mesh, with B's axes; lengths are in units.
struct Placing {
    /// A power of two such that all coordinates are below 1.
    unit: f64,
    inverse: f64,
    /// Rotates vectors of A.
    rotation: DMat3,
    /// The centre of A.
    offset: DVec3,
    /// Bound of the error of a position, and of a gap along a direction computed from positions.
    rounding: f64,
}

/// The gap of two surfaces, A at a pose in B's frame. Swapping the bodies changes only rounding, and the choice
/// among equally near points.
pub(crate) fn gap(
    search: &mut GapSearch,
    a: &PreparedMesh,
    b: &PreparedMesh,
    pose: &Pose,
    limits: &GapLimits,
) -> Gap {
    let bodies = PreparedPair::new(a, b);
    let placing = Placing::new(bodies, pose);
    let mut found = GapSearchState::new(bodies, &placing, limits);
    let sphere_gap = placing.offset.length() * (1.0 - 4.0 * f64::EPSILON)
        - (a.mesh().radius() + b.mesh().radius()) * placing.inverse
        - placing.rounding;
    if sphere_gap >= found.cut {
        found.exclude(sphere_gap);
    } else {
        search.run(bodies, &placing, &mut found);
    }
    found.gap(b, &placing)
}

impl Placing {
    fn new(bodies: PreparedPair<'_>, pose: &Pose) -> Self {
        let (a, b) = (bodies.a.mesh(), bodies.b.mesh());
        let rotation = DMat3::from_quat(pose.rotation());
        // The two large terms cancel before the small one is added.
        let offset = (pose.position() - b.centre()) + rotation * a.centre();
        // Sums, because the squares in lengths would underflow.
        let reach = offset.abs().element_sum() + a.radius() + b.radius();
        let power = f64::from_bits(reach.max(MIN_UNIT).to_bits() & f64::INFINITY.to_bits());
        let unit = 2.0 * power;
        let inverse = 1.0 / unit;
        let rounding = of_positions(reach + a.centre().abs().element_sum());
        Self { unit, inverse, rotation, offset: offset * inverse, rounding: rounding * inverse }
    }

    fn triangles(
        &self,
        PreparedPair { a, b }: PreparedPair<'_>,
        [face_a, face_b]: [u32; 2],
    ) -> (TriangleCorners, TriangleCorners) {
        let on_a = a.mesh().local_triangle(face_a).map(|p| self.offset + self.rotation * (p * self.inverse));
        (on_a, b.mesh().local_triangle(face_b).map(|p| p * self.inverse))
    }

    /// The placements of the blocks of both bodies. The origin is the centre of the smaller body, whose small
    /// coordinates stay exact.
    fn places(&self, PreparedPair { a, b }: PreparedPair<'_>) -> (HierarchyPose, HierarchyPose) {
        let margin = self.rounding * self.unit;
        let offset = self.offset * self.unit;
        let (of_a, of_b) = if a.mesh().radius() < b.mesh().radius() {
            (DVec3::ZERO, -offset)
        } else {
            (offset, DVec3::ZERO)
        };
        let place_a = HierarchyPose::new(self.rotation, of_a, a.bvh().unit, self.unit, margin);
        let place_b = HierarchyPose::new(DMat3::IDENTITY, of_b, b.bvh().unit, self.unit, margin);
        (place_a, place_b)
    }
}

/// The state of a search. Lengths are in units.
struct GapSearchState {
    /// The minimum of the bounds of all pairs that need not be examined further.
    lower: f64,
    upper: f64,
    nearest: ClosestPoints,
    faces: [u32; 2],
    beyond: f64,
    relative: f64,
    absolute: f64,
    enough: f64,
    budget: Budget<'static>,
    /// The maximum number of pairs.
    max_steps: u64,
    /// Pairs that are no nearer than this need not be examined.
    cut: f64,
    /// The same in 32 bits, rounded up.
    narrow_cut: f32,
    done: bool,
}

impl GapSearchState {
    /// Starts with a corner of each mesh.
    fn new(bodies: PreparedPair<'_>, placing: &Placing, limits: &GapLimits) -> Self {
        let (on_a, on_b) = placing.triangles(bodies, [0, 0]);
        let points = [on_a[0], on_b[0]];
        let mut found = Self {
            lower: f64::INFINITY,
            upper: f64::INFINITY,
            nearest: ClosestPoints { points, squared: f64::INFINITY },
            faces: [0, 0],
            beyond: limits.beyond * placing.inverse,
            relative: limits.relative,
            absolute: limits.absolute * placing.inverse,
            enough: limits.enough * placing.inverse,
            budget: Budget::new(limits.steps),
            max_steps: limits.steps,
            cut: 0.0,
            narrow_cut: 0.0,
            done: false,
        };
        let nearest = ClosestPoints { points, squared: points[0].distance_squared(points[1]) };
        found.offer(nearest, [0, 0], placing);
        found
    }

    fn exclude(&mut self, lower: f64) {
        self.lower = self.lower.min(lower);
    }

    fn offer(&mut self, nearest: ClosestPoints, faces: [u32; 2], placing: &Placing) {
        if nearest.squared < self.nearest.squared {
            (self.nearest, self.faces) = (nearest, faces);
            self.end_at(nearest.squared.sqrt() + placing.rounding);
        }
    }

    fn end_at(&mut self, upper: f64) {
        self.upper = upper;
        let cut = (upper - self.absolute.max(self.relative * upper)).min(self.beyond);
        // A NaN limit has no effect.
        self.cut = if cut.is_nan() { upper } else { cut };
        self.narrow_cut = narrow(self.cut).next_up();
        self.done = upper <= self.enough;
    }

    fn triangles(&mut self, bodies: PreparedPair<'_>, faces: [u32; 2], placing: &Placing) {
        let (on_a, on_b) = placing.triangles(bodies, faces);
        let nearest = nearest_points(&on_a, &on_b);
        let distance = nearest.squared.sqrt();
        // No direction can prove more than the distance, and a bound beyond the limit that ends the search has no
        // use.
        let enough =
            (distance * (1.0 - 4.0 * f64::EPSILON) - placing.rounding).min(self.cut + placing.rounding);
        let proven = proven_gap(&on_a, &on_b, &nearest, enough) - placing.rounding;
        if proven <= 0.0 && triangles_intersect(&on_a, &on_b) {
            (self.nearest, self.faces) = (common_points(&on_a, &on_b), faces);
            self.lower = 0.0;
            self.end_at(0.0);
            self.done = true;
            return;
        }
        self.exclude(proven);
        self.offer(nearest, faces, placing);
    }

    fn gap(&self, b: &PreparedMesh, placing: &Placing) -> Gap {
        Gap {
            lower: self.lower.clamp(0.0, self.upper) * placing.unit,
            upper: self.upper * placing.unit,
            points: self.nearest.points.map(|p| p * placing.unit + b.mesh().centre()),
            faces: self.faces,
            steps: self.max_steps - self.budget.remaining(),
        }
    }
}

impl PlacedTree {
    /// Discards all blocks, and places the first block of a hierarchy.
    fn start(&mut self, bvh: &Bvh, at: HierarchyPose, instructions: Instructions) {
        (self.used, self.at) = (0, at);
        self.place(bvh, 0, instructions);
    }

    fn place(&mut self, bvh: &Bvh, child: u32, instructions: Instructions) -> u32 {
        if self.used == self.blocks.len() {
            self.blocks.push(PlacedEight::EMPTY);
        }
        let block = &mut self.blocks[self.used];
        if child & LEAF == 0 {
            block.place_boxes(&bvh.boxes[child as usize], &self.at, instructions);
        } else {
            block.place_triangles(&bvh.triangles[(child & !LEAF) as usize], &self.at, instructions);
        }
        self.used += 1;
        u32::try_from(self.used - 1).unwrap_or(NONE)
    }

    #[inline]
    fn at(&self, place: u32) -> PlacedLane<'_> {
        PlacedLane { block: &self.blocks[(place / 8) as usize], lane: (place % 8) as usize }
    }

    #[inline]
    fn is_triangle(&self, place: u32) -> bool {
        self.blocks[(place / 8) as usize].is_leaf
    }

    #[inline]
    fn size(&self, place: u32) -> f32 {
        let PlacedLane { block, lane } = self.at(place);
        block.size[lane]
    }

    fn child(&self, place: u32) -> u32 {
        let PlacedLane { block, lane } = self.at(place);
        block.child[lane]
    }

    /// The block below a child, placed if it has not been.
    #[inline]
    fn open(&mut self, bvh: &Bvh, place: u32, instructions: Instructions) -> u32 {
        let PlacedLane { block, lane } = self.at(place);
        if block.opened[lane] != NONE {
            return block.opened[lane];
        }
        let opened = self.place(bvh, block.child[lane], instructions);
        self.blocks[(place / 8) as usize].opened[(place % 8) as usize] = opened;
        opened
    }
}

/// The result of opening the larger of two children.
struct OpenedGaps {
    /// Whether B's child was opened, and not A's.
    opens_b: bool,
    /// The index of the opened block.
    opened: u32,
    /// Lower bounds of the distances of the block's children from the other child, in units of the pair.
    gaps: Lanes,
}

impl GapSearch {
    /// Discards all blocks, and places the first block of each hierarchy.
    fn start(&mut self, bodies: PreparedPair<'_>, placing: &Placing) {
        let (place_a, place_b) = placing.places(bodies);
        self.a.start(bodies.a.bvh(), place_a, self.instructions);
        self.b.start(bodies.b.bvh(), place_b, self.instructions);
    }

    fn run(&mut self, bodies: PreparedPair<'_>, placing: &Placing, found: &mut GapSearchState) {
        self.start(bodies, placing);
        self.queue.clear();
        let mut next = Some(QueueEntry(GapPair { gap: 0.0, a: 0, b: 0 }));
        while let Some(QueueEntry(pair)) = next.take().or_else(|| self.queue.pop()) {
            if found.done || pair.gap >= found.narrow_cut || found.budget.step().is_err() {
                // No pair in the queue is nearer than this one.
                found.exclude(f64::from(pair.gap));
                return;
            }
            if self.a.is_triangle(pair.a) && self.b.is_triangle(pair.b) {
                found.triangles(bodies, [self.a.child(pair.a), self.b.child(pair.b)], placing);
            } else {
                next = self.open(bodies, pair, found);
            }
        }
    }

    /// Every pair of triangles that may be nearer than a distance, A at a pose in B's frame.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn near_faces(
        &mut self,
        bodies: PreparedPair<'_>,
        pose: &Pose,
        distance: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<[u32; 2]>, OutOfBudget> {
        let placing = Placing::new(bodies, pose);
        let reach = distance * placing.inverse + placing.rounding;
        // The gap of an empty lane is infinite, and must stay beyond the cut.
        let cut = narrow(reach).next_up().min(f32::MAX);
        self.start(bodies, &placing);
        let (mut near, mut open) = (Vec::new(), vec![(0, 0)]);
        while let Some((a, b)) = open.pop() {
            budget.step()?;
            if self.a.is_triangle(a) && self.b.is_triangle(b) {
                near.push([self.a.child(a), self.b.child(b)]);
                continue;
            }
            let OpenedGaps { opens_b, opened, gaps } = self.open_larger(bodies, a, b);
            for (lane, gap) in (0..).zip(gaps) {
                if gap <= cut {
                    let place = CHILDREN * opened + lane;
                    open.push(if opens_b { (a, place) } else { (place, b) });
                }
            }
        }
        near.sort_unstable();
        Ok(near)
    }

    /// Opens the larger of two children, and bounds the distances of its eight children from the other.
    #[inline]
    fn open_larger(&mut self, bodies: PreparedPair<'_>, a: u32, b: u32) -> OpenedGaps {
        let opens_b = self.a.is_triangle(a) || !self.b.is_triangle(b) && self.b.size(b) > self.a.size(a);
        let (opened, gaps) = if opens_b {
            let opened = self.b.open(bodies.b.bvh(), b, self.instructions);
            (opened, gaps(self.a.at(a), &self.b.blocks[opened as usize], self.instructions))
        } else {
            let opened = self.a.open(bodies.a.bvh(), a, self.instructions);
            (opened, gaps(self.b.at(b), &self.a.blocks[opened as usize], self.instructions))
        };
        OpenedGaps { opens_b, opened, gaps }
    }

    /// Opens the larger child of a pair, and adds the pairs that are needed to the queue, except the pair that
    /// would be next, which is returned.
    #[inline]
    fn open(
        &mut self,
        bodies: PreparedPair<'_>,
        pair: GapPair,
        found: &mut GapSearchState,
    ) -> Option<QueueEntry<GapPair>> {
        let OpenedGaps { opens_b, opened, gaps } = self.open_larger(bodies, pair.a, pair.b);
        let mut best: Option<QueueEntry<GapPair>> = None;
        let mut excluded = f32::INFINITY;
        for (lane, gap) in (0..).zip(gaps) {
            // Parts of two shapes are no nearer than the shapes.
            let gap = gap.max(pair.gap);
            if gap >= found.narrow_cut {
                excluded = excluded.min(gap);
                continue;
            }
            let place = CHILDREN * opened + lane;
            let (a, b) = if opens_b { (pair.a, place) } else { (place, pair.b) };
            let pair = QueueEntry(GapPair { gap, a, b });
            match best.replace(pair) {
                Some(other) if other > pair => {
                    best = Some(other);
                    self.queue.push(pair);
                }
                Some(other) => self.queue.push(other),
                None => {}
            }
        }
        found.exclude(f64::from(excluded));
        let best = best?;
        if self.queue.peek().is_some_and(|first| *first > best) {
            self.queue.push(best);
            return None;
        }
        Some(best)
    }
}

/// Children of a block, as indices count them.
#[expect(clippy::cast_possible_truncation, reason = "it is 8")]
const CHILDREN: u32 = WIDTH as u32;
