//! Random heaps of boxes and balls: the recorded screws are checked by independent formulas.
//!
//! Between two states bodies are placed at many times, on screws that this test computes itself; the penetration of
//! two of them must not exceed the proven depth. Momentum changes only by gravity and the reported impulses, and
//! energy is never created. Without gravity and a floor all bodies together keep their momentum, and their angular
//! momentum except for the separation of bodies that come too close.
//!
//! `CHASLES_LONG=1` runs 1,000 cases of each.

use crate::cases::seeds::{Counter, Wrong, for_each, seed_range};
use chasles::{
    BodyMotion, CollisionShape, Dynamics, Friction, ImpactOrder, Pose, Primitive, Release, Scene, SceneBody,
    SceneDefinition, SimulatedBody, Simulation, SimulationDefinition, SimulationMethod, SimulationState,
    StepResult,
};
use chasles_testing::Random;
use glam::{DMat3, DQuat, DVec3};

const GRAVITY: f64 = 9.81;

/// A ball or a box.
#[derive(Clone, Copy)]
enum Form {
    Ball(f64),
    Block(DVec3),
}

struct Case {
    forms: Vec<Form>,
    definition: SimulationDefinition,
}

/// A moving ball or box of any size, with its mass.
fn form(random: &mut Random) -> (Form, Dynamics) {
    let size = DVec3::new(random.within(0.05, 0.2), random.within(0.05, 0.2), random.within(0.05, 0.2));
    let form = if random.one_in(2) { Form::Ball(0.5 * size.x) } else { Form::Block(size) };
    let mass = random.within(0.2, 3.0);
    let moments = match form {
        Form::Ball(radius) => DVec3::splat(0.4 * radius * radius),
        Form::Block(s) => {
            DVec3::new(s.y * s.y + s.z * s.z, s.x * s.x + s.z * s.z, s.x * s.x + s.y * s.y) / 12.0
        }
    };
    let inertia = DMat3::from_diagonal(mass * moments);
    let (linear, angular) = (random.vector(1.0), random.vector(3.0));
    (form, Dynamics { mass, inertia, center: DVec3::ZERO, linear, angular })
}

/// Bodies that fall on a floor, which is the first.
fn case(seed: u64) -> Case {
    let random = &mut Random(seed);
    let mut bodies =
        vec![(Form::Block(DVec3::new(4.0, 4.0, 0.5)), Pose::from_position(-0.25 * DVec3::Z).unwrap(), None)];
    for i in 0..2 + random.below(5) {
        let (form, dynamics) = form(random);
        let at = DVec3::new(random.within(-0.1, 0.1), random.within(-0.1, 0.1), 0.2 + 0.36 * i as f64);
        let turn = if random.one_in(2) { DQuat::IDENTITY } else { random.rotation() };
        bodies.push((form, Pose::new(at, turn).unwrap(), Some(dynamics)));
    }
    set(random, seed, bodies)
}

/// Bodies in empty space that fly towards each other.
fn flight(seed: u64) -> Case {
    let random = &mut Random(seed);
    let mut bodies = Vec::new();
    for i in 0..2 + random.below(5) {
        let (form, mut dynamics) = form(random);
        let corner = DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.25 } else { -0.25 }));
        dynamics.linear -= 4.0 * corner;
        let turn = if random.one_in(2) { DQuat::IDENTITY } else { random.rotation() };
        bodies.push((form, Pose::new(corner, turn).unwrap(), Some(dynamics)));
    }
    let mut case = set(random, seed, bodies);
    case.definition.gravity = DVec3::ZERO;
    case
}

