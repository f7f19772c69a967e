//! Exact fractions, to recognize integer exponents: (2/3)*3 is an integer, which intervals cannot decide.

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ratio {
    numerator: i128,
    denominator: i128,
}

impl Ratio {
    /// In lowest terms; `None` if the denominator is 0, or a number is too long.
    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let (mut a, mut b) = (numerator.checked_abs()?, denominator.checked_abs()?);
        if b == 0 {
            return None;
        }
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = denominator.signum();
        Some(Self { numerator: sign * numerator / a, denominator: sign * denominator / a })
    }

    /// A double, exactly; `None` if it is very large or has many digits after the point.
    pub(crate) fn of(x: f64) -> Option<Self> {
        let mut denominator = 1.0;
        while (x * denominator).fract() != 0.0 && denominator < 1e30 {
            denominator *= 2.0;
        }
        let numerator = x * denominator;
        let fits = numerator.fract() == 0.0 && numerator.abs() < 1e30 && denominator < 1e30;
        #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 1e30")]
        let ends = (numerator as i128, denominator as i128);
        if fits { Self::new(ends.0, ends.1) } else { None }
    }

    /// The integer that the fraction equals, if any.
    pub(crate) fn as_integer(self) -> Option<f64> {
        (self.denominator == 1 && self.numerator.abs() < 1 << f64::MANTISSA_DIGITS)
            .then_some(self.numerator as f64)
    }

    pub(crate) fn negative(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }

    /// The result of + - * / ^, if it is an exact fraction.
    pub(crate) fn combined(self, operator: char, other: Self) -> Option<Self> {
        let times = |a: i128, b: i128| a.checked_mul(b);
        match operator {
            '+' => {
                let numerator = times(self.numerator, other.denominator)?
                    .checked_add(times(other.numerator, self.denominator)?)?;
                Self::new(numerator, times(self.denominator, other.denominator)?)
            }
            '-' => self.combined('+', other.negative()),
            '*' => Self::new(
                times(self.numerator, other.numerator)?,
                times(self.denominator, other.denominator)?,
            ),
            '/' => Self::new(
                times(self.numerator, other.denominator)?,
                times(self.denominator, other.numerator)?,
            ),
            '^' if other.denominator == 1 => {
                let n = u32::try_from(other.numerator.unsigned_abs()).ok()?;
                let (numerator, denominator) =
                    (self.numerator.checked_pow(n)?, self.denominator.checked_pow(n)?);
                if other.numerator < 0 {
                    Self::new(denominator, numerator)
                } else {
                    Self::new(numerator, denominator)
                }
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
