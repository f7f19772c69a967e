//! Pairs at the extremes of the helical chart, most of them with a contact that barely occurs.
//!
//! A case is made from its contact: at one time of the motion a point of A is put onto a point of B, up to a chosen
//! gap, and the motion is then run back to its start. The axis, the angle, the slide, the sizes and the distances of
//! the frames are drawn from lists of hard values, not from smooth distributions.

use chasles::{Pose, Screw};
use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::{Case, Raw, box_of, l_shape, octahedron, pose, shape, torus};
use chasles_testing::Random;

/// A pair with a motion and a tolerance.
#[derive(Debug, Clone)]
pub struct Extreme {
    pub case: Case,
    /// In metres; `None` for the engine's default.
    pub tolerance: Option<f64>,
    /// The gap at the contact, in metres; negative if A penetrates B there.
    #[allow(dead_code, reason = "told where a case fails")]
    pub gap: f64,
}

/// The kind of contacts to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meet {
    /// Anything.
    Any,
    /// Outermost points of both touch, and move perpendicular to the gap between them: a momentary touch that every
    /// bound barely reaches.
    Graze,
    /// They intersect at the start.
    Inside,
}

/// A power of ten between two.
pub fn power(random: &mut Random, lo: f64, hi: f64) -> f64 {
    10.0_f64.powf(random.within(lo, hi))
}

fn sign(random: &mut Random) -> f64 {
    if random.below(2) == 0 { 1.0 } else { -1.0 }
}

/// An icosahedron, each face divided into four `levels` times, with bumps.
pub fn sphere(levels: u32, bumps: f64) -> Raw {
    let g = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut vertices: Vec<DVec3> = Vec::new();
    for (x, y) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        vertices.extend([DVec3::new(0.0, x, y), DVec3::new(x, y, 0.0), DVec3::new(y, 0.0, x)]);
    }
    let near = |a: usize, b: usize| vertices[a].distance(vertices[b]) < 2.1;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let turn = vertices[a].dot(vertices[b].cross(vertices[c]));
                    let [a, b, c] = [a as u32, b as u32, c as u32];
                    faces.push(if turn > 0.0 { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    for _ in 0..levels {
        let mut middles = std::collections::HashMap::new();
        let mut finer = Vec::with_capacity(4 * faces.len());
        for [a, b, c] in faces {
            let mut middle = |v: u32, w: u32| {
                *middles.entry((v.min(w), v.max(w))).or_insert_with(|| {
                    vertices.push(0.5 * (vertices[v as usize] + vertices[w as usize]));
                    vertices.len() as u32 - 1
                })
            };
            let [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)];
            finer.extend([[a, d, f], [d, b, e], [f, e, c], [d, e, f]]);
        }
        faces = finer;
    }
    let bump = |p: DVec3| 1.0 + bumps * ((9.0 * p.x).sin() + (11.0 * p.y).sin() * (7.0 * p.z).cos());
    let vertices = vertices.iter().map(|v| 0.5 * bump(v.normalize()) * v.normalize()).collect();
    (vertices, faces)
}

/// Long thin triangles from one point, some without area.
fn slivers(random: &mut Random) -> Raw {
    let count = 2 + random.below(8) as u32;
    let mut vertices = vec![random.vector(0.2)];
    let mut faces = Vec::new();
    for i in 0..count {
        let along = 0.7 * random.direction();
        let width = power(random, -12.0, -2.0) * random.direction();
        vertices.extend([vertices[0] + along, vertices[0] + along + width]);
        faces.push([0, 2 * i + 1, 2 * i + 2]);
    }
    (vertices, faces)
}

/// A sheet of squares, flat or slightly curved.
fn sheet(random: &mut Random) -> Raw {
    let n = 2 + random.below(3) as u32;
    let curve = [0.0, power(random, -9.0, -1.0)][random.below(2)];
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            let [x, y] = [i, j].map(|k| f64::from(k) / f64::from(n) - 0.5);
            vertices.push(DVec3::new(x, y, curve * (x * x + y * y)));
            if i < n && j < n {
                let at = i * (n + 1) + j;
                faces.extend([[at, at + n + 1, at + n + 2], [at, at + n + 2, at + 1]]);
            }
        }
    }
    (vertices, faces)
}

