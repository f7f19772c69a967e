//! All collisions of two meshes along one screw, and clearances along it.

use chasles::clearance_map_watched;
use chasles_formats::report::screen_query::{ScreenQuery, screen_report};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::arguments::{Budget, Threads, non_negative, point_array, value_error};
use crate::mesh::{from_json, prepared_mesh};
use crate::pickle::value_classes;
use crate::pose::array;
use crate::query::prediction::truth_value_error;
use crate::query::{motion, options};
use crate::work::{Runner, Work};

/// The collision screen of A and B: every place where a leading part of A collides with a trailing part of B along
/// a screw.
///
/// Times are in [0, 1], points in B's frame. Read ``.verdict`` first.
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct ScreenReport(ScreenResult);

/// The result as `chasles screen --json` writes it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ScreenResult {
    verdict: String,
    line: String,
}

#[pymethods]
impl ScreenReport {
    /// ``clear``, ``contact``, ``overlapping`` or ``undecided``. A screen of pixels proves no verdict.
    #[getter]
    fn verdict(&self) -> &str {
        &self.0.verdict
    }

    /// The whole result, with the keys of ``chasles screen --json``, without a name.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dict = from_json(py, &self.0.line)?;
        dict.del_item("name")?;
        Ok(dict)
    }

    /// The collisions as columns, sorted by time: a dict of ``kind``, ``a``, ``b`` (C, 2) (-1 unused), ``time`` (C,
    /// 2), ``point``, ``normal`` (C, 3), ``properness``, ``proper`` and ``from`` (a word if features collide at a
    /// vertex, otherwise "").
    fn to_arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("chasles._tables")?.call_method1("collisions", (self.to_dict(py)?,))
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(truth_value_error("ScreenReport"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let count = self.to_dict(py)?.get_item("collisions")?.len()?;
        let word = if count == 1 { "collision" } else { "collisions" };
        Ok(format!("ScreenReport({}, {count} {word})", self.0.verdict))
    }
}

/// The number of pixels along the diagonal of the smaller mesh.
fn pixels(resolution: i64) -> PyResult<u32> {
    u32::try_from(resolution).ok().filter(|pixels| *pixels > 0).ok_or_else(|| {
        value_error(
            "resolution",
            format_args!("found {resolution}, expected a whole number of pixels, at least 1"),
        )
    })
}

/// The collision screen of A, which moves along a screw, and B, whose pose is the identity: from ``start`` to
/// ``end``, poses, or ``start`` a ``Screw``.
///
/// Every collision has a properness, which is small if the two only graze. ``probes`` (P, 3): points of B's frame
/// for which the clearance along their flow lines is computed. ``play``: the proven free motion of A, forward and
/// backward. ``concurrent``: collisions that start within this time of each other are grouped. ``resolution``: a
/// screen of this number of pixels in place of exact features, without proof. ``budget``: the maximum number of
/// steps; a screen that needs more is ``undecided``.
///
/// Guarantee, without ``resolution``: no collision between relevant parts is missed; each is within its enclosure.
///
/// >>> a = chasles.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 2, 1]])
/// >>> b = chasles.Mesh([[0, 0, -1], [1, 0, -1], [0, 1, -1]], [[0, 1, 2]])
/// >>> report = chasles.screen(a, b, chasles.Screw.translation(chasles.Pose(), [0, 0, -2]))
/// >>> report.verdict
/// 'contact'
#[pyfunction]
#[pyo3(signature = (a, b, start, end=None, *, probes=None, play=false, concurrent=None, resolution=None, tolerance=None,
                    deviation=0.0, budget=None, threads=None))]
pub(crate) fn screen(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    start: &Bound<'_, PyAny>,
    end: Option<&Bound<'_, PyAny>>,
    probes: Option<&Bound<'_, PyAny>>,
    play: bool,
    concurrent: Option<f64>,
    resolution: Option<i64>,
    tolerance: Option<f64>,
    deviation: f64,
    budget: Option<Budget>,
    threads: Option<Threads>,
) -> PyResult<ScreenReport> {
    let (a, b) = (prepared_mesh(a, "a")?, prepared_mesh(b, "b")?);
    let screw = motion(start, end)?;
    let query = ScreenQuery {
        resolution: resolution.map(pixels).transpose()?,
        options: options(tolerance, deviation, budget)?,
        concurrent: non_negative(concurrent, "concurrent")?,
        play,
        probes: probes.map_or(Ok(Vec::new()), |probes| point_array(probes, "probes"))?,
    };
    let run = |work: &Work| screen_report("", (&a, &b), &screw, &query, work);
    let result = Runner::new(py, None).run(threads, run)?;
    let result = result.map_err(|error| value_error("start", error))?;
    Ok(ScreenReport(ScreenResult { verdict: result.verdict.word().to_owned(), line: result.to_line() }))
}

