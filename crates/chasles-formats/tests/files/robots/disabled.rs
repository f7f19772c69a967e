//! SRDF: pairs of links that are not tested. (Its configurations: `configurations.rs`.)

use std::path::Path;

use chasles_formats::robot::srdf::{self, SrdfFile};
use chasles_formats::robot::urdf::{self, UrdfOptions};

use crate::robots::support::one_line;

fn parse(text: &str) -> chasles_formats::Result<SrdfFile> {
    srdf::parse(text.as_bytes(), Path::new("arm.srdf"), "arm", &["a", "b", "c"])
}

#[test]
fn pairs_come_in_order_and_once() {
    let text = "<robot name='arm'>
        <group name='all'><chain base_link='a' tip_link='c'/></group>
        <disable_collisions link1='c' link2='b' reason='Adjacent'/>
        <disable_collisions link1='a' link2='b'/>
        <disable_collisions link1='b' link2='c'/>
        <enable_collisions link1='a' link2='c'/>
        <virtual_joint name='v' type='fixed' parent_frame='world' child_link='a'/>
        <group_state name='home' group='all'><joint name='j' value='0'/></group_state>
        </robot>";
    let read = parse(text).unwrap();
    assert_eq!((read.pairs, read.warnings), (vec![[0, 1], [1, 2]], vec![]));
    assert_eq!(read.configurations.len(), 1);
}

#[test]
fn entries_that_do_not_fit_the_robot_are_skipped_with_a_warning() {
    let text = "<robot name='leg'>\n<disable_collisions link1='a' link2='x'/>\n<disable_collisions link1='y' link2='x'/>\n\
                <disable_collisions link1='a' link2='a'/>\n<disable_default_collisions link='a'/>\n<sensor/>\n</robot>";
    let read = parse(text).unwrap();
    assert!(read.pairs.is_empty());
    assert_eq!(
        read.warnings,
        [
            "arm.srdf:1: it is for robot \"leg\", not for \"arm\"",
            "arm.srdf:2: disable_collisions: the robot has no link \"x\": skipped",
            "arm.srdf:3: disable_collisions: the robot has no link \"y\": skipped",
            "arm.srdf:4: link \"a\" against itself is never tested",
            "arm.srdf:5: disable_default_collisions is not supported: skipped",
            "arm.srdf:6: <sensor> is not known: skipped",
        ]
    );
}

#[test]
fn files_of_another_kind_are_errors() {
    let cases = [
        ("<sdf/>", "arm.srdf:1: found <sdf>, expected <robot>"),
        (
            "<robot name='arm'>\n<disable_collision link1='a' link2='b'/></robot>",
            "arm.srdf:2: <disable_collision> is not known: did you mean <disable_collisions>?",
        ),
        (
            "<robot name='arm'>\n<group_sate name='home'/></robot>",
            "arm.srdf:2: <group_sate> is not known: did you mean <group_state>?",
        ),
        (
            "<robot name='arm'>\n<disable_collisions link1='a' link2='b'/>\n<link name='a'/></robot>",
            "arm.srdf:3: found <link>, a part of a robot (URDF), expected pairs of links that are not tested (SRDF)",
        ),
        (
            "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:arm/></robot>",
            "arm.srdf:2: found \"xacro:arm\", a macro: expected pairs whose macros xacro has expanded: \
             `xacro arm.srdf > arm.expanded.srdf`, or `ros2 run xacro xacro arm.srdf > arm.expanded.srdf`",
        ),
        (
            "<robot name='arm'><joint name='j' type='fixed'/></robot>",
            "arm.srdf:1: found <joint>, a part of a robot (URDF), expected pairs of links that are not tested (SRDF)",
        ),
        (
            "<robot>\n<disable_collisions link1='a'/></robot>",
            "arm.srdf:2: disable_collisions: found no link2, expected the name of a link",
        ),
        ("<robot>", "arm.srdf:1: not XML that can be read: the root node was opened but never closed"),
    ];
    for (text, message) in cases {
        assert_eq!(one_line(&parse(text).unwrap_err()), message);
    }
}

#[test]
fn a_robot_is_read_with_its_disabled_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let [urdf, srdf] = ["arm.urdf", "arm.srdf"].map(|name| folder.path().join(name));
    std::fs::write(
        &urdf,
        "<robot name='arm'><link name='a'/><link name='b'/>\
         <joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
    )
    .unwrap();
    let options = UrdfOptions { srdf: Some(srdf.clone()), ..UrdfOptions::default() };
    let missing = one_line(&urdf::read(&urdf, &options).unwrap_err());
    assert!(missing.contains("arm.srdf: cannot be read: "), "{missing}");
    let pairs = "<disable_collisions link1='b' link2='a'/><disable_collisions link1='b' link2='z'/>";
    std::fs::write(&srdf, format!("<robot name='arm'>{pairs}</robot>")).unwrap();
    let robot = urdf::read(&urdf, &options).unwrap();
    assert_eq!(robot.definition.disabled, [[0, 1]]);
    assert_eq!(robot.files, [urdf, srdf]);
    assert!(robot.warnings.len() == 1 && robot.warnings[0].contains("\"z\""), "{:?}", robot.warnings);
}
