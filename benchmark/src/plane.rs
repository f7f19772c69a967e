//! Planes that separate two sets of triangles over a time interval. Candidates come from the directions of the
//! sets' features.

use glam::DVec3;

use crate::body::{Body, Jet, Map, Set, placed};

/// A body's set of triangles over a time interval.
#[derive(Debug)]
pub struct Side {
    hull: Vec<f64>,
    map: Map,
    /// Positions of the hull's points at the start, the middle and the end.
    at: [Vec<DVec3>; 3],
    /// Normals of faces, and directions of edges, at the three times.
    faces: [Vec<DVec3>; 3],
    edges: [Vec<DVec3>; 3],
    /// Whether the triangle is degenerate: an edge or a point.
    flat: bool,
    rounding: f64,
    size: f64,
}

/// The maps of a body at the start, over the whole, and at the end of a time interval.
pub type IntervalMaps = [Map; 3];

/// The maps of a body.
#[must_use]
pub fn interval_maps(body: &Body, start: f64, end: f64) -> IntervalMaps {
    [body.map(start, start), body.map(start, end), body.map(end, end)]
}

impl Side {
    /// The side of a set.
    #[must_use]
    pub fn new(body: &Body, set: Set, maps: &IntervalMaps) -> Self {
        let hull = body.hull(set);
        let at = maps.each_ref().map(|m| placed(m, &hull));
        let single = set.len() == 1;
        let corners = if single {
            body.triangles[set.i].iter().flat_map(|v| body.point(*v)).copied().collect()
        } else {
            body.box_corners(set)
        };
        let corners = maps.each_ref().map(|m| placed(m, &corners));
        let edges = corners.each_ref().map(|p| match p[..] {
            [a, b, c] => vec![b - a, c - b, a - c],
            _ => vec![p[1] - p[0], p[2] - p[0], p[4] - p[0]],
        });
        let mut faces = edges.each_ref().map(|e| {
            let normal = e[0].cross(e[1]);
            if single {
                vec![normal, normal.cross(e[0]), normal.cross(e[1]), normal.cross(e[2])]
            } else {
                vec![normal, e[1].cross(e[2]), e[2].cross(e[0])]
            }
        });
        if (2..=6).contains(&set.len()) {
            for t in &body.triangles[set.i..set.j] {
                let corners: Vec<f64> = t.iter().flat_map(|v| body.point(*v)).copied().collect();
                for (f, map) in faces.iter_mut().zip(maps) {
                    let p = placed(map, &corners);
                    f.push((p[1] - p[0]).cross(p[2] - p[0]));
                }
            }
        }
        let flat = single && faces[1][0] == DVec3::ZERO;
        let [_, map, _] = maps;
        let size = hull.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        Self { rounding: body.rounding(map), map: map.clone(), hull, at, faces, edges, flat, size }
    }

    /// The distance that points travel during the interval.
    #[must_use]
    pub fn travel(&self, other: &Self) -> f64 {
        let direction = |s: &Self| {
            let displacements = s.at[0].iter().zip(&s.at[2]).map(|(p, q)| *q - *p);
            displacements.fold((DVec3::MAX, DVec3::MIN), |(lo, hi), w| (lo.min(w), hi.max(w)))
        };
        let ((a, b), (c, d)) = (direction(self), direction(other));
        (b - c).abs().max((d - a).abs()).length()
    }

    fn minimum(&self, time: usize, n: DVec3) -> f64 {
        self.at[time].iter().fold(f64::MAX, |m, p| m.min(n.dot(*p)))
    }

    fn maximum(&self, time: usize, n: DVec3) -> f64 {
        self.at[time].iter().fold(f64::MIN, |m, p| m.max(n.dot(*p)))
    }

    /// A proven lower bound, in metres, of sign (n(s).x - c(s)) over the interval; the plane's rows are n and c.
    fn beyond(&self, plane: &[[f64; 3]; 4], sign: f64) -> f64 {
        let jet = |row: &[f64; 3]| Jet { k: row.map(|k| sign * k), r: 0.0 };
        let columns = self.map[0].len();
        let mut rows: Vec<Jet> = (0..columns)
            .map(|j| (0..3).fold(Jet::default(), |sum, i| sum.plus(jet(&plane[i]).times(self.map[i][j]))))
            .collect();
        let last = rows.pop().unwrap_or_default().plus(jet(&plane[3]).scaled(-1.0));
        let r = last.r + rows.iter().map(|row| row.r).sum::<f64>() * self.size;
        let mut minimum = f64::MAX;
        for p in self.hull.chunks_exact(columns - 1) {
            let value = |k: usize| last.k[k] + p.iter().zip(&rows).map(|(x, row)| x * row.k[k]).sum::<f64>();
            let (a, b, c) = (value(0), value(1).abs(), value(2) - r);
            minimum = minimum.min(if 2.0 * c > b { a - b * b / (4.0 * c) } else { a - b + c });
        }
        minimum
    }
}

/// Numbers of decimals to try when planes are rounded.
const DECIMALS: [i32; 5] = [2, 3, 4, 6, 9];

/// The result of a search for a plane.
#[derive(Debug)]
pub enum PlaneSearch {
    /// Separated by this plane, in the form of a certificate.
    By(Vec<f64>),
    /// Not separated. The value is the distance in the middle of the interval, along the best direction; negative
    /// if the sets intersect.
    Not(f64),
}

