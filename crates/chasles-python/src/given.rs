//! Arguments: arrays, poses, options. What has no meaning is refused with the name of the argument and the place in it.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use chasles::glam::{DQuat, DVec3};
use chasles::{Pose, RestingPairs, StaticPairs};
use chasles_formats::reading::ReadLimits;
use numpy::{PyArrayDyn, PyArrayMethods as _, PyReadonlyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::exceptions::{PyFileNotFoundError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyTuple};
use serde::{Deserialize, Serialize};

use crate::pose;

/// A value without meaning.
#[cold]
pub(crate) fn refused(place: impl Display, message: impl Display) -> PyErr {
    PyValueError::new_err(format!("{place}: {message}"))
}

/// A value of a kind that is not taken.
#[cold]
pub(crate) fn mistyped(place: impl Display, found: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let kind = found.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{place}: found {kind}, expected {expected}"))
}

/// A bad file: the package's own error.
#[cold]
pub(crate) fn bad_file(py: Python<'_>, error: &chasles_formats::Error) -> PyErr {
    use chasles_formats::ErrorLocation;
    static KIND: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let line = match error.place {
        ErrorLocation::Line(line) | ErrorLocation::Spot { line, .. } => Some(line),
        ErrorLocation::Key { line, .. } => Some(line).filter(|line| *line > 0),
        ErrorLocation::File | ErrorLocation::Byte(_) => None,
    };
    let told = KIND
        .get_or_try_init(py, || Ok(py.import("chasles._error")?.getattr("Error")?.unbind()))
        .and_then(|kind| kind.bind(py).call1((error.to_string(), error.file.clone(), line)));
    match told {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// A file that is named, and there.
pub(crate) fn file(py: Python<'_>, path: PathBuf) -> PyResult<PathBuf> {
    if path.exists() { Ok(path) } else { Err(missing(py, &path)) }
}

/// A named file that exists, and the limits for reading it and the files that it names: in one folder, or anywhere.
pub(crate) fn confined(
    py: Python<'_>,
    path: PathBuf,
    folder: Option<PathBuf>,
) -> PyResult<(PathBuf, ReadLimits)> {
    let bad = |error| bad_file(py, &error);
    let folders = ReadLimits::resolved(folder.as_slice()).map_err(bad)?;
    let limits = ReadLimits { folders, ..ReadLimits::default() };
    limits.check(&path).map_err(bad)?;
    Ok((file(py, path)?, limits))
}

#[cold]
fn missing(_: Python<'_>, path: &Path) -> PyErr {
    /// The number that systems have for a file that is not there.
    const NO_ENTRY: i32 = 2;
    PyFileNotFoundError::new_err((NO_ENTRY, "No such file or directory", path.to_path_buf()))
}

fn asarray<'py>(value: &Bound<'py, PyAny>, place: &str) -> PyResult<Bound<'py, PyAny>> {
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let asarray =
        ASARRAY.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.getattr("asarray")?.unbind()))?;
    asarray.bind(py).call1((value,)).map_err(|error| {
        // Lists of lists of different lengths.
        if error.is_instance_of::<PyValueError>(py) { refused(place, error.value(py)) } else { error }
    })
}

/// Refuses a masked array: its mask would be lost.
fn refuse_masked(value: &Bound<'_, PyAny>, place: &str) -> PyResult<()> {
    static MASKED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let masked = MASKED
        .get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy.ma")?.getattr("MaskedArray")?.unbind()))?;
    match value.is_instance(masked.bind(py))? {
        true => Err(mistyped(place, value, "an array without a mask")),
        false => Ok(()),
    }
}

/// The letter that NumPy has for the kind of a dtype.
fn kind_of(array: &Bound<'_, PyAny>) -> PyResult<char> {
    array.getattr("dtype")?.getattr("kind")?.extract::<char>()
}

