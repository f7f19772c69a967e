//! Scenes in TOML: bodies with their shapes and motions, and the pairs that are not tested.
//!
//! The parsed scene is plain data that obeys every rule of the format: sizes are positive, numbers finite, rotations
//! unit, names resolved, and times increasing. Mesh files are named, not opened. A broken rule is an error with
//! file, line, body and key, and with the found and the expected value. An unknown key is an error too, so a typing
//! mistake never passes as a default.
//!
//! **Units.** Lengths are metres unless `unit = "mm"` (or `cm`, `m`, `in`) says otherwise. At the head of the file,
//! `unit` applies to all its lengths (positions, sizes, tolerance, epsilon, clearance, slides, points of axes,
//! linear velocities; for simulations gravity, depth, centres of mass and points of joints), and to the meshes,
//! clouds and heights that it names. In a body, `unit` replaces it for the shape of that body alone, file or
//! numbers. Formulas and their bounds are always in metres. A COLLADA mesh states its own unit, which counts; a
//! `unit` of its body would contradict the mesh and is an error. The parsed values are in metres, and so is every
//! report.
//!
//! ```toml
//! format = 1
//! duration = 2.0                      # seconds
//! [[body]]
//! name = "gripper"
//! mesh = "gripper.stl"
//! [body.motion]
//! kind = "twist"
//! linear = [1, 0, 0]
//! angular = [0, 0, 3.14]
//! [[body]]
//! name = "table"
//! box = [1, 1, 0.1]
//! ```

mod entries;
mod shape;
mod csg;
mod deforming;
mod simulation;
mod body;
mod suspicious;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chasles::{Friction, SimulatedJoint, SimulationSettings};
use glam::{DQuat, DVec3};

pub use entries::{
    DeformingEntry, HeightsEntry, LevelSetEntry, ParametricEntry, PartEntry, PartShapeEntry, PointsEntry,
    RecordedEntry, ShapeEntry, SolidEntry,
};
pub(crate) use simulation::{DynamicsTables, joint, part, simulation};
pub use simulation::{FlexibleEntry, MassAmount, MassTable, ReleaseEntry};

use crate::error::{Error, Result};
use crate::limits;
use crate::mesh::MissingGeometry;
use crate::samples::motion_keys;
use crate::scene::units::LengthUnit;
use crate::text::cursor::{Cursor, Limit, did_you_mean};
use crate::text::lines::cut_number;
use crate::text::tree::{self, quoted};

/// A scene as its file describes it. Metres, seconds, radians.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneFile {
    /// The scene is checked over [0, `duration`]. Seconds, finite, above 0.
    pub duration: f64,
    /// Distance within which surfaces touch. Metres, finite, 0 or more; `None`: derived from the size of the bodies.
    pub tolerance: Option<f64>,
    /// Accuracy for pairs with a solid, points or a parametric surface. Metres, finite, above 0; `None`: derived
    /// from the size of the bodies.
    pub epsilon: Option<f64>,
    /// Pairs that come this close are reported too. Metres, finite, 0 or more.
    pub clearance: f64,
    /// The unit of the file's lengths, which are converted to metres here, and of meshes that state none; `None`:
    /// metres.
    pub unit: Option<LengthUnit>,
    /// The bodies in the order of the file: at least one, each with a unique name.
    pub bodies: Vec<BodyTable>,
    /// Pairs that are not tested.
    pub ignore: Vec<IgnoreEntry>,
    /// The settings of a simulation.
    pub simulation: SimulationSettings,
    /// The joints between bodies in a simulation; joined bodies are not tested against each other. Bodies are
    /// indices into [`SceneFile::bodies`], or links ([`ScenePurpose::World`]); at least one body of each joint has a
    /// mass.
    pub joints: Vec<SimulatedJoint>,
    /// Warnings about input that is valid but doubtful: one sentence each, with file and line.
    pub warnings: Vec<String>,
    /// The treatment of surfaces in mesh files that Chasles cannot read, chosen by the caller.
    pub unread: MissingGeometry,
}

