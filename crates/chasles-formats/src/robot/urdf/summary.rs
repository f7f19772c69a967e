//! The facts about a robot for `chasles info`: links, joints with their limits, and named configurations.

use chasles::{JointAxis, Robot, RobotDefinition};

use crate::info::{ConfigurationInfo, JointInfo, MimicInfo, RobotInfo};
use crate::robot::named_configurations::{self, NamedConfiguration};
use crate::text::json::plain;

/// The facts about a robot with these configurations; `lowest` is the minimum z of its surfaces, if known.
pub(super) fn of(
    robot: &RobotDefinition,
    configurations: &[NamedConfiguration],
    lowest: Option<f64>,
) -> RobotInfo {
    let name = |link: usize| robot.links.get(link).map_or_else(String::new, |link| link.name.clone());
    let is_child = |link: &usize| robot.joints.iter().any(|joint| joint.child == *link);
    let root = (0..robot.links.len()).find(|link| !is_child(link));
    let joints = robot.joints.iter().filter_map(|joint| {
        let slides = matches!(joint.axis?, JointAxis::Prismatic(_));
        let kind = match joint.limits {
            _ if slides => "prismatic",
            Some(_) => "revolute",
            None => "continuous",
        };
        let [lower, upper] = joint.limits.map_or([None; 2], |limits| limits.map(|limit| Some(plain(limit))));
        let follows = joint.mimic.and_then(|mimic| {
            let (joint, [multiplier, offset]) =
                (robot.joints.get(mimic.joint)?, [mimic.multiplier, mimic.offset].map(plain));
            Some(MimicInfo { joint: joint.name.clone(), multiplier, offset })
        });
        Some(JointInfo {
            name: joint.name.clone(),
            kind,
            parent: name(joint.parent),
            child: name(joint.child),
            unit: if slides { "m" } else { "rad" },
            lower,
            upper,
            velocity: joint.velocity.map(plain),
            rest: plain(joint.rest),
            follows,
        })
    });
    RobotInfo {
        name: robot.name.clone(),
        root: root.map_or_else(String::new, name),
        lowest: lowest.map(plain),
        links: robot.links.iter().map(|link| link.name.clone()).collect(),
        joints: joints.collect(),
        configurations: configurations_of(robot, configurations),
    }
}

/// Checks each configuration by itself against the robot.
fn configurations_of(
    robot: &RobotDefinition,
    configurations: &[NamedConfiguration],
) -> Vec<ConfigurationInfo> {
    // A robot file that was read always makes a valid robot.
    let Ok(robot) = Robot::new(robot.clone()) else { return Vec::new() };
    let fact = |configuration: &NamedConfiguration| {
        let single = std::slice::from_ref(configuration);
        let found = named_configurations::find(&configuration.name, single, (&robot, &robot.rest()));
        let joints = robot.joints().iter().enumerate().filter(|(number, joint)| {
            robot.is_set(*number) && configuration.joints.iter().any(|(name, _)| *name == joint.name)
        });
        let (values, error) = match found {
            Ok(found) => (found.values, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let value = |(number, joint): (usize, &chasles::Joint)| {
            Some((joint.name.clone(), plain(*values.get(number)?)))
        };
        let (name, group) = (configuration.name.clone(), configuration.group.clone());
        ConfigurationInfo { name, group, joints: joints.filter_map(value).collect(), error }
    };
    configurations.iter().map(fact).collect()
}
