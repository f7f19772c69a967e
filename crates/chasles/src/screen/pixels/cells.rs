//! Pixels: which segments of one body touch each pixel, without an image of the screen (Buss 2005, "Pixel algorithm",
//! fourth step; the hash table follows "Concluding remarks").
//!
//! A pixel is a row, a column and a slice of tau. The slices separate parts of a body that cover each other on the
//! screen but are further apart in time than the motion lasts, so highly non-convex bodies cost no more than others.

use crate::math::budget::{Budget, OutOfBudget};
use crate::screen::pixels::chart::{PixelChart, to_integer};
use crate::screen::pixels::curve::{CHORD_ERROR, ROUNDING, ScreenWindow, Segment};

/// Slices of tau.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slices {
    start: f64,
    length: f64,
}

impl Slices {
    /// The slices of this interval of tau.
    pub(crate) fn new([start, end]: [f64; 2]) -> Self {
        let whole = end - start;
        // One slice if most pairs would be in the same or the next slice; few enough slices to visit one by one.
        let length = if whole > 4.0 { (whole / 1024.0).max(1.0) } else { f64::INFINITY };
        Self { start, length }
    }

    /// The first and last slice that an interval of tau intersects.
    #[inline]
    fn range(&self, [from, to]: [f64; 2]) -> (i64, i64) {
        if self.length == f64::INFINITY {
            return (0, 0);
        }
        let slice = |tau: f64| to_integer(((tau - self.start) / self.length).floor()).clamp(-1, 1025);
        (slice(from), slice(to))
    }
}

/// The division of the window: rows of rho, each divided into columns of w that are one pixel wide.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raster<'c> {
    pub(crate) chart: &'c PixelChart,
    pub(crate) window: &'c ScreenWindow,
    pub(crate) slices: Slices,
}

/// The segments of one body, by the pixels that they touch.
#[derive(Debug)]
pub(crate) struct PixelCells<'c> {
    raster: Raster<'c>,
    /// The start of each hash bucket's items; the length is a power of two plus one.
    starts: Vec<u32>,
    /// A part of the hash that does not select the bucket, and the number of the segment.
    items: Vec<(u32, u32)>,
}

/// One segment on one pixel.
type Record = (u64, u32);

