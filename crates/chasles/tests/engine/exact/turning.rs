//! A surface that moves along a screw past another: when their features meet, in fixed point.
//!
//! A screw is stored as a point of its axis, however far, its unit direction, slide and angle: 384 places suffice.
//! The functions of time have the coefficients of the paper (Kim and Rossignac 2003); whether features meet at a root
//! is decided from the moved points themselves.

use chasles::ContactFeatures;
use glam::{DQuat, DVec3};
use num_bigint::BigInt;

use super::passing::{Passing, Surface};
use super::rational::{Frame, Ratio, Unit, Vector, cross, dot, minus, plus, rough, rough_vector};
use super::{Exact, FRACTION, basis, time, times, unit};

/// A vector of numbers in fixed point.
fn fixed(v: DVec3) -> Vector {
    v.to_array().map(time)
}

fn product(a: &Vector, b: &Vector) -> BigInt {
    dot(a, b) >> FRACTION
}

fn across(a: &Vector, b: &Vector) -> Vector {
    cross(a, b).map(|x| x >> FRACTION)
}

fn by(factor: &BigInt, v: &Vector) -> Vector {
    v.each_ref().map(|x| times(factor, x))
}

/// A point given in a frame, in fixed point.
pub fn placed(frame: &Frame, lengths: Unit, v: DVec3) -> Vector {
    let up = FRACTION + lengths.0;
    frame.point(&lengths.vector(v)).map(|x| super::shifted(&x, up) / &frame.norm)
}

/// The arc tangent of x >= 0: halved until its series is short.
fn arc_tangent(x: &BigInt) -> BigInt {
    const HALVINGS: i32 = 10;
    let one = unit(FRACTION);
    let mut y = x.clone();
    for _ in 0..HALVINGS {
        let root = (unit(2 * FRACTION) + &y * &y).sqrt();
        y = (y << FRACTION) / (&one + root);
    }
    let square = times(&y, &y);
    let (mut sum, mut term) = (y.clone(), y);
    for k in 1_i64.. {
        term = -times(&term, &square);
        if term.bits() < 2 {
            break;
        }
        sum += &term / (2 * k + 1);
    }
    sum << HALVINGS
}

/// A motion over t in [0, 1]: a rotation by an angle about an axis, with a slide along it.
#[derive(Debug, Clone)]
pub struct Turning {
    direction: Vector,
    point: Vector,
    slide: BigInt,
    angle: BigInt,
}

impl Turning {
    /// A screw about the axis through a point.
    pub fn about(direction: DVec3, point: DVec3, slide: f64, angle: f64) -> Self {
        let direction = fixed(direction);
        let length = dot(&direction, &direction).sqrt();
        let direction = direction.map(|x| (x << FRACTION) / &length);
        Self { direction, point: fixed(point), slide: time(slide), angle: time(angle) }
    }

    /// From one pose to another, by the shorter rotation; `None` without rotation, or for half a turn.
    pub fn between([from, to]: [DVec3; 2], [q0, q1]: [DQuat; 2]) -> Option<Self> {
        let [a, b] = [q0, q1].map(|q| {
            let own = Unit::of(q.to_array());
            (own.vector(q.xyz()), own.integer(q.w))
        });
        // q1 times the conjugate of q0.
        let scaled = |by: &BigInt, v: &Vector| v.each_ref().map(|x| by * x);
        let mut axis = minus(&minus(&scaled(&a.1, &b.0), &scaled(&b.1, &a.0)), &cross(&b.0, &a.0));
        let mut cosine = &b.1 * &a.1 + dot(&b.0, &a.0);
        if super::rational::is_negative(&cosine) {
            (axis, cosine) = (axis.map(|x| -x), -cosine);
        }
        let sine: BigInt = dot(&axis, &axis) << (2 * FRACTION);
        if sine == BigInt::ZERO || cosine == BigInt::ZERO {
            return None;
        }
        let tangent = (&sine / (&cosine * &cosine)).sqrt();
        let sine = sine.sqrt();
        let direction = axis.map(|x| (x << (2 * FRACTION)) / &sine);
        let way = minus(&fixed(to), &fixed(from));
        let slide = product(&direction, &way);
        let off = minus(&way, &by(&slide, &direction));
        let cotangent = unit(2 * FRACTION) / &tangent;
        let turned = by(&cotangent, &across(&direction, &off));
        let point = plus(&fixed(from), &plus(&off, &turned).map(|x| x >> 1));
        Some(Self { direction, point, slide, angle: arc_tangent(&tangent) << 1 })
    }

