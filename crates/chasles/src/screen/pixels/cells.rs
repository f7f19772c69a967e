//! Pixels: which segments of one body lie on each, without an image of the screen (Buss 2005, "Pixel algorithm", fourth
//! step; the hash table is that of "Concluding remarks").
//!
//! A pixel is a row, a column and a slice of tau: parts of a body that lie on top of each other, but further apart in
//! time than the motion lasts, are then told apart, so that highly non-convex bodies cost no more than others.

use crate::math::budget::{Budget, OutOfBudget};
use crate::screen::pixels::chart::whole;
use crate::screen::pixels::curve::Segment;

/// Slices of tau.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slices {
    begin: f64,
    length: f64,
}

impl Slices {
    /// Slices for things within this span of tau.
    pub(crate) fn new([begin, end]: [f64; 2]) -> Self {
        let whole = end - begin;
        // One slice where most pairs would be in the same or the next; not more than can be looked up one by one.
        let length = if whole > 4.0 { (whole / 1024.0).max(1.0) } else { f64::INFINITY };
        Self { begin, length }
    }

    /// The slices that a span of tau meets.
    #[inline]
    fn of(&self, [from, to]: [f64; 2]) -> (i64, i64) {
        if self.length == f64::INFINITY {
            return (0, 0);
        }
        let slice = |tau: f64| whole(((tau - self.begin) / self.length).floor()).clamp(-1, 1025);
        (slice(from), slice(to))
    }
}

/// The segments of one body by the pixels that they touch.
#[derive(Debug)]
pub(crate) struct Cells {
    slices: Slices,
    /// Rows and columns, from 0.
    last: [i64; 2],
    /// Where the items of each hash begin; a power of two and one more.
    begins: Vec<u32>,
    /// Part of the hash that is not its place, and the number of the segment.
    items: Vec<(u32, u32)>,
}

/// One segment on one pixel.
type Record = (u64, u32);

