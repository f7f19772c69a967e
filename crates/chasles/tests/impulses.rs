//! Impulses against a twin that solves the paper's equations densely in 77 digits, and against the laws of mechanics.
//!
//! `CHASLES_LONG=1` asks 1,000,000 problems; `CHASLES_SEEDS=0..100000` beside it asks a part of them.

mod impulse_cases;
#[path = "scene_cases/seeds.rs"]
mod seeds;

use chasles::{
    ContactState, Friction, ImpulseAnswer, ImpulseBody, ImpulseContact, ImpulseJoint, ImpulseOutcome,
    ImpulseProblem, JointKind, RigidMass, Unsolvable,
};
use glam::{DMat3, DVec3};
use impulse_cases::problem;
use impulse_cases::twin::twin;
use seeds::{Counter, Wrong, for_each, seed_range};

/// Velocities are told to this share of the greatest.
const EXACT: f64 = 1e-9;

#[test]
fn velocities_are_those_of_the_twin() {
    let (sticks, slides, idle, left) =
        (Counter::default(), Counter::default(), Counter::default(), Counter::default());
    for_each(seed_range(600, 1_000_000), |seed| {
        let problem = problem(seed);
        let mut wrong = Wrong::new();
        let outcome = problem.solve().unwrap();
        let (answer, (velocities, state)) = match (outcome, twin(&problem)) {
            (ImpulseOutcome::Solved(answer), Some(truth)) => (answer, truth),
            (ImpulseOutcome::Solved(answer), None) if problem.contacts[0].friction == Friction::Rough => {
                left.add();
                return broken_laws(&problem, &answer);
            }
            (ImpulseOutcome::Unsolvable(_), None) => {
                left.add();
                return wrong;
            }
            (outcome, truth) => return vec![format!("{outcome:?}, twin {truth:?}")],
        };
        let speed = problem.bodies.iter().map(|body| body.linear.length() + body.angular.length());
        let speed = speed.fold(1.0, f64::max);
        for (number, ([v, w], told)) in velocities.iter().zip(&answer.velocities).enumerate() {
            let exact = [v, w].map(|v| DVec3::from_array([0, 1, 2].map(|k| v[k].double())));
            let off = exact[0].distance(told[0]).max(exact[1].distance(told[1]));
            if off.is_nan() || off > EXACT * speed.max(exact[0].length()).max(exact[1].length()) {
                wrong.push(format!("body {number}: {told:?}, twin {exact:?}"));
            }
        }
        if problem.contacts.len() == 1 {
            sticks.add_if(state == ContactState::Stick);
            slides.add_if(state == ContactState::Slide);
            idle.add_if(state == ContactState::None);
            if answer.contacts[0].state != state {
                wrong.push(format!("{:?}, twin {state:?}", answer.contacts));
            }
        }
        wrong.extend(broken_laws(&problem, &answer));
        wrong
    });
    let counts = [&sticks, &slides, &idle, &left].map(Counter::get);
    let all: usize = counts.iter().sum();
    assert!(
        10 * counts[0] > all && 5 * counts[1] > all && 10 * counts[2] > all && 5 * counts[3] < all,
        "{counts:?}"
    );
}

