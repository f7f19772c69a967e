//! The binary tree from which a hierarchy is made: binned surface area heuristic (Wald 2007, "On fast construction
//! of SAH-based bounding volume hierarchies"), with counts rounded up to whole triangle blocks.
//!
//! Boxes here are axis-aligned, in f32 and rounded to nearest: they choose the splits and prove nothing.

use glam::DVec3;
use rayon::prelude::*;

use super::layout::WIDTH;
use crate::shape::Mesh;

/// A binary tree over the triangles of a mesh, in preorder: the first child follows its parent.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BinaryTree {
    pub(super) nodes: Vec<BinaryNode>,
    /// The triangles in the order of the leaves.
    pub(super) faces: Vec<u32>,
}

/// A range of triangles; a leaf if there are at most [`WIDTH`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BinaryNode {
    /// Index of the first triangle in [`BinaryTree::faces`].
    pub(super) start: u32,
    /// Number of triangles.
    pub(super) count: u32,
    /// Offset from this node to its second child; 0 for a leaf. An offset is relative, so subtrees that are built
    /// separately can be joined unchanged.
    pub(super) skip: u32,
}

impl BinaryNode {
    /// Whether the node has no children.
    pub(super) fn is_leaf(&self) -> bool {
        self.skip == 0
    }
}

/// Coordinates in four lanes, the last unused: twice as fast as three lanes.
type Lane = [f32; 4];

/// The box of a triangle, in units of the hierarchy.
#[derive(Debug, Clone, Copy)]
struct Item {
    bounds: TriangleBounds,
    face: u32,
}

#[derive(Debug, Clone, Copy)]
struct TriangleBounds {
    lo: Lane,
    hi: Lane,
}

#[derive(Debug, Clone, Copy)]
struct Bin {
    bounds: TriangleBounds,
    count: u32,
}

type Bins = [[Bin; BINS]; 3];

/// A split: the first bin of the second part, along an axis.
#[derive(Debug, Clone, Copy)]
struct SahSplit {
    axis: usize,
    bin: usize,
}

/// Number of candidate split positions per axis.
const BINS: usize = 16;

/// Fewer triangles than this are split at the best of all positions instead of the best of [`BINS`], which fills
/// blocks better.
const SWEPT: usize = 32;

/// A range of more triangles than this gets its own thread.
const PARALLEL: usize = 4096;

/// Below this depth ranges are halved. So the recursion is at most this deep plus the logarithm of the number of
/// triangles, for any input; otherwise, triangles whose sizes form a geometric series would make the tree a list.
const MAX_DEPTH: u32 = 64;

/// Weight of a box's smallest extent, because the oriented box of a patch of a surface is thinner. With about this
/// value searches open the fewest blocks.
const THIN: f32 = 0.5;

/// Added to the extents of boxes, relative to the parent's extent, so that lines of zero area are split too.
const THICKNESS: f32 = 1e-6;

impl BinaryTree {
    /// The tree of a mesh. The vertices are given in any suitable frame, with coordinates of at most 1.
    pub(super) fn build(mesh: &Mesh, vertices: &[DVec3]) -> Self {
        let item = |(i, triangle): (usize, &[u32; 3])| {
            let [a, b, c] = triangle.map(|v| lane(vertices[v as usize]));
            let bounds = TriangleBounds { lo: min(min(a, b), c), hi: max(max(a, b), c) };
            Item { bounds, face: u32::try_from(i).unwrap_or(u32::MAX) }
        };
        let mut items: Vec<Item> =
            mesh.triangles().par_iter().with_min_len(PARALLEL).enumerate().map(item).collect();
        let nodes = subtree(&mut items, 0, 0);
        Self { nodes, faces: items.iter().map(|item| item.face).collect() }
    }

    /// The triangles of a node.
    pub(super) fn faces(&self, node: &BinaryNode) -> &[u32] {
        let start = node.start as usize;
        &self.faces[start..start + node.count as usize]
    }
}

/// The tree of a range whose first triangle has index `start`, in preorder.
fn subtree(items: &mut [Item], start: u32, depth: u32) -> Vec<BinaryNode> {
    let mut nodes = Vec::new();
    if items.len() <= PARALLEL {
        push_subtree(&mut nodes, items, start, depth);
        return nodes;
    }
    let middle = split(items, depth);
    let node = BinaryNode { start, count: number(items.len()), skip: 0 };
    let (left, right) = items.split_at_mut(middle);
    let (left, right) =
        rayon::join(|| subtree(left, start, depth + 1), || subtree(right, start + number(middle), depth + 1));
    nodes.reserve_exact(1 + left.len() + right.len());
    nodes.push(BinaryNode { skip: number(1 + left.len()), ..node });
    nodes.extend(left);
    nodes.extend(right);
    nodes
}

