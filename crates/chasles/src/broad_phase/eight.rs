//! Eight space-time boxes side by side, compared with one box.

use crate::broad_phase::swept_box::AXES;

/// The number of boxes in a block.
pub(crate) const WIDTH: usize = 8;

/// Up to eight boxes. Comparisons are exact: no arithmetic is needed.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Eight {
    pub(crate) lower: [[f64; WIDTH]; AXES],
    pub(crate) upper: [[f64; WIDTH]; AXES],
}

impl Eight {
    /// No boxes. A comparison with NaN is false, so even an unbounded box does not overlap them.
    pub(crate) const NONE: Self = Self { lower: [[f64::NAN; WIDTH]; AXES], upper: [[f64::NAN; WIDTH]; AXES] };

    /// A block of up to eight boxes, each given by its lower and upper bounds.
    pub(crate) fn of(boxes: impl Iterator<Item = [[f64; AXES]; 2]>) -> Self {
        let mut eight = Self::NONE;
        for (lane, [lower, upper]) in boxes.take(WIDTH).enumerate() {
            for axis in 0..AXES {
                eight.lower[axis][lane] = lower[axis];
                eight.upper[axis][lane] = upper[axis];
            }
        }
        eight
    }

    /// The bounding box of all.
    pub(crate) fn around(&self) -> [[f64; AXES]; 2] {
        [
            self.lower.map(|l| l.into_iter().fold(f64::NAN, f64::min)),
            self.upper.map(|u| u.into_iter().fold(f64::NAN, f64::max)),
        ]
    }

    /// The boxes that overlap a given box, one bit each.
    #[expect(clippy::needless_range_loop, reason = "a loop over lanes, for the compiler to make vectors of")]
    #[inline(always)]
    pub(crate) fn overlapping(&self, [lower, upper]: &[[f64; AXES]; 2]) -> u64 {
        // One word per lane, with all bits set while the boxes overlap: compilers vectorise this loop.
        let mut overlaps = [u64::MAX; WIDTH];
        for axis in 0..AXES {
            for lane in 0..WIDTH {
                let overlap =
                    (self.lower[axis][lane] <= upper[axis]) & (lower[axis] <= self.upper[axis][lane]);
                overlaps[lane] &= u64::from(overlap).wrapping_neg();
            }
        }
        let mut live = 0;
        for lane in 0..WIDTH {
            live |= overlaps[lane] & (1 << lane);
        }
        live
    }
}
