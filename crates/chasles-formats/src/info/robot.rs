//! Facts about a robot: its links, its joints with their limits, its postures that have names.

use std::collections::BTreeMap;

use serde::Serialize;

/// Facts about a robot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RobotInfo {
    /// Its name.
    pub name: String,
    /// The name of the link that no joint carries: `--base` places it.
    pub root: String,
    /// The lowest z of its surfaces at rest, in the frame of the root link, in metres; none without surfaces.
    pub lowest: Option<f64>,
    /// The names of all links.
    pub links: Vec<String>,
    /// All joints that move.
    pub joints: Vec<JointInfo>,
    /// The postures that have names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub postures: Vec<PostureInfo>,
}

/// Facts about a joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointInfo {
    /// Its name.
    pub name: String,
    /// `revolute`, `continuous` or `prismatic`: the first two turn, the second without limits.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The link that carries.
    pub parent: String,
    /// The link that is carried.
    pub child: String,
    /// The unit of its values: rad or m.
    pub unit: &'static str,
    /// The least value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// The greatest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// The greatest speed, in the unit per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<f64>,
    /// The value at rest.
    pub rest: f64,
    /// What it follows, where it is not set by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<FollowsInfo>,
}

/// That a joint follows another: its value is `multiplier` times that of the other, plus `offset`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FollowsInfo {
    /// The name of the other.
    pub joint: String,
    /// Factor.
    pub multiplier: f64,
    /// In the unit of the joint that follows.
    pub offset: f64,
}

/// Facts about a posture that has a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PostureInfo {
    /// Its name.
    pub name: String,
    /// The group of joints that it is a posture of; empty where the file names none.
    pub group: String,
    /// The joints that it sets, with their values; none where it does not fit the robot.
    pub joints: BTreeMap<String, f64>,
    /// Why it cannot be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
