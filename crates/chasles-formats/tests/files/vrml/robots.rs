//! Worlds whose transforms are moved by columns: compared with matrices with the values inserted.

use chasles::{JointAxis, RobotDefinition};
use chasles_testing::Random;
use glam::{DAffine3, DVec3};

use crate::vrml::support::{number, world};
use crate::vrml::twin::{Scales, TestTransform, corners, text, tree};

/// The values of all joints: from the columns, and of the joints that follow them.
fn values(robot: &RobotDefinition, columns: &[(String, f64)]) -> Vec<f64> {
    let own = |name: &str| columns.iter().find(|(column, _)| column == name).map(|(_, value)| *value);
    let value = |joint: usize| own(&robot.joints[joint].name).unwrap_or(robot.joints[joint].rest);
    let follow = |joint: usize| match robot.joints[joint].mimic {
        Some(mimic) => mimic.multiplier * value(mimic.joint) + mimic.offset,
        None => value(joint),
    };
    (0..robot.joints.len()).map(follow).collect()
}

/// The pose of a link in the world.
fn pose(robot: &RobotDefinition, link: usize, values: &[f64]) -> DAffine3 {
    let Some(number) = robot.joints.iter().position(|joint| joint.child == link) else {
        return DAffine3::IDENTITY;
    };
    let joint = &robot.joints[number];
    let origin = DAffine3::from_rotation_translation(joint.origin.rotation(), joint.origin.position());
    let motion = match joint.axis {
        None => DAffine3::IDENTITY,
        Some(JointAxis::Revolute(axis)) => DAffine3::from_axis_angle(axis, values[number]),
        Some(JointAxis::Prismatic(axis)) => DAffine3::from_translation(values[number] * axis),
    };
    pose(robot, joint.parent, values) * origin * motion
}

/// The vertices of a link in the world.
fn vertices(robot: &RobotDefinition, name: &str, values: &[f64]) -> Vec<DVec3> {
    let link = robot.links.iter().position(|link| link.name == name).unwrap();
    let element = &robot.links[link].elements[0];
    let own = DAffine3::from_rotation_translation(element.pose.rotation(), element.pose.position());
    let (frame, mesh) = (pose(robot, link, values) * own, element.shape.drawn());
    let vertex = |vertex| frame.transform_point3(mesh.vertex(vertex));
    (0..).take(mesh.vertex_count()).map(vertex).collect()
}

#[track_caller]
fn assert_tree(robot: &RobotDefinition) {
    let mut above = vec![0; robot.links.len()];
    for joint in &robot.joints {
        above[joint.child] += 1;
        assert!(joint.parent < robot.links.len());
        if let Some(JointAxis::Revolute(axis) | JointAxis::Prismatic(axis)) = joint.axis {
            assert!((axis.length() - 1.0).abs() < 1e-15);
        }
    }
    assert_eq!(above.iter().filter(|count| **count == 0).count(), 1, "one root");
    assert!(above.iter().all(|count| *count <= 1));
    let mut names: Vec<_> = robot.links.iter().map(|link| &link.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), robot.links.len());
    let mut names: Vec<_> = robot.joints.iter().map(|joint| &joint.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), robot.joints.len());
}

/// The transform with a column's value inserted.
fn write_in(turned: &mut TestTransform, column: &str, value: f64) {
    match column.rsplit('.').next().unwrap() {
        "rotation" => turned.rotation.1 = value,
        "x" => turned.translation.x = value,
        "y" => turned.translation.y = value,
        _ => turned.translation.z = value,
    }
}

/// The name of a box: the names from the root down to it.
fn name(tree: &[TestTransform], i: usize) -> String {
    let mut name = format!("T{i}/B{i}");
    let mut parent = tree[i].parent;
    while let Some(above) = parent {
        name = format!("T{above}/{name}");
        parent = tree[above].parent;
    }
    name
}

#[test]
fn columns_move_joints_as_values_in_the_file_would() {
    for seed in 0..chasles_testing::cases(150, 400) {
        let random = &mut Random(seed);
        let scales = if seed % 2 == 0 { Scales::Even } else { Scales::AnyAtTheEnds };
        let plain = tree(random, scales);
        let world = world(&text(&plain));
        let columns: Vec<String> = world.columns().into_iter().filter(|_| random.below(3) > 0).collect();
        let robot = world.robot(&columns).unwrap().definition;
        assert_tree(&robot);
        // At rest it is as in the file.
        let rest = values(&robot, &[]);
        let columns: Vec<(String, f64)> =
            columns.into_iter().map(|column| (column, 2.0 * number(random))).collect();
        let mut moved = plain.clone();
        for (column, value) in &columns {
            let number: usize = column[1..column.find('.').unwrap()].parse().unwrap();
            write_in(&mut moved[number], column, *value);
        }
        let values = values(&robot, &columns);
        for i in 0..plain.len() {
            let name = name(&plain, i);
            for (tree, values) in [(&plain, &rest), (&moved, &values)] {
                let (found, expected) = (vertices(&robot, &name, values), corners(tree, i));
                for (found, expected) in found.iter().zip(&expected) {
                    assert!(found.distance(*expected) < 1e-12, "seed {seed}: {name} {found} for {expected}");
                }
            }
        }
    }
}