/// What an answer says that no impulses can do.
fn broken_laws(problem: &ImpulseProblem, answer: &ImpulseAnswer) -> Wrong {
    let mut wrong = Wrong::new();
    let mut momenta = vec![[DVec3::ZERO; 2]; problem.bodies.len()];
    let mut give = |bodies: [usize; 2], point: DVec3, impulse: DVec3, moment: DVec3| {
        for (body, sign) in bodies.into_iter().zip([-1.0, 1.0]) {
            let arm = point - problem.bodies[body].center;
            momenta[body][0] += sign * impulse;
            momenta[body][1] += sign * (arm.cross(impulse) + moment);
        }
    };
    let size = answer.contacts.iter().map(|contact| contact.impulse.length());
    let size = size.chain(answer.joints.iter().map(|joint| joint.impulse.length() + joint.moment.length()));
    let size = size.fold(1e-3, f64::max);
    for (contact, borne) in problem.contacts.iter().zip(&answer.contacts) {
        give(contact.bodies, contact.point, borne.impulse, DVec3::ZERO);
        let normal = contact.normal.normalize();
        let across = borne.impulse.dot(normal);
        let along = (borne.impulse - across * normal).length();
        let is_in_cone = match contact.friction {
            Friction::Rough => true,
            Friction::Coefficient(most) => along <= most * across + 1e-9 * size,
        };
        if across < -1e-12 * size || !is_in_cone {
            wrong.push(format!("{borne:?} pulls, or is out of the cone"));
        }
        if (borne.state == ContactState::None) != (borne.impulse == DVec3::ZERO) {
            wrong.push(format!("{borne:?}"));
        }
    }
    for (joint, borne) in problem.joints.iter().zip(&answer.joints) {
        give(joint.bodies, joint.point, borne.impulse, borne.moment);
        let (has_moment, along) = match joint.kind {
            JointKind::Ball => (false, 0.0),
            JointKind::Slide { axis } => (false, borne.impulse.dot(axis.normalize())),
            JointKind::Plane { axis } => (false, borne.impulse.cross(axis.normalize()).length()),
            JointKind::Hinge { axis } => (true, borne.moment.dot(axis.normalize())),
            JointKind::Piston { axis } => {
                (true, borne.impulse.dot(axis.normalize()).abs() + borne.moment.dot(axis.normalize()).abs())
            }
            JointKind::Fixed => (true, 0.0),
        };
        if along.abs() > 1e-9 * size || !has_moment && borne.moment != DVec3::ZERO {
            wrong.push(format!("{joint:?} cannot give {borne:?}"));
        }
    }
    for ((body, after), [p, q]) in problem.bodies.iter().zip(&answer.velocities).zip(&momenta) {
        let Some(mass) = body.mass else {
            if *after != [body.linear, body.angular] {
                wrong.push("a keyframed body has another velocity".into());
            }
            continue;
        };
        let off = (mass.mass * (after[0] - body.linear) - *p).length()
            + (mass.inertia * (after[1] - body.angular) - *q).length();
        if off > 1e-8 * (size + mass.mass) {
            wrong.push(format!("momentum is off by {off}"));
        }
    }
    let energy = answer.energy;
    if energy.dissipated < -1e-10 * energy.before.max(energy.after).max(1e-3) {
        wrong.push(format!("energy is made: {energy:?}"));
    }
    wrong
}

fn solid(center: DVec3, linear: DVec3) -> ImpulseBody {
    let mass = Some(RigidMass { mass: 2.0, inertia: 0.4 * DMat3::IDENTITY });
    ImpulseBody { mass, center, linear, angular: DVec3::ZERO }
}

fn floor() -> ImpulseBody {
    ImpulseBody { mass: None, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO }
}

fn contact(bodies: [usize; 2], point: DVec3, elasticity: f64, friction: Friction) -> ImpulseContact {
    ImpulseContact { bodies, point, normal: 3.0 * DVec3::Z, elasticity, friction }
}

fn solved(problem: &ImpulseProblem) -> ImpulseAnswer {
    match problem.solve().unwrap() {
        ImpulseOutcome::Solved(answer) => answer,
        unsolvable => panic!("{unsolvable:?}"),
    }
}

/// The corners of a square at the floor.
fn corners() -> [DVec3; 4] {
    [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)].map(|(x, y)| DVec3::new(x, y, 0.0))
}

#[test]
fn a_box_that_lands_flat_bears_alike_on_all_corners() {
    let bodies = vec![floor(), solid(DVec3::new(0.0, 0.0, 0.5), DVec3::new(0.0, 0.0, -3.0))];
    let contacts = corners().map(|p| contact([0, 1], p, 0.5, Friction::Coefficient(0.0))).to_vec();
    let answer = solved(&ImpulseProblem { bodies, contacts, joints: vec![] });
    for borne in &answer.contacts {
        assert!(borne.impulse.distance(DVec3::new(0.0, 0.0, 2.25)) < 1e-12, "{borne:?}");
    }
    assert!(
        answer.velocities[1][0].distance(1.5 * DVec3::Z) < 1e-12 && answer.velocities[1][1].length() < 1e-12
    );
    assert!((answer.energy.before - 9.0).abs() < 1e-11 && (answer.energy.dissipated - 6.75).abs() < 1e-11);
}

