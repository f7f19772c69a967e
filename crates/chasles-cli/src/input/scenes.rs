//! Reads scenes of any format for the commands.

use std::path::{Path, PathBuf};

use chasles::{Dynamics, ProgressMonitor, SimulationDefinition, Suggestion, Suggestions};
use chasles_formats::Error;
use chasles_formats::any_scene::{AnyScene, SceneOptions};
use chasles_formats::figures::number;
use chasles_formats::gltf;
use chasles_formats::mesh::MissingGeometry;
use chasles_formats::printable::printable_path;
use chasles_formats::recording;
use chasles_formats::robot::urdf;
use chasles_formats::scene;
use chasles_formats::scene::build::{BuiltScene, BuiltSimulation};
use chasles_formats::scene::file::{BodyTable, ReleaseEntry};
use chasles_formats::vrml;

use crate::exit::Failure;
use crate::output::complain;
use crate::warnings::Warnings;

/// The requested scene, and the settings that the arguments override.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SceneRequest<'a> {
    pub(crate) file: &'a Path,
    /// The animation of a glTF file, by name or number.
    pub(crate) animation: Option<&'a str>,
    /// The number of the animation to play among the animations that move the same nodes.
    pub(crate) rival: Option<usize>,
    /// In metres.
    pub(crate) clearance: Option<f64>,
    /// How surfaces that Chasles cannot read are treated.
    pub(crate) unread: MissingGeometry,
}

/// Reads the scene file and applies the overrides of the arguments.
pub(crate) fn read(request: &SceneRequest<'_>) -> Result<AnyScene, Failure> {
    if request.animation.is_some() && !gltf::is_gltf(request.file) {
        return Err(Error::file(request.file, "--animation is for glTF files only").into());
    }
    let animation = request.animation.map(str::to_owned);
    let SceneRequest { rival, clearance, unread, .. } = *request;
    let options = SceneOptions { animation, rival, clearance, unread };
    Ok(AnyScene::read(request.file, &options)?)
}

/// Reads the files that a scene names, and builds the scene. Doubtful input causes warnings.
pub(crate) fn build(read: &AnyScene, warnings: &Warnings) -> Result<BuiltScene, Failure> {
    let built = read.build()?;
    warnings.add_all(&built.warnings);
    Ok(built)
}

/// The suggested impulses of colliding keyframed bodies, as [`suggestions`] computes them. For a recording, the
/// suggestions are for the scene that it names. `None` if no keyframed body has a mass, or if no suggestion is
/// possible, which is printed.
pub(crate) fn suggestions_of(read: &AnyScene, watch: &dyn ProgressMonitor) -> Option<Vec<Suggestion>> {
    let (scene, path) = read.scene_file()?;
    let is_weighed = |body: &BodyTable| body.mass.is_some_and(|mass| mass.release == ReleaseEntry::Never);
    if !scene.bodies.iter().any(is_weighed) {
        return None;
    }
    let simulation = match &read.dynamics {
        // A dynamic body of the scene has keyframes in the recording, so the scene is needed.
        Some(_) => scene::file::read(path).and_then(|scene| scene::build::simulation(&scene, path)),
        None => scene::build::simulation(scene, path),
    };
    let found = simulation.and_then(|BuiltSimulation { definition, masses, .. }| {
        suggestions(&read.files[0], (&definition, &masses), watch)
    });
    match found {
        Ok(found) => Some(found),
        Err(error) => {
            complain(&format!("warning: {error}: no impulses are suggested"));
            None
        }
    }
}

/// The suggested impulses of colliding keyframed bodies. Collisions without a suggestion are reported on standard
/// error.
pub(crate) fn suggestions(
    file: &Path,
    (definition, masses): (&SimulationDefinition, &[Option<Dynamics>]),
    watch: &dyn ProgressMonitor,
) -> chasles_formats::Result<Vec<Suggestion>> {
    let suggestion_list = chasles::suggestions(definition, masses, watch);
    let Suggestions { found, undecided: without_suggestion } =
        suggestion_list.map_err(|error| Error::file(file, error.to_string()))?;
    for (bodies, time) in &without_suggestion {
        let name = |body: usize| definition.scene.bodies().get(body).map_or("", |body| body.name.as_str());
        let ([a, b], time) = (bodies.map(name), number(*time));
        let what = format!("{a:?} and {b:?} may touch from {time} s on: no impulse is suggested");
        complain(&format!("{}: {what}", printable_path(file)));
    }
    Ok(found)
}

/// A scene with masses.
pub(crate) struct DynamicScene {
    pub(crate) definition: SimulationDefinition,
    /// The masses of bodies that are always keyframed.
    pub(crate) masses: Vec<Option<Dynamics>>,
    /// The files that were read.
    pub(crate) files: Vec<PathBuf>,
}

/// The duration of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SimulatedDuration {
    OfScene,
    /// At least this number of seconds, unless a motion of the scene is prescribed.
    Minimum(u32),
}

/// The maximum number of steps of a simulation that lasts longer than its scene specifies.
const STEPS: f64 = 1e8;

/// Reads a scene and builds its simulation. Doubtful input causes warnings.
pub(crate) fn simulation(
    scene: &Path,
    duration: SimulatedDuration,
    warnings: &Warnings,
) -> Result<DynamicScene, Failure> {
    if gltf::is_gltf(scene) || vrml::is_world(scene) || urdf::is_urdf(scene) {
        let what = "found a file without masses, expected a scene in TOML";
        return Err(Error::file(scene, what).into());
    }
    if recording::is_recording(scene) {
        let what = "found a recording, expected the scene that it names: chasles view plays recordings";
        return Err(Error::file(scene, what).into());
    }
    let mut file = scene::file::read(scene)?;
    if let SimulatedDuration::Minimum(seconds) = duration
        && file.bodies.iter().all(|body| body.motion.is_none())
    {
        let maximum = STEPS * file.simulation.step.min(file.simulation.record);
        file.duration = file.duration.max(f64::from(seconds).min(maximum));
    }
    let built = scene::build::simulation(&file, scene)?;
    warnings.add_all(&built.warnings);
    let named = file.files().into_iter().map(PathBuf::from);
    let files = [scene.to_owned()].into_iter().chain(named).collect();
    Ok(DynamicScene { definition: built.definition, masses: built.masses, files })
}
