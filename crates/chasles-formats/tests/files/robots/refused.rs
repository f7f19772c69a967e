//! Invalid robots: the messages with their places.

use crate::robots::support::{one_link, refusal, two_links};

#[test]
fn invalid_geometries_are_errors() {
    let cases = [
        ("", "3: link \"a\", collision 1: found no geometry, expected one"),
        ("<geometry/>", "3: link \"a\", collision 1: found an empty geometry, expected a shape"),
        (
            "<geometry/>\n<geometry/>",
            "5: link \"a\", collision 1, geometry: found a second one, expected one",
        ),
        (
            "<geometry>\n<ball radius='1'/></geometry>",
            "5: link \"a\", collision 1, geometry: unknown geometry <ball>: expected box, cylinder, sphere, capsule or mesh",
        ),
        (
            "<geometry><sphere radius='1'/>\n<box/></geometry>",
            "5: link \"a\", collision 1, geometry: found <box> beside <sphere>, expected one shape",
        ),
        (
            "<geometry><box size='1 -2 3'/></geometry>",
            "4: link \"a\", collision 1, box: size: found -2, expected numbers greater than 0",
        ),
        (
            "<geometry><box size='1 2'/></geometry>",
            "4: link \"a\", collision 1, box: size: found \"1 2\", expected 3 finite numbers",
        ),
        ("<geometry><box/></geometry>", "4: link \"a\", collision 1, box: found no size, expected 3 numbers"),
        (
            "<geometry><box size='1 2 nan'/></geometry>",
            "4: link \"a\", collision 1, box: size: found \"1 2 nan\", expected 3 finite numbers",
        ),
        (
            "<geometry><box size='1e70 1 1'/></geometry>",
            "4: link \"a\", collision 1, box: box size x: found 1e70, expected a magnitude below 1e70",
        ),
        (
            "<geometry><sphere radius='0'/></geometry>",
            "4: link \"a\", collision 1, sphere: radius: found 0, expected a number greater than 0",
        ),
        (
            "<geometry><cylinder radius='1'/></geometry>",
            "4: link \"a\", collision 1, cylinder: found no length, expected a number",
        ),
        (
            "<geometry><capsule length='-0' radius='1'/></geometry>",
            "4: link \"a\", collision 1, capsule: length: found -0, expected a number greater than 0",
        ),
        (
            "<geometry><cylinder radius='r' length='1'/></geometry>",
            "4: link \"a\", collision 1, cylinder: radius: found \"r\", expected a finite number",
        ),
        (
            "<origin rpy='0 0 inf'/><geometry><sphere radius='1'/></geometry>",
            "4: link \"a\", collision 1, origin: rpy: found \"0 0 inf\", expected 3 finite numbers",
        ),
        (
            "<origin xyz='0 0 1e80'/><geometry><sphere radius='1'/></geometry>",
            "4: link \"a\", collision 1, origin: position: found 1e80, expected a magnitude below 1e70",
        ),
        (
            "<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/><geometry><sphere radius='1'/></geometry>",
            "4: link \"a\", collision 1, origin: found rpy and quat_xyzw, expected one of them",
        ),
        (
            "<origin quat_xyzw='0 0 0 0'/><geometry><sphere radius='1'/></geometry>",
            "4: link \"a\", collision 1, origin: rotation: found zero length, expected a direction",
        ),
    ];
    for (inside, message) in cases {
        assert_eq!(refusal(&one_link(inside)), format!("cell/arm.urdf:{message}"), "{inside}");
    }
}

#[test]
fn invalid_joints_are_errors() {
    let types = "expected fixed, revolute, continuous or prismatic";
    let limit = "<limit lower='-1' upper='1'/>";
    let cases = [
        ("helical", "", format!("4: joint \"j\": type \"helical\": {types}")),
        (
            "revolute",
            "<limit lower='1' upper='-1'/>",
            "7: joint \"j\", limit: found lower 1, upper -1, expected lower <= upper".into(),
        ),
        (
            "revolute",
            "<limit lower='low'/>",
            "7: joint \"j\", limit: lower: found \"low\", expected a finite number".into(),
        ),
        (
            "continuous",
            "<limit velocity='NaN'/>",
            "7: joint \"j\", limit: velocity: found \"NaN\", expected a finite number".into(),
        ),
        (
            "prismatic",
            "<axis xyz='0 0 0'/>",
            "7: joint \"j\", axis: found 0 0 0, expected a direction".into(),
        ),
        ("prismatic", "<axis/>", "7: joint \"j\", axis: found no xyz, expected 3 numbers".into()),
        (
            "prismatic",
            "<limit lower='1e70' upper='1e70'/>",
            "4: joint \"j\": its value at rest is 1e70: expected a magnitude below 1e60".into(),
        ),
        (
            "revolute",
            &(limit.to_owned() + "\n<mimic joint='ghost'/>"),
            "8: joint \"j\", mimic: found \"ghost\", expected the name of a joint".into(),
        ),
        (
            "revolute",
            &(limit.to_owned() + "<mimic joint='j'/>"),
            "7: joint \"j\", mimic: it follows itself: expected another joint".into(),
        ),
        (
            "revolute",
            &(limit.to_owned() + "<mimic/>"),
            "7: joint \"j\", mimic: found no joint, expected one".into(),
        ),
        (
            "revolute",
            &(limit.to_owned() + "<mimic joint='j' offset=''/>"),
            "7: joint \"j\", mimic: offset: found \"\", expected a finite number".into(),
        ),
    ];
    for (kind, inside, message) in cases {
        assert_eq!(refusal(&two_links(kind, inside)), format!("cell/arm.urdf:{message}"), "{inside}");
    }
    let typeless = two_links("fixed", "").replace(" type='fixed'", "");
    assert_eq!(refusal(&typeless), format!("cell/arm.urdf:4: joint \"j\": found no type: {types}"));
    let childless = two_links("fixed", "").replace("<child link='b'/>", "");
    assert!(refusal(&childless).ends_with("joint \"j\": found no child, expected a link"));
    let unnamed = two_links("fixed", "").replace("<child link='b'/>", "<child/>");
    assert!(refusal(&unnamed).ends_with(":6: joint \"j\", child: found no link, expected one"));
    let ghost = two_links("fixed", "").replace("<parent link='a'/>", "<parent link='ghost'/>");
    assert!(
        refusal(&ghost).ends_with(":5: joint \"j\", parent: found \"ghost\", expected the name of a link")
    );
}

