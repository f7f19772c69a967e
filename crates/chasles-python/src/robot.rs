//! Robots: paths, and the edges and postures of planners.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use chasles::{
    BodyMotion, CellDefinition, CheckOptions, EdgeChecker, EdgeOptions, PairListing, PairVerdict, RobotCell,
    SceneBody, WorldBody,
};
use chasles_formats::appearance::Appearance;
use chasles_formats::packed::PackedCell;
use chasles_formats::reading::with_read_limits;
use chasles_formats::report::breach::{LimitsAre, ToldBreach};
use chasles_formats::report::path_doubts;
use chasles_formats::robot::cell::Hollow;
use chasles_formats::robot::joint_path::{self, AngleUnit, PathFile, PathOptions, resolve};
use chasles_formats::robot::urdf::{self, RobotFile, UrdfOptions};
use chasles_formats::robot::{joint_values, several};
use numpy::{PyArray1, PyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use serde::{Deserialize, Serialize};

use crate::answer::UNDECIDED;
use crate::edges::{EDGE, Edges, ask, edge_row, edges, number_of, postures};
use crate::given::{
    Budget, Resting, Threads, bad_file, confined, file, misshapen, mistyped, not_negative, one_pose, reals,
    refused,
};
use crate::kept::{Reduced, bytes, reduced, unpickled};
use crate::many::rows;
use crate::path::{GivenPath, checked_rows, path};
use crate::pose::{array, matrices};
use crate::report::{About, Report};
use crate::shape::{is_solid, scene_shape};
use crate::warned::warn;
use crate::work::{Teller, unwatched};
use crate::world::World;

/// A robot where it stands, with the bodies around it: is this path free, or this edge of a planner?
///
/// Joints are those that can be set, in the order of the robot's file: neither fixed nor following another. Postures
/// are arrays (J,) of their values, in radians or metres. A ``Robot`` never changes; ``with_world`` and
/// ``with_attached`` make new ones, which share what they can.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Robot {
    cell: Arc<RobotCell>,
    /// Bodies that were attached here, in the order of time: they stay in another world.
    attached: Vec<WorldBody>,
    /// The joints that can be set, by their numbers in the robot.
    joints: Vec<usize>,
    name: String,
    appearance: Arc<Appearance>,
    /// The warnings about the file of the robot, and about the files of its world.
    warnings: [Vec<String>; 2],
    rules: Rules,
    /// Made when edges are first asked about.
    checker: Mutex<Option<Arc<EdgeChecker>>>,
}

/// The rules that hold for every question about a robot.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Rules {
    resting: Resting,
    /// Names of links and bodies that are hollow; ``all``: all of them.
    hollow: Vec<String>,
}

impl Rules {
    /// The rules from the arguments of Python.
    fn of(resting: Resting, hollow: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let hollow = match hollow.filter(|hollow| !hollow.is_none()) {
            None => Vec::new(),
            Some(names) => match names.extract::<String>() {
                Ok(name) => vec![name],
                Err(_) => names
                    .try_iter()
                    .and_then(|names| names.map(|name| name?.extract()).collect::<PyResult<_>>())
                    .map_err(|_| mistyped("hollow", names, "names, or \"all\""))?,
            },
        };
        Ok(Self { resting, hollow })
    }

    fn hollow(&self) -> Hollow {
        Hollow::of_names(&self.hollow)
    }

    fn asked(&self, all_pairs: bool, budget: Option<Budget>) -> CheckOptions {
        let (usual, Resting { standing, statics }) = (CheckOptions::default(), self.resting);
        let listed = if all_pairs { PairListing::All } else { PairListing::NotClear };
        let budget = budget.map_or(usual.budget, |budget| budget.0);
        CheckOptions { listed, budget, standing, statics, ..usual }
    }
}

/// What is wrong with a robot, by its argument.
fn wrong(place: &'static str) -> impl Fn(chasles::Error) -> PyErr {
    move |error| refused(place, error)
}

impl Robot {
    fn of(
        cell: RobotCell,
        attached: Vec<WorldBody>,
        (name, appearance): (String, Arc<Appearance>),
        warnings: [Vec<String>; 2],
        rules: Rules,
    ) -> Self {
        let joints = joint_values::set(cell.robot()).collect();
        let cell = Arc::new(cell);
        Self { cell, attached, joints, name, appearance, warnings, rules, checker: Mutex::default() }
    }

