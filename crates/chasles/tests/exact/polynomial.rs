//! Zeros of polynomials with integer coefficients, counted by Sturm's theorem.

use num_bigint::{BigInt, Sign};

use super::{parts, shifted};

/// A dyadic number: numerator / 2^bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Dyadic {
    numerator: BigInt,
    bits: i32,
}

impl Dyadic {
    pub fn new(x: f64) -> Self {
        let (mantissa, exponent) = parts(x);
        Self { numerator: shifted(&BigInt::from(mantissa), exponent.max(0)), bits: (-exponent).max(0) }
    }
}

/// Coefficients, the constant first, the last not zero; none for the polynomial zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial(Vec<BigInt>);

impl Polynomial {
    /// A positive multiple of e0 + (e1 + e2) t + (e3 / 2 + e4) t^2 + (e5 / 2) t^3 - `level`: the screw function of angle 0.
    pub fn of_translation(e: [f64; 6], level: f64) -> Self {
        let numbers = [e[0], e[1], e[2], e[3], e[4], e[5], level].map(parts);
        let least = numbers.iter().map(|(_, exponent)| *exponent).min().unwrap();
        let [e0, e1, e2, e3, e4, e5, level] =
            numbers.map(|(mantissa, exponent)| shifted(&BigInt::from(mantissa), exponent - least));
        Self::trimmed(vec![2 * (e0 - level), 2 * (e1 + e2), e3 + 2 * e4, e5]).without_powers_of_two()
    }

    fn trimmed(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(|c| c.sign() == Sign::NoSign) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn derivative(&self) -> Self {
        Self(self.0.iter().enumerate().skip(1).map(|(k, c)| c * k).collect())
    }

    pub fn sign_at(&self, x: &Dyadic) -> Sign {
        let mut sum = BigInt::ZERO;
        let mut bits = 0;
        for c in self.0.iter().rev() {
            sum = sum * &x.numerator + shifted(c, bits);
            bits += x.bits;
        }
        sum.sign()
    }

    /// Quotient and remainder of a positive multiple of self.
    fn divided_by(&self, divisor: &Self) -> (Self, Self) {
        let lead = divisor.0.last().unwrap();
        let (factor, lead_sign) = (lead.magnitude(), if lead.sign() == Sign::Minus { -1 } else { 1 });
        let factor = BigInt::from(factor.clone());
        let mut rest = self.0.clone();
        let mut quotient = vec![BigInt::ZERO; (rest.len() + 1).saturating_sub(divisor.0.len())];
        while rest.len() >= divisor.0.len() {
            let k = rest.len() - divisor.0.len();
            // rest and quotient times |lead|, less top sign(lead) x^k divisor.
            let step = rest.last().unwrap() * lead_sign;
            rest.iter_mut().chain(&mut quotient).for_each(|c| *c *= &factor);
            quotient[k] += &step;
            for (i, c) in divisor.0.iter().enumerate() {
                rest[k + i] -= &step * c;
            }
            assert_eq!(rest.pop(), Some(BigInt::ZERO));
        }
        (Self::trimmed(quotient), Self::trimmed(rest).without_powers_of_two())
    }

    fn without_powers_of_two(self) -> Self {
        let bits = self.0.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        Self(self.0.into_iter().map(|c| c >> bits).collect())
    }

    /// The polynomial with the same zeros, each once.
    fn square_free(self) -> Self {
        let (mut a, mut b) = (self.clone(), self.derivative());
        while !b.is_zero() {
            (a, b) = (b.clone(), a.divided_by(&b).1);
        }
        if a.0.len() == 1 { self } else { self.divided_by(&a).0.without_powers_of_two() }
    }
}

/// Sturm's sequence of a polynomial.
#[derive(Debug)]
pub struct Sturm(Vec<Polynomial>);

impl Sturm {
    /// Of a polynomial other than zero.
    pub fn new(polynomial: Polynomial) -> Self {
        let first = polynomial.square_free();
        let mut chain = vec![first.clone(), first.derivative()];
        while !chain[chain.len() - 1].is_zero() {
            let mut rest = chain[chain.len() - 2].divided_by(&chain[chain.len() - 1]).1;
            rest.0.iter_mut().for_each(|c| *c = -&*c);
            chain.push(rest);
        }
        chain.pop();
        Self(chain)
    }

    fn changes(&self, x: &Dyadic) -> usize {
        let signs: Vec<_> = self.0.iter().map(|p| p.sign_at(x)).filter(|s| *s != Sign::NoSign).collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    fn is_zero_at(&self, x: &Dyadic) -> bool {
        self.0[0].sign_at(x) == Sign::NoSign
    }

    /// How many different zeros lie in lo <= x <= hi.
    pub fn within(&self, lo: f64, hi: f64) -> usize {
        let (lo, hi) = (Dyadic::new(lo), Dyadic::new(hi));
        self.changes(&lo) - self.changes(&hi) + usize::from(self.is_zero_at(&lo))
    }

    /// How many different zeros lie in lo < x < hi.
    pub fn between(&self, lo: f64, hi: f64) -> usize {
        let (lo, hi) = (Dyadic::new(lo), Dyadic::new(hi));
        if lo == hi { 0 } else { self.changes(&lo) - self.changes(&hi) - usize::from(self.is_zero_at(&hi)) }
    }
}
