//! Solids as trees of convex volumes that provably contain them.
//!
//! A node contains the part of the solid in a box. If one or a few planes bound the solid there, the node's volume
//! is the box cut by them. Its error, the distance by which it may extend beyond the solid, shrinks with the square
//! of the box's size if the surface is smooth, and is zero if the surface is flat. If the solid in a box is a union
//! of alternatives, each gets a node of its own. The tree is built on demand.

pub(crate) mod points;

use std::sync::OnceLock;

use glam::DVec3;

use crate::sets::clip::{Clipped, Remains};
use crate::sets::program::reduce::{Reduced, UndecidedProgram};
use crate::sets::program::region::{LinearBounds, Region};
use crate::sets::program::{Op, Program, ProgramMemory};
use crate::sets::tree::node::{Children, TreeNode};
use crate::sets::volume::number_of;
use crate::sets::volume::{SweptVolume, corners};

/// Whether the interior belongs to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interior {
    Solid,
    /// The surface alone.
    Hollow,
}

/// A solid, ready for a tree.
#[derive(Debug)]
pub(crate) struct PreparedSolid {
    whole: Program,
    /// The program of the tree's points: the whole solid, or its surface alone.
    tree_program: Program,
    interior: Interior,
    bounds: [DVec3; 2],
    top: OnceLock<FirstNodes>,
}

/// The first nodes, shared by all trees of a solid; made on first use.
#[derive(Debug, Default)]
struct FirstNodes {
    nodes: Vec<TreeNode>,
    reduced_programs: Vec<(Region, Vec<Op>)>,
    children: Vec<Children>,
}

impl PreparedSolid {
    pub(crate) fn new(whole: Program, bounds: [DVec3; 2], interior: Interior) -> Self {
        let tree_program = if interior == Interior::Solid { whole.clone() } else { whole.surface() };
        Self { whole, tree_program, interior, bounds, top: OnceLock::new() }
    }

    /// The nodes that most searches open.
    fn top(&self) -> FirstNodes {
        let mut cells = SolidOctree::bare(self);
        let min_error = TOP_ERROR * cells.nodes[0].size;
        let mut next = 0;
        while (next as usize) < cells.nodes.len() && cells.nodes.len() < TOP_NODES {
            let TreeNode { error, children, .. } = cells.nodes[next as usize];
            if children == Children::Unopened && error > min_error {
                cells.split(next);
            }
            next += 1;
        }
        let SolidOctree { nodes, reduced_programs, .. } = cells;
        let children = nodes.iter().map(|node| node.children).collect();
        FirstNodes { nodes, reduced_programs, children }
    }
}

/// The tree of a solid.
#[derive(Debug)]
pub(crate) struct SolidOctree<'s> {
    /// For point queries: the whole solid, also if the tree contains the surface alone.
    program: &'s Program,
    tree_program: &'s Program,
    interior: Interior,
    /// The first nodes; the same for all trees of the solid.
    top: &'s [TreeNode],
    /// The reduced program in each of their boxes.
    top_programs: &'s [(Region, Vec<Op>)],
    /// The children of each of the first nodes, as far as this tree has opened them.
    top_children: Vec<Children>,
    /// The nodes after the first ones.
    nodes: Vec<TreeNode>,
    /// The box and reduced program of each of `nodes`.
    reduced_programs: Vec<(Region, Vec<Op>)>,
    memory: ProgramMemory,
    /// Rounding of coordinates, in metres.
    rounding: f64,
}

/// If a box has more alternatives than this, it is cut first.
const MAX_ALTERNATIVES: usize = 6;

/// An error up to this fraction of the coordinates counts as zero.
const EXACT: f64 = 1e-12;

/// The maximum number of nodes visited before a tree counts as non-empty.
const MAX_VISITS: usize = 4000;

/// The number of nodes made once for all trees of a solid: some hundred kilobytes.
const TOP_NODES: usize = 256;

/// Nodes with an error below this fraction of the root's size are not opened among them.
const TOP_ERROR: f64 = 0.01;

/// Functions and planes that must all be nonpositive, by their indices in the list that remains.
type Alternative = Vec<usize>;

impl<'s> SolidOctree<'s> {
    pub(crate) fn new(built: &'s PreparedSolid) -> Self {
        let FirstNodes { nodes, reduced_programs, children } = built.top.get_or_init(|| built.top());
        let bare = Self::bare(built);
        Self {
            top: nodes,
            top_programs: reduced_programs,
            top_children: children.clone(),
            nodes: Vec::new(),
            reduced_programs: Vec::new(),
            ..bare
        }
    }

