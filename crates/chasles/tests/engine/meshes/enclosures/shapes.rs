//! The bodies that meet: single features and small meshes, ordinary and adversarial, near their frame's origin or far
//! from it.

use glam::{DQuat, DVec3};

use crate::cases::{Raw, box_of, l_shape, octahedron};
use crate::meshes::enclosures::translation::Translation;
use chasles_testing::Random;

/// The features of two triangles that meet first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    EdgeEdge,
    VertexFace,
    FaceVertex,
}

pub const KINDS: [Kind; 3] = [Kind::EdgeEdge, Kind::VertexFace, Kind::FaceVertex];

/// A quaternion of any numbers: of any length, of small integers, a unit as accurate as doubles allow, or the
/// identity.
pub fn quaternion(random: &mut Random) -> DQuat {
    match random.below(6) {
        0 => DQuat::IDENTITY,
        1 => random.rotation(),
        2 => loop {
            let q = [0; 4].map(|_| random.within(-9.5, 9.5).round());
            if q != [0.0; 4] {
                break DQuat::from_array(q);
            }
        },
        _ => loop {
            let q = DQuat::from_array([0; 4].map(|_| random.within(-1.0, 1.0)));
            if q.length() > 0.3 {
                break q * 10.0_f64.powi(random.below(5) as i32 - 2);
            }
        },
    }
}

/// Bodies at their positions in the world when they meet, with A's displacement: [`moved`] makes a case of them.
pub struct Placed {
    pub a: Raw,
    pub b: Raw,
    pub from: DVec3,
    pub to: DVec3,
}

/// The distance of bodies from the origins of their frames, and of the frames from each other.
#[derive(Debug, Clone, Copy)]
pub struct Far(pub f64);

/// The same bodies with A in a rotated frame of its own, and both bodies far from their frames' origins. Each vertex
/// is rounded in the process; the rounded bodies are the case.
pub fn moved(random: &mut Random, placed: Placed, Far(far): Far, tolerance: f64) -> Translation {
    let turn = quaternion(random);
    let (off_a, off_b) = (far * random.vector(1.0), far * random.vector(1.0));
    let place = off_b + random.vector(1.0) - turn.normalize() * off_a;
    let back = turn.normalize().inverse();
    let a = placed.a.0.iter().map(|v| back * (*v + off_b - place)).collect();
    let b = placed.b.0.iter().map(|v| *v + off_b).collect();
    let (from, to) = (place + placed.from, place + placed.to);
    Translation { a: (a, placed.a.1), b: (b, placed.b.1), turn, from, to, tolerance }
}

/// Rotates a whole case in the world.
pub fn turned(random: &mut Random, mut placed: Placed) -> Placed {
    if random.below(3) > 0 {
        let turn = random.rotation();
        placed.a.0.iter_mut().chain(&mut placed.b.0).for_each(|v| *v = turn * *v);
        (placed.from, placed.to) = (turn * placed.from, turn * placed.to);
    }
    placed
}

/// A length of somewhat less than one, or so close to zero that the features meet within `s` of their border.
fn inset(random: &mut Random, s: f64) -> f64 {
    if random.below(2) == 0 { random.within(2.0, 4.0) * s } else { random.within(0.1, 0.5) }
}

/// Two triangles, one of which moves by about `s` and meets the other in these features halfway.
pub fn single(random: &mut Random, kind: Kind, s: f64) -> Placed {
    let height = random.within(0.2, 0.8) * s;
    let small = |random: &mut Random| random.vector(0.05);
    let mut upper: [DVec3; 3];
    let mut lower: [DVec3; 3];
    if kind == Kind::EdgeEdge {
        // Two edges that cross above the origin, at any angle: seldom nearly parallel.
        let angle = if random.below(5) == 0 {
            10.0_f64.powf(random.within(-4.0, -1.0))
        } else {
            random.within(0.3, 2.8)
        };
        let edge = |random: &mut Random, angle: f64| {
            let along = DVec3::new(angle.cos(), angle.sin(), random.within(-0.1, 0.1));
            let back = inset(random, s);
            [-back * along, (1.0 - back) * along]
        };
        let ([a, b], [c, d]) = (edge(random, 0.0), edge(random, angle));
        lower = [a, b, 0.5 * (a + b) - DVec3::Z + small(random)];
        upper = [c, d, 0.5 * (c + d) + DVec3::Z + small(random)];
    } else {
        let (u, v) = (inset(random, s), inset(random, s));
        let tilt = random.within(0.0, 0.2);
        let up = |x: f64, y: f64| DVec3::new(x, y, tilt * x);
        lower = [up(-u, -v), up(1.0, -0.1), up(-0.1, 1.0)];
        upper =
            [DVec3::ZERO, small(random) * 4.0 + DVec3::Z, small(random) * 4.0 + DVec3::new(0.3, 0.2, 1.0)];
        if kind == Kind::FaceVertex {
            (lower, upper) = (upper.map(|v| -v), lower.map(|v| -v));
        }
    }
    let order = random.below(3);
    lower.rotate_left(order);
    upper.rotate_left((order + random.below(2)) % 3);
    let upper = upper.map(|v| v + height * DVec3::Z + s * random.vector(0.02));
    let to = s * DVec3::new(random.within(-0.1, 0.1), random.within(-0.1, 0.1), -1.0);
    let triangle = |corners: [DVec3; 3]| (corners.to_vec(), vec![[0, 1, 2]]);
    Placed { a: triangle(upper), b: triangle(lower), from: DVec3::ZERO, to }
}