/// Friction is against the slip at every corner, so that the box does not turn about the upright.
#[test]
fn a_box_that_slides_does_not_turn_about_the_upright() {
    for seed in 0..40 {
        let random = &mut chasles_testing::Random(seed);
        let linear = DVec3::new(random.side(), random.side(), -1.0 - random.unit());
        let bodies = vec![floor(), solid(DVec3::new(0.0, 0.0, 0.1), linear)];
        let friction = Friction::Coefficient(0.05 + 0.1 * random.unit());
        let contacts = corners().map(|p| contact([0, 1], p, 0.0, friction)).to_vec();
        let problem = ImpulseProblem { bodies, contacts, joints: vec![] };
        let answer = solved(&problem);
        assert!(broken_laws(&problem, &answer).is_empty());
        let [velocity, turn] = answer.velocities[1];
        assert!(turn.length() < 1e-9 && velocity.z.abs() < 1e-9, "seed {seed}: {answer:?}");
        let before = linear.truncate().normalize();
        assert!(velocity.truncate().perp_dot(before).abs() < 1e-9, "seed {seed}: {answer:?}");
    }
}

#[test]
fn several_contacts_with_friction_keep_the_laws() {
    let (told, slides, unsettled) = (Counter::default(), Counter::default(), Counter::default());
    for_each(seed_range(400, 100_000), |seed| {
        let mut problem = problem(seed);
        let random = &mut chasles_testing::Random(!seed);
        let last = problem.bodies.len() - 1;
        problem.contacts = (0..2 + random.below(4))
            .map(|_| {
                let body = random.below(last);
                let friction = [Friction::Coefficient(random.unit()), Friction::Rough][random.below(2)];
                let point =
                    0.5 * (problem.bodies[body].center + problem.bodies[last].center) + random.vector(0.5);
                ImpulseContact {
                    normal: random.direction(),
                    elasticity: 0.0,
                    ..contact([body, last], point, 0.0, friction)
                }
            })
            .collect();
        let answer = match problem.solve().unwrap() {
            ImpulseOutcome::Solved(answer) => answer,
            ImpulseOutcome::Unsolvable(_) => return vec![],
            ImpulseOutcome::Unsettled => {
                unsettled.add();
                return vec![];
            }
        };
        told.add();
        slides.add_if(answer.contacts.iter().any(|borne| borne.state == ContactState::Slide));
        let mut wrong = broken_laws(&problem, &answer);
        let speed = problem
            .bodies
            .iter()
            .map(|body| body.linear.length() + body.angular.length())
            .fold(1.0, f64::max);
        for (contact, borne) in problem.contacts.iter().zip(&answer.contacts) {
            let velocity = |body: usize| {
                let [linear, angular] = answer.velocities[body];
                linear + angular.cross(contact.point - problem.bodies[body].center)
            };
            let relative = velocity(contact.bodies[1]) - velocity(contact.bodies[0]);
            let across = relative.dot(contact.normal);
            if across < -1e-8 * speed {
                wrong.push(format!("approaches at {across}: {borne:?}"));
            }
            let slip = relative - across * contact.normal;
            let along = borne.impulse - borne.impulse.dot(contact.normal) * contact.normal;
            if along.dot(slip) > 1e-6 * along.length() * slip.length() + 2e-7 * speed * along.length() {
                wrong.push(format!("friction drives the slip {slip:?}: {borne:?}"));
            }
        }
        wrong
    });
    assert!(slides.get() > 50 && 10 * unsettled.get() < told.get(), "{told:?} {slides:?} {unsettled:?}");
}

