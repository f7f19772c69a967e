//! Clouds as trees of balls.
//!
//! The points are sorted once into a balanced tree: each half of the list is split again, along the longest side of
//! its bounding box. A ball around each part is stored, so that opening a node is cheap.

use glam::DVec3;
use rayon::join;

use crate::math::direction::unit_along;
use crate::sets::tree::node::{Children, ProvenPoint, TreeNode};
use crate::sets::volume::number_of;
use crate::sets::volume::{ConvexCore, SweptVolume};
use crate::shape::PointCloud;

/// A cloud, sorted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CloudTree {
    /// Numbers and positions of the points.
    points: Vec<(u32, DVec3)>,
    /// Balls around the points of each part: the whole cloud first, then the halves of part n at 2 n + 1 and 2 n + 2.
    balls: Vec<(DVec3, f64)>,
    radius: f64,
}

/// Parts with fewer points than this are not split over threads.
const MIN_PARALLEL: usize = 4096;

/// Radii are enlarged by this factor for the rounding of distances.
const OUTSIDE: f64 = 1.0 + 1e-14;

impl CloudTree {
    pub(crate) fn new(cloud: &PointCloud) -> Self {
        let mut points: Vec<(u32, DVec3)> =
            cloud.numbers().iter().copied().zip(cloud.points().iter().copied()).collect();
        let levels = points.len().next_power_of_two().trailing_zeros();
        let mut balls = vec![(DVec3::ZERO, 0.0); (1_usize << levels) - 1];
        let mut parts: Vec<&mut [(DVec3, f64)]> = Vec::new();
        let mut rest = balls.as_mut_slice();
        for level in 0..levels {
            let (level_balls, below) = rest.split_at_mut(1 << level);
            parts.push(level_balls);
            rest = below;
        }
        sort(&mut points, &mut parts);
        Self { points, balls, radius: cloud.radius() }
    }

    /// The index range [from, to) of the points of a part.
    fn range(&self, mut part: usize) -> (usize, usize) {
        let mut path = Vec::new();
        while part > 0 {
            path.push((part - 1) % 2);
            part = (part - 1) / 2;
        }
        let (mut from, mut to) = (0, self.points.len());
        for side in path.into_iter().rev() {
            let middle = half(from, to);
            if side == 0 { to = middle } else { from = middle }
        }
        (from, to)
    }
}

/// The index at which a list is split.
fn half(from: usize, to: usize) -> usize {
    from + (to - from).div_ceil(2)
}

/// Sorts points into halves of halves, and writes the ball of each part; `levels` holds the slots of the balls,
/// level by level.
fn sort(points: &mut [(u32, DVec3)], levels: &mut [&mut [(DVec3, f64)]]) {
    let Some((top_level, below)) = levels.split_first_mut() else { return };
    let (mut min_corner, mut max_corner) = (points[0].1, points[0].1);
    for (_, p) in points.iter() {
        (min_corner, max_corner) = (min_corner.min(*p), max_corner.max(*p));
    }
    let centre = 0.5 * (min_corner + max_corner);
    let squared = points.iter().map(|(_, p)| p.distance_squared(centre)).fold(0.0, f64::max);
    top_level[0] = (centre, squared.sqrt() * OUTSIDE);
    if points.len() < 2 {
        return;
    }
    let size = max_corner - min_corner;
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let middle = half(0, points.len());
    // Ties of position are broken by number, so that the order is always the same.
    let order = |p: &(u32, DVec3), q: &(u32, DVec3)| p.1[axis].total_cmp(&q.1[axis]).then(p.0.cmp(&q.0));
    points.select_nth_unstable_by(middle - 1, order);
    let (low, high) = points.split_at_mut(middle);
    let (mut left, mut right): (Vec<_>, Vec<_>) =
        below.iter_mut().map(|level| level.split_at_mut(level.len() / 2)).unzip();
    if low.len() < MIN_PARALLEL {
        sort(low, &mut left);
        sort(high, &mut right);
    } else {
        join(|| sort(low, &mut left), || sort(high, &mut right));
    }
}

/// The nodes of a cloud.
#[derive(Debug)]
pub(crate) struct Balls<'s> {
    tree: &'s CloudTree,
    pub(crate) nodes: Vec<TreeNode>,
    /// The part of the cloud that each node contains.
    parts: Vec<CloudPart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CloudPart {
    /// A part of the tree.
    Several(usize),
    /// A point, by its index in the sorted list.
    Point(usize),
}

