//! Various triangle meshes, as points and triangles.

use std::collections::HashMap;
use std::f64::consts::TAU;

use chasles_testing::{Random, meshes};
use glam::DVec3;

/// Points and triangles.
pub type Raw = (Vec<DVec3>, Vec<[u32; 3]>);

/// Sorts the triangles into the order of a hierarchy that halves them by their centres along the longest side of their
/// box, and the points into the order of their first use. Certificates name sets of triangles by repeated halving.
#[must_use]
pub fn ordered((points, mut triangles): Raw) -> Raw {
    fn halve(points: &[DVec3], triangles: &mut [[u32; 3]]) {
        if triangles.len() < 2 {
            return;
        }
        let centre = |t: &[u32; 3]| t.iter().map(|v| points[*v as usize]).sum::<DVec3>();
        let (mut lo, mut hi) = (DVec3::MAX, DVec3::MIN);
        for t in triangles.iter() {
            lo = lo.min(centre(t));
            hi = hi.max(centre(t));
        }
        let axis = (hi - lo).max_position();
        let middle = triangles.len() / 2;
        // Ties are broken by the numbers of points, so that the order is the same on every platform.
        triangles.select_nth_unstable_by(middle, |s, t| {
            centre(s)[axis].total_cmp(&centre(t)[axis]).then_with(|| s.cmp(t))
        });
        let (first, second) = triangles.split_at_mut(middle);
        halve(points, first);
        halve(points, second);
    }
    halve(&points, &mut triangles);
    let (mut numbers, mut used) = (HashMap::new(), Vec::new());
    for v in triangles.iter_mut().flatten() {
        *v = *numbers.entry(*v).or_insert_with(|| {
            used.push(points[*v as usize]);
            used.len() as u32 - 1
        });
    }
    (used, triangles)
}

/// A box about the origin, of 12 triangles.
#[must_use]
pub fn cuboid(size: DVec3) -> Raw {
    prism(&[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], size)
}

/// A prism over an L shape, of 20 triangles.
#[must_use]
pub fn l_shape(size: DVec3) -> Raw {
    prism(&[[-0.2, -0.2], [0.5, -0.5], [0.5, -0.2], [-0.2, 0.5], [-0.5, 0.5], [-0.5, -0.5]], size)
}

/// A prism of height 1, scaled by `size`, over a polygon that is star-shaped about its first corner.
fn prism(polygon: &[[f64; 2]], size: DVec3) -> Raw {
    let n = polygon.len() as u32;
    let level = |z: f64| polygon.iter().map(move |[x, y]| size * DVec3::new(*x, *y, z));
    let points = level(-0.5).chain(level(0.5)).collect();
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
        if i > 0 && j > 0 {
            triangles.extend([[0, j, i], [n, n + i, n + j]]);
        }
    }
    (points, triangles)
}

/// Eight thin triangles: two tips far from each other, and four points around the centre.
#[must_use]
pub fn needle(length: f64, width: f64) -> Raw {
    let points = [DVec3::Z * length, DVec3::NEG_Z * length, DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y];
    let points =
        points.iter().enumerate().map(|(i, p)| if i < 2 { 0.5 * *p } else { 0.5 * width * *p }).collect();
    let side = |i: u32| [[0, 2 + i, 2 + (i + 1) % 4], [1, 2 + (i + 1) % 4, 2 + i]];
    (points, (0..4).flat_map(side).collect())
}

/// A torus of about this number of triangles, with radius 0.7 and tube radius 0.3.
#[must_use]
pub fn torus(triangles: u32) -> Raw {
    let across = f64::from(triangles / 4).sqrt().max(3.0) as u32;
    meshes::torus(0.7, 0.3, (2 * across, across))
}

