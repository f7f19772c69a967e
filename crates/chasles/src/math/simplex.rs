//! The point of a simplex that is nearest to the origin.
//!
//! This is the sub-step of the algorithm of Gilbert, Johnson and Keerthi (1988). In a flat simplex the weights may
//! have no correct digits, so results computed from them need their own proof.

use glam::DVec3;

/// A simplex is large if the square of its area (or its volume) exceeds this fraction of the fourth (or third)
/// power of its size and distance from the origin. Products of distances have then lost few digits, so they
/// distinguish its regions.
const LARGE: f64 = 1e-3;

/// The weights of the corners that give the point nearest to the origin, for the simplex of the first `count`
/// corners, and whether the origin is inside.
pub(crate) fn nearest_weights(w: &[DVec3; 4], count: usize) -> ([f64; 4], bool) {
    match count {
        0 | 1 => ([1.0, 0.0, 0.0, 0.0], false),
        2 => {
            let [s, t] = of_segment([w[0], w[1]]).0;
            ([s, t, 0.0, 0.0], false)
        }
        3 => {
            let [s, t, u] = of_triangle([w[0], w[1], w[2]]).0;
            ([s, t, u, 0.0], false)
        }
        _ => of_tetrahedron(w),
    }
}

fn of_segment([a, b]: [DVec3; 2]) -> ([f64; 2], f64) {
    let along = b - a;
    let (t, length) = (-a.dot(along), along.length_squared());
    let weights = if t.is_nan() || t <= 0.0 || length == 0.0 {
        [1.0, 0.0]
    } else if t >= length {
        [0.0, 1.0]
    } else {
        [1.0 - t / length, t / length]
    };
    (weights, (weights[0] * a + weights[1] * b).length_squared())
}

#[inline]
fn of_triangle([a, b, c]: [DVec3; 3]) -> ([f64; 3], f64) {
    let weights = of_large_triangle([a, b, c]).unwrap_or_else(|| of_small_triangle([a, b, c]));
    (weights, (weights[0] * a + weights[1] * b + weights[2] * c).length_squared())
}

/// The regions of corners, edges and interior (Ericson 2005, "Real-Time Collision Detection", 5.1.5).
#[inline]
fn of_large_triangle([a, b, c]: [DVec3; 3]) -> Option<[f64; 3]> {
    let (ab, ac) = (b - a, c - a);
    // Scalar products that locate the origin relative to each corner along two edges.
    let [a1, b1, c1] = [-ab.dot(a), -ab.dot(b), -ab.dot(c)];
    let [a2, b2, c2] = [-ac.dot(a), -ac.dot(b), -ac.dot(c)];
    let (of_a, of_b, of_c) = (b1 * c2 - c1 * b2, c1 * a2 - a1 * c2, a1 * b2 - b1 * a2);
    let area = of_a + of_b + of_c;
    let away = a.length_squared() + (a1 - b1) + (a2 - c2);
    let large = area > LARGE * away * away;
    if !large {
        return None;
    }
    Some(if a1 <= 0.0 && a2 <= 0.0 {
        [1.0, 0.0, 0.0]
    } else if b1 >= 0.0 && b2 <= b1 {
        [0.0, 1.0, 0.0]
    } else if of_c <= 0.0 && a1 >= 0.0 && b1 <= 0.0 {
        let t = a1 / (a1 - b1);
        [1.0 - t, t, 0.0]
    } else if c2 >= 0.0 && c1 <= c2 {
        [0.0, 0.0, 1.0]
    } else if of_b <= 0.0 && a2 >= 0.0 && c2 <= 0.0 {
        let t = a2 / (a2 - c2);
        [1.0 - t, 0.0, t]
    } else if of_a <= 0.0 && b2 >= b1 && c1 >= c2 {
        let t = (b2 - b1) / ((b2 - b1) + (c1 - c2));
        [0.0, 1.0 - t, t]
    } else {
        let (beta, gamma) = (of_b / area, of_c / area);
        [1.0 - beta - gamma, beta, gamma]
    })
}

