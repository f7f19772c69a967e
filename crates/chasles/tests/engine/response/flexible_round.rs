//! Flexible bodies that fall on static round bodies.

use std::sync::Arc;

use crate::response::flexible_cases::{at, jelly, middle, momenta, sheet, whole_energy};
use crate::response::setup::{Setup, finished};
use chasles::glam::{DQuat, DVec3};
use chasles::{
    CheckOptions, CollisionShape, DeformingSurface, FlexibleBody, FramesInMemory, Friction, PairVerdict,
    Pose, Primitive, Scene, SceneDefinition, Simulation, SimulationMethod, SimulationSettings,
    SimulationState,
};

/// How far a point is outside a round body about the origin, by its formula; below 0 inside. Beside an edge it is a
/// lower bound.
fn outside(primitive: &Primitive, p: DVec3) -> f64 {
    let across = p.truncate().length();
    match *primitive {
        Primitive::Sphere { radius } => p.length() - radius,
        Primitive::Cylinder { radius, height } => (across - radius).max(p.z.abs() - 0.5 * height),
        Primitive::Cone { radius, height } => {
            let side = (height * across + radius * (p.z - 0.5 * height)) / radius.hypot(height);
            side.max(-0.5 * height - p.z)
        }
        Primitive::Capsule { radius, height } => {
            let core = p.z.clamp(-0.5 * height, 0.5 * height);
            (p - core * DVec3::Z).length() - radius
        }
        Primitive::Box { .. } => f64::INFINITY,
    }
}

/// The least distance from a round body of a dense set of points of a sheet, from one moment to the next.
fn least_outside(primitive: &Primitive, pose: &Pose, moments: &[SimulationState]) -> f64 {
    let mesh = sheet(0.3, 6);
    let inverse = pose.inverse();
    let mut least = f64::INFINITY;
    for pair in moments.windows(2) {
        for triangle in mesh.triangles() {
            for step in 0..=8 {
                let time = f64::from(step) / 8.0;
                let [a, b, c] = triangle.map(|v| {
                    let [p, q] = [0, 1].map(|i| pair[i].flexible[0].vertices[v as usize]);
                    p.lerp(q, time)
                });
                for (i, j) in (0..=4).flat_map(|i| (0..=4 - i).map(move |j| (i, j))) {
                    let point = a + 0.25 * (f64::from(i) * (b - a) + f64::from(j) * (c - a));
                    least = least.min(outside(primitive, inverse.transform_point(point)));
                }
            }
        }
    }
    least
}

/// The verdict of the check of a scene with recorded vertices.
fn checked(scene: &Scene, moments: &[SimulationState]) -> PairVerdict {
    let mut bodies = scene.bodies().to_vec();
    let times = moments.iter().map(|moment| moment.time).collect();
    let frames: Vec<Vec<DVec3>> = moments.iter().map(|m| m.flexible[0].vertices.clone()).collect();
    let mesh = chasles::Mesh::new(frames[0].clone(), sheet(0.3, 6).triangles().to_vec()).unwrap();
    let surface = DeformingSurface::new(mesh, times, Arc::new(FramesInMemory(frames))).unwrap();
    bodies[1].shape = Some(CollisionShape::deforming(Arc::new(surface)));
    bodies[1].motion = chasles::BodyMotion::Still(Pose::IDENTITY);
    let (duration, tolerance) = (scene.duration(), None);
    let recorded =
        Scene::new(SceneDefinition { duration, tolerance, clearance: 0.0, bodies, ignore: vec![] });
    recorded.unwrap().check(&CheckOptions::default(), &()).unwrap().verdict
}

