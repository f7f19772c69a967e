//! A surface that passes another without rotation: when their features meet, and their distance.
//!
//! All points are integers over one denominator; times are exact ratios. Only signs decide.

use std::collections::BTreeSet;

use chasles::ContactFeatures;
use num_bigint::BigInt;

use super::rational::{
    Ratio, Vector, cross, dot, is_negative, is_within, minus, plus, rough, rough_vector, scaled,
};
use super::shifted;

/// The points of a body at t = 0, with its triangles and edges.
#[derive(Debug, Clone)]
pub struct Surface {
    pub points: Vec<Vector>,
    pub faces: Vec<[u32; 3]>,
    /// Lower vertex first.
    pub edges: Vec<[u32; 2]>,
}

impl Surface {
    pub fn new(points: Vec<Vector>, faces: &[[u32; 3]]) -> Self {
        let sides = faces.iter().flat_map(|[i, j, k]| [[i, j], [j, k], [k, i]]);
        let edges: BTreeSet<[u32; 2]> = sides.map(|[i, j]| [*i.min(j), *i.max(j)]).collect();
        Self { points, faces: faces.to_vec(), edges: edges.into_iter().collect() }
    }

    fn corners(&self, face: u32) -> [&Vector; 3] {
        self.faces[face as usize].map(|v| &self.points[v as usize])
    }

    fn triangles(&self) -> impl Iterator<Item = [&Vector; 3]> {
        self.faces.iter().map(|face| face.map(|v| &self.points[v as usize]))
    }

    fn ends(&self, edge: [u32; 2]) -> [&Vector; 2] {
        edge.map(|v| &self.points[v as usize])
    }
}

/// A moves past B during t in [0, 1].
#[derive(Debug, Clone)]
pub struct Passing {
    pub a: Surface,
    pub b: Surface,
    /// The displacement of A.
    pub way: Vector,
    /// Coordinates in metres are divided by this,
    pub denominator: BigInt,
    /// and multiplied by two to this power.
    pub exponent: i32,
}

/// A meeting of two features.
#[derive(Debug, Clone)]
pub struct Meeting {
    pub time: Ratio,
    pub features: ContactFeatures,
    /// The fraction of the speed that is perpendicular to both features.
    pub across: f64,
    /// The sine of the angle of the edges, or of two edges of the face: how well they determine that perpendicular.
    pub sine: f64,
    /// How far inside both features they meet, as a fraction of the features' length.
    #[allow(dead_code, reason = "told where a case fails")]
    pub inside: f64,
}

/// The sine of the angle between two vectors whose cross product is n, and the cosine of the angle between n and a
/// third.
fn angles([l, m, way]: [&Vector; 3], n: &Vector) -> (f64, f64) {
    let [(l, up_l), (m, up_m), (way, _), (n, up_n)] = [l, m, way, n].map(rough_vector);
    let sine = n.length() / (l.length() * m.length()) * 2.0_f64.powi(up_n - up_l - up_m);
    (sine, (n.normalize().dot(way.normalize())).abs())
}

fn share(x: &BigInt, of: &BigInt) -> f64 {
    let ((x, up), (of, down)) = (rough(x), rough(of));
    x / of * 2.0_f64.powi(up - down)
}

impl Passing {
    /// All meetings of features that are not parallel to the motion, sorted by time.
    pub fn meetings(&self) -> Vec<Meeting> {
        let mut found = Vec::new();
        let back = self.way.each_ref().map(|x| -x);
        for (face, _) in (0_u32..).zip(&self.b.faces) {
            let plane = Plane::new(self.b.corners(face));
            for (vertex, point) in (0_u32..).zip(&self.a.points) {
                let features = ContactFeatures::VertexFace { a: vertex, b: face };
                found.extend(plane.meets(point, &self.way, features));
            }
        }
        for (face, _) in (0_u32..).zip(&self.a.faces) {
            let plane = Plane::new(self.a.corners(face));
            for (vertex, point) in (0_u32..).zip(&self.b.points) {
                let features = ContactFeatures::FaceVertex { a: face, b: vertex };
                found.extend(plane.meets(point, &back, features));
            }
        }
        for a in &self.a.edges {
            for b in &self.b.edges {
                found.extend(self.edges_meet(*a, *b));
            }
        }
        found.sort_by(|x, y| x.time.cmp(&y.time));
        found
    }