    /// The same robot among other bodies. It keeps what the checker has prepared for edges.
    fn with(
        &self,
        py: Python<'_>,
        cell: RobotCell,
        attached: Vec<WorldBody>,
        around: Vec<String>,
    ) -> PyResult<Self> {
        let warnings = [self.warnings[0].clone(), around];
        let seen = (self.name.clone(), self.appearance.clone());
        let other = Self::of(cell, attached, seen, warnings, self.rules.clone());
        let known = self.checker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            let cell = other.cell.clone();
            let made = unwatched(py, move || known.with_cell(&cell))?;
            // A world that moves has no edges, which is told where they are asked about.
            *other.checker.lock().unwrap_or_else(PoisonError::into_inner) = made.ok().map(Arc::new);
        }
        Ok(other)
    }

    fn checker(&self, py: Python<'_>, budget: Option<Budget>) -> PyResult<Arc<EdgeChecker>> {
        let known = self.checker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let checker = match known {
            Some(known) => known,
            None => {
                let cell = self.cell.clone();
                let make = move || EdgeChecker::new(&cell, &EdgeOptions::default());
                let made = Arc::new(unwatched(py, make)?.map_err(wrong("robot"))?);
                *self.checker.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
                made
            }
        };
        Ok(match budget {
            Some(Budget(budget)) => Arc::new(checker.with_budget(budget)),
            None => checker,
        })
    }

    fn check_in(
        &self,
        cell: &Arc<RobotCell>,
        (file, mut doubts): (PathFile, Vec<String>),
        asked: &CheckOptions,
        (teller, threads): (&Teller<'_, '_>, Option<Threads>),
    ) -> PyResult<Report> {
        let robot = cell.robot();
        let path = resolve(&file, robot.definition()).map_err(|error| refused("joints", error.message))?;
        let breaches = path.limit_breaches(robot);
        let told = |breach| ToldBreach::new(breach, (robot, LimitsAre::Told), &file);
        let beyond = path_doubts::of_limits(&file, &breaches.iter().map(told).collect::<Vec<_>>());
        warn(teller.py(), &beyond)?;
        doubts.extend(beyond);
        let world: Vec<String> = path_doubts::of_world(&file, cell).into_iter().collect();
        warn(teller.py(), &world)?;
        doubts.extend(world);
        let found = teller.look_after(threads, |work| cell.check_path(&path, asked, work))?;
        let found = found.map_err(wrong("path"))?;
        let tested = found.report.pairs_tested;
        teller.tell(tested, tested)?;
        Ok(Report {
            about: About::Path(cell.clone(), Arc::new(file)),
            found: Arc::new(found),
            name: self.name.clone(),
            appearance: self.appearance.clone(),
            warnings: [self.warnings.concat(), doubts].concat(),
        })
    }

    /// A path with its warnings, which are issued as ``chasles.Warning``.
    fn doubted(&self, py: Python<'_>, file: PathFile) -> PyResult<(PathFile, Vec<String>)> {
        let doubts = path_doubts::of_file(&file, self.cell.robot().definition(), AngleUnit::Radians);
        warn(py, &doubts)?;
        Ok((file, doubts))
    }

    /// The cell with another clearance.
    fn cleared(&self, clearance: Option<f64>) -> PyResult<Arc<RobotCell>> {
        let Some(clearance) = not_negative(clearance, "clearance")? else { return Ok(self.cell.clone()) };
        let definition = CellDefinition { clearance, ..self.cell.definition().clone() };
        remade(&self.cell, definition).map(Arc::new).map_err(wrong("clearance"))
    }

    /// The cell as plain values, and the number of attached bodies.
    fn packed(&self) -> PyResult<(PackedCell, usize)> {
        let cell = PackedCell::of(&self.cell).map_err(wrong("robot"))?;
        Ok((cell, self.attached.len()))
    }
}

