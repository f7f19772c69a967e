//! Meshes as plain vertices and triangles.

use glam::DVec3;

use crate::Random;

/// A torus about the z-axis, of `around` by `across` quads, each of two triangles. The centre line of its tube is a
/// circle of `radius`. The first vertex is on the x-axis, on the outside.
#[must_use]
pub fn torus(radius: f64, tube: f64, (around, across): (u32, u32)) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let angle = |i: u32, n: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for i in 0..around {
        let (s, c) = angle(i, around).sin_cos();
        for j in 0..across {
            let (sj, cj) = angle(j, across).sin_cos();
            let r = radius + tube * cj;
            vertices.push(DVec3::new(r * c, r * s, tube * sj));
            let at = |i: u32, j: u32| i % around * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, faces)
}

/// A box about the origin, of the given size; bits 0, 1, 2 of a vertex's number are x, y, z. The triangles are
/// oriented outward.
#[must_use]
pub fn box_of(size: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        size * DVec3::new(side(0), side(1), side(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    ((0..8).map(corner).collect(), faces)
}

/// A grid of twice `n` by `m` triangles, mapped from the unit square.
#[must_use]
pub fn grid((n, m): (u32, u32), image: impl Fn(f64, f64) -> DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let at = |i: u32, n: u32| f64::from(i) / f64::from(n);
    let vertices = (0..=n).flat_map(|i| (0..=m).map(move |j| (i, j)));
    let vertices = vertices.map(|(i, j)| image(at(i, n), at(j, m))).collect();
    let number = |i: u32, j: u32| i * (m + 1) + j;
    let quads = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    let triangles = quads.flat_map(|(i, j)| {
        let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i, j + 1), number(i + 1, j + 1)];
        [[a, b, c], [c, b, d]]
    });
    (vertices, triangles.collect())
}

/// A square of side 2 about the origin, of twice `across` by `across` triangles, bent at random: an open surface, which
/// passes through others in many ways.
pub fn bent_square(random: &mut Random, across: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let row = across + 1;
    let step = 2.0 / f64::from(across);
    let place = |k: u32| step * DVec3::new(f64::from(k / row), f64::from(k % row), 0.0) - DVec3::X - DVec3::Y;
    let points = (0..row * row).map(|k| place(k) + 0.3 * random.vector(1.0)).collect();
    let faces = (0..across * across).flat_map(|k| {
        let corner = k / across * row + k % across;
        [[corner, corner + 1, corner + row], [corner + 1, corner + row + 1, corner + row]]
    });
    (points, faces.collect())
}
