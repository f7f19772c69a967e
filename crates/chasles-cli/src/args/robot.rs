//! The options of `chasles check` for robots.

use std::path::PathBuf;

use chasles::Pose;
use chasles_formats::mesh::MissingGeometry;
use chasles_formats::robot::joint_path::AngleUnit;
use clap::ValueHint;
use glam::{DQuat, DVec3};

/// What a robot is checked on, and in what cell.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Robots")]
pub(crate) struct RobotArgs {
    /// A path of the robot: .csv, or a ROS trajectory in .yaml or .json; or a folder of them; may be given several times
    ///
    /// Several robots follow theirs together: ROBOT=FILE for each, or one file with columns ROBOT/JOINT.
    /// Of several, and of a folder, each is checked, and one report tells of all. A file that is bad does not keep the
    /// others from being checked; the exit status is that of the worst.
    #[arg(long = "path", value_name = "PATH.csv", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// In what its angles are.
    #[command(flatten)]
    pub(crate) angles: AngleArgs,

    /// Its cell.
    #[command(flatten)]
    pub(crate) cell: CellArgs,

    /// Time the path anew, from rest to rest, with this acceleration
    ///
    /// The robot stops at every waypoint and moves between waypoints as fast as the limits allow: this acceleration, in
    /// rad/s^2 or m/s^2, and the speeds of the robot's file. The times and velocities of the path are not used, and a
    /// CSV file needs no column time. The joints go in step along the straight way from waypoint to waypoint.
    #[arg(long, value_name = "ACCELERATION", value_parser = acceleration, allow_negative_numbers = true)]
    pub(crate) retime: Option<f64>,

    /// Follow positions and velocities of a ROS trajectory by cubics, whatever accelerations it gives
    ///
    /// Without it, accelerations that are not those of the cubics are an error: a controller that uses them moves otherwise.
    #[arg(long)]
    pub(crate) cubic: bool,
}

/// In what the angles of paths are.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Robots")]
pub(crate) struct AngleArgs {
    /// Angles in the path are degrees
    ///
    /// Those are positions and velocities of joints that turn. Everything else stays in radians: limits, and what is told.
    #[arg(long)]
    pub(crate) degrees: bool,
}

impl AngleArgs {
    /// The unit of angles.
    pub(crate) fn unit(&self) -> AngleUnit {
        if self.degrees { AngleUnit::Degrees } else { AngleUnit::Radians }
    }
}

/// What is said of a robot and its cell, whatever is to be done with it.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Robots")]
pub(crate) struct CellArgs {
    /// Pairs of links that are not tested, and named postures: SRDF
    #[arg(long, value_name = "FILE.srdf", value_hint = ValueHint::FilePath)]
    pub(crate) srdf: Option<PathBuf>,

    /// What is around the robot: a scene, whose bodies may ride on links with parent = "LINK"
    #[arg(long, value_name = "SCENE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) world: Option<PathBuf>,

    /// Where the root link stands in the world, in metres and as a quaternion [default: 0,0,0,1,0,0,0]
    #[arg(long, value_name = "x,y,z,qw,qx,qy,qz", value_parser = pose, allow_hyphen_values = true)]
    pub(crate) base: Option<Pose>,

    /// Begin in this posture of the SRDF [default: at rest]
    ///
    /// The name of a `group_state`, or GROUP/NAME. Joints that the posture does not name rest. On a path, the joints
    /// that the path does not name stay in this posture. If the first waypoint of the path is later than 0, the check
    /// includes the way from this posture at time 0 to that waypoint, as segment 0.
    #[arg(long, value_name = "POSTURE")]
    pub(crate) start: Option<String>,

    /// The folder of a package of meshes; may be given several times
    ///
    /// Without it, the package is looked for in the folder of the robot's file, then in those above.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub(crate) packages: Vec<(String, PathBuf)>,

    /// This link or body of --world is hollow: a body inside it is free; may be given several times
    ///
    /// Without it, links and bodies of the world are solid if they are closed (primitives, and meshes in which every
    /// edge has two triangles): a body wholly inside a solid one is in contact. A body with solid = false is hollow
    /// too. The name all means all links, and all bodies without solid = true.
    #[arg(long = "hollow", value_name = "NAME|all")]
    pub(crate) hollow: Vec<String>,

    /// Links without collision geometry take their visual geometry
    ///
    /// Without this option such links are not tested, and a warning names them. A robot without any collision geometry
    /// is an error.
    #[arg(long)]
    pub(crate) use_visual: bool,

