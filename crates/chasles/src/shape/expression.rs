//! Functions of x, y and z (or of u and v) given by formulas, and bounds of their values on a box.
//!
//! A text becomes a flat list of operations ([`tape`], by [`parser`]), so that nothing recurses however deeply it is
//! nested. [`evaluate`] computes it in intervals, which contain the exact values in spite of rounding; [`linear`]
//! computes a linear function with a remainder, and [`slope`] an unproven estimate of value and gradient. [`domain`]
//! searches for points without a value, and [`parts`] splits f <= 0 into smoother conditions.
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
/// A number in the text is the nearest double, and pi is exact; everything else has its meaning for real numbers.
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

    /// The function of a formula: numbers, pi, the named variables (at most three), `+ - * / ^ ( )`,
    /// `sqrt abs exp log sin cos tan asin acos atan` of one argument, `atan2(y, x)`, and `min` and `max` of two or
    /// more.
    ///
    /// `^` binds strongest, and to the right; its exponent is a constant. Then comes `-` before a term, then `* /`,
    /// then `+ -`.
    ///
    /// # Errors
    /// The text is not a formula; or an operation on numbers has no value, like 1/0.
    pub fn parse(text: &str, variables: &[&str]) -> Result<Self, ExpressionError> {
        parser::parse(text, variables).map(Self::of)
    }

    /// Searches for a point of the bounds, one for each variable, at which the formula has no value: a division by
    /// zero, a root or logarithm of a negative number. It is reported only if proven; the search takes a bounded
    /// time, so a fault in a small region may be missed.
    ///
    /// # Errors
    /// The operation without a value, its column, and the place.
    pub fn check(&self, bounds: &[[f64; 2]]) -> Result<(), ExpressionError> {
        let mut intervals = [RealInterval::ZERO; 3];
        for (interval, [lo, hi]) in intervals.iter_mut().zip(bounds) {
            *interval = RealInterval::new(*lo, *hi);
        }
        domain::check(&self.tape, &intervals, bounds.len().min(3))
    }

    /// The value at a point, rounded; NaN if it has none.
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

    /// The number of operations.
    pub(crate) fn length(&self) -> usize {
        self.tape.nodes.len()
    }

    /// An interval that contains the value at every point of a box.
    #[must_use]
    pub fn range(&self, variables: &[RealInterval; 3], memory: &mut TapeMemory) -> RealInterval {
        evaluate::values(&self.tape, variables, memory).last().copied().unwrap_or(RealInterval::WHOLE)
    }

    /// A linear function and a remainder over a box: the value at every point x of the box is g·(x - c) + r for some
    /// r in the interval. c is the centre of the box, which is certainly in `centre`. Also the range of the values.
    #[must_use]
    pub fn linear(
        &self,
        centre: &[RealInterval; 3],
        half: &[f64; 3],
        memory: &mut TapeMemory,
    ) -> ([f64; 3], RealInterval, RealInterval) {
        let AffineBound { gradient, rest, range, .. } = linear(&self.tape, centre, half, &mut memory.linear);
        (gradient, rest, range)
    }

    /// The value and the gradient at a point, rounded; NaN if they do not exist.
    pub(crate) fn slope(&self, at: &[f64; 3], memory: &mut TapeMemory) -> Slope {
        slope(&self.tape, at, &mut memory.slopes)
    }

    /// The set f <= 0 as intersections and unions of simpler sets.
    #[must_use]
    pub(crate) fn parts(&self) -> FormulaParts {
        parts::parts(&self.tape)
    }
}
