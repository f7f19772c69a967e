//! Placeholder until the expressions are merged.
use std::fmt;

/// A formula.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression;

/// What is wrong with a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpressionError {
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

impl Expression {
    /// Parses.
    /// # Errors
    /// Always.
    pub fn parse(_text: &str, _variables: &[&str]) -> Result<Self, ExpressionError> {
        Err(ExpressionError { column: 1, what: "not yet".into() })
    }

    /// Looks for a place without a value.
    /// # Errors
    /// Never.
    pub fn check(&self, _bounds: [[f64; 2]; 3]) -> Result<(), ExpressionError> {
        Ok(())
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.what)
    }
}

impl std::error::Error for ExpressionError {}
