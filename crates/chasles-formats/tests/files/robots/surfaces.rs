//! Geometries that collide: primitives, and what of a robot's file is passed over.

use chasles::{Primitive, SceneShape};
use glam::DVec3;

use crate::robots::support::{corners, one_link, parse, robot};

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
        assert_eq!(read.definition.links[0].elements[0].shape, SceneShape::primitive(primitive).unwrap());
    }
}

#[test]
fn each_collision_is_a_part_where_its_origin_puts_it() {
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
    let (least, most) =
        corners(&read, "a").iter().fold((f64::MAX, f64::MIN), |(lo, hi), p| (lo.min(p.x), hi.max(p.x)));
    assert_eq!((least, most), (4.0, 6.0));
    assert_eq!(elements[1].pose.position(), DVec3::new(-5.0, 0.0, 0.0));
    assert!(elements[1].pose.transform_vector(DVec3::X).distance(-DVec3::X) < 1e-15);
}

#[test]
fn a_link_without_surface_carries_others() {
    let read = robot("<robot name='r'><link name='a'/></robot>");
    assert!(read.definition.links[0].elements.is_empty());
}

#[test]
fn slips_of_the_pen_are_told() {
    let text = "<robot name='r'>\n<Link name='c'/>\n<link name='a'>\n<colision/>\n</link></robot>";
    let warnings = parse(text).unwrap().warnings;
    assert_eq!(
        warnings,
        [
            "cell/arm.urdf:2: robot, Link: <Link> is passed over: did you mean <link>?",
            "cell/arm.urdf:4: link \"a\", colision: <colision> is passed over: did you mean <collision>?",
        ]
    );
}

#[test]
fn names_may_be_in_a_namespace() {
    let text = "<?xml version='0.0' ?>\n<robot name='r' xmlns='http://www.ros.org' xmlns:xacro='http://ros.org/wiki/xacro'>
        <link name='a'><collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";
    assert_eq!(robot(text).definition.links[0].elements.len(), 1);
}