fn set(random: &mut Random, seed: u64, all: Vec<(Form, Pose, Option<Dynamics>)>) -> Case {
    let (mut forms, mut bodies, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (form, pose, dynamics)) in all.into_iter().enumerate() {
        let primitive = match form {
            Form::Ball(radius) => Primitive::Sphere { radius },
            Form::Block(size) => Primitive::Box { size },
        };
        let shape = Some(CollisionShape::primitive(primitive).unwrap());
        let motion = BodyMotion::Still(pose);
        let name = format!("b{i}");
        bodies.push(SceneBody { name, shape, motion, parent: None, group: None, solid: false });
        let elasticity = if random.one_in(2) { 0.0 } else { random.unit() };
        let friction =
            if random.one_in(8) { Friction::Rough } else { Friction::Coefficient(random.within(0.0, 0.8)) };
        own.push(SimulatedBody { dynamics, release: Release::Start, elasticity, friction });
        forms.push(form);
    }
    let definition =
        SceneDefinition { duration: 0.5, tolerance: None, clearance: 0.0, bodies, ignore: Vec::new() };
    let definition = SimulationDefinition {
        scene: Scene::new(definition).unwrap(),
        bodies: own,
        joints: Vec::new(),
        flexible: Vec::new(),
        gravity: -GRAVITY * DVec3::Z,
        step: 2e-3,
        record: 2e-2,
        // In some cases only springs act.
        method: if seed % 4 == 3 { SimulationMethod::Spring } else { SimulationMethod::Both },
        touching: ImpactOrder::Together,
        depth: 2e-4,
        max_records: SimulationDefinition::MAX_RECORDS,
    };
    Case { forms, definition }
}

/// The pose of a body on the screw from one pose to another, by the axis and the angle of the rotation.
fn on_screw([from, to]: [&Pose; 2], s: f64) -> (DVec3, DMat3) {
    let turn = to.rotation() * from.rotation().conjugate();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let half = turn.xyz();
    let angle = 2.0 * half.length().atan2(turn.w);
    let way = to.position() - from.position();
    if angle < 1e-12 {
        return (from.position() + s * way, DMat3::from_quat(from.rotation()));
    }
    let axis = half.normalize();
    let slide = axis.dot(way);
    let across = way - slide * axis;
    // The centre of the rotation in the plane perpendicular to the axis.
    let centre = from.position() + 0.5 * (across + axis.cross(across) / (0.5 * angle).tan());
    let part = DQuat::from_axis_angle(axis, s * angle);
    (centre + part * (from.position() - centre) + s * slide * axis, DMat3::from_quat(part * from.rotation()))
}

/// A lower bound of the penetration of two bodies: the minimum overlap along candidate separating axes.
fn depth(forms: [Form; 2], places: [(DVec3, DMat3); 2]) -> f64 {
    let reach = |i: usize, n: DVec3| match forms[i] {
        Form::Ball(radius) => radius,
        Form::Block(size) => 0.5 * (size * (places[i].1.transpose() * n).abs()).element_sum(),
    };
    let between = places[1].0 - places[0].0;
    let mut directions = vec![between];
    for (i, form) in forms.iter().enumerate() {
        if let Form::Block(size) = form {
            let turn = places[i].1;
            directions.extend([turn.x_axis, turn.y_axis, turn.z_axis]);
            // From the box's point nearest to the other's centre.
            let local = turn.transpose() * (places[1 - i].0 - places[i].0);
            directions.push(turn * (local - local.clamp(-0.5 * *size, 0.5 * *size)));
        }
    }
    if let [Form::Block(_), Form::Block(_)] = forms {
        let axes = |turn: DMat3| [turn.x_axis, turn.y_axis, turn.z_axis];
        for u in axes(places[0].1) {
            directions.extend(axes(places[1].1).map(|v| u.cross(v)));
        }
    }
    let overlap = |n: &DVec3| {
        let n = n.normalize();
        reach(0, n) + reach(1, n) - between.dot(n).abs()
    };
    directions.iter().filter(|n| n.length() > 1e-9).map(overlap).fold(f64::INFINITY, f64::min)
}

struct Run {
    moments: Vec<SimulationState>,
    deepest: f64,
    is_whole: bool,
}

