//! Evaluates a tape on a box: enclosures of all values (Moore, "Interval Analysis", 1966).

use super::linear::AffineBound;
use super::slope::Slope;
use super::tape::Tape;
use crate::math::interval::RealInterval;

/// Memory that is reused from one evaluation to the next; its content does not matter.
#[derive(Debug, Clone, Default)]
pub struct TapeMemory {
    values: Vec<RealInterval>,
    pub(crate) linear: Vec<AffineBound>,
    pub(crate) slopes: Vec<Slope>,
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
