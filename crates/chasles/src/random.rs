//! Random numbers for tests: the same sequence everywhere, for ever.

use glam::{DQuat, DVec3};

/// Splitmix64, from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Evenly in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 * 0.5_f64.powi(53)
    }

    /// Evenly in [-1, 1).
    pub(crate) fn side(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// In a cube of half size r.
    pub(crate) fn vector(&mut self, r: f64) -> DVec3 {
        let mut side = || r * self.side();
        DVec3::new(side(), side(), side())
    }

    /// Of any length up to 2.
    pub(crate) fn quaternion(&mut self) -> DQuat {
        DQuat::from_xyzw(self.side(), self.side(), self.side(), self.side())
    }
}
