//! Intervals of doubles, and intervals with a gradient: every operation is rounded outward by more than its rounding
//! error.
//!
//! They share no code with the engine, whose reference they are.

use glam::DVec3;

/// All numbers between two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

/// A product in which zero times infinity is zero.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

impl Range {
    pub(crate) const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    pub(crate) const ONE: Self = Self { lo: 1.0, hi: 1.0 };

    pub(crate) fn point(x: f64) -> Self {
        Self { lo: x, hi: x }
    }

    /// An interval between two computed ends, each rounded once: widened by one or two units in the last place. NaN
    /// ends, such as infinity minus itself, become unbounded.
    fn out(lo: f64, hi: f64) -> Self {
        let unit = |x: f64| x.abs() * f64::EPSILON + 1e-200;
        let (lo, hi) = (lo - unit(lo), hi + unit(hi));
        Self {
            lo: if lo.is_nan() { f64::NEG_INFINITY } else { lo },
            hi: if hi.is_nan() { f64::INFINITY } else { hi },
        }
    }

    fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// An interval between values of a function of the standard library, whose error is far smaller than this.
    fn around(lo: f64, hi: f64) -> Self {
        let slack = |x: f64| 4.0 * f64::EPSILON * x.abs() + f64::MIN_POSITIVE;
        Self::out(lo - slack(lo), hi + slack(hi))
    }

    pub(crate) fn grown(self, by: f64) -> Self {
        Self::out(self.lo - by, self.hi + by)
    }

    pub(crate) fn middle(self) -> f64 {
        let middle = 0.5 * self.lo + 0.5 * self.hi;
        if middle.is_finite() { middle } else { 0.0 }
    }

    /// The largest size of a number in it.
    pub(crate) fn size(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    pub(crate) fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    pub(crate) fn negative(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self::out(self.lo + other.lo, self.hi + other.hi)
    }

    pub(crate) fn times(self, other: Self) -> Self {
        if self.is_finite() && other.is_finite() {
            // None of the products is NaN.
            let (a, b) = (self.lo * other.lo, self.lo * other.hi);
            let (c, d) = (self.hi * other.lo, self.hi * other.hi);
            return Self::out(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
        }
        let all = [
            product(self.lo, other.lo),
            product(self.lo, other.hi),
            product(self.hi, other.lo),
            product(self.hi, other.hi),
        ];
        if all.iter().any(|x| x.is_nan()) {
            return Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
        }
        Self::out(all[0].min(all[1]).min(all[2]).min(all[3]), all[0].max(all[1]).max(all[2]).max(all[3]))
    }

    /// The product with an exact number.
    pub(crate) fn scaled(self, by: f64) -> Self {
        let (a, b) = (product(self.lo, by), product(self.hi, by));
        Self::out(a.min(b), a.max(b))
    }

    fn is_positive(self) -> bool {
        self.lo > 0.0
    }

    /// The inverse; unbounded if the interval contains zero.
    fn inverse(self) -> Self {
        if self.lo > 0.0 || self.hi < 0.0 {
            Self::out(1.0 / self.hi, 1.0 / self.lo)
        } else {
            Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY }
        }
    }
}

/// The operations of formulas.
pub(crate) trait Arithmetic: Copy {
    fn number(x: f64) -> Self;
    fn range(self) -> Range;
    /// A function of `self`, from the value of the function and of its derivative.
    fn through(self, value: Range, derivative: Range) -> Self;
    fn negative(self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn scaled(self, by: f64) -> Self;
    /// One of two values, without knowing which.
    fn either(self, other: Self, value: Range) -> Self;

    fn least(self, other: Self) -> Self {
        let (a, b) = (self.range(), other.range());
        if a.hi < b.lo {
            return self;
        }
        if b.hi < a.lo {
            return other;
        }
        self.either(other, Range { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) })
    }

    fn greatest(self, other: Self) -> Self {
        self.negative().least(other.negative()).negative()
    }

    fn absolute(self) -> Self {
        let x = self.range();
        if x.lo >= 0.0 {
            self
        } else if x.hi <= 0.0 {
            self.negative()
        } else {
            self.through(Range { lo: 0.0, hi: x.size() }, Range { lo: -1.0, hi: 1.0 })
        }
    }

    fn power(self, n: u32) -> Self {
        let x = self.range();
        let ends = |m: u32| {
            let end = |e: f64| (1..m).fold(Range::point(e), |all, _| all.scaled(e));
            end(x.lo).hull(end(x.hi))
        };
        let tight = |m: u32| match m {
            0 => Range::ONE,
            m if m % 2 == 1 => ends(m),
            m if x.lo >= 0.0 || x.hi <= 0.0 => ends(m),
            m => ends(m).hull(Range::ZERO),
        };
        debug_assert!(n > 0);
        self.through(tight(n), tight(n - 1).scaled(f64::from(n)))
    }

    /// The square root of a number that is not negative.
    fn root(self) -> Self {
        let x = self.range();
        let (lo, hi) = (x.lo.max(0.0).sqrt(), x.hi.max(0.0).sqrt());
        let value = Range { lo: lo.next_down().max(0.0), hi: hi.next_up() };
        let slope = if value.is_positive() {
            value.scaled(2.0).inverse()
        } else {
            Range { lo: 0.0, hi: f64::INFINITY }
        };
        self.through(value, slope)
    }

    fn inverse(self) -> Self {
        let value = self.range().inverse();
        self.through(value, value.times(value).negative())
    }

    fn exponential(self) -> Self {
        let x = self.range();
        let value = Range::around(x.lo.exp(), x.hi.exp());
        let value = Range { lo: value.lo.max(0.0), ..value };
        self.through(value, value)
    }

