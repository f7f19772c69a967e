//! Random heaps in bins: boxes, rocks, hulls, rings, L-shapes, cylinders, cones, coins, chains, and mixtures of them.

use std::f64::consts::TAU;
use std::sync::Arc;

use chasles::glam::{DMat3, DVec3};
use chasles::{
    CollisionShape, Dynamics, Friction, JointKind, Mesh, Pose, PreparedMesh, Primitive, SimulatedJoint,
    Simulation, SimulationDefinition, StepResult,
};
use chasles_testing::meshes::torus;
use chasles_testing::{Random, cases};

use crate::response::setup::{Setup, block};

/// The kinds of bodies in a heap.
const KINDS: [&str; 9] = ["box", "rock", "hull", "ring", "L-shape", "can", "cone", "coin", "chain"];

/// The distance between the places of bodies above the bin, in metres: more than the diameter of any body.
const SPACING: f64 = 0.26;

/// The corners of a regular icosahedron on the unit sphere, and its faces, oriented outward.
fn icosahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (height, radius) = (5f64.sqrt().recip(), 2.0 * 5f64.sqrt().recip());
    let around = |i: u32, z: f64, start: f64| {
        let (sin, cos) = (TAU * (f64::from(i) / 5.0 + start)).sin_cos();
        DVec3::new(radius * cos, radius * sin, z)
    };
    let mut vertices = vec![DVec3::Z, DVec3::NEG_Z];
    (0..5).for_each(|i| vertices.extend([around(i, height, 0.0), around(i, -height, 0.1)]));
    let (upper, lower) = (|i: u32| 2 + 2 * (i % 5), |i: u32| 3 + 2 * (i % 5));
    let own = |i: u32| {
        [
            [0, upper(i), upper(i + 1)],
            [upper(i), lower(i), upper(i + 1)],
            [upper(i + 1), lower(i), lower(i + 1)],
            [1, lower(i + 1), lower(i)],
        ]
    };
    (vertices, (0..5).flat_map(own).collect())
}

/// A prism over an L of unit size, about the origin.
fn l_shape() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let outline = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.4), (0.4, 0.4), (0.4, 1.0), (0.0, 1.0)];
    let at = |z: f64| outline.map(|(x, y)| DVec3::new(x - 0.35, y - 0.35, z));
    let vertices = [at(-0.25), at(0.25)].concat();
    let top = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut faces: Vec<[u32; 3]> = top.iter().map(|[a, b, c]| [a + 6, b + 6, c + 6]).collect();
    faces.extend(top.map(|[a, b, c]| [a, c, b]));
    for i in 0..6 {
        let next = (i + 1) % 6;
        faces.extend([[i, next, next + 6], [i, next + 6, i + 6]]);
    }
    (vertices, faces)
}

/// A heap that falls into a bin.
pub(crate) struct Heap {
    setup: Setup,
    random: Random,
}

