//! SRDF: pairs of links that are not tested against each other, and named configurations.
//!
//! Only `disable_collisions` and `group_state` are used; groups and other elements are for planners.

use std::collections::HashMap;
use std::path::Path;

use chasles::RobotDefinition;
use roxmltree::Node;

use crate::error::{Error, Result, Warnings};
use crate::robot::named_configurations::NamedConfiguration;
use crate::robot::xacro;
use crate::text::similar::nearest;
use crate::text::tree::quoted;
use crate::text::xml::{XmlText, children, elements, escaped, is_of_another_tool, tag};

/// Elements that Chasles reads: exemptions of pairs, and configurations.
const ELEMENTS: [&str; 3] = ["disable_collisions", "disable_default_collisions", "group_state"];

/// Elements for planners and other programs.
const OF_PLANNERS: [&str; 7] = [
    "group", "end_effector", "virtual_joint", "passive_joint", "joint_property", "enable_collisions",
    "link_sphere_approximation",
];

/// The content of an SRDF file for a robot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SrdfFile {
    /// Pairs of links that are not tested against each other, by number: each pair increasing, sorted, without
    /// duplicates.
    pub pairs: Vec<[usize; 2]>,
    /// The named configurations, as in the file.
    pub configurations: Vec<NamedConfiguration>,
    /// Warnings about ignored content, one sentence each, with file and line.
    pub warnings: Vec<String>,
}

/// Reads the pairs of links that a file disables, and its named configurations.
///
/// A pair with an unknown link is ignored with a warning: such files often serve several robots, and without the
/// pair more is tested, not less. Elements that change the tested pairs in other ways are ignored, too.
///
/// # Errors
/// When the file cannot be read, is not XML, is not about a robot, or is the robot itself; a pair without its two
/// names.
pub fn read(path: &Path, robot: &str, links: &[&str]) -> Result<SrdfFile> {
    parsed(&XmlText::read(path)?, robot, links)
}

/// Like [`read`], from the bytes of a file; `path` is used only in messages.
///
/// # Errors
/// As for [`read`].
///
/// # Example
/// ```
/// use chasles_formats::robot::srdf;
///
/// let text = b"<robot name='arm'><disable_collisions link1='hand' link2='base' reason='Never'/></robot>";
/// let disabled = srdf::parse(text, "arm.srdf".as_ref(), "arm", &["base", "elbow", "hand"])?;
/// assert_eq!(disabled.pairs, [[0, 2]]);
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn parse(bytes: &[u8], path: &Path, robot: &str, links: &[&str]) -> Result<SrdfFile> {
    parsed(&XmlText::new(bytes.to_vec(), path)?, robot, links)
}

/// Writes a file that disables pairs of links of a robot, each with its reason, a word for people.
#[must_use]
pub fn to_srdf(robot: &RobotDefinition, pairs: &[([usize; 2], &str)]) -> String {
    let name = |link: usize| escaped(&robot.links[link].name);
    let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", escaped(&robot.name));
    for ([a, b], reason) in pairs {
        let (a, b, reason) = (name(*a), name(*b), escaped(reason));
        text.push_str(&format!("  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>\n"));
    }
    text.push_str("</robot>\n");
    text
}

fn parsed(text: &XmlText, robot: &str, links: &[&str]) -> Result<SrdfFile> {
    let path = text.path();
    let document = text.document()?;
    let root = document.root_element();
    let mut warnings = Warnings::default();
    if root.tag_name().name() != "robot" {
        let message = format!("found {}, expected <robot>", tag(root));
        return Err(Error::line(path, text.line_of(root), message));
    }
    if let Some(name) = root.attribute("name").filter(|name| *name != robot) {
        let what = format!("it is for robot {}, not for {}", quoted(name), quoted(robot));
        warnings.push(Error::line(path, text.line_of(root), what));
    }
    xacro::refuse(text, root, "pairs")?;
    let numbers: HashMap<&str, usize> = links.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let (mut pairs, mut configurations) = (vec![], vec![]);
    for element in elements(root) {
        let line = text.line_of(element);
        match element.tag_name().name() {
            "disable_collisions" => {
                let names = [name(text, element, "link1")?, name(text, element, "link2")?];
                match names.map(|name| numbers.get(name)) {
                    [Some(a), Some(b)] if a == b => {
                        let what = format!("link {} against itself is never tested", quoted(names[0]));
                        warnings.push(Error::line(path, line, what));
                    }
                    [Some(&a), Some(&b)] => pairs.push([a.min(b), a.max(b)]),
                    [first, _] => {
                        let missing = names[usize::from(first.is_some())];
                        let what =
                            format!("disable_collisions: the robot has no link {}: skipped", quoted(missing));
                        warnings.push(Error::line(path, line, what));
                    }
                }
            }
            "disable_default_collisions" => {
                let what = "disable_default_collisions is not supported: skipped";
                warnings.push(Error::line(path, line, what));
            }
            "group_state" => match configuration(text, element) {
                Ok(configuration) => configurations.push(configuration),
                Err(error) => warnings.push(&error),
            },
            name if OF_PLANNERS.contains(&name) => {}
            // A URDF given in place of an SRDF would have no effect.
            "link" | "joint" | "material" | "transmission" | "gazebo" => {
                let message = format!(
                    "found {}, a part of a robot (URDF), expected pairs of links that are not tested (SRDF)",
                    tag(element)
                );
                return Err(Error::line(path, line, message));
            }
            _ if is_of_another_tool(element) => {}
            name => {
                let what = |end: String| Error::line(path, line, format!("{}{end}", tag(element)));
                match nearest(name, ELEMENTS.into_iter()) {
                    Some(similar) => return Err(what(format!(" is not known: did you mean <{similar}>?"))),
                    None => warnings.push(what(" is not known: skipped".into())),
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok(SrdfFile { pairs, configurations, warnings: warnings.list() })
}

/// Reads a configuration as in the file; it must have its names.
fn configuration(text: &XmlText, element: Node) -> Result<NamedConfiguration> {
    let line = text.line_of(element);
    let named = |node: Node, attribute: &str| {
        let name = node.attribute(attribute).filter(|name| !name.trim().is_empty());
        name.map(str::to_owned).ok_or_else(|| {
            let message = format!("found {} without {attribute}: the configuration is skipped", tag(node));
            Error::key(text.path(), "group_state", text.line_of(node), message)
        })
    };
    let mut joints = vec![];
    for joint in children(element, "joint") {
        let (name, value) = (named(joint, "name")?, joint.attribute("value").unwrap_or_default());
        let number = value.trim().parse().ok().filter(|value: &f64| value.is_finite());
        let fault =
            || format!("joint {}: found {}, expected one finite number", quoted(&name), quoted(value));
        let number = number.ok_or_else(fault);
        joints.push((name, number));
    }
    let group = element.attribute("group").unwrap_or_default().to_owned();
    Ok(NamedConfiguration {
        name: named(element, "name")?,
        group,
        joints,
        file: text.path().to_path_buf(),
        line,
    })
}

fn name<'a>(text: &XmlText, element: Node<'a, '_>, attribute: &str) -> Result<&'a str> {
    element.attribute(attribute).ok_or_else(|| {
        let message = format!("found no {attribute}, expected the name of a link");
        Error::key(text.path(), "disable_collisions", text.line_of(element), message)
    })
}
