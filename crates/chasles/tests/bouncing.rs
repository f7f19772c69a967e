//! Simulations against closed forms: flight, bounces, rest, pendulums.

use chasles::glam::{DMat3, DQuat, DVec3};
use chasles::{
    Advance, BodyMotion, Deepest, Dynamics, Friction, JointKind, Moment, Pose, Primitive, Scene, SceneBody,
    SceneDefinition, SceneShape, SimulatedBody, SimulatedJoint, Simulation, SimulationDefinition,
    SimulationMethod,
};

/// A scene that grows body by body.
struct Setup {
    bodies: Vec<SceneBody>,
    own: Vec<SimulatedBody>,
    joints: Vec<SimulatedJoint>,
    duration: f64,
    gravity: DVec3,
}

impl Setup {
    fn new(duration: f64, gravity: f64) -> Self {
        Self { bodies: vec![], own: vec![], joints: vec![], duration, gravity: -gravity * DVec3::Z }
    }

    fn body(&mut self, name: &str, primitive: Primitive, pose: Pose, dynamics: Option<Dynamics>) -> usize {
        let shape = Some(SceneShape::primitive(primitive).unwrap());
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
        self.own.push(SimulatedBody { dynamics, elasticity: 1.0, friction });
        self.bodies.len() - 1
    }

    fn floor(&mut self) -> usize {
        let size = DVec3::new(10.0, 10.0, 1.0);
        self.body("floor", Primitive::Box { size }, Pose::from_position(-0.5 * DVec3::Z).unwrap(), None)
    }

    fn run(self) -> (Vec<Moment>, Simulation) {
        let scene = Scene::new(SceneDefinition {
            duration: self.duration,
            tolerance: None,
            clearance: 0.0,
            bodies: self.bodies,
            ignore: vec![],
        })
        .unwrap();
        let definition = SimulationDefinition {
            scene,
            bodies: self.own,
            joints: self.joints,
            gravity: self.gravity,
            step: 1e-3,
            record: 1e-2,
            method: SimulationMethod::Both,
            depth: 1e-4,
        };
        let mut simulation = Simulation::new(definition, true).unwrap();
        let mut moments = Vec::new();
        loop {
            match simulation.advance(&()).unwrap() {
                Advance::Moments(more) => moments.extend(more),
                Advance::Finished => return (moments, simulation),
                other => panic!("{other:?} after {:?}", moments.last()),
            }
        }
    }
}

fn sphere(mass: f64, radius: f64) -> Dynamics {
    let inertia = DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius));
    Dynamics { mass, inertia, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO }
}

fn block(mass: f64, size: DVec3) -> Dynamics {
    let s = size * size;
    let inertia = DMat3::from_diagonal(mass / 12.0 * DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y));
    Dynamics { mass, inertia, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO }
}

#[test]
fn a_ball_bounces_as_high_as_it_fell() {
    let mut setup = Setup::new(3.0, 9.81);
    setup.floor();
    let pose = Pose::from_position(DVec3::new(0.2, 0.1, 1.3)).unwrap();
    setup.body("ball", Primitive::Sphere { radius: 0.1 }, pose, Some(sphere(0.5, 0.1)));
    let (moments, simulation) = setup.run();
    let fall = (2.0 * 1.2 / 9.81_f64).sqrt();
    for k in 1..3 {
        let top = 2.0 * f64::from(k) * fall;
        let moment =
            moments.iter().min_by(|p, q| (p.time - top).abs().total_cmp(&(q.time - top).abs())).unwrap();
        let (z, v) = (moment.poses[0].position().z, moment.velocities[0][0].z);
        let height = z + v * v / (2.0 * 9.81);
        assert!((height - 1.3).abs() < 3e-4, "{height} at {}", moment.time);
        assert!((moment.time + v / 9.81 - top).abs() < 2e-4, "{} for {top}", moment.time + v / 9.81);
    }
    assert_eq!(simulation.summary().deepest, Deepest::Within(0.0));
}

#[test]
fn a_box_rests() {
    let mut setup = Setup::new(2.0, 9.81);
    let floor = setup.floor();
    let size = DVec3::new(0.4, 0.3, 0.2);
    let pose = Pose::new(DVec3::new(0.1, 0.2, 0.1), DQuat::from_rotation_z(0.3)).unwrap();
    let own = setup.body("box", Primitive::Box { size }, pose, Some(block(1.2, size)));
    setup.own[floor].elasticity = 0.0;
    setup.own[own].friction = Friction::Coefficient(0.5);
    let (moments, simulation) = setup.run();
    for moment in &moments {
        assert!(moment.poses[0].position().distance(pose.position()) < 1e-4, "{:?}", moment.poses[0]);
    }
    let pushed: f64 =
        moments.iter().filter(|m| m.time > 1.0 + 1e-9).flat_map(|m| &m.contacts).map(|c| c.impulse.z).sum();
    assert!((pushed - 1.2 * 9.81).abs() < 1e-6, "{pushed}");
    assert!(matches!(simulation.summary().deepest, Deepest::Within(_)));
    assert!(moments.len() < 230, "{} moments", moments.len());
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let mut setup = Setup::new(5.0, 9.81);
    let size = DVec3::new(0.05, 0.05, 0.6);
    let at = |x: f64, z: f64| {
        Pose::new(DVec3::new(x, 0.0, z), DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2)).unwrap()
    };
    let post = setup.body("post", Primitive::Box { size: DVec3::splat(0.01) }, at(0.0, 2.0), None);
    let upper = setup.body("upper", Primitive::Box { size }, at(0.3, 2.0), Some(block(1.0, size)));
    let lower = setup.body("lower", Primitive::Box { size }, at(0.9, 2.0), Some(block(1.0, size)));
    for body in &mut setup.bodies {
        body.group = Some("arm".into());
    }
    let joint = |a: usize, b: usize, x: f64| SimulatedJoint {
        bodies: [a, b],
        point: DVec3::new(x, 0.0, 2.0),
        kind: JointKind::Hinge { axis: DVec3::Y },
    };
    setup.joints = vec![joint(post, upper, 0.0), joint(upper, lower, 0.6)];
    let (moments, _) = setup.run();
    let start = moments[0].energy;
    let most = moments.iter().map(|m| m.energy.kinetic).fold(0.0, f64::max);
    for moment in &moments {
        let drift = (moment.energy.kinetic + moment.energy.potential - start.kinetic - start.potential).abs();
        assert!(drift < 1e-3 * most, "{drift} of {most} at {}", moment.time);
        let end = moment.poses[0].transform_point(DVec3::new(0.0, 0.0, -0.3));
        assert!(end.distance(2.0 * DVec3::Z) < 1e-9, "{end} at {}", moment.time);
    }
}
