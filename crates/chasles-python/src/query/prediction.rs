//! The answers to queries about two bodies: predictions, contacts, intervals.

use chasles::{ContactFeatures, Outcome, UndecidedReason};
use chasles_formats::report::answer::{ContactExtras, ProblemAnswer};
use numpy::{IntoPyArray as _, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods as _};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::mesh::from_json;
use crate::pickle::value_classes;
use crate::pose::{array, vector_array};

/// The verdicts from the best to the worst. The index of a verdict is its code in arrays.
pub(crate) const VERDICTS: [&str; 5] = ["clear", "near", "undecided", "contact", "overlapping"];

pub(crate) const CLEAR: u8 = 0;
pub(crate) const UNDECIDED: u8 = 2;
pub(crate) const CONTACT: u8 = 3;
pub(crate) const OVERLAPPING: u8 = 4;

/// The index of the verdict of an outcome in [`VERDICTS`].
pub(crate) fn verdict_of(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Clear => CLEAR,
        Outcome::Undecided { .. } => UNDECIDED,
        Outcome::Contact(_) => CONTACT,
        Outcome::Overlapping(_) => OVERLAPPING,
    }
}

/// The time before which the absence of contact is proven.
pub(crate) fn clear_until(outcome: &Outcome) -> f64 {
    match outcome {
        Outcome::Clear => 1.0,
        Outcome::Undecided { clear_until, .. } => *clear_until,
        Outcome::Contact(contact) => contact.time[0],
        Outcome::Overlapping(_) => 0.0,
    }
}

/// The numbers of the features of A and of B: a vertex, a face or the two vertices of an edge; none of a round surface.
pub(crate) fn feature_numbers(features: &ContactFeatures) -> [[Option<u32>; 2]; 2] {
    let one = |number: u32| [Some(number), None];
    let none = [None; 2];
    match *features {
        ContactFeatures::VertexFace { a, b }
        | ContactFeatures::FaceVertex { a, b }
        | ContactFeatures::PointPoint { a, b } => [one(a), one(b)],
        ContactFeatures::EdgeEdge { a, b } => [a.map(Some), b.map(Some)],
        ContactFeatures::Surfaces { a, b } | ContactFeatures::SurfaceSurface { a, b } => {
            [[a, None], [b, None]]
        }
        ContactFeatures::PointSolid { a } => [one(a), none],
        ContactFeatures::SolidPoint { b } => [none, one(b)],
    }
}

fn number_tuple<'py>(py: Python<'py>, numbers: [Option<u32>; 2]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, numbers.into_iter().flatten().collect::<Vec<_>>())
}

/// The error for the use of an answer as a truth value.
#[cold]
pub(crate) fn truth_value_error(kind: &str) -> PyErr {
    PyTypeError::new_err(format!("a {kind} is neither true nor false: ask its .verdict"))
}

/// The time and point at which two features collide. Times are in [0, 1] and points in B's frame; in a report,
/// times are in seconds and points in the world.
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct Contact(pub(crate) chasles::Contact);

#[pymethods]
impl Contact {
    /// An enclosure (lo, hi) of the time: the features are proven separated before lo, and have collided by hi.
    #[getter]
    fn time(&self) -> (f64, f64) {
        self.0.time.into()
    }

    /// The kind of the features: ``vertex-face``, ``face-vertex`` or ``edge-edge``, A's first; for round bodies and
    /// other shapes ``surfaces``, ``surface-surface``, ``point-solid``, ``solid-point`` or ``point-point``.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.features.kind()
    }

    /// The feature of A: the number of its vertex or face, or the two vertices of its edge; () for a round surface.
    #[getter]
    fn a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        number_tuple(py, feature_numbers(&self.0.features)[0])
    }

    /// The feature of B, as ``a``.
    #[getter]
    fn b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        number_tuple(py, feature_numbers(&self.0.features)[1])
    }

    /// The point of contact: (3,), in metres.
    #[getter]
    fn point<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector_array(py, self.0.point)
    }

    /// The unit normal (3,) from A to B.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector_array(py, self.0.normal)
    }

    /// Whether the features are only known to come within the tolerance. Otherwise they pass through each other.
    #[getter]
    fn touching(&self) -> bool {
        self.0.touching
    }

    /// The speed of approach along the normal, in metres per unit of time.
    #[getter]
    fn approach_speed(&self) -> f64 {
        self.0.approach_speed
    }

    fn __repr__(&self) -> String {
        let ([lo, hi], p) = (self.0.time, self.0.point);
        format!("Contact({}, time=({lo}, {hi}), point=[{}, {}, {}])", self.kind(), p.x, p.y, p.z)
    }
}

/// The reason for an undecided verdict, in a sentence.
fn undecided_reason(cause: UndecidedReason) -> &'static str {
    match cause {
        UndecidedReason::Deviation => chasles_formats::report::answer::reason(cause),
        UndecidedReason::Budget | UndecidedReason::Memory | UndecidedReason::Rounding => {
            chasles_formats::report::verdict::reason(cause.into())
        }
    }
}

