//! Solids as trees of convex volumes that provably hold them.
//!
//! A node of the tree stands for the part of the solid in a box. Where one plane or a few bound the solid there, the
//! node's volume is what they leave of the box: its error, how far the volume may reach beyond the solid, shrinks with
//! the square of the box where the surface is smooth, and is zero where it is flat. Where the solid in a box is one of
//! several things, each is a node of its own. The tree is built as far as it is asked for.

use glam::DVec3;

use crate::solid::clip::{Clipped, Remains};
use crate::solid::program::leaf::Form;
use crate::solid::program::region::{LinearBounds, Region};
use crate::solid::program::skin::{Skin, nearest_on, skin_in};
use crate::solid::program::{Op, Program, ProgramMemory, Reduced, plane_bounds};
use crate::solid::tree::node::{Children, Sure, TreeNode};
use crate::solid::tree::sheet::SheetSide;
use crate::solid::volume::number_of;
use crate::solid::volume::{Volume, corners};

/// Whether the inside belongs to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filling {
    Solid,
    /// The surface alone.
    Hollow,
}

/// A solid, ready for a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Built {
    whole: Program,
    /// What the tree holds: the whole, or its surface alone.
    held: Program,
    filling: Filling,
    bounds: [DVec3; 2],
}

impl Built {
    pub(crate) fn new(whole: Program, bounds: [DVec3; 2], filling: Filling) -> Self {
        let held = if filling == Filling::Solid { whole.clone() } else { whole.surface() };
        Self { whole, held, filling, bounds }
    }
}

/// The tree of a solid.
#[derive(Debug)]
pub(crate) struct Cells<'s> {
    /// For points: the whole, whatever the tree holds.
    program: &'s Program,
    held: &'s Program,
    filling: Filling,
    pub(crate) nodes: Vec<TreeNode>,
    /// For each node, what is left of the program in its box.
    rest: Vec<(Region, Vec<Op>)>,
    memory: ProgramMemory,
    /// Roundings of coordinates, in metres.
    slack: f64,
}

/// More alternatives than this are cut into boxes first.
const MOST_ALTERNATIVES: usize = 6;

/// An error of no more than this share of the coordinates is none.
const EXACT: f64 = 1e-12;

/// Nodes that are looked at until a tree counts as one that holds something.
const LOOKS: usize = 4000;

/// Functions and planes of which all are not positive, by their places in the list of those left.
type Alternative = Vec<usize>;

impl<'s> Cells<'s> {
    pub(crate) fn new(Built { whole, held, filling, bounds }: &'s Built) -> Self {
        let region = Region::between(*bounds);
        let size = region.centre.abs().element_sum() + region.half.element_sum();
        let volume = Volume::cuboid(region.ends());
        let root =
            TreeNode { volume, error: size, size: 2.0 * region.half.length(), children: Children::Unopened };
        Self {
            program: whole,
            held,
            filling: *filling,
            nodes: vec![root],
            rest: vec![(region, held.ops.clone())],
            memory: ProgramMemory::default(),
            slack: EXACT * size,
        }
    }

    /// Forgets all nodes but the root.
    pub(crate) fn restart(&mut self) {
        self.nodes.truncate(1);
        self.rest.truncate(1);
        self.nodes[0].children = Children::Unopened;
    }

    /// Makes the nodes below a node, and returns their numbers.
    pub(crate) fn open(&mut self, node: u32) -> (u32, u32) {
        let first = number_of(self.nodes.len());
        let (region, ops) = self.rest[node as usize].clone();
        let ends = region.ends();
        let (axis, middle) = self.division(&region, &ops);
        let mut low = ends;
        low[1][axis] = middle;
        let mut high = ends;
        high[0][axis] = middle;
        for half in [low, high] {
            let mut region = Region::between(half);
            // Nothing is lost between the halves, and nothing reaches beyond the whole by more than roundings.
            region.half = region.half.min(0.5 * (half[1] - half[0]) * (1.0 + 1e-12) + self.slack * 1e-3);
            self.add(&region, &ops);
        }
        let last = number_of(self.nodes.len());
        self.nodes[node as usize].children = Children::Known(first, last);
        (first, last)
    }

