//! Meshes as plain vertices and triangles.

use glam::DVec3;

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
