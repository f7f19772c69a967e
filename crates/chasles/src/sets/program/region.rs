//! Boxes, and linear bounds of functions over them.

use glam::DVec3;

/// A box, by its centre and half of its size, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Region {
    pub(crate) centre: DVec3,
    pub(crate) half: DVec3,
}

/// 2^-400: functions with a gradient above its inverse or below it are scaled by a power of two.
const LOW: f64 = f64::from_bits((1023 - 400) << 52);

/// Bounds of a function over a region with centre c: gradient·(x - c) + [lo, hi].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinearBounds {
    pub(crate) gradient: DVec3,
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

impl Region {
    /// The box between two corners, larger by at most the rounding error.
    pub(crate) fn between([low, high]: [DVec3; 2]) -> Self {
        let centre = 0.5 * (low + high);
        let half = (high - centre).max(centre - low);
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

    /// Bounds of normal·x - offset over a region. The normal may be off by its own rounding.
    /// `rounding` bounds the error of the plane, in metres.
    pub(crate) fn of_plane(normal: DVec3, offset: f64, rounding: f64, region: &Region) -> Self {
        let value = normal.dot(region.centre) - offset;
        let size = region.centre.abs().element_sum() + region.half.element_sum() + offset.abs();
        let error = rounding + 32.0 * f64::EPSILON * size;
        Self { gradient: normal, lo: value - error, hi: value + error }
    }

    pub(crate) fn negated(self) -> Self {
        Self { gradient: -self.gradient, lo: -self.hi, hi: -self.lo }
    }

    /// Bounds of the function times a power of two, so that the squared gradient neither overflows nor underflows.
    /// The function's sign is unchanged.
    pub(crate) fn scaled_in_range(self) -> Self {
        let steepest = self.gradient.abs().max_element();
        if steepest == 0.0 || !self.gradient.is_finite() || (LOW..=1.0 / LOW).contains(&steepest) {
            return self;
        }
        let factor = if steepest < LOW { 1.0 / LOW } else { LOW };
        // Scaling down may round to subnormal numbers.
        let rounding = if factor < 1.0 { f64::MIN_POSITIVE } else { 0.0 };
        let Self { gradient, lo, hi } = self;
        Self { gradient: factor * gradient, lo: factor * lo - rounding, hi: factor * hi + rounding }
            .scaled_in_range()
    }

    /// Whether the function is nonpositive everywhere within a margin of a segment, and whether it is positive
    /// everywhere there. All of this neighbourhood must be in the region.
    pub(crate) fn sides(&self, region: &Region, ends: [DVec3; 2], margin: f64) -> [bool; 2] {
        let heights = ends.map(|end| self.gradient.dot(end - region.centre));
        let error = self.gradient.length() * margin * (1.0 + 1e-12)
            + 16.0 * f64::EPSILON * self.gradient.abs().dot(region.half);
        let lowest = heights[0].min(heights[1]) + self.lo - error;
        let highest = heights[0].max(heights[1]) + self.hi + error;
        [highest <= 0.0, lowest > 0.0]
    }

    /// The range of the function over a region.
    pub(crate) fn range(&self, half: DVec3) -> [f64; 2] {
        let swing = self.gradient.abs().dot(half) * (1.0 + 8.0 * f64::EPSILON);
        [self.lo - swing, self.hi + swing]
    }
}
