//! Times that are zeros of polynomials with whole coefficients: isolated, compared and enclosed without rounding.
//!
//! Zeros are isolated by bisection and Descartes' rule of signs (Collins and Akritas 1976). A zero is stored as an
//! interval [k, k + 1] / 2^bits that contains no other zero, and is bisected as often as a query requires. A
//! greatest common divisor decides whether another polynomial is zero there.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use num_traits::FromPrimitive as _;

use crate::math::budget::{Budget, OutOfBudget};
use crate::math::polynomial::Polynomial;

/// A time in [0, 1].
#[derive(Debug, Clone)]
pub(crate) enum ExactTime {
    /// numerator / 2^bits.
    Dyadic { numerator: BigInt, bits: u64 },
    /// The only zero of a polynomial between two dyadic numbers.
    Zero(IsolatedZero),
}

/// The only zero of `polynomial` strictly between numerator / 2^bits and (numerator + 1) / 2^bits.
#[derive(Debug, Clone)]
pub(crate) struct IsolatedZero {
    polynomial: Polynomial,
    numerator: BigInt,
    bits: u64,
    /// `polynomial` restricted to the interval, rescaled to [0, 1].
    rescaled: Polynomial,
}

/// Number of bisections after which multiple zeros, or a zero common to two polynomials, are suspected.
const MAX_BISECTIONS: u64 = 48;

/// Numbers of bits by which an interval is narrowed at once around a guess of the zero; the largest is tried first.
const NARROWING_BITS: [u64; 3] = [44, 24, 8];

impl Polynomial {
    /// All zeros in (0, 1], in order; empty for the zero polynomial.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub(crate) fn zeros(&self, budget: &mut Budget<'_>) -> Result<Vec<ExactTime>, OutOfBudget> {
        if self.is_zero() {
            return Ok(Vec::new());
        }
        match self.simple_zeros(MAX_BISECTIONS, budget)? {
            Some(zeros) => Ok(zeros),
            None => {
                let common = self.divisor(&self.derivative(), budget)?;
                let simple = self.quotient(&common, budget)?;
                Ok(simple.simple_zeros(u64::MAX, budget)?.unwrap_or_default())
            }
        }
    }

    /// The same for a polynomial without multiple zeros; `None` if its zeros are not separated after `max_bisections`
    /// bisections.
    fn simple_zeros(
        &self,
        max_bisections: u64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Vec<ExactTime>>, OutOfBudget> {
        let polynomial = self.clone().without_powers_of_two();
        let mut zeros = Vec::new();
        let mut waiting = vec![(polynomial.clone(), BigInt::ZERO, 0_u64)];
        while let Some((rescaled, numerator, bits)) = waiting.pop() {
            budget.take(2 * rescaled.cost())?;
            budget.step()?;
            match rescaled.variations().0 {
                0 => {}
                1 => {
                    let isolated = IsolatedZero {
                        polynomial: polynomial.clone(),
                        numerator: numerator.clone(),
                        bits,
                        rescaled: rescaled.clone(),
                    };
                    zeros.push(ExactTime::Zero(isolated));
                }
                _ if bits >= max_bisections => return Ok(None),
                _ => {
                    let [left, right] = rescaled.halves();
                    let middle: BigInt = (&numerator << 1_u8) + 1_u8;
                    // The middle is the end of the left half and is recorded after the zeros of that half.
                    waiting.push((right, middle.clone(), bits + 1));
                    waiting.push((left, numerator << 1_u8, bits + 1));
                    continue;
                }
            }
            // The end of the interval.
            let sum = rescaled.0.iter().fold(BigInt::ZERO, |sum, c| sum + c);
            if sum.sign() == Sign::NoSign {
                zeros.push(ExactTime::Dyadic { numerator: numerator + 1, bits });
            }
        }
        Ok(Some(zeros))
    }
}