/// Like [`subtree`], on one thread.
fn push_subtree(nodes: &mut Vec<BinaryNode>, items: &mut [Item], start: u32, depth: u32) {
    let at = nodes.len();
    nodes.push(BinaryNode { start, count: number(items.len()), skip: 0 });
    if items.len() > WIDTH {
        let middle = split(items, depth);
        let (left, right) = items.split_at_mut(middle);
        push_subtree(nodes, left, start, depth + 1);
        nodes[at].skip = number(nodes.len() - at);
        push_subtree(nodes, right, start + number(middle), depth + 1);
    }
}

/// Sorts more than [`WIDTH`] triangles into two parts that make good children; returns the length of the first
/// part.
fn split(items: &mut [Item], depth: u32) -> usize {
    let (bounds, centres) = around(items);
    let size = sub(bounds.hi, bounds.lo);
    let scale = 1.0 / size[0].max(size[1]).max(size[2]);
    if depth < MAX_DEPTH && scale.is_finite() {
        if items.len() <= SWEPT && centres.lo != centres.hi {
            return sweep(items, centres, scale);
        }
        let places = Places::of(centres);
        if let Some(cut) = best_cut(&bins(items, &places), scale) {
            return partition(items, |item| places.bin(item, cut.axis) < cut.bin);
        }
    }
    halve(items, centres)
}

/// Halves the triangles along the longest extent of their centres; the first half fills whole blocks.
fn halve(items: &mut [Item], centres: TriangleBounds) -> usize {
    let size = sub(centres.hi, centres.lo);
    let axis = (1..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
    let middle = (items.len() / 2).next_multiple_of(WIDTH);
    let key = |item: &Item| item.centre()[axis];
    items.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.face.cmp(&b.face)));
    middle
}

/// Splits a few triangles at the best of all positions in the order of their centres.
fn sweep(items: &mut [Item], centres: TriangleBounds, scale: f32) -> usize {
    let count = items.len();
    let mut best = (f32::INFINITY, 0);
    let mut order = [0; SWEPT];
    let mut best_order = order;
    for axis in 0..3 {
        if centres.hi[axis] <= centres.lo[axis] {
            continue;
        }
        for (i, (item, key)) in (0_u64..).zip(items.iter().zip(&mut order)) {
            // The bits of non-negative numbers sort like the numbers; the index breaks ties.
            *key = u64::from((item.centre()[axis] - centres.lo[axis]).to_bits()) << 32 | i;
        }
        let order = &mut order[..count];
        order.sort_unstable();
        let mut left = [0.0; SWEPT];
        let mut bounds = TriangleBounds::EMPTY;
        for (cost, (at, key)) in left.iter_mut().zip((1..).zip(order.iter())) {
            bounds.add(&items[place(*key)].bounds);
            *cost = bounds.cost(at, scale);
        }
        let mut bounds = TriangleBounds::EMPTY;
        let mut improved = false;
        for at in (1..count).rev() {
            bounds.add(&items[place(order[at])].bounds);
            let cost = left[at - 1] + bounds.cost(count - at, scale);
            if cost < best.0 {
                best = (cost, at);
                improved = true;
            }
        }
        if improved {
            best_order[..count].copy_from_slice(order);
        }
    }
    let mut sorted = [items[0]; SWEPT];
    for (to, key) in sorted.iter_mut().zip(&best_order[..count]) {
        *to = items[place(*key)];
    }
    items.copy_from_slice(&sorted[..count]);
    best.1
}

/// The index in a key of [`sweep`].
fn place(key: u64) -> usize {
    (key & 0xffff_ffff) as usize
}

/// The cut of minimum cost; `None` if all centres are in one bin.
fn best_cut(bins: &Bins, scale: f32) -> Option<SahSplit> {
    let mut best = (f32::INFINITY, None);
    for (axis, bins) in bins.iter().enumerate() {
        let mut left = [f32::INFINITY; BINS];
        let (mut bounds, mut count) = (TriangleBounds::EMPTY, 0);
        for (cost, bin) in left.iter_mut().zip(bins) {
            bounds.add(&bin.bounds);
            count += bin.count as usize;
            if count > 0 {
                *cost = bounds.cost(count, scale);
            }
        }
        let (mut bounds, mut count) = (TriangleBounds::EMPTY, 0);
        for bin in (1..BINS).rev() {
            bounds.add(&bins[bin].bounds);
            count += bins[bin].count as usize;
            if count > 0 {
                let cost = left[bin - 1] + bounds.cost(count, scale);
                if cost < best.0 {
                    best = (cost, Some(SahSplit { axis, bin }));
                }
            }
        }
    }
    best.1
}

