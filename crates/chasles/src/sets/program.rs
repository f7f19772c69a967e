//! Solids as programs: intersections and unions of functions that are nonpositive inside.
//!
//! A program is in postfix order, so that running it needs a stack and no recursion. Over a region most parts are
//! decided; the reduced program keeps only the parts that the region needs. A [`leaf`] is a function with bounds
//! over regions ([`region`]): a formula, a [`grid`], a plane, or the inside of a closed mesh ([`skin`]).

pub(crate) mod region;
pub(crate) mod skin;
pub(crate) mod grid;
pub(crate) mod leaf;

use std::sync::Arc;

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::instant::inside::{Location, is_inside};
use crate::instant::nearest_on::{NearestOn, nearest_on};
use crate::math::direction::unit_along;
use crate::motion::Pose;
use crate::sets::program::grid::Grid;
use crate::sets::program::leaf::{Form, Leaf};
use crate::sets::program::region::{LinearBounds, Region};
use crate::sets::program::skin::{Skin, skin_in};
use crate::sets::volume::number_of;
use crate::shape::expression::{FormulaParts, TapeMemory};
use crate::shape::{Mesh, PartShape, Primitive, Solid};

/// One operation of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Op {
    /// A leaf by its number; its complement if `out`. With `zero`, the set where the function is zero instead of
    /// nonpositive.
    Leaf { leaf: u32, out: bool, zero: bool },
    /// normal·x <= offset, in the body's frame, up to a slack in metres.
    Plane { normal: DVec3, offset: f64, slack: f64, zero: bool },
    /// The intersection of this number of previous results.
    All(u32),
    /// Their union.
    Any(u32),
    /// The previous two results: the first where a leaf's function is nonnegative, the second where nonpositive.
    Cut { leaf: u32 },
}

/// The leaves of a solid and its whole program.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Program {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) ops: Vec<Op>,
}

/// The reduction of a program over a region.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reduced {
    /// The region is part of the solid.
    Inside,
    Outside,
    /// The undecided operations in the region, and the bounds of each of their leaves and planes, in order.
    Left(Vec<Op>, Vec<LinearBounds>),
}

/// Memory for running programs.
#[derive(Debug, Default)]
pub(crate) struct ProgramMemory {
    pub(crate) tape: TapeMemory,
    stack: Vec<StackEntry>,
    levels: Vec<(f64, DVec3)>,
    /// For each operation whether it certainly holds everywhere, and whether it certainly holds nowhere.
    pub(crate) sides: Vec<[bool; 2]>,
}

/// A result on the stack of a running program.
#[derive(Debug, Clone, Copy)]
struct StackEntry {
    state: Decided,
    /// The start of its operations and bounds, if it is undecided.
    ops: usize,
    slabs: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decided {
    Inside,
    Outside,
    Left,
}

impl Program {
    /// The program of a primitive.
    pub(crate) fn primitive(primitive: &Primitive) -> Self {
        let mut program = Self { leaves: Vec::new(), ops: Vec::new() };
        program.part(&PartShape::Primitive(*primitive), (&Pose::IDENTITY, 1.0), false);
        program
    }

    /// The program of the inside of a closed mesh.
    pub(crate) fn mesh(body: Arc<PreparedMesh>) -> Self {
        let mut program = Self { leaves: Vec::new(), ops: Vec::new() };
        program.leaf(Leaf::new(Form::Mesh(body), &Pose::IDENTITY, 1.0), false);
        program
    }

