//! Converts a binary tree into the hierarchy: oriented boxes for its nodes, then the blocks of eight with minimum
//! cost.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::layout::{BoxBlock, Bvh, LEAF, MIN_UNIT, NONE, TriangleBlock, WIDTH};
use super::oriented::{OrientedBox, SurfaceMoments, main_axes, nearest};
use super::sah::{BinaryNode, BinaryTree};
use crate::shape::Mesh;

/// A node with its box, and the minimum costs of its descendants as children of a block.
///
/// The nodes that become blocks are chosen as in Ylitie, Karras, Laine 2017 ("Efficient incoherent ray traversal on
/// GPUs through compressed wide BVHs", section 3.1): the best of all ways to collapse the tree, by dynamic
/// programming.
#[derive(Debug, Clone, Copy, PartialEq)]
struct NodeWithObb {
    bounds: OrientedBox,
    /// `cost[k - 1]`: the total area of the nodes that become box blocks, if the node's triangles are distributed
    /// over at most k children of a block. Triangle blocks do not count: their cost is the same for every choice.
    cost: [f32; WIDTH],
    /// `first[k - 1]`: the number of these k children below the node's first child; 0 if k - 1 children are as
    /// good.
    first: [u8; WIDTH],
}

/// A mesh in the unit of the hierarchy and in a suitable frame.
struct Framed<'a> {
    mesh: &'a Mesh,
    /// The axes of the frame.
    frame: DMat3,
    vertices: Vec<DVec3>,
}

/// A binary tree, with the vertices of each node contiguous.
struct TreeWithVertices<'a> {
    placed: &'a Framed<'a>,
    tree: &'a BinaryTree,
    /// The vertices of every leaf, each once per leaf, in the order of the leaves.
    points: Vec<DVec3>,
    /// The range of each node in `points`.
    ranges: Vec<[u32; 2]>,
}

/// Maximum number of triangles that determine the axes of a whole mesh.
const SAMPLE: usize = 256;

/// A subtree of more nodes than this gets its own thread.
const PARALLEL: usize = 256;

impl Bvh {
    /// Builds the hierarchy of a mesh. The result has the same bits for any number of threads.
    #[must_use]
    pub(crate) fn build(mesh: &Mesh) -> Self {
        let unit = unit(mesh);
        let placed = Framed::new(mesh, unit);
        let tree = BinaryTree::build(mesh, &placed.vertices);
        let mut fitted = vec![NodeWithObb::EMPTY; tree.nodes.len()];
        TreeWithVertices::new(&placed, &tree).fit(0, &mut fitted);
        let (boxes, leaves) = fold(&tree, &fitted);
        let block = |leaf: &BinaryNode| triangle_block(mesh, unit, tree.faces(leaf));
        let triangles = leaves.par_iter().with_min_len(PARALLEL).map(block).collect();
        Self { unit, boxes, triangles }
    }
}

/// The smallest power of two that makes all coordinates at most 1.
fn unit(mesh: &Mesh) -> f64 {
    let radius = mesh.radius();
    // A point, or a mesh so small that the reciprocal would overflow.
    if radius < MIN_UNIT {
        return if radius > 0.0 { MIN_UNIT } else { 1.0 };
    }
    let power = f64::from_bits(radius.to_bits() & f64::INFINITY.to_bits());
    if power < radius { 2.0 * power } else { power }
}

impl<'a> Framed<'a> {
    fn new(mesh: &'a Mesh, unit: f64) -> Self {
        // Exact, as the unit is a power of two.
        let scale = 1.0 / unit;
        let vertices: Vec<DVec3> = mesh.local().iter().map(|v| scale * *v).collect();
        let mut placed = Self { mesh, frame: DMat3::IDENTITY, vertices };
        // Parts are modelled along their axes, but exported at their pose in a machine.
        let sample = mesh.triangles().iter().step_by(1 + mesh.triangles().len() / SAMPLE);
        let sample: Vec<_> = sample.map(|t| placed.triangle(*t)).collect();
        placed.frame = main_axes(&SurfaceMoments::of(sample.iter().copied()), sample.as_flattened());
        if placed.frame != DMat3::IDENTITY {
            let to_frame = placed.frame.transpose();
            placed.vertices.iter_mut().for_each(|v| *v = to_frame * *v);
        }
        placed
    }

    fn triangle(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|v| self.vertices[v as usize])
    }
}

impl<'a> TreeWithVertices<'a> {
    fn new(placed: &'a Framed, tree: &'a BinaryTree) -> Self {
        let triangles = placed.mesh.triangles();
        let mut points = Vec::with_capacity(tree.faces.len() + tree.faces.len() / 4);
        let mut ranges = vec![[0; 2]; tree.nodes.len()];
        // The last leaf that contained each vertex.
        let mut seen = vec![NONE; placed.vertices.len()];
        for ((i, node), range) in (0_u32..).zip(&tree.nodes).zip(&mut ranges) {
            range[0] = number(points.len());
            if node.is_leaf() {
                for v in tree.faces(node).iter().flat_map(|&face| triangles[face as usize]) {
                    if std::mem::replace(&mut seen[v as usize], i) != i {
                        points.push(placed.vertices[v as usize]);
                    }
                }
            }
            range[1] = number(points.len());
        }
        for (i, node) in tree.nodes.iter().enumerate().rev().filter(|(_, node)| !node.is_leaf()) {
            ranges[i][1] = ranges[i + node.skip as usize][1];
        }
        Self { placed, tree, points, ranges }
    }

