//! Joints of a simulation: their anchors, their errors, and the bodies that they connect.

use glam::{DQuat, DVec3};

use crate::impulses::fitting::{project, project_to_speeds};
use crate::impulses::joined::JointedBodies;
use crate::impulses::problem::{ImpulseJoint, ImpulseProblem, JointKind};
use crate::impulses::rows::ScaledVelocity;
use crate::motion::Pose;
use crate::simulate::definition::SimulatedJoint;
use crate::simulate::rows::SolverBody;

/// A joint in the frames of its bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JointAnchors {
    pub(crate) bodies: [usize; 2],
    kind: JointKind,
    /// The point in the frames of A and B.
    points: [DVec3; 2],
    /// The axis in the frames of A and B.
    axes: [DVec3; 2],
    /// The rotation of B relative to A.
    rotation: DQuat,
}

/// Bodies that joints connect.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Articulation {
    /// The numbers in the scene: dynamic bodies, and the keyframed bodies that are joined to them.
    pub(crate) members: Vec<usize>,
    /// The numbers of the joints.
    pub(crate) joints: Vec<usize>,
}

/// An articulation with its joint solver.
#[derive(Debug)]
pub(crate) struct ArticulationSolver<'j> {
    pub(crate) articulation: &'j Articulation,
    pub(crate) joined: JointedBodies<'j>,
}

/// Corrections of the joints of an articulation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JointCorrections {
    /// By joint direction: the change of the relative velocity.
    pub(crate) changes: Vec<f64>,
    /// The maximum joint error, in metres or radians.
    pub(crate) error: f64,
}

impl JointAnchors {
    /// A joint of bodies at these poses.
    pub(crate) fn new(joint: &SimulatedJoint, [a, b]: [&Pose; 2]) -> Self {
        let axis = joint.kind.axis().map_or(DVec3::Z, |axis| (axis / axis.abs().max_element()).normalize());
        Self {
            bodies: joint.bodies,
            kind: joint.kind,
            points: [a, b].map(|pose| pose.inverse().transform_point(joint.point)),
            axes: [a, b].map(|pose| pose.inverse().transform_vector(axis)),
            rotation: a.rotation().conjugate() * b.rotation(),
        }
    }

    /// The same joint for bodies that it did not hold before: they are at these poses, and it moves with A.
    pub(crate) fn relative_to_poses(&self, [a, b]: [&Pose; 2]) -> Self {
        let back = b.inverse();
        Self {
            points: [self.points[0], back.transform_point(a.transform_point(self.points[0]))],
            axes: [self.axes[0], back.transform_vector(a.transform_vector(self.axes[0]))],
            rotation: a.rotation().conjugate() * b.rotation(),
            ..*self
        }
    }

    /// The joint with its bodies at these poses.
    fn at_poses(&self, [a, b]: [&Pose; 2], members: [usize; 2]) -> ImpulseJoint {
        let axis = a.transform_vector(self.axes[0]);
        let kind = self.kind.with_axis(axis);
        ImpulseJoint { bodies: members, point: b.transform_point(self.points[1]), kind }
    }

    /// The joint's error: the translation and the rotation of B that would correct it.
    fn joint_error(&self, [a, b]: [&Pose; 2]) -> [DVec3; 2] {
        let offset = a.transform_point(self.points[0]) - b.transform_point(self.points[1]);
        let [of_a, of_b] =
            [(a, self.axes[0]), (b, self.axes[1])].map(|(pose, axis)| pose.transform_vector(axis));
        let along = offset.dot(of_a) * of_a;
        let tilt = of_b.cross(of_a);
        match self.kind {
            JointKind::Ball => [offset, DVec3::ZERO],
            JointKind::Hinge { .. } => [offset, tilt],
            JointKind::Slide { .. } => [offset - along, DVec3::ZERO],
            JointKind::Piston { .. } => [offset - along, tilt],
            JointKind::Plane { .. } => [along, DVec3::ZERO],
            JointKind::Fixed => {
                let error = a.rotation() * self.rotation * b.rotation().conjugate();
                let rotation = DVec3::new(error.x, error.y, error.z) * 2.0_f64.copysign(error.w);
                [offset, rotation]
            }
        }
    }
}