/// A shape of diameter about one, with some 20 triangles.
pub fn small(random: &mut Random) -> Raw {
    match random.below(16) {
        0 | 1 => box_of(DVec3::ONE),
        2 => box_of(DVec3::new(random.within(0.1, 1.0), random.within(0.1, 1.0), power(random, -9.0, 0.0))),
        3 | 4 => octahedron(DVec3::new(0.7, power(random, -9.0, 0.0), power(random, -9.0, 0.0))),
        5 => octahedron(DVec3::splat(0.6)),
        6 | 7 => sphere(0, 0.0),
        8 => slivers(random),
        9 => sheet(random),
        10 => l_shape(random.within(0.2, 0.5), random.within(0.2, 1.0)),
        11 => (vec![random.vector(0.7), random.vector(0.7), random.vector(0.7)], vec![[0, 1, 2]]),
        // A triangle that is a point, and one that is a segment.
        12 => {
            let (p, q) = (random.vector(0.5), random.vector(0.5));
            (vec![p, q, 0.5 * (p + q)], vec![[0, 0, 0], [0, 1, 2], [2, 1, 1]])
        }
        13 => torus(0.5, 0.2, (4, 3)),
        _ => shape(random),
    }
}

/// A shape, moved and scaled within its frame.
fn placed(raw: &Raw, scale: f64, offset: DVec3) -> Raw {
    (raw.0.iter().map(|v| scale * *v + offset).collect(), raw.1.clone())
}

/// Vertices that triangles use.
fn used(raw: &Raw) -> Vec<DVec3> {
    raw.1.iter().flatten().map(|v| raw.0[*v as usize]).collect()
}

/// The support point: the vertex that is furthest in a direction.
fn furthest(points: &[DVec3], along: DVec3) -> DVec3 {
    points.iter().copied().max_by(|p, q| along.dot(*p).total_cmp(&along.dot(*q))).unwrap_or_default()
}

/// A point of a triangle: a corner, on an edge, or inside.
fn point_of(random: &mut Random, raw: &Raw) -> DVec3 {
    let [p, q, r] = raw.1[random.below(raw.1.len())].map(|v| raw.0[v as usize]);
    match random.below(3) {
        0 => p,
        1 => p + random.unit() * (q - p),
        _ => {
            let (s, t) = (random.unit(), random.unit());
            let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            p + s * (q - p) + t * (r - p)
        }
    }
}

/// A normal and an edge of a triangle; random directions if the triangle has none.
fn frame_of(random: &mut Random, raw: &Raw) -> (DVec3, DVec3) {
    let [p, q, r] = raw.1[random.below(raw.1.len())].map(|v| raw.0[v as usize]);
    let edge = (q - p).normalize_or(random.direction());
    let across = (r - p) - edge.dot(r - p) * edge;
    let normal = edge.cross(across).normalize_or(edge.any_orthonormal_vector());
    (sign(random) * normal, edge)
}

/// The rotation that takes one pair of perpendicular unit vectors to another.
fn aligned((n, e): (DVec3, DVec3), (m, f): (DVec3, DVec3)) -> DQuat {
    let basis = |n: DVec3, e: DVec3| glam::DMat3::from_cols(n, e, n.cross(e));
    DQuat::from_mat3(&(basis(m, f) * basis(n, e).transpose())).normalize()
}

fn angle(random: &mut Random) -> f64 {
    match random.below(14) {
        0 => [0.0, 5e-324, 1e-310, 1e-300, 1e-160, 1e-100][random.below(6)],
        1 => [1e-21, 1e-20, 1.0001e-20, 1e-16, 1e-9][random.below(5)],
        2 => power(random, -18.0, 0.0),
        3 => PI,
        4 => [FRAC_PI_2, TAU, 1.5 * PI, 3.0 * PI, 2.0 * TAU][random.below(5)],
        5 => random.within(6.0, 50.0),
        6 => random.within(PI - 1e-3, PI + 1e-3),
        _ => random.within(0.05, PI),
    }
}

/// The slide, for bodies of a size.
fn slide(random: &mut Random, size: f64) -> f64 {
    let share = match random.below(8) {
        0..=2 => 0.0,
        3 => [1e-300, 1e-30, 1e-20][random.below(3)],
        4 => power(random, -12.0, -1.0),
        5 => power(random, 1.0, 6.0),
        _ => random.within(0.3, 3.0),
    };
    sign(random) * share * size
}

/// The screw axis and the motion about it.
#[derive(Debug, Clone, Copy)]
struct Turn {
    direction: DVec3,
    point: DVec3,
    slide: f64,
    angle: f64,
}

impl Turn {
    /// A motion from a pose, over a fraction of the time, backward if negative.
    fn from(&self, start: Pose, part: f64) -> Screw {
        Screw::about(start, self.direction, self.point, part * self.slide, part * self.angle).unwrap()
    }

    /// The direction in which a point at `p` moves.
    fn velocity(&self, p: DVec3) -> DVec3 {
        self.slide * self.direction + self.angle * self.direction.cross(p - self.point)
    }
}

