//! All bodies at one time, with their contacts, and what one step passes on to the next. Read `world` first.
//!
//! ```text
//! rigid    the state of a dynamic body, and its free motion
//! pull     a mouse force that pulls a body by a point
//! joints   joint anchors, joint errors, and the bodies that joints connect
//! world    all bodies at one time
//! seams    flush faces act as one surface
//! nearby   candidate pairs, and the points where they nearly touch
//! springs  penalty springs at contacts: force, and longest stable step
//! ```

pub(crate) mod rigid;
pub(crate) mod pull;
pub(crate) mod joints;
pub(crate) mod world;
pub(crate) mod seams;
pub(crate) mod nearby;
pub(crate) mod springs;

use glam::DVec3;

use crate::error::{Error, ErrorKind};
use crate::impulses::joined::JointedBodies;
use crate::impulses::problem::ImpulseProblem;
use crate::motion::Pose;
use crate::simulate::recorded::MomentContact;
use crate::simulate::rows::{ContactPoint, ContactRows, ContactTarget, JointedGroup, SolverBody};
use crate::simulate::state::joints::{ArticulationSolver, problem, project_velocities};
use crate::simulate::state::nearby::{ApproachSearch, approaching_pairs, contact_points};
use crate::simulate::state::rigid::RigidState;
use crate::simulate::state::springs::Springs;
use crate::simulate::state::world::{MotionTime, World, rest_gap};
use crate::trajectory::watch::ProgressMonitor;

/// All bodies at one time, with their contacts.
#[derive(Debug, Clone)]
pub(crate) struct StepState {
    pub(crate) time: f64,
    pub(crate) rigid: Vec<RigidState>,
    /// The bodies that wait for their first contact, as if released now.
    pub(crate) waiting: Vec<RigidState>,
    pub(crate) poses: Vec<Pose>,
    pub(crate) contacts: Vec<ContactRows>,
    /// The near contacts of waiting bodies, which get no impulse before the release.
    pub(crate) waiting_contacts: Vec<ContactPoint>,
    /// The impulses of both halves of the step before, for a warm start.
    pub(crate) warm: [WarmImpulses; 2],
    /// The contact springs, if the method is springs.
    pub(crate) springs: Option<Springs>,
}

/// Maximum rotation of a body in a step, and from one record to the next, in radians: less than a quarter of a turn, so
/// two bodies rotate by less than half a turn relative to each other. The screw between two poses takes the smaller
/// rotation, so it is then the right one.
pub(crate) const MAX_STEP_ROTATION: f64 = 1.5;

/// Rebounds of inelastic contacts become slower and end at rest. A fully elastic body that is placed on another would
/// rebound for ever with the speed that it gains in its first step.
const ELASTIC_FACTOR: f64 = 4.0;

/// Velocities whose change has less than this fraction of the kinetic energy fit their joints, within rounding.
const JOINT_ROUNDING: f64 = 1e-12;

/// The impulse of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AppliedImpulse {
    pub(crate) touch: ContactPoint,
    /// On B.
    pub(crate) impulse: DVec3,
    /// Along the normal.
    pub(crate) normal_impulse: f64,
}

/// The impulses of half a step, for a warm start.
#[derive(Debug, Clone)]
pub(crate) struct WarmImpulses {
    pub(crate) impulses: Vec<AppliedImpulse>,
    /// The duration of the step, in seconds.
    pub(crate) duration: f64,
}

/// A contact during a step that is not visible at its start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AnticipatedContact {
    /// The point is given at the start of the step.
    pub(crate) touch: ContactPoint,
    /// The minimum relative velocity along the normal.
    pub(crate) min_speed: f64,
}

/// Pairs of bodies that collide in a step.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct StepContacts {
    /// They will rebound; sorted.
    bouncing: Vec<[usize; 2]>,
    /// They come to rest on each other; sorted.
    landing: Vec<[usize; 2]>,
}

impl AppliedImpulse {
    /// The impulse as it is recorded, at a time in seconds.
    pub(crate) fn moment_contact(&self, time: f64) -> MomentContact {
        let touch = self.touch;
        MomentContact {
            bodies: touch.bodies,
            time,
            point: touch.point,
            normal: touch.normal,
            impulse: self.impulse,
        }
    }
}

impl WarmImpulses {
    fn none() -> Self {
        Self { impulses: Vec::new(), duration: 1.0 }
    }
}

