//! Robots and their cells, as the commands name them.

use std::path::{Path, PathBuf};

use chasles::{Pose, Robot, RobotCell, RobotDefinition};
use chasles_formats::robot_cell::{self, CellOptions};
use chasles_formats::urdf::{self, UrdfOptions};
use chasles_formats::{Error, clearance_file};

use crate::args::CellArgs;
use crate::complain;
use crate::exit::Failure;

/// A robot in its cell.
pub(crate) struct ReadCell {
    pub(crate) cell: RobotCell,
    /// All files that were read, the robot's first.
    pub(crate) files: Vec<PathBuf>,
}

/// What moves, as its file has it.
pub(crate) struct Model {
    pub(crate) definition: RobotDefinition,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
}

/// Reads a robot and what is around it; what is doubtful is told.
pub(crate) fn read(file: &Path, args: &CellArgs, clearance: Option<f64>) -> Result<ReadCell, Failure> {
    let options = UrdfOptions { packages: args.packages.clone(), srdf: args.srdf.clone() };
    let urdf::RobotFile { definition, files, warnings } = urdf::read(file, &options)?;
    around(file, Model { definition, files, warnings }, args, clearance)
}

/// Reads what is around what moves.
pub(crate) fn around(
    file: &Path,
    model: Model,
    args: &CellArgs,
    clearance: Option<f64>,
) -> Result<ReadCell, Failure> {
    let tree = Robot::new(model.definition).map_err(|error| Error::file(file, error.to_string()))?;
    let base = args.base.unwrap_or(Pose::IDENTITY);
    let options = CellOptions { base, world: args.world.clone(), clearance };
    let built = robot_cell::build(tree, file, &options)?;
    let warnings = model.warnings.iter().chain(&built.warnings);
    warnings.for_each(|warning| complain(&format!("warning: {warning}")));
    let mut cell = built.cell;
    if let Some(file) = &args.clearance_file {
        let clearances = clearance_file::read(file, &cell)?;
        cell = cell.with_clearances(clearances).map_err(|error| Error::file(file, error.to_string()))?;
    }
    let files = model.files.into_iter().chain(built.files).chain(args.clearance_file.clone()).collect();
    Ok(ReadCell { cell, files })
}
