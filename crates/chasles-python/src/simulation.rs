//! Simulations: bodies with masses that move, bounce and come to rest.
//!
//! ```text
//! impulse    bodies that collide at one moment
//! moments    the recorded states of a simulation
//! ```

mod impulse;
mod moments;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use chasles::glam::DVec3;
use chasles::{MouseForce, ProgressMonitor, SimulationState, StepResult};
use chasles_formats::reading::with_read_limits;
use chasles_formats::report::simulation::{SimulationVerdict, energy_warning, to_json};
use chasles_formats::scene;
use chasles_formats::scene::build::BuiltSimulation;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use self::moments::SimulationSubject;
use crate::arguments::{Threads, confined_file, file_error, value_error, vector};
use crate::mesh::{from_json, json_text};
use crate::scene::Scene;
use crate::warnings::warn;
use crate::work::{Runner, Work, run_unmonitored};

pub(crate) use self::impulse::solve_impulses;
pub(crate) use self::moments::Moments;

/// The progress of a simulation.
struct SimulationProgress {
    simulation: chasles::Simulation,
    ending: StepResult,
    reached: f64,
    /// Moments of a call that was interrupted before it returned them.
    unreported: Vec<Arc<SimulationState>>,
}

/// A simulation: bodies with masses fall, bounce, slide and come to rest; the scene prescribes the motions of all
/// others. ``run`` continues the simulation.
///
/// ``bodies``: for each body with a mass, a dict with the keys of scene files: ``mass`` or ``density``, ``inertia``,
/// ``center``, ``velocity`` (``linear``, ``angular``), ``release``, ``elasticity``, ``friction``, ``flexible``; bodies
/// with a prescribed motion may have ``elasticity`` and ``friction``. ``joints``: dicts with ``kind``, ``a``, ``b``,
/// ``point``, ``axis``. ``gravity`` (3,) in metres per square second (by default no gravity), ``step`` and ``record``
/// in seconds, ``depth`` in metres. ``check``: the maximum depth of penetration is proven along the whole motion.
/// Doubts about the bodies are in ``warnings``, and issued as ``chasles.Warning``.
///
/// >>> scene = chasles.Scene(1.5)
/// >>> scene.add("floor", chasles.Box([2, 2, 0.1]), [0, 0, -0.05, 1, 0, 0, 0])
/// >>> scene.add("ball", chasles.Sphere(0.1), [0, 0, 1, 1, 0, 0, 0])
/// >>> drop = chasles.Simulation(scene, {"ball": {"density": 1000}}, gravity=[0, 0, -9.81], check=True)
/// >>> moments = drop.run()
/// >>> drop.verdict, moments.poses("ball")[-1, :3, 3].round(3).tolist()
/// ('clear', [0.0, 0.0, 0.1])
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Simulation {
    state: Mutex<SimulationProgress>,
    subject: SimulationSubject,
    warnings: Vec<String>,
}

/// Passes on only the request to stop. Progress is reported in fractions of the time.
struct EndMonitor<'a>(&'a Work);

impl ProgressMonitor for EndMonitor<'_> {
    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    fn is_final(&self) -> bool {
        self.0.is_final()
    }
}

/// The number of parts in which progress is reported.
const PARTS: usize = 100;

impl Simulation {
    fn start(
        py: Python<'_>,
        built: BuiltSimulation,
        (label, files): ((String, chasles_formats::scene::appearance::Appearance), Vec<PathBuf>),
        check: bool,
    ) -> PyResult<Self> {
        warn(py, &built.warnings)?;
        let definition = Arc::new(built.definition.clone());
        let start = run_unmonitored(py, move || chasles::Simulation::new(built.definition, check))?;
        let simulation = match (start, files.first()) {
            (Ok(simulation), _) => simulation,
            (Err(error), None) => return Err(value_error("scene", error)),
            (Err(error), Some(path)) => {
                return Err(file_error(py, &chasles_formats::Error::file(path, error.to_string())));
            }
        };
        let state = SimulationProgress {
            simulation,
            ending: StepResult::Moments(Vec::new()),
            reached: 0.0,
            unreported: Vec::new(),
        };
        let subject = SimulationSubject { definition, label, files };
        Ok(Self { state: Mutex::new(state), subject, warnings: built.warnings })
    }

    fn state(&self) -> PyResult<MutexGuard<'_, SimulationProgress>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("the simulation is run by another thread at this moment"))
            }
        }
    }

    fn number(&self, name: &str) -> PyResult<usize> {
        let bodies = self.subject.definition.scene.bodies();
        bodies.iter().position(|body| body.name == name).ok_or_else(|| {
            value_error("body", format_args!("found {name:?}, expected the name of a body of the scene"))
        })
    }

    fn name(&self, body: usize) -> String {
        self.subject.definition.scene.bodies()[body].name.clone()
    }
}