impl AnticipatedContact {
    pub(crate) fn target(&self) -> ContactTarget {
        ContactTarget::min_speed(self.min_speed)
    }
}

impl StepContacts {
    pub(crate) fn new(mut bouncing: Vec<[usize; 2]>, mut landing: Vec<[usize; 2]>) -> Self {
        bouncing.sort_unstable();
        landing.sort_unstable();
        Self { bouncing, landing }
    }

    pub(crate) fn is_bouncing(&self, bodies: [usize; 2]) -> bool {
        self.bouncing.binary_search(&bodies).is_ok()
    }

    pub(crate) fn is_landing(&self, bodies: [usize; 2]) -> bool {
        self.landing.binary_search(&bodies).is_ok()
    }
}

impl StepState {
    /// Finds the contacts now, or within a time `ahead`. If the monitor requires an immediate stop, some are missing.
    ///
    /// # Errors
    /// Joints whose equations are singular within rounding.
    pub(crate) fn new(
        world: &World,
        rigid: Vec<RigidState>,
        at: MotionTime,
        ahead: f64,
        watch: &dyn ProgressMonitor,
    ) -> Result<Self, Error> {
        let poses = world.poses(&rigid, at);
        let solver_bodies = world.solver_bodies(&rigid, at);
        let pull = world.pull.map_or(0.0, |pull| pull.approximate_acceleration(&world.definition));
        let acceleration = world.definition.gravity.length() + pull;
        let margin = if world.is_sprung() { world.definition.depth } else { 2.0 * rest_gap(world) };
        let search = ApproachSearch { time: ahead, speed_change: ahead * acceleration, margin };
        let mut near = approaching_pairs(world, &poses, &velocities(&solver_bodies), search);
        if at.time > 0.0 {
            // Static waiting bodies touch at time 0 or never, and contacts of sleeping bodies keep their impulses.
            near.retain(|pair| !pair.bodies.iter().all(|body| world.is_immobile(*body)));
        }
        let problems = articulation_problems(world, &solver_bodies, &poses);
        let solvers = articulation_solvers(world, &problems)?;
        let groups = jointed_groups(&solvers);
        let touches = contact_points(world, &near, &poses, watch).into_iter();
        let (waiting_contacts, touches): (Vec<ContactPoint>, Vec<ContactPoint>) =
            touches.partition(|touch| world.awaits_contact(touch.bodies));
        let contacts =
            touches.into_iter().map(|touch| ContactRows::new(touch, &solver_bodies, &groups)).collect();
        let warm = [WarmImpulses::none(), WarmImpulses::none()];
        let waiting = world.waiting_states(at);
        Ok(Self { time: at.time, rigid, waiting, poses, contacts, waiting_contacts, warm, springs: None })
    }

    /// All contacts, sorted by pair.
    pub(crate) fn contact_points(&self) -> Vec<&ContactPoint> {
        let mut all: Vec<&ContactPoint> = self.contacts.iter().map(|contact| &contact.touch).collect();
        if !self.waiting_contacts.is_empty() {
            all.extend(&self.waiting_contacts);
            all.sort_by_key(|touch| touch.bodies);
        }
        all
    }

    /// Attaches springs to the contacts, if the method is springs: earlier springs continue, new ones are added.
    pub(crate) fn attach_springs(&mut self, world: &World, within: f64, before: Option<&Springs>) {
        if world.is_sprung() {
            let velocities =
                velocities(&world.solver_bodies(&self.rigid, MotionTime { time: self.time, within }));
            self.springs = Some(Springs::new(world, &self.contacts, &velocities, before));
        }
    }

    /// The longest step, in seconds, in which springs are stable and no body rotates by more than
    /// [`MAX_STEP_ROTATION`].
    pub(crate) fn longest_step(&self, world: &World) -> f64 {
        let all = self.rigid.iter().chain(&self.waiting);
        let fastest = all.map(|own| own.angular.length()).fold(0.0, f64::max);
        let stable = self.springs.as_ref().map_or(f64::INFINITY, |springs| {
            let now = MotionTime { time: self.time, within: self.time };
            springs.longest_step(&self.contacts, &velocities(&world.solver_bodies(&self.rigid, now)))
        });
        stable.min(0.9 * MAX_STEP_ROTATION / fastest)
    }

