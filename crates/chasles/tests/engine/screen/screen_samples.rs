//! The slow twin of clearances: every triangle is tested along a dense sample of a flow line.

#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use std::f64::consts::TAU;

use chasles::{Pose, PreparedMesh, Screw};
use glam::DVec3;

/// A passage of a flow line through a face, and whether it is certain: neither grazing nor near a border.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    pub time: f64,
    pub sure: bool,
}

/// Triangles in B's frame at the start, and the sign of the side that matters.
pub struct Surface {
    pub triangles: Vec<[DVec3; 3]>,
    sign: f64,
    /// The largest speed of a corner.
    fastest: f64,
    size: f64,
}

impl Surface {
    pub fn new(body: &PreparedMesh, at: Pose, sign: f64, screw: &Screw) -> Self {
        let mesh = body.mesh();
        let place = |v: u32| at.transform_point(mesh.vertex(v));
        let triangles: Vec<_> = mesh.triangles().iter().map(|t| t.map(place)).collect();
        let speed = |x: &DVec3| screw.velocity_at(*x, 0.0).length();
        let fastest = triangles.iter().flatten().map(speed).fold(0.0, f64::max);
        Self { triangles, sign, fastest, size: mesh.diagonal() }
    }

    /// Every passage of the line through `point` in an interval of time, from the signs along a dense sample.
    pub fn hits(&self, screw: &Screw, point: DVec3, span: (f64, f64)) -> Vec<Hit> {
        let mut hits = Vec::new();
        let samples = 4 + (screw.angle() * (span.1 - span.0) / 0.03) as usize;
        let at = |i: usize| span.0 + (span.1 - span.0) * i as f64 / samples as f64;
        let places: Vec<_> = (0..=samples).map(|i| screw.point_at(point, at(i))).collect();
        let speed = screw.velocity_at(point, 0.0).length();
        for [p, q, r] in &self.triangles {
            let normal = (*q - *p).cross(*r - *p);
            let (area, size) = (normal.length(), self.size);
            if area < 1e-14 * size.powi(2) {
                // A face almost without area: no hit near it is certain.
                if normal != DVec3::ZERO {
                    let near = |x: &DVec3| distance(*x, &[*p, *q, *r]) < 0.03 * (1.0 + screw.angle()) * speed;
                    let near = (0..=samples).filter(|i| near(&places[*i]));
                    hits.extend(near.map(|i| Hit { time: at(i), sure: false }));
                }
                continue;
            }
            let normal = normal.normalize();
            let side = |x: DVec3| normal.dot(x - *p);
            for i in 0..samples {
                let (mut lo, mut hi) = (at(i), at(i + 1));
                let (begins, ends) = (side(places[i]), side(places[i + 1]));
                if (begins <= 0.0) == (ends <= 0.0) {
                    // It may touch the plane in between: grazing, so a hit would not be certain.
                    let facing = normal.dot(screw.velocity_at(places[i], 0.0));
                    let bulge = (speed * screw.angle() * (hi - lo)).abs() * (hi - lo);
                    if begins.abs().min(ends.abs()) < bulge && facing.abs() < 4.0 * bulge / (hi - lo) {
                        hits.push(Hit { time: 0.5 * (lo + hi), sure: false });
                    }
                    continue;
                }
                for _ in 0..70 {
                    let middle = 0.5 * (lo + hi);
                    if (side(screw.point_at(point, middle)) <= 0.0) == (begins <= 0.0) {
                        lo = middle;
                    } else {
                        hi = middle;
                    }
                }
                let place = screw.point_at(point, lo);
                let facing = self.sign * normal.dot(screw.velocity_at(place, 0.0));
                let corners = [(*p, *q), (*q, *r), (*r, *p)];
                let inside = |(v, w): (DVec3, DVec3)| normal.dot((w - v).normalize().cross(place - v));
                let inside = corners.map(inside).into_iter().fold(f64::INFINITY, f64::min);
                // Distance from the border, along the plane: the point is known to about 1e-13 over the sine, and the
                // plane of a sliver rotates with the rounding of its corners.
                let sliver = 1e-14 * size.powi(3) / area;
                let blur = (1e-11 * size + sliver) * (speed / facing.abs()).max(1.0);
                if facing > 0.5e-9 * self.fastest && inside > -blur {
                    let sure = facing > 2e-9 * self.fastest && facing > 1e-5 * speed && inside > blur;
                    hits.push(Hit { time: lo, sure });
                }
            }
        }
        hits
    }
}

/// The distance of a point from a triangle, or at least half of the true distance for slivers: computed from the
/// nearest corner or edge.
fn distance(x: DVec3, corners: &[DVec3; 3]) -> f64 {
    let [p, q, r] = *corners;
    let from = |(v, w): (DVec3, DVec3)| {
        let along = w - v;
        let t = if along == DVec3::ZERO { 0.0 } else { (x - v).dot(along) / along.length_squared() };
        x.distance(v + t.clamp(0.0, 1.0) * along)
    };
    [(p, q), (q, r), (r, p)].map(from).into_iter().fold(f64::INFINITY, f64::min)
}

/// The slow twin's clearances: every certain pair of hits, and every possible one.
pub struct Said {
    least_sure: f64,
    possible: Vec<f64>,
}

pub fn said(from: &[Hit], to: &[Hit], period: f64, slack: f64) -> Said {
    let (mut least_sure, mut possible) = (f64::INFINITY, Vec::new());
    for a in from {
        for b in to {
            let way = b.time - a.time;
            let way = if period.is_finite() { (way + slack).rem_euclid(period) - slack } else { way };
            if way >= -slack {
                possible.push(way.max(0.0));
            }
            if way > slack && a.sure && b.sure {
                least_sure = least_sure.min(way);
            }
        }
    }
    Said { least_sure, possible }
}

impl Said {
    /// Whether an answer is consistent, and whether it was certain.
    pub fn check(&self, answer: Option<f64>, slack: f64, blur: f64) -> Result<bool, String> {
        let told = answer.unwrap_or(f64::INFINITY);
        let near = |way: &f64| (way - told).abs() <= slack + 1e-9 * told;
        if told > self.least_sure * (1.0 + 1e-9) + slack {
            return Err(format!("{told}, but {} is sure", self.least_sure));
        }
        if answer.is_some() && !self.possible.iter().any(|way| near(way) || (way - told).abs() < blur) {
            return Err(format!("{told}, but possible are {:?}", self.possible));
        }
        Ok(told.is_finite() && (told - self.least_sure).abs() <= slack + 1e-9 * told)
    }
}

/// The interval of time in which a line can be near bodies of this reach; if the line closes, its period.
pub fn span(screw: &Screw, point: DVec3, reach: f64) -> Option<((f64, f64), f64)> {
    let s = screw.direction();
    let turn = TAU / screw.angle();
    if screw.slide().abs() * turn.min(1e300) < 1e-13 {
        return (screw.angle() > 1e-3).then_some(((-0.5 * turn, 0.5 * turn), turn));
    }
    let ends = [-reach, reach].map(|z| (z - s.dot(point)) / screw.slide());
    let (lo, hi) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    // At most some turns: otherwise the sample would be too long.
    ((hi - lo) * screw.angle() < 100.0).then_some(((lo, hi), f64::INFINITY))
}
