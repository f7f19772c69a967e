//! Planar and floating joints, compared with explicit poses.

use std::path::Path;

use chasles::{Pose, Robot};
use chasles_formats::robot::joint_path::{self, AngleUnit, PathFile, PathOptions};
use chasles_formats::robot::urdf::{self, RobotFile, UrdfOptions};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

use crate::robots::support::{two_links, vector};

fn free(kind: &str, inside: &str) -> RobotFile {
    let text = two_links(kind, inside);
    let read = urdf::parse(text.as_bytes(), Path::new("arm.urdf"), &UrdfOptions::default()).unwrap();
    assert_eq!((&read.warnings[..], &read.free[..]), (&[][..], &["j".to_owned()][..]));
    read
}

/// The pose of link `b` in the frame of `a`, for values of coordinates by their names.
fn pose(read: &RobotFile, values: &[(&str, f64)]) -> Pose {
    let robot = Robot::new(read.definition.clone()).unwrap();
    let mut all = robot.rest();
    assert_eq!(all.len(), values.len());
    for (name, value) in values {
        all[read.joint(&format!("j/{name}")).unwrap()] = *value;
    }
    robot.link_poses(&all)[read.link("b").unwrap()]
}

#[track_caller]
fn assert_same(found: &Pose, position: DVec3, rotation: DQuat) {
    assert!(found.position().distance(position) < 1e-12, "{found:?} {position}");
    assert!(found.rotation().dot(rotation).abs() > 1.0 - 1e-14, "{found:?} {rotation}");
}

#[test]
fn planar_joints_slide_in_their_plane_and_turn_about_their_axis() {
    let mut random = Random(5);
    for number in 0..200 {
        let axis = match number {
            0..3 => DVec3::AXES[number],
            3..6 => -DVec3::AXES[number - 3],
            _ => vector(&mut random),
        };
        let Some(unit) = axis.try_normalize() else { continue };
        let [x, y, yaw] = [0; 3].map(|_| 3.0 * random.side());
        let text = format!(
            "<origin xyz='1 2 3' rpy='0 0 0.5'/><axis xyz='{:?} {:?} {:?}'/>",
            unit.x, unit.y, unit.z
        );
        let read = free("planar", &text);
        let found = pose(&read, &[("x", x), ("y", y), ("yaw", yaw)]);
        let along = match number {
            0 => [DVec3::Y, DVec3::Z],
            1 => [DVec3::Z, DVec3::X],
            2 => [DVec3::X, DVec3::Y],
            _ => {
                let parts = unit.abs().to_array();
                let largest = (0..3).min_by(|a, b| parts[*b].total_cmp(&parts[*a])).unwrap();
                let after = DVec3::AXES[(largest + 1) % 3];
                let u = after.reject_from(unit).normalize();
                [u, unit.cross(u)]
            }
        };
        let origin = DQuat::from_rotation_z(0.5);
        let position = DVec3::new(1.0, 2.0, 3.0) + origin * (x * along[0] + y * along[1]);
        assert_same(&found, position, origin * DQuat::from_axis_angle(unit, yaw));
        // As in the file a single joint connects them, so they are not tested against each other.
        assert_eq!(read.definition.disabled, [[read.link("a").unwrap(), read.link("b").unwrap()]]);
    }
}

#[test]
fn floating_joints_move_as_origins_do() {
    let mut random = Random(6);
    let read = free("floating", "<origin xyz='0 1 0' rpy='1 0 0'/>");
    for _ in 0..200 {
        let [x, y, z, roll, pitch, yaw] = [0; 6].map(|_| 3.0 * random.side());
        let names = ["x", "y", "z", "roll", "pitch", "yaw"];
        let values: Vec<(&str, f64)> = names.into_iter().zip([x, y, z, roll, pitch, yaw]).collect();
        let origin = DQuat::from_rotation_x(1.0);
        let turn = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
        assert_same(&pose(&read, &values), DVec3::Y + origin * DVec3::new(x, y, z), origin * turn);
    }
}

