//! Two static surfaces, slowly and obviously correct: whether they intersect, and their distance.
//!
//! Meshes: every pair of triangles. Round bodies: the signed distance of their solid is convex, so over a triangle or
//! along the core of a ball or capsule a section search finds its minimum, and its maximum is at a corner. For two
//! bodies that are each a cylinder or a cone, points all over both surfaces are tested, which never underestimates a
//! gap and never invents a contact.

use crate::cases::hypotenuse;
use chasles::triangles_intersect;
use chasles::{CollisionShape, Pose, Primitive};
use glam::DVec3;

type Triangle = [DVec3; 3];

/// One surface, in its own frame.
#[derive(Debug, Clone)]
pub struct Surface {
    pub triangles: Vec<Triangle>,
    pub corners: Vec<DVec3>,
    pub round: Option<Primitive>,
    /// The surface is within `radius` of `centre`.
    pub centre: DVec3,
    pub radius: f64,
}

/// The relation of two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairSample {
    /// They certainly intersect.
    pub meets: bool,
    /// An upper bound minus `slack` of the distance; 0 if they intersect. It is the distance only with
    /// [`Detail::Exact`].
    pub gap: f64,
    /// Maximum amount by which the gap is too large.
    pub slack: f64,
}

/// The required accuracy of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A lower bound suffices for bodies that are far from each other.
    Bound,
    Exact,
}

impl Surface {
    pub fn of(shape: &CollisionShape, round: Option<Primitive>) -> Self {
        let mesh = shape.drawn();
        let corner = |i: u32| mesh.vertex(i);
        let triangles: Vec<Triangle> = mesh.triangles().iter().map(|t| t.map(corner)).collect();
        let mut corners: Vec<DVec3> = triangles.iter().flatten().copied().collect();
        corners.sort_by(|p, q| p.to_array().partial_cmp(&q.to_array()).unwrap());
        corners.dedup();
        let (centre, radius) = match &round {
            Some(round) => (DVec3::ZERO, round.half_size().length()),
            None => {
                let centre = mesh.centre();
                (centre, corners.iter().map(|p| p.distance(centre)).fold(0.0, f64::max))
            }
        };
        Self { triangles, corners, round, centre, radius }
    }

    /// Whether a point is inside: by the parity of a ray.
    fn holds(&self, point: DVec3) -> bool {
        if let Some(round) = &self.round {
            return signed_distance(round, point) < 0.0;
        }
        let way = DVec3::new(0.412_398_1, 0.733_219_7, 0.540_731_3);
        let crossed = |t: &&Triangle| {
            let (e, f) = (t[1] - t[0], t[2] - t[0]);
            let across = way.cross(f);
            let det = e.dot(across);
            if det == 0.0 {
                return false;
            }
            let from = point - t[0];
            let u = from.dot(across) / det;
            let turned = from.cross(e);
            let v = way.dot(turned) / det;
            u >= 0.0 && v >= 0.0 && u + v <= 1.0 && f.dot(turned) / det > 0.0
        };
        self.triangles.iter().filter(crossed).count() % 2 == 1
    }

    /// Whether a part of another surface is inside this one; `pose` is the other's frame in this one's. The surfaces
    /// do not intersect.
    pub fn holds_some_of(&self, other: &Self, pose: &Pose) -> bool {
        let tip = other.round.as_ref().map(|round| DVec3::Z * round.half_size().z);
        match tip {
            Some(tip) => self.holds(pose.transform_point(tip)),
            None => other.corners.iter().any(|corner| self.holds(pose.transform_point(*corner))),
        }
    }
}

