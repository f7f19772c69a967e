//! Joints: types, axes, limits, values at rest, and joints that follow others.

use chasles::{AdjacentLinks, JointAxis, Pose};
use glam::{DQuat, DVec3};

use crate::robots::support::{parse, robot, two_links};

fn joint(kind: &str, inside: &str) -> chasles::Joint {
    robot(&two_links(kind, inside)).definition.joints[0].clone()
}

#[test]
fn each_joint_type_has_its_motion() {
    let limit = "<limit lower='-1' upper='2' effort='3' velocity='4'/>";
    let fixed = joint("fixed", "<axis xyz='0 0 0'/><mimic joint='nobody'/>");
    assert_eq!((fixed.axis, fixed.limits, fixed.velocity, fixed.mimic), (None, None, None, None));
    let revolute = joint("revolute", &format!("<axis xyz='0 1 0'/>{limit}"));
    assert_eq!(revolute.axis, Some(JointAxis::Revolute(DVec3::Y)));
    assert_eq!((revolute.limits, revolute.velocity), (Some([-1.0, 2.0]), Some(4.0)));
    let prismatic = joint("prismatic", limit);
    assert_eq!(prismatic.axis, Some(JointAxis::Prismatic(DVec3::X)));
    let continuous = joint("continuous", "<axis xyz=' 0 0\t-1 '/><limit effort='1' velocity='2'/>");
    assert_eq!(continuous.axis, Some(JointAxis::Revolute(-DVec3::Z)));
    assert_eq!((continuous.limits, continuous.velocity), (None, Some(2.0)));
}

#[test]
fn links_and_joints_have_the_numbers_of_the_file() {
    let text = two_links("fixed", "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>");
    let robot = robot(&text);
    assert_eq!((robot.link("a"), robot.link("b"), robot.link("j")), (Some(0), Some(1), None));
    assert_eq!((robot.joint("j"), robot.joint("a")), (Some(0), None));
    let joint = &robot.definition.joints[0];
    assert_eq!((joint.parent, joint.child), (0, 1));
    assert_eq!(robot.definition.adjacent, AdjacentLinks::Skipped);
    assert_eq!(robot.files.len(), 1);
    let quarter = Pose::new(DVec3::new(1.0, 2.0, 3.0), DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0)).unwrap();
    assert_eq!(joint.origin.position(), quarter.position());
    let turned = joint.origin.transform_vector(DVec3::X);
    assert!(turned.distance(quarter.transform_vector(DVec3::X)) < 1e-15);
}

#[test]
fn roll_comes_first_then_pitch_then_yaw() {
    let turned = |text: &str, point: DVec3| joint("fixed", text).origin.transform_point(point);
    let quarter = "1.5707963267948966";
    // About x, y maps to z; then about y, z maps to x; then about z, x maps to y.
    let all = format!("<origin rpy='{quarter} {quarter} {quarter}'/>");
    assert!(turned(&all, DVec3::Y).distance(DVec3::Y) < 1e-15);
    let two = format!("<origin rpy='{quarter} {quarter} 0'/>");
    assert!(turned(&two, DVec3::Y).distance(DVec3::X) < 1e-15);
    // The same as a quaternion of any length.
    let quaternion = "<origin xyz='0 0 1' quat_xyzw='0 0 2 2'/>";
    assert!(turned(quaternion, DVec3::X).distance(DVec3::new(0.0, 1.0, 1.0)) < 1e-15);
}

#[test]
fn at_rest_a_joint_is_at_0_or_in_the_middle_of_its_limits() {
    let cases =
        [("-1", "2", 0.0), ("0", "2", 0.0), ("0.5", "2", 1.25), ("-3", "-1", -2.0), ("0.5", "0.5", 0.5)];
    for (lower, upper, rest) in cases {
        let limit = format!("<limit lower='{lower}' upper='{upper}' velocity='1'/>");
        assert_eq!(joint("revolute", &limit).rest, rest, "{lower} to {upper}");
        assert_eq!(joint("prismatic", &limit).rest, rest, "{lower} to {upper}");
    }
    // A missing limit is 0, and a continuous joint has no limits.
    assert_eq!(joint("revolute", "<limit upper='2' velocity='1'/>").limits, Some([0.0, 2.0]));
    assert_eq!(joint("revolute", "<limit velocity='1'/>").limits, Some([0.0, 0.0]));
    let safety = "<safety_controller soft_lower_limit='0.5' soft_upper_limit='0.6' k_velocity='1'/>";
    assert_eq!(
        joint("revolute", &format!("<limit lower='-1' upper='1' velocity='1'/>{safety}")).limits,
        Some([-1.0, 1.0])
    );
}

