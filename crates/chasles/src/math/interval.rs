//! Interval arithmetic with outward rounding: every result contains the exact result.
//!
//! A sum is rounded outward only if it is inexact: the error of a rounded sum is known exactly (Knuth's two-sum). A
//! product is exact if its factors have few significant bits, which their trailing zeros show. So whole numbers
//! stay points, and 0.3 - 0.3 stays 0. An inexact result moves outward by one unit in the last place, or two at a
//! power of two.
//!
//! An infinite bound means "no bound": intervals contain real numbers only. An operation defined on a part of its
//! operand is applied to that part; an operation defined nowhere on it returns the whole line. Bounds are never
//! NaN.
//!
//! Start with [`RealInterval`]; `elementary` has exp, sin and similar functions.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// All real numbers x with `lo` <= x <= `hi`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "PlainInterval")
)]
pub struct RealInterval {
    /// Less than infinity, at most `hi`.
    pub(crate) lo: f64,
    /// More than minus infinity.
    pub(crate) hi: f64,
}

/// The side of a threshold on which a quantity is proven to be, throughout an interval or a cell.
///
/// `U` says more about a quantity that is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side<U = ()> {
    /// Above the threshold.
    Beyond,
    /// At most the threshold.
    Within,
    /// Neither is proven.
    Undecided(U),
}

/// A deserialized interval before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PlainInterval {
    lo: f64,
    hi: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<PlainInterval> for RealInterval {
    type Error = crate::error::Error;

    fn try_from(PlainInterval { lo, hi }: PlainInterval) -> Result<Self, Self::Error> {
        let found = Self::new(lo, hi);
        if [found.lo.to_bits(), found.hi.to_bits()] == [lo.to_bits(), hi.to_bits()] {
            Ok(found)
        } else {
            Self::Error::out_of_range(lo, "a lower end below the upper one", "interval")
        }
    }
}

/// Products of at least this size are so far above the subnormal numbers that the error of the error term is
/// negligible.
const TINY: f64 = 1e-290;
/// Numbers below this do not overflow when they are rounded outward.
const HUGE: f64 = 1e290;
/// The smallest positive double.
const SMALLEST_SUBNORMAL: f64 = 5e-324;

impl RealInterval {
    /// 0 alone.
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    /// 1 alone.
    pub const ONE: Self = Self { lo: 1.0, hi: 1.0 };
    /// The whole line.
    pub const WHOLE: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// Every number from -1 to 1.
    pub const UNIT: Self = Self { lo: -1.0, hi: 1.0 };
    /// pi: the two doubles around it.
    pub const PI: Self = Self { lo: std::f64::consts::PI, hi: 3.141_592_653_589_793_6 };

    /// The interval [lo, hi]; the whole line if a bound is NaN or the bounds are in the wrong order.
    #[inline]
    #[must_use]
    pub const fn new(lo: f64, hi: f64) -> Self {
        if lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY { Self { lo, hi } } else { Self::WHOLE }
    }

    /// A single number; the whole line if it is not finite.
    #[inline]
    #[must_use]
    pub const fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// The lower and the upper bound.
    #[inline]
    #[must_use]
    pub const fn bounds(self) -> [f64; 2] {
        [self.lo, self.hi]
    }

    /// Whether the interval is a single number.
    #[inline]
    #[must_use]
    pub fn is_point(self) -> bool {
        self.lo == self.hi
    }

    /// Whether x is in the interval.
    #[inline]
    #[must_use]
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// A finite number in the interval, near its middle.
    #[inline]
    #[must_use]
    pub fn middle(self) -> f64 {
        let middle = 0.5 * self.lo + 0.5 * self.hi;
        if middle.is_finite() {
            // For subnormal bounds, rounding the halves may give a number outside the interval.
            return middle.max(self.lo).min(self.hi);
        }
        if self.lo > f64::NEG_INFINITY {
            self.lo.max(0.0)
        } else if self.hi < f64::INFINITY {
            self.hi.min(0.0)
        } else {
            0.0
        }
    }

    /// hi - lo, rounded up.
    #[inline]
    #[must_use]
    pub fn width(self) -> f64 {
        sum_above(self.hi, -self.lo)
    }

    /// The largest absolute value in the interval.
    #[inline]
    #[must_use]
    pub fn magnitude(self) -> f64 {
        greater(-self.lo, self.hi)
    }

