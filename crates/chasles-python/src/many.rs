//! First contacts of many pairs at a time, as rows of one array.

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

use crate::answer::{clear_until, numbers, verdict_of};
use crate::given::{Budget, Poses, Row, Threads, is_sequence_of, mistyped, poses, refused};
use crate::mesh::a_body;
use crate::pose;
use crate::query::{WORKSPACE, is_cut_short, options, short};
use crate::work::{Teller, Work};

/// Bytes of a row of `PREDICTION`, whose fields lie side by side.
const ROW: usize = 1 + 16 + 8 + 1 + 16 + 16 + 24 + 24 + 1;

/// For so long a batch is answered at once, on the caller's own thread; what is left then goes to others.
const AT_ONCE: Duration = Duration::from_millis(1);

/// Rows that a thread takes at once, at most.
const BLOCK: usize = 64;

/// The bodies of a batch: one for all, or one for each.
enum Bodies {
    One(Arc<PreparedMesh>),
    Each(Vec<Arc<PreparedMesh>>),
}

impl Bodies {
    fn of(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Self> {
        if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
            return a_body(value, place).map(Self::One);
        }
        // The tree of a mesh that stands here more than once is built once.
        let mut known: HashMap<usize, Arc<PreparedMesh>> = HashMap::new();
        let items: Vec<Bound<'_, PyAny>> = value.try_iter()?.collect::<PyResult<_>>()?;
        let own = |(row, item): (usize, &Bound<'_, PyAny>)| {
            let key = item.as_ptr() as usize;
            if let Some(body) = known.get(&key) {
                return Ok(body.clone());
            }
            let body = a_body(item, &Row { place, row }.to_string())?;
            known.insert(key, body.clone());
            Ok(body)
        };
        items.iter().enumerate().map(own).collect::<PyResult<_>>().map(Self::Each)
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
enum Motions {
    Screws(Vec<Screw>),
    Poses(Poses, Poses),
}

impl Motions {
    fn of(starts: &Bound<'_, PyAny>, ends: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if let Ok(screw) = starts.cast::<pose::Screw>() {
            let PyScrews(screws) = PyScrews::of(&PyList::new(starts.py(), [screw])?.into_any())?;
            return none_beside(ends).map(|()| Self::Screws(screws));
        }
        if is_sequence_of::<pose::Screw>(starts) {
            none_beside(ends)?;
            return PyScrews::of(starts).map(|PyScrews(screws)| Self::Screws(screws));
        }
        let from = poses(starts, "starts")?;
        match ends.filter(|ends| !ends.is_none()) {
            Some(ends) => Ok(Self::Poses(from, poses(ends, "ends")?)),
            None => Err(PyTypeError::new_err("ends: found None, expected poses, as starts are no Screws")),
        }
    }

    /// How many there are, where they are not one for all, with the name of the argument.
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

fn none_beside(ends: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match ends.filter(|ends| !ends.is_none()) {
        None => Ok(()),
        Some(_) => Err(PyTypeError::new_err("ends: found poses beside Screws, expected none")),
    }
}

struct PyScrews(Vec<Screw>);

impl PyScrews {
    fn of(list: &Bound<'_, PyAny>) -> PyResult<Self> {
        let own = |(row, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let item = item?;
            let screw = item.cast::<pose::Screw>().map(|screw| screw.get().0);
            screw.map_err(|_| mistyped(Row { place: "starts", row }, &item, "a Screw, as the first one"))
        };
        list.try_iter()?.enumerate().map(own).collect::<PyResult<_>>().map(Self)
    }
}

/// All that is asked.
struct Batch {
    bodies: [Bodies; 2],
    motions: Motions,
    options: Options,
    count: usize,
}

impl Batch {
    fn query(&self, row: usize) -> Query<'_> {
        let [a, b] = &self.bodies;
        Query { a: a.at(row), b: b.at(row), screw: self.motions.at(row) }
    }

    /// Answers rows one after the other until it takes too long, and returns how many.
    fn begin(&self, rows: &mut [u8]) -> Result<usize, chasles::Error> {
        let (begin, short) = (Instant::now(), short(&self.options));
        WORKSPACE.with_borrow_mut(|memory| {
            for (number, row) in rows.chunks_exact_mut(ROW).enumerate() {
                let found = self.query(number).predict(QueryKind::FirstContact, &short, memory)?;
                if is_cut_short(&found.outcome, &self.options) {
                    return Ok(number);
                }
                write(&found, row);
                if begin.elapsed() > AT_ONCE {
                    return Ok(number + 1);
                }
            }
            Ok(self.count)
        })
    }

    /// Answers the rows from a number on, on all threads. Where the work is stopped some are left empty.
    fn go_on(&self, first: usize, rows: &mut [u8], work: &Work) -> Result<(), chasles::Error> {
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
                    let found =
                        query.predict_watched(QueryKind::FirstContact, &self.options, work, memory)?;
                    write(&found, row);
                }
                work.done(rows.len() / ROW);
                Ok(())
            },
        )
    }
}