    /// Where a box is cut in two: through the middle of its longest edge, or along a layer of a grid.
    fn division(&self, region: &Region, ops: &[Op]) -> (usize, f64) {
        for op in ops {
            if let Op::Leaf { leaf, .. } = op
                && let Some((grid, place, scale)) = self.held.leaves[*leaf as usize].aligned_grid()
                && let Some((axis, layer)) = grid.divide(region.ends().map(|end| (end - place) / scale))
            {
                let at = layer * scale + place[axis];
                let [least, greatest] = region.ends();
                if at > least[axis] && at < greatest[axis] {
                    return (axis, at);
                }
            }
        }
        let half = region.half;
        let axis = if half.x >= half.y && half.x >= half.z {
            0
        } else if half.y >= half.z {
            1
        } else {
            2
        };
        (axis, region.centre[axis])
    }

    /// Adds the nodes of the part of the solid in a box.
    fn add(&mut self, region: &Region, ops: &[Op]) {
        let (left, slabs) = match self.held.reduced(ops, region, &mut self.memory) {
            Reduced::Outside => return,
            Reduced::Inside => {
                let all = Volume::cuboid(region.ends());
                return self.push((all, 0.0, Children::Exact), *region, vec![]);
            }
            Reduced::Left(left, slabs) => (left, slabs),
        };
        match alternatives(&left) {
            Some(list) => {
                // Each alternative goes on by itself.
                let own = |op: &&Op| matches!(op, Op::Leaf { .. } | Op::Plane { .. });
                let all: Vec<Op> = left.iter().filter(own).copied().collect();
                for alternative in list {
                    self.add_alternative(region, &alternative, (&all, &slabs));
                }
            }
            None => {
                let diagonal = 2.0 * region.half.length();
                self.push((Volume::cuboid(region.ends()), diagonal, Children::Unopened), *region, left);
            }
        }
    }

    /// Adds the node of what is behind all planes of an alternative.
    fn add_alternative(
        &mut self,
        region: &Region,
        alternative: &[usize],
        (all, slabs): (&[Op], &[LinearBounds]),
    ) {
        let mut cut = Clipped::new(corners(region.ends()));
        let mut error: f64 = 0.0;
        let diagonal = 2.0 * region.half.length();
        for place in alternative {
            let LinearBounds { gradient, lo, hi } = slabs[*place];
            let steepness = gradient.length();
            let slack = self.slack * 0.01 * steepness;
            let offset = gradient.dot(region.centre) - lo;
            if !offset.is_finite() || steepness == 0.0 {
                error = diagonal;
                continue;
            }
            if cut.cut(gradient, offset, slack) == Remains::Nothing {
                return;
            }
            error = error.max((hi - lo) / steepness);
            if all[*place].asks_for_zero() {
                let above = hi - gradient.dot(region.centre);
                if !above.is_finite() || cut.cut(-gradient, above, slack) == Remains::Nothing {
                    return;
                }
            }
        }
        let points = cut.points();
        let (least, greatest) = points
            .iter()
            .fold((points[0], points[0]), |(least, greatest), p| (least.min(*p), greatest.max(*p)));
        let [low, high] = region.ends();
        let smaller = Region::between([least.max(low), greatest.min(high)]);
        let smaller = Region { centre: smaller.centre, half: smaller.half + self.slack * 1e-3 };
        // A NaN error is as large as can be.
        let (error, children) = if error <= self.slack {
            let functions = alternative.iter().map(|place| (&all[*place], &slabs[*place]));
            let proven = holds_a_point((region, points), self.slack, functions);
            (0.0, if proven { Children::Exact } else { Children::Unproven })
        } else {
            (error.min(diagonal), Children::Unopened)
        };
        let mut ops: Vec<Op> = alternative.iter().map(|place| all[*place]).collect();
        if ops.len() > 1 {
            ops.push(Op::All(number_of(ops.len())));
        }
        self.push((Volume::hull(points.iter().copied()), error, children), smaller, ops);
    }

