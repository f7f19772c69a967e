//! Splits f <= 0 into a tree of smoother conditions, combined by all or any.

use super::Expression;
use super::tape::{Builder, Operation, Tape};
use crate::math::interval::RealInterval;

/// The maximum number of conditions; a larger formula stays whole.
const LEAVES: usize = 64;
/// The maximum number of levels of a tree.
const LEVELS: u8 = 16;

/// The maximum number of `atan2` in a formula whose jumps are split: each doubles the number of parts.
const CUTS: usize = 3;

/// The set f <= 0, as intersections and unions of sets where simpler formulas are <= 0: exact for real numbers, up
/// to the closure of the set at a [`Self::Cut`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FormulaParts {
    Leaf(Expression),
    /// The intersection.
    All(Vec<Self>),
    /// The union.
    Any(Vec<Self>),
    /// The first set where a function is nonnegative, the second where it is nonpositive. `atan2(y, x)` jumps from
    /// pi to -pi where y = 0 and x < 0; on either side of y = 0 it equals a function that continues smoothly to the
    /// other side.
    Cut(Expression, Box<[Self; 2]>),
}

/// The same for operations in a builder: f is the maximum or minimum of parts.
#[derive(Debug, Clone)]
enum PartsTree {
    Leaf(u32),
    Max(Vec<Self>),
    Min(Vec<Self>),
}

/// The length of the longest formula that is split, since each part may be as long.
const LONGEST: usize = 2_000;

/// The parts of the formula of a tape.
pub(crate) fn parts(tape: &Tape) -> FormulaParts {
    let is_angle = |at: &usize| matches!(tape.nodes[*at].operation, Operation::Atan2(..));
    let angles: Vec<usize> = (0..tape.nodes.len()).filter(is_angle).collect();
    let divided = angles.len() <= CUTS && tape.nodes.len() <= LONGEST;
    sides(tape, if divided { &angles } else { &[] }, &mut Vec::new())
}

/// The parts on each side of the cuts at these `atan2` operations of a tape, with the sides of the first ones
/// already chosen.
fn sides(tape: &Tape, angles: &[usize], chosen: &mut Vec<bool>) -> FormulaParts {
    let Some(angle) = angles.get(chosen.len()) else {
        if angles.is_empty() {
            return smooth_parts(tape);
        }
        let (builder, places) = continued(tape, angles, chosen);
        return smooth_parts(&builder.tape(places[tape.root() as usize]));
    };
    let (builder, places) = continued(tape, angles, chosen);
    let [y, _] = tape.nodes[*angle].operation.operands();
    let y = Expression::of(builder.tape(places[y.unwrap_or(0) as usize]));
    let of = [true, false].map(|above| {
        chosen.push(above);
        let part = sides(tape, angles, chosen);
        chosen.pop();
        part
    });
    FormulaParts::Cut(y, Box::new(of))
}

/// The operations of a tape, with `atan2(y, x)` continued smoothly across y = 0. From the side `y >= 0` (`true`) it
/// becomes `pi/2 + atan2(-x, y)`, from the other side `atan2(x, -y) - pi/2`. Also the new indices of the operations.
fn continued(tape: &Tape, angles: &[usize], chosen: &[bool]) -> (Builder, Vec<u32>) {
    let mut builder = Builder::default();
    let mut places: Vec<u32> = Vec::with_capacity(tape.nodes.len());
    let right = RealInterval::PI * RealInterval::point(0.5);
    for (at, node) in tape.nodes.iter().enumerate() {
        let column = node.column;
        let side = angles.iter().zip(chosen).find(|(angle, _)| **angle == at).map(|(_, above)| *above);
        let new = match (node.operation.moved(|old| places[old as usize]), side) {
            (Operation::Atan2(y, x), Some(above)) => {
                let (turned, offset) = if above {
                    let back = builder.push(Operation::Negate(x), column);
                    (Operation::Atan2(back, y), right)
                } else {
                    let down = builder.push(Operation::Negate(y), column);
                    (Operation::Atan2(x, down), -right)
                };
                let angle = builder.push(turned, column);
                let offset = builder.number(offset);
                builder.push(Operation::Add(angle, offset), column)
            }
            // The builder finds the terms of a norm again.
            (Operation::Norm(sum, _), _) => builder.push(Operation::Sqrt(sum), column),
            (operation, _) => builder.push(operation, column),
        };
        places.push(new);
    }
    (builder, places)
}

