//! First contacts of many pairs in one call, as rows of one array.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chasles::{
    ContactFeatures, Options, Outcome, Prediction, PreparedMesh, ProgressMonitor, Query, QueryKind, Screw,
    Workspace,
};
use numpy::IntoPyArray as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};
use rayon::prelude::*;

use crate::arguments::{Budget, Row, Threads, is_sequence_of, type_error, value_error};
use crate::mesh::prepared_mesh;
use crate::pose::{self, Poses, poses};
use crate::query::prediction::{clear_until, feature_numbers, verdict_of};
use crate::query::{WORKSPACE, is_short_budget_spent, options, with_short_budget};
use crate::work::{Runner, Work};

/// The bytes of a row of `PREDICTION`. Its fields have no gaps between them.
const ROW: usize = 1 + 16 + 8 + 1 + 16 + 16 + 24 + 24 + 1;

/// A batch starts on the caller's thread. After this time the remaining rows go to other threads.
const FIRST_ROWS_TIME: Duration = Duration::from_millis(1);

/// The maximum number of rows that a thread takes at once.
const BLOCK: usize = 64;

/// The bodies of a batch: one for all rows, or one for each row.
enum BatchBodies {
    One(Arc<PreparedMesh>),
    Each(Vec<Arc<PreparedMesh>>),
}

impl BatchBodies {
    fn of(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Self> {
        if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
            return prepared_mesh(value, place).map(Self::One);
        }
        // The hierarchy of a mesh that occurs more than once is built once.
        let mut prepared: HashMap<usize, Arc<PreparedMesh>> = HashMap::new();
        let items: Vec<Bound<'_, PyAny>> = value.try_iter()?.collect::<PyResult<_>>()?;
        let convert = |(row, item): (usize, &Bound<'_, PyAny>)| {
            let key = item.as_ptr() as usize;
            if let Some(body) = prepared.get(&key) {
                return Ok(body.clone());
            }
            let body = prepared_mesh(item, &Row { place, row }.to_string())?;
            prepared.insert(key, body.clone());
            Ok(body)
        };
        items.iter().enumerate().map(convert).collect::<PyResult<_>>().map(Self::Each)
    }

    fn at(&self, row: usize) -> &PreparedMesh {
        match self {
            Self::One(body) => body,
            Self::Each(bodies) => &bodies[row],
        }
    }

    fn count(&self) -> Option<usize> {
        match self {
            Self::One(_) => None,
            Self::Each(bodies) => Some(bodies.len()),
        }
    }
}

/// The motions of a batch.
enum BatchMotions {
    Screws(Vec<Screw>),
    Poses(Poses, Poses),
}

impl BatchMotions {
    fn of(starts: &Bound<'_, PyAny>, ends: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if let Ok(screw) = starts.cast::<pose::Screw>() {
            let ScrewList(screws) = ScrewList::of(&PyList::new(starts.py(), [screw])?.into_any())?;
            return refuse_ends(ends).map(|()| Self::Screws(screws));
        }
        if is_sequence_of::<pose::Screw>(starts) {
            refuse_ends(ends)?;
            return ScrewList::of(starts).map(|ScrewList(screws)| Self::Screws(screws));
        }
        let from = poses(starts, "starts")?;
        match ends.filter(|ends| !ends.is_none()) {
            Some(ends) => Ok(Self::Poses(from, poses(ends, "ends")?)),
            None => {
                Err(PyTypeError::new_err("ends: found None, expected poses, because starts are not Screws"))
            }
        }
    }

    /// The number of rows of each argument, with its name. `None`: the argument has one value for all rows.
    fn counts(&self) -> [(&'static str, Option<usize>); 2] {
        match self {
            Self::Screws(screws) => [("starts", Some(screws.len())), ("ends", None)],
            Self::Poses(starts, ends) => [("starts", starts.count()), ("ends", ends.count())],
        }
    }

    fn at(&self, row: usize) -> Screw {
        match self {
            Self::Screws(screws) => screws[row],
            Self::Poses(starts, ends) => Screw::between(starts.at(row), ends.at(row)),
        }
    }
}

fn refuse_ends(ends: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match ends.filter(|ends| !ends.is_none()) {
        None => Ok(()),
        Some(_) => Err(PyTypeError::new_err("ends: found poses beside Screws, expected none")),
    }
}

