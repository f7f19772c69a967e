//! Flexible bodies: point masses joined by springs that fall, bounce and return to their shapes.

use crate::response::flexible_cases::{
    self, at, cube, jelly, lowest, meet, meets_itself, middle, momenta, sheet, whole_energy,
};
use crate::response::setup::{Setup, finished, sphere};
use chasles::glam::{DQuat, DVec3};
use chasles::{
    FlexibleBody, Friction, Pose, Primitive, Simulation, SimulationDefinition, SimulationMethod,
    SimulationSettings, SimulationState, StepResult,
};
use chasles_testing::{Random, cases};

const METHODS: [SimulationMethod; 2] = [SimulationMethod::Both, SimulationMethod::Spring];

/// Each method with each value; in the normal mode only the second value with the second method.
fn with_methods<T: Copy>(values: &[T]) -> Vec<(SimulationMethod, T)> {
    let first = values.iter().map(|value| (METHODS[0], *value));
    first.chain(cases(&values[1..2], values).iter().map(|value| (METHODS[1], *value))).collect()
}

/// A cube of 0.2 m that falls from a given height of its lower side, with an elasticity.
fn drop(height: f64, given: FlexibleBody, elasticity: f64, duration: f64) -> Setup {
    let mut setup = Setup::new(duration, 9.81);
    setup.floor();
    let own = setup.flexible(cube(0.2, 3), at(0.0, 0.0, 0.1 + height), given);
    setup.own[own].elasticity = elasticity;
    setup
}

#[test]
fn a_flexible_body_falls_freely_and_conserves_momenta() {
    let mut setup = Setup::new(0.5, 9.81);
    let (linear, angular) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(5.0, -3.0, 8.0));
    setup.flexible(cube(0.2, 3), at(0.0, 0.0, 0.0), FlexibleBody { linear, angular, ..jelly(1.5, 300.0) });
    let definition = setup.definition();
    let flexible = definition.flexible[0];
    let (moments, _) = run(definition);
    let [first, last] = [&moments[0], &moments[moments.len() - 1]];
    let [begin, end] = [first, last].map(|moment| momenta(&moment.flexible[0], &flexible, &cube(0.2, 3)));
    let fallen = 0.5 * linear - 0.5 * 9.81 * 0.25 * DVec3::Z;
    assert!((end.centre - begin.centre).distance(fallen) < 1e-12, "{:?}", end.centre);
    let moved = 1.5 * (linear - 0.5 * 9.81 * DVec3::Z);
    assert!(end.linear.distance(moved) < 1e-12);
    let [begin, end] = [begin, end].map(|own| own.angular - own.centre.cross(own.linear));
    assert!(begin.distance(end) < 1e-10 * begin.length());
    // It oscillates, since it rotates faster than at rest; the energy is constant.
    let stretched = moments.iter().map(|m| (whole_energy(m) - m.energy.kinetic).abs()).fold(0.0, f64::max);
    assert!(stretched > 0.01, "{stretched}");
    for moment in &moments {
        assert!((whole_energy(moment) / whole_energy(first) - 1.0).abs() < 1e-3, "{}", moment.time);
        assert_eq!(moment.energy.dissipated, 0.0);
    }
}

#[test]
fn a_body_at_rest_without_gravity_stays_to_the_last_bit() {
    let mut setup = Setup::new(0.1, 0.0);
    setup.flexible(cube(0.25, 2), at(0.0, 0.0, 0.0), FlexibleBody { damping: 0.1, ..jelly(1.0, 300.0) });
    let (moments, _) = run(setup.definition());
    let [first, last] = [&moments[0].flexible[0], &moments[moments.len() - 1].flexible[0]];
    for (p, q) in first.vertices.iter().zip(&last.vertices) {
        assert!(p.distance(*q) < 1e-15, "{p} {q}");
    }
}