    /// A tree that starts with the root alone.
    pub(crate) fn bare(
        PreparedSolid { whole, tree_program, interior, bounds, .. }: &'s PreparedSolid,
    ) -> Self {
        let region = Region::between(*bounds);
        let size = region.centre.abs().element_sum() + region.half.element_sum();
        let volume = SweptVolume::cuboid(region.ends());
        let root =
            TreeNode { volume, error: size, size: 2.0 * region.half.length(), children: Children::Unopened };
        Self {
            program: whole,
            tree_program,
            interior: *interior,
            top: &[],
            top_programs: &[],
            top_children: Vec::new(),
            nodes: vec![root],
            reduced_programs: vec![(region, tree_program.ops.clone())],
            memory: ProgramMemory::default(),
            rounding: EXACT * size,
        }
    }

    #[inline]
    pub(crate) fn node(&self, number: u32) -> &TreeNode {
        let number = number as usize;
        self.top.get(number).unwrap_or_else(|| &self.nodes[number - self.top.len()])
    }

    /// The number of nodes.
    pub(crate) fn count(&self) -> usize {
        self.top.len() + self.nodes.len()
    }

    /// The box of a node, and the reduced program in it.
    fn remaining_program(&self, number: u32) -> &(Region, Vec<Op>) {
        let number = number as usize;
        self.top_programs
            .get(number)
            .unwrap_or_else(|| &self.reduced_programs[number - self.top_programs.len()])
    }

    /// Discards all nodes but the first ones.
    pub(crate) fn restart(&mut self) {
        let kept = usize::from(self.top.is_empty());
        self.nodes.truncate(kept);
        self.reduced_programs.truncate(kept);
        self.nodes.iter_mut().for_each(|root| root.children = Children::Unopened);
        for (children, node) in self.top_children.iter_mut().zip(self.top) {
            *children = node.children;
        }
    }

    /// Makes the children of a node, and returns their numbers.
    pub(crate) fn split(&mut self, node: u32) -> (u32, u32) {
        if let Some(Children::Known(first, last)) = self.top_children.get(node as usize) {
            return (*first, *last);
        }
        let first = number_of(self.count());
        let (region, ops) = self.remaining_program(node).clone();
        let ends = region.ends();
        let (axis, middle) = self.division(&region, &ops);
        let mut low = ends;
        low[1][axis] = middle;
        let mut high = ends;
        high[0][axis] = middle;
        for half in [low, high] {
            let mut region = Region::between(half);
            // The halves leave no gap, and extend beyond the whole box by rounding only.
            region.half = region.half.min(0.5 * (half[1] - half[0]) * (1.0 + 1e-12) + self.rounding * 1e-3);
            self.add(&region, &ops);
        }
        let last = number_of(self.count());
        let index = node as usize;
        let children = match self.top_children.get_mut(index) {
            Some(children) => children,
            None => &mut self.nodes[index - self.top.len()].children,
        };
        *children = Children::Known(first, last);
        (first, last)
    }

    /// The axis and coordinate at which a box is cut in two: at a layer of a grid; otherwise through the middle,
    /// perpendicular to the axis along which the functions curve most. Cells along a cylinder thus stay long.
    fn division(&self, region: &Region, ops: &[Op]) -> (usize, f64) {
        let mut curvatures = Some([0.0_f64; 3]);
        for op in ops {
            let Op::Leaf { leaf, .. } = op else { continue };
            let function = &self.tree_program.leaves[*leaf as usize];
            if let Some((axis, at)) = function.layer_through(region) {
                let [min_corner, max_corner] = region.ends();
                if at > min_corner[axis] && at < max_corner[axis] {
                    return (axis, at);
                }
            }
            let leaf_curvatures = function.curvature_of_halves(region);
            curvatures = curvatures
                .zip(leaf_curvatures)
                .map(|(maximum, leaf)| [0, 1, 2].map(|axis| maximum[axis].max(leaf[axis])));
        }
        let half = region.half;
        let longest =
            [1, 2].into_iter().fold(0, |best, axis| if half[axis] > half[best] { axis } else { best });
        let flattest = |curvatures: [f64; 3]| {
            let better = |axis: usize, best: usize| curvatures[axis] < curvatures[best] * (1.0 - 1e-9);
            [0, 1, 2].into_iter().fold(longest, |best, axis| if better(axis, best) { axis } else { best })
        };
        let axis = curvatures.map_or(longest, flattest);
        (axis, region.centre[axis])
    }

    /// Adds the nodes of the part of the solid in a box.
    fn add(&mut self, region: &Region, ops: &[Op]) {
        let whole = || SweptVolume::cuboid(region.ends());
        let UndecidedProgram { ops, bounds } = match self.tree_program.reduced(ops, region, &mut self.memory)
        {
            Reduced::Outside => return,
            Reduced::Inside => {
                let exact = TreeNode::new(whole(), 0.0, region, Children::Exact);
                return self.push(exact, *region, vec![]);
            }
            Reduced::Undecided(undecided) => undecided,
        };
        match alternatives(&ops) {
            Some(list) => {
                // Each alternative becomes a node of its own.
                let functions: Vec<Op> = ops.iter().flat_map(Op::functions).collect();
                for alternative in list {
                    self.add_alternative(region, &alternative, &functions, &bounds);
                }
            }
            None => {
                let diagonal = 2.0 * region.half.length();
                let node = TreeNode::new(whole(), diagonal, region, Children::Unopened);
                self.push(node, *region, ops);
            }
        }
    }