/// The clearance ahead of every vertex of A, along a screw.
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct ClearanceMap(ClearanceColumns);

/// The time, angle and length of the clearance of each vertex; the minimum, and the number of undecided vertices.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ClearanceColumns {
    of_vertices: Vec<Option<[f64; 3]>>,
    least: Option<(u32, [f64; 3])>,
    undecided: usize,
}

impl ClearanceMap {
    fn column<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let clearances = self.0.of_vertices.iter();
        let column =
            clearances.map(|clearance| clearance.map_or(f64::NAN, |clearance| clearance[number])).collect();
        array(py, column, &[self.0.of_vertices.len()])
    }
}

#[pymethods]
impl ClearanceMap {
    /// For each vertex of A, the time until contact, (N,), in units of the whole motion. NaN if no surface is ahead, if
    /// no face at the vertex leads, if the result is undecided, and for all but the first of equal vertices.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.column(py, 0)
    }

    /// The angle by which A rotates until contact: (N,), in radians; NaN as in ``time``.
    #[getter]
    fn angle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.column(py, 1)
    }

    /// The length along the flow line until contact: (N,), in metres; NaN as in ``time``.
    #[getter]
    fn metres<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.column(py, 2)
    }

    /// The vertex with the shortest time, and this time; ``None`` if no vertex has a time.
    #[getter]
    fn least(&self) -> Option<(u32, f64)> {
        self.0.least.map(|(vertex, clearance)| (vertex, clearance[0]))
    }

    /// The number of vertices without a result within the budget.
    #[getter]
    fn undecided(&self) -> usize {
        self.0.undecided
    }

    fn __len__(&self) -> usize {
        self.0.of_vertices.len()
    }

    fn __repr__(&self) -> String {
        let count = self.0.of_vertices.iter().flatten().count();
        format!("ClearanceMap({count} of {} vertices)", self.0.of_vertices.len())
    }
}

/// For every vertex of A at the start of its motion, the distance along its flow line to the nearest part of B ahead.
///
/// This is a sample of the surface, not a proof: between vertices A may be closer. ``screen(.., play=True)`` proves
/// how far A may move. Arguments as in ``screen``.
///
/// >>> a = chasles.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 2, 1]])
/// >>> b = chasles.Mesh([[-1, -1, -1], [3, -1, -1], [-1, 3, -1]], [[0, 1, 2]])
/// >>> chasles.clearance_map(a, b, chasles.Screw.translation(chasles.Pose(), [0, 0, -2])).metres.round(6).tolist()
/// [1.0, 1.0, 1.0]
#[pyfunction]
#[pyo3(signature = (a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=None, threads=None))]
pub(crate) fn clearance_map(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    start: &Bound<'_, PyAny>,
    end: Option<&Bound<'_, PyAny>>,
    tolerance: Option<f64>,
    deviation: f64,
    budget: Option<Budget>,
    threads: Option<Threads>,
) -> PyResult<ClearanceMap> {
    let (a, b) = (prepared_mesh(a, "a")?, prepared_mesh(b, "b")?);
    let (screw, options) = (motion(start, end)?, options(tolerance, deviation, budget)?);
    let result =
        Runner::new(py, None).run(threads, |work| clearance_map_watched((&a, &b), &screw, &options, work))?;
    let result = result.map_err(|error| value_error("start", error))?;
    let numbers = |clearance: chasles::Clearance| [clearance.time, clearance.angle, clearance.metres];
    Ok(ClearanceMap(ClearanceColumns {
        of_vertices: result.of_vertices.into_iter().map(|clearance| clearance.map(numbers)).collect(),
        least: result.minimum.map(|(vertex, clearance)| (vertex, numbers(clearance))),
        undecided: result.undecided,
    }))
}

value_classes! { ScreenReport ClearanceMap }
