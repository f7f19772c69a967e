//! Robots and their paths. This file is the one to read first.
//!
//! ```text
//! world  the bodies around a robot
//! path   paths of robots
//! edges  the methods of robots for planners: edges and configurations
//! ```

pub(crate) mod world;
mod path;
mod edges;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use chasles::{
    BodyMotion, CellDefinition, CheckOptions, EdgeChecker, EdgeOptions, PairListing, PairVerdict, RobotCell,
    SceneBody, WorldBody,
};
use chasles_formats::packed::PackedCell;
use chasles_formats::reading::with_read_limits;
use chasles_formats::report::breach::{LimitTreatment, ReportedBreach};
use chasles_formats::report::path_warnings;
use chasles_formats::robot::cell::HollowBodies;
use chasles_formats::robot::joint_path::{self, AngleUnit, PathFile, PathOptions, resolve};
use chasles_formats::robot::urdf::{self, RobotFile, UrdfOptions};
use chasles_formats::robot::{joint_values, several};
use chasles_formats::scene::appearance::Appearance;
use numpy::{PyArray1, PyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use serde::{Deserialize, Serialize};

use crate::arguments::{
    Budget, RestingRules, Threads, confined_file, existing_file, file_error, non_negative, real_array,
    shape_error, type_error, value_error,
};
use crate::pickle::{ReduceValue, bytes, from_bytes, immutable_classes, reduce_value};
use crate::pose::{array, matrices, one_pose};
use crate::report::{Report, ReportSubject};
use crate::robot::path::{PathArguments, finite_values, path};
use crate::robot::world::World;
use crate::shape::{is_solid, scene_shape};
use crate::warnings::warn;
use crate::work::{Runner, run_unmonitored};

/// A robot at its base, with the bodies around it. It checks paths, and edges and configurations for planners.
///
/// Joints are the joints that can be set, in the order of the robot's file: neither fixed nor mimicking another. A
/// configuration is an array (J,) of their values, in radians or metres. A ``Robot`` never changes. ``with_world`` and
/// ``with_attached`` return new robots, which share unchanged parts with the old one.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Robot {
    cell: Arc<RobotCell>,
    /// The bodies of `with_attached`, in order. They stay when the world changes.
    attached: Vec<WorldBody>,
    /// The joints that can be set, by their numbers in the robot.
    joints: Vec<usize>,
    name: String,
    appearance: Arc<Appearance>,
    /// The warnings about the file of the robot, and about the files of its world.
    warnings: [Vec<String>; 2],
    rules: CheckRules,
    /// Made by the first call about edges.
    checker: Mutex<Option<Arc<EdgeChecker>>>,
}

/// The rules of all checks of a robot.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct CheckRules {
    resting: RestingRules,
    /// Names of links and bodies that are hollow; ``all``: all of them.
    hollow: Vec<String>,
}

impl CheckRules {
    /// The rules from the arguments of Python.
    fn of(resting: RestingRules, hollow: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let hollow = match hollow.filter(|hollow| !hollow.is_none()) {
            None => Vec::new(),
            Some(names) => match names.extract::<String>() {
                Ok(name) => vec![name],
                Err(_) => names
                    .try_iter()
                    .and_then(|names| names.map(|name| name?.extract()).collect::<PyResult<_>>())
                    .map_err(|_| type_error("hollow", names, "names, or \"all\""))?,
            },
        };
        Ok(Self { resting, hollow })
    }

    fn hollow(&self) -> HollowBodies {
        HollowBodies::of_names(&self.hollow)
    }

    fn check_options(&self, all_pairs: bool, budget: Option<Budget>) -> CheckOptions {
        let (defaults, RestingRules { standing, statics }) = (CheckOptions::default(), self.resting);
        let listed = if all_pairs { PairListing::All } else { PairListing::NotClear };
        let budget = budget.map_or(defaults.budget, |budget| budget.0);
        CheckOptions { listed, budget, resting: standing, statics, ..defaults }
    }
}

