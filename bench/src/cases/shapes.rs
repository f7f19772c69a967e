//! Polyhedra of a given number of vertices: lumps from a seed, and prisms.
//!
//! Lumps: the convex hull of V points on a sphere, in general position, has exactly 2 V - 4 triangles and 3 V - 6
//! edges. Each vertex is then moved along its ray from the centre. Each triangle still covers its own set of
//! directions from the centre, so the surface is closed, of genus 0, and never intersects itself.

use std::collections::HashSet;
use std::f64::consts::PI;

use glam::DVec3;

use chasles_testing::Random;

/// Vertices, and triangles wound outward.
pub type Raw = (Vec<DVec3>, Vec<[u32; 3]>);

/// The minimum distance of vertices from the centre, as a fraction of the maximum distance.
const INNERMOST: f64 = 0.35;

/// A closed polyhedron of `vertices` vertices around the origin, the furthest at distance `size`. With about 20
/// vertices or more it is not convex.
///
/// # Panics
/// With fewer than four vertices.
#[must_use]
pub fn lump(vertices: usize, size: f64, seed: u64) -> Raw {
    let random = &mut Random(seed);
    let points = spread(vertices, random);
    let triangles = hull(&points);
    // Three lobes and dents, and a random height for each vertex.
    let waves: Vec<(DVec3, f64, f64)> = (0..3)
        .map(|_| (random.direction_of_two(), random.within(2.0, 4.0), random.within(0.0, 2.0 * PI)))
        .collect();
    let heights: Vec<f64> = points
        .iter()
        .map(|p| {
            let lobes: f64 = waves.iter().map(|(k, n, phase)| (n * k.dot(*p) + phase).sin()).sum();
            lobes + random.within(-0.5, 0.5)
        })
        .collect();
    let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let radius = |h: f64| size * (INNERMOST + (1.0 - INNERMOST) * (h - lowest) / (highest - lowest));
    let vertices = points.iter().zip(&heights).map(|(p, h)| radius(*h) * *p).collect();
    (vertices, triangles)
}

/// A closed prism of `vertices` vertices, whose corners are at distance `size` from the origin. It has long thin
/// triangles, like a turned part. With an odd number of vertices, one end is a hollow cone.
///
/// # Panics
/// With fewer than six vertices.
#[must_use]
pub fn prism(vertices: usize, size: f64) -> Raw {
    let sides = u32::try_from(vertices / 2).unwrap_or(u32::MAX);
    assert!(sides > 2, "{vertices} vertices");
    let half = size * 0.5_f64.sqrt();
    let ring = |z: f64| {
        (0..sides).map(move |i| {
            let (sin, cos) = (2.0 * PI * f64::from(i) / f64::from(sides)).sin_cos();
            half * DVec3::new(cos, sin, z)
        })
    };
    let mut points: Vec<DVec3> = ring(-1.0).chain(ring(1.0)).collect();
    let next = |i: u32| (i + 1) % sides;
    let mut triangles: Vec<[u32; 3]> =
        (0..sides).flat_map(|i| [[i, next(i), next(i) + sides], [i, next(i) + sides, i + sides]]).collect();
    // Each end is a single zigzag; with an odd number, the lower end is a fan around the tip of its cone.
    let (mut low, mut high) = (0, sides - 1);
    while high - low > 1 {
        let middle = if (high - low) % 2 == 1 { low + 1 } else { high - 1 };
        let [a, b, c] = [low.min(middle), low.max(middle), high];
        triangles.push([a, b, c].map(|v| v + sides));
        if vertices.is_multiple_of(2) {
            triangles.push([a, c, b]);
        }
        if middle == low + 1 { low = middle } else { high = middle }
    }
    if !vertices.is_multiple_of(2) {
        points.push(DVec3::new(0.0, 0.0, -0.5 * half));
        triangles.extend((0..sides).map(|i| [next(i), i, 2 * sides]));
    }
    (points, triangles)
}

/// Points on the unit sphere, evenly spaced along a spiral, each slightly displaced.
fn spread(count: usize, random: &mut Random) -> Vec<DVec3> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let spacing = (4.0 * PI / count as f64).sqrt();
    (0..count)
        .map(|i| {
            let z = 1.0 - (2 * i + 1) as f64 / count as f64;
            let (sin, cos) = (golden * i as f64).sin_cos();
            let r = (1.0 - z * z).sqrt();
            (DVec3::new(r * cos, r * sin, z) + random.vector(0.25 * spacing)).normalize()
        })
        .collect()
}

/// The convex hull of points on a sphere, built incrementally: the triangles visible from a new point are replaced
/// with a fan from the point.
fn hull(points: &[DVec3]) -> Vec<[u32; 3]> {
    let at = |v: u32| points[v as usize];
    let sees = |p: DVec3, [a, b, c]: [u32; 3]| (p - at(a)).dot((at(b) - at(a)).cross(at(c) - at(a))) > 0.0;
    let mut triangles: Vec<[u32; 3]> = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    if sees(at(3), triangles[0]) {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    for (v, p) in (0..).zip(points).skip(4) {
        let (seen, kept): (Vec<_>, Vec<_>) = triangles.into_iter().partition(|t| sees(*p, *t));
        let borders: HashSet<[u32; 2]> = seen.iter().flat_map(|t| sides(*t)).collect();
        triangles = kept;
        let horizon = seen.iter().flat_map(|t| sides(*t)).filter(|[a, b]| !borders.contains(&[*b, *a]));
        triangles.extend(horizon.map(|[a, b]| [a, b, v]));
    }
    triangles
}

fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a closed surface of genus 0 is valid and wound outward.
    fn check((vertices, triangles): &Raw, count: usize, what: &str) {
        assert_eq!((vertices.len(), triangles.len()), (count, 2 * count - 4), "{what}");
        let all: HashSet<_> = triangles.iter().flat_map(|t| sides(*t)).collect();
        assert_eq!(all.len(), 3 * triangles.len(), "{what}: an edge twice in the same sense");
        assert!(all.iter().all(|[a, b]| all.contains(&[*b, *a])), "{what}: a border");
        let farthest = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!((farthest - 2.0).abs() < 1e-12, "{what}");
        // From the centre, the back of every triangle is visible, so the surface does not intersect itself.
        let outward = |[a, b, c]: [DVec3; 3]| a.dot(b.cross(c)) > 0.0;
        assert!(triangles.iter().all(|t| outward(t.map(|v| vertices[v as usize]))), "{what}");
    }

    fn is_convex((vertices, triangles): &Raw) -> bool {
        triangles
            .iter()
            .map(|t| t.map(|v| vertices[v as usize]))
            .all(|[a, b, c]| vertices.iter().all(|v| (*v - a).dot((b - a).cross(c - a)) < 1e-9))
    }

    #[test]
    fn lumps_are_closed_of_genus_0_and_not_convex() {
        for seed in 0..50 {
            for count in [20, 80, 85] {
                let lump = lump(count, 2.0, seed);
                check(&lump, count, &format!("seed {seed}, {count} vertices"));
                assert!(!is_convex(&lump), "seed {seed}, {count} vertices");
            }
        }
    }

    #[test]
    fn prisms_are_closed_of_genus_0() {
        for count in [6, 7, 8, 9, 80, 85] {
            let prism = prism(count, 2.0);
            check(&prism, count, &format!("{count} vertices"));
            assert_eq!(is_convex(&prism), count % 2 == 0, "{count} vertices");
        }
    }
}
