//! Arguments: arrays, files, options. An error names the argument and the place of the bad value in it.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use chasles::glam::DVec3;
use chasles::{RestingPairs, StaticPairs};
use chasles_formats::reading::ReadLimits;
use numpy::{PyArrayDyn, PyArrayMethods as _, PyReadonlyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::exceptions::{PyFileNotFoundError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyTuple};
use serde::{Deserialize, Serialize};

/// The error about a bad value.
#[cold]
pub(crate) fn value_error(place: impl Display, message: impl Display) -> PyErr {
    PyValueError::new_err(format!("{place}: {message}"))
}

/// The error about a value of the wrong type.
#[cold]
pub(crate) fn type_error(place: impl Display, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let kind = value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{place}: found {kind}, expected {expected}"))
}

/// The error about a bad file: ``chasles.Error``.
#[cold]
pub(crate) fn file_error(py: Python<'_>, error: &chasles_formats::Error) -> PyErr {
    use chasles_formats::ErrorLocation;
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let line = match error.place {
        ErrorLocation::Line(line) | ErrorLocation::Spot { line, .. } => Some(line),
        ErrorLocation::Key { line, .. } => Some(line).filter(|line| *line > 0),
        ErrorLocation::File | ErrorLocation::Byte(_) => None,
    };
    let class = CLASS.import(py, "chasles._error", "Error");
    match class.and_then(|class| class.call1((error.to_string(), error.file.clone(), line))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// The path of a file that exists.
pub(crate) fn existing_file(py: Python<'_>, path: PathBuf) -> PyResult<PathBuf> {
    if path.exists() { Ok(path) } else { Err(file_not_found(py, &path)) }
}

/// A named file that exists, and the limits for reading it and the files that it names: in one folder, or anywhere.
pub(crate) fn confined_file(
    py: Python<'_>,
    path: PathBuf,
    folder: Option<PathBuf>,
) -> PyResult<(PathBuf, ReadLimits)> {
    let to_error = |error| file_error(py, &error);
    let folders = ReadLimits::resolved(folder.as_slice()).map_err(to_error)?;
    let limits = ReadLimits { folders, ..ReadLimits::default() };
    limits.check(&path).map_err(to_error)?;
    Ok((existing_file(py, path)?, limits))
}

#[cold]
fn file_not_found(_: Python<'_>, path: &Path) -> PyErr {
    /// The error number of a missing file.
    const NO_ENTRY: i32 = 2;
    PyFileNotFoundError::new_err((NO_ENTRY, "No such file or directory", path.to_path_buf()))
}

fn asarray<'py>(value: &Bound<'py, PyAny>, place: &str) -> PyResult<Bound<'py, PyAny>> {
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    ASARRAY.import(py, "numpy", "asarray")?.call1((value,)).map_err(|error| {
        // Nested lists of different lengths.
        if error.is_instance_of::<PyValueError>(py) { value_error(place, error.value(py)) } else { error }
    })
}

/// Refuses a masked array, because its mask would be lost.
fn refuse_masked(value: &Bound<'_, PyAny>, place: &str) -> PyResult<()> {
    static MASKED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    match value.is_instance(MASKED.import(py, "numpy.ma", "MaskedArray")?)? {
        true => Err(type_error(place, value, "an array without a mask")),
        false => Ok(()),
    }
}

/// NumPy's letter for the kind of a dtype.
fn dtype_kind(array: &Bound<'_, PyAny>) -> PyResult<char> {
    array.getattr("dtype")?.getattr("kind")?.extract::<char>()
}

/// An array of real numbers of any kind and layout, as doubles.
pub(crate) fn real_array<'py>(
    value: &Bound<'py, PyAny>,
    place: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    refuse_masked(value, place)?;
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>() {
        return Ok(array.readonly());
    }
    let array = asarray(value, place)?;
    if !matches!(dtype_kind(&array)?, 'i' | 'u' | 'f') {
        return Err(dtype_error(&array, value, place));
    }
    let array = array.call_method1("astype", ("float64",))?;
    Ok(array.cast::<PyArrayDyn<f64>>()?.readonly())
}

