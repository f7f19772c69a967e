//! Polynomials with whole coefficients: arithmetic, signs, and greatest common divisors, without rounding.
//!
//! [`exact_time`](crate::math::exact_time) finds their zeros between 0 and 1.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use num_bigint::{BigInt, Sign};

use crate::math::budget::{Budget, OutOfBudget};

/// A polynomial in t, constant coefficient first, the last not zero; the zero polynomial has no coefficients.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polynomial(pub(super) Vec<BigInt>);

/// Maximum number of Newton steps to guess a zero.
const GUESSES: usize = 40;

/// Coefficient bits that cost one step of the budget.
const BITS_PER_STEP: u64 = 256;

impl Polynomial {
    /// a + b t
    pub(crate) fn line(a: BigInt, b: BigInt) -> Self {
        Self::trimmed(vec![a, b])
    }

    pub(crate) fn constant(a: BigInt) -> Self {
        Self::trimmed(vec![a])
    }

    pub(super) fn trimmed(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(|c| c.sign() == Sign::NoSign) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The degree; 0 for the zero polynomial.
    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The cost, in steps, of one pass over all coefficients.
    pub(super) fn cost(&self) -> u64 {
        self.0.iter().map(|c| 1 + c.bits() / BITS_PER_STEP).sum()
    }

    pub(super) fn derivative(&self) -> Self {
        Self(self.0.iter().enumerate().skip(1).map(|(k, c)| c * k).collect())
    }

    /// Self without the power of two that all coefficients have in common; the zeros are unchanged.
    pub(super) fn without_powers_of_two(self) -> Self {
        let common = self.0.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        if common == 0 { self } else { Self(self.0.into_iter().map(|c| c >> common).collect()) }
    }

    /// The sign at numerator / 2^bits.
    pub(super) fn sign_at(&self, numerator: &BigInt, bits: u64) -> Ordering {
        let (mut sum, mut shift) = (BigInt::ZERO, 0);
        for c in self.0.iter().rev() {
            sum = sum * numerator + (c << shift);
            shift += bits;
        }
        sign(&sum)
    }

    /// A positive multiple of self at (numerator + x) / 2^bits, as a polynomial in x.
    pub(super) fn rescaled(&self, numerator: &BigInt, bits: u64) -> Self {
        let degree = self.degree();
        let powers = |k: usize| bits * (degree - k) as u64;
        let mut c: Vec<BigInt> = self.0.iter().enumerate().map(|(k, c)| c << powers(k)).collect();
        if numerator.sign() != Sign::NoSign {
            for start in 0..degree {
                for k in (start..degree).rev() {
                    let next = &c[k + 1] * numerator;
                    c[k] += next;
                }
            }
        }
        Self::trimmed(c).without_powers_of_two()
    }

    /// Positive multiples of self on the left and on the right half of [0, 1], each rescaled to [0, 1].
    pub(super) fn halves(&self) -> [Self; 2] {
        let degree = self.degree();
        let left: Vec<BigInt> = self.0.iter().enumerate().map(|(k, c)| c << (degree - k)).collect();
        let mut right = left.clone();
        shift_by_one(&mut right);
        [left, right].map(|half| Self(half).without_powers_of_two())
    }

    /// The number of sign changes of the Bernstein coefficients: 0 if there is no zero strictly between 0 and 1, 1 if
    /// there is one, otherwise at least the number of zeros. Also the first non-zero sign, which is the sign just
    /// after 0.
    pub(super) fn variations(&self) -> (usize, Ordering) {
        let mut reversed: Vec<BigInt> = self.0.iter().rev().cloned().collect();
        shift_by_one(&mut reversed);
        let signs = reversed.iter().rev().map(sign).filter(|sign| *sign != Ordering::Equal);
        let (mut changes, mut first, mut last) = (0, Ordering::Equal, Ordering::Equal);
        for sign in signs {
            if last == Ordering::Equal {
                first = sign;
            } else if sign != last {
                changes += 1;
            }
            last = sign;
        }
        (changes, first)
    }

    /// An approximation of the zero between 0 and 1 of a polynomial with exactly one zero there.
    pub(super) fn guess(&self) -> Option<f64> {
        let excess = self.0.iter().map(BigInt::bits).max()?.saturating_sub(62);
        let c: Vec<f64> = self.0.iter().map(|c| i64::try_from(c >> excess).unwrap_or(0) as f64).collect();
        let value = |x: f64| c.iter().rev().fold(0.0, |sum, c| sum * x + c);
        let (mut lo, mut hi, ends) = (0.0_f64, 1.0_f64, [value(0.0), value(1.0)]);
        let mut x = ends[0] / (ends[0] - ends[1]);
        for _ in 0..GUESSES {
            if !(lo..=hi).contains(&x) {
                x = 0.5 * (lo + hi);
            }
            let at = value(x);
            if at == 0.0 {
                break;
            }
            if (at > 0.0) == (ends[1] > 0.0) {
                hi = x
            } else {
                lo = x
            }
            let slope = c.iter().enumerate().skip(1).rev().fold(0.0, |sum, (k, c)| sum * x + k as f64 * c);
            let step = at / slope;
            if step.abs() <= f64::EPSILON {
                break;
            }
            x -= step;
        }
        x.is_finite().then_some(x.clamp(0.0, 1.0))
    }

    /// The remainder of a non-zero multiple of self. Each step of the division multiplies self by the leading
    /// coefficient of `by`, and subtracts a multiple of `by`. `step` gets the coefficient of the quotient and its
    /// exponent.
    fn remainder(
        &self,
        by: &Self,
        budget: &mut Budget<'_>,
        mut step: impl FnMut(&BigInt, usize),
    ) -> Result<Self, OutOfBudget> {
        let mut rest = self.clone();
        let Some(leading) = by.0.last() else { return Ok(rest) };
        while !rest.is_zero() && rest.0.len() >= by.0.len() {
            budget.take(rest.cost() + by.cost())?;
            let offset = rest.0.len() - by.0.len();
            let Some(top) = rest.0.pop() else { break };
            rest.0.iter_mut().for_each(|c| *c *= leading);
            for (k, c) in by.0[..by.0.len() - 1].iter().enumerate() {
                rest.0[offset + k] -= &top * c;
            }
            step(&top, offset);
            rest = Self::trimmed(rest.0);
        }
        Ok(rest)
    }

    /// Self divided by the greatest common divisor of its coefficients.
    fn primitive(self) -> Self {
        let common = self.0.iter().fold(BigInt::ZERO, |common, c| greatest_common_divisor(common, c.clone()));
        if common.sign() == Sign::NoSign {
            self
        } else {
            Self(self.0.into_iter().map(|c| c / &common).collect())
        }
    }

    /// The greatest common divisor, up to a constant factor.
    pub(super) fn divisor(&self, other: &Self, budget: &mut Budget<'_>) -> Result<Self, OutOfBudget> {
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        if a.0.len() < b.0.len() {
            std::mem::swap(&mut a, &mut b);
        }
        while !b.is_zero() {
            let rest = a.remainder(&b, budget, |_, _| {})?.primitive();
            (a, b) = (b, rest);
        }
        Ok(a)
    }

    /// The quotient self / by up to a constant factor; `by` divides self up to a constant factor.
    pub(super) fn quotient(&self, by: &Self, budget: &mut Budget<'_>) -> Result<Self, OutOfBudget> {
        let Some(leading) = by.0.last() else { return Ok(self.clone()) };
        let mut quotient = vec![BigInt::ZERO; (self.0.len() + 1).saturating_sub(by.0.len())];
        self.remainder(by, budget, |coefficient, exponent| {
            quotient.iter_mut().for_each(|c| *c *= leading);
            quotient[exponent] = coefficient.clone();
        })?;
        Ok(Self::trimmed(quotient).primitive())
    }
}

/// Replaces a polynomial p(x) by p(x + 1).
fn shift_by_one(c: &mut [BigInt]) {
    let Some(degree) = c.len().checked_sub(1) else { return };
    for start in 0..degree {
        for k in (start..degree).rev() {
            let (lower, upper) = c.split_at_mut(k + 1);
            lower[k] += &upper[0];
        }
    }
}

fn sign(x: &BigInt) -> Ordering {
    match x.sign() {
        Sign::Minus => Ordering::Less,
        Sign::NoSign => Ordering::Equal,
        Sign::Plus => Ordering::Greater,
    }
}

/// Euclid's algorithm; the result is not negative.
fn greatest_common_divisor(mut a: BigInt, mut b: BigInt) -> BigInt {
    while b.sign() != Sign::NoSign {
        let rest = &a % &b;
        (a, b) = (b, rest);
    }
    if a.sign() == Sign::Minus { -a } else { a }
}

impl<'a> Add<&'a Polynomial> for &Polynomial {
    type Output = Polynomial;

    fn add(self, other: &'a Polynomial) -> Polynomial {
        let (long, short) = if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let mut sum = long.0.clone();
        sum.iter_mut().zip(&short.0).for_each(|(a, b)| *a += b);
        Polynomial::trimmed(sum)
    }
}

impl<'a> Sub<&'a Polynomial> for &Polynomial {
    type Output = Polynomial;

    fn sub(self, other: &'a Polynomial) -> Polynomial {
        let mut difference = self.0.clone();
        difference.resize(difference.len().max(other.0.len()), BigInt::ZERO);
        difference.iter_mut().zip(&other.0).for_each(|(a, b)| *a -= b);
        Polynomial::trimmed(difference)
    }
}

impl<'a> Mul<&'a Polynomial> for &Polynomial {
    type Output = Polynomial;

    fn mul(self, other: &'a Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial(Vec::new());
        }
        let mut product = vec![BigInt::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial(product)
    }
}
