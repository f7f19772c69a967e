//! The bodies around a robot.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chasles::{CellDefinition, Pose, Robot, RobotCell, Side, WorldBody};
use chasles_formats::robot::cell::{self, CellOptions};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::given::{file, mistyped};
use crate::scene::Scene;

/// Where a world comes from.
pub(crate) enum World {
    None,
    File(PathBuf),
    Scene(Arc<chasles::Scene>),
}

impl World {
    pub(crate) fn of(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(Self::None) };
        let py = value.py();
        if let Ok(scene) = value.cast::<Scene>() {
            return scene.get().made(py).map(Self::Scene);
        }
        let is_path = value.is_instance_of::<PyString>() || value.hasattr("__fspath__")?;
        match value.extract::<PathBuf>() {
            Ok(path) if is_path => file(py, path).map(Self::File),
            _ => Err(mistyped("world", value, "the path of a scene file, a Scene or None")),
        }
    }

    /// A robot that was read from a file, at its base among these bodies. Without a clearance that of the world counts.
    pub(crate) fn around(
        &self,
        robot: Robot,
        path: &Path,
        (base, clearance): (Pose, Option<f64>),
    ) -> chasles_formats::Result<RobotCell> {
        let world = match self {
            Self::File(file) => Some(file.clone()),
            Self::None | Self::Scene(_) => None,
        };
        let cell = cell::build(robot, path, &CellOptions { base, world, clearance })?.cell;
        match self {
            Self::None | Self::File(_) => Ok(cell),
            Self::Scene(scene) => among(cell.definition().clone(), scene, clearance)
                .map_err(|error| chasles_formats::Error::file(path, error.to_string())),
        }
    }
}

/// A cell among the bodies of a scene, which have numbers behind those of the links.
fn among(
    mut definition: CellDefinition,
    scene: &chasles::Scene,
    clearance: Option<f64>,
) -> Result<RobotCell, chasles::Error> {
    let links = definition.robot.links().len();
    let side = |side: Side| match side {
        Side::Body(body) => Side::Body(links + body),
        every => every,
    };
    let whole = scene.definition();
    definition.world = whole.bodies.into_iter().map(|body| WorldBody { body, link: None }).collect();
    definition.world_duration = whole.duration;
    definition.ignore = whole.ignore.into_iter().map(|pair| pair.map(side)).collect();
    definition.tolerance = whole.tolerance;
    definition.clearance = clearance.unwrap_or(whole.clearance);
    definition.clearances =
        scene.own_clearances().iter().map(|(pair, own)| (pair.map(|body| links + body), *own)).collect();
    let made = RobotCell::new(definition)?;
    if scene.states_epsilon() { made.with_epsilon(scene.epsilon()) } else { Ok(made) }
}
