//! Robots in URDF: links with their surfaces for collision, and the joints between them.
//!
//! ```text
//! fields     attributes and elements, with their places for messages
//! colours    the colours of materials
//! document   the file as it stands: links, joints, geometries
//! free       planar and floating joints as several
//! tree       what carries what, what follows what
//! places     where the files of meshes are
//! shapes     surfaces: meshes are read and scaled, primitives made
//! sizes      links that are far larger or smaller than the rest
//! told       links, joints and postures, as they are told
//! rest       where the links are when nothing moves them
//! ```
//!
//! **Units.** Lengths are metres. A COLLADA mesh states its unit, which counts; the axis that it calls up does not, as with the
//! usual tools of robots. Other meshes state none: one that is more than 20 m across brings a warning, for it is likely to be
//! in millimetres.
//!
//! **Meshes** are looked for thus: `package://NAME/REST` as `NAME/REST` in the folder of the robot's file, then in each folder
//! above; the first that exists counts. A folder given for the package replaces that. `file:///REST` is absolute. Other names
//! are relative to the folder of the robot's file.

use std::path::{Path, PathBuf};

use chasles::{AdjacentLinks, Link, LinkElement, RobotDefinition};

use crate::appearance::{self, Appearance, Up};
use crate::error::Result;
use crate::info::SceneInfo;
use crate::mesh::MissingGeometry;
use crate::robot::named_postures::NamedPosture;
use crate::robot::srdf;
use crate::text::xml::{XmlText, XmlWarnings};

mod fields;
mod colours;
mod document;
mod free;
mod tree;
mod places;
mod shapes;
mod sizes;
mod told;
mod rest;

use self::document::{Drawn, UrdfDocument};
use self::shapes::UrdfShapes;

/// How a robot is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrdfOptions {
    /// Packages by name, and the folders that they are in, in place of those around the robot's file. Of one name the first
    /// folder that has the file.
    pub packages: Vec<(String, PathBuf)>,
    /// Whether links without collision geometry take their visual geometry in its place.
    pub use_visual: bool,
    /// The file that says which links are not tested against each other, and gives postures names.
    pub srdf: Option<PathBuf>,
    /// How surfaces in mesh files that Chasles cannot read are treated.
    pub unread: MissingGeometry,
}

/// A robot that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotFile {
    /// Links and joints, in the order of the file. Links that a joint joins are not tested against each other.
    pub definition: RobotDefinition,
    /// Postures that have names, as the SRDF has them.
    pub postures: Vec<NamedPosture>,
    /// The planar and floating joints, whose coordinates are joints of their own: `JOINT/x` and others.
    pub free: Vec<String>,
    /// The colours of its links: those of the materials of what is seen of them.
    pub appearance: Appearance,
    /// All files that were read: the robot's, that of the disabled pairs, those of the meshes.
    pub files: Vec<PathBuf>,
    /// What was passed over or looks wrong, one sentence each, with its file.
    pub warnings: Vec<String>,
    /// The surfaces of mesh files that were left out: one sentence each, with their place.
    pub missing: Vec<String>,
}

impl RobotFile {
    /// The number of the link of this name.
    #[must_use]
    pub fn link(&self, name: &str) -> Option<usize> {
        self.definition.links.iter().position(|link| link.name == name)
    }

    /// The number of the joint of this name.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.definition.joints.iter().position(|joint| joint.name == name)
    }
}

/// Whether a file is one of these by its name; where that states no kind, by its beginning: its first element is `robot`.
#[must_use]
pub fn is_urdf(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("urdf" | "xacro") => true,
        None | Some("xml") => document::begins_like_robot(path),
        Some(_) => false,
    }
}

/// Reads a robot, with its meshes.
///
/// Joints are fixed, revolute, continuous or prismatic. A planar or floating joint becomes several joints, one for each
/// coordinate. The axis is the axis in the file, scaled to length 1, or x by default. `limit` counts,
/// `safety_controller` does not. A joint that needs limits and has none becomes a joint without limits, with a warning.
/// `rest` is 0, or the middle of limits that exclude 0; for a joint that follows another, `rest` follows from the
/// other. `mimic` in a fixed joint does not count.
///
/// Primitives and closed meshes are solid.
///
/// A mirrored scale turns the triangles of a mesh round, so that its outside stays outside. Each mesh file is read once.
///
/// # Errors
/// With file and line: no XML, or xacro that is not expanded; names that are missing, twice or unknown; links that form no tree,
/// joints that follow themselves; numbers that are none, sizes that are not greater than 0, scales of 0, limits of which the
/// lower is the greater; joints of other types, unknown geometries; meshes that are not found (with the places where they
/// were looked for), cannot be read or have no triangles.
pub fn read(path: &Path, options: &UrdfOptions) -> Result<RobotFile> {
    build(&XmlText::read(path)?, options)
}

