//! The last resort where no step is possible: bodies that block each other are stopped for a while.
//!
//! From a state within the allowed depth there is always a next state: the same one. So if every trial of a step
//! fails, the two bodies that block it keep their poses for a step and lose their velocities; the energy is reported
//! as `forced`. If this does not help, the bodies that touch stopped ones are stopped too, and then all bodies. The
//! cause is a proof that fails or a solver that has not converged, not mechanics.

use crate::error::Error;
use crate::simulate::impact::{Impact, ImpactStart, Rebound, solve_impact};
use crate::simulate::state::StepState;
use crate::simulate::state::world::{MotionTime, World, rest_gap};

/// For how long bodies are stopped.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ForcedHold {
    /// The time from which stopped bodies move again, in seconds.
    end: f64,
    /// The number of steps of the last hold.
    steps: f64,
    /// The times of steps may differ by this due to rounding, in seconds.
    tolerance: f64,
}

/// Bodies that are blocked again within this number of steps are stopped for twice the time, up to `MAX_HOLD` steps.
const BLOCKED_AGAIN: f64 = 4.0;
const MAX_HOLD: f64 = 32.0;

/// Bodies press on each other, and stopped bodies hold others, if their gap is at most this number of rest gaps.
const PRESSING_GAP: f64 = 8.0;

impl ForcedHold {
    /// Stops bodies from a time on, with steps of this duration, in seconds.
    pub(crate) fn start(&mut self, time: f64, step: f64) {
        let is_again = self.steps > 0.0 && time <= self.end + BLOCKED_AGAIN * step;
        self.steps = if is_again { (2.0 * self.steps).min(MAX_HOLD) } else { 1.0 };
        self.end = time + self.steps * step;
        self.tolerance = 1e-6 * step;
    }

    /// Whether stopped bodies move again at a time, in seconds.
    pub(crate) fn is_over(&self, time: f64) -> bool {
        time >= self.end - self.tolerance
    }
}

/// The bodies that contacts and joints block from all sides, if there are such bodies: then mechanics has no next
/// state.
///
/// # Errors
/// Velocities that are not finite.
pub(crate) fn crushed_bodies(world: &World, state: &StepState) -> Result<Option<Vec<usize>>, Error> {
    let now = MotionTime { time: state.time, within: state.time };
    let rest = PRESSING_GAP * rest_gap(world);
    let all = 0..state.contacts.len();
    let contacts: Vec<usize> = all.filter(|i| state.contacts[*i].touch.gap <= rest).collect();
    let solver_bodies = world.solver_bodies(&state.rigid, now);
    let start =
        ImpactStart { solver_bodies: &solver_bodies, contacts: &contacts, rest, rebound: Rebound::Inelastic };
    Ok(match solve_impact(state, world, &start)? {
        Impact::Crushed(bodies) => Some(bodies),
        Impact::Bounced { .. } | Impact::Unsettled => None,
    })
}

/// The mobile bodies that are stopped next, in order: the blocking ones; else all bodies that touch a stopped one; else all.
/// Bodies that joints connect stop together.
pub(crate) fn bodies_to_stop(world: &World, state: &StepState, blocking: [usize; 2]) -> Vec<usize> {
    let pair = with_articulations(world, blocking.into_iter());
    if !pair.is_empty() {
        return pair;
    }
    let gap = PRESSING_GAP * rest_gap(world);
    let touches = state.contacts.iter().map(|contact| &contact.touch).filter(|touch| touch.gap <= gap);
    let held =
        touches.map(|touch| touch.bodies).filter(|bodies| bodies.iter().any(|body| world.stopped[*body]));
    let near = with_articulations(world, held.flatten());
    if near.is_empty() { with_articulations(world, world.dynamic.iter().copied()) } else { near }
}

