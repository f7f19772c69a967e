//! Memory that is kept from one impulse problem to the next: it allocates nothing once it has grown, and carries no
//! state from one answer to another.

use crate::response::impulse_cases::random::problem;
use chasles::{
    Friction, ImpulseBody, ImpulseContact, ImpulseJoint, ImpulseOutcome, ImpulseProblem, ImpulseWorkspace,
    JointKind, RigidMass, Unsolvable,
};
use chasles_testing::Random;
use glam::{DMat3, DVec3};

/// Problems of all kinds in one workspace, in any order, compared with a fresh workspace for each.
#[test]
fn a_used_workspace_changes_no_bit() {
    let workspace = &mut ImpulseWorkspace::default();
    let (mut solved, mut others) = (0, 0);
    for seed in 0..600 {
        let mut asked = problem(seed);
        match Random(seed).below(8) {
            // A NaN is refused, and leaves no state behind.
            0 => asked.bodies[0].linear.x = f64::NAN,
            1 => asked = tree(1 + Random(!seed).below(40)),
            2 => asked = ring(3 + Random(!seed).below(40)),
            3 => asked = [crushed(), torn()][Random(!seed).below(2)].clone(),
            _ => {}
        }
        let told = asked.solve_with(workspace);
        match asked.solve() {
            Ok(alone) => {
                let told = told.unwrap();
                match &alone {
                    ImpulseOutcome::Solved(_) => solved += 1,
                    ImpulseOutcome::Unsolvable(_) | ImpulseOutcome::Unsettled => others += 1,
                }
                // Debug text shows every bit of a number except for the bits of NaN, and distinguishes -0 from 0.
                assert_eq!(format!("{told:?}"), format!("{alone:?}"), "seed {seed}");
            }
            Err(alone) => assert_eq!(told.unwrap_err().to_string(), alone.to_string(), "seed {seed}"),
        }
    }
    assert!(solved > 350 && others > 10, "{solved} {others}");
}

#[test]
fn a_used_workspace_allocates_nothing() {
    let rough = |elasticity| (Friction::Rough, elasticity);
    let rubbing = |elasticity| (Friction::Coefficient(0.3), elasticity);
    let smooth = (Friction::Coefficient(0.0), 0.5);
    let mut cases: Vec<(String, ImpulseProblem)> = Vec::new();
    for surface in [smooth, rubbing(0.5), rubbing(0.0), rough(1.0)] {
        cases.push((format!("two bodies, {surface:?}"), two(surface)));
        cases.push((format!("three places, {surface:?}"), stool(surface)));
    }
    for links in [1, 2, 30, 500] {
        cases.push((format!("tree of {links}"), tree(links)));
    }
    for links in [3, 30, 300] {
        cases.push((format!("ring of {links}"), ring(links)));
    }
    cases.push(("torn".into(), torn()));
    for seed in 0..100 {
        let asked = problem(seed);
        if asked.contacts.iter().all(|contact| contact.friction != Friction::Coefficient(0.0)) {
            cases.push((format!("seed {seed}"), asked));
        }
    }
    assert!(cases.len() > 50, "{}", cases.len());
    let workspace = &mut ImpulseWorkspace::default();
    for (name, asked) in &cases {
        let first = asked.solve_with(workspace).unwrap().clone();
        asked.solve_with(workspace).unwrap();
        let mut is_same = false;
        let counted = allocation_counter::measure(|| {
            is_same = asked.solve_with(workspace).is_ok_and(|told| *told == first);
        });
        assert!(is_same, "{name}");
        assert_eq!(counted.count_total, 0, "{name}: {counted:?}");
    }
    // Memory that has grown to the largest problem suffices for all.
    for (name, asked) in &cases {
        let mut is_told = false;
        let counted = allocation_counter::measure(|| is_told = asked.solve_with(workspace).is_ok());
        assert!(is_told && counted.count_total == 0, "{name} again: {counted:?}");
    }
}

fn solid(center: DVec3, linear: DVec3) -> ImpulseBody {
    let inertia = DMat3::from_diagonal(DVec3::new(0.4, 0.5, 0.6));
    ImpulseBody { mass: Some(RigidMass { mass: 2.0, inertia }), center, linear, angular: DVec3::ZERO }
}

fn floor() -> ImpulseBody {
    ImpulseBody { mass: None, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO }
}

fn contact(bodies: [usize; 2], point: DVec3, (friction, elasticity): (Friction, f64)) -> ImpulseContact {
    ImpulseContact { bodies, point, normal: DVec3::Z, elasticity, friction }
}