/// [`read`] from the bytes of a file; `path` names it in messages, and its meshes are looked for beside it.
///
/// # Errors
/// As [`read`].
///
/// # Example
/// ```
/// use chasles_formats::robot::urdf::{self, UrdfOptions};
///
/// let text = b"<robot name='door'>
///     <link name='frame'/>
///     <link name='leaf'><collision><geometry><box size='0.9 0.04 2'/></geometry></collision></link>
///     <joint name='hinge' type='revolute'>
///         <parent link='frame'/> <child link='leaf'/> <axis xyz='0 0 1'/> <limit lower='0.5' upper='1.5'/>
///     </joint>
/// </robot>";
/// let robot = urdf::parse(text, "door.urdf".as_ref(), &UrdfOptions::default())?;
/// let joint = &robot.definition.joints[robot.joint("hinge").unwrap()];
/// assert_eq!((joint.parent, joint.child, joint.rest), (0, robot.link("leaf").unwrap(), 1.0));
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn parse(bytes: &[u8], path: &Path, options: &UrdfOptions) -> Result<RobotFile> {
    build(&XmlText::new(bytes.to_vec(), path)?, options)
}

/// The facts about a robot: links with surfaces, joints that move, and where all is when nothing moves it.
#[must_use]
pub fn facts(robot: RobotFile) -> SceneInfo {
    rest::facts(robot)
}

fn build(text: &XmlText, options: &UrdfOptions) -> Result<RobotFile> {
    let mut warnings = XmlWarnings::default();
    let geometry = if options.use_visual { Drawn::Taken } else { Drawn::Named };
    let UrdfDocument { name, mut links, mut joints } = UrdfDocument::read(text, geometry, &mut warnings)?;
    let free = free::expand(&mut links, &mut joints);
    let joints = tree::joints(text.path(), &links, joints, &mut warnings)?;
    let mut files = vec![text.path().to_path_buf()];
    let mut disabled = srdf::SrdfFile::default();
    if let Some(path) = &options.srdf {
        let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
        disabled = srdf::read(path, &name, &names)?;
        files.push(path.clone());
    }
    let mut shapes = UrdfShapes::new(text.path(), options);
    let mut made = Vec::with_capacity(links.len());
    let mut colours = Vec::with_capacity(links.len());
    for link in &links {
        let mut own = Vec::new();
        let element = |surface: &document::UrdfSurface| {
            let shape = shapes.shape(surface, &mut warnings)?;
            if let Some(colour) = surface.colour {
                appearance::add(&mut own, shape.drawn().triangles().len(), colour);
            }
            Ok(LinkElement { solid: shape.is_closed(), shape, pose: surface.pose })
        };
        let elements = link.surfaces.iter().map(element).collect::<Result<_>>()?;
        made.push(Link { name: link.name.clone(), elements });
        colours.push(own);
    }
    sizes::warn(text.path(), (&links, &made), &joints, &mut shapes, &mut warnings);
    let missing = std::mem::take(&mut shapes.missing);
    files.extend(shapes.files());
    let warnings = [warnings.finish(), disabled.warnings].concat();
    let (mut disabled, postures) = (disabled.pairs, disabled.postures);
    // Joined by one joint of the file, which is several here.
    let number = |name: &str| made.iter().position(|link| link.name == name);
    for [parent, child] in free.iter().map(|joint| joint.links.each_ref().map(|link| number(link))) {
        if let (Some(parent), Some(child)) = (parent, child) {
            disabled.push([parent.min(child), parent.max(child)]);
        }
    }
    disabled.sort_unstable();
    disabled.dedup();
    let free = free.into_iter().map(|joint| joint.name).collect();
    let adjacent = AdjacentLinks::Skipped;
    let definition = RobotDefinition { name, links: made, joints, disabled, adjacent };
    let appearance = Appearance { up: Up::Z, colours };
    Ok(RobotFile { definition, postures, free, appearance, files, warnings, missing })
}
