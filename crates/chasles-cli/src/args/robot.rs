//! The options of `chasles check` for robots.

use std::path::PathBuf;

use chasles::Pose;
use chasles_formats::mesh::MissingGeometry;
use chasles_formats::robot::joint_path::AngleUnit;
use clap::ValueHint;
use glam::{DQuat, DVec3};

/// The paths and the cell of a robot.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Robots")]
pub(crate) struct RobotArgs {
    /// A path of the robot: .csv, or a ROS trajectory in .yaml or .json; or a folder of paths; may be given several
    /// times
    ///
    /// Several robots move together: ROBOT=FILE for each robot, or one file with columns ROBOT/JOINT. If there are
    /// several paths, or a folder, each path is checked, and one report contains all paths. A bad file does not
    /// prevent the check of the others; the exit status is the worst of all paths.
    #[arg(long = "path", value_name = "PATH.csv", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// The unit of angles.
    #[command(flatten)]
    pub(crate) angles: AngleArgs,

    /// The cell.
    #[command(flatten)]
    pub(crate) cell: CellArgs,

    /// Retime the path, from rest to rest, with this acceleration
    ///
    /// The robot stops at every waypoint and moves between waypoints as fast as the limits allow: this acceleration, in
    /// rad/s^2 or m/s^2, and the speeds in the robot's file. The times and velocities of the path are not used, and a
    /// CSV file needs no column time. The joints move in proportion, along the straight line from waypoint to waypoint.
    #[arg(long, value_name = "ACCELERATION", value_parser = acceleration, allow_negative_numbers = true)]
    pub(crate) retime: Option<f64>,

    /// Follow positions and velocities of a ROS trajectory by cubics, and ignore its accelerations
    ///
    /// Without this option, accelerations that differ from the accelerations of the cubics are an error, because a
    /// controller that uses them moves the robot in another way.
    #[arg(long)]
    pub(crate) cubic: bool,
}

/// The unit of angles in paths.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Robots")]
pub(crate) struct AngleArgs {
    /// Angles in the path are in degrees
    ///
    /// This applies to positions and velocities of joints that rotate. Limits and reports stay in radians.
    #[arg(long)]
    pub(crate) degrees: bool,
}

impl AngleArgs {
    /// The unit of angles.
    pub(crate) fn unit(&self) -> AngleUnit {
        if self.degrees { AngleUnit::Degrees } else { AngleUnit::Radians }
    }
}

/// Options for a robot and its cell, common to several commands.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Robots")]
pub(crate) struct CellArgs {
    /// SRDF with pairs of links that are not tested, and named configurations
    #[arg(long, value_name = "FILE.srdf", value_hint = ValueHint::FilePath)]
    pub(crate) srdf: Option<PathBuf>,

    /// The scene around the robot; parent = "LINK" attaches a body to a link
    #[arg(long, value_name = "SCENE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) world: Option<PathBuf>,

    /// Pose of the root link in the world, in metres and as a quaternion [default: 0,0,0,1,0,0,0]
    #[arg(long, value_name = "x,y,z,qw,qx,qy,qz", value_parser = pose, allow_hyphen_values = true)]
    pub(crate) base: Option<Pose>,

    /// Start in this configuration of the SRDF [default: at rest]
    ///
    /// The name of a `group_state`, or GROUP/NAME. Joints that the configuration does not name are at rest. On a path,
    /// joints that the path does not name keep their values of this configuration. If the first waypoint of the path
    /// is later than 0, the check includes the motion from this configuration at time 0 to that waypoint, as segment 0.
    #[arg(long, value_name = "NAME")]
    pub(crate) start: Option<String>,

    /// The folder of a package of meshes; may be given several times
    ///
    /// Without this option, the package is searched for in the folder of the robot's file, then in its parent folders.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub(crate) packages: Vec<(String, PathBuf)>,

