//! The recorded states of a simulation: poses, velocities, impulses, energies.

use std::path::PathBuf;
use std::sync::Arc;

use chasles::glam::DVec3;
use chasles::{SimulationDefinition, SimulationState};
use chasles_formats::packed::PackedSimulation;
use chasles_formats::recording::{self, RecordedPoses, simulated_scene};
use chasles_formats::report::moments;
use chasles_formats::scene::appearance::Appearance;
use numpy::PyArrayDyn;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::arguments::value_error;
use crate::pickle::{ReduceValue, from_bytes, immutable_classes, reduce_value};
use crate::pose::{array, matrices};
use crate::report::write_or_return;
use crate::scene::Scene;
use crate::work::{Runner, run_unmonitored};

/// The definition of a simulation with its name and files.
#[derive(Debug, Clone)]
pub(super) struct SimulationSubject {
    pub(super) definition: Arc<SimulationDefinition>,
    /// The name and the appearance.
    pub(super) label: (String, Appearance),
    /// The files of the scene, its own first, if it was read from files.
    pub(super) files: Vec<PathBuf>,
}

impl SimulationSubject {
    /// Whether both have the same definition.
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.definition, &other.definition) || self.definition == other.definition
    }
}

/// Moments of a simulation, in order. From one moment to the next, each body moves on the screw that joins its
/// poses, and each vertex of a flexible body along a straight line.
///
/// ``a + b`` concatenates the moments of two runs, the earlier first. Moments pickle, copy and compare.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Moments {
    pub(super) subject: SimulationSubject,
    pub(super) moments: Vec<Arc<SimulationState>>,
}

impl Moments {
    /// The index of a body among the bodies of its kind.
    fn index_of(&self, name: &str, mut is: impl FnMut(usize) -> bool, kind: &str) -> PyResult<usize> {
        let bodies = self.subject.definition.scene.bodies().iter().enumerate();
        let mut of_kind = bodies.filter(|(number, _)| is(*number));
        of_kind.position(|(_, body)| body.name == name).ok_or_else(|| {
            PyKeyError::new_err(format!("name: found {name:?}, expected the name of a body that is {kind}"))
        })
    }

    fn rigid_index(&self, name: &str) -> PyResult<usize> {
        let bodies = &self.subject.definition.bodies;
        self.index_of(name, |number| bodies[number].dynamics.is_some(), "dynamic")
    }

    fn name(&self, body: usize) -> &str {
        &self.subject.definition.scene.bodies()[body].name
    }

    fn numbers<'py>(
        &self,
        py: Python<'py>,
        each: impl Fn(&SimulationState) -> Vec<f64>,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let numbers = self.moments.iter().flat_map(|moment| each(moment)).collect();
        array(py, numbers, &[&[self.moments.len()], shape].concat())
    }
}

