//! Collision geometries: primitives, and ignored parts of a robot's file.

use chasles::{CollisionShape, Primitive};
use glam::DVec3;

use crate::robots::support::{corners, one_link, parse, refusal, robot, two_links};

#[test]
fn primitives_have_the_sizes_of_the_file() {
    let cases = [
        ("<box size='1 2 3'/>", Primitive::Box { size: DVec3::new(1.0, 2.0, 3.0) }),
        ("<sphere radius='0.5'/>", Primitive::Sphere { radius: 0.5 }),
        ("<cylinder radius='0.5' length='2'/>", Primitive::Cylinder { radius: 0.5, height: 2.0 }),
        ("<capsule length='2' radius='0.5'/>", Primitive::Capsule { radius: 0.5, height: 2.0 }),
    ];
    for (text, primitive) in cases {
        let read = robot(&one_link(&format!("<geometry>{text}</geometry>")));
        assert_eq!(read.definition.links[0].elements.len(), 1);
        assert_eq!(read.definition.links[0].elements[0].shape, CollisionShape::primitive(primitive).unwrap());
    }
}

#[test]
fn each_collision_element_is_placed_by_its_origin() {
    let text = "<robot name='r'><link name='a'>
        <visual><geometry><mesh filename='gone.dae'/></geometry></visual>
        <inertial><mass value='nan'/></inertial>
        <collision name='first'><geometry><box size='2 2 2'/></geometry><origin xyz='5 0 0'/></collision>
        <collision><origin rpy='0 0 3.141592653589793' xyz='-5 0 0'/><geometry><sphere radius='1'/></geometry></collision>
        <contact><lateral_friction value='1'/></contact>
        </link>
        <gazebo reference='a'><material>Red</material></gazebo>
        <transmission name='t'><joint name='none'/></transmission>
        <material name='blue'/>
        </robot>";
    let read = robot(text);
    let elements = &read.definition.links[0].elements;
    assert_eq!(elements.len(), 2);
    let (least, maximum) =
        corners(&read, "a").iter().fold((f64::MAX, f64::MIN), |(lo, hi), p| (lo.min(p.x), hi.max(p.x)));
    assert_eq!((least, maximum), (4.0, 6.0));
    assert_eq!(elements[1].pose.position(), DVec3::new(-5.0, 0.0, 0.0));
    assert!(elements[1].pose.transform_vector(DVec3::X).distance(-DVec3::X) < 1e-15);
}

#[test]
fn links_without_surface_may_have_children() {
    let read = robot("<robot name='r'><link name='a'/></robot>");
    assert!(read.definition.links[0].elements.is_empty());
}

