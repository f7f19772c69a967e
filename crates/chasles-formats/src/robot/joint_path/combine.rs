//! Combines the paths of several robots, which share one clock, to one path.

use super::{PathFile, PathWaypoint};
use crate::error::{Error, ErrorLocation, Result};
use crate::text::tree::quoted;

/// Combines the paths of robots, by their names, to one path whose joints have names `ROBOT/JOINT`.
///
/// The path has a waypoint at the time of every waypoint of each robot. Before and after its own path a robot is
/// static at its start and end. Segments are those between the combined waypoints.
///
/// # Errors
/// A robot twice; a path with velocities beside a path without; a path with nonzero velocity at its start or end
/// while another continues, because a waypoint cannot separate a cubic from a straight segment.
pub fn combine(paths: &[(String, PathFile)], name: &str) -> Result<PathFile> {
    let mut times: Vec<f64> =
        paths.iter().flat_map(|(_, path)| path.waypoints.iter().map(|waypoint| waypoint.time)).collect();
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| a == b);
    for (number, (robot, path)) in paths.iter().enumerate() {
        if paths[..number].iter().any(|(other, _)| other == robot) {
            return Err(Error::file(
                &path.file,
                format!("a second path of the robot {}, expected one", quoted(robot)),
            ));
        }
        check(path, (&paths[0].1, &times))?;
    }
    let waypoint = |(segment, time): (usize, &f64)| {
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        for (_, path) in paths {
            let (path_positions, path_velocities) = at(path, *time);
            positions.extend(path_positions);
            velocities.extend(path_velocities);
        }
        PathWaypoint { time: *time, positions, velocities, segment, place: ErrorLocation::File }
    };
    let joints = paths
        .iter()
        .flat_map(|(robot, path)| path.joints.iter().map(move |joint| format!("{robot}/{joint}")));
    Ok(PathFile {
        file: name.into(),
        joints: joints.collect(),
        joints_place: ErrorLocation::File,
        waypoints: times.iter().enumerate().map(waypoint).collect(),
        may_be_cut: paths.iter().any(|(_, path)| path.may_be_cut),
    })
}

fn check(path: &PathFile, (first, times): (&PathFile, &[f64])) -> Result<()> {
    let moves =
        |path: &PathFile| path.waypoints.iter().filter(|waypoint| !waypoint.velocities.is_empty()).count();
    let cubic = moves(path);
    if cubic != 0 && cubic != path.waypoints.len() || (cubic == 0) != (moves(first) == 0) {
        let message = "found velocities at some waypoints of the paths that robots follow together, expected them at all or none";
        return Err(Error::file(&path.file, message));
    }
    let ends = [(path.waypoints.first(), times.first()), (path.waypoints.last(), times.last())];
    for (waypoint, common_time) in ends {
        let (Some(waypoint), Some(common_time)) = (waypoint, common_time) else { continue };
        if waypoint.time != *common_time && waypoint.velocities.iter().any(|velocity| *velocity != 0.0) {
            let message =
                "found a velocity at the start or end of the path, expected 0: another robot still moves";
            return Err(path.error(&waypoint.place, message));
        }
    }
    Ok(())
}

/// The positions and velocities at a time. A time before the path gives the values at its start, a time after it the
/// values at its end.
fn at(path: &PathFile, time: f64) -> (Vec<f64>, Vec<f64>) {
    let after = path.waypoints.partition_point(|waypoint| waypoint.time < time);
    let Some(to) = path.waypoints.get(after.min(path.waypoints.len().saturating_sub(1))) else {
        return (vec![], vec![]);
    };
    let Some(from) = after.checked_sub(1).map(|before| &path.waypoints[before]).filter(|_| to.time > time)
    else {
        return (to.positions.clone(), to.velocities.clone());
    };
    let h = to.time - from.time;
    let u = (time - from.time) / h;
    let columns = 0..from.positions.len();
    if from.velocities.is_empty() {
        let even =
            |column: usize| from.positions[column] + u * (to.positions[column] - from.positions[column]);
        return (columns.map(even).collect(), vec![]);
    }
    // p + v u + a u^2 + b u^3, with velocities in that unit of time.
    let cubic = |column: usize| {
        let (p, difference) = (from.positions[column], to.positions[column] - from.positions[column]);
        let [v, w] = [from, to].map(|waypoint| h * waypoint.velocities[column]);
        let (a, b) = (3.0 * difference - 2.0 * v - w, v + w - 2.0 * difference);
        (p + u * (v + u * (a + u * b)), (v + u * (2.0 * a + 3.0 * u * b)) / h)
    };
    columns.map(cubic).unzip()
}
