//! Seeded random numbers: the same sequence everywhere, for ever.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

/// A small generator of random numbers (splitmix64), given by its seed.
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

    /// Evenly in [lo, hi).
    pub fn within(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.bits() >> 11) as f64 * (0.5_f64).powi(53)
    }

    /// In a cube about the origin, of half size r.
    pub fn vector(&mut self, r: f64) -> DVec3 {
        DVec3::new(self.within(-r, r), self.within(-r, r), self.within(-r, r))
    }

    /// A unit vector, evenly over the sphere.
    pub fn direction(&mut self) -> DVec3 {
        let z = self.within(-1.0, 1.0);
        let (sin, cos) = self.within(0.0, TAU).sin_cos();
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * cos, r * sin, z)
    }

    /// A rotation, evenly over all rotations (Shoemake 1992).
    pub fn rotation(&mut self) -> DQuat {
        let u = self.within(0.0, 1.0);
        let (s1, c1) = self.within(0.0, TAU).sin_cos();
        let (s2, c2) = self.within(0.0, TAU).sin_cos();
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(p * s1, p * c1, q * s2, q * c2)
    }
}