    fn back(&self) -> Self {
        Self { slide: -&self.slide, angle: -&self.angle, ..self.clone() }
    }

    /// The angle, not negative.
    fn turn(&self) -> BigInt {
        BigInt::from(self.angle.magnitude().clone())
    }

    fn omega(&self) -> Vector {
        by(&self.angle, &self.direction)
    }

    /// The path of a point: x + t slide + sigma u + kappa w.
    fn path(&self, x: &Vector) -> [Vector; 4] {
        let omega = self.omega();
        let u = across(&omega, &minus(x, &self.point));
        let w = across(&omega, &u);
        [x.clone(), by(&self.slide, &self.direction), u, w]
    }

    /// The position of a point at a time.
    fn at(&self, x: &Vector, t: &BigInt) -> Vector {
        let [x, slide, u, w] = self.path(x);
        let [sigma, kappa, _] = basis(&self.turn(), t);
        plus(&plus(&x, &by(t, &slide)), &plus(&by(&sigma, &u), &by(&kappa, &w)))
    }
}

/// A meeting of two features.
#[derive(Debug, Clone)]
pub struct Meeting {
    /// An enclosure of width 2^-200, or an exact time.
    pub time: [BigInt; 2],
    pub features: ContactFeatures,
    /// The speed at which the features approach, in metres per unit of t; smaller if they determine the direction
    /// badly.
    pub speed: f64,
}

/// A moves along a screw past B; points in fixed point, at their positions at t = 0.
#[derive(Debug, Clone)]
pub struct Turned {
    pub a: Surface,
    pub b: Surface,
    pub screw: Turning,
}

/// Fraction of the features' length beyond which meeting inside, or outside, is decided.
const CLEAR: f64 = 1e-9;

impl Turned {
    /// All meetings, sorted by time; `None` if undecided, because features barely meet.
    pub fn meetings(&self) -> Option<Vec<Meeting>> {
        let mut found = Vec::new();
        let back = self.screw.back();
        for (surface, other, screw, of_b) in
            [(&self.b, &self.a, &self.screw, true), (&self.a, &self.b, &back, false)]
        {
            for (face, corners) in (0_u32..).zip(&surface.faces) {
                let corners = corners.map(|v| &surface.points[v as usize]);
                for (vertex, point) in (0_u32..).zip(&other.points) {
                    let features = match of_b {
                        true => ContactFeatures::VertexFace { a: vertex, b: face },
                        false => ContactFeatures::FaceVertex { a: face, b: vertex },
                    };
                    found.extend(point_meets(point, corners, screw, features)?);
                }
            }
        }
        for a in &self.a.edges {
            for b in &self.b.edges {
                found.extend(self.edges_meet(*a, *b)?);
            }
        }
        found.sort_by(|x, y| x.time.cmp(&y.time));
        Some(found)
    }