impl IsolatedZero {
    /// Narrows the interval by `bits` bits at once; false if the guess of the zero is not accurate enough.
    fn narrow_by(&mut self, bits: u64) -> bool {
        let Some(guess) = self.rescaled.guess() else { return false };
        // The last of the subintervals.
        let last = ((1_u64 << bits) - 1) as f64;
        let up = BigInt::from_f64((guess * (last + 1.0)).min(last)).unwrap_or_default();
        let numerator = (&self.numerator << bits) + up;
        let (bits, next) = (self.bits + bits, &numerator + 1_u8);
        let [before, after] = [&numerator, &next].map(|n| self.polynomial.sign_at(n, bits));
        // Opposite signs at its ends prove that the subinterval contains the zero.
        let is_between = before != Ordering::Equal && after == before.reverse();
        if is_between {
            self.rescaled = self.polynomial.rescaled(&numerator, bits);
            (self.numerator, self.bits) = (numerator, bits);
        }
        is_between
    }

    /// Bisects the interval; returns the zero itself if it is the middle.
    fn halve(&mut self) -> Option<ExactTime> {
        let [left, right] = self.rescaled.halves();
        let middle: BigInt = (&self.numerator << 1_u8) + 1_u8;
        // The middle is the start of the right half.
        if right.0.first().is_none_or(|c| c.sign() == Sign::NoSign) {
            return Some(ExactTime::Dyadic { numerator: middle, bits: self.bits + 1 });
        }
        self.bits += 1;
        (self.numerator, self.rescaled) =
            if left.variations().0 == 1 { (middle - 1, left) } else { (middle, right) };
        None
    }
}

impl ExactTime {
    /// The start, 0.
    pub(crate) fn start() -> Self {
        Self::Dyadic { numerator: BigInt::ZERO, bits: 0 }
    }

