//! What was moved by hand as a path, and a path as postures to move to.

use std::path::Path;

use chasles::Robot;

use super::{PathFile, PathWaypoint, resolve};
use crate::error::{Error, Place, Result};
use crate::robot::joint_values;

/// Postures, one value a joint of the robot each, as a path that names the joints that can be set: a second from one to the next. One
/// posture alone stands for a second. `file` names the path in errors.
///
/// # Panics
/// If there is no posture, or one with fewer values than joints.
#[must_use]
pub fn from_postures(robot: &Robot, postures: &[Vec<f64>], file: &Path) -> PathFile {
    let set: Vec<usize> = joint_values::set(robot).collect();
    let waypoint = |number: usize| {
        let posture = &postures[number.min(postures.len() - 1)];
        PathWaypoint {
            time: number as f64,
            positions: set.iter().map(|joint| posture[*joint]).collect(),
            velocities: Vec::new(),
            segment: number,
            place: Place::File,
        }
    };
    PathFile {
        file: file.to_path_buf(),
        joints: joint_values::names(robot),
        joints_place: Place::File,
        waypoints: (0..postures.len().max(2)).map(waypoint).collect(),
    }
}

/// The waypoints of a path as postures, one value a joint of the robot; joints that it does not name rest. Its times are not used.
///
/// # Errors
/// With file and line: velocities, as moves go straight from one posture to the next, and as [`resolve`].
pub fn to_postures(path: &PathFile, robot: &Robot) -> Result<Vec<Vec<f64>>> {
    if let Some(waypoint) = path.waypoints.iter().find(|waypoint| !waypoint.velocities.is_empty()) {
        let message = "found velocities, expected positions alone: moves go straight from one to the next";
        let (file, place) = (path.file.clone(), waypoint.place.clone());
        return Err(Error { file, place, message: message.into() });
    }
    let resolved = resolve(path, robot.definition())?;
    let rest = robot.rest();
    let posture = |positions: &Vec<f64>| {
        let mut values = rest.clone();
        for (joint, value) in resolved.joints.iter().zip(positions) {
            values[*joint] = *value;
        }
        robot.complete(&mut values);
        values
    };
    Ok(resolved.waypoints.iter().map(|waypoint| posture(&waypoint.positions)).collect())
}
