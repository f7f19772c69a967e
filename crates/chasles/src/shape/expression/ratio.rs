//! Exact fractions, to recognize integer exponents: (2/3)*3 is an integer, which intervals cannot decide.

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ratio {
    over: i128,
    under: i128,
}

impl Ratio {
    /// In lowest terms; `None` if the denominator is 0, or a number is too long.
    fn new(over: i128, under: i128) -> Option<Self> {
        let (mut a, mut b) = (over.checked_abs()?, under.checked_abs()?);
        if b == 0 {
            return None;
        }
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = under.signum();
        Some(Self { over: sign * over / a, under: sign * under / a })
    }

    /// A double, exactly; `None` if it is very large or has many digits after the point.
    pub(crate) fn of(x: f64) -> Option<Self> {
        let mut under = 1.0;
        while (x * under).fract() != 0.0 && under < 1e30 {
            under *= 2.0;
        }
        let over = x * under;
        let fits = over.fract() == 0.0 && over.abs() < 1e30 && under < 1e30;
        #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 1e30")]
        let ends = (over as i128, under as i128);
        if fits { Self::new(ends.0, ends.1) } else { None }
    }

    /// The integer that the fraction equals, if any.
    pub(crate) fn as_integer(self) -> Option<f64> {
        (self.under == 1 && self.over.abs() < 1 << f64::MANTISSA_DIGITS).then_some(self.over as f64)
    }

    pub(crate) fn negative(self) -> Self {
        Self { over: -self.over, ..self }
    }

    /// The result of + - * / ^, if it is an exact fraction.
    pub(crate) fn combined(self, sign: char, other: Self) -> Option<Self> {
        let times = |a: i128, b: i128| a.checked_mul(b);
        match sign {
            '+' => {
                let over = times(self.over, other.under)?.checked_add(times(other.over, self.under)?)?;
                Self::new(over, times(self.under, other.under)?)
            }
            '-' => self.combined('+', other.negative()),
            '*' => Self::new(times(self.over, other.over)?, times(self.under, other.under)?),
            '/' => Self::new(times(self.over, other.under)?, times(self.under, other.over)?),
            '^' if other.under == 1 => {
                let n = u32::try_from(other.over.unsigned_abs()).ok()?;
                let (over, under) = (self.over.checked_pow(n)?, self.under.checked_pow(n)?);
                if other.over < 0 { Self::new(under, over) } else { Self::new(over, under) }
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_recognized() {
        let of = |x: f64| Ratio::of(x).unwrap();
        let third = of(2.0).combined('/', of(3.0)).unwrap();
        assert_eq!(third.combined('*', of(3.0)).and_then(Ratio::as_integer), Some(2.0));
        assert_eq!(third.as_integer(), None);
        // 0.1 is not exactly a tenth.
        assert_eq!(of(0.1).combined('*', of(10.0)).and_then(Ratio::as_integer), None);
        assert_eq!(of(-0.5).combined('^', of(-3.0)).and_then(Ratio::as_integer), Some(-8.0));
        assert_eq!(of(1.5).combined('-', of(-0.5)).and_then(Ratio::as_integer), Some(2.0));
        assert_eq!(of(0.0).combined('/', of(-4.0)).and_then(Ratio::as_integer), Some(0.0));
    }

    #[test]
    fn too_long_numbers_are_not_ratios() {
        assert_eq!(Ratio::of(1e-300), None);
        assert_eq!(Ratio::of(1e300), None);
        let large = Ratio::of(1e29).unwrap();
        assert_eq!(large.combined('*', large), None);
        assert_eq!(Ratio::of(2.0).unwrap().combined('^', large), None);
        assert_eq!(Ratio::of(2.0).unwrap().combined('^', Ratio::of(4e9).unwrap()), None);
        assert_eq!(Ratio::of(2.0).unwrap().combined('/', Ratio::of(0.0).unwrap()), None);
    }
}
