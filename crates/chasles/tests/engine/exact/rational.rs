//! Rational numbers, vectors and frames over the integers, with the exact values of doubles.
//!
//! No division is done: a [`Frame`] stores its matrix and position over one common denominator, so a quaternion of
//! any doubles is an exact rotation, and a chain of frames is one product of integers.

use std::cmp::Ordering;

use glam::{DQuat, DVec3};
use num_bigint::{BigInt, Sign};

use super::{parts, shifted};

/// A vector of integers.
pub type Vector = [BigInt; 3];

pub fn dot(a: &Vector, b: &Vector) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

pub fn cross(a: &Vector, b: &Vector) -> Vector {
    [&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]]
}

pub fn plus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| &a[i] + &b[i])
}

pub fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| &a[i] - &b[i])
}

pub fn scaled(by: &BigInt, a: &Vector) -> Vector {
    std::array::from_fn(|i| by * &a[i])
}

pub fn is_negative(x: &BigInt) -> bool {
    x.sign() == Sign::Minus
}

/// Whether 0 <= x <= limit.
pub fn is_within(x: &BigInt, limit: &BigInt) -> bool {
    !is_negative(x) && x <= limit
}

/// A number with its power of two, to about 15 digits: for estimates beyond the range of a double.
pub fn rough(x: &BigInt) -> (f64, i32) {
    let excess = (i32::try_from(x.bits()).unwrap() - 100).max(0);
    (i128::try_from(shifted(x, -excess)).unwrap() as f64, excess)
}

/// A vector with its power of two, to about 15 digits of its largest component.
pub fn rough_vector(v: &Vector) -> (DVec3, i32) {
    let bits = v.iter().map(BigInt::bits).max().unwrap();
    let excess = (i32::try_from(bits).unwrap() - 100).max(0);
    let part = |x: &BigInt| i128::try_from(shifted(x, -excess)).unwrap() as f64;
    (DVec3::new(part(&v[0]), part(&v[1]), part(&v[2])), excess)
}

/// numerator / denominator, the denominator positive; not in lowest terms.
#[derive(Debug, Clone)]
pub struct Ratio {
    pub numerator: BigInt,
    pub denominator: BigInt,
}

impl Ratio {
    pub fn new(numerator: BigInt, denominator: BigInt) -> Self {
        if is_negative(&denominator) {
            Self { numerator: -numerator, denominator: -denominator }
        } else {
            Self { numerator, denominator }
        }
    }

    pub fn of(x: f64) -> Self {
        let (mantissa, exponent) = parts(x);
        Self {
            numerator: shifted(&BigInt::from(mantissa), exponent.max(0)),
            denominator: shifted(&BigInt::from(1), (-exponent).max(0)),
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    pub fn times(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.numerator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&Self { numerator: -&other.numerator, denominator: other.denominator.clone() })
    }

    pub fn squared(&self) -> Self {
        self.times(self)
    }

    /// The value to about 15 digits.
    pub fn double(&self) -> f64 {
        let ((n, up), (d, down)) = (rough(&self.numerator), rough(&self.denominator));
        n / d * 2.0_f64.powi(up - down)
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ratio {}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

/// The power of two that divides all lengths of a case.
#[derive(Debug, Clone, Copy)]
pub struct Unit(pub i32);

impl Unit {
    /// The largest power of two that divides all these numbers.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let least = |x: f64| {
            let (mantissa, exponent) = parts(x);
            exponent + i32::try_from(mantissa.trailing_zeros()).unwrap()
        };
        Self(numbers.into_iter().filter(|x| *x != 0.0).map(least).min().unwrap_or(0))
    }

    pub fn integer(self, x: f64) -> BigInt {
        let (mantissa, exponent) = parts(x);
        shifted(&BigInt::from(mantissa), exponent - self.0)
    }

    pub fn vector(self, v: DVec3) -> Vector {
        v.to_array().map(|x| self.integer(x))
    }
}

/// A rigid frame: x -> (turn x + place) / norm.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The rows of the matrix.
    pub turn: [Vector; 3],
    pub place: Vector,
    pub norm: BigInt,
}

impl Frame {
    /// The frame at a position, rotated by a quaternion of any length: the rotation is exact, because the numbers are
    /// divided by their exact norm.
    pub fn new(unit: Unit, position: DVec3, q: DQuat) -> Self {
        let own = Unit::of(q.to_array());
        let [x, y, z, w] = q.to_array().map(|c| own.integer(c));
        let (xx, yy, zz, ww) = (&x * &x, &y * &y, &z * &z, &w * &w);
        let (xy, yz, zx): (BigInt, BigInt, BigInt) = (2 * &x * &y, 2 * &y * &z, 2 * &z * &x);
        let (wx, wy, wz): (BigInt, BigInt, BigInt) = (2 * &w * &x, 2 * &w * &y, 2 * &w * &z);
        let turn = [
            [&ww + &xx - &yy - &zz, &xy - &wz, &zx + &wy],
            [&xy + &wz, &ww + &yy - &xx - &zz, &yz - &wx],
            [&zx - &wy, &yz + &wx, &ww + &zz - &xx - &yy],
        ];
        let norm = ww + xx + yy + zz;
        Self { turn, place: scaled(&norm, &unit.vector(position)), norm }
    }

    /// First `inner`, then `self`.
    pub fn compose(&self, inner: &Self) -> Self {
        let column = |k: usize| inner.turn.each_ref().map(|row| row[k].clone());
        let columns = [0, 1, 2].map(column);
        let turn = self.turn.each_ref().map(|row| columns.each_ref().map(|column| dot(row, column)));
        let place = plus(&self.turned(&inner.place), &scaled(&inner.norm, &self.place));
        Self { turn, place, norm: &self.norm * &inner.norm }
    }

    /// norm times the rotated vector.
    pub fn turned(&self, v: &Vector) -> Vector {
        self.turn.each_ref().map(|row| dot(row, v))
    }

    /// norm times the point.
    pub fn point(&self, v: &Vector) -> Vector {
        plus(&self.turned(v), &self.place)
    }
}