impl Heap {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let (elasticity, friction) = ([0.0, 0.0, 0.3, 0.8][random.below(4)], random.within(0.0, 1.0));
        let mut heap = Self { setup: Setup::new(0.5, 9.81), random };
        let wall = |size: DVec3, at: DVec3| (size, Pose::from_position(at).unwrap());
        let walls = [
            wall(DVec3::new(2.0, 2.0, 0.2), -0.1 * DVec3::Z),
            wall(DVec3::new(0.1, 1.2, 2.0), DVec3::new(0.5, 0.0, 1.0)),
            wall(DVec3::new(0.1, 1.2, 2.0), DVec3::new(-0.5, 0.0, 1.0)),
            wall(DVec3::new(1.2, 0.1, 2.0), DVec3::new(0.0, 0.6, 1.0)),
            wall(DVec3::new(1.2, 0.1, 2.0), DVec3::new(0.0, -0.6, 1.0)),
        ];
        for (size, pose) in walls {
            heap.setup.body("wall", Primitive::Box { size }, pose, None);
        }
        heap.add_bodies();
        for own in &mut heap.setup.own {
            (own.elasticity, own.friction) = (elasticity, Friction::Coefficient(friction));
        }
        heap
    }

    /// Two to forty bodies of one kind or of all kinds, in layers just above the floor.
    fn add_bodies(&mut self) {
        let count = 2 + self.random.below(39);
        let kind = self.random.below(KINDS.len() + 4);
        let ratio = self.random.within(0.0, 4.0);
        for i in 0..count {
            let number =
                |divisor: usize, across: usize| f64::from(u8::try_from(i / divisor % across).unwrap());
            let jitter = self.random.vector(0.01);
            let grid = DVec3::new(number(1, 3) - 1.0, number(3, 3) - 1.0, number(9, 9) + 0.6);
            let own = if kind < KINDS.len() { kind } else { self.random.below(KINDS.len()) };
            let mass = 10f64.powf(self.random.within(-0.5, 0.5) * ratio);
            self.add_body(KINDS[own], SPACING * grid + jitter, mass);
        }
    }

    fn add_body(&mut self, kind: &str, at: DVec3, mass: f64) {
        let random = &mut self.random;
        let r = random.within(0.05, 0.1);
        let mut sizes = || DVec3::new(1.0, random.within(0.4, 1.0), random.within(0.3, 1.0));
        let mut size = 1.2 * r * sizes();
        let stretch = r * sizes();
        let primitive = match kind {
            "can" => Primitive::Cylinder { radius: 0.5 * r, height: r * random.within(0.5, 2.0) },
            "cone" => Primitive::Cone { radius: 0.7 * r, height: r * random.within(0.5, 1.5) },
            "coin" => Primitive::Cylinder { radius: r, height: 0.1 * r },
            _ => Primitive::Box { size },
        };
        let mesh = match kind {
            "rock" => {
                let (mut vertices, faces) = icosahedron();
                vertices.iter_mut().for_each(|own| *own *= stretch * random.within(0.7, 1.1));
                Some((vertices, faces))
            }
            "hull" => {
                let (mut vertices, faces) = icosahedron();
                vertices.iter_mut().for_each(|own| *own *= stretch);
                Some((vertices, faces))
            }
            "ring" => Some(torus(0.75 * r, 0.25 * r, (10, 5))),
            "L-shape" => {
                let (mut vertices, faces) = l_shape();
                vertices.iter_mut().for_each(|own| *own *= 1.4 * r);
                Some((vertices, faces))
            }
            _ => None,
        };
        if mesh.is_some() || kind == "coin" {
            size = r * DVec3::new(1.5, 1.5, 0.8);
        }
        let moving = |dynamics: Dynamics, random: &mut Random| Dynamics {
            linear: random.vector(1.0) - random.within(0.0, 3.0) * DVec3::Z,
            angular: random.vector(10.0),
            ..dynamics
        };
        let turn = random.even_rotation();
        if kind == "chain" {
            self.add_chain(at, mass, r);
            return;
        }
        let dynamics = moving(block(mass, size), random);
        let own = self.setup.body(kind, primitive, Pose::new(at, turn).unwrap(), Some(dynamics));
        if let Some((vertices, faces)) = mesh {
            let mesh = Mesh::new(vertices, faces).unwrap();
            self.setup.bodies[own].shape = Some(CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh))));
        }
    }

    /// Three capsules in a row, joined by ball joints.
    fn add_chain(&mut self, at: DVec3, mass: f64, r: f64) {
        let (radius, height) = (0.15 * r, 0.35 * r);
        let apart = height + 2.2 * radius;
        let inertia = DMat3::from_diagonal(DVec3::new(0.1, 0.1, 0.02) * mass * r * r);
        let dynamics = Dynamics { inertia, ..block(mass, DVec3::splat(r)) };
        let place = |i: u32| at + (f64::from(i) - 1.0) * apart * DVec3::Z;
        let links = [0, 1, 2].map(|i| {
            let pose = Pose::from_position(place(i)).unwrap();
            self.setup.body("link", Primitive::Capsule { radius, height }, pose, Some(dynamics))
        });
        for (i, pair) in links.windows(2).enumerate() {
            let point = place(u32::try_from(i).unwrap()) + 0.5 * apart * DVec3::Z;
            self.setup.joints.push(SimulatedJoint {
                bodies: [pair[0], pair[1]],
                point,
                kind: JointKind::Ball,
            });
        }
    }

    pub(crate) fn definition(mut self) -> SimulationDefinition {
        let step = [1e-3, 2e-3, 5e-3, 1.0 / 60.0][self.random.below(4)];
        let depth = [1e-4, 1e-3][self.random.below(2)];
        SimulationDefinition { step, record: 0.05, depth, ..self.setup.definition() }
    }
}

/// A heap runs to its end within its depth, and gains no energy.
#[test]
fn random_heaps_run_to_their_end() {
    let mut forced = 0;
    for seed in 0..cases(6, 2_000) {
        let definition = Heap::new(seed).definition();
        let (depth, mut sums) = (definition.depth, Vec::new());
        let mut simulation = Simulation::new(definition, true).unwrap();
        loop {
            match simulation.advance(&()).unwrap() {
                StepResult::Moments(more) => {
                    let energies = more.iter().map(|own| own.energy);
                    sums.extend(energies.map(|own| own.kinetic + own.potential + own.dissipated));
                }
                StepResult::Finished => break,
                other => panic!("seed {seed}: {other:?}"),
            }
        }
        let summary = simulation.summary();
        assert!(summary.deepest.unwrap() <= depth, "seed {seed}");
        let (first, last) = (sums[0], sums[sums.len() - 1]);
        let scale = first.abs();
        assert!(summary.losses.forced <= 1e-3 * scale, "seed {seed}: {:?}", summary.forced);
        // Friction returns only what it took.
        assert!(summary.losses.friction >= -1e-3 * scale, "seed {seed}: {:?}", summary.losses);
        forced += u64::from(!summary.forced.is_empty());
        assert!(last <= first + 0.01 * scale, "seed {seed}: {first} J to {last} J");
    }
    let most = cases(6, 2_000) / 1000;
    assert!(forced <= most, "{forced} heaps had forced stops, expected at most {most}");
}
