//! Reports of scenes, and of robots on paths.

use std::path::PathBuf;
use std::sync::Arc;

use chasles::{LimitBreach, PairVerdict, PathReport, RobotCell, Scene, SceneContact, SceneReport};
use chasles_formats::Subject;
use chasles_formats::appearance::Appearance;
use chasles_formats::packed::{PackedCell, PackedScene, check_report};
use chasles_formats::report::breach::LimitsAre;
use chasles_formats::report::verdict::{gap_at_least, gap_at_most, reason, verdict};
use chasles_formats::report::{csv, json, junit, reported};
use chasles_formats::robot::joint_path::{PathFile, resolve};
use chasles_viewer::{Playback, limits, page};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use serde::{Deserialize, Serialize};

use crate::answer::{Contact, no_truth};
use crate::given::{bad_file, refused};
use crate::kept::{Reduced, bytes, reduced, unpickled};
use crate::mesh::from_json;
use crate::work::Teller;

/// What a report is about.
#[derive(Debug, Clone)]
pub(crate) enum About {
    Scene(Arc<Scene>),
    /// A path, and the robot whose limits count.
    Path(Arc<RobotCell>, Arc<PathFile>),
}

/// The same as a plain value.
#[derive(Serialize, Deserialize)]
enum PackedAbout {
    Scene(PackedScene),
    Path(Box<PackedCell>, PathFile),
}

impl About {
    /// The name of a body.
    fn name(&self, body: usize) -> String {
        match self {
            Self::Scene(scene) => scene.bodies()[body].name.clone(),
            Self::Path(cell, _) => cell.name(body).to_owned(),
        }
    }

    fn packed(&self) -> PyResult<PackedAbout> {
        let wrong = |error: chasles::Error| refused("report", error);
        Ok(match self {
            Self::Scene(scene) => PackedAbout::Scene(PackedScene::of(scene).map_err(wrong)?),
            Self::Path(cell, file) => {
                PackedAbout::Path(Box::new(PackedCell::of(cell).map_err(wrong)?), PathFile::clone(file))
            }
        })
    }
}

impl PackedAbout {
    /// The scene or path that `found` is about.
    fn about(self, found: &PathReport) -> Result<About, chasles::Error> {
        match self {
            Self::Scene(scene) => {
                let scene = scene.scene()?;
                check_report(found, scene.bodies().len(), None)?;
                Ok(About::Scene(Arc::new(scene)))
            }
            Self::Path(cell, file) => {
                let cell = cell.cell()?;
                file.check().map_err(|error| chasles::Error::unreadable("path", error.message))?;
                check_report(found, cell.count(), Some(file.joints.len()))?;
                Ok(About::Path(Arc::new(cell), Arc::new(file)))
            }
        }
    }
}

