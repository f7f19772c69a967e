//! Resolves a path for a robot: joint names to numbers, with a check of limits.

use chasles::{JointPath, RobotDefinition, Waypoint};

use super::{PathFile, PathWaypoint};
use crate::error::Result;
use crate::robot::joint_values;
use crate::text::tree::{number_text, quoted};

/// Converts the path for the engine. The waypoints are the same, so its segments are those between the waypoints of
/// `path`, whose [`PathWaypoint::segment`] is the number of the file's segment.
///
/// Limits are checked along the whole path, also on cubics, so that an error has its line
/// ([`Joint::allows`](chasles::Joint::allows) defines the limits). [`JointPath::check`] checks the limits of joints
/// that follow others.
///
/// # Errors
/// An unknown joint, a joint that is fixed or follows another; a value beyond the limits of its joint, at a waypoint
/// or on a cubic.
pub fn resolve(path: &PathFile, robot: &RobotDefinition) -> Result<JointPath> {
    let joints = path.joints.iter().map(|name| joint(name, path, robot)).collect::<Result<Vec<_>>>()?;
    for (column, &number) in joints.iter().enumerate() {
        let joint = &robot.joints[number];
        let Some([minimum, maximum]) = joint.limits else { continue };
        let beyond = |value: f64, time: f64, waypoint: &PathWaypoint| {
            let [value, time, minimum, maximum] = [value, time, minimum, maximum].map(number_text);
            let message = format!(
                "found the joint {} at {value} (at {time} s), beyond its limits: expected {minimum} to {maximum}",
                quoted(&joint.name)
            );
            path.error(&waypoint.place, message)
        };
        for waypoint in &path.waypoints {
            let value = waypoint.positions[column];
            if !joint.allows(value) {
                return Err(beyond(value, waypoint.time, waypoint));
            }
        }
        for pair in path.waypoints.windows(2) {
            for (value, time) in extrema([&pair[0], &pair[1]], column).into_iter().flatten() {
                if !joint.allows(value) {
                    return Err(beyond(value, time, &pair[0]));
                }
            }
        }
    }
    let waypoints = path.waypoints.iter().map(|waypoint| Waypoint {
        time: waypoint.time,
        positions: waypoint.positions.clone(),
        velocities: waypoint.velocities.clone(),
    });
    Ok(JointPath { joints, waypoints: waypoints.collect() })
}

/// The number of a joint that a path can move.
fn joint(name: &str, path: &PathFile, robot: &RobotDefinition) -> Result<usize> {
    let error = |message: String| path.error(&path.joints_place, message);
    let found = quoted(name);
    let Some(number) = robot.joints.iter().position(|joint| joint.name == name) else {
        let free = robot.joints.iter().filter(|joint| joint.axis.is_some() && joint.mimic.is_none());
        let free: Vec<&str> = free.map(|joint| joint.name.as_str()).collect();
        let (robot, expected) = (quoted(&robot.name), joint_values::expected(name, &free));
        return Err(error(format!(
            "found the joint {found}, which the robot {robot} does not have, expected {expected}"
        )));
    };
    let joint = &robot.joints[number];
    if joint.axis.is_none() {
        return Err(error(format!("found the joint {found}, which is fixed, expected one that moves")));
    }
    if let Some(mimic) = joint.mimic {
        let other = robot.joints.get(mimic.joint).map_or_else(String::new, |other| quoted(&other.name));
        return Err(error(format!(
            "found the joint {found}, which follows the joint {other}, expected one that moves by itself"
        )));
    }
    Ok(number)
}

/// The extrema of a joint's value between two waypoints, with their times; only a cubic has any.
fn extrema([from, to]: [&PathWaypoint; 2], column: usize) -> [Option<(f64, f64)>; 2] {
    let [Some(v), Some(w)] = [from, to].map(|waypoint| waypoint.velocities.get(column)) else {
        return [None; 2];
    };
    let h = to.time - from.time;
    let (p, difference) = (from.positions[column], to.positions[column] - from.positions[column]);
    // p + v u + a u^2 + b u^3, with u from 0 to 1 and velocities in that unit of time.
    let (v, w) = (v * h, w * h);
    let (a, b) = (3.0 * difference - 2.0 * v - w, v + w - 2.0 * difference);
    // The roots of v + 2 a u + 3 b u^2, in the form without cancellation.
    let half = a + a.signum() * (a * a - 3.0 * b * v).max(0.0).sqrt();
    [-v / half, -half / (3.0 * b)]
        .map(|u| (u > 0.0 && u < 1.0).then_some((p + u * (v + u * (a + u * b)), from.time + u * h)))
}