/// A robot of these links and joints (name, parent, child), one per line.
fn tree(links: &str, joints: &[(&str, &str, &str)]) -> String {
    let mut text = "<robot name='r'>".to_owned();
    for link in links.chars() {
        text += &format!("\n<link name='{link}'/>");
    }
    for (name, parent, child) in joints {
        text += &format!(
            "\n<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/></joint>"
        );
    }
    text + "</robot>"
}

#[test]
fn links_that_do_not_form_a_tree_are_errors() {
    let cases = [
        (tree("aba", &[]), "4: link \"a\": the name is taken by that of line 2"),
        (
            tree("abc", &[("j", "a", "b"), ("j", "b", "c")]),
            "6: joint \"j\": the name is taken by that of line 5",
        ),
        (tree("ab", &[]), "3: link \"b\": no joint carries it, nor link \"a\": expected one link only"),
        (
            tree("abc", &[("j", "a", "c"), ("k", "b", "c")]),
            "6: link \"c\": carried by joints \"j\" and \"k\": expected one",
        ),
        (tree("ab", &[("j", "a", "b"), ("k", "b", "a")]), "2: link \"a\": a cycle of links: \"a\", \"b\""),
        (tree("a", &[("j", "a", "a")]), "2: link \"a\": a cycle of links: \"a\""),
        // A circle beside a tree, found from a link attached to the circle.
        (
            tree(
                "abcdefghi",
                &[
                    ("1", "d", "c"),
                    ("2", "d", "e"),
                    ("3", "e", "f"),
                    ("4", "f", "g"),
                    ("5", "g", "h"),
                    ("6", "h", "i"),
                    ("7", "i", "d"),
                    ("8", "a", "b"),
                ],
            ),
            "5: link \"d\": a cycle of links: \"d\", \"i\", \"h\", \"g\", \"f\", ..",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(refusal(&text), format!("cell/arm.urdf:{message}"));
    }
}

#[test]
fn mimic_cycles_are_errors() {
    let text = tree("abcd", &[("j", "a", "b"), ("k", "b", "c"), ("l", "c", "d")]);
    let text = text.replacen("</joint>", "<mimic joint='k'/></joint>", 1);
    let text = text.replace("<child link='c'/>", "<child link='c'/><mimic joint='l'/>");
    let text = text.replace("<child link='d'/>", "<child link='d'/><mimic joint='k'/>");
    assert_eq!(
        refusal(&text),
        "cell/arm.urdf:7: joint \"k\", mimic: it follows itself through other joints: expected another joint"
    );
}

#[test]
fn files_that_are_not_robots_are_errors() {
    let cases = [
        ("<sdf/>", "1: found <sdf>, expected <robot>"),
        ("<robot name='r'/>", "1: robot: found no links, expected at least one"),
        ("<robot name='r'>\n<link/></robot>", "2: link: found no name, expected one"),
        ("<robot name='r'>\n<link name=' '/></robot>", "2: link: name is empty: expected a name"),
        (
            "<robot xmlns:xacro='http://www.ros.org/wiki/xacro' name='r'>\n<link name='a'/>\n<xacro:arm side='left'/></robot>",
            "3: found \"xacro:arm\", a macro: expected a robot whose macros xacro has expanded: \
             `xacro arm.urdf > arm.expanded.urdf`, or `ros2 run xacro xacro arm.urdf > arm.expanded.urdf`",
        ),
        (
            "<robot name='r'>\n<link name='a'><collision>\n<geometry><box size='${2 * width} 1 1'/></geometry></collision></link></robot>",
            "3: found \"${2 * width} 1 1\", an expression of a macro: expected a robot whose macros xacro has expanded: \
             `xacro arm.urdf > arm.expanded.urdf`, or `ros2 run xacro xacro arm.urdf > arm.expanded.urdf`",
        ),
        (
            "<robot name='r'>\n<link name='a'>\n</robot>",
            "3: not XML that can be read: expected 'link' tag, not 'robot'",
        ),
        (
            "<!DOCTYPE robot [<!ENTITY a 'a'>]>\n<robot name='&a;'/>",
            "2: not XML that can be read: a document type declaration is not supported",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(refusal(text), format!("cell/arm.urdf:{message}"));
    }
    assert_eq!(refusal(" "), "cell/arm.urdf: the file is empty: expected XML");
}