    /// The energy that springs store and will return, in joules.
    pub(crate) fn stored_energy(&self) -> f64 {
        self.springs.as_ref().map_or(0.0, Springs::stored_energy)
    }

    /// The kinetic energy of the dynamic bodies with these velocities, in joules.
    pub(crate) fn kinetic(&self, world: &World, velocities: &[[DVec3; 2]]) -> f64 {
        let own = |(rigid, body): (&RigidState, &usize)| {
            let [linear, angular] = velocities[*body];
            RigidState { linear, angular, ..*rigid }.kinetic()
        };
        self.rigid.iter().zip(&world.dynamic).map(own).sum()
    }

    /// Sets the velocities of the dynamic bodies.
    pub(crate) fn set_velocities(&mut self, world: &World, velocities: &[[DVec3; 2]]) {
        for (rigid, body) in self.rigid.iter_mut().zip(&world.dynamic) {
            [rigid.linear, rigid.angular] = velocities[*body];
        }
    }
}

/// The velocities of all bodies.
pub(crate) fn velocities(solver_bodies: &[SolverBody]) -> Vec<[DVec3; 2]> {
    solver_bodies.iter().map(|solver_body| solver_body.velocity).collect()
}

/// Whether a contact approaches fast enough to rebound faster than `min_rebound`, in metres per second, or than
/// `ELASTIC_FACTOR` times this speed if it is fully elastic.
pub(crate) fn bounces(contact: &ContactRows, velocities: &[[DVec3; 2]], min_rebound: f64) -> bool {
    let elasticity = contact.touch.elasticity;
    let min_rebound = if elasticity == 1.0 { ELASTIC_FACTOR * min_rebound } else { min_rebound };
    contact.is_movable() && -elasticity * contact.along_normal(velocities) > min_rebound
}

/// All articulations as impulse problems.
pub(crate) fn articulation_problems(
    world: &World,
    solver_bodies: &[SolverBody],
    poses: &[Pose],
) -> Vec<ImpulseProblem> {
    world.articulations.iter().map(|own| problem(own, &world.joints, solver_bodies, poses)).collect()
}

/// All articulations with their joint solvers.
///
/// # Errors
/// Joints whose equations are singular within rounding.
pub(crate) fn articulation_solvers<'j>(
    world: &'j World,
    problems: &'j [ImpulseProblem],
) -> Result<Vec<ArticulationSolver<'j>>, Error> {
    let all = world.articulations.iter().zip(problems);
    let all: Option<Vec<_>> = all
        .map(|(articulation, problem)| {
            Some(ArticulationSolver { articulation, joined: JointedBodies::new(problem)? })
        })
        .collect();
    all.ok_or_else(|| {
        let expected = "masses and joints that rounding can distinguish";
        Error::new(ErrorKind::OutOfRange { value: f64::NAN, expected }, "joints")
    })
}

/// Changes velocities that do not fit the joints, by joint impulses alone; returns the dissipated energy, in joules: the
/// kinetic energy of the change, which is the same for every observer.
///
/// # Errors
/// As [`articulation_solvers`].
pub(crate) fn satisfy_joints(world: &World, state: &mut StepState, at: MotionTime) -> Result<f64, Error> {
    let bodies = world.solver_bodies(&state.rigid, at);
    let problems = articulation_problems(world, &bodies, &state.poses);
    let before = velocities(&bodies);
    let mut after = before.clone();
    for solver in articulation_solvers(world, &problems)? {
        project_velocities(&solver, &mut after, None);
    }
    let change = |(after, before): (&[DVec3; 2], &[DVec3; 2])| [0, 1].map(|i| after[i] - before[i]);
    let changes: Vec<[DVec3; 2]> = after.iter().zip(&before).map(change).collect();
    let lost = state.kinetic(world, &changes);
    if lost <= JOINT_ROUNDING * state.kinetic(world, &before) {
        return Ok(0.0);
    }
    state.set_velocities(world, &after);
    Ok(lost)
}

/// The articulations as groups of bodies that respond together.
pub(crate) fn jointed_groups<'j>(solvers: &'j [ArticulationSolver<'j>]) -> Vec<JointedGroup<'j>> {
    let group = |own: &'j ArticulationSolver<'j>| JointedGroup {
        members: own.articulation.members.as_slice(),
        joined: &own.joined,
    };
    solvers.iter().map(group).collect()
}
