//! Warnings about files, issued as warnings of Python.

use std::ffi::CString;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Issues each warning at the line of Python code that made the call. If Python's filter turns warnings into errors,
/// the first warning is raised.
pub(crate) fn warn(py: Python<'_>, warnings: &[String]) -> PyResult<()> {
    static KIND: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    for warning in warnings {
        let kind = KIND.get_or_try_init(py, || {
            Ok::<_, PyErr>(py.import("chasles._error")?.getattr("Warning")?.unbind())
        })?;
        // A name from a file may contain a zero byte.
        let text = CString::new(warning.replace('\0', "\\0"))?;
        PyErr::warn(py, kind.bind(py), &text, 1)?;
    }
    Ok(())
}
