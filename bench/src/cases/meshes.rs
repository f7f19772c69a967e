//! Closed triangle meshes of about a given number of triangles, for measurements of queries on large meshes. Unless
//! sized otherwise they have radius 1 about the origin.
//!
//! Triangles are as even as a surface allows, without the slivers at poles: tubes have rings that are offset by
//! half a step, and spheres come from an icosahedron with evenly divided faces.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use glam::DVec3;

use crate::cases::shapes::Raw;
use chasles_testing::Random;

/// Radius of the tube of the torus knot, before scaling. The knot's torus has the radii 2 and 1.
const KNOT_TUBE: f64 = 0.45;
/// Radii of the torus.
const TORUS: [f64; 2] = [0.7, 0.3];
/// The number of bumps and dents of a bumpy sphere.
const BUMPS: usize = 40;
/// The number of points for measuring the length of a tube.
const FINE: u32 = 8192;

/// The torus knot (2, 3), a trefoil, as a tube of about `triangles` triangles, with radius 1 about the origin.
#[must_use]
pub fn torus_knot(triangles: usize) -> Raw {
    let centre = |u: f64| {
        let ((sin2, cos2), (sin3, cos3)) = ((2.0 * u).sin_cos(), (3.0 * u).sin_cos());
        DVec3::new((2.0 + cos3) * cos2, (2.0 + cos3) * sin2, sin3)
    };
    unit(tube(centre, KNOT_TUBE, triangles))
}

/// A torus about z of about `triangles` triangles, with radius 1 about the origin.
#[must_use]
pub fn torus(triangles: usize) -> Raw {
    let centre = |u: f64| DVec3::new(TORUS[0] * u.cos(), TORUS[0] * u.sin(), 0.0);
    unit(tube(centre, TORUS[1], triangles))
}

/// A sphere of about `triangles` triangles with seeded bumps and dents, with radius 1 about the origin. Every ray
/// from the origin intersects it once, so it does not intersect itself.
#[must_use]
pub fn bumpy_sphere(triangles: usize, seed: u64) -> Raw {
    let random = &mut Random(seed);
    let bumps: Vec<(DVec3, f64, f64)> = (0..BUMPS)
        .map(|_| (random.direction_of_two(), random.within(-0.2, 0.2), random.within(8.0, 60.0)))
        .collect();
    let radius = |v: DVec3| {
        let height = bumps.iter().map(|(at, height, sharp)| height * (sharp * (at.dot(v) - 1.0)).exp());
        1.0 + height.sum::<f64>()
    };
    let (points, triangles) = divided_icosahedron((triangles as f64 / 20.0).sqrt().round().max(1.0) as u32);
    unit((points.into_iter().map(|v| radius(v) * v).collect(), triangles))
}

/// A box of 12 triangles with its edges along the axes, centred at the origin, with the given full sizes.
#[must_use]
pub fn cuboid(size: DVec3) -> Raw {
    let corner = |i: u32| {
        let sign = |bit: u32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        size * DVec3::new(sign(0), sign(1), sign(2))
    };
    // Corners by the bits of x, y, z; each face wound outward.
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

/// A cube with radius 1 about the origin.
#[must_use]
pub fn cube() -> Raw {
    unit(cuboid(DVec3::ONE))
}

/// A cylinder along z of 4 `sides` triangles, centred at the origin.
#[must_use]
pub fn cylinder(radius: f64, height: f64, sides: u32) -> Raw {
    let ring = |z: f64| {
        (0..sides).map(move |i| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(sides)).sin_cos();
            DVec3::new(radius * cos, radius * sin, z)
        })
    };
    let ends = [-0.5 * height, 0.5 * height];
    let centres = ends.map(|z| DVec3::new(0.0, 0.0, z));
    let points = ring(ends[0]).chain(ring(ends[1])).chain(centres).collect();
    let triangles = (0..sides).flat_map(|i| {
        let (j, low, high) = ((i + 1) % sides, 2 * sides, 2 * sides + 1);
        [[i, j, j + sides], [i, j + sides, i + sides], [j, i, low], [i + sides, j + sides, high]]
    });
    (points, triangles.collect())
}

/// Scales a mesh about the origin to radius 1.
fn unit((mut points, triangles): Raw) -> Raw {
    let farthest = points.iter().map(|v| v.length()).fold(0.0, f64::max);
    points.iter_mut().for_each(|v| *v /= farthest);
    (points, triangles)
}