/// The answer to a query about two bodies, one of which moves along a screw. Read ``.verdict`` first.
///
/// ``clear`` is proven: at no time in [0, 1] do the surfaces come closer than the tolerance. ``undecided`` is not
/// clear.
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct Prediction(pub(crate) chasles::Prediction);

#[pymethods]
impl Prediction {
    /// ``clear``, ``undecided``, ``contact`` or ``overlapping``: see ``chasles.VERDICTS``.
    #[getter]
    fn verdict(&self) -> &'static str {
        VERDICTS[usize::from(verdict_of(&self.0.outcome))]
    }

    /// For a contact, an enclosure (lo, hi) of its time, in [0, 1]: the surfaces are proven separated before lo.
    /// Otherwise None.
    #[getter]
    fn time(&self) -> Option<(f64, f64)> {
        match &self.0.outcome {
            Outcome::Contact(contact) => Some(contact.time.into()),
            _ => None,
        }
    }

    /// The contact, if there is one; otherwise None.
    #[getter]
    fn contact(&self) -> Option<Contact> {
        match &self.0.outcome {
            Outcome::Contact(contact) => Some(Contact(*contact)),
            _ => None,
        }
    }

    /// Every contact, sorted by time, then features, from ``all_contacts``; other queries give an empty list.
    #[getter]
    fn contacts(&self) -> Vec<Contact> {
        self.0.contacts.iter().copied().map(Contact).collect()
    }

    /// The faces of A and B that intersect, (P, 2), int64, for bodies that overlap at the start. Otherwise of shape
    /// (0, 2).
    #[getter]
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let pairs: &[[u32; 2]] = match &self.0.outcome {
            Outcome::Overlapping(pairs) => pairs,
            _ => &[],
        };
        let numbers: Vec<i64> = pairs.iter().flatten().map(|face| i64::from(*face)).collect();
        numbers.into_pyarray(py).reshape([pairs.len(), 2])
    }

    /// The time before which the absence of contact is proven: 1.0 if clear, 0.0 if overlapping.
    #[getter]
    fn clear_until(&self) -> f64 {
        clear_until(&self.0.outcome)
    }

    /// The reason for the verdict ``undecided``; otherwise None.
    #[getter]
    fn why(&self) -> Option<&'static str> {
        match &self.0.outcome {
            Outcome::Undecided { reason: cause, .. } => Some(undecided_reason(*cause)),
            _ => None,
        }
    }

    /// The distance below which surfaces touch, in metres: the given value, or 1e-9 of the larger body.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.0.tolerance
    }

    /// The answer in the format of ``chasles batch``, without a name.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let answer = ProblemAnswer::Found { name: "", prediction: &self.0, extras: ContactExtras::default() };
        let dict = from_json(py, &answer.to_line(&[]))?.cast_into::<PyDict>()?;
        dict.del_item("name")?;
        Ok(dict)
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(truth_value_error("Prediction"))
    }

    fn __repr__(&self) -> String {
        let more = match &self.0.outcome {
            Outcome::Clear => String::new(),
            Outcome::Contact(contact) => {
                format!(", time=({}, {}), {}", contact.time[0], contact.time[1], contact.features.kind())
            }
            Outcome::Overlapping(pairs) => format!(", {} pairs of faces", pairs.len()),
            Outcome::Undecided { clear_until, reason: cause } => {
                format!(", clear_until={clear_until}, why={:?}", undecided_reason(*cause))
            }
        };
        format!("Prediction({}{more})", self.verdict())
    }
}

/// All time intervals in which the surfaces of two bodies intersect or touch. Read ``.verdict`` first.
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct Intervals(pub(crate) chasles::Intervals);

#[pymethods]
impl Intervals {
    /// The verdict of ``first_contact``.
    #[getter]
    fn verdict(&self) -> &'static str {
        VERDICTS[usize::from(verdict_of(&self.0.outcome))]
    }

    /// Enclosures of the starts, in order: (K, 2), in [0, 1]; [0, 0] if they touch from the start.
    #[getter]
    fn enter<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let numbers = self.0.intervals.iter().flat_map(|interval| interval.enter).collect();
        array(py, numbers, &[self.0.intervals.len(), 2])
    }

    /// Enclosures of the ends: (K, 2); NaN if the surfaces still touch at t = 1.
    #[getter]
    fn exit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let ends =
            self.0.intervals.iter().flat_map(|interval| interval.exit.unwrap_or([f64::NAN; 2])).collect();
        array(py, ends, &[self.0.intervals.len(), 2])
    }

    /// The contact with which each interval starts; None for an interval that starts at time 0.
    #[getter]
    fn contacts(&self) -> Vec<Option<Contact>> {
        self.0.intervals.iter().map(|interval| interval.contact.map(Contact)).collect()
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(truth_value_error("Intervals"))
    }

    fn __repr__(&self) -> String {
        format!("Intervals({}, {} intervals)", self.verdict(), self.0.intervals.len())
    }
}

value_classes! { Contact Prediction Intervals }