/// An array of real numbers of any kind and layout, as doubles.
pub(crate) fn reals<'py>(value: &Bound<'py, PyAny>, place: &str) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    refuse_masked(value, place)?;
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>() {
        return Ok(array.readonly());
    }
    let array = asarray(value, place)?;
    if !matches!(kind_of(&array)?, 'i' | 'u' | 'f') {
        return Err(unreal(&array, value, place));
    }
    let array = array.call_method1("astype", ("float64",))?;
    Ok(array.cast::<PyArrayDyn<f64>>()?.readonly())
}

#[cold]
fn unreal(array: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, place: &str) -> PyErr {
    let name = array.getattr("dtype").and_then(|dtype| Ok(dtype.str()?.to_string()));
    let name = name.unwrap_or_default();
    if name == "object" {
        return mistyped(place, value, "real numbers");
    }
    PyTypeError::new_err(format!("{place}: found numbers of dtype {name}, expected real numbers"))
}

/// An array of whole numbers of any kind and layout, as 64 bits; those that do not fit are refused.
pub(crate) fn wholes<'py>(value: &Bound<'py, PyAny>, place: &str) -> PyResult<PyReadonlyArrayDyn<'py, i64>> {
    refuse_masked(value, place)?;
    let array = asarray(value, place)?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    match kind_of(&array)? {
        'i' => {}
        'u' => {
            if !is_empty && array.call_method0("max")?.extract::<u64>()? > i64::MAX as u64 {
                return Err(refused(place, "found a number beyond 63 bits"));
            }
        }
        // An empty list is one of doubles to NumPy.
        'f' if is_empty => {}
        'f' => return Err(refused(place, "found numbers with fractions, expected integers")),
        _ => return Err(unreal(&array, value, place)),
    }
    let array = array.call_method1("astype", ("int64",))?;
    Ok(array.cast::<PyArrayDyn<i64>>()?.readonly())
}

/// Text about a shape, as NumPy writes it.
fn shape_of(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => {
            let sides: Vec<_> = shape.iter().map(usize::to_string).collect();
            format!("({})", sides.join(", "))
        }
    }
}

/// Refuses an array of another shape.
pub(crate) fn misshapen(place: &str, shape: &[usize], expected: &str) -> PyErr {
    refused(place, format_args!("found shape {}, expected {expected}", shape_of(shape)))
}

/// Lists up to this length need little memory.
const SMALL: usize = 1 << 16;

/// A list with room for `count` values. Large lists need memory for twice as much too, for later steps.
pub(crate) fn with_room<T>(count: usize) -> PyResult<Vec<T>> {
    let (mut list, mut later) = (Vec::new(), Vec::<[T; 2]>::new());
    let has_no_room = count > SMALL && later.try_reserve_exact(count).is_err();
    if has_no_room || list.try_reserve_exact(count).is_err() {
        let message = format!("found an array of {count} values, which needs more memory than there is");
        return Err(PyMemoryError::new_err(message));
    }
    Ok(list)
}

/// All numbers of an array, the last index first.
pub(crate) fn flat(array: &PyReadonlyArrayDyn<'_, f64>) -> PyResult<Vec<f64>> {
    let mut numbers = with_room(array.len())?;
    match array.as_slice() {
        Ok(given) if array.is_c_contiguous() => numbers.extend_from_slice(given),
        _ => numbers.extend(array.as_array().iter().copied()),
    }
    Ok(numbers)
}

/// A vector of N numbers, which are finite.
pub(crate) fn vector<const N: usize>(value: &Bound<'_, PyAny>, place: &str) -> PyResult<[f64; N]> {
    let array = reals(value, place)?;
    if array.shape() != [N] {
        return Err(misshapen(place, array.shape(), &shape_of(&[N])));
    }
    let numbers = flat(&array)?;
    if let Some(bad) = numbers.iter().find(|x| !x.is_finite()) {
        return Err(refused(place, format_args!("found {bad}, expected finite numbers")));
    }
    Ok(std::array::from_fn(|i| numbers[i]))
}

/// Coordinates have squares that are finite.
const LIMIT: f64 = 1e70;