/// Adds the name of an argument to an error of the engine.
fn to_error(place: &'static str) -> impl Fn(chasles::Error) -> PyErr {
    move |error| value_error(place, error)
}

impl Robot {
    fn of(
        cell: RobotCell,
        attached: Vec<WorldBody>,
        (name, appearance): (String, Arc<Appearance>),
        warnings: [Vec<String>; 2],
        rules: CheckRules,
    ) -> Self {
        let joints = joint_values::settable(cell.robot()).collect();
        let cell = Arc::new(cell);
        Self { cell, attached, joints, name, appearance, warnings, rules, checker: Mutex::default() }
    }

    /// The same robot in another cell. It keeps the prepared parts of the edge checker.
    fn with(
        &self,
        py: Python<'_>,
        cell: RobotCell,
        attached: Vec<WorldBody>,
        world_warnings: Vec<String>,
    ) -> PyResult<Self> {
        let warnings = [self.warnings[0].clone(), world_warnings];
        let label = (self.name.clone(), self.appearance.clone());
        let other = Self::of(cell, attached, label, warnings, self.rules.clone());
        let prepared = self.checker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(prepared) = prepared {
            let cell = other.cell.clone();
            let built = run_unmonitored(py, move || prepared.with_cell(&cell))?;
            // A moving world has no edges. The first call about edges reports this error.
            *other.checker.lock().unwrap_or_else(PoisonError::into_inner) = built.ok().map(Arc::new);
        }
        Ok(other)
    }

    /// The checker of edges, prepared by the first call.
    pub(crate) fn checker(&self, py: Python<'_>, budget: Option<Budget>) -> PyResult<Arc<EdgeChecker>> {
        let prepared = self.checker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let checker = match prepared {
            Some(prepared) => prepared,
            None => {
                let cell = self.cell.clone();
                let make = move || EdgeChecker::new(&cell, &EdgeOptions::default());
                let built = Arc::new(run_unmonitored(py, make)?.map_err(to_error("robot"))?);
                *self.checker.lock().unwrap_or_else(PoisonError::into_inner) = Some(built.clone());
                built
            }
        };
        Ok(match budget {
            Some(Budget(budget)) => Arc::new(checker.with_budget(budget)),
            None => checker,
        })
    }

    fn check_path_in(
        &self,
        cell: &Arc<RobotCell>,
        (file, mut warnings): (PathFile, Vec<String>),
        check_options: &CheckOptions,
        (runner, threads): (&Runner<'_, '_>, Option<Threads>),
    ) -> PyResult<Report> {
        let robot = cell.robot();
        let path =
            resolve(&file, robot.definition()).map_err(|error| value_error("joints", error.message))?;
        let breaches = path.limit_breaches(robot);
        let describe = |breach| ReportedBreach::new(breach, (robot, LimitTreatment::Reported), &file);
        let limit_warnings =
            path_warnings::of_limits(&file, &breaches.iter().map(describe).collect::<Vec<_>>());
        warn(runner.py(), &limit_warnings)?;
        warnings.extend(limit_warnings);
        let world: Vec<String> = path_warnings::of_world(&file, cell).into_iter().collect();
        warn(runner.py(), &world)?;
        warnings.extend(world);
        let result = runner.run(threads, |work| cell.check_path(&path, check_options, work))?;
        let result = result.map_err(to_error("path"))?;
        let tested = result.report.pairs_tested;
        runner.report_progress(tested, tested)?;
        Ok(Report {
            subject: ReportSubject::Path(cell.clone(), Arc::new(file)),
            result: Arc::new(result),
            name: self.name.clone(),
            appearance: self.appearance.clone(),
            warnings: [self.warnings.concat(), warnings].concat(),
        })
    }

    /// A path with its warnings, which are issued as ``chasles.Warning``.
    fn warn_of_path(&self, py: Python<'_>, file: PathFile) -> PyResult<(PathFile, Vec<String>)> {
        let warnings = path_warnings::of_file(&file, self.cell.robot().definition(), AngleUnit::Radians);
        warn(py, &warnings)?;
        Ok((file, warnings))
    }

