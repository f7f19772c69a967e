//! Compares each bound of `rounding` with arithmetic of twice the digits: no error exceeds its bound, and some
//! errors come close enough to show that the bound is tight.

use std::ops::{Add, Mul, Neg, Sub};

use glam::{DQuat, DVec3};

use crate::features::functions::point_face;
use crate::features::screw_motion::ScrewMotion;
use crate::math::rounding::{
    Lengths, Rounding, of_combination, of_determinant, of_direction_across, of_motion, of_positions,
};
use crate::math::screw_function::{Basis, ScrewFunction};
use crate::motion::pose::RoundedPose;
use crate::motion::{Pose, Screw};
use crate::shape::Mesh;
use chasles_testing::Random;

/// An unevaluated sum of two doubles: about 31 digits.
#[derive(Debug, Clone, Copy)]
struct Long(f64, f64);

impl From<f64> for Long {
    fn from(x: f64) -> Self {
        Self(x, 0.0)
    }
}

fn sum_of(a: f64, b: f64) -> Long {
    let sum = a + b;
    let part = sum - a;
    Long(sum, (a - (sum - part)) + (b - part))
}

impl Add for Long {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (sum_of(self.0, other.0), sum_of(self.1, other.1));
        let next = sum_of(high.0, high.1 + low.0);
        sum_of(next.0, next.1 + low.1)
    }
}

