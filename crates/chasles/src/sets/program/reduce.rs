//! The reduction of a program to the parts that are undecided over a region.

use crate::sets::program::leaf::{Form, Leaf};
use crate::sets::program::region::{LinearBounds, Region};
use crate::sets::program::skin::{Skin, SkinPlane, skin_in};
use crate::sets::program::{Op, Program, ProgramMemory, complement};
use crate::sets::volume::number_of;

/// The reduction of a program over a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduced<U = UndecidedProgram> {
    /// The region is part of the solid.
    Inside,
    Outside,
    Undecided(U),
}

/// The reduction of a part of a program, whose remaining operations are stored elsewhere.
type Decided = Reduced<()>;

/// The operations that are undecided over a region.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UndecidedProgram {
    pub(crate) ops: Vec<Op>,
    /// The bounds of each of their leaves and planes, in order.
    pub(crate) bounds: Vec<LinearBounds>,
}

impl UndecidedProgram {
    fn push(&mut self, op: Op, bounds: LinearBounds) {
        self.ops.push(op);
        self.bounds.push(bounds);
    }

    fn extend(&mut self, other: Self) {
        self.ops.extend(other.ops);
        self.bounds.extend(other.bounds);
    }

    /// Discards the operations and bounds from those of a stack entry on.
    fn truncate(&mut self, entry: &StackEntry) {
        self.ops.truncate(entry.ops);
        self.bounds.truncate(entry.bounds);
    }

    /// Removes the operations and bounds from those of a stack entry on, and returns them.
    fn split_off(&mut self, entry: &StackEntry) -> Self {
        Self { ops: self.ops.split_off(entry.ops), bounds: self.bounds.split_off(entry.bounds) }
    }
}

/// A result on the stack of a running program.
#[derive(Debug, Clone, Copy)]
pub(super) struct StackEntry {
    state: Decided,
    /// The start of its operations and bounds, if it is undecided.
    ops: usize,
    bounds: usize,
}

impl Program {
    /// The reduction of a program over a region. `ops` is this program, or its reduction over a larger region.
    pub(crate) fn reduced(&self, ops: &[Op], region: &Region, memory: &mut ProgramMemory) -> Reduced {
        let mut undecided = UndecidedProgram::default();
        let ProgramMemory { tape, stack, .. } = memory;
        stack.clear();
        for op in ops {
            let start = StackEntry {
                state: Reduced::Undecided(()),
                ops: undecided.ops.len(),
                bounds: undecided.bounds.len(),
            };
            match *op {
                Op::Leaf { leaf, out, .. } => {
                    let function = &self.leaves[leaf as usize];
                    let state = if let Form::Mesh(body) = function.form() {
                        let (leaf_region, _) = function.to_leaf_region(region);
                        skin(skin_in(body, &leaf_region, out), function, *op, &mut undecided, region)
                    } else {
                        let slab = function.slab(region, tape);
                        let slab = if out { slab.negated() } else { slab };
                        decided(slab, *op, &mut undecided, region)
                    };
                    stack.push(StackEntry { state, ..start });
                }
                Op::Plane { normal, offset, rounding, .. } => {
                    let slab = LinearBounds::of_plane(normal, offset, rounding, region);
                    let state = decided(slab, *op, &mut undecided, region);
                    stack.push(StackEntry { state, ..start });
                }
                Op::All(count) | Op::Any(count) => {
                    let count = count as usize;
                    let first = stack.len() - count;
                    // The state that decides the whole, and the state that makes no difference.
                    let (decides, idle) = match op {
                        Op::All(_) => (Reduced::Outside, Reduced::Inside),
                        _ => (Reduced::Inside, Reduced::Outside),
                    };
                    let of = &stack[first..];
                    let start = of.first().copied().unwrap_or(start);
                    let entry = if of.iter().any(|entry| entry.state == decides) {
                        undecided.truncate(&start);
                        StackEntry { state: decides, ..start }
                    } else {
                        let open = of.iter().filter(|entry| entry.state == Reduced::Undecided(())).count();
                        if open > 1 {
                            let open = number_of(open);
                            undecided.ops.push(if matches!(op, Op::All(_)) {
                                Op::All(open)
                            } else {
                                Op::Any(open)
                            });
                        }
                        StackEntry { state: if open == 0 { idle } else { Reduced::Undecided(()) }, ..start }
                    };
                    stack.truncate(first);
                    stack.push(entry);
                }
                Op::Cut { leaf } => {
                    let slab = self.leaves[leaf as usize].slab(region, tape);
                    let of = stack.split_off(stack.len() - 2);
                    let start = of.first().copied().unwrap_or(start);
                    let state = cut(leaf, slab, &of, &mut undecided, region);
                    stack.push(StackEntry { state, ..start });
                }
            }
        }
        match stack.pop().map(|entry| entry.state) {
            Some(Reduced::Inside) => Reduced::Inside,
            Some(Reduced::Undecided(())) => Reduced::Undecided(undecided),
            Some(Reduced::Outside) | None => Reduced::Outside,
        }
    }
}