    /// The smallest interval that contains both.
    #[inline]
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self { lo: less(self.lo, other.lo), hi: greater(self.hi, other.hi) }
    }

    /// The intersection; `self` if it is empty.
    #[inline]
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        let (lo, hi) = (greater(self.lo, other.lo), less(self.hi, other.hi));
        if lo <= hi { Self { lo, hi } } else { self }
    }

    /// |x|.
    #[inline]
    #[must_use]
    pub fn abs(self) -> Self {
        Self { lo: self.mignitude(), hi: self.magnitude() }
    }

    /// The smallest absolute value in the interval.
    #[inline]
    #[must_use]
    pub fn mignitude(self) -> f64 {
        greater(greater(self.lo, -self.hi), 0.0)
    }

    /// The minimum of two numbers.
    #[inline]
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self { lo: less(self.lo, other.lo), hi: less(self.hi, other.hi) }
    }

    /// The maximum of two numbers.
    #[inline]
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { lo: greater(self.lo, other.lo), hi: greater(self.hi, other.hi) }
    }

    /// 2 x, which is exact.
    #[inline]
    #[must_use]
    pub fn doubled(self) -> Self {
        Self { lo: less(2.0 * self.lo, f64::MAX), hi: greater(2.0 * self.hi, f64::MIN) }
    }

    /// x^2.
    #[inline]
    #[must_use]
    pub fn sqr(self) -> Self {
        let (least, most) = (self.mignitude(), self.magnitude());
        Self { lo: product_below(least, least), hi: product_above(most, most) }
    }

    /// The square root of the non-negative part; the whole line if there is none.
    #[inline]
    #[must_use]
    pub fn sqrt(self) -> Self {
        if self.hi < 0.0 {
            return Self::WHOLE;
        }
        let (least, most) = (greater(self.lo, 0.0), self.hi);
        let (lo, hi) = (least.sqrt(), most.sqrt());
        let exact = |root: f64, of: f64| few_bits(root, root) && root * root == of;
        Self {
            lo: if exact(lo, least) { lo } else { next_below(lo) },
            hi: if exact(hi, most) { hi } else { next_above(hi) },
        }
    }

    /// The quotient by a divisor that contains 0.
    fn quotient_across_zero(self, divisor: Self) -> Self {
        if divisor.lo < 0.0 && divisor.hi > 0.0 || divisor == Self::ZERO {
            return Self::WHOLE;
        }
        if divisor.lo < 0.0 {
            return (-self).quotient_across_zero(-divisor);
        }
        if self == Self::ZERO {
            Self::ZERO
        } else if self.lo >= 0.0 {
            Self { lo: quotient_below(self.lo, divisor.hi), hi: f64::INFINITY }
        } else if self.hi <= 0.0 {
            Self { lo: f64::NEG_INFINITY, hi: -quotient_below(-self.hi, divisor.hi) }
        } else {
            Self::WHOLE
        }
    }

    /// The product if a factor or a result is 0, tiny, huge or infinite.
    fn unusual_product(self, other: Self) -> Self {
        if self == Self::ZERO || other == Self::ZERO {
            return Self::ZERO;
        }
        let (a, b) = (self, other);
        // If each factor has one sign, that decides which bounds give the product.
        if a.hi <= 0.0 {
            return if b.hi <= 0.0 { (-a).unusual_product(-b) } else { -(-a).unusual_product(b) };
        }
        if b.hi <= 0.0 {
            return -a.unusual_product(-b);
        }
        match (a.lo >= 0.0, b.lo >= 0.0) {
            (true, true) => Self { lo: product_below(a.lo, b.lo), hi: product_above(a.hi, b.hi) },
            (true, false) => Self { lo: -product_above(a.hi, -b.lo), hi: product_above(a.hi, b.hi) },
            (false, true) => Self { lo: -product_above(-a.lo, b.hi), hi: product_above(a.hi, b.hi) },
            (false, false) => Self {
                lo: -greater(product_above(-a.lo, b.hi), product_above(a.hi, -b.lo)),
                hi: greater(product_above(a.lo.abs(), b.lo.abs()), product_above(a.hi, b.hi)),
            },
        }
    }
}

impl Neg for RealInterval {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Add for RealInterval {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { lo: sum_below(self.lo, other.lo), hi: sum_above(self.hi, other.hi) }
    }
}

impl Sub for RealInterval {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { lo: sum_below(self.lo, -other.hi), hi: sum_above(self.hi, -other.lo) }
    }
}

impl Mul for RealInterval {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let products = [self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi];
        let lo = less(less(products[0], products[1]), less(products[2], products[3]));
        let hi = greater(greater(products[0], products[1]), greater(products[2], products[3]));
        // If a bound is infinite, lo or hi is infinite, 0 or NaN, in whatever order NaN was compared: 0 times
        // infinity leaves the product 0 of the same bound, or NaN. A test tries all kinds of bounds.
        if usual(lo) && usual(hi) {
            let exact = zeros(self.lo, self.hi) + zeros(other.lo, other.hi) >= f64::MANTISSA_DIGITS;
            let part = if exact { 0.0 } else { f64::EPSILON };
            return Self { lo: lo - lo.abs() * part, hi: hi + hi.abs() * part };
        }
        self.unusual_product(other)
    }
}