#[test]
fn what_cannot_be_satisfied_is_told() {
    // A body between two keyframed ones that close on it.
    let left = ImpulseBody { linear: DVec3::Z, ..floor() };
    let bodies = vec![left, solid(0.5 * DVec3::Z, DVec3::ZERO), floor()];
    let free = Friction::Coefficient(0.0);
    let contacts = vec![contact([0, 1], DVec3::ZERO, 0.0, free), contact([1, 2], DVec3::Z, 0.0, free)];
    let crushed = ImpulseProblem { bodies, contacts, joints: vec![] };
    for friction in [free, Friction::Coefficient(0.3), Friction::Rough] {
        let mut crushed = crushed.clone();
        crushed.contacts.iter_mut().for_each(|contact| contact.friction = friction);
        let told = crushed.solve().unwrap();
        assert!(matches!(told, ImpulseOutcome::Unsolvable(Unsolvable::Contact(_))), "{told:?}");
    }
    // A body that is fixed to both.
    let fixed = |bodies| ImpulseJoint { bodies, point: DVec3::ZERO, kind: JointKind::Fixed };
    let torn =
        ImpulseProblem { contacts: vec![], joints: vec![fixed([0, 1]), fixed([1, 2])], ..crushed.clone() };
    assert!(matches!(torn.solve().unwrap(), ImpulseOutcome::Unsolvable(Unsolvable::Joint(_))));
    // What has no meaning is refused, with its place.
    let good = ImpulseProblem { contacts: vec![contact([2, 1], DVec3::ZERO, 0.0, free)], ..crushed };
    type Change = fn(&mut ImpulseProblem);
    let bad: [(&str, Change); 9] = [
        ("contact 0", |problem| problem.contacts[0].bodies = [1, 1]),
        ("contact 0", |problem| problem.contacts[0].bodies = [1, 7]),
        ("contact 0", |problem| problem.contacts[0].normal = DVec3::ZERO),
        ("contact 0", |problem| problem.contacts[0].elasticity = 1.5),
        ("contact 0", |problem| problem.contacts[0].friction = Friction::Coefficient(-0.1)),
        ("mass of body 1", |problem| problem.bodies[1].mass.as_mut().unwrap().mass = 0.0),
        ("inertia of body 1", |problem| problem.bodies[1].mass.as_mut().unwrap().inertia.x_axis.y = 1.0),
        ("inertia of body 1", |problem| problem.bodies[1].mass.as_mut().unwrap().inertia.x_axis.x = -1.0),
        ("contacts", |problem| problem.contacts = vec![problem.contacts[0]; 300]),
    ];
    for (place, change) in bad {
        let mut problem = good.clone();
        change(&mut problem);
        let error = problem.solve().unwrap_err();
        assert_eq!(error.place(), place, "{error}");
    }
    assert!(good.solve().is_ok());
    // Numbers at the end of their range do not make answers that are no numbers.
    let mut vast = good;
    vast.bodies[1].mass.as_mut().unwrap().mass = 1e300;
    vast.bodies[1].linear = DVec3::new(0.0, 0.0, -1e200);
    let told = vast.solve();
    assert!(
        told.as_ref().map_or(true, |told| match told {
            ImpulseOutcome::Solved(answer) => answer.velocities.iter().flatten().all(|v| v.is_finite()),
            ImpulseOutcome::Unsolvable(_) | ImpulseOutcome::Unsettled => true,
        }),
        "{told:?}"
    );
}

/// A chain of links takes a time that grows with their number, and holds.
#[test]
fn a_long_chain_holds() {
    let links = 400;
    let body =
        |i: usize| ImpulseBody { angular: DVec3::Y, ..solid(DVec3::new(i as f64, 0.0, 0.0), -DVec3::Z) };
    let mut bodies: Vec<ImpulseBody> = (0..links).map(body).collect();
    bodies.push(floor());
    let joint = |i: usize| ImpulseJoint {
        bodies: [i, i + 1],
        point: DVec3::new(i as f64 + 0.5, 0.1, 0.0),
        kind: JointKind::Ball,
    };
    let joints = (0..links - 1).map(joint).collect();
    let contacts = vec![contact([links, 100], DVec3::new(100.1, 0.0, -0.2), 0.4, Friction::Coefficient(0.5))];
    let problem = ImpulseProblem { bodies, contacts, joints };
    let answer = solved(&problem);
    assert!(broken_laws(&problem, &answer).is_empty());
    for joint in &problem.joints {
        let [p, q] = joint.bodies.map(|body| {
            let [linear, angular] = answer.velocities[body];
            linear + angular.cross(joint.point - problem.bodies[body].center)
        });
        assert!(p.distance(q) < 1e-9, "{joint:?} comes apart at {}", p.distance(q));
    }
}

