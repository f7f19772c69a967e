//! The queries about two bodies of which one moves along a screw, one at a time.

use std::cell::RefCell;

use chasles::{Options, Outcome, Query, QueryKind, UndecidedReason, Workspace};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::answer::{Intervals, Prediction};
use crate::given::{Budget, not_negative, one_pose, refused};
use crate::mesh::{Body, a_body};
use crate::pose::Screw;
use crate::work::Teller;

/// Steps that a question takes at most while nobody else goes on: some hundredths of a second, mostly much less.
pub(crate) const SHORT: u64 = 20_000;

thread_local! {
    /// Memory from question to question.
    pub(crate) static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// What is asked, but for the bodies and the motion.
pub(crate) fn options(tolerance: Option<f64>, deviation: f64, budget: Option<Budget>) -> PyResult<Options> {
    let usual = Options::default();
    Ok(Options {
        tolerance: not_negative(tolerance, "tolerance")?,
        deviation: not_negative(Some(deviation), "deviation")?.unwrap_or_default(),
        budget: budget.map_or(usual.budget, |budget| budget.0),
        ..usual
    })
}

/// The motion from `start` to `end`, or the screw `start`.
pub(crate) fn motion(start: &Bound<'_, PyAny>, end: Option<&Bound<'_, PyAny>>) -> PyResult<chasles::Screw> {
    match (start.cast::<Screw>(), end) {
        (Ok(screw), None) => Ok(screw.get().0),
        (Ok(_), Some(_)) => Err(PyTypeError::new_err("end: found one beside a Screw, expected none")),
        (Err(_), Some(end)) => Ok(chasles::Screw::between(one_pose(start, "start")?, one_pose(end, "end")?)),
        (Err(_), None) => {
            one_pose(start, "start")?;
            Err(PyTypeError::new_err("end: found None, expected a pose, as start is no Screw"))
        }
    }
}

/// A body that is kept for as long as the question lasts.
pub(crate) enum Held<'a> {
    Given(&'a chasles::PreparedMesh),
    Made(std::sync::Arc<chasles::PreparedMesh>),
}

impl<'a> Held<'a> {
    pub(crate) fn of(value: &'a Bound<'_, PyAny>, place: &str) -> PyResult<Self> {
        match value.cast::<Body>() {
            Ok(body) => Ok(Self::Given(&body.get().body)),
            Err(_) => a_body(value, place).map(Self::Made),
        }
    }

    pub(crate) fn body(&self) -> &chasles::PreparedMesh {
        match self {
            Self::Given(body) => body,
            Self::Made(body) => body,
        }
    }
}

/// Whether a question ended only because its work was to be short.
pub(crate) fn is_cut_short(outcome: &Outcome, options: &Options) -> bool {
    options.budget > SHORT && matches!(outcome, Outcome::Undecided { reason: UndecidedReason::Budget, .. })
}

/// The same question, with little work.
pub(crate) fn short(options: &Options) -> Options {
    Options { budget: options.budget.min(SHORT), ..*options }
}

type Given<'a, 'py> = (&'a Bound<'py, PyAny>, &'a Bound<'py, PyAny>);

/// Asks, first with little work and at once; if that is not enough, with all of the budget and beside others.
fn ask(
    py: Python<'_>,
    (a, b): Given<'_, '_>,
    (start, end): (&Bound<'_, PyAny>, Option<&Bound<'_, PyAny>>),
    (ask, options): (QueryKind, Options),
) -> PyResult<Prediction> {
    let (a, b) = (Held::of(a, "a")?, Held::of(b, "b")?);
    let query = Query { a: a.body(), b: b.body(), screw: motion(start, end)? };
    let wrong = |error: chasles::Error| refused("query", error);
    let found =
        WORKSPACE.with_borrow_mut(|memory| query.predict(ask, &short(&options), memory)).map_err(wrong)?;
    if !is_cut_short(&found.outcome, &options) {
        return Ok(Prediction(found));
    }
    let all = Teller::new(py, None)
        .look_after(None, |work| query.predict_watched(ask, &options, work, &mut Workspace::default()))?;
    all.map(Prediction).map_err(wrong)
}

/// When, where and how body ``a`` first meets body ``b``, which stands at the identity.
///
/// ``start`` and ``end`` are poses of A in the frame of B, joined by the screw between them; or ``start`` is a
/// ``Screw`` alone. Time runs over [0, 1]. ``tolerance``: surfaces closer than this touch, in metres (None: 1e-9 of the
/// larger body). ``deviation``: the answer holds for every motion within this distance of the screw, in metres, up to
/// the size of the bodies; if some of these motions have contact and others have none, the verdict is ``undecided``,
/// with the reason ``deviation``. ``budget``: steps of work after which the answer is ``undecided``.
///
/// Guarantee: ``clear``, and the time before a contact's enclosure, are proven in continuous time for the surfaces of
/// both meshes, rounding included.
///
/// >>> cube = chasles.Mesh.load("cube.obj")
/// >>> r = chasles.first_contact(cube, cube, [3, 0.1, 0.2, 1, 0, 0, 0], [0, 0.1, 0.2, 1, 0, 0, 0])
/// >>> r.verdict, r.contact.normal.round(9).tolist()
/// ('contact', [-1.0, 0.0, 0.0])
/// >>> abs(r.time[0] - 2 / 3) < 1e-8
/// True
#[pyfunction]
#[pyo3(signature = (a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=None),
       text_signature = "(a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=500_000_000)")]
