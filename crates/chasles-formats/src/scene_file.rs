//! Scenes in TOML: bodies, their shapes and motions, and which pairs are not tested.
//!
//! What is read is plain data in which every rule of the format holds: sizes are positive, numbers finite,
//! rotations unit, names resolved, times increasing. Meshes are named here, not opened. A rule that is broken
//! is an error that names file, line, body and key, what was found and what was expected; an unknown key is
//! one too, so that a slip of the pen never passes as a default.
//!
//! **Units.** Lengths are metres unless `unit = "mm"` (or `cm`, `m`, `in`) says otherwise. At the head of the file it is the unit of every
//! length in it (positions, sizes, tolerance, epsilon, clearance, slides, points of axes, linear velocities; for simulations gravity, depth, centres of mass and points of joints) and of the meshes, clouds and
//! heights that it names; in a body it is that of the body's shape alone, file or numbers, in place of the file's. Formulas and their
//! bounds are in metres whatever the unit. A COLLADA mesh states its own unit, which counts; a
//! `unit` of its body would contradict that and is an error. What is read is in metres, and so is every report.
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
mod doubts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chasles::{Friction, SimulatedJoint};
use glam::{DQuat, DVec3};

pub use entries::{
    DeformingEntry, HeightsEntry, LevelSetEntry, ParametricEntry, PartEntry, PartShapeEntry, PointsEntry,
    RecordedEntry, ShapeEntry, SolidEntry,
};
pub(crate) use simulation::{DynamicsTables, joint, part, simulation};
pub use simulation::{FlexibleEntry, MassAmount, MassTable, ReleaseEntry, SimulationEntry};

use crate::error::{Error, Result};
use crate::limits;
use crate::mesh::MissingGeometry;
use crate::motion_keys;
use crate::text::cursor::{Cursor, Limit, did_you_mean};
use crate::text::lines::cut_number;
use crate::text::tree::{self, quoted};
use crate::units::LengthUnit;

/// A scene, as its file tells it. Metres, seconds, radians.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneFile {
    /// The check runs over [0, `duration`]. Seconds, finite, above 0.
    pub duration: f64,
    /// Touching means within this. Metres, finite, 0 or more; `None`: derived from the size of the bodies.
    pub tolerance: Option<f64>,
    /// How exactly pairs with a solid, points or a parametric surface are told. Metres, finite, above 0; `None`: derived from the
    /// size of the bodies.
    pub epsilon: Option<f64>,
    /// Pairs that come this close are reported too. Metres, finite, 0 or more.
    pub clearance: f64,
    /// The unit that the file states for all its lengths, which are in metres here, and for meshes that state none; `None`: metres.
    pub unit: Option<LengthUnit>,
    /// The bodies in the order of the file: at least one, each with a name of its own.
    pub bodies: Vec<BodyTable>,
    /// Pairs that are not tested.
    pub ignore: Vec<IgnoreEntry>,
    /// What a simulation is asked to do.
    pub simulation: SimulationEntry,
    /// What holds bodies together in a simulation; joined bodies are not tested against each other. Bodies are indices into
    /// [`SceneFile::bodies`], or links ([`ScenePurpose::World`]); one of each two has a mass.
    pub joints: Vec<SimulatedJoint>,
    /// What is doubtful, though it can be read: one sentence each, with file and line.
    pub warnings: Vec<String>,
    /// How surfaces in mesh files that Chasles cannot read are treated; the caller chooses.
    pub unread: MissingGeometry,
}

/// What a file is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScenePurpose<'a> {
    /// It is the whole scene.
    Scene,
    /// It is the world around a robot: bodies may ride on the robot's links, which have these names, and pairs with them may be
    /// ignored. Link k has the number `bodies.len() + k`. A pose beside keyframes is a warning, and the keys count.
    World {
        /// The names of the links, in order.
        links: &'a [&'a str],
    },
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyTable {
    /// Not empty, not `*`, no other body's.
    pub name: String,
    /// The shape in the body's frame, before `scale`. Its numbers are in metres here.
    pub shape: ShapeEntry,
    /// The unit that is stated for the shape of this body, in place of the file's.
    pub unit: Option<LengthUnit>,
    /// The shape is this many times larger, about the body's origin. Finite, above 0.
    pub scale: f64,
    /// Where the body stands at time 0, in the parent's frame or the world's. Keyframes replace it; it is the
    /// identity then.
    pub pose: PoseEntry,
    /// The body that this one rides on, as an index into [`SceneFile::bodies`], or a link ([`ScenePurpose::World`]). Parents form no
    /// cycle; one may stand later in the list than its child.
    pub parent: Option<usize>,
    /// Bodies of one group are not tested against each other.
    pub group: Option<String>,
    /// Whether containment in this body counts as an overlap; `None`: the file does not say so. See
    /// [`is_solid`](Self::is_solid).
    pub solid: Option<bool>,
    /// Whether the pieces of its mesh are said to be closed, turned outwards and convex.
    pub convex: bool,
    /// Whether the body is tested against itself: only of one that deforms.
    pub against_itself: bool,
    /// How the body moves relative to its parent or the world; `None`: it stands still
    /// there, and perhaps deforms.
    pub motion: Option<MotionEntry>,
    /// How heavy it is in a simulation, and from when on it is dynamic; `None`: it moves as the file says, whatever
    /// happens.
    pub mass: Option<MassTable>,
    /// How much bounces off it in a simulation: nothing at 0, all at 1.
    pub elasticity: f64,
    /// How rough it is in a simulation.
    pub friction: Friction,
    /// The line on which the body begins, counted from 1.
    pub line: usize,
    /// The line of the shape, counted from 1.
    pub shape_line: usize,
}