/// The groups of bodies that joints connect, in order. A keyframed body does not connect the joints on it, and a
/// joint without a dynamic body is ignored.
pub(crate) fn articulations(
    joints: &[SimulatedJoint],
    is_dynamic: impl Fn(usize) -> bool,
) -> Vec<Articulation> {
    let mut found: Vec<Articulation> = Vec::new();
    for (number, joint) in joints.iter().enumerate() {
        let own: Vec<usize> = joint.bodies.into_iter().filter(|body| is_dynamic(*body)).collect();
        if own.is_empty() {
            continue;
        }
        let (mut touched, rest): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|other| other.members.iter().any(|body| is_dynamic(*body) && own.contains(body)));
        let mut merged = Articulation { members: joint.bodies.to_vec(), joints: vec![number] };
        for other in touched.drain(..) {
            merged.members.extend(other.members);
            merged.joints.extend(other.joints);
        }
        merged.members.sort_unstable();
        merged.members.dedup();
        merged.joints.sort_unstable();
        found = rest;
        found.push(merged);
    }
    found.sort_by_key(|articulation| articulation.joints.first().copied());
    found
}

/// An articulation at one time as an impulse problem.
pub(crate) fn problem(
    articulation: &Articulation,
    joints: &[JointAnchors],
    solver_bodies: &[SolverBody],
    poses: &[Pose],
) -> ImpulseProblem {
    let number = |body: usize| articulation.members.binary_search(&body).unwrap_or(0);
    let bodies = articulation.members.iter().map(|body| solver_bodies[*body].body());
    let joints = articulation.joints.iter().map(|joint| {
        let joint = &joints[*joint];
        joint.at_poses(joint.bodies.each_ref().map(|body| &poses[*body]), joint.bodies.map(number))
    });
    ImpulseProblem { bodies: bodies.collect(), contacts: Vec::new(), joints: joints.collect() }
}

/// The changes of relative velocity that correct all joints after a time.
pub(crate) fn corrections(
    solver: &ArticulationSolver<'_>,
    joints: &[JointAnchors],
    poses: &[Pose],
    time: f64,
) -> JointCorrections {
    let errors: Vec<[DVec3; 2]> = solver
        .articulation
        .joints
        .iter()
        .map(|joint| joints[*joint].joint_error(joints[*joint].bodies.each_ref().map(|body| &poses[*body])))
        .collect();
    let error = errors.iter().flatten().map(|v| v.length()).fold(0.0, f64::max);
    let changes = solver
        .joined
        .directions()
        .map(|(joint, impulse, moment)| {
            let [translation, rotation] = errors[joint];
            (translation.dot(impulse) + rotation.dot(moment)) / time
        })
        .collect();
    JointCorrections { changes, error }
}

/// Projects velocities to the joints; with `changes`, changes relative velocities by these instead.
pub(crate) fn project_velocities(
    solver: &ArticulationSolver<'_>,
    velocities: &mut [[DVec3; 2]],
    changes: Option<&[f64]>,
) {
    let ArticulationSolver { articulation, joined } = solver;
    let own: Vec<[DVec3; 2]> = articulation.members.iter().map(|body| velocities[*body]).collect();
    let before: ScaledVelocity = joined.scaled_velocities(&own);
    let mut motion = before.clone();
    match changes {
        None => project(joined, &mut motion),
        Some(changes) => {
            let targets: Vec<f64> =
                joined.relatives(&motion).iter().zip(changes).map(|(now, change)| now + change).collect();
            project_to_speeds(joined, &mut motion, &targets);
        }
    }
    let change: ScaledVelocity = motion.iter().zip(&before).map(|(after, before)| after - before).collect();
    for (number, [linear, angular]) in joined.changes(&change) {
        let body = articulation.members[number];
        velocities[body][0] += linear;
        velocities[body][1] += angular;
    }
}