    /// The program of a solid in its body's frame.
    pub(crate) fn new(solid: &Solid) -> Self {
        let parts = solid.parts();
        let mut program = Self { leaves: Vec::new(), ops: Vec::new() };
        // A stack of parts to write, the next one last; a join is written after its parts.
        enum Next {
            Part { number: usize, above: Pose, scale: f64, out: bool },
            Write(Op),
        }
        let mut open =
            vec![Next::Part { number: parts.len() - 1, above: Pose::IDENTITY, scale: 1.0, out: false }];
        while let Some(next) = open.pop() {
            let (number, above, scale, out) = match next {
                Next::Write(op) => {
                    program.ops.push(op);
                    continue;
                }
                Next::Part { number, above, scale, out } => (number, above, scale, out),
            };
            let part = &parts[number];
            let own = Pose::from_parts(scale * part.pose.position(), part.pose.rotation());
            let pose = if above == Pose::IDENTITY { own } else { above.compose(&own) };
            let scale = scale * part.scale;
            let (of, join) = match &part.shape {
                PartShape::Union(of) => (of, Op::Any as fn(u32) -> Op),
                PartShape::Intersection(of) | PartShape::Difference(of) => (of, Op::All as fn(u32) -> Op),
                _ => {
                    program.part(&part.shape, (&pose, scale), out);
                    continue;
                }
            };
            let is_difference = matches!(part.shape, PartShape::Difference(_));
            let count = number_of(of.len());
            // The complement of an intersection is a union of complements, and vice versa.
            let join = join(count);
            // A single part needs no join.
            if count > 1 {
                open.push(Next::Write(if out { swapped(join) } else { join }));
            }
            for (place, number) in of.iter().enumerate() {
                let turned = is_difference && place > 0;
                open.push(Next::Part { number: *number, above: pose, scale, out: out != turned });
            }
        }
        program
    }

    /// Writes a part that contains no other parts.
    fn part(&mut self, shape: &PartShape, at: (&Pose, f64), out: bool) {
        let slab = |axis: DVec3, low: f64, high: f64| [(axis, high), (-axis, -low)];
        let cuboid = |[least, greatest]: [DVec3; 2]| {
            [DVec3::X, DVec3::Y, DVec3::Z]
                .into_iter()
                .flat_map(move |axis| slab(axis, axis.dot(least), axis.dot(greatest)))
                .collect::<Vec<(DVec3, f64)>>()
        };
        let cut = |height: f64| slab(DVec3::Z, -0.5 * height, 0.5 * height).to_vec();
        // The intersection of a function, which may already be written, and of planes n·x <= d.
        let (form, planes, written) = match shape {
            PartShape::Primitive(primitive) => match *primitive {
                Primitive::Box { size } => (None, cuboid([-0.5 * size, 0.5 * size]), 0),
                Primitive::Sphere { radius } => {
                    (Some(Form::Quadric { weights: DVec3::ONE, shift: 0.0, radius }), vec![], 0)
                }
                Primitive::Cylinder { radius, height } => {
                    let weights = DVec3::new(1.0, 1.0, 0.0);
                    (Some(Form::Quadric { weights, shift: 0.0, radius }), cut(height), 0)
                }
                Primitive::Cone { radius, height } => {
                    let slope = radius / height;
                    let weights = DVec3::new(1.0, 1.0, -slope * slope);
                    (Some(Form::Quadric { weights, shift: 0.5 * height, radius: 0.0 }), cut(height), 0)
                }
                Primitive::Capsule { radius, height } => {
                    (Some(Form::Capsule { half: 0.5 * height, radius }), vec![], 0)
                }
            },
            PartShape::HalfSpace { normal, offset } => {
                let length = normal.length();
                (None, vec![(*normal / length, offset / length)], 0)
            }
            PartShape::Formula { formula, bounds } => {
                let parts = formula.parts();
                self.formula(&parts, at, out);
                (None, cuboid(*bounds), 1)
            }
            PartShape::LevelSet(samples) => {
                let grid = Form::Grid(Arc::new(Grid::new(Arc::clone(samples))));
                (Some(grid), cuboid(samples.bounds()), 0)
            }
            PartShape::Mesh(mesh) => {
                (Some(Form::Mesh(Arc::new(PreparedMesh::new(Mesh::clone(mesh))))), vec![], 0)
            }
            PartShape::Heights(field) => {
                (Some(Form::Mesh(Arc::new(PreparedMesh::new(Mesh::clone(field.mesh()))))), vec![], 0)
            }
            PartShape::Union(_) | PartShape::Intersection(_) | PartShape::Difference(_) => (None, vec![], 0),
        };
        let mut count = written;
        let (pose, scale) = at;
        if let Some(form) = form {
            self.leaf(Leaf::new(form, pose, scale), out);
            count += 1;
        }
        for (normal, offset) in planes {
            self.plane((normal, offset), at, out);
            count += 1;
        }
        if count != 1 {
            self.ops.push(if out { Op::Any(count) } else { Op::All(count) });
        }
    }