/// A tetrahedron of some volume.
pub fn tetrahedron(random: &mut Random, size: f64) -> Raw {
    let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    loop {
        let v = [0; 4].map(|_| random.vector(size));
        let volume = (v[1] - v[0]).cross(v[2] - v[0]).dot(v[3] - v[0]);
        if volume > 0.15 * size.powi(3) {
            return (v.to_vec(), faces);
        }
    }
}

/// A convex body: box, tetrahedron, needle, plate or sliver.
fn convex(random: &mut Random) -> Raw {
    match random.below(8) {
        0 | 1 => tetrahedron(random, 0.5),
        2 | 3 => {
            box_of(DVec3::new(random.within(0.3, 1.0), random.within(0.3, 1.0), random.within(0.3, 1.0)))
        }
        4 => octahedron(DVec3::new(0.7, 10.0_f64.powf(random.within(-5.0, -1.0)), 0.1)),
        5 => {
            let thin = 10.0_f64.powf(random.within(-5.0, -1.0));
            octahedron(DVec3::new(0.7, thin, random.within(0.5, 1.0) * thin))
        }
        6 => box_of(DVec3::new(1.0, 0.8, 10.0_f64.powf(random.within(-5.0, -1.0)))),
        _ => {
            // A sliver: three corners nearly in line.
            let off = 10.0_f64.powf(random.within(-5.0, -1.0));
            let v = vec![random.vector(0.1) - DVec3::X, random.vector(0.1) + DVec3::X, random.vector(off)];
            (v, vec![[0, 1, 2]])
        }
    }
}

/// Two convex bodies, the first of which moves to the second, or through it.
pub fn convex_pair(random: &mut Random) -> Placed {
    let (mut a, b) = (convex(random), convex(random));
    // Edges almost along edges, if the rotation is small.
    let turn = match random.below(3) {
        0 => DQuat::from_axis_angle(random.direction(), 10.0_f64.powf(random.within(-9.0, -1.0))),
        _ => random.rotation(),
    };
    a.0.iter_mut().for_each(|v| *v = turn * *v);
    let way = 2.5 * random.direction();
    let end = if random.below(2) == 0 { random.vector(0.1) } else { random.vector(0.1) - way };
    Placed { a, b, from: way, to: end }
}

/// Two non-convex bodies, one of which passes through the other.
pub fn bent_pair(random: &mut Random) -> Placed {
    let bent = |random: &mut Random| match random.below(3) {
        0 => l_shape(random.within(0.2, 0.5), random.within(0.2, 1.0)),
        1 => {
            let vertices = (0..6).map(|_| random.vector(0.7)).collect();
            (vertices, vec![[0, 1, 2], [3, 4, 5]])
        }
        _ => {
            // A fold.
            let v = [DVec3::ZERO, DVec3::X, random.vector(0.3) + DVec3::Y, random.vector(0.3) + DVec3::Z];
            (v.to_vec(), vec![[0, 1, 2], [0, 1, 3]])
        }
    };
    let (mut a, b) = (bent(random), bent(random));
    let turn = random.rotation();
    a.0.iter_mut().for_each(|v| *v = turn * *v);
    let way = 2.5 * random.direction();
    Placed { a, b, from: way, to: random.vector(0.3) - way }
}
