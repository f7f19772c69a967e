//! Impulses compared with a twin that solves the paper's equations densely in 77 digits, and with the laws of
//! mechanics.
//!
//! `CHASLES_LONG=1` solves 1,000,000 problems; `CHASLES_SEEDS=0..100000` in addition selects a part.

use crate::cases::seeds::{Counter, Wrong, for_each, seed_range};
use crate::response::impulse_cases::coulomb::looked_at;
use crate::response::impulse_cases::dead::least_hold;
use crate::response::impulse_cases::equations::{Vector, Velocities, rounded};
use crate::response::impulse_cases::random::problem;
use crate::response::impulse_cases::twin::{Truth, Untold, twin};
use chasles::{
    ContactState, Friction, ImpulseAnswer, ImpulseBody, ImpulseContact, ImpulseJoint, ImpulseOutcome,
    ImpulseProblem, JointKind, RigidMass, Unsolvable,
};
use glam::{DMat3, DVec3};

/// Relative accuracy of velocities, and of impulses, as a fraction of the maximum.
const EXACT: f64 = 1e-8;
const IMPULSE: f64 = 1e-6;

/// Joints that hold less firmly are close to a dead point, for which no accuracy is promised.
const DEAD: f64 = 1e-4;

/// Changes of velocity up to this fraction of the maximum count as zero.
const STILL: f64 = 1e-10;

#[test]
fn velocities_and_impulses_are_those_of_the_twin() {
    let [sticks, slides, idle, firm, open, impossible, dead] = [(); 7].map(|()| Counter::default());
    for_each(seed_range(300, 1_000_000), |seed| {
        let problem = problem(seed);
        let outcome = problem.solve().unwrap();
        let (answer, truth) = match (outcome, twin(&problem)) {
            (ImpulseOutcome::Solved(answer), Ok(truth)) => (answer, truth),
            (ImpulseOutcome::Unsolvable(_), Err(Untold::Impossible)) => {
                impossible.add();
                return vec![];
            }
            (ImpulseOutcome::Solved(answer), Err(Untold::NoStick)) => {
                open.add();
                let mut wrong = broken_laws(&problem, &answer);
                if !looked_at(&problem, &answer, speed(&problem)).is_some_and(|looked| looked.is_lawful) {
                    wrong.push(format!("not by Coulomb's law: {:?}", answer.contacts));
                }
                return wrong;
            }
            (ImpulseOutcome::Unsettled, Err(Untold::NoStick)) => {
                open.add();
                return vec![];
            }
            // Loops close to a dead point.
            (ImpulseOutcome::Unsettled, Ok(_)) if least_hold(&problem) < DEAD => {
                dead.add();
                return vec![];
            }
            (outcome, truth) => return vec![format!("{outcome:?}, twin {:?}", truth.map(|own| own.state))],
        };
        if problem.contacts.len() == 1 {
            sticks.add_if(truth.state == ContactState::Stick);
            slides.add_if(truth.state == ContactState::Slide);
            idle.add_if(truth.state == ContactState::None);
        }
        firm.add_if(truth.is_firm);
        let mut wrong = broken_laws(&problem, &answer);
        // Energy never grows, to the last digit of the twin.
        let taken = truth.joints.taken.double();
        if taken < -1e-40 * answer.energy.before.max(answer.energy.after).max(1e-3) {
            wrong.push(format!("{:?}, the twin takes {taken:e}", answer.energy));
        }
        let off = off_the_twin(&problem, &answer, &truth);
        let hold = if off.is_empty() { 1.0 } else { least_hold(&problem) };
        if hold < DEAD {
            dead.add();
        } else if !off.is_empty() {
            wrong.extend(off);
            wrong.push(format!("joints hold by {hold:e} at least"));
        }
        wrong
    });
    let [sticks, slides, idle, firm, open, impossible, dead] =
        [sticks, slides, idle, firm, open, impossible, dead].map(|own| own.get());
    println!("one contact: {sticks} stick, {slides} slide, {idle} idle; of all {firm} firm, {open} open");
    println!("{impossible} impossible, {dead} next to a dead point");
    let all = sticks + slides + idle;
    assert!(10 * sticks > all && 5 * slides > all && 10 * idle > all, "{sticks} {slides} {idle}");
    assert!(1_000 * dead <= all, "{dead}");
    assert!(3 * firm > 2 * all && 10 * open < all && 10 * impossible < all, "{firm} {open} {impossible}");
}