impl Neg for Long {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Long {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Long {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let rest = self.0.mul_add(other.0, -product);
        sum_of(product, rest + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Long {
    fn over(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self - other * first.into();
        let second = rest.0 / other.0;
        let rest = rest - other * second.into();
        Self::from(first) + second.into() + (rest.0 / other.0).into()
    }

    /// Sine and cosine by series, after repeated halving of the angle.
    fn sin_cos(self) -> (Self, Self) {
        const HALVINGS: i32 = 6;
        let x = self * 0.5_f64.powi(HALVINGS).into();
        let (mut sine, mut versine, mut term) = (Self::from(0.0), Self::from(0.0), Self::from(1.0));
        for k in 1..30 {
            term = term * x.over(f64::from(k).into());
            let signed = if k / 2 % 2 == 0 { term } else { -term };
            // 1 - cos keeps its digits.
            if k % 2 == 1 { sine = sine + signed } else { versine = versine - signed }
        }
        for _ in 0..HALVINGS {
            let (two, cosine) = (Self::from(2.0), Self::from(1.0) - versine);
            (versine, sine) = (two * sine * sine, two * sine * cosine);
        }
        (sine, Self::from(1.0) - versine)
    }
}

type LongVector = [Long; 3];

fn long(v: DVec3) -> LongVector {
    v.to_array().map(Long::from)
}

fn plus(a: LongVector, b: LongVector) -> LongVector {
    [0, 1, 2].map(|i| a[i] + b[i])
}

fn minus(a: LongVector, b: LongVector) -> LongVector {
    [0, 1, 2].map(|i| a[i] - b[i])
}

fn by(a: Long, b: LongVector) -> LongVector {
    b.map(|x| a * x)
}

fn dot(a: LongVector, b: LongVector) -> Long {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: LongVector, b: LongVector) -> LongVector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The rotation of a vector by a quaternion of any length.
fn rotated(q: DQuat, v: LongVector) -> LongVector {
    let (axis, w) = (long(q.xyz()), Long::from(q.w));
    let once = cross(axis, v);
    let twice = plus(by(w, once), cross(axis, once));
    let norm = dot(axis, axis) + w * w;
    plus(v, by(Long::from(2.0).over(norm), twice))
}

/// The rotation about a unit direction by an angle.
fn rotated_about(direction: LongVector, (sine, cosine): (Long, Long), v: LongVector) -> LongVector {
    let along = by(dot(direction, v), direction);
    let across = minus(v, along);
    plus(along, plus(by(cosine, across), by(sine, cross(direction, v))))
}

fn placed(pose: &Pose, v: LongVector) -> LongVector {
    plus(rotated(pose.rotation(), v), long(pose.position()))
}

fn distance(a: LongVector, b: LongVector) -> f64 {
    minus(a, b).map(|x| x.0).into_iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A length from 1e-3 to 1e6.
fn size(random: &mut Random) -> f64 {
    10.0_f64.powf(9.0 * random.unit() - 3.0)
}

/// A pose, and the quaternion from which it was made.
fn pose(random: &mut Random) -> (Pose, DQuat) {
    let (size, q) = (size(random), random.quaternion());
    (Pose::new(random.vector(size), q).unwrap(), q)
}

const CASES: u64 = 5_000;

/// Checks each case's error against its bound, and that the worst ratio of error to bound is at least `least`.
fn hold(least: f64, case: impl Fn(&mut Random) -> (f64, f64)) {
    let mut worst = 0.0_f64;
    for seed in 0..CASES {
        let (error, bound) = case(&mut Random(seed));
        assert!(error <= bound, "seed {seed}: {error:e} is more than {bound:e}");
        worst = worst.max(error / bound);
    }
    assert!(worst >= least, "no case was off by more than {worst} of its bound");
}

#[test]
fn a_quaternion_that_is_scaled_to_a_unit() {
    hold(0.05, |random| {
        let (pose, q) = pose(random);
        let x = long(random.vector(1.0));
        (distance(rotated(pose.rotation(), x), rotated(q, x)), Rounding::GIVEN.at(dot(x, x).0.sqrt()))
    });
}

#[test]
fn a_rotated_vector_along_a_direction() {
    hold(0.02, |random| {
        let (pose, _) = pose(random);
        let x = random.vector(1.0);
        let place = pose.transform_point(x);
        let direction = random.vector(1.0).normalize();
        let truth = dot(long(direction), placed(&pose, long(x)));
        let error = (Long::from(direction.dot(place)) - truth).0.abs();
        (error, of_positions(pose.position().length() + x.length()))
    });
}

#[test]
fn a_chain_of_frames() {
    hold(0.02, |random| {
        let poses = [pose(random), pose(random), pose(random)];
        let chain = poses
            .iter()
            .fold(RoundedPose::IDENTITY, |inner, (pose, _)| RoundedPose::given(*pose).compose(&inner));
        let x = random.vector(1.0);
        let truth = poses.iter().fold(long(x), |x, (pose, q)| plus(rotated(*q, x), long(pose.position())));
        (distance(placed(&chain.pose, long(x)), truth), chain.rounding.at(x.length()))
    });
}

#[test]
fn a_frame_that_is_seen_from_another() {
    hold(0.02, |random| {
        let [(a, p), (b, q)] = [pose(random), pose(random)];
        let seen = Screw::still(a).in_frame_of(&b).start_rounded();
        let x = random.vector(1.0);
        let world = plus(rotated(p, long(x)), long(a.position()));
        let truth = rotated(q.conjugate(), minus(world, long(b.position())));
        (distance(placed(&seen.pose, long(x)), truth), seen.rounding.at(x.length()))
    });
}

/// A screw about a line, and the exact position of a point of the body at a time.
fn about(random: &mut Random, size: f64) -> (Screw, impl Fn(DVec3, f64) -> LongVector + use<>) {
    let q = random.quaternion();
    let start = Pose::new(random.vector(size), q).unwrap();
    // Directions along a coordinate axis are exact.
    let along = random.unit();
    let direction = if along < 0.3 {
        DVec3::X
    } else if along < 0.6 {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let point = random.vector(size);
    let (slide, angle) = (size * random.unit(), 6.0 * random.unit());
    let screw = Screw::about(start, direction, point, slide, angle).unwrap();
    let place = move |x: DVec3, t: f64| {
        let arm = minus(plus(rotated(q, long(x)), long(start.position())), long(point));
        let rotation = (Long::from(angle) * t.into()).sin_cos();
        let swung = plus(long(point), rotated_about(long(direction), rotation, arm));
        plus(swung, by(Long::from(slide) * t.into(), long(direction)))
    };
    (screw, place)
}

#[test]
fn a_pose_along_a_screw() {
    hold(0.005, |random| {
        let size = size(random);
        let (screw, place) = about(random, size);
        let (x, t) = (random.vector(1.0), random.unit());
        let reach = 4.0 * (screw.start().position().length() + screw.lever()) + screw.slide().abs();
        let bound = screw.rounding_along(reach).at(x.length() + screw.lever());
        (distance(placed(&screw.pose_at(t), long(x)), place(x, t)), bound)
    });
}

#[test]
fn a_point_of_a_moving_mesh() {
    hold(0.005, |random| {
        let (size, far) = (size(random), size(random));
        let (screw, place) = about(random, size);
        let corner = random.vector(far);
        let corners: Vec<DVec3> =
            [DVec3::ZERO, DVec3::X, DVec3::Y].into_iter().map(|v| corner + random.vector(1.0) + v).collect();
        let mesh = Mesh::new(corners.clone(), vec![[0, 1, 2]]).unwrap();
        let motion = ScrewMotion::new(&mesh, &mesh, &screw);
        let t = random.unit();
        let computed = motion.path(mesh.local()[0]).at(&motion.basis(t));
        let truth = minus(place(corners[0], t), long(mesh.centre()));
        (distance(long(computed), truth), motion.rounding)
    });
}

#[test]
fn the_error_of_a_motion_grows_with_its_lengths() {
    let zero = Lengths { reach: 0.0, across: 0.0, arm: 0.0, lever: 0.0, angle: 0.0 };
    let of = |lengths: Lengths| of_motion(&lengths) / f64::EPSILON;
    // Each length counts by itself, and the lever does not count without a rotation.
    assert_eq!(of(zero), 0.0);
    assert!(of(Lengths { reach: 1.0, ..zero }) >= 12.0 && of(Lengths { across: 1.0, ..zero }) >= 12.0);
    assert!(of(Lengths { arm: 1.0, ..zero }) >= 10.0 && of(Lengths { lever: 1.0, ..zero }) == 0.0);
    assert!(of(Lengths { lever: 1.0, angle: 2.0, ..zero }) >= 32.0);
}

#[test]
fn a_volume_over_a_face() {
    hold(0.005, |random| {
        let size = size(random);
        let triangle = [0; 3].map(|_| random.vector(size));
        let mesh = Mesh::new(triangle.to_vec(), vec![[0, 1, 2]]).unwrap();
        let screw =
            Screw::translation(Pose::from_position(random.vector(size)).unwrap(), random.vector(size));
        let motion = ScrewMotion::new(&mesh, &mesh, &screw);
        let path = motion.path(mesh.local()[0]);
        let corners = mesh.local_triangle(0);
        let Some(function) = point_face(&path, &corners, &motion) else { return (0.0, 1.0) };
        let [q, q1, q2] = corners.map(long);
        let normal = cross(minus(q1, q), minus(q2, q));
        let truth = [minus(long(path.start), q), long(path.slide)].map(|side| dot(normal, side));
        let error =
            [0, 1].map(|i| (Long::from(function.f.e[i]) - truth[i]).0.abs()).into_iter().fold(0.0, f64::max);
        let length = (path.start - corners[0]).length() + path.slide.length();
        let edges = (corners[1] - corners[0]).length() * (corners[2] - corners[0]).length();
        (error, of_determinant(length, edges))
    });
}

#[test]
fn a_combination_of_the_basis() {
    hold(0.05, |random| {
        let e = [0; 6].map(|_| 2.0 * random.unit() - 1.0);
        let (b, t) = (0.1 + 6.0 * random.unit(), random.unit());
        let computed = ScrewFunction { e, b }.value(&Basis::at(b, t));
        let (sine, cosine) = (Long::from(b) * t.into()).sin_cos();
        let sigma = sine.over(b.into());
        let kappa = (Long::from(1.0) - cosine).over(Long::from(b) * b.into());
        let basis = [1.0.into(), t.into(), sigma, kappa, sigma * t.into(), kappa * t.into()];
        let terms = [0, 1, 2, 3, 4, 5].map(|i| Long::from(e[i]) * basis[i]);
        let truth = terms.into_iter().fold(Long::from(0.0), |sum, term| sum + term);
        let total = terms.map(|term| term.0.abs()).into_iter().sum();
        ((Long::from(computed) - truth).0.abs(), of_combination(total))
    });
}

#[test]
fn a_direction_across_edges_with_inexact_ends() {
    hold(0.05, |random| {
        let (size, ends) = (size(random), 1e-9 * random.unit());
        let (l, m) = (random.vector(size), random.vector(1.0));
        // Each end is moved by up to `ends`, so each edge by up to twice that.
        let perturbed = |random: &mut Random, v: DVec3| v + 2.0 * ends * random.vector(1.0).normalize();
        let (computed, truth) = (l.cross(m), cross(long(perturbed(random, l)), long(perturbed(random, m))));
        let apart = cross(long(computed.normalize()), truth);
        let sine = dot(apart, apart).0.sqrt() / dot(truth, truth).0.sqrt();
        // The bound of the angle holds to first order.
        let bound = of_direction_across([l.length(), m.length()], computed.length(), ends);
        if bound > 1e-3 { (0.0, 1.0) } else { (sine, 1.01 * bound) }
    });
}