    /// The logarithm of a positive number.
    fn logarithm(self) -> Self {
        let x = self.range();
        if !x.is_positive() {
            let whole = Range { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
            return self.through(whole, whole);
        }
        self.through(Range::around(x.lo.ln(), x.hi.ln()), x.inverse())
    }

    fn sine(self) -> Self {
        let x = self.range();
        self.through(sine(x), cosine(x))
    }

    fn cosine(self) -> Self {
        let x = self.range();
        self.through(cosine(x), sine(x).negative())
    }

    /// The length of a vector.
    fn norm(of: &[Self]) -> Self {
        let squares = of.iter().fold(Range::ZERO, |sum, x| {
            let square = x.power(2).range();
            sum.plus(Range { lo: square.lo.max(0.0), hi: square.hi })
        });
        let length =
            Range { lo: squares.lo.max(0.0).sqrt().next_down().max(0.0), hi: squares.hi.sqrt().next_up() };
        let mut whole = Self::number(0.0);
        for x in of {
            // The derivative is the coordinate divided by the length, at most 1.
            let share = if length.is_positive() {
                let share = x.range().times(length.inverse());
                Range { lo: share.lo.max(-1.0), hi: share.hi.min(1.0) }
            } else {
                Range { lo: -1.0, hi: 1.0 }
            };
            whole = whole.plus(x.through(Range::ZERO, share));
        }
        whole.through(length, Range::ONE)
    }
}

fn cosine(x: Range) -> Range {
    sine(Range::out(x.lo + std::f64::consts::FRAC_PI_2, x.hi + std::f64::consts::FRAC_PI_2).grown(1e-15))
}

fn sine(x: Range) -> Range {
    use std::f64::consts::{FRAC_PI_2, TAU};
    let whole = Range { lo: -1.0, hi: 1.0 };
    // Also if an end is NaN or far away.
    if x.hi - x.lo >= TAU || x.size() > 1e6 || x.size().is_nan() {
        return whole;
    }
    let (a, b) = (x.lo.sin(), x.hi.sin());
    let mut value = Range { lo: a.min(b) - 1e-15, hi: a.max(b) + 1e-15 };
    // Whether a multiple of a turn, moved by a quarter, lies within, or within rounding of it.
    let holds = |quarter: f64| ((x.lo - quarter) / TAU - 1e-12).ceil() * TAU + quarter <= x.hi + 1e-9;
    if holds(FRAC_PI_2) {
        value.hi = 1.0;
    }
    if holds(-FRAC_PI_2) {
        value.lo = -1.0;
    }
    Range { lo: value.lo.max(-1.0), hi: value.hi.min(1.0) }
}

impl Arithmetic for Range {
    fn number(x: f64) -> Self {
        Self::point(x)
    }

    fn range(self) -> Range {
        self
    }

    fn through(self, value: Range, _: Range) -> Self {
        value
    }

    fn negative(self) -> Self {
        self.negative()
    }

    fn plus(self, other: Self) -> Self {
        self.plus(other)
    }

    fn times(self, other: Self) -> Self {
        self.times(other)
    }

    fn scaled(self, by: f64) -> Self {
        self.scaled(by)
    }

    fn either(self, _: Self, value: Range) -> Self {
        value
    }
}

/// Values over a box, and derivatives along three axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slope {
    pub(crate) value: Range,
    pub(crate) gradient: [Range; 3],
}

/// A range for each axis.
fn each(of: impl Fn(usize) -> Range) -> [Range; 3] {
    [of(0), of(1), of(2)]
}

impl Arithmetic for Slope {
    fn number(x: f64) -> Self {
        Self { value: Range::point(x), gradient: [Range::ZERO; 3] }
    }

    fn range(self) -> Range {
        self.value
    }

    fn through(self, value: Range, derivative: Range) -> Self {
        Self { value, gradient: each(|i| self.gradient[i].times(derivative)) }
    }

    fn negative(self) -> Self {
        Self { value: self.value.negative(), gradient: each(|i| self.gradient[i].negative()) }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            value: self.value.plus(other.value),
            gradient: each(|i| self.gradient[i].plus(other.gradient[i])),
        }
    }

    fn times(self, other: Self) -> Self {
        let of = |i: usize| self.gradient[i].times(other.value).plus(other.gradient[i].times(self.value));
        Self { value: self.value.times(other.value), gradient: each(of) }
    }

    fn scaled(self, by: f64) -> Self {
        Self { value: self.value.scaled(by), gradient: each(|i| self.gradient[i].scaled(by)) }
    }

    fn either(self, other: Self, value: Range) -> Self {
        Self { value, gradient: each(|i| self.gradient[i].hull(other.gradient[i])) }
    }
}

/// The approximate value and gradient at a point: not a proof.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guess {
    pub(crate) value: f64,
    pub(crate) gradient: DVec3,
}

impl Arithmetic for Guess {
    fn number(x: f64) -> Self {
        Self { value: x, gradient: DVec3::ZERO }
    }

    fn range(self) -> Range {
        Range::point(self.value)
    }

    fn through(self, value: Range, derivative: Range) -> Self {
        Self { value: value.middle(), gradient: derivative.middle() * self.gradient }
    }

    fn negative(self) -> Self {
        Self { value: -self.value, gradient: -self.gradient }
    }

    fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, gradient: self.gradient + other.gradient }
    }

    fn times(self, other: Self) -> Self {
        let gradient = self.gradient * other.value + other.gradient * self.value;
        Self { value: self.value * other.value, gradient }
    }

    fn scaled(self, by: f64) -> Self {
        Self { value: by * self.value, gradient: by * self.gradient }
    }

    fn either(self, other: Self, _: Range) -> Self {
        if other.value < self.value { other } else { self }
    }
}