/// Points from their coordinates, one after the other.
pub(crate) fn points(numbers: &[f64], place: impl Display) -> PyResult<Vec<DVec3>> {
    let points: Vec<DVec3> = numbers.as_chunks::<3>().0.iter().map(|x| DVec3::from_array(*x)).collect();
    let bad = |x: &f64| x.is_nan() || x.abs() >= LIMIT;
    if let Some((row, point)) = points.iter().enumerate().find(|(_, p)| p.to_array().iter().any(bad)) {
        let found = point.to_array().into_iter().find(bad).unwrap_or_default();
        let message = format_args!("found {found}, expected finite numbers below 1e70");
        return Err(refused(format_args!("{place}[{row}]"), message));
    }
    Ok(points)
}

/// An array of points (N, 3).
pub(crate) fn list_of_points(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Vec<DVec3>> {
    let given = reals(value, place)?;
    match given.shape() {
        [_, 3] => points(&flat(&given)?, place),
        shape => Err(misshapen(place, shape, "(N, 3)")),
    }
}

/// Numbers in a row, of any length.
pub(crate) fn row(value: &Bound<'_, PyAny>, place: &str, expected: &str) -> PyResult<Vec<f64>> {
    let array = reals(value, place)?;
    if array.ndim() != 1 {
        return Err(misshapen(place, array.shape(), expected));
    }
    flat(&array)
}

/// Times in a row, in seconds: finite, each after the one before.
pub(crate) fn times(value: &Bound<'_, PyAny>, expected: &str) -> PyResult<Vec<f64>> {
    let times = row(value, "times", expected)?;
    for (row, time) in times.iter().enumerate() {
        if !(time.is_finite() && (row == 0 || *time > times[row - 1])) {
            let message = format_args!("found {time}, expected times that are finite and increase");
            return Err(refused(Row { place: "times", row }, message));
        }
    }
    Ok(times)
}

/// A pose from a position and a quaternion.
pub(crate) fn posed(position: &[f64], quaternion: &[f64], place: impl Display) -> PyResult<Pose> {
    let turn = DQuat::from_xyzw(quaternion[1], quaternion[2], quaternion[3], quaternion[0]);
    Pose::new(DVec3::from_slice(position), turn).map_err(|error| refused(place, error))
}

/// A pose from 7 numbers, or from 16, row by row.
fn of_numbers(numbers: &[f64], place: impl Display) -> PyResult<Pose> {
    match numbers.len() {
        7 => posed(&numbers[..3], &numbers[3..], place),
        _ => {
            let rows = [0, 4, 8, 12].map(|at| std::array::from_fn(|j| numbers[at + j]));
            Pose::from_matrix(&rows).map_err(|error| refused(place, error))
        }
    }
}

/// What is taken for a pose.
const A_POSE: &str = "a pose: a Pose, (4, 4), (7,) or (position, quaternion)";

/// What is taken for poses.
const POSES: &str = "poses (K, 4, 4) or (K, 7), or one pose";

/// One pose, in any of its forms.
pub(crate) fn one_pose(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Pose> {
    match poses(value, place)? {
        Poses::One(pose) => Ok(pose),
        Poses::Many(poses) => Err(refused(place, format_args!("found {} poses, expected one", poses.len()))),
    }
}

/// One pose for all, or one for each.
#[derive(Debug, Clone)]
pub(crate) enum Poses {
    One(Pose),
    Many(Vec<Pose>),
}

impl Poses {
    /// How many there are, where there is one for each.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Self::One(_) => None,
            Self::Many(poses) => Some(poses.len()),
        }
    }

    /// That with a number.
    pub(crate) fn at(&self, number: usize) -> Pose {
        match self {
            Self::One(pose) => *pose,
            Self::Many(poses) => poses[number],
        }
    }
}

