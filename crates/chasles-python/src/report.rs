//! Reports of scenes, and of robots on paths.

use std::path::PathBuf;
use std::sync::Arc;

use chasles::{LimitBreach, PairVerdict, PathReport, RobotCell, Scene, SceneContact, SceneReport};
use chasles_formats::Subject;
use chasles_formats::packed::{PackedCell, PackedScene, check_report};
use chasles_formats::report::breach::LimitTreatment;
use chasles_formats::report::verdict::{gap_lower_bound, gap_upper_bound, reason, verdict};
use chasles_formats::report::{csv, json, junit, reported};
use chasles_formats::robot::joint_path::{PathFile, resolve};
use chasles_formats::scene::appearance::Appearance;
use chasles_viewer::{Playback, limits, page};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use serde::{Deserialize, Serialize};

use crate::arguments::{file_error, value_error};
use crate::mesh::from_json;
use crate::pickle::{ReduceValue, bytes, from_bytes, immutable_classes, reduce_value};
use crate::query::prediction::{Contact, truth_value_error};
use crate::work::Runner;

/// The checked scene or path of a report.
#[derive(Debug, Clone)]
pub(crate) enum ReportSubject {
    Scene(Arc<Scene>),
    /// A path, and the robot whose limits count.
    Path(Arc<RobotCell>, Arc<PathFile>),
}

/// A subject in serializable form.
#[derive(Serialize, Deserialize)]
enum PackedSubject {
    Scene(PackedScene),
    Path(Box<PackedCell>, PathFile),
}

impl ReportSubject {
    /// The name of a body.
    fn name(&self, body: usize) -> String {
        match self {
            Self::Scene(scene) => scene.bodies()[body].name.clone(),
            Self::Path(cell, _) => cell.name(body).to_owned(),
        }
    }

    fn packed(&self) -> PyResult<PackedSubject> {
        let to_error = |error: chasles::Error| value_error("report", error);
        Ok(match self {
            Self::Scene(scene) => PackedSubject::Scene(PackedScene::of(scene).map_err(to_error)?),
            Self::Path(cell, file) => {
                PackedSubject::Path(Box::new(PackedCell::of(cell).map_err(to_error)?), PathFile::clone(file))
            }
        })
    }
}

impl PackedSubject {
    /// The scene or path that `found` is about.
    fn subject(self, result: &PathReport) -> Result<ReportSubject, chasles::Error> {
        match self {
            Self::Scene(scene) => {
                let scene = scene.scene()?;
                check_report(result, scene.bodies().len(), None)?;
                Ok(ReportSubject::Scene(Arc::new(scene)))
            }
            Self::Path(cell, file) => {
                let cell = cell.cell()?;
                file.check().map_err(|error| chasles::Error::unreadable("path", error.message))?;
                check_report(result, cell.count(), Some(file.joints.len()))?;
                Ok(ReportSubject::Path(Arc::new(cell), Arc::new(file)))
            }
        }
    }
}

/// The report of a check of a scene, or of a robot on a path: the pairs in contact, with times and points. Read
/// ``.verdict`` first.
///
/// Times are in seconds, points in the world, in metres. ``clear`` is proven for every pair at every moment.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Report {
    pub(crate) subject: ReportSubject,
    pub(crate) result: Arc<PathReport>,
    /// The displayed name of the scene or robot.
    pub(crate) name: String,
    pub(crate) appearance: Arc<Appearance>,
    /// The warnings about the checked scene or path.
    pub(crate) warnings: Vec<String>,
}

impl Report {
    pub(crate) fn of_scene(
        scene: Arc<Scene>,
        report: SceneReport,
        (name, appearance): (String, Arc<Appearance>),
    ) -> Self {
        let result = Arc::new(PathReport { report, entries: Vec::new() });
        Self { subject: ReportSubject::Scene(scene), result, name, appearance, warnings: Vec::new() }
    }

    fn report(&self) -> &SceneReport {
        &self.result.report
    }