    /// The sign of a polynomial at this time.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub(crate) fn sign_of(
        &mut self,
        polynomial: &Polynomial,
        budget: &mut Budget<'_>,
    ) -> Result<Ordering, OutOfBudget> {
        let mut bisections = 0;
        let mut may_be_zero = true;
        loop {
            let zero = match self {
                Self::Dyadic { numerator, bits } => return Ok(polynomial.sign_at(numerator, *bits)),
                Self::Zero(zero) => zero,
            };
            if polynomial.is_zero() {
                return Ok(Ordering::Equal);
            }
            let rescaled = polynomial.rescaled(&zero.numerator, zero.bits);
            budget.take(2 * rescaled.cost() + zero.polynomial.cost())?;
            budget.step()?;
            let (variations, first) = rescaled.variations();
            if variations == 0 {
                return Ok(first);
            }
            if may_be_zero && zero.bits.max(bisections) >= MAX_BISECTIONS {
                let common = zero.polynomial.divisor(polynomial, budget)?;
                let (variations, _) = common.rescaled(&zero.numerator, zero.bits).variations();
                if variations > 0 {
                    // The divisor divides the zero's polynomial, which has exactly one zero here.
                    return Ok(Ordering::Equal);
                }
                may_be_zero = false;
            }
            // The number of bisections grows with each attempt.
            for _ in 0..4 + bisections / 2 {
                bisections += 1;
                budget.take(2 * zero.rescaled.cost())?;
                if let Some(dyadic) = zero.halve() {
                    *self = dyadic;
                    break;
                }
            }
        }
    }

    /// A double in [0, 1], exactly.
    pub(crate) fn of(time: f64) -> Self {
        let bits = time.to_bits();
        let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & 0xf_ffff_ffff_ffff);
        let (mantissa, bits) =
            if exponent == 0 { (fraction, 1074) } else { (fraction | 1 << 52, 1075 - exponent.min(1075)) };
        let zeros = u64::from(mantissa.trailing_zeros()).min(bits);
        Self::Dyadic {
            numerator: BigInt::from(
                mantissa.checked_shr(u32::try_from(zeros).unwrap_or(u32::MAX)).unwrap_or(0),
            ),
            bits: bits - zeros,
        }
    }

    /// The order of two times.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub(crate) fn compare(
        &mut self,
        other: &mut Self,
        budget: &mut Budget<'_>,
    ) -> Result<Ordering, OutOfBudget> {
        // Once it is known whether the times are equal, bisection separates them or confirms equality.
        let mut are_equal = None;
        loop {
            let (interval, other_interval) = (self.interval(), other.interval());
            let bits = interval.1.max(other_interval.1);
            let ends = |(numerator, bits_of, width): (&BigInt, u64, u8)| {
                [numerator << (bits - bits_of), (numerator + width) << (bits - bits_of)]
            };
            let [[a, b], [c, d]] = [ends(interval), ends(other_interval)];
            if interval.2 == 0 && other_interval.2 == 0 {
                return Ok(a.cmp(&c));
            }
            // A zero lies strictly inside its interval.
            if b <= c {
                return Ok(Ordering::Less);
            }
            if d <= a {
                return Ok(Ordering::Greater);
            }
            match are_equal {
                None => {
                    are_equal = Some(match (&mut *self, &mut *other) {
                        (time, Self::Zero(zero)) | (Self::Zero(zero), time) => {
                            let polynomial = zero.polynomial.clone();
                            time.sign_of(&polynomial, budget)? == Ordering::Equal
                        }
                        _ => false,
                    });
                    continue;
                }
                // The inner interval's zero is also a zero of the other polynomial, which has only one in the outer
                // interval.
                Some(true) if (interval.2 == 0 || other_interval.2 == 1) && c <= a && b <= d => {
                    return Ok(Ordering::Equal);
                }
                Some(true) if other_interval.2 == 0 && a <= c && d <= b => return Ok(Ordering::Equal),
                Some(_) => {}
            }
            // Bisects the wider interval, or both.
            let widest = [(interval.1, interval.2), (other_interval.1, other_interval.2)]
                .into_iter()
                .filter(|(_, width)| *width == 1);
            let widest = widest.map(|(bits, _)| bits).min();
            for time in [&mut *self, &mut *other] {
                budget.step()?;
                if let Self::Zero(zero) = time
                    && Some(zero.bits) == widest
                {
                    budget.take(2 * zero.rescaled.cost())?;
                    if let Some(dyadic) = zero.halve() {
                        *time = dyadic;
                    }
                }
            }
        }
    }

    /// The numerator and `bits` of the lower end, and the width in units of 2^-bits.
    fn interval(&self) -> (&BigInt, u64, u8) {
        match self {
            Self::Dyadic { numerator, bits } => (numerator, *bits, 0),
            Self::Zero(zero) => (&zero.numerator, zero.bits, 1),
        }
    }

    /// A dyadic time strictly between this time and a later one.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub(crate) fn between(&mut self, later: &mut Self, budget: &mut Budget<'_>) -> Result<Self, OutOfBudget> {
        loop {
            let (interval, other_interval) = (self.interval(), later.interval());
            let bits = interval.1.max(other_interval.1) + 1;
            let end: BigInt = (interval.0 + interval.2) << (bits - interval.1);
            let start = other_interval.0 << (bits - other_interval.1);
            // If both are the same, they are the ends of two open intervals, and no zero.
            if end < start || end == start && interval.2 == 1 && other_interval.2 == 1 {
                return Ok(Self::Dyadic { numerator: (end + start) >> 1_u8, bits });
            }
            for time in [&mut *self, &mut *later] {
                budget.step()?;
                if let Self::Zero(zero) = time {
                    budget.take(2 * zero.rescaled.cost())?;
                    if let Some(dyadic) = zero.halve() {
                        *time = dyadic;
                    }
                }
            }
        }
    }

    /// An enclosure of the time in doubles, of a width of at most 2^-`bits` plus rounding.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub(crate) fn enclosure(&mut self, bits: u64, budget: &mut Budget<'_>) -> Result<[f64; 2], OutOfBudget> {
        loop {
            match self {
                Self::Dyadic { numerator, bits } => {
                    return Ok([below(numerator, *bits), above(numerator, *bits)]);
                }
                Self::Zero(zero) if zero.bits >= bits => {
                    let next = &zero.numerator + 1;
                    return Ok([below(&zero.numerator, zero.bits), above(&next, zero.bits)]);
                }
                Self::Zero(zero) => {
                    budget.take(2 * zero.rescaled.cost())?;
                    budget.step()?;
                    if NARROWING_BITS.into_iter().any(|bits| zero.narrow_by(bits)) {
                        continue;
                    }
                    if let Some(dyadic) = zero.halve() {
                        *self = dyadic;
                    }
                }
            }
        }
    }
}