    /// Writes n·x <= d of a part's own frame.
    fn plane(&mut self, (n, d): (DVec3, f64), (pose, scale): (&Pose, f64), out: bool) {
        let (mut normal, mut offset, mut slack) = (n, scale * d, 0.0);
        if *pose != Pose::IDENTITY {
            normal = pose.transform_vector(n);
            offset += normal.dot(pose.position());
            slack = 64.0 * f64::EPSILON * (pose.position().abs().element_sum() + (scale * d).abs());
        }
        let op = Op::Plane { normal, offset, slack, zero: false };
        self.ops.push(if out { complement(op) } else { op });
    }

    fn leaf(&mut self, leaf: Leaf, out: bool) {
        let number = number_of(self.leaves.len());
        self.leaves.push(leaf);
        self.ops.push(Op::Leaf { leaf: number, out, zero: false });
    }

    /// The program of the surface alone. For an intersection: the surface of each part inside the other parts. For a
    /// union: the surface of each part outside the other parts.
    pub(crate) fn surface(&self) -> Self {
        // For each result its program and the program of its surface.
        let mut stack: Vec<[Vec<Op>; 2]> = Vec::new();
        for op in &self.ops {
            let written = match *op {
                Op::Leaf { leaf, out, .. } => [false, true].map(|zero| vec![Op::Leaf { leaf, out, zero }]),
                Op::Plane { normal, offset, slack, .. } => {
                    [false, true].map(|zero| vec![Op::Plane { normal, offset, slack, zero }])
                }
                Op::All(count) | Op::Any(count) => {
                    let is_all = matches!(op, Op::All(_));
                    let of = stack.split_off(stack.len() - count as usize);
                    let mut whole: Vec<Op> = of.iter().flat_map(|[part, _]| part).copied().collect();
                    whole.push(*op);
                    let mut surface: Vec<Op> = Vec::new();
                    for (i, [_, own]) in of.iter().enumerate() {
                        surface.extend(own);
                        for (_, [part, _]) in of.iter().enumerate().filter(|(j, _)| *j != i) {
                            surface.extend(part.iter().map(|op| if is_all { *op } else { complement(*op) }));
                        }
                        surface.push(Op::All(count));
                    }
                    surface.push(Op::Any(count));
                    [whole, surface]
                }
                Op::Cut { leaf } => {
                    let of = stack.split_off(stack.len() - 2);
                    let whole = of.iter().flat_map(|[part, _]| part).copied().chain([*op]).collect();
                    let mut surface: Vec<Op> = of.iter().flat_map(|[_, own]| own).copied().collect();
                    surface.push(*op);
                    // The jump: points at which one side is in the solid and the other is not.
                    for inner in [0, 1] {
                        surface.push(Op::Leaf { leaf, out: false, zero: true });
                        surface.extend(&of[inner][0]);
                        surface.extend(of[1 - inner][0].iter().map(|op| complement(*op)));
                        surface.push(Op::All(3));
                    }
                    surface.push(Op::Any(3));
                    [whole, surface]
                }
            };
            stack.push(written);
        }
        let ops = stack.pop().map(|[_, surface]| surface).unwrap_or_default();
        Self { leaves: self.leaves.clone(), ops }
    }

    /// Writes a formula; its maxima and minima of several functions become joins.
    fn formula(&mut self, parts: &FormulaParts, (pose, scale): (&Pose, f64), out: bool) {
        match parts {
            FormulaParts::Leaf(formula) => {
                self.leaf(Leaf::new(Form::Formula(formula.clone()), pose, scale), out)
            }
            FormulaParts::All(of) | FormulaParts::Any(of) => {
                of.iter().for_each(|part| self.formula(part, (pose, scale), out));
                let count = number_of(of.len());
                let join =
                    if matches!(parts, FormulaParts::All(_)) { Op::All(count) } else { Op::Any(count) };
                self.ops.push(if out { swapped(join) } else { join });
            }
            FormulaParts::Cut(function, of) => {
                of.iter().for_each(|part| self.formula(part, (pose, scale), out));
                let leaf = number_of(self.leaves.len());
                self.leaves.push(Leaf::new(Form::Formula(function.clone()), pose, scale));
                self.ops.push(Op::Cut { leaf });
            }
        }
    }