    fn push(&mut self, (volume, error, children): (Volume, f64, Children), region: Region, ops: Vec<Op>) {
        self.nodes.push(TreeNode { volume, error, size: 2.0 * region.half.length(), children });
        self.rest.push((region, ops));
    }

    /// Whether the inside belongs to the body.
    pub(crate) fn has_inside(&self) -> bool {
        self.filling == Filling::Solid
    }

    /// Whether it is proven that the tree holds nothing, by no more than [`LOOKS`] nodes.
    pub(crate) fn are_empty(mut self) -> bool {
        let mut next = 0;
        // In the order in which they are made: the large ones first.
        while (next as usize) < self.nodes.len().min(LOOKS) {
            let TreeNode { error, .. } = self.nodes[next as usize];
            if error == 0.0 || self.is_inside(self.rest[next as usize].0.centre, 0.0) {
                return false;
            }
            self.open(next);
            next += 1;
        }
        next as usize == self.nodes.len()
    }

    /// A radius within which all points around a point are certainly in the solid; `None` where the point itself may
    /// not be.
    pub(crate) fn depth(&mut self, p: DVec3) -> Option<f64> {
        if self.filling == Filling::Hollow || !self.is_inside(p, 0.0) {
            return None;
        }
        let about = self.level(p).map_or(0.0, |(about, _)| about);
        Some(self.radius_inside(p, about))
    }

    /// The radius that is tried first around a point that lies about so far outside of the solid.
    fn first_radius(&self, about: f64) -> f64 {
        // Where a function is flat, as in the middle of a ball, the distance to its zero is anybody's guess.
        (-0.9 * about).min(0.5 * self.nodes[0].size)
    }

    /// The same around a point that is certainly in the solid, about so far outside of it (less than 0: inside).
    fn radius_inside(&mut self, p: DVec3, about: f64) -> f64 {
        let mut radius = self.first_radius(about);
        for _ in 0..HALVINGS {
            if radius <= self.slack {
                break;
            }
            if self.is_inside(p, radius) {
                return radius;
            }
            radius *= 0.5;
        }
        0.0
    }

    /// Whether a ball is certainly in the solid.
    fn is_inside(&mut self, p: DVec3, radius: f64) -> bool {
        let region = Region { centre: p, half: DVec3::splat(radius) };
        let mut stack: Vec<bool> = Vec::new();
        for op in &self.program.ops {
            let holds = match *op {
                Op::Leaf { leaf, out, .. } => {
                    let function = &self.program.leaves[leaf as usize];
                    if let Form::Mesh(body) = function.form() {
                        let (own, pad) = function.own(&Region { centre: p, half: DVec3::ZERO });
                        let distance = radius / function.scale() + pad + self.slack / function.scale();
                        let inside = crate::instant::inside::is_inside(body, own.centre)
                            == crate::instant::inside::Location::Inside;
                        inside != out && nearest_on(body, own.centre, distance).is_none()
                    } else {
                        let slab = function.slab(&region, &mut self.memory.tape);
                        let slab = if out { slab.negated() } else { slab };
                        slab.hi + slab.gradient.length() * radius * (1.0 + 1e-12) <= 0.0
                    }
                }
                Op::Plane { normal, offset, slack, .. } => {
                    let bounds =
                        plane_bounds((normal, offset, slack), &Region { centre: p, half: DVec3::ZERO });
                    bounds.hi + radius * (1.0 + 1e-12) <= 0.0
                }
                Op::All(count) => {
                    let of = stack.split_off(stack.len() - count as usize);
                    of.into_iter().all(|holds| holds)
                }
                Op::Any(count) => {
                    let of = stack.split_off(stack.len() - count as usize);
                    of.into_iter().any(|holds| holds)
                }
            };
            stack.push(holds);
        }
        stack.pop().unwrap_or(false)
    }