/// Decides a cut over a region, given the bounds of its function; keeps the remaining operations. The bounds are
/// kept twice, for the first side and for the second.
fn cut(
    leaf: u32,
    slab: LinearBounds,
    of: &[StackEntry],
    undecided: &mut UndecidedProgram,
    region: &Region,
) -> Decided {
    let [above, below] = of else { return Reduced::Outside };
    let of_below = undecided.split_off(below);
    let [lowest, highest] = slab.range(region.half);
    if lowest > 0.0 {
        return above.state;
    }
    let is_same = above.state == below.state && above.state != Reduced::Undecided(());
    if highest < 0.0 || is_same {
        undecided.truncate(above);
        undecided.extend(of_below);
        return below.state;
    }
    let constant = |state: Decided| match state {
        Reduced::Inside => Some(Op::All(0)),
        Reduced::Outside => Some(Op::Any(0)),
        Reduced::Undecided(()) => None,
    };
    undecided.ops.extend(constant(above.state));
    undecided.extend(of_below);
    undecided.ops.extend(constant(below.state));
    undecided.ops.push(Op::Cut { leaf });
    undecided.bounds.extend([slab.negated(), slab]);
    Reduced::Undecided(())
}

/// Decides a function over a region; keeps the operation if it stays undecided.
fn decided(slab: LinearBounds, op: Op, undecided: &mut UndecidedProgram, region: &Region) -> Decided {
    let [lowest, highest] = slab.range(region.half);
    if lowest > 0.0 || op.requires_zero() && highest < 0.0 {
        Reduced::Outside
    } else if highest <= 0.0 && !op.requires_zero() {
        Reduced::Inside
    } else {
        undecided.push(op, slab);
        Reduced::Undecided(())
    }
}

/// The same for a mesh.
fn skin(skin: Skin, leaf: &Leaf, op: Op, undecided: &mut UndecidedProgram, region: &Region) -> Decided {
    let zero = op.requires_zero();
    let (planes, all) = match skin {
        Skin::Inside if !zero => return Reduced::Inside,
        Skin::Inside | Skin::Outside => return Reduced::Outside,
        Skin::Unknown => {
            undecided.push(op, LinearBounds::flat(f64::NEG_INFINITY, f64::INFINITY));
            return Reduced::Undecided(());
        }
        Skin::All(planes) => (planes, true),
        Skin::Any(planes) => (planes, false),
    };
    let planes: Vec<SkinPlane> = planes.into_iter().map(|plane| leaf.plane_to_body(plane)).collect();
    let plane = |SkinPlane { normal, offset, rounding }, zero| Op::Plane { normal, offset, rounding, zero };
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
    let program = Program { leaves: Vec::new(), ops: Vec::new() };
    match program.reduced(&ops, region, &mut ProgramMemory::default()) {
        Reduced::Inside => Reduced::Inside,
        Reduced::Outside => Reduced::Outside,
        Reduced::Undecided(own_undecided) => {
            undecided.extend(own_undecided);
            Reduced::Undecided(())
        }
    }
}