/// The use for which a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScenePurpose<'a> {
    /// The file is the whole scene.
    Scene,
    /// The file is the world around a robot. Bodies may have a link as their parent, and pairs with links may be
    /// ignored. Link k has the number `bodies.len() + k`. A pose beside keyframes is a warning, and the keys count.
    World {
        /// The names of the links, in order.
        links: &'a [&'a str],
    },
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyTable {
    /// Not empty, not `*`, and unique among the bodies.
    pub name: String,
    /// The shape in the body's frame, before `scale`. Its numbers are in metres.
    pub shape: ShapeEntry,
    /// The unit of this body's shape, in place of the file's.
    pub unit: Option<LengthUnit>,
    /// Factor by which the shape is enlarged about the body's origin. Finite, above 0.
    pub scale: f64,
    /// The pose of the body at time 0, in the frame of its parent or the world. Keyframes replace it; it is the
    /// identity then.
    pub pose: PoseEntry,
    /// The body to which this body is attached, as an index into [`SceneFile::bodies`], or a link
    /// ([`ScenePurpose::World`]). Parents form no cycle; a parent may follow its child in the list.
    pub parent: Option<usize>,
    /// Bodies of one group are not tested against each other.
    pub group: Option<String>,
    /// Whether containment in this body counts as an overlap; `None`: the file does not say so. See
    /// [`is_solid`](Self::is_solid).
    pub solid: Option<bool>,
    /// Whether the file states that the connected pieces of the mesh are closed, oriented outwards and convex.
    pub convex: bool,
    /// Whether the body is tested against itself: only for a body that deforms.
    pub against_itself: bool,
    /// The motion of the body relative to its parent or the world; `None`: its pose is constant, and its vertices
    /// may still deform.
    pub motion: Option<MotionEntry>,
    /// Its mass in a simulation, and the time from which it is dynamic; `None`: the body keeps the motion of the
    /// file whatever happens.
    pub mass: Option<MassTable>,
    /// Coefficient of restitution in a simulation: 0 for no rebound, 1 for a rebound without loss.
    pub elasticity: f64,
    /// Friction of its surface in a simulation.
    pub friction: Friction,
    /// The line on which the body starts, counted from 1.
    pub line: usize,
    /// The line of the shape, counted from 1.
    pub shape_line: usize,
}

impl BodyTable {
    /// Whether containment in this body counts in a scene. Without the key `solid`, containment counts for solids,
    /// and not for meshes and primitives.
    #[must_use]
    pub fn is_solid(&self) -> bool {
        self.solid.unwrap_or(matches!(self.shape, ShapeEntry::Solid(_)))
    }

    /// Whether the body is dynamic in a simulation, from time 0 or from its first contact.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.mass.is_some_and(|mass| mass.release != ReleaseEntry::Never)
    }

    /// The file that contains its keyframes.
    #[must_use]
    pub fn key_file(&self) -> Option<&Path> {
        match &self.motion {
            Some(MotionEntry::KeyFile { file, .. }) => Some(file),
            _ => None,
        }
    }

    /// Whether the body is flexible in a simulation. A flexible body is also dynamic.
    #[must_use]
    pub fn is_flexible(&self) -> bool {
        self.mass.is_some_and(|mass| mass.flexible.is_some())
    }
}

/// A position and a rotation: x maps to `rotation` x + `position`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoseEntry {
    /// Metres, finite.
    pub position: DVec3,
    /// A unit quaternion. The file writes (w, x, y, z); glam stores x, y, z, w.
    pub rotation: DQuat,
}

impl PoseEntry {
    /// No displacement.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };
}

/// The motion of a body in the frame of its parent or the world. Times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub enum MotionEntry {
    /// The pose at `times[i]` is `positions[i]`, `rotations[i]`, held before the first time and after the last.
    Keyframes {
        /// Seconds, strictly increasing, at least one; may lie outside the duration.
        times: Vec<f64>,
        /// Metres, one for each time.
        positions: Vec<DVec3>,
        /// Unit quaternions, one for each time, their signs as in the file.
        rotations: Vec<DQuat>,
        /// Interpolation between two times.
        interpolation: KeyInterpolation,
    },
    /// Keyframes whose times and poses are in a separate file.
    KeyFile {
        /// The file. A path relative to the scene file is resolved against its folder.
        file: PathBuf,
        /// The format of the file.
        format: motion_keys::KeyFileFormat,
        /// The unit of its positions.
        unit: LengthUnit,
        /// Interpolation between two times.
        interpolation: KeyInterpolation,
        /// The line of the key that names the file, counted from 1.
        line: usize,
    },
    /// Constant velocities that start from the body's pose, over the whole duration.
    Twist {
        /// Velocity of the body's origin, in metres a second.
        linear: DVec3,
        /// Angular velocity, in radians a second.
        angular: DVec3,
    },
    /// A screw on top of the body's pose, spread evenly over the duration.
    Screw {
        /// The unit vector along the axis.
        axis: DVec3,
        /// A point on the axis, in metres.
        point: DVec3,
        /// The translation along the axis over the whole duration, in metres.
        slide: f64,
        /// The angle about the axis over the whole duration, in radians; any number of revolutions.
        angle: f64,
    },
}