    /// About how far a point is outside of the solid, in metres (less than 0: inside), and the direction out of it.
    fn level(&mut self, p: DVec3) -> Option<(f64, DVec3)> {
        self.program.level(&self.program.ops, p, self.slack, &mut self.memory)
    }

    /// About a point of the surface near a point, and the direction out there.
    pub(crate) fn tangent_plane(&mut self, near: DVec3) -> Option<(DVec3, DVec3)> {
        let (value, normal) = self.level(near)?;
        Some((near - value * normal, normal))
    }

    /// Whether all points within a margin of a segment are certainly inside of the solid whose surface this is, or all
    /// outside.
    pub(crate) fn side_along(&mut self, ends: [DVec3; 2], margin: f64) -> Option<SheetSide> {
        let about = Region::between([ends[0].min(ends[1]) - margin, ends[0].max(ends[1]) + margin]);
        // For each operation whether it certainly holds, and whether it certainly does not.
        let mut stack: Vec<[bool; 2]> = Vec::new();
        for op in &self.program.ops {
            let known = match *op {
                Op::Leaf { leaf, out, .. } => {
                    let function = &self.program.leaves[leaf as usize];
                    if let Form::Mesh(body) = function.form() {
                        let (own, _) = function.own(&about);
                        match skin_in(body, &own, out) {
                            Skin::Inside => [true, false],
                            Skin::Outside => [false, true],
                            Skin::Unknown | Skin::All(_) | Skin::Any(_) => [false; 2],
                        }
                    } else {
                        let slab = function.slab(&about, &mut self.memory.tape);
                        let slab = if out { slab.negated() } else { slab };
                        slab.sides((&about, ends), margin)
                    }
                }
                Op::Plane { normal, offset, slack, .. } => {
                    plane_bounds((normal, offset, slack), &about).sides((&about, ends), margin)
                }
                Op::All(count) => {
                    let of = stack.split_off(stack.len() - count as usize);
                    [of.iter().all(|[holds, _]| *holds), of.iter().any(|[_, fails]| *fails)]
                }
                Op::Any(count) => {
                    let of = stack.split_off(stack.len() - count as usize);
                    [of.iter().any(|[holds, _]| *holds), of.iter().all(|[_, fails]| *fails)]
                }
            };
            stack.push(known);
        }
        match stack.pop()? {
            [true, _] => Some(SheetSide::Back),
            [_, true] => Some(SheetSide::Front),
            [false, false] => None,
        }
    }

    /// About the nearest point of the body, and how deep it is: what [`Self::sure`] may then prove.
    pub(crate) fn guess(&mut self, near: DVec3) -> Option<Sure> {
        let (value, normal) = self.level(near)?;
        if self.filling == Filling::Solid && value <= 0.0 {
            // Where a function is flat, the distance to its zero is anybody's guess.
            return Some(Sure { point: near, depth: (-value).min(0.5 * self.nodes[0].size) });
        }
        Some(Sure { point: near - value * normal, depth: 0.0 })
    }

    /// A point that is certainly of the body, no further than `within` from a point.
    pub(crate) fn sure(&mut self, near: DVec3, within: f64) -> Option<Sure> {
        // Deep inside one proof does.
        if self.filling == Filling::Solid
            && let Some((about, _)) = self.level(near)
        {
            let radius = self.first_radius(about);
            if radius > self.slack && self.is_inside(near, radius) {
                return Some(Sure { point: near, depth: radius });
            }
        }
        let (inside, about) = self.inside_near(near, within)?;
        let sure = match self.filling {
            Filling::Solid => Sure { point: inside, depth: self.radius_inside(inside, about) },
            Filling::Hollow => {
                // Between a point inside and one outside there is a point of the surface.
                let outside = self.outside_near(inside, within)?;
                Sure { point: outside, depth: -outside.distance(inside) }
            }
        };
        (sure.point.distance(near) <= within).then_some(sure)
    }

