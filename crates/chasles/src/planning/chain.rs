//! The robot as a planner moves it: groups of links that move as one, each carried by one joint that the planner sets.
//!
//! Joints that are fixed, or that the planner does not set, join links into one group. The root's group is static. Each
//! other group is carried by a joint whose value is a multiple of one of the planner's values plus an offset. The
//! group's frame moves with the joint and has the joint's axis along z. The frame of the root group is the root link's.

use glam::{DMat3, DQuat, DVec3};

use crate::math::direction::unit_along;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::chart::narrow;
use crate::motion::{JointAxis, Pose};
use crate::robot::Robot;

/// Number of time intervals that are processed in parallel.
pub(crate) const INTERVALS: usize = 7;

/// The number of their ends, one lane each.
pub(crate) const ENDS: usize = INTERVALS + 1;

/// A number at each end.
pub(crate) type AtEnds = [f32; ENDS];

/// The type of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupJointKind {
    Revolute,
    Prismatic,
}

/// Links that move as one, and the joint that carries them.
#[derive(Debug, Clone)]
pub(crate) struct LinkGroup {
    /// The group that carries the joint; its number is lower.
    pub(crate) parent: usize,
    /// The joint's frame in the frame of the parent: the joint rotates about z, or slides along z.
    origin: Pose,
    kind: GroupJointKind,
    /// The value of the joint is `factor` times this value of the planner, plus `offset`.
    value: usize,
    factor: f64,
    offset: f64,
    /// `origin` in 32 bits, for the lanes.
    rotation: [[f32; 3]; 3],
    place: [f32; 3],
}

/// The link groups of a robot.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    /// All groups except the root's, which has number 0: group g is at index g - 1.
    moving: Vec<LinkGroup>,
    /// The group of each link, and the link's pose in the group's frame.
    links: Vec<(usize, Pose)>,
}

/// Position and rotation of a group at each end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupAtEnds {
    place: [AtEnds; 3],
    /// `rotation[column][row]`.
    rotation: [[AtEnds; 3]; 3],
}

/// Pose and velocity of a group at one time, in the frame of the root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GroupAt {
    pub(crate) pose: Pose,
    /// Velocity of the frame's origin, per unit of time.
    velocity: DVec3,
    spin: DVec3,
}

/// A joint set by a value of the planner, in some frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JointAxisAt {
    /// The joint moves by `factor` times the change of this value.
    pub(crate) value: usize,
    pub(crate) factor: f64,
    /// Whether it is revolute; otherwise it is prismatic.
    pub(crate) is_revolute: bool,
    /// A point on the axis.
    place: DVec3,
    along: DVec3,
}

impl JointAxisAt {
    /// The speed of a point per unit of joint velocity: the distance from the axis, or 1 for a prismatic joint.
    pub(crate) fn arm(&self, place: DVec3) -> f64 {
        if self.is_revolute { (place - self.place).cross(self.along).length() } else { 1.0 }
    }
}

/// A straight edge between two lists of the planner's values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointEdge<'w> {
    pub(crate) from: &'w [f64],
    pub(crate) to: &'w [f64],
}

impl JointEdge<'_> {
    pub(crate) fn at(&self, value: usize, time: f64) -> f64 {
        let (from, to) = (self.from[value], self.to[value]);
        // The ends are exact.
        if time >= 1.0 { to } else { from + time * (to - from) }
    }

    fn change(&self, value: usize) -> f64 {
        self.to[value] - self.from[value]
    }
}

/// Bounds for the points of a group on an edge. A pair [a, b] means a + b r, where r is the point's distance in
/// metres from the origin of the group's frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct EdgeBounds {
    /// Acceleration, in metres per unit of time squared.
    pub(crate) acceleration: [f64; 2],
    /// Jerk, in metres per unit of time cubed.
    pub(crate) jerk: [f64; 2],
    /// Distance of the group's origin from the origin of the frame of reference, in metres.
    pub(crate) reach: f64,
    /// Speed, in metres per unit of time.
    pub(crate) speed: [f64; 2],
    /// Displacement in metres per unit of relative error of the joint values.
    pub(crate) swing: [f64; 2],
    /// Number of joints in between.
    pub(crate) joints: usize,
}