/// The parts of a formula as it is written.
fn smooth_parts(tape: &Tape) -> FormulaParts {
    let mut splitter = Splitter { builder: Builder::of(tape), sizes: sizes(tape) };
    let tree = splitter.tree(tape.root());
    finished(&splitter.builder, tree)
}

fn finished(builder: &Builder, tree: PartsTree) -> FormulaParts {
    match tree {
        PartsTree::Leaf(at) => FormulaParts::Leaf(Expression::of(builder.tape(at))),
        PartsTree::Max(parts) => {
            FormulaParts::All(parts.into_iter().map(|part| finished(builder, part)).collect())
        }
        PartsTree::Min(parts) => {
            FormulaParts::Any(parts.into_iter().map(|part| finished(builder, part)).collect())
        }
    }
}

/// The number of leaves and levels of an operation's tree.
#[derive(Debug, Clone, Copy)]
struct Size {
    leaves: usize,
    levels: u8,
}

const WHOLE: Size = Size { leaves: 1, levels: 0 };

/// The size of the tree of each operation, from the first to the last; an operation with too large a tree stays whole.
fn sizes(tape: &Tape) -> Vec<Size> {
    let mut sizes: Vec<Size> = Vec::with_capacity(tape.nodes.len());
    for node in &tape.nodes {
        let of = |at: u32| sizes[at as usize];
        let size = match node.operation {
            Operation::Max(a, b) | Operation::Min(a, b) => {
                Size { leaves: of(a).leaves + of(b).leaves, levels: of(a).levels.max(of(b).levels) + 1 }
            }
            Operation::Abs(a) => Size { leaves: 2 * of(a).leaves, levels: of(a).levels + 1 },
            Operation::Add(a, b) | Operation::Subtract(a, b) => {
                Size { leaves: of(a).leaves * of(b).leaves, levels: of(a).levels + of(b).levels }
            }
            Operation::Negate(a) => of(a),
            Operation::Multiply(a, b) | Operation::Divide(a, b) if signed(tape.constant(b)).is_some() => {
                of(a)
            }
            _ => WHOLE,
        };
        let large = size.leaves > LEAVES || size.levels > LEVELS || tape.nodes.len() > LONGEST;
        sizes.push(if large { WHOLE } else { size });
    }
    sizes
}

/// Whether a constant is positive; `None` if that is unknown, or if it is 0.
fn signed(constant: Option<RealInterval>) -> Option<bool> {
    constant.filter(|value| !value.contains(0.0)).map(|value| value.lo > 0.0)
}

struct Splitter {
    builder: Builder,
    /// The sizes for the operations of the tape, which come first in the builder.
    sizes: Vec<Size>,
}