/// The angle about a far axis is just large enough that the bodies approximately pass each other.
fn turn_about(random: &mut Random, at: (DVec3, DVec3), (size, points): (f64, &[DVec3])) -> Turn {
    let (meeting, n) = at;
    let direction = match random.below(4) {
        0 => [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)],
        1 => n,
        2 => n.any_orthonormal_vector(),
        _ => random.direction(),
    };
    let across = (n - n.dot(direction) * direction).normalize_or(direction.any_orthonormal_vector());
    let mut angle = angle(random);
    let slide = slide(random, size);
    // A wide sweep close by, and away along the axis: features that meet are wide about the axis, and meet late or
    // early.
    if random.below(6) == 0 {
        let (near, angle) = (random.within(0.05, 1.2), random.within(2.0, 3.2));
        let slide = sign(random) * random.within(0.1, 2.0) * size;
        return Turn { direction, point: meeting + sign(random) * near * size * across, slide, angle };
    }
    let point = match random.below(10) {
        0 => points[0],
        1 => points[1],
        2 => meeting,
        3 => points[2],
        // Along an edge of B.
        4 => {
            let along = (points[3] - points[2]).normalize_or(direction);
            return Turn { direction: along, point: points[2], slide, angle };
        }
        5 | 6 => meeting + sign(random) * random.within(0.1, 3.0) * size * across,
        7 => meeting + power(random, -9.0, 0.0) * size * random.direction(),
        _ => {
            let furthest = [8.0, 8.0, 8.0, 11.0][random.below(4)];
            let far = power(random, 0.0, furthest);
            angle = match random.below(4) {
                0 => angle,
                1 => power(random, 0.0, 5.0) / far,
                _ => random.within(0.5, 6.0) / far,
            };
            angle = angle.min(50.0);
            let away = if random.below(2) == 0 { across } else { direction.any_orthonormal_vector() };
            meeting + sign(random) * far * size * away
        }
    };
    Turn { direction, point, slide, angle }
}

fn gap(random: &mut Random, tolerance: f64, size: f64) -> f64 {
    match random.below(8) {
        0 | 1 => 0.0,
        2 => tolerance * [0.5, 0.99, 1.0, 1.005, 1.02, 2.0][random.below(6)],
        3 => -tolerance * random.within(0.0, 3.0),
        4 => sign(random) * size * power(random, -12.0, -5.0),
        5 => sign(random) * size * power(random, -6.0, -1.0),
        6 => -size * random.within(0.0, 0.4),
        _ => -size * power(random, -16.0, -7.0),
    }
}

/// A pair at an extreme of the chart.
pub fn extreme(random: &mut Random, meet: Meet) -> Extreme {
    let (a, b) = (small(random), small(random));
    extreme_of(random, (&a, &b), meet)
}

