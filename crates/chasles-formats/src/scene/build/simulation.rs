//! Builds a simulation from a scene file: computes masses from shapes, and refuses settings that a simulation does
//! not support.

use std::collections::BTreeMap;
use std::path::Path;

use chasles::{
    CollisionShape, Dynamics, FlexibleBody, Friction, MassProperties, Release, Scene, SimulatedBody,
    SimulatedJoint, SimulationDefinition,
};

use super::{BuiltScene, build, key};
use crate::error::{Error, Result};
use crate::scene::file::{
    self, DynamicsTables, MassAmount, MassTable, ReleaseEntry, SceneFile, SimulationEntry,
};
use crate::scene::units::LengthUnit;
use crate::text::cursor::Cursor;
use crate::text::tree::{self, quoted};

/// A simulation that is ready to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltSimulation {
    /// The input of the engine.
    pub definition: SimulationDefinition,
    /// For each body of the scene that stays keyframed and has a mass, the dynamics that it would have.
    pub masses: Vec<Option<Dynamics>>,
    /// Warnings: one sentence each, with the file's name.
    pub warnings: Vec<String>,
}

/// Builds the simulation of a scene file that was read from `path`. If the file leaves out the mass, centre or
/// inertia, it is computed from the shape in the body's frame, at uniform density.
///
/// # Errors
/// As for [`build`](super::build); a file in which no body has a mass; a body attached to a dynamic one; a shape
/// without a volume, if the file leaves out a value that the volume would give.
///
/// # Example
/// ```
/// use chasles_formats::scene;
/// let text = b"format = 1\nduration = 2.0\nsimulation = { gravity = [0, 0, -9.81] }\n\
///     [[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n\
///     [[body]]\nname = 'crate'\nbox = [0.1, 0.1, 0.1]\ndensity = 500.0\npose = { position = [0, 0, 1] }\n";
/// let path = "scene.toml".as_ref();
/// let definition = scene::build::simulation(&scene::file::parse(text, path)?, path)?.definition;
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
    let BuiltScene { scene, warnings, .. } = build(file, path)?;
    let parts = file.bodies.iter().map(|entry| (entry.mass, (entry.elasticity, entry.friction))).collect();
    assemble(scene, path, (parts, file.joints.clone()), (file.simulation, warnings))
}

/// Builds the simulation of an existing scene from one JSON object with the keys `bodies`, `joints` and
/// `simulation`. `bodies` has the simulation keys of each body under its name. All values are as in scene files, in
/// metres. Errors name the keys.
///
/// # Errors
/// As for [`simulation`]; text that is not such an object; a name that no body of the scene has.
///
/// # Example
/// ```
/// use chasles_formats::scene;
/// let text = b"format = 1\nduration = 2.0\n[[body]]\nname = 'crate'\nbox = [0.1, 0.1, 0.1]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene::build::build(&scene::file::parse(text, path)?, path)?.scene;
/// let json = r#"{"bodies": {"crate": {"density": 500}}, "simulation": {"gravity": [0, 0, -9.81]}}"#;
/// let definition = scene::build::simulation_in_code(scene, json, path)?.definition;
/// assert!((definition.bodies[0].dynamics.unwrap().mass - 0.5).abs() < 1e-12);
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn simulation_in_code(scene: Scene, json: &str, path: &Path) -> Result<BuiltSimulation> {
    let node = tree::from_json(json, 1, path)?;
    let root = Cursor::root(path, &node);
    root.only_keys(&["bodies", "joints", "simulation"])?;
    let (entry, warning) = file::simulation(root.get("simulation"), None)?;
    let mut warnings: Vec<String> = warning.into_iter().collect();
    let names: BTreeMap<&str, usize> =
        scene.bodies().iter().enumerate().map(|(number, body)| (body.name.as_str(), number)).collect();
    let mut parts = vec![(None, (0.0, Friction::Coefficient(0.0))); scene.bodies().len()];
    if let Some(bodies) = root.get("bodies") {
        bodies.only_keys(&names.keys().copied().collect::<Vec<_>>())?;
        for (name, number) in &names {
            let Some(at) = bodies.get(name) else { continue };
            let (part, warning) = file::part(&at)?;
            warnings.extend(warning);
            parts[*number] = part;
        }
    }
    let mut joints = Vec::new();
    if let Some(list) = root.get("joints") {
        let is_dynamic = |body: usize| parts[body].0.is_some_and(|mass| mass.release != ReleaseEntry::Never);
        for at in list.items("a list of joints")? {
            joints.push(file::joint(&at, &names, LengthUnit::Metres, is_dynamic)?);
        }
    }
    assemble(scene, path, (parts, joints), (entry, warnings))
}