    /// This link or body of --world is hollow: a body inside it is free; may be given several times
    ///
    /// By default, links and bodies of the world are solid if they are closed (primitives, and meshes in which every
    /// edge has two triangles): a body wholly inside a solid body is in contact. A body with solid = false is also
    /// hollow. The name all means all links, and all bodies without solid = true.
    #[arg(long = "hollow", value_name = "NAME|all")]
    pub(crate) hollow: Vec<String>,

    /// Links without collision geometry take their visual geometry
    ///
    /// Without this option such links are not tested, and a warning names them. A robot without any collision geometry
    /// is an error.
    #[arg(long)]
    pub(crate) use_visual: bool,

    /// Leave out surfaces of mesh files that Chasles cannot read, such as free-form surfaces of an OBJ
    ///
    /// Without this option such a file is an error, because the space inside those surfaces would count as free.
    /// With it, the verdict names the missing surfaces.
    #[arg(long, help_heading = None::<&str>)]
    pub(crate) allow_missing_geometry: bool,

    /// Clearances of pairs: rows a,b,metres below a,b,clearance
    ///
    /// They replace --clearance for these pairs. Names are names of links and of bodies of the world; * means all
    /// others. If two rows name the same pair, the later row counts.
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub(crate) clearance_file: Option<PathBuf>,
}

impl CellArgs {
    /// How surfaces that Chasles cannot read are treated.
    pub(crate) fn unread(&self) -> MissingGeometry {
        unread(self.allow_missing_geometry)
    }
}

/// How surfaces that Chasles cannot read are treated.
pub(super) fn unread(allowed: bool) -> MissingGeometry {
    if allowed { MissingGeometry::Omitted } else { MissingGeometry::Refused }
}

impl RobotArgs {
    /// All named files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let CellArgs { srdf, world, clearance_file, .. } = &self.cell;
        self.paths.iter().chain([srdf, world, clearance_file].into_iter().flatten())
    }

    /// The first of these options that is given.
    pub(crate) fn first_option(&self) -> Option<&'static str> {
        let options = [
            (!self.paths.is_empty(), "--path"),
            (self.cell.srdf.is_some(), "--srdf"),
            (self.cell.world.is_some(), "--world"),
            (self.cell.base.is_some(), "--base"),
            (self.cell.start.is_some(), "--start"),
            (!self.cell.packages.is_empty(), "--package"),
            (self.cell.use_visual, "--use-visual"),
            (!self.cell.hollow.is_empty(), "--hollow"),
            (self.cell.clearance_file.is_some(), "--clearance-file"),
            (self.angles.degrees, "--degrees"),
            (self.retime.is_some(), "--retime"),
            (self.cubic, "--cubic"),
        ];
        options.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

/// The treatment of values and speeds beyond joint limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LimitsArg {
    /// Printed on standard error and in the report; the path is checked to its end
    Warn,
    /// Findings, listed in the report: exit status 1; the path is checked to its end
    Report,
    /// An error, for speeds too
    Refuse,
}

