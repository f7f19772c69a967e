//! Trajectories of ROS 1 and 2: `trajectory_msgs/JointTrajectory`, alone or within messages that contain it.

use std::path::Path;

use super::{Accelerations, PathFile, PathOptions, PathWaypoint};
use crate::error::{ErrorLocation, Result};
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::DocumentNode;

/// Keys that contain a trajectory, in `RobotTrajectory` and in the goal of `FollowJointTrajectory` with its header.
const CONTAINER_KEYS: [&str; 3] = ["joint_trajectory", "trajectory", "goal"];

/// Keys beside the trajectory that do not affect the motion of the joints.
const BESIDE: [&str; 7] = [
    "header", "goal_id", "path_tolerance", "component_path_tolerance", "goal_tolerance",
    "component_goal_tolerance", "goal_time_tolerance",
];

/// Keys that would move other bodies, or joints in another way.
const OTHER_MOTION: [&str; 2] = ["multi_dof_joint_trajectory", "multi_dof_trajectory"];

/// Reads a path from a document. The checks that apply to all formats come later.
pub(super) fn parse(document: &DocumentNode, path: &Path, options: PathOptions) -> Result<PathFile> {
    let (joints, joints_place, waypoints) = message(&Cursor::root(path, document), options)?;
    Ok(PathFile { file: path.to_path_buf(), joints, joints_place, waypoints, may_be_cut: false })
}

type TrajectoryParts = (Vec<String>, ErrorLocation, Vec<PathWaypoint>);

/// Reads a message that is or contains a trajectory.
fn message(at: &Cursor<'_>, options: PathOptions) -> Result<TrajectoryParts> {
    if !at.is_table() || at.get("points").is_some() || at.get("joint_names").is_some() {
        return trajectory(at, options);
    }
    let known: Vec<_> = CONTAINER_KEYS.iter().chain(&OTHER_MOTION).chain(&BESIDE).copied().collect();
    let containers: Vec<_> = CONTAINER_KEYS.iter().filter_map(|key| at.get(key)).collect();
    match &containers[..] {
        [] => Err(at.missing("joint_names", "joint_names and points, or a trajectory that has them")),
        [one] => {
            at.only_keys(&known)?;
            for other in OTHER_MOTION.iter().filter_map(|key| at.get(key)) {
                for key in ["joint_names", "points"] {
                    if other.get(key).is_some_and(|list| !list.is_empty_list()) {
                        return Err(other.error("found motion of other kinds, expected that of joints only"));
                    }
                }
            }
            message(one, options)
        }
        [_, second, ..] => Err(second.error("found a second trajectory, expected one")),
    }
}

fn trajectory(at: &Cursor<'_>, options: PathOptions) -> Result<TrajectoryParts> {
    at.only_keys(&["joint_names", "points", "header"])?;
    let names = at.require("joint_names", "a list of the names of joints")?;
    let mut joints = Vec::new();
    for name in names.items("a list of the names of joints")? {
        joints.push(name.nonempty_text("the name of a joint")?.to_owned());
    }
    let list = at.require("points", "a list of waypoints")?;
    let mut points: Vec<Point> = Vec::new();
    for item in list.items("a list of waypoints")? {
        let point = point(&item, joints.len(), points.len())?;
        if let Some(before) = points.last().filter(|_| options.accelerations == Accelerations::Refused)
            && let Some(joint) = before.deviates_from_cubic(&point)
        {
            let what = format!(
                "found accelerations that lead {:?} away from the cubic through positions and velocities, expected \
                 none: segments of degree five are not supported",
                joints[joint]
            );
            return Err(item.require("accelerations", "a list")?.error(what));
        }
        points.push(point);
    }
    let waypoints = points.into_iter().map(|point| point.waypoint).collect();
    Ok((joints, names.place(), waypoints))
}

/// A waypoint with its accelerations, which decide whether the segment can be followed.
struct Point {
    waypoint: PathWaypoint,
    accelerations: Vec<f64>,
}

fn point(at: &Cursor<'_>, joints: usize, segment: usize) -> Result<Point> {
    at.only_keys(&["positions", "velocities", "accelerations", "effort", "time_from_start"])?;
    let positions = numbers(&at.require("positions", "one position a joint")?, joints)?;
    let optional = |key| match at.get(key) {
        Some(list) if !list.is_empty_list() => numbers(&list, joints),
        _ => Ok(vec![]),
    };
    let (velocities, accelerations) = (optional("velocities")?, optional("accelerations")?);
    if velocities.is_empty() && !accelerations.is_empty() {
        return Err(at.missing("velocities", "velocities where there are accelerations"));
    }
    let time = time(&at.require("time_from_start", "a time")?)?;
    let waypoint = PathWaypoint { time, positions, velocities, segment, place: at.place() };
    Ok(Point { waypoint, accelerations })
}

/// A list with one finite number per joint.
fn numbers(at: &Cursor<'_>, joints: usize) -> Result<Vec<f64>> {
    let expected = format!("a list of {joints} finite numbers, one a joint");
    let items = at.items(&expected)?;
    if items.len() != joints {
        return Err(at.expected(&expected));
    }
    items.map(|item| item.number(Limit::Any)).collect()
}

/// A duration: seconds and nanoseconds by the names of ROS 2 or ROS 1, or a number of seconds.
fn time(at: &Cursor<'_>) -> Result<f64> {
    if !at.is_table() {
        return at.number(Limit::Any);
    }
    let [seconds, nanoseconds] = match at.get("secs") {
        Some(_) => ["secs", "nsecs"],
        None => ["sec", "nanosec"],
    };
    at.only_keys(&[seconds, nanoseconds])?;
    let seconds = at.require(seconds, "seconds, a finite number")?.number(Limit::Any)?;
    let nanoseconds = match at.get(nanoseconds) {
        Some(nanoseconds) => nanoseconds.number(Limit::Any)?,
        None => 0.0,
    };
    Ok(seconds + nanoseconds / 1e9)
}

impl Point {
    /// The first joint that would leave the cubic before the next point. A controller with accelerations at both
    /// ends follows the unique polynomial of degree five that has them.
    fn deviates_from_cubic(&self, next: &Self) -> Option<usize> {
        if self.accelerations.is_empty() || next.accelerations.is_empty() {
            return None;
        }
        let [p, q] = [&self.waypoint, &next.waypoint];
        let h = q.time - p.time;
        (0..p.positions.len()).find(|&joint| {
            let velocity_sum = 6.0 * (q.positions[joint] - p.positions[joint]) / (h * h);
            let [v, w] = [p.velocities[joint] / h, q.velocities[joint] / h];
            let cubic = [velocity_sum - 4.0 * v - 2.0 * w, 2.0 * v + 4.0 * w - velocity_sum];
            let stated = [self.accelerations[joint], next.accelerations[joint]];
            // The precision of the file's digits: such a difference displaces a joint by less than a billionth of
            // its motion.
            let slack = 1e-9 * (velocity_sum.abs() + 4.0 * v.abs() + 4.0 * w.abs());
            (0..2).any(|end| (stated[end] - cubic[end]).abs() > slack)
        })
    }
}
