//! Screw functions in exact arithmetic, the reference for the root finder.
//!
//! The six coefficients and the angle are doubles, taken as exact. [`Exact`] evaluates f and its first three
//! derivatives in fixed point with an error below 2^-288 of the largest coefficient, and proves statements about
//! whole intervals by Taylor's formula with a bound of f'''. No code is shared with the finder: the basis comes from
//! its series and doubling, intervals are split in the middle, no step is done in floating point.
//!
//! [`rational`] represents doubles as rational numbers, [`passing`] computes when features meet if one surface passes
//! another without rotation, [`turning`] along a screw.
//!
//! [`polynomial`] counts the zeros of cubics (angle 0) by Sturm's theorem over the integers, [`families`] makes the
//! functions to test.

pub mod families;
pub mod passing;
pub mod polynomial;
pub mod rational;
pub mod turning;

use chasles::math::screw_function::ScrewFunction;
use num_bigint::BigInt;

/// Numbers are multiples of 2^-384.
pub const FRACTION: i32 = 384;

/// An upper bound of the error of every number that [`Exact::at`] returns: 2^96 units, or 2^-288.
///
/// For b hi <= 2^10 and hi <= 2^4: the series are accurate to 2^7 units, each of at most 15 doublings multiplies the
/// error by at most 4 (see [`basis`]), so sigma, kappa and the cosine are accurate to 2^(7 + 30 + 10) units; f'''
/// multiplies them by at most 2^30, because coefficients are below 1, b^2 below 2^20 and t below 2^4.
const ERROR_BITS: i32 = 96;