struct ScrewList(Vec<Screw>);

impl ScrewList {
    fn of(list: &Bound<'_, PyAny>) -> PyResult<Self> {
        let convert = |(row, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let item = item?;
            let screw = item.cast::<pose::Screw>().map(|screw| screw.get().0);
            screw.map_err(|_| type_error(Row { place: "starts", row }, &item, "a Screw, as the first one"))
        };
        list.try_iter()?.enumerate().map(convert).collect::<PyResult<_>>().map(Self)
    }
}

/// A batch of queries.
struct Batch {
    bodies: [BatchBodies; 2],
    motions: BatchMotions,
    options: Options,
    count: usize,
}

impl Batch {
    fn query(&self, row: usize) -> Query<'_> {
        let [a, b] = &self.bodies;
        Query { a: a.at(row), b: b.at(row), screw: self.motions.at(row) }
    }

    /// Computes rows one after the other until the time is over. Returns the number of computed rows.
    fn fill_first_rows(&self, rows: &mut [u8]) -> Result<usize, chasles::Error> {
        let (start, options) = (Instant::now(), with_short_budget(&self.options));
        WORKSPACE.with_borrow_mut(|memory| {
            for (number, row) in rows.chunks_exact_mut(ROW).enumerate() {
                let result = self.query(number).predict(QueryKind::FirstContact, &options, memory)?;
                if is_short_budget_spent(&result.outcome, &self.options) {
                    return Ok(number);
                }
                write_row(&result, row);
                if start.elapsed() > FIRST_ROWS_TIME {
                    return Ok(number + 1);
                }
            }
            Ok(self.count)
        })
    }

    /// Computes the rows from `first` to the end, on all threads. If the work is stopped, some rows stay empty.
    fn fill_remaining_rows(&self, first: usize, rows: &mut [u8], work: &Work) -> Result<(), chasles::Error> {
        work.begin(self.count);
        work.done(first);
        let block = ((self.count - first) / (32 * rayon::current_num_threads())).clamp(1, BLOCK);
        rows[first * ROW..].par_chunks_mut(block * ROW).enumerate().try_for_each_init(
            Workspace::default,
            |memory, (number, rows)| {
                for (place, row) in rows.chunks_exact_mut(ROW).enumerate() {
                    if work.is_over() {
                        break;
                    }
                    let query = self.query(first + number * block + place);
                    let result =
                        query.predict_watched(QueryKind::FirstContact, &self.options, work, memory)?;
                    write_row(&result, row);
                }
                work.done(rows.len() / ROW);
                Ok(())
            },
        )
    }
}

/// Writes a prediction into a row.
fn write_row(result: &Prediction, row: &mut [u8]) {
    let mut rest = row;
    let mut write = |bytes: &[u8]| {
        let (field, after) = std::mem::take(&mut rest).split_at_mut(bytes.len());
        field.copy_from_slice(bytes);
        rest = after;
    };
    let contact = match &result.outcome {
        Outcome::Contact(contact) => Some(contact),
        _ => None,
    };
    let none = [f64::NAN; 3];
    write(&[verdict_of(&result.outcome)]);
    contact.map_or([f64::NAN; 2], |contact| contact.time).iter().for_each(|x| write(&x.to_ne_bytes()));
    write(&clear_until(&result.outcome).to_ne_bytes());
    write(&[contact.map_or(NO_KIND, |contact| kind_code(&contact.features))]);
    let [a, b] = contact.map_or([[None; 2]; 2], |contact| feature_numbers(&contact.features));
    a.into_iter().chain(b).for_each(|n| write(&n.map_or(-1, i64::from).to_ne_bytes()));
    let [point, normal] = contact.map_or([none; 2], |c| [c.point.to_array(), c.normal.to_array()]);
    point.iter().chain(&normal).for_each(|x| write(&x.to_ne_bytes()));
    write(&[contact.is_some_and(|contact| contact.touching).into()]);
}

/// The kind of a row without contact.
const NO_KIND: u8 = 255;