/// Surface A, at a pose in B's frame, and surface B.
pub fn sample_surfaces(a: &Surface, b: &Surface, pose: &Pose, detail: Detail) -> PairSample {
    let apart = pose.transform_point(a.centre).distance(b.centre) - a.radius - b.radius;
    if detail == Detail::Bound && apart > 0.5 * a.radius.max(b.radius) {
        return PairSample { meets: false, gap: apart, slack: 0.0 };
    }
    match (&a.round, &b.round) {
        (None, None) => meshes(a, b, pose),
        (Some(round), None) => mesh_and_round(b, &pose.inverse(), round),
        (None, Some(round)) => mesh_and_round(a, pose, round),
        (Some(x), Some(y)) => match (core(x), core(y)) {
            (_, Some((half, radius))) => core_and_round((half, radius), y, x, pose),
            (Some((half, radius)), None) => core_and_round((half, radius), x, y, &pose.inverse()),
            (None, None) => points_of_both(x, y, pose),
        },
    }
}

fn from_signed(value: f64, slack: f64) -> PairSample {
    PairSample { meets: value < -slack, gap: value.max(0.0), slack }
}

fn meshes(a: &Surface, b: &Surface, pose: &Pose) -> PairSample {
    let bounds = |t: &Triangle| (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    let others: Vec<_> = b.triangles.iter().map(|t| (t, bounds(t))).collect();
    let mut best = f64::INFINITY;
    for own in &a.triangles {
        let own = own.map(|p| pose.transform_point(p));
        let (lo, hi) = bounds(&own);
        for (other, (from, to)) in &others {
            let between = (*from - hi).max(lo - *to).max(DVec3::ZERO);
            let least = between.length();
            if least < best {
                if least == 0.0 && triangles_intersect(&own, other) {
                    return PairSample { meets: true, gap: 0.0, slack: 0.0 };
                }
                best = best.min(triangle_distance(&own, other));
            }
        }
    }
    PairSample { meets: false, gap: best, slack: 0.0 }
}

/// The distance of two triangles that do not intersect.
pub fn triangle_distance(a: &Triangle, b: &Triangle) -> f64 {
    let mut best = f64::INFINITY;
    for i in 0..3 {
        best = best.min(point_triangle(a[i], b)).min(point_triangle(b[i], a));
        for j in 0..3 {
            best = best.min(segments([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]));
        }
    }
    best
}

/// Distance of a point from a triangle.
pub fn point_triangle(p: DVec3, t: &Triangle) -> f64 {
    let sides = [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let border = sides.iter().map(|[v, w]| point_segment(p, *v, *w)).fold(f64::INFINITY, f64::min);
    let normal = (t[1] - t[0]).cross(t[2] - t[0]);
    let above = sides.iter().all(|[v, w]| normal.cross(*w - *v).dot(p - *v) >= 0.0);
    let length = normal.length();
    if above && length > 0.0 { border.min((normal.dot(p - t[0]) / length).abs()) } else { border }
}

fn point_segment(p: DVec3, v: DVec3, w: DVec3) -> f64 {
    let way = w - v;
    let square = way.length_squared();
    let share = if square > 0.0 { ((p - v).dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(v + share * way)
}

fn segments([p, q]: [DVec3; 2], [v, w]: [DVec3; 2]) -> f64 {
    let ends = point_segment(p, v, w)
        .min(point_segment(q, v, w))
        .min(point_segment(v, p, q))
        .min(point_segment(w, p, q));
    let (d, e, r) = (q - p, w - v, v - p);
    let normal = d.cross(e);
    let square = normal.length_squared();
    if square > 0.0 {
        let (s, t) = (r.cross(e).dot(normal) / square, r.cross(d).dot(normal) / square);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            return ends.min((p + s * d).distance(v + t * e));
        }
    }
    ends
}

fn segment_triangle([p, q]: [DVec3; 2], t: &Triangle) -> f64 {
    if triangles_intersect(&[p, q, q], t) {
        return 0.0;
    }
    let sides = [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let borders = sides.iter().map(|side| segments([p, q], *side)).fold(f64::INFINITY, f64::min);
    borders.min(point_triangle(p, t)).min(point_triangle(q, t))
}

/// Half the length of the core of a ball or capsule, along z, and its radius.
fn core(round: &Primitive) -> Option<(f64, f64)> {
    match *round {
        Primitive::Sphere { radius } => Some((0.0, radius)),
        Primitive::Capsule { radius, height } => Some((0.5 * height, radius)),
        _ => None,
    }
}

/// Distance from the solid, negative inside.
pub fn signed_distance(round: &Primitive, point: DVec3) -> f64 {
    let (across, z) = (hypotenuse(point.x, point.y), point.z);
    match *round {
        Primitive::Box { size } => {
            let out = point.abs() - 0.5 * size;
            out.max(DVec3::ZERO).length() + out.max_element().min(0.0)
        }
        Primitive::Sphere { radius } => point.length() - radius,
        Primitive::Capsule { radius, height } => {
            hypotenuse(across, (z.abs() - 0.5 * height).max(0.0)) - radius
        }
        Primitive::Cylinder { radius, height } => {
            let (side, end) = (across - radius, z.abs() - 0.5 * height);
            hypotenuse(side.max(0.0), end.max(0.0)) + side.max(end).min(0.0)
        }
        Primitive::Cone { radius, height } => {
            let p = DVec3::new(across, 0.0, z);
            let rim = DVec3::new(radius, 0.0, -0.5 * height);
            let (tip, foot) = (DVec3::new(0.0, 0.0, 0.5 * height), DVec3::new(0.0, 0.0, -0.5 * height));
            let below = -0.5 * height - z;
            let slant =
                (height * (across - radius) + radius * (z + 0.5 * height)) / hypotenuse(height, radius);
            let inside = below.max(slant);
            if inside <= 0.0 { inside } else { point_segment(p, rim, tip).min(point_segment(p, rim, foot)) }
        }
    }
}

/// A mesh, at a pose in the frame of a round body.
fn mesh_and_round(mesh: &Surface, pose: &Pose, round: &Primitive) -> PairSample {
    let size = round.half_size().length();
    let (mut best, mut slack) = (f64::INFINITY, 1e-14 * (size + mesh.radius));
    for own in &mesh.triangles {
        let own = own.map(|p| pose.transform_point(p));
        let distances = own.map(|p| signed_distance(round, p));
        let most = distances.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let least = match core(round) {
            Some((half, radius)) => segment_triangle([DVec3::Z * half, -DVec3::Z * half], &own) - radius,
            None => {
                slack = slack.max(1e-8 * (size + mesh.radius));
                let middle = (own[0] + own[1] + own[2]) / 3.0;
                let reach = own.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
                if signed_distance(round, middle) - reach > best.max(-most) {
                    continue;
                }
                least_over_triangle(round, &own)
            }
        };
        best = best.min(least.max(-most));
    }
    from_signed(best, slack)
}

/// The minimum of a convex function over [0, 1], by golden sections.
fn least_of(function: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut lo, mut hi) = (0.0, 1.0);
    let (mut x, mut y) = (1.0 - GOLDEN, GOLDEN);
    let (mut at_x, mut at_y) = (function(x), function(y));
    let mut best = function(0.0).min(function(1.0)).min(at_x).min(at_y);
    for _ in 0..42 {
        if at_x <= at_y {
            (hi, y, at_y) = (y, x, at_x);
            x = hi - GOLDEN * (hi - lo);
            at_x = function(x);
            best = best.min(at_x);
        } else {
            (lo, x, at_x) = (x, y, at_y);
            y = lo + GOLDEN * (hi - lo);
            at_y = function(y);
            best = best.min(at_y);
        }
    }
    best
}

fn least_over_triangle(round: &Primitive, [a, b, c]: &Triangle) -> f64 {
    least_of(|s| {
        let (from, to) = (a.lerp(*b, s), a.lerp(*c, s));
        least_of(|t| signed_distance(round, from.lerp(to, t)))
    })
}

/// A ball or capsule (half its core, its radius) and a round body of any kind, at a pose in the frame of the first.
fn core_and_round((half, radius): (f64, f64), own: &Primitive, round: &Primitive, pose: &Pose) -> PairSample {
    let back = pose.inverse();
    let [top, foot] = [half, -half].map(|z| back.transform_point(DVec3::Z * z));
    let slack = 1e-8 * (half + radius + round.half_size().length());
    let least = least_of(|s| signed_distance(round, top.lerp(foot, s)));
    // One body entirely inside the other.
    let ends = signed_distance(round, top).max(signed_distance(round, foot));
    let held = -(ends + radius);
    let holds = -farthest(own, round, pose);
    from_signed((least - radius).max(held).max(holds), slack)
}

/// The maximum signed distance from the first of points of the second, at a pose: it is attained on a rim, or at the
/// tip of a cone.
fn farthest(own: &Primitive, round: &Primitive, pose: &Pose) -> f64 {
    if let Some((half, radius)) = core(round) {
        let [top, foot] = [half, -half].map(|z| signed_distance(own, pose.transform_point(DVec3::Z * z)));
        return top.max(foot) + radius;
    }
    let half = round.half_size();
    let at = |p: DVec3| signed_distance(own, pose.transform_point(p));
    let cone = matches!(round, Primitive::Cone { .. });
    let tip = if cone { at(DVec3::Z * half.z) } else { f64::MIN };
    let rims: &[f64] = if cone { &[-half.z] } else { &[-half.z, half.z] };
    let step = std::f64::consts::TAU / 64.0;
    rims.iter().fold(tip, |most, z| {
        let on_rim = |angle: f64| at(DVec3::new(half.x * angle.cos(), half.x * angle.sin(), *z));
        let best = (0..64).map(|i| step * f64::from(i)).max_by(|x, y| on_rim(*x).total_cmp(&on_rim(*y)));
        let best = best.unwrap_or(0.0);
        most.max(-least_of(|s| -on_rim(best + step * (2.0 * s - 1.0))))
    })
}

/// Points all over a cylinder or cone: rims of `around` points, side and ends in `rings` rings.
fn points(round: &Primitive, around: u32, rings: u32) -> Vec<DVec3> {
    let half = round.half_size();
    let mut points = vec![DVec3::Z * half.z, -DVec3::Z * half.z];
    let cone = matches!(round, Primitive::Cone { .. });
    for i in 0..around {
        let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(around)).sin_cos();
        for ring in 0..=rings {
            let up = f64::from(ring) / f64::from(rings);
            let wide = half.x * if cone { 1.0 - up } else { 1.0 };
            points.push(DVec3::new(wide * c, wide * s, half.z * (2.0 * up - 1.0)));
            points.push(DVec3::new(half.x * up * c, half.x * up * s, -half.z));
            if !cone {
                points.push(DVec3::new(half.x * up * c, half.x * up * s, half.z));
            }
        }
    }
    points
}

fn points_of_both(a: &Primitive, b: &Primitive, pose: &Pose) -> PairSample {
    let back = pose.inverse();
    let (mut least, mut meets) = (f64::INFINITY, false);
    let slack = 1e-12 * (a.half_size().length() + b.half_size().length());
    for (own, other, pose) in [(a, b, pose), (b, a, &back)] {
        let mut most = f64::NEG_INFINITY;
        let mut lowest = f64::INFINITY;
        for point in points(own, 32, 8) {
            let distance = signed_distance(other, pose.transform_point(point));
            lowest = lowest.min(distance);
            most = most.max(distance);
        }
        least = least.min(lowest.max(-most));
        meets |= lowest < -slack && most > slack;
    }
    // Between the points the surfaces may be closer by the spacing of the points.
    let spacing = 0.3 * a.half_size().max_element().max(b.half_size().max_element());
    PairSample { meets, gap: if meets { 0.0 } else { least.max(0.0) }, slack: spacing }
}
