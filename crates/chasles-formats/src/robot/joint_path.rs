//! Paths of a robot in joint space: CSV, and ROS trajectories (`trajectory_msgs/JointTrajectory`) in YAML and JSON.
//!
//! ```csv
//! time,shoulder,elbow
//! 0.0,0.0,1.2
//! 2.0,0.5,-0.3
//! ```
//!
//! Values are in seconds, radians and metres. In every format a path is a list of waypoints in order of time. The
//! joints move linearly from waypoint to waypoint, or along cubics if both waypoints have velocities. Content that
//! cannot be followed is an error, and never ignored silently.
//!
//! | module | idea |
//! |---|---|
//! | `csv` | reads and writes one row per waypoint |
//! | `yaml` | documents in YAML or JSON, as a tree whose values know their lines |
//! | `ros` | trajectories in the format of ROS |
//! | `retime` | trapezoidal timing |
//! | `degrees` | angles in degrees |
//! | `free` | columns of planar and floating joints |
//! | `combine` | paths of several robots as one |
//! | `resolve` | names of joints to the numbers of a robot; limits |
//! | `record` | converts configurations to a path, and back |
//!
//! For any input, reading ends, and takes memory in proportion to the file, whose size is limited.

mod csv;
mod yaml;
mod ros;
mod retime;
mod degrees;
mod free;
mod combine;
mod resolve;
mod record;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use self::combine::combine;
pub use self::csv::to_csv;
pub use self::free::AngleUnit;
pub use self::record::{from_configurations, to_configurations};
pub use self::resolve::resolve;
pub use self::retime::TrapezoidalLimit;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorLocation, Result};
use crate::limits;
use crate::text::lines::cut_number;
use crate::text::tree::{number_text, quoted};

/// A path as its file describes it. Seconds, radians, metres.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathFile {
    /// The file, for messages.
    pub file: PathBuf,
    /// The names of the joints that the path moves: at least one, each once.
    pub joints: Vec<String>,
    /// The place of the names in the file, for messages.
    pub joints_place: ErrorLocation,
    /// At least two, in order of time.
    pub waypoints: Vec<PathWaypoint>,
    /// Whether the file ends in a number without a newline, so that digits may be missing.
    pub may_be_cut: bool,
}

/// One point of a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathWaypoint {
    /// Seconds, finite; greater than the time of the waypoint before.
    pub time: f64,
    /// One value per joint, in radians or metres, finite.
    pub positions: Vec<f64>,
    /// One value per joint, in radians or metres a second, finite; empty: not given.
    pub velocities: Vec<f64>,
    /// The number of the segment that starts here, from 0. Segments are counted in the file; a retimed path keeps
    /// these numbers.
    pub segment: usize,
    /// The place in the file, for messages.
    pub place: ErrorLocation,
}

/// Options for ambiguous parts of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathOptions {
    /// The treatment of accelerations.
    pub accelerations: Accelerations,
    /// The meaning of a CSV file without times.
    pub times: MissingTimes,
}

/// The meaning of a CSV file without a column `time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingTimes {
    /// An error.
    #[default]
    Needed,
    /// The rows are a second apart, until the path is retimed.
    Unused,
}

/// The treatment of accelerations at waypoints. With accelerations a controller interpolates by quintics, not by
/// cubics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accelerations {
    /// An error, unless the accelerations agree with the cubic: the path would differ from the robot's motion.
    #[default]
    Refused,
    /// Ignored: the robot follows positions and velocities by cubics.
    Unused,
}

/// Reads a path in the format of the file's extension: `.yaml` or `.yml`, `.json`, or else CSV.
///
/// # Errors
/// When the file cannot be read or is too large, and as for [`parse`].
pub fn read(path: &Path, options: PathOptions) -> Result<PathFile> {
    parse(&limits::read(path, limits::PATH_FILE)?, path, options)
}