    /// The reduction of a program over a region. `ops` is this program, or its reduction over a larger region.
    pub(crate) fn reduced(&self, ops: &[Op], region: &Region, memory: &mut ProgramMemory) -> Reduced {
        let mut left: Vec<Op> = Vec::new();
        let mut slabs: Vec<LinearBounds> = Vec::new();
        let ProgramMemory { tape, stack, .. } = memory;
        stack.clear();
        for op in ops {
            let begin = StackEntry { state: Decided::Left, ops: left.len(), slabs: slabs.len() };
            match *op {
                Op::Leaf { leaf, out, .. } => {
                    let function = &self.leaves[leaf as usize];
                    let state = if let Form::Mesh(body) = function.form() {
                        let (own, _) = function.to_leaf_region(region);
                        skin(skin_in(body, &own, out), function, *op, (&mut left, &mut slabs), region)
                    } else {
                        let slab = function.slab(region, tape);
                        let slab = if out { slab.negated() } else { slab };
                        decided(slab, *op, (&mut left, &mut slabs), region)
                    };
                    stack.push(StackEntry { state, ..begin });
                }
                Op::Plane { normal, offset, slack, .. } => {
                    let slab = plane_bounds((normal, offset, slack), region);
                    let state = decided(slab, *op, (&mut left, &mut slabs), region);
                    stack.push(StackEntry { state, ..begin });
                }
                Op::All(count) | Op::Any(count) => {
                    let count = count as usize;
                    let first = stack.len() - count;
                    // The state that decides the whole, and the state that makes no difference.
                    let (decides, idle) = match op {
                        Op::All(_) => (Decided::Outside, Decided::Inside),
                        _ => (Decided::Inside, Decided::Outside),
                    };
                    let of = &stack[first..];
                    let begin = of.first().copied().unwrap_or(begin);
                    let entry = if of.iter().any(|entry| entry.state == decides) {
                        left.truncate(begin.ops);
                        slabs.truncate(begin.slabs);
                        StackEntry { state: decides, ..begin }
                    } else {
                        let open = of.iter().filter(|entry| entry.state == Decided::Left).count();
                        if open > 1 {
                            let open = number_of(open);
                            left.push(if matches!(op, Op::All(_)) { Op::All(open) } else { Op::Any(open) });
                        }
                        StackEntry { state: if open == 0 { idle } else { Decided::Left }, ..begin }
                    };
                    stack.truncate(first);
                    stack.push(entry);
                }
                Op::Cut { leaf } => {
                    let slab = self.leaves[leaf as usize].slab(region, tape);
                    let of = stack.split_off(stack.len() - 2);
                    let begin = of.first().copied().unwrap_or(begin);
                    let state = cut((leaf, slab), &of, (&mut left, &mut slabs), region);
                    stack.push(StackEntry { state, ..begin });
                }
            }
        }
        match stack.pop().map(|entry| entry.state) {
            Some(Decided::Inside) => Reduced::Inside,
            Some(Decided::Left) => Reduced::Left(left, slabs),
            Some(Decided::Outside) | None => Reduced::Outside,
        }
    }

    /// An estimate of a point's signed distance from the zero set of a function, in metres (positive outside), and
    /// the outward direction; `None` for a join.
    pub(crate) fn plane_at(
        &self,
        op: &Op,
        region: &Region,
        slack: f64,
        memory: &mut ProgramMemory,
    ) -> Option<(f64, DVec3)> {
        let p = region.centre;
        Some(match *op {
            Op::Leaf { leaf, out, .. } => {
                let function = &self.leaves[leaf as usize];
                let (value, normal) = if let Form::Mesh(body) = function.form() {
                    let own = function.to_leaf(p);
                    let nearest = nearest_on(body, own, f64::INFINITY)?;
                    let sign = if is_inside(body, own) == Location::Inside { -1.0 } else { 1.0 };
                    let distance = sign * nearest.distance * function.scale();
                    let normal = if nearest.distance > ON_SKIN * body.mesh().diagonal() {
                        unit_along(sign * (p - function.to_body(nearest.point)))
                    } else {
                        let out = outward(body, &nearest);
                        unit_along(function.to_body(out) - function.to_body(DVec3::ZERO))
                    };
                    (distance, normal)
                } else {
                    // If a function has no reliable gradient here, its bounds are more informative.
                    let (value, gradient) = function.about(p, &mut memory.tape).unwrap_or_else(|| {
                        let slab = function.slab(region, &mut memory.tape);
                        (0.5 * (slab.lo + slab.hi), slab.gradient)
                    });
                    let steepness = gradient.length();
                    if steepness > 0.0 && value.is_finite() {
                        (value / steepness, gradient / steepness)
                    } else {
                        (if value <= 0.0 { -slack } else { slack }, DVec3::ZERO)
                    }
                };
                if out { (-value, -normal) } else { (value, normal) }
            }
            Op::Plane { normal, offset, .. } => (normal.dot(p) - offset, normal),
            Op::All(_) | Op::Any(_) | Op::Cut { .. } => return None,
        })
    }