impl Splitter {
    /// The tree of an operation of the tape. The function is called once for each branching operation on the paths
    /// to at most [`LEAVES`] leaves. The recursion is shallow, because operations that do not branch are followed in
    /// a loop.
    fn tree(&mut self, at: u32) -> PartsTree {
        // The operations to apply to all leaves, outermost first.
        let (mut at, mut changes) = (at, Vec::new());
        let mut tree = loop {
            if self.sizes[at as usize].leaves == 1 {
                break PartsTree::Leaf(at);
            }
            let node = self.builder.node(at);
            let single = |at: u32| self.sizes[at as usize].leaves == 1;
            at = match node.operation {
                Operation::Negate(a) | Operation::Multiply(a, _) | Operation::Divide(a, _) => a,
                Operation::Add(a, b) if single(a) => b,
                Operation::Add(a, b) | Operation::Subtract(a, b) if single(b) => a,
                Operation::Subtract(a, b) if single(a) => b,
                _ => break self.branches(at),
            };
            changes.push((node, at));
        };
        for (node, of) in changes.into_iter().rev() {
            let falls = match node.operation {
                Operation::Negate(_) => true,
                Operation::Multiply(_, b) | Operation::Divide(_, b) => {
                    signed(self.builder.constant(b)) == Some(false)
                }
                Operation::Subtract(_, b) => b == of,
                _ => false,
            };
            let builder = &mut self.builder;
            tree = mapped(tree, &mut |leaf| {
                let operation = node.operation.moved(|old| if old == of { leaf } else { old });
                PartsTree::Leaf(builder.push(operation, node.column))
            });
            if falls {
                tree = swapped(tree);
            }
        }
        tree
    }

    /// The tree of an operation that branches.
    fn branches(&mut self, at: u32) -> PartsTree {
        let node = self.builder.node(at);
        match node.operation {
            Operation::Max(a, b) => merged([self.tree(a), self.tree(b)], PartsTree::Max),
            Operation::Min(a, b) => merged([self.tree(a), self.tree(b)], PartsTree::Min),
            Operation::Abs(a) => {
                let tree = self.tree(a);
                let builder = &mut self.builder;
                let negative = swapped(mapped(tree.clone(), &mut |leaf| {
                    PartsTree::Leaf(builder.push(Operation::Negate(leaf), node.column))
                }));
                merged([tree, negative], PartsTree::Max)
            }
            Operation::Add(a, b) | Operation::Subtract(a, b) => {
                let (first, mut second) = (self.tree(a), self.tree(b));
                let builder = &mut self.builder;
                if matches!(node.operation, Operation::Subtract(..)) {
                    second = swapped(mapped(second, &mut |leaf| {
                        PartsTree::Leaf(builder.push(Operation::Negate(leaf), node.column))
                    }));
                }
                mapped(first, &mut |x| {
                    mapped(second.clone(), &mut |y| {
                        PartsTree::Leaf(builder.push(Operation::Add(x, y), node.column))
                    })
                })
            }
            _ => PartsTree::Leaf(at),
        }
    }
}

/// A tree with each leaf replaced; trees have few levels.
fn mapped(tree: PartsTree, leaf: &mut dyn FnMut(u32) -> PartsTree) -> PartsTree {
    let mut all = |parts: Vec<PartsTree>| parts.into_iter().map(|part| mapped(part, leaf)).collect();
    match tree {
        PartsTree::Leaf(at) => leaf(at),
        PartsTree::Max(parts) => PartsTree::Max(all(parts)),
        PartsTree::Min(parts) => PartsTree::Min(all(parts)),
    }
}

/// The tree of the negative, given that its leaves are negated already: maximum becomes minimum.
fn swapped(tree: PartsTree) -> PartsTree {
    match tree {
        PartsTree::Leaf(at) => PartsTree::Leaf(at),
        PartsTree::Max(parts) => PartsTree::Min(parts.into_iter().map(swapped).collect()),
        PartsTree::Min(parts) => PartsTree::Max(parts.into_iter().map(swapped).collect()),
    }
}

/// The maximum or minimum of two trees. Operands of the same kind are merged into one list.
fn merged(trees: [PartsTree; 2], kind: fn(Vec<PartsTree>) -> PartsTree) -> PartsTree {
    let is_max = matches!(kind(Vec::new()), PartsTree::Max(_));
    let mut parts = Vec::new();
    for tree in trees {
        match tree {
            PartsTree::Max(inner) if is_max => parts.extend(inner),
            PartsTree::Min(inner) if !is_max => parts.extend(inner),
            other => parts.push(other),
        }
    }
    kind(parts)
}