/// x = mantissa 2^exponent.
pub fn parts(x: f64) -> (i64, i32) {
    assert!(x.is_finite(), "{x}");
    let bits = x.to_bits();
    let exponent = i32::try_from(bits >> 52 & 0x7ff).unwrap();
    let fraction = i64::try_from(bits & 0xf_ffff_ffff_ffff).unwrap();
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

/// x 2^by, rounded down.
pub fn shifted(x: &BigInt, by: i32) -> BigInt {
    if by >= 0 { x << by } else { x >> -by }
}

/// x / 2^scale in fixed point, rounded down.
fn fixed(x: f64, scale: i32) -> BigInt {
    let (mantissa, exponent) = parts(x);
    shifted(&BigInt::from(mantissa), exponent - scale + FRACTION)
}

/// A time in fixed point. Exact from 2^-331 up; smaller times are rounded down.
pub fn time(t: f64) -> BigInt {
    fixed(t, 0)
}

/// A number in fixed point as a double, to about 15 digits; for messages and rough comparisons.
pub fn double(x: &BigInt) -> f64 {
    let excess = i32::try_from(x.bits()).unwrap() - 100;
    let high = i128::try_from(shifted(x, -excess.max(0))).unwrap();
    high as f64 * 2.0_f64.powi(excess.max(0) - FRACTION)
}

pub fn unit(power: i32) -> BigInt {
    shifted(&BigInt::from(1), power)
}

/// The product of two numbers in fixed point.
pub fn times(a: &BigInt, b: &BigInt) -> BigInt {
    (a * b) >> FRACTION
}

fn abs(x: &BigInt) -> BigInt {
    BigInt::from(x.magnitude().clone())
}

/// sigma, kappa and the cosine at time t for angle b.
///
/// With z = b t / 2^m below 1/8, s = sin(z)/z and q = (1 - cos z)/z^2 come from their series; then s(2z) = s (1 - z^2
/// q) and q(2z) = s^2 / 2. An error d of s and q becomes at most |1 - z^2 q| d + |s| z^2 d, where z^2 |s| is at most
/// |z|: large only in the last doublings, whose product [`ERROR_BITS`] allows for.
pub fn basis(b: &BigInt, t: &BigInt) -> [BigInt; 3] {
    let one = unit(FRACTION);
    let angle = times(b, t);
    let doublings = i32::try_from(angle.bits()).unwrap() - (FRACTION - 3);
    let doublings = doublings.max(0);
    let z = shifted(&angle, -doublings);
    let mut square = times(&z, &z);
    let (mut s, mut q) = (one.clone(), unit(FRACTION - 1));
    let (mut term_s, mut term_q) = (s.clone(), q.clone());
    for k in 1_i64.. {
        term_s = -times(&term_s, &square) / (2 * k * (2 * k + 1));
        term_q = -times(&term_q, &square) / ((2 * k + 1) * (2 * k + 2));
        s += &term_s;
        q += &term_q;
        if term_s.bits() < 2 {
            break;
        }
    }
    for _ in 0..doublings {
        (s, q) = (times(&s, &(&one - times(&square, &q))), times(&s, &s) >> 1);
        square <<= 2;
    }
    let cos = one - times(&times(&angle, &angle), &q);
    [times(t, &s), times(&times(t, t), &q), cos]
}

/// A screw function divided by a power of two, so that the largest coefficient is below one.
#[derive(Debug)]
pub struct Exact {
    e: [BigInt; 6],
    b: BigInt,
    bb: BigInt,
    scale: i32,
    error: BigInt,
}

/// The zeros in an interval.
#[derive(Debug, Default)]
pub struct Zeros {
    /// Brackets with one zero each, in which f is strictly monotone; in order.
    pub simple: Vec<[BigInt; 2]>,
    /// Undecided intervals: no longer than 2^-200, or with f apparently zero throughout: a multiple zero, or nearly
    /// one.
    pub clusters: Vec<[BigInt; 2]>,
}

impl Exact {
    pub fn new(f: &ScrewFunction) -> Self {
        assert!((0.0..=1024.0).contains(&f.b), "{}", f.b);
        let top = |x: &f64| {
            let (mantissa, exponent) = parts(*x);
            exponent + 64 - i32::try_from(mantissa.unsigned_abs().leading_zeros()).unwrap()
        };
        let scale = f.e.iter().filter(|e| **e != 0.0).map(top).max().unwrap_or(0);
        let b = fixed(f.b, 0);
        let bb = times(&b, &b);
        Self { e: f.e.map(|e| fixed(e, scale)), b, bb, scale, error: unit(ERROR_BITS) }
    }

    /// The function with these coefficients, in fixed point, of any size; the angle is not negative.
    pub fn of(e: [BigInt; 6], b: BigInt) -> Self {
        assert!(b <= unit(FRACTION + 10));
        let bits = e.iter().map(BigInt::bits).max().unwrap();
        let scale = if bits == 0 { 0 } else { i32::try_from(bits).unwrap() - FRACTION };
        let bb = times(&b, &b);
        Self { e: e.map(|e| shifted(&e, -scale)), b, bb, scale, error: unit(ERROR_BITS) }
    }

    /// A value or slope as a double, to about 15 digits.
    pub fn to_f64(&self, value: &BigInt) -> f64 {
        double(value) * 2.0_f64.powi(self.scale)
    }

    /// A level to compare |f| with.
    pub fn level(&self, level: f64) -> BigInt {
        fixed(level, self.scale)
    }

    /// f and its first three derivatives, each accurate to [`ERROR_BITS`].
    ///
    /// f' = e1 + (e2 + e4 t) cos + (e3 + e4 + e5 t) sigma + e5 kappa
    /// f'' = (2 e4 + e3 + e5 t) cos + (2 e5 - b^2 (e2 + e4 t)) sigma
    /// f''' = (3 e5 - b^2 (e2 + e4 t)) cos - b^2 (3 e4 + e3 + e5 t) sigma
    pub fn at(&self, t: &BigInt) -> [BigInt; 4] {
        let [e0, e1, e2, e3, e4, e5] = &self.e;
        let [sigma, kappa, cos] = basis(&self.b, t);
        let (e4t, e5t) = (times(e4, t), times(e5, t));
        let across = e2 + &e4t;
        let turning = times(&self.bb, &across);
        let value = e0 + times(e1, t) + times(&across, &sigma) + times(&(e3 + &e5t), &kappa);
        let slope = e1 + times(&across, &cos) + times(&(e3 + e4 + &e5t), &sigma) + times(e5, &kappa);
        let p = 2 * e4 + e3 + &e5t;
        let bend = times(&p, &cos) + times(&(2 * e5 - &turning), &sigma);
        let third = times(&(3 * e5 - turning), &cos) - times(&self.bb, &times(&(p + e4), &sigma));
        [value, slope, bend, third]
    }

    /// An upper bound of |f'''| on [0, hi].
    fn third_bound(&self, hi: &BigInt) -> BigInt {
        let [_, _, e2, e3, e4, e5] = self.e.each_ref().map(abs);
        let turn = times(&self.bb, hi).min(self.b.clone());
        let across = times(&self.bb, &(e2 + times(&e4, hi)));
        3 * &e5 + across + times(&turn, &(3 * e4 + e3 + times(&e5, hi))) + &self.error
    }

    /// Value and slope at the middle of [lo, hi], and how far they can deviate from these in [lo, hi].
    fn taylor(&self, lo: &BigInt, hi: &BigInt, third: &BigInt) -> ([BigInt; 2], [BigInt; 2]) {
        let middle: BigInt = (lo + hi) >> 1;
        let reach: BigInt = (hi - &middle) + 1;
        let [value, slope, bend, _] = self.at(&middle);
        let bend = abs(&bend) + &self.error;
        let turn: BigInt = times(third, &reach) >> 1;
        let stray = &self.error + 8 + times(&reach, &(&bend + &turn));
        let swing = &self.error
            + 8
            + times(&reach, &(abs(&slope) + &self.error + times(&reach, &((bend + turn) >> 1))));
        ([value, slope], [swing, stray])
    }

    /// Proves |f| >= level throughout [lo, hi], up to 2^-284 of the largest coefficient.
    ///
    /// # Errors
    /// An interval of time that contains a t with smaller |f|.
    pub fn stays_above(&self, lo: &BigInt, hi: &BigInt, level: &BigInt) -> Result<(), [BigInt; 2]> {
        let level = level - 4 * &self.error;
        let third = self.third_bound(hi);
        let mut stack = vec![[lo.clone(), hi.clone()]];
        while let Some([lo, hi]) = stack.pop() {
            let ([value, slope], [swing, stray]) = self.taylor(&lo, &hi, &third);
            if abs(&value) >= &level + swing {
                continue;
            }
            let middle: BigInt = (&lo + &hi) >> 1;
            if abs(&value) + &self.error < level {
                return Err([middle.clone(), middle]);
            }
            if abs(&slope) > stray {
                let (from, to) = (self.at(&lo)[0].clone(), self.at(&hi)[0].clone());
                if from.sign() != to.sign() || abs(&from).min(abs(&to)) + &self.error < level {
                    return Err([lo, hi]);
                }
            } else if &hi - &lo > unit(FRACTION - 340) {
                stack.push([middle.clone(), hi]);
                stack.push([lo, middle]);
            }
            // A narrower interval: |f| equals the level here, to the last known bit.
        }
        Ok(())
    }

    /// Proves f' != 0 throughout [lo, hi], except for its last 2^-60.
    pub fn is_monotone(&self, lo: &BigInt, hi: &BigInt) -> bool {
        let third = self.third_bound(hi);
        let mut stack = vec![[lo.clone(), hi.clone()]];
        while let Some([lo, hi]) = stack.pop() {
            let ([_, slope], [_, stray]) = self.taylor(&lo, &hi, &third);
            if abs(&slope) <= stray {
                if &hi - &lo < unit(FRACTION - 60) {
                    return false;
                }
                let middle: BigInt = (&lo + &hi) >> 1;
                stack.extend([[lo, middle.clone()], [middle, hi]]);
            }
        }
        let [from, to] = [lo, hi].map(|t| self.at(t)[1].sign());
        from == to
    }

    /// Whether f is at least `level` at one end of [lo, hi] and at most -`level` at the other.
    pub fn changes_sign(&self, lo: &BigInt, hi: &BigInt, level: &BigInt) -> bool {
        let level = level - 4 * &self.error;
        let [from, to] = [lo, hi].map(|t| self.at(t)[0].clone());
        (from <= -&level && to >= level) || (from >= level && to <= -&level)
    }

    /// All zeros of f on [lo, hi].
    pub fn zeros(&self, lo: &BigInt, hi: &BigInt) -> Zeros {
        let third = self.third_bound(hi);
        let mut zeros = Zeros::default();
        let mut stack = vec![[lo.clone(), hi.clone()]];
        while let Some([lo, hi]) = stack.pop() {
            let ([value, slope], [swing, stray]) = self.taylor(&lo, &hi, &third);
            if abs(&value) > swing {
                continue;
            }
            if abs(&slope) > stray {
                let [from, to] = [&lo, &hi].map(|t| self.at(t)[0].clone());
                let known = |value: &BigInt| abs(value) > self.error;
                if known(&from) && known(&to) {
                    if from.sign() != to.sign() {
                        zeros.simple.push([lo, hi]);
                    }
                } else {
                    // A zero at an end, to the known accuracy; it may be the end of the last interval as well.
                    let end = if known(&from) { hi } else { lo };
                    if zeros.simple.last().is_none_or(|last| last[1] != end) {
                        zeros.simple.push([end.clone(), end]);
                    }
                }
            } else if &hi - &lo > unit(FRACTION - 200) && swing > 4 * &self.error {
                let middle: BigInt = (&lo + &hi) >> 1;
                stack.push([middle.clone(), hi]);
                stack.push([lo, middle]);
            } else if let Some(last) = zeros.clusters.last_mut().filter(|last| last[1] >= lo) {
                last[1] = hi;
            } else {
                zeros.clusters.push([lo, hi]);
            }
        }
        zeros
    }

    /// Bisects a bracket of a simple zero until it is narrower than 2^-`bits`.
    pub fn refine(&self, [lo, hi]: &mut [BigInt; 2], bits: i32) {
        let rising = self.at(lo)[0] < self.at(hi)[0];
        while &*hi - &*lo > unit(FRACTION - bits) {
            let middle: BigInt = (&*lo + &*hi) >> 1;
            if (self.at(&middle)[0].sign() == num_bigint::Sign::Minus) == rising {
                *lo = middle;
            } else {
                *hi = middle;
            }
        }
    }
}

/// |difference| of a double and a number that [`Exact::at`] returned, to about 15 digits.
pub fn distance(exact: &Exact, value: f64, reference: &BigInt) -> f64 {
    double(&abs(&(fixed(value, exact.scale) - reference))) * 2.0_f64.powi(exact.scale)
}

/// A number in fixed point as a sum of two doubles, to a relative error of 2^-100.
pub fn pair(x: &BigInt) -> [f64; 2] {
    let high = double(x);
    [high, double(&(x - fixed(high, 0)))]
}
