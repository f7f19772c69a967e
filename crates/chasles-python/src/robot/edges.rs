//! Edges and configurations of planners: read from arrays, checked in parallel, returned as arrays.

use std::sync::Arc;

use chasles::{EdgeChecker, EdgeFreeSpan, EdgeMemory, EdgeOutcome, ProgressMonitor};
use numpy::{Element, PyArray1, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arguments::{Budget, Row, Threads, flattened, real_array, shape_error, value_error};
use crate::query::batch::structured_array;
use crate::query::prediction::{CLEAR, CONTACT, UNDECIDED};
use crate::robot::Robot;
use crate::work::Runner;

/// The options of a call about many edges or configurations.
struct EdgeCall<'a, 'py> {
    threads: Option<Threads>,
    budget: Option<Budget>,
    progress: Option<&'a Bound<'py, PyAny>>,
}

/// Configurations, one after the other.
struct Configurations {
    values: Vec<f64>,
    width: usize,
    /// `None`: one for all rows.
    count: Option<usize>,
}

impl Configurations {
    /// Reads configurations (K, J), or one for all rows, (J,). An error names the row of the first bad value.
    fn read(value: &Bound<'_, PyAny>, place: &str, checker: &EdgeChecker) -> PyResult<Self> {
        let width = checker.joints().len();
        let array = real_array(value, place)?;
        let count = match *array.shape() {
            [length] if length == width => None,
            [count, length] if length == width => Some(count),
            ref shape => {
                return Err(shape_error(
                    place,
                    shape,
                    &format!("(K, {width}), a value a joint, or ({width},)"),
                ));
            }
        };
        let values = flattened(&array)?;
        for (row, configuration) in values.chunks(width.max(1)).enumerate() {
            checker.check_values(configuration).map_err(|error| match count {
                Some(_) => value_error(Row { place, row }, error),
                None => value_error(place, error),
            })?;
        }
        Ok(Self { values, width, count })
    }

    fn at(&self, row: usize) -> &[f64] {
        let row = if self.count.is_some() { row } else { 0 };
        &self.values[row * self.width..(row + 1) * self.width]
    }
}

/// Edges, with the checker that checks them.
struct Edges {
    checker: Arc<EdgeChecker>,
    ends: [Configurations; 2],
    count: usize,
}

impl Edges {
    /// The two ends of an edge.
    fn at(&self, row: usize) -> [&[f64]; 2] {
        self.ends.each_ref().map(|end| end.at(row))
    }
}

/// The number of edges with these ends.
fn edge_count(ends: &[Configurations; 2]) -> PyResult<usize> {
    match ends.each_ref().map(|end| end.count) {
        [Some(first), Some(second)] if first != second => {
            Err(value_error("q1", format_args!("found {second} configurations, expected {first} as q0 has")))
        }
        [Some(count), _] | [None, Some(count)] => Ok(count),
        [None, None] => Ok(1),
    }
}

/// Computes one value for each of `count` rows in parallel. Rows that were not computed keep the value `unset`;
/// this happens only if the call ends with an error.
fn for_each_row<'py, T: Send + Clone>(
    py: Python<'py>,
    call: &EdgeCall<'_, 'py>,
    (count, unset): (usize, T),
    compute: impl Fn(usize, &mut EdgeMemory) -> Result<T, chasles::Error> + Sync,
) -> PyResult<Vec<T>> {
    let runner = Runner::new(py, call.progress);
    let mut values = vec![unset; count];
    let done = runner.run(call.threads, |work| {
        work.begin(count);
        let block_length = (count / (16 * rayon::current_num_threads())).clamp(1, 16);
        values.par_chunks_mut(block_length).enumerate().try_for_each_init(
            EdgeMemory::default,
            |memory, (number, block)| {
                for (place, value) in block.iter_mut().enumerate() {
                    if work.is_over() {
                        break;
                    }
                    *value = compute(number * block_length + place, memory)?;
                }
                work.done(block.len());
                Ok(())
            },
        )
    })?;
    done.map_err(|error: chasles::Error| value_error("edges", error))?;
    runner.report_progress(count, count)?;
    Ok(values)
}

/// Checks `count` edges or configurations, and converts each outcome to a value of an array.
fn outcome_array<'py, T: Element + Copy>(
    py: Python<'py>,
    call: &EdgeCall<'_, 'py>,
    count: usize,
    convert: fn(&EdgeOutcome) -> T,
    check: impl Fn(usize, &mut EdgeMemory) -> Result<EdgeOutcome, chasles::Error> + Sync,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let unset = convert(&EdgeOutcome::Undecided([0; 2]));
    let values = for_each_row(py, call, (count, unset), |row, memory| {
        check(row, memory).map(|outcome| convert(&outcome))
    })?;
    Ok(PyArray1::from_vec(py, values))
}

impl Robot {
    /// Reads edges from the arrays of their ends.
    fn edges(&self, [q0, q1]: [&Bound<'_, PyAny>; 2], budget: Option<Budget>) -> PyResult<Edges> {
        let checker = self.checker(q0.py(), budget)?;
        let ends = [Configurations::read(q0, "q0", &checker)?, Configurations::read(q1, "q1", &checker)?];
        let count = edge_count(&ends)?;
        Ok(Edges { checker, ends, count })
    }

    /// The outcomes of edges, each converted to a value of an array.
    fn edge_outcomes<'py, T: Element + Copy>(
        &self,
        ends: [&Bound<'py, PyAny>; 2],
        call: &EdgeCall<'_, 'py>,
        convert: fn(&EdgeOutcome) -> T,
    ) -> PyResult<Bound<'py, PyArray1<T>>> {
        let edges = self.edges(ends, call.budget)?;
        outcome_array(ends[0].py(), call, edges.count, convert, |row, memory| {
            let [from, to] = edges.at(row);
            edges.checker.check_edge(from, to, memory)
        })
    }