impl BodyTable {
    /// Whether containment in this body counts in a scene. Without the key `solid`, containment counts in solids, and
    /// not in meshes and primitives.
    #[must_use]
    pub fn is_solid(&self) -> bool {
        self.solid.unwrap_or(matches!(self.shape, ShapeEntry::Solid(_)))
    }

    /// Whether it is dynamic in a simulation, from time 0 or its first contact on.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.mass.is_some_and(|mass| mass.release != ReleaseEntry::Never)
    }

    /// The file that has its keys.
    #[must_use]
    pub fn key_file(&self) -> Option<&Path> {
        match &self.motion {
            Some(MotionEntry::KeyFile { file, .. }) => Some(file),
            _ => None,
        }
    }

    /// Whether it is flexible in a simulation, which makes it dynamic too.
    #[must_use]
    pub fn is_flexible(&self) -> bool {
        self.mass.is_some_and(|mass| mass.flexible.is_some())
    }
}

/// A position and a rotation: x goes to `rotation` x + `position`.
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

/// How a body moves, in the frame of its parent or the world. Times in seconds.
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
        /// What happens between two times.
        interpolation: KeyInterpolation,
    },
    /// As keyframes, whose times and poses stand in a file of their own.
    KeyFile {
        /// The file. A path relative to the scene file is resolved against its folder.
        file: PathBuf,
        /// What kind of file it is.
        format: motion_keys::KeyFileFormat,
        /// What its positions are measured in.
        unit: LengthUnit,
        /// What happens between two times.
        interpolation: KeyInterpolation,
        /// The line of the key that names it, counted from 1.
        line: usize,
    },
    /// Constant velocities from the body's pose on, over the whole duration.
    Twist {
        /// Of the body's origin, in metres a second.
        linear: DVec3,
        /// Radians a second.
        angular: DVec3,
    },
    /// A screw on top of the body's pose, spread evenly over the duration.
    Screw {
        /// The direction of the axis, one long.
        axis: DVec3,
        /// A point on the axis, in metres.
        point: DVec3,
        /// The way along the axis over the whole duration, in metres.
        slide: f64,
        /// The angle about the axis over the whole duration, in radians; any number of turns.
        angle: f64,
    },
}

/// What happens between two keyframes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyInterpolation {
    /// The screw that joins them, turning at most half a turn. The default.
    Screw,
    /// Position linear, rotation slerp, the shorter way round.
    Linear,
    /// The pose of key i holds on [`times[i]`, `times[i + 1]`).
    Step,
}

/// Two bodies, or kinds of bodies, that are not tested against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IgnoreEntry {
    /// The two sides; their order means nothing.
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
        let mut seen = BTreeSet::new();
        let meshes = self.bodies.iter().filter_map(|body| match body.shape.at_rest() {
            ShapeEntry::Mesh(file) => Some(file.as_path()),
            _ => None,
        });
        meshes.filter(|file| seen.insert(*file)).collect()
    }

    /// All files that the bodies name, meshes, samples, points and keys, each once, in order.
    #[must_use]
    pub fn files(&self) -> Vec<&Path> {
        let mut seen = BTreeSet::new();
        let files = self.bodies.iter().flat_map(|body| body.shape.files().into_iter().chain(body.key_file()));
        files.filter(|file| seen.insert(*file)).collect()
    }
}

impl BodyTable {
    /// An error about this body's shape, for what comes to light later: a mesh that cannot be read.
    #[cold]
    pub fn shape_error(&self, scene: &Path, message: impl Into<String>) -> Error {
        let key = self.shape.key();
        Error::key(scene, format!("body {}.{key}", quoted(&self.name)), self.shape_line, message)
    }
}

/// Reads a scene file.
///
/// # Errors
/// When the file cannot be read or is too large, and as [`parse`].
pub fn read(path: &Path) -> Result<SceneFile> {
    read_for(path, ScenePurpose::Scene)
}