    /// Adds the node of the region behind all planes of an alternative.
    fn add_alternative(
        &mut self,
        region: &Region,
        alternative: &[usize],
        functions: &[Op],
        bounds: &[LinearBounds],
    ) {
        let mut cut = Clipped::new(corners(region.ends()));
        let mut error: f64 = 0.0;
        let diagonal = 2.0 * region.half.length();
        for index in alternative {
            let LinearBounds { gradient, lo, hi } = bounds[*index];
            let steepness = gradient.length();
            let rounding = self.rounding * 0.01 * steepness;
            let offset = gradient.dot(region.centre) - lo;
            if !offset.is_finite() || steepness == 0.0 {
                error = diagonal;
                continue;
            }
            error = error.max((hi - lo) / steepness);
            match cut.cut(gradient, offset, rounding) {
                Remains::Nothing => return,
                Remains::Something => {}
                Remains::More => error = diagonal,
            }
            if functions[*index].requires_zero() {
                let above = hi - gradient.dot(region.centre);
                if !above.is_finite() {
                    return;
                }
                match cut.cut(-gradient, above, rounding) {
                    Remains::Nothing => return,
                    Remains::Something => {}
                    Remains::More => error = diagonal,
                }
            }
        }
        let points = cut.points();
        let (min_corner, max_corner) =
            points.iter().fold((points[0], points[0]), |(min_corner, max_corner), p| {
                (min_corner.min(*p), max_corner.max(*p))
            });
        let [low, high] = region.ends();
        let smaller = Region::between([min_corner.max(low), max_corner.min(high)]);
        let smaller = Region { centre: smaller.centre, half: smaller.half + self.rounding * 1e-3 };
        // A NaN error counts as the largest possible.
        let (error, children) = if error <= self.rounding {
            let selected = alternative.iter().map(|index| (&functions[*index], &bounds[*index]));
            let proven = contains_a_point(region, points, self.rounding, selected);
            (0.0, if proven { Children::Exact } else { Children::Unproven })
        } else {
            (error.min(diagonal), Children::Unopened)
        };
        let mut ops: Vec<Op> = alternative.iter().map(|index| functions[*index]).collect();
        if ops.len() > 1 {
            ops.push(Op::All(number_of(ops.len())));
        }
        let volume = SweptVolume::hull(points.iter().copied());
        self.push(TreeNode::new(volume, error, &smaller, children), smaller, ops);
    }

    fn push(&mut self, node: TreeNode, region: Region, ops: Vec<Op>) {
        self.nodes.push(node);
        self.reduced_programs.push((region, ops));
    }

    /// Whether the interior belongs to the body.
    pub(crate) fn has_interior(&self) -> bool {
        self.interior == Interior::Solid
    }

    /// Whether the tree is proven empty, by visiting at most [`MAX_VISITS`] nodes.
    pub(crate) fn are_empty(mut self) -> bool {
        let mut next = 0;
        // In the order of creation: large nodes first.
        while (next as usize) < self.count().min(MAX_VISITS) {
            let centre = self.remaining_program(next).0.centre;
            if self.node(next).error == 0.0 || self.is_inside(centre, 0.0) {
                return false;
            }
            self.split(next);
            next += 1;
        }
        next as usize == self.count()
    }
}

/// Whether the middle of a volume within a region provably belongs to the solid bounded by these functions. If a plane
/// is the surface itself, it passes through the volume. The other functions must be nonpositive by the rounding error.
fn contains_a_point<'o>(
    region: &Region,
    points: &[DVec3],
    rounding: f64,
    mut functions: impl Iterator<Item = (&'o Op, &'o LinearBounds)>,
) -> bool {
    let [min_corner, max_corner] = region.ends();
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let step = middle.clamp(min_corner, max_corner) - region.centre;
    functions.all(|(op, LinearBounds { gradient, hi, .. })| {
        if op.requires_zero() {
            return matches!(op, Op::Plane { .. });
        }
        gradient.dot(step) + hi + rounding * gradient.length() <= 0.0
    })
}