/// As [`extreme`], with two given shapes of diameter about one.
pub fn extreme_of(random: &mut Random, (a, b): (&Raw, &Raw), meet: Meet) -> Extreme {
    // With very different sizes, and with frames that are far away.
    let scale = if random.below(6) == 0 { power(random, -20.0, 20.0) } else { 1.0 };
    let scale_a = scale * if random.below(4) == 0 { power(random, -6.0, 6.0) } else { 1.0 };
    let far = |random: &mut Random, scale: f64| match random.below(5) {
        0 => power(random, 0.0, 6.0) * scale * random.direction(),
        1 => scale * random.dyadic_vector(3.0),
        _ => DVec3::ZERO,
    };
    let (far_a, far_b) = (far(random, scale_a), far(random, scale));
    let (a, b) = (placed(a, scale_a, far_a), placed(b, scale, far_b));
    let (used_a, used_b) = (used(&a), used(&b));
    let size = scale.max(scale_a);
    let tolerance = match random.below(8) {
        0 => Some(1e-3 * size),
        1 => Some(0.1 * scale.min(scale_a)),
        2 => Some(power(random, -12.0, -5.0) * size),
        _ => None,
    };

    // The rotation of A at the contact, and the direction from A to B.
    let mut n = random.direction();
    let mut rotation = match random.below(6) {
        0 | 1 => DQuat::IDENTITY,
        2 => DQuat::from_axis_angle(DVec3::Z, 0.25 * PI * random.below(8) as f64),
        _ => random.rotation(),
    };
    let flat = meet == Meet::Any && random.below(20) == 0;
    let (frame_a, frame_b) = (frame_of(random, &a), frame_of(random, &b));
    if flat {
        // Face on face or edge along edge, up to a tilt.
        n = frame_b.0;
        let tilt = [0.0, power(random, -17.0, -3.0)][random.below(2)];
        rotation = DQuat::from_axis_angle(random.direction(), tilt) * aligned(frame_a, frame_b);
    } else if random.below(8) == 0 {
        n = [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)];
    }
    let meeting = match meet {
        Meet::Graze => furthest(&used_b, -n),
        _ if random.below(3) == 0 => furthest(&used_b, -n),
        _ => point_of(random, &b),
    };
    let edge_b = b.1[random.below(b.1.len())].map(|v| b.0[v as usize]);
    let centre_b = 0.5 * (furthest(&used_b, n) + furthest(&used_b, -n));
    let reach = furthest(&used_a, rotation.inverse() * n) - furthest(&used_a, rotation.inverse() * -n);
    let centre_a = meeting - 0.5 * (rotation * reach);
    let points = [centre_b, centre_a, edge_b[0], edge_b[1]];
    let mut turn = turn_about(random, (meeting, n), (scale.max(0.3 * scale_a), &points));
    let mut end = meeting;
    if meet == Meet::Graze || random.below(4) == 0 {
        // Perpendicular to the motion: away from the axis, or along the surface of its tube.
        let velocity = turn.velocity(meeting).normalize_or(n.any_orthonormal_vector());
        let away = meeting - turn.point;
        let away = (away - away.dot(turn.direction) * turn.direction).normalize_or(n);
        let away = (away - away.dot(velocity) * velocity).normalize_or(velocity.any_orthonormal_vector());
        n = sign(random) * if random.below(3) == 0 { away.cross(velocity).normalize_or(n) } else { away };
        if meet == Meet::Graze {
            // The axis moves with B's point that is now outermost.
            end = furthest(&used_b, -n);
            turn.point += end - meeting;
        }
    }
    let from = if meet == Meet::Graze || random.below(3) > 0 {
        furthest(&used_a, rotation.inverse() * n)
    } else {
        point_of(random, &a)
    };
    let gap = match meet {
        Meet::Inside => -scale.min(scale_a) * power(random, -3.0, 0.0),
        _ => gap(random, tolerance.unwrap_or(1.7e-9 * size), scale.min(scale_a)),
    };
    let there = pose(end - gap * n - rotation * from, rotation);
    let t = match (meet, random.below(8)) {
        (Meet::Inside, _) | (_, 0) => 0.0,
        (_, 1) => [1.0, 0.5, 0.25, 0.75, 1.0 - 1e-12][random.below(5)],
        (_, 2) => power(random, -15.0, -1.0),
        _ => random.unit(),
    };
    let start = turn.from(there, -t).end();
    let screw = match random.below(8) {
        0 => Screw::between(start, turn.from(start, 1.0).end()),
        1 if turn.angle < 1e-3 => {
            Screw::translation(start, turn.velocity(meeting).clamp_length_max(1e6 * size))
        }
        _ => turn.from(start, 1.0),
    };
    Extreme { case: Case { a, b, screw }, tolerance, gap }
}

/// Two bars close to the axis that reach far around it, and meet at their tips while they pass each other along it:
/// the number of whole turns is hardest to decide there.
pub fn bars(random: &mut Random) -> Extreme {
    let direction = random.direction();
    let out = random.rotation() * direction;
    let out = (out - out.dot(direction) * direction).normalize_or(direction.any_orthonormal_vector());
    let around = direction.cross(out);
    // From the tip at `out` around to one side.
    let bar = |random: &mut Random, side: f64| {
        let angle = 2.0 * random.within(0.4, 1.35);
        let end = angle.cos() * out + side * angle.sin() * around;
        let high = power(random, -4.0, -1.0) * sign(random) * direction;
        let middle = out.lerp(end, random.within(0.2, 0.8));
        let faces = [vec![[0, 1, 2]], vec![[0, 2, 3], [3, 2, 1]]][random.below(2)].clone();
        (vec![out, end, out.lerp(end, 0.5) + high, middle + 0.3 * high], faces)
    };
    let side = sign(random);
    let (a, b) = (bar(random, side), bar(random, -side));
    let gap = gap(random, 1e-9, 1.0);
    let off = gap * [direction, out, around][random.below(3)];
    let angle = [random.within(2.5, PI), PI, random.within(PI, 7.0)][random.below(3)];
    let slide = sign(random) * random.within(0.02, 1.0);
    let turn = Turn { direction: sign(random) * direction, point: DVec3::ZERO, slide, angle };
    let t = random.unit();
    let screw = turn.from(turn.from(pose(off, DQuat::IDENTITY), -t).end(), 1.0);
    Extreme { case: Case { a, b, screw }, tolerance: None, gap }
}
