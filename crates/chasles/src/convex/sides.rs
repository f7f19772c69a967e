//! The side of a plane on which a point lies, decided exactly.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::Signed;

use crate::math::whole::{WholeUnit, cross, difference, dot};

/// Six times the signed volume of a tetrahedron, with a bound of its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Height {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// Rounding error of a determinant of differences, relative to the sum of the magnitudes of its terms (Shewchuk
/// 1997, "Adaptive precision floating-point arithmetic", section 4.3, there 7 + 56 e times e = 2^-53).
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Bound of the loss by underflow, larger than any that occurs with coordinates below 1e75.
const UNDERFLOW: f64 = 1e-240;

/// Six times the volume of the tetrahedron spanned by a triangle and a point: positive if the corners run
/// counter-clockwise as seen from the point.
pub(crate) fn height([a, b, c]: &[DVec3; 3], p: DVec3) -> Height {
    let (u, v, w) = (*b - *a, *c - *a, p - *a);
    let terms = [
        [w.x * (u.y * v.z), w.x * (u.z * v.y)],
        [w.y * (u.z * v.x), w.y * (u.x * v.z)],
        [w.z * (u.x * v.y), w.z * (u.y * v.x)],
    ];
    let value = terms.iter().map(|[plus, minus]| plus - minus).sum();
    let size: f64 = terms.iter().flatten().map(|term| term.abs()).sum();
    Height { value, error: 2.0 * ROUNDING * size + UNDERFLOW }
}

/// The same height in whole numbers, in units of the cube of `unit`.
pub(crate) fn whole_height(unit: WholeUnit, corners: &[DVec3; 3], p: DVec3) -> BigInt {
    let [a, b, c] = corners.map(|corner| unit.point(corner));
    let normal = cross(&difference(&b, &a), &difference(&c, &a));
    dot(&normal, &difference(&unit.point(p), &a))
}

/// The side of a triangle's plane on which a point lies: `Greater` if the corners run counter-clockwise as seen
/// from it.
pub(crate) fn side(corners: &[DVec3; 3], p: DVec3) -> Ordering {
    let Height { value, error } = height(corners, p);
    if value > error {
        return Ordering::Greater;
    }
    if value < -error {
        return Ordering::Less;
    }
    let [a, b, c] = *corners;
    sign(&whole_height(WholeUnit::of_points(&[a, b, c, p]), corners, p))
}

/// The comparison of a number with 0.
pub(crate) fn sign(x: &BigInt) -> Ordering {
    x.cmp(&BigInt::ZERO)
}

/// Whether three points lie on one line.
pub(crate) fn in_line(points: &[DVec3; 3]) -> bool {
    let unit = WholeUnit::of_points(points);
    let [a, b, c] = points.map(|p| unit.point(p));
    cross(&difference(&b, &a), &difference(&c, &a)).iter().all(|x| *x == BigInt::ZERO)
}

/// A quotient of whole numbers as a double, to one or two roundings; the divisor is positive.
pub(crate) fn quotient(number: &BigInt, by: &BigInt) -> f64 {
    let digits = |x: &BigInt| i64::try_from(x.bits()).unwrap_or(i64::MAX);
    // 64 binary digits of the quotient are kept.
    let shift = 64 + digits(by) - digits(number);
    let whole: BigInt = if shift >= 0 { (number << shift) / by } else { number / (by << -shift) };
    let (mut value, mut rest) = (of_64_digits(&whole), -shift);
    // The scale is applied in steps, so that it leaves the range of doubles only if the value does.
    while rest != 0 {
        let step = rest.clamp(-1000, 1000);
        value *= f64::powi(2.0, i32::try_from(step).unwrap_or(0));
        rest -= step;
        if value == 0.0 || value.is_infinite() {
            break;
        }
    }
    value
}

/// A whole number of at most a few more than 64 binary digits, as a double.
fn of_64_digits(x: &BigInt) -> f64 {
    let magnitude =
        x.abs().iter_u64_digits().rev().fold(0.0, |sum, digit| sum * f64::powi(2.0, 64) + digit as f64);
    if x.is_negative() { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;

    #[test]
    fn sides_are_those_of_whole_numbers() {
        let random = &mut Random(1);
        let mut even = 0;
        for i in 0..20_000 {
            // The coordinates have few values, so that many points are coplanar; some sets are tiny, huge or far
            // from the origin.
            let scale = [1.0, 1e-90, 1e60, 2.0_f64.powi(-30)][i % 4];
            let place = [DVec3::ZERO, DVec3::new(1.0, -2.0, 4.0)][i % 2] * scale * 1e3;
            let whole = |random: &mut Random| [(); 3].map(|()| random.below(7) as i64 - 3);
            let [a, b, c, p] = [(); 4].map(|()| whole(random));
            let at = |q: [i64; 3]| place + DVec3::from_array(q.map(|x| x as f64)) * scale;
            let points = [a, b, c, p].map(at);
            let truth = if scale == 1.0 {
                let edge = |q: [i64; 3]| [0, 1, 2].map(|i| q[i] - a[i]);
                let [u, v, w] = [b, c, p].map(edge);
                let n = [0, 1, 2].map(|i| u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]);
                (n[0] * w[0] + n[1] * w[1] + n[2] * w[2]).cmp(&0)
            } else {
                let [a, b, c, p] = points;
                sign(&whole_height(WholeUnit::of_points(&points), &[a, b, c], p))
            };
            let [a, b, c, p] = points;
            assert_eq!(side(&[a, b, c], p), truth, "{points:?}");
            assert_eq!(side(&[b, a, c], p), truth.reverse(), "{points:?}");
            even += u32::from(truth == Ordering::Equal);
        }
        assert!((500..15_000).contains(&even), "{even}");
    }

    #[test]
    fn a_point_one_bit_off_the_plane_is_off_it() {
        let plane = [DVec3::new(0.1, 0.1, 0.1), DVec3::new(0.7, 0.2, 0.2), DVec3::new(0.3, 0.9, 0.3)];
        let least = f64::from_bits(1);
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert_eq!(side(&flat, DVec3::new(0.25, 0.25, least)), Ordering::Greater);
        assert_eq!(side(&flat, DVec3::new(0.25, 0.25, -least)), Ordering::Less);
        assert_eq!(side(&plane, plane[2]), Ordering::Equal);
        assert!(in_line(&[DVec3::ZERO, DVec3::splat(least), DVec3::splat(3.0)]));
        assert!(!in_line(&[DVec3::ZERO, DVec3::splat(least), DVec3::new(3.0, 3.0, 3.5)]));
    }

    #[test]
    fn quotients() {
        for (number, by, expected) in [(1, 3, 1.0 / 3.0), (-7, 2, -3.5), (0, 5, 0.0), (12_345, 5, 2469.0)] {
            let found = quotient(&BigInt::from(number), &BigInt::from(by));
            assert!((found - expected).abs() <= 1e-15 * expected.abs(), "{number} / {by}: {found}");
        }
        let huge = BigInt::from(3) << 4000;
        assert_eq!(quotient(&huge, &(BigInt::from(1) << 4001)), 1.5);
        assert_eq!(quotient(&BigInt::from(1), &(BigInt::from(1) << 1074)), f64::from_bits(1));
    }
}