/// Masses from 1e-9 to 1e9 beside each other: whether there are velocities does not depend on them, so that roundings never
/// make a problem unsolvable, and what is told keeps to the laws.
#[test]
fn unlike_masses_make_no_problem_unsolvable() {
    let (told, open) = (Counter::default(), Counter::default());
    for_each(seed_range(400, 100_000), |seed| {
        let mut problem = problem(seed);
        let random = &mut chasles_testing::Random(!seed);
        for mass in problem.bodies.iter_mut().filter_map(|body| body.mass.as_mut()) {
            let factor = 10.0_f64.powf(9.0 * random.side()) / mass.mass;
            *mass = RigidMass { mass: factor * mass.mass, inertia: factor * mass.inertia };
        }
        match problem.solve().unwrap() {
            ImpulseOutcome::Unsolvable(_) if twin(&problem).is_some() => {
                vec![format!("unsolvable: {problem:?}")]
            }
            ImpulseOutcome::Unsolvable(_) => vec![],
            ImpulseOutcome::Unsettled => {
                open.add();
                vec![]
            }
            ImpulseOutcome::Solved(answer) => {
                told.add();
                let energy = answer.energy;
                let is_made = energy.dissipated < -1e-10 * energy.before.max(energy.after);
                if is_made { vec![format!("energy is made: {energy:?}")] } else { vec![] }
            }
        }
    });
    assert!(told.get() > 200, "{told:?} {open:?}");
    // A feather that is fixed to a rock lands on the floor: its own mass says nothing there.
    let feather = ImpulseBody {
        mass: Some(RigidMass { mass: 1e-9, inertia: 1e-10 * DMat3::IDENTITY }),
        ..solid(DVec3::Z, -DVec3::Z)
    };
    let rock = ImpulseBody {
        mass: Some(RigidMass { mass: 1e9, inertia: 1e8 * DMat3::IDENTITY }),
        ..solid(2.0 * DVec3::Z, -DVec3::Z)
    };
    let fixed = ImpulseJoint { bodies: [1, 2], point: DVec3::Z, kind: JointKind::Fixed };
    let contacts = vec![contact([0, 1], DVec3::ZERO, 0.0, Friction::Coefficient(0.0))];
    let landing = ImpulseProblem { bodies: vec![floor(), feather, rock], contacts, joints: vec![fixed] };
    assert!(!matches!(landing.solve().unwrap(), ImpulseOutcome::Unsolvable(_)));
}

/// Many joints on one body, and as many contacts as there may be.
#[test]
fn a_star_of_joints_and_a_carpet_of_contacts_are_told() {
    let arms = 3_000;
    let at = |i: usize| DVec3::new((i as f64).cos(), (i as f64).sin(), 0.0);
    let bodies =
        (0..=arms).map(|i| solid(if i == 0 { DVec3::ZERO } else { 2.0 * at(i) }, -DVec3::Z)).collect();
    let joint = |i: usize| ImpulseJoint { bodies: [0, i], point: at(i), kind: JointKind::Ball };
    let star = ImpulseProblem { bodies, contacts: vec![], joints: (1..=arms).map(joint).collect() };
    assert!(solved(&star).velocities.iter().all(|[v, w]| v.distance(-DVec3::Z) < 1e-9 && w.length() < 1e-9));
    let corner = |i: usize| DVec3::new((i % 16) as f64, (i / 16) as f64, 0.0);
    let contacts = (0..256).map(|i| contact([0, 1], corner(i), 0.0, Friction::Coefficient(0.0))).collect();
    let bodies = vec![floor(), solid(DVec3::new(7.5, 7.5, 1.0), -DVec3::Z)];
    let carpet = ImpulseProblem { bodies, contacts, joints: vec![] };
    let answer = solved(&carpet);
    assert!(answer.velocities[1][0].length() < 1e-9 && broken_laws(&carpet, &answer).is_empty());
    // Of least norm: all bear alike.
    assert!(
        answer.contacts.iter().all(|borne| (borne.impulse.z - 2.0 / 256.0).abs() < 1e-9),
        "{:?}",
        answer.contacts
    );
}
