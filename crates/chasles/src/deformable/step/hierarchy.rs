//! A tree over the faces of a mesh. Its structure is fixed; its boxes are refitted to every step.
//!
//! A box contains its elements during the whole step: vertices move along straight lines, so the box of a vertex's
//! start and end contains its path. Boxes are f32 and rounded outward.

use glam::{DVec3, Vec3A};

use crate::math::budget::{Budget, OutOfBudget};
use crate::shape::Mesh;

/// An axis-aligned box, relative to the centre of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Aabb32 {
    pub(crate) min: Vec3A,
    pub(crate) max: Vec3A,
}

impl Aabb32 {
    const NOTHING: Self = Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    /// A box that contains everything within a distance of two points.
    pub(crate) fn around(from: DVec3, to: DVec3, reach: f64) -> Self {
        // One step outward covers the rounding to f32; the rounding of the sum is far smaller.
        let below = (from.min(to) - reach).to_array().map(|x| rounded(x).next_down());
        let above = (from.max(to) + reach).to_array().map(|x| rounded(x).next_up());
        Self { min: Vec3A::from_array(below), max: Vec3A::from_array(above) }
    }

    #[inline]
    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    #[inline]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        (self.min.cmple(other.max) & other.min.cmple(self.max)).all()
    }

    fn size(&self) -> f32 {
        (self.max - self.min).element_sum()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "what is too large becomes infinite, which is outward")]
fn rounded(x: f64) -> f32 {
    x as f32
}

/// A node: its faces are at `first..first + count` of the order; the left child follows it.
#[derive(Debug, Clone, Copy)]
struct RefitNode {
    first: u32,
    count: u32,
    /// The number of the right child; 0 for a leaf.
    right: u32,
}

/// The tree.
#[derive(Debug, Clone)]
pub(crate) struct Hierarchy {
    order: Vec<u32>,
    nodes: Vec<RefitNode>,
}

/// Boxes of a mesh during one step.
#[derive(Debug, Clone, Default)]
pub(crate) struct RefitBoxes {
    pub(crate) vertices: Vec<Aabb32>,
    pub(crate) faces: Vec<Aabb32>,
    pub(crate) nodes: Vec<Aabb32>,
    /// The nodes that are proven not to meet themselves; empty if there are none, or they were not computed.
    pub(crate) unfolded: Vec<bool>,
}

/// The maximum number of faces in a leaf.
const LEAF: u32 = 2;

impl Hierarchy {
    /// A tree that halves the faces by their centroids along the longest axis, so that its depth is logarithmic in
    /// their number.
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let middles: Vec<DVec3> = mesh
            .triangles()
            .iter()
            .map(|corners| corners.map(|v| mesh.local()[v as usize] / 3.0).into_iter().sum())
            .collect();
        let count = u32::try_from(middles.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..count).collect();
        let mut nodes: Vec<RefitNode> = Vec::new();
        // Each with the parent if the node is a right child.
        let mut waiting: Vec<(u32, u32, Option<usize>)> = vec![(0, count, None)];
        while let Some((first, count, parent)) = waiting.pop() {
            let own = nodes.len();
            if let Some(parent) = parent {
                nodes[parent].right = u32::try_from(own).unwrap_or(u32::MAX);
            }
            nodes.push(RefitNode { first, count, right: 0 });
            if count <= LEAF {
                continue;
            }
            let faces = &mut order[first as usize..(first + count) as usize];
            let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
            let [lo, hi] = faces.iter().fold(start, |[lo, hi], f| {
                let middle = middles[*f as usize];
                [lo.min(middle), hi.max(middle)]
            });
            let axis = (hi - lo).max_position();
            let left = count / 2;
            faces.select_nth_unstable_by(left as usize, |f, g| {
                let [p, q] = [f, g].map(|f| middles[*f as usize][axis]);
                p.total_cmp(&q).then(f.cmp(g))
            });
            waiting.push((first + left, count - left, Some(own)));
            waiting.push((first, left, None));
        }
        Self { order, nodes }
    }

    /// Fits the boxes to vertices that move from `start` to `end`, enlarged by a reach.
    pub(crate) fn fit(&self, mesh: &Mesh, motion: &VertexMotion<'_>, reach: f64, fitted: &mut RefitBoxes) {
        let VertexMotion { start, end, centre } = *motion;
        fitted.unfolded.clear();
        fitted.vertices.clear();
        let places = start.iter().zip(end);
        fitted.vertices.extend(places.map(|(p, q)| Aabb32::around(*p - centre, *q - centre, reach)));
        fitted.faces.clear();
        fitted.faces.extend(mesh.triangles().iter().map(|corners| {
            let [a, b, c] = corners.map(|v| fitted.vertices[v as usize]);
            a.union(b).union(c)
        }));
        fitted.nodes.clear();
        fitted.nodes.resize(self.nodes.len(), Aabb32::NOTHING);
        for (i, node) in self.nodes.iter().enumerate().rev() {
            fitted.nodes[i] = if node.right == 0 {
                let faces = &self.order[node.first as usize..(node.first + node.count) as usize];
                faces.iter().fold(Aabb32::NOTHING, |all, f| all.union(fitted.faces[*f as usize]))
            } else {
                fitted.nodes[i + 1].union(fitted.nodes[node.right as usize])
            };
        }
    }

    /// The number of nodes; the first is the root.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// The first node after the subtree of a node.
    fn after(&self, mut node: u32) -> u32 {
        while let Some([_, right]) = self.children(node) {
            node = right;
        }
        node + 1
    }

    /// The faces of a node.
    pub(crate) fn faces(&self, node: u32) -> &[u32] {
        let RefitNode { first, count, .. } = self.nodes[node as usize];
        &self.order[first as usize..(first + count) as usize]
    }

    pub(crate) fn children(&self, node: u32) -> Option<[u32; 2]> {
        let right = self.nodes[node as usize].right;
        (right > 0).then_some([node + 1, right])
    }
}