/// Interpolation between two keyframes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyInterpolation {
    /// The screw that joins the two poses, with a rotation of at most half a revolution. The default.
    Screw,
    /// Linear position and slerp of the rotation, along the shorter arc.
    Linear,
    /// The pose of key i is held on [`times[i]`, `times[i + 1]`).
    Step,
}

/// Two bodies, or sets of bodies, that are not tested against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IgnoreEntry {
    /// The two sides; their order does not matter.
    pub pair: [Side; 2],
}

/// One side of an [`IgnoreEntry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Every body, written `*`.
    Every,
    /// One body, as an index into [`SceneFile::bodies`], or a link ([`ScenePurpose::World`]).
    Body(usize),
}

impl SceneFile {
    /// The number of each body, by its name.
    pub(crate) fn numbers(&self) -> BTreeMap<&str, usize> {
        (0..).zip(&self.bodies).map(|(number, body)| (body.name.as_str(), number)).collect()
    }

    /// The mesh files that the bodies name, each once, in order.
    #[must_use]
    pub fn meshes(&self) -> Vec<&Path> {
        let mut names_so_far = BTreeSet::new();
        let meshes = self.bodies.iter().filter_map(|body| match body.shape.at_rest() {
            ShapeEntry::Mesh(file) => Some(file.as_path()),
            _ => None,
        });
        meshes.filter(|file| names_so_far.insert(*file)).collect()
    }

    /// All files that the bodies name, meshes, samples, points and keys, each once, in order.
    #[must_use]
    pub fn files(&self) -> Vec<&Path> {
        let mut names_so_far = BTreeSet::new();
        let files = self.bodies.iter().flat_map(|body| body.shape.files().into_iter().chain(body.key_file()));
        files.filter(|file| names_so_far.insert(*file)).collect()
    }
}

impl BodyTable {
    /// An error about this body's shape that is found later, such as a mesh that cannot be read.
    #[cold]
    pub fn shape_error(&self, scene: &Path, message: impl Into<String>) -> Error {
        let key = self.shape.key();
        Error::key(scene, format!("body {}.{key}", quoted(&self.name)), self.shape_line, message)
    }
}

/// Reads a scene file.
///
/// # Errors
/// When the file cannot be read or is too large, and as for [`parse`].
pub fn read(path: &Path) -> Result<SceneFile> {
    read_for(path, ScenePurpose::Scene)
}

/// Like [`read`], for a given purpose.
///
/// # Errors
/// As for [`read`]; in a world also when a body has the name of a link.
pub fn read_for(path: &Path, purpose: ScenePurpose<'_>) -> Result<SceneFile> {
    let bytes = limits::read(path, limits::SCENE_FILE)?;
    parse_for(&bytes, path, purpose)
}

/// Reads a scene from the bytes of its file. Errors name `path`, and mesh files are relative to its folder.
///
/// # Errors
/// When the bytes are not UTF-8 or not TOML, or a rule of the format is broken. The error describes the first such
/// place.
///
/// # Example
/// ```
/// use chasles_formats::scene::file::{ShapeEntry, parse};
/// let text = b"format = 1\nduration = 2.0\n[[body]]\nname = 'part'\nmesh = 'part.stl'\n";
/// let scene = parse(text, "cell/scene.toml".as_ref()).unwrap();
/// assert_eq!(scene.bodies[0].shape, ShapeEntry::Mesh("cell/part.stl".into()));
///
/// let error = parse(b"format = 1\nduration = -2.0\n", "scene.toml".as_ref()).unwrap_err();
/// assert_eq!(error.to_string(), "scene.toml:2: duration: found -2, expected a finite number > 0");
/// ```
pub fn parse(bytes: &[u8], path: &Path) -> Result<SceneFile> {
    parse_for(bytes, path, ScenePurpose::Scene)
}