/// The code of a kind of contact in rows.
fn kind_code(features: &ContactFeatures) -> u8 {
    match features {
        ContactFeatures::VertexFace { .. } => 0,
        ContactFeatures::FaceVertex { .. } => 1,
        ContactFeatures::EdgeEdge { .. } => 2,
        // Two meshes on a screw have no other kinds.
        _ => NO_KIND,
    }
}

/// The number of rows of a batch. All arguments with one value for each row must have the same number of rows.
fn common_count(counts: &[(&str, Option<usize>)]) -> PyResult<usize> {
    let mut common: Option<(&str, usize)> = None;
    for (place, count) in counts {
        match (common, count) {
            (_, None) => {}
            (None, Some(count)) => common = Some((place, *count)),
            (Some((other, expected)), Some(count)) if expected != *count => {
                return Err(value_error(
                    place,
                    format_args!("found {count}, expected {expected} as {other} has"),
                ));
            }
            (Some(_), Some(_)) => {}
        }
    }
    Ok(common.map_or(1, |(_, count)| count))
}

/// Rows as an array whose dtype has this name in the package.
pub(crate) fn structured_array<'py>(
    py: Python<'py>,
    bytes: Vec<u8>,
    dtype: &str,
) -> PyResult<Bound<'py, PyAny>> {
    static DTYPES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let dtypes =
        DTYPES.get_or_try_init(py, || Ok::<_, PyErr>(py.import("chasles._dtypes")?.into_any().unbind()))?;
    let dtype = dtypes.bind(py).getattr(dtype)?;
    bytes.into_pyarray(py).call_method1("view", (dtype,))
}

/// The first contacts of many pairs and motions, each as of ``first_contact``: an array (K,) of dtype ``PREDICTION``.
///
/// ``a`` and ``b``: a body for all, or a list of K. ``starts`` and ``ends``: poses (K, 4, 4) or (K, 7), or one pose for
/// all; or ``starts`` is a list of K ``Screw`` and there are no ``ends``. ``threads``: the number of threads (None: all
/// cores); the results are the same to the last bit. ``progress(done, total)`` is called in the caller's thread, at
/// most 20 times a second and at the end. An exception in it, and Ctrl-C, end the call.
///
/// Each row has the same bits as the single call. NaN, -1 and 255 mark missing values. A bad row is a ValueError that
/// names the row, and no row is computed.
///
/// >>> cube = chasles.Body(chasles.Mesh.load("cube.obj"))
/// >>> starts = np.tile([3, 0.1, 0.2, 1, 0, 0, 0], (1000, 1))
/// >>> ends = starts - [6, 0, 0, 0, 0, 0, 0]
/// >>> ends[::2, 1] += 9
/// >>> answers = chasles.first_contact_many(cube, cube, starts, ends)
/// >>> np.bincount(answers["verdict"], minlength=5).tolist()
/// [500, 0, 0, 500, 0]
#[pyfunction]
#[pyo3(signature = (a, b, starts, ends=None, *, threads=None, progress=None, tolerance=None, deviation=0.0, budget=None),
       text_signature = "(a, b, starts, ends=None, *, threads=None, progress=None, tolerance=None, deviation=0.0, budget=500_000_000)")]
pub(crate) fn first_contact_many<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    starts: &Bound<'py, PyAny>,
    ends: Option<&Bound<'py, PyAny>>,
    threads: Option<Threads>,
    progress: Option<&Bound<'py, PyAny>>,
    tolerance: Option<f64>,
    deviation: f64,
    budget: Option<Budget>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = options(tolerance, deviation, budget)?;
    let bodies = [BatchBodies::of(a, "a")?, BatchBodies::of(b, "b")?];
    let motions = BatchMotions::of(starts, ends)?;
    let [starts, ends] = motions.counts();
    let count = common_count(&[starts, ends, ("a", bodies[0].count()), ("b", bodies[1].count())])?;
    let batch = Batch { bodies, motions, options, count };
    let mut bytes = vec![0; count * ROW];
    let to_error = |error: chasles::Error| value_error("query", error);
    let first = batch.fill_first_rows(&mut bytes).map_err(to_error)?;
    let runner = Runner::new(py, progress);
    if first < count {
        runner.run(threads, |work| batch.fill_remaining_rows(first, &mut bytes, work))?.map_err(to_error)?;
    }
    runner.report_progress(count, count)?;
    structured_array(py, bytes, "PREDICTION")
}
