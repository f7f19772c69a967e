//! A tape on a box: every value that it can have, and every slope.
//!
//! Slopes are carried forward with the values (Moore, "Interval Analysis", 1966, chapter 9 for values; forward
//! differentiation as in Rall, "Automatic Differentiation", 1981). Where a function has a kink, its slopes are those of
//! Clarke's generalized gradient ("Optimization and Nonsmooth Analysis", 1983), for which the mean value theorem holds
//! (theorem 2.3.7, of Lebourg). Where it jumps or has a pole, nothing is known of its slopes.

use super::tape::{Operation, Tape, TapeNode};
use crate::math::interval::RealInterval;

/// Memory that is used again from one evaluation to the next; it carries no knowledge.
#[derive(Debug, Clone, Default)]
pub struct TapeMemory {
    values: Vec<RealInterval>,
    jets: Vec<ValueAndSlopes>,
}

/// A value with its slope along each variable.
#[derive(Debug, Clone, Copy)]
struct ValueAndSlopes {
    value: RealInterval,
    slopes: [RealInterval; 3],
}

/// The value of every operation on a box, in order.
pub(crate) fn values<'a>(
    tape: &Tape,
    variables: &[RealInterval; 3],
    memory: &'a mut TapeMemory,
) -> &'a [RealInterval] {
    let values = &mut memory.values;
    values.clear();
    for node in &tape.nodes {
        let value = node.operation.range(variables, |at| values[at as usize]);
        values.push(value);
    }
    values
}

/// The values and slopes of a tape on a box.
pub(crate) fn with_gradient(
    tape: &Tape,
    variables: &[RealInterval; 3],
    memory: &mut TapeMemory,
) -> (RealInterval, [RealInterval; 3]) {
    let jets = &mut memory.jets;
    jets.clear();
    for node in &tape.nodes {
        let value = node.operation.range(variables, |at| jets[at as usize].value);
        let slopes = slopes(tape, node, value, jets);
        jets.push(ValueAndSlopes { value, slopes });
    }
    jets.last().map_or((RealInterval::WHOLE, [RealInterval::WHOLE; 3]), |jet| (jet.value, jet.slopes))
}

/// For each variable in a mask.
#[inline(always)]
fn each(mask: u8, slope: impl Fn(usize) -> RealInterval) -> [RealInterval; 3] {
    let mut slopes = [RealInterval::ZERO; 3];
    for (i, slot) in slopes.iter_mut().enumerate() {
        if mask >> i & 1 == 1 {
            *slot = slope(i);
        }
    }
    slopes
}