/// Compares the barycentric point, computed with the normal, with the nearest point on the edges.
fn of_small_triangle([a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    let (beta, gamma) = ((c - a).cross(a).dot(normal) / area, a.cross(b - a).dot(normal) / area);
    if area > 0.0 && beta > 0.0 && gamma > 0.0 && beta + gamma < 1.0 {
        let weights = [1.0 - beta - gamma, beta, gamma];
        let inner = (weights[0] * a + beta * b + gamma * c).length_squared();
        let (on_edge, edge) = of_border([a, b, c]);
        return if inner <= edge { weights } else { on_edge };
    }
    of_border([a, b, c]).0
}

fn of_border([a, b, c]: [DVec3; 3]) -> ([f64; 3], f64) {
    let ([s, t], ab) = of_segment([a, b]);
    let ([u, v], bc) = of_segment([b, c]);
    let ([x, y], ca) = of_segment([c, a]);
    if ab <= bc && ab <= ca {
        ([s, t, 0.0], ab)
    } else if bc <= ca {
        ([0.0, u, v], bc)
    } else {
        ([y, 0.0, x], ca)
    }
}

fn of_tetrahedron(w: &[DVec3; 4]) -> ([f64; 4], bool) {
    let [a, b, c, d] = *w;
    let volume = (b - a).cross(c - a).dot(d - a);
    // The signed volume that the origin spans with the face opposite each corner; divided by the total volume it is
    // the corner's weight.
    let volumes = [b.cross(c).dot(d), c.cross(a).dot(d), a.cross(b).dot(d), -a.cross(b).dot(c)];
    let size = (b - a).length() * (c - a).length() * (d - a).length();
    if volume.abs() > 1e-13 * size && volumes.iter().all(|part| part * volume > 0.0) {
        return (volumes.map(|part| part / volume), true);
    }
    // The nearest point is on a face that separates the origin from the opposite corner.
    let away = w.iter().map(|corner| corner.length_squared()).fold(0.0, f64::max);
    let large = volume.abs() > LARGE * away * away.sqrt();
    let faces = [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)];
    let mut best = ([1.0, 0.0, 0.0, 0.0], f64::INFINITY);
    for (face, opposite) in faces {
        if large && volumes[opposite] * volume > 0.0 {
            continue;
        }
        let (weights, squared) = of_triangle(face.map(|i| w[i]));
        if squared < best.1 {
            let mut all = [0.0; 4];
            for (i, weight) in face.into_iter().zip(weights) {
                all[i] = weight;
            }
            best = (all, squared);
        }
    }
    (best.0, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All weights that are multiples of 1/8.
    fn grid(count: usize) -> Vec<[f64; 4]> {
        let mut all = vec![[0.0; 4]];
        for i in 1..count {
            all = all
                .iter()
                .flat_map(|w| {
                    (0..=8).map(move |k| {
                        let mut w = *w;
                        w[i] = f64::from(k) / 8.0;
                        w
                    })
                })
                .collect();
        }
        all.retain(|w| w.iter().sum::<f64>() <= 1.0);
        all.iter_mut().for_each(|w| w[0] = 1.0 - w[1] - w[2] - w[3]);
        all
    }

    #[test]
    fn no_point_of_the_simplex_is_nearer() {
        let mut seed: u64 = 5;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(seed >> 33).unwrap()) / f64::from(1_u32 << 30) - 1.0
        };
        let mut within = 0;
        for case in 0..1000 {
            // Every third simplex is flat, and every seventh has a duplicate corner.
            let thin = if case % 3 == 0 { 0.0 } else { 1.0 };
            let mut w = [0; 4].map(|_| DVec3::new(next(), next(), 0.1 + 0.5 * thin * next()));
            if case % 7 == 0 {
                w[3] = w[0];
            }
            for count in 1..=4 {
                let (weights, inside) = nearest_weights(&w, count);
                let sum: f64 = weights.iter().sum();
                assert!((sum - 1.0).abs() < 1e-12 && weights.iter().all(|x| *x >= 0.0), "{weights:?}");
                assert!(weights[count..].iter().all(|x| *x == 0.0));
                let at = |weights: &[f64; 4]| (0..4).map(|i| weights[i] * w[i]).sum::<DVec3>().length();
                let least = grid(count).iter().map(at).fold(f64::INFINITY, f64::min);
                assert!(at(&weights) <= least + 1e-12, "{count} {w:?}: {} {least}", at(&weights));
                assert!(!inside || at(&weights) < 1e-9);
                within += u32::from(inside);
            }
        }
        assert!(within > 20, "{within}");
    }
}
