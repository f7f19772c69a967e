//! What is wrong with a formula, and where.

use std::fmt;

/// A formula that has no meaning, or no value somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// Where in the text, in characters; the first is 1.
    pub column: usize,
    /// What was found there, and what was expected.
    pub what: String,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "column {}: {}", self.column, self.what)
    }
}

impl std::error::Error for ExpressionError {}