#[cold]
fn dtype_error(array: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, place: &str) -> PyErr {
    let name = array.getattr("dtype").and_then(|dtype| Ok(dtype.str()?.to_string()));
    let name = name.unwrap_or_default();
    if name == "object" {
        return type_error(place, value, "real numbers");
    }
    PyTypeError::new_err(format!("{place}: found numbers of dtype {name}, expected real numbers"))
}

/// An array of integers of any kind and layout, as 64 bits. A number that does not fit is an error.
pub(crate) fn integer_array<'py>(
    value: &Bound<'py, PyAny>,
    place: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, i64>> {
    refuse_masked(value, place)?;
    let array = asarray(value, place)?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    match dtype_kind(&array)? {
        'i' => {}
        'u' => {
            if !is_empty && array.call_method0("max")?.extract::<u64>()? > i64::MAX as u64 {
                return Err(value_error(place, "found a number beyond 63 bits"));
            }
        }
        // NumPy takes an empty list for doubles.
        'f' if is_empty => {}
        'f' => return Err(value_error(place, "found numbers with fractions, expected integers")),
        _ => return Err(dtype_error(&array, value, place)),
    }
    let array = array.call_method1("astype", ("int64",))?;
    Ok(array.cast::<PyArrayDyn<i64>>()?.readonly())
}

/// A shape as NumPy writes it.
fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => {
            let sides: Vec<_> = shape.iter().map(usize::to_string).collect();
            format!("({})", sides.join(", "))
        }
    }
}

/// The error about an array of the wrong shape.
pub(crate) fn shape_error(place: &str, shape: &[usize], expected: &str) -> PyErr {
    value_error(place, format_args!("found shape {}, expected {expected}", shape_text(shape)))
}

/// The memory of lists up to this length is not checked.
const SMALL: usize = 1 << 16;

/// An empty list with capacity for `count` values. For a large list twice as much memory must be free as well, because
/// later steps need it.
pub(crate) fn vec_with_capacity<T>(count: usize) -> PyResult<Vec<T>> {
    let (mut list, mut later) = (Vec::new(), Vec::<[T; 2]>::new());
    let has_no_room = count > SMALL && later.try_reserve_exact(count).is_err();
    if has_no_room || list.try_reserve_exact(count).is_err() {
        let message = format!("found an array of {count} values, which needs more memory than there is");
        return Err(PyMemoryError::new_err(message));
    }
    Ok(list)
}

/// All numbers of an array in C order.
pub(crate) fn flattened(array: &PyReadonlyArrayDyn<'_, f64>) -> PyResult<Vec<f64>> {
    let mut numbers = vec_with_capacity(array.len())?;
    match array.as_slice() {
        Ok(input) if array.is_c_contiguous() => numbers.extend_from_slice(input),
        _ => numbers.extend(array.as_array().iter().copied()),
    }
    Ok(numbers)
}

/// A vector of N finite numbers.
pub(crate) fn vector<const N: usize>(value: &Bound<'_, PyAny>, place: &str) -> PyResult<[f64; N]> {
    let array = real_array(value, place)?;
    if array.shape() != [N] {
        return Err(shape_error(place, array.shape(), &shape_text(&[N])));
    }
    let numbers = flattened(&array)?;
    if let Some(bad) = numbers.iter().find(|x| !x.is_finite()) {
        return Err(value_error(place, format_args!("found {bad}, expected finite numbers")));
    }
    Ok(std::array::from_fn(|i| numbers[i]))
}

/// Coordinates are smaller, so that their squares are finite.
const MAX_COORDINATE: f64 = 1e70;

/// Points from a flat list of coordinates.
pub(crate) fn points(numbers: &[f64], place: impl Display) -> PyResult<Vec<DVec3>> {
    let points: Vec<DVec3> = numbers.as_chunks::<3>().0.iter().map(|x| DVec3::from_array(*x)).collect();
    let is_invalid = |x: &f64| x.is_nan() || x.abs() >= MAX_COORDINATE;
    if let Some((row, point)) = points.iter().enumerate().find(|(_, p)| p.to_array().iter().any(is_invalid)) {
        let value = point.to_array().into_iter().find(is_invalid).unwrap_or_default();
        let message = format_args!("found {value}, expected finite numbers below 1e70");
        return Err(value_error(format_args!("{place}[{row}]"), message));
    }
    Ok(points)
}

