//! Does a formula have a value everywhere in its bounds?
//!
//! A fault is reported only if it is proven: by a box or a point on which an operand certainly lies outside the
//! domain of its operation, or by two points at which a divisor has different signs, so that it is 0 between them.

use std::collections::VecDeque;

use super::error::ExpressionError;
use super::evaluate::{TapeMemory, values};
use super::tape::{DIVISION, LOGARITHM, NEGATIVE_POWER, Operation, Tape};
use crate::math::interval::RealInterval;

/// The number of operations evaluated before the search gives up and accepts the formula.
const WORK: usize = 800_000;
/// The maximum number of boxes and points for small formulas.
const MAX_BOXES: usize = 10_000;
/// The maximum number of special coordinates tried for each variable.
const COORDINATES: usize = 4;

/// The maximum number of factors of a divisor that are examined.
const FACTORS: usize = 64;

type Box3 = [RealInterval; 3];

/// Searches for a point of the bounds at which a formula has no value. `count`: the number of its variables.
///
/// # Errors
/// The operation without a value, its column, and the place.
pub(crate) fn check(tape: &Tape, bounds: &Box3, count: usize) -> Result<(), ExpressionError> {
    let mut memory = TapeMemory::default();
    let whole = values(tape, bounds, &mut memory);
    if !tape.nodes.iter().any(|node| node.operation.may_be_undefined(|at| whole[at as usize])) {
        return Ok(());
    }
    let mut search = DomainSearch { tape, count, zeros: zeros(tape, whole), memory };
    for point in special_points(tape, bounds) {
        search.point(point)?;
    }
    let mut remaining = (WORK / tape.nodes.len().max(1)).clamp(50, MAX_BOXES);
    let mask = tape.nodes.last().map_or(0, |node| node.mask);
    let mut boxes = VecDeque::from([*bounds]);
    while let Some(at) = boxes.pop_front()
        && remaining > 0
    {
        remaining -= 1;
        if !search.may_be_undefined(&at)? {
            continue;
        }
        search.point(at.map(RealInterval::middle))?;
        let size = |i: usize| (at[i].hi - at[i].lo) / (bounds[i].hi - bounds[i].lo);
        let wide = (0..3).filter(|i| mask >> i & 1 == 1 && at[*i].hi > at[*i].lo);
        let Some(i) = wide.max_by(|i, j| size(*i).total_cmp(&size(*j)).then(j.cmp(i))) else { continue };
        let middle = at[i].middle();
        for half in [RealInterval::new(at[i].lo, middle), RealInterval::new(middle, at[i].hi)] {
            let mut part = at;
            part[i] = half;
            boxes.push_back(part);
        }
    }
    Ok(())
}

/// A number that must not be 0, with points at which it is positive and negative.
#[derive(Debug)]
struct Zero {
    /// The operation that has no value if the number is 0.
    operation: usize,
    /// The number; for tan, the angle whose cosine must not be 0.
    of: u32,
    what: &'static str,
    above: Option<[f64; 3]>,
    below: Option<[f64; 3]>,
}

const TAN: &str = "the tan of an odd multiple of pi/2";

/// All numbers that must not be 0 and are continuous on the bounds, given the operations' values on the bounds.
fn zeros(tape: &Tape, whole: &[RealInterval]) -> Vec<Zero> {
    // Only atan2 is discontinuous within its domain.
    let mut jumps: Vec<bool> = Vec::with_capacity(tape.nodes.len());
    let mut zeros = Vec::new();
    for (operation, node) in tape.nodes.iter().enumerate() {
        let jump = match node.operation {
            Operation::Atan2(y, x) => whole[y as usize].angle_jumps(whole[x as usize]),
            _ => false,
        };
        let operands = node.operation.operands().into_iter().flatten();
        jumps.push(jump || operands.clone().any(|at| jumps[at as usize]));
        let (of, what) = match node.operation {
            Operation::Divide(_, b) => (b, DIVISION),
            Operation::Power(a, n) if n < 0.0 => (a, NEGATIVE_POWER),
            Operation::RealPower(a, c) if c.hi < 0.0 => (a, NEGATIVE_POWER),
            Operation::Log(a) => (a, LOGARITHM),
            Operation::Tan(a) => (a, TAN),
            _ => continue,
        };
        let mut left = vec![of];
        for _ in 0..FACTORS {
            let Some(of) = left.pop() else { break };
            if !jumps[of as usize] {
                zeros.push(Zero { operation, of, what, above: None, below: None });
            }
            // If such an operand is 0, so is the number.
            let factors = match tape.nodes[of as usize].operation {
                _ if what == TAN => [None; 2],
                Operation::Multiply(a, b) => [Some(a), Some(b)],
                Operation::Power(a, n) if n > 0.0 => [Some(a), None],
                Operation::RealPower(a, c) if c.lo > 0.0 => [Some(a), None],
                Operation::Divide(a, _)
                | Operation::Square(a)
                | Operation::Negate(a)
                | Operation::Abs(a)
                | Operation::Sqrt(a)
                | Operation::Asin(a)
                | Operation::Atan(a) => [Some(a), None],
                _ => [None; 2],
            };
            left.extend(factors.into_iter().flatten());
        }
    }
    zeros
}

