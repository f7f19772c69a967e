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
    /// numerator / 2^bits.
    pub fn at(numerator: BigInt, bits: i32) -> Self {
        Self { numerator, bits }
    }

    pub fn new(x: f64) -> Self {
        let (mantissa, exponent) = parts(x);
        Self { numerator: shifted(&BigInt::from(mantissa), exponent.max(0)), bits: (-exponent).max(0) }
    }
}

/// Coefficients, the constant first, the last not zero; none for the polynomial zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial(Vec<BigInt>);

impl Polynomial {
    /// A positive multiple of e0 + (e1 + e2) t + (e3 / 2 + e4) t^2 + (e5 / 2) t^3 - `level`: the screw function of
    /// angle 0.
    pub fn of_translation(e: [f64; 6], level: f64) -> Self {
        let numbers = [e[0], e[1], e[2], e[3], e[4], e[5], level].map(parts);
        let least = numbers.iter().map(|(_, exponent)| *exponent).min().unwrap();
        let [e0, e1, e2, e3, e4, e5, level] =
            numbers.map(|(mantissa, exponent)| shifted(&BigInt::from(mantissa), exponent - least));
        Self::trimmed(vec![2 * (e0 - level), 2 * (e1 + e2), e3 + 2 * e4, e5]).without_powers_of_two()
    }

    /// The constant coefficient first.
    pub fn new(coefficients: Vec<BigInt>) -> Self {
        Self::trimmed(coefficients)
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut product = vec![BigInt::ZERO; self.0.len() + other.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            other.0.iter().enumerate().for_each(|(j, b)| product[i + j] += a * b);
        }
        Self::trimmed(product)
    }

    pub fn plus(&self, other: &Self) -> Self {
        let length = self.0.len().max(other.0.len());
        let of = |p: &Self, k: usize| p.0.get(k).cloned().unwrap_or_default();
        Self::trimmed((0..length).map(|k| of(self, k) + of(other, k)).collect())
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
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
            // rest and quotient times |lead|, minus top sign(lead) x^k divisor.
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

    fn negated(&self) -> Self {
        Self(self.0.iter().map(|c| -c).collect())
    }

    /// The remainder of self times |lead|^(1 + difference of the degrees), which is positive.
    fn pseudo_rest(&self, divisor: &Self) -> Self {
        let lead = divisor.0.last().unwrap();
        let factor = BigInt::from(lead.magnitude().clone());
        let sign = if lead.sign() == Sign::Minus { -1 } else { 1 };
        let mut rest = self.0.clone();
        while rest.len() >= divisor.0.len() {
            let k = rest.len() - divisor.0.len();
            let step = rest.pop().unwrap() * sign;
            rest.iter_mut().for_each(|c| *c *= &factor);
            for (i, c) in divisor.0[..divisor.0.len() - 1].iter().enumerate() {
                rest[k + i] -= &step * c;
            }
        }
        Self::trimmed(rest)
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
    /// The sequence of a polynomial other than zero.
    pub fn new(polynomial: Polynomial) -> Self {
        let first = polynomial.square_free();
        let second = first.derivative();
        Self::chain(first, second)
    }

    /// The sequence for Tarski queries. Between two points that are not zeros of the polynomial, it counts the zeros
    /// at which `other` is positive, minus those at which `other` is negative.
    pub fn of_signs(polynomial: Polynomial, other: &Polynomial) -> Self {
        let second = polynomial.derivative().times(other);
        Self::chain(polynomial, second)
    }

    /// The sequence of a polynomial that may have multiple zeros, for points at which it is not zero.
    pub fn of_any(polynomial: Polynomial) -> Self {
        let second = polynomial.derivative();
        Self::chain(polynomial, second)
    }

    /// Remainders by subresultants (Brown 1971), each with the sign that Sturm's theorem requires.
    fn chain(first: Polynomial, second: Polynomial) -> Self {
        let mut chain = vec![first, second];
        if chain[0].0.len() < chain[1].0.len() {
            // One remainder makes the degrees decrease; the chain continues with its negative.
            let rest = chain[0].negated();
            chain.push(rest);
        }
        let mut psi = BigInt::from(1);
        let mut beta = BigInt::from(1);
        while !chain[chain.len() - 1].is_zero() {
            let [.., a, b] = &chain[..] else { unreachable!() };
            let drop = u32::try_from(a.0.len() - b.0.len()).unwrap();
            let rest = a.pseudo_rest(b);
            let rest = Polynomial::trimmed(rest.0.into_iter().map(|c| -c / &beta).collect());
            let lead = BigInt::from(b.0.last().unwrap().magnitude().clone());
            psi = if drop == 0 { psi } else { lead.pow(drop) / psi.pow(drop - 1) };
            if !rest.is_zero() {
                beta = &lead * psi.pow(u32::try_from(b.0.len() - rest.0.len()).unwrap());
            }
            chain.push(rest);
        }
        chain.pop();
        Self(chain)
    }

    fn changes(&self, x: &Dyadic) -> usize {
        let signs: Vec<_> = self.0.iter().map(|p| p.sign_at(x)).filter(|s| *s != Sign::NoSign).collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// The count between two points at which the polynomial is not zero.
    pub fn count(&self, lo: &Dyadic, hi: &Dyadic) -> i64 {
        i64::try_from(self.changes(lo)).unwrap() - i64::try_from(self.changes(hi)).unwrap()
    }

    /// Half of the even number next to the single zero between two odd numbers, all of them divided by 2^bits.
    pub fn narrowed(&self, (mut lo, mut hi): (BigInt, BigInt), bits: i32) -> BigInt {
        let own = self.0[0].clone().square_free();
        let sign = |odd: &BigInt| own.sign_at(&Dyadic::at(odd.clone(), bits));
        let before = sign(&lo);
        loop {
            let steps: BigInt = (&hi - &lo) >> 1;
            if steps == BigInt::from(1) {
                return (lo + 1) >> 1;
            }
            let middle: BigInt = &lo + ((steps >> 1) << 1);
            let at = sign(&middle);
            assert_ne!(at, Sign::NoSign);
            (lo, hi) = if at == before { (middle, hi) } else { (lo, middle) };
        }
    }

    pub fn is_zero_at(&self, x: &Dyadic) -> bool {
        self.0[0].sign_at(x) == Sign::NoSign
    }

    /// Number of distinct zeros in lo <= x <= hi.
    pub fn within(&self, lo: f64, hi: f64) -> usize {
        let (lo, hi) = (Dyadic::new(lo), Dyadic::new(hi));
        self.changes(&lo) - self.changes(&hi) + usize::from(self.is_zero_at(&lo))
    }

    /// Number of distinct zeros in lo < x < hi.
    pub fn between(&self, lo: f64, hi: f64) -> usize {
        let (lo, hi) = (Dyadic::new(lo), Dyadic::new(hi));
        if lo == hi { 0 } else { self.changes(&lo) - self.changes(&hi) - usize::from(self.is_zero_at(&hi)) }
    }
}
