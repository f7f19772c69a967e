//! Worlds: VRML97 (`.wrl`, also packed with gzip) and X3D's XML form (`.x3d`).
//!
//! Every use of a `Shape` with triangles is a body. Its name joins, with `/`, the `DEF` names from the root down to
//! it, including names in included files. If the name is taken, `#2` and so on follows.
//!
//! A world moves in two ways. In [`World::scene`], its own clocks (`TimeSensor`) drive interpolators and `ROUTE`s.
//! In [`World::robot`], a path moves the transforms that have `DEF` names.
//!
//! - **Transforms** count in full, with centre and scale orientation. Scales are applied to the shapes. A transform
//!   that rotates below a non-uniform scale is refused, because the shapes below it would not be rigid.
//! - **Round bodies** are exactly round in a check. A check refuses a round body that its scales make oval. A round
//!   body without its top, side or bottom counts as whole, with a warning.
//! - **`Switch`** shows the child it chooses, **`LOD`** its first level, and a `Collision` its children but not its
//!   proxy. Nodes below a `Collision` that is switched off are not tested.
//! - **Prototypes** are expanded, also from other files. Unknown nodes are left out with a warning. A geometry node
//!   outside of a `Shape` is refused, because space that looks occupied would count as free.
//! - **`ccw`** sets the orientation of triangles; `solid`, `convex` and `creaseAngle` have no effect.
//!
//! For any input, reading ends, and takes memory in proportion to the file and its included files.

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
use crate::scene::build::BuiltScene;

pub use self::movable::WorldRobot;
pub use self::world::World;

/// Options for making a scene from a world.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct VrmlOptions {
    /// Pairs that come this close are reported too, in metres.
    pub clearance: f64,
}

/// Whether a file's name has the extension of a world.
#[must_use]
pub fn is_world(path: &Path) -> bool {
    const EXTENSIONS: [&str; 6] = [".wrl", ".wrz", ".vrml", ".wrl.gz", ".x3d", ".x3dz"];
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

/// Reads a world.
///
/// # Errors
/// With file, line and column: text that is not valid VRML or XML, values of the wrong type, an index without a
/// point, a missing file, a file that includes itself, a prototype that contains itself, VRML 1.0.
pub fn read(path: &Path) -> Result<World> {
    let mut library = Library::default();
    let file = library.load(path)?;
    World::of(library, file, path)
}

/// Like [`read`], from the bytes of a file. Messages name `path`, and included files are looked up beside it.
///
/// # Errors
/// As for [`read`].
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
    let absolute_path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let file = library.add(VrmlText::of(bytes.to_vec(), path)?, absolute_path)?;
    World::of(library, file, path)
}

impl World {
    /// The world moved by its own clocks, all of which start at time 0. The duration is the longest cycle of a clock
    /// that moves a body. Clocks that loop repeat until then, and the others stop at their end. A world without
    /// motion lasts one second, with a warning. with a warning.
    ///
    /// # Errors
    /// With file, line and column: animations that would change shapes (interpolated points or scales, a rotation
    /// below a non-uniform scale), motion that jumps, round bodies that their scales make oval. A world without
    /// triangles.
    pub fn scene(&self, options: &VrmlOptions) -> Result<BuiltScene> {
        scene::scene(self, options.clearance)
    }

    /// The world as a robot whose joints are the columns: `ARM.rotation` in radians about the axis in the file (z if
    /// the file has none), and `ARM.translation.x`, `.y` and `.z` in the units of ARM's parent. Each name is the
    /// `DEF` name of a transform, or of an instance of a prototype that passes the field on to a transform. If
    /// several nodes have the name, the path of names from the root identifies the node: `left/ARM.rotation`.
    ///
    /// The joint with the name of a column takes the column's values and has the file's value as its rest value. A
    /// node that is used several times moves in all its places. Every transform without a column is static, even if
    /// a clock drives it.
    ///
    /// # Errors
    /// A column that moves no transform, or whose name is ambiguous; a column that would change the shapes below it,
    /// because of a scale; round bodies that their scales make oval.
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

    /// All columns that [`World::robot`] accepts, in the order of the file.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        movable::columns(self)
    }

    /// The facts about the world, in its initial state.
    ///
    /// # Errors
    /// Bodies whose coordinates are not finite.
    pub fn facts(&self) -> Result<SceneInfo> {
        facts::facts(self)
    }

    /// All files that were read, starting with the world's own file.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        self.graph.library.paths()
    }
}