#[test]
fn a_sheet_falls_on_round_bodies_and_never_passes_through() {
    let tilted = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(1.3)).unwrap();
    let cases = [
        (Primitive::Sphere { radius: 0.1 }, Pose::IDENTITY, SimulationMethod::Both),
        (Primitive::Sphere { radius: 0.1 }, Pose::IDENTITY, SimulationMethod::Spring),
        (Primitive::Cylinder { radius: 0.1, height: 0.2 }, Pose::IDENTITY, SimulationMethod::Both),
        (Primitive::Cylinder { radius: 0.1, height: 0.3 }, tilted, SimulationMethod::Both),
        (Primitive::Cone { radius: 0.1, height: 0.2 }, Pose::IDENTITY, SimulationMethod::Both),
        (Primitive::Capsule { radius: 0.07, height: 0.2 }, tilted, SimulationMethod::Both),
    ];
    for (primitive, pose, method) in cases {
        let at_case = format!("{primitive:?} {method:?}");
        let mut setup = Setup::new(0.3, 9.81);
        setup.settings = SimulationSettings { method, ..setup.settings };
        let round = setup.body("round", primitive, pose, None);
        setup.own[round].friction = Friction::Coefficient(0.3);
        let given = FlexibleBody { damping: 0.1, ..jelly(0.2, 60.0) };
        setup.flexible(sheet(0.3, 6), at(0.013, 0.007, 0.15), given);
        let definition = setup.definition();
        let flexible = definition.flexible[0];
        let scene = definition.scene.clone();
        let mut simulation = Simulation::new(definition, true).unwrap();
        let moments = finished(&mut simulation);
        let [first, last] = [&moments[0], &moments[moments.len() - 1]];
        assert!((last.time - 0.3).abs() < 1e-12, "{at_case}");
        // It is held above where it would fall to.
        let fallen = middle(&first.flexible[0]).z - middle(&last.flexible[0]).z;
        assert!(fallen < 0.8 * 0.5 * 9.81 * 0.09, "{at_case}: {fallen}");
        let least = least_outside(&primitive, &pose, &moments);
        assert!(least > 0.0 && least < 1e-3, "{at_case}: {least}");
        assert_eq!(checked(&scene, &moments), PairVerdict::Clear, "{at_case}");
        // All impulses are in the recording: weight and contacts change the momentum.
        let given: DVec3 = moments.iter().flat_map(|m| &m.contacts).map(|contact| contact.impulse).sum();
        let weight = -0.2 * 9.81 * 0.3 * DVec3::Z;
        let momentum = momenta(&last.flexible[0], &flexible, &sheet(0.3, 6)).linear;
        assert!(momentum.distance(given + weight) < 1e-9, "{at_case}: {momentum} {given}");
        let start = whole_energy(first);
        for moment in &moments {
            let own = moment.energy.kinetic + moment.energy.potential;
            assert!(own <= start + 1e-3, "{at_case} at {}: {own} of {start}", moment.time);
        }
    }
}

/// A sheet beside a round body is where it would be without it, to the last bit, as long as it does not reach it.
#[test]
fn a_round_body_out_of_reach_changes_nothing() {
    let fall = |with: bool| {
        let mut setup = Setup::new(0.1, 9.81);
        if with {
            setup.body("round", Primitive::Sphere { radius: 0.1 }, at(0.0, 0.0, -0.2), None);
        }
        setup.flexible(sheet(0.3, 6), at(0.0, 0.0, 0.15), jelly(0.2, 60.0));
        finished(&mut Simulation::new(setup.definition(), false).unwrap())
    };
    let [with, without] = [true, false].map(fall);
    assert_eq!(with.last().unwrap().flexible, without.last().unwrap().flexible);
}

#[test]
fn a_sheet_that_meets_a_round_body_at_the_start_is_refused() {
    let mut setup = Setup::new(0.1, 9.81);
    setup.body("round", Primitive::Sphere { radius: 0.1 }, at(0.0, 0.0, 0.1), None);
    setup.flexible(sheet(0.3, 6), at(0.0, 0.0, 0.15), jelly(0.2, 60.0));
    let error = Simulation::new(setup.definition(), false).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("start of body \"jelly 1\": a flexible body whose surface meets"), "{error}");
}
