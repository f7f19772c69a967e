//! Boxes of space, and bounds of functions over them.

use glam::DVec3;

/// A box, by its centre and half of its size, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Region {
    pub(crate) centre: DVec3,
    pub(crate) half: DVec3,
}

/// Bounds of a function over a region with centre c: gradient.(x - c) + [lo, hi].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinearBounds {
    pub(crate) gradient: DVec3,
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

impl Region {
    /// The box between two corners, at most some roundings larger.
    pub(crate) fn between([least, greatest]: [DVec3; 2]) -> Self {
        let centre = 0.5 * (least + greatest);
        let half = (greatest - centre).max(centre - least);
        Self { centre, half: half + f64::EPSILON * (half + centre.abs()) }
    }

    pub(crate) fn ends(&self) -> [DVec3; 2] {
        [self.centre - self.half, self.centre + self.half]
    }
}

impl LinearBounds {
    /// Bounds by a range alone.
    pub(crate) fn flat(lo: f64, hi: f64) -> Self {
        Self { gradient: DVec3::ZERO, lo, hi }
    }

    pub(crate) fn negated(self) -> Self {
        Self { gradient: -self.gradient, lo: -self.hi, hi: -self.lo }
    }

    /// The range of the function over a region.
    pub(crate) fn range(&self, half: DVec3) -> [f64; 2] {
        let swing = self.gradient.abs().dot(half) * (1.0 + 8.0 * f64::EPSILON);
        [self.lo - swing, self.hi + swing]
    }
}