/// The mobile bodies among these and all bodies of their articulations, in order.
fn with_articulations(world: &World, bodies: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut all: Vec<usize> = Vec::new();
    for body in bodies.filter(|body| world.is_mobile(*body)) {
        let articulation = world.articulations.iter().find(|own| own.members.contains(&body));
        let members = articulation.map_or(std::slice::from_ref(&body), |own| own.members.as_slice());
        all.extend(members.iter().filter(|member| world.is_mobile(**member)));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Stops bodies; returns the kinetic energy that they lose, in joules. The state must then be rebuilt.
pub(crate) fn stop(world: &mut World, state: &mut StepState, bodies: &[usize]) -> f64 {
    let mut lost = 0.0;
    for body in bodies {
        if let Some(number) = world.numbers[*body] {
            world.stopped[*body] = true;
            lost += state.rigid[number].halt();
        }
    }
    world.link_articulations();
    lost
}

/// Lets stopped bodies move again; returns whether there are any. The state must then be rebuilt.
pub(crate) fn free(world: &mut World) -> bool {
    if !world.stopped.contains(&true) {
        return false;
    }
    world.stopped.fill(false);
    world.link_articulations();
    true
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3};

    use super::*;
    use crate::impulses::problem::{Friction, JointKind};
    use crate::motion::Pose;
    use crate::pair::shape::CollisionShape;
    use crate::scene::{BodyMotion, Scene, SceneBody, SceneDefinition};
    use crate::shape::Primitive;
    use crate::simulate::definition::{
        Dynamics, ImpactOrder, Release, SimulatedBody, SimulatedJoint, SimulationDefinition, SimulationMethod,
    };
    use crate::simulate::run::{RigidRun, SimulationStart, StepOutcome};
    use crate::simulate::state::rigid::RigidState;

    /// Four frictionless balls that slide over a floor at 1 m/s; joints connect the last two. The first touches the
    /// second; the others are alone.
    fn run() -> RigidRun {
        let ball = |name: &str, x: f64| {
            let pose = Pose::from_position(DVec3::new(x, 0.0, 0.1 + 1e-6)).unwrap();
            (name.to_owned(), Primitive::Sphere { radius: 0.1 }, pose)
        };
        let size = DVec3::new(10.0, 10.0, 1.0);
        let floor = Pose::from_position(-0.5 * DVec3::Z).unwrap();
        let mut all = vec![("floor".to_owned(), Primitive::Box { size }, floor)];
        all.extend([ball("a", 0.0), ball("b", 0.2 + 1e-6), ball("c", 1.0), ball("d", 1.5)]);
        let dynamics = Dynamics {
            mass: 2.0,
            inertia: DMat3::from_diagonal(DVec3::splat(0.008)),
            center: DVec3::ZERO,
            linear: DVec3::X,
            angular: DVec3::ZERO,
        };
        let own = |dynamics| SimulatedBody {
            dynamics,
            release: Release::Start,
            elasticity: 0.0,
            friction: Friction::Coefficient(0.0),
        };
        let body = |(name, primitive, pose)| SceneBody {
            name,
            shape: Some(CollisionShape::primitive(primitive).unwrap()),
            motion: BodyMotion::Still(pose),
            parent: None,
            group: None,
            solid: false,
        };
        let bodies = all.into_iter().map(body).collect();
        let scene =
            SceneDefinition { duration: 0.1, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
        let kind = JointKind::Ball;
        let point = DVec3::new(1.25, 0.0, 0.1);
        let definition = SimulationDefinition {
            scene: Scene::new(scene).unwrap(),
            bodies: (0..5).map(|body| own((body > 0).then_some(dynamics))).collect(),
            joints: vec![SimulatedJoint { bodies: [3, 4], point, kind }],
            flexible: vec![],
            gravity: -9.81 * DVec3::Z,
            step: 1e-3,
            record: 1e-2,
            method: SimulationMethod::Both,
            touching: ImpactOrder::Together,
            depth: 1e-4,
            max_records: SimulationDefinition::MAX_RECORDS,
        };
        let world = World::new(definition, vec![]);
        let rigid = |body: &usize| RigidState::new(&dynamics, &world.scene().pose_at(*body, 0.0));
        let rigid = world.dynamic.iter().map(rigid).collect();
        RigidRun::new(SimulationStart { world, rigid, time: 0.0, dissipated: 0.0 }, None).unwrap()
    }

    /// Every trial of the next step fails.
    fn block(run: &mut RigidRun) {
        run.partial_steps = super::super::MAX_PARTIAL_STEPS;
        assert!(matches!(run.step(&()).unwrap(), StepOutcome::Done));
    }

    #[test]
    fn bodies_that_block_each_other_are_stopped_for_a_step_and_their_energy_is_reported() {
        let mut run = run();
        block(&mut run);
        let [stop] = &run.forced[..] else { panic!("{:?}", run.forced) };
        assert!((stop.energy - stop.bodies.len() as f64).abs() < 1e-12, "{stop:?}");
        let stopped = stop.bodies.clone();
        let before = run.state.poses.clone();
        assert!(matches!(run.step(&()).unwrap(), StepOutcome::Done));
        let after = run.state.poses.iter().zip(&before).enumerate().skip(1);
        for (body, (after, before)) in after {
            assert_eq!(after == before, stopped.contains(&body), "{body}");
        }
        while run.state.time < 0.1 {
            assert!(matches!(run.step(&()).unwrap(), StepOutcome::Done));
        }
        assert!(!run.world.stopped.contains(&true));
        let losses = run.dissipated.losses();
        assert!((losses.forced - stopped.len() as f64).abs() < 1e-12, "{losses:?}");
        let kinetic: f64 = run.state.rigid.iter().map(RigidState::kinetic).sum();
        assert!((kinetic + losses.total() - 4.0).abs() < 1e-6, "{kinetic} {losses:?}");
    }

    /// A body alone is stopped for one step only, however rare the records are.
    #[test]
    fn a_stop_ends_after_its_steps() {
        let mut run = run();
        run.world.definition.record = 0.1;
        let all: Vec<usize> = run.world.dynamic.clone();
        stop(&mut run.world, &mut run.state, &all);
        run.hold.start(0.0, 1e-3);
        while run.state.time < 0.1 {
            assert!(matches!(run.step(&()).unwrap(), StepOutcome::Done));
            assert_eq!(run.world.stopped.contains(&true), run.state.time < 1.5e-3, "{}", run.state.time);
        }
    }

    #[test]
    fn more_bodies_stop_if_the_blocking_ones_are_not_enough() {
        let mut run = run();
        let mut next = || {
            let bodies = bodies_to_stop(&run.world, &run.state, [0, 1]);
            stop(&mut run.world, &mut run.state, &bodies);
            bodies
        };
        assert_eq!([next(), next(), next(), next()], [vec![1], vec![2], vec![3, 4], vec![]]);
        assert!(free(&mut run.world) && !free(&mut run.world));
        // Joints connect the last two.
        assert_eq!(bodies_to_stop(&run.world, &run.state, [0, 4]), [3, 4]);
    }

    #[test]
    fn bodies_that_are_blocked_again_stop_for_longer() {
        let mut hold = ForcedHold::default();
        let ends = [0.0, 0.1, 0.3, 9.0].map(|time| {
            hold.start(time, 0.1);
            hold.end - time
        });
        for (end, expected) in ends.into_iter().zip([0.1, 0.2, 0.4, 0.1]) {
            assert!((end - expected).abs() < 1e-12, "{ends:?}");
        }
        assert!(!hold.is_over(9.05) && hold.is_over(9.1));
    }
}
