//! The conservative step: a lower bound of the time for which a gap stays open.
//!
//! A gap g that closes at a speed v, in metres per second or per unit of t, and whose second derivative is at least
//! -c, is after a time t at least
//!
//! ```text
//! g - v t - c t^2 / 2
//! ```
//!
//! This bound is positive up to its first root. (Conservative advancement, Mirtich 1996.)

/// Nearly the longest time for which `gap - closing t - acceleration t^2 / 2` is positive; infinite if it is always
/// positive. The time is 0 if no time is proven: if the gap is not positive, a number is NaN, or numbers are too large
/// or too small to decide.
///
/// `acceleration` must not be negative. The result is smaller than the root by a fraction of 1e-12. This covers the
/// rounding in this function, and errors of `gap` and `closing` of a few roundings of their own size.
#[inline]
pub(crate) fn safe_time(gap: f64, closing: f64, acceleration: f64) -> f64 {
    if acceleration == 0.0 && closing <= 0.0 && gap > 0.0 {
        return f64::INFINITY;
    }
    let time = until_root(gap, closing, acceleration, (closing * closing + 2.0 * acceleration * gap).sqrt());
    if is_open(time, gap, closing, acceleration) {
        time
    } else {
        safe_time_of_extremes(gap, closing, acceleration)
    }
}

/// The same time if squares overflow or underflow.
#[cold]
fn safe_time_of_extremes(gap: f64, closing: f64, acceleration: f64) -> f64 {
    let root = libm::hypot(closing, (2.0 * acceleration).sqrt() * gap.sqrt());
    let time = until_root(gap, closing, acceleration, root).min(LONGEST_TIME);
    if is_open(time, gap, closing, acceleration) { time } else { 0.0 }
}

/// Longer than any motion, in its own unit of time; its square is finite.
const LONGEST_TIME: f64 = 1e150;

/// Nearly the time of the root, without cancellation.
#[inline]
fn until_root(gap: f64, closing: f64, acceleration: f64, root: f64) -> f64 {
    SHORT * if closing >= 0.0 { 2.0 * gap / (closing + root) } else { (root - closing) / acceleration }
}

/// Whether the computed gap is still open at a time. A NaN compares false.
#[inline]
fn is_open(time: f64, gap: f64, closing: f64, acceleration: f64) -> bool {
    time > 0.0 && gap > 0.0 && time * (closing + 0.5 * acceleration * time) <= gap
}

/// The result is this fraction of the time to the root.
const SHORT: f64 = 1.0 - 1e-12;

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use chasles_testing::Random;

    /// A double as mantissa times a power of two: the mantissa and the exponent.
    fn exact(x: f64) -> (BigInt, i64) {
        let (bits, sign) = (x.abs().to_bits(), if x < 0.0 { -1 } else { 1 });
        let (exponent, mantissa) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
        let mantissa = if exponent == 0 { mantissa } else { mantissa | 1 << 52 };
        (BigInt::from(mantissa) * sign, exponent.max(1) - 1075)
    }

    /// Whether a sum of products is positive, exactly.
    fn is_positive(terms: &[&[f64]]) -> bool {
        let products = terms.iter().map(|factors| {
            factors.iter().map(|x| exact(*x)).fold((BigInt::from(1), 0), |p, q| (p.0 * q.0, p.1 + q.1))
        });
        let products: Vec<(BigInt, i64)> = products.collect();
        let least = products.iter().map(|p| p.1).min().unwrap_or(0);
        products.into_iter().map(|(digits, exponent)| digits << (exponent - least)).sum::<BigInt>()
            > BigInt::from(0)
    }

    #[test]
    fn the_gap_stays_open_until_the_returned_time() {
        let random = &mut Random(1);
        let (mut finite, mut endless, mut none) = (0, 0, 0);
        for _ in 0..200_000 {
            let size = |random: &mut Random| 10_f64.powf([40.0, 300.0][random.below(2)] * random.side());
            let gap = size(random);
            let closing = [0.0, size(random), -size(random)][random.below(3)];
            let acceleration = [0.0, size(random)][random.below(2)];
            let time = safe_time(gap, closing, acceleration);
            let remaining_gap = |t: f64| is_positive(&[&[gap], &[-closing, t], &[-0.5 * acceleration, t, t]]);
            if time.is_infinite() {
                assert!(acceleration == 0.0 && closing <= 0.0, "{gap} {closing} {acceleration}");
                endless += 1;
            } else {
                assert!(time == 0.0 || remaining_gap(time), "{gap} {closing} {acceleration}: {time}");
                let ordinary = [gap, closing, acceleration]
                    .iter()
                    .all(|x| *x == 0.0 || (1e-40..=1e40).contains(&x.abs()));
                // Errors of `gap` and `closing` of a few roundings of their own size are covered.
                let error = 4.0 * f64::EPSILON;
                let (worse, faster) = (gap * (1.0 - error), closing + error * closing.abs());
                let still = is_positive(&[&[worse], &[-faster, time], &[-0.5 * acceleration, time, time]]);
                assert!(!ordinary || still, "{gap} {closing} {acceleration}: {time}");
                assert!(
                    !ordinary || !remaining_gap(time * (1.0 + 1e-11)),
                    "{gap} {closing} {acceleration}: {time}"
                );
                finite += 1;
                none += usize::from(time == 0.0);
            }
        }
        assert!(finite > 100_000 && endless > 20_000 && none < 8_000, "{finite} {endless} {none}");
    }

    #[test]
    fn a_gap_that_is_not_positive_proves_nothing() {
        let bad = [f64::NAN, 0.0, -0.0, -1.0, f64::NEG_INFINITY];
        for gap in bad {
            assert_eq!(safe_time(gap, 1.0, 1.0), 0.0);
            assert_eq!(safe_time(gap, -1.0, 0.0), 0.0);
        }
        for (closing, acceleration) in
            [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::INFINITY, 1.0), (1.0, f64::INFINITY)]
        {
            assert_eq!(safe_time(1.0, closing, acceleration), 0.0, "{closing} {acceleration}");
        }
        assert_eq!(safe_time(1.0, -1.0, 0.0), f64::INFINITY);
        assert_eq!(safe_time(1.0, 0.0, 0.0), f64::INFINITY);
    }
}