/// A sphere with random bumps, of about this number of triangles, with radius 1.
#[must_use]
pub fn bumpy_sphere(random: &mut Random, triangles: u32) -> Raw {
    let across = (f64::from(triangles) / 4.0).sqrt().max(3.0) as u32;
    let around = 2 * across;
    let bumps: Vec<_> = (0..12).map(|_| (random.direction(), random.within(-0.3, 0.2))).collect();
    let point = |i: u32, j: u32| {
        let ((s, c), (sj, cj)) = (
            (TAU * f64::from(i) / f64::from(around)).sin_cos(),
            (0.5 * TAU * f64::from(j) / f64::from(across)).sin_cos(),
        );
        let direction = DVec3::new(c * sj, s * sj, cj);
        let height: f64 = bumps.iter().map(|(at, h)| h * (-8.0 * at.distance_squared(direction)).exp()).sum();
        (0.8 + height) * direction
    };
    let mut points = vec![point(0, 0), point(0, across)];
    points.extend((1..across).flat_map(|j| (0..around).map(move |i| (i, j))).map(|(i, j)| point(i, j)));
    let at = |i: u32, j: u32| match j {
        0 => 0,
        j if j == across => 1,
        j => 2 + (j - 1) * around + i % around,
    };
    let mut faces = Vec::new();
    for j in 0..across {
        for i in 0..around {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            faces.extend([[a, d, c], [a, c, b]].into_iter().filter(|[x, y, z]| x != y && y != z && z != x));
        }
    }
    (points, faces)
}

/// A thread around the z-axis as an open tube: its radius goes up and down by `depth` once per pitch of 1.
#[must_use]
pub fn thread(radius: f64, depth: f64, turns: u32, around: u32) -> Raw {
    let steps = turns * 4;
    let point = |i: u32, k: u32| {
        let fraction = f64::from(i) / f64::from(around);
        let (s, c) = (TAU * fraction).sin_cos();
        // Rows follow the helix: the profile's corners are at quarters of the pitch.
        let r = radius + depth * [0.0, 1.0, 0.0, -1.0][(k % 4) as usize];
        DVec3::new(r * c, r * s, 0.25 * f64::from(k) + fraction - 0.5 * f64::from(turns))
    };
    let row = steps + 5;
    let mut points = Vec::new();
    for i in 0..around {
        points.extend((0..row).map(|k| point(i, k)));
    }
    let mut faces = Vec::new();
    for i in 0..around {
        for k in 0..steps {
            // After one revolution, a row has risen by a pitch, which is four steps.
            let (j, up) = if i + 1 == around { (0, 4) } else { (i + 1, 0) };
            let [a, b, c, d] = [i * row + k, j * row + k + up, j * row + k + 1 + up, i * row + k + 1];
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    (points, faces)
}

/// A sheet of `n` by `n` squares, each of two triangles, in the xy-plane, with sides of 2.
#[must_use]
pub fn sheet(n: u32) -> Raw {
    let at = |i: u32| 2.0 * f64::from(i) / f64::from(n) - 1.0;
    let points = (0..=n).flat_map(|j| (0..=n).map(move |i| DVec3::new(at(i), at(j), 0.0))).collect();
    let mut faces = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let a = j * (n + 1) + i;
            faces.extend([[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]);
        }
    }
    (points, faces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_shapes_have_two_triangles_at_each_edge() {
        let random = &mut Random(1);
        let shapes = [cuboid(DVec3::ONE), l_shape(DVec3::ONE), needle(3.0, 0.1), torus(256)];
        for shape in shapes.into_iter().chain([bumpy_sphere(random, 300)]) {
            let (points, triangles) = ordered(shape);
            let mut edges = HashMap::new();
            for t in &triangles {
                for k in 0..3 {
                    let (a, b) = (t[k], t[(k + 1) % 3]);
                    *edges.entry((a.min(b), a.max(b))).or_insert(0) += if a < b { 1 } else { -1 };
                }
            }
            assert!(edges.values().all(|n| *n == 0), "an edge's triangles wind alike");
            assert_eq!(
                points.len() + triangles.len() - edges.len(),
                if triangles.len() > 250 && points.len() * 2 == triangles.len() { 0 } else { 2 }
            );
        }
    }
}
