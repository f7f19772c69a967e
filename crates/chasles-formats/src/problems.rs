//! Pair problems, one JSON object per line: mesh A moves from an initial pose, and mesh B is static.
//!
//! An invalid line does not affect others: it becomes an [`InvalidLine`] with the problem's name, if that can be read.
//! Blank lines are skipped.
//!
//! A line may also query two features whose vertices move independently ([`MovingFeatures`]).
//!
//! ```json
//! {"name":"p1","a":{"mesh":"a.obj"},"b":{"mesh":"b.obj"},"pose0":[0,0,0,1,0,0,0],"pose1":[1,0,0,0,1,0,0]}
//! {"name":"q1","vertex_face":[P,A,B,C, P',A',B',C'],"distance":0}
//! {"name":"q2","edge_edge":[A,B,C,D, A',B',C',D']}
//! ```
//!
//! [`impulse`] reads impulse problems.

pub mod impulse;

use std::fmt;
use std::path::{Path, PathBuf};

use chasles::{MovingFeatures, MovingKind};
use glam::DVec3;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};

use crate::error::{Error, Result};
use crate::limits;
use crate::scene::file::{PoseEntry, resolve_path};
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::{self, DocumentNode};

/// A problem: when, if ever, does mesh A touch mesh B? Metres and radians; the time interval is [0, 1].
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The name of the answer.
    pub name: String,
    /// The mesh file of A, which moves. A path relative to the problems file is resolved against its folder.
    pub a: PathBuf,
    /// The mesh file of B, which is static at the identity; resolved like `a`.
    pub b: PathBuf,
    /// The initial pose of A in the frame of B.
    pub pose0: PoseEntry,
    /// The motion of A.
    pub motion: ProblemMotion,
}

/// Two features in motion: when, if ever, do they come within a distance of each other?
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureProblem {
    /// The name of the answer.
    pub name: String,
    /// The features, in metres.
    pub features: MovingFeatures,
    /// The distance, in metres; 0 for a common point.
    pub distance: f64,
}

/// A line of `chasles batch`.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchProblem {
    /// Two meshes on a screw.
    Meshes(Box<Problem>),
    /// Two features whose vertices move independently.
    Features(Box<FeatureProblem>),
}

/// A problem of `chasles screen`: a [`Problem`], and the points whose flow lines are sampled.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreenProblem {
    /// The two meshes and the motion.
    pub problem: Problem,
    /// Points in the frame of B, in metres.
    pub probes: Vec<DVec3>,
}

/// The motion of A from its initial pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProblemMotion {
    /// To this pose, along the screw that joins the two poses; the rotation is at most half a revolution.
    To(PoseEntry),
    /// Along a screw, in the frame of B, that starts at the initial pose.
    Screw {
        /// The unit vector along the axis.
        s: DVec3,
        /// A point on the axis, in metres.
        p: DVec3,
        /// The translation along the axis, in metres.
        d: f64,
        /// The angle about the axis, in radians; any number of revolutions.
        b: f64,
    },
}

/// An invalid line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidLine {
    /// The problem's name, if it could be read.
    pub name: Option<String>,
    /// The file, line and key, what was found, and what was expected.
    pub error: String,
}

/// A file of problems in memory; its lines are parsed one by one, in any order, on any thread.
#[derive(Debug, Clone)]
pub struct ProblemFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Reads a file of problems, without parsing its lines.
///
/// # Errors
/// When the file cannot be read or is too large.
pub fn read(path: &Path) -> Result<ProblemFile> {
    Ok(ProblemFile::new(limits::read(path, limits::PROBLEM_FILE)?, path))
}

impl ProblemFile {
    /// Takes the bytes of a file. Errors name `path`, and mesh files are relative to its folder.
    pub fn new(bytes: Vec<u8>, path: &Path) -> Self {
        Self { path: path.to_path_buf(), bytes }
    }

    /// The lines that are not blank, each with its number in the file, counted from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let bytes = self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes);
        let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        lines.enumerate().filter(|(_, line)| !line.is_empty()).map(|(index, line)| (index + 1, line))
    }

    /// The problems in the order of the file: one item for each line that is not blank.
    pub fn problems(&self) -> impl Iterator<Item = std::result::Result<Problem, InvalidLine>> {
        self.lines().map(|(number, line)| parse_line(line, number, &self.path))
    }
}