    fn edges_meet(&self, a: [u32; 2], b: [u32; 2]) -> Option<Meeting> {
        let ([p, p1], [q, q1]) = (self.a.ends(a), self.b.ends(b));
        let (l, m, w) = (minus(p1, p), minus(q1, q), minus(q, p));
        let n = cross(&l, &m);
        let (denominator, numerator) = (dot(&n, &self.way), dot(&n, &w));
        let time = within(numerator, denominator)?;
        // From a point of A's edge to one of B's, times the denominator.
        let w = minus(&scaled(&time.denominator, &w), &scaled(&time.numerator, &self.way));
        let whole = dot(&n, &n) * &time.denominator;
        let (along_a, along_b) = (dot(&cross(&w, &m), &n), dot(&cross(&w, &l), &n));
        if !is_within(&along_a, &whole) || !is_within(&along_b, &whole) {
            return None;
        }
        let (sine, across) = angles([&l, &m, &self.way], &n);
        let inside = [share(&along_a, &whole), share(&along_b, &whole)].map(|x| x.min(1.0 - x));
        let features = ContactFeatures::EdgeEdge { a, b };
        Some(Meeting { time, features, across, sine, inside: inside[0].min(inside[1]) })
    }

    /// The square of the distance of the surfaces, in square metres, if they do not intersect.
    pub fn gap_squared(&self, t: &Ratio) -> Ratio {
        let (a, b, scale) = self.at(t);
        let mut least = Least(None);
        for (points, other) in [(&a.points, &b), (&b.points, &a)] {
            for point in points {
                other.triangles().for_each(|corners| least.point_face(point, corners));
                other.edges.iter().for_each(|edge| least.point_edge(point, other.ends(*edge)));
            }
        }
        for one in &a.edges {
            b.edges.iter().for_each(|other| least.edges(a.ends(*one), b.ends(*other)));
        }
        self.in_metres(least.0.unwrap(), &scale)
    }

    /// The square of the distance of two features, in square metres; zero for a vertex in a face.
    pub fn feature_gap_squared(&self, features: ContactFeatures, t: &Ratio) -> Ratio {
        let (a, b, scale) = self.at(t);
        let mut least = Least(None);
        let mut near = |point: &Vector, surface: &Surface, face: u32| {
            let corners = surface.corners(face);
            least.point_face(point, corners);
            (0..3).for_each(|i| least.point_edge(point, [corners[i], corners[(i + 1) % 3]]));
        };
        match features {
            ContactFeatures::VertexFace { a: vertex, b: face } => near(&a.points[vertex as usize], &b, face),
            ContactFeatures::FaceVertex { a: face, b: vertex } => near(&b.points[vertex as usize], &a, face),
            ContactFeatures::EdgeEdge { a: one, b: other } => {
                let (one, other) = (a.ends(one), b.ends(other));
                least.edges(one, other);
                one.iter().for_each(|point| least.point_edge(point, other));
                other.iter().for_each(|point| least.point_edge(point, one));
            }
            _ => panic!("meshes have features"),
        }
        self.in_metres(least.0.unwrap(), &scale)
    }

    /// The square of the distance of B from a point of A's frame that is given by its position at t = 0.
    pub fn point_gap_squared(&self, point: &Vector, t: &Ratio) -> Ratio {
        let a = Surface { points: vec![point.clone()], faces: Vec::new(), edges: Vec::new() };
        let alone = Self { a, ..self.clone() };
        let (a, b, scale) = alone.at(t);
        let mut least = Least(None);
        b.triangles().for_each(|corners| least.point_face(&a.points[0], corners));
        b.edges.iter().for_each(|edge| least.point_edge(&a.points[0], b.ends(*edge)));
        self.in_metres(least.0.unwrap(), &scale)
    }

    /// The square of the distance of the first point of A from the first of B.
    pub fn points_gap_squared(&self, t: &Ratio) -> Ratio {
        let (a, b, scale) = self.at(t);
        let between = minus(&a.points[0], &b.points[0]);
        self.in_metres(Ratio::new(dot(&between, &between), BigInt::from(1)), &scale)
    }

    /// Whether an edge of one surface passes through a triangle of the other at a time.
    pub fn intersects(&self, t: &Ratio) -> bool {
        let (a, b, _) = self.at(t);
        [(&a, &b), (&b, &a)].into_iter().any(|(one, other)| {
            other.triangles().any(|corners| {
                let plane = Plane::new(corners);
                one.edges.iter().any(|edge| plane.is_passed_by(one.ends(*edge)))
            })
        })
    }

    /// Both surfaces at a time, with the scale of their coordinates.
    fn at(&self, t: &Ratio) -> (Surface, Surface, BigInt) {
        let Ratio { numerator, denominator } = t;
        let moved = scaled(numerator, &self.way);
        let place = |surface: &Surface, moved: Option<&Vector>| {
            let points = surface.points.iter().map(|point| {
                let point = scaled(denominator, point);
                moved.map_or_else(|| point.clone(), |moved| plus(&point, moved))
            });
            Surface { points: points.collect(), ..surface.clone() }
        };
        (place(&self.a, Some(&moved)), place(&self.b, None), &self.denominator * denominator)
    }