/// Regressions: links in a loop whose joints did not settle; contacts whose bodies joints hold in some directions,
/// where rounding errors acted as sliding directions or seemed to create energy; a sticking contact that was
/// classified as sliding.
#[test]
fn what_was_off_is_as_the_twin_has_it() {
    let seeds = [
        305_662, 60_018, 68_480, 75_304, 103_887, 115_995, 136_913, 222_240, 355_025, 368_458, 429_694,
        711_594, 882_249,
    ];
    for seed in seeds {
        let problem = problem(seed);
        let off = off_the_twin(&problem, &solved(&problem), &twin(&problem).unwrap());
        assert!(off.is_empty(), "seed {seed}: {off:?}");
    }
    // Joints and contacts leave no solution.
    assert!(matches!(problem(268_085).solve().unwrap(), ImpulseOutcome::Unsolvable(Unsolvable::Contact(0))));
}

/// The differences of an answer from the twin.
fn off_the_twin(problem: &ImpulseProblem, answer: &ImpulseAnswer, truth: &Truth) -> Wrong {
    let mut wrong = Wrong::new();
    let speed = speed(problem);
    let fast = speed.max(greatest_speed(&truth.velocities));
    // If impulses depend on rounding, so do velocities with friction or with different elasticities.
    let first = problem.contacts[0];
    let is_alike = |own: &ImpulseContact| own.elasticity == first.elasticity;
    let is_smooth = first.friction == Friction::Coefficient(0.0);
    if truth.is_firm || is_smooth && problem.contacts.iter().all(is_alike) {
        wrong.extend(velocities_off(answer, &truth.velocities, EXACT * fast));
    }
    // A contact that approaches only by rounding errors may be in either state.
    let is_still = truth.pushes < STILL * speed;
    if truth.is_firm && problem.contacts.len() == 1 && answer.contacts[0].state != truth.state && !is_still {
        wrong.push(format!("{:?}, twin {:?}", answer.contacts, truth.state));
    }
    if truth.is_firm {
        // Impulses that are small compared to all momenta are rounding errors.
        let masses = problem.bodies.iter().filter_map(|body| body.mass).map(|own| own.mass);
        wrong.extend(impulses_off(answer, truth, speed * masses.fold(0.0, f64::max)));
    }
    let taken = truth.joints.taken.double();
    if truth.is_firm
        && (taken - answer.energy.dissipated).abs()
            > EXACT * answer.energy.before.max(answer.energy.after).max(1e-3)
    {
        wrong.push(format!("{:?}, the twin takes {taken:e}", answer.energy));
    }
    wrong
}

/// The maximum speed in a problem, and at least 1.
fn speed(problem: &ImpulseProblem) -> f64 {
    let speeds = problem.bodies.iter().map(|body| body.linear.length() + body.angular.length());
    speeds.fold(1.0, f64::max)
}

fn greatest_speed(velocities: &Velocities) -> f64 {
    velocities.iter().flatten().map(|v| rounded(v).length()).fold(0.0, f64::max)
}

/// Bodies whose velocities differ by more than `most`.
fn velocities_off(answer: &ImpulseAnswer, truth: &Velocities, most: f64) -> Wrong {
    let off = |(exact, told): (&[Vector; 2], &[DVec3; 2])| {
        let apart = rounded(&exact[0]).distance(told[0]).max(rounded(&exact[1]).distance(told[1]));
        (apart.is_nan() || apart > most)
            .then(|| format!("{told:?}, twin {:?}", exact.each_ref().map(rounded)))
    };
    truth.iter().zip(&answer.velocities).filter_map(off).collect()
}