/// As [`read`], for a purpose.
///
/// # Errors
/// As [`read`]; in a world also a body that bears the name of a link.
pub fn read_for(path: &Path, purpose: ScenePurpose<'_>) -> Result<SceneFile> {
    let bytes = limits::read(path, limits::SCENE_FILE)?;
    parse_for(&bytes, path, purpose)
}

/// Reads a scene from the bytes of its file; `path` is named in errors, and meshes are relative to its folder.
///
/// # Errors
/// When the bytes are not UTF-8 or not TOML, or a rule of the format is broken: the first such place.
///
/// # Example
/// ```
/// use chasles_formats::scene_file::{ShapeEntry, parse};
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

/// As [`parse`], for a purpose.
///
/// # Errors
/// As [`parse`]; in a world also a body that bears the name of a link.
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

/// A unit of length by its word.
fn unit(at: &Cursor<'_>) -> Result<LengthUnit> {
    at.word(&LengthUnit::ALL.map(|(word, _)| word)).map(|number| LengthUnit::ALL[number].1)
}

/// Lengths in metres.
pub(crate) fn metres(unit: LengthUnit, lengths: DVec3) -> DVec3 {
    DVec3::from_array(lengths.to_array().map(|length| unit.metres(length)))
}

/// A path as a file at `file` means it: relative ones start from that file's folder.
pub(crate) fn beside(file: &Path, path: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(path)
}

/// The names of the bodies, each with its index, and of links after them.
type BodyIndex<'a> = BTreeMap<&'a str, usize>;

fn scene(root: &Cursor<'_>, path: &Path, purpose: ScenePurpose<'_>) -> Result<SceneFile> {
    // Before the keys: a later format may have others.
    let format = root.require("format", "`format = 1`")?;
    if format.number(Limit::Any)? != 1.0 {
        return Err(format.expected("1, the only format that this program reads"));
    }
    root.only_keys(&[
        "format",
        "unit",
        "duration",
        "tolerance",
        "epsilon",
        "clearance",
        "simulation",
        "body",
        "joint",
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
    let (simulation, doubt) = simulation::simulation(root.get("simulation"), stated)?;
    warnings.extend(doubt);
    let mut bodies = Vec::with_capacity(items.len());
    for at in &items {
        let body::ParsedBody { body, idle_pose, doubt } =
            body::body(at, &names, (path, stated.unwrap_or_default()))?;
        if let Some(doubt) = idle_pose {
            match purpose {
                ScenePurpose::Scene => return Err(doubt),
                ScenePurpose::World { .. } => warnings.push(format!("{doubt}; the keys count")),
            }
        }
        warnings.extend(doubt);
        bodies.push(body);
    }
    warnings.extend(doubts::doubts(&items, &bodies));
    if let Some(cycle) = cycle_of_parents(&bodies) {
        let body = items[cycle[0]].named("body", &bodies[cycle[0]].name);
        let way: Vec<_> = cycle.iter().take(8).map(|&index| quoted(&bodies[index].name)).collect();
        let rest = if cycle.len() > way.len() { ".. rides on " } else { "" };
        let way = format!("{} rides on {rest}{}", way.join(" rides on "), way[0]);
        let parent = body.require("parent", "a parent")?;
        return Err(parent.error(format!("found a circle, {way}; expected a chain of parents that ends")));
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

/// Reads the names alone first, since parents and later bodies refer to one another by them.
fn names<'a>(items: &'a [Cursor<'a>], purpose: ScenePurpose<'a>) -> Result<BodyIndex<'a>> {
    let mut names = BodyIndex::new();
    if let ScenePurpose::World { links } = purpose {
        names.extend(links.iter().enumerate().map(|(k, link)| (*link, items.len() + k)));
    }
    for (index, item) in items.iter().enumerate() {
        let at = item.require("name", "a name of its own")?;
        let name = at.filled_text("a name that is not empty")?;
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

/// The body of a name.
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

/// Bodies that ride on one another in a circle, if any do. Linear in the number of bodies.
fn cycle_of_parents(bodies: &[BodyTable]) -> Option<Vec<usize>> {
    // From each body up until the root, or a body seen before: seen in this same walk, it is a cycle.
    let mut seen_by = vec![None; bodies.len()];
    for start in 0..bodies.len() {
        let mut next = Some(start);
        while let Some(index) = next.filter(|index| *index < bodies.len()) {
            if seen_by[index] == Some(start) {
                let parents = std::iter::successors(bodies[index].parent, |&other| bodies[other].parent);
                let mut cycle = vec![index];
                cycle.extend(parents.take_while(|&other| other != index));
                return Some(cycle);
            }
            if seen_by[index].is_some() {
                break;
            }
            seen_by[index] = Some(start);
            next = bodies[index].parent;
        }
    }
    None
}
