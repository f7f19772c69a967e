//! Random numbers: the same sequence on every platform and in every version.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

/// A small random number generator (splitmix64), given by its seed.
///
/// ```
/// use chasles_testing::Random;
/// let random = &mut Random(7);
/// assert_eq!(random.bits(), 0x63cb_e1e4_5932_0dd7);
/// assert!((2.0..3.0).contains(&random.within(2.0, 3.0)));
/// ```
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 0.5_f64.powi(53)
    }

    /// Uniform in [-1, 1).
    pub fn side(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform in [lo, hi).
    pub fn within(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// An integer from 0 to n - 1.
    ///
    /// # Panics
    /// If n is 0.
    pub fn below(&mut self, n: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "it is less than n")]
        let number = (self.bits() % n as u64) as usize;
        number
    }

    /// True with probability 1/n.
    ///
    /// # Panics
    /// If n is 0.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Uniform in a cube of half size r about the origin.
    pub fn vector(&mut self, r: f64) -> DVec3 {
        DVec3::new(self.within(-r, r), self.within(-r, r), self.within(-r, r))
    }

    /// A unit vector, uniform on the sphere, by rejection from a cube.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            if v.length() > 0.1 && v.length() < 1.0 {
                return v.normalize();
            }
        }
    }

    /// [`direction`](Self::direction) from two numbers: height and longitude.
    pub fn direction_of_two(&mut self) -> DVec3 {
        let z = self.side();
        let (sin, cos) = self.within(0.0, TAU).sin_cos();
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * cos, r * sin, z)
    }

    /// A quaternion of any length up to 2.
    pub fn quaternion(&mut self) -> DQuat {
        DQuat::from_xyzw(self.side(), self.side(), self.side(), self.side())
    }

    /// A rotation about a uniform axis by a uniform angle; small angles are as likely as large ones.
    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.within(0.0, TAU))
    }

    /// A rotation, uniform over all rotations (Shoemake 1992).
    pub fn even_rotation(&mut self) -> DQuat {
        let u = self.unit();
        let (s1, c1) = self.within(0.0, TAU).sin_cos();
        let (s2, c2) = self.within(0.0, TAU).sin_cos();
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(p * s1, p * c1, q * s2, q * c2)
    }

    /// A multiple of 1/8 up to r, so that ties are frequent.
    pub fn dyadic(&mut self, r: f64) -> f64 {
        (self.within(-r, r) * 8.0).round() / 8.0
    }

    /// [`dyadic`](Self::dyadic) for each coordinate.
    pub fn dyadic_vector(&mut self, r: f64) -> DVec3 {
        DVec3::new(self.dyadic(r), self.dyadic(r), self.dyadic(r))
    }
}

/// The number of cases of a test: `normal`, or `long` if the environment variable `CHASLES_LONG` is set.
pub fn cases<T>(normal: T, long: T) -> T {
    if std::env::var_os("CHASLES_LONG").is_some() { long } else { normal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_is_that_of_the_reference() {
        // The first numbers of Vigna's splitmix64.c with seed 0.
        let random = &mut Random(0);
        let expected = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!([(); 3].map(|()| random.bits()), expected);
    }

    #[test]
    fn random_values_are_in_their_ranges() {
        let random = &mut Random(1);
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&random.unit()) && (-1.0..1.0).contains(&random.side()));
            assert!(random.below(3) < 3 && random.vector(0.5).abs().max_element() <= 0.5);
            for length in [random.direction().length(), random.direction_of_two().length()] {
                assert!((length - 1.0).abs() < 1e-14);
            }
            for length in [random.rotation().length(), random.even_rotation().length()] {
                assert!((length - 1.0).abs() < 1e-14);
            }
            assert!((random.dyadic(2.0) * 8.0).fract() == 0.0);
        }
    }
}