#[test]
fn two_colliding_flexible_bodies_conserve_momenta_and_gain_no_energy() {
    for (method, elasticity) in with_methods(&[0.0, 0.5, 1.0]) {
        let mut setup = Setup::new(0.6, 0.0);
        setup.settings.method = method;
        let moving = FlexibleBody { linear: DVec3::X, ..jelly(1.0, 500.0) };
        let a = setup.flexible(cube(0.2, 3), at(0.0, 0.0, 0.0), moving);
        let b = setup.flexible(cube(0.2, 2), at(0.3071, 0.03, 0.02), jelly(2.0, 800.0));
        setup.own[a].elasticity = elasticity;
        setup.own[b].elasticity = elasticity;
        setup.own[a].friction = Friction::Coefficient(0.0);
        let definition = setup.definition();
        let flexible = definition.flexible.clone();
        let (moments, _) = run(definition);
        let meshes = [cube(0.2, 3), cube(0.2, 2)];
        let both = |moment: &SimulationState| {
            let own = [0, 1].map(|i| momenta(&moment.flexible[i], &flexible[i], &meshes[i]));
            (own[0].linear + own[1].linear, own[0].angular + own[1].angular, own[1].linear.x)
        };
        let [begin, end] = [&moments[0], &moments[moments.len() - 1]].map(both);
        assert!(begin.0.distance(end.0) < 1e-10, "{method:?} {elasticity}: {} {}", begin.0, end.0);
        // Friction acts at points that are separated by the gap.
        assert!(begin.1.distance(end.1) < 1e-5, "{method:?} {elasticity}: {} {}", begin.1, end.1);
        assert!(end.2 > 0.5, "B was hit: {}", end.2);
        let start = whole_energy(&moments[0]);
        for moment in &moments {
            let own = moment.energy.kinetic + moment.energy.potential;
            assert!(own <= start * 1.005, "{method:?} {elasticity} at {}: {own} of {start}", moment.time);
        }
    }
}

#[test]
fn energy_never_grows_and_its_loss_is_reported() {
    let given = [(0.0, 0.0, 0.02), (0.5, 0.0, 0.03), (1.0, 0.0, 0.06), (0.5, 0.1, 0.02)];
    for (method, (elasticity, damping, allowed)) in with_methods(&given) {
        let mut setup = drop(0.3, FlexibleBody { damping, ..jelly(1.0, 500.0) }, elasticity, 0.8);
        setup.settings.method = method;
        let (moments, _) = run(setup.definition());
        let start = whole_energy(&moments[0]);
        let mut before = 0.0;
        for moment in &moments {
            let own = moment.energy.kinetic + moment.energy.potential;
            let at = format!("{method:?} {elasticity} {damping} at {}", moment.time);
            assert!(own <= start * 1.01, "{at}: {own} of {start}");
            assert!((whole_energy(moment) - start).abs() < allowed * start, "{at}: {}", whole_energy(moment));
            assert!(moment.energy.dissipated >= before, "{at}");
            before = moment.energy.dissipated;
        }
    }
}

/// A striking body rebounds with the elasticity: if it is so soft that its springs have no effect meanwhile, its
/// vertices do.
#[test]
fn vertices_rebound_with_the_elasticity() {
    for (method, elasticity) in with_methods(&[0.0, 0.5, 1.0]) {
        let mut setup = drop(0.2, jelly(1.0, 1e-3), elasticity, 0.205);
        setup.settings.method = method;
        setup.settings = SimulationSettings { record: 1e-3, ..setup.settings };
        let definition = setup.definition();
        let (moments, _) = run(definition);
        let time = (2.0_f64 * 0.2 / 9.81).sqrt();
        let after = moments.iter().find(|m| m.time > time + 2e-3).unwrap();
        let lower = |v: &&DVec3| v.z < 0.05;
        let count = after.flexible[0].vertices.iter().filter(lower).count();
        assert_eq!(count, 16);
        for (place, velocity) in after.flexible[0].vertices.iter().zip(&after.flexible[0].velocities) {
            if lower(&place) {
                let expected = elasticity * 9.81 * time
                    - if elasticity > 0.0 { 9.81 * (after.time - time) } else { 0.0 };
                let off = (velocity.z - expected).abs();
                assert!(off < 0.02 * 9.81 * time, "{method:?} {elasticity}: {} {expected}", velocity.z);
            }
        }
    }
}