fn two(surface: (Friction, f64)) -> ImpulseProblem {
    let bodies = vec![solid(-DVec3::Z, DVec3::ZERO), solid(DVec3::Z, DVec3::new(1.0, 0.5, -3.0))];
    ImpulseProblem {
        bodies,
        contacts: vec![contact([0, 1], DVec3::new(0.2, 0.1, 0.0), surface)],
        joints: vec![],
    }
}

/// A body that lands on three feet.
fn stool(surface: (Friction, f64)) -> ImpulseProblem {
    let bodies = vec![floor(), solid(0.3 * DVec3::Z, DVec3::new(0.0, 0.0, -3.0))];
    let feet = [(1.0, 0.0), (0.0, 1.0), (-1.0, -1.0)];
    let contacts = feet.map(|(x, y)| contact([0, 1], DVec3::new(x, y, 0.0), surface)).to_vec();
    ImpulseProblem { bodies, contacts, joints: vec![] }
}

/// Links on a floor, each on an earlier link, with all kinds of joints, two of which touch the floor.
fn tree(links: usize) -> ImpulseProblem {
    let random = &mut Random(links as u64);
    let mut bodies = vec![floor()];
    let mut joints = Vec::new();
    for link in 1..=links {
        let carrier = random.below(link);
        let center = bodies[carrier].center + random.direction();
        bodies.push(solid(center, random.vector(1.0)));
        let axis = random.direction();
        let kind = [
            JointKind::Ball,
            JointKind::Hinge { axis },
            JointKind::Slide { axis },
            JointKind::Piston { axis },
            JointKind::Plane { axis },
            JointKind::Fixed,
        ][random.below(6)];
        if carrier > 0 || random.one_in(2) {
            joints.push(ImpulseJoint { bodies: [carrier, link], point: center + random.vector(0.3), kind });
        }
    }
    let mut contacts = Vec::new();
    for _ in 0..2 {
        let body = 1 + random.below(links);
        let point = bodies[body].center + random.vector(0.2);
        contacts.push(contact([0, body], point, (Friction::Coefficient(0.4), 0.3)));
    }
    ImpulseProblem { bodies, contacts, joints }
}

/// Links in a ring, with one duplicate joint, that land on the floor.
fn ring(links: usize) -> ImpulseProblem {
    let at = |i: usize| 0.3 * links as f64 * DVec3::from(turned(i as f64 / links as f64));
    let mut bodies: Vec<ImpulseBody> = (0..links).map(|i| solid(at(i), -DVec3::Z)).collect();
    bodies.push(floor());
    let joint = |i: usize| {
        let other = (i + 1) % links;
        ImpulseJoint { bodies: [i, other], point: 0.5 * (at(i) + at(other)), kind: JointKind::Ball }
    };
    let mut joints: Vec<ImpulseJoint> = (0..links).map(joint).collect();
    joints.push(joints[0]);
    let contacts = vec![contact([links, 1], at(1) - 0.2 * DVec3::Z, (Friction::Coefficient(0.5), 0.5))];
    ImpulseProblem { bodies, contacts, joints }
}

fn turned(share: f64) -> [f64; 3] {
    let (sin, cos) = (std::f64::consts::TAU * share).sin_cos();
    [cos, sin, 0.0]
}

/// A body between two keyframed ones that approach each other.
fn crushed() -> ImpulseProblem {
    let bodies =
        vec![ImpulseBody { linear: DVec3::Z, ..floor() }, solid(0.5 * DVec3::Z, DVec3::ZERO), floor()];
    let surface = (Friction::Coefficient(0.3), 0.0);
    let contacts = vec![contact([0, 1], DVec3::ZERO, surface), contact([1, 2], DVec3::Z, surface)];
    let problem = ImpulseProblem { bodies, contacts, joints: vec![] };
    let told = problem.solve().unwrap();
    assert!(matches!(told, ImpulseOutcome::Unsolvable(Unsolvable::Contact(_))), "{told:?}");
    problem
}

/// A body that is fixed to both.
fn torn() -> ImpulseProblem {
    let fixed = |bodies| ImpulseJoint { bodies, point: DVec3::ZERO, kind: JointKind::Fixed };
    let joints = vec![fixed([0, 1]), fixed([1, 2])];
    let problem = ImpulseProblem { contacts: vec![], joints, ..crushed() };
    let told = problem.solve().unwrap();
    assert!(matches!(told, ImpulseOutcome::Unsolvable(Unsolvable::Joint(_))), "{told:?}");
    problem
}
