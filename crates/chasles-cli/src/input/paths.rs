//! Finds and reads the path files of a robot.

use std::path::{Path, PathBuf};

use chasles::{JointPath, LimitBreach, Robot, RobotCell, RobotDefinition};
use chasles_formats::report::breach::{LimitTreatment, ReportedBreach};
use chasles_formats::report::path_warnings;
use chasles_formats::robot::joint_path::{
    self, Accelerations, AngleUnit, MissingTimes, PathFile, PathOptions, TrapezoidalLimit, resolve,
};
use chasles_formats::robot::several;
use chasles_formats::{Error, Result};

use crate::args::RobotArgs;
use crate::exit::Failure;
use crate::warnings::Warnings;

/// The extensions of the files that are read from a folder.
const KINDS: [&str; 4] = ["csv", "yaml", "yml", "json"];

/// The paths that the arguments name.
pub(crate) enum Paths {
    /// A single path, which has a report of its own.
    One(Source),
    /// Several paths, or a folder: one report contains all of them.
    Several(Vec<Source>),
}

/// The source of a path.
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// A file for each of several robots, with the robot's name; the robots move together.
    Together(Vec<(String, PathBuf)>),
}

impl Source {
    /// The name of the path.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(file) => file.display().to_string(),
            Self::Together(parts) => {
                let named = |(robot, file): &(String, PathBuf)| format!("{robot}={}", file.display());
                parts.iter().map(named).collect::<Vec<_>>().join(" ")
            }
        }
    }

    fn files(&self) -> Vec<&PathBuf> {
        match self {
            Self::File(file) => vec![file],
            Self::Together(parts) => parts.iter().map(|(_, file)| file).collect(),
        }
    }
}

impl Paths {
    /// Finds the paths, including the files of folders, which are sorted by name.
    pub(crate) fn find(args: &RobotArgs, robot: &Path) -> std::result::Result<Self, Failure> {
        if several::are_robots(robot) {
            let parts: Vec<_> = args.paths.iter().filter_map(|path| of_robot(path)).collect();
            if !parts.is_empty() && parts.len() == args.paths.len() {
                return Ok(Self::One(Source::Together(parts)));
            }
            if !parts.is_empty() {
                let message = "--path: found paths with and without the name of a robot, expected ROBOT=FILE for each or for none";
                return Err(Failure::Bad(message.into()));
            }
        }
        match &args.paths[..] {
            [] => Err(Error::file(robot, "found no --path, expected the path of the robot").into()),
            [one] if !one.is_dir() => Ok(Self::One(Source::File(one.clone()))),
            several => {
                let mut files = Vec::new();
                for path in several {
                    match path.is_dir() {
                        true => files.extend(inside(path)?),
                        false => files.push(path.clone()),
                    }
                }
                Ok(Self::Several(files.into_iter().map(Source::File).collect()))
            }
        }
    }

    /// The source of each path.
    pub(crate) fn sources(&self) -> &[Source] {
        match self {
            Self::One(source) => std::slice::from_ref(source),
            Self::Several(sources) => sources,
        }
    }

    /// All files of the paths.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.sources().iter().flat_map(Source::files)
    }
}

/// The robot and the file of `ROBOT=FILE`. `None` if the whole text is the name of a file.
fn of_robot(path: &Path) -> Option<(String, PathBuf)> {
    let (robot, file) = path.to_str()?.split_once('=').filter(|_| !path.exists())?;
    (!robot.is_empty() && !file.is_empty()).then(|| (robot.to_owned(), file.into()))
}

/// The paths in a folder: at least one.
fn inside(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| Error::io(folder, &error))?;
    let mut files = Vec::new();
    for entry in entries {
        let file = entry.map_err(|error| Error::io(folder, &error))?.path();
        let extension =
            file.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        if extension.is_some_and(|extension| KINDS.contains(&extension.as_str())) && !file.is_dir() {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Error::file(folder, "found no path in this folder, expected .csv, .yaml, .yml or .json"));
    }
    Ok(files)
}

