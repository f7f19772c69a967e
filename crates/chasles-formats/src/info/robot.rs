//! Facts about a robot: its links, its joints with their limits, and its named configurations.

use std::collections::BTreeMap;

use serde::Serialize;

/// Facts about a robot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RobotInfo {
    /// Its name.
    pub name: String,
    /// The name of the root link, which `--base` places.
    pub root: String,
    /// The minimum z of its surfaces at rest, in the frame of the root link, in metres; `None` without surfaces.
    pub lowest: Option<f64>,
    /// The names of all links.
    pub links: Vec<String>,
    /// The moving joints.
    pub joints: Vec<JointInfo>,
    /// The named configurations.
    #[serde(rename = "postures", skip_serializing_if = "Vec::is_empty")]
    pub configurations: Vec<ConfigurationInfo>,
}

/// Facts about a joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointInfo {
    /// Its name.
    pub name: String,
    /// `revolute`, `continuous` or `prismatic`: the first two rotate, the second without limits.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The parent link.
    pub parent: String,
    /// The child link.
    pub child: String,
    /// The unit of its values: rad or m.
    pub unit: &'static str,
    /// The minimum value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// The maximum value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// The maximum speed, in the unit per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<f64>,
    /// The value at rest.
    pub rest: f64,
    /// The joint that it follows, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<MimicInfo>,
}

/// A joint that follows another: its value is `multiplier` times the other's value, plus `offset`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MimicInfo {
    /// The name of the other joint.
    pub joint: String,
    /// Factor.
    pub multiplier: f64,
    /// In the unit of the joint that follows.
    pub offset: f64,
}

/// Facts about a named configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigurationInfo {
    /// Its name.
    pub name: String,
    /// Its group of joints; empty if the file names no group.
    pub group: String,
    /// The joints that it sets, with their values; empty if it does not fit the robot.
    pub joints: BTreeMap<String, f64>,
    /// The reason why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