/// An array of points (N, 3).
pub(crate) fn point_array(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Vec<DVec3>> {
    let input = real_array(value, place)?;
    match input.shape() {
        [_, 3] => points(&flattened(&input)?, place),
        shape => Err(shape_error(place, shape, "(N, 3)")),
    }
}

/// A one-dimensional array of any length.
pub(crate) fn number_row(value: &Bound<'_, PyAny>, place: &str, expected: &str) -> PyResult<Vec<f64>> {
    let array = real_array(value, place)?;
    if array.ndim() != 1 {
        return Err(shape_error(place, array.shape(), expected));
    }
    flattened(&array)
}

/// Finite times in seconds, strictly increasing.
pub(crate) fn times(value: &Bound<'_, PyAny>, expected: &str) -> PyResult<Vec<f64>> {
    let times = number_row(value, "times", expected)?;
    for (row, time) in times.iter().enumerate() {
        if !(time.is_finite() && (row == 0 || *time > times[row - 1])) {
            let message = format_args!("found {time}, expected times that are finite and increase");
            return Err(value_error(Row { place: "times", row }, message));
        }
    }
    Ok(times)
}

/// A row of an argument, displayed as `starts[3]`.
#[derive(Clone, Copy)]
pub(crate) struct Row<'p> {
    pub(crate) place: &'p str,
    pub(crate) row: usize,
}

impl Display for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.place, self.row)
    }
}

/// Whether a value is a list or tuple whose first item has the type `T`.
pub(crate) fn is_sequence_of<T: pyo3::PyTypeInfo>(value: &Bound<'_, PyAny>) -> bool {
    use pyo3::types::PyList;
    let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    is_list && value.get_item(0).is_ok_and(|first| first.is_instance_of::<T>())
}

/// A number that is not negative. `None` means the default.
pub(crate) fn non_negative(value: Option<f64>, place: &str) -> PyResult<Option<f64>> {
    match value {
        Some(value) if !(value >= 0.0 && value.is_finite()) => {
            Err(value_error(place, format_args!("found {value}, expected a number that is not negative")))
        }
        value => Ok(value),
    }
}

/// A limit of work, in steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget(pub(crate) u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Budget {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        whole_number(&value, "budget", "steps of work, 0 to 2^64 - 1").map(Self)
    }
}

/// Whether pairs at rest, and pairs of bodies that can never move, are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct RestingRules {
    pub(crate) standing: RestingPairs,
    pub(crate) statics: StaticPairs,
}

impl RestingRules {
    pub(crate) const IGNORED: Self = Self { standing: RestingPairs::Ignored, statics: StaticPairs::Ignored };

    /// The value of the argument ``standing``.
    pub(crate) fn of(standing: &str) -> PyResult<Self> {
        match standing {
            "test" => Ok(Self::default()),
            "ignore" => Ok(Self::IGNORED),
            other => {
                Err(value_error("standing", format_args!("found {other:?}, expected \"test\" or \"ignore\"")))
            }
        }
    }
}

/// The number of threads of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threads(pub(crate) NonZeroUsize);

/// The maximum number of threads.
const MAX_THREADS: u64 = 1024;

impl<'a, 'py> FromPyObject<'a, 'py> for Threads {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let expected = "a whole number from 1 to 1024, or None";
        let threads = whole_number(&value, "threads", expected)?;
        let threads = usize::try_from(threads.min(MAX_THREADS + 1)).ok().and_then(NonZeroUsize::new);
        match threads {
            Some(threads) if threads.get() as u64 <= MAX_THREADS => Ok(Self(threads)),
            _ => Err(value_error("threads", format_args!("found {}, expected {expected}", value.as_any()))),
        }
    }
}

fn whole_number(value: &Bound<'_, PyAny>, place: &str, expected: &str) -> PyResult<u64> {
    if value.is_instance_of::<PyBool>() {
        return Err(type_error(place, value, expected));
    }
    value.extract::<u64>().map_err(|error| {
        let is_type = error.is_instance_of::<PyTypeError>(value.py());
        if is_type {
            type_error(place, value, expected)
        } else {
            value_error(place, format_args!("found {value}, expected {expected}"))
        }
    })
}
