//! Reads robots and their cells for the commands.

use std::path::{Path, PathBuf};

use chasles::{Pose, Robot, RobotCell, RobotDefinition};
use chasles_formats::Error;
use chasles_formats::robot::cell::{self, CellOptions, HollowBodies};
use chasles_formats::robot::clearance_file;
use chasles_formats::robot::joint_path::PathFile;
use chasles_formats::robot::named_configurations::{self, NamedConfiguration};
use chasles_formats::robot::several;
use chasles_formats::robot::urdf::{self, RobotFile, UrdfOptions};
use chasles_formats::scene::appearance::Appearance;
use chasles_formats::vrml::{self, World, WorldRobot};

use crate::args::CellArgs;
use crate::exit::Failure;
use crate::warnings::Warnings;

/// A model with joints: a robot, or the movable objects of a world.
pub(crate) struct Model {
    definition: RobotDefinition,
    configurations: Vec<NamedConfiguration>,
    /// Planar and floating joints.
    free: Vec<String>,
    /// All files that were read for the model.
    files: Vec<PathBuf>,
    appearance: Appearance,
    warnings: Vec<String>,
    /// Surfaces of the model's files that were left out.
    missing: Vec<String>,
}

/// A model in its cell.
pub(crate) struct ReadCell {
    pub(crate) cell: RobotCell,
    pub(crate) appearance: Appearance,
    /// The named configurations of the robot.
    pub(crate) configurations: Vec<NamedConfiguration>,
    /// Planar and floating joints.
    pub(crate) free: Vec<String>,
    /// All files that were read, the model's first.
    pub(crate) files: Vec<PathBuf>,
    /// Surfaces of files that were left out: one sentence each.
    pub(crate) missing: Vec<String>,
}

/// Reads a robot, or a world in which all rigid objects can move.
pub(crate) fn model(file: &Path, args: &CellArgs) -> Result<Model, Failure> {
    if !vrml::is_world(file) {
        return robot(file, args);
    }
    let world = world(file, args)?;
    let mut columns = world.columns();
    columns.retain(|column| world.robot(std::slice::from_ref(column)).is_ok());
    movable(&world, &columns)
}

/// Reads a robot, or a world in which the objects named by the columns of the paths can move. An object that one
/// path does not name rests on this path. A path that names an object that cannot move becomes an error.
pub(crate) fn model_for(
    file: &Path,
    args: &CellArgs,
    paths: &mut [chasles_formats::Result<PathFile>],
) -> Result<Model, Failure> {
    if !vrml::is_world(file) {
        return robot_for(file, args, paths);
    }
    let world = world(file, args)?;
    let mut columns: Vec<String> = Vec::new();
    for read in paths.iter_mut() {
        let Ok(path) = read else { continue };
        match world.robot(&path.joints) {
            Ok(_) => {
                let new: Vec<_> =
                    path.joints.iter().filter(|name| !columns.contains(name)).cloned().collect();
                columns.extend(new);
            }
            Err(error) => {
                let (file, place) = (path.file.clone(), path.joints_place.clone());
                *read = Err(Error { file, place, message: error.to_string() });
            }
        }
    }
    movable(&world, &columns)
}

/// Puts a model into its cell, and prints warnings.
pub(crate) fn cell(
    model: Model,
    (file, args): (&Path, &CellArgs),
    clearance: Option<f64>,
    warnings: &Warnings,
) -> Result<ReadCell, Failure> {
    let mut robot = Robot::new(model.definition).map_err(|error| Error::file(file, error.to_string()))?;
    if let Some(name) = &args.start {
        robot = at_configuration(robot, file, (name, &model.configurations), warnings)?;
    }
    let base = args.base.unwrap_or(Pose::IDENTITY);
    let (hollow, unread) = (HollowBodies::of_names(&args.hollow), args.unread());
    let options = CellOptions { base, world: args.world.clone(), clearance, hollow, unread };
    let built = cell::build(robot, file, &options)?;
    options.hollow.check(file, &built.cell)?;
    warnings.add_all(&model.warnings);
    warnings.add_all(&built.warnings);
    let mut cell = built.cell;
    if let Some(file) = &args.clearance_file {
        let (clearances, warning) = clearance_file::read(file, &cell)?;
        warnings.add_all(warning.as_slice());
        cell = cell.with_clearances(clearances).map_err(|error| Error::file(file, error.to_string()))?;
    }
    let files = model.files.iter().cloned().chain(built.files).chain(args.clearance_file.clone()).collect();
    let missing = [model.missing, built.missing].concat();
    let Model { appearance, configurations, free, .. } = model;
    Ok(ReadCell { cell, appearance, configurations, free, files, missing })
}

/// The robot with a named configuration as its rest configuration.
fn at_configuration(
    robot: Robot,
    file: &Path,
    (name, configurations): (&str, &[NamedConfiguration]),
    warnings: &Warnings,
) -> Result<Robot, Failure> {
    let found = named_configurations::find(name, configurations, (&robot, &robot.rest()));
    let found = found.map_err(|message| Failure::Bad(format!("--start: {message}")))?;
    warnings.add_all(&found.warnings);
    let mut definition = robot.definition().clone();
    for (joint, value) in definition.joints.iter_mut().zip(found.values) {
        joint.rest = value;
    }
    Ok(Robot::new(definition).map_err(|error| Error::file(file, error.to_string()))?)
}

/// Whether a file is a robot, or names several robots.
pub(crate) fn is_robot(file: &Path) -> bool {
    urdf::is_urdf(file) || several::are_robots(file)
}

/// Reads a robot, or several robots of one file.
fn robot(file: &Path, args: &CellArgs) -> Result<Model, Failure> {
    let (packages, srdf) = (args.packages.clone(), args.srdf.clone());
    let options = UrdfOptions { packages, srdf, use_visual: args.use_visual, unread: args.unread() };
    let read =
        if several::are_robots(file) { several::read(file, &options)? } else { urdf::read(file, &options)? };
    let RobotFile { definition, configurations, free, appearance, files, warnings, missing } = read;
    Ok(Model { definition, configurations, free, files, appearance, warnings, missing })
}

/// Reads a robot whose planar and floating joints are moved by paths. A path without the values of such a joint
/// becomes an error.
fn robot_for(
    file: &Path,
    args: &CellArgs,
    paths: &mut [chasles_formats::Result<PathFile>],
) -> Result<Model, Failure> {
    let model = robot(file, args)?;
    for read in paths.iter_mut() {
        let Ok(path) = read else { continue };
        let named = path.free_joints();
        if let Some(joint) = model.free.iter().find(|joint| !named.contains(joint)) {
            let message = format!(
                "found no columns of the joint {joint:?}, which is planar or floating, expected {joint}/x and others"
            );
            *read = Err(Error { file: path.file.clone(), place: path.joints_place.clone(), message });
        }
    }
    Ok(model)
}

fn world(file: &Path, args: &CellArgs) -> Result<World, Failure> {
    let only = [
        (args.srdf.is_some(), "--srdf"),
        (!args.packages.is_empty(), "--package"),
        (args.use_visual, "--use-visual"),
    ];
    if let Some((_, option)) = only.iter().find(|(is_given, _)| *is_given) {
        return Err(Error::file(file, format!("found {option}, which is not for worlds")).into());
    }
    Ok(vrml::read(file)?)
}

fn movable(world: &World, columns: &[String]) -> Result<Model, Failure> {
    let WorldRobot { definition, appearance, warnings } = world.robot(columns)?;
    let (configurations, free, missing) = (vec![], vec![], vec![]);
    Ok(Model { definition, configurations, free, files: world.files(), appearance, warnings, missing })
}