fn assemble(
    scene: Scene,
    path: &Path,
    (parts, joints): (Vec<DynamicsTables>, Vec<SimulatedJoint>),
    (entry, mut warnings): (SimulationEntry, Vec<String>),
) -> Result<BuiltSimulation> {
    let (mut bodies, mut masses) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
    let mut flexible = Vec::new();
    for ((mass, (elasticity, friction)), body) in parts.iter().zip(scene.bodies()) {
        let (dynamics, release) = match (mass, &body.shape) {
            (Some(mass), Some(shape)) if mass.flexible.is_some() => {
                flexible.extend(flexible_body((&body.name, path), (bodies.len(), mass), shape)?);
                (None, ReleaseEntry::Start)
            }
            (Some(mass), Some(shape)) => {
                (Some(dynamics((&body.name, path), mass, shape, &mut warnings)?), mass.release)
            }
            _ => (None, ReleaseEntry::Start),
        };
        let (dynamics, mass, release) = match release {
            ReleaseEntry::Start => (dynamics, None, Release::Start),
            ReleaseEntry::Contact => (dynamics, None, Release::Contact),
            ReleaseEntry::Never => (None, dynamics, Release::Start),
        };
        masses.push(mass);
        bodies.push(SimulatedBody { dynamics, release, elasticity: *elasticity, friction: *friction });
    }
    let SimulationEntry { gravity, step, record, method, touching, depth, max_records } = entry;
    let definition = SimulationDefinition {
        scene,
        bodies,
        joints,
        flexible,
        gravity,
        step,
        record,
        method,
        touching,
        depth,
        max_records,
    };
    Ok(BuiltSimulation { definition, masses, warnings })
}

/// Builds a flexible body. A density needs a closed shape, and a mass does not.
fn flexible_body(
    (name, path): (&str, &Path),
    (body, mass): (usize, &MassTable),
    shape: &CollisionShape,
) -> Result<Option<FlexibleBody>> {
    let Some(springs) = mass.flexible else { return Ok(None) };
    let kilograms = match mass.amount {
        MassAmount::Mass(mass) => mass,
        MassAmount::Density(density) => {
            let mass_properties_of = shape.mass_properties().map_err(|error| {
                let place = format!("body {}.density", quoted(name));
                let what = format!(
                    "found a shape from which no mass follows ({error}), expected a closed shape, or `mass`"
                );
                Error::key(path, place, mass.line, what)
            })?;
            density * mass_properties_of.volume
        }
    };
    let MassTable { linear, angular, .. } = *mass;
    let (stiffness, damping) = (springs.stiffness, springs.damping);
    Ok(Some(FlexibleBody { body, mass: kilograms, stiffness, damping, linear, angular }))
}

/// Relative accuracy of a volume. A volume known less accurately brings a warning.
const EXACT: f64 = 1e-3;

fn dynamics(
    (name, path): (&str, &Path),
    mass: &MassTable,
    shape: &CollisionShape,
    warnings: &mut Vec<String>,
) -> Result<Dynamics> {
    let MassTable { amount, inertia, center, linear, angular, release: _, flexible: _, line } = *mass;
    if let (MassAmount::Mass(mass), Some(inertia), Some(center)) = (amount, inertia, center) {
        return Ok(Dynamics { mass, inertia, center, linear, angular });
    }
    let at = |what: String| {
        let place = format!("body {}.{}", quoted(name), amount.key());
        Error::key(path, place, line, what)
    };
    let mass_properties_of = shape.mass_properties().map_err(|error| {
        let missing_key = match amount {
            MassAmount::Density(_) => "a closed shape",
            MassAmount::Mass(_) => "a closed shape, or both `inertia` and `center` beside the mass",
        };
        at(format!("found a shape from which no mass follows ({error}), expected {missing_key}"))
    })?;
    let MassProperties { volume, center: middle, inertia: solid_inertia, accuracy } = mass_properties_of;
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
    let (inertia, center) = (inertia.unwrap_or(solid_inertia * density), center.unwrap_or(middle));
    Ok(Dynamics { mass, inertia, center, linear, angular })
}