#[test]
fn reused_nodes_move_in_every_use() {
    let text = "DEF A Transform { translation 1 0 0 rotation 0 0 1 0.5 children Shape { geometry Box { size 1 1 1 } } }
        Transform { translation 0 5 0 scale 2 2 2 children USE A }";
    let columns = ["A.translation.x", "A.rotation"].map(String::from);
    let robot = world(text).robot(&columns).unwrap().definition;
    assert_tree(&robot);
    let own = robot.joints.iter().find(|joint| joint.name == "A.translation.x").unwrap();
    assert_eq!((own.rest, own.mimic), (1.0, None));
    let stated = [("A.translation.x".to_owned(), 3.0), ("A.rotation".to_owned(), 0.0)];
    let values = values(&robot, &stated);
    let lowest = |name: &str| vertices(&robot, name, &values).into_iter().fold(DVec3::INFINITY, DVec3::min);
    assert!(lowest("A").distance(DVec3::new(2.5, -0.5, -0.5)) < 1e-14);
    assert!(lowest("A#2").distance(DVec3::new(5.0, 4.0, -1.0)) < 1e-14);
}

#[test]
fn instances_pass_their_fields_on() {
    let text = "PROTO Hinge [ exposedField SFRotation turn 0 1 0 0.25 field MFNode parts [ ] ] {
            DEF INNER Transform { rotation IS turn children IS parts } }
        DEF ELBOW Hinge { parts Shape { geometry Box { } } }
        DEF WRIST Hinge { turn 1 0 0 0 parts Shape { geometry Box { } } }";
    let world = world(text);
    // Two instances have a translation of that name, which their paths distinguish.
    let columns = world.columns();
    assert!(columns.contains(&"ELBOW.rotation".to_owned()), "{columns:?}");
    assert!(columns.contains(&"WRIST/INNER.translation.x".to_owned()), "{columns:?}");
    let robot = world.robot(&["ELBOW.rotation".into(), "WRIST.rotation".into()]).unwrap().definition;
    let joint = |name: &str| robot.joints.iter().find(|joint| joint.name == name).unwrap();
    assert_eq!(
        (joint("ELBOW.rotation").axis, joint("ELBOW.rotation").rest),
        (Some(JointAxis::Revolute(DVec3::Y)), 0.25)
    );
    assert_eq!(
        (joint("WRIST.rotation").axis, joint("WRIST.rotation").rest),
        (Some(JointAxis::Revolute(DVec3::X)), 0.0)
    );
    let error = world.robot(&["INNER.translation.x".into()]).unwrap_err().to_string();
    assert!(
        error.contains("which 2 Transforms are named: expected a path such as \"ELBOW/INNER\""),
        "{error}"
    );
    assert!(world.robot(&["ELBOW/INNER.translation.x".into()]).is_ok());
}

#[test]
fn round_bodies_are_round_and_their_axis_is_y() {
    let text = "DEF A Transform { scale 2 3 2 rotation 0 0 1 0.5
        children [ Shape { geometry Cone { } } Collision { collide FALSE children Shape { geometry Box { } } } ] }";
    let robot = world(text).robot(&["A.rotation".into()]).unwrap().definition;
    let cone = robot.links.iter().find(|link| link.name == "A").unwrap();
    // Radius 1 and height 2, twice as wide and three times as high.
    assert!(cone.elements[0].shape.deviation() > 0.0);
    let values = values(&robot, &[("A.rotation".into(), 0.0)]);
    let tip = vertices(&robot, "A", &values)[0];
    assert!(tip.distance(DVec3::new(0.0, 3.0, 0.0)) < 1e-14, "{tip}");
    let through = robot.links.iter().find(|link| link.name == "A#2").unwrap();
    assert!(through.elements.is_empty(), "what does not collide is not tested");
}

#[test]
fn invalid_columns_are_errors() {
    let skewed = "DEF A Transform { scale 1 2 1 children DEF B Transform { translation 1 1 1 children Shape { geometry Box { } } } }
        DEF C Transform { children Shape { geometry Box { } } }  DEF S Shape { }";
    let world = world(skewed);
    let robot = |columns: &[&str]| world.robot(&columns.iter().map(|&c| c.into()).collect::<Vec<_>>());
    let refused = |columns: &[&str]| robot(columns).unwrap_err().to_string();
    // Below a non-uniform scale it may slide but not rotate, unless nothing below it moves.
    assert!(robot(&["B.translation.y", "A.rotation", "C.rotation"]).is_ok());
    let message = refused(&["B.rotation"]);
    assert!(message.starts_with("world.wrl:2:40: it is turned below a scale that differs"), "{message}");
    assert!(
        refused(&["D.rotation"]).contains("expected a Transform that DEF names; did you mean"),
        "{}",
        refused(&["D.rotation"])
    );
    assert!(refused(&["S.rotation"]).contains("expected a Transform that DEF names"));
    assert!(refused(&["A.scale"]).contains("expected <DEF>.rotation, or <DEF>.translation.x, .y or .z"));
    assert!(refused(&["C.rotation", "C.rotation"]).contains("move the same"));
    let slid = robot(&["B.translation.y"]).unwrap().definition;
    let joint = slid.joints.iter().find(|joint| joint.name == "B.translation.y").unwrap();
    assert_eq!((joint.rest, joint.mimic), (1.0, None));
    let follower = slid.joints.iter().find(|joint| joint.mimic.is_some()).unwrap();
    assert_eq!(follower.mimic.map(|mimic| mimic.multiplier), Some(2.0));
}
