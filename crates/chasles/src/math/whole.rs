//! Doubles as whole multiples of one power of two.

use glam::DVec3;
use num_bigint::BigInt;

/// A power of two such that given doubles are whole multiples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WholeUnit(i32);

impl WholeUnit {
    /// The largest such power; 1 if all doubles are 0. They must be finite.
    pub(crate) fn of(doubles: impl Iterator<Item = f64>) -> Self {
        Self(doubles.filter(|x| *x != 0.0).map(|x| parts(x).1).min().unwrap_or(0))
    }

    /// The largest such power for all coordinates of some points.
    pub(crate) fn of_points(points: &[DVec3]) -> Self {
        Self::of(points.iter().flat_map(|p| p.to_array()))
    }

    /// The number of cubes of the unit in a cube of side 1; 1 if the unit is larger than 1.
    pub(crate) fn cubes_in_one(self) -> BigInt {
        BigInt::from(1) << (-3 * i64::from(self.0)).max(0)
    }

    /// A double as a multiple of the unit.
    pub(crate) fn number(self, x: f64) -> BigInt {
        let (mantissa, exponent) = parts(x);
        if mantissa == 0 { BigInt::ZERO } else { BigInt::from(mantissa) << (exponent - self.0) }
    }

    /// A point in multiples of the unit.
    pub(crate) fn point(self, p: DVec3) -> [BigInt; 3] {
        p.to_array().map(|x| self.number(x))
    }
}

/// p - q.
pub(crate) fn difference(p: &[BigInt; 3], q: &[BigInt; 3]) -> [BigInt; 3] {
    std::array::from_fn(|i| &p[i] - &q[i])
}

/// u x v.
pub(crate) fn cross(u: &[BigInt; 3], v: &[BigInt; 3]) -> [BigInt; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &u[i] * &v[j] - &u[j] * &v[i])
}

/// u.v
pub(crate) fn dot(u: &[BigInt; 3], v: &[BigInt; 3]) -> BigInt {
    &u[0] * &v[0] + &u[1] * &v[1] + &u[2] * &v[2]
}

/// x = mantissa 2^exponent, the mantissa odd or 0.
fn parts(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & 0xf_ffff_ffff_ffff) as i64;
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    (if x < 0.0 { -mantissa } else { mantissa }, exponent + zeros as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_multiples_of_their_unit() {
        let doubles = [0.75, -3.0, 0.0, 2.5];
        let unit = WholeUnit::of(doubles.into_iter());
        assert_eq!(doubles.map(|x| unit.number(x)), [3, -12, 0, 10].map(BigInt::from));
        let [least, one] = [f64::from_bits(1), 1.0];
        let unit = WholeUnit::of([least, one].into_iter());
        assert_eq!((unit.number(least), unit.number(one)), (BigInt::from(1), BigInt::from(1) << 1074));
        assert_eq!(WholeUnit::of([0.0, -0.0].into_iter()).number(-0.0), BigInt::ZERO);
    }

    #[test]
    fn products_of_vectors() {
        let [u, v] = [[1, -2, 3], [4, 5, -6]].map(|w| w.map(BigInt::from));
        let n = cross(&u, &v);
        assert_eq!(n, [-3, 18, 13].map(BigInt::from));
        assert_eq!((dot(&n, &u), dot(&u, &v)), (BigInt::ZERO, BigInt::from(-24)));
        assert_eq!(difference(&u, &v), [-3, -7, 9].map(BigInt::from));
    }
}
