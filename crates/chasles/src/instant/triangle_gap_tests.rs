//! The gap of two triangles compared with rational arithmetic: coordinates are exact, and squared distances are
//! fractions.

use chasles_testing::{Random, cases};
use glam::{DQuat, DVec3};
use num_bigint::BigInt;

use super::gap::{Gap, GapLimits, GapSearch, gap};
use super::triangle_gap::{TriangleCorners, nearest_points_and_edges};
use crate::body::PreparedMesh;
use crate::math::distance::segment_segment;
use crate::motion::Pose;
use crate::shape::Mesh;

/// Coordinates are multiples of 2^-240.
const FRACTION: i32 = 240;

type WholeVector = [BigInt; 3];

/// A non-negative fraction with a positive denominator.
#[derive(Debug, Clone)]
struct ExactFraction {
    over: BigInt,
    under: BigInt,
}

impl ExactFraction {
    fn is_less(&self, other: &Self) -> bool {
        &self.over * &other.under < &other.over * &self.under
    }

    fn least(self, other: Self) -> Self {
        if other.is_less(&self) { other } else { self }
    }

    /// The square of a length in metres.
    fn square(length: f64) -> Self {
        let x = fixed(length);
        Self { over: &x * &x, under: BigInt::from(1) }
    }

    /// The square root, in metres, to about 15 digits.
    fn root(&self) -> f64 {
        let bits = |x: &BigInt| i32::try_from(x.bits()).unwrap();
        let shift = (160 - (bits(&self.over) - bits(&self.under)).min(160)) & !1;
        let quotient: BigInt = (&self.over << shift) / &self.under;
        let excess = (bits(&quotient) - 120).max(0) & !1;
        let high = i128::try_from(quotient >> excess).unwrap() as f64;
        high.sqrt() * 2.0_f64.powi((excess - shift) / 2 - FRACTION)
    }
}

fn fixed(x: f64) -> BigInt {
    if x == 0.0 {
        return BigInt::from(0);
    }
    let bits = x.to_bits();
    let exponent = i32::try_from(bits >> 52 & 0x7ff).unwrap() - 1075 + FRACTION;
    let mantissa = i64::try_from(bits & 0xf_ffff_ffff_ffff | 1 << 52).unwrap();
    let mantissa = BigInt::from(if x < 0.0 { -mantissa } else { mantissa });
    assert!(exponent >= 0, "{x} is no multiple");
    mantissa << exponent
}

fn vector(v: DVec3) -> WholeVector {
    v.to_array().map(fixed)
}

fn minus(a: &WholeVector, b: &WholeVector) -> WholeVector {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

fn dot(a: &WholeVector, b: &WholeVector) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &WholeVector, b: &WholeVector) -> WholeVector {
    let part = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
    [part(1, 2), part(2, 0), part(0, 1)]
}

fn point_segment(p: &WholeVector, [a, b]: [&WholeVector; 2]) -> ExactFraction {
    let zero = BigInt::from(0);
    let (along, r) = (minus(b, a), minus(p, a));
    let (t, length) = (dot(&along, &r), dot(&along, &along));
    let whole = |v: &WholeVector| ExactFraction { over: dot(v, v), under: BigInt::from(1) };
    if t <= zero {
        return whole(&r);
    }
    if t >= length {
        return whole(&minus(p, b));
    }
    let across = cross(&along, &r);
    ExactFraction { over: dot(&across, &across), under: length }
}

/// The squared distance of the lines, if their nearest points are inner points of both segments.
fn inner_segments([a, b]: [&WholeVector; 2], [c, d]: [&WholeVector; 2]) -> Option<ExactFraction> {
    let (l, m, r) = (minus(b, a), minus(d, c), minus(a, c));
    let normal = cross(&l, &m);
    let under = dot(&normal, &normal);
    let (alpha, beta) = (dot(&cross(&m, &r), &normal), dot(&cross(&l, &r), &normal));
    let zero = BigInt::from(0);
    let inner = under > zero && alpha >= zero && alpha <= under && beta >= zero && beta <= under;
    let volume = dot(&normal, &r);
    inner.then(|| ExactFraction { over: &volume * &volume, under })
}

