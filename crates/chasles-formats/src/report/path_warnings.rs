//! Warnings about the paths of robots, one sentence each, with the name of the file. Every program that checks paths
//! uses them.

use std::f64::consts::{PI, TAU};

use chasles::{BodyMotion, Joint, JointAxis, RobotCell, RobotDefinition};

use super::breach::ReportedBreach;
use crate::error::Error;
use crate::figures::number;
use crate::printable::printable_path;
use crate::robot::joint_path::{AngleUnit, PathFile};
use crate::text::lines::CUT_NUMBER;
use crate::text::tree::quoted;

/// The maximum number of violations with a separate warning.
const MAX_LISTED: usize = 5;

/// Angles that were wrapped to one revolution may exceed its end by this rounding, in radians.
const SLACK: f64 = 1e-3;

/// The warnings about a path in radians. `unit`: the unit of the angles in its file.
#[must_use]
pub fn of_file(path: &PathFile, robot: &RobotDefinition, unit: AngleUnit) -> Vec<String> {
    let file = printable_path(&path.file);
    let degrees = match unit {
        AngleUnit::Radians => {
            path.degrees_warning(robot).map(|message_text| format!("{file}: {message_text}"))
        }
        AngleUnit::Degrees => None,
    };
    let mut warnings = match degrees {
        Some(degrees) => vec![degrees],
        None => path
            .joints
            .iter()
            .enumerate()
            .filter_map(|(column, _)| long_rotation_warning(path, robot, column))
            .collect(),
    };
    warnings.extend(path.may_be_cut.then(|| format!("{file}: {CUT_NUMBER}")));
    warnings
}

/// A warning if a joint without limits goes the long way round between two angles of one revolution. Such angles
/// were probably wrapped to one revolution, and the path means the short way across the end of the revolution.
fn long_rotation_warning(path: &PathFile, robot: &RobotDefinition, column: usize) -> Option<String> {
    let name = &path.joints[column];
    let is_unlimited_revolute = |joint: &&Joint| {
        joint.name == *name
            && joint.limits.is_none()
            && joint.mimic.is_none()
            && matches!(joint.axis, Some(JointAxis::Revolute(_)))
    };
    robot.joints.iter().find(is_unlimited_revolute)?;
    let angle = |waypoint: usize| path.waypoints[waypoint].positions[column];
    let is_long = |waypoint: &usize| {
        let ends = [angle(*waypoint), angle(waypoint + 1)];
        let within = |minimum: f64, maximum: f64| {
            ends.iter().all(|end| minimum - SLACK <= *end && *end <= maximum + SLACK)
        };
        let rotation_angle = (ends[1] - ends[0]).abs();
        // A whole revolution has no shorter way.
        (rotation_angle > PI + SLACK && within(-PI, PI) || rotation_angle > 1.5 * PI && within(0.0, TAU))
            && rotation_angle < TAU - SLACK
    };
    let found: Vec<usize> = (0..path.waypoints.len().saturating_sub(1)).filter(is_long).collect();
    let first = *found.first()?;
    let [from, to] = [angle(first), angle(first + 1)];
    let short_angle = to + if to < from { TAU } else { -TAU };
    let [rotation_angle, from, to, short_angle] = [to - from, from, to, short_angle].map(number);
    let more = if found.len() > 1 { format!(" ({} times more)", found.len() - 1) } else { String::new() };
    let message = format!(
        "the joint {} rotates without limits and takes the longer rotation, {rotation_angle} rad from {from} \
         to {to}: the shorter one ends at {short_angle}{more}",
        quoted(name)
    );
    let waypoint = &path.waypoints[first + 1];
    Some(Error { file: path.file.clone(), place: waypoint.place.clone(), message }.to_string())
}

/// A warning if bodies of the world stop before the path ends. Such a body has a motion that lasts as long as the
/// world and does not come to rest before.
#[must_use]
pub fn of_world(path: &PathFile, cell: &RobotCell) -> Option<String> {
    let (end, duration) = (path.waypoints.last()?.time, cell.definition().world_duration);
    let moves_until_end = |motion: &BodyMotion| match motion {
        BodyMotion::Still(_)
        | BodyMotion::Near { .. }
        | BodyMotion::Joint { .. }
        | BodyMotion::During { .. } => false,
        BodyMotion::Screw(screw) => screw.slide() != 0.0 || screw.angle() != 0.0,
        BodyMotion::Twist { linear, angular, .. } => linear.length() > 0.0 || angular.length() > 0.0,
        BodyMotion::Keyframes(keys) => match &keys[..] {
            [.., before, last] => last.0 >= duration && before.1 != last.1,
            _ => false,
        },
        BodyMotion::Curves { position, rotation } => {
            is_changing_at_end(&position.times(), &position.values(), duration)
                || is_changing_at_end(&rotation.times(), &rotation.values(), duration)
        }
    };
    let world = &cell.definition().world;
    let moving: Vec<&str> = world
        .iter()
        .filter(|body| moves_until_end(&body.body.motion))
        .map(|body| body.body.name.as_str())
        .collect();
    let first = moving.first().filter(|_| end > duration)?;
    let first = quoted(first);
    let stopping_bodies = match moving.len() {
        1 => format!("{first} stops"),
        2 => format!("{first} and 1 other body stop"),
        more => format!("{first} and {} other bodies stop", more - 1),
    };
    let [end, duration] = [end, duration].map(number);
    Some(format!(
        "{}: ends at {end} s, after the world, whose duration is {duration} s: {stopping_bodies} moving then (with a longer \
         duration, twists go on)",
        printable_path(&path.file)
    ))
}

/// Whether a curve still changes at the end of a duration.
fn is_changing_at_end<T: PartialEq>(times: &[f64], values: &[T], duration: f64) -> bool {
    match (times, values) {
        ([.., end], [.., before, last]) => *end >= duration && before != last,
        _ => false,
    }
}

/// The warnings about violated joint limits.
#[must_use]
pub fn of_limits(path: &PathFile, breaches: &[ReportedBreach<'_>]) -> Vec<String> {
    let file = printable_path(&path.file);
    let mut warnings: Vec<String> =
        breaches.iter().take(MAX_LISTED).map(|breach| format!("{file}: {}", breach.sentence())).collect();
    if breaches.len() > MAX_LISTED {
        let more = breaches.len() - MAX_LISTED;
        let list = "chasles check --limits report lists all";
        warnings.push(format!("{file}: {more} more beyond limits ({list})"));
    }
    warnings
}