/// Moves the items of the first part to the front; returns their number.
fn partition(items: &mut [Item], first: impl Fn(&Item) -> bool) -> usize {
    let (mut start, mut end) = (0, items.len());
    loop {
        while start < end && first(&items[start]) {
            start += 1;
        }
        while start < end && !first(&items[end - 1]) {
            end -= 1;
        }
        if start == end {
            return start;
        }
        items.swap(start, end - 1);
    }
}

/// The bounding boxes of all boxes and of their doubled centres.
fn around(items: &[Item]) -> (TriangleBounds, TriangleBounds) {
    if items.len() > 2 * PARALLEL {
        let (left, right) = items.split_at(items.len() / 2);
        let (mut left, right) = rayon::join(|| around(left), || around(right));
        left.0.add(&right.0);
        left.1.add(&right.1);
        return left;
    }
    let mut around = (TriangleBounds::EMPTY, TriangleBounds::EMPTY);
    for item in items {
        around.0.add(&item.bounds);
        around.1.add(&TriangleBounds { lo: item.centre(), hi: item.centre() });
    }
    around
}

/// The bounding boxes and item counts of all bins.
fn bins(items: &[Item], places: &Places) -> Bins {
    if items.len() > 2 * PARALLEL {
        let (left, right) = items.split_at(items.len() / 2);
        let (mut left, right) = rayon::join(|| bins(left, places), || bins(right, places));
        for (bin, other) in left.iter_mut().flatten().zip(right.iter().flatten()) {
            bin.bounds.add(&other.bounds);
            bin.count += other.count;
        }
        return left;
    }
    let mut bins = [[Bin { bounds: TriangleBounds::EMPTY, count: 0 }; BINS]; 3];
    for item in items {
        for (axis, bins) in bins.iter_mut().enumerate() {
            let bin = &mut bins[places.bin(item, axis)];
            bin.bounds.add(&item.bounds);
            bin.count += 1;
        }
    }
    bins
}

/// The positions of the bins.
struct Places {
    lo: Lane,
    scale: Lane,
}

impl Places {
    fn of(centres: TriangleBounds) -> Self {
        let size = sub(centres.hi, centres.lo);
        // An axis whose extent is zero, or so small that the scale overflows, has a single bin.
        let scale = size.map(|size| Some(BINS as f32 / size).filter(|s| s.is_finite()).unwrap_or(0.0));
        Self { lo: centres.lo, scale }
    }

    fn bin(&self, item: &Item, axis: usize) -> usize {
        let place = (item.bounds.lo[axis] + item.bounds.hi[axis] - self.lo[axis]) * self.scale[axis];
        // The addition rounds down; it is cheaper than a conversion, which handles NaN and the range.
        (((place - 0.5) + INTEGERS).to_bits() as usize & 31).min(BINS - 1)
    }
}

/// 1.5 * 2^23: f32 numbers of at least this size are integers, and their last bits equal the last bits of the
/// integer.
const INTEGERS: f32 = 12_582_912.0;

impl Item {
    /// Twice the centre of the box.
    fn centre(&self) -> Lane {
        std::array::from_fn(|i| self.bounds.lo[i] + self.bounds.hi[i])
    }
}

impl TriangleBounds {
    const EMPTY: Self = Self { lo: [f32::INFINITY; 4], hi: [f32::NEG_INFINITY; 4] };

    fn add(&mut self, other: &Self) {
        self.lo = min(self.lo, other.lo);
        self.hi = max(self.hi, other.hi);
    }

    /// The search cost of `count` triangles in this box: the number of blocks that they take, times half the area
    /// of the box, in which the smallest extent has the weight [`THIN`].
    fn cost(&self, count: usize, scale: f32) -> f32 {
        let [x, y, z, _] = sub(self.hi, self.lo).map(|size| size * scale + THICKNESS);
        let thin = if x < y { x } else { y };
        let thin = if thin < z { thin } else { z };
        #[expect(clippy::cast_precision_loss, reason = "a cost needs no last digit")]
        let blocks = count.div_ceil(WIDTH) as f32;
        blocks * (x * y + y * z + z * x - (1.0 - THIN) * thin * (x + y + z - thin))
    }
}

fn lane(v: DVec3) -> Lane {
    #[expect(clippy::cast_possible_truncation, reason = "coordinates of at most 1, rounded to nearest")]
    [v.x as f32, v.y as f32, v.z as f32, 0.0]
}

/// The minimum in each lane. Unlike [`f32::min`] it does not handle NaN: it is one instruction for all lanes.
fn min(a: Lane, b: Lane) -> Lane {
    std::array::from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
}

fn max(a: Lane, b: Lane) -> Lane {
    std::array::from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
}

fn sub(a: Lane, b: Lane) -> Lane {
    std::array::from_fn(|i| a[i] - b[i])
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
