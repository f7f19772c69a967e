//! Numbers of 106 bits, so that the expected results of a scene do not share the rounding of the program.
//!
//! A number is the unevaluated sum of two f64, the second at most half a unit in the last place of the first
//! (T. J. Dekker, "A floating-point technique for extending the available precision", 1971). Sine and cosine are
//! sums of their series, so the same bits come out on every machine; the functions of std need not.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The sum `high + low`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

/// Pi to 106 bits: its nearest f64, and the f64 nearest to the remainder.
const PI: Double = Double { high: std::f64::consts::PI, low: 1.224_646_799_147_353_2e-16 };

impl Double {
    pub(crate) const ZERO: Self = Self { high: 0.0, low: 0.0 };
    pub(crate) const ONE: Self = Self { high: 1.0, low: 0.0 };

    /// The nearest f64.
    pub(crate) fn round(self) -> f64 {
        self.high
    }

    pub(crate) fn is_negative(self) -> bool {
        self.high < 0.0
    }

    pub(crate) fn is_positive(self) -> bool {
        self.high > 0.0
    }

    pub(crate) fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::ZERO;
        }
        // One step of Newton doubles the digits of an f64.
        let root = Self::from(self.high.sqrt());
        root + (self - root * root) / (root + root)
    }

    /// Sine and cosine.
    pub(crate) fn sin_cos(self) -> (Self, Self) {
        let turns = (self.high / std::f64::consts::TAU).round();
        // The series of an eighth of the angle needs few terms; the angle is then doubled three times.
        let x = (self - Self::from(2.0 * turns) * PI) * Self::from(0.125);
        let square = x * x;
        let (mut sin, mut cos) = (Self::ZERO, Self::ZERO);
        let (mut odd, mut even) = (x, Self::ONE);
        for n in 0..16_i32 {
            sin = sin + odd;
            cos = cos + even;
            let k = f64::from(2 * n + 1);
            even = -(even * square) / Self::from(k * (k + 1.0));
            odd = -(odd * square) / Self::from((k + 1.0) * (k + 2.0));
        }
        for _ in 0..3 {
            (sin, cos) = (Self::from(2.0) * sin * cos, cos * cos - sin * sin);
        }
        (sin, cos)
    }

    /// The angle of the point (`x`, `self`).
    pub(crate) fn atan2(self, x: Self) -> Self {
        let radius = (self * self + x * x).sqrt();
        let mut angle = Self::from(self.high.atan2(x.high));
        for _ in 0..2 {
            let (sin, cos) = angle.sin_cos();
            angle = angle + (self * cos - x * sin) / radius;
        }
        angle
    }

    /// The angle in [0, pi] whose cosine this is.
    pub(crate) fn acos(self) -> Self {
        // Uses the half angle, because the cosine is flat near 0.
        let half = ((Self::ONE - self) * Self::from(0.5)).sqrt();
        let other = ((Self::ONE + self) * Self::from(0.5)).sqrt();
        Self::from(2.0) * half.atan2(other)
    }

    /// a + b where |a| >= |b|.
    fn ordered_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }
}

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = self.high + other.high;
        let part = high - self.high;
        let lost = (self.high - (high - part)) + (other.high - part);
        Self::ordered_sum(high, lost + (self.low + other.low))
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let lost = self.high.mul_add(other.high, -high);
        Self::ordered_sum(high, lost + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let mut quotient = Self::from(self.high / other.high);
        for _ in 0..2 {
            let rest = self - quotient * other;
            quotient = quotient + Self::from(rest.high / other.high);
        }
        quotient
    }
}

/// A vector of such numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Vector(pub(crate) [Double; 3]);

impl Vector {
    pub(crate) fn dot(self, other: Self) -> Double {
        let [x, y, z] = self.0;
        let [u, v, w] = other.0;
        x * u + y * v + z * w
    }

    pub(crate) fn cross(self, other: Self) -> Self {
        let [x, y, z] = self.0;
        let [u, v, w] = other.0;
        Self([y * w - z * v, z * u - x * w, x * v - y * u])
    }

    pub(crate) fn length(self) -> Double {
        self.dot(self).sqrt()
    }

    pub(crate) fn scaled(self, factor: Double) -> Self {
        Self(self.0.map(|x| x * factor))
    }

    /// The vector scaled to length 1; the zero vector is unchanged.
    pub(crate) fn unit(self) -> Self {
        let length = self.length();
        if length.is_positive() { self.scaled(Double::ONE / length) } else { self }
    }

    pub(crate) fn round(self) -> [f64; 3] {
        self.0.map(Double::round)
    }
}

impl From<[f64; 3]> for Vector {
    fn from(value: [f64; 3]) -> Self {
        Self(value.map(Double::from))
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}
