//! Errors in formulas, with their place.

use std::fmt;

/// A formula that is malformed, or has no value somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// The place in the text, in characters; the first is 1.
    pub column: usize,
    /// The text found there, and the text expected.
    pub what: String,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "column {}: {}", self.column, self.what)
    }
}

impl std::error::Error for ExpressionError {}
