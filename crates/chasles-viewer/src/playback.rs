//! The document of the page: bodies with their shapes and motions, and the report, as JSON.
//!
//! ```text
//! document   the serialized document
//! shown      the displayed scene or robot
//! meshes     meshes, each stored once
//! frames     frames of deforming bodies, in pieces
//! gaps       distances of bodies over time
//! recording  impulses, energies and releases of a simulation
//! suggestions  the suggested impulses of colliding keyframed bodies
//! robot      for a robot that is jogged: its moving bodies and named configurations
//! ```
//!
//! Format 1, in TypeScript notation; `base64` encodes little-endian numbers. Units are metres and seconds;
//! quaternions are (w, x, y, z).
//!
//! ```ts
//! interface Playback {
//!   format: 1; kind: "scene" | "robot"; name: string; begin: number; end: number; tolerance: number;
//!   up: "y" | "z";                        // the axis that points upward
//!   epsilon: number | null;               // null: no body is a solid, a cloud or a parametric surface
//!   meshes: { origin: [x, y, z];          // to be added to the positions
//!             positions: base64 of f32;   // x, y, z of each vertex, in the order of the file
//!             triangles: base64 of u32;   // three vertex numbers each, in the order of the file
//!             box: { pose: number[7]; half: [x, y, z] } }[];  // contains the mesh; if it deforms, all its frames
//!                                         // (positions: the first)
//!   bodies: { name: string; mesh: number[]; frames: number[7][];  // its meshes, by number, and their poses
//!             keys: base64 of f64;        // t, x, y, z, qw, qx, qy, qz: poses in the world, joined by screws; two
//!                                         // keys at one time are a jump; a body with a single key is static
//!             deviation: number | null;   // upper bound of the distance of each point from its true motion, in
//!                                         // metres; null: not proven
//!             drawn: number | null;       // upper bound of the distance of the true surface from the meshes, in
//!                                         // metres; null: unknown
//!             solid: boolean; moves: boolean; parent: number | null;
//!             kind: "mesh" | "sphere" | "cylinder" | "cone" | "capsule" | "solid" | "points" | "surface"
//!                   | "deforming";
//!             colours: [number, string][];  // numbers of consecutive triangles, and their colour, "#rrggbb"
//!             flexible: boolean;          // the server that runs the simulation sends its shapes
//!             deforming: null | {         // null: the shape is constant
//!               times: base64 of f64;     // times of the frames, increasing; vertices move linearly between two
//!                                         // frames, and are static before the first frame and after the last
//!               piece: number;            // the number of frames in one answer to `/frames?body=0&piece=0`
//!               frames: base64 of f32 | null;  // like positions, frame after frame; null: a server sends them
//!               left_out: number } }[];   // the number of frames that are left out
//!   report: object | null;                // as chasles check --json writes it
//!   gaps: { pair: [a, b]; times: number[]; gap: number[] }[];
//!   robot: null | { joints: { name: string; unit: "rad" | "m"; limits: [lo, hi] | null }[]; rest: number[];
//!                   path: null | { times: number[]; values: number[][] };
//!                   postures: { name: string; joints: [string, number][];  // names and values of the joints that it
//!                                         // sets
//!                               doubts: string[];  // warnings about parts without effect
//!                               error: string | null }[] };  // why the robot cannot take it; joints is then empty
//!   recording: null | {                   // of a recorded simulation
//!     times: base64 of f64;               // times of the lines, increasing; a line merges at most `joined` lines of
//!                                         // the file
//!     energy: base64 of f64;              // kinetic, potential and dissipated energy of each line, in J
//!     ends: base64 of u32;                // the end of each line's impulses in `impulses`; they start at the end of
//!                                         // the line before
//!     weaker: base64 of u32;              // the number of omitted impulses of each line, weaker than all listed
//!                                         // impulses
//!     bodies: base64 of u32;              // a, b of each impulse
//!     impulses: base64 of f64;            // t, point, impulse on b in N s: seven numbers each
//!     joined: number;
//!     releases: { body: number; t: number | null }[] };  // bodies that are keyframed until their first contact, and
//!                                         // that time; null: not released before the end
//!   suggested: null | {                   // responses to collisions of keyframed bodies with masses; null: not
//!                                         // requested
//!     list: { t: number; pair: [a, b];    // sorted by time, lower body number first; the times equal those of the
//!                                         // report, except for rounding
//!             centers: [x, y, z][2];      // of each body: its centre of mass, or its position if it has no mass
//!             places: number[6][];        // contact points, each with the impulse on b in N s
//!             before: number[6][2];       // of each body: velocity of its centre, angular velocity
//!             after: number[6][2] }[];
//!     left_out: number };                 // the number of later collisions that are left out
//!   jog: boolean;
//!   simulation: boolean[] | null;         // for each body: whether it is rigid and has a mass; null: no server runs
//!                                         // it
//! }
//! ```