/// Reads a path from the bytes of its file. Errors name `path`, and its extension determines the format.
///
/// CSV: a header `time,<joint>,<joint>,..`, with the time in any column, and one row per waypoint. Blank lines and
/// lines that begin with `#` are skipped; cells may be in double quotes; spaces around cells are ignored.
///
/// YAML and JSON: one document with a `JointTrajectory`, alone or within a `RobotTrajectory` or the goal of
/// `FollowJointTrajectory`. Velocities are interpolated by cubics, and accelerations treated as `options` say;
/// efforts are ignored.
///
/// # Errors
/// With file and line: no time, a repeated joint, no joint, a row or list whose length is not the number of joints,
/// values that are not finite numbers, times that do not increase, fewer than two waypoints, an unknown key, other
/// kinds of motion (multi-DOF) beside the joints.
///
/// # Example
/// ```
/// use chasles_formats::robot::joint_path::{PathOptions, parse};
/// let path = parse(b"time,lift\n0,0.1\n2,0.5\n", "up.csv".as_ref(), PathOptions::default())?;
/// assert_eq!((path.joints[0].as_str(), path.waypoints[1].positions[0]), ("lift", 0.5));
/// let error = parse(b"time,lift\n0,0.1\n2,up\n", "up.csv".as_ref(), PathOptions::default()).unwrap_err();
/// assert_eq!(error.to_string(), "up.csv:3: lift: found `up`, expected a finite number");
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn parse(bytes: &[u8], path: &Path, options: PathOptions) -> Result<PathFile> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let read = match extension.to_ascii_lowercase().as_str() {
        "yaml" | "yml" => ros::parse(&yaml::from_yaml(bytes, path)?, path, options)?,
        "json" => ros::parse(&yaml::from_json(bytes, path)?, path, options)?,
        _ => csv::parse(bytes, path, options)?,
    };
    read.check()?;
    Ok(PathFile { may_be_cut: cut_number(bytes).is_some(), ..read })
}

impl PathFile {
    /// The file's segment that contains the segment from this waypoint. A retimed path has more waypoints than its
    /// file.
    #[must_use]
    pub fn segment(&self, waypoint: usize) -> usize {
        self.waypoints.get(waypoint).map_or(waypoint, |waypoint| waypoint.segment)
    }

    /// Checks the joints and waypoints, for example of a path from another process.
    ///
    /// # Errors
    /// No joint, or a repeated joint; fewer than two waypoints, times that do not increase, a number that is not
    /// finite, and a waypoint whose number of values is not the number of joints.
    pub fn check(&self) -> Result<()> {
        let mut names_so_far = BTreeSet::new();
        if let Some(twice) = self.joints.iter().find(|name| !names_so_far.insert(*name)) {
            let message = format!("found the joint {} twice, expected it once", quoted(twice));
            return Err(self.error(&self.joints_place, message));
        }
        if self.joints.is_empty() {
            return Err(self.error(&self.joints_place, "found no joint, expected at least one"));
        }
        for PathWaypoint { time, positions, velocities, place, .. } in &self.waypoints {
            let counts = positions.len() == self.joints.len()
                && (velocities.is_empty() || velocities.len() == self.joints.len());
            if !counts || !positions.iter().chain(velocities).chain([time]).all(|value| value.is_finite()) {
                let message = format!(
                    "found {positions:?} and {velocities:?} at {time} s, expected a finite number for each joint"
                );
                return Err(self.error(place, message));
            }
        }
        for pair in self.waypoints.windows(2) {
            let [before, after] = [&pair[0], &pair[1]];
            if after.time <= before.time {
                let [found, minimum] = [after.time, before.time].map(number_text);
                let message = format!(
                    "found the time {found} after {minimum}, expected times that increase from waypoint to waypoint"
                );
                return Err(self.error(&after.place, message));
            }
        }
        match self.waypoints.len() {
            0 => Err(Error::file(&self.file, "found no waypoint, expected at least two")),
            1 => Err(self.error(&self.waypoints[0].place, "found one waypoint, expected at least two")),
            _ => Ok(()),
        }
    }

    /// An error at a place of the file.
    #[cold]
    fn error(&self, place: &ErrorLocation, message: impl Into<String>) -> Error {
        Error { file: self.file.clone(), place: place.clone(), message: message.into() }
    }
}

/// Returns an error if a file has too many numbers.
fn check_count(numbers: usize, path: &Path, line: usize) -> Result<()> {
    within(numbers, (limits::PATH_NUMBERS, "numbers"), path, line)
}

/// Returns an error if a file has too many waypoints.
fn check_waypoints(waypoints: usize, path: &Path, line: usize) -> Result<()> {
    within(waypoints, (limits::PATH_WAYPOINTS, "waypoints"), path, line)
}

fn within(found: usize, (maximum, what): (usize, &str), path: &Path, line: usize) -> Result<()> {
    if found <= maximum {
        return Ok(());
    }
    Err(Error::line(path, line, format!("found more than {maximum} {what}, expected no more")))
}
