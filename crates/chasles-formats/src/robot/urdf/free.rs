//! Planar and floating joints: each becomes a chain of prismatic and revolute joints, so that its coordinates are
//! values of joints.
//!
//! After its origin, a **planar** joint translates along two directions `x` and `y` in the plane normal to its axis,
//! and then rotates by `yaw` about the axis. `x` is the projection to the plane of the coordinate axis that follows
//! the axis with the largest component (in the order x, y, z, x), and `y` is perpendicular to both: for the axis z
//! they are x and y. A **floating** joint translates along x, y and z, and then rotates by `yaw` about z, by `pitch`
//! about the resulting y and by `roll` about the resulting x, like `rpy` in an origin.

use chasles::JointAxis;
use glam::DVec3;

use super::document::{FreeKind, LinkEntry, NameRef, UrdfJoint};

/// A planar or floating joint that was replaced by joints with one coordinate.
pub(super) struct FreeJoint {
    pub(super) name: String,
    /// The names of the links that it connects.
    pub(super) links: [String; 2],
}

/// Replaces the planar and floating joints.
pub(super) fn expand(links: &mut Vec<LinkEntry>, joints: &mut Vec<UrdfJoint>) -> Vec<FreeJoint> {
    let mut found = Vec::new();
    let mut all_joints = Vec::with_capacity(joints.len());
    for joint in joints.drain(..) {
        let Some(kind) = joint.free else {
            all_joints.push(joint);
            continue;
        };
        let coordinates = match kind {
            FreeKind::Planar(axis) => planar(axis).to_vec(),
            FreeKind::Floating => floating().to_vec(),
        };
        found.push(FreeJoint {
            name: joint.name.clone(),
            links: [&joint.parent, &joint.child].map(|end| end.name.clone()),
        });
        let last = coordinates.len() - 1;
        for (number, (name, axis)) in coordinates.iter().enumerate() {
            let between =
                |coordinate: &str| NameRef { name: format!("{}/{coordinate}", joint.name), line: joint.line };
            let named = |end: &NameRef| NameRef { name: end.name.clone(), line: end.line };
            if number < last {
                let NameRef { name, line } = between(name);
                links.push(LinkEntry { name, line, surfaces: vec![] });
            }
            all_joints.push(UrdfJoint {
                name: between(name).name,
                line: joint.line,
                parent: if number == 0 { named(&joint.parent) } else { between(coordinates[number - 1].0) },
                child: if number == last { named(&joint.child) } else { between(name) },
                origin: if number == 0 { joint.origin } else { chasles::Pose::IDENTITY },
                axis: Some(*axis),
                limits: None,
                velocity: None,
                mimic: None,
                free: None,
            });
        }
    }
    *joints = all_joints;
    found
}

/// The coordinates, in the order in which they are applied.
fn planar(axis: DVec3) -> [(&'static str, JointAxis); 3] {
    let largest = axis.abs().max_position();
    let after = DVec3::AXES[(largest + 1) % 3];
    let x = (after - after.dot(axis) * axis).normalize();
    let slides = [("x", x), ("y", axis.cross(x))].map(|(name, along)| (name, JointAxis::Prismatic(along)));
    [slides[0], slides[1], ("yaw", JointAxis::Revolute(axis))]
}

fn floating() -> [(&'static str, JointAxis); 6] {
    let slide = |name, along| (name, JointAxis::Prismatic(along));
    let revolute = |name, axis_vector| (name, JointAxis::Revolute(axis_vector));
    [
        slide("x", DVec3::X),
        slide("y", DVec3::Y),
        slide("z", DVec3::Z),
        revolute("yaw", DVec3::Z),
        revolute("pitch", DVec3::Y),
        revolute("roll", DVec3::X),
    ]
}
