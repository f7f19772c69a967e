//! Formats numbers for people: six significant digits, without rounding noise. Tables, messages and pictures use it;
//! files and other output for programs have all digits.

use glam::DVec3;

/// Number of significant digits.
const DIGITS: i32 = 6;

/// The decimal exponent of a number: 0 for 1 to 9.99, -1 for 0.1 to 0.99.
fn magnitude(number: f64) -> i32 {
    // Taken from the printed number, because no table of powers is exact at both ends of the range.
    let text = format!("{:e}", number.abs());
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// A number with at most `count` decimals, without trailing zeros; -0 is 0.
fn decimals(number: f64, count: i32) -> String {
    let count = usize::try_from(count.max(0)).unwrap_or(0);
    let text = format!("{number:.count$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.into() }
}

/// A number to six significant digits: `0.333333`, `12345.7`, `1.23457e-12`.
#[must_use]
pub fn number(value: f64) -> String {
    rounded(value, DIGITS)
}

/// A number to fewer digits: for pictures, where there is little room, or for estimates.
#[must_use]
pub fn rounded(value: f64, digits: i32) -> String {
    match magnitude(value) {
        _ if value == 0.0 || !value.is_finite() => decimals(value, 0),
        size @ -4..=6 => decimals(value, digits - 1 - size),
        _ => with_power(value, digits),
    }
}

/// A number to `digits` digits, times a power of ten. The digits come from the number itself: a division by a power
/// of ten could overflow or lose digits at the ends of the range, and could round up to 10.
fn with_power(value: f64, digits: i32) -> String {
    let text = format!("{value:.count$e}", count = usize::try_from(digits - 1).unwrap_or(0));
    match text.split_once('e') {
        Some((digits, power)) if digits.contains('.') => {
            format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// A coordinate of an object of the given size, as precise as six digits of the size.
#[must_use]
pub fn number_for_size(value: f64, size: f64) -> String {
    match magnitude(size) {
        of_size @ -4..=6 if size > 0.0 => decimals(value, DIGITS - 1 - of_size),
        _ => number(value),
    }
}

/// A positive number rounded up to three digits, for an upper bound.
#[must_use]
pub fn number_rounded_up(value: f64) -> String {
    let places = 2 - magnitude(value);
    if !(0..=9).contains(&places) {
        return number(value * (1.0 + 5e-6));
    }
    let unit = 10_f64.powi(places);
    decimals((value * unit).ceil() / unit, places)
}

/// The minimum number of decimals of a point's coordinates, at any distance from the origin: 3, that is millimetres.
const PLACE: i32 = 3;

/// A power of ten, in metres: points further from the origin are not known to a millimetre.
const FURTHEST: i32 = 10;

/// A point or direction. All coordinates are rounded to the same decimal: six digits of the largest one, or three
/// decimals (millimetres) if that is finer.
#[must_use]
pub fn vector(v: DVec3) -> String {
    let largest = v.abs().max_element();
    let size = magnitude(largest);
    let coordinate = |x: f64| match size {
        -4..=FURTHEST => decimals(x, (DIGITS - 1 - size).max(PLACE)),
        _ => number(x),
    };
    let [x, y, z] = v.to_array().map(coordinate);
    format!("({x}, {y}, {z})")
}

/// A unit vector; components close to 0 are rounding noise and are dropped.
#[must_use]
pub fn direction(v: DVec3) -> String {
    let [x, y, z] = v.to_array().map(|x| decimals(x, DIGITS));
    format!("({x}, {y}, {z})")
}

/// Maximum digits of a moment, counted from the first digit of the duration.
const NOISE: i32 = 11;

/// The number of decimals of a moment in an interval of `duration` seconds: six significant digits of the moment or
/// of the duration, whichever are finer. Digits beyond the twelfth of the duration are noise and are left out.
/// `None`: the duration is too short or too long for decimals.
fn moment_digits(time: f64, duration: f64) -> Option<i32> {
    let size = magnitude(duration);
    let finest = magnitude(time).min(size);
    (-4..=6).contains(&size).then(|| (DIGITS - 1 - finest).min(NOISE - size).max(0))
}

/// A moment in an interval of `duration` seconds: six significant digits.
#[must_use]
pub fn moment(time: f64, duration: f64) -> String {
    moment_digits(time, duration).map_or_else(|| number(time), |places| decimals(time, places))
}

/// A moment, rounded down, as the end of a proven interval.
#[must_use]
pub fn moment_before(time: f64, duration: f64) -> String {
    let Some(places) = moment_digits(time, duration) else { return number(time) };
    let unit = 10_f64.powi(places);
    let down = (time * unit).floor() / unit;
    // The division may have rounded up.
    decimals(if down <= time { down } else { down - 1.0 / unit }, places)
}

/// An enclosure of a moment in seconds: both ends rounded outward, or one number if it is narrow, or if its ends are
/// equal to six significant digits.
#[must_use]
pub fn enclosure([lo, hi]: [f64; 2], duration: f64) -> String {
    let one = moment(0.5 * (lo + hi), duration);
    if hi - lo <= 1e-7 * duration || [lo, hi].iter().all(|end| moment(*end, duration) == one) {
        return format!("{one} s");
    }
    let max_places = moment_digits(lo.abs().max(hi.abs()), duration).unwrap_or(i32::MAX);
    let places = (1 - magnitude(hi - lo)).max(0).min(max_places);
    if places <= 9 {
        // Rounded outward, so that the printed interval contains the enclosure.
        let unit = 10_f64.powi(places);
        let [lo, hi] = [(lo * unit).floor() / unit, (hi * unit).ceil() / unit];
        return format!("{} to {} s", decimals(lo, places), decimals(hi, places));
    }
    format!("{} to {} s", number(lo), number(hi))
}

/// An enclosure of a distance in metres: both ends rounded outward, or one number if it is narrow.
#[must_use]
pub fn gap([lo, hi]: [f64; 2]) -> String {
    let places = (1 - magnitude(hi - lo)).min(DIGITS - 1 - magnitude(hi)).max(0);
    let [lo, hi] = if hi - lo <= 1e-6 * hi {
        [number(0.5 * (lo + hi)), number(0.5 * (lo + hi))]
    } else if places <= 9 {
        let unit = 10_f64.powi(places);
        [(lo * unit).floor() / unit, (hi * unit).ceil() / unit].map(|x| decimals(x, places))
    } else {
        // The margin exceeds the rounding to six digits.
        [number(lo * (1.0 - 5e-6)), number(hi * (1.0 + 5e-6))]
    };
    if lo == hi { format!("{lo} m") } else { format!("{lo} to {hi} m") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (0.1 + 0.2, "0.3"),
            (-1.0 / 3.0, "-0.333333"),
            (12_345.678, "12345.7"),
            (999_999.7, "1000000"),
            (1e-9, "1e-9"),
            (1.234_567_8e-12, "1.23457e-12"),
            (6.02e23, "6.02e23"),
            (-1.5e-7, "-1.5e-7"),
            (9_999_999.6, "10000000"),
            (9_999_999_900.0, "1e10"),
            (1e300, "1e300"),
            (1e308, "1e308"),
            (f64::MAX, "1.79769e308"),
            (f64::MIN_POSITIVE, "2.22507e-308"),
            (1.234_567e-310, "1.23457e-310"),
            (5e-324, "4.94066e-324"),
            (f64::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text, "{value:e}");
        }
        let mut random = Random(7);
        for _ in 0..3000 {
            let value = 10_f64.powf(616.0 * random.unit() - 308.0);
            let read: f64 = number(value).parse().unwrap();
            assert!((read - value).abs() <= 5.1e-6 * value, "{value:e} {read:e}");
        }
        assert_eq!(vector(DVec3::new(100.0, 1e-15, -0.000_4)), "(100, 0, 0)");
        assert_eq!(vector(DVec3::new(1e-9, 0.0, 1e-12)), "(1e-9, 0, 1e-12)");
        assert_eq!(vector(DVec3::ZERO), "(0, 0, 0)");
        // A point in map coordinates, far from the origin.
        let place = DVec3::new(431_234.567_8, 5_412_345.678_9, 0.25);
        assert_eq!(vector(place), "(431234.568, 5412345.679, 0.25)");
        assert_eq!(vector(DVec3::new(3.0e9 + 0.5, 1e-7, 0.0)), "(3000000000.5, 0, 0)");
        assert_eq!(direction(DVec3::new(-1e-17, 0.0, -1.0)), "(0, 0, -1)");
    }

    #[test]
    fn numbers_in_pictures_have_fewer_digits() {
        for (value, text) in
            [(0.0, "0"), (0.123_45, "0.123"), (12_345.0, "12345"), (1e-7 / 3.0, "3.33e-8"), (1e9, "1e9")]
        {
            assert_eq!(rounded(value, 3), text);
        }
    }

    #[test]
    fn coordinates_are_as_fine_as_the_size() {
        let cases = [
            ((0.632, 0.228), "0.632"),
            ((0.1 + 0.2, 0.1), "0.3"),
            ((1_000_000.125, 0.25), "1000000.125"),
            ((-0.000_012_345_678, 3.0), "-0.00001"),
            ((-1e-17, 3.0), "0"),
            ((1e-17, 2e-17), "1e-17"),
            ((123.456_789, 0.0), "123.457"),
            ((0.0, 1.0), "0"),
        ];
        for ((value, size), text) in cases {
            assert_eq!(number_for_size(value, size), text);
        }
    }

    #[test]
    fn enclosures_are_rounded_outward() {
        assert_eq!(enclosure([0.5 - 1e-12, 0.5 + 1e-12], 2.0), "0.5 s");
        assert_eq!(enclosure([1.383_29, 1.418_88], 2.0), "1.383 to 1.419 s");
        assert_eq!(enclosure([0.0, 2.0], 2.0), "0 to 2 s");
        assert_eq!(enclosure([12.0, 1234.0], 2e3), "12 to 1234 s");
        assert_eq!(enclosure([1_234.567_89, 1_234.567_97], 2e3), "1234.57 s");
        assert_eq!(enclosure([1_234.564, 1_234.567_8], 2e3), "1234.56 to 1234.57 s");
        assert_eq!(moment(1.0 / 3.0, 4.0), "0.333333");
        assert_eq!(
            (moment(1_234.567_8, 2e3), moment(1e-13, 4.0), moment(0.0, 4.0)),
            ("1234.57".into(), "0".into(), "0".into())
        );
        assert_eq!(moment(1e-8 / 3.0, 1e-8), "3.33333e-9");
        // A moment of a short path that does not start at 0.
        assert_eq!(moment(1_700_000_000.125, 8.0), "1700000000.125");
        assert_eq!(
            (moment(2.0 / 3.0, 1.0), moment_before(2.0 / 3.0, 1.0)),
            ("0.666667".into(), "0.666666".into())
        );
    }

    #[test]
    fn gaps_are_rounded_outward() {
        assert_eq!(gap([0.25, 0.25]), "0.25 m");
        assert_eq!(gap([0.012_34, 0.012_46]), "0.01234 to 0.01246 m");
        assert_eq!(gap([0.999, 1.001]), "0.999 to 1.001 m");
        assert_eq!(gap([0.0, 1e-5]), "0 to 0.00001 m");
        assert_eq!(gap([1e-12, 2e-12]), "9.99995e-13 to 2.00001e-12 m");
        let mut random = Random(3);
        let mut draw = || random.unit();
        for _ in 0..3000 {
            let lo = 10_f64.powf(24.0 * draw() - 18.0);
            let hi = lo + 10_f64.powf(24.0 * draw() - 18.0) * draw();
            let text = gap([lo, hi]);
            let ends: Vec<f64> =
                text.trim_end_matches(" m").split(" to ").map(|end| end.parse().unwrap()).collect();
            let slack = 1e-15 * hi + f64::MIN_POSITIVE;
            let last = ends[ends.len() - 1];
            if ends.len() == 1 && hi - lo <= 1e-6 * hi {
                assert!((last - lo).abs() <= 6e-6 * lo, "{lo:e} {hi:e} {text}");
            } else {
                assert!(ends[0] <= lo + slack && hi - slack <= last, "{lo:e} {hi:e} {text}");
            }
        }
    }

    #[test]
    fn rounding_up_gives_no_smaller_number() {
        let cases =
            [(0.002_701, "0.00271"), (12.0, "12"), (12.34, "12.4"), (0.0, "0"), (1e-12, "1.00001e-12")];
        for (value, text) in cases {
            assert_eq!(number_rounded_up(value), text);
        }
        assert_eq!(number_rounded_up(123_456.7), "123457");
    }
}