fn run(definition: SimulationDefinition) -> Run {
    let mut simulation = Simulation::new(definition, true).unwrap();
    let mut moments = Vec::new();
    let is_whole = loop {
        match simulation.advance(&()).unwrap() {
            StepResult::Moments(more) => moments.extend(more),
            StepResult::Finished => break true,
            _ => break false,
        }
    };
    let deepest = simulation.summary().deepest.unwrap();
    Run { moments, deepest, is_whole }
}

fn wrong(case: &Case, run: &Run) -> Wrong {
    let mut wrong = Wrong::new();
    for pair in run.moments.windows(2) {
        wrong.extend(too_deep(case, run, pair));
        if !wrong.is_empty() {
            break;
        }
        wrong.extend(laws_broken(case, run, pair));
    }
    wrong
}

/// Bodies that penetrate deeper between two states than was proven.
fn too_deep(case: &Case, run: &Run, pair: &[SimulationState]) -> Wrong {
    let bodies = case.definition.bodies.iter().enumerate();
    let dynamic: Vec<usize> = bodies.filter(|(_, own)| own.dynamics.is_some()).map(|(i, _)| i).collect();
    let fixed: Vec<Pose> =
        (0..case.forms.len()).map(|body| case.definition.scene.pose_at(body, 0.0)).collect();
    let pose = |body: usize, i: usize| {
        let place = dynamic.iter().position(|own| *own == body);
        place.map_or(&fixed[body], |place| &pair[i].poses[place])
    };
    for k in 0..6 {
        let s = f64::from(k) / 5.0;
        let places: Vec<(DVec3, DMat3)> =
            (0..case.forms.len()).map(|body| on_screw([pose(body, 0), pose(body, 1)], s)).collect();
        for a in 0..places.len() {
            for b in a + 1..places.len() {
                let own = depth([case.forms[a], case.forms[b]], [places[a], places[b]]);
                if own > run.deepest + 1e-9 {
                    return vec![format!("b{a} and b{b} are {own} deep after {} ({s})", pair[0].time)];
                }
            }
        }
    }
    Wrong::new()
}

/// Laws that are violated between two states.
fn laws_broken(case: &Case, run: &Run, pair: &[SimulationState]) -> Wrong {
    let mut wrong = Wrong::new();
    let gravity = case.definition.gravity;
    let bodies = case.definition.bodies.iter().enumerate();
    let dynamic = bodies.filter_map(|(body, own)| Some((body, own.dynamics?.mass)));
    for (place, (body, mass)) in dynamic.enumerate() {
        let mut momentum = mass * pair[0].velocities[place][0];
        momentum += mass * (pair[1].time - pair[0].time) * gravity;
        for contact in &pair[1].contacts {
            momentum += contact.impulse * f64::from(i8::from(contact.bodies[1] == body));
            momentum -= contact.impulse * f64::from(i8::from(contact.bodies[0] == body));
        }
        let off = momentum.distance(mass * pair[1].velocities[place][0]);
        // A body that falls asleep loses its small remaining speed.
        let falls_asleep =
            pair[1].velocities[place] == [DVec3::ZERO; 2] && pair[0].velocities[place] != [DVec3::ZERO; 2];
        let asleep = if falls_asleep { 1e-3 * GRAVITY * case.definition.step } else { 0.0 };
        if off > mass * (1e-9 * (1.0 + momentum.length() / mass) + asleep) {
            wrong.push(format!("momentum of b{body} is off by {off} at {}", pair[1].time));
        }
    }
    let is_sprung = case.definition.method == SimulationMethod::Spring;
    let is_rough = |body: usize| case.definition.bodies[body].friction == Friction::Rough;
    for contact in &pair[1].contacts {
        // The friction along slightly different normals, summed, is not quite perpendicular to their mean. Nearby
        // springs of a rough body hold each other by any friction: their forces are thousands of times their sum,
        // which may pull.
        let is_held = is_sprung && contact.bodies.iter().any(|body| is_rough(*body));
        let most = (0.05 * contact.impulse.length()).max(if is_held { 5e-3 } else { 0.0 });
        if contact.impulse.dot(contact.normal) < -most {
            wrong.push(format!("{contact:?} pulls"));
        }
    }
    let energy = pair.iter().map(|moment| moment.energy).map(|e| (e.kinetic + e.potential, e.dissipated));
    let energy: Vec<(f64, f64)> = energy.collect();
    let start = run.moments[0].energy.kinetic + run.moments[0].energy.potential;
    // Springs return the energy that they held at the state before.
    let before = if is_sprung { start - energy[1].1 } else { energy[0].0 };
    if energy[1].0 > before + 1e-3 * (1.0 + start) || energy[1].1 < energy[0].1 {
        wrong.push(format!("energy {energy:?} at {}", pair[1].time));
    }
    wrong
}