mod document;
mod shown;
mod meshes;
mod frames;
mod gaps;
mod recording;
mod suggestions;
mod robot;

use std::collections::{BTreeMap, BTreeSet};

use chasles::{
    CollisionShape, JointAxis, JointPath, Robot, RobotCell, Scene, SimulationDefinition, Suggestion,
};
use chasles_formats::figures::number;
use chasles_formats::recording::RecordedDynamics;
use chasles_formats::report::reported::{ReportFile, ReportedPair};
use chasles_formats::robot::named_configurations::NamedConfiguration;
use chasles_formats::scene::appearance::{Appearance, UpAxis};
use chasles_formats::{Error, Result};
use serde_json::value::RawValue;

pub use self::document::GapCurve;
use self::document::{FORMAT, JointEntry, PathEntry, PlaybackBodyJson, PlaybackJson, RobotEntry};
pub(crate) use self::document::{packed, seven};
use self::frames::is_bending;
pub(crate) use self::frames::positions_at;
pub use self::frames::{FrameChunks, OmittedFrames};
use self::meshes::Meshes;
pub(crate) use self::meshes::packed_places;
pub(crate) use self::shown::{Shown, ShownBody};

/// A document for the page, with the scene from which it was made.
#[derive(Debug, Clone)]
pub struct Playback {
    document: PlaybackJson,
    shown: Shown,
    up: UpAxis,
    /// The pairs of the report, by body numbers, lower number first.
    reported_pairs: BTreeMap<[usize; 2], ReportedPair>,
    frames: FrameChunks,
}

/// The maximum number of pairs whose gap curve is put into the document.
const MAX_CURVES: usize = 64;

/// Cubic segments of a path are sampled this often in total, but with at most [`SAMPLES_PER_SEGMENT`] samples each.
const SAMPLES: usize = 20_000;
const SAMPLES_PER_SEGMENT: usize = 16;

impl Playback {
    /// Creates a document of a scene, with its report if there is one. `name` is the name of its file.
    ///
    /// # Errors
    /// The report names a body that the scene lacks, or has another duration; a body is too large or too small to
    /// be drawn.
    pub fn of_scene(name: &str, scene: Scene, report: Option<&ReportFile>) -> Result<Self> {
        let shown = Shown::scene(scene);
        Self::new((name, "scene"), shown, report)
    }

    /// Creates a document of a robot: on a path, with its report if there is one, or at rest without a path. `name`
    /// is the name of its file.
    ///
    /// # Errors
    /// As [`Playback::of_scene`]; also if the path does not fit the robot.
    pub fn of_robot(
        name: &str,
        cell: &RobotCell,
        path: Option<&JointPath>,
        report: Option<&ReportFile>,
    ) -> Result<Self> {
        let shown =
            Shown::robot(cell, path).map_err(|error| Error::file(name.as_ref(), error.to_string()))?;
        let mut playback = Self::new((name, "robot"), shown, report)?;
        playback.document.robot = Some(robot_entry(cell, path));
        Ok(playback)
    }