/// A tube around a closed curve, given by an angle in [0, 2 pi]. Neighbouring rings are offset by half a step, so
/// that triangles are nearly equilateral.
fn tube(centre: impl Fn(f64) -> DVec3, radius: f64, triangles: usize) -> Raw {
    let fine: Vec<DVec3> = (0..=FINE).map(|i| centre(TAU * f64::from(i) / f64::from(FINE))).collect();
    let mut lengths = vec![0.0];
    for pair in fine.windows(2) {
        lengths.push(lengths[lengths.len() - 1] + pair[0].distance(pair[1]));
    }
    let length = lengths[lengths.len() - 1];
    let rings_by_steps = length / (TAU * radius) * 2.0 / 3.0_f64.sqrt();
    let steps = (0.5 * triangles as f64 / rings_by_steps).sqrt().round().max(3.0) as u32;
    let rings = 2 * (0.25 * triangles as f64 / f64::from(steps)).round().max(2.0) as u32;
    let frames = frames(|fraction| centre(angle_at(&lengths, fraction * length)), rings);
    // The rotation of the frame after one revolution along the curve; each ring is rotated back by its fraction of
    // this angle.
    let [_, tangent, first] = frames[0];
    let last = frames[rings as usize][2];
    let turned = tangent.cross(first).dot(last).atan2(first.dot(last));
    let mut points = Vec::new();
    for ([at, tangent, normal], i) in frames.iter().zip(0..rings) {
        let offset = 0.5 * f64::from(i % 2);
        for j in 0..steps {
            let angle = TAU * (f64::from(j) + offset) / f64::from(steps);
            let (sin, cos) = (angle - turned * f64::from(i) / f64::from(rings)).sin_cos();
            points.push(*at + radius * (cos * *normal + sin * tangent.cross(*normal)));
        }
    }
    let triangles = (0..rings).flat_map(|i| {
        let (ring, next) = (i * steps, (i + 1) % rings * steps);
        (0..steps).flat_map(move |j| {
            let k = (j + 1) % steps;
            let [a, a_next, b, b_next] = [ring + j, ring + k, next + j, next + k];
            if i % 2 == 0 {
                [[a, a_next, b], [a_next, b_next, b]]
            } else {
                [[a, b_next, b], [a, a_next, b_next]]
            }
        })
    });
    let triangles = triangles.collect();
    (points, triangles)
}

/// The angle at which the curve has a given length, from lengths measured at evenly spaced angles.
fn angle_at(lengths: &[f64], length: f64) -> f64 {
    let after = lengths.partition_point(|l| *l < length).clamp(1, lengths.len() - 1);
    let [before, behind] = [lengths[after - 1], lengths[after]];
    let part = (length - before) / (behind - before);
    TAU * ((after - 1) as f64 + part) / (lengths.len() - 1) as f64
}

/// Point, unit tangent and unit normal at the ends of equal parts of a closed curve. The normal does not rotate about
/// the tangent (Wang, Juettler, Zheng and Liu 2008, "Computation of rotation minimizing frames", double reflection).
fn frames(at: impl Fn(f64) -> DVec3, parts: u32) -> Vec<[DVec3; 3]> {
    let place = |i: u32| f64::from(i) / f64::from(parts);
    let step = 1e-4;
    let tangent = |fraction: f64| {
        (at((fraction + step).rem_euclid(1.0)) - at((fraction - step).rem_euclid(1.0))).normalize()
    };
    let first = tangent(0.0);
    let mut frames = vec![[at(0.0), first, first.any_orthonormal_vector()]];
    for i in 1..=parts {
        let [x0, t0, n0] = frames[frames.len() - 1];
        // The last point is the first again.
        let [x1, t1] = [at(place(i % parts)), tangent(place(i % parts))];
        let mirror = |v: DVec3, across: DVec3| v - 2.0 * v.dot(across) / across.length_squared() * across;
        let [t, n] = [t0, n0].map(|v| mirror(v, x1 - x0));
        frames.push([x1, t1, mirror(n, t1 - t).normalize()]);
    }
    frames
}

/// The points of an icosahedron on the unit sphere, with each face divided into `parts` squared triangles.
fn divided_icosahedron(parts: u32) -> Raw {
    let (corners, faces) = icosahedron();
    let mut index = HashMap::new();
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for face in faces {
        let mut point = |i: u32, j: u32| {
            // Weights of the corners, in the corners' order, which is the same for both faces at an edge.
            let mut weights = [(face[0], parts - i - j), (face[1], i), (face[2], j)];
            weights.sort_unstable_by_key(|(corner, weight)| (*weight == 0, *corner));
            let key = weights.map(|(corner, weight)| if weight == 0 { (0, 0) } else { (corner, weight) });
            *index.entry(key).or_insert_with(|| {
                let sum: DVec3 = key.iter().map(|(c, w)| f64::from(*w) * corners[*c as usize]).sum();
                points.push(sum.normalize());
                points.len() as u32 - 1
            })
        };
        for i in 0..parts {
            for j in 0..parts - i {
                triangles.push([point(i, j), point(i + 1, j), point(i, j + 1)]);
                if i + j + 1 < parts {
                    triangles.push([point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)]);
                }
            }
        }
    }
    (points, triangles)
}