impl Cells {
    /// The pixels of `segments` in a window of this size in pixels.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn new(
        segments: &[Segment],
        size: [f64; 2],
        slices: Slices,
        budget: &mut Budget<'_>,
    ) -> Result<Self, OutOfBudget> {
        let last = size.map(|x| whole(x.floor()).max(0));
        let mut records: Vec<Record> = Vec::new();
        for (number, segment) in (0_u32..).zip(segments) {
            let (first_slice, last_slice) = slices.of(segment.tau);
            covered(segment, last, ROUNDING, |row, column| {
                for slice in first_slice..=last_slice {
                    budget.step()?;
                    budget.keep::<[Record; 2]>()?;
                    records.push((hash(row, column, slice), number));
                }
                Ok(())
            })?;
        }
        let Ok(count) = u32::try_from(records.len()) else { return Err(OutOfBudget) };
        let bits = (count.max(1).ilog2() + 1).min(31);
        let mut begins = vec![0_u32; (1 << bits) + 1];
        let mut items = vec![(0, 0); records.len()];
        records.iter().for_each(|(hash, _)| begins[place(*hash, bits)] += 1);
        let mut total = 0;
        for end in &mut begins {
            total += *end;
            *end = total;
        }
        for (hash, number) in records.into_iter().rev() {
            let begin = &mut begins[place(hash, bits)];
            *begin -= 1;
            items[*begin as usize] = (tag(hash), number);
        }
        Ok(Self { slices, last, begins, items })
    }

    /// Tells the numbers of the segments, some more than once, that come within `pad` pixels of a segment of A and may
    /// have its place at a time in [0, 1].
    ///
    /// # Errors
    /// [`OutOfBudget`], and that of `tell`.
    pub(crate) fn near(
        &self,
        segment: &Segment,
        pad: f64,
        budget: &mut Budget<'_>,
        mut tell: impl FnMut(u32, &mut Budget<'_>) -> Result<(), OutOfBudget>,
    ) -> Result<(), OutOfBudget> {
        let bits = (self.begins.len() - 1).ilog2();
        let (first, last) = self.slices.of([segment.tau[0], segment.tau[1] + 1.0]);
        covered(segment, self.last, pad, |row, column| {
            for slice in first..=last {
                budget.step()?;
                let hash = hash(row, column, slice);
                let (at, tag) = (place(hash, bits), tag(hash));
                let (from, to) = (self.begins[at] as usize, self.begins[at + 1] as usize);
                for (other, number) in &self.items[from..to] {
                    if *other == tag {
                        tell(*number, budget)?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// What rounding can move a point by, in pixels.
const ROUNDING: f64 = 1e-6;

#[inline]
fn hash(row: i64, column: i64, slice: i64) -> u64 {
    let mix = |x: i64, by: u64| (x.cast_unsigned()).wrapping_mul(by);
    let sum = mix(row, 0x9e37_79b9_7f4a_7c15) ^ mix(column, 0xc2b2_ae3d_27d4_eb4f).rotate_left(29);
    let sum = (sum ^ mix(slice, 0x1656_67b1_9e37_79f9)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    sum ^ sum >> 32
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 31 bits are left")]
fn place(hash: u64, bits: u32) -> usize {
    (hash >> (64 - bits)) as usize
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
fn tag(hash: u64) -> u32 {
    hash as u32
}

/// Tells the pixels, from [0, 0] to `last`, that a segment comes within `pad` pixels of.
///
/// # Errors
/// That of `tell`.
#[inline]
fn covered(
    segment: &Segment,
    last: [i64; 2],
    pad: f64,
    mut tell: impl FnMut(i64, i64) -> Result<(), OutOfBudget>,
) -> Result<(), OutOfBudget> {
    let (p, q) = if segment.from[0] <= segment.to[0] {
        (segment.from, segment.to)
    } else {
        (segment.to, segment.from)
    };
    let (rise, run) = (q[0] - p[0], q[1] - p[1]);
    // Only the part that is next to the window.
    let (mut begin, mut end) = (0.0_f64, 1.0_f64);
    for (from, way, most) in [(p[0], rise, last[0]), (p[1], run, last[1])] {
        let (low, high) = (-1.0 - pad, most as f64 + 2.0 + pad);
        let (x, y) = ((low - from) / way, (high - from) / way);
        if x.is_finite() && y.is_finite() {
            begin = begin.max(x.min(y));
            end = end.min(x.max(y));
        } else if from < low || from > high {
            return Ok(());
        }
    }
    if begin > end {
        return Ok(());
    }
    let row = |x: f64, most: i64| whole(x.floor()).clamp(0, most);
    let first = row(p[0] + begin * rise - pad, last[0]);
    let final_row = row(p[0] + end * rise + pad, last[0]);
    for at in first..=final_row {
        let edge = at as f64;
        let (low, high) = if rise > 0.0 {
            (((edge - pad - p[0]) / rise).max(begin), ((edge + 1.0 + pad - p[0]) / rise).min(end))
        } else {
            (begin, end)
        };
        // A row next to the window's part of the segment, which only the clamping of rows has made one.
        if low > high {
            continue;
        }
        let (x, y) = (p[1] + low * run, p[1] + high * run);
        let (left, right) = (x.min(y) - pad, x.max(y) + pad);
        if right < 0.0 || left > last[1] as f64 + 1.0 {
            continue;
        }
        for column in row(left, last[1])..=row(right, last[1]) {
            tell(at, column)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(from: [f64; 2], to: [f64; 2]) -> Segment {
        Segment { from, to, tau: [0.0, 0.5], edge: 0 }
    }

    fn pixels(from: [f64; 2], to: [f64; 2], pad: f64) -> Vec<(i64, i64)> {
        let mut out = Vec::new();
        let tell = |row, column| {
            out.push((row, column));
            Ok(())
        };
        covered(&segment(from, to), [9, 9], pad, tell).unwrap();
        out
    }

    #[test]
    fn a_segment_covers_what_its_points_lie_on() {
        for (from, to) in [
            ([0.5, 0.5], [6.3, 3.1]),
            ([8.2, 0.1], [8.9, 9.7]),
            ([3.5, 7.5], [3.5, 7.5]),
            ([-4.0, 2.5], [14.0, 8.0]),
            ([5.5, 40.0], [5.6, -30.0]),
        ] {
            let pixels = pixels(from, to, 0.0);
            for i in 0..=1000 {
                let share = f64::from(i) / 1000.0;
                let at = [0, 1].map(|c| from[c] + share * (to[c] - from[c]));
                if at.iter().all(|x| (0.0..10.0).contains(x)) {
                    assert!(
                        pixels.contains(&(whole(at[0].floor()), whole(at[1].floor()))),
                        "{from:?} {at:?}"
                    );
                }
            }
            assert!(pixels.len() < 30, "{pixels:?}");
        }
        assert_eq!(pixels([20.0, 1.0], [30.0, 2.0], 0.1), []);
    }

    #[test]
    fn each_segment_is_found_where_it_is() {
        let segments: Vec<_> =
            (0..8_u8).map(|i| segment([f64::from(i), 0.5], [f64::from(i) + 0.5, 9.5])).collect();
        let budget = &mut Budget::new(10_000);
        let cells = Cells::new(&segments, [10.0, 10.0], Slices::new([0.0, 1.0]), budget).unwrap();
        let mut found = Vec::new();
        let probe = segment([3.2, 5.2], [3.3, 5.3]);
        cells
            .near(&probe, 0.0, budget, |number, _| {
                found.push(number);
                Ok(())
            })
            .unwrap();
        assert_eq!(found, [3]);
    }
}
