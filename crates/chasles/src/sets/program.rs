//! Solids as programs: intersections and unions of functions that are nonpositive inside.
//!
//! A program is in postfix order, so that running it needs a stack and no recursion. Over a region most parts are
//! decided; the reduced program ([`reduce`]) keeps only the parts that the region needs. A [`leaf`] is a function
//! with bounds over regions ([`region`]): a formula, a [`grid`], a plane, or the inside of a closed mesh ([`skin`]).
//! [`level`] estimates signed distances.

pub(crate) mod region;
pub(crate) mod skin;
pub(crate) mod grid;
pub(crate) mod leaf;
pub(crate) mod reduce;
pub(crate) mod level;

use std::sync::Arc;

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::motion::Pose;
use crate::sets::program::grid::Grid;
use crate::sets::program::leaf::{Form, Leaf};
use crate::sets::program::reduce::StackEntry;
use crate::sets::volume::number_of;
use crate::shape::expression::{FormulaParts, TapeMemory};
use crate::shape::{Mesh, PartShape, Primitive, Solid};

/// One operation of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Op {
    /// A leaf by its number; its complement if `out`. With `zero`, the set where the function is zero instead of
    /// nonpositive.
    Leaf { leaf: u32, out: bool, zero: bool },
    /// normal·x <= offset, in the body's frame, up to a rounding error in metres.
    Plane { normal: DVec3, offset: f64, rounding: f64, zero: bool },
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

/// Memory for running programs.
#[derive(Debug, Default)]
pub(crate) struct ProgramMemory {
    pub(crate) tape: TapeMemory,
    stack: Vec<StackEntry>,
    levels: Vec<(f64, DVec3)>,
    /// For each operation whether its set certainly contains the whole region, and whether it certainly misses it.
    pub(crate) sides: Vec<[bool; 2]>,
}

impl Program {
    /// The program of a primitive.
    pub(crate) fn primitive(primitive: &Primitive) -> Self {
        let mut program = Self { leaves: Vec::new(), ops: Vec::new() };
        program.part(&PartShape::Primitive(*primitive), &Pose::IDENTITY, 1.0, false);
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
            let part_pose = Pose::from_parts(scale * part.pose.position(), part.pose.rotation());
            let pose = if above == Pose::IDENTITY { part_pose } else { above.compose(&part_pose) };
            let scale = scale * part.scale;
            let (of, join) = match &part.shape {
                PartShape::Union(of) => (of, Op::Any as fn(u32) -> Op),
                PartShape::Intersection(of) | PartShape::Difference(of) => (of, Op::All as fn(u32) -> Op),
                _ => {
                    program.part(&part.shape, &pose, scale, out);
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
            for (index, number) in of.iter().enumerate() {
                let is_subtracted = is_difference && index > 0;
                open.push(Next::Part { number: *number, above: pose, scale, out: out != is_subtracted });
            }
        }
        program
    }

    /// Writes a part that contains no other parts.
    fn part(&mut self, shape: &PartShape, pose: &Pose, scale: f64, out: bool) {
        let slab = |axis: DVec3, low: f64, high: f64| [(axis, high), (-axis, -low)];
        let cuboid = |[low, high]: [DVec3; 2]| {
            [DVec3::X, DVec3::Y, DVec3::Z]
                .into_iter()
                .flat_map(move |axis| slab(axis, axis.dot(low), axis.dot(high)))
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
                self.formula(&parts, pose, scale, out);
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
        if let Some(form) = form {
            self.leaf(Leaf::new(form, pose, scale), out);
            count += 1;
        }
        for (normal, offset) in planes {
            let plane = plane_in_body(normal, offset, pose, scale);
            self.ops.push(if out { complement(plane) } else { plane });
            count += 1;
        }
        if count != 1 {
            self.ops.push(if out { Op::Any(count) } else { Op::All(count) });
        }
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
                Op::Plane { normal, offset, rounding, .. } => {
                    [false, true].map(|zero| vec![Op::Plane { normal, offset, rounding, zero }])
                }
                Op::All(count) | Op::Any(count) => {
                    let is_all = matches!(op, Op::All(_));
                    let of = stack.split_off(stack.len() - count as usize);
                    let mut whole: Vec<Op> = of.iter().flat_map(|[part, _]| part).copied().collect();
                    whole.push(*op);
                    let mut surface: Vec<Op> = Vec::new();
                    for (i, [_, part_surface]) in of.iter().enumerate() {
                        surface.extend(part_surface);
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
                    let mut surface: Vec<Op> =
                        of.iter().flat_map(|[_, part_surface]| part_surface).copied().collect();
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
    fn formula(&mut self, parts: &FormulaParts, pose: &Pose, scale: f64, out: bool) {
        match parts {
            FormulaParts::Leaf(formula) => {
                self.leaf(Leaf::new(Form::Formula(formula.clone()), pose, scale), out)
            }
            FormulaParts::All(of) | FormulaParts::Any(of) => {
                of.iter().for_each(|part| self.formula(part, pose, scale, out));
                let count = number_of(of.len());
                let join =
                    if matches!(parts, FormulaParts::All(_)) { Op::All(count) } else { Op::Any(count) };
                self.ops.push(if out { swapped(join) } else { join });
            }
            FormulaParts::Cut(function, of) => {
                of.iter().for_each(|part| self.formula(part, pose, scale, out));
                let leaf = number_of(self.leaves.len());
                self.leaves.push(Leaf::new(Form::Formula(function.clone()), pose, scale));
                self.ops.push(Op::Cut { leaf });
            }
        }
    }
}

/// The plane n·x <= d of a part's own frame, in the body's frame.
fn plane_in_body(n: DVec3, d: f64, pose: &Pose, scale: f64) -> Op {
    let (mut normal, mut offset, mut rounding) = (n, scale * d, 0.0);
    if *pose != Pose::IDENTITY {
        normal = pose.transform_vector(n);
        offset += normal.dot(pose.position());
        rounding = 64.0 * f64::EPSILON * (pose.position().abs().element_sum() + (scale * d).abs());
    }
    Op::Plane { normal, offset, rounding, zero: false }
}

/// The union in place of an intersection, and vice versa.
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
        Op::Plane { normal, offset, rounding, zero } => {
            Op::Plane { normal: -normal, offset: -offset, rounding, zero }
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
    pub(crate) fn requires_zero(&self) -> bool {
        matches!(self, Self::Leaf { zero: true, .. } | Self::Plane { zero: true, .. })
    }
}
