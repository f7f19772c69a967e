//! Warnings about files, issued as warnings of Python.

use std::ffi::CString;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Issues each warning at the line of Python code that made the call. If Python's filter turns warnings into errors,
/// the first warning is raised.
pub(crate) fn warn(py: Python<'_>, warnings: &[String]) -> PyResult<()> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    for warning in warnings {
        let class = CLASS.import(py, "chasles._error", "Warning")?;
        // A name from a file may contain a zero byte.
        let text = CString::new(warning.replace('\0', "\\0"))?;
        PyErr::warn(py, class, &text, 1)?;
    }
    Ok(())
}