    /// A point that is certainly inside, near a point, and about how far outside of the solid it lies (less than 0).
    fn inside_near(&mut self, near: DVec3, within: f64) -> Option<(DVec3, f64)> {
        let mut p = near;
        // How far inside to aim.
        let mut aim = 4.0 * self.slack;
        for step in 0..STEPS {
            let (value, normal) = self.level(p)?;
            let hollow = self.filling == Filling::Hollow;
            if value <= 0.0 && (!hollow || value > -aim) && self.is_inside(p, 0.0) {
                return Some((p, value));
            }
            if normal == DVec3::ZERO {
                return None;
            }
            if step >= SINGLE_STEPS && value > 0.0 {
                // At an edge or a corner one plane leads away from another: all at once.
                p += self.way_behind(p, aim)?;
                aim *= 3.0;
                continue;
            }
            // A hollow body is met at its surface: from deep inside the way leads out.
            p -= if hollow { (value + 0.5 * aim) * normal } else { (value + aim) * normal };
            aim *= 3.0;
            if p.distance(near) > 4.0 * within {
                return None;
            }
        }
        None
    }

    /// The shortest way that leads behind all the planes of which a point near the solid is not clearly inside, so far
    /// behind each.
    fn way_behind(&mut self, p: DVec3, aim: f64) -> Option<DVec3> {
        let region = Region { centre: p, half: DVec3::ZERO };
        let mut stack: Vec<Vec<(f64, DVec3)>> = Vec::new();
        let greatest =
            |planes: &[(f64, DVec3)]| planes.iter().map(|plane| plane.0).fold(f64::NEG_INFINITY, f64::max);
        for op in &self.program.ops {
            let planes = match op {
                Op::Leaf { .. } | Op::Plane { .. } => {
                    vec![self.program.plane_at(op, &region, self.slack, &mut self.memory)?]
                }
                Op::All(count) => stack.split_off(stack.len() - *count as usize).concat(),
                Op::Any(count) => {
                    let of = stack.split_off(stack.len() - *count as usize);
                    of.into_iter().min_by(|x, y| greatest(x).total_cmp(&greatest(y)))?
                }
            };
            stack.push(planes);
        }
        let mut planes = stack.pop()?;
        planes.retain(|(value, normal)| *value > -aim && *normal != DVec3::ZERO);
        planes.sort_by(|x, y| y.0.total_cmp(&x.0));
        // Weights of up to three normals, so that the way goes as far behind each of their planes as is asked for.
        let mut way = DVec3::ZERO;
        let mut basis: Vec<DVec3> = Vec::new();
        for (value, normal) in planes {
            let across = basis.iter().fold(normal, |rest, unit| rest - rest.dot(*unit) * *unit);
            let length = across.length();
            if length < 1e-3 {
                continue;
            }
            let unit = across / length;
            way -= (value + aim + way.dot(normal)) / length * unit;
            basis.push(unit);
            if basis.len() == 3 {
                break;
            }
        }
        Some(way)
    }

    /// A point that is certainly outside, near one that is inside.
    fn outside_near(&mut self, inside: DVec3, within: f64) -> Option<DVec3> {
        let mut p = inside;
        let mut aim = 4.0 * self.slack;
        for _ in 0..STEPS {
            let (value, normal) = self.level(p)?;
            if value > 0.0 && self.is_outside(p) {
                return Some(p);
            }
            if normal == DVec3::ZERO || p.distance(inside) > within {
                return None;
            }
            p += (aim - value) * normal;
            aim *= 3.0;
        }
        None
    }

    fn is_outside(&mut self, p: DVec3) -> bool {
        let region = Region { centre: p, half: DVec3::ZERO };
        matches!(self.program.reduced(&self.program.ops, &region, &mut self.memory), Reduced::Outside)
    }

