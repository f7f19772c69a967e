//! Numbers of hundreds of bits, and enclosures of them: the reference for intervals of doubles.
//!
//! They share no arithmetic with the engine: numbers are integers times powers of two, computed by `num-bigint`.

pub mod formulas;
pub mod functions;

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// Number of bits kept of the ends of an enclosure.
const BITS: u64 = 280;

/// m 2^e, exactly.
#[derive(Debug, Clone)]
pub struct Dyadic {
    pub m: BigInt,
    pub e: i64,
}

impl Dyadic {
    pub fn new(m: BigInt, e: i64) -> Self {
        Self { m, e }
    }

    pub fn whole(m: i64) -> Self {
        Self { m: m.into(), e: 0 }
    }

    /// A finite double.
    pub fn of(x: f64) -> Self {
        assert!(x.is_finite());
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let m = BigInt::from(m);
        Self { m: if x.is_sign_negative() { -m } else { m }, e }
    }

    pub fn sign(&self) -> Ordering {
        match self.m.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    pub fn add(&self, other: &Self) -> Self {
        if self.m.sign() == Sign::NoSign {
            return other.clone();
        }
        if other.m.sign() == Sign::NoSign {
            return self.clone();
        }
        let e = self.e.min(other.e);
        let m = |x: &Self| &x.m << usize::try_from(x.e - e).unwrap();
        Self { m: m(self) + m(other), e }
    }

    pub fn neg(&self) -> Self {
        Self { m: -&self.m, e: self.e }
    }

    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Self) -> Self {
        Self { m: &self.m * &other.m, e: self.e + other.e }
    }

    pub fn abs(&self) -> Self {
        if self.sign().is_lt() { self.neg() } else { self.clone() }
    }

    /// x^n, exactly.
    pub fn power(&self, n: u32) -> Self {
        Self { m: self.m.pow(n), e: self.e * i64::from(n) }
    }

    /// One more than the exponent of its leading bit; very small for 0.
    pub fn size(&self) -> i64 {
        if self.m.sign() == Sign::NoSign {
            return i64::MIN / 4;
        }
        i64::try_from(self.m.bits()).unwrap() + self.e
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        // Signs and sizes decide most comparisons.
        let (a, b) = (self.sign(), other.sign());
        if a != b || a.is_eq() {
            return a.cmp(&b);
        }
        match self.size().cmp(&other.size()) {
            Ordering::Equal => self.sub(other).sign(),
            larger if a.is_gt() => larger,
            larger => larger.reverse(),
        }
    }

    pub fn is_at_most(&self, other: &Self) -> bool {
        self.compare(other).is_le()
    }

    /// Truncated to [`BITS`], towards minus infinity.
    fn down(&self) -> Self {
        let extra = self.m.bits().saturating_sub(BITS);
        Self { m: &self.m >> extra, e: self.e + i64::try_from(extra).unwrap() }
    }

    fn up(&self) -> Self {
        self.neg().down().neg()
    }

    /// Whole units of 2^-`bits`, rounded down.
    pub fn fixed(&self, bits: i64) -> BigInt {
        let shift = self.e + bits;
        if shift >= 0 {
            &self.m << usize::try_from(shift).unwrap()
        } else {
            &self.m >> usize::try_from(-shift).unwrap()
        }
    }

    /// The value as a double, to about 15 digits.
    pub fn to_f64(&self) -> f64 {
        let extra = self.m.bits().saturating_sub(60);
        let m = i64::try_from(&self.m >> extra).unwrap();
        let e = self.e + i64::try_from(extra).unwrap();
        let half = i32::try_from(e.clamp(-4000, 4000) / 2).unwrap();
        let rest = i32::try_from(e.clamp(-4000, 4000)).unwrap() - half;
        m as f64 * 2.0_f64.powi(half) * 2.0_f64.powi(rest)
    }
}

/// Two numbers that enclose the true one.
#[derive(Debug, Clone)]
pub struct Enclosure {
    pub lo: Dyadic,
    pub hi: Dyadic,
}

impl Enclosure {
    /// An enclosure with ends of a bounded number of bits, rounded outward.
    pub fn new(lo: &Dyadic, hi: &Dyadic) -> Self {
        assert!(lo.is_at_most(hi));
        Self { lo: lo.down(), hi: hi.up() }
    }

    pub fn point(x: f64) -> Self {
        Self { lo: Dyadic::of(x), hi: Dyadic::of(x) }
    }

    /// m 2^e, with an error of up to `units`.
    pub fn near(m: &BigInt, e: i64, units: &BigInt) -> Self {
        Self { lo: Dyadic::new(m - units, e), hi: Dyadic::new(m + units, e) }
    }

