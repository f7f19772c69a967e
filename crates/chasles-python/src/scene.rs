//! Scenes: read from files, or built in code.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use chasles::{CheckOptions, PairListing, PairSide, SceneBody, SceneDefinition, StaticPairs};
use chasles_formats::any_scene::{AnyScene, SceneOptions};
use chasles_formats::packed::PackedScene;
use chasles_formats::reading::with_read_limits;
use chasles_formats::scene::appearance::Appearance;
use chasles_formats::scene::build::BuiltScene;
use chasles_viewer::{Playback, limits, page};
use numpy::{PyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arguments::{
    Budget, RestingRules, Row, Threads, confined_file, file_error, flattened, non_negative, real_array,
    shape_error, value_error,
};
use crate::motion::body_motion;
use crate::pickle::{ReduceValue, bytes, from_bytes, reduce_value};
use crate::pose::matrices;
use crate::report::{Report, in_iframe};
use crate::shape::{convex_shape, is_solid, scene_shape};
use crate::warnings::warn;
use crate::work::{Runner, run_unmonitored};

/// The state of a scene that can be changed.
#[derive(Debug, Clone)]
struct SceneState {
    definition: SceneDefinition,
    epsilon: Option<f64>,
    clearances: Vec<([usize; 2], f64)>,
    self_tested: Vec<usize>,
    /// The key ``solid`` of each body; `None`: the body was added without it. Bodies beyond the end of the list have
    /// `None`.
    solid: Vec<Option<bool>>,
    /// The number of changes.
    changes: u64,
    /// The engine's scene, once it is built; `None` after a change.
    built: Option<Arc<chasles::Scene>>,
}

impl SceneState {
    fn of(scene: chasles::Scene, solid: Vec<Option<bool>>) -> Self {
        let count = scene.bodies().len();
        Self {
            definition: scene.definition(),
            epsilon: scene.states_epsilon().then(|| scene.epsilon()),
            clearances: scene.own_clearances().to_vec(),
            self_tested: (0..count).filter(|body| scene.is_self_tested(*body)).collect(),
            solid,
            changes: 0,
            built: Some(Arc::new(scene)),
        }
    }

    fn make(&self, definition: SceneDefinition) -> Result<chasles::Scene, chasles::Error> {
        let scene = chasles::Scene::new(definition)?;
        let scene = scene.with_clearances(&self.clearances)?.with_self_tests(&self.self_tested)?;
        match self.epsilon {
            Some(epsilon) => scene.with_epsilon(epsilon),
            None => Ok(scene),
        }
    }

    /// Records a change: the built scene is no longer valid.
    fn change(&mut self) {
        self.changes += 1;
        self.built = None;
    }

    /// The key ``solid`` of each body, one entry a body.
    fn solid_keys(&self) -> Vec<Option<bool>> {
        let mut solid_keys = self.solid.clone();
        solid_keys.resize(self.definition.bodies.len(), None);
        solid_keys
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.definition.bodies.iter().position(|body| body.name == name)
    }
}

/// A scene with bodies; its duration, tolerance and clearance; the key ``solid`` of each body.
type PackedState = (Option<PackedScene>, (f64, Option<f64>, f64), Vec<Option<bool>>);

/// Bodies in motion over a duration, in seconds: ``add`` bodies, then ``check`` them for contacts. ``Scene.load``
/// reads a scene.
///
/// ``tolerance``: surfaces closer than this touch, in metres (None: 1e-9 of the largest body). ``clearance``: pairs
/// that come this close are reported too.
///
/// >>> scene = chasles.Scene(2.0)
/// >>> scene.add("block", chasles.Box([1, 1, 1]))
/// >>> scene.add("cart", chasles.Box([1, 1, 1]), chasles.Screw.translation([3, 0, 0, 1, 0, 0, 0], [-4, 0, 0]))
/// >>> report = scene.check()
/// >>> report.verdict, round(report.pairs[0].intervals[0].enter[0], 8)
/// ('contact', 1.0)
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Scene {
    state: Mutex<SceneState>,
    name: String,
    appearance: Arc<Appearance>,
    warnings: Vec<String>,
}

impl Scene {
    pub(crate) fn of(scene: chasles::Scene, name: String, appearance: Appearance) -> Self {
        Self::with_solid_keys((scene, Vec::new()), name, appearance)
    }

    /// A scene from its bodies and the key ``solid`` of each.
    fn with_solid_keys(
        (scene, solid): (chasles::Scene, Vec<Option<bool>>),
        name: String,
        appearance: Appearance,
    ) -> Self {
        let (state, appearance) = (Mutex::new(SceneState::of(scene, solid)), Arc::new(appearance));
        Self { state, name, appearance, warnings: Vec::new() }
    }

    /// The key ``solid`` of each body, one entry a body.
    pub(crate) fn solid(&self) -> Vec<Option<bool>> {
        self.with(|state| state.solid_keys())
    }

    fn with<T>(&self, work: impl FnOnce(&mut SceneState) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The warnings about the files of the scene.
    pub(crate) fn file_warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The name and the appearance.
    pub(crate) fn label(&self) -> (String, Appearance) {
        (self.name.clone(), Appearance::clone(&self.appearance))
    }

    /// The scene as the engine has it.
    pub(crate) fn built(&self, py: Python<'_>) -> PyResult<Arc<chasles::Scene>> {
        let state = self.with(|state| state.clone());
        if let Some(built) = state.built {
            return Ok(built);
        }
        let changes = state.changes;
        let built = run_unmonitored(py, move || state.make(state.definition.clone()))?;
        let built = Arc::new(built.map_err(|error| value_error("scene", error))?);
        // If the scene was changed meanwhile, the next call builds it again.
        self.with(|state| {
            if state.changes == changes {
                state.built = Some(built.clone());
            }
        });
        Ok(built)
    }

    fn packed(&self, py: Python<'_>) -> PyResult<PackedState> {
        let (duration, tolerance, clearance, solid_keys) = self.with(|state| {
            let SceneDefinition { duration, tolerance, clearance, .. } = &state.definition;
            (*duration, *tolerance, *clearance, state.solid_keys())
        });
        let is_empty = solid_keys.is_empty();
        let to_error = |error: chasles::Error| value_error("scene", error);
        let scene = if is_empty { None } else { Some(PackedScene::of(&*self.built(py)?).map_err(to_error)?) };
        Ok((scene, (duration, tolerance, clearance), solid_keys))
    }

    fn playback(&self, scene: &chasles::Scene) -> chasles_formats::Result<Playback> {
        let playback = Playback::of_scene(&self.name, scene.clone(), None)?.with_appearance(&self.appearance);
        Ok(playback.with_frames(limits::FRAMES_IN_FILE)?.0)
    }
}

/// Rejects a text that cannot be the name of a body.
fn check_name(name: &str) -> PyResult<()> {
    if name.is_empty() || name == "*" {
        return Err(value_error(
            "name",
            format_args!("found {name:?}, expected a name, not empty and not \"*\""),
        ));
    }
    Ok(())
}

/// The error about a body that does not exist.
fn unknown(place: &str, name: &str) -> PyErr {
    value_error(place, format_args!("found {name:?}, expected the name of a body of the scene"))
}

fn positive(value: f64, place: &str) -> PyResult<f64> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(value_error(place, format_args!("found {value}, expected a number greater than 0")))
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (duration, *, tolerance=None, clearance=0.0))]
    fn new(duration: f64, tolerance: Option<f64>, clearance: f64) -> PyResult<Self> {
        let definition = SceneDefinition {
            duration: positive(duration, "duration")?,
            tolerance: non_negative(tolerance, "tolerance")?,
            clearance: non_negative(Some(clearance), "clearance")?.unwrap_or_default(),
            bodies: Vec::new(),
            ignore: Vec::new(),
        };
        let (clearances, self_tested) = (Vec::new(), Vec::new());
        let (solid, warnings) = (Vec::new(), Vec::new());
        let state =
            SceneState { definition, epsilon: None, clearances, self_tested, solid, changes: 0, built: None };
        Ok(Self { state: Mutex::new(state), name: "scene".into(), appearance: Arc::default(), warnings })
    }

    /// Reads a scene in any format of ``chasles check``: TOML, glTF, VRML, X3D, or a recording. A missing file
    /// raises FileNotFoundError, a bad file ``chasles.Error`` with file and line. Warnings about the scene are
    /// issued as ``chasles.Warning``. ``confine``: the scene and the files that it names must lie in this folder.
    #[classmethod]
    #[pyo3(signature = (path, *, confine=None))]
    fn load(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        confine: Option<PathBuf>,
    ) -> PyResult<Self> {
        let (path, limits) = confined_file(py, path, confine)?;
        let file = path.clone();
        let read = run_unmonitored(py, move || {
            with_read_limits(limits, || AnyScene::read(&file, &SceneOptions::default())?.build())
        })?;
        let BuiltScene { scene, appearance, solid, warnings, .. } =
            read.map_err(|error| file_error(py, &error))?;
        warn(py, &warnings)?;
        Ok(Self { warnings, ..Self::with_solid_keys((scene, solid), path.display().to_string(), appearance) })
    }

    /// Adds a body.
    ///
    /// ``shape``: a ``Mesh``, ``Body``, ``trimesh.Trimesh``, ``Box``, ``Sphere``, ``Cylinder``, ``Cone``,
    /// ``Capsule``, ``Solid``, ``PointCloud``, ``ParametricSurface`` or ``DeformingSurface``; None: it only carries
    /// others. ``motion``, in the frame of the parent or the world: a pose, a ``Screw`` over the whole duration, a
    /// ``Twist``, ``Keyframes``; None: it stays at the origin. ``parent``: the name of the body that carries it.
    /// Bodies of one ``group`` are not tested against each other. ``solid``: whether a body wholly inside it counts
    /// as in contact. None: True for a ``Solid``, False for other shapes; in the world of a robot True for all
    /// closed shapes. ``convex``: the pieces of a mesh are convex and closed, which is checked. ``self_test``: a
    /// deforming surface is tested against itself too.
    #[pyo3(signature = (name, shape=None, motion=None, *, parent=None, group=None, solid=None, convex=false,
                        self_test=false))]
    fn add(
        &self,
        name: &str,
        shape: Option<&Bound<'_, PyAny>>,
        motion: Option<&Bound<'_, PyAny>>,
        parent: Option<&str>,
        group: Option<String>,
        solid: Option<bool>,
        convex: bool,
        self_test: bool,
    ) -> PyResult<()> {
        check_name(name)?;
        let of = if convex { convex_shape } else { scene_shape };
        let shape = shape.filter(|shape| !shape.is_none()).map(|shape| of(shape, "shape")).transpose()?;
        let solid_keys = solid;
        let solid = solid_keys.unwrap_or_else(|| shape.as_ref().is_some_and(is_solid));
        if solid && !shape.as_ref().is_some_and(chasles::CollisionShape::is_closed) {
            return Err(value_error(
                "solid",
                format_args!("found True and a shape of {name:?} that is not closed"),
            ));
        }
        if self_test && shape.as_ref().is_none_or(|shape| shape.deforming_surface().is_none()) {
            let message = format_args!("found True and a shape of {name:?} that does not deform");
            return Err(value_error("self_test", message));
        }
        let motion = body_motion(motion)?;
        self.with(|state| {
            if state.number(name).is_some() {
                return Err(value_error(
                    "name",
                    format_args!("found {name:?} twice, expected names that differ"),
                ));
            }
            let number = |parent: &str| state.number(parent).ok_or_else(|| unknown("parent", parent));
            let parent = parent.map(number).transpose()?;
            if self_test {
                state.self_tested.push(state.definition.bodies.len());
            }
            state.solid = state.solid_keys();
            state.solid.push(solid_keys);
            state.definition.bodies.push(SceneBody {
                name: name.into(),
                shape,
                motion,
                parent,
                group,
                solid,
            });
            state.change();
            Ok(())
        })
    }

    /// Excludes a pair of bodies from the tests; ``"*"`` stands for every body.
    fn ignore(&self, a: &str, b: &str) -> PyResult<()> {
        self.with(|state| {
            let side = |name: &str, place| match name {
                "*" => Ok(PairSide::Every),
                name => state.number(name).map(PairSide::Body).ok_or_else(|| unknown(place, name)),
            };
            let pair = [side(a, "a")?, side(b, "b")?];
            state.definition.ignore.push(pair);
            state.change();
            Ok(())
        })
    }

    /// The warnings about the scene's files, one sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The names of the bodies, in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.with(|state| state.definition.bodies.iter().map(|body| body.name.clone()).collect())
    }

    /// The duration of the scene, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.with(|state| state.definition.duration)
    }

    /// Checks all pairs over the whole duration: the report has the pairs in contact, with times and points.
    ///
    /// ``all_pairs``: the report lists clear pairs too, with their minimum distances. ``clearance``: replaces the
    /// scene's. ``threads``: the number of threads (None: all cores); the answers are the same to the last bit.
    /// ``budget``: the maximum number of steps for each screw of each pair; a pair that needs more is ``undecided``.
    /// ``progress(done, total)`` counts pairs. ``all_contacts``: the report has every place in contact at the start of
    /// an interval. ``events``: the report has all pairs of features of two meshes that collide. ``standing``: "test"
    /// or "ignore" pairs at rest. ``static``: whether pairs of bodies that can never move are tested. If not, their
    /// overlaps do not count in the verdict, and ``Report.static_overlaps`` names them.
    ///
    /// Guarantee: a pair that is clear never comes closer than the tolerance, at any moment; a contact is within its
    /// enclosure. Both hold for the true surfaces of round bodies and the true motion.
    #[pyo3(signature = (*, all_pairs=false, clearance=None, threads=None, budget=None, progress=None,
                        all_contacts=false, events=false, standing="test", r#static=false))]
    fn check(
        &self,
        py: Python<'_>,
        all_pairs: bool,
        clearance: Option<f64>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'_, PyAny>>,
        all_contacts: bool,
        events: bool,
        standing: &str,
        r#static: bool,
    ) -> PyResult<Report> {
        let to_error = |error: chasles::Error| value_error("scene", error);
        let scene = match non_negative(clearance, "clearance")? {
            None => self.built(py)?,
            Some(clearance) => {
                let state = self.with(|state| state.clone());
                let definition = SceneDefinition { clearance, ..state.definition.clone() };
                let built = run_unmonitored(py, move || state.make(definition))?;
                Arc::new(built.map_err(to_error)?)
            }
        };
        let defaults = CheckOptions::default();
        let listed = if all_pairs { PairListing::All } else { PairListing::NotClear };
        let budget = budget.map_or(defaults.budget, |budget| budget.0);
        let RestingRules { standing, mut statics } = RestingRules::of(standing)?;
        if r#static {
            statics = StaticPairs::Tested;
        }
        let options =
            CheckOptions { listed, budget, all_contacts, events, resting: standing, statics, ..defaults };
        let runner = Runner::new(py, progress);
        let report = runner.run(threads, |work| scene.check(&options, work))?.map_err(to_error)?;
        runner.report_progress(report.pairs_tested, report.pairs_tested)?;
        let label = (self.name.clone(), self.appearance.clone());
        Ok(Report { warnings: self.warnings.clone(), ..Report::of_scene(scene, report, label) })
    }

    /// The pairs of names of bodies that intersect at a time, in seconds; at a jump, after it.
    fn at(&self, py: Python<'_>, time: f64) -> PyResult<Vec<(String, String)>> {
        let scene = self.built(py)?;
        let moved_scene = scene.clone();
        let result = run_unmonitored(py, move || moved_scene.static_intersections(time))?;
        let result = result.map_err(|error| value_error("time", error))?;
        let name = |body: usize| scene.bodies()[body].name.clone();
        Ok(result.iter().map(|pair| (name(pair.bodies[0]), name(pair.bodies[1]))).collect())
    }

    /// The poses of a body in the world at ``times`` (T,), in seconds: matrices (T, 4, 4).
    fn poses<'py>(&self, name: &str, times: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let (py, input) = (times.py(), real_array(times, "times")?);
        let body = self.with(|state| state.number(name)).ok_or_else(|| {
            PyKeyError::new_err(format!("name: found {name:?}, expected the name of a body of the scene"))
        })?;
        if input.ndim() != 1 {
            return Err(shape_error("times", input.shape(), "(T,)"));
        }
        let times = flattened(&input)?;
        if let Some((row, value)) = times.iter().enumerate().find(|(_, time)| !time.is_finite()) {
            let message = format_args!("found {value}, expected a finite number");
            return Err(value_error(Row { place: "times", row }, message));
        }
        let scene = self.built(py)?;
        matrices(py, times.iter().map(|time| scene.pose_at(body, *time)))
    }

    /// The document of the viewer's page, as a text in JSON.
    fn _playback(&self, py: Python<'_>) -> PyResult<String> {
        let scene = self.built(py)?;
        let built = Runner::new(py, None).run(None, |_| Ok(self.playback(&scene)?.to_json()))?;
        built.map_err(|error| file_error(py, &error))
    }

    /// A page that plays the scene, for notebooks; ``None`` if the package was built without the page, or the scene is
    /// empty.
    fn _repr_html_(&self, py: Python<'_>) -> Option<String> {
        let scene = self.built(py).ok()?;
        let built = Runner::new(py, None).run(None, |_| self.playback(&scene)).ok()?;
        page::self_contained(&built.ok()?).ok().map(|page| in_iframe(&page))
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        Ok(bytes(&self.packed(py)?)? == bytes(&other.packed(py)?)?)
    }

    fn __repr__(&self) -> String {
        self.with(|state| {
            let SceneDefinition { duration, bodies, .. } = &state.definition;
            format!("Scene({} bodies, {duration} s)", bodies.len())
        })
    }

    fn __copy__(&self) -> Self {
        let state = Mutex::new(self.with(|state| state.clone()));
        let (name, appearance, warnings) =
            (self.name.clone(), self.appearance.clone(), self.warnings.clone());
        Self { state, name, appearance, warnings }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.__copy__()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<ReduceValue<'py>> {
        reduce_value::<_, Self>(py, &(self.packed(py)?, &self.name, &*self.appearance, &self.warnings))
    }

    #[classmethod]
    fn _from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        type PackedScene = (PackedState, String, Appearance, Vec<String>);
        let ((scene, (duration, tolerance, clearance), solid_keys), name, appearance, warnings): PackedScene =
            from_bytes(bytes)?;
        let Some(scene) = scene else {
            return Ok(Self { name, warnings, ..Self::new(duration, tolerance, clearance)? });
        };
        let built = run_unmonitored(py, || scene.scene())?;
        let built = built.map_err(|error| value_error("scene", error))?;
        Ok(Self { warnings, ..Self::with_solid_keys((built, solid_keys), name, appearance) })
    }
}