struct DomainSearch<'a> {
    tape: &'a Tape,
    count: usize,
    zeros: Vec<Zero>,
    memory: TapeMemory,
}

impl DomainSearch<'_> {
    /// Whether a fault is possible in a box.
    fn may_be_undefined(&mut self, at: &Box3) -> Result<bool, ExpressionError> {
        let values = values(self.tape, at, &mut self.memory);
        let of = |at: u32| values[at as usize];
        let mut may_be_undefined = false;
        for node in &self.tape.nodes {
            if let Some(what) = node.operation.fault(of) {
                let place = location(at.map(RealInterval::middle), self.count);
                return fault(node.column, what, &format!("at {place}"));
            }
            may_be_undefined |= node.operation.may_be_undefined(of);
        }
        Ok(may_be_undefined)
    }

    fn point(&mut self, at: [f64; 3]) -> Result<(), ExpressionError> {
        self.may_be_undefined(&at.map(RealInterval::point))?;
        let values = values(self.tape, &at.map(RealInterval::point), &mut self.memory);
        for zero in &mut self.zeros {
            let value = values[zero.of as usize];
            let value = if zero.what == TAN { value.cos() } else { value };
            if value.lo > 0.0 {
                zero.above.get_or_insert(at);
            } else if value.hi < 0.0 {
                zero.below.get_or_insert(at);
            }
            if let (Some(above), Some(below)) = (zero.above, zero.below) {
                let [above, below] = [above, below].map(|at| location(at, self.count));
                let column = self.tape.nodes[zero.operation].column;
                return fault(column, zero.what, &format!("between {below} and {above}"));
            }
        }
        Ok(())
    }
}

fn fault<T>(column: u32, what: &str, place: &str) -> Result<T, ExpressionError> {
    let what = format!("found {what} {place}, expected a formula that has a value everywhere in its bounds");
    Err(ExpressionError { column: column as usize, what })
}

fn location(at: [f64; 3], count: usize) -> String {
    let numbers: Vec<_> = at.iter().take(count).map(|x| format!("{x}")).collect();
    format!("({})", numbers.join(", "))
}

/// Corners, 0, and the constants with which variables are compared, all in the bounds.
fn special_points(tape: &Tape, bounds: &Box3) -> Vec<[f64; 3]> {
    let mut coordinates = bounds.map(|bound| vec![bound.lo, bound.hi]);
    let mut add = |i: u8, x: f64| {
        let i = i as usize % 3;
        let known = &mut coordinates[i];
        if bounds[i].contains(x) && !known.contains(&x) && known.len() < 2 + COORDINATES {
            known.push(x);
        }
    };
    for node in &tape.nodes {
        match node.operation {
            Operation::Variable(i) => add(i, 0.0),
            Operation::Add(a, b) => {
                if let (Operation::Variable(i), Some(number)) =
                    (tape.nodes[a as usize].operation, tape.constant(b))
                {
                    add(i, -number.lo);
                }
            }
            Operation::Subtract(a, b) => {
                if let (Some(number), Operation::Variable(i)) =
                    (tape.constant(a), tape.nodes[b as usize].operation)
                {
                    add(i, number.lo);
                }
            }
            _ => {}
        }
    }
    let [xs, ys, zs] = &coordinates;
    let all = xs.iter().flat_map(|x| ys.iter().flat_map(move |y| zs.iter().map(move |z| [*x, *y, *z])));
    all.collect()
}