/// Roundings that accumulate along a chain of frames: for each joint a product of quaternions, a rotated vector, a
/// sine and a cosine, a normalization; and as many again for the frames of the parts.
pub(crate) const ROUNDINGS: f64 = 64.0;

impl EdgeBounds {
    /// How far the rounding of the joint values alone can move a point of the group, as a pair [a, b]. It matters
    /// after many full rotations.
    pub(crate) fn of_values(&self) -> [f64; 2] {
        self.swing.map(|swing| ROUNDINGS * f64::EPSILON * swing)
    }

    /// Error in metres of a computed position `arm` metres from the origin of the group's frame, if no point is
    /// further than `reach` metres from the origin of any frame.
    pub(crate) fn rounding(&self, arm: f64, reach: f64) -> f64 {
        let swing = self.swing[0] + self.swing[1] * arm;
        ROUNDINGS * f64::EPSILON * ((self.joints + 4) as f64 * reach + swing)
    }
}

impl Chain {
    /// The groups of a robot whose `joints` are set by a planner, while all other joints stay at `values`, one for
    /// each joint of the robot.
    pub(crate) fn new(robot: &Robot, joints: &[usize], values: &[f64]) -> Self {
        let mut chain = Self { moving: Vec::new(), links: vec![(0, Pose::IDENTITY); robot.links().len()] };
        for &link in robot.order() {
            let Some(number) = robot.joint_above(link) else { continue };
            let joint = &robot.joints()[number];
            let (group, parent_pose) = chain.links[joint.parent];
            let follower = robot.followed_joint(number);
            let set = joints.iter().position(|set| *set == follower.joint);
            let set_joint = joint.axis.zip(set).filter(|_| follower.factor != 0.0);
            let Some((axis, value)) = set_joint else {
                chain.links[link] = (group, parent_pose.compose(&joint.pose_at(values[number])));
                continue;
            };
            // Built from two directions across the axis, because the shortest rotation from z to the axis is
            // ill-conditioned near z and near its opposite.
            let z = unit_along(axis.direction());
            let x = z.any_orthonormal_vector();
            let rotation = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize();
            let to_axis = Pose::from_parts(DVec3::ZERO, rotation);
            let origin = parent_pose.compose(&joint.origin).compose(&to_axis);
            let matrix = DMat3::from_quat(origin.rotation());
            chain.moving.push(LinkGroup {
                parent: group,
                origin,
                kind: match axis {
                    JointAxis::Revolute(_) => GroupJointKind::Revolute,
                    JointAxis::Prismatic(_) => GroupJointKind::Prismatic,
                },
                value,
                factor: follower.factor,
                offset: follower.offset,
                rotation: [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(narrow_vector),
                place: narrow_vector(origin.position()),
            });
            chain.links[link] = (chain.moving.len(), to_axis.inverse());
        }
        chain
    }

    /// The number of groups, including the root's.
    pub(crate) fn count(&self) -> usize {
        self.moving.len() + 1
    }

    /// The group of a link, and the link's pose in the group's frame.
    pub(crate) fn link(&self, link: usize) -> (usize, Pose) {
        self.links[link]
    }

    fn group(&self, group: usize) -> Option<&LinkGroup> {
        group.checked_sub(1).map(|number| &self.moving[number])
    }

    /// The joints from group `b` to group `a`: up to the group that carries both, then down. Each comes with the
    /// distance in metres from its origin to the next joint's, slides excluded. The first result is the distance
    /// from the origin of the frame of `b` to the first joint. The joints on the way up are traversed backwards,
    /// which moves no point further.
    fn between(&self, b: usize, a: usize) -> (f64, Vec<(usize, f64)>) {
        let above = |mut group: usize| {
            let mut found = Vec::new();
            while let Some(link_group) = self.group(group) {
                found.push(group);
                group = link_group.parent;
            }
            found
        };
        let (mut up, mut down) = (above(b), above(a));
        while up.last().is_some() && up.last() == down.last() {
            up.pop();
            down.pop();
        }
        let place = |group: usize| self.moving[group - 1].origin.position();
        let mut found: Vec<(usize, f64)> = Vec::new();
        for (at, group) in up.iter().enumerate() {
            // The parent's own joint, or the first joint down; both have their origin in the frame of the parent.
            let length = match (up.get(at + 1), down.last()) {
                (None, Some(next)) => place(*group).distance(place(*next)),
                (Some(_), _) | (None, None) => place(*group).length(),
            };
            found.push((*group, length));
        }
        for (at, group) in down.iter().enumerate().rev() {
            let length = at.checked_sub(1).map_or(0.0, |next| place(down[next]).length());
            found.push((*group, length));
        }
        // The origin of the first joint up is the origin of the frame of `b`, without its slide.
        let first = if up.is_empty() { down.last().map_or(0.0, |group| place(*group).length()) } else { 0.0 };
        (first, found)
    }

    /// The joints between two groups, for [`ChainPath::bounds`].
    pub(crate) fn chain_path(&self, b: usize, a: usize) -> ChainPath {
        let (first, joints) = self.between(b, a);
        // If the last joint is prismatic, the frame of its group is at the end of the slide.
        let joints = joints.into_iter().map(|(group, length)| ChainPathJoint { group, length }).collect();
        ChainPath { first, joints }
    }

    /// The planner's values that move one end of a path relative to the other, each once.
    pub(crate) fn values_of(&self, chain_path: &ChainPath) -> Vec<usize> {
        let mut values: Vec<usize> =
            chain_path.joints.iter().map(|joint| self.moving[joint.group - 1].value).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The axes of the joints of a path at given poses of the groups. `to` leads from the root to the result's frame.
    pub(crate) fn axes(
        &self,
        chain_path: &ChainPath,
        to: &Pose,
        groups: &[GroupAt],
    ) -> impl Iterator<Item = JointAxisAt> {
        chain_path.joints.iter().map(|joint| {
            let LinkGroup { kind, value, factor, .. } = self.moving[joint.group - 1];
            let pose = to.compose(&groups[joint.group].pose);
            let along = pose.transform_vector(DVec3::Z);
            JointAxisAt {
                value,
                factor,
                is_revolute: kind == GroupJointKind::Revolute,
                place: pose.position(),
                along,
            }
        })
    }

    /// Whether a full turn of a value returns all of its joints to the same position.
    pub(crate) fn is_periodic(&self, value: usize) -> bool {
        let has_value = |group: &&LinkGroup| group.value == value;
        self.moving
            .iter()
            .filter(has_value)
            .all(|group| group.kind == GroupJointKind::Revolute && group.factor.abs() == 1.0)
    }

    /// Bounds for the points of the last group of a path, seen from the first group, along an edge.
    pub(crate) fn bounds(&self, chain_path: &ChainPath, edge: &JointEdge<'_>) -> EdgeBounds {
        let mut found = EdgeBounds { joints: chain_path.joints.len(), ..EdgeBounds::default() };
        // From the last joint to the first; `reach` starts at the origin of the current joint.
        let mut rate_before = 0.0;
        for ChainPathJoint { group, .. } in &chain_path.joints {
            rate_before += self.moving[group - 1].rotation_rate(edge);
        }
        for ChainPathJoint { group, length } in chain_path.joints.iter().rev() {
            let joint = &self.moving[group - 1];
            let rate = joint.factor.abs() * edge.change(joint.value).abs();
            let values = [edge.from, edge.to].map(|values| (joint.factor * values[joint.value]).abs());
            let most = values[0].max(values[1]) + joint.offset.abs();
            found.reach += length;
            match joint.kind {
                GroupJointKind::Revolute => {
                    // The rotation rate of the joints before this one.
                    rate_before -= rate;
                    let factor = rate * (rate + 2.0 * rate_before);
                    found.acceleration[0] += factor * found.reach;
                    found.acceleration[1] += factor;
                    let factor = (rate_before + rate).powi(3) - rate_before.powi(3);
                    found.jerk[0] += factor * found.reach;
                    found.jerk[1] += factor;
                    found.speed[0] += rate * found.reach;
                    found.speed[1] += rate;
                    found.swing[0] += most * found.reach;
                    found.swing[1] += most;
                }
                GroupJointKind::Prismatic => {
                    found.reach += most;
                    found.acceleration[0] += 2.0 * rate * rate_before;
                    found.jerk[0] += 3.0 * rate * rate_before * rate_before;
                    found.speed[0] += rate;
                    found.swing[0] += most;
                }
            }
        }
        found.reach += chain_path.first;
        found
    }

    /// The positions of all groups at the ends of seven equal intervals.
    pub(crate) fn poses_at_ends(
        &self,
        edge: &JointEdge<'_>,
        interval: TimeInterval,
        out: &mut Vec<GroupAtEnds>,
    ) {
        out.clear();
        out.push(GroupAtEnds::ROOT);
        for group in &self.moving {
            let mut values = [[0.0_f32; ENDS]; 2];
            group.values_at_ends(edge, interval, &mut values);
            let parent = out[group.parent];
            out.push(parent.carried(group, &values));
        }
    }

    /// All groups at a time; the index in `out` is the group's number.
    pub(crate) fn poses_at(&self, edge: &JointEdge<'_>, time: f64, out: &mut Vec<GroupAt>) {
        out.clear();
        out.push(GroupAt { pose: Pose::IDENTITY, velocity: DVec3::ZERO, spin: DVec3::ZERO });
        for group in &self.moving {
            let parent = out[group.parent];
            let value = group.factor * edge.at(group.value, time) + group.offset;
            let rate = group.factor * edge.change(group.value);
            let joint = parent.pose.compose(&group.origin);
            let axis = joint.transform_vector(DVec3::Z);
            let velocity = parent.velocity_of(joint.position());
            out.push(match group.kind {
                GroupJointKind::Revolute => GroupAt {
                    pose: Pose::from_parts(
                        joint.position(),
                        (joint.rotation() * DQuat::from_rotation_z(value)).normalize(),
                    ),
                    velocity,
                    spin: parent.spin + rate * axis,
                },
                GroupJointKind::Prismatic => GroupAt {
                    pose: Pose::from_parts(joint.position() + value * axis, joint.rotation()),
                    velocity: velocity + parent.spin.cross(value * axis) + rate * axis,
                    spin: parent.spin,
                },
            });
        }
    }
}

impl LinkGroup {
    fn rotation_rate(&self, edge: &JointEdge<'_>) -> f64 {
        match self.kind {
            GroupJointKind::Revolute => self.factor.abs() * edge.change(self.value).abs(),
            GroupJointKind::Prismatic => 0.0,
        }
    }

    /// Cosine and sine of the joint's value at the ends, or the value itself for a prismatic joint.
    fn values_at_ends(
        &self,
        edge: &JointEdge<'_>,
        TimeInterval { start, end }: TimeInterval,
        out: &mut [AtEnds; 2],
    ) {
        let [first, last] = [start, end].map(|time| self.factor * edge.at(self.value, time) + self.offset);
        let step = (last - first) / INTERVALS as f64;
        match self.kind {
            GroupJointKind::Revolute => {
                let (mut sin, mut cos) = first.sin_cos();
                let (step_sin, step_cos) = step.sin_cos();
                let [of_cos, of_sin] = out;
                for (of_cos, of_sin) in of_cos.iter_mut().zip(of_sin) {
                    (*of_cos, *of_sin) = (narrow(cos), narrow(sin));
                    (cos, sin) = (cos * step_cos - sin * step_sin, sin * step_cos + cos * step_sin);
                }
            }
            GroupJointKind::Prismatic => {
                for (k, value) in out[0].iter_mut().enumerate() {
                    *value = narrow(first + k as f64 * step);
                }
            }
        }
    }
}

impl GroupAt {
    /// The velocity of a point that moves with the group.
    pub(crate) fn velocity_of(&self, place: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(place - self.pose.position())
    }

    /// The angular velocity.
    pub(crate) fn spin(&self) -> DVec3 {
        self.spin
    }
}

impl GroupAtEnds {
    /// The root is static.
    const ROOT: Self = Self {
        place: [[0.0; ENDS]; 3],
        rotation: [
            [[1.0; ENDS], [0.0; ENDS], [0.0; ENDS]],
            [[0.0; ENDS], [1.0; ENDS], [0.0; ENDS]],
            [[0.0; ENDS], [0.0; ENDS], [1.0; ENDS]],
        ],
    };

    /// This group in the frame of another.
    #[inline(always)]
    pub(crate) fn in_frame_of(&self, other: &Self) -> Self {
        let rotated = |along: &[AtEnds; 3]| {
            let mut out = [[0.0; ENDS]; 3];
            for (row, out) in out.iter_mut().enumerate() {
                let axis = &other.rotation[row];
                for k in 0..ENDS {
                    out[k] = axis[0][k] * along[0][k] + axis[1][k] * along[1][k] + axis[2][k] * along[2][k];
                }
            }
            out
        };
        let mut between = self.place;
        for (row, from) in between.iter_mut().zip(&other.place) {
            row.iter_mut().zip(from).for_each(|(place, from)| *place -= from);
        }
        Self { place: rotated(&between), rotation: self.rotation.each_ref().map(rotated) }
    }

    /// A point of the group's frame, at the ends.
    #[inline(always)]
    pub(crate) fn at(&self, place: [f32; 3]) -> [AtEnds; 3] {
        let mut out = self.along(place);
        for (out, place) in out.iter_mut().zip(&self.place) {
            out.iter_mut().zip(place).for_each(|(out, place)| *out += place);
        }
        out
    }

    /// Rotation of the group and position of its origin at the first end.
    pub(crate) fn first(&self) -> (DMat3, DVec3) {
        let column = |rows: &[AtEnds; 3]| DVec3::from_array(rows.each_ref().map(|row| f64::from(row[0])));
        let [x, y, z] = self.rotation.each_ref().map(column);
        (DMat3::from_cols(x, y, z), column(&self.place))
    }

    /// A direction of the group's frame, at the ends.
    #[inline(always)]
    fn along(&self, [x, y, z]: [f32; 3]) -> [AtEnds; 3] {
        let mut out = [[0.0; ENDS]; 3];
        for (row, out) in out.iter_mut().enumerate() {
            let [a, b, c] = [&self.rotation[0][row], &self.rotation[1][row], &self.rotation[2][row]];
            for k in 0..ENDS {
                out[k] = a[k] * x + b[k] * y + c[k] * z;
            }
        }
        out
    }

    #[inline(always)]
    fn carried(&self, group: &LinkGroup, [first, second]: &[AtEnds; 2]) -> Self {
        let mut place = self.at(group.place);
        let [x, y, z] = group.rotation.map(|column| self.along(column));
        match group.kind {
            GroupJointKind::Revolute => {
                let (cos, sin) = (first, second);
                let (mut x_rotated, mut y_rotated) = (x, y);
                for row in 0..3 {
                    for k in 0..ENDS {
                        x_rotated[row][k] = cos[k] * x[row][k] + sin[k] * y[row][k];
                        y_rotated[row][k] = cos[k] * y[row][k] - sin[k] * x[row][k];
                    }
                }
                Self { place, rotation: [x_rotated, y_rotated, z] }
            }
            GroupJointKind::Prismatic => {
                for row in 0..3 {
                    for k in 0..ENDS {
                        place[row][k] += first[k] * z[row][k];
                    }
                }
                Self { place, rotation: [x, y, z] }
            }
        }
    }
}

/// The joints from one group to another.
#[derive(Debug, Clone)]
pub(crate) struct ChainPath {
    /// Distance of the first joint's origin from the origin of the frame where the path starts, in metres.
    first: f64,
    joints: Vec<ChainPathJoint>,
}

#[derive(Debug, Clone, Copy)]
struct ChainPathJoint {
    group: usize,
    /// Distance of the next joint's origin from this joint's, in metres, slides excluded.
    length: f64,
}

/// Rounds to nearest.
pub(crate) fn narrow_vector(v: DVec3) -> [f32; 3] {
    v.to_array().map(narrow)
}