/// A path of these quaternions (x, y, z, w), one second each.
fn turns(quaternions: &[[f64; 4]]) -> PathFile {
    let mut text = String::from("j/qw,time,j/x,j/qx,j/qy,j/qz\n");
    for (time, [x, y, z, w]) in quaternions.iter().enumerate() {
        text += &format!("{w:?},{time},7,{x:?},{y:?},{z:?}\n");
    }
    joint_path::parse(text.as_bytes(), Path::new("p.csv"), PathOptions::default()).unwrap()
}

#[test]
fn quaternions_become_the_nearest_angles() {
    let mut random = Random(7);
    let quarter = 0.5_f64.sqrt();
    for seed in 0..chasles_testing::cases(800, 3_000) {
        let mut quaternion = |_| {
            let turn = match random.below(4) {
                // Vertical or nearly so, up or down.
                0 => {
                    let tiny = [0.0, 1e-17, 1e-13, 1e-9, 1e-5][random.below(5)] * random.side();
                    let side = if random.below(2) == 0 { quarter } else { -quarter };
                    let upright = DQuat::from_xyzw(0.0, side, 0.0, quarter) * DQuat::from_rotation_y(tiny);
                    let [roll, yaw] = [0; 2].map(|_| 3.0 * random.side());
                    DQuat::from_rotation_z(yaw) * upright * DQuat::from_rotation_x(roll)
                }
                _ => random.quaternion(),
            };
            let factor = [1.0, 2.0, -1e-3][random.below(3)];
            turn.to_array().map(|part| factor * part)
        };
        let quaternions: Vec<[f64; 4]> = (0..4).map(&mut quaternion).collect();
        let file = turns(&quaternions);
        assert_eq!(file.free_joints(), ["j"]);
        let path = file.with_angles(AngleUnit::Radians).unwrap();
        assert_eq!(path.joints, ["j/x", "j/roll", "j/pitch", "j/yaw"]);
        let degrees = file.with_angles(AngleUnit::Degrees).unwrap();
        let mut before = [0.0; 3];
        for (number, parts) in quaternions.iter().enumerate() {
            let [seven, roll, pitch, yaw] = path.waypoints[number].positions[..] else { panic!("{path:?}") };
            assert_eq!(seven, 7.0);
            let turn =
                DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
            let stated = DQuat::from_array(*parts).normalize();
            // The distance of the rotations; the dot product would round it away.
            let apart = if turn.dot(stated) < 0.0 { turn + stated } else { turn - stated };
            assert!(apart.length() < 4e-15, "{seed}: {parts:?}: {roll} {pitch} {yaw}");
            // No equivalent angles are closer.
            let pi = std::f64::consts::PI;
            let angles = [roll, pitch, yaw];
            let far = |angles: [f64; 3]| (0..3).map(|i| (angles[i] - before[i]).abs()).sum::<f64>();
            let whole = |angles: [f64; 3]| {
                [0, 1, 2].map(|i| angles[i] + 2.0 * pi * ((before[i] - angles[i]) / (2.0 * pi)).round())
            };
            assert!(far(angles) <= far(whole([roll + pi, pi - pitch, yaw + pi])) + 1e-9, "{seed}");
            assert!(far(angles) <= far(whole(angles)) + 1e-9, "{seed}");
            assert!((degrees.waypoints[number].positions[2].to_radians() - pitch).abs() < 1e-14);
            before = angles;
        }
    }
}

#[test]
fn invalid_rotation_columns_are_errors() {
    let message = |text: &str| {
        let path = joint_path::parse(text.as_bytes(), Path::new("p.csv"), PathOptions::default()).unwrap();
        path.with_angles(AngleUnit::Radians).unwrap_err().to_string()
    };
    let part = "p.csv:1: found a part of the quaternion of the joint \"j\", expected qx, qy, qz and qw";
    assert_eq!(message("time,j/qx,j/qy,j/qw\n0,0,0,1\n1,0,0,1\n"), part);
    let zero =
        "p.csv:3: found a quaternion of the joint \"j\" without a direction, expected one that is not 0";
    assert_eq!(message("time,j/qx,j/qy,j/qz,j/qw\n0,0,0,0,1\n1,0,0,0,0\n"), zero);
    let both = "p.csv:1: found angles beside the quaternion of the joint \"j\", expected one of both";
    assert_eq!(message("time,j/qx,j/qy,j/qz,j/qw,j/yaw\n0,0,0,0,1,0\n1,0,0,0,1,0\n"), both);
}