impl<'s> Balls<'s> {
    pub(crate) fn new(tree: &'s CloudTree) -> Self {
        let mut balls = Self { tree, nodes: Vec::new(), parts: Vec::new() };
        balls.push(0);
        balls
    }

    pub(crate) fn restart(&mut self) {
        self.nodes.truncate(1);
        self.parts.truncate(1);
        if self.nodes[0].children != Children::Exact {
            self.nodes[0].children = Children::Unopened;
        }
    }

    fn push(&mut self, part: usize) {
        let (from, to) = self.tree.range(part);
        let point_radius = self.tree.radius;
        if to - from == 1 {
            let volume =
                SweptVolume::new(ConvexCore::Hull([self.tree.points[from].1].into()), point_radius, 0.0);
            self.nodes.push(TreeNode {
                volume,
                error: 0.0,
                size: 2.0 * point_radius,
                children: Children::Exact,
            });
            self.parts.push(CloudPart::Point(from));
        } else {
            let (centre, radius) = self.tree.balls[part];
            let volume = SweptVolume::new(ConvexCore::Hull([centre].into()), radius + point_radius, 0.0);
            let size = 2.0 * (radius + point_radius);
            self.nodes.push(TreeNode { volume, error: size, size, children: Children::Unopened });
            self.parts.push(CloudPart::Several(part));
        }
    }

    pub(crate) fn split(&mut self, node: u32) -> (u32, u32) {
        let first = number_of(self.nodes.len());
        if let CloudPart::Several(part) = self.parts[node as usize] {
            self.push(2 * part + 1);
            self.push(2 * part + 2);
        }
        let last = number_of(self.nodes.len());
        self.nodes[node as usize].children = Children::Known(first, last);
        (first, last)
    }

    pub(crate) fn point(&self, node: u32) -> Option<u32> {
        match self.parts[node as usize] {
            CloudPart::Point(index) => Some(self.tree.points[index].0),
            CloudPart::Several(_) => None,
        }
    }

    /// The nearest point of the ball of a node's only point; for larger nodes, of the ball of some point of the node.
    pub(crate) fn proven_point(&self, node: u32, near: DVec3) -> ProvenPoint {
        let index = match self.parts[node as usize] {
            CloudPart::Point(index) => index,
            CloudPart::Several(part) => self.tree.range(part).0,
        };
        let centre = self.tree.points[index].1;
        let offset = near - centre;
        let length = offset.length();
        if length <= self.tree.radius {
            return ProvenPoint { point: near, depth: (self.tree.radius - length) * (1.0 - 1e-14) };
        }
        ProvenPoint { point: centre + self.tree.radius / length * offset, depth: 0.0 }
    }

    pub(crate) fn normal(&self, node: u32, at: DVec3) -> Option<DVec3> {
        let CloudPart::Point(index) = self.parts[node as usize] else { return None };
        let normal = unit_along(at - self.tree.points[index].1);
        (self.tree.radius > 0.0 && normal != DVec3::ZERO).then_some(normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;

    #[test]
    fn every_point_is_in_the_balls_above_it() {
        let random = &mut Random(3);
        for count in [1, 2, 3, 5, 64, 1000, 10_001] {
            let points = (0..count).map(|n| (n, random.vector(1.0))).collect();
            let cloud = PointCloud::new(points, 0.01).unwrap();
            let tree = CloudTree::new(&cloud);
            let mut balls = Balls::new(&tree);
            let mut found = Vec::new();
            let mut open = vec![0_u32];
            while let Some(node) = open.pop() {
                if let Some(point) = balls.point(node) {
                    found.push(point);
                    continue;
                }
                let CloudPart::Several(part) = balls.parts[node as usize] else { unreachable!() };
                let (from, to) = tree.range(part);
                let (centre, radius) = tree.balls[part];
                assert!(tree.points[from..to].iter().all(|(_, p)| p.distance(centre) <= radius));
                let (first, last) = balls.split(node);
                open.extend(first..last);
            }
            found.sort_unstable();
            assert_eq!(found, (0..count).collect::<Vec<u32>>());
        }
    }
}
