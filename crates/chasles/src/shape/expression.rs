//! Functions of x, y and z (or of u and v) that are written as formulas: what can they be on a box?
//!
//! A text becomes a flat list of operations ([`tape`], by [`parser`]), so that nothing recurses however deeply it is
//! nested. [`evaluate`] works it out in intervals, which hold the true values of real numbers whatever is rounded;
//! [`linear`] makes of it a linear function with a remainder, [`slope`] a value and a gradient that prove nothing.
//! [`domain`] looks for points without a value, [`parts`] divides f <= 0 into smoother conditions.
//!
//! Read [`Expression`] first.

mod error;
mod tokens;
mod tape;
mod ratio;
mod parser;
mod linear;
mod slope;
mod evaluate;
mod domain;
mod parts;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::math::interval::RealInterval;

use linear::{AffineBound, linear};
use slope::{Slope, slope};
use tape::Tape;

pub use error::ExpressionError;
pub use evaluate::TapeMemory;
pub(crate) use parts::FormulaParts;

/// A function of up to three variables, given by a formula.
///
/// A number in the text is the nearest double, and pi is pi; from there on the meaning is that of real numbers.
///
/// ```
/// use chasles::Expression;
/// let ball = Expression::parse("x^2 + y^2 + z^2 - 0.25", &["x", "y", "z"]).unwrap();
/// assert_eq!(ball.value(&[0.5, 0.0, 0.0]), 0.0);
/// let error = Expression::parse("x + 2*w", &["x", "y", "z"]).unwrap_err();
/// assert_eq!(error.column, 7);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Expression {
    tape: Arc<Tape>,
}

impl Expression {
    fn of(tape: Tape) -> Self {
        Self { tape: Arc::new(tape) }
    }

    /// The function of a formula: numbers, pi, the named variables (at most three), `+ - * / ^ ( )`, `sqrt abs exp log
    /// sin cos tan asin acos atan` of one argument, `atan2(y, x)`, and `min` and `max` of two or more.
    ///
    /// `^` binds strongest, and to the right; its exponent is a constant. Then comes `-` before a term, then `* /`,
    /// then `+ -`.
    ///
    /// # Errors
    /// Where the text is no formula; where an operation on numbers has no value, as 1/0.
    pub fn parse(text: &str, variables: &[&str]) -> Result<Self, ExpressionError> {
        parser::parse(text, variables).map(Self::of)
    }

    /// Looks for a point of the bounds, one for each variable, where the formula has no value: a division by zero, a
    /// root or logarithm of a negative number. It is told only if it is proven; the search takes a bounded time, so
    /// that a fault in a small place may not be found.
    ///
    /// # Errors
    /// The operation without a value, its column, and where it has none.
    pub fn check(&self, bounds: &[[f64; 2]]) -> Result<(), ExpressionError> {
        let mut intervals = [RealInterval::ZERO; 3];
        for (interval, [lo, hi]) in intervals.iter_mut().zip(bounds) {
            *interval = RealInterval::new(*lo, *hi);
        }
        domain::check(&self.tape, &intervals, bounds.len().min(3))
    }

    /// The value at a point, rounded; NaN where it has none.
    #[must_use]
    pub fn value(&self, at: &[f64]) -> f64 {
        // Long enough for most formulas.
        let mut few = [0.0; 64];
        let mut many = Vec::new();
        let count = self.tape.nodes.len();
        let values = if count <= few.len() {
            &mut few[..]
        } else {
            many.resize(count, 0.0);
            &mut many[..]
        };
        for (i, node) in self.tape.nodes.iter().enumerate() {
            values[i] = node.operation.value(at, |operand| values[operand as usize]);
        }
        values[self.tape.root() as usize]
    }

    /// How many operations it has.
    pub(crate) fn length(&self) -> usize {
        self.tape.nodes.len()
    }

    /// An interval that holds the value at every point of a box.
    #[must_use]
    pub fn range(&self, variables: &[RealInterval; 3], memory: &mut TapeMemory) -> RealInterval {
        evaluate::values(&self.tape, variables, memory).last().copied().unwrap_or(RealInterval::WHOLE)
    }

    /// A linear function and a remainder over a box: the value at every point x of the box lies in g.(x - c) + r for an r
    /// of the interval, c being the centre of the box, which is certainly in `centre`. Also the range of the values.
    #[must_use]
    pub fn linear(
        &self,
        centre: &[RealInterval; 3],
        half: &[f64; 3],
        memory: &mut TapeMemory,
    ) -> ([f64; 3], RealInterval, RealInterval) {
        let AffineBound { gradient, rest, range, .. } =
            linear(&self.tape, (centre, half), &mut memory.linear);
        (gradient, rest, range)
    }

    /// The value and the gradient at a point, rounded; NaN where it has none.
    pub(crate) fn slope(&self, at: &[f64; 3], memory: &mut TapeMemory) -> Slope {
        slope(&self.tape, at, &mut memory.slopes)
    }

    /// The set f <= 0 as intersections and unions of simpler ones.
    #[must_use]
    pub(crate) fn parts(&self) -> FormulaParts {
        parts::parts(&self.tape)
    }
}