    /// The meetings of two edges, at zeros of det(r(t), l(t), m), with r from B's edge to A's, l along A's and m
    /// along B's.
    fn edges_meet(&self, a: [u32; 2], b: [u32; 2]) -> Option<Vec<Meeting>> {
        let ([p, p1], [q, q1]) =
            (a.map(|v| &self.a.points[v as usize]), b.map(|v| &self.b.points[v as usize]));
        let [_, slide, u, w] = self.screw.path(p);
        let (l, m, r) = (minus(p1, p), minus(q1, q), minus(p, q));
        let omega = self.screw.omega();
        let l1 = across(&omega, &l);
        let l2 = across(&omega, &l1);
        let [lm, l1m, l2m] = [&l, &l1, &l2].map(|l| across(l, &m));
        let e = [
            product(&r, &lm),
            product(&slide, &lm),
            product(&r, &l1m) + product(&u, &lm),
            product(&r, &l2m) + product(&w, &lm) + 2 * product(&u, &l1m),
            product(&slide, &l1m),
            product(&slide, &l2m),
        ];
        let function = Exact::of(e, self.screw.turn());
        let mut found = Vec::new();
        for (t, bracket) in roots(&function)? {
            let [p, p1] = [p, p1].map(|x| self.screw.at(x, &t));
            let (l, w) = (minus(&p1, &p), minus(q, &p));
            let n = across(&l, &m);
            let shares = [across(&w, &m), across(&w, &l)].map(|x| share(&product(&x, &n), &product(&n, &n)));
            let inside = shares.iter().map(|x| x.min(1.0 - x)).fold(1.0, f64::min);
            if inside.is_nan() || inside.abs() <= CLEAR {
                return None;
            }
            if inside > 0.0 {
                let [edges, normal] = [length(&l) * length(&m), length(&n)];
                let slope = function.to_f64(&function.at(&t)[1]).abs();
                let features = ContactFeatures::EdgeEdge { a, b };
                // Divided by the sine once for the distance, and not again for its effect on rounding.
                let speed = slope / edges;
                found.push(Meeting {
                    time: bracket,
                    features,
                    speed: if normal > 0.0 { speed } else { 0.0 },
                });
            }
        }
        Some(found)
    }

    /// The first time at which a point that moves with A is at `height` above the first triangle of B, as a bracket;
    /// and its smallest height above this triangle.
    pub fn first_above(&self, point: &Vector, height: f64) -> Option<([BigInt; 2], f64)> {
        let (function, length) = self.above(point);
        let [e0, rest @ ..] = function;
        let e0 = e0 - times(&length, &time(height));
        let [e1, e2, e3, e4, e5] = rest;
        let function = Exact::of([e0, e1, e2, e3, e4, e5], self.screw.turn());
        let (at, bracket) = roots(&function)?.into_iter().min_by(|x, y| x.0.cmp(&y.0))?;
        Some((bracket, function.to_f64(&function.at(&at)[1]).abs() / to_f64(&length)))
    }

    /// The smallest height of A's points above the first triangle of B during the motion, in fixed point; `None` if
    /// undecided.
    pub fn least_above(&self) -> Option<BigInt> {
        let heights = self.a.points.iter().map(|point| {
            let (e, length) = self.above(point);
            let b = self.screw.turn();
            let [_, e1, e2, e3, ..] = &e;
            let curl = times(&times(&b, &b), e2);
            let zero = BigInt::ZERO;
            let slope = [e1 + e2, zero.clone(), e3.clone(), -curl, zero.clone(), zero];
            let turns = roots(&Exact::of(slope, b.clone()))?.into_iter().map(|(t, _)| t);
            let heights = turns.chain([BigInt::ZERO, unit(FRACTION)]).map(|t| {
                let [sigma, kappa, _] = basis(&b, &t);
                let height = &e[0] + times(e1, &t) + times(e2, &sigma) + times(e3, &kappa);
                (height << FRACTION) / &length
            });
            heights.min()
        });
        heights.collect::<Option<Vec<_>>>()?.into_iter().min()
    }

    /// The coefficients of a point's height above the first triangle of B, times the returned length.
    fn above(&self, point: &Vector) -> ([BigInt; 6], BigInt) {
        let corners = self.b.faces[0].map(|v| &self.b.points[v as usize]);
        let (e, n) = height(point, corners, &self.screw);
        (e, dot(&n, &n).sqrt())
    }

    /// Both surfaces at a time.
    pub fn at(&self, t: f64) -> Passing {
        let t = time(t);
        let points = self.a.points.iter().map(|x| self.screw.at(x, &t)).collect();
        Passing {
            a: Surface { points, ..self.a.clone() },
            b: self.b.clone(),
            way: [BigInt::ZERO, BigInt::ZERO, BigInt::ZERO],
            denominator: BigInt::from(1),
            exponent: -FRACTION,
        }
    }

    /// The square of the distance of the surfaces, in square metres, if they do not intersect.
    pub fn gap_squared(&self, t: f64) -> Ratio {
        self.at(t).gap_squared(&Ratio::of(0.0))
    }
}