    /// The outcomes of configurations, each converted to a value of an array.
    fn configuration_outcomes<'py, T: Element + Copy>(
        &self,
        q: &Bound<'py, PyAny>,
        call: &EdgeCall<'_, 'py>,
        convert: fn(&EdgeOutcome) -> T,
    ) -> PyResult<Bound<'py, PyArray1<T>>> {
        let checker = self.checker(q.py(), call.budget)?;
        let configurations = Configurations::read(q, "q", &checker)?;
        outcome_array(q.py(), call, configurations.count.unwrap_or(1), convert, |row, memory| {
            checker.check_configuration(configurations.at(row), memory)
        })
    }
}

#[pymethods]
impl Robot {
    /// The verdict of each straight edge in joint space: uint8 (K,), 0 (``CLEAR``) proven free, 3 (``CONTACT``)
    /// blocked, also from the start, 2 (``UNDECIDED``) neither is proven.
    ///
    /// ``q0`` and ``q1`` (K, J) are the ends; one of the two arrays may be (J,). A value is 0 where ``check_path`` says
    /// ``clear``, and 3 where it says ``near``, ``contact`` or ``overlapping``; the check of an edge ends at its first
    /// proof. Values beyond limits: ValueError with row and joint.
    #[pyo3(signature = (q0, q1, *, threads=None, budget=None, progress=None))]
    fn check_edges<'py>(
        &self,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        self.edge_outcomes([q0, q1], &EdgeCall { threads, budget, progress }, verdict_code)
    }

    /// The mask of free straight edges in joint space: bool (K,), True where ``check_edges`` returns 0, so where an
    /// edge is proven clear. An undecided edge is False. Arguments as in ``check_edges``.
    #[pyo3(signature = (q0, q1, *, threads=None, budget=None, progress=None))]
    fn edges_free<'py>(
        &self,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        self.edge_outcomes([q0, q1], &EdgeCall { threads, budget, progress }, EdgeOutcome::is_free)
    }

    /// The free part of each straight edge in joint space, and the contact that ends it: an array (K,) of dtype
    /// ``EDGE``.
    ///
    /// ``time`` encloses the first contact of any pair. The edge is proven free up to ``free``. Both are fractions of
    /// the edge, in [0, 1]. ``a`` and ``b`` are indices into ``.bodies``. Arguments as in ``check_edges``.
    #[pyo3(signature = (q0, q1, *, threads=None, budget=None, progress=None))]
    fn edges_first_contact<'py>(
        &self,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = EdgeCall { threads, budget, progress };
        let edges = self.edges([q0, q1], call.budget)?;
        let answers = for_each_row(q0.py(), &call, (edges.count, [0; EDGE]), |row, memory| {
            let [from, to] = edges.at(row);
            edges.checker.reach(from, to, memory).map(|span| edge_row(&span))
        })?;
        structured_array(q0.py(), answers.into_flattened(), "EDGE")
    }

    /// The verdict of each configuration ``q`` (K, J): uint8 (K,), 0 free, 3 blocked, 2 undecided. The tested pairs are
    /// the same as for ``check_edges``.
    #[pyo3(signature = (q, *, threads=None, budget=None, progress=None))]
    fn check_configurations<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        self.configuration_outcomes(q, &EdgeCall { threads, budget, progress }, verdict_code)
    }

    /// The mask of free configurations: bool (K,), True where ``check_configurations`` returns 0. An undecided
    /// configuration is False. Arguments as in ``check_configurations``.
    #[pyo3(signature = (q, *, threads=None, budget=None, progress=None))]
    fn configurations_free<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        self.configuration_outcomes(q, &EdgeCall { threads, budget, progress }, EdgeOutcome::is_free)
    }
}

/// The place of an outcome in `VERDICTS`.
fn verdict_code(outcome: &EdgeOutcome) -> u8 {
    match outcome {
        EdgeOutcome::Free => CLEAR,
        EdgeOutcome::Blocked(_) => CONTACT,
        EdgeOutcome::Undecided(_) => UNDECIDED,
    }
}

/// The bytes of a row of `EDGE`. Its fields have no gaps between them.
const EDGE: usize = 1 + 16 + 8 + 4 + 4;

/// The row of `EDGE` for one edge.
fn edge_row(span: &EdgeFreeSpan) -> [u8; EDGE] {
    let verdict = match span.contact {
        Some(_) => CONTACT,
        None if span.free_until >= 1.0 => CLEAR,
        None => UNDECIDED,
    };
    let [lo, hi] = span.contact.map_or([f64::NAN; 2], |contact| contact.at);
    let number = |body: usize| i32::try_from(body).unwrap_or(-1);
    let [a, b] = span.contact.map_or([-1; 2], |contact| contact.bodies.map(number));
    let mut row = [0; EDGE];
    row[0] = verdict;
    row[1..9].copy_from_slice(&lo.to_ne_bytes());
    row[9..17].copy_from_slice(&hi.to_ne_bytes());
    row[17..25].copy_from_slice(&span.free_until.to_ne_bytes());
    row[25..29].copy_from_slice(&a.to_ne_bytes());
    row[29..].copy_from_slice(&b.to_ne_bytes());
    row
}