/// Writes an answer as a row.
fn write(found: &Prediction, row: &mut [u8]) {
    let mut rest = row;
    let mut put = |bytes: &[u8]| {
        let (own, after) = std::mem::take(&mut rest).split_at_mut(bytes.len());
        own.copy_from_slice(bytes);
        rest = after;
    };
    let contact = match &found.outcome {
        Outcome::Contact(contact) => Some(contact),
        _ => None,
    };
    let none = [f64::NAN; 3];
    put(&[verdict_of(&found.outcome)]);
    contact.map_or([f64::NAN; 2], |contact| contact.time).iter().for_each(|x| put(&x.to_ne_bytes()));
    put(&clear_until(&found.outcome).to_ne_bytes());
    put(&[contact.map_or(NO_KIND, |contact| kind(&contact.features))]);
    let [a, b] = contact.map_or([[None; 2]; 2], |contact| numbers(&contact.features));
    a.into_iter().chain(b).for_each(|n| put(&n.map_or(-1, i64::from).to_ne_bytes()));
    let [point, normal] = contact.map_or([none; 2], |c| [c.point.to_array(), c.normal.to_array()]);
    point.iter().chain(&normal).for_each(|x| put(&x.to_ne_bytes()));
    put(&[contact.is_some_and(|contact| contact.touching).into()]);
}

/// In a row: there is no contact.
const NO_KIND: u8 = 255;

/// The number that a kind of contact has in rows.
fn kind(features: &ContactFeatures) -> u8 {
    match features {
        ContactFeatures::VertexFace { .. } => 0,
        ContactFeatures::FaceVertex { .. } => 1,
        ContactFeatures::EdgeEdge { .. } => 2,
        // Two meshes on a screw have no others.
        _ => NO_KIND,
    }
}

/// How many rows there are: all arguments that have one for each row have as many.
fn agreed(counts: &[(&str, Option<usize>)]) -> PyResult<usize> {
    let mut agreed: Option<(&str, usize)> = None;
    for (place, count) in counts {
        match (agreed, count) {
            (_, None) => {}
            (None, Some(count)) => agreed = Some((place, *count)),
            (Some((other, wanted)), Some(count)) if wanted != *count => {
                return Err(refused(place, format_args!("found {count}, expected {wanted} as {other} has")));
            }
            (Some(_), Some(_)) => {}
        }
    }
    Ok(agreed.map_or(1, |(_, count)| count))
}

/// Rows as an array of the dtype of the package that has this name.
pub(crate) fn rows<'py>(py: Python<'py>, bytes: Vec<u8>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    static DTYPES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let dtypes =
        DTYPES.get_or_try_init(py, || Ok::<_, PyErr>(py.import("chasles._dtypes")?.into_any().unbind()))?;
    let dtype = dtypes.bind(py).getattr(dtype)?;
    bytes.into_pyarray(py).call_method1("view", (dtype,))
}

/// The first contacts of many pairs and motions, as ``first_contact`` tells each: an array (K,) of dtype
/// ``PREDICTION``.
///
/// ``a`` and ``b``: a body for all, or a list of K. ``starts`` and ``ends``: poses (K, 4, 4) or (K, 7), or one pose for
/// all; or ``starts`` is a list of K ``Screw`` and there are no ``ends``. ``threads``: how many are used (None: all
/// cores); the answers are the same to the last bit. ``progress(done, total)`` is called in the caller's thread, at
/// most 20 times a second and at the end. What it raises, and Ctrl-C, end the call.
///
/// Each row has the bits of the single call; NaN, -1 and 255 stand where there is nothing. A row without meaning is a
/// ValueError that names it, and nothing is computed.
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
    let bodies = [Bodies::of(a, "a")?, Bodies::of(b, "b")?];
    let motions = Motions::of(starts, ends)?;
    let [starts, ends] = motions.counts();
    let count = agreed(&[starts, ends, ("a", bodies[0].count()), ("b", bodies[1].count())])?;
    let batch = Batch { bodies, motions, options, count };
    let mut bytes = vec![0; count * ROW];
    let wrong = |error: chasles::Error| refused("query", error);
    let first = batch.begin(&mut bytes).map_err(wrong)?;
    let teller = Teller::new(py, progress);
    if first < count {
        teller.look_after(threads, |work| batch.go_on(first, &mut bytes, work))?.map_err(wrong)?;
    }
    teller.tell(count, count)?;
    rows(py, bytes, "PREDICTION")
}