/// The alternatives whose union a program is; `None` if there are too many.
fn alternatives(ops: &[Op]) -> Option<Vec<Alternative>> {
    let mut stack: Vec<Vec<Alternative>> = Vec::new();
    let mut index = 0;
    for op in ops {
        match op {
            Op::Leaf { .. } | Op::Plane { .. } => {
                stack.push(vec![vec![index]]);
                index += 1;
            }
            Op::Any(count) => {
                let of = stack.split_off(stack.len() - *count as usize);
                stack.push(of.into_iter().flatten().collect());
            }
            Op::Cut { .. } => {
                let of = stack.split_off(stack.len() - 2);
                let sides = of.into_iter().zip(index..);
                stack.push(
                    sides
                        .flat_map(|(list, side)| {
                            list.into_iter().map(move |places| [&places[..], &[side]].concat())
                        })
                        .collect(),
                );
                index += 2;
            }
            Op::All(count) => {
                let of = stack.split_off(stack.len() - *count as usize);
                let mut product: Vec<Alternative> = vec![vec![]];
                for factor in of {
                    if product.len() * factor.len() > MAX_ALTERNATIVES {
                        return None;
                    }
                    product = product
                        .iter()
                        .flat_map(|p| factor.iter().map(move |q| [p.as_slice(), q].concat()))
                        .collect();
                }
                stack.push(product);
            }
        }
        if stack.last().is_some_and(|list| list.len() > MAX_ALTERNATIVES) {
            return None;
        }
    }
    stack.pop()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::motion::Pose;
    use crate::shape::{PartShape, Primitive, Solid, SolidPart};
    use chasles_testing::Random;

    fn part(shape: PartShape) -> SolidPart {
        SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }
    }

    /// Whether a volume may contain a point, tested in random directions.
    fn may_contain(volume: &SweptVolume, p: DVec3, random: &mut Random) -> bool {
        (0..20).all(|_| {
            let n = random.direction();
            n.dot(p) <= volume.reach(n) + 1e-9
        })
    }

    #[test]
    fn every_point_of_a_drilled_plate_is_in_a_leaf() {
        let random = &mut Random(5);
        let plate = part(PartShape::Primitive(Primitive::Box { size: DVec3::new(2.0, 2.0, 0.1) }));
        let hole = part(PartShape::Primitive(Primitive::Cylinder { radius: 0.2, height: 0.3 }));
        let solid = Solid::new(vec![plate, hole, part(PartShape::Difference(vec![0, 1]))]).unwrap();
        let built =
            PreparedSolid::new(Program::new(&Arc::new(solid.clone())), solid.bounds(), Interior::Solid);
        let mut cells = SolidOctree::new(&built);
        for level in 0..10 {
            let count = number_of(cells.count());
            for node in 0..count {
                if cells.node(node).children == Children::Unopened {
                    cells.split(node);
                }
            }
            for _ in 0..200 {
                let p = DVec3::new(random.side(), random.side(), 0.05 * random.side());
                if p.x.hypot(p.y) < 0.2 {
                    continue;
                }
                let is_leaf = |number: &u32| {
                    let of_top = cells.top_children.get(*number as usize).copied();
                    !matches!(of_top.unwrap_or(cells.node(*number).children), Children::Known(..))
                };
                let leaves = (0..number_of(cells.count())).filter(is_leaf).map(|number| cells.node(number));
                let is_contained = leaves.clone().any(|node| may_contain(&node.volume, p, random));
                assert!(is_contained, "level {level}: {p} of {} leaves", leaves.count());
            }
        }
    }

    #[test]
    fn a_tree_restarts_from_its_common_nodes() {
        let ball = part(PartShape::Primitive(Primitive::Sphere { radius: 1.0 }));
        let solid = Solid::new(vec![ball]).unwrap();
        let built =
            PreparedSolid::new(Program::new(&Arc::new(solid.clone())), solid.bounds(), Interior::Solid);
        let opened = |cells: &mut SolidOctree<'_>| -> Vec<SweptVolume> {
            let mut next = 0;
            while cells.count() < 1500 {
                if cells.node(next).error > 0.0 {
                    cells.split(next);
                }
                next += 1;
            }
            (0..number_of(cells.count())).map(|number| cells.node(number).volume.clone()).collect()
        };
        let mut cells = SolidOctree::new(&built);
        let top = cells.count();
        assert!((30..1500).contains(&top), "{top}");
        let first = opened(&mut cells);
        cells.restart();
        assert_eq!(cells.count(), top);
        assert_eq!(opened(&mut cells), first);
        assert_eq!(opened(&mut SolidOctree::new(&built)), first);
        // The same nodes as without shared ones, up to their order.
        let largest = |volumes: &[SweptVolume]| {
            let mut reaches: Vec<f64> =
                volumes.iter().take(30).map(|volume| volume.reach(DVec3::ONE)).collect();
            reaches.sort_by(f64::total_cmp);
            reaches
        };
        assert_eq!(largest(&opened(&mut SolidOctree::bare(&built))), largest(&first));
    }
}