/// Ignoring a misspelt name would leave out a surface or a motion.
#[test]
fn misspelled_names_are_errors() {
    let joint = |inside: &str| two_links("revolute", &format!("<limit lower='0' upper='1'/>{inside}"));
    let sphere = "<geometry><sphere radius='1'/></geometry>";
    for (text, message) in [
        (
            "<robot name='r'>\n<Link name='c'/></robot>".into(),
            "2: robot, Link: found <Link>: did you mean <link>?",
        ),
        (
            "<robot name='r'>\n<link name='a'>\n<colision/></link></robot>".into(),
            "3: link \"a\", colision: found <colision>: did you mean <collision>?",
        ),
        (
            "<robot name='r'>\n<link name='a'>\n<geometry/></link></robot>".into(),
            "3: link \"a\", geometry: found <geometry>, which has no effect here: expected it in <collision>",
        ),
        (
            "<robot name='r'>\n<link name='a'/>\n<collision/></robot>".into(),
            "3: robot, collision: found <collision>, which has no effect here: expected it in <link>",
        ),
        (
            one_link("<geom><sphere radius='1'/></geom>"),
            "4: link \"a\", collision 1, geom: found <geom>: did you mean <geometry>?",
        ),
        (
            one_link("<geometry><shpere radius='1'/></geometry>"),
            "4: link \"a\", collision 1, geometry: unknown geometry <shpere>: expected box, cylinder, sphere, capsule or \
             mesh; did you mean <sphere>?",
        ),
        (
            one_link(&format!("<orign xyz='1 0 0'/>{sphere}")),
            "4: link \"a\", collision 1, orign: found <orign>: did you mean <origin>?",
        ),
        (
            one_link(&format!("<origin xzy='1 0 0'/>{sphere}")),
            "4: link \"a\", collision 1, origin: found the attribute \"xzy\", \"1 0 0\": did you mean xyz?",
        ),
        (
            one_link("<geometry><sphere radius='1'><origin xyz='1 0 0'/></sphere></geometry>"),
            "4: link \"a\", collision 1, sphere, origin: found <origin> in <sphere>, which has no effect: expected it \
             in <collision>",
        ),
        (
            one_link("<geometry><mesh filename='a.stl' scael='1 1 1'/></geometry>"),
            "4: link \"a\", collision 1, mesh: found the attribute \"scael\", \"1 1 1\": did you mean scale?",
        ),
        (joint("<limits lower='0'/>"), "7: joint \"j\", limits: found <limits>: did you mean <limit>?"),
        (
            joint("<axis xyz='1 0 0' xzy='1 0 0'/>"),
            "7: joint \"j\", axis: found the attribute \"xzy\", \"1 0 0\": did you mean xyz?",
        ),
        (
            joint("<mimic joint='j' multipler='2'/>"),
            "7: joint \"j\", mimic: found the attribute \"multipler\", \"2\": did you mean multiplier?",
        ),
        (
            two_links("revolute", "<limit lower='0' uper='1'/>"),
            "7: joint \"j\", limit: found the attribute \"uper\", \"1\": did you mean upper?",
        ),
        (joint("<Mimic joint='j'/>"), "7: joint \"j\", Mimic: found <Mimic>: did you mean <mimic>?"),
    ] {
        assert_eq!(refusal(&text), format!("cell/arm.urdf:{message}"), "{text}");
    }
}

/// Elements and attributes of other tools do not change the robot. They resemble no known name, or have a prefix.
#[test]
fn elements_of_other_tools_are_ignored() {
    let text = "<robot name='r' version='1.0' xmlns:drake='http://drake.mit.edu'>
        <gazebo reference='a'><mu1>1</mu1></gazebo><transmission name='t'><joint name='j'/></transmission>
        <ros2_control name='c' type='system'/><drake:lnik/><drake:joint/>
        <link name='a' type='laser' concave='yes'><contact><lateral_friction value='1'/></contact>
            <drake:colision/><self_collision_checking/><sensor/>
            <collision name='c' group='x' drake:xzy='1'><verbose value='1'/><contact_coefficients mu='1'/>
                <geometry><sphere radius='1'/></geometry></collision>
            <visual><orign xyz='1'/><geometry><ball/></geometry></visual></link>
        <link name='b'/>
        <joint name='j' type='fixed'><parent link='a'/><child link='b'/><safety_controller/><joint_properties/>
            <hardwareInterface/></joint></robot>";
    assert_eq!(robot(text).definition.links[0].elements.len(), 1);
    let read = parse(&one_link("<origin pos='1 0 0'/><geometry><sphere radius='1'/></geometry>")).unwrap();
    let warning = "the attribute \"pos\" is skipped: expected xyz, rpy, quat_xyzw";
    assert_eq!(read.warnings, [format!("cell/arm.urdf:4: link \"a\", collision 1, origin: {warning}")]);
}

#[test]
fn names_may_be_in_a_namespace() {
    let text = "<?xml version='0.0' ?>\n<robot name='r' xmlns='http://www.ros.org' xmlns:xacro='http://ros.org/wiki/xacro'>
        <link name='a'><collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";
    assert_eq!(robot(text).definition.links[0].elements.len(), 1);
}