impl SimulationProgress {
    /// Advances until a time, or to the end.
    fn advance_until(&mut self, until: f64, duration: f64, work: &Work) -> Result<(), chasles::Error> {
        let goal = until.min(duration);
        let start = self.reached;
        work.begin(PARTS);
        let mut reported = 0;
        // The first moment has time 0, which is reached before the moment is reported.
        let mut is_reported = start > 0.0 || !self.unreported.is_empty();
        while !(is_reported && self.reached >= until) {
            match self.simulation.advance(&EndMonitor(work))? {
                StepResult::Moments(moments) => {
                    self.reached = moments.last().map_or(self.reached, |moment| moment.time);
                    is_reported |= !moments.is_empty();
                    self.unreported.extend(moments.into_iter().map(Arc::new));
                    self.ending = StepResult::Moments(Vec::new());
                }
                ending => {
                    self.ending = ending;
                    return Ok(());
                }
            }
            let mut parts = 0;
            while reported + parts < PARTS
                && (reported + parts + 1) as f64 * (goal - start) <= PARTS as f64 * (self.reached - start)
            {
                parts += 1;
            }
            work.done(parts);
            reported += parts;
        }
        Ok(())
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, bodies, *, joints=None, gravity=None, step=1e-3, record=1e-2, method="both", touching="together",
                        depth=1e-4, max_records=1_000_000, check=false))]
    fn new<'py>(
        scene: &Bound<'py, Scene>,
        bodies: &Bound<'py, PyAny>,
        joints: Option<&Bound<'py, PyAny>>,
        gravity: Option<&Bound<'py, PyAny>>,
        step: f64,
        record: f64,
        method: &str,
        touching: &str,
        depth: f64,
        max_records: u64,
        check: bool,
    ) -> PyResult<Self> {
        let py = scene.py();
        let options = PyDict::new(py);
        let gravity = gravity.map_or(Ok([0.0; 3]), |gravity| vector::<3>(gravity, "gravity"))?;
        options.set_item("gravity", gravity)?;
        for (key, value) in [("step", step), ("record", record), ("depth", depth)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(value_error(
                    key,
                    format_args!("found {value}, expected a number greater than 0"),
                ));
            }
            options.set_item(key, value)?;
        }
        options.set_item("method", method)?;
        options.set_item("touching", touching)?;
        options.set_item("max_records", max_records)?;
        let document = PyDict::new(py);
        document.set_item("bodies", bodies)?;
        if let Some(joints) = joints {
            document.set_item("joints", joints)?;
        }
        document.set_item("simulation", options)?;
        let text = json_text(&document, "bodies")?;
        let scene_copy = scene.get().built(py)?;
        let build = move || {
            scene::build::simulation_in_code(chasles::Scene::clone(&scene_copy), &text, "scene".as_ref())
        };
        let built = run_unmonitored(py, build)?;
        let built = built.map_err(|error| {
            let text = error.to_string();
            PyValueError::new_err(text.strip_prefix("scene:1: ").map_or(text.clone(), str::to_owned))
        })?;
        Self::start(py, built, (scene.get().label(), Vec::new()), check)
    }

    /// Reads a scene in TOML whose bodies have masses. A missing file raises FileNotFoundError, a bad file
    /// ``chasles.Error``, with file and line. ``confine``: the scene and the files that it names must lie in this
    /// folder.
    #[classmethod]
    #[pyo3(signature = (path, *, check=false, confine=None))]
    fn load(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        check: bool,
        confine: Option<PathBuf>,
    ) -> PyResult<Self> {
        let (path, limits) = confined_file(py, path, confine)?;
        let file = path.clone();
        let build = move || {
            let read = scene::file::read(&file)?;
            let named_files = read.files().into_iter().map(PathBuf::from);
            let files = std::iter::once(file.clone()).chain(named_files).collect();
            scene::build::simulation(&read, &file).map(|built| (built, files))
        };
        let built = run_unmonitored(py, || with_read_limits(limits, build))?;
        let (built, files) = built.map_err(|error| file_error(py, &error))?;
        let label = (path.display().to_string(), chasles_formats::scene::appearance::Appearance::default());
        Self::start(py, built, (label, files), check)
    }

    /// Continues until a time, in seconds, or to the end of the scene, and returns the new moments. The very first
    /// moment has time 0. The run may continue beyond the time by up to one record interval. After Ctrl-C, the next
    /// call also returns the moments of the interrupted call. The moments before an error, for example of ``max_records``,
    /// are returned, and the next call raises it.
    ///
    /// ``threads``: None for all cores; the moments are the same to the last bit. ``progress(done, total)`` counts
    /// percents.
    #[pyo3(signature = (until=None, *, threads=None, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        until: Option<f64>,
        threads: Option<Threads>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Moments> {
        let until = until.unwrap_or(f64::INFINITY);
        if until.is_nan() || until < 0.0 {
            return Err(value_error("until", format_args!("found {until}, expected a time in seconds")));
        }
        let duration = self.subject.definition.scene.duration();
        let mut state = self.state()?;
        let runner = Runner::new(py, progress);
        let progress_state = &mut *state;
        let advanced = runner.run(threads, |work| progress_state.advance_until(until, duration, work))?;
        // Moments before an error are returned first; the next call raises it.
        if progress_state.unreported.is_empty() {
            advanced.map_err(|error| value_error("scene", error))?;
        }
        let moments = std::mem::take(&mut state.unreported);
        drop(state);
        runner.report_progress(PARTS, PARTS)?;
        Ok(Moments { subject: self.subject.clone(), moments })
    }

    /// ``clear`` (the run reached its end, and it is proven that no penetration was deeper than ``depth``),
    /// ``unchecked`` (the run reached its end), ``undecided`` (the run has not reached its end), or ``crushed``.
    #[getter]
    fn verdict(&self) -> PyResult<&'static str> {
        let state = self.state()?;
        Ok(SimulationVerdict::of(&state.ending, state.simulation.summary().deepest).word())
    }

    /// A summary of the run, as ``chasles simulate --json`` writes it.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.state()?;
        let (summary, ending) = (state.simulation.summary(), (&state.ending, state.reached));
        let definition = &self.subject.definition;
        let mut warnings = self.warnings.clone();
        warnings.extend(energy_warning(definition, &summary));
        from_json(py, &to_json(definition, &summary, ending, &warnings))
    }

    /// The time of the last moment, in seconds.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.state()?.reached)
    }

    /// The duration of the scene, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.subject.definition.scene.duration()
    }

    /// The names of the bodies that move by forces and impulses, in the order of the scene.
    #[getter]
    fn dynamic(&self) -> Vec<String> {
        let bodies = self.subject.definition.bodies.iter().enumerate();
        bodies.filter(|(_, entry)| entry.dynamics.is_some()).map(|(number, _)| self.name(number)).collect()
    }

    /// The names of the bodies whose vertices are joined by springs.
    #[getter]
    fn flexible(&self) -> Vec<String> {
        self.subject.definition.flexible.iter().map(|entry| self.name(entry.body)).collect()
    }

    /// The bodies that waited for their first contact and had it, with its time.
    #[getter]
    fn released(&self) -> PyResult<Vec<(String, f64)>> {
        let state = self.state()?;
        Ok(state.simulation.released().iter().map(|entry| (self.name(entry.body), entry.time)).collect())
    }

    /// The names of the bodies at rest, which need no work until another body approaches.
    #[getter]
    fn asleep(&self) -> PyResult<Vec<String>> {
        let state = self.state()?;
        Ok(state.simulation.asleep().into_iter().map(|body| self.name(body)).collect())
    }

    /// The warnings about masses and inertias, one sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Pulls a dynamic body from now on: a critically damped spring draws its ``point`` (3,), in its own frame, to
    /// ``target`` (3,) in the world, at a ``rate`` in radians per second, with a force of at most ``most`` newtons.
    /// ``pull(None)`` lets go.
    #[pyo3(signature = (body, point=None, target=None, rate=10.0, most=100.0))]
    fn pull(
        &self,
        body: Option<&str>,
        point: Option<&Bound<'_, PyAny>>,
        target: Option<&Bound<'_, PyAny>>,
        rate: f64,
        most: f64,
    ) -> PyResult<()> {
        let three = |value: Option<&Bound<'_, PyAny>>, place: &str| match value {
            Some(value) => vector::<3>(value, place).map(DVec3::from_array),
            None => Err(value_error(place, "found none, expected (3,)")),
        };
        let pull = match body {
            None => None,
            Some(name) => {
                let (body, point, target) =
                    (self.number(name)?, three(point, "point")?, three(target, "target")?);
                Some(MouseForce { body, point, target, rate, max_force: most })
            }
        };
        self.state()?.simulation.pull(pull).map_err(|error| value_error("pull", error))
    }

    fn __repr__(&self) -> PyResult<String> {
        let state = self.state()?;
        let verdict = SimulationVerdict::of(&state.ending, state.simulation.summary().deepest).word();
        Ok(format!("Simulation({verdict}, {} of {} s)", state.reached, self.duration()))
    }
}