/// A cell of another definition, told as exactly.
fn remade(cell: &RobotCell, definition: CellDefinition) -> Result<RobotCell, chasles::Error> {
    let made = RobotCell::new(definition)?;
    match cell.epsilon() {
        Some(epsilon) => made.with_epsilon(epsilon),
        None => Ok(made),
    }
}

#[pymethods]
impl Robot {
    /// Reads a robot: a URDF file, or a file that names several.
    ///
    /// ``srdf``: which links are not tested against each other. ``world``: the bodies around the robot, a scene file or
    /// a ``Scene``. ``base``: the pose of the robot's root link in the world. ``packages``: folders of ``package://``
    /// names, as a dict. ``clearance``: pairs that come this close, in metres, are reported too, and block edges and
    /// postures. ``use_visual``: links without collision geometry take their visual geometry. A robot without any such
    /// geometry is refused. A missing file raises FileNotFoundError, a bad file ``chasles.Error``. Warnings about a
    /// file are issued as ``chasles.Warning``.
    ///
    /// Two rules hold for every question about the robot. With ``standing="ignore"``, ``check_path`` does not test
    /// pairs that the path leaves at rest; edges and postures do test them. ``hollow`` has the names of links and
    /// bodies of the world that are hollow, or is ``"all"``. All other closed links and bodies are solid, except bodies
    /// with ``solid=False``: a body wholly inside a solid one is in contact. ``confine``: the robot, its meshes and its
    /// world must lie in this folder.
    #[classmethod]
    #[pyo3(signature = (path, *, srdf=None, world=None, base=None, packages=None, clearance=None, use_visual=false,
                        standing="test", hollow=None, confine=None))]
    fn load(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        srdf: Option<PathBuf>,
        world: Option<&Bound<'_, PyAny>>,
        base: Option<&Bound<'_, PyAny>>,
        packages: Option<&Bound<'_, PyDict>>,
        clearance: Option<f64>,
        use_visual: bool,
        standing: &str,
        hollow: Option<&Bound<'_, PyAny>>,
        confine: Option<PathBuf>,
    ) -> PyResult<Self> {
        let rules = Rules::of(Resting::of(standing)?, hollow)?;
        let (path, limits) = confined(py, path, confine)?;
        let srdf = srdf.map(|srdf| file(py, srdf)).transpose()?;
        let world = World::of(world)?;
        let base = base.filter(|base| !base.is_none()).map(|base| one_pose(base, "base")).transpose()?;
        let folders: Vec<(String, PathBuf)> = match packages {
            Some(packages) => packages
                .iter()
                .map(|(name, folder)| Ok((name.extract()?, folder.extract()?)))
                .collect::<PyResult<_>>()
                .map_err(|_| mistyped("packages", packages, "a dict of names and folders"))?,
            None => Vec::new(),
        };
        let clearance = not_negative(clearance, "clearance")?;
        let options = UrdfOptions { packages: folders, srdf, use_visual, ..UrdfOptions::default() };
        let (file, bodies, hollow) = (path.clone(), world.clone(), rules.hollow());
        let read = move || {
            let path = &file;
            let read = match several::are_robots(path) {
                true => several::read(path, &options)?,
                false => urdf::read(path, &options)?,
            };
            let RobotFile { definition, appearance, warnings, .. } = read;
            let wrong = |error: chasles::Error| chasles_formats::Error::file(path, error.to_string());
            let robot = chasles::Robot::new(definition).map_err(wrong)?;
            let base = base.unwrap_or(chasles::Pose::IDENTITY);
            let (cell, around) = bodies.around(robot, path, (base, clearance, &hollow))?;
            hollow.check(path, &cell)?;
            Ok((cell, appearance, [warnings, around]))
        };
        let read = unwatched(py, || with_read_limits(limits, read))?;
        let (cell, appearance, warnings) = read.map_err(|error| bad_file(py, &error))?;
        warn(py, &warnings[0])?;
        world.warn(py, &warnings[1])?;
        let seen = (path.display().to_string(), Arc::new(appearance));
        Ok(Self::of(cell, Vec::new(), seen, warnings, rules))
    }

    /// The warnings about the files of the robot and its world, one sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.concat()
    }

    /// The names of the joints that can be set, in the order in which postures have their values.
    #[getter]
    fn joints(&self) -> Vec<String> {
        joint_values::names(self.cell.robot())
    }

    /// The least and the greatest value of each joint: (J, 2), infinite where there is no limit.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let none = [f64::NEG_INFINITY, f64::INFINITY];
        let joints = self.cell.robot().joints();
        let limits = self.joints.iter().flat_map(|joint| joints[*joint].limits.unwrap_or(none)).collect();
        array(py, limits, &[self.joints.len(), 2])
    }

    /// The values at which joints rest that a path does not name: (J,).
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let rest = self.cell.robot().rest();
        PyArray1::from_iter(py, self.joints.iter().map(|joint| rest[*joint]))
    }

    /// The names of the links.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.cell.robot().links().iter().map(|link| link.name.clone()).collect()
    }

    /// The names of the links, then of the bodies of the world and those attached: what ``EDGE`` numbers.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        (0..self.cell.count()).map(|body| self.cell.name(body).to_owned()).collect()
    }

    /// Where each link is in the world: a dict of matrices (4, 4) by the names of links, for a posture (J,); for (K, J)
    /// of (K, 4, 4). Limits are not looked at.
    fn link_poses<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let (py, given) = (q.py(), reals(q, "q")?);
        let width = self.joints.len();
        let (count, is_one) = match *given.shape() {
            [found] if found == width => (1, true),
            [count, found] if found == width => (count, false),
            ref shape => return Err(misshapen("q", shape, &format!("({width},) or (K, {width})"))),
        };
        let values = checked_rows(&given, "q")?;
        let (robot, base) = (self.cell.robot(), self.cell.definition().base);
        let poses: Vec<Vec<chasles::Pose>> = (0..count)
            .map(|row| {
                let mut all = robot.rest();
                let posture = &values[row * width..(row + 1) * width];
                self.joints.iter().zip(posture).for_each(|(joint, value)| all[*joint] = *value);
                robot.complete(&mut all);
                robot.link_poses(&all).iter().map(|pose| base.compose(pose)).collect()
            })
            .collect();
        let dict = PyDict::new(py);
        for (number, link) in robot.links().iter().enumerate() {
            let own = matrices(py, poses.iter().map(|poses| poses[number]))?.into_any();
            dict.set_item(&link.name, if is_one { own.get_item(0)? } else { own })?;
        }
        Ok(dict)
    }

    /// The same robot in another world: a scene file, a ``Scene``, or None. What ``with_attached`` attached stays.
    fn with_world(&self, world: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Self> {
        let world = World::of(world)?;
        let (own, bodies, attached) = (self.cell.clone(), world.clone(), self.attached.clone());
        let (name, hollow) = (self.name.clone(), self.rules.hollow());
        let made = unwatched(py, move || {
            let path = name.as_ref();
            let wrong = |error: chasles::Error| chasles_formats::Error::file(path, error.to_string());
            let own = own.definition();
            let clearance = (own.clearance > 0.0).then_some(own.clearance);
            let (cell, around) = bodies.around(own.robot.clone(), path, (own.base, clearance, &hollow))?;
            let mut definition = cell.definition().clone();
            definition.world.extend(attached);
            remade(&cell, definition).map_err(wrong).map(|cell| (cell, around))
        })?;
        let (cell, around) = made.map_err(|error| bad_file(py, &error))?;
        world.warn(py, &around)?;
        self.with(py, cell, self.attached.clone(), around)
    }

    /// The same robot with one more body, of any shape that scenes take, fixed to a link at a pose in its frame. It is
    /// tested against the world and all links but its own.
    fn with_attached(
        &self,
        name: &str,
        shape: &Bound<'_, PyAny>,
        link: &str,
        pose: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let py = shape.py();
        if name.is_empty() || name == "*" || self.bodies().iter().any(|body| body == name) {
            return Err(refused(
                "name",
                format_args!("found {name:?}, expected a name that no other body has"),
            ));
        }
        let number = self.cell.robot().links().iter().position(|own| own.name == link);
        let number = number.ok_or_else(|| {
            refused(
                "link",
                format_args!("found {link:?}, expected the name of a link: {}", self.links().join(", ")),
            )
        })?;
        let shape = scene_shape(shape, "shape")?;
        let mut body = SceneBody {
            name: name.into(),
            solid: is_solid(&shape),
            shape: Some(shape),
            motion: BodyMotion::Still(one_pose(pose, "pose")?),
            parent: None,
            group: None,
        };
        body.solid = self.rules.hollow().is_solid(&body, None);
        let body = WorldBody { body, link: Some(number) };
        let mut definition = self.cell.definition().clone();
        definition.world.push(body.clone());
        let cell = remade(&self.cell, definition).map_err(wrong("shape"))?;
        let attached = self.attached.iter().cloned().chain([body]).collect();
        self.with(py, cell, attached, self.warnings[1].clone())
    }

    /// Whether a path is free, and if not, which pairs meet, when and where.
    ///
    /// ``times`` (T,) in seconds, increasing; ``joints`` (T, J), in radians or metres; ``names``: which joints the
    /// columns are (None: all, in the order of ``.joints``; the others rest). Between two waypoints joints move evenly,
    /// or, with ``velocities`` (T, J), along cubics. The other arguments are those of ``Scene.check``.
    ///
    /// Guarantee: ``clear``, and the time before an enclosure, are proven in continuous time for the true motion of the
    /// links.
    #[pyo3(signature = (times, joints, *, names=None, velocities=None, all_pairs=false, clearance=None, threads=None,
                        budget=None, progress=None))]
    fn check_path(
        &self,
        times: &Bound<'_, PyAny>,
        joints: &Bound<'_, PyAny>,
        names: Option<Vec<String>>,
        velocities: Option<&Bound<'_, PyAny>>,
        all_pairs: bool,
        clearance: Option<f64>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Report> {
        let velocities = velocities.filter(|velocities| !velocities.is_none());
        let file = path(self.cell.robot(), &GivenPath { times, joints, names, velocities })?;
        let file = self.doubted(times.py(), file)?;
        let cell = self.cleared(clearance)?;
        let teller = Teller::new(times.py(), progress);
        self.check_in(&cell, file, &self.rules.asked(all_pairs, budget), (&teller, threads))
    }

    /// The same of a path in a file: CSV, or a ROS trajectory in YAML or JSON. ``confine``: the file must lie in this folder.
    #[pyo3(signature = (path, *, all_pairs=false, clearance=None, threads=None, budget=None, progress=None, confine=None))]
    fn check_file(
        &self,
        py: Python<'_>,
        path: PathBuf,
        all_pairs: bool,
        clearance: Option<f64>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'_, PyAny>>,
        confine: Option<PathBuf>,
    ) -> PyResult<Report> {
        let (path, limits) = confined(py, path, confine)?;
        let read = with_read_limits(limits, || joint_path::read(&path, PathOptions::default()));
        let bad = |error| bad_file(py, &error);
        let file = self.doubted(py, read.map_err(bad)?)?;
        resolve(&file.0, self.cell.robot().definition()).map_err(bad)?;
        let cell = self.cleared(clearance)?;
        self.check_in(
            &cell,
            file,
            &self.rules.asked(all_pairs, budget),
            (&Teller::new(py, progress), threads),
        )
    }

    /// Which straight ways in joint space are free: uint8 (K,), 0 proven free, 3 blocked, also from the start, 2
    /// undecided.
    ///
    /// ``q0`` and ``q1`` (K, J) are the ends; one of the two arrays may be (J,). A value is 0 where ``check_path`` says
    /// ``clear``, and 3 where it says ``near``, ``contact`` or ``overlapping``; the check of an edge ends at its first
    /// proof. Values beyond limits: ValueError with row and joint.
    #[pyo3(signature = (q0, q1, *, threads=None, budget=None, progress=None))]
    fn edges_free<'py>(
        &self,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let py = q0.py();
        let checker = self.checker(py, budget)?;
        let Edges { ends: [from, to], count } = edges(self.joints.len(), q0, q1, &checker)?;
        let teller = Teller::new(py, progress);
        let answers = ask((&teller, threads), (count, UNDECIDED), |row, memory| {
            checker.edge(from.at(row), to.at(row), memory).map(|outcome| number_of(&outcome))
        })?;
        Ok(PyArray1::from_vec(py, answers))
    }

    /// How far straight ways in joint space are free, and what ends them: an array (K,) of dtype ``EDGE``.
    ///
    /// ``time`` encloses the first contact of any pair and ``free`` is proven free, both as shares of the way; ``a``
    /// and ``b`` number ``.bodies``. Arguments as in ``edges_free``.
    #[pyo3(signature = (q0, q1, *, threads=None, budget=None, progress=None))]
    fn edges_first_contact<'py>(
        &self,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = q0.py();
        let checker = self.checker(py, budget)?;
        let Edges { ends: [from, to], count } = edges(self.joints.len(), q0, q1, &checker)?;
        let teller = Teller::new(py, progress);
        let answers = ask((&teller, threads), (count, [0; EDGE]), |row, memory| {
            checker.reach(from.at(row), to.at(row), memory).map(|reach| edge_row(&reach))
        })?;
        rows(py, answers.into_flattened(), "EDGE")
    }

    /// Whether postures ``q`` (K, J) are free: uint8 (K,), 0 free, 3 blocked, 2 undecided. The tested pairs are the
    /// same as for ``edges_free``.
    #[pyo3(signature = (q, *, threads=None, budget=None, progress=None))]
    fn postures_free<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let py = q.py();
        let checker = self.checker(py, budget)?;
        let postures = postures(self.joints.len(), q, "q", &checker)?;
        let teller = Teller::new(py, progress);
        let answers = ask((&teller, threads), (postures.count.unwrap_or(1), UNDECIDED), |row, memory| {
            checker.posture(postures.at(row), memory).map(|outcome| number_of(&outcome))
        })?;
        Ok(PyArray1::from_vec(py, answers))
    }

    /// The least gap of any tested pair along a path, in metres: (at_least, at_most), both proven; (0, 0) in contact.
    ///
    /// ``times`` (T,) and ``joints`` (T, J) as in ``check_path``. Where there is no pair both are infinite.
    #[pyo3(signature = (times, joints, *, names=None, threads=None, budget=None, progress=None))]
    fn clearance(
        &self,
        times: &Bound<'_, PyAny>,
        joints: &Bound<'_, PyAny>,
        names: Option<Vec<String>>,
        threads: Option<Threads>,
        budget: Option<Budget>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(f64, f64)> {
        let file = path(self.cell.robot(), &GivenPath { times, joints, names, velocities: None })?;
        let teller = Teller::new(times.py(), progress);
        let file = self.doubted(times.py(), file)?;
        let report = self.check_in(&self.cell, file, &self.rules.asked(true, budget), (&teller, threads))?;
        let gap = |pair: &chasles::PairReport| match (pair.verdict, pair.gap) {
            (PairVerdict::Contact | PairVerdict::Overlapping, _) => [0.0; 2],
            (_, Some(gap)) => gap,
            (_, None) => [0.0, f64::INFINITY],
        };
        let least = report.found.report.pairs.iter().map(gap);
        let [lower, upper] = least.fold([f64::INFINITY; 2], |[lo, hi], [a, b]| [lo.min(a), hi.min(b)]);
        Ok((lower, upper))
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        Ok(bytes(&(self.packed()?, &self.rules))? == bytes(&(other.packed()?, &other.rules))?)
    }

    fn __repr__(&self) -> String {
        let (joints, links) = (self.joints.len(), self.cell.robot().links().len());
        format!(
            "Robot({:?}, {joints} joints, {links} links, {} bodies around)",
            self.cell.robot().definition().name,
            self.cell.count() - links
        )
    }

    fn __copy__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __deepcopy__(own: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<_, Self>(py, &(self.packed()?, &self.name, &*self.appearance, &self.warnings, &self.rules))
    }

    #[classmethod]
    fn _from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        type PackedRobot = ((PackedCell, usize), String, Appearance, [Vec<String>; 2], Rules);
        let ((cell, attached), name, appearance, warnings, rules): PackedRobot = unpickled(bytes)?;
        let cell = unwatched(py, || cell.cell())?.map_err(wrong("robot"))?;
        let world = &cell.definition().world;
        let attached = world[world.len().saturating_sub(attached)..].to_vec();
        Ok(Self::of(cell, attached, (name, Arc::new(appearance)), warnings, rules))
    }
}
