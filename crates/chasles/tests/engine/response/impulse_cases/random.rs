//! Random impulse problems.

use chasles::{Friction, ImpulseBody, ImpulseContact, ImpulseJoint, ImpulseProblem, JointKind, RigidMass};
use chasles_testing::Random;
use glam::{DMat3, DVec3};

/// Trees of bodies, some on a keyframed body, some with loops and duplicate joints, that hit another body, a
/// keyframed body or each other at one point, or, without friction, at up to four.
pub(crate) fn problem(seed: u64) -> ImpulseProblem {
    let random = &mut Random(seed);
    let range = [1.0, 1.0, 2.0][random.below(3)];
    let links = 1 + random.below(4);
    let mut bodies = Vec::new();
    for link in 0..links {
        let mass = 10.0_f64.powf(range * random.side());
        let hangs = link == 0 && links > 1 && random.one_in(6);
        bodies.push(if hangs { keyframed(random) } else { dynamic(random, mass) });
    }
    let last = if random.below(3) == 0 { keyframed(random) } else { dynamic(random, 1.0) };
    bodies.push(last);
    let mut joints = Vec::new();
    for link in 1..links {
        joints.push(joint(random, [random_below(seed, link), link], &bodies));
    }
    if links > 2 && random.below(3) == 0 {
        // A loop that can usually move: with a ball joint.
        let any = joint(random, [0, links - 1], &bodies);
        joints.push(if random.one_in(3) { any } else { ImpulseJoint { kind: JointKind::Ball, ..any } });
    }
    if links > 1 && random.below(4) == 0 {
        joints.push(joints[0]);
    }
    // Usually velocities that fit the joints: all bodies move as one.
    if random.below(4) != 0 {
        let (linear, angular) = (random.vector(2.0), random.vector(2.0));
        for body in &mut bodies[..links] {
            body.linear = linear + angular.cross(body.center);
            body.angular = angular;
        }
    }
    let contacts = contacts(random, links, &bodies);
    ImpulseProblem { bodies, contacts, joints }
}

fn contacts(random: &mut Random, links: usize, bodies: &[ImpulseBody]) -> Vec<ImpulseContact> {
    let friction = [
        Friction::Coefficient(0.0),
        Friction::Coefficient(0.5 + 0.5 * random.side()),
        Friction::Coefficient(0.1),
        Friction::Rough,
    ][random.below(4)];
    let is_smooth = friction == Friction::Coefficient(0.0);
    let count = if is_smooth { 1 + random.below(4) } else { 1 };
    let elasticity = |random: &mut Random| [0.0, 0.5 + 0.5 * random.side(), 1.0][random.below(3)];
    let (common, is_common) = (elasticity(random), random.one_in(2));
    let one = |random: &mut Random| {
        let other = if links > 1 && random.one_in(6) { random.below(links) } else { links };
        let first = random.below(if other == links { links } else { links - 1 });
        // A link different from `other`.
        let first = if other == links { first } else { (other + 1 + first) % links };
        let [a, b] = [first, other].map(|body| bodies[body].center);
        let pair = if random.below(2) == 0 { [first, other] } else { [other, first] };
        let normal = random.direction() * (1.5 + random.side());
        let elasticity = if is_common { common } else { elasticity(random) };
        let point = 0.5 * (a + b) + random.vector(0.5);
        ImpulseContact { bodies: pair, point, normal, elasticity, friction }
    };
    let mut contacts: Vec<ImpulseContact> = (0..count).map(|_| one(random)).collect();
    match random.below(6) {
        // The same contact twice: the distribution of the impulse is not unique.
        0 if count > 1 => {
            let elasticity = contacts[1].elasticity;
            contacts[1] = ImpulseContact { elasticity, normal: 2.0 * contacts[0].normal, ..contacts[0] };
        }
        // The corners of a face: four in a plane, to the last bit.
        1 if count == 4 => {
            let first = contacts[0];
            let axis = random.below(3);
            let turn = |v: [f64; 3]| DVec3::from_array([0, 1, 2].map(|k| v[(k + axis) % 3]));
            let middle = DVec3::from_array([(); 3].map(|()| random.dyadic(0.5)));
            let corners = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)];
            for (contact, (x, y)) in contacts.iter_mut().zip(corners) {
                let (normal, point) = (turn([0.0, 0.0, 1.0]), middle + turn([x, y, 0.0]));
                *contact = ImpulseContact { normal, point, elasticity: contact.elasticity, ..first };
            }
        }
        _ => {}
    }
    contacts
}

fn random_below(seed: u64, n: usize) -> usize {
    Random(seed ^ (n as u64) << 32).below(n)
}

fn dynamic(random: &mut Random, mass: f64) -> ImpulseBody {
    let moments = DVec3::new(random.unit(), random.unit(), random.unit()) + DVec3::splat(0.3);
    let turn = DMat3::from_quat(random.quaternion());
    let full = turn * DMat3::from_diagonal(0.2 * mass * moments) * turn.transpose();
    // Symmetric to the last bit.
    let inertia = 0.5 * (full + full.transpose());
    let mass = Some(RigidMass { mass, inertia });
    ImpulseBody { mass, center: random.vector(1.0), linear: random.vector(2.0), angular: random.vector(2.0) }
}

fn keyframed(random: &mut Random) -> ImpulseBody {
    let moves = if random.below(2) == 0 { 1.0 } else { 0.0 };
    let (linear, angular) = (random.vector(moves), random.vector(moves));
    ImpulseBody { mass: None, center: random.vector(1.0), linear, angular }
}

fn joint(random: &mut Random, bodies: [usize; 2], all: &[ImpulseBody]) -> ImpulseJoint {
    let axis = random.direction() * (1.5 + random.side());
    let kind = [
        JointKind::Ball,
        JointKind::Ball,
        JointKind::Hinge { axis },
        JointKind::Slide { axis },
        JointKind::Piston { axis },
        JointKind::Plane { axis },
        JointKind::Fixed,
    ][random.below(7)];
    let [a, b] = bodies.map(|body| all[body].center);
    ImpulseJoint { bodies, point: 0.5 * (a + b) + random.vector(0.3), kind }
}