    /// Calls `work` with the subject of the report.
    fn with_subject<T>(&self, work: impl FnOnce(&Subject<'_>) -> T) -> T {
        let warnings = self.warnings.clone();
        match &self.subject {
            ReportSubject::Scene(scene) => work(&Subject::scene(scene).with_warnings(warnings)),
            ReportSubject::Path(cell, file) => {
                let path = resolve(file, cell.robot().definition());
                let breaches: Vec<LimitBreach> =
                    path.map(|path| path.limit_breaches(cell.robot())).unwrap_or_default();
                let subject = Subject::path(cell, file, &self.result).with_warnings(warnings);
                work(&subject.with_limits(&breaches, (cell.robot(), LimitTreatment::Reported)))
            }
        }
    }

    fn json(&self) -> String {
        self.with_subject(|subject| json::to_json(subject, self.report()))
    }

    /// The subject with the report, for viewers.
    fn playback(&self) -> chasles_formats::Result<Playback> {
        let result = reported::parse(&self.json(), self.name.as_ref())?;
        let playback = match &self.subject {
            ReportSubject::Scene(scene) => {
                Playback::of_scene(&self.name, Scene::clone(scene), Some(&result))?
            }
            ReportSubject::Path(cell, file) => {
                let path = resolve(file, cell.robot().definition())?;
                Playback::of_robot(&self.name, cell, Some(&path), Some(&result))?
            }
        };
        let playback = playback.with_appearance(&self.appearance).with_gaps();
        Ok(playback.with_frames(limits::FRAMES_IN_FILE)?.0)
    }

    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let built = Runner::new(py, None).run(None, |_| Ok(page::self_contained(&self.playback()?)))?;
        let built = built.map_err(|error| file_error(py, &error))?;
        built.map_err(|missing| PyRuntimeError::new_err(missing.to_string()))
    }

    fn overlaps(&self, of: fn(&chasles::ModelOverlaps) -> &Vec<[usize; 2]>) -> Vec<(String, String)> {
        let pairs = self.report().overlaps.iter().flat_map(of);
        pairs.map(|[a, b]| (self.subject.name(*a), self.subject.name(*b))).collect()
    }

    fn packed_parts(&self) -> PyResult<(PackedSubject, &PathReport, &str, &Appearance, &[String])> {
        Ok((self.subject.packed()?, &self.result, &self.name, &self.appearance, &self.warnings))
    }
}

/// Writes a text to a file; without `path` returns the text.
pub(crate) fn write_or_return(text: String, path: Option<PathBuf>) -> PyResult<Option<String>> {
    let Some(path) = path else { return Ok(Some(text)) };
    std::fs::write(&path, text)
        .map(|()| None)
        .map_err(|error| PyOSError::new_err((error.raw_os_error(), error.to_string(), path)))
}

/// A page in an iframe, for notebooks.
pub(crate) fn in_iframe(page: &str) -> String {
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<iframe srcdoc=\"{escaped}\" sandbox=\"allow-scripts\" style=\"width: 100%; height: 540px; border: 0\"></iframe>"
    )
}