pub(crate) fn first_contact(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    start: &Bound<'_, PyAny>,
    end: Option<&Bound<'_, PyAny>>,
    tolerance: Option<f64>,
    deviation: f64,
    budget: Option<Budget>,
) -> PyResult<Prediction> {
    ask(py, (a, b), (start, end), (QueryKind::FirstContact, options(tolerance, deviation, budget)?))
}

/// Whether the bodies meet at all: as ``first_contact``, but the search ends with any proven contact.
///
/// >>> cube = chasles.Mesh.load("cube.obj")
/// >>> chasles.any_contact(cube, cube, chasles.Screw.translation([3, 0, 0, 1, 0, 0, 0], [0, 5, 0])).verdict
/// 'clear'
#[pyfunction]
#[pyo3(signature = (a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=None),
       text_signature = "(a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=500_000_000)")]
pub(crate) fn any_contact(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    start: &Bound<'_, PyAny>,
    end: Option<&Bound<'_, PyAny>>,
    tolerance: Option<f64>,
    deviation: f64,
    budget: Option<Budget>,
) -> PyResult<Prediction> {
    ask(py, (a, b), (start, end), (QueryKind::AnyContact, options(tolerance, deviation, budget)?))
}

/// Every contact of a vertex and a face, or of two edges, during the motion: ``.contacts`` of the answer. The rest is
/// as in ``first_contact``.
///
/// >>> cube = chasles.Mesh.load("cube.obj")
/// >>> r = chasles.all_contacts(cube, cube, [3, 0.1, 0.2, 1, 0, 0, 0], [-3, 0.1, 0.2, 1, 0, 0, 0])
/// >>> r.verdict, len(r.contacts) > 1
/// ('contact', True)
#[pyfunction]
#[pyo3(signature = (a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=None),
       text_signature = "(a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=500_000_000)")]
pub(crate) fn all_contacts(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    start: &Bound<'_, PyAny>,
    end: Option<&Bound<'_, PyAny>>,
    tolerance: Option<f64>,
    deviation: f64,
    budget: Option<Budget>,
) -> PyResult<Prediction> {
    ask(py, (a, b), (start, end), (QueryKind::AllContacts, options(tolerance, deviation, budget)?))
}

/// Every span of time in which the surfaces of ``a`` and ``b`` intersect or touch. The arguments are those of
/// ``first_contact``.
///
/// >>> cube = chasles.Mesh.load("cube.obj")
/// >>> r = chasles.contact_intervals(cube, cube, [3, 0.1, 0.2, 1, 0, 0, 0], [-3, 0.1, 0.2, 1, 0, 0, 0])
/// >>> r.enter.round(6).tolist(), r.exit.round(6).tolist()
/// ([[0.333333, 0.333333]], [[0.666667, 0.666667]])
#[pyfunction]
#[pyo3(signature = (a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=None),
       text_signature = "(a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=500_000_000)")]
pub(crate) fn contact_intervals(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    start: &Bound<'_, PyAny>,
    end: Option<&Bound<'_, PyAny>>,
    tolerance: Option<f64>,
    deviation: f64,
    budget: Option<Budget>,
) -> PyResult<Intervals> {
    let options = options(tolerance, deviation, budget)?;
    let (a, b) = (Held::of(a, "a")?, Held::of(b, "b")?);
    let query = Query { a: a.body(), b: b.body(), screw: motion(start, end)? };
    let wrong = |error: chasles::Error| refused("query", error);
    let found =
        WORKSPACE.with_borrow_mut(|memory| query.intervals(&short(&options), memory)).map_err(wrong)?;
    if !is_cut_short(&found.outcome, &options) {
        return Ok(Intervals(found));
    }
    let all = Teller::new(py, None)
        .look_after(None, |work| query.intervals_watched(&options, work, &mut Workspace::default()))?;
    all.map(Intervals).map_err(wrong)
}
