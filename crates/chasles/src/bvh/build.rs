//! A binary tree of axis-aligned boxes, split by the surface area heuristic.

use glam::DVec3;

use crate::shape::Mesh;

/// A tree of boxes over the triangles of a mesh, one triangle a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Bvh {
    nodes: Vec<Node>,
}

/// A box around some triangles, relative to the centre of the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Middle of the box.
    pub centre: DVec3,
    /// Half its extents, rounded up.
    pub half: DVec3,
    /// The second child of an inner node (the first follows it directly), or the triangle of a leaf.
    link: u32,
    leaf: bool,
}

impl Node {
    /// The triangle of a leaf.
    #[must_use]
    pub fn triangle(&self) -> Option<u32> {
        self.leaf.then_some(self.link)
    }
}

/// Boxes to choose a split from, per axis.
const BINS: usize = 16;

impl Bvh {
    /// The tree of a mesh.
    #[must_use]
    pub fn build(mesh: &Mesh) -> Self {
        let count = u32::try_from(mesh.triangles().len()).unwrap_or(u32::MAX);
        let mut boxes: Vec<(u32, [DVec3; 2])> = (0..count)
            .map(|face| {
                let [a, b, c] = mesh.local_triangle(face);
                (face, [a.min(b).min(c), a.max(b).max(c)])
            })
            .collect();
        let mut bvh = Self { nodes: Vec::with_capacity(2 * boxes.len()) };
        // An explicit stack: the parent that waits for the number of its second child, and the range.
        let mut stack = vec![(None, 0, boxes.len())];
        while let Some((parent, begin, end)) = stack.pop() {
            let index = bvh.nodes.len();
            if let Some(parent) = parent {
                let parent: usize = parent;
                bvh.nodes[parent].link = u32::try_from(index).unwrap_or(u32::MAX);
            }
            let range = &mut boxes[begin..end];
            let [lo, hi] = around(range.iter().map(|(_, b)| *b));
            let centre = 0.5 * (lo + hi);
            let half = (hi - centre).max(centre - lo) * (1.0 + 4.0 * f64::EPSILON);
            bvh.nodes.push(Node { centre, half, link: range[0].0, leaf: range.len() == 1 });
            if range.len() > 1 {
                let middle = begin + split(range);
                stack.push((Some(index), middle, end));
                stack.push((None, begin, middle));
            }
        }
        bvh
    }

    /// The node that holds everything.
    #[must_use]
    pub fn root(&self) -> u32 {
        0
    }

    /// A node.
    ///
    /// # Panics
    /// If there is no such node.
    #[must_use]
    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// The two children of an inner node.
    ///
    /// # Panics
    /// If there is no such node.
    #[must_use]
    pub fn children(&self, index: u32) -> [u32; 2] {
        [index + 1, self.nodes[index as usize].link]
    }
}

fn around(boxes: impl Iterator<Item = [DVec3; 2]>) -> [DVec3; 2] {
    boxes.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[lo, hi], [l, h]| [lo.min(l), hi.max(h)])
}

fn half_area([lo, hi]: [DVec3; 2]) -> f64 {
    let size = (hi - lo).max(DVec3::ZERO);
    size.x * size.y + size.y * size.z + size.z * size.x
}

/// Orders the boxes so that the first part and the rest make good children; gives the length of the first part.
fn split(boxes: &mut [(u32, [DVec3; 2])]) -> usize {
    let middle = |b: &[DVec3; 2]| 0.5 * (b[0] + b[1]);
    let [lo, hi] = around(boxes.iter().map(|(_, b)| [middle(b); 2]));
    let size = hi - lo;
    let mut best = (f64::INFINITY, 0, 0);
    for axis in 0..3 {
        // Written so that an empty or overflowing extent is passed over.
        if !(size[axis] > 0.0 && size[axis].is_finite()) {
            continue;
        }
        let mut bins = [(0_usize, [DVec3::INFINITY, DVec3::NEG_INFINITY]); BINS];
        for (_, b) in boxes.iter() {
            let bin = &mut bins[bin_of(middle(b)[axis], lo[axis], size[axis])];
            bin.0 += 1;
            bin.1 = [bin.1[0].min(b[0]), bin.1[1].max(b[1])];
        }
        for cut in 1..BINS {
            let cost = |side: &[(usize, [DVec3; 2])]| {
                let count: usize = side.iter().map(|b| b.0).sum();
                if count == 0 {
                    return f64::INFINITY;
                }
                #[expect(clippy::cast_precision_loss, reason = "a cost needs no last digit")]
                let count = count as f64;
                count * half_area(around(side.iter().map(|b| b.1)))
            };
            let cost = cost(&bins[..cut]) + cost(&bins[cut..]);
            if cost < best.0 {
                best = (cost, axis, cut);
            }
        }
    }
    let (cost, axis, cut) = best;
    if cost.is_finite() {
        let left = |b: &[DVec3; 2]| bin_of(middle(b)[axis], lo[axis], size[axis]) < cut;
        // Stable, so that equal input gives an equal tree.
        boxes.sort_by_key(|(_, b)| !left(b));
        return boxes.partition_point(|(_, b)| left(b));
    }
    // All in one place: any halves will do, and keep the tree shallow.
    boxes.len() / 2
}

fn bin_of(x: f64, lo: f64, size: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= x - lo <= size")]
    let bin = ((x - lo) / size * BINS as f64) as usize;
    bin.min(BINS - 1)
}