impl Div for RealInterval {
    type Output = Self;

    #[inline]
    fn div(self, divisor: Self) -> Self {
        let (a, b) = if divisor.hi < 0.0 { (-self, -divisor) } else { (self, divisor) };
        if b.lo <= 0.0 {
            return a.quotient_across_zero(b);
        }
        let lo = if a.lo >= 0.0 { quotient_below(a.lo, b.hi) } else { -quotient_above(-a.lo, b.lo) };
        let hi = if a.hi >= 0.0 { quotient_above(a.hi, b.lo) } else { -quotient_below(-a.hi, b.hi) };
        Self { lo, hi }
    }
}

/// The minimum in one instruction; neither argument is NaN.
#[inline]
fn less(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The maximum in one instruction; neither argument is NaN.
#[inline]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Whether |x| is in the range in which outward rounding by a relative amount is valid.
#[inline]
fn usual(x: f64) -> bool {
    let size = x.abs();
    size > TINY && size < HUGE
}

/// The number of trailing zero bits that both significands have in common; 64 if both numbers are 0.
#[inline]
fn zeros(a: f64, b: f64) -> u32 {
    (a.to_bits() | b.to_bits()).trailing_zeros()
}

/// Whether the product of two numbers has so few bits that it is exact, if it is in the usual range or 0.
///
/// A significand of 53 bits with n zeros at its end has 53 - n bits, and a product has at most the bits of both.
#[inline]
fn few_bits(a: f64, b: f64) -> bool {
    a.to_bits().trailing_zeros() + b.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS
}

/// The next double below, or the second next. For normal numbers, 0 (which is unchanged) and a rounded infinity.
#[inline]
fn next_below(x: f64) -> f64 {
    let below = x - x.abs() * f64::EPSILON;
    // A result that overflowed is at least the largest double.
    if below < f64::INFINITY { below } else { f64::MAX }
}

#[inline]
fn next_above(x: f64) -> f64 {
    -next_below(-x)
}

/// a + b, rounded down. `a` and `b` are lower bounds: neither is infinity.
///
/// A subnormal sum of two numbers is exact, so the step of `next_below` is never lost.
#[inline]
fn sum_below(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    let below = if error >= 0.0 { sum } else { sum - sum.abs() * f64::EPSILON };
    if below < f64::INFINITY { below } else { f64::MAX }
}

#[inline]
fn sum_above(a: f64, b: f64) -> f64 {
    -sum_below(-a, -b)
}

/// a b, rounded down, for non-negative a and b, at least one finite.
#[inline]
fn product_below(a: f64, b: f64) -> f64 {
    let product = a * b;
    if usual(product) {
        return if few_bits(a, b) { product } else { product - product * f64::EPSILON };
    }
    // Tiny or huge; or 0 times infinity, which is 0.
    if product > TINY { next_below(product) } else { greater(next_below(product) - SMALLEST_SUBNORMAL, 0.0) }
}

/// a b, rounded up, for non-negative a and b.
#[inline]
fn product_above(a: f64, b: f64) -> f64 {
    let product = a * b;
    if usual(product) {
        return if few_bits(a, b) { product } else { product + product * f64::EPSILON };
    }
    if a == 0.0 || b == 0.0 {
        0.0
    } else if product > TINY {
        product + product * f64::EPSILON
    } else {
        product + product * f64::EPSILON + SMALLEST_SUBNORMAL
    }
}

/// a / b, rounded down, for a >= 0 and b > 0, a finite.
#[inline]
fn quotient_below(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if usual(quotient) {
        let exact = few_bits(quotient, b) && quotient * b == a;
        return if exact { quotient } else { quotient - quotient * f64::EPSILON };
    }
    if quotient > TINY {
        next_below(quotient)
    } else {
        greater(next_below(quotient) - SMALLEST_SUBNORMAL, 0.0)
    }
}

/// a / b, rounded up, for a >= 0 and b > 0, b finite.
#[inline]
fn quotient_above(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if usual(quotient) {
        let exact = few_bits(quotient, b) && quotient * b == a;
        return if exact { quotient } else { quotient + quotient * f64::EPSILON };
    }
    if a == 0.0 {
        0.0
    } else if quotient > TINY {
        quotient + quotient * f64::EPSILON
    } else {
        quotient + quotient * f64::EPSILON + SMALLEST_SUBNORMAL
    }
}
