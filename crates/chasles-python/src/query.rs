//! Queries about two bodies, one of which moves along a screw: one query per call. This file is the one to read first.
//!
//! ```text
//! prediction  the answers: predictions, contacts, intervals
//! batch       many first contacts in one call
//! ```

pub(crate) mod prediction;
pub(crate) mod batch;

use std::cell::RefCell;

use chasles::{Options, Outcome, Query, QueryKind, UndecidedReason, Workspace};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arguments::{Budget, non_negative, value_error};
use crate::mesh::prepared_mesh;
use crate::pose::{Screw, one_pose};
use crate::query::prediction::{Intervals, Prediction};
use crate::work::{Runner, Work};

/// The budget of the first search, during which Python's other threads wait: at most a few hundredths of a second,
/// usually much less.
pub(crate) const SHORT: u64 = 20_000;

thread_local! {
    /// The workspace of the queries of this thread, which all of them reuse.
    pub(crate) static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// The options of a query.
pub(crate) fn options(tolerance: Option<f64>, deviation: f64, budget: Option<Budget>) -> PyResult<Options> {
    let defaults = Options::default();
    Ok(Options {
        tolerance: non_negative(tolerance, "tolerance")?,
        deviation: non_negative(Some(deviation), "deviation")?.unwrap_or_default(),
        budget: budget.map_or(defaults.budget, |budget| budget.0),
        ..defaults
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
            Err(PyTypeError::new_err("end: found None, expected a pose, because start is not a Screw"))
        }
    }
}

/// Whether a search ended because of the short budget, while the budget of the query is larger.
pub(crate) fn is_short_budget_spent(outcome: &Outcome, options: &Options) -> bool {
    options.budget > SHORT && matches!(outcome, Outcome::Undecided { reason: UndecidedReason::Budget, .. })
}

/// The same options with the short budget.
pub(crate) fn with_short_budget(options: &Options) -> Options {
    Options { budget: options.budget.min(SHORT), ..*options }
}

/// The arguments of a query.
struct QueryArguments<'a, 'py> {
    a: &'a Bound<'py, PyAny>,
    b: &'a Bound<'py, PyAny>,
    start: &'a Bound<'py, PyAny>,
    end: Option<&'a Bound<'py, PyAny>>,
    options: Options,
}

impl QueryArguments<'_, '_> {
    /// The result of a query. The first search has a small budget and runs on the caller's thread. If this budget is
    /// too small, a second search has the whole budget and runs on another thread, so that Python continues.
    fn search<T: Send>(
        &self,
        outcome: fn(&T) -> &Outcome,
        search: impl Fn(&Query<'_>, &Options, Option<&Work>, &mut Workspace) -> Result<T, chasles::Error> + Sync,
    ) -> PyResult<T> {
        let (a, b) = (prepared_mesh(self.a, "a")?, prepared_mesh(self.b, "b")?);
        let query = Query { a: &a, b: &b, screw: motion(self.start, self.end)? };
        let to_error = |error: chasles::Error| value_error("query", error);
        let options = &self.options;
        let result =
            WORKSPACE.with_borrow_mut(|memory| search(&query, &with_short_budget(options), None, memory));
        let result = result.map_err(to_error)?;
        if !is_short_budget_spent(outcome(&result), options) {
            return Ok(result);
        }
        Runner::new(self.a.py(), None)
            .run(None, |work| search(&query, options, Some(work), &mut Workspace::default()))?
            .map_err(to_error)
    }

    /// The prediction of a query.
    fn predict(&self, kind: QueryKind) -> PyResult<Prediction> {
        let result = self.search(
            |result: &chasles::Prediction| &result.outcome,
            |query, options, work, memory| match work {
                None => query.predict(kind, options, memory),
                Some(work) => query.predict_watched(kind, options, work, memory),
            },
        );
        result.map(Prediction)
    }

    fn intervals(&self) -> PyResult<Intervals> {
        let result = self.search(
            |result: &chasles::Intervals| &result.outcome,
            |query, options, work, memory| match work {
                None => query.intervals(options, memory),
                Some(work) => query.intervals_watched(options, work, memory),
            },
        );
        result.map(Intervals)
    }
}

/// Functions of Python with the arguments of a query.
macro_rules! queries {
    ($($(#[$doc:meta])* $name:ident -> $answer:ty = $method:ident($($kind:expr)?);)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=None),
               text_signature = "(a, b, start, end=None, *, tolerance=None, deviation=0.0, budget=500_000_000)")]
        pub(crate) fn $name(
            a: &Bound<'_, PyAny>,
            b: &Bound<'_, PyAny>,
            start: &Bound<'_, PyAny>,
            end: Option<&Bound<'_, PyAny>>,
            tolerance: Option<f64>,
            deviation: f64,
            budget: Option<Budget>,
        ) -> PyResult<$answer> {
            let options = options(tolerance, deviation, budget)?;
            QueryArguments { a, b, start, end, options }.$method($($kind)?)
        }
    )*};
}

queries! {
    /// Whether, when and where body ``a`` first touches body ``b``, whose pose is the identity.
    ///
    /// ``start`` and ``end`` are poses of A in the frame of B, joined by the screw between them; or ``start`` is a
    /// ``Screw`` alone. Time runs over [0, 1]. ``tolerance``: surfaces closer than this touch, in metres (None: 1e-9 of
    /// the larger body). ``deviation``: the answer holds for every motion within this distance of the screw, in metres,
    /// up to the size of the bodies; if some of these motions have contact and others have none, the verdict is
    /// ``undecided``, with the reason ``deviation``. ``budget``: steps of work after which the answer is ``undecided``.
    ///
    /// Guarantee: ``clear``, and the time before a contact's enclosure, are proven in continuous time for the surfaces
    /// of both meshes, rounding included.
    ///
    /// >>> cube = chasles.Mesh.load("cube.obj")
    /// >>> r = chasles.first_contact(cube, cube, [3, 0.1, 0.2, 1, 0, 0, 0], [0, 0.1, 0.2, 1, 0, 0, 0])
    /// >>> r.verdict, r.contact.normal.round(9).tolist()
    /// ('contact', [-1.0, 0.0, 0.0])
    /// >>> abs(r.time[0] - 2 / 3) < 1e-8
    /// True
    first_contact -> Prediction = predict(QueryKind::FirstContact);

    /// Whether the bodies touch at all: as ``first_contact``, but the search ends with any proven contact.
    ///
    /// >>> cube = chasles.Mesh.load("cube.obj")
    /// >>> chasles.any_contact(cube, cube, chasles.Screw.translation([3, 0, 0, 1, 0, 0, 0], [0, 5, 0])).verdict
    /// 'clear'
    any_contact -> Prediction = predict(QueryKind::AnyContact);

    /// Every contact of a vertex and a face, or of two edges, during the motion: ``.contacts`` of the answer. The rest
    /// is as in ``first_contact``.
    ///
    /// >>> cube = chasles.Mesh.load("cube.obj")
    /// >>> r = chasles.all_contacts(cube, cube, [3, 0.1, 0.2, 1, 0, 0, 0], [-3, 0.1, 0.2, 1, 0, 0, 0])
    /// >>> r.verdict, len(r.contacts) > 1
    /// ('contact', True)
    all_contacts -> Prediction = predict(QueryKind::AllContacts);

    /// All time intervals in which the surfaces of ``a`` and ``b`` intersect or touch. Arguments as in
    /// ``first_contact``.
    ///
    /// >>> cube = chasles.Mesh.load("cube.obj")
    /// >>> r = chasles.contact_intervals(cube, cube, [3, 0.1, 0.2, 1, 0, 0, 0], [-3, 0.1, 0.2, 1, 0, 0, 0])
    /// >>> r.enter.round(6).tolist(), r.exit.round(6).tolist()
    /// ([[0.333333, 0.333333]], [[0.666667, 0.666667]])
    contact_intervals -> Intervals = intervals();
}