    fn in_metres(&self, Ratio { numerator, denominator }: Ratio, scale: &BigInt) -> Ratio {
        let (up, down) = (2 * self.exponent.max(0), 2 * (-self.exponent).max(0));
        Ratio::new(shifted(&numerator, up), shifted(&(denominator * scale * scale), down))
    }
}

/// numerator / denominator, if that is in [0, 1].
fn within(numerator: BigInt, denominator: BigInt) -> Option<Ratio> {
    let time = Ratio::new(numerator, denominator);
    let none = time.denominator == BigInt::ZERO;
    (!none && is_within(&time.numerator, &time.denominator)).then_some(time)
}

/// A triangle with its normal.
struct Plane<'a> {
    corner: &'a Vector,
    corners: [&'a Vector; 3],
    sides: [Vector; 2],
    normal: Vector,
}

impl<'a> Plane<'a> {
    fn new(corners: [&'a Vector; 3]) -> Self {
        let sides = [minus(corners[1], corners[0]), minus(corners[2], corners[0])];
        let normal = cross(&sides[0], &sides[1]);
        Self { corner: corners[0], corners, sides, normal }
    }

    /// Time and place at which a point that moves by `way` meets the triangle.
    fn meets(&self, point: &Vector, way: &Vector, features: ContactFeatures) -> Option<Meeting> {
        let denominator = dot(&self.normal, way);
        let numerator = dot(&self.normal, &minus(self.corner, point));
        let time = within(numerator, denominator)?;
        let from = minus(point, self.corner);
        let from = plus(&scaled(&time.denominator, &from), &scaled(&time.numerator, way));
        let whole = dot(&self.normal, &self.normal) * &time.denominator;
        let [e, f] = &self.sides;
        let (one, two) = (dot(&cross(&from, f), &self.normal), dot(&cross(e, &from), &self.normal));
        if is_negative(&one) || is_negative(&two) || &one + &two > whole {
            return None;
        }
        let (sine, across) = angles([e, f, way], &self.normal);
        let (one, two) = (share(&one, &whole), share(&two, &whole));
        Some(Meeting { time, features, across, sine, inside: one.min(two).min(1.0 - one - two) })
    }

    /// Whether a segment crosses the triangle at interior points of both.
    fn is_passed_by(&self, [p, q]: [&Vector; 2]) -> bool {
        let side = |point: &Vector| dot(&self.normal, &minus(point, self.corner)).sign();
        if side(p) == side(q) {
            return false;
        }
        let way = minus(q, p);
        let turns = [0, 1, 2].map(|i| {
            let (from, to) = (minus(self.corners[i], p), minus(self.corners[(i + 1) % 3], p));
            dot(&way, &cross(&from, &to)).sign()
        });
        turns[0] == turns[1] && turns[1] == turns[2]
    }
}

/// The minimum of squared distances.
struct Least(Option<Ratio>);

impl Least {
    fn take(&mut self, numerator: BigInt, denominator: BigInt) {
        let new = Ratio { numerator, denominator };
        if self.0.as_ref().is_none_or(|old| new < *old) {
            self.0 = Some(new);
        }
    }

    /// Adds the distance of a point and the interior of a triangle.
    fn point_face(&mut self, point: &Vector, corners: [&Vector; 3]) {
        let Plane { corner, sides: [e, f], normal, .. } = Plane::new(corners);
        let (whole, from) = (dot(&normal, &normal), minus(point, corner));
        if whole == BigInt::ZERO {
            return;
        }
        let (one, two) = (dot(&cross(&from, &f), &normal), dot(&cross(&e, &from), &normal));
        if !is_negative(&one) && !is_negative(&two) && &one + &two <= whole {
            self.take(dot(&from, &normal).pow(2), whole);
        }
    }

    fn point_edge(&mut self, point: &Vector, [p, q]: [&Vector; 2]) {
        let (along, from) = (minus(q, p), minus(point, p));
        let (whole, share) = (dot(&along, &along), dot(&along, &from));
        let one = BigInt::from(1);
        if share >= whole {
            let from = minus(point, q);
            self.take(dot(&from, &from), one);
        } else if is_negative(&share) || whole == BigInt::ZERO {
            self.take(dot(&from, &from), one);
        } else {
            self.take(dot(&from, &from) * &whole - &share * &share, whole);
        }
    }

    /// Adds the distance of interior points of two segments.
    fn edges(&mut self, [p, p1]: [&Vector; 2], [q, q1]: [&Vector; 2]) {
        let (l, m, w) = (minus(p1, p), minus(q1, q), minus(q, p));
        let n = cross(&l, &m);
        let whole = dot(&n, &n);
        if whole == BigInt::ZERO {
            return;
        }
        let (along_a, along_b) = (dot(&cross(&w, &m), &n), dot(&cross(&w, &l), &n));
        if is_within(&along_a, &whole) && is_within(&along_b, &whole) {
            self.take(dot(&w, &n).pow(2), whole);
        }
    }
}
