//! A robot in its cell: its base, and the world around it, a scene file whose bodies may be attached to links.

use std::path::{Path, PathBuf};

use chasles::{CellDefinition, Error as EngineError, PairSide, Pose, Robot, RobotCell, SceneBody, WorldBody};

use crate::error::{Error, Result};
use crate::mesh::MissingGeometry;
use crate::scene;
use crate::scene::build::BuiltBodies;
use crate::scene::file::{ScenePurpose, ShapeEntry};

/// The cell in which a robot is checked.
#[derive(Debug, Clone, PartialEq)]
pub struct CellOptions {
    /// The pose of the root link in the world.
    pub base: Pose,
    /// The scene file of the world.
    pub world: Option<PathBuf>,
    /// Pairs that come this close are reported, in metres; `None`: the clearance of the world, or 0.
    pub clearance: Option<f64>,
    /// The treatment of surfaces in mesh files of the world that Chasles cannot read.
    pub unread: MissingGeometry,
    /// The hollow links and bodies.
    pub hollow: HollowBodies,
}

/// The links and bodies that are hollow. All others are solid if they are closed: primitives, and meshes in which every
/// edge has two triangles. A body of the world with `solid = false` is hollow too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HollowBodies {
    /// Links and bodies of the world with these names.
    Named(Vec<String>),
    /// All links, and all bodies of the world whose entries do not say `solid = true`.
    All,
}

impl Default for HollowBodies {
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

impl HollowBodies {
    /// The hollow links and bodies by the names that a user gave; the name `all` selects all.
    #[must_use]
    pub fn of_names(names: &[String]) -> Self {
        match names.iter().any(|name| name == "all") {
            true => Self::All,
            false => Self::Named(names.to_vec()),
        }
    }

    /// The same robot with the named links hollow.
    #[must_use]
    pub fn links(&self, robot: Robot) -> Robot {
        robot.with_hollow(|link| match self {
            Self::Named(names) => names.contains(&link.name),
            Self::All => true,
        })
    }

    /// Whether a body of the world is solid; `stated`: the key `solid` of its entry.
    #[must_use]
    pub fn is_solid(&self, body: &SceneBody, stated: Option<bool>) -> bool {
        let is_closed = || body.shape.as_ref().is_some_and(chasles::CollisionShape::is_closed);
        match self {
            Self::Named(names) => !names.contains(&body.name) && stated.unwrap_or_else(is_closed),
            // A solid made of parts is solid without the key.
            Self::All => stated.unwrap_or(body.solid),
        }
    }

    /// Checks that each name is the name of a link or a body of a cell.
    ///
    /// # Errors
    /// An unknown name, at the robot's file.
    pub fn check(&self, path: &Path, cell: &RobotCell) -> Result<()> {
        let Self::Named(names) = self else { return Ok(()) };
        let known: Vec<&str> = (0..cell.count()).map(|body| cell.name(body)).collect();
        match names.iter().find(|name| !known.contains(&name.as_str())) {
            Some(name) => {
                let expected = "expected the name of a link or of a body of the world, or all";
                let message = format!("found no {name:?} to be hollow, {expected}: {}", known.join(", "));
                Err(Error::file(path, message))
            }
            None => Ok(()),
        }
    }
}

impl Default for CellOptions {
    fn default() -> Self {
        let (hollow, unread) = (HollowBodies::default(), MissingGeometry::Refused);
        Self { base: Pose::IDENTITY, world: None, clearance: None, hollow, unread }
    }
}

/// A cell in which paths can be checked.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltCell {
    /// The robot in its cell.
    pub cell: RobotCell,
    /// Warnings: one sentence each.
    pub warnings: Vec<String>,
    /// The surfaces of the world's files that were left out: one sentence each.
    pub missing: Vec<String>,
    /// The files that were read for the world.
    pub files: Vec<PathBuf>,
}

/// Duration of a world without motion, in seconds.
const STILL: f64 = 1.0;

/// Builds the cell of a robot that was read from `path`.
///
/// # Errors
/// An error in the world's file, as for [`scene::build::build`]; a body with the name of a link; a negative
/// clearance. Unknown names in [`HollowBodies`] are ignored here: see [`HollowBodies::check`].
pub fn build(robot: Robot, path: &Path, options: &CellOptions) -> Result<BuiltCell> {
    let mut definition = CellDefinition {
        robot: options.hollow.links(robot),
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
        return Ok(BuiltCell { cell, warnings: Vec::new(), missing: Vec::new(), files: Vec::new() });
    };
    let names: Vec<&str> = definition.robot.links().iter().map(|link| link.name.as_str()).collect();
    let mut file = scene::file::read_for(world, ScenePurpose::World { links: &names })?;
    file.unread = options.unread;
    if let Some(body) = file.bodies.iter().find(|body| matches!(body.shape, ShapeEntry::Deforming(_))) {
        let message = "found a body that deforms, expected rigid ones around a robot: a scene without robot may have it";
        return Err(body.shape_error(world, message));
    }
    let elements = definition.robot.links().iter().flat_map(|link| &link.elements);
    let world_sizes: Vec<f64> = elements.map(|element| scene::build::size(&element.shape)).collect();
    let BuiltBodies { mut bodies, warnings, missing } = scene::build::bodies(&file, world, world_sizes)?;
    for (body, entry) in bodies.iter_mut().zip(&file.bodies) {
        body.solid = options.hollow.is_solid(body, entry.solid);
    }
    let (links, count) = (names.len(), bodies.len());
    // The file numbers bodies before links, and a cell numbers links before bodies.
    let renumbered = |number: usize| if number < count { links + number } else { number - count };
    definition.world = bodies
        .into_iter()
        .map(|mut body| {
            let link = body.parent.and_then(|parent| parent.checked_sub(count));
            body.parent = body.parent.filter(|parent| *parent < count);
            WorldBody { body, link }
        })
        .collect();
    let side = |side: PairSide| match side {
        PairSide::Body(body) => PairSide::Body(renumbered(body)),
        every => every,
    };
    definition.ignore = scene::build::ignored(&file).into_iter().map(|pair| pair.map(side)).collect();
    definition.world_duration = file.duration;
    definition.tolerance = file.tolerance;
    definition.clearance = options.clearance.unwrap_or(file.clearance);
    let located = |error: EngineError| scene::build::located(&file, world, &error);
    let mut cell = RobotCell::new(definition).map_err(located)?;
    has_surface(&cell, path)?;
    if let Some(epsilon) = file.epsilon {
        cell = cell.with_epsilon(epsilon).map_err(|error| Error::file(world, error.to_string()))?;
    }
    let files = [world.clone()].into_iter().chain(file.files().into_iter().map(PathBuf::from)).collect();
    Ok(BuiltCell { cell, warnings, missing, files })
}

/// Refuses a robot without any surface: no link has a surface, and no body of the world is attached to a link.
fn has_surface(cell: &RobotCell, path: &Path) -> Result<()> {
    let robot = cell.robot().links().iter().any(|link| !link.elements.is_empty());
    if robot || cell.definition().world.iter().any(|body| body.link.is_some()) {
        return Ok(());
    }
    let what = "found no collision geometry in any link, expected some (--use-visual takes visual \
                geometry)";
    Err(Error::file(path, what))
}
