//! Warnings about paths that are valid but probably a mistake, and the way to the first waypoint.

use std::f64::consts::{PI, TAU};

use chasles::{BodyMotion, Pose, Robot, RobotCell, SceneBody, WorldBody};
use chasles_formats::report::path_warnings::{of_file, of_world};
use chasles_formats::robot::joint_path::{AngleUnit, resolve};
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_testing::Random;
use glam::DVec3;

use super::{numbers, read};

/// An arm whose joint has limits, with a wheel whose joint has none.
fn robot() -> Robot {
    let link = |name: &str| {
        format!(
            "<link name='{name}'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
        )
    };
    let joint = |name: &str, kind: &str, [parent, child]: [&str; 2], limit: &str| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{limit}</joint>"
        )
    };
    let limit = "<limit lower='-6.3' upper='6.3'/>";
    let text = [
        "<robot name='r'>".to_owned(),
        [link("base"), link("arm"), link("tool")].concat(),
        joint("turn", "revolute", ["base", "arm"], limit),
        joint("wheel", "continuous", ["arm", "tool"], ""),
        "</robot>".to_owned(),
    ];
    let read = urdf::parse(text.concat().as_bytes(), "r.urdf".as_ref(), &UrdfOptions::default()).unwrap();
    Robot::new(read.definition).unwrap()
}

fn warnings(text: &str) -> Vec<String> {
    of_file(&read(text, "p.csv").unwrap(), robot().definition(), AngleUnit::Radians)
}

#[test]
fn long_rotations_are_warnings() {
    let reported = "p.csv:3: the joint \"wheel\" rotates without limits and takes the longer rotation, -6 rad \
                from 3 to -3: the shorter one ends at 3.28319";
    assert_eq!(warnings("time,wheel\n0,3\n1,-3\n"), [reported]);
    assert_eq!(warnings("time,wheel\n0,3\n1,-3\n2,3\n"), [format!("{reported} (1 times more)")]);
    let reported = "p.csv:4: the joint \"wheel\" rotates without limits and takes the longer rotation, 5.8 rad \
                from 0.2 to 6: the shorter one ends at -0.283185";
    assert_eq!(warnings("time,turn,wheel\n0,3,0\n1,-3,0.2\n2,3,6\n"), [reported]);
}

/// Compares the warnings with the plain definition, for random waypoints. There is never a warning if the joint moves
/// no more than half a turn, if the angles span more than one turn, or if the joint moves a whole turn.
#[test]
fn long_rotations_are_warned_of_if_a_shorter_one_has_the_same_end() {
    let mut random = Random(11);
    for _ in 0..500 {
        let angle = |random: &mut Random| match random.below(4) {
            0 => PI * random.side(),
            1 => 2.0 * TAU * random.side(),
            2 => 0.0,
            _ => TAU * random.side().abs(),
        };
        let (from, to) = (angle(&mut random), angle(&mut random));
        let found = warnings(&format!("time,wheel\n0,{from}\n1,{to}\n"));
        let distance = (to - from).abs();
        let wrapped = from.abs() <= PI && to.abs() <= PI && distance > PI;
        let positive = from >= 0.0 && to >= 0.0 && from <= TAU && to <= TAU && distance > 1.5 * PI;
        let is_clear_cut = (distance - PI).abs() > 0.01
            && (distance - 1.5 * PI).abs() > 0.01
            && (distance - TAU).abs() > 0.01;
        if is_clear_cut && [from, to].iter().all(|end| (end.abs() - PI).abs() > 0.01) {
            assert_eq!(
                found.len(),
                usize::from((wrapped || positive) && distance < TAU),
                "{from} {to}: {found:?}"
            );
        }
        assert!(found.is_empty() || distance > PI);
    }
}

#[test]
fn joints_with_limits_have_no_shorter_rotation() {
    for text in ["time,turn\n0,3\n1,-3\n", "time,wheel\n0,-1.5\n1,1.5\n", "time,wheel\n0,0\n1,6.283185307\n"]
    {
        assert_eq!(warnings(text), [""; 0], "{text}");
    }
}

/// The robot beside a body with this motion, for one second.
fn cell(motion: BodyMotion) -> RobotCell {
    let shape = chasles::CollisionShape::primitive(chasles::Primitive::Sphere { radius: 0.1 }).unwrap();
    let (name, shape) = ("box".into(), Some(shape));
    let body = SceneBody { name, shape, motion, parent: None, group: None, solid: false };
    RobotCell::new(chasles::CellDefinition {
        robot: robot(),
        base: Pose::IDENTITY,
        world: vec![WorldBody { body, link: None }],
        world_duration: 1.0,
        ignore: vec![],
        tolerance: None,
        clearance: 0.0,
        clearances: vec![],
    })
    .unwrap()
}

#[test]
fn a_world_that_ends_before_the_path() {
    let at = |x: f64| Pose::from_position(DVec3::new(x, 0.0, 5.0)).unwrap();
    let twist = |linear| BodyMotion::Twist { start: at(0.0), linear, angular: DVec3::ZERO };
    let keys = |end: f64, to: f64| BodyMotion::Keyframes(vec![(0.0, at(0.0)), (end, at(to))]);
    let [long, short] =
        ["time,turn\n0,0\n2,1\n", "time,turn\n0,0\n1,1\n"].map(|text| read(text, "p.csv").unwrap());
    let reported = "p.csv: ends at 2 s, after the world, whose duration is 1 s: \"box\" stops moving then (with a longer \
                duration, twists go on)";
    for motion in [twist(DVec3::X), keys(1.0, 1.0), keys(3.0, 1.0)] {
        assert_eq!(of_world(&long, &cell(motion.clone())).as_deref(), Some(reported));
        assert_eq!(of_world(&short, &cell(motion)), None);
    }
    for motion in [twist(DVec3::ZERO), BodyMotion::Still(at(0.0)), keys(0.5, 1.0), keys(1.0, 0.0)] {
        assert_eq!(of_world(&long, &cell(motion)), None);
    }
}

#[test]
fn a_later_start_adds_a_move_from_rest() {
    let mut definition = robot().definition().clone();
    definition.joints.iter_mut().for_each(|joint| joint.rest = -0.5);
    let robot = Robot::new(definition).unwrap();
    let path = read("time,wheel\n2,0.5\n3,1\n", "p.csv").unwrap();
    let resumed = path.with_start_at_rest(&robot, &[]);
    assert_eq!(numbers(&resumed), (vec![0.0, 2.0, 3.0], vec![-0.5, 0.5, 1.0]));
    assert_eq!([0, 1, 2].map(|waypoint| resumed.segment(waypoint)), [0, 1, 2]);
    assert!(resolve(&resumed, robot.definition()).is_ok());
    // A path that starts at time 0 stays the same.
    let path = read("time,wheel\n0,0.5\n3,1\n", "p.csv").unwrap();
    assert_eq!(path.with_start_at_rest(&robot, &[]), path);
    // A path with velocities starts at rest.
    let ros = "joint_names: [wheel]\npoints:\n- {positions: [1], velocities: [2], time_from_start: 1}\n\
               - {positions: [2], velocities: [0], time_from_start: 2}\n";
    let resumed = read(ros, "p.yaml").unwrap().with_start_at_rest(&robot, &[]);
    assert_eq!((resumed.waypoints[0].time, &resumed.waypoints[0].velocities[..]), (0.0, &[0.0][..]));
}