    /// The direction out of the body at a point of its surface.
    pub(crate) fn normal(&mut self, p: DVec3) -> Option<DVec3> {
        self.level(p).map(|(_, normal)| normal).filter(|normal| *normal != DVec3::ZERO)
    }
}

/// How often a radius is halved until a ball is inside.
const HALVINGS: u32 = 14;

/// Steps towards a point of the body, and how many of them take one plane at a time.
const STEPS: usize = 12;
const SINGLE_STEPS: usize = 3;

/// Whether the middle of a volume within a region is certainly of the solid behind functions with these bounds, by a
/// slack. A plane that is the surface itself goes through the volume; then the others are behind by the slack.
fn holds_a_point<'o>(
    (region, points): (&Region, &[DVec3]),
    slack: f64,
    mut functions: impl Iterator<Item = (&'o Op, &'o LinearBounds)>,
) -> bool {
    let [least, greatest] = region.ends();
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let step = middle.clamp(least, greatest) - region.centre;
    functions.all(|(op, LinearBounds { gradient, hi, .. })| {
        if op.asks_for_zero() {
            return matches!(op, Op::Plane { .. });
        }
        gradient.dot(step) + hi + slack * gradient.length() <= 0.0
    })
}

/// The alternatives that a program is the union of; `None` where they are too many.
fn alternatives(left: &[Op]) -> Option<Vec<Alternative>> {
    let mut stack: Vec<Vec<Alternative>> = Vec::new();
    let mut place = 0;
    for op in left {
        match op {
            Op::Leaf { .. } | Op::Plane { .. } => {
                stack.push(vec![vec![place]]);
                place += 1;
            }
            Op::Any(count) => {
                let of = stack.split_off(stack.len() - *count as usize);
                stack.push(of.into_iter().flatten().collect());
            }
            Op::All(count) => {
                let of = stack.split_off(stack.len() - *count as usize);
                let mut product: Vec<Alternative> = vec![vec![]];
                for factor in of {
                    if product.len() * factor.len() > MOST_ALTERNATIVES {
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
        if stack.last().is_some_and(|list| list.len() > MOST_ALTERNATIVES) {
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
    use crate::solid::volume::Convex;
    use chasles_testing::Random;

    fn part(shape: PartShape) -> SolidPart {
        SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }
    }

    /// Whether a volume reaches a point, by directions.
    fn may_hold(volume: &Volume, p: DVec3, random: &mut Random) -> bool {
        let Convex::Hull(points) = &volume.core else { return true };
        (0..20).all(|_| {
            let n = random.direction();
            n.dot(p) <= points.iter().map(|q| n.dot(*q)).fold(f64::NEG_INFINITY, f64::max) + 1e-9
        })
    }

    #[test]
    fn every_point_of_a_drilled_plate_is_in_a_leaf() {
        let random = &mut Random(5);
        let plate = part(PartShape::Primitive(Primitive::Box { size: DVec3::new(2.0, 2.0, 0.1) }));
        let hole = part(PartShape::Primitive(Primitive::Cylinder { radius: 0.2, height: 0.3 }));
        let solid = Solid::new(vec![plate, hole, part(PartShape::Difference(vec![0, 1]))]).unwrap();
        let built = Built::new(Program::new(&Arc::new(solid.clone())), solid.bounds(), Filling::Solid);
        let mut cells = Cells::new(&built);
        for level in 0..10 {
            let count = number_of(cells.nodes.len());
            for node in 0..count {
                if cells.nodes[node as usize].children == Children::Unopened {
                    cells.open(node);
                }
            }
            for _ in 0..200 {
                let p = DVec3::new(random.side(), random.side(), 0.05 * random.side());
                if p.x.hypot(p.y) < 0.2 {
                    continue;
                }
                let leaves = cells.nodes.iter().filter(|node| !matches!(node.children, Children::Known(..)));
                let held = leaves.clone().any(|node| may_hold(&node.volume, p, random));
                assert!(held, "level {level}: {p} of {} leaves", leaves.count());
            }
        }
    }
}
