//! Two small polyhedra in integers, with every plane tried: slow and plain.
//!
//! The interiors share a point if the origin is strictly inside the Minkowski difference of the two, all a - b. The
//! half-spaces of a point set are those of every plane through three points that has all others on one side.

use super::{Point, Polyhedron};

/// All points x with n.x <= d.
#[derive(Debug, Clone, Copy)]
struct HalfSpace {
    n: [i128; 3],
    d: i128,
}

fn dot(n: [i128; 3], p: [i128; 3]) -> i128 {
    n[0] * p[0] + n[1] * p[1] + n[2] * p[2]
}

fn wide(p: Point) -> [i128; 3] {
    p.map(i128::from)
}

/// Every half-space of the hull of some points; empty if the points are coplanar.
fn half_spaces(points: &[[i128; 3]]) -> Vec<HalfSpace> {
    let mut found = Vec::new();
    for (i, p) in points.iter().enumerate() {
        for (j, q) in points.iter().enumerate().skip(i + 1) {
            for r in points.iter().skip(j + 1) {
                let [u, v] = [q, r].map(|q| [0, 1, 2].map(|k| q[k] - p[k]));
                let n = [0, 1, 2].map(|k| u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
                if n == [0; 3] {
                    continue;
                }
                let d = dot(n, *p);
                if points.iter().all(|x| dot(n, *x) <= d) {
                    found.push(HalfSpace { n, d });
                } else if points.iter().all(|x| dot(n, *x) >= d) {
                    found.push(HalfSpace { n: n.map(|x| -x), d: -d });
                }
            }
        }
    }
    found
}

/// The features of one polyhedron strictly inside the other: vertices, edges with the ends of the inner part, faces.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Inner {
    pub(crate) vertices: Vec<u32>,
    pub(crate) edges: Vec<([u32; 2], [f64; 2])>,
    pub(crate) faces: Vec<u32>,
}

/// Whether the interiors share a point, and the features of each that are inside the other.
pub(crate) fn interpenetration([a, b]: &[Polyhedron; 2]) -> (bool, [Inner; 2]) {
    let mut difference: Vec<[i128; 3]> = Vec::new();
    for p in &a.points {
        difference.extend(b.points.iter().map(|q| [0, 1, 2].map(|i| i128::from(p[i] - q[i]))));
    }
    difference.sort_unstable();
    difference.dedup();
    let shared = half_spaces(&difference).iter().all(|half| half.d > 0);
    (shared, [inner(a, b), inner(b, a)])
}

fn inner(own: &Polyhedron, other: &Polyhedron) -> Inner {
    let halves = half_spaces(&other.points.iter().map(|p| wide(*p)).collect::<Vec<_>>());
    let point = |v: u32| wide(own.points[v as usize]);
    let is_inside = |p: [i128; 3], times: i128| halves.iter().all(|half| dot(half.n, p) < times * half.d);
    let vertices = (0..own.points.len() as u32).filter(|v| is_inside(point(*v), 1)).collect();
    let sum = |[a, b, c]: [u32; 3]| [0, 1, 2].map(|i| point(a)[i] + point(b)[i] + point(c)[i]);
    let faces = (0..own.faces.len() as u32).filter(|f| is_inside(sum(own.faces[*f as usize]), 3)).collect();
    let mut edges: Vec<[u32; 2]> = own
        .faces
        .iter()
        .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]])
        .filter(|[v, w]| v < w)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let cut = |edge: [u32; 2]| {
        // Fractions of the edge as numerator and positive denominator.
        let (mut from, mut to) = ([0, 1], [1, 1]);
        for half in &halves {
            let [v, w] = edge.map(|v| dot(half.n, point(v)) - half.d);
            if v >= 0 && w >= 0 {
                return None;
            }
            if v > 0 || w > 0 {
                let share = if v > w { [v, v - w] } else { [-v, w - v] };
                let before = |x: [i128; 2], y: [i128; 2]| x[0] * y[1] < y[0] * x[1];
                if v > 0 && before(from, share) {
                    from = share;
                } else if w > 0 && before(share, to) {
                    to = share;
                }
            }
        }
        let double = |[number, by]: [i128; 2]| number as f64 / by as f64;
        (from[0] * to[1] < to[0] * from[1]).then(|| (edge, [double(from), double(to)]))
    };
    Inner { vertices, edges: edges.into_iter().filter_map(cut).collect(), faces }
}

/// Whether a point of doubles is strictly inside a polyhedron: together with a whole box around it, at most 2^-90
/// wide.
pub(crate) fn holds(polyhedron: &Polyhedron, point: [f64; 3]) -> bool {
    const BITS: i32 = 90;
    let scaled = point.map(|x| x * 2.0_f64.powi(BITS));
    let ends = scaled.map(|x| [x.floor() as i128, x.ceil() as i128]);
    let halves = half_spaces(&polyhedron.points.iter().map(|p| wide(*p)).collect::<Vec<_>>());
    halves.iter().all(|half| {
        let furthest: i128 = (0..3).map(|i| (half.n[i] * ends[i][0]).max(half.n[i] * ends[i][1])).sum();
        furthest < half.d << BITS
    })
}