/// The squared height of a point above a triangle, if its projection is inside.
fn height(p: &WholeVector, [a, b, c]: [&WholeVector; 3]) -> Option<ExactFraction> {
    let (e1, e2, r) = (minus(b, a), minus(c, a), minus(p, a));
    let normal = cross(&e1, &e2);
    let under = dot(&normal, &normal);
    let (beta, gamma) = (dot(&cross(&r, &e2), &normal), dot(&cross(&e1, &r), &normal));
    let zero = BigInt::from(0);
    let above = under > zero && beta >= zero && gamma >= zero && &beta + &gamma <= under;
    let volume = dot(&normal, &r);
    above.then(|| ExactFraction { over: &volume * &volume, under })
}

fn passes_through([p, q]: [&WholeVector; 2], [a, b, c]: [&WholeVector; 3]) -> bool {
    let zero = BigInt::from(0);
    let side = |s: &WholeVector| dot(&cross(&minus(b, a), &minus(c, a)), &minus(s, a));
    let (from, to) = (side(p), side(q));
    if !((from < zero && to > zero) || (from > zero && to < zero)) {
        return false;
    }
    let direction = minus(q, p);
    let orientation = |v: &WholeVector, w: &WholeVector| dot(&cross(&minus(v, p), &minus(w, p)), &direction);
    let orientations = [orientation(a, b), orientation(b, c), orientation(c, a)];
    orientations.iter().all(|t| *t >= zero) || orientations.iter().all(|t| *t <= zero)
}

/// The squared distance of two triangles.
fn exact_squared(a: &[WholeVector; 3], b: &[WholeVector; 3]) -> ExactFraction {
    let (face_a, face_b) = (a.each_ref(), b.each_ref());
    let edges = [[0, 1], [1, 2], [2, 0]];
    let mut best = point_segment(&a[0], [&b[0], &b[1]]);
    let mut offer = |other: ExactFraction| best = best.clone().least(other);
    let nothing = || ExactFraction { over: BigInt::from(0), under: BigInt::from(1) };
    for [i, j] in edges {
        for [k, l] in edges {
            let (on_a, on_b) = ([&a[i], &a[j]], [&b[k], &b[l]]);
            offer(point_segment(&a[i], on_b));
            offer(point_segment(&b[k], on_a));
            inner_segments(on_a, on_b).into_iter().for_each(&mut offer);
            if passes_through(on_a, face_b) || passes_through(on_b, face_a) {
                offer(nothing());
            }
        }
        height(&a[i], face_b).into_iter().for_each(&mut offer);
    }
    for v in b {
        height(v, face_a).into_iter().for_each(&mut offer);
    }
    best
}

/// On a coarse grid, where ties are frequent.
pub(crate) fn on_grid(random: &mut Random, r: f64) -> DVec3 {
    (4.0 * random.vector(r)).round() / 4.0
}

pub(crate) fn rotation(random: &mut Random) -> DQuat {
    random.quaternion().normalize()
}

pub(crate) fn power(random: &mut Random, least: f64, most: f64) -> f64 {
    10.0_f64.powf(random.within(least, most))
}

/// A triangle of size about one, and whether its shape is well-conditioned.
pub(crate) fn triangle(random: &mut Random) -> (TriangleCorners, bool) {
    let [p, q, r] = [0; 3].map(|_| random.vector(1.0));
    match random.below(8) {
        0..=2 => {
            let plump = (q - p).cross(r - p).length() > 0.05;
            ([p, q, r], plump)
        }
        3 => ([0; 3].map(|_| on_grid(random, 1.0)), false),
        // Needles of both kinds, collinear up to rounding or further from the line.
        4 => ([p, q, p + power(random, -20.0, -2.0) * r], false),
        5 => ([p, q, p + random.within(0.0, 1.0) * (q - p) + power(random, -20.0, -2.0) * r], false),
        6 => ([p, q, q], false),
        _ => ([p, p, p], false),
    }
}

/// Two triangles, the pose of the first, and whether they are well-conditioned.
struct TriangleCase {
    a: TriangleCorners,
    b: TriangleCorners,
    position: DVec3,
    plump: bool,
}

