//! From a scene file to a simulation: masses from shapes, and what of the file a simulation cannot do.

use std::path::Path;

use chasles::{
    Dynamics, FlexibleBody, MassProperties, Release, SceneShape, SimulatedBody, SimulationDefinition,
};

use super::{BuiltScene, build, key};
use crate::error::{Error, Result};
use crate::scene_file::{BodyEntry, MassAmount, MassEntry, ReleaseEntry, SceneFile, SimulationEntry};
use crate::text::tree::quoted;

/// A simulation that is ready to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltSimulation {
    /// What the engine takes.
    pub definition: SimulationDefinition,
    /// Of each body of the scene that stays keyframed and has a mass: what would be its dynamics.
    pub masses: Vec<Option<Dynamics>>,
    /// What is doubtful: one sentence each, with the file's name.
    pub warnings: Vec<String>,
}

/// Builds the simulation of a scene file that was read from `path`. Mass, centre and inertia that the file leaves out are those of
/// the shape as it is placed in the body's frame, filled evenly.
///
/// # Errors
/// As [`build`](super::build); a file in which no body has a mass; a body that rides on a dynamic one; a shape without a volume of its own
/// where the file leaves out what would come from it.
///
/// # Example
/// ```
/// use chasles_formats::{scene_build, scene_file};
/// let text = b"format = 1\nduration = 2.0\nsimulation = { gravity = [0, 0, -9.81] }\n\
///     [[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n\
///     [[body]]\nname = 'crate'\nbox = [0.1, 0.1, 0.1]\ndensity = 500.0\npose = { position = [0, 0, 1] }\n";
/// let path = "scene.toml".as_ref();
/// let definition = scene_build::simulation(&scene_file::parse(text, path)?, path)?.definition;
/// assert!(definition.bodies[0].dynamics.is_none());
/// assert!((definition.bodies[1].dynamics.unwrap().mass - 0.5).abs() < 1e-12);
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn simulation(file: &SceneFile, path: &Path) -> Result<BuiltSimulation> {
    if file.bodies.iter().all(|body| body.mass.is_none()) {
        let what = "found no dynamic body, expected one with `mass` or `density` at least: nothing else moves by itself";
        return Err(Error::file(path, what));
    }
    for body in &file.bodies {
        let carrier = body.parent.and_then(|parent| file.bodies.get(parent));
        if let Some(carrier) = carrier.filter(|carrier| carrier.is_dynamic()) {
            let found = quoted(&carrier.name);
            let what = format!(
                "found {found}, which is dynamic, expected a keyframed body: a joint of the kind fixed holds bodies together"
            );
            return Err(key(path, body, "parent", &what));
        }
    }
    let BuiltScene { scene, mut warnings, .. } = build(file, path)?;
    let mut bodies = Vec::with_capacity(file.bodies.len());
    let mut masses = Vec::with_capacity(file.bodies.len());
    let mut flexible = Vec::new();
    for (entry, body) in file.bodies.iter().zip(scene.bodies()) {
        let (dynamics, release) = match (&entry.mass, &body.shape) {
            (Some(mass), Some(shape)) if mass.flexible.is_some() => {
                flexible.extend(flexible_body((entry, path), (bodies.len(), mass), shape)?);
                (None, ReleaseEntry::Start)
            }
            (Some(mass), Some(shape)) => {
                (Some(dynamics((entry, path), mass, shape, &mut warnings)?), mass.release)
            }
            _ => (None, ReleaseEntry::Start),
        };
        let (dynamics, mass, release) = match release {
            ReleaseEntry::Start => (dynamics, None, Release::Start),
            ReleaseEntry::Contact => (dynamics, None, Release::Contact),
            ReleaseEntry::Never => (None, dynamics, Release::Start),
        };
        masses.push(mass);
        let (elasticity, friction) = (entry.elasticity, entry.friction);
        bodies.push(SimulatedBody { dynamics, release, elasticity, friction });
    }
    let SimulationEntry { gravity, step, record, method, depth } = file.simulation;
    let joints = file.joints.clone();
    let definition =
        SimulationDefinition { scene, bodies, joints, flexible, gravity, step, record, method, depth };
    Ok(BuiltSimulation { definition, masses, warnings })
}

/// A flexible body; a density needs a closed shape, and a mass does not.
fn flexible_body(
    (entry, path): (&BodyEntry, &Path),
    (body, mass): (usize, &MassEntry),
    shape: &SceneShape,
) -> Result<Option<FlexibleBody>> {
    let Some(springs) = mass.flexible else { return Ok(None) };
    let kilograms = match mass.amount {
        MassAmount::Mass(mass) => mass,
        MassAmount::Density(density) => {
            let filled = shape.mass_properties().map_err(|error| {
                let place = format!("body {}.density", quoted(&entry.name));
                let what = format!(
                    "found a shape from which no mass follows ({error}), expected a closed shape, or `mass`"
                );
                Error::key(path, place, mass.line, what)
            })?;
            density * filled.volume
        }
    };
    let MassEntry { linear, angular, .. } = *mass;
    let (stiffness, damping) = (springs.stiffness, springs.damping);
    Ok(Some(FlexibleBody { body, mass: kilograms, stiffness, damping, linear, angular }))
}

/// A volume that is told less exactly than this brings a warning.
const EXACT: f64 = 1e-3;

fn dynamics(
    (entry, path): (&BodyEntry, &Path),
    mass: &MassEntry,
    shape: &SceneShape,
    warnings: &mut Vec<String>,
) -> Result<Dynamics> {
    let MassEntry { amount, inertia, center, linear, angular, release: _, flexible: _, line } = *mass;
    if let (MassAmount::Mass(mass), Some(inertia), Some(center)) = (amount, inertia, center) {
        return Ok(Dynamics { mass, inertia, center, linear, angular });
    }
    let at = |what: String| {
        let place = format!("body {}.{}", quoted(&entry.name), amount.key());
        Error::key(path, place, line, what)
    };
    let filled = shape.mass_properties().map_err(|error| {
        let lacking = match amount {
            MassAmount::Density(_) => "a closed shape",
            MassAmount::Mass(_) => "a closed shape, or both `inertia` and `center` beside the mass",
        };
        at(format!("found a shape from which no mass follows ({error}), expected {lacking}"))
    })?;
    let MassProperties { volume, center: middle, inertia: filling, accuracy } = filled;
    if accuracy > EXACT {
        let percent = (1e3 * accuracy).ceil() / 10.0;
        let what = format!(
            "the volume of the shape is known to {percent} % alone: `mass`, `inertia` and `center` would say how it moves"
        );
        warnings.push(at(what).to_string());
    }
    let (mass, density) = match amount {
        MassAmount::Mass(mass) => (mass, mass / volume),
        MassAmount::Density(density) => (density * volume, density),
    };
    let (inertia, center) = (inertia.unwrap_or(filling * density), center.unwrap_or(middle));
    Ok(Dynamics { mass, inertia, center, linear, angular })
}
