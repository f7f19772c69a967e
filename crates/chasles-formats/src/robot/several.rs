//! Several robots in one cell, combined to one robot: a TOML file lists them.
//!
//! ```toml
//! format = 1
//!
//! [[robot]]
//! name = "left"
//! urdf = "arm.urdf"
//! srdf = "arm.srdf"                                   # or none
//! base = { position = [0, 0.5, 0], rotation = [1, 0, 0, 0] }
//!
//! [[robot]]
//! name = "right"
//! urdf = "arm.urdf"
//! ```
//!
//! A root link `robots` without a surface carries each robot by a fixed joint. Links, joints and groups of
//! configurations have the name of their robot as a prefix: `left/hand`. No link of one robot is adjacent to a link
//! of another, so all such pairs are tested.

use std::path::Path;

use chasles::{AdjacentLinks, Joint, Link, Mimic, Pose, RobotDefinition};

use super::urdf::{self, RobotFile, UrdfOptions};
use crate::error::{Error, Result};
use crate::limits;
use crate::scene::appearance::{Appearance, UpAxis};
use crate::text::cursor::Cursor;
use crate::text::tree::{self, quoted};

/// The name of the link that carries all robots.
const ROOT: &str = "robots";

/// One of several robots.
struct RobotEntry {
    name: String,
    base: Pose,
    robot: RobotFile,
}

/// Whether a file lists several robots: it is TOML, and one of its lines starts a table `[[robot]]`.
#[must_use]
pub fn are_robots(path: &Path) -> bool {
    let toml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    // A pipe is not read here, because its bytes would be missing later.
    let Some((head, _)) = toml.then(|| limits::head(path, 1 << 16).ok()).flatten() else { return false };
    let is_robot_table = |line: &str| line.replace([' ', '\t'], "").starts_with("[[robot]]");
    String::from_utf8_lossy(&head).lines().any(is_robot_table)
}

/// Reads several robots as one. The packages of `options` apply to all of them.
///
/// # Errors
/// With file and line: a file of another kind, a name that is empty, contains `/` or is repeated, an `srdf` in
/// `options`; and as for [`urdf::read`] of each robot.
pub fn read(path: &Path, options: &UrdfOptions) -> Result<RobotFile> {
    parse(limits::read(path, limits::SCENE_FILE)?, path, options)
}

/// Like [`read`], from the bytes of a file. Messages name `path`, and the robots' files are looked up beside it.
///
/// # Errors
/// As for [`read`].
pub fn parse(bytes: Vec<u8>, path: &Path, options: &UrdfOptions) -> Result<RobotFile> {
    let text =
        String::from_utf8(bytes).map_err(|_| Error::file(path, "not UTF-8: expected TOML in UTF-8"))?;
    if options.srdf.is_some() {
        return Err(Error::file(path, "found an SRDF beside it (--srdf), expected `srdf` at each robot"));
    }
    let document = tree::from_toml(&text, path)?;
    let root = Cursor::root(path, &document);
    root.only_keys(&["format", "robot"])?;
    let format = root.require("format", "`format = 1`")?;
    if format.number(crate::text::cursor::Limit::Any)? != 1.0 {
        return Err(format.expected("1"));
    }
    let mut parts: Vec<RobotEntry> = Vec::new();
    let list = root.require("robot", "a table [[robot]] for each robot")?;
    for item in list.items("a table [[robot]] for each robot")? {
        let part = part(&item, path, options)?;
        if parts.iter().any(|known| known.name == part.name) {
            return Err(item.error(format!("found the name {} twice, expected it once", quoted(&part.name))));
        }
        parts.push(part);
    }
    Ok(combine(path, parts))
}

fn part(at: &Cursor<'_>, path: &Path, options: &UrdfOptions) -> Result<RobotEntry> {
    at.only_keys(&["name", "urdf", "srdf", "base"])?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let named = at.require("name", "the name of the robot")?;
    let name = named.nonempty_text("the name of the robot")?;
    if name.contains('/') || name == ROOT {
        return Err(named.expected("a name without /, other than robots"));
    }
    let urdf =
        folder.join(at.require("urdf", "the file of the robot")?.nonempty_text("the file of the robot")?);
    let srdf = match at.get("srdf") {
        Some(srdf) => Some(folder.join(srdf.nonempty_text("an SRDF file")?)),
        None => None,
    };
    let mut base = Pose::IDENTITY;
    if let Some(pose_table) = at.get("base") {
        pose_table.only_keys(&["position", "rotation"])?;
        let position = pose_table.get("position").map(|at| at.vector()).transpose()?.unwrap_or_default();
        let rotation = pose_table.get("rotation").map(|at| at.rotation()).transpose()?.unwrap_or_default();
        base = Pose::new(position, rotation).map_err(|error| pose_table.error(error.to_string()))?;
    }
    let options = UrdfOptions { srdf, ..options.clone() };
    Ok(RobotEntry { name: name.to_owned(), base, robot: urdf::read(&urdf, &options)? })
}

/// Combines the robots to one robot with the name of the file `path`.
fn combine(path: &Path, parts: Vec<RobotEntry>) -> RobotFile {
    let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    let root = Link { name: ROOT.into(), elements: vec![] };
    let (links, joints, disabled) = (vec![root], vec![], vec![]);
    let definition = RobotDefinition { name, links, joints, disabled, adjacent: AdjacentLinks::Skipped };
    let (files, free) = (vec![path.to_path_buf()], vec![]);
    let appearance = Appearance { up: UpAxis::Z, colours: vec![vec![]] };
    let (configurations, warnings, missing) = (vec![], vec![], vec![]);
    let mut combined = RobotFile { definition, configurations, free, appearance, files, warnings, missing };
    for RobotEntry { name, base, robot } in parts {
        let prefixed = |of: &str| format!("{name}/{of}");
        let RobotDefinition { links, joints, disabled, .. } = robot.definition;
        let into = &mut combined.definition;
        let (first_link, first_joint) = (into.links.len(), into.joints.len() + 1);
        let is_child = |link: &usize| joints.iter().any(|joint| joint.child == *link);
        let root_link = (0..links.len()).find(|link| !is_child(link)).unwrap_or_default();
        let fixed = Joint::new(name.clone(), [0, first_link + root_link], None);
        into.joints.push(Joint { origin: base, ..fixed });
        into.joints.extend(joints.into_iter().map(|joint| Joint {
            name: prefixed(&joint.name),
            parent: first_link + joint.parent,
            child: first_link + joint.child,
            mimic: joint.mimic.map(|mimic| Mimic { joint: first_joint + mimic.joint, ..mimic }),
            ..joint
        }));
        into.links.extend(links.into_iter().map(|link| Link { name: prefixed(&link.name), ..link }));
        combined.appearance.colours.extend(robot.appearance.colours);
        into.disabled.extend(disabled.into_iter().map(|pair| pair.map(|link| first_link + link)));
        combined.configurations.extend(robot.configurations.into_iter().map(|mut configuration| {
            configuration.group =
                if configuration.group.is_empty() { name.clone() } else { prefixed(&configuration.group) };
            configuration.joints.iter_mut().for_each(|(joint, _)| *joint = prefixed(joint));
            configuration
        }));
        combined.free.extend(robot.free.iter().map(|joint| prefixed(joint)));
        combined.files.extend(robot.files);
        combined.warnings.extend(robot.warnings);
        combined.missing.extend(robot.missing);
    }
    combined
}
