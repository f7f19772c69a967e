//! The poses of a robot's links when every joint is at rest, and the facts that follow from them.

use chasles::{Joint, JointAxis, Pose, RobotDefinition};
use glam::{DQuat, DVec3};

use super::{RobotFile, summary};
use crate::info::{BodyInfo, SceneInfo};

/// The facts about a robot.
pub(super) fn facts(robot: RobotFile) -> SceneInfo {
    let RobotFile { definition, configurations, warnings, .. } = robot;
    let mut bounds: Option<[DVec3; 2]> = None;
    let mut bodies = vec![];
    for (link, pose) in definition.links.iter().zip(poses(&definition)) {
        let mut triangles = 0;
        for element in &link.elements {
            let mesh = element.shape.drawn();
            triangles += mesh.triangles().len();
            let pose = pose.compose(&element.pose);
            for corner in mesh.triangles().iter().flatten() {
                let point = pose.transform_point(mesh.vertex(*corner));
                let [lo, hi] = bounds.unwrap_or([point; 2]);
                bounds = Some([lo.min(point), hi.max(point)]);
            }
        }
        if triangles > 0 {
            bodies.push(BodyInfo { name: link.name.clone(), triangles, ..BodyInfo::default() });
        }
    }
    let info = summary::of(&definition, &configurations, bounds.map(|[minimum, _]| minimum.z));
    let joints = definition.joints.into_iter().filter(|joint| joint.axis.is_some());
    SceneInfo {
        bodies,
        joints: joints.map(|joint| joint.name).collect(),
        bounds,
        robot: Some(info),
        warnings,
        ..SceneInfo::default()
    }
}

/// The poses of the links in the frame of the root link.
fn poses(robot: &RobotDefinition) -> Vec<Pose> {
    let mut parent_joint: Vec<Option<&Joint>> = vec![None; robot.links.len()];
    for joint in &robot.joints {
        parent_joint[joint.child] = Some(joint);
    }
    let mut poses: Vec<Option<Pose>> = vec![None; robot.links.len()];
    for start in 0..robot.links.len() {
        // Walks up to the root or to a link with a known pose, then down again.
        let (mut link, mut chain) = (start, vec![]);
        while let (None, Some(joint)) = (poses[link], parent_joint[link]) {
            chain.push(joint);
            link = joint.parent;
        }
        let mut pose = poses[link].unwrap_or(Pose::IDENTITY);
        poses[link] = Some(pose);
        for joint in chain.into_iter().rev() {
            pose = pose.compose(&joint.origin).compose(&at_rest(joint));
            poses[joint.child] = Some(pose);
        }
    }
    poses.into_iter().map(|pose| pose.unwrap_or(Pose::IDENTITY)).collect()
}

/// The transform of a joint at rest, after its origin. The joint's reader has checked the size of the value.
fn at_rest(joint: &Joint) -> Pose {
    let pose = match joint.axis {
        Some(JointAxis::Revolute(axis)) => Pose::new(DVec3::ZERO, DQuat::from_axis_angle(axis, joint.rest)),
        Some(JointAxis::Prismatic(axis)) => Pose::from_position(axis * joint.rest),
        None => Ok(Pose::IDENTITY),
    };
    pose.unwrap_or(Pose::IDENTITY)
}
