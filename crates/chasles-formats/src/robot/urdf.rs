//! Robots in URDF: links with their collision surfaces, and the joints between them.
//!
//! ```text
//! fields     attributes and elements, with their places for messages
//! colours    the colours of materials
//! document   the parsed file: links, joints, geometries
//! free       planar and floating joints as chains of joints
//! tree       the tree of links, and joints that follow others
//! places     the files of meshes
//! shapes     surfaces: reads and scales meshes, makes primitives
//! sizes      links that are far larger or smaller than the rest
//! summary    facts about links, joints and configurations
//! rest       the poses of the links in the rest configuration
//! ```
//!
//! **Units.** Lengths are metres. A COLLADA mesh states its unit, which counts; its up axis is ignored, as in the
//! usual robot tools. Other meshes state no unit: a mesh that is more than 20 m across brings a warning, because it
//! is probably in millimetres.
//!
//! **Mesh files.** `package://NAME/REST` is looked up as `NAME/REST` in the folder of the robot's file and then in
//! each folder above; the first that exists counts. A folder given for the package replaces this search.
//! `file:///REST` is absolute. Other names are relative to the folder of the robot's file.

use std::path::{Path, PathBuf};

use chasles::{AdjacentLinks, Link, LinkElement, RobotDefinition};

use crate::error::{Result, Warnings};
use crate::info::SceneInfo;
use crate::mesh::MissingGeometry;
use crate::robot::named_configurations::NamedConfiguration;
use crate::robot::srdf;
use crate::scene::appearance::{self, Appearance, UpAxis};
use crate::text::xml::XmlText;

mod fields;
mod colours;
mod document;
mod free;
mod tree;
mod places;
mod shapes;
mod sizes;
mod summary;
mod rest;

use self::document::{Drawn, UrdfDocument};
use self::shapes::UrdfShapes;

/// Options for reading a robot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrdfOptions {
    /// Packages with their folders, which replace the search around the robot's file. If a package has several
    /// folders, the first folder that contains the file counts.
    pub packages: Vec<(String, PathBuf)>,
    /// Whether links without collision geometry take their visual geometry in its place.
    pub use_visual: bool,
    /// The SRDF file with the disabled pairs of links and the named configurations.
    pub srdf: Option<PathBuf>,
    /// The treatment of surfaces in mesh files that Chasles cannot read.
    pub unread: MissingGeometry,
}

/// A robot that has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotFile {
    /// Links and joints, in the order of the file. Links connected by a joint are not tested against each other.
    pub definition: RobotDefinition,
    /// The named configurations of the SRDF.
    pub configurations: Vec<NamedConfiguration>,
    /// The planar and floating joints, whose coordinates are separate joints: `JOINT/x` and others.
    pub free: Vec<String>,
    /// The colours of its links, from the materials of their visual geometry.
    pub appearance: Appearance,
    /// All files that were read: the robot's file, the SRDF file and the mesh files.
    pub files: Vec<PathBuf>,
    /// Warnings about ignored or suspicious content, one sentence each, with its file.
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

/// Whether a file is a robot, by the extension of its name; without a known extension, by its first element, which
/// must be `robot`.
#[must_use]
pub fn is_urdf(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("urdf" | "xacro") => true,
        None | Some("xml") => document::is_robot_start(path),
        Some(_) => false,
    }
}

/// Reads a robot, with its meshes.
///
/// Joints are fixed, revolute, continuous or prismatic. A planar or floating joint becomes several joints, one for
/// each coordinate. The axis is the axis in the file, scaled to length 1, or x by default. `limit` is used,
/// `safety_controller` is ignored. A joint that needs limits and has none becomes a joint without limits, with a
/// warning. `rest` is 0, or the middle of limits that exclude 0; for a joint that follows another, `rest` follows
/// from the other. `mimic` in a fixed joint is ignored.
///
/// Primitives and closed meshes are solid.
///
/// A negative scale reverses the triangles of a mesh, so that they still face outwards. Each mesh file is read once.
///
/// # Errors
/// With file and line: invalid XML, or unexpanded xacro; names that are missing, repeated or unknown; links that do
/// not form a tree, joints that follow themselves; invalid numbers, sizes that are not greater than 0, scales of 0,
/// a lower limit above the upper; joints of other types, unknown geometries; meshes that are not found (with the
/// places searched), cannot be read or have no triangles.
pub fn read(path: &Path, options: &UrdfOptions) -> Result<RobotFile> {
    build(&XmlText::read(path)?, options)
}

/// Like [`read`], from the bytes of a file. Messages name `path`, and mesh files are looked up beside it.
///
/// # Errors
/// As for [`read`].
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

/// The facts about a robot: links with surfaces, moving joints, and the bounding box at rest.
#[must_use]
pub fn facts(robot: RobotFile) -> SceneInfo {
    rest::facts(robot)
}

fn build(text: &XmlText, options: &UrdfOptions) -> Result<RobotFile> {
    let mut warnings = Warnings::default();
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
        let mut link_colours = Vec::new();
        let element = |surface: &document::UrdfSurface| {
            let shape = shapes.shape(surface, &mut warnings)?;
            if let Some(colour) = surface.colour {
                appearance::add(&mut link_colours, shape.drawn().triangles().len(), colour);
            }
            Ok(LinkElement { solid: shape.is_closed(), shape, pose: surface.pose })
        };
        let elements = link.surfaces.iter().map(element).collect::<Result<_>>()?;
        made.push(Link { name: link.name.clone(), elements });
        colours.push(link_colours);
    }
    sizes::warn(text.path(), (&links, &made), &joints, &mut shapes, &mut warnings);
    let missing = std::mem::take(&mut shapes.missing);
    files.extend(shapes.files());
    let warnings = [warnings.list(), disabled.warnings].concat();
    let (mut disabled, configurations) = (disabled.pairs, disabled.configurations);
    // The links of a planar or floating joint are adjacent, although several joints connect them here.
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
    let appearance = Appearance { up: UpAxis::Z, colours };
    Ok(RobotFile { definition, configurations, free, appearance, files, warnings, missing })
}
