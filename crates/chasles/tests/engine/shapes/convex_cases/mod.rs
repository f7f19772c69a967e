//! Pairs of small convex polyhedra with integer coordinates: random, touching, identical, nested, thin and distant.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a generator")]

pub(crate) mod twin;

use std::sync::Arc;

use chasles::{BodyMotion, CollisionShape, Mesh, Pose, PreparedMesh, Scene, SceneBody, SceneDefinition};
use chasles_testing::Random;
use glam::DVec3;

/// A point with integer coordinates.
pub(crate) type Point = [i64; 3];

/// A closed convex polyhedron, its faces counter-clockwise as seen from outside.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polyhedron {
    pub(crate) points: Vec<Point>,
    pub(crate) faces: Vec<[u32; 3]>,
}

impl Polyhedron {
    pub(crate) fn moved(&self, by: Point) -> Self {
        let points = self.points.iter().map(|p| [0, 1, 2].map(|i| p[i] + by[i])).collect();
        Self { points, ..self.clone() }
    }

    pub(crate) fn mesh(&self) -> Mesh {
        let points = self.points.iter().map(|p| vector(*p)).collect();
        Mesh::new(points, self.faces.clone()).unwrap()
    }
}

pub(crate) fn vector(p: Point) -> DVec3 {
    DVec3::from_array(p.map(|x| x as f64))
}

/// A tetrahedron, cube, octahedron, prism or pyramid.
fn simple(random: &mut Random) -> Polyhedron {
    let [tetrahedron, cube, octahedron, prism, pyramid] = [
        (
            &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]][..],
            &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]][..],
        ),
        (
            &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]][..],
            &[
                [0, 2, 3],
                [0, 3, 1],
                [4, 5, 7],
                [4, 7, 6],
                [0, 1, 5],
                [0, 5, 4],
                [2, 6, 7],
                [2, 7, 3],
                [0, 4, 6],
                [0, 6, 2],
                [1, 3, 7],
                [1, 7, 5],
            ][..],
        ),
        (
            &[[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]][..],
            &[[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]][..],
        ),
        (
            &[[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 1], [2, 0, 1], [0, 2, 1]][..],
            &[[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]][..],
        ),
        (
            &[[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 1, 1]][..],
            &[[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]][..],
        ),
    ];
    let (points, faces) = [tetrahedron, cube, octahedron, prism, pyramid][random.below(5)];
    Polyhedron { points: points.to_vec(), faces: faces.to_vec() }
}

/// Such a polyhedron under a linear map with integer coefficients, which may make it thin.
fn polyhedron(random: &mut Random) -> Polyhedron {
    let Polyhedron { points, faces } = simple(random);
    loop {
        let most = [2, 5, 20][random.below(3)];
        let map = [(); 3].map(|()| [(); 3].map(|()| random.below(2 * most + 1) as i64 - most as i64));
        let [u, v, w] = map;
        let volume: i64 =
            (0..3).map(|i| u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3])).sum();
        if volume == 0 {
            continue;
        }
        let mapped = |p: &Point| [0, 1, 2].map(|i| p[0] * u[i] + p[1] * v[i] + p[2] * w[i]);
        let turned = |[a, b, c]: [u32; 3]| if volume < 0 { [a, c, b] } else { [a, b, c] };
        return Polyhedron {
            points: points.iter().map(mapped).collect(),
            faces: faces.into_iter().map(turned).collect(),
        };
    }
}

/// The relation of the two polyhedra of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Anyhow,
    Touching,
    Identical,
    Nested,
    Far,
}

/// The pair of a seed.
pub(crate) fn pair(seed: u64) -> (Kind, [Polyhedron; 2]) {
    let random = &mut Random(seed);
    let (a, b) = (polyhedron(random), polyhedron(random));
    let point = |random: &mut Random, of: &Polyhedron| of.points[random.below(of.points.len())];
    let between = |p: Point, q: Point| [0, 1, 2].map(|i| q[i] - p[i]);
    let small = |random: &mut Random| [(); 3].map(|()| random.below(9) as i64 - 4);
    match random.below(8) {
        0..=3 => {
            let by = small(random);
            (Kind::Anyhow, [a.moved(by), b])
        }
        // A point of one on a point of the other, or on the midpoint of two; equal shapes share planes and lines.
        4 | 5 => {
            let a = if random.one_in(3) { b.clone() } else { a };
            let twice = |p: &Polyhedron| Polyhedron {
                points: p.points.iter().map(|p| p.map(|x| 2 * x)).collect(),
                ..p.clone()
            };
            let (a, b) = (twice(&a), twice(&b));
            let (p, q, r) = (point(random, &a), point(random, &b), point(random, &b));
            let middle = [0, 1, 2].map(|i| (q[i] + r[i]) / 2);
            (Kind::Touching, [a.moved(between(p, middle)), b])
        }
        6 => {
            if random.one_in(2) {
                return (Kind::Identical, [b.clone(), b]);
            }
            // Around the sum of its points, which is inside the polyhedron scaled by their number.
            let many = b.points.len() as i64;
            let sum = b.points.iter().fold([0; 3], |sum, p| [0, 1, 2].map(|i| sum[i] + p[i]));
            let larger =
                Polyhedron { points: b.points.iter().map(|p| p.map(|x| many * x)).collect(), ..b.clone() };
            let own = point(random, &b);
            (Kind::Nested, [b.moved(between(own, sum)), larger])
        }
        _ => {
            let by = random.direction() * 200.0;
            (Kind::Far, [a.moved(by.to_array().map(|x| x.round() as i64)), b])
        }
    }
}

/// The pair as a scene of two static convex bodies, at these poses.
pub(crate) fn scene(meshes: [Mesh; 2], poses: [Pose; 2]) -> Scene {
    let [a, b] = meshes.map(|mesh| CollisionShape::convex_mesh(Arc::new(PreparedMesh::new(mesh))).unwrap());
    let body = |(name, shape, pose): (&str, CollisionShape, Pose)| SceneBody {
        name: name.into(),
        shape: Some(shape),
        motion: BodyMotion::Still(pose),
        parent: None,
        group: None,
        solid: false,
    };
    let bodies = [("a", a, poses[0]), ("b", b, poses[1])].map(body).into();
    let definition =
        SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    Scene::new(definition).unwrap()
}