/// The momentum of all bodies together, and their angular momentum about the origin.
fn momenta(case: &Case, moment: &SimulationState) -> [DVec3; 2] {
    let own = case.definition.bodies.iter().filter_map(|own| own.dynamics);
    let own = own.zip(moment.poses.iter().zip(&moment.velocities));
    own.fold([DVec3::ZERO; 2], |[momentum, turning], (own, (pose, [linear, angular]))| {
        let turn = DMat3::from_quat(pose.rotation());
        let spin = turn * (own.inertia * (turn.transpose() * *angular));
        let linear = own.mass * *linear;
        [momentum + linear, turning + pose.position().cross(linear) + spin]
    })
}

#[test]
fn no_body_penetrates_deeper_than_was_proven() {
    let whole = Counter::default();
    let seeds = seed_range(24, 1_000);
    let count = seeds.end - seeds.start;
    for_each(seeds, |seed| {
        let case = case(seed);
        let run = run(case.definition.clone());
        whole.add_if(run.is_whole);
        wrong(&case, &run)
    });
    println!("{} of {count} ran to their end", whole.get());
    assert!(whole.get() as f64 >= 0.9 * count as f64, "{} of {count} ran to their end", whole.get());
}

/// Regressions: a heap that fell asleep in the step before a body rolled over it, and kept its load; and spring
/// friction that returned energy in addition to the springs.
#[test]
fn what_was_off_keeps_to_the_laws() {
    for seed in [767, 802] {
        let case = case(seed);
        let run = run(case.definition.clone());
        let wrong = wrong(&case, &run);
        assert!(run.is_whole && wrong.is_empty(), "{seed}: {wrong:?}");
    }
}

#[test]
fn without_gravity_momenta_are_conserved() {
    let (met, worst) = (Counter::default(), std::sync::Mutex::new(0.0_f64));
    let seeds = seed_range(24, 1_000);
    let count = seeds.end - seeds.start;
    for_each(seeds, |seed| {
        let case = flight(seed);
        let run = run(case.definition.clone());
        met.add_if(run.moments.iter().any(|moment| !moment.contacts.is_empty()));
        let mut wrong = wrong(&case, &run);
        let start = momenta(&case, &run.moments[0]);
        // Bodies that come too close are moved apart, by less than the allowed penetration: this does not rotate
        // them, but shifts moving bodies.
        let own = case.definition.bodies.iter().filter_map(|own| own.dynamics);
        let turning = case.definition.depth * own.map(|own| own.mass * own.linear.length()).sum::<f64>();
        for moment in &run.moments {
            let now = momenta(&case, moment);
            let off = [0, 1].map(|i| now[i].distance(start[i]));
            let mut most = worst.lock().unwrap();
            *most = most.max(off[1]);
            drop(most);
            if off[0] > 1e-12 || off[1] > turning {
                wrong.push(format!("momenta are off by {off:?} at {}", moment.time));
                break;
            }
        }
        wrong
    });
    println!("{} of {count} met, angular momentum is off by {:e}", met.get(), *worst.lock().unwrap());
    assert!(met.get() as f64 >= 0.5 * count as f64, "{} of {count} met", met.get());
}