/// Like [`parse`], for a given purpose.
///
/// # Errors
/// As for [`parse`]; in a world also when a body has the name of a link.
pub fn parse_for(bytes: &[u8], path: &Path, purpose: ScenePurpose<'_>) -> Result<SceneFile> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        let byte = bytes[error.valid_up_to()];
        Error::line(path, line, format!("not UTF-8: found the byte 0x{byte:02x}, expected TOML in UTF-8"))
    })?;
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(Error::file(path, "the file is empty, expected `format = 1`, a duration and bodies"));
    }
    let document = tree::from_toml(text, path)?;
    let mut scene = scene(&Cursor::root(path, &document), path, purpose)?;
    let cut = cut_number(bytes);
    scene.warnings.extend(cut.map(|what| Error::file(path, what).to_string()));
    Ok(scene)
}

/// Reads a unit of length from its abbreviation.
fn unit(at: &Cursor<'_>) -> Result<LengthUnit> {
    at.word(&LengthUnit::ALL.map(|(word, _)| word)).map(|number| LengthUnit::ALL[number].1)
}

/// Converts lengths to metres.
pub(crate) fn metres(unit: LengthUnit, lengths: DVec3) -> DVec3 {
    DVec3::from_array(lengths.to_array().map(|length| unit.metres(length)))
}

/// Resolves a path that the file at `file` contains: a relative path starts from that file's folder.
pub(crate) fn resolve_path(file: &Path, path: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(path)
}

/// The bodies by name with their indices, followed by the links.
type BodyIndex<'a> = BTreeMap<&'a str, usize>;

fn scene(root: &Cursor<'_>, path: &Path, purpose: ScenePurpose<'_>) -> Result<SceneFile> {
    // Checked before the keys, because a later format may have other keys.
    let format = root.require("format", "`format = 1`")?;
    if format.number(Limit::Any)? != 1.0 {
        return Err(format.expected("1, the only format that this program reads"));
    }
    root.only_keys(&[
        "format", "unit", "duration", "tolerance", "epsilon", "clearance", "simulation", "body", "joint",
        "ignore",
    ])?;
    let stated = root.get("unit").map(|at| unit(&at)).transpose()?;
    let metres = |length: f64| stated.unwrap_or_default().metres(length);
    let duration = root.require("duration", "seconds, a finite number > 0")?.number(Limit::Positive)?;
    let tolerance = root.get("tolerance").map(|at| at.number(Limit::NotNegative)).transpose()?.map(metres);
    let epsilon = root.get("epsilon").map(|at| at.number(Limit::Positive)).transpose()?.map(metres);
    let clearance = metres(root.get("clearance").map_or(Ok(0.0), |at| at.number(Limit::NotNegative))?);

    let list = root.require("body", "at least one [[body]]")?;
    let items: Vec<_> = list.items("tables headed [[body]]")?.collect();
    if items.is_empty() {
        return Err(list.expected("at least one body"));
    }
    let names = names(&items, purpose)?;
    let mut warnings = Vec::new();
    let (simulation, warning) = simulation::simulation(root.get("simulation"), stated)?;
    warnings.extend(warning);
    let mut bodies = Vec::with_capacity(items.len());
    for at in &items {
        let body::ParsedBody { body, idle_pose, warning } =
            body::body(at, &names, (path, stated.unwrap_or_default()))?;
        if let Some(warning) = idle_pose {
            match purpose {
                ScenePurpose::Scene => return Err(warning),
                ScenePurpose::World { .. } => warnings.push(format!("{warning}; the keys count")),
            }
        }
        warnings.extend(warning);
        bodies.push(body);
    }
    warnings.extend(suspicious::warnings(&items, &bodies));
    if let Some(cycle) = cycle_of_parents(&bodies) {
        let body = items[cycle[0]].named("body", &bodies[cycle[0]].name);
        let parent_chain: Vec<_> = cycle.iter().take(8).map(|&index| quoted(&bodies[index].name)).collect();
        let rest = if cycle.len() > parent_chain.len() { ".. rides on " } else { "" };
        let parent_chain = format!("{} rides on {rest}{}", parent_chain.join(" rides on "), parent_chain[0]);
        let parent = body.require("parent", "a parent")?;
        return Err(parent.error(format!(
            "found a cycle of parents, {parent_chain}; expected a chain of parents that ends"
        )));
    }

    let mut ignore = Vec::new();
    if let Some(list) = root.get("ignore") {
        for item in list.items("tables headed [[ignore]]")? {
            ignore.push(ignore_entry(&item, &names)?);
        }
    }
    let mut joints = Vec::new();
    if let Some(list) = root.get("joint") {
        let is_dynamic = |body: usize| bodies.get(body).is_some_and(BodyTable::is_dynamic);
        for item in list.items("tables headed [[joint]]")? {
            joints.push(simulation::joint(&item, &names, stated.unwrap_or_default(), is_dynamic)?);
        }
    }
    let unit = stated;
    Ok(SceneFile {
        duration,
        tolerance,
        epsilon,
        clearance,
        unit,
        bodies,
        ignore,
        simulation,
        joints,
        warnings,
        unread: MissingGeometry::Refused,
    })
}