/// A path that was read: as in the file (or with new times), and in the form for the engine.
pub(crate) struct ReadPath {
    pub(crate) file: PathFile,
    pub(crate) path: JointPath,
    /// The violations of joint limits, with their times.
    pub(crate) breaches: Vec<LimitBreach>,
    /// The warnings about the path, which were already printed on standard error.
    pub(crate) warnings: Vec<String>,
}

/// Reads a path.
pub(crate) fn read(source: &Source, args: &RobotArgs) -> Result<PathFile> {
    match source {
        Source::File(file) => read_file(file, args),
        Source::Together(parts) => {
            let read = |(robot, file): &(String, PathBuf)| Ok((robot.clone(), read_file(file, args)?));
            let read = parts.iter().map(read).collect::<Result<Vec<_>>>()?;
            joint_path::combine(&read, &source.name())
        }
    }
}

fn read_file(file: &Path, args: &RobotArgs) -> Result<PathFile> {
    // New timing or cubic interpolation discards the accelerations of the file.
    let unused = args.cubic || args.retime.is_some();
    let accelerations = if unused { Accelerations::Unused } else { Accelerations::Refused };
    let times = if args.retime.is_some() { MissingTimes::Unused } else { MissingTimes::Needed };
    joint_path::read(file, PathOptions { accelerations, times })?.with_angles(args.angles.unit())
}

/// Converts a path to radians. Also returns the warnings about the path, which go to standard error.
pub(crate) fn in_radians(
    file: PathFile,
    robot: &RobotDefinition,
    unit: AngleUnit,
    warnings: &Warnings,
) -> (PathFile, Vec<String>) {
    let file = if unit == AngleUnit::Degrees { file.in_radians(robot) } else { file };
    let warning_list = path_warnings::of_file(&file, robot, unit);
    warnings.add_all(&warning_list);
    (file, warning_list)
}

/// The robot and the cell for which paths are read.
pub(crate) struct Fit<'a> {
    /// In this cell the robot has no limits, if paths that violate limits are accepted.
    pub(crate) cell: &'a RobotCell,
    /// The robot with its limits, and the severity of a violation.
    pub(crate) robot: (&'a Robot, LimitTreatment),
    /// Planar and floating joints.
    pub(crate) free: &'a [String],
}

/// Fits a path to a robot: converts angles to radians, adds the move from the start configuration if `args` has
/// one, and computes new times if `args` requires them. The warnings about the path go to standard error.
pub(crate) fn fitted(
    file: PathFile,
    fit: &Fit<'_>,
    args: &RobotArgs,
    warnings: &Warnings,
) -> Result<ReadPath> {
    let (definition, (robot, limits)) = (fit.cell.robot().definition(), fit.robot);
    let (mut file, mut warning_list) = in_radians(file, robot.definition(), args.angles.unit(), warnings);
    if args.cell.start.is_some() {
        file = file.with_start_at_rest(robot, fit.free);
    }
    if let Some(acceleration) = args.retime {
        let numbers = resolve(&file, definition)?.joints;
        let limit = |number: usize| {
            let joint = &definition.joints[number];
            let velocity = joint.velocity.ok_or_else(|| {
                let message = format!(
                    "found no speed of the joint {:?} in its robot, expected one for --retime",
                    joint.name
                );
                Error::file(&file.file, message)
            })?;
            Ok(TrapezoidalLimit { velocity, acceleration })
        };
        let limits: Vec<TrapezoidalLimit> = numbers.into_iter().map(limit).collect::<Result<_>>()?;
        file = file.retimed(&limits)?;
    }
    let path = resolve(&file, definition)?;
    let breaches = path.limit_breaches(robot);
    let world: Vec<String> = path_warnings::of_world(&file, fit.cell).into_iter().collect();
    warnings.add_all(&world);
    warning_list.extend(world);
    if limits != LimitTreatment::Findings {
        let reported_breaches: Vec<_> =
            breaches.iter().map(|breach| ReportedBreach::new(breach, (robot, limits), &file)).collect();
        let limit_warnings = path_warnings::of_limits(&file, &reported_breaches);
        warnings.add_all(&limit_warnings);
        warning_list.extend(limit_warnings);
    }
    Ok(ReadPath { file, path, breaches, warnings: warning_list })
}