#[pymethods]
impl Report {
    /// The worst verdict of all pairs: a word of ``chasles.VERDICTS``; ``clear`` if there are no pairs.
    #[getter]
    fn verdict(&self) -> &'static str {
        verdict(self.report().verdict)
    }

    /// The listed pairs in the order of the bodies: the pairs that are not clear, or all pairs with ``all_pairs=True``.
    #[getter]
    fn pairs(&self) -> Vec<PairReport> {
        let pair = |number| PairReport { subject: self.subject.clone(), result: self.result.clone(), number };
        (0..self.report().pairs.len()).map(pair).collect()
    }

    /// The number of tested pairs.
    #[getter]
    fn pairs_tested(&self) -> usize {
        self.report().pairs_tested
    }

    /// The duration of the scene or path, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.with_subject(|subject| subject.duration())
    }

    /// The time, in seconds, before which the absence of contact is proven.
    #[getter]
    fn clear_until(&self) -> f64 {
        self.report().clear_until
    }

    /// The bodies inside the closed surface of another body that is not ``solid``, which is no contact: (inner,
    /// outer, start time).
    #[getter]
    fn inside(&self) -> Vec<(String, String, f64)> {
        let row = |inside: &chasles::Containment| {
            (self.subject.name(inside.inner), self.subject.name(inside.outer), inside.from)
        };
        self.report().inside.iter().map(row).collect()
    }

    /// The warnings about the checked scene or path, one sentence each. Each was also issued as ``chasles.Warning``.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The pairs of rigidly joined bodies that overlap in the model. Such an overlap is not a contact.
    #[getter]
    fn assembled(&self) -> Vec<(String, String)> {
        self.overlaps(|overlaps| &overlaps.assembled)
    }

    /// The pairs of bodies that overlap and can never move. They do not count in the verdict.
    #[getter]
    fn static_overlaps(&self) -> Vec<(String, String)> {
        self.overlaps(|overlaps| &overlaps.statics)
    }

    /// The pair with the smallest distance, if all pairs are clear: (a, b, (at least, at most) in metres, a time).
    /// Otherwise None.
    #[getter]
    fn nearest(&self) -> Option<(String, String, (f64, f64), f64)> {
        self.report().nearest.map(|nearest_pair| {
            let [a, b] = nearest_pair.bodies.map(|body| self.subject.name(body));
            (a, b, nearest_pair.gap.into(), nearest_pair.time)
        })
    }

    /// The JSON report, key for key, as ``chasles check --json`` writes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.json())
    }

    /// The report as a text in JSON.
    fn to_json(&self) -> String {
        self.json()
    }

    /// The report as CSV, one row per interval; written to ``path`` if one is given.
    #[pyo3(signature = (path=None))]
    fn to_csv(&self, path: Option<PathBuf>) -> PyResult<Option<String>> {
        write_or_return(self.with_subject(|subject| csv::to_csv(subject, self.report())), path)
    }

    /// The report as JUnit XML, for build servers; written to ``path`` if one is given.
    #[pyo3(signature = (path=None))]
    fn to_junit(&self, path: Option<PathBuf>) -> PyResult<Option<String>> {
        write_or_return(
            self.with_subject(|subject| junit::to_junit(&self.name, subject, self.report())),
            path,
        )
    }

    /// A page in one file, without a server, that plays the motion and stops at each contact; written to ``path``
    /// if one is given.
    #[pyo3(signature = (path=None))]
    fn to_html(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<Option<String>> {
        write_or_return(self.html(py)?, path)
    }

    /// The report as columns: a dict of arrays of equal length, with one row per interval, or per pair without
    /// intervals.
    ///
    /// ``a b verdict interval`` (-1: none) ``enter_lo enter_hi exit_lo exit_hi`` (NaN: lasts to the end) ``kind
    /// touching point_x .. normal_z gap gap_at_least deviation why segment``, then the joints of a path.
    fn to_arrays<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let joints = match &slf.get().subject {
            ReportSubject::Scene(_) => Vec::new(),
            ReportSubject::Path(_, file) => file.joints.clone(),
        };
        let tables = slf.py().import("chasles._tables")?;
        tables.call_method1("columns", (slf.get().to_dict(slf.py())?, joints))
    }

    /// The columns of ``to_arrays`` as a ``pandas.DataFrame``.
    #[pyo3(signature = (library="pandas"))]
    fn to_dataframe<'py>(slf: &Bound<'py, Self>, library: &str) -> PyResult<Bound<'py, PyAny>> {
        let tables = slf.py().import("chasles._tables")?;
        tables.call_method1("frame", (Self::to_arrays(slf)?, library))
    }

    /// The document of the viewer's page, as a text in JSON.
    fn _playback(&self, py: Python<'_>) -> PyResult<String> {
        let built = Runner::new(py, None).run(None, |_| Ok(self.playback()?.to_json()))?;
        built.map_err(|error| file_error(py, &error))
    }

    /// The page for a notebook; ``None`` if the package was built without the page.
    fn _repr_html_(&self, py: Python<'_>) -> Option<String> {
        self.html(py).ok().map(|page| in_iframe(&page))
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(truth_value_error("Report"))
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        Ok(bytes(&self.packed_parts()?)? == bytes(&other.packed_parts()?)?)
    }

    fn __repr__(&self) -> String {
        let report = self.report();
        let count = |filter: fn(&PairVerdict) -> bool| {
            report.pairs.iter().filter(|pair| filter(&pair.verdict)).count()
        };
        let meet = count(|verdict| *verdict >= PairVerdict::Contact);
        let open = count(|verdict| *verdict == PairVerdict::Undecided);
        let pairs = if report.pairs_tested == 1 { "pair" } else { "pairs" };
        let verb = if meet == 1 { "meets" } else { "meet" };
        let mut text = match meet {
            0 => format!("Report({}, {} {pairs} tested", self.verdict(), report.pairs_tested),
            _ => format!("Report({}, {meet} of {} {pairs} {verb}", self.verdict(), report.pairs_tested),
        };
        if open > 0 {
            text.push_str(&format!(", {open} undecided"));
        }
        text.push(')');
        text
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<ReduceValue<'py>> {
        reduce_value::<_, Self>(py, &self.packed_parts()?)
    }

    #[classmethod]
    fn _from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        type PackedReport = (PackedSubject, PathReport, String, Appearance, Vec<String>);
        let (subject, result, name, appearance, warnings): PackedReport = from_bytes(bytes)?;
        let subject = Runner::new(py, None).run(None, |_| subject.subject(&result))?;
        let subject = subject.map_err(|error| value_error("report", error))?;
        Ok(Self { subject, result: Arc::new(result), name, appearance: Arc::new(appearance), warnings })
    }
}

/// A pair of a report.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct PairReport {
    subject: ReportSubject,
    result: Arc<PathReport>,
    number: usize,
}