/// Poses, or one, in any of their forms.
pub(crate) fn poses(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Poses> {
    if let Ok(pose) = value.cast::<pose::Pose>() {
        return Ok(Poses::One(pose.get().0));
    }
    if let Ok(pair) = value.cast::<PyTuple>()
        && pair.len() == 2
        && !pair.get_item(0)?.is_instance_of::<pose::Pose>()
    {
        let position = vector::<3>(&pair.get_item(0)?, &format!("{place}: position"))?;
        let quaternion = vector::<4>(&pair.get_item(1)?, &format!("{place}: quaternion"))?;
        return Ok(Poses::One(posed(&position, &quaternion, place)?));
    }
    if is_sequence_of::<pose::Pose>(value) {
        let own = |(row, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let item = item?;
            let pose = item.cast::<pose::Pose>().map(|pose| pose.get().0);
            pose.map_err(|_| mistyped(Row { place, row }, &item, "a Pose, as the first one"))
        };
        return Ok(Poses::Many(value.try_iter()?.enumerate().map(own).collect::<PyResult<_>>()?));
    }
    if value.is_none() || value.is_instance_of::<pose::Screw>() {
        return Err(mistyped(place, value, A_POSE));
    }
    let array = reals(value, place)?;
    let width = match array.shape() {
        [7] | [4, 4] => return Ok(Poses::One(of_numbers(&flat(&array)?, place)?)),
        [_, 7] => 7,
        [_, 4, 4] => 16,
        shape => return Err(misshapen(place, shape, POSES)),
    };
    let numbers = flat(&array)?;
    let each = numbers.chunks_exact(width).enumerate();
    let each = each.map(|(row, numbers)| of_numbers(numbers, Row { place, row }));
    Ok(Poses::Many(each.collect::<PyResult<_>>()?))
}

/// A place in an argument, as in `starts[3]`.
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

/// Whether a list or tuple begins with one of these.
pub(crate) fn is_sequence_of<T: pyo3::PyTypeInfo>(value: &Bound<'_, PyAny>) -> bool {
    use pyo3::types::PyList;
    let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    is_list && value.get_item(0).is_ok_and(|first| first.is_instance_of::<T>())
}

/// A length or another number that is not negative; `None`: the usual one.
pub(crate) fn not_negative(value: Option<f64>, place: &str) -> PyResult<Option<f64>> {
    match value {
        Some(value) if !(value >= 0.0 && value.is_finite()) => {
            Err(refused(place, format_args!("found {value}, expected a number that is not negative")))
        }
        value => Ok(value),
    }
}

/// Steps of work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget(pub(crate) u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Budget {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        whole(&value, "budget", "steps of work, 0 to 2^64 - 1").map(Self)
    }
}

/// Whether pairs at rest, and pairs of bodies that can never move, are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Resting {
    pub(crate) standing: RestingPairs,
    pub(crate) statics: StaticPairs,
}

impl Resting {
    pub(crate) const IGNORED: Self = Self { standing: RestingPairs::Ignored, statics: StaticPairs::Ignored };

    /// The value of the argument ``standing``.
    pub(crate) fn of(standing: &str) -> PyResult<Self> {
        match standing {
            "test" => Ok(Self::default()),
            "ignore" => Ok(Self::IGNORED),
            other => {
                Err(refused("standing", format_args!("found {other:?}, expected \"test\" or \"ignore\"")))
            }
        }
    }
}

/// How many threads a call uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threads(pub(crate) NonZeroUsize);

/// The most threads that may be asked for.
const MOST_THREADS: u64 = 1024;

impl<'a, 'py> FromPyObject<'a, 'py> for Threads {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let expected = "a whole number from 1 to 1024, or None";
        let threads = whole(&value, "threads", expected)?;
        let threads = usize::try_from(threads.min(MOST_THREADS + 1)).ok().and_then(NonZeroUsize::new);
        match threads {
            Some(threads) if threads.get() as u64 <= MOST_THREADS => Ok(Self(threads)),
            _ => Err(refused("threads", format_args!("found {}, expected {expected}", value.as_any()))),
        }
    }
}

fn whole(value: &Bound<'_, PyAny>, place: &str, expected: &str) -> PyResult<u64> {
    if value.is_instance_of::<PyBool>() {
        return Err(mistyped(place, value, expected));
    }
    value.extract::<u64>().map_err(|error| {
        let is_type = error.is_instance_of::<PyTypeError>(value.py());
        if is_type {
            mistyped(place, value, expected)
        } else {
            refused(place, format_args!("found {value}, expected {expected}"))
        }
    })
}