/// What a check of a scene, or of a robot on a path, has found: which pairs meet, when and where. Ask ``.verdict``
/// first.
///
/// Times are in seconds, places in the world, in metres. ``clear`` is proven for every pair at every moment.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Report {
    pub(crate) about: About,
    pub(crate) found: Arc<PathReport>,
    /// What it is about, for people.
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
        let found = Arc::new(PathReport { report, entries: Vec::new() });
        Self { about: About::Scene(scene), found, name, appearance, warnings: Vec::new() }
    }

    fn report(&self) -> &SceneReport {
        &self.found.report
    }

    /// Does something with what the report is about.
    fn with_subject<T>(&self, work: impl FnOnce(&Subject<'_>) -> T) -> T {
        let warnings = self.warnings.clone();
        match &self.about {
            About::Scene(scene) => work(&Subject::scene(scene).with_warnings(warnings)),
            About::Path(cell, file) => {
                let path = resolve(file, cell.robot().definition());
                let breaches: Vec<LimitBreach> =
                    path.map(|path| path.limit_breaches(cell.robot())).unwrap_or_default();
                let subject = Subject::path(cell, file, &self.found).with_warnings(warnings);
                work(&subject.with_limits(&breaches, (cell.robot(), LimitsAre::Told)))
            }
        }
    }

    fn json(&self) -> String {
        self.with_subject(|subject| json::to_json(subject, self.report()))
    }

    /// What it is about, with what was found, for viewers.
    fn playback(&self) -> chasles_formats::Result<Playback> {
        let found = reported::parse(&self.json(), self.name.as_ref())?;
        let playback = match &self.about {
            About::Scene(scene) => Playback::of_scene(&self.name, Scene::clone(scene), Some(&found))?,
            About::Path(cell, file) => {
                let path = resolve(file, cell.robot().definition())?;
                Playback::of_robot(&self.name, cell, Some(&path), Some(&found))?
            }
        };
        let playback = playback.with_appearance(&self.appearance).with_gaps();
        Ok(playback.with_frames(limits::FRAMES_IN_FILE)?.0)
    }

    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let made = Teller::new(py, None).look_after(None, |_| Ok(page::self_contained(&self.playback()?)))?;
        let made = made.map_err(|error| bad_file(py, &error))?;
        made.map_err(|missing| PyRuntimeError::new_err(missing.to_string()))
    }

    fn overlaps(&self, of: fn(&chasles::ModelOverlaps) -> &Vec<[usize; 2]>) -> Vec<(String, String)> {
        let pairs = self.report().overlaps.iter().flat_map(of);
        pairs.map(|[a, b]| (self.about.name(*a), self.about.name(*b))).collect()
    }

    fn as_tuple(&self) -> PyResult<(PackedAbout, &PathReport, &str, &Appearance, &[String])> {
        Ok((self.about.packed()?, &self.found, &self.name, &self.appearance, &self.warnings))
    }
}

/// Writes a text to a file, where one is named, and gives it back else.
pub(crate) fn told(text: String, path: Option<PathBuf>) -> PyResult<Option<String>> {
    let Some(path) = path else { return Ok(Some(text)) };
    std::fs::write(&path, text)
        .map(|()| None)
        .map_err(|error| PyOSError::new_err((error.raw_os_error(), error.to_string(), path)))
}

/// A page as a notebook shows it.
pub(crate) fn framed(page: &str) -> String {
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<iframe srcdoc=\"{escaped}\" sandbox=\"allow-scripts\" style=\"width: 100%; height: 540px; border: 0\"></iframe>"
    )
}