    fn new((name, kind): (&str, &'static str), shown: Shown, report: Option<&ReportFile>) -> Result<Self> {
        let reported_pairs =
            report.map(|report| reported_pairs(&shown, report)).transpose()?.unwrap_or_default();
        let mut meshes = Meshes::default();
        let frames = FrameChunks::of(&shown);
        let entry = |(number, body): (usize, &ShownBody)| {
            let entry = body_entry((name, &shown), body, &mut meshes)?;
            Ok(PlaybackBodyJson { deforming: frames.entry(number, shown.time_interval[0]), ..entry })
        };
        let bodies: Result<Vec<PlaybackBodyJson>> = shown.bodies.iter().enumerate().map(entry).collect();
        let has_epsilon = |body: &chasles::SceneBody| {
            let word = body.shape.as_ref().map_or("", CollisionShape::word);
            ["solid", "points", "surface"].contains(&word)
        };
        let raw = |report: &ReportFile| {
            let bad = |error: serde_json::Error| Error::line(&report.file, error.line(), error.to_string());
            RawValue::from_string(report.text.clone()).map_err(bad)
        };
        let document = PlaybackJson {
            format: FORMAT,
            kind,
            name: name.to_owned(),
            begin: shown.time_interval[0],
            end: shown.time_interval[1],
            up: "z",
            tolerance: shown.scene.tolerance(),
            epsilon: shown.scene.bodies().iter().any(has_epsilon).then(|| shown.scene.epsilon()),
            bodies: bodies?,
            meshes: meshes.entries,
            report: report.map(raw).transpose()?,
            gaps: Vec::new(),
            robot: None,
            recording: None,
            suggested: None,
            jog: false,
            simulation: None,
        };
        Ok(Self { document, shown, up: UpAxis::Z, reported_pairs, frames })
    }

    /// Applies the appearance that the file specifies. By default, z is up.
    #[must_use]
    pub fn with_appearance(mut self, appearance: &Appearance) -> Self {
        self.up = appearance.up;
        self.document.up = match self.up {
            UpAxis::Y => "y",
            UpAxis::Z => "z",
        };
        // Bodies of a scene and links of a robot come first, in the order of their file.
        let shown = self.document.bodies.iter_mut().zip(&self.shown.bodies).zip(&appearance.colours);
        for ((entry, body), colours) in shown {
            if body.surfaces.is_empty() {
                continue;
            }
            let reported_pairs = colours.iter().map(|part| {
                let [r, g, b] = part.colour;
                (part.triangles, format!("#{r:02x}{g:02x}{b:02x}"))
            });
            entry.colours = reported_pairs.collect();
        }
        self
    }

    /// Adds the gap curves of the first 64 pairs of the report, pairs with intervals first: for a page without a
    /// server.
    #[must_use]
    pub fn with_gaps(mut self) -> Self {
        let pairs: Vec<[usize; 2]> = self.listed().into_iter().take(MAX_CURVES).collect();
        self.document.gaps = pairs.into_iter().filter_map(|pair| self.gap(pair)).collect();
        self
    }

    /// Adds the frames of deforming bodies, in at most `maximum` bytes: for a page without a server. If the frames do
    /// not fit, a body keeps every second frame (or third, and so on) and the last, or no frames. Also returns the
    /// bodies with omitted frames.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub fn with_frames(mut self, maximum: usize) -> Result<(Self, Vec<OmittedFrames>)> {
        let found = self.frames.within(maximum, self.shown.time_interval[0]);
        let (entries, omitted) = found.map_err(|error| Error::file(self.document.name.as_ref(), error))?;
        for (body, entry) in self.document.bodies.iter_mut().zip(entries) {
            if entry.as_ref().is_some_and(|entry| entry.left_out > 0) {
                body.drawn = None;
            }
            body.deforming = entry;
        }
        Ok((self, omitted))
    }

    /// Adds the impulses, energies and releases of the recording from which the scene was read: at most 100,000
    /// impulses and 50,000 lines. For a longer recording the weakest impulses are left out and lines are joined;
    /// the document says so.
    #[must_use]
    pub fn with_recording(mut self, recorded: &RecordedDynamics) -> Self {
        self.document.recording = Some(recording::entry(recorded, recording::RecordingLimits::OF_PAGE));
        self
    }

    /// Adds the suggested impulses of colliding keyframed bodies, by time: the first 10,000 suggestions within the
    /// displayed time. The document has the number of suggestions that were left out.
    #[must_use]
    pub fn with_suggestions(mut self, suggestions: &[Suggestion]) -> Self {
        let entry = suggestions::entry(
            suggestions,
            self.shown.time_interval[1],
            suggestions::SuggestionLimits::OF_PAGE,
        );
        self.document.suggested = Some(entry);
        self
    }

    /// Frames of the deforming bodies, for a server.
    #[must_use]
    pub fn frames(&self) -> FrameChunks {
        self.frames.clone()
    }

