//! Shared by the tests: a robot of two links, files in a folder, random numbers.

use std::path::Path;

use chasles_formats::robot::urdf::{self, RobotFile, UrdfOptions};
use chasles_formats::{Error, Result};
use chasles_testing::Random;
use glam::DVec3;

/// Reads a robot that needs no other file.
pub(crate) fn parse(text: &str) -> Result<RobotFile> {
    urdf::parse(text.as_bytes(), Path::new("cell/arm.urdf"), &UrdfOptions::default())
}

/// A valid robot without any warning.
pub(crate) fn robot(text: &str) -> RobotFile {
    let robot = parse(text).unwrap();
    assert_eq!(robot.warnings, [""; 0]);
    robot
}

/// The message about a refused robot.
pub(crate) fn refusal(text: &str) -> String {
    one_line(&parse(text).unwrap_err())
}

/// A message, which is one line of readable length.
pub(crate) fn one_line(error: &Error) -> String {
    let text = error.to_string();
    assert!(!text.contains('\n') && text.len() < 1000, "{text}");
    text
}

/// Links `a` and `b`, and a joint between them with these attributes and elements.
pub(crate) fn two_links(kind: &str, inside: &str) -> String {
    format!(
        "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<joint name='j' type='{kind}'>\n\
         <parent link='a'/>\n<child link='b'/>\n{inside}\n</joint>\n</robot>"
    )
}

/// One link with this content in its `collision`.
pub(crate) fn one_link(inside: &str) -> String {
    format!("<robot name='r'>\n<link name='a'>\n<collision>\n{inside}\n</collision>\n</link>\n</robot>")
}

/// The vertices of the first part of a link, in the frame of the link, in the order of the triangles' corners.
pub(crate) fn corners(robot: &RobotFile, link: &str) -> Vec<DVec3> {
    let element = &robot.definition.links[robot.link(link).unwrap()].elements[0];
    let mesh = element.shape.drawn();
    mesh.triangles()
        .iter()
        .flatten()
        .map(|corner| element.pose.transform_point(mesh.vertex(*corner)))
        .collect()
}

/// From -1 to 1; sometimes a round number.
pub(crate) fn signed(random: &mut Random) -> f64 {
    match random.below(8) {
        0 => 0.0,
        1 => 1.0,
        2 => -0.5,
        _ => random.side(),
    }
}

/// [`signed`] for each coordinate.
pub(crate) fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(signed(random), signed(random), signed(random))
}