#[test]
fn a_flexible_body_bounces_lower_each_time_and_comes_to_rest_in_its_shape() {
    for method in METHODS {
        let damped = FlexibleBody { damping: 0.1, ..jelly(1.0, 3000.0) };
        let mut setup = drop(0.3, damped, 0.3, 2.0);
        setup.settings.method = method;
        setup.own[0].friction = Friction::Coefficient(0.5);
        let (moments, simulation) = run(setup.definition());
        let after = |time: f64| {
            let later = moments.iter().filter(move |m| m.time > time);
            later.map(|m| lowest(&m.flexible[0])).fold(0.0, f64::max)
        };
        // It rises again, and never as high as before.
        assert!(after(0.3) > 0.02 && after(0.3) < 0.3, "{}", after(0.3));
        assert!(after(0.9) < 0.5 * after(0.3), "{}", after(0.9));
        let last = &moments[moments.len() - 1];
        let before = moments.iter().find(|m| m.time >= 1.7).unwrap();
        for (state, then) in last.flexible.iter().zip(&before.flexible) {
            let fastest = state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
            let moved =
                state.vertices.iter().zip(&then.vertices).map(|(p, q)| p.distance(*q)).fold(0.0, f64::max);
            assert!(fastest < 1e-3 && moved < 1e-4, "{method:?}: {fastest} {moved}");
        }
        let state = &last.flexible[0];
        assert!(lowest(state) > 0.0 && lowest(state) < 1e-4, "{}", lowest(state));
        // Its own weight compresses it a little.
        let height = middle(state).z;
        assert!(height < 0.1 && height > 0.097, "{height}");
        let [start, end] = simulation.summary().energy;
        assert!(end.kinetic < 1e-6 && end.dissipated < start.potential);
    }
}

#[test]
fn nothing_passes_through_a_thin_wall_however_fast() {
    for speed in [5.0, 50.0, 500.0] {
        let mut setup = Setup::new(0.6 / speed + 0.02, 0.0);
        setup.body("wall", Primitive::Box { size: DVec3::new(1e-4, 20.0, 20.0) }, at(0.3, 0.0, 0.0), None);
        let given =
            FlexibleBody { linear: DVec3::new(speed, 0.1 * speed, 0.0), damping: 0.05, ..jelly(1.0, 2000.0) };
        setup.flexible(cube(0.2, 2), at(0.0, 0.0, 0.0), given);
        let (moments, _) = run(setup.definition());
        for moment in &moments {
            let furthest = moment.flexible[0].vertices.iter().map(|v| v.x).fold(0.0, f64::max);
            assert!(furthest < 0.3 - 0.5e-4, "{speed}: {furthest} at {}", moment.time);
        }
        assert!(moments.iter().any(|m| m.contacts.iter().any(|c| c.bodies == [0, 1])));
    }
}

/// The momentum that a body gains is the sum of gravity and the reported contact impulses.
#[test]
fn the_impulses_of_contacts_are_reported() {
    for method in METHODS {
        let mut setup = drop(0.1, FlexibleBody { linear: 0.5 * DVec3::X, ..jelly(2.0, 500.0) }, 0.2, 0.5);
        setup.settings.method = method;
        setup.own[0].friction = Friction::Coefficient(0.4);
        let definition = setup.definition();
        let flexible = definition.flexible[0];
        let (moments, _) = run(definition);
        let mut given = DVec3::ZERO;
        for contact in moments.iter().flat_map(|m| &m.contacts) {
            assert_eq!(contact.bodies, [0, 1]);
            assert!(contact.normal.distance(DVec3::Z) < 1e-3 && contact.point.z.abs() < 1e-3);
            given += contact.impulse;
        }
        let [begin, end] = [&moments[0], &moments[moments.len() - 1]]
            .map(|moment| momenta(&moment.flexible[0], &flexible, &cube(0.2, 3)).linear);
        let expected = begin + given - 2.0 * 9.81 * 0.5 * DVec3::Z;
        assert!(end.distance(expected) < 1e-9, "{method:?}: {end} {expected}");
        assert!(given.x < -0.01 && given.z > 0.0);
    }
}