/// A number in fixed point of any size as a double.
fn to_f64(x: &BigInt) -> f64 {
    let (x, up) = rough(x);
    x * 2.0_f64.powi(up - FRACTION)
}

fn length(v: &Vector) -> f64 {
    let (v, up) = rough_vector(v);
    v.length() * 2.0_f64.powi(up - FRACTION)
}

fn share(x: &BigInt, of: &BigInt) -> f64 {
    if *of == BigInt::ZERO { f64::NAN } else { Ratio::new(x.clone(), of.clone()).double() }
}

/// The roots in [0, 1], each with a narrow bracket; `None` if they are not simple.
fn roots(function: &Exact) -> Option<Vec<(BigInt, [BigInt; 2])>> {
    let zeros = function.zeros(&BigInt::ZERO, &unit(FRACTION));
    zeros.clusters.is_empty().then(|| {
        let refined = zeros.simple.into_iter().map(|bracket| {
            let [lo, hi] = narrowed(function, bracket);
            let middle: BigInt = (&lo + &hi) >> 1;
            (middle, [lo, hi])
        });
        refined.collect()
    })
}

/// Binary places to which times are known.
const PLACES: i32 = 200;

/// A bracket of a simple root, narrowed to twice 2^-[`PLACES`]: by Newton's method, verified by a change of sign; by
/// bisection otherwise.
fn narrowed(function: &Exact, mut bracket: [BigInt; 2]) -> [BigInt; 2] {
    let [lo, hi] = &bracket;
    let mut t: BigInt = (lo + hi) >> 1;
    for _ in 0..NEWTON {
        let [value, slope, ..] = function.at(&t);
        if slope == BigInt::ZERO {
            break;
        }
        let next = (&t - (value << FRACTION) / slope).clamp(lo.clone(), hi.clone());
        let step = &next - &t;
        t = next;
        if step.bits() < u64::from((FRACTION - PLACES - 20).unsigned_abs()) {
            break;
        }
    }
    let width = unit(FRACTION - PLACES);
    let around = [(&t - &width).max(lo.clone()), (&t + &width).min(hi.clone())];
    if function.changes_sign(&around[0], &around[1], &BigInt::ZERO) {
        return around;
    }
    function.refine(&mut bracket, PLACES);
    bracket
}

/// Number of Newton steps, each of which finally more than doubles the digits.
const NEWTON: usize = 16;

/// The coefficients of the height of a point that moves along a screw above a static triangle, times the length of
/// the normal; and the normal.
fn height(point: &Vector, [q, q1, q2]: [&Vector; 3], screw: &Turning) -> ([BigInt; 6], Vector) {
    let n = across(&minus(q1, q), &minus(q2, q));
    let [x, slide, u, w] = screw.path(point);
    let zero = BigInt::ZERO;
    let e = [
        product(&n, &minus(&x, q)),
        product(&n, &slide),
        product(&n, &u),
        product(&n, &w),
        zero.clone(),
        zero,
    ];
    (e, n)
}

/// The meetings of a point that moves along a screw with a static triangle.
fn point_meets(
    point: &Vector,
    corners: [&Vector; 3],
    screw: &Turning,
    features: ContactFeatures,
) -> Option<Vec<Meeting>> {
    let [q, q1, q2] = corners;
    let (side, other) = (minus(q1, q), minus(q2, q));
    let (e, n) = height(point, corners, screw);
    let function = Exact::of(e, screw.turn());
    let mut found = Vec::new();
    for (t, bracket) in roots(&function)? {
        let from = minus(&screw.at(point, &t), q);
        let whole = product(&n, &n);
        let one = share(&product(&across(&from, &other), &n), &whole);
        let two = share(&product(&across(&side, &from), &n), &whole);
        let inside = one.min(two).min(1.0 - one - two);
        if inside.is_nan() || inside.abs() <= CLEAR {
            return None;
        }
        if inside > 0.0 {
            let slope = function.to_f64(&function.at(&t)[1]).abs();
            found.push(Meeting { time: bracket, features, speed: slope / (length(&side) * length(&other)) });
        }
    }
    Some(found)
}