fn case(random: &mut Random) -> TriangleCase {
    let ((mut a, plump_a), (mut b, plump_b)) = (triangle(random), triangle(random));
    let mut plump = plump_a && plump_b;
    match random.below(6) {
        // A common corner or edge, or nearly so.
        0 => {
            let shift = [0.0, power(random, -16.0, -1.0)][random.below(2)] * random.vector(1.0);
            let on_a = a[0];
            b = b.map(|p| p + (on_a - b[0]) + shift);
        }
        1 => (b[0], b[1]) = (a[0], a[1]),
        // Parallel to each other, at a small distance.
        2 => {
            let normal = (a[1] - a[0]).cross(a[2] - a[0]).normalize_or(DVec3::Z);
            let shift = power(random, -15.0, 0.0) * normal;
            b = a.map(|p| p + shift);
            let along = [0.0, 0.5][random.below(2)];
            b[2] += along * (b[1] - b[0]);
            plump &= along == 0.0 || plump_a;
        }
        // The nearest points face each other, inside faces and edges, at a small distance.
        3 => {
            let shift = a[0] + 0.3 * (a[1] - a[0]) - (b[0] + 0.4 * (b[1] - b[0]));
            let normal = (a[1] - a[0]).cross(b[1] - b[0]).normalize_or(DVec3::X);
            let gap = power(random, -15.0, 0.0);
            b = b.map(|p| p + (shift + gap * normal));
        }
        _ => {
            let shift = random.vector(2.5);
            b = b.map(|p| p + shift);
        }
    }
    // Different sizes, and far from the origin.
    if random.below(4) == 0 {
        let scale = power(random, -6.0, 6.0);
        a = a.map(|p| scale * p);
        plump = false;
    }
    let scale = [1.0, 1e-6, 1e6][random.below(3)];
    (a, b) = (a.map(|p| scale * p), b.map(|p| scale * p));
    let far = [DVec3::ZERO, random.vector(1e6)][random.below(2)];
    a = a.map(|p| p + far);
    TriangleCase { a, b, position: -far, plump }
}

fn found(case: &TriangleCase) -> Gap {
    let body = |t: &TriangleCorners| PreparedMesh::new(Mesh::new(t.to_vec(), vec![[0, 1, 2]]).unwrap());
    let pose = Pose::from_position(case.position).unwrap();
    gap(&mut GapSearch::default(), &body(&case.a), &body(&case.b), &pose, &GapLimits::EXACT)
}

#[test]
fn bounds_enclose_the_exact_distance() {
    let (mut returned, mut zero, mut tight) = (0, 0, 0);
    for seed in 0..cases(2_000, 12_000) {
        let random = &mut Random(seed);
        let case = case(random);
        let position = vector(case.position);
        let a = case.a.map(vector).map(|v| [0, 1, 2].map(|i| &v[i] + &position[i]));
        let exact = exact_squared(&a, &case.b.map(vector));
        let gap = found(&case);
        let truth = exact.root();
        let what = || format!("seed {seed}: {truth} {gap:?} {:?} {:?} {}", case.a, case.b, case.position);
        assert!(!exact.is_less(&ExactFraction::square(gap.lower)), "{}", what());
        // Placing may make triangles intersect that are separated by one rounding.
        let size = case.a.iter().chain(&case.b).map(|p| p.length()).fold(0.0, f64::max);
        let rounding = 4e-15 * (size + case.position.length());
        let upper = if gap.upper == 0.0 { rounding } else { gap.upper };
        assert!(!ExactFraction::square(upper).is_less(&exact), "{}", what());
        assert!(gap.upper <= truth * (1.0 + 1e-13) + 10.0 * rounding, "{}", what());
        if case.plump {
            assert!(gap.lower >= truth * (1.0 - 1e-13) - 10.0 * rounding, "{}", what());
            tight += 1;
        }
        returned += i32::from(gap.lower > 0.0);
        zero += i32::from(gap.upper == 0.0);
    }
    assert!(returned > 900 && zero > 60 && tight > 130, "{returned} {zero} {tight}");
}

#[test]
fn edges_that_contain_the_nearest_points_are_returned() {
    let random = &mut Random(8);
    let mut returned = 0;
    for _ in 0..20_000 {
        let a = [0; 3].map(|_| random.vector(1.0));
        let b = [0; 3].map(|_| random.vector(1.0) + DVec3::splat(random.unit()));
        let (nearest, Some([i, j])) = nearest_points_and_edges(&a, &b) else { continue };
        returned += 1;
        let side = |corners: &TriangleCorners, i: u8| [i, (i + 1) % 3].map(|i| corners[usize::from(i)]);
        let squared = segment_segment(side(&a, i), side(&b, j)).squared;
        assert!((squared - nearest.squared).abs() <= 1e-12, "{squared} {nearest:?} {a:?} {b:?}");
    }
    assert!((5_000..19_000).contains(&returned), "{returned}");
}