#[pymethods]
impl Report {
    /// The worst of all pairs: a word of ``chasles.VERDICTS``; ``clear`` where there is none.
    #[getter]
    fn verdict(&self) -> &'static str {
        verdict(self.report().verdict)
    }

    /// The pairs that are listed, in the order of the bodies: those that are not clear, or all where that was asked
    /// for.
    #[getter]
    fn pairs(&self) -> Vec<PairReport> {
        let pair = |number| PairReport { about: self.about.clone(), found: self.found.clone(), number };
        (0..self.report().pairs.len()).map(pair).collect()
    }

    /// How many pairs were tested.
    #[getter]
    fn pairs_tested(&self) -> usize {
        self.report().pairs_tested
    }

    /// How long what was checked lasts, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.with_subject(|subject| subject.duration())
    }

    /// Until this time, in seconds, nothing touches: proven.
    #[getter]
    fn clear_until(&self) -> f64 {
        self.report().clear_until
    }

    /// Who is inside the closed surface of another that is not ``solid``, so that this is no contact: (inner, outer,
    /// from when).
    #[getter]
    fn inside(&self) -> Vec<(String, String, f64)> {
        let own = |inside: &chasles::Containment| {
            (self.about.name(inside.inner), self.about.name(inside.outer), inside.from)
        };
        self.report().inside.iter().map(own).collect()
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

    /// The pairs of bodies that overlap and can never move. They have no part in the verdict.
    #[getter]
    fn static_overlaps(&self) -> Vec<(String, String)> {
        self.overlaps(|overlaps| &overlaps.statics)
    }

    /// Where all pairs are clear, the pair that comes nearest: (a, b, (at least, at most) in metres, a time); else
    /// None.
    #[getter]
    fn nearest(&self) -> Option<(String, String, (f64, f64), f64)> {
        self.report().nearest.map(|near| {
            let [a, b] = near.bodies.map(|body| self.about.name(body));
            (a, b, near.gap.into(), near.time)
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

    /// The report as CSV, a row an interval; written to ``path`` where one is given.
    #[pyo3(signature = (path=None))]
    fn to_csv(&self, path: Option<PathBuf>) -> PyResult<Option<String>> {
        told(self.with_subject(|subject| csv::to_csv(subject, self.report())), path)
    }

    /// The report as JUnit XML, for build servers; written to ``path`` where one is given.
    #[pyo3(signature = (path=None))]
    fn to_junit(&self, path: Option<PathBuf>) -> PyResult<Option<String>> {
        told(self.with_subject(|subject| junit::to_junit(&self.name, subject, self.report())), path)
    }

    /// A page in one file, without a server, that plays the motion and stops at each contact; written to ``path`` where
    /// one is given.
    #[pyo3(signature = (path=None))]
    fn to_html(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<Option<String>> {
        told(self.html(py)?, path)
    }

    /// The report as columns: a dict of arrays of one length, a row an interval, or a pair without any.
    ///
    /// ``a b verdict interval`` (-1: without) ``enter_lo enter_hi exit_lo exit_hi`` (NaN: lasts to the end) ``kind
    /// touching point_x .. normal_z gap gap_at_least deviation why segment``, then the joints of a path.
    fn to_arrays<'py>(own: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let joints = match &own.get().about {
            About::Scene(_) => Vec::new(),
            About::Path(_, file) => file.joints.clone(),
        };
        let tables = own.py().import("chasles._tables")?;
        tables.call_method1("columns", (own.get().to_dict(own.py())?, joints))
    }

    /// The columns of ``to_arrays`` as a ``pandas.DataFrame``.
    #[pyo3(signature = (library="pandas"))]
    fn to_dataframe<'py>(own: &Bound<'py, Self>, library: &str) -> PyResult<Bound<'py, PyAny>> {
        let tables = own.py().import("chasles._tables")?;
        tables.call_method1("frame", (Self::to_arrays(own)?, library))
    }

    /// What viewers are given: the document of the page, as a text in JSON.
    fn _playback(&self, py: Python<'_>) -> PyResult<String> {
        let made = Teller::new(py, None).look_after(None, |_| Ok(self.playback()?.to_json()))?;
        made.map_err(|error| bad_file(py, &error))
    }

    /// What a notebook shows: the page. None where the package was built without it.
    fn _repr_html_(&self, py: Python<'_>) -> Option<String> {
        self.html(py).ok().map(|page| framed(&page))
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(no_truth("Report"))
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        Ok(bytes(&self.as_tuple()?)? == bytes(&other.as_tuple()?)?)
    }

    fn __repr__(&self) -> String {
        let report = self.report();
        let count = |wanted: fn(&PairVerdict) -> bool| {
            report.pairs.iter().filter(|pair| wanted(&pair.verdict)).count()
        };
        let meet = count(|verdict| *verdict >= PairVerdict::Contact);
        let open = count(|verdict| *verdict == PairVerdict::Undecided);
        let pairs = if report.pairs_tested == 1 { "pair" } else { "pairs" };
        let verb = if meet == 1 { "meets" } else { "meet" };
        let mut told = match meet {
            0 => format!("Report({}, {} {pairs} tested", self.verdict(), report.pairs_tested),
            _ => format!("Report({}, {meet} of {} {pairs} {verb}", self.verdict(), report.pairs_tested),
        };
        if open > 0 {
            told.push_str(&format!(", {open} undecided"));
        }
        told.push(')');
        told
    }

    fn __copy__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __deepcopy__(own: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<_, Self>(py, &self.as_tuple()?)
    }

    #[classmethod]
    fn _from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        type PackedReport = (PackedAbout, PathReport, String, Appearance, Vec<String>);
        let (about, found, name, appearance, warnings): PackedReport = unpickled(bytes)?;
        let about = Teller::new(py, None).look_after(None, |_| about.about(&found))?;
        let about = about.map_err(|error| refused("report", error))?;
        Ok(Self { about, found: Arc::new(found), name, appearance: Arc::new(appearance), warnings })
    }
}