/// The moving vertices of a step: their positions at its start and at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VertexMotion<'a> {
    pub(crate) start: &'a [DVec3],
    pub(crate) end: &'a [DVec3],
    /// The origin of the boxes.
    pub(crate) centre: DVec3,
}

/// A tree with its boxes during one step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FittedTree<'a> {
    pub(crate) tree: &'a Hierarchy,
    pub(crate) boxes: &'a RefitBoxes,
}

/// All pairs of faces of two trees whose boxes overlap.
pub(crate) fn overlapping_faces<'w, V>(
    a: FittedTree<'_>,
    b: FittedTree<'_>,
    budget: &mut Budget<'w>,
    visit: &mut V,
) -> Result<(), OutOfBudget>
where
    V: FnMut([u32; 2], &mut Budget<'w>) -> Result<(), OutOfBudget>,
{
    overlapping_nodes(a, b, [0, 0], budget, visit)
}

fn overlapping_nodes<'w, V>(
    a: FittedTree<'_>,
    b: FittedTree<'_>,
    nodes: [u32; 2],
    budget: &mut Budget<'w>,
    visit: &mut V,
) -> Result<(), OutOfBudget>
where
    V: FnMut([u32; 2], &mut Budget<'w>) -> Result<(), OutOfBudget>,
{
    let mut waiting = vec![nodes];
    while let Some([i, j]) = waiting.pop() {
        let [x, y] = [&a.boxes.nodes[i as usize], &b.boxes.nodes[j as usize]];
        if !x.overlaps(y) {
            continue;
        }
        budget.step()?;
        match (a.tree.children(i), b.tree.children(j)) {
            (None, None) => {
                for f in a.tree.faces(i) {
                    for g in b.tree.faces(j) {
                        if a.boxes.faces[*f as usize].overlaps(&b.boxes.faces[*g as usize]) {
                            visit([*f, *g], budget)?;
                        }
                    }
                }
            }
            (Some(own), other) if other.is_none() || x.size() >= y.size() => {
                waiting.extend([[own[1], j], [own[0], j]]);
            }
            (_, Some(other)) => waiting.extend([[i, other[1]], [i, other[0]]]),
            (Some(_), None) => {}
        }
    }
    Ok(())
}

/// All pairs of faces of one tree whose boxes overlap, each once, the lower number first, except pairs inside an
/// unfolded node.
pub(crate) fn overlapping_faces_of_one<'w, V>(
    fitted: FittedTree<'_>,
    budget: &mut Budget<'w>,
    visit: &mut V,
) -> Result<(), OutOfBudget>
where
    V: FnMut([u32; 2], &mut Budget<'w>) -> Result<(), OutOfBudget>,
{
    let FittedTree { tree, boxes } = fitted;
    let mut ordered = |[f, g]: [u32; 2], budget: &mut Budget<'w>| visit([f.min(g), f.max(g)], budget);
    let mut next = 0;
    while next < tree.count() {
        let node = next;
        budget.step()?;
        if boxes.unfolded.get(node as usize).is_some_and(|unfolded| *unfolded) {
            next = tree.after(node);
            continue;
        }
        next += 1;
        match tree.children(node) {
            Some(children) => {
                overlapping_nodes(fitted, fitted, children, budget, &mut ordered)?;
            }
            None => {
                let faces = tree.faces(node);
                for (i, f) in faces.iter().enumerate() {
                    for g in &faces[i + 1..] {
                        if boxes.faces[*f as usize].overlaps(&boxes.faces[*g as usize]) {
                            ordered([*f, *g], budget)?;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}