/// The part of the help of `chasles check` about robots.
pub(super) const ROBOT_HELP: &str = r#"ROBOTS
  chasles check ROBOT.urdf --path PATH.csv checks which links collide with each
  other or with bodies of --world while the robot follows the path: proven for
  the true motion of every link. Pairs at rest, between which no joint moves on
  this path, are tested too. Not tested: links that one joint joins, pairs that
  the SRDF disables, rigidly joined links, the base against bodies that cannot
  move (with --static they are), and bodies of the world against each other.

  time,shoulder,elbow                # seconds; radians (with --degrees
                                     # degrees) or metres
  0.0,0.0,1.2
  2.0,0.5,-0.3                       # joints move evenly between rows

  Joints that are not named rest at 0, or in the middle of limits that exclude
  0. Lines that start with # are comments. A JointTrajectory of ROS, as YAML or
  JSON, may have velocities: its joints move along cubics.

  The joint limits of the URDF apply. Without --limits, values beyond limits are
  an error and speeds beyond limits a warning. The report lists both in order of
  time:
      "limits":[{"joint":"elbow","kind":"upper","limit":3.0,"found":3.2,
       "unit":"rad","at":1.5,"from":1.25,"until":1.75,"segments":[0,1],
       "finding":true}]
  kind: lower, upper or velocity; found: the value farthest beyond the limit, at
  that time; from, until: the interval beyond the limit, to a few roundings.

  A TOML file, in place of the URDF, describes several robots in one cell:
      format = 1
      [[robot]]
      name = "left"                  # its links and joints: left/hand, ..
      urdf = "arm.urdf"
      srdf = "arm.srdf"              # optional
      base = { position = [0, 1, 0], rotation = [1, 0, 0, 0] }
  Each link of a robot is tested against each link of the other robots.

  Planar and floating joints move if the path has their columns: JOINT/x, /y and
  /yaw, or JOINT/x, /y, /z and /roll, /pitch, /yaw or /qx, /qy, /qz, /qw.

  In a world (.wrl, .x3d) a path moves transforms by their DEF names: columns
  ARM.rotation, in radians about the axis in the file, and ARM.translation.x, .y
  and .z. Other transforms keep their values in the file.

  Reports have the format of scenes, and times are times of the path. An
  interval also has the place on the path where it starts:
      "segment":0,"joints":{"shoulder":0.25,"elbow":0.3}
  Several paths, or a folder, make one report with all paths:
      {"format":1,"verdict":"contact","paths":[{"path":"a.csv",..},..]}
  CSV has one row per interval, with the path in the first column; JUnit XML has
  one suite per path."#;

/// The examples about robots.
pub(super) const ROBOT_EXAMPLES: &str = r#"  Is this path of a robot free, in its cell?
      chasles check arm.urdf --path pick.csv --srdf arm.srdf --world cell.toml

  Where does this path leave the limits of the joints?
      chasles check arm.urdf --path pick.csv --limits report

  Do these two robots collide, each on its path?
      chasles check robots.toml --path left=l.csv --path right=r.csv

  All paths of a program, for a build server:
      chasles check arm.urdf --path program/ --junit report.xml"#;

/// Seven numbers: a position and a quaternion.
fn pose(text: &str) -> Result<Pose, String> {
    let expected = "expected seven finite numbers x,y,z,qw,qx,qy,qz, the last four of them not all 0";
    let numbers: Vec<f64> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    let [x, y, z, w, i, j, k] = numbers[..] else { return Err(expected.into()) };
    if text.split(',').count() != 7 {
        return Err(expected.into());
    }
    Pose::new(DVec3::new(x, y, z), DQuat::from_xyzw(i, j, k, w))
        .map_err(|error| format!("base {error}; {expected}"))
}

pub(super) fn package(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => Ok((name.into(), folder.into())),
        _ => Err("expected the name of a package and its folder, NAME=DIR".into()),
    }
}

fn acceleration(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a finite number greater than 0".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_and_packages() {
        let base = pose("1, 2,-3e0,0,0,0,-2").unwrap();
        assert_eq!(base.position(), DVec3::new(1.0, 2.0, -3.0));
        for bad in [
            "", "1,2,3", "0,0,0,0,0,0,0", "0,0,0,1,0,0,nan", "0,0,0,1,0,0,0,0", "0,0,0,x,1,0,0,0",
            "inf,0,0,1,0,0,0",
        ] {
            let message = pose(bad).unwrap_err();
            assert!(message.contains("expected seven finite numbers"), "{bad}: {message}");
        }
        assert_eq!(package("arm=a=b"), Ok(("arm".into(), "a=b".into())));
        for bad in ["arm", "=x", "arm=", ""] {
            assert!(package(bad).is_err(), "{bad}");
        }
        assert_eq!(acceleration("2.5"), Ok(2.5));
        for bad in ["0", "-1", "nan", "inf", "x"] {
            assert!(acceleration(bad).is_err(), "{bad}");
        }
    }
}