/// The largest double of 53 binary digits that is at most numerator / 2^bits, which is in [0, 1].
fn below(numerator: &BigInt, bits: u64) -> f64 {
    let excess = numerator.bits().saturating_sub(53);
    let mantissa = u64::try_from(numerator >> excess).unwrap_or(0);
    power_of_two_times(mantissa as f64, excess, bits)
}

/// The smallest double of 53 binary digits that is at least numerator / 2^bits.
fn above(numerator: &BigInt, bits: u64) -> f64 {
    let excess = numerator.bits().saturating_sub(53);
    let floor = numerator >> excess;
    let is_exact = (&floor << excess) == *numerator;
    let mantissa = u64::try_from(floor).unwrap_or(0) + u64::from(!is_exact);
    let value = power_of_two_times(mantissa as f64, excess, bits);
    // On underflow, a positive double that is certainly larger.
    if value == 0.0 && mantissa > 0 { f64::MIN_POSITIVE } else { value }
}

/// mantissa 2^(up - down), rounded towards 0.
fn power_of_two_times(mantissa: f64, up: u64, down: u64) -> f64 {
    if up >= down {
        return mantissa;
    }
    let exponent = down - up;
    if exponent > 1000 { 0.0 } else { mantissa * f64::from_bits((1023 - exponent) << 52) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(coefficients: &[i64]) -> Polynomial {
        Polynomial::trimmed(coefficients.iter().map(|c| BigInt::from(*c)).collect())
    }

    fn product(factors: &[&[i64]]) -> Polynomial {
        factors.iter().fold(of(&[1]), |product, factor| &product * &of(factor))
    }

    #[test]
    fn zeros_of_any_multiplicity_are_found_once_and_in_order() {
        // 1/3 twice, 1/2 three times, 3/4 and 1; and 0, -1 and 2, which are outside (0, 1].
        let polynomial = product(&[
            &[-1, 3],
            &[-1, 3],
            &[-1, 2],
            &[-1, 2],
            &[-1, 2],
            &[-3, 4],
            &[-1, 1],
            &[0, 1],
            &[1, 1],
            &[-2, 1],
        ]);
        let budget = &mut Budget::new(1_000_000);
        let mut zeros = polynomial.zeros(budget).unwrap();
        let found: Vec<[f64; 2]> = zeros.iter_mut().map(|zero| zero.enclosure(60, budget).unwrap()).collect();
        for (truth, [lo, hi]) in [1.0 / 3.0, 0.5, 0.75, 1.0].into_iter().zip(&found) {
            assert!(*lo <= truth && truth <= *hi && hi - lo <= 1e-16, "{truth} [{lo}, {hi}]");
        }
        assert_eq!(found.len(), 4);
        assert!(of(&[]).zeros(budget).unwrap().is_empty() && of(&[7]).zeros(budget).unwrap().is_empty());
        assert!(polynomial.zeros(&mut Budget::new(30)).is_err());
    }

    #[test]
    fn signs_at_zeros_are_exact() {
        let budget = &mut Budget::new(10_000_000);
        // The square root of 1/2, a zero of 2 t^2 - 1 and of (2 t^2 - 1) (t - 3).
        let root = of(&[-1, 0, 2]);
        let [mut zero] = root.zeros(budget).unwrap().try_into().unwrap();
        let common = &root * &of(&[-3, 1]);
        let signs =
            |time: &mut ExactTime, p: &Polynomial, budget: &mut Budget<'_>| time.sign_of(p, budget).unwrap();
        assert_eq!(signs(&mut zero, &common, budget), Ordering::Equal);
        assert_eq!(signs(&mut zero, &of(&[]), budget), Ordering::Equal);
        // 0.7071067811865475244 +- 1e-19, closer than doubles can distinguish.
        let scale = 10_i64.pow(18);
        assert_eq!(signs(&mut zero, &of(&[-707_106_781_186_547_524, scale]), budget), Ordering::Greater);
        assert_eq!(signs(&mut zero, &of(&[-707_106_781_186_547_525, scale]), budget), Ordering::Less);
        // A dyadic zero is recognised.
        let [mut half] = of(&[-1, 0, 0, 8]).zeros(budget).unwrap().try_into().unwrap();
        assert_eq!(half.enclosure(60, budget).unwrap(), [0.5; 2]);
        assert_eq!(signs(&mut half, &of(&[-1, 2]), budget), Ordering::Equal);
        let start = &mut ExactTime::start();
        assert_eq!(signs(start, &of(&[0, 5]), budget), Ordering::Equal);
        assert_eq!(signs(start, &of(&[-2, 5]), budget), Ordering::Less);
    }

    #[test]
    fn times_are_in_numerical_order() {
        let budget = &mut Budget::new(100_000_000);
        // 0, about 7e-7, 1/3, 1/2, the root of 1/2 with its neighbouring doubles, 7/9, 1; equal times come from
        // different polynomials.
        let root = of(&[-1, 0, 2]);
        let mut zeros = |polynomial: &Polynomial| polynomial.zeros(budget).unwrap();
        let [third, again] = [zeros(&of(&[-1, 3])), zeros(&product(&[&[-1, 3], &[-1, 0, 2], &[-7, 9]]))];
        let near = [zeros(&of(&[-1, 0, 2 << 40, 1])), zeros(&product(&[&[-1, 2], &[5, 1]]))];
        assert!(near.iter().all(|zeros| zeros.len() == 1));
        let irrational = [zeros(&root), zeros(&(&root * &of(&[-3, 1])))];
        let mut times: Vec<(u32, ExactTime)> = vec![
            (0, ExactTime::start()),
            (0, ExactTime::of(0.0)),
            (1, near[0][0].clone()),
            (2, third[0].clone()),
            (2, again[0].clone()),
            (3, ExactTime::of(0.5)),
            (3, near[1][0].clone()),
            (4, ExactTime::of(0.5_f64.sqrt().next_down())),
            (5, irrational[0][0].clone()),
            (5, irrational[1][0].clone()),
            (5, again[1].clone()),
            (6, ExactTime::of(0.5_f64.sqrt().next_up())),
            (7, again[2].clone()),
            (8, ExactTime::of(1.0)),
        ];
        let given = times.clone();
        for (i, (rank, one)) in given.iter().enumerate() {
            for (j, (other_rank, other)) in given.iter().enumerate() {
                // With both times as given, and as narrowed by earlier queries.
                let order = one.clone().compare(&mut other.clone(), budget).unwrap();
                assert_eq!(order, rank.cmp(other_rank), "{i} {j}");
                let (mut one, mut other) = (times[i].1.clone(), times[j].1.clone());
                assert_eq!(one.compare(&mut other, budget).unwrap(), order, "{i} {j}");
                (times[i].1, times[j].1) = (one, other);
            }
        }
        let (mut one, mut other) = (irrational[0][0].clone(), irrational[1][0].clone());
        assert!(one.compare(&mut other, &mut Budget::new(3)).is_err());
    }
}