/// Parses one line, the `number`th (from 1) of the file at `path`.
///
/// # Errors
/// When the bytes are not UTF-8 or not one JSON object, or a rule of the format is broken. The error describes the
/// first such place.
///
/// # Example
/// ```
/// use chasles_formats::problems::parse_line;
/// let bad = parse_line(br#"{"name":"p1","a":{"mesh":7}}"#, 3, "all.jsonl".as_ref()).unwrap_err();
/// assert_eq!(bad.name.as_deref(), Some("p1"));
/// assert_eq!(bad.error, "all.jsonl:3: a.mesh: found 7, expected the path of a mesh file");
/// ```
pub fn parse_line(line: &[u8], number: usize, path: &Path) -> std::result::Result<Problem, InvalidLine> {
    parsed(line, number, path, |root| problem(root, path, &KEYS))
}

/// Reads the document of a line.
fn parsed<T>(
    line: &[u8],
    number: usize,
    path: &Path,
    read: impl FnOnce(&Cursor<'_>) -> Result<T>,
) -> std::result::Result<T, InvalidLine> {
    let found = document(line, number, path).and_then(|document| read(&Cursor::root(path, &document)));
    found.map_err(|error| InvalidLine { name: name_of(line), error: error.to_string() })
}

/// Like [`parse_line`], for `chasles batch`: the line may instead have two moving features.
///
/// # Errors
/// As for [`parse_line`].
///
/// # Example
/// ```
/// use chasles_formats::problems::parse_batch_line;
/// let bad = parse_batch_line(br#"{"name":"q1","edge_edge":[[0,0,0],[0,0,1]]}"#, 1, "p.json".as_ref()).unwrap_err();
/// assert_eq!(bad.error, "p.json:1: edge_edge: found a list of length 2, expected a list of 8 points: 4 at the start, 4 at the end");
/// ```
pub fn parse_batch_line(
    line: &[u8],
    number: usize,
    path: &Path,
) -> std::result::Result<BatchProblem, InvalidLine> {
    parsed(line, number, path, |root| {
        if FEATURE_KINDS.iter().all(|(key, _)| root.get(key).is_none()) {
            return Ok(BatchProblem::Meshes(Box::new(problem(root, path, &KEYS)?)));
        }
        Ok(BatchProblem::Features(Box::new(feature_problem(root)?)))
    })
}

/// Like [`parse_line`], for `chasles screen`: the line may also have `"probes":[[x,y,z],..]`.
///
/// # Errors
/// As for [`parse_line`].
///
/// # Example
/// ```
/// use chasles_formats::problems::parse_screen_line;
/// let line = br#"{"name":"p1","a":{"mesh":"a.obj"},"b":{"mesh":"b.obj"},"pose0":[0,0,0,1,0,0,0],
///                 "pose1":[1,0,0,1,0,0,0],"probes":[[0,0,"x"]]}"#;
/// let bad = parse_screen_line(line, 1, "p.json".as_ref()).unwrap_err();
/// assert_eq!(bad.error, "p.json:1: probes[0][2]: found \"x\", expected a finite number");
/// ```
pub fn parse_screen_line(
    line: &[u8],
    number: usize,
    path: &Path,
) -> std::result::Result<ScreenProblem, InvalidLine> {
    parsed(line, number, path, |root| {
        let keys: Vec<&str> = KEYS.into_iter().chain(["probes"]).collect();
        let problem = problem(root, path, &keys)?;
        let probes = match root.get("probes") {
            None => Vec::new(),
            Some(list) => {
                let points = list.items("a list of points, each of 3 finite numbers")?;
                points.map(|point| point.vector()).collect::<Result<_>>()?
            }
        };
        Ok(ScreenProblem { problem, probes })
    })
}

/// Whether a line is the start of a JSON text that continues on the next line: an object on several lines.
#[must_use]
pub fn is_continued(line: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(line).into_iter::<IgnoredAny>();
    matches!(values.next(), Some(Err(error)) if error.is_eof())
}

/// Whether a text is exactly one JSON value.
#[must_use]
pub fn is_complete_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

const KEYS: [&str; 6] = ["name", "a", "b", "pose0", "pose1", "screw"];

/// The keys of features, with their kinds.
const FEATURE_KINDS: [(&str, MovingKind); 2] =
    [("vertex_face", MovingKind::VertexFace), ("edge_edge", MovingKind::EdgeEdge)];

/// Parses the JSON document of a line.
pub(crate) fn document(line: &[u8], number: usize, path: &Path) -> Result<DocumentNode> {
    let text = std::str::from_utf8(line).map_err(|error| {
        let (at, byte) = (error.valid_up_to() + 1, line[error.valid_up_to()]);
        Error::line(
            path,
            number,
            format!(
                "not UTF-8: found the byte 0x{byte:02x} at byte {at} of the line, expected JSON in UTF-8"
            ),
        )
    })?;
    tree::from_json(text, number, path)
}

fn problem(root: &Cursor<'_>, path: &Path, keys: &[&str]) -> Result<Problem> {
    root.only_keys(keys)?;
    let name = root.require("name", "a string")?.text()?.to_owned();
    let (a, b) = (mesh(root, "a", path)?, mesh(root, "b", path)?);
    let pose0 = pose(&root.require("pose0", POSE)?)?;
    let motion = match (root.get("pose1"), root.get("screw")) {
        (Some(pose1), None) => ProblemMotion::To(pose(&pose1)?),
        (None, Some(at)) => screw(&at)?,
        (Some(_), Some(screw)) => {
            return Err(screw.error("found a screw beside pose1, expected one of them"));
        }
        (None, None) => return Err(root.missing("pose1", "pose1 or screw")),
    };
    Ok(Problem { name, a, b, pose0, motion })
}

fn feature_problem(root: &Cursor<'_>) -> Result<FeatureProblem> {
    root.only_keys(&["name", "vertex_face", "edge_edge", "distance"])?;
    let name = root.require("name", "a string")?.text()?.to_owned();
    if let [Some(_), Some(second)] = FEATURE_KINDS.map(|(key, _)| root.get(key)) {
        return Err(second.error("found edge_edge beside vertex_face, expected one of them"));
    }
    let found = FEATURE_KINDS.into_iter().find_map(|(key, kind)| Some((kind, root.get(key)?)));
    let Some((kind, at)) = found else {
        return Err(root.missing("vertex_face", "vertex_face or edge_edge"));
    };
    let [start, end] = points(&at)?;
    let features = MovingFeatures { kind, start, end };
    let distance = root.get("distance").map_or(Ok(0.0), |at| at.number(Limit::NotNegative))?;
    Ok(FeatureProblem { name, features, distance })
}

/// Four points at the start, then four at the end.
fn points(at: &Cursor<'_>) -> Result<[[DVec3; 4]; 2]> {
    const POINTS: &str = "a list of 8 points: 4 at the start, 4 at the end";
    let items = at.items(POINTS)?;
    if items.len() != 8 {
        return Err(at.expected(POINTS));
    }
    let mut points = [[DVec3::ZERO; 4]; 2];
    for (i, item) in items.enumerate() {
        points[i / 4][i % 4] = item.vector()?;
    }
    Ok(points)
}

const POSE: &str = "a list of 7 finite numbers (x, y, z, qw, qx, qy, qz)";

fn mesh(root: &Cursor<'_>, key: &str, path: &Path) -> Result<PathBuf> {
    let at = root.require(key, "an object with the key mesh")?;
    at.only_keys(&["mesh"])?;
    let mesh = at.require("mesh", "the path of a mesh file")?;
    Ok(resolve_path(path, mesh.nonempty_text("the path of a mesh file")?))
}

fn pose(at: &Cursor<'_>) -> Result<PoseEntry> {
    let [x, y, z, qw, qx, qy, qz] = at.numbers(Limit::Any)?;
    Ok(PoseEntry { position: DVec3::new(x, y, z), rotation: at.unit_quaternion([qw, qx, qy, qz])? })
}

fn screw(at: &Cursor<'_>) -> Result<ProblemMotion> {
    const VECTOR: &str = "a list of 3 finite numbers";
    at.only_keys(&["s", "p", "d", "b"])?;
    Ok(ProblemMotion::Screw {
        s: at.require("s", VECTOR)?.direction()?,
        p: at.require("p", VECTOR)?.vector()?,
        d: at.require("d", "metres, a finite number")?.number(Limit::Any)?,
        b: at.require("b", "radians, a finite number")?.number(Limit::Any)?,
    })
}

/// The name on a line, even if the line is truncated or invalid after it.
pub(crate) fn name_of(line: &[u8]) -> Option<String> {
    struct NameIn<'a>(&'a mut Option<String>);

    impl<'de> Visitor<'de> for NameIn<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> std::result::Result<(), A::Error> {
            while let Some(key) = object.next_key::<String>()? {
                match key.as_str() {
                    "name" => *self.0 = Some(object.next_value()?),
                    _ => drop(object.next_value::<IgnoredAny>()?),
                }
            }
            Ok(())
        }
    }

    let mut name = None;
    // The error of the line has been reported already; only the name matters here.
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(NameIn(&mut name));
    name
}