#[test]
fn a_thousand_times_stiffer_body_takes_shorter_steps_and_is_stable() {
    let mut steps = Vec::new();
    for stiffness in [500.0, 500_000.0] {
        let (moments, simulation) = run(drop(0.05, jelly(1.0, stiffness), 0.5, 0.25).definition());
        let start = whole_energy(&moments[0]);
        for moment in &moments {
            assert!(moment.energy.kinetic + moment.energy.potential < 1.01 * start);
        }
        steps.push(simulation.summary().steps);
    }
    let ratio = steps[1] as f64 / steps[0] as f64;
    assert!(ratio > 8.0 && ratio < 40.0, "{steps:?}");
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let told = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut setup = drop(0.02, FlexibleBody { damping: 0.05, ..jelly(1.0, 300.0) }, 0.4, 0.2);
            setup.own[0].friction = Friction::Coefficient(0.3);
            setup.flexible(cube(0.15, 2), at(0.02, 0.01, 0.33), jelly(0.5, 200.0));
            setup.flexible(sheet(0.3, 4), at(0.0, 0.0, 0.5), jelly(0.1, 50.0));
            run(setup.definition()).0
        })
    };
    let one = told(1);
    assert!(one.iter().any(|m| m.contacts.iter().any(|c| c.bodies == [1, 2])));
    assert_eq!(one, told(3));
}

#[test]
fn a_cloth_hangs_over_a_box_and_does_not_pass_through_itself() {
    let mut setup = Setup::new(0.6, 9.81);
    setup.floor();
    setup.body("box", Primitive::Box { size: DVec3::splat(0.2) }, at(0.0, 0.0, 0.1001), None);
    let given = FlexibleBody { damping: 0.1, ..jelly(0.2, 60.0) };
    let cloth = setup.flexible(sheet(0.6, 8), at(0.01, 0.02, 0.25), given);
    setup.own[cloth].friction = Friction::Coefficient(0.5);
    let (moments, _) = run(setup.definition());
    let last = &moments[moments.len() - 1].flexible[0];
    let top = last.vertices.iter().map(|v| v.z).fold(0.0, f64::max);
    assert!(top > 0.2 && top < 0.23 && lowest(last) < 0.1, "{top} {}", lowest(last));
}

#[test]
fn a_flexible_simulation_resumes_from_a_recorded_moment() {
    let (whole, _) =
        run(drop(0.05, FlexibleBody { damping: 0.05, ..jelly(1.0, 500.0) }, 0.2, 0.4).definition());
    let from = whole.iter().find(|m| (m.time - 0.2).abs() < 1e-9).unwrap();
    let definition = drop(0.05, FlexibleBody { damping: 0.05, ..jelly(1.0, 500.0) }, 0.2, 0.4).definition();
    let mut resumed = Simulation::resumed(definition.clone(), from, false).unwrap();
    let rest = finished(&mut resumed);
    assert!(rest[0].time > from.time);
    let [end, again] = [&whole[whole.len() - 1], &rest[rest.len() - 1]];
    assert!((end.energy.dissipated - again.energy.dissipated).abs() < 0.02 * end.energy.dissipated);
    let off = middle(&end.flexible[0]).distance(middle(&again.flexible[0]));
    assert!(off < 1e-3, "{off}");
    let mut short = from.clone();
    short.flexible[0].vertices.pop();
    let error = Simulation::resumed(definition, &short, false).map(|_| ()).unwrap_err();
    assert_eq!(error.place(), "vertices of body \"jelly 1\"");
}

/// Rigid bodies move the same with or without flexible ones.
#[test]
fn rigid_bodies_beside_a_flexible_body_move_as_without_it() {
    let scene = |with: bool| {
        let mut setup = Setup::new(0.3, 9.81);
        setup.floor();
        let ball =
            setup.body("ball", Primitive::Sphere { radius: 0.1 }, at(1.0, 0.0, 0.2), Some(sphere(1.0, 0.1)));
        setup.bodies[ball].group = Some("apart".into());
        if with {
            let own = setup.flexible(cube(0.2, 2), at(0.0, 0.0, 0.2), jelly(1.0, 300.0));
            setup.bodies[own].group = Some("apart".into());
        }
        run(setup.definition()).0
    };
    let (alone, beside) = (scene(false), scene(true));
    for moment in &alone {
        let same = beside.iter().find(|own| own.time == moment.time).unwrap();
        assert_eq!((&same.poses, &same.velocities), (&moment.poses, &moment.velocities));
        assert_eq!(same.flexible.len(), 1);
        assert!(same.energy.kinetic >= moment.energy.kinetic);
    }
    assert!(beside.windows(2).all(|pair| pair[0].time < pair[1].time));
}