/// Searches a plane below A and above B over the whole interval.
#[must_use]
pub fn separating_plane(a: &Side, b: &Side) -> PlaneSearch {
    let mut candidates: Vec<[DVec3; 3]> = Vec::new();
    let across = |list: &[Vec<DVec3>; 3], i: usize| [list[0][i], list[1][i], list[2][i]];
    for side in [a, b] {
        candidates.extend((0..side.faces[0].len()).map(|i| across(&side.faces, i)));
    }
    for i in 0..a.edges[0].len() {
        for j in 0..b.edges[0].len() {
            let across = [0, 1, 2].map(|k| a.edges[k][i].cross(b.edges[k][j]));
            candidates.push(across);
            if a.flat || b.flat {
                // Two edges in one plane, without a face on either side.
                candidates.push([0, 1, 2].map(|k| across[k].cross(a.edges[k][i])));
                candidates.push([0, 1, 2].map(|k| across[k].cross(b.edges[k][j])));
            }
        }
    }
    candidates.push([nearest(&a.at[1], &b.at[1]); 3]);
    let mut best = [(f64::MIN, [DVec3::ZERO; 3]); 2];
    let mut now = f64::MIN;
    for ns in candidates {
        let Some(middle) = ns[1].try_normalize() else { continue };
        let [up, down] =
            [a.minimum(1, middle) - b.maximum(1, middle), a.minimum(1, -middle) - b.maximum(1, -middle)];
        let middle = if up >= down { middle } else { -middle };
        now = now.max(up.max(down));
        if up.max(down) <= 0.0 {
            continue;
        }
        let turned = ns.map(|n| {
            let n = n.normalize_or(middle);
            if n.dot(middle) < 0.0 { -n } else { n }
        });
        for (place, ns) in best.iter_mut().zip([[middle; 3], [turned[0], middle, turned[2]]]) {
            let gap = (0..3).map(|k| a.minimum(k, ns[k]) - b.maximum(k, ns[k])).fold(f64::MAX, f64::min);
            if gap > place.0 {
                *place = (gap, ns);
            }
        }
    }
    let margin = a.rounding + b.rounding;
    for (gap, ns) in best {
        if gap <= 2.0 * margin {
            continue;
        }
        for degree in if ns[0] == ns[2] { [0, 2] } else { [1, 2] } {
            if let Some(plane) = fitted(a, b, &ns, degree, margin) {
                return PlaneSearch::By(plane);
            }
        }
    }
    PlaneSearch::Not(now)
}

/// The plane with these normals at the three times, half-way between the two sets.
fn fitted(a: &Side, b: &Side, ns: &[DVec3; 3], degree: usize, margin: f64) -> Option<Vec<f64>> {
    let n = match degree {
        0 => [ns[1], DVec3::ZERO, DVec3::ZERO],
        1 => [0.5 * (ns[0] + ns[2]), 0.5 * (ns[2] - ns[0]), DVec3::ZERO],
        _ => [ns[1], 0.5 * (ns[2] - ns[0]), 0.5 * (ns[2] + ns[0]) - ns[1]],
    };
    let tried = |n: &[DVec3; 3], decimals: Option<i32>| {
        let at = [n[0] - n[1] + n[2], n[0], n[0] + n[1] + n[2]];
        let levels = [0, 1, 2].map(|k| [b.maximum(k, at[k]), a.minimum(k, at[k])]);
        let middles = levels.map(|[x, y]| 0.5 * (x + y));
        let mut c = match degree {
            0 => {
                let low = levels.iter().fold(f64::MIN, |m, l| m.max(l[0]));
                [0.5 * (low + levels.iter().fold(f64::MAX, |m, l| m.min(l[1]))), 0.0, 0.0]
            }
            1 => {
                let ends = 0.5 * (middles[0] + middles[2]);
                [0.5 * (ends + middles[1]), 0.5 * (middles[2] - middles[0]), 0.0]
            }
            _ => {
                let ends = 0.5 * (middles[0] + middles[2]);
                [middles[1], 0.5 * (middles[2] - middles[0]), ends - middles[1]]
            }
        };
        if let Some(d) = decimals {
            c = c.map(|x| rounded(x, d));
        }
        let rows = [0, 1, 2].map(|i| [n[0][i], n[1][i], n[2][i]]);
        let plane = [rows[0], rows[1], rows[2], c];
        (a.beyond(&plane, 1.0) > margin && b.beyond(&plane, -1.0) > margin).then_some(plane)
    };
    let exact = tried(&n, None)?;
    let short = DECIMALS
        .iter()
        .find_map(|d| tried(&n.map(|v| DVec3::from(v.to_array().map(|x| rounded(x, *d)))), Some(*d)));
    let plane = short.unwrap_or(exact);
    let used = (0..=degree).rev().find(|k| plane.iter().any(|row| row[*k] != 0.0)).unwrap_or(0);
    Some((0..=used).flat_map(|k| plane.map(|row| row[k])).collect())
}

fn rounded(x: f64, decimals: i32) -> f64 {
    let scale = 10.0_f64.powi(decimals);
    // Adding 0 converts -0 to 0.
    (x * scale).round() / scale + 0.0
}

/// Approximately the shortest vector from the hull of `b` to the hull of `a` (Gilbert 1966).
fn nearest(a: &[DVec3], b: &[DVec3]) -> DVec3 {
    let minimum = |points: &[DVec3], n: DVec3| {
        points.iter().copied().min_by(|p, q| n.dot(*p).total_cmp(&n.dot(*q))).unwrap_or_default()
    };
    let mut direction = a.iter().sum::<DVec3>() / a.len() as f64 - b.iter().sum::<DVec3>() / b.len() as f64;
    for _ in 0..24 {
        let further = minimum(a, direction) - minimum(b, -direction);
        let step = further - direction;
        let fraction = -direction.dot(step) / step.length_squared();
        if fraction.is_nan() || fraction <= 1e-9 {
            break;
        }
        direction += fraction.min(1.0) * step;
    }
    direction
}
