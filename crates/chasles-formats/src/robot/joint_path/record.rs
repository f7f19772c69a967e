//! Converts recorded configurations to a path, and a path to configurations.

use std::path::Path;

use chasles::Robot;

use super::{PathFile, PathWaypoint, resolve};
use crate::error::{Error, ErrorLocation, Result};
use crate::robot::joint_values;

/// A path through configurations, each with one value per joint of the robot. The path names the joints that can be
/// set, and its waypoints are a second apart. A single configuration is held for a second. Errors name `file`.
///
/// # Panics
/// If there is no configuration, or a configuration has fewer values than joints.
#[must_use]
pub fn from_configurations(robot: &Robot, configurations: &[Vec<f64>], file: &Path) -> PathFile {
    let set: Vec<usize> = joint_values::settable(robot).collect();
    let waypoint = |number: usize| {
        let configuration = &configurations[number.min(configurations.len() - 1)];
        PathWaypoint {
            time: number as f64,
            positions: set.iter().map(|joint| configuration[*joint]).collect(),
            velocities: Vec::new(),
            segment: number,
            place: ErrorLocation::File,
        }
    };
    PathFile {
        file: file.to_path_buf(),
        joints: joint_values::names(robot),
        joints_place: ErrorLocation::File,
        waypoints: (0..configurations.len().max(2)).map(waypoint).collect(),
        may_be_cut: false,
    }
}

impl PathFile {
    /// The path with a segment to its first waypoint added in front, if that waypoint is later than 0. At time 0 the
    /// robot is at rest, except that the coordinates of `preset_joints` have their values of the first waypoint
    /// already. The new segment is segment 0, and the numbers of the others increase by 1.
    #[must_use]
    pub fn with_start_at_rest(&self, robot: &Robot, preset_joints: &[String]) -> Self {
        let mut path = self.clone();
        let Some(first) = path.waypoints.first().filter(|first| first.time > 0.0).cloned() else {
            return path;
        };
        let rest = robot.rest();
        let value = |(name, value): (&String, &f64)| {
            let is_preset = name
                .rsplit_once('/')
                .is_some_and(|(joint_name, _)| preset_joints.iter().any(|preset| preset == joint_name));
            let number = robot.joints().iter().position(|joint| joint.name == *name).filter(|_| !is_preset);
            number.map_or(*value, |number| rest[number])
        };
        let start = PathWaypoint {
            time: 0.0,
            positions: path.joints.iter().zip(&first.positions).map(value).collect(),
            velocities: vec![0.0; first.velocities.len()],
            segment: 0,
            ..first
        };
        path.waypoints.iter_mut().for_each(|waypoint| waypoint.segment += 1);
        path.waypoints.insert(0, start);
        path
    }
}

/// The waypoints of a path as configurations, with one value per joint of the robot; joints that the path does not
/// name keep their rest value. Times are ignored.
///
/// # Errors
/// With file and line: velocities, because moves go straight between configurations, and as for [`resolve`].
pub fn to_configurations(path: &PathFile, robot: &Robot) -> Result<Vec<Vec<f64>>> {
    if let Some(waypoint) = path.waypoints.iter().find(|waypoint| !waypoint.velocities.is_empty()) {
        let message = "found velocities, expected positions alone: moves go straight from one to the next";
        let (file, place) = (path.file.clone(), waypoint.place.clone());
        return Err(Error { file, place, message: message.into() });
    }
    let resolved = resolve(path, robot.definition())?;
    let rest = robot.rest();
    let configuration = |positions: &Vec<f64>| {
        let mut values = rest.clone();
        for (joint, value) in resolved.joints.iter().zip(positions) {
            values[*joint] = *value;
        }
        robot.complete(&mut values);
        values
    };
    Ok(resolved.waypoints.iter().map(|waypoint| configuration(&waypoint.positions)).collect())
}
