//! What was moved by hand as a path, and a path as postures to move to.

use std::path::Path;

use chasles::Robot;

use super::{PathFile, PathWaypoint, resolve};
use crate::error::{Error, ErrorLocation, Result};
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
            place: ErrorLocation::File,
        }
    };
    PathFile {
        file: file.to_path_buf(),
        joints: joint_values::names(robot),
        joints_place: ErrorLocation::File,
        waypoints: (0..postures.len().max(2)).map(waypoint).collect(),
        may_be_cut: false,
    }
}

impl PathFile {
    /// The path with the way to its first waypoint in front, if that waypoint is later than 0. The robot is at rest at
    /// time 0; the coordinates of the joints `held` already have their values at the first waypoint. The new segment is
    /// segment 0, and the numbers of the others increase by 1.
    #[must_use]
    pub fn from_rest(&self, robot: &Robot, held: &[String]) -> Self {
        let mut path = self.clone();
        let Some(first) = path.waypoints.first().filter(|first| first.time > 0.0).cloned() else {
            return path;
        };
        let rest = robot.rest();
        let value = |(name, value): (&String, &f64)| {
            let is_held =
                name.rsplit_once('/').is_some_and(|(whole, _)| held.iter().any(|held| held == whole));
            let number = robot.joints().iter().position(|joint| joint.name == *name).filter(|_| !is_held);
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
