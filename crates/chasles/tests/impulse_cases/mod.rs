//! Problems of impulses at random, and a twin that solves the paper's equations densely, in 77 digits.

pub(crate) mod real;
pub(crate) mod twin;

use chasles::{Friction, ImpulseBody, ImpulseContact, ImpulseJoint, ImpulseProblem, JointKind, RigidMass};
use chasles_testing::Random;
use glam::{DMat3, DVec3};

/// Trees of bodies, some with loops and joints twice said, that meet another body or a keyframed one at one place, or,
/// without friction, at up to four.
pub(crate) fn problem(seed: u64) -> ImpulseProblem {
    let random = &mut Random(seed);
    let range = [1.0, 1.0, 2.0][random.below(3)];
    let links = 1 + random.below(4);
    let mut bodies = Vec::new();
    for _ in 0..links {
        let mass = 10.0_f64.powf(range * random.side());
        bodies.push(dynamic(random, mass));
    }
    let last = if random.below(3) == 0 { keyframed(random) } else { dynamic(random, 1.0) };
    bodies.push(last);
    let mut joints = Vec::new();
    for link in 1..links {
        joints.push(joint(random, [random_below(seed, link), link], &bodies));
    }
    if links > 2 && random.below(3) == 0 {
        // A loop that can move: a ball.
        let bodies_of = [0, links - 1];
        joints.push(ImpulseJoint { kind: JointKind::Ball, ..joint(random, bodies_of, &bodies) });
    }
    if links > 1 && random.below(4) == 0 {
        joints.push(joints[0]);
    }
    // Velocities that fit the joints, more often than not: all go as one.
    if random.below(4) != 0 {
        let (linear, angular) = (random.vector(2.0), random.vector(2.0));
        for body in &mut bodies[..links] {
            body.linear = linear + angular.cross(body.center);
            body.angular = angular;
        }
    }
    let friction = [
        Friction::Coefficient(0.0),
        Friction::Coefficient(0.5 + 0.5 * random.side()),
        Friction::Coefficient(0.1),
        Friction::Rough,
    ][random.below(4)];
    let count = if friction == Friction::Coefficient(0.0) { 1 + random.below(4) } else { 1 };
    let elasticity = [0.0, 0.5 + 0.5 * random.side(), 1.0][random.below(3)];
    let contacts = (0..count)
        .map(|_| {
            let pair = [random.below(links), links];
            let [a, b] = pair.map(|body| bodies[body].center);
            let pair = if random.below(2) == 0 { pair } else { [pair[1], pair[0]] };
            let normal = random.direction() * (1.5 + random.side());
            ImpulseContact {
                bodies: pair,
                point: 0.5 * (a + b) + random.vector(0.5),
                normal,
                elasticity,
                friction,
            }
        })
        .collect();
    ImpulseProblem { bodies, contacts, joints }
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