    pub fn hull(&self, other: &Self) -> Self {
        let lo = if self.lo.is_at_most(&other.lo) { &self.lo } else { &other.lo };
        let hi = if self.hi.is_at_most(&other.hi) { &other.hi } else { &self.hi };
        Self { lo: lo.clone(), hi: hi.clone() }
    }

    pub fn has_zero(&self) -> bool {
        self.lo.sign().is_le() && self.hi.sign().is_ge()
    }

    pub fn neg(&self) -> Self {
        Self { lo: self.hi.neg(), hi: self.lo.neg() }
    }

    pub fn add(&self, other: &Self) -> Self {
        Self::new(&self.lo.add(&other.lo), &self.hi.add(&other.hi))
    }

    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Self) -> Self {
        let all =
            [(&self.lo, &other.lo), (&self.lo, &other.hi), (&self.hi, &other.lo), (&self.hi, &other.hi)];
        let all = all.map(|(a, b)| a.mul(b));
        let least = |a: Dyadic, b: &Dyadic| if a.is_at_most(b) { a } else { b.clone() };
        let most = |a: Dyadic, b: &Dyadic| if a.is_at_most(b) { b.clone() } else { a };
        let lo = all[1..].iter().fold(all[0].clone(), least);
        let hi = all[1..].iter().fold(all[0].clone(), most);
        Self::new(&lo, &hi)
    }

    /// `None` if the divisor may be 0.
    pub fn div(&self, other: &Self) -> Option<Self> {
        if other.has_zero() {
            return None;
        }
        let one = |x: &Dyadic| {
            // 2^k / m, rounded down, has an error of at most one unit.
            let k = x.m.bits() + BITS + 8;
            let quotient = (BigInt::from(1) << k) / &x.m;
            Self::near(&quotient, -x.e - i64::try_from(k).unwrap(), &1.into())
        };
        Some(self.mul(&one(&other.lo).hull(&one(&other.hi))))
    }

    /// `None` if it may be negative.
    pub fn sqrt(&self) -> Option<Self> {
        if self.lo.sign().is_lt() {
            return None;
        }
        let root = |x: &Dyadic| {
            let shift = i64::try_from(2 * BITS).unwrap() - i64::try_from(x.m.bits()).unwrap();
            let shift = shift + (shift + x.e) % 2;
            let m = Dyadic::new(x.m.clone(), 0).fixed(shift).sqrt();
            Self { lo: Dyadic::new(m.clone(), (x.e - shift) / 2), hi: Dyadic::new(m + 1, (x.e - shift) / 2) }
        };
        let exact_zero = self.hi.sign().is_eq();
        if exact_zero {
            return Some(self.clone());
        }
        let low = if self.lo.sign().is_eq() { self.clone() } else { root(&self.lo) };
        Some(Self { lo: low.lo, hi: root(&self.hi).hi })
    }

    pub fn min(&self, other: &Self) -> Self {
        self.neg().max(&other.neg()).neg()
    }

    pub fn max(&self, other: &Self) -> Self {
        let most = |a: &Dyadic, b: &Dyadic| if a.is_at_most(b) { b.clone() } else { a.clone() };
        Self { lo: most(&self.lo, &other.lo), hi: most(&self.hi, &other.hi) }
    }

    pub fn abs(&self) -> Self {
        self.max(&self.neg()).max(&Self::point(0.0))
    }

    /// Whether a number between two doubles, which may be infinite, can be the true one.
    pub fn can_lie_in(&self, [lo, hi]: [f64; 2]) -> bool {
        let above = lo == f64::NEG_INFINITY || lo < f64::INFINITY && Dyadic::of(lo).is_at_most(&self.hi);
        let below = hi == f64::INFINITY || hi > f64::NEG_INFINITY && self.lo.is_at_most(&Dyadic::of(hi));
        above && below
    }

    /// Whether the doubles are tight: each is at most `steps` units in the last place from the true number.
    pub fn is_tight(&self, [lo, hi]: [f64; 2], steps: u32) -> bool {
        let inward = |x: f64, step: fn(f64) -> f64| (0..=steps).fold(x, |x, _| step(x));
        let (lo, hi) = (inward(lo, f64::next_up), inward(hi, f64::next_down));
        let above = lo.is_infinite() || self.lo.is_at_most(&Dyadic::of(lo));
        let below = hi.is_infinite() || Dyadic::of(hi).is_at_most(&self.hi);
        above && below
    }
}
