//! The serialized document. Long lists of numbers are base64 of little-endian bytes: a third of the size of decimal
//! digits, and a hundred times as fast to read for a page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chasles::Pose;
use serde::Serialize;
use serde_json::value::RawValue;

/// The number of the format.
pub(super) const FORMAT: u32 = 1;

#[derive(Debug, Clone, Serialize)]
pub(super) struct PlaybackJson {
    pub(super) format: u32,
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) begin: f64,
    pub(super) end: f64,
    /// `"y"` or `"z"`.
    pub(super) up: &'static str,
    pub(super) tolerance: f64,
    pub(super) epsilon: Option<f64>,
    pub(super) meshes: Vec<MeshEntry>,
    pub(super) bodies: Vec<PlaybackBodyJson>,
    pub(super) report: Option<Box<RawValue>>,
    pub(super) gaps: Vec<GapCurve>,
    pub(super) robot: Option<RobotEntry>,
    pub(super) recording: Option<RecordingEntry>,
    pub(super) suggested: Option<SuggestedEntry>,
    pub(super) jog: bool,
    /// For each body: whether it is rigid and has a mass.
    pub(super) simulation: Option<Vec<bool>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MeshEntry {
    pub(super) origin: [f64; 3],
    pub(super) positions: String,
    pub(super) triangles: String,
    #[serde(rename = "box")]
    pub(super) bounds: BoxEntry,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct BoxEntry {
    pub(super) pose: [f64; 7],
    pub(super) half: [f64; 3],
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PlaybackBodyJson {
    pub(super) name: String,
    pub(super) mesh: Vec<usize>,
    pub(super) frames: Vec<[f64; 7]>,
    pub(super) keys: String,
    /// `None` if no bound is proven.
    pub(super) deviation: Option<f64>,
    /// `None` if no bound is known.
    pub(super) drawn: Option<f64>,
    pub(super) solid: bool,
    pub(super) moves: bool,
    pub(super) kind: &'static str,
    pub(super) parent: Option<usize>,
    pub(super) flexible: bool,
    /// Runs of triangles: the number of triangles, and their colour in CSS notation.
    pub(super) colours: Vec<(usize, String)>,
    pub(super) deforming: Option<DeformingEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct DeformingEntry {
    pub(super) times: String,
    pub(super) piece: usize,
    /// `None` if the page requests the frames from a server.
    pub(super) frames: Option<String>,
    pub(super) left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct RecordingEntry {
    pub(super) times: String,
    pub(super) energy: String,
    pub(super) ends: String,
    pub(super) weaker: String,
    pub(super) bodies: String,
    pub(super) impulses: String,
    pub(super) joined: usize,
    pub(super) releases: Vec<ReleaseEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ReleaseEntry {
    pub(super) body: usize,
    /// `None` if the body is not released before the end.
    pub(super) t: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct SuggestedEntry {
    pub(super) list: Vec<SuggestionEntry>,
    pub(super) left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct SuggestionEntry {
    pub(super) t: f64,
    pub(super) pair: [usize; 2],
    pub(super) centers: [[f64; 3]; 2],
    pub(super) places: Vec<[f64; 6]>,
    pub(super) before: [[f64; 6]; 2],
    pub(super) after: [[f64; 6]; 2],
}

/// The distance of two bodies over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GapCurve {
    /// The numbers of the two bodies.
    pub pair: [usize; 2],
    /// In seconds, increasing.
    pub times: Vec<f64>,
    /// Distance at each time, in metres. A value is never below the true distance of the surfaces and at most 1 %
    /// above it (or 1e-7 of the larger body). It is 0 if the surfaces touch, or if one body is inside the other and
    /// the outer body is solid.
    pub gap: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct RobotEntry {
    pub(super) joints: Vec<JointEntry>,
    pub(super) rest: Vec<f64>,
    pub(super) path: Option<PathEntry>,
    #[serde(rename = "postures")]
    pub(super) configurations: Vec<ConfigurationEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ConfigurationEntry {
    pub(super) name: String,
    pub(super) joints: Vec<(String, f64)>,
    pub(super) doubts: Vec<String>,
    pub(super) error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct JointEntry {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) limits: Option<[f64; 2]>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PathEntry {
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<Vec<f64>>,
}

/// Encodes the concatenated bytes as base64.
pub(crate) fn packed<const N: usize>(parts: impl Iterator<Item = [u8; N]>) -> String {
    STANDARD.encode(parts.flatten().collect::<Vec<u8>>())
}

/// A pose as x, y, z, qw, qx, qy, qz.
pub(crate) fn seven(pose: &Pose) -> [f64; 7] {
    let (p, q) = (pose.position(), pose.rotation());
    [p.x, p.y, p.z, q.w, q.x, q.y, q.z]
}
