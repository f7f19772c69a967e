//! Scenes for simulations, built body by body.

use std::sync::atomic::{AtomicU32, Ordering};

use chasles::glam::{DMat3, DVec3};
use chasles::{
    BodyMotion, CollisionShape, Dynamics, FlexibleBody, Friction, ImpactOrder, Pose, Primitive,
    ProgressMonitor, Release, Scene, SceneBody, SceneDefinition, SimulatedBody, SimulatedJoint, Simulation,
    SimulationDefinition, SimulationMethod, SimulationState, StepResult,
};

/// A scene that grows body by body.
pub(crate) struct Setup {
    pub(crate) bodies: Vec<SceneBody>,
    pub(crate) own: Vec<SimulatedBody>,
    pub(crate) joints: Vec<SimulatedJoint>,
    pub(crate) flexible: Vec<FlexibleBody>,
    pub(crate) duration: f64,
    pub(crate) gravity: DVec3,
    pub(crate) method: SimulationMethod,
}

impl Setup {
    pub(crate) fn new(duration: f64, gravity: f64) -> Self {
        Self {
            bodies: vec![],
            own: vec![],
            joints: vec![],
            flexible: vec![],
            duration,
            gravity: -gravity * DVec3::Z,
            method: SimulationMethod::Both,
        }
    }

    pub(crate) fn body(
        &mut self,
        name: &str,
        primitive: Primitive,
        pose: Pose,
        dynamics: Option<Dynamics>,
    ) -> usize {
        let shape = Some(CollisionShape::primitive(primitive).unwrap());
        let motion = BodyMotion::Still(pose);
        self.bodies.push(SceneBody {
            name: name.into(),
            shape,
            motion,
            parent: None,
            group: None,
            solid: false,
        });
        let friction = Friction::Coefficient(0.0);
        self.own.push(SimulatedBody { dynamics, release: Release::Start, elasticity: 1.0, friction });
        self.bodies.len() - 1
    }

    pub(crate) fn floor(&mut self) -> usize {
        let size = DVec3::new(10.0, 10.0, 1.0);
        self.body("floor", Primitive::Box { size }, Pose::from_position(-0.5 * DVec3::Z).unwrap(), None)
    }

    pub(crate) fn definition(self) -> SimulationDefinition {
        let scene = Scene::new(SceneDefinition {
            duration: self.duration,
            tolerance: None,
            clearance: 0.0,
            bodies: self.bodies,
            ignore: vec![],
        })
        .unwrap();
        SimulationDefinition {
            scene,
            bodies: self.own,
            joints: self.joints,
            flexible: self.flexible,
            gravity: self.gravity,
            step: 1e-3,
            record: 1e-2,
            method: self.method,
            touching: ImpactOrder::Together,
            max_records: SimulationDefinition::MAX_RECORDS,
            depth: 1e-4,
        }
    }

    pub(crate) fn run(self) -> (Vec<SimulationState>, Simulation) {
        let mut simulation = Simulation::new(self.definition(), true).unwrap();
        (finished(&mut simulation), simulation)
    }
}

/// A monitor that stops at every second query.
pub(crate) struct Restless(AtomicU32);

impl Restless {
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(0))
    }
}

impl ProgressMonitor for Restless {
    fn is_over(&self) -> bool {
        !self.0.fetch_add(1, Ordering::Relaxed).is_multiple_of(2)
    }
}

/// A monitor that stops at every query after the first `most`.
pub(crate) struct AtOnce {
    asked: AtomicU32,
    most: u32,
}

impl AtOnce {
    pub(crate) fn new(most: u32) -> Self {
        Self { asked: AtomicU32::new(0), most }
    }

    /// Number of queries after the first stop.
    pub(crate) fn asked_after(&self) -> u32 {
        self.asked.load(Ordering::Relaxed) - self.most
    }
}

impl ProgressMonitor for AtOnce {
    fn is_final(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.most
    }

    fn is_over(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > self.most
    }
}

/// The states until a monitor stops the simulation.
pub(crate) fn until_ended(simulation: &mut Simulation, watch: &AtOnce) -> Vec<SimulationState> {
    let mut moments = Vec::new();
    loop {
        match simulation.advance(watch).unwrap() {
            StepResult::Moments(more) => moments.extend(more),
            StepResult::Stopped => return moments,
            other => panic!("{other:?}"),
        }
    }
}

/// The states until the end of a simulation.
pub(crate) fn finished(simulation: &mut Simulation) -> Vec<SimulationState> {
    finished_past(simulation, &()).0
}

/// The same, and how often a monitor stopped it.
pub(crate) fn finished_past(
    simulation: &mut Simulation,
    watch: &dyn ProgressMonitor,
) -> (Vec<SimulationState>, u32) {
    let (mut moments, mut stops) = (Vec::new(), 0);
    loop {
        match simulation.advance(watch).unwrap() {
            StepResult::Moments(more) => moments.extend(more),
            StepResult::Stopped => stops += 1,
            StepResult::Finished => return (moments, stops),
            other => panic!("{other:?} after {:?}", moments.last().map(|own: &SimulationState| own.time)),
        }
    }
}

pub(crate) fn sphere(mass: f64, radius: f64) -> Dynamics {
    let inertia = DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius));
    Dynamics { mass, inertia, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO }
}

pub(crate) fn block(mass: f64, size: DVec3) -> Dynamics {
    let s = size * size;
    let inertia = DMat3::from_diagonal(mass / 12.0 * DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y));
    Dynamics { mass, inertia, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO }
}
