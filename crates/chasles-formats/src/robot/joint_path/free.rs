//! Joints with several coordinates, planar and floating, by the names of their columns.
//!
//! A planar joint has the columns `JOINT/x`, `JOINT/y` and `JOINT/yaw`. A floating joint has `JOINT/x`, `/y`, `/z`
//! and `/roll`, `/pitch`, `/yaw`, or the quaternion `/qx`, `/qy`, `/qz`, `/qw`, which is converted to these three
//! angles.

use std::collections::HashMap;

use glam::DQuat;

use super::PathFile;
use crate::error::Result;
use crate::text::tree::quoted;

const COORDINATES: [&str; 6] = ["x", "y", "z", "roll", "pitch", "yaw"];
/// Components of a unit quaternion below this value are rounding errors.
const UPRIGHT: f64 = 1e-15;
const QUATERNION: [&str; 4] = ["qx", "qy", "qz", "qw"];

/// The unit of the angles of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AngleUnit {
    /// Radians.
    #[default]
    Radians,
    /// Degrees.
    Degrees,
}

impl PathFile {
    /// The joints that may be planar or floating, each once: the names before the coordinates.
    #[must_use]
    pub fn free_joints(&self) -> Vec<String> {
        let mut joints: Vec<String> = Vec::new();
        for name in &self.joints {
            let Some((joint, coordinate)) = name.rsplit_once('/') else { continue };
            let known = COORDINATES.contains(&coordinate) || QUATERNION.contains(&coordinate);
            if known && !joints.iter().any(|known| known == joint) {
                joints.push(joint.to_owned());
            }
        }
        joints
    }

    /// The same path with roll, pitch and yaw in this unit in place of quaternions. At each waypoint the angles are
    /// the ones nearest to the angles before. The path then interpolates the angles linearly.
    ///
    /// # Errors
    /// A quaternion that lacks a component, is given beside angles, is 0 or has velocities.
    pub fn with_angles(&self, unit: AngleUnit) -> Result<Self> {
        let mut path = self.clone();
        for joint in self.free_joints() {
            let columns: HashMap<&str, usize> = path
                .joints
                .iter()
                .enumerate()
                .filter_map(|(column, name)| Some((name.strip_prefix(&joint)?.strip_prefix('/')?, column)))
                .collect();
            let parts = QUATERNION.map(|part| columns.get(part).copied());
            if parts == [None; 4] {
                continue;
            }
            let [Some(x), Some(y), Some(z), Some(w)] = parts else {
                let what = format!(
                    "found a part of the quaternion of the joint {}, expected qx, qy, qz and qw",
                    quoted(&joint)
                );
                return Err(self.error(&self.joints_place, what));
            };
            if ["roll", "pitch", "yaw"].iter().any(|angle| columns.contains_key(angle)) {
                let what = format!(
                    "found angles beside the quaternion of the joint {}, expected one of both",
                    quoted(&joint)
                );
                return Err(self.error(&self.joints_place, what));
            }
            let quaternion = [x, y, z, w];
            let rigid_columns: Vec<usize> =
                (0..path.joints.len()).filter(|column| !quaternion.contains(column)).collect();
            let mut before = [0.0; 3];
            for waypoint in &mut path.waypoints {
                let parts = quaternion.map(|column| waypoint.positions[column]);
                let Some(angles) = angles(parts, before) else {
                    let what = format!(
                        "found a quaternion of the joint {} without a direction, expected one that is not 0",
                        quoted(&joint)
                    );
                    return Err(self.error(&waypoint.place, what));
                };
                if !waypoint.velocities.is_empty() {
                    let what = "found velocities beside a quaternion, expected roll, pitch and yaw there";
                    return Err(self.error(&waypoint.place, what));
                }
                before = angles;
                let angles = match unit {
                    AngleUnit::Radians => angles,
                    AngleUnit::Degrees => angles.map(f64::to_degrees),
                };
                waypoint.positions =
                    rigid_columns.iter().map(|column| waypoint.positions[*column]).chain(angles).collect();
            }
            let names = ["roll", "pitch", "yaw"].map(|angle| format!("{joint}/{angle}"));
            path.joints =
                rigid_columns.iter().map(|column| path.joints[*column].clone()).chain(names).collect();
        }
        Ok(path)
    }
}

/// Roll, pitch and yaw (about the fixed axes x, y and z, in this order) of a quaternion. Among all angles for the
/// same rotation, returns the ones nearest to the angles before.
fn angles(parts: [f64; 4], before: [f64; 3]) -> Option<[f64; 3]> {
    let largest = parts.iter().fold(0.0_f64, |maximum, part| maximum.max(part.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    let [x, y, z, w] = DQuat::from_array(parts.map(|part| part / largest)).normalize().to_array();
    // With half angles: (cos p + sin p) (cos, sin)(r - y) = (w + y, x - z), (cos p - sin p) (cos, sin)(r + y) = (w -
    // y, x + z).
    let [differences, both] = [[x - z, w + y], [x + z, w - y]];
    let [upward, downward] = [differences, both].map(|[sine, cosine]| sine.hypot(cosine));
    let pitch = 2.0 * f64::atan2(upward, downward) - std::f64::consts::FRAC_PI_2;
    // In gimbal lock only the sum or the difference is determined: the roll stays.
    let sum = if downward < UPRIGHT { None } else { Some(f64::atan2(both[0], both[1])) };
    let difference = if upward < UPRIGHT { None } else { Some(f64::atan2(differences[0], differences[1])) };
    let (sum, difference) = match (sum, difference) {
        (Some(sum), Some(difference)) => (sum, difference),
        (None, Some(difference)) => (before[0] - difference, difference),
        (Some(sum), None) => (sum, before[0] - sum),
        (None, None) => return None,
    };
    let [roll, yaw] = [sum + difference, sum - difference];
    let (pi, tau) = (std::f64::consts::PI, std::f64::consts::TAU);
    let nearest_angle = |angle: f64, before: f64| angle + tau * ((before - angle) / tau).round();
    let all = [[roll, pitch, yaw], [roll + pi, pi - pitch, yaw + pi]]
        .map(|angles| [0, 1, 2].map(|number: usize| nearest_angle(angles[number], before[number])));
    let total_change = |angles: &[f64; 3]| angles.iter().zip(before).map(|(a, b)| (a - b).abs()).sum::<f64>();
    Some(if total_change(&all[1]) < total_change(&all[0]) { all[1] } else { all[0] })
}