#[test]
fn an_axis_of_any_length_is_a_direction() {
    for scale in ["1e-200", "0.001", "3", "1e200"] {
        let text = two_links("continuous", &format!("<axis xyz='0 {scale} 0'/>"));
        let read = parse(&text).unwrap();
        assert_eq!(read.definition.joints[0].axis, Some(JointAxis::Revolute(DVec3::Y)), "{scale}");
        assert!(read.warnings[0].contains("only its direction counts"), "{:?}", read.warnings);
    }
    let near = joint("continuous", "<axis xyz='0.7071 0.7071 0'/>");
    let Some(JointAxis::Revolute(axis)) = near.axis else { panic!("{near:?}") };
    assert!((axis.length() - 1.0).abs() < 1e-15);
}

/// A chain of links whose joints follow others as given.
fn chain(mimics: &[&str]) -> String {
    let mut text = "<robot name='r'><link name='l0'/>".to_owned();
    for (i, mimic) in mimics.iter().enumerate() {
        text += &format!(
            "\n<link name='l{}'/><joint name='j{i}' type='continuous'>\
             <parent link='l{i}'/><child link='l{}'/>{mimic}</joint>",
            i + 1,
            i + 1
        );
    }
    text + "</robot>"
}

#[test]
fn mimic_joints_have_consistent_rest_values() {
    let text = chain(&[
        "<mimic joint='j1' multiplier='-2' offset='0.5'/>",
        "<mimic joint='j2' offset='1'/>",
        "",
        "<mimic joint='j0'/>",
    ]);
    let robot = robot(&text);
    let joints = &robot.definition.joints;
    let mimic = joints[0].mimic.unwrap();
    assert_eq!((mimic.joint, mimic.multiplier, mimic.offset), (1, -2.0, 0.5));
    let mimic = joints[1].mimic.unwrap();
    assert_eq!((mimic.joint, mimic.multiplier, mimic.offset), (2, 1.0, 1.0));
    assert_eq!(joints.iter().map(|joint| joint.rest).collect::<Vec<_>>(), [-1.5, 1.0, 0.0, -1.5]);
}

#[test]
fn suspicious_values_are_warnings_with_line() {
    let limited = "<limit lower='-1' upper='1'/>";
    let cases = [
        ("revolute", "", "4: joint \"j\": found no limit, expected one: taken as without limits"),
        (
            "continuous",
            "<limit lower='-1' upper='1'/>",
            "7: joint \"j\", limit: lower and upper of a continuous joint do not count",
        ),
        (
            "continuous",
            "\n<limit velocity='0'/>",
            "8: joint \"j\", limit: velocity 0 is not greater than 0: it is ignored",
        ),
        (
            "continuous",
            "<dynamic damping='1'/>",
            "7: joint \"j\", dynamic: found <dynamic>: skipped; did you mean <dynamics>?",
        ),
        (
            "prismatic",
            &(limited.to_owned() + limited),
            "7: joint \"j\", limit: there is one already: skipped",
        ),
    ];
    for (kind, inside, warning) in cases {
        let read = parse(&two_links(kind, inside)).unwrap();
        assert_eq!(read.warnings, [format!("cell/arm.urdf:{warning}")]);
        assert_eq!(read.definition.joints[0].velocity, None);
    }
    let nameless = parse("<robot><link name='a'/></robot>").unwrap();
    assert_eq!(nameless.definition.name, "arm");
    assert_eq!(nameless.warnings, ["cell/arm.urdf:1: robot: found no name: called \"arm\""]);
    let fixed = chain(&["<mimic joint='still'/>"]).replace(
        "</robot>",
        "<link name='x'/><joint name='still' type='fixed'><parent link='l0'/><child link='x'/></joint></robot>",
    );
    assert!(
        parse(&fixed).unwrap().warnings[0].ends_with("joint \"still\" is fixed: a value that never changes")
    );
}
