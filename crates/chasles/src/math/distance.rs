//! Closest points of two static features.
//!
//! Up to rounding, the points lie on the features for any shape, so the computed distance is never less than the
//! true distance. Degenerate triangles and segments need no special case.

use glam::DVec3;

/// Closest points of two features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Closest {
    /// The point on the first feature.
    pub(crate) a: DVec3,
    /// The point on the second feature.
    pub(crate) b: DVec3,
    /// The square of the distance.
    pub(crate) squared: f64,
    /// Whether both points are inner points of their features (a point is its own inner point).
    pub(crate) interior: bool,
}

impl Closest {
    fn new(a: DVec3, b: DVec3, interior: bool) -> Self {
        Self { a, b, squared: a.distance_squared(b), interior }
    }

    fn nearer(self, other: Self) -> Self {
        if other.squared < self.squared { other } else { self }
    }
}

/// If the squared sine of the angle of two sides exceeds this, the inner points nearest along the common normal are
/// the closest points, rounding included.
const NOT_THIN: f64 = 1e-6;

/// The squared distance of a point from a segment.
pub(crate) fn point_segment_squared(p: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    p.distance_squared(on_segment(p, a, b).0)
}

/// The point of the segment from `a` to `b` that is nearest to `p`, and whether it is an inner point.
fn on_segment(p: DVec3, a: DVec3, b: DVec3) -> (DVec3, bool) {
    let along = b - a;
    let length = along.length_squared();
    let t = (p - a).dot(along);
    // A degenerate segment has length 0: the result is then `a`, whatever t is.
    if t <= 0.0 || length == 0.0 {
        (a, false)
    } else if t >= length {
        (b, false)
    } else {
        (a + (t / length) * along, true)
    }
}

/// The closest points of a point and a triangle.
pub(crate) fn point_triangle(p: DVec3, triangle: &[DVec3; 3]) -> Closest {
    let [v0, v1, v2] = *triangle;
    let (e1, e2) = (v1 - v0, v2 - v0);
    let normal = e1.cross(e2);
    let area = normal.length_squared();
    let over = || {
        let r = p - v0;
        let (beta, gamma) = (r.cross(e2).dot(normal) / area, e1.cross(r).dot(normal) / area);
        let within = beta >= 0.0 && gamma >= 0.0 && beta + gamma <= 1.0;
        let inner = beta > 0.0 && gamma > 0.0 && beta + gamma < 1.0;
        within.then(|| Closest::new(p, v0 + beta * e1 + gamma * e2, inner))
    };
    let over = if area > 0.0 { over() } else { None };
    if let Some(inside) = over
        && inside.interior
        && area > NOT_THIN * e1.length_squared() * e2.length_squared()
    {
        return inside;
    }
    let mut best = Closest::new(p, on_segment(p, v0, v1).0, false)
        .nearer(Closest::new(p, on_segment(p, v1, v2).0, false))
        .nearer(Closest::new(p, on_segment(p, v2, v0).0, false));
    // In a tie, the inner point is preferred.
    if let Some(inside) = over
        && inside.squared <= best.squared
    {
        best = inside;
    }
    best
}

/// The closest points of two segments.
pub(crate) fn segment_segment(a: [DVec3; 2], b: [DVec3; 2]) -> Closest {
    let end = |p: DVec3, on_a: bool| {
        let [s, e] = if on_a { b } else { a };
        let q = on_segment(p, s, e).0;
        if on_a { Closest::new(p, q, false) } else { Closest::new(q, p, false) }
    };
    let (l, m, r) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let normal = l.cross(m);
    let area = normal.length_squared();
    let crossing = || {
        let (alpha, beta) = (m.cross(r).dot(normal) / area, l.cross(r).dot(normal) / area);
        let inner = alpha > 0.0 && alpha < 1.0 && beta > 0.0 && beta < 1.0;
        inner.then(|| Closest::new(a[0] + alpha * l, b[0] + beta * m, true))
    };
    let inside = if area > 0.0 { crossing() } else { None };
    if let Some(inside) = inside
        && area > NOT_THIN * l.length_squared() * m.length_squared()
    {
        return inside;
    }
    let best = end(a[0], true).nearer(end(a[1], true)).nearer(end(b[0], false)).nearer(end(b[1], false));
    inside.filter(|inside| inside.squared <= best.squared).unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minimum distance over a fine grid of points of both features.
    fn sampled(a: impl Fn(f64, f64) -> DVec3, b: impl Fn(f64, f64) -> DVec3) -> f64 {
        let steps = || (0..=40).map(|i| f64::from(i) / 40.0);
        let mut least = f64::INFINITY;
        for (s, t) in steps().flat_map(|s| steps().map(move |t| (s, t))) {
            least = least.min(a(s, t).distance(b(s, t)));
        }
        least
    }

    fn random(seed: &mut u64) -> DVec3 {
        let mut next = || {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(*seed >> 33).unwrap()) / f64::from(1_u32 << 30) - 1.0
        };
        DVec3::new(next(), next(), next())
    }

    #[test]
    fn distances_are_between_the_true_and_the_sampled_distance() {
        let mut seed = 7;
        for _ in 0..300 {
            let [p, a, b, c, d] = [(); 5].map(|()| random(&mut seed));
            let triangle = point_triangle(p, &[a, b, c]);
            let grid = sampled(|_, _| p, |s, t| a + s * (b - a) + (1.0 - s) * t * (c - a));
            let distance = triangle.squared.sqrt();
            assert!(distance <= grid + 1e-12 && grid - distance < 0.1, "{distance} for {grid}");
            let segments = segment_segment([a, b], [c, d]);
            let grid = sampled(|s, _| a + s * (b - a), |_, t| c + t * (d - c));
            let distance = segments.squared.sqrt();
            assert!(distance <= grid + 1e-12 && grid - distance < 0.1, "{distance} for {grid}");
        }
    }

    #[test]
    fn degenerate_features_have_distances_too() {
        let o = DVec3::ZERO;
        let x = DVec3::X;
        assert_eq!(point_triangle(DVec3::new(0.5, 1.0, 0.0), &[o, x, 0.5 * x]).squared, 1.0);
        assert_eq!(point_triangle(DVec3::new(0.0, 3.0, 4.0), &[o, o, o]).squared, 25.0);
        assert_eq!(segment_segment([o, o], [DVec3::Y - x, DVec3::Y + x]).squared, 1.0);
        assert_eq!(segment_segment([o, x], [DVec3::Y, DVec3::Y + x]).squared, 1.0);
    }
}