    /// Fits boxes to node `at` and all its descendants, stores them in `fitted`, and computes their costs as
    /// children.
    fn fit(&self, at: usize, fitted: &mut [NodeWithObb]) -> SurfaceMoments {
        let node = &self.tree.nodes[at];
        let [start, end] = self.ranges[at].map(|i| i as usize);
        let around = |surface| OrientedBox::around(surface, &self.points[start..end], &self.placed.frame);
        if node.is_leaf() {
            let triangles = self.placed.mesh.triangles();
            let corners = |face: &u32| self.placed.triangle(triangles[*face as usize]);
            let surface = SurfaceMoments::of(self.tree.faces(node).iter().map(corners));
            fitted[0] = NodeWithObb::leaf(around(&surface).0);
            return surface;
        }
        let skip = node.skip as usize;
        let (root, below) = fitted.split_at_mut(1);
        let (left, right) = below.split_at_mut(skip - 1);
        let (a, b) = if left.len() + right.len() > PARALLEL {
            rayon::join(|| self.fit(at + 1, left), || self.fit(at + skip, right))
        } else {
            (self.fit(at + 1, left), self.fit(at + skip, right))
        };
        let surface = a.merged(&b);
        let (bounds, area) = around(&surface);
        root[0] = NodeWithObb::inner(bounds, area, [&left[0], &right[0]]);
        surface
    }
}

fn triangle_block(mesh: &Mesh, unit: f64, faces: &[u32]) -> TriangleBlock {
    let mut block = TriangleBlock { corners: [[[0.0; WIDTH]; 3]; 3], face: [NONE; WIDTH] };
    for (lane, &face) in faces.iter().enumerate() {
        block.face[lane] = face;
        for (corner, v) in block.corners.iter_mut().zip(mesh.local_triangle(face)) {
            for (coordinate, x) in corner.iter_mut().zip((v / unit).to_array()) {
                coordinate[lane] = nearest(x);
            }
        }
    }
    block
}

impl NodeWithObb {
    const EMPTY: Self = Self {
        bounds: OrientedBox { centre: [0.0; 3], axes: [[0.0; 3]; 3], octagon: [0.0; 2] },
        cost: [0.0; WIDTH],
        first: [0; WIDTH],
    };

    fn leaf(bounds: OrientedBox) -> Self {
        Self { bounds, cost: [0.0; WIDTH], first: [0; WIDTH] }
    }

    fn inner(bounds: OrientedBox, area: f64, [left, right]: [&Self; 2]) -> Self {
        let (mut cost, mut first) = ([f32::INFINITY; WIDTH], [0; WIDTH]);
        for k in 2..=WIDTH {
            cost[k - 1] = cost[k - 2];
            for j in 1..k {
                let divided = left.cost[j - 1] + right.cost[k - j - 1];
                if divided < cost[k - 1] {
                    cost[k - 1] = divided;
                    #[expect(clippy::cast_possible_truncation, reason = "at most 8")]
                    let j = j as u8;
                    first[k - 1] = j;
                }
            }
        }
        // As a single child, the node is a block of its own, with the best number of children.
        cost[0] = nearest(area) + cost[WIDTH - 1];
        Self { bounds, cost, first }
    }
}

/// The box blocks, and the leaves in the order of their blocks. Children of a block are contiguous.
fn fold(tree: &BinaryTree, fitted: &[NodeWithObb]) -> (Vec<BoxBlock>, Vec<BinaryNode>) {
    let mut boxes = vec![BoxBlock::EMPTY];
    let mut leaves = Vec::new();
    // The blocks to fill, with the nodes that become their children.
    let mut stack = vec![(0, vec![0])];
    while let Some((block, nodes)) = stack.pop() {
        let waiting = stack.len();
        for (lane, &at) in nodes.iter().enumerate() {
            let node = &tree.nodes[at];
            let child = if node.is_leaf() {
                leaves.push(*node);
                LEAF | number(leaves.len() - 1)
            } else {
                let mut children = Vec::with_capacity(WIDTH);
                push_children(&mut children, tree, fitted, at, WIDTH);
                boxes.push(BoxBlock::EMPTY);
                stack.push((boxes.len() - 1, children));
                number(boxes.len() - 1)
            };
            boxes[block].set(lane, &fitted[at].bounds, child);
        }
        // The first child is filled first.
        stack[waiting..].reverse();
    }
    (boxes, leaves)
}

/// Adds the descendants of a node that become its at most `count` children of a block.
fn push_children(
    children: &mut Vec<usize>,
    tree: &BinaryTree,
    fitted: &[NodeWithObb],
    at: usize,
    count: usize,
) {
    let node = &tree.nodes[at];
    if node.is_leaf() {
        children.push(at);
        return;
    }
    let count = (2..=count).rev().find(|k| fitted[at].first[k - 1] > 0).unwrap_or(1);
    let first = usize::from(fitted[at].first[count - 1]);
    for (child, count) in [(at + 1, first), (at + node.skip as usize, count - first)] {
        if count == 1 {
            children.push(child);
        } else {
            push_children(children, tree, fitted, child, count);
        }
    }
}

impl BoxBlock {
    const EMPTY: Self = Self {
        centre: [[0.0; WIDTH]; 3],
        axes: [[[0.0; WIDTH]; 3]; 3],
        octagon: [[0.0; WIDTH]; 2],
        child: [NONE; WIDTH],
    };

    fn set(&mut self, lane: usize, bounds: &OrientedBox, child: u32) {
        self.child[lane] = child;
        self.octagon[0][lane] = bounds.octagon[0];
        self.octagon[1][lane] = bounds.octagon[1];
        for coordinate in 0..3 {
            self.centre[coordinate][lane] = bounds.centre[coordinate];
            for axis in 0..3 {
                self.axes[axis][coordinate][lane] = bounds.axes[axis][coordinate];
            }
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
