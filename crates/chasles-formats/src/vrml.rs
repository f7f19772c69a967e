//! Worlds: VRML97 (`.wrl`, also packed with gzip) and X3D's XML form (`.x3d`).
//!
//! Every `Shape` with triangles is a body, as often as it is used. Its name is made of the names that `DEF` gives, from the root
//! down to it and through files that are included, joined by `/`; where another has it already `#2` follows.
//!
//! A world moves in two ways. Its own clocks (`TimeSensor`) move what interpolators and `ROUTE`s lead to: [`World::scene`].
//! Or a path moves the transforms that `DEF` names: [`World::robot`].
//!
//! - **Transforms** count in full, with centre and scale orientation. Scales are brought into the shapes. A transform that turns
//!   below a scale that differs with the direction is refused: the shapes below it would not be rigid.
//! - **Round bodies** are round in a check. One that its scales make oval is refused there; one that lacks its top, side or bottom
//!   counts as whole, with a warning.
//! - **`Switch`** shows the child it chooses, **`LOD`** its first level, a `Collision` its children and not its proxy. What is below
//!   a `Collision` that collides with nothing is not tested.
//! - **Prototypes** are carried out, those in other files too. Unknown nodes are left out with a warning. A geometry node outside of a
//!   `Shape` is refused: nothing is where it seems to be.
//! - **`ccw`** gives triangles their side; `solid`, `convex` and `creaseAngle` change nothing.
//!
//! Whatever the bytes, reading ends, and takes memory in proportion to the file and what it includes.

use std::path::{Path, PathBuf};

mod file;
mod library;
mod graph;
mod fields;
mod rotation;
mod animation;
mod surface;
mod tree;
mod colours;
mod unfold;
mod world;
mod frames;
mod bodies;
mod scene;
mod movable;
mod facts;

use self::file::source::VrmlText;
use self::library::Library;
use crate::error::Result;
use crate::info::SceneInfo;
use crate::scene_build::BuiltScene;

pub use self::movable::WorldRobot;
pub use self::world::World;

/// How a world becomes a scene.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct VrmlOptions {
    /// Pairs that come this close, in metres, are reported too.
    pub clearance: f64,
}

/// Whether a file is a world by its name.
#[must_use]
pub fn is_world(path: &Path) -> bool {
    const EXTENSIONS: [&str; 6] = [".wrl", ".wrz", ".vrml", ".wrl.gz", ".x3d", ".x3dz"];
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

/// Reads a world.
///
/// # Errors
/// What cannot be read, with file, line and column: words that are no VRML or no XML, values of the wrong kind, an index without a
/// point, a file that is missing or includes itself, a prototype that contains itself, VRML 1.0.
pub fn read(path: &Path) -> Result<World> {
    let mut library = Library::default();
    let file = library.load(path)?;
    World::of(library, file, path)
}

/// [`read`] from the bytes of a file; `path` names it in messages, and what it includes is looked for beside it.
///
/// # Errors
/// As [`read`].
///
/// # Example
/// ```
/// use chasles_formats::vrml::{self, VrmlOptions};
///
/// // A ball falls by two metres in half a second.
/// let text = b"#VRML V2.0 utf8
///     DEF BALL Transform { children Shape { geometry Sphere { radius 0.1 } } }
///     DEF CLOCK TimeSensor { cycleInterval 0.5 }
///     DEF FALL PositionInterpolator { key [0 1] keyValue [0 2 0, 0 0 0] }
///     ROUTE CLOCK.fraction_changed TO FALL.set_fraction
///     ROUTE FALL.value_changed TO BALL.set_translation
///     Shape { geometry Box { size 1 0.2 1 } }";
/// let world = vrml::parse(text, "fall.wrl".as_ref())?;
/// let scene = world.scene(&VrmlOptions::default())?.scene;
/// assert_eq!((scene.duration(), scene.count_moving_pairs()), (0.5, 1));
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn parse(bytes: &[u8], path: &Path) -> Result<World> {
    let mut library = Library::default();
    let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let file = library.add(VrmlText::of(bytes.to_vec(), path)?, whole)?;
    World::of(library, file, path)
}

impl World {
    /// The world as its own clocks move it, from time 0 on, when all of them start. It lasts for the longest cycle of a clock that
    /// moves something; clocks that loop go on until then, the others stand at their end. Where nothing moves it lasts one second,
    /// with a warning.
    ///
    /// # Errors
    /// With file, line and column: what would change shapes with time (interpolated points or scales, turning below a scale
    /// that differs with the direction), motion that jumps, round bodies that their scales make oval. A world without triangles.
    pub fn scene(&self, options: &VrmlOptions) -> Result<BuiltScene> {
        scene::scene(self, options.clearance)
    }

    /// The world as a robot, whose joints are the columns: `ARM.rotation` in radians about the axis that stands in the file (z if
    /// none does), `ARM.translation.x`, `.y` and `.z` in the units of what ARM is in. Each of the names is that of a transform, or of an
    /// instance of a prototype that passes the field on to one. Where several have the name, the names from the root down to it
    /// tell them apart: `left/ARM.rotation`.
    ///
    /// A joint of that name takes the values of the column and rests at the value that stands in the file. What is used several
    /// times moves in all its places. Whatever has no column stands still, clocks or not.
    ///
    /// # Errors
    /// A column that moves nothing, or that several transforms could be meant by; what it moves below a scale that it would change
    /// shapes by; round bodies that their scales make oval.
    ///
    /// # Example
    /// ```
    /// let text = b"#VRML V2.0 utf8
    ///     DEF ARM Transform { rotation 0 1 0 0.5 children Shape { geometry Box { } } }";
    /// let world = chasles_formats::vrml::parse(text, "arm.wrl".as_ref())?;
    /// let robot = world.robot(&["ARM.rotation".into()])?.definition;
    /// let joint = robot.joints.iter().find(|joint| joint.name == "ARM.rotation").expect("named like the column");
    /// assert_eq!(joint.rest, 0.5);
    /// # Ok::<(), chasles_formats::Error>(())
    /// ```
    pub fn robot(&self, columns: &[String]) -> Result<WorldRobot> {
        movable::robot(self, columns)
    }

    /// All columns that [`World::robot`] knows, in the order of the file.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        movable::columns(self)
    }

    /// The facts about the world as it stands in the file.
    ///
    /// # Errors
    /// Bodies beyond all finite numbers.
    pub fn facts(&self) -> Result<SceneInfo> {
        facts::facts(self)
    }

    /// All files that were read, the world's own first.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        self.graph.library.paths()
    }
}