    /// Whether a point is on the second side of a cut, approximately.
    pub(crate) fn is_below(&self, leaf: u32, p: DVec3, memory: &mut ProgramMemory) -> bool {
        self.leaves[leaf as usize].about(p, &mut memory.tape).is_some_and(|(value, _)| value < 0.0)
    }

    /// An estimate of a point's signed distance, in metres (negative inside), and the outward direction. `ops` is
    /// this program, or its reduction over a region that contains the point. If a function has no value, the point
    /// counts as outside by the slack.
    pub(crate) fn level(
        &self,
        ops: &[Op],
        p: DVec3,
        slack: f64,
        memory: &mut ProgramMemory,
    ) -> Option<(f64, DVec3)> {
        let region = Region { centre: p, half: DVec3::ZERO };
        let mut stack = std::mem::take(&mut memory.levels);
        stack.clear();
        for op in ops {
            let count = match *op {
                Op::Leaf { .. } | Op::Plane { .. } => {
                    stack.push(self.plane_at(op, &region, slack, memory)?);
                    continue;
                }
                Op::Cut { leaf } => {
                    let side = usize::from(self.is_below(leaf, p, memory));
                    let value = stack.drain(stack.len() - 2..).nth(side);
                    stack.push(value?);
                    continue;
                }
                Op::All(count) | Op::Any(count) => count as usize,
            };
            let of = stack.drain(stack.len() - count..);
            let value = if matches!(op, Op::All(_)) {
                of.max_by(|x, y| x.0.total_cmp(&y.0))
            } else {
                of.min_by(|x, y| x.0.total_cmp(&y.0))
            };
            stack.push(value?);
        }
        let value = stack.pop();
        memory.levels = stack;
        value
    }
}

/// Decides a cut over a region, given the bounds of its function; keeps the remaining operations. The bounds are
/// kept twice, for the first side and for the second.
fn cut(
    (leaf, slab): (u32, LinearBounds),
    of: &[StackEntry],
    (left, slabs): (&mut Vec<Op>, &mut Vec<LinearBounds>),
    region: &Region,
) -> Decided {
    let [above, below] = of else { return Decided::Outside };
    let (ops, bounds) = (left.split_off(below.ops), slabs.split_off(below.slabs));
    let [least, greatest] = slab.range(region.half);
    if least > 0.0 {
        return above.state;
    }
    let is_same = above.state == below.state && above.state != Decided::Left;
    if greatest < 0.0 || is_same {
        left.truncate(above.ops);
        slabs.truncate(above.slabs);
        left.extend(ops);
        slabs.extend(bounds);
        return below.state;
    }
    let constant = |state: Decided| match state {
        Decided::Inside => Some(Op::All(0)),
        Decided::Outside => Some(Op::Any(0)),
        Decided::Left => None,
    };
    left.extend(constant(above.state));
    left.extend(ops);
    left.extend(constant(below.state));
    slabs.extend(bounds);
    left.push(Op::Cut { leaf });
    slabs.extend([slab.negated(), slab]);
    Decided::Left
}

/// At distances from a mesh below this fraction of its size, the direction to it is undefined.
const ON_SKIN: f64 = 1e-14;

/// The outward direction at a point of a closed mesh.
fn outward(body: &PreparedMesh, on: &NearestOn) -> DVec3 {
    let [p, q, r] = body.mesh().local_triangle(on.face);
    let normal = unit_along((q - p).cross(r - p));
    // The orientation of the triangles is not known.
    let beside = on.point + 1e4 * ON_SKIN * body.mesh().diagonal() * normal;
    if is_inside(body, beside) == Location::Inside { -normal } else { normal }
}

/// The bounds of n·x - d; the normal may be off by rounding.
pub(crate) fn plane_bounds((normal, offset, slack): (DVec3, f64, f64), region: &Region) -> LinearBounds {
    let value = normal.dot(region.centre) - offset;
    let size = region.centre.abs().element_sum() + region.half.element_sum() + offset.abs();
    let off = slack + 32.0 * f64::EPSILON * size;
    LinearBounds { gradient: normal, lo: value - off, hi: value + off }
}

fn swapped(op: Op) -> Op {
    match op {
        Op::All(count) => Op::Any(count),
        Op::Any(count) => Op::All(count),
        other => other,
    }
}

/// The same operation in the complement of a program.
fn complement(op: Op) -> Op {
    match op {
        Op::Leaf { leaf, out, zero } => Op::Leaf { leaf, out: !out, zero },
        Op::Plane { normal, offset, slack, zero } => {
            Op::Plane { normal: -normal, offset: -offset, slack, zero }
        }
        join => swapped(join),
    }
}

impl Op {
    /// The functions whose bounds [`Program::reduced`] keeps for the operation.
    pub(crate) fn functions(&self) -> Vec<Self> {
        match *self {
            Self::Leaf { .. } | Self::Plane { .. } => vec![*self],
            Self::All(_) | Self::Any(_) => vec![],
            Self::Cut { leaf } => [true, false].map(|out| Self::Leaf { leaf, out, zero: false }).to_vec(),
        }
    }