/// Two poles, and two rings of five at the height 1 / sqrt 5.
fn icosahedron() -> ([DVec3; 12], Vec<[u32; 3]>) {
    let z = 0.2_f64.sqrt();
    let corner = |i: u32| match i {
        0 => DVec3::Z,
        11 => DVec3::NEG_Z,
        _ => {
            let (ring, place) = ((i - 1) / 5, (i - 1) % 5);
            let (sin, cos) = (0.4 * PI * (f64::from(place) + 0.5 * f64::from(ring))).sin_cos();
            DVec3::new(2.0 * z * cos, 2.0 * z * sin, if ring == 0 { z } else { -z })
        }
    };
    let faces = (0..5).flat_map(|i| {
        let j = (i + 1) % 5;
        let [a, b, c, d] = [1 + i, 1 + j, 6 + i, 6 + j];
        [[0, a, b], [a, c, b], [b, c, d], [11, d, c]]
    });
    (std::array::from_fn(|i| corner(i as u32)), faces.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn check((points, triangles): &Raw, genus: usize, what: &str) {
        let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
        let all: HashSet<_> = triangles.iter().flat_map(|t| sides(*t)).collect();
        assert_eq!(all.len(), 3 * triangles.len(), "{what}: an edge twice in the same sense");
        assert!(all.iter().all(|[a, b]| all.contains(&[*b, *a])), "{what}: a border");
        let used: HashSet<_> = triangles.iter().flatten().collect();
        assert_eq!(used.len(), points.len(), "{what}: vertices that are not used");
        // V - E + F = 2 - 2 genus, with two triangles at each edge.
        assert_eq!(points.len() + triangles.len() + 2 * genus, triangles.len() * 3 / 2 + 2, "{what}");
        let corners = |t: &[u32; 3]| t.map(|v| points[v as usize]);
        let volume: f64 = triangles.iter().map(corners).map(|[a, b, c]| a.dot(b.cross(c))).sum();
        assert!(volume > 0.0, "{what}: wound inward");
    }

    fn check_even((points, triangles): &Raw, what: &str) {
        let farthest = points.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!((farthest - 1.0).abs() < 1e-12, "{what}");
        for t in triangles {
            let [a, b, c] = t.map(|v| points[v as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let height = (b - a).cross(c - a).length() / longest;
            assert!(height > 0.3 * longest, "{what}: {t:?} is a sliver, {height} by {longest}");
        }
    }

    #[test]
    fn surfaces_are_closed_even_and_of_unit_size() {
        for n in [1000, 20_000] {
            for (name, raw, genus) in [
                ("knot", torus_knot(n), 1),
                ("torus", torus(n), 1),
                ("bumpy sphere", bumpy_sphere(n, 1), 0),
                ("another", bumpy_sphere(n, 2), 0),
            ] {
                let what = format!("{name}, {n}: {}", raw.1.len());
                check(&raw, genus, &what);
                check_even(&raw, &what);
                assert!(raw.1.len().abs_diff(n) * 20 <= n, "{what}");
            }
        }
    }

    #[test]
    fn the_knot_does_not_come_near_itself() {
        let (points, _) = torus_knot(2000);
        // Rings in order: rings far from one another along the tube must not touch.
        let rings =
            points.chunks(9).map(|ring| ring.iter().sum::<DVec3>() / ring.len() as f64).collect::<Vec<_>>();
        for (i, a) in rings.iter().enumerate() {
            for (j, b) in rings.iter().enumerate().skip(i + rings.len() / 8) {
                let along = (j - i).min(rings.len() + i - j);
                assert!(along < rings.len() / 8 || a.distance(*b) > 0.3, "{i} {j}: {}", a.distance(*b));
            }
        }
    }

    #[test]
    fn parts_are_closed() {
        check(&cuboid(DVec3::new(1.0, 2.0, 3.0)), 0, "cuboid");
        check(&cylinder(0.3, 1.0, 16), 0, "cylinder");
        assert_eq!((cube().1.len(), cylinder(0.3, 1.0, 16).1.len()), (12, 64));
        check_even(&cube(), "cube");
    }

    #[test]
    fn the_same_seed_gives_the_same_mesh() {
        assert_eq!(bumpy_sphere(1000, 3), bumpy_sphere(1000, 3));
        assert_ne!(bumpy_sphere(1000, 3), bumpy_sphere(1000, 4));
        assert_eq!(torus_knot(1000), torus_knot(1000));
    }
}
