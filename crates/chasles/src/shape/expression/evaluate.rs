//! A tape on a box: every value that it can have (Moore, "Interval Analysis", 1966).

use super::linear::Linear;
use super::tape::{Operation, Tape};
use crate::math::interval::RealInterval;

/// Memory that is used again from one evaluation to the next; it carries no knowledge.
#[derive(Debug, Clone, Default)]
pub struct TapeMemory {
    values: Vec<RealInterval>,
    pub(crate) linear: Vec<Linear>,
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
