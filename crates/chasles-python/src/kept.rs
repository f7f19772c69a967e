//! Answers as bytes: what pickles hold, and what says whether two are equal.
//!
//! Bytes begin with the version that wrote them and a checksum (CRC-32): other versions refuse them, and damage is found.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A value as bytes.
pub(crate) fn bytes<T: Serialize>(value: &T) -> PyResult<Vec<u8>> {
    let broken = |error: postcard::Error| PyValueError::new_err(error.to_string());
    let value = postcard::to_stdvec(value).map_err(broken)?;
    let mut bytes = postcard::to_stdvec(&(VERSION, crc32fast::hash(&value))).map_err(broken)?;
    bytes.extend(value);
    Ok(bytes)
}

/// The same for Python.
pub(crate) fn pickled<'py, T: Serialize>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &bytes(value)?))
}

/// A value from its bytes.
pub(crate) fn unpickled<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    let broken = |_| PyValueError::new_err("found bytes that are no pickle of chasles, or a part of one");
    let (version, rest): (String, &[u8]) = postcard::take_from_bytes(bytes).map_err(broken)?;
    if version != VERSION {
        let message = format!("found a pickle of chasles {version}, expected one of {VERSION}");
        return Err(PyValueError::new_err(message));
    }
    let (sum, rest): (u32, &[u8]) = postcard::take_from_bytes(rest).map_err(broken)?;
    if sum != crc32fast::hash(rest) {
        return Err(PyValueError::new_err("found a pickle of chasles with damaged bytes"));
    }
    let (value, rest) = postcard::take_from_bytes(rest).map_err(broken)?;
    if rest.is_empty() {
        Ok(value)
    } else {
        Err(PyValueError::new_err("found more bytes than a pickle of chasles has"))
    }
}

/// What Python calls to make an object again: one of the methods `_from_bytes`.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));

/// How an object is made again from a value.
pub(crate) fn reduced<'py, T: Serialize, C: pyo3::PyTypeInfo>(
    py: Python<'py>,
    value: &T,
) -> PyResult<Reduced<'py>> {
    Ok((py.get_type::<C>().getattr("_from_bytes")?, (pickled(py, value)?,)))
}

/// Whether two values are equal, to the last bit.
pub(crate) fn are_equal<T: Serialize>(one: &T, other: &T) -> PyResult<bool> {
    Ok(bytes(one)? == bytes(other)?)
}

/// What all classes have that hold one value of the engine, and never change: they are equal where their bytes are, are
/// their own copies, and are pickled by their bytes.
macro_rules! values {
    ($($name:ident)*) => {$(
        #[pyo3::pymethods]
        impl $name {
            fn __eq__(&self, other: &Self) -> pyo3::PyResult<bool> {
                $crate::kept::are_equal(&self.0, &other.0)
            }

            fn __copy__(own: pyo3::Py<Self>) -> pyo3::Py<Self> {
                own
            }

            fn __deepcopy__(own: pyo3::Py<Self>, _memo: &pyo3::Bound<'_, pyo3::PyAny>) -> pyo3::Py<Self> {
                own
            }

            fn __reduce__<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<$crate::kept::Reduced<'py>> {
                $crate::kept::reduced::<_, Self>(py, &self.0)
            }

            #[classmethod]
            fn _from_bytes(_: &pyo3::Bound<'_, pyo3::types::PyType>, bytes: &[u8]) -> pyo3::PyResult<Self> {
                $crate::kept::unpickled(bytes).map(Self)
            }
        }
    )*};
}

pub(crate) use values;
