//! A robot in its cell: where it stands, and the world around it, which is a scene file whose bodies may ride on links.

use std::path::{Path, PathBuf};

use chasles::{CellDefinition, Error as EngineError, Pose, Robot, RobotCell, Side, WorldBody};

use crate::error::{Error, Result};
use crate::scene_build;
use crate::scene_file::{self, Purpose, ShapeEntry};

/// What a robot is checked in.
#[derive(Debug, Clone, PartialEq)]
pub struct CellOptions {
    /// Where the root link stands.
    pub base: Pose,
    /// The scene file of the world.
    pub world: Option<PathBuf>,
    /// Pairs that come this close are reported, in metres; `None`: that of the world, or 0.
    pub clearance: Option<f64>,
}

impl Default for CellOptions {
    fn default() -> Self {
        Self { base: Pose::IDENTITY, world: None, clearance: None }
    }
}

/// A cell that is ready for paths.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltCell {
    /// The robot in its cell.
    pub cell: RobotCell,
    /// What was doubtful: one sentence each.
    pub warnings: Vec<String>,
    /// The files that were read for the world.
    pub files: Vec<PathBuf>,
}

/// How long a world lasts in which nothing moves.
const STILL: f64 = 1.0;

/// Builds the cell of a robot that was read from `path`.
///
/// # Errors
/// Whatever is wrong with the world's file, as [`scene_build::build`]; a body that bears the name of a link; a clearance that is
/// negative.
pub fn build(robot: Robot, path: &Path, options: &CellOptions) -> Result<BuiltCell> {
    let mut definition = CellDefinition {
        robot,
        base: options.base,
        world: Vec::new(),
        world_duration: STILL,
        ignore: Vec::new(),
        tolerance: None,
        clearance: options.clearance.unwrap_or(0.0),
        clearances: Vec::new(),
    };
    let Some(world) = &options.world else {
        let complain = |error: EngineError| Error::file(path, error.to_string());
        let cell = RobotCell::new(definition).map_err(complain)?;
        has_surface(&cell, path)?;
        return Ok(BuiltCell { cell, warnings: Vec::new(), files: Vec::new() });
    };
    let names: Vec<&str> = definition.robot.links().iter().map(|link| link.name.as_str()).collect();
    let file = scene_file::read_for(world, Purpose::World { links: &names })?;
    if let Some(body) = file.bodies.iter().find(|body| matches!(body.shape, ShapeEntry::Deforming(_))) {
        let message = "found a body that deforms, expected rigid ones around a robot: a scene without robot may have it";
        return Err(body.shape_error(world, message));
    }
    let elements = definition.robot.links().iter().flat_map(|link| &link.elements);
    let around: Vec<f64> = elements.map(|element| scene_build::size(&element.shape)).collect();
    let (bodies, warnings) = scene_build::bodies(&file, world, around)?;
    let (links, count) = (names.len(), bodies.len());
    // The file counts its bodies first, a cell the links.
    let renumbered = |number: usize| if number < count { links + number } else { number - count };
    definition.world = bodies
        .into_iter()
        .map(|mut body| {
            let link = body.parent.and_then(|parent| parent.checked_sub(count));
            body.parent = body.parent.filter(|parent| *parent < count);
            WorldBody { body, link }
        })
        .collect();
    let side = |side: Side| match side {
        Side::Body(body) => Side::Body(renumbered(body)),
        every => every,
    };
    definition.ignore = scene_build::ignored(&file).into_iter().map(|pair| pair.map(side)).collect();
    definition.world_duration = file.duration;
    definition.tolerance = file.tolerance;
    definition.clearance = options.clearance.unwrap_or(file.clearance);
    let located = |error: EngineError| scene_build::located(&file, world, &error);
    let mut cell = RobotCell::new(definition).map_err(located)?;
    has_surface(&cell, path)?;
    if let Some(epsilon) = file.epsilon {
        cell = cell.with_epsilon(epsilon).map_err(|error| Error::file(world, error.to_string()))?;
    }
    let files = [world.clone()].into_iter().chain(file.files().into_iter().map(PathBuf::from)).collect();
    Ok(BuiltCell { cell, warnings, files })
}

/// Refuses a robot of which nothing can be tested: no link has a surface, and no body of the world rides on one.
fn has_surface(cell: &RobotCell, path: &Path) -> Result<()> {
    let robot = cell.robot().links().iter().any(|link| !link.elements.is_empty());
    if robot || cell.definition().world.iter().any(|body| body.link.is_some()) {
        return Ok(());
    }
    let what = "found no collision geometry in any link, expected some: nothing of the robot can be tested \
                (--use-visual takes visual geometry)";
    Err(Error::file(path, what))
}
