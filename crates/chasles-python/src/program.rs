//! The program `chasles`, run by Python.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the program `chasles` with these arguments, the name of the program first, and returns its exit status. It
/// prints to the process' own standard output.
#[pyfunction]
#[pyo3(text_signature = "(args)")]
pub(crate) fn run_program(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| chasles_cli::run(args))
}
