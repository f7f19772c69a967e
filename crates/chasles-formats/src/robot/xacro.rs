//! Refuses files with unexpanded xacro macros, with the command that expands them.

use std::path::Path;

use roxmltree::Node;

use crate::error::{Error, Result};
use crate::printable::printable;
use crate::text::tree::quoted;
use crate::text::xml::{XmlText, elements};

/// The elements of a robot and its SRDF that are examined.
const COUNT: [&str; 4] = ["link", "joint", "disable_collisions", "group_state"];

/// Refuses xacro elements, and expressions in attributes. `what` describes the expected file.
pub(super) fn refuse(text: &XmlText, root: Node, what: &str) -> Result<()> {
    let refused = |node: Node, found: String| {
        let commands = commands(text.path());
        let message = format!("found {found}: expected {what} whose macros xacro has expanded: {commands}");
        Err(Error::line(text.path(), text.line_of(node), message))
    };
    for node in root.descendants().filter(Node::is_element) {
        let name = node.tag_name();
        if name.namespace().is_some_and(|uri| uri.contains("xacro")) {
            return refused(node, format!("{}, a macro", quoted(&format!("xacro:{}", name.name()))));
        }
    }
    // In other elements an expression may be meant for another program.
    let counts = |node: &Node| COUNT.contains(&node.tag_name().name());
    for node in elements(root).filter(counts).flat_map(|node| node.descendants()) {
        let open = |value: &&str| value.contains("${") || value.contains("$(");
        if let Some(value) = node.attributes().map(|attribute| attribute.value()).find(open) {
            return refused(node, format!("{}, an expression of a macro", quoted(value)));
        }
    }
    Ok(())
}

/// The commands that expand a file, with and without the tools of ROS 2.
fn commands(path: &Path) -> String {
    let name = path.file_name().map_or_else(|| "robot.xacro".into(), |name| name.to_string_lossy());
    let base_name = name.strip_suffix(".xacro").unwrap_or(&name);
    let (stem, kind) = base_name.rsplit_once('.').unwrap_or((base_name, "urdf"));
    // The output must be another file, because a shell would empty the input before it is read.
    let expanded =
        if base_name == name { format!("{stem}.expanded.{kind}") } else { format!("{stem}.{kind}") };
    let [name, expanded] = [&*name, &expanded].map(|name| printable(name).into_owned());
    format!("`xacro {name} > {expanded}`, or `ros2 run xacro xacro {name} > {expanded}`")
}