    /// Prepares the document for a page whose server jogs the robot and offers these named configurations. A body
    /// carried by a joint counts as moving.
    #[must_use]
    pub fn with_jog(mut self, robot: &Robot, configurations: &[NamedConfiguration]) -> Self {
        self.document.jog = true;
        let parents: Vec<_> = self.document.bodies.iter().map(|body| body.parent).collect();
        for (body, moves) in self.document.bodies.iter_mut().zip(robot::is_moved_by_joint(robot, &parents)) {
            body.moves |= moves;
        }
        if let Some(entry) = &mut self.document.robot {
            entry.configurations = robot::configurations(robot, configurations);
        }
        self
    }

    /// Prepares the document for a page whose server runs this simulation of the scene.
    #[must_use]
    pub fn with_simulation(mut self, definition: &SimulationDefinition) -> Self {
        let dynamic: Vec<bool> = definition.bodies.iter().map(|body| body.dynamics.is_some()).collect();
        for (body, dynamic) in self.document.bodies.iter_mut().zip(&dynamic) {
            body.moves |= dynamic;
        }
        for flexible_body in &definition.flexible {
            if let Some(body) = self.document.bodies.get_mut(flexible_body.body) {
                (body.moves, body.flexible) = (true, true);
            }
        }
        self.document.simulation = Some(dynamic);
        self
    }

    /// Returns the distance of two bodies over time, by their numbers in the document. The curve has at most 400
    /// samples (fewer for large meshes), denser near the times of the report. `None` if a body does not exist or
    /// has no surface, or if both numbers are the same.
    #[must_use]
    pub fn gap(&self, pair: [usize; 2]) -> Option<GapCurve> {
        let [a, b] = pair;
        gaps::curve(&self.shown, pair, self.reported_pairs.get(&[a.min(b), a.max(b)]))
    }

    /// Serializes the document to JSON, on one line.
    ///
    /// # Panics
    /// If memory is full.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.document).expect("memory takes every byte, and our keys are text")
    }

    /// Returns the number of bodies.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.document.bodies.len()
    }

    /// Returns the start and end of the displayed time, in seconds.
    #[must_use]
    pub fn time_interval(&self) -> [f64; 2] {
        self.shown.time_interval
    }

    pub(crate) fn shown(&self) -> &Shown {
        &self.shown
    }

    pub(crate) fn up(&self) -> UpAxis {
        self.up
    }

    /// Whether a body ever moves.
    pub(crate) fn moves(&self, body: usize) -> bool {
        self.document.bodies[body].moves
    }

    /// The pairs of the report, with the numbers of the first and the second body.
    pub(crate) fn reported_pairs(&self) -> impl Iterator<Item = (&ReportedPair, [usize; 2])> {
        let first = |pair: &ReportedPair, number: usize| self.document.bodies[number].name == pair.a;
        self.reported_pairs.iter().map(move |([low, high], pair)| {
            (pair, if first(pair, *low) { [*low, *high] } else { [*high, *low] })
        })
    }

    /// The pairs of the report, pairs with intervals first.
    fn listed(&self) -> Vec<[usize; 2]> {
        let mut pairs: Vec<[usize; 2]> = self.reported_pairs.keys().copied().collect();
        let eventful = |pair: &[usize; 2]| !self.reported_pairs[pair].intervals.is_empty();
        pairs.sort_by_key(|pair| !eventful(pair));
        pairs
    }
}

/// The pairs of a report, with body names resolved to numbers.
fn reported_pairs(shown: &Shown, report: &ReportFile) -> Result<BTreeMap<[usize; 2], ReportedPair>> {
    let duration = shown.time_interval[1] - shown.time_interval[0];
    if (report.duration - duration).abs() > 1e-9 * duration.max(report.duration) {
        let [found, expected] = [report.duration, duration].map(number);
        let found = format!("found {found} s, expected {expected} s, the displayed duration");
        return Err(Error::key(&report.file, "duration", 0, found));
    }
    let mut numbers = BTreeMap::new();
    let mut twice = BTreeSet::new();
    for (number, body) in shown.bodies.iter().enumerate() {
        if numbers.insert(body.name.as_str(), number).is_some() {
            twice.insert(body.name.as_str());
        }
    }
    let find = |name: &str, place: String| match numbers.get(name) {
        Some(_) if twice.contains(name) => {
            Err(Error::key(&report.file, place, 0, format!("found {name:?}, the name of two bodies")))
        }
        Some(number) => Ok(*number),
        None => {
            let message = format!("found {name:?}, expected a displayed body");
            Err(Error::key(&report.file, place, 0, message))
        }
    };
    let mut reported_pairs = BTreeMap::new();
    for (index, pair) in report.pairs.iter().enumerate() {
        let a = find(&pair.a, format!("pairs[{index}].a"))?;
        let b = find(&pair.b, format!("pairs[{index}].b"))?;
        reported_pairs.insert([a.min(b), a.max(b)], pair.clone());
    }
    Ok(reported_pairs)
}