/// Collects the names first, because parents and later bodies refer to each other by name.
fn names<'a>(items: &'a [Cursor<'a>], purpose: ScenePurpose<'a>) -> Result<BodyIndex<'a>> {
    let mut names = BodyIndex::new();
    if let ScenePurpose::World { links } = purpose {
        names.extend(links.iter().enumerate().map(|(k, link)| (*link, items.len() + k)));
    }
    for (index, item) in items.iter().enumerate() {
        let at = item.require("name", "a name of its own")?;
        let name = at.nonempty_text("a name that is not empty")?;
        if name == "*" {
            return Err(at.expected("a name: `*` stands for every body"));
        }
        if let Some(first) = names.insert(name, index) {
            let Some(first) = items.get(first) else {
                let found = quoted(name);
                return Err(
                    at.error(format!("found {found}, the name of a link, expected a name of its own"))
                );
            };
            let line = first.line();
            return Err(at.error(format!(
                "found {}, the name of the body on line {line}, expected a name of its own",
                quoted(name)
            )));
        }
    }
    Ok(names)
}

/// The number of the body with this name.
fn lookup(at: &Cursor<'_>, names: &BodyIndex<'_>) -> Result<usize> {
    let name = at.text()?;
    names.get(name).copied().ok_or_else(|| {
        let hint = did_you_mean(name, names.keys().copied());
        at.expected(&format!("the name of a body of this scene{hint}"))
    })
}

fn ignore_entry(at: &Cursor<'_>, names: &BodyIndex<'_>) -> Result<IgnoreEntry> {
    const EXPECTED: &str = "a list of two names of bodies, or `*` for every body";
    at.only_keys(&["pair"])?;
    let pair = at.require("pair", EXPECTED)?;
    let mut sides = pair.items(EXPECTED)?.map(|item| match item.text()? {
        "*" => Ok(Side::Every),
        _ => lookup(&item, names).map(Side::Body),
    });
    match (sides.next(), sides.next(), sides.next()) {
        (Some(a), Some(b), None) => Ok(IgnoreEntry { pair: [a?, b?] }),
        _ => Err(pair.expected(EXPECTED)),
    }
}

/// Returns a cycle of parents, if there is one. Linear in the number of bodies.
fn cycle_of_parents(bodies: &[BodyTable]) -> Option<Vec<usize>> {
    // Each walk follows the parents of one body up to the root, or to a body seen before. A body seen in the same
    // walk closes a cycle.
    let mut test_names = vec![None; bodies.len()];
    for start in 0..bodies.len() {
        let mut next = Some(start);
        while let Some(index) = next.filter(|index| *index < bodies.len()) {
            if test_names[index] == Some(start) {
                let parents = std::iter::successors(bodies[index].parent, |&other| bodies[other].parent);
                let mut cycle = vec![index];
                cycle.extend(parents.take_while(|&other| other != index));
                return Some(cycle);
            }
            if test_names[index].is_some() {
                break;
            }
            test_names[index] = Some(start);
            next = bodies[index].parent;
        }
    }
    None
}
