//! Convex cores as triangles, their distance, and a test whether a point is inside: all by brute force.

use glam::DVec3;

/// All points within a radius of the convex hull of triangles. A triangle with two equal corners is a segment, with
/// three equal corners a point.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    triangles: Vec<[DVec3; 3]>,
    radius: f64,
}

impl Core {
    pub(crate) fn cuboid(half: DVec3) -> Self {
        let (points, faces) = crate::cases::box_of(2.0 * half);
        Self { triangles: faces.iter().map(|face| face.map(|v| points[v as usize])).collect(), radius: 0.0 }
    }

    pub(crate) fn octahedron(half: DVec3) -> Self {
        let (points, faces) = crate::cases::octahedron(half);
        Self { triangles: faces.iter().map(|face| face.map(|v| points[v as usize])).collect(), radius: 0.0 }
    }

    pub(crate) fn round([from, to]: [DVec3; 2], radius: f64) -> Self {
        Self { triangles: vec![[from, to, to]], radius }
    }

    pub(crate) fn placed(&self, out: impl Fn(DVec3) -> DVec3) -> Self {
        Self { triangles: self.triangles.iter().map(|t| t.map(&out)).collect(), radius: self.radius }
    }

    /// The distance of a point from the core; inside, minus the approximate depth.
    pub(crate) fn level(&self, p: DVec3) -> f64 {
        let distance =
            self.triangles.iter().map(|t| on_triangle(p, t).distance(p)).fold(f64::INFINITY, f64::min);
        let middle = self.triangles.iter().flatten().sum::<DVec3>() / (3 * self.triangles.len()) as f64;
        let is_behind = |[a, b, c]: &[DVec3; 3]| {
            let normal = (b - a).cross(c - a);
            normal.dot(p - a) * normal.dot(middle - a) >= 0.0
        };
        let inside = self.radius == 0.0 && self.triangles.iter().all(is_behind);
        if inside { -distance } else { distance - self.radius }
    }
}

/// The nearest points of two figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    pub(crate) gap: f64,
    /// The unit direction from the first to the second.
    pub(crate) way: DVec3,
    pub(crate) points: [DVec3; 2],
}

/// The nearest points of two figures that do not overlap.
pub(crate) fn nearest(first: &[Core], second: &[Core]) -> Near {
    let mut best = Near { gap: f64::INFINITY, way: DVec3::ZERO, points: [DVec3::ZERO; 2] };
    for a in first {
        for b in second {
            for s in &a.triangles {
                for t in &b.triangles {
                    let [x, y] = between(s, t);
                    let length = x.distance(y);
                    let gap = length - a.radius - b.radius;
                    if gap < best.gap {
                        let way = (y - x) / length.max(f64::MIN_POSITIVE);
                        best = Near { gap, way, points: [x + a.radius * way, y - b.radius * way] };
                    }
                }
            }
        }
    }
    best
}

/// The nearest points of two triangles that do not intersect: a corner and a triangle, or two edges.
fn between(s: &[DVec3; 3], t: &[DVec3; 3]) -> [DVec3; 2] {
    let corners_of_s = s.iter().map(|p| [*p, on_triangle(*p, t)]);
    let corners_of_t = t.iter().map(|q| [on_triangle(*q, s), *q]);
    let edges = (0..9).map(|k| {
        let (i, j) = (k / 3, k % 3);
        on_segments([s[i], s[(i + 1) % 3]], [t[j], t[(j + 1) % 3]])
    });
    let all = corners_of_s.chain(corners_of_t).chain(edges);
    all.min_by(|x, y| x[0].distance(x[1]).total_cmp(&y[0].distance(y[1]))).unwrap()
}

fn on_segment(p: DVec3, [a, b]: [DVec3; 2]) -> DVec3 {
    let way = b - a;
    let share = if way.length_squared() > 0.0 { (p - a).dot(way) / way.length_squared() } else { 0.0 };
    a + share.clamp(0.0, 1.0) * way
}

fn on_triangle(p: DVec3, t: &[DVec3; 3]) -> DVec3 {
    let [a, b, c] = *t;
    let normal = (b - a).cross(c - a);
    if normal.length_squared() > 0.0 {
        let foot = p - (p - a).dot(normal) / normal.length_squared() * normal;
        let is_within =
            [[a, b], [b, c], [c, a]].iter().all(|[x, y]| (*y - *x).cross(foot - *x).dot(normal) >= 0.0);
        if is_within {
            return foot;
        }
    }
    let feet = [[a, b], [b, c], [c, a]].map(|edge| on_segment(p, edge));
    feet.into_iter().min_by(|x, y| x.distance(p).total_cmp(&y.distance(p))).unwrap()
}

/// The nearest points of two segments: both in their interiors, or one at an end.
fn on_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> [DVec3; 2] {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let det = uu * vv - uv * uv;
    let mut all = vec![
        [a, on_segment(a, [c, d])],
        [b, on_segment(b, [c, d])],
        [on_segment(c, [a, b]), c],
        [on_segment(d, [a, b]), d],
    ];
    if det > 1e-14 * uu * vv {
        let s = (uv * v.dot(w) - vv * u.dot(w)) / det;
        let t = (uu * v.dot(w) - uv * u.dot(w)) / det;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            all.push([a + s * u, c + t * v]);
        }
    }
    all.into_iter().min_by(|x, y| x[0].distance(x[1]).total_cmp(&y[0].distance(y[1]))).unwrap()
}
