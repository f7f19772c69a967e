//! Accurate sums of products, for the few places where large terms cancel.

use glam::DVec3;

/// s x (c - p), each component accurate to one or two roundings, however far apart c and p are along s.
///
/// If two distant points lie along s, their difference has no component across s, but the rounding of the
/// difference has. Each component is a sum of four products. A product is stored as two numbers with exactly that
/// sum (Veltkamp, Dekker), and the eight numbers are added as in Ogita, Rump and Oishi, "Accurate sum and dot
/// product" (2005), algorithm 4.8 with K = 3. Numbers must stay below 1e140.
pub(crate) fn cross_of_difference(s: DVec3, c: DVec3, p: DVec3) -> DVec3 {
    let component = |i: usize, j: usize| {
        let products = [(s[i], c[j]), (-s[i], p[j]), (-s[j], c[i]), (s[j], p[i])].map(|(x, y)| product(x, y));
        let [[a, b], [c, d], [e, f], [g, h]] = products;
        sum([a, c, e, g, b, d, f, h])
    };
    DVec3::new(component(1, 2), component(2, 0), component(0, 1))
}

/// (q - p) x (r - p), each component accurate to one or two roundings, however thin the triangle is and however far
/// from the origin. The result is along the normal of the corners as given.
///
/// Each component is a sum of six products. Numbers must stay below 1e140.
pub(crate) fn cross_of_corners([p, q, r]: [DVec3; 3]) -> DVec3 {
    let component = |i: usize, j: usize| {
        let factors = [(q[i], r[j]), (-q[i], p[j]), (-p[i], r[j]), (-q[j], r[i]), (q[j], p[i]), (p[j], r[i])];
        let [[a, b], [c, d], [e, f], [g, h], [k, l], [m, n]] = factors.map(|(x, y)| product(x, y));
        sum([a, c, e, g, k, m, b, d, f, h, l, n])
    };
    DVec3::new(component(1, 2), component(2, 0), component(0, 1))
}

/// Two numbers with the exact sum x y: the rounded product and its error.
fn product(x: f64, y: f64) -> [f64; 2] {
    let rounded = x * y;
    let ([a, b], [c, d]) = (halves(x), halves(y));
    [rounded, b * d - (((rounded - a * c) - b * c) - a * d)]
}

/// Two numbers of at most 26 bits with the sum x.
fn halves(x: f64) -> [f64; 2] {
    let shifted = 134_217_729.0 * x;
    let high = shifted - (shifted - x);
    [high, x - high]
}

fn sum<const N: usize>(mut terms: [f64; N]) -> f64 {
    for _ in 0..2 {
        for i in 1..N {
            // The rounded sum and its error: the total of both is unchanged.
            let (x, y) = (terms[i - 1], terms[i]);
            let rounded = x + y;
            let part = rounded - x;
            (terms[i], terms[i - 1]) = (rounded, (x - (rounded - part)) + (y - part));
        }
    }
    terms.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_terms_cancel_without_a_trace() {
        let s = DVec3::new(1.0, 1.0, 1.0);
        for exponent in 0..200 {
            let far = 2.0_f64.powi(exponent) * 1.1;
            assert_eq!(cross_of_difference(s, DVec3::ZERO, far * s), DVec3::ZERO);
        }
        // Beside the axis by an amount that the rounded difference loses.
        let beside = DVec3::new(0.0, 1e-3, 0.0);
        let found = cross_of_difference(s, beside, 1e30 * s);
        assert_eq!(found, DVec3::new(-1e-3, 0.0, 1e-3));
    }

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 1e16")]
    fn thin_triangles_far_away_have_their_normals() {
        use chasles_testing::Random;
        let mut thin = 0;
        for seed in 0..20_000 {
            let random = &mut Random(seed);
            let whole = |random: &mut Random, r: f64| [(); 3].map(|()| (r * random.side()).round());
            // Nearly collinear points with whole coordinates, whose products fit in 128 bits.
            let (p, along, aside) = (whole(random, 1e15), whole(random, 1e7), whole(random, 2.0));
            let q = [0, 1, 2].map(|i| p[i] + along[i]);
            let r = [0, 1, 2].map(|i| p[i] + 3.0 * along[i] + aside[i]);
            let found = cross_of_corners([p, q, r].map(DVec3::from_array)).to_array();
            let edge = |x: [f64; 3]| [0, 1, 2].map(|i| x[i] as i128 - p[i] as i128);
            let (u, v) = (edge(q), edge(r));
            for (i, found) in found.into_iter().enumerate() {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let truth = (u[j] * v[k] - u[k] * v[j]) as f64;
                assert!((found - truth).abs() <= 4.0 * f64::EPSILON * truth.abs(), "seed {seed}");
                thin += u32::from(truth != 0.0);
            }
        }
        assert!(thin > 10_000, "{thin}");
    }

    #[test]
    fn the_result_is_the_cross_product_if_that_is_exact() {
        let (s, c, p) = (DVec3::new(1.0, -2.0, 3.0), DVec3::new(0.5, 4.0, 8.0), DVec3::new(-7.0, 0.25, 1.0));
        assert_eq!(cross_of_difference(s, c, p), s.cross(c - p));
    }
}
