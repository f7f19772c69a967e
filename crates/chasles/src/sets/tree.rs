//! Bodies of every kind as trees of convex volumes that provably contain them.
//!
//! A node is a convex volume. Its `error` is how far the volume may extend beyond the body. A node without error has
//! no children: its volume equals the body there, unless it is unproven that the body has a point there at all. All
//! other nodes open into smaller nodes, as far as a search needs.
//!
//! Solids are cut into [`cells`], boxes cut by planes; a solid primitive is one node ([`convex_primitive`]). [`faces`]
//! has the triangles of a mesh, [`cloud`] balls, and [`patches`] thick parallelograms. A [`sheet`] is a piece of a
//! surface near a point.

pub(crate) mod node;
pub(crate) mod sheet;
pub(crate) mod cells;
pub(crate) mod convex_primitive;
pub(crate) mod faces;
pub(crate) mod cloud;
pub(crate) mod patches;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DMat3, DVec3};

use crate::body::PreparedMesh;
use crate::math::budget::Budget;
use crate::sets::tree::cells::{PreparedSolid, SolidOctree};
use crate::sets::tree::cloud::{Balls, CloudTree};
use crate::sets::tree::convex_primitive::ConvexPrimitive;
use crate::sets::tree::faces::MeshTree;
use crate::sets::tree::node::{Children, ProvenPoint, TreeNode};
use crate::sets::tree::patches::Patches;
use crate::sets::tree::sheet::{Sheet, SheetSide};
use crate::sets::volume::{DistanceGoal, RoundedTransform, SweptVolume, VolumePair, number_of, separation};
use crate::shape::ParametricSurface;