    /// The cell with another clearance.
    fn cell_with_clearance(&self, clearance: Option<f64>) -> PyResult<Arc<RobotCell>> {
        let Some(clearance) = non_negative(clearance, "clearance")? else { return Ok(self.cell.clone()) };
        let definition = CellDefinition { clearance, ..self.cell.definition().clone() };
        rebuilt(&self.cell, definition).map(Arc::new).map_err(to_error("clearance"))
    }

    /// The cell as plain values, and the number of attached bodies.
    fn packed(&self) -> PyResult<(PackedCell, usize)> {
        let cell = PackedCell::of(&self.cell).map_err(to_error("robot"))?;
        Ok((cell, self.attached.len()))
    }
}

/// A cell of another definition with the same precision.
fn rebuilt(cell: &RobotCell, definition: CellDefinition) -> Result<RobotCell, chasles::Error> {
    let built = RobotCell::new(definition)?;
    match cell.epsilon() {
        Some(epsilon) => built.with_epsilon(epsilon),
        None => Ok(built),
    }
}

#[pymethods]
impl Robot {
    /// Reads a robot: a URDF file, or a file that names several.
    ///
    /// ``srdf``: the file with the pairs of links that are not tested. ``world``: the bodies around the robot, a
    /// scene file or a ``Scene``. ``base``: the pose of the robot's root link in the world. ``packages``: folders
    /// of ``package://`` names, as a dict. ``clearance``: pairs that come this close, in metres, are reported too,
    /// and block edges and configurations. ``use_visual``: links without collision geometry take their visual
    /// geometry. A robot without any such geometry is rejected. A missing file raises FileNotFoundError, a bad file
    /// ``chasles.Error``. Warnings about a file are issued as ``chasles.Warning``.
    ///
    /// Two rules hold for all queries of the robot. With ``standing="ignore"``, ``check_path`` does not test pairs
    /// that are static along the path; edges and configurations do test them. ``hollow`` has the names of links and
    /// bodies of the world that are hollow, or is ``"all"``. All other closed links and bodies are solid, except
    /// bodies with ``solid=False``: a body wholly inside a solid one is in contact. ``confine``: the robot, its
    /// meshes and its world must lie in this folder.
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
        let rules = CheckRules::of(RestingRules::of(standing)?, hollow)?;
        let (path, limits) = confined_file(py, path, confine)?;
        let srdf = srdf.map(|srdf| existing_file(py, srdf)).transpose()?;
        let world = World::of(world)?;
        let base = base.filter(|base| !base.is_none()).map(|base| one_pose(base, "base")).transpose()?;
        let folders: Vec<(String, PathBuf)> = match packages {
            Some(packages) => packages
                .iter()
                .map(|(name, folder)| Ok((name.extract()?, folder.extract()?)))
                .collect::<PyResult<_>>()
                .map_err(|_| type_error("packages", packages, "a dict of names and folders"))?,
            None => Vec::new(),
        };
        let clearance = non_negative(clearance, "clearance")?;
        let options = UrdfOptions { packages: folders, srdf, use_visual, ..UrdfOptions::default() };
        let (file, bodies, hollow) = (path.clone(), world.clone(), rules.hollow());
        let read = move || {
            let path = &file;
            let read = match several::are_robots(path) {
                true => several::read(path, &options)?,
                false => urdf::read(path, &options)?,
            };
            let RobotFile { definition, appearance, warnings, .. } = read;
            let to_error = |error: chasles::Error| chasles_formats::Error::file(path, error.to_string());
            let robot = chasles::Robot::new(definition).map_err(to_error)?;
            let base = base.unwrap_or(chasles::Pose::IDENTITY);
            let (cell, world_warnings) = bodies.cell_around(robot, path, (base, clearance, &hollow))?;
            hollow.check(path, &cell)?;
            Ok((cell, appearance, [warnings, world_warnings]))
        };
        let read = run_unmonitored(py, || with_read_limits(limits, read))?;
        let (cell, appearance, warnings) = read.map_err(|error| file_error(py, &error))?;
        warn(py, &warnings[0])?;
        world.warn(py, &warnings[1])?;
        let label = (path.display().to_string(), Arc::new(appearance));
        Ok(Self::of(cell, Vec::new(), label, warnings, rules))
    }

    /// The warnings about the files of the robot and its world, one sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.concat()
    }

    /// The names of the joints that can be set, in the order of the values of a configuration.
    #[getter]
    fn joints(&self) -> Vec<String> {
        joint_values::names(self.cell.robot())
    }

    /// The minimum and maximum value of each joint: (J, 2), infinite if there is no limit.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let none = [f64::NEG_INFINITY, f64::INFINITY];
        let joints = self.cell.robot().joints();
        let limits = self.joints.iter().flat_map(|joint| joints[*joint].limits.unwrap_or(none)).collect();
        array(py, limits, &[self.joints.len(), 2])
    }

    /// The values of joints that a path does not name: (J,).
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

    /// The names of the links, then of the bodies of the world and of attached bodies. ``a`` and ``b`` of
    /// ``EDGE`` are indices into this list.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        (0..self.cell.count()).map(|body| self.cell.name(body).to_owned()).collect()
    }

    /// The pose of each link in the world: a dict of matrices (4, 4) by link name for a configuration (J,), or of
    /// (K, 4, 4) for configurations (K, J). Limits are not checked.
    fn link_poses<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let (py, input) = (q.py(), real_array(q, "q")?);
        let width = self.joints.len();
        let (count, is_one) = match *input.shape() {
            [result] if result == width => (1, true),
            [count, result] if result == width => (count, false),
            ref shape => return Err(shape_error("q", shape, &format!("({width},) or (K, {width})"))),
        };
        let values = finite_values(&input, "q")?;
        let (robot, base) = (self.cell.robot(), self.cell.definition().base);
        let poses: Vec<Vec<chasles::Pose>> = (0..count)
            .map(|row| {
                let mut all = robot.rest();
                let configuration = &values[row * width..(row + 1) * width];
                self.joints.iter().zip(configuration).for_each(|(joint, value)| all[*joint] = *value);
                robot.complete(&mut all);
                robot.link_poses(&all).iter().map(|pose| base.compose(pose)).collect()
            })
            .collect();
        let dict = PyDict::new(py);
        for (number, link) in robot.links().iter().enumerate() {
            let matrices = matrices(py, poses.iter().map(|poses| poses[number]))?.into_any();
            dict.set_item(&link.name, if is_one { matrices.get_item(0)? } else { matrices })?;
        }
        Ok(dict)
    }

    /// The same robot in another world: a scene file, a ``Scene``, or None. Bodies of ``with_attached`` stay.
    fn with_world(&self, world: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Self> {
        let world = World::of(world)?;
        let (cell, bodies, attached) = (self.cell.clone(), world.clone(), self.attached.clone());
        let (name, hollow) = (self.name.clone(), self.rules.hollow());
        let built = run_unmonitored(py, move || {
            let path = name.as_ref();
            let to_error = |error: chasles::Error| chasles_formats::Error::file(path, error.to_string());
            let definition = cell.definition();
            let clearance = (definition.clearance > 0.0).then_some(definition.clearance);
            let (cell, world_warnings) =
                bodies.cell_around(definition.robot.clone(), path, (definition.base, clearance, &hollow))?;
            let mut definition = cell.definition().clone();
            definition.world.extend(attached);
            rebuilt(&cell, definition).map_err(to_error).map(|cell| (cell, world_warnings))
        })?;
        let (cell, world_warnings) = built.map_err(|error| file_error(py, &error))?;
        world.warn(py, &world_warnings)?;
        self.with(py, cell, self.attached.clone(), world_warnings)
    }

    /// The same robot with one more body, of any shape that scenes accept, fixed to a link at a pose in its frame.
    /// The body is tested against the world and all links but its own.
    fn with_attached(
        &self,
        name: &str,
        shape: &Bound<'_, PyAny>,
        link: &str,
        pose: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let py = shape.py();
        if name.is_empty() || name == "*" || self.bodies().iter().any(|body| body == name) {
            return Err(value_error(
                "name",
                format_args!("found {name:?}, expected a name that no other body has"),
            ));
        }
        let number = self.cell.robot().links().iter().position(|candidate| candidate.name == link);
        let number = number.ok_or_else(|| {
            value_error(
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
        let cell = rebuilt(&self.cell, definition).map_err(to_error("shape"))?;
        let attached = self.attached.iter().cloned().chain([body]).collect();
        self.with(py, cell, attached, self.warnings[1].clone())
    }

    /// Checks a path: the report has the pairs in contact, with times and points.
    ///
    /// ``times`` (T,) in seconds, increasing; ``joints`` (T, J), in radians or metres; ``names``: the joints of the
    /// columns (None: all, in the order of ``.joints``; the others rest). Joints move linearly between two
    /// waypoints or, with ``velocities`` (T, J), along cubics. The other arguments are as in ``Scene.check``.
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
        let file = path(self.cell.robot(), &PathArguments { times, joints, names, velocities })?;
        let file = self.warn_of_path(times.py(), file)?;
        let cell = self.cell_with_clearance(clearance)?;
        let runner = Runner::new(times.py(), progress);
        self.check_path_in(&cell, file, &self.rules.check_options(all_pairs, budget), (&runner, threads))
    }

    /// Checks a path in a file: CSV, or a ROS trajectory in YAML or JSON. ``confine``: the file must lie in this
    /// folder.
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
        let (path, limits) = confined_file(py, path, confine)?;
        let read = with_read_limits(limits, || joint_path::read(&path, PathOptions::default()));
        let to_error = |error| file_error(py, &error);
        let file = self.warn_of_path(py, read.map_err(to_error)?)?;
        resolve(&file.0, self.cell.robot().definition()).map_err(to_error)?;
        let cell = self.cell_with_clearance(clearance)?;
        self.check_path_in(
            &cell,
            file,
            &self.rules.check_options(all_pairs, budget),
            (&Runner::new(py, progress), threads),
        )
    }

    /// The minimum distance of any tested pair along a path, in metres: (at_least, at_most), both proven; (0, 0) in
    /// contact.
    ///
    /// ``times`` (T,) and ``joints`` (T, J) as in ``check_path``. Without tested pairs both numbers are infinite.
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
        let file = path(self.cell.robot(), &PathArguments { times, joints, names, velocities: None })?;
        let runner = Runner::new(times.py(), progress);
        let file = self.warn_of_path(times.py(), file)?;
        let report = self.check_path_in(
            &self.cell,
            file,
            &self.rules.check_options(true, budget),
            (&runner, threads),
        )?;
        let gap = |pair: &chasles::PairReport| match (pair.verdict, pair.gap) {
            (PairVerdict::Contact | PairVerdict::Overlapping, _) => [0.0; 2],
            (_, Some(gap)) => gap,
            (_, None) => [0.0, f64::INFINITY],
        };
        let gaps = report.result.report.pairs.iter().map(gap);
        let [at_least, at_most] = gaps.fold([f64::INFINITY; 2], |[lo, hi], [a, b]| [lo.min(a), hi.min(b)]);
        Ok((at_least, at_most))
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

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<ReduceValue<'py>> {
        reduce_value::<_, Self>(
            py,
            &(self.packed()?, &self.name, &*self.appearance, &self.warnings, &self.rules),
        )
    }

    #[classmethod]
    fn _from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        type PackedRobot = ((PackedCell, usize), String, Appearance, [Vec<String>; 2], CheckRules);
        let ((cell, attached), name, appearance, warnings, rules): PackedRobot = from_bytes(bytes)?;
        let cell = run_unmonitored(py, || cell.cell())?.map_err(to_error("robot"))?;
        let world = &cell.definition().world;
        let attached = world[world.len().saturating_sub(attached)..].to_vec();
        Ok(Self::of(cell, attached, (name, Arc::new(appearance)), warnings, rules))
    }
}

immutable_classes! { Robot }