/// A pair of a report.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct PairReport {
    about: About,
    found: Arc<PathReport>,
    number: usize,
}

impl PairReport {
    fn pair(&self) -> &chasles::PairReport {
        &self.found.report.pairs[self.number]
    }

    fn name(&self, side: usize) -> String {
        self.about.name(self.pair().bodies[side])
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

    /// The spans of time during which the surfaces touch, in order; of a pair that is near, those within the clearance.
    #[getter]
    fn intervals(&self) -> Vec<SceneInterval> {
        self.pair().intervals.iter().cloned().map(SceneInterval).collect()
    }

    /// The least distance during the whole time is at most this, in metres: 0 where they meet; None where it is not
    /// told.
    #[getter]
    fn gap(&self) -> Option<f64> {
        gap_at_most(self.pair())
    }

    /// The least distance is at least this, in metres: proven; None where they meet, or it is not told.
    #[getter]
    fn gap_at_least(&self) -> Option<f64> {
        gap_at_least(self.pair())
    }

    /// A time, in seconds, at which they are as near as ``gap``; None where it is not told.
    #[getter]
    fn gap_time(&self) -> Option<f64> {
        self.pair().gap_time
    }

    /// Until this time, in seconds, nothing touches: proven.
    #[getter]
    fn clear_until(&self) -> f64 {
        self.pair().clear_until
    }

    /// How far, in metres, what was examined may lie from the true shapes and motions; all answers contain it.
    #[getter]
    fn deviation(&self) -> f64 {
        self.pair().deviation
    }

    /// Why something is not proven, or an enclosure wide; else None.
    #[getter]
    fn why(&self) -> Option<&'static str> {
        self.pair().doubt.map(reason)
    }

    /// Stretches of time, in seconds, in which there may be contact that is not among the intervals.
    #[getter]
    fn undecided(&self) -> Vec<(f64, f64)> {
        self.pair().undecided.iter().map(|span| (*span).into()).collect()
    }

    /// Where ``check(events=True)`` asked for them: every two features that meet, once, with the first time; sorted by
    /// time.
    #[getter]
    fn events(&self) -> Vec<Contact> {
        let event = |own: &chasles::SceneEvent| {
            Contact(chasles::Contact {
                time: own.time,
                features: own.features,
                point: own.point,
                normal: own.normal,
                touching: false,
                approach_speed: f64::NAN,
            })
        };
        self.pair().events.iter().map(event).collect()
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(no_truth("PairReport"))
    }

    fn __repr__(&self) -> String {
        format!("PairReport({:?}, {:?}, {})", self.name(0), self.name(1), self.verdict())
    }
}

/// A span of time during which two surfaces intersect or touch, or are within the clearance. Times are in seconds.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct SceneInterval(chasles::SceneInterval);

#[pymethods]
impl SceneInterval {
    /// An enclosure (lo, hi) of its begin; (0, 0) where it lasts from the start.
    #[getter]
    fn enter(&self) -> (f64, f64) {
        self.0.enter.into()
    }

    /// An enclosure (lo, hi) of its end; None where it lasts to the end.
    #[getter]
    fn exit(&self) -> Option<(f64, f64)> {
        self.0.exit.map(Into::into)
    }

    /// The contact with which it begins; None where that is at the start or at a jump.
    #[getter]
    fn contact(&self) -> Option<Contact> {
        self.0.contact.map(|SceneContact { contact, .. }| Contact(contact))
    }

    /// Where ``check(all_contacts=True)`` asked for them: every separate place that touches as it begins.
    #[getter]
    fn contacts(&self) -> Vec<Contact> {
        self.0.contacts.iter().map(|SceneContact { contact, .. }| Contact(*contact)).collect()
    }

    /// Whether the surfaces are nowhere in it known to intersect, only to touch.
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