/// A body prepared for trees. Shared by all trees of the body.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TreeSource<'s> {
    Primitive(&'s ConvexPrimitive),
    Solid(&'s PreparedSolid),
    Faces(&'s PreparedMesh),
    Cloud(&'s CloudTree),
    Patch(&'s ParametricSurface),
}

/// A body as a tree of nodes, opened on demand.
#[derive(Debug)]
pub(crate) struct BoundingTree<'s> {
    kind: TreeKind<'s>,
    /// How often the nodes were discarded.
    age: u32,
}

#[derive(Debug)]
enum TreeKind<'s> {
    Primitive(&'s ConvexPrimitive, [TreeNode; 1]),
    Cells(Box<SolidOctree<'s>>),
    Faces(MeshTree<'s>),
    Cloud(Balls<'s>),
    Patches(Box<Patches<'s>>),
}

/// The maximum number of points that `middles` returns.
const MAX_MIDDLES: usize = 256;

/// The maximum number of nodes around a point, and the steps of the budget that each visit of a node takes.
const MAX_AROUND: usize = 32;
const STEPS_A_VISIT: u64 = 100;

/// Trees with more nodes than this restart at the next search.
const MANY_NODES: usize = 150_000;

/// The maximum number of nodes of a search: some hundred megabytes.
const MAX_NODES: usize = 600_000;

impl<'s> BoundingTree<'s> {
    pub(crate) fn new(source: TreeSource<'s>) -> Self {
        let kind = match source {
            TreeSource::Primitive(whole) => TreeKind::Primitive(whole, [whole.node()]),
            TreeSource::Solid(built) => TreeKind::Cells(Box::new(SolidOctree::new(built))),
            TreeSource::Faces(body) => TreeKind::Faces(MeshTree::new(body)),
            TreeSource::Cloud(cloud) => TreeKind::Cloud(Balls::new(cloud)),
            TreeSource::Patch(surface) => TreeKind::Patches(Box::new(Patches::new(surface))),
        };
        Self { kind, age: 0 }
    }

    #[inline]
    pub(crate) fn node(&self, number: u32) -> &TreeNode {
        let index = number as usize;
        match &self.kind {
            TreeKind::Primitive(_, nodes) => &nodes[index],
            TreeKind::Cells(cells) => cells.node(number),
            TreeKind::Faces(faces) => &faces.nodes[index],
            TreeKind::Cloud(balls) => &balls.nodes[index],
            TreeKind::Patches(patches) => &patches.nodes[index],
        }
    }

    /// Whether points of the body are found by position alone, whichever node is given.
    pub(crate) fn finds_by_position(&self) -> bool {
        match &self.kind {
            TreeKind::Primitive(..) | TreeKind::Cells(_) | TreeKind::Faces(_) => true,
            TreeKind::Cloud(_) | TreeKind::Patches(_) => false,
        }
    }

    /// Points near the body, all over it: the middles of some of the nodes.
    pub(crate) fn middles(&self) -> Vec<DVec3> {
        let step = self.count().div_ceil(MAX_MIDDLES).max(1);
        let numbers = (0..self.count()).step_by(step);
        numbers.map(|index| self.node(number_of(index)).volume.middle).collect()
    }

    /// The number of nodes.
    fn count(&self) -> usize {
        match &self.kind {
            TreeKind::Primitive(_, nodes) => nodes.len(),
            TreeKind::Cells(cells) => cells.count(),
            TreeKind::Faces(faces) => faces.nodes.len(),
            TreeKind::Cloud(balls) => balls.nodes.len(),
            TreeKind::Patches(patches) => patches.nodes.len(),
        }
    }

    /// The children of a node that is not exact.
    pub(crate) fn split(&mut self, number: u32) -> std::ops::Range<u32> {
        if let Children::Known(first, last) = self.node(number).children {
            return first..last;
        }
        let (first, last) = match &mut self.kind {
            TreeKind::Primitive(..) => (0, 0),
            TreeKind::Cells(cells) => cells.split(number),
            TreeKind::Faces(faces) => faces.split(number),
            TreeKind::Cloud(balls) => balls.split(number),
            TreeKind::Patches(patches) => patches.split(number),
        };
        first..last
    }

    /// Node numbers stay valid as long as the age is the same.
    pub(crate) fn age(&self) -> u32 {
        self.age
    }

    /// Whether the tree has reached its maximum number of nodes.
    pub(crate) fn is_full(&self) -> bool {
        self.count() >= MAX_NODES
    }

    /// Discards nodes if there are too many. All node numbers but 0, the root, are invalid afterwards.
    pub(crate) fn forget_nodes(&mut self) {
        if self.count() <= MANY_NODES {
            return;
        }
        self.age += 1;
        match &mut self.kind {
            TreeKind::Primitive(..) => {}
            TreeKind::Cells(cells) => cells.restart(),
            TreeKind::Faces(faces) => faces.restart(),
            TreeKind::Cloud(balls) => balls.restart(),
            TreeKind::Patches(patches) => patches.restart(),
        }
    }

    /// A point of an exact node's volume as a point of the body; `None` if the node is not exact.
    pub(crate) fn proven_point_of_exact(&mut self, node: u32, point: DVec3) -> Option<ProvenPoint> {
        if self.node(node).children != Children::Exact {
            return None;
        }
        match &mut self.kind {
            TreeKind::Cells(cells) => Some(ProvenPoint { point, depth: cells.depth(point).unwrap_or(0.0) }),
            TreeKind::Primitive(..) | TreeKind::Faces(_) | TreeKind::Cloud(_) | TreeKind::Patches(_) => None,
        }
    }

    /// A point of the body within a distance of a point, near which the node's volume lies.
    pub(crate) fn proven_point(&mut self, node: u32, near: DVec3, within: f64) -> Option<ProvenPoint> {
        let proven = match &mut self.kind {
            TreeKind::Primitive(whole, _) => whole.proven_point(near),
            TreeKind::Cells(cells) => cells.proven_point(near, within)?,
            TreeKind::Faces(faces) => faces.proven_point(near, within)?,
            TreeKind::Cloud(balls) => balls.proven_point(node, near),
            TreeKind::Patches(patches) => patches.proven_point(node, near)?,
        };
        (proven.point.distance(near) <= within).then_some(proven)
    }

    /// An estimate of a point of the body near a point, which [`Self::proven_point`] may then prove.
    pub(crate) fn guess(&mut self, node: u32, near: DVec3, within: f64) -> Option<ProvenPoint> {
        match &mut self.kind {
            TreeKind::Cells(cells) => cells.guess(near),
            TreeKind::Primitive(..) | TreeKind::Faces(_) | TreeKind::Cloud(_) | TreeKind::Patches(_) => {
                self.proven_point(node, near, within)
            }
        }
    }

    /// The direction out of the body, or the normal of its surface, near a point of the body.
    pub(crate) fn normal(&mut self, node: u32, at: DVec3) -> Option<DVec3> {
        match &mut self.kind {
            TreeKind::Primitive(whole, _) => Some(whole.normal(at)),
            TreeKind::Cells(cells) => cells.normal(at),
            TreeKind::Faces(faces) => faces.normal(node),
            TreeKind::Cloud(balls) => balls.normal(node, at),
            TreeKind::Patches(patches) => patches.normal(node),
        }
    }

    /// The direction out of the body; `None` for a surface without interior.
    pub(crate) fn outward(&mut self, node: u32, at: DVec3) -> Option<DVec3> {
        if self.is_surface() { None } else { self.normal(node, at) }
    }

    /// Nodes with errors of at most `fine` that contain all of the body within a distance of a point, and that
    /// distance. It is smaller than the given one if the number of nodes or the budget is exceeded.
    pub(crate) fn around(
        &mut self,
        p: DVec3,
        distance: f64,
        fine: f64,
        budget: &mut Budget<'_>,
    ) -> (Vec<u32>, f64) {
        let point_volume = SweptVolume::hull([p]);
        let identity =
            RoundedTransform { rotation: DMat3::IDENTITY, translation: DVec3::ZERO, rounding: 0.0 };
        let goal = DistanceGoal {
            less: distance,
            relative: 0.1,
            absolute: 0.1 * distance,
            more: distance,
            towards: DVec3::ZERO,
        };
        // The nearest first: gaps are never negative, so their bits sort like the gaps; NaN counts as 0.
        let mut open = BinaryHeap::from([Reverse((0.0_f64.to_bits(), 0))]);
        let mut found = Vec::new();
        while let Some(Reverse((gap, number))) = open.pop() {
            if found.len() >= MAX_AROUND || self.is_full() || budget.take(STEPS_A_VISIT).is_err() {
                return (found, distance.min(f64::from_bits(gap)));
            }
            let node = self.node(number);
            if node.error.max(0.0) <= fine || node.size <= fine {
                found.push(number);
                continue;
            }
            for child in self.split(number) {
                let volumes = VolumePair { first: &point_volume, second: &self.node(child).volume };
                let gap = separation(volumes, &identity, &goal).lower;
                if gap.is_nan() || gap <= distance {
                    open.push(Reverse((gap.max(0.0).to_bits(), child)));
                }
            }
        }
        (found, distance)
    }

    /// Whether the body is a surface without interior.
    pub(crate) fn is_surface(&self) -> bool {
        match &self.kind {
            TreeKind::Primitive(..) | TreeKind::Cloud(_) => false,
            TreeKind::Cells(cells) => !cells.has_interior(),
            TreeKind::Faces(_) | TreeKind::Patches(_) => true,
        }
    }

    /// An estimate of a surface point near a point, and the normal there.
    pub(crate) fn tangent_plane(&mut self, node: u32, near: DVec3) -> Option<(DVec3, DVec3)> {
        let (point, normal) = match &mut self.kind {
            TreeKind::Cells(cells) => cells.tangent_plane(near)?,
            TreeKind::Faces(faces) => faces.tangent_plane(near)?,
            TreeKind::Patches(patches) => patches.tangent_plane(node, near)?,
            TreeKind::Primitive(..) | TreeKind::Cloud(_) => return None,
        };
        (normal != DVec3::ZERO).then_some((point, normal))
    }

    /// The piece of the surface around one of its points, extending about `reach` in all directions.
    pub(crate) fn sheet(&mut self, node: u32, at: DVec3, reach: f64) -> Option<Sheet> {
        match &mut self.kind {
            TreeKind::Cells(_) => Some(Sheet::Boundary),
            TreeKind::Faces(faces) => faces.flat(at).map(Sheet::Flat),
            TreeKind::Patches(patches) => patches.flat(node, at, reach).map(Sheet::Flat),
            TreeKind::Primitive(..) | TreeKind::Cloud(_) => None,
        }
    }

    /// The side of a sheet of this surface on which a segment lies, by a margin.
    pub(crate) fn side_of(&mut self, sheet: &Sheet, ends: [DVec3; 2], margin: f64) -> Option<SheetSide> {
        match (sheet, &mut self.kind) {
            (Sheet::Flat(flat), _) => flat.side(ends, margin),
            (Sheet::Boundary, TreeKind::Cells(cells)) => cells.side_along(ends, margin),
            (Sheet::Boundary, _) => None,
        }
    }

    /// The number of the point or triangle that an exact node contains.
    pub(crate) fn number(&self, node: u32) -> Option<Element> {
        match &self.kind {
            TreeKind::Faces(faces) => faces.face(node).map(Element::Face),
            TreeKind::Cloud(balls) => balls.point(node).map(Element::Point),
            TreeKind::Primitive(..) | TreeKind::Cells(_) | TreeKind::Patches(_) => None,
        }
    }
}

/// A numbered part of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    Point(u32),
    Face(u32),
}