/// A random scene: up to three flexible bodies over a floor and a slab, thrown at each other.
fn random_scene(seed: u64) -> (SimulationDefinition, Vec<chasles::Mesh>) {
    let random = &mut Random(seed);
    let mut setup = Setup::new(0.35, 9.81);
    setup.settings.method = METHODS[random.below(2)];
    setup.floor();
    let size = DVec3::new(0.3, 0.3, 0.02);
    setup.body("slab", Primitive::Box { size }, at(0.1, 0.0, 0.05), None);
    let mut meshes = Vec::new();
    for i in 0..1 + random.below(3) {
        let mesh = if random.below(3) == 0 { sheet(0.25, 3) } else { cube(0.1, 2) };
        let place = DVec3::new(random.within(-0.05, 0.05), random.within(-0.05, 0.05), 0.3 + 0.4 * i as f64);
        let axis = DVec3::new(random.unit(), random.unit(), 0.3).normalize();
        let pose = Pose::new(place, DQuat::from_axis_angle(axis, random.within(0.0, 3.0))).unwrap();
        let given = FlexibleBody {
            linear: DVec3::new(random.within(-0.5, 0.5), 0.0, -random.within(0.0, 4.0)),
            angular: DVec3::new(random.within(-5.0, 5.0), random.within(-5.0, 5.0), 0.0),
            damping: random.within(0.0, 0.2),
            ..jelly(random.within(0.1, 2.0), f64::powi(10.0, 1 + i32::try_from(random.below(3)).unwrap()))
        };
        let own = setup.flexible(mesh.clone(), pose, given);
        meshes.push(mesh);
        setup.own[own].elasticity = [0.0, 0.5, 1.0][random.below(3)];
        setup.own[own].friction = Friction::Coefficient(random.within(0.0, 0.6));
    }
    (setup.definition(), meshes)
}

/// No two features meet between two recorded states: each pair is tested by itself.
#[test]
fn in_random_scenes_no_two_features_ever_meet() {
    for seed in 0..cases(4, 400) {
        let (definition, meshes) = random_scene(seed);
        let standing: Vec<(chasles::Mesh, Vec<DVec3>)> = [0, 1]
            .map(|body| {
                let mesh = definition.scene.bodies()[body].shape.as_ref().unwrap().drawn().clone();
                let pose = definition.scene.pose_at(body, 0.0);
                let count = u32::try_from(mesh.vertex_count()).unwrap();
                let places = (0..count).map(|v| pose.transform_point(mesh.vertex(v))).collect();
                (mesh, places)
            })
            .into();
        let (moments, _) = run(definition);
        let start = moments[0].energy.kinetic + moments[0].energy.potential;
        for pair in moments.windows(2) {
            let own = pair[1].energy.kinetic + pair[1].energy.potential;
            assert!(
                own <= start + 0.02 * (start.abs() + 1.0),
                "seed {seed} at {}: {own} of {start}",
                pair[1].time
            );
            assert!(pair[1].energy.dissipated >= pair[0].energy.dissipated, "seed {seed}");
            let ways = |i: usize| (&pair[0].flexible[i].vertices, &pair[1].flexible[i].vertices);
            for (i, mesh) in meshes.iter().enumerate() {
                let others = (i + 1..meshes.len()).map(|j| (&meshes[j], ways(j)));
                let others = others.chain(standing.iter().map(|(mesh, at)| (mesh, (at, at))));
                for other in others {
                    assert!(!meet((mesh, ways(i)), other), "seed {seed} at {}", pair[1].time);
                }
                assert!(!meets_itself((mesh, ways(i))), "seed {seed} at {}", pair[1].time);
            }
        }
    }
}

fn run(definition: SimulationDefinition) -> (Vec<SimulationState>, Simulation) {
    let mut simulation = Simulation::new(definition, true).unwrap();
    let moments = finished(&mut simulation);
    assert_eq!(simulation.summary().deepest, Some(0.0));
    (moments, simulation)
}