/// The slopes of a node, whose value is known, as those of its operands are.
#[inline]
fn slopes(tape: &Tape, node: &TapeNode, value: RealInterval, jets: &[ValueAndSlopes]) -> [RealInterval; 3] {
    let mask = node.mask;
    if mask == 0 {
        return [RealInterval::ZERO; 3];
    }
    let jet = |at: u32| &jets[at as usize];
    // Variables themselves are operands so often that it is worth to ask.
    let chained = |at: u32, factor: RealInterval| {
        each(mask, |i| match jet(at).slopes[i] {
            RealInterval::ONE => factor,
            slope => slope * factor,
        })
    };
    match node.operation {
        Operation::Constant(_) => [RealInterval::ZERO; 3],
        Operation::Variable(_) => each(mask, |_| RealInterval::ONE),
        Operation::Add(a, b) => {
            let (a, b) = (jet(a), jet(b));
            each(mask, |i| {
                let (a, b) = (a.slopes[i], b.slopes[i]);
                // Where only one depends on the variable, 0 is added.
                let one = || RealInterval { lo: a.lo + b.lo, hi: a.hi + b.hi };
                if node.shared >> i & 1 == 1 { a + b } else { one() }
            })
        }
        Operation::Subtract(a, b) => each(mask, |i| jet(a).slopes[i] - jet(b).slopes[i]),
        Operation::Multiply(a, b) => {
            let (a, b) = (jet(a), jet(b));
            each(mask, |i| product_slope([a.value, b.value], [a.slopes[i], b.slopes[i]]))
        }
        Operation::Divide(a, b) => {
            let (a, b) = (jet(a), jet(b));
            each(mask, |i| (a.slopes[i] - value * b.slopes[i]) / b.value)
        }
        Operation::Negate(a) => each(mask, |i| -jet(a).slopes[i]),
        Operation::Square(a) => chained(a, jet(a).value.doubled()),
        Operation::Power(a, n) => chained(a, power_slope(jet(a).value, n)),
        Operation::RealPower(a, c) => chained(a, c * jet(a).value.pow(c - RealInterval::ONE)),
        Operation::Sqrt(a) => chained(a, RealInterval::ONE / value.doubled()),
        Operation::Norm(_, [from, to]) => {
            let mut sum = [RealInterval::ZERO; 3];
            for at in &tape.squares[from as usize..to as usize] {
                // The share of a term in a norm is at most 1, also where the norm is 0.
                let (term, mask) = (jet(*at), tape.nodes[*at as usize].mask);
                let share = (term.value / value).within(RealInterval::UNIT);
                for (i, sum) in sum.iter_mut().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
                    *sum = *sum + term.slopes[i] * share;
                }
            }
            sum
        }
        Operation::Abs(a) if jet(a).value.lo >= 0.0 => jet(a).slopes,
        Operation::Abs(a) if jet(a).value.hi <= 0.0 => each(mask, |i| -jet(a).slopes[i]),
        Operation::Abs(a) => chained(a, RealInterval::UNIT),
        Operation::Exp(a) => chained(a, value),
        Operation::Log(a) => chained(a, RealInterval::ONE / jet(a).value.max(RealInterval::ZERO)),
        Operation::Sin(a) => chained(a, jet(a).value.cos()),
        Operation::Cos(a) => chained(a, -jet(a).value.sin()),
        Operation::Tan(_) if value == RealInterval::WHOLE => each(mask, |_| RealInterval::WHOLE),
        Operation::Tan(a) => chained(a, RealInterval::ONE + value.sqr()),
        Operation::Asin(a) => chained(a, RealInterval::ONE / (RealInterval::ONE - jet(a).value.sqr()).sqrt()),
        Operation::Acos(a) => {
            chained(a, -RealInterval::ONE / (RealInterval::ONE - jet(a).value.sqr()).sqrt())
        }
        Operation::Atan(a) => chained(a, RealInterval::ONE / (RealInterval::ONE + jet(a).value.sqr())),
        Operation::Atan2(y, x) => {
            let (y, x) = (jet(y), jet(x));
            if y.value.angle_jumps(x.value) {
                return each(mask, |_| RealInterval::WHOLE);
            }
            let length = x.value.sqr() + y.value.sqr();
            each(mask, |i| (x.value * y.slopes[i] - y.value * x.slopes[i]) / length)
        }
        Operation::Min(a, b) | Operation::Max(a, b) => {
            let (a, b) = (jet(a), jet(b));
            let (less, more) = if matches!(node.operation, Operation::Min(..)) { (a, b) } else { (b, a) };
            if less.value.hi <= more.value.lo {
                a.slopes
            } else if more.value.hi <= less.value.lo {
                b.slopes
            } else {
                [0, 1, 2].map(|i| a.slopes[i].hull(b.slopes[i]))
            }
        }
    }
}

/// (a b)' of the values and slopes of a and b, one of which is often a number.
#[inline]
fn product_slope(values: [RealInterval; 2], slopes: [RealInterval; 2]) -> RealInterval {
    if slopes[1] == RealInterval::ZERO {
        return slopes[0] * values[1];
    }
    if slopes[0] == RealInterval::ZERO {
        return slopes[1] * values[0];
    }
    slopes[0] * values[1] + slopes[1] * values[0]
}

/// The slope of x^n.
fn power_slope(x: RealInterval, n: f64) -> RealInterval {
    // A negative power has a pole at 0, and from 2^53 on n - 1 is no double.
    let pole = n < 0.0 && x.lo < 0.0 && x.hi > 0.0;
    if pole || n.abs() > 9e15 {
        return RealInterval::WHOLE;
    }
    RealInterval::point(n) * x.powi(n - 1.0)
}

/// What an operation is on a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Decision {
    /// Its operand at this place.
    Same(u32),
    /// The negative of that.
    Negative(u32),
}

/// Which operand of a min, max or abs is all that counts, where every operation has a value in these intervals.
pub(crate) fn decision(operation: Operation, values: &[RealInterval]) -> Option<Decision> {
    let of = |at: u32| values[at as usize];
    match operation {
        Operation::Abs(a) if of(a).lo >= 0.0 => Some(Decision::Same(a)),
        Operation::Abs(a) if of(a).hi <= 0.0 => Some(Decision::Negative(a)),
        Operation::Min(a, b) if of(a).hi <= of(b).lo => Some(Decision::Same(a)),
        Operation::Min(a, b) if of(b).hi <= of(a).lo => Some(Decision::Same(b)),
        Operation::Max(a, b) if of(a).lo >= of(b).hi => Some(Decision::Same(a)),
        Operation::Max(a, b) if of(b).lo >= of(a).hi => Some(Decision::Same(b)),
        _ => None,
    }
}