    /// Whether the operation requires a function to be zero.
    pub(crate) fn asks_for_zero(&self) -> bool {
        matches!(self, Self::Leaf { zero: true, .. } | Self::Plane { zero: true, .. })
    }
}

/// Decides a function over a region; keeps the operation if it stays undecided.
fn decided(
    slab: LinearBounds,
    op: Op,
    (left, slabs): (&mut Vec<Op>, &mut Vec<LinearBounds>),
    region: &Region,
) -> Decided {
    let [least, greatest] = slab.range(region.half);
    if least > 0.0 || op.asks_for_zero() && greatest < 0.0 {
        Decided::Outside
    } else if greatest <= 0.0 && !op.asks_for_zero() {
        Decided::Inside
    } else {
        left.push(op);
        slabs.push(slab);
        Decided::Left
    }
}

/// The same for a mesh.
fn skin(
    skin: Skin,
    leaf: &Leaf,
    op: Op,
    (left, slabs): (&mut Vec<Op>, &mut Vec<LinearBounds>),
    region: &Region,
) -> Decided {
    let zero = op.asks_for_zero();
    let (planes, all) = match skin {
        Skin::Inside if !zero => return Decided::Inside,
        Skin::Inside | Skin::Outside => return Decided::Outside,
        Skin::Unknown => {
            left.push(op);
            slabs.push(LinearBounds::flat(f64::NEG_INFINITY, f64::INFINITY));
            return Decided::Left;
        }
        Skin::All(planes) => (planes, true),
        Skin::Any(planes) => (planes, false),
    };
    let planes: Vec<(DVec3, f64, f64)> = planes
        .into_iter()
        .map(|(n, d, slack)| {
            let (normal, offset) = leaf.plane_out((n, d));
            (normal, offset, slack * leaf.scale())
        })
        .collect();
    let plane = |(normal, offset, slack), zero| Op::Plane { normal, offset, slack, zero };
    let mut ops: Vec<Op> = Vec::new();
    let count = number_of(planes.len());
    if zero {
        for i in 0..planes.len() {
            ops.extend(planes.iter().enumerate().map(|(j, p)| {
                let op = plane(*p, i == j);
                if all || i == j { op } else { complement(op) }
            }));
            ops.push(Op::All(count));
        }
        ops.push(Op::Any(count));
    } else {
        ops.extend(planes.iter().map(|p| plane(*p, false)));
        ops.push(if all { Op::All(count) } else { Op::Any(count) });
    }
    // A program of planes alone, so its reduction contains planes only.
    let own = Program { leaves: Vec::new(), ops: Vec::new() };
    match own.reduced(&ops, region, &mut ProgramMemory::default()) {
        Reduced::Inside => Decided::Inside,
        Reduced::Outside => Decided::Outside,
        Reduced::Left(own_left, own_slabs) => {
            left.extend(own_left);
            slabs.extend(own_slabs);
            Decided::Left
        }
    }
}
