//! Contacts at a time: an edge that crosses a triangle, or points that are close to each other.

use glam::DVec3;

use crate::body::{Body, Map, Set, placed};

/// An edge of one body passes through a triangle of the other.
#[derive(Debug, Clone, Copy)]
pub struct Crossing {
    /// The body of the edge: "a" or "b".
    pub who: &'static str,
    /// The triangle of the edge.
    pub triangle: usize,
    /// The corner at which the edge starts.
    pub corner: usize,
    /// The triangle of the other body.
    pub through: usize,
    /// The margin of the crossing, in metres.
    pub margin: f64,
}

/// The maximum number of triangle pairs that are tested.
const PAIRS: usize = 200_000;

/// The crossing with the largest margin at a time.
#[must_use]
pub fn crossing(a: &Body, b: &Body, t: f64) -> Option<Crossing> {
    let mut best: Option<Crossing> = None;
    for [i, j] in close_pairs(a, b, t, 0.0) {
        let [p, q] = [corners(a, i, t), corners(b, j, t)];
        for (who, edges, face, triangle, through) in [("a", &p, &q, i, j), ("b", &q, &p, j, i)] {
            for corner in 0..3 {
                let margin = passes(edges[corner], edges[(corner + 1) % 3], face);
                if margin > best.map_or(0.0, |b| b.margin) {
                    best = Some(Crossing { who, triangle, corner, through, margin });
                }
            }
        }
    }
    let map = [a.map(t, t), b.map(t, t)];
    best.filter(|c| c.margin > 2.0 * (a.rounding(&map[0]) + b.rounding(&map[1])))
}

/// Points of two triangles that are close to each other, with integers as weights of the corners, and their distance.
#[derive(Debug, Clone, Copy)]
pub struct Near {
    /// Triangles of A and B.
    pub triangles: [usize; 2],
    /// Weights of the triangles' corners.
    pub weights: [[u64; 3]; 2],
    /// The distance, in metres.
    pub gap: f64,
}

/// Approximately the nearest points at a time, if their distance is at most `within`.
#[must_use]
pub fn near(a: &Body, b: &Body, t: f64, within: f64) -> Option<Near> {
    let mut best: Option<Near> = None;
    for [i, j] in close_pairs(a, b, t, within) {
        let (gap, weights) = triangles_near(&corners(a, i, t), &corners(b, j, t));
        if gap < best.map_or(within, |b| b.gap) {
            let weights = weights.map(|w| w.map(|x| (x.clamp(0.0, 1.0) * 2.0_f64.powi(53)).round() as u64));
            best = Some(Near { triangles: [i, j], weights, gap });
        }
    }
    best
}

fn corners(body: &Body, triangle: usize, t: f64) -> [DVec3; 3] {
    let numbers = body.triangles[triangle].map(|v| body.point(v)).concat();
    let p = body.places(&numbers, t);
    [p[0], p[1], p[2]]
}

/// Pairs of triangles whose boxes come within a distance.
fn close_pairs(a: &Body, b: &Body, t: f64, within: f64) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    let maps = [a.map(t, t), b.map(t, t)];
    let extent = |body: &Body, map: &Map, set: Set| {
        let p = placed(map, &body.box_corners(set));
        p.iter().fold((DVec3::MAX, DVec3::MIN), |(lo, hi), p| (lo.min(*p), hi.max(*p)))
    };
    let mut todo = vec![(a.all(), b.all())];
    while let Some((sa, sb)) = todo.pop() {
        let ((lo, hi), (lo_b, hi_b)) = (extent(a, &maps[0], sa), extent(b, &maps[1], sb));
        if (lo - hi_b).max(lo_b - hi).max_element() > within {
            continue;
        }
        if sa.len() == 1 && sb.len() == 1 {
            pairs.push([sa.i, sb.i]);
            if pairs.len() > PAIRS {
                break;
            }
        } else if sb.len() == 1 || (sa.len() > 1 && a.radius(sa) >= b.radius(sb)) {
            todo.extend(sa.halves().map(|half| (half, sb)));
        } else {
            todo.extend(sb.halves().map(|half| (sa, half)));
        }
    }
    pairs
}

/// The margin by which the segment from p to q passes through the triangle: a length, not positive if it does not
/// pass through.
fn passes(p: DVec3, q: DVec3, t: &[DVec3; 3]) -> f64 {
    let n = (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
    let [x, y] = [n.dot(p - t[0]), n.dot(q - t[0])];
    if x * y >= 0.0 {
        return 0.0;
    }
    let at = p + x / (x - y) * (q - p);
    (0..3).fold(x.abs().min(y.abs()), |minimum, i| {
        let edge = t[(i + 1) % 3] - t[i];
        minimum.min(n.cross(edge).dot(at - t[i]) / edge.length())
    })
}

/// The distance of two triangles that do not intersect, and the weights of the nearest points.
fn triangles_near(p: &[DVec3; 3], q: &[DVec3; 3]) -> (f64, [[f64; 3]; 2]) {
    let mut best = (f64::MAX, [[0.0; 3]; 2]);
    let mut offer = |gap: f64, weights: [[f64; 3]; 2]| {
        if gap < best.0 {
            best = (gap, weights);
        }
    };
    for i in 0..3 {
        let mut one = [0.0; 3];
        one[i] = 1.0;
        if let Some(w) = foot(p[i], q) {
            offer(p[i].distance(w[0] * q[0] + w[1] * q[1] + w[2] * q[2]), [one, w]);
        }
        if let Some(w) = foot(q[i], p) {
            offer(q[i].distance(w[0] * p[0] + w[1] * p[1] + w[2] * p[2]), [w, one]);
        }
        for j in 0..3 {
            let ([a, b], [c, d]) = ([p[i], p[(i + 1) % 3]], [q[j], q[(j + 1) % 3]]);
            let (u, v) = segments_near(a, b - a, c, d - c);
            let [mut wp, mut wq] = [[0.0; 3]; 2];
            (wp[i], wp[(i + 1) % 3], wq[j], wq[(j + 1) % 3]) = (1.0 - u, u, 1.0 - v, v);
            offer((a + u * (b - a)).distance(c + v * (d - c)), [wp, wq]);
        }
    }
    best
}

/// The weights of the projection of a point onto a triangle, if it is inside.
fn foot(p: DVec3, t: &[DVec3; 3]) -> Option<[f64; 3]> {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let square = n.length_squared();
    let w = [0, 1, 2].map(|i| n.dot((t[(i + 2) % 3] - t[(i + 1) % 3]).cross(p - t[(i + 1) % 3])) / square);
    w.iter().all(|x| *x >= 0.0).then_some(w)
}

/// The nearest points of two segments, as fractions of the segments.
fn segments_near(a: DVec3, l: DVec3, c: DVec3, m: DVec3) -> (f64, f64) {
    let r = a - c;
    let (ll, mm, lm, lr, mr) = (l.dot(l), m.dot(m), l.dot(m), l.dot(r), m.dot(r));
    let clear = ll * mm - lm * lm;
    let at_v = |v: f64| if ll > 0.0 { ((v * lm - lr) / ll).clamp(0.0, 1.0) } else { 0.0 };
    let at_u = |u: f64| if mm > 0.0 { ((u * lm + mr) / mm).clamp(0.0, 1.0) } else { 0.0 };
    let start = if clear > 0.0 { ((lm * mr - lr * mm) / clear).clamp(0.0, 1.0) } else { 0.0 };
    let v = at_u(start);
    let u = at_v(v);
    (u, at_u(u))
}