fn refusal(setup: Setup) -> String {
    Simulation::new(setup.definition(), false).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn what_has_no_meaning_is_refused_by_name() {
    let given = |change: &dyn Fn(&mut FlexibleBody)| {
        let mut own = jelly(1.0, 300.0);
        change(&mut own);
        refusal(drop(0.1, own, 0.0, 1.0))
    };
    let positive = "expected a finite number greater than 0";
    assert_eq!(given(&|own| own.mass = 0.0), format!("mass of body \"jelly 1\": found 0, {positive}"));
    assert_eq!(
        given(&|own| own.stiffness = -1.0),
        format!("stiffness of body \"jelly 1\": found -1, {positive}")
    );
    assert!(given(&|own| own.damping = f64::NAN).starts_with("damping of body \"jelly 1\": found NaN"));
    assert!(given(&|own| own.linear.x = f64::INFINITY).starts_with("linear velocity of body \"jelly 1\""));
    assert!(given(&|own| own.stiffness = 1e60).starts_with("stiffness of body \"jelly 1\": found"));
    let mut setup = drop(0.1, jelly(1.0, 300.0), 0.0, 1.0);
    setup.flexible[0].body = 7;
    assert!(refusal(setup).starts_with("flexible body: found 7"));
    let mut setup = drop(0.1, jelly(1.0, 300.0), 0.0, 1.0);
    let beside = "flexible body \"jelly 1\" beside body \"ball\": a collision of a flexible body with";
    setup.body("ball", Primitive::Sphere { radius: 0.1 }, at(1.0, 0.0, 0.5), Some(sphere(1.0, 0.1)));
    assert_eq!(refusal(setup), format!("{beside} a rigid one that is dynamic is not built"));
    let mut setup = drop(0.1, jelly(1.0, 300.0), 0.0, 1.0);
    let size = DVec3::splat(0.1);
    let slab = setup.body("ball", Primitive::Box { size }, at(1.0, 0.0, 0.5), None);
    let spin =
        chasles::BodyMotion::Twist { start: at(1.0, 0.0, 0.5), linear: DVec3::X, angular: DVec3::ZERO };
    setup.bodies[slab].motion = spin;
    assert_eq!(refusal(setup), format!("{beside} one that moves as the scene says is not built"));
    let mut setup = drop(0.1, jelly(1.0, 300.0), 0.0, 1.0);
    setup.body("slab", Primitive::Box { size }, at(0.1, 0.0, 0.2), None);
    assert!(refusal(setup).starts_with("start of body \"jelly 1\": a flexible body whose surface meets"));
    let mut setup = drop(0.1, jelly(1.0, 300.0), 0.0, 1.0);
    setup.own[1].dynamics = Some(sphere(1.0, 0.1));
    assert_eq!(refusal(setup), "body \"jelly 1\": a flexible body that is rigid as well is not built");
    let mut setup = drop(0.1, jelly(1.0, 300.0), 0.0, 1.0);
    let kind = chasles::JointKind::Ball;
    setup.joints.push(chasles::SimulatedJoint { bodies: [1, 0], point: DVec3::Z, kind });
    let found = "found a flexible body, expected a rigid one: a joint at a vertex is not built";
    assert_eq!(refusal(setup), format!("joint 0 of body \"jelly 1\": {found}"));
    let turned = Pose::new(DVec3::new(0.0, 0.0, 0.3), DQuat::from_rotation_x(0.5)).unwrap();
    let mut setup = Setup::new(1.0, 9.81);
    setup.body("ball", Primitive::Sphere { radius: 0.1 }, turned, None);
    setup.flexible.push(jelly(1.0, 300.0));
    let what = "shape of body \"ball\": a flexible body that is neither a mesh nor a box is not built";
    assert_eq!(refusal(setup), what);
}

/// A monitor's stop takes effect within a step, and the simulation continues as if it had not been stopped.
#[test]
fn a_monitor_stops_the_simulation_and_it_resumes() {
    let definition = || drop(0.02, jelly(1.0, 300.0), 0.0, 0.1).definition();
    let whole = run(definition()).0;
    let mut simulation = Simulation::new(definition(), false).unwrap();
    let mut moments = Vec::new();
    let mut asked = 0_u32;
    loop {
        asked += 1;
        let often = std::sync::atomic::AtomicU32::new(0);
        let over = flexible_cases::After { asked: &often, most: 7 };
        match simulation.advance(&over).unwrap() {
            StepResult::Moments(more) => moments.extend(more),
            StepResult::Stopped => {}
            StepResult::Finished => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(asked > 20, "{asked}");
    assert_eq!(moments, whole);
}
