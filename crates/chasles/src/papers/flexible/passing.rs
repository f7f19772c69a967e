//! The published test of one moving vertex and one moving triangle: the sides of the plane, the polynomial of degree
//! five, ten bisections. Letters are those in the paper.

use glam::{DMat3, DVec3};

use crate::deformable::elementary::features::MovingFeatures;
use crate::papers::flexible::VertexCounters;

/// "After 10 iterations, in our system."
const BISECTIONS: u32 = 10;

/// The time at which the vertex passes through the triangle; `None` if its side of the plane is the same before and
/// after.
pub(super) fn published(
    features: &MovingFeatures,
    intervals: u32,
    counters: &mut VertexCounters,
) -> Option<[f64; 2]> {
    if (height(&features.start) < 0.0) == (height(&features.end) < 0.0) {
        return None;
    }
    counters.sided += 1;
    if features.start[1..] == features.end[1..] {
        return time_through_static(features);
    }
    let mut value = |t: f64| {
        counters.values += 1;
        polynomial(&rows(features, t))
    };
    let (mut lo, mut before) = (0.0, value(0.0));
    for i in 1..=intervals {
        let hi = f64::from(i) / f64::from(intervals);
        let after = value(hi);
        if (before < 0.0) != (after < 0.0) {
            let [from, to] = bisected([lo, hi], before < 0.0, &mut value);
            if is_inside(barycentric(&rows(features, 0.5 * (from + to)))) {
                return Some([from, to]);
            }
        }
        (lo, before) = (hi, after);
    }
    None
}

/// The side of the triangle's plane on which the vertex is: six times the signed volume of the four points.
fn height([p, a, b, c]: &[DVec3; 4]) -> f64 {
    (*b - *a).cross(*c - *a).dot(*p - *a)
}

/// "The easy case": three linear equations in u, v and t, solved by the inverse of their matrix.
fn time_through_static(features: &MovingFeatures) -> Option<[f64; 2]> {
    let [p, a, b, c] = features.start;
    let matrix = DMat3::from_cols(b - a, c - a, p - features.end[0]);
    let [u, v, t] = (matrix.inverse() * (p - a)).to_array();
    ((0.0..=1.0).contains(&t) && is_inside([u, v])).then_some([t, t])
}

fn is_inside([u, v]: [f64; 2]) -> bool {
    u >= 0.0 && v >= 0.0 && u + v <= 1.0
}

/// The coefficients a to l of the three equations at a time t, by axis; c, g and k times t.
fn rows(features: &MovingFeatures, t: f64) -> [[f64; 4]; 3] {
    let velocity = |i: usize| features.end[i] - features.start[i];
    let at = |i: usize| features.start[i] + velocity(i) * t;
    let (along_u, along_v) = (at(2) - at(1), at(3) - at(1));
    let (back, from_corner) = (velocity(0) * -t, features.start[0] - at(1));
    [0, 1, 2].map(|axis| [along_u[axis], along_v[axis], back[axis], from_corner[axis]])
}

/// The polynomial, with the factor a that two of its four terms lack as printed.
fn polynomial(rows: &[[f64; 4]; 3]) -> f64 {
    let [[a, b, c, d], [e, f, g, h], [i, j, k, l]] = *rows;
    a * ((j * a - i * b) * ((h * a - e * d) - (g * a - e * c))
        + (f * a - e * b) * ((k * a - i * c) - (l * a - i * d)))
}

/// Bisects an interval ten times; the signs at its ends differ.
fn bisected([mut lo, mut hi]: [f64; 2], starts_below: bool, value: &mut impl FnMut(f64) -> f64) -> [f64; 2] {
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (lo + hi);
        if (value(middle) < 0.0) == starts_below { lo = middle } else { hi = middle }
    }
    [lo, hi]
}

/// "Back substitution": u and v at a time.
fn barycentric(rows: &[[f64; 4]; 3]) -> [f64; 2] {
    let [[a, b, c, d], [e, f, g, h], _] = *rows;
    let v = ((h * a - e * d) - (g * a - e * c)) / (f * a - e * b);
    [(d - b * v - c) / a, v]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deformable::elementary::features::MovingKind;

    /// A vertex that falls through a rotating face: they are coplanar only at t = 1/2.
    fn falling() -> MovingFeatures {
        let face = |tilt: f64| {
            [
                DVec3::new(-1.0, -1.0, tilt),
                DVec3::new(2.0, -1.5, -tilt),
                DVec3::new(-1.5, 2.0, 0.25 - 0.5 * tilt),
            ]
        };
        let ([a, b, c], [d, e, f]) = (face(0.25), face(0.0));
        let (high, low) = (DVec3::new(0.1, 0.2, 1.0), DVec3::new(-0.3, 0.1, -0.8));
        MovingFeatures { kind: MovingKind::VertexFace, start: [high, a, b, c], end: [low, d, e, f] }
    }

    /// The polynomial as printed in the paper.
    fn printed(rows: &[[f64; 4]; 3]) -> f64 {
        let [[a, b, c, d], [e, f, g, h], [i, j, k, l]] = *rows;
        a * (j * a - i * b) * (h * a - e * d) - a * (j * a - i * b) * (g * a - e * c)
            + (f * a - e * b) * (k * a - i * c)
            - (l * a - i * d) * (f * a - e * b)
    }

    #[test]
    fn the_polynomial_has_a_factor_that_the_print_lacks() {
        let features = falling();
        let at = |t: f64| [0, 1, 2, 3].map(|i| features.start[i].lerp(features.end[i], t));
        for k in 0..=64 {
            let t = f64::from(k) / 64.0;
            let rows = rows(&features, t);
            // Minus a^2 times the cubic, which is the volume of the four points at that time.
            let a = rows[0][0];
            let expected = -a * a * height(&at(t));
            assert!((polynomial(&rows) - expected).abs() < 1e-12, "{t}");
        }
        // When the four points are coplanar, the printed polynomial is far from zero.
        let mut counters = VertexCounters::default();
        let [lo, hi] = published(&features, 16, &mut counters).unwrap();
        let root = 0.5 * (lo + hi);
        let magnitude = |of: fn(&[[f64; 4]; 3]) -> f64| of(&rows(&features, root)).abs();
        assert!(
            magnitude(printed) > 0.3 && magnitude(polynomial) < 0.03,
            "{} {}",
            magnitude(printed),
            magnitude(polynomial)
        );
        // Exactly ten bisections of a sixteenth.
        assert_eq!((hi - lo, counters.values > 10), (0.5_f64.powi(14), true));
    }

    #[test]
    fn linear_equations_give_the_time_for_a_static_triangle() {
        let mut features = falling();
        let [_, a, b, c] = features.start;
        features.end = [features.end[0], a, b, c];
        let mut counters = VertexCounters::default();
        let [t, _] = published(&features, 1, &mut counters).unwrap();
        let at = |t: f64| [0, 1, 2, 3].map(|i| features.start[i].lerp(features.end[i], t));
        assert!(height(&at(t)).abs() < 1e-12 && counters.values == 0, "{t} {counters:?}");
    }
}
