//! The bodies around a robot.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chasles::{CellDefinition, PairSide, Pose, Robot, RobotCell, SceneBody, WorldBody};
use chasles_formats::robot::cell::{self, BuiltCell, CellOptions, HollowBodies};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::{existing_file, type_error};
use crate::scene::Scene;
use crate::warnings::warn;

/// The source of a world.
#[derive(Clone)]
pub(crate) enum World {
    None,
    File(PathBuf),
    /// A scene, the key ``solid`` of each body, and the warnings about its files, which were issued when it was read.
    Scene(Arc<chasles::Scene>, Vec<Option<bool>>, Vec<String>),
}

impl World {
    pub(crate) fn of(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(Self::None) };
        let py = value.py();
        if let Ok(scene) = value.cast::<Scene>() {
            let scene = scene.get();
            return Ok(Self::Scene(scene.built(py)?, scene.solid(), scene.file_warnings().to_vec()));
        }
        let is_path = value.is_instance_of::<PyString>() || value.hasattr("__fspath__")?;
        match value.extract::<PathBuf>() {
            Ok(path) if is_path => existing_file(py, path).map(Self::File),
            _ => Err(type_error("world", value, "the path of a scene file, a Scene or None")),
        }
    }

    /// Issues the warnings about the files of the world, unless they were issued when the files were read.
    pub(crate) fn warn(&self, py: Python<'_>, warnings: &[String]) -> PyResult<()> {
        match self {
            Self::Scene(..) => Ok(()),
            Self::None | Self::File(_) => warn(py, warnings),
        }
    }

    /// The cell of a robot that was read from a file, at its base among these bodies, and the warnings about the
    /// world's files. Without `clearance`, the world's clearance counts.
    pub(crate) fn cell_around(
        &self,
        robot: Robot,
        path: &Path,
        (base, clearance, hollow): (Pose, Option<f64>, &HollowBodies),
    ) -> chasles_formats::Result<(RobotCell, Vec<String>)> {
        let world = match self {
            Self::File(file) => Some(file.clone()),
            Self::None | Self::Scene(..) => None,
        };
        let hollow_of = hollow.clone();
        let options = CellOptions { base, world, clearance, hollow: hollow_of, ..CellOptions::default() };
        let BuiltCell { cell, warnings, .. } = cell::build(robot, path, &options)?;
        match self {
            Self::None | Self::File(_) => Ok((cell, warnings)),
            Self::Scene(scene, solid_keys, warnings) => {
                cell_in_scene(cell.definition().clone(), (scene, solid_keys), (clearance, hollow))
                    .map(|cell| (cell, warnings.clone()))
                    .map_err(|error| chasles_formats::Error::file(path, error.to_string()))
            }
        }
    }
}

/// A cell with the bodies of a scene. They are numbered after the links.
fn cell_in_scene(
    mut definition: CellDefinition,
    (scene, solid_keys): (&chasles::Scene, &[Option<bool>]),
    (clearance, hollow): (Option<f64>, &HollowBodies),
) -> Result<RobotCell, chasles::Error> {
    let links = definition.robot.links().len();
    let side = |side: PairSide| match side {
        PairSide::Body(body) => PairSide::Body(links + body),
        every => every,
    };
    let scene_definition = scene.definition();
    let solid_keys = solid_keys.iter().copied().chain(std::iter::repeat(None));
    let world_body = |(body, solid_key): (SceneBody, Option<bool>)| {
        let solid = hollow.is_solid(&body, solid_key);
        WorldBody { body: SceneBody { solid, ..body }, link: None }
    };
    definition.world = scene_definition.bodies.into_iter().zip(solid_keys).map(world_body).collect();
    definition.world_duration = scene_definition.duration;
    definition.ignore = scene_definition.ignore.into_iter().map(|pair| pair.map(side)).collect();
    definition.tolerance = scene_definition.tolerance;
    definition.clearance = clearance.unwrap_or(scene_definition.clearance);
    definition.clearances = scene
        .own_clearances()
        .iter()
        .map(|(pair, clearance)| (pair.map(|body| links + body), *clearance))
        .collect();
    let cell = RobotCell::new(definition)?;
    if scene.states_epsilon() { cell.with_epsilon(scene.epsilon()) } else { Ok(cell) }
}