impl<'c> PixelCells<'c> {
    /// The pixels of `segments`.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn new(
        segments: &[Segment],
        raster: Raster<'c>,
        budget: &mut Budget<'_>,
    ) -> Result<Self, OutOfBudget> {
        let mut records: Vec<Record> = Vec::with_capacity(16 * segments.len().min(1 << 16));
        for (number, segment) in (0_u32..).zip(segments) {
            let (first_slice, last_slice) = raster.slices.range(segment.tau);
            raster.covered(segment, ROUNDING, budget, |pixel, budget| {
                for slice in first_slice..=last_slice {
                    budget.step()?;
                    budget.keep::<[Record; 2]>()?;
                    records.push((hash(pixel, slice), number));
                }
                Ok(())
            })?;
        }
        let Ok(count) = u32::try_from(records.len()) else { return Err(OutOfBudget) };
        let bits = (count.max(1).ilog2() + 1).min(31);
        let mut starts = vec![0_u32; (1 << bits) + 1];
        let mut items = vec![(0, 0); records.len()];
        records.iter().for_each(|(hash, _)| starts[bucket(*hash, bits)] += 1);
        let mut total = 0;
        for end in &mut starts {
            total += *end;
            *end = total;
        }
        for (hash, number) in records.into_iter().rev() {
            let start = &mut starts[bucket(hash, bits)];
            *start -= 1;
            items[*start as usize] = (tag(hash), number);
        }
        Ok(Self { raster, starts, items })
    }

    /// Reports the numbers of the segments that come within `pad` pixels of a segment of A and may coincide with it
    /// at a time in [0, 1]. A number may be reported more than once.
    ///
    /// # Errors
    /// [`OutOfBudget`], and the error of `report`.
    pub(crate) fn find_near(
        &self,
        segment: &Segment,
        pad: f64,
        budget: &mut Budget<'_>,
        mut report: impl FnMut(u32, &mut Budget<'_>) -> Result<(), OutOfBudget>,
    ) -> Result<(), OutOfBudget> {
        let bits = (self.starts.len() - 1).ilog2();
        let (first, last) = self.raster.slices.range([segment.tau[0], segment.tau[1] + 1.0]);
        self.raster.covered(segment, pad, budget, |pixel, budget| {
            for slice in first..=last {
                budget.step()?;
                let hash = hash(pixel, slice);
                let (at, tag) = (bucket(hash, bits), tag(hash));
                let (from, to) = (self.starts[at] as usize, self.starts[at + 1] as usize);
                for (other, number) in &self.items[from..to] {
                    if *other == tag {
                        report(*number, budget)?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// Multiplies by constants without a pattern, so that neighbouring pixels get distant hashes.
#[inline]
fn hash([row, column]: [i64; 2], slice: i64) -> u64 {
    let times = |x: i64, by: u64| x.cast_unsigned().wrapping_mul(by);
    times(row, 0x9e37_79b9_7f4a_7c15)
        .wrapping_add(times(column, 0xc2b2_ae3d_27d4_eb4f))
        .wrapping_add(times(slice, 0x1656_67b1_9e37_79f9))
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 31 bits are left")]
fn bucket(hash: u64, bits: u32) -> usize {
    (hash >> (64 - bits)) as usize
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the middle bits, which do not select the bucket")]
fn tag(hash: u64) -> u32 {
    (hash >> 8) as u32
}

impl Raster<'_> {
    /// Reports the pixels, from row 0 and column 0, that are within `pad` pixels of a segment.
    ///
    /// # Errors
    /// [`OutOfBudget`], and the error of `report`.
    #[inline]
    fn covered(
        &self,
        segment: &Segment,
        pad: f64,
        budget: &mut Budget<'_>,
        mut report: impl FnMut([i64; 2], &mut Budget<'_>) -> Result<(), OutOfBudget>,
    ) -> Result<(), OutOfBudget> {
        let size = self.window.size;
        let (mut p, mut q) = (segment.from, segment.to);
        if p[0] > q[0] {
            std::mem::swap(&mut p, &mut q);
        }
        let (rise, run) = (q[0] - p[0], q[1] - p[1]);
        // A segment just outside may represent a curve inside.
        let next = pad + CHORD_ERROR;
        if !(p[0] - next <= size[0] && q[0] + next >= 0.0) {
            return Ok(());
        }
        let (low, high) = ((p[0] - pad).clamp(0.0, size[0]), (q[0] + pad).clamp(0.0, size[0]));
        for row in to_integer(low)..=to_integer(high) {
            budget.step()?;
            let edge = row as f64;
            let scale = self.chart.metres_per_w(self.window.rho(edge + 1.0));
            // The part of the segment that is next to the row; all of a short segment, which may represent a curve at
            // the axis.
            let (mut x, mut y) = (p[1], q[1]);
            if edge - pad > p[0] && rise > CHORD_ERROR {
                x = p[1] + run * ((edge - pad - p[0]) / rise).min(1.0);
            }
            if edge + 1.0 + pad < q[0] && rise > CHORD_ERROR {
                y = p[1] + run * ((edge + 1.0 + pad - p[0]) / rise).max(0.0);
            }
            // Next to the axis the curve may be further from the segment than elsewhere.
            let pad = pad + (segment.chord_error * scale - CHORD_ERROR).max(0.0);
            let (left, right) = (x.min(y) * scale - pad, x.max(y) * scale + pad);
            let last = size[1] * scale;
            if left <= last + CHORD_ERROR && right >= -CHORD_ERROR {
                let (left, right) = (left.clamp(0.0, last), right.clamp(0.0, last));
                for column in to_integer(left)..=to_integer(right) {
                    report([row, column], budget)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::screw_motion::ScrewMotion;
    use crate::motion::{Pose, Screw};
    use crate::screen::pixels::chart::ChartExtent;
    use crate::shape::Mesh;
    use glam::DVec3;

    fn segment(from: [f64; 2], to: [f64; 2]) -> Segment {
        Segment { from, to, tau: [0.0, 0.5], chord_error: 0.0, edge: 0 }
    }

    /// Ten by ten pixels of a translation's screen.
    fn with_raster<T>(answer: impl FnOnce(Raster<'_>) -> T) -> T {
        let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        let motion = ScrewMotion::new(&mesh, &mesh, &Screw::translation(Pose::IDENTITY, DVec3::Z));
        let chart = PixelChart::new(&motion, DVec3::ZERO, 1.0).unwrap();
        let window = ScreenWindow::new(ChartExtent { rho: [0.0, 9.5], w: [0.0, 9.5], tau: [0.0, 1.0] }, 1.0);
        answer(Raster { chart: &chart, window: &window, slices: Slices::new([0.0, 1.0]) })
    }

    fn pixels(from: [f64; 2], to: [f64; 2], pad: f64) -> Vec<[i64; 2]> {
        let mut out = Vec::new();
        with_raster(|raster| {
            let report = |pixel, _: &mut Budget<'_>| {
                out.push(pixel);
                Ok(())
            };
            raster.covered(&segment(from, to), pad, &mut Budget::new(1000), report).unwrap();
        });
        out
    }

    #[test]
    fn a_segment_covers_the_pixels_of_its_points() {
        for (from, to) in [
            ([0.5, 0.5], [6.3, 3.1]),
            ([8.2, 0.1], [8.9, 9.4]),
            ([3.5, 7.5], [3.5, 7.5]),
            ([-4.0, 2.5], [14.0, 8.0]),
            ([5.5, 40.0], [5.6, -30.0]),
            ([9.0, 1.0], [1.0, 9.0]),
        ] {
            let pixels = pixels(from, to, 0.0);
            for i in 0..=1000 {
                let fraction = f64::from(i) / 1000.0;
                let at = [0, 1].map(|c| from[c] + fraction * (to[c] - from[c]));
                if at.iter().all(|x| (0.0..9.5).contains(x)) {
                    assert!(pixels.contains(&at.map(to_integer)), "{from:?} {at:?}");
                }
            }
            assert!(pixels.len() < 30, "{pixels:?}");
        }
        assert_eq!(pixels([20.0, 1.0], [30.0, 2.0], 0.1), [[0_i64; 2]; 0]);
    }

    #[test]
    fn a_segment_is_found_only_near_itself() {
        let segments: Vec<_> =
            (0..8_u8).map(|i| segment([f64::from(i), 0.5], [f64::from(i) + 0.5, 9.5])).collect();
        let budget = &mut Budget::new(10_000);
        let mut found = Vec::new();
        with_raster(|raster| {
            let cells = PixelCells::new(&segments, raster, budget).unwrap();
            let report = |number, _: &mut Budget<'_>| {
                found.push(number);
                Ok(())
            };
            cells.find_near(&segment([3.2, 5.2], [3.3, 5.3]), 0.0, budget, report).unwrap();
        });
        assert_eq!(found, [3]);
    }

    #[test]
    fn segments_too_late_in_tau_are_not_reported() {
        let layer = |tau: f64| Segment { tau: [tau, tau + 0.1], ..segment([3.0, 3.0], [3.4, 3.4]) };
        let segments: Vec<_> = (0..100_u8).map(|i| layer(f64::from(i))).collect();
        let (budget, mut reported) = (&mut Budget::new(10_000), 0);
        with_raster(|raster| {
            let raster = Raster { slices: Slices::new([0.0, 99.1]), ..raster };
            let cells = PixelCells::new(&segments, raster, budget).unwrap();
            let report = |_, _: &mut Budget<'_>| {
                reported += 1;
                Ok(())
            };
            cells.find_near(&layer(50.2), 0.0, budget, report).unwrap();
        });
        assert!((1..=3).contains(&reported), "{reported}");
    }
}
