//! Seeded random and adversarial pairs of meshes with motions.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a generator")]

pub mod extremes;
pub mod seeds;

use chasles::{Mesh, Pose, PreparedMesh, Screw};
use chasles_testing::Random;
pub use chasles_testing::meshes::{box_of, torus};
use glam::{DQuat, DVec3};

/// Vertices and triangles, before they become a mesh.
pub type Raw = (Vec<DVec3>, Vec<[u32; 3]>);

/// An L-shaped extrusion.
pub fn l_shape(width: f64, depth: f64) -> Raw {
    let outline = [(0.0, 0.0), (1.0, 0.0), (1.0, width), (width, width), (width, 1.0), (0.0, 1.0)];
    extruded(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], depth)
}

fn extruded(outline: &[(f64, f64)], caps: &[[u32; 3]], depth: f64) -> Raw {
    let n = outline.len() as u32;
    let at = |z: f64| outline.iter().map(move |(x, y)| DVec3::new(*x - 0.5, *y - 0.5, z));
    let vertices = at(-0.5 * depth).chain(at(0.5 * depth)).collect();
    let mut faces: Vec<_> = caps.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    faces.extend(caps.iter().map(|t| t.map(|v| v + n)));
    for i in 0..n {
        let j = (i + 1) % n;
        faces.push([i, j, j + n]);
        faces.push([i, j + n, i + n]);
    }
    (vertices, faces)
}

pub fn octahedron(stretch: DVec3) -> Raw {
    let vertices = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
    let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    (vertices.map(|v| v * stretch).to_vec(), faces.to_vec())
}

fn soup(random: &mut Random) -> Raw {
    let count = 3 + random.below(8) as u32;
    let vertices = (0..3 * count).map(|_| random.vector(0.7)).collect();
    (vertices, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
}

/// A shape of a random kind, of diameter about one.
pub fn shape(random: &mut Random) -> Raw {
    match random.below(11) {
        0 => box_of(DVec3::ONE),
        1 => box_of(DVec3::new(random.within(0.2, 1.5), random.within(0.2, 1.5), random.within(0.2, 1.5))),
        2 => l_shape(random.within(0.2, 0.5), random.within(0.2, 1.0)),
        3 => torus(0.6, 0.2, (7, 5)),
        4 => octahedron(DVec3::new(1.0, random.within(1e-6, 1.0), random.within(1e-6, 1.0))),
        // A needle, a plate, a nearly parallel box.
        5 => octahedron(DVec3::new(1.0, 1e-5, 1e-5)),
        6 => box_of(DVec3::new(1.5, 1.5, random.within(0.0, 1.0).powi(6))),
        7 => soup(random),
        8 => {
            // With duplicate and degenerate triangles, a needle of three points in line and a lone vertex.
            let (mut vertices, mut faces) = box_of(DVec3::ONE);
            let n = vertices.len() as u32;
            vertices.extend([
                DVec3::ZERO,
                DVec3::new(0.0, 0.0, 0.9),
                DVec3::new(0.0, 0.0, 0.8),
                DVec3::splat(9.0),
            ]);
            faces.extend([[0, 2, 3], [4, 4, 4], [1, 1, 3], [n, n + 1, n + 2]]);
            (vertices, faces)
        }
        // Open: a square and a single triangle.
        9 => (box_of(DVec3::ONE).0, vec![[0, 2, 3], [0, 3, 1]]),
        _ => (vec![random.vector(0.7), random.vector(0.7), random.vector(0.7)], vec![[0, 1, 2]]),
    }
}

/// A pair with a motion.
#[derive(Debug, Clone)]
pub struct Case {
    pub a: Raw,
    pub b: Raw,
    pub screw: Screw,
}

impl Case {
    pub fn bodies(&self) -> (PreparedMesh, PreparedMesh) {
        let body = |raw: &Raw| PreparedMesh::new(Mesh::new(raw.0.clone(), raw.1.clone()).unwrap());
        (body(&self.a), body(&self.b))
    }

    /// The larger diagonal.
    pub fn size(&self) -> f64 {
        let (a, b) = self.bodies();
        a.mesh().diagonal().max(b.mesh().diagonal())
    }
}

/// A random case; ties, half turns, tiny angles, far axes and touching starts are common.
pub fn case(random: &mut Random) -> Case {
    let (a, b) = (shape(random), shape(random));
    let screw = match random.below(9) {
        // Past each other, in general position.
        0..=2 => {
            let (from, to) = (2.0 * random.direction(), 2.0 * random.direction());
            let miss = random.vector(0.6);
            Screw::between(pose(from + miss, random.rotation()), pose(to + miss, random.rotation()))
        }
        // Aligned: faces on faces, edges on edges, round times.
        3 => {
            let from = random.dyadic_vector(2.0);
            Screw::between(pose(from, DQuat::IDENTITY), pose(random.dyadic_vector(2.0), DQuat::IDENTITY))
        }
        // Quarter, half and three-quarter turns about the axes of the boxes.
        4 => {
            let axis = [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)];
            let start = pose(random.dyadic_vector(2.0), DQuat::IDENTITY);
            let angle = std::f64::consts::FRAC_PI_2 * (random.below(5) as f64);
            Screw::about(start, axis, random.dyadic_vector(1.0), random.dyadic(1.0), angle).unwrap()
        }
        // Almost a translation, with edges almost parallel.
        5 => {
            let tilt = 10.0_f64.powf(random.within(-17.0, -1.0));
            let turn = DQuat::from_axis_angle(random.direction(), tilt);
            let start = if random.below(2) == 0 { DQuat::IDENTITY } else { random.rotation() };
            let start = pose(1.5 * random.direction(), start);
            Screw::between(start, pose(1.5 * random.direction(), (turn * start.rotation()).normalize()))
        }
        // A far axis, with an angle so small that the slide matters.
        6 => {
            let far = 10.0_f64.powf(random.within(0.0, 8.0));
            let axis = random.direction();
            let point = far * axis.any_orthonormal_vector();
            let start = pose(1.5 * random.direction(), random.rotation());
            Screw::about(start, axis, point, random.within(-2.0, 2.0), random.within(1.0, 3.0) / far).unwrap()
        }
        // Several turns.
        7 => {
            let start = pose(random.vector(1.5), random.rotation());
            let (axis, point) = (random.direction(), random.vector(1.0));
            Screw::about(start, axis, point, random.within(-2.0, 2.0), random.within(-20.0, 20.0)).unwrap()
        }
        // Exactly half a turn, along an axis through the middle.
        _ => {
            let start = pose(random.vector(1.2), DQuat::IDENTITY);
            let axis = [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)];
            let half = DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
            Screw::between(start, pose(random.vector(1.2), half))
        }
    };
    Case { a, b, screw }
}

pub fn pose(position: DVec3, rotation: DQuat) -> Pose {
    Pose::new(position, rotation).unwrap()
}

/// As `hypot`, in a tenth of the time: here no square overflows or underflows.
pub fn hypotenuse(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// Number of cases to run: `normal`, or that times 100 with `CHASLES_LONG` set.
pub fn count(normal: u64) -> u64 {
    fewer(normal, 1)
}

/// Number of cases of a slow test: a fraction of `normal`, or `normal` times 100 with `CHASLES_LONG` set.
pub fn fewer(normal: u64, parts: u64) -> u64 {
    chasles_testing::cases(normal / parts, 100 * normal)
}