#[pymethods]
impl Moments {
    /// The times: (T,), in seconds.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.numbers(py, |moment| vec![moment.time], &[])
    }

    /// The poses of a dynamic body: matrices (T, 4, 4).
    fn poses<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let index = self.rigid_index(name)?;
        matrices(py, self.moments.iter().map(|moment| moment.poses[index]))
    }

    /// The velocities of a dynamic body: (T, 6), of its centre of mass in metres per second, then in radians per
    /// second, in world axes.
    fn velocities<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let index = self.rigid_index(name)?;
        self.numbers(py, |moment| moment.velocities[index].iter().flat_map(DVec3::to_array).collect(), &[6])
    }

    /// The vertices of a flexible body: (T, N, 3), in the world, in metres.
    fn vertices<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let flexible = &self.subject.definition.flexible;
        self.index_of(name, |number| flexible.iter().any(|item| item.body == number), "flexible")?;
        let item = flexible.iter().position(|item| self.name(item.body) == name).unwrap_or_default();
        let count = self.moments.first().map_or(0, |moment| moment.flexible[item].vertices.len());
        let places = |moment: &SimulationState| {
            moment.flexible[item].vertices.iter().flat_map(|vertex| vertex.to_array()).collect()
        };
        self.numbers(py, places, &[count, 3])
    }

    /// The impulses of contacts since the previous moments, as columns: a dict of ``a``, ``b`` (names), ``time``
    /// (C,), ``point``, ``normal`` (from a to b), ``impulse`` (on b, in newton seconds), (C, 3).
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all: Vec<_> = self.moments.iter().flat_map(|moment| &moment.contacts).collect();
        let columns = PyDict::new(py);
        for (side, key) in ["a", "b"].into_iter().enumerate() {
            let names: Vec<&str> = all.iter().map(|contact| self.name(contact.bodies[side])).collect();
            let dtype = PyDict::new(py);
            dtype.set_item("dtype", "object")?;
            columns.set_item(key, py.import("numpy")?.call_method("array", (names,), Some(&dtype))?)?;
        }
        let times = all.iter().map(|contact| contact.time).collect();
        columns.set_item("time", array(py, times, &[all.len()])?)?;
        let vectors = |of: fn(&chasles::MomentContact) -> DVec3| {
            array(py, all.iter().flat_map(|contact| of(contact).to_array()).collect(), &[all.len(), 3])
        };
        columns.set_item("point", vectors(|item| item.point)?)?;
        columns.set_item("normal", vectors(|item| item.normal)?)?;
        columns.set_item("impulse", vectors(|item| item.impulse)?)?;
        Ok(columns)
    }

    /// The energies, as columns (T,), in joules: a dict of ``kinetic``, ``potential`` and ``dissipated``.
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        let energies = |of: fn(&SimulationState) -> f64| self.numbers(py, |moment| vec![of(moment)], &[]);
        columns.set_item("kinetic", energies(|moment| moment.energy.kinetic)?)?;
        columns.set_item("potential", energies(|moment| moment.energy.potential)?)?;
        columns.set_item("dissipated", energies(|moment| moment.energy.dissipated)?)?;
        Ok(columns)
    }

    /// A scene with the motions of the simulation, for checks or display. It tests all pairs, including pairs that
    /// do not collide in the simulation, such as bodies with a joint. Bodies are static before the first moment and
    /// after the last.
    fn to_scene(&self, py: Python<'_>) -> PyResult<Scene> {
        let frames = self.moments.iter().map(|moment| RecordedPoses::of(moment)).collect();
        let scene = Runner::new(py, None).run(None, |_| simulated_scene(&self.subject.definition, frames))?;
        let (name, appearance) = self.subject.label.clone();
        Ok(Scene::of(scene.map_err(|error| value_error("scene", error))?, name, appearance))
    }

    /// The moments as CSV, one row per body and moment, as ``chasles simulate -o FILE.csv`` writes it; written to
    /// ``path`` if one is given. Flexible bodies have no rows.
    #[pyo3(signature = (path=None))]
    fn to_csv(&self, path: Option<PathBuf>) -> PyResult<Option<String>> {
        let mut text = moments::HEADER.to_owned();
        self.moments.iter().for_each(|moment| text += &moments::rows(&self.subject.definition, moment));
        write_or_return(text, path)
    }

    /// Writes a recording, as ``chasles simulate -o FILE.jsonl`` does: ``chasles view`` plays it, ``Scene.load``
    /// reads it. Only a loaded simulation can be saved, because the recording names the file of its scene.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let Some(file) = self.subject.files.first() else {
            let what =
                "found a simulation built in code, which has no file to name: to_scene() makes a scene of it";
            return Err(value_error("path", what));
        };
        let canonical = path.canonicalize().ok();
        if canonical.is_some() && self.subject.files.iter().any(|file| file.canonicalize().ok() == canonical)
        {
            let what = format!("found {}, a file of the scene, which is never overwritten", path.display());
            return Err(value_error("path", what));
        }
        let name = recording::scene_name(file, Some(&path));
        let mut text =
            recording::head(&name, &self.subject.definition, self.subject.definition.settings.depth);
        self.moments.iter().for_each(|moment| text += &recording::line(&self.subject.definition, moment));
        write_or_return(text, Some(path)).map(drop)
    }

    fn __len__(&self) -> usize {
        self.moments.len()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.subject.is(&other.subject) && self.moments == other.moments
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<ReduceValue<'py>> {
        let SimulationSubject { definition, label, files } = &self.subject;
        let packed = PackedSimulation::of(definition).map_err(|error| value_error("moments", error))?;
        let moments: Vec<&SimulationState> = self.moments.iter().map(Arc::as_ref).collect();
        reduce_value::<_, Self>(py, &(packed, label, files, moments))
    }

    #[classmethod]
    fn _from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        type PackedMoments = (PackedSimulation, (String, Appearance), Vec<PathBuf>, Vec<SimulationState>);
        let (packed, label, files, moments): PackedMoments = from_bytes(bytes)?;
        let check = move || -> Result<(SimulationDefinition, Vec<SimulationState>), chasles::Error> {
            let definition = packed.definition()?;
            definition.check_moments(&moments)?;
            Ok((definition, moments))
        };
        let (definition, moments) =
            run_unmonitored(py, check)?.map_err(|error| value_error("moments", error))?;
        let definition = Arc::new(definition);
        let subject = SimulationSubject { definition, label, files };
        Ok(Self { subject, moments: moments.into_iter().map(Arc::new).collect() })
    }

    fn __add__(&self, other: &Self) -> PyResult<Self> {
        if !self.subject.is(&other.subject) {
            return Err(value_error(
                "moments",
                "found those of another simulation, expected those of the same",
            ));
        }
        if let (Some(last), Some(first)) = (self.moments.last(), other.moments.first())
            && first.time <= last.time
        {
            let what = format_args!(
                "found moments from {} s on, expected later ones than {} s",
                first.time, last.time
            );
            return Err(value_error("moments", what));
        }
        let moments = [&self.moments[..], &other.moments[..]].concat();
        Ok(Self { subject: self.subject.clone(), moments })
    }

    fn __repr__(&self) -> String {
        match (self.moments.first(), self.moments.last()) {
            (Some(first), Some(last)) => {
                format!("Moments({}, {} s to {} s)", self.moments.len(), first.time, last.time)
            }
            _ => "Moments(0)".to_owned(),
        }
    }
}

immutable_classes! { Moments }