impl PairReport {
    fn pair(&self) -> &chasles::PairReport {
        &self.result.report.pairs[self.number]
    }

    fn name(&self, side: usize) -> String {
        self.subject.name(self.pair().bodies[side])
    }
}

#[pymethods]
impl PairReport {
    /// The name of the first body.
    #[getter]
    fn a(&self) -> String {
        self.name(0)
    }

    /// The name of the second body.
    #[getter]
    fn b(&self) -> String {
        self.name(1)
    }

    /// The verdict: a word of ``chasles.VERDICTS``.
    #[getter]
    fn verdict(&self) -> &'static str {
        verdict(self.pair().verdict)
    }

    /// The time intervals in which the surfaces touch, in order; for a near pair, the intervals within the clearance.
    #[getter]
    fn intervals(&self) -> Vec<SceneInterval> {
        self.pair().intervals.iter().cloned().map(SceneInterval).collect()
    }

    /// An upper bound of the minimum distance over the whole time, in metres: 0 in contact; ``None`` if it was not
    /// computed.
    #[getter]
    fn gap(&self) -> Option<f64> {
        gap_upper_bound(self.pair())
    }

    /// A proven lower bound of the minimum distance, in metres; ``None`` in contact, or if it was not computed.
    #[getter]
    fn gap_at_least(&self) -> Option<f64> {
        gap_lower_bound(self.pair())
    }

    /// A time, in seconds, at which the distance is at most ``gap``; ``None`` if it was not computed.
    #[getter]
    fn gap_time(&self) -> Option<f64> {
        self.pair().gap_time
    }

    /// The time, in seconds, before which the absence of contact is proven.
    #[getter]
    fn clear_until(&self) -> f64 {
        self.pair().clear_until
    }

    /// The maximum distance, in metres, of the examined shapes and motions from the true ones; all results account
    /// for it.
    #[getter]
    fn deviation(&self) -> f64 {
        self.pair().deviation
    }

    /// The reason why a result is not proven or an enclosure is wide; otherwise None.
    #[getter]
    fn why(&self) -> Option<&'static str> {
        self.pair().reason.map(reason)
    }

    /// Intervals of time, in seconds, in which there may be contact that is not among ``intervals``.
    #[getter]
    fn unknown(&self) -> Vec<(f64, f64)> {
        self.pair().undecided.iter().map(|interval| (*interval).into()).collect()
    }

    /// With ``check(events=True)``: all pairs of features that collide, each once with its first time, sorted by time.
    #[getter]
    fn events(&self) -> Vec<Contact> {
        let event = |event: &chasles::SceneEvent| {
            Contact(chasles::Contact {
                time: event.time,
                features: event.features,
                point: event.point,
                normal: event.normal,
                touching: false,
                approach_speed: f64::NAN,
            })
        };
        self.pair().events.iter().map(event).collect()
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(truth_value_error("PairReport"))
    }

    fn __repr__(&self) -> String {
        format!("PairReport({:?}, {:?}, {})", self.name(0), self.name(1), self.verdict())
    }
}

/// A time interval in which two surfaces intersect or touch, or are within the clearance. Times are in seconds.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct SceneInterval(chasles::SceneInterval);

#[pymethods]
impl SceneInterval {
    /// An enclosure (lo, hi) of its start; (0, 0) if it lasts from time 0.
    #[getter]
    fn enter(&self) -> (f64, f64) {
        self.0.enter.into()
    }

    /// An enclosure (lo, hi) of its end; ``None`` if it lasts to the end of the motion.
    #[getter]
    fn exit(&self) -> Option<(f64, f64)> {
        self.0.exit.map(Into::into)
    }

    /// The contact with which it starts; ``None`` for a start at time 0 or at a jump.
    #[getter]
    fn contact(&self) -> Option<Contact> {
        self.0.contact.map(|SceneContact { contact, .. }| Contact(contact))
    }

    /// With ``check(all_contacts=True)``: all separate places in contact at the start of the interval.
    #[getter]
    fn contacts(&self) -> Vec<Contact> {
        self.0.contacts.iter().map(|SceneContact { contact, .. }| Contact(*contact)).collect()
    }

    /// Whether the surfaces are only known to touch during the interval, and nowhere known to intersect.
    #[getter]
    fn touching(&self) -> bool {
        self.0.touching
    }

    fn __repr__(&self) -> String {
        let [lo, hi] = self.0.enter;
        match self.0.exit {
            Some([from, to]) => format!("SceneInterval(enter=({lo}, {hi}), exit=({from}, {to}))"),
            None => format!("SceneInterval(enter=({lo}, {hi}), exit=None)"),
        }
    }
}

immutable_classes! { Report }