/// Impulses that differ by more than a fraction of the maximum; answers have minimum norm among impulses with the
/// same effect.
fn impulses_off(answer: &ImpulseAnswer, truth: &Truth, momentum: f64) -> Wrong {
    let contacts = truth.contacts.iter().map(rounded).zip(answer.contacts.iter().map(|own| own.impulse));
    let joints = truth.joints.impulses.iter().zip(&answer.joints).flat_map(|([impulse, moment], told)| {
        [(rounded(impulse), told.impulse), (rounded(moment), told.moment)]
    });
    let all: Vec<(DVec3, DVec3)> = contacts.chain(joints).collect();
    let size = all.iter().map(|(exact, _)| exact.length()).fold(momentum, f64::max);
    // A NaN counts as a difference.
    let is_off = |apart: f64| apart.is_nan() || apart > IMPULSE * size;
    let off = all.into_iter().filter(|(exact, told)| is_off(exact.distance(*told)));
    off.map(|(exact, told)| format!("impulse {told}, twin {exact}")).collect()
}

/// Violations of the laws of mechanics in an answer.
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
    // Reported dissipation is never below 0, so it is computed here as well.
    let energy = answer.energy;
    let most = 1e-10 * energy.before.max(energy.after).max(1e-3);
    let taken = taken(problem, answer);
    if taken < -most || energy.dissipated < 0.0 {
        wrong.push(format!("energy is made: {energy:?}, {taken} is taken"));
    }
    wrong
}