fn body_entry(
    (file, shown): (&str, &Shown),
    body: &ShownBody,
    meshes: &mut Meshes,
) -> Result<PlaybackBodyJson> {
    let unfit = |message: String| Error::key(file.as_ref(), format!("body {:?}", body.name), 0, message);
    let parts = shown.parts(body);
    let mut mesh = Vec::new();
    for (shape, _) in &parts {
        mesh.push(meshes.add(shape).map_err(unfit)?);
    }
    let kind = match &parts[..] {
        [(shape, _)] => shape.word(),
        _ => "mesh",
    };
    let keys = shown.keys(body);
    let numbers = |(time, pose): &(f64, chasles::Pose)| {
        let [x, y, z, qw, qx, qy, qz] = seven(pose);
        [*time, x, y, z, qw, qx, qy, qz]
    };
    Ok(PlaybackBodyJson {
        name: body.name.clone(),
        mesh,
        frames: parts.iter().map(|(_, frame)| seven(frame)).collect(),
        keys: packed(keys.keys.iter().flat_map(numbers).map(f64::to_le_bytes)),
        deviation: keys.deviation.is_finite().then_some(keys.deviation),
        // An upper bound of the distance from any point of a surface to the meshes that show it.
        drawn: Some(parts.iter().map(|(shape, _)| shape.deviation()).fold(0.0, f64::max)),
        solid: shown.scene.bodies()[body.mover].solid,
        moves: keys.keys.len() > 1 || parts.iter().any(|(shape, _)| is_bending(shape)),
        kind,
        parent: body.parent,
        flexible: false,
        colours: Vec::new(),
        deforming: None,
    })
}

/// The joints that can be set, and their values on a path.
fn robot_entry(cell: &RobotCell, path: Option<&JointPath>) -> RobotEntry {
    let robot = cell.robot();
    let set: Vec<usize> = (0..robot.joints().len()).filter(|joint| robot.is_set(*joint)).collect();
    let joints = set.iter().map(|joint| {
        let joint = &robot.joints()[*joint];
        let unit = if matches!(joint.axis, Some(JointAxis::Prismatic(_))) { "m" } else { "rad" };
        JointEntry { name: joint.name.clone(), unit, limits: joint.limits }
    });
    let all = robot.rest();
    let rest: Vec<f64> = set.iter().map(|joint| all[*joint]).collect();
    let path = path.map(|path| {
        let times = path_times(path);
        let values = times.iter().map(|time| {
            let mut values = rest.clone();
            for (joint, value) in path.joints.iter().zip(path.positions_at(*time)) {
                if let Some(place) = set.iter().position(|set| set == joint) {
                    values[place] = value;
                }
            }
            values
        });
        PathEntry { values: values.collect(), times }
    });
    RobotEntry { joints: joints.collect(), rest, path, configurations: Vec::new() }
}

/// The times of the waypoints, with samples in between for cubic segments.
fn path_times(path: &JointPath) -> Vec<f64> {
    let samples = (SAMPLES / path.waypoints.len()).clamp(1, SAMPLES_PER_SEGMENT);
    let mut times = vec![];
    for pair in path.waypoints.windows(2) {
        let [from, to] = [&pair[0], &pair[1]];
        let cubic = !from.velocities.is_empty() && !to.velocities.is_empty();
        let parts = if cubic { samples } else { 1 };
        times.extend((0..parts).map(|i| from.time + (to.time - from.time) * (i as f64 / parts as f64)));
    }
    times.extend(path.waypoints.last().map(|last| last.time));
    times
}