    /// Read mesh files without surfaces that Chasles cannot read, such as free-form surfaces of an OBJ
    ///
    /// Without this option such a file is an error, because the space that those surfaces fill would count as free.
    /// With it, the verdict names the missing surfaces.
    #[arg(long, help_heading = None::<&str>)]
    pub(crate) allow_missing_geometry: bool,

    /// Clearances of pairs: rows a,b,metres below a,b,clearance
    ///
    /// They count in place of that of --clearance. Names are those of links and of bodies of the world; * stands for every other. Of two rows about one pair the later counts.
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
    if allowed { MissingGeometry::LeftOut } else { MissingGeometry::Refused }
}

impl RobotArgs {
    /// All files that are named.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let CellArgs { srdf, world, clearance_file, .. } = &self.cell;
        self.paths.iter().chain([srdf, world, clearance_file].into_iter().flatten())
    }

    /// The first of these arguments that is given, as it is written.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
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
        given.into_iter().find_map(|(given, name)| given.then_some(name))
    }
}

/// What becomes of a path that is beyond the limits of joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LimitsArg {
    /// Told on standard error and in the report; the path is checked to its end
    Warn,
    /// Findings, listed in the report: exit status 1; the path is checked to its end
    Report,
    /// An error, for speeds too
    Refuse,
}

/// The part of the help of `chasles check` that is about robots.
pub(super) const ROBOT_HELP: &str = r#"ROBOTS
  chasles check ROBOT.urdf --path PATH.csv tells which links meet each other
  or the bodies of --world while the robot follows the path: proven for the
  true motion of every link. Pairs at rest, between which no joint moves on
  this path, are tested too. Not tested: links that one joint joins, pairs that
  the SRDF disables, rigidly joined links, the base against bodies that cannot
  move (with --static they are), and bodies of the world against each other.

  time,shoulder,elbow                # seconds; radians (with --degrees
                                     # degrees) or metres
  0.0,0.0,1.2
  2.0,0.5,-0.3                       # joints move evenly between rows

  Joints that are not named rest at 0, or in the middle of limits that exclude
  0. Lines that begin with # say nothing. A JointTrajectory of ROS, as YAML or
  JSON, may have velocities: its joints move along cubics.

  Limits of joints in the URDF count: values beyond them are an error and
  speeds beyond them a warning, unless --limits says what becomes of both. The
  report has them in order of time:
      "limits":[{"joint":"elbow","kind":"upper","limit":3.0,"found":3.2,
       "unit":"rad","at":1.5,"from":1.25,"until":1.75,"segments":[0,1],
       "finding":true}]
  kind: lower, upper or velocity; found: the value farthest beyond, at that
  time; from, until: when it is beyond, to a few roundings.

  Several robots in one cell stand in a file in TOML, in place of the URDF:
      format = 1
      [[robot]]
      name = "left"                  # its links and joints: left/hand, ..
      urdf = "arm.urdf"
      srdf = "arm.srdf"              # or none
      base = { position = [0, 1, 0], rotation = [1, 0, 0, 0] }
  Each link of one is tested against each link of the others.

  Planar and floating joints move where the path has their columns: JOINT/x,
  /y and /yaw, or JOINT/x, /y, /z and /roll, /pitch, /yaw or /qx, /qy, /qz, /qw.

  In a world (.wrl, .x3d) a path moves transforms by the names that DEF gives
  them: columns ARM.rotation, in radians about the axis that stands in the
  file, and ARM.translation.x, .y and .z. Others stand as the file has them.

  Reports are those of scenes; times are those of the path, and an interval
  also has where along the path it begins:
      "segment":0,"joints":{"shoulder":0.25,"elbow":0.3}
  Several paths, or a folder, make one report with all of them:
      {"format":1,"verdict":"contact","paths":[{"path":"a.csv",..},..]}
  In CSV there is a row an interval, with the path in its first column; in
  JUnit XML a suite a path."#;

/// The examples that are about robots.
pub(super) const ROBOT_EXAMPLES: &str = r#"  Is this path of a robot free, in its cell?
      chasles check arm.urdf --path pick.csv --srdf arm.srdf --world cell.toml

  Where does this path leave the limits of the joints?
      chasles check arm.urdf --path pick.csv --limits report

  Do these two robots meet, each on its path?
      chasles check robots.toml --path left=l.csv --path right=r.csv

  All paths of a program, as a build server wants them:
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
            "",
            "1,2,3",
            "0,0,0,0,0,0,0",
            "0,0,0,1,0,0,nan",
            "0,0,0,1,0,0,0,0",
            "0,0,0,x,1,0,0,0",
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