/// The energy that contacts and joints dissipate: their impulses times the means of the velocities before and after.
fn taken(problem: &ImpulseProblem, answer: &ImpulseAnswer) -> f64 {
    let mean = |body: usize, point: DVec3| {
        let (own, [linear, angular]) = (&problem.bodies[body], answer.velocities[body]);
        let (linear, angular) = (0.5 * (own.linear + linear), 0.5 * (own.angular + angular));
        [linear + angular.cross(point - own.center), angular]
    };
    let of = |bodies: [usize; 2], point: DVec3, impulse: DVec3, moment: DVec3| {
        let [a, b] = bodies.map(|body| mean(body, point));
        -impulse.dot(b[0] - a[0]) - moment.dot(b[1] - a[1])
    };
    let contacts = problem.contacts.iter().zip(&answer.contacts);
    let contacts = contacts.map(|(own, borne)| of(own.bodies, own.point, borne.impulse, DVec3::ZERO));
    let joints = problem.joints.iter().zip(&answer.joints);
    let joints = joints.map(|(own, borne)| of(own.bodies, own.point, borne.impulse, borne.moment));
    contacts.chain(joints).sum()
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
fn a_box_that_lands_flat_has_equal_impulses_at_all_corners() {
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

/// Friction opposes the slip at every corner, so the box does not rotate about the vertical.
#[test]
fn a_sliding_box_does_not_rotate_about_the_vertical() {
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
fn several_contacts_with_friction_obey_the_laws() {
    let (told, slides, twice, unsettled) =
        (Counter::default(), Counter::default(), Counter::default(), Counter::default());
    for_each(seed_range(200, 100_000), |seed| {
        let mut problem = problem(seed);
        let random = &mut chasles_testing::Random(!seed);
        let last = problem.bodies.len() - 1;
        let is_elastic = random.one_in(3);
        problem.contacts = (0..2 + random.below(4))
            .map(|_| {
                let body = random.below(last);
                let friction = [Friction::Coefficient(random.unit()), Friction::Rough][random.below(2)];
                let point =
                    0.5 * (problem.bodies[body].center + problem.bodies[last].center) + random.vector(0.5);
                let elasticity = if is_elastic { random.unit() } else { 0.0 };
                ImpulseContact {
                    normal: random.direction(),
                    ..contact([body, last], point, elasticity, friction)
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
        let speed = speed(&problem);
        let Some(looked) = looked_at(&problem, &answer, speed) else {
            return vec!["joints cannot do this".into()];
        };
        let fast = speed.max(greatest_speed(&looked.velocities));
        wrong.extend(velocities_off(&answer, &looked.velocities, EXACT * fast));
        let size = answer.energy.before.max(answer.energy.after).max(1e-3);
        let taken = looked.taken.double();
        if taken < -1e-10 * size || (taken - answer.energy.dissipated).abs() > EXACT * size {
            wrong.push(format!("{:?}, the twin takes {taken:e}", answer.energy));
        }
        // For contacts that were compressed twice the two impulses are not reported.
        twice.add_if(is_elastic && !looked.is_lawful);
        if !is_elastic && !looked.is_lawful {
            wrong.push(format!("not by Coulomb's law: {:?}", answer.contacts));
        }
        for contact in &problem.contacts {
            let velocity = |body: usize| {
                let [linear, angular] = answer.velocities[body];
                linear + angular.cross(contact.point - problem.bodies[body].center)
            };
            let relative = velocity(contact.bodies[1]) - velocity(contact.bodies[0]);
            let across = relative.dot(contact.normal);
            let is_moved = contact.bodies.into_iter().any(|body| problem.bodies[body].mass.is_some());
            if is_moved && across < -1e-8 * fast {
                wrong.push(format!("approaches at {across}: {contact:?}"));
            }
        }
        wrong
    });
    println!("{told:?} told, {slides:?} slide, {twice:?} twice, {unsettled:?} unsettled");
    let [told, slides, twice, unsettled] = [told, slides, twice, unsettled].map(|own| own.get());
    assert!(8 * slides > told && 6 * unsettled < told && 5 * twice < told);
}

/// A body on a vertical rail lands on a belt that moves sideways: it cannot stick, and the belt still exerts friction
/// on it.
#[test]
fn friction_opposes_the_slip_if_a_contact_cannot_stick() {
    let belt = ImpulseBody { linear: DVec3::new(3.0, 4.0, 0.0), ..floor() };
    let bodies = vec![belt, solid(DVec3::Z, -3.0 * DVec3::Z), floor()];
    let rail = ImpulseJoint { bodies: [2, 1], point: DVec3::Z, kind: JointKind::Piston { axis: DVec3::Z } };
    let asked = |friction| {
        let contacts = vec![contact([0, 1], DVec3::ZERO, 0.5, friction)];
        ImpulseProblem { bodies: bodies.clone(), contacts, joints: vec![rail] }
    };
    let answer = solved(&asked(Friction::Coefficient(0.2)));
    assert!(answer.velocities[1][0].distance(1.5 * DVec3::Z) < 1e-12);
    let borne = answer.contacts[0];
    assert!(borne.impulse.distance(9.0 * DVec3::new(0.2 * 0.6, 0.2 * 0.8, 1.0)) < 1e-9, "{borne:?}");
    assert_eq!(borne.state, ContactState::Slide);
    // A rough contact cannot slide, but here it would have to.
    assert_eq!(asked(Friction::Rough).solve().unwrap(), ImpulseOutcome::Unsettled);
}

#[test]
fn unsolvable_problems_are_reported() {
    // A body between two keyframed ones that approach each other.
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
    // Invalid input is refused, with its place.
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
    // Numbers at the end of their range do not produce NaN.
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

/// A chain of links takes a time proportional to their number, and holds.
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

/// Masses from 1e-9 to 1e9 side by side: the existence of solutions does not depend on masses, so rounding never
/// makes a problem unsolvable, and answers obey the laws.
#[test]
fn very_different_masses_make_no_problem_unsolvable() {
    let (told, open) = (Counter::default(), Counter::default());
    for_each(seed_range(200, 100_000), |seed| {
        let mut problem = problem(seed);
        let random = &mut chasles_testing::Random(!seed);
        for mass in problem.bodies.iter_mut().filter_map(|body| body.mass.as_mut()) {
            let factor = 10.0_f64.powf(9.0 * random.side()) / mass.mass;
            *mass = RigidMass { mass: factor * mass.mass, inertia: factor * mass.inertia };
        }
        match problem.solve().unwrap() {
            ImpulseOutcome::Unsolvable(_) if !matches!(twin(&problem), Err(Untold::Impossible)) => {
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
    assert!(told.get() > 80, "{told:?} {open:?}");
    // A feather that is fixed to a rock lands on the floor: its own mass has no influence.
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

/// Many joints on one body, and the maximum number of contacts.
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
    // With minimum norm all contacts bear the same.
    assert!(
        answer.contacts.iter().all(|borne| (borne.impulse.z - 2.0 / 256.0).abs() < 1e-9),
        "{:?}",
        answer.contacts
    );
}
