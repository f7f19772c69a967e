//! Objects as bytes, for pickles and comparisons.
//!
//! Bytes start with the version that wrote them and a checksum (CRC-32), so other versions reject them and damage
//! is detected.

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

/// A value as a Python `bytes` object.
pub(crate) fn to_py_bytes<'py, T: Serialize>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &bytes(value)?))
}

/// A value from its bytes.
pub(crate) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    let broken = |_| PyValueError::new_err("found bytes that are not a pickle of chasles, or a part of one");
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

/// The value of `__reduce__`: the method `_from_bytes` of the class, with its argument.
pub(crate) type ReduceValue<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));

/// The value of `__reduce__` for an object with this content.
pub(crate) fn reduce_value<'py, T: Serialize, C: pyo3::PyTypeInfo>(
    py: Python<'py>,
    value: &T,
) -> PyResult<ReduceValue<'py>> {
    Ok((py.get_type::<C>().getattr("_from_bytes")?, (to_py_bytes(py, value)?,)))
}

/// Whether two values are equal, to the last bit: 0.0 differs from -0.0, and NaN equals the same NaN. Serialization is
/// deterministic, because no value holds a hash map.
pub(crate) fn are_equal<T: Serialize>(one: &T, other: &T) -> PyResult<bool> {
    Ok(bytes(one)? == bytes(other)?)
}

/// The methods of classes whose objects never change: a copy is the object itself.
macro_rules! immutable_classes {
    ($($name:ident)*) => {$(
        #[pyo3::pymethods]
        impl $name {
            fn __copy__(slf: pyo3::Py<Self>) -> pyo3::Py<Self> {
                slf
            }

            fn __deepcopy__(slf: pyo3::Py<Self>, _memo: &pyo3::Bound<'_, pyo3::PyAny>) -> pyo3::Py<Self> {
                slf
            }
        }
    )*};
}

pub(crate) use immutable_classes;

/// The methods of classes whose objects wrap one value of the engine (`self.0`) and never change. Objects are equal
/// if their bytes are, and a pickle holds these bytes.
macro_rules! value_classes {
    ($($name:ident)*) => {
        $crate::pickle::immutable_classes! { $($name)* }
        $(
        #[pyo3::pymethods]
        impl $name {
            fn __eq__(&self, other: &Self) -> pyo3::PyResult<bool> {
                $crate::pickle::are_equal(&self.0, &other.0)
            }

            fn __reduce__<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<$crate::pickle::ReduceValue<'py>> {
                $crate::pickle::reduce_value::<_, Self>(py, &self.0)
            }

            #[classmethod]
            fn _from_bytes(_: &pyo3::Bound<'_, pyo3::types::PyType>, bytes: &[u8]) -> pyo3::PyResult<Self> {
                $crate::pickle::from_bytes(bytes).map(Self)
            }
        }
        )*
    };
}

pub(crate) use value_classes;
