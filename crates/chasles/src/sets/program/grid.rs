//! Sampled functions, with the minimum and maximum sample of every block of cells.

use std::sync::Arc;

use glam::DVec3;

use crate::sets::program::region::{LinearBounds, Region};
use crate::shape::grid::LevelSet;

/// A level set with the data for its bounds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    samples: Arc<LevelSet>,
    /// Minimum and maximum samples of blocks of cells: single cells, 2 by 2 by 2 cells, and so on up to one block.
    levels: Vec<Level>,
    /// The maximum absolute sample.
    largest: f64,
}

#[derive(Debug, Clone, PartialEq)]
struct Level {
    counts: [usize; 3],
    ranges: Vec<[f64; 2]>,
}

/// A region may extend beyond a cell by this fraction of the grid's coordinates and still count as inside it: each
/// cut of a region adds rounding errors to its ends.
const ROUNDING_MARGIN: f64 = 1e-11;

/// The rounding error of evaluating a cell, as a fraction of the maximum absolute sample.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

impl Grid {
    pub(crate) fn new(samples: Arc<LevelSet>) -> Self {
        let cells = samples.counts().map(|count| count - 1);
        let mut ranges = Vec::with_capacity(cells.iter().product());
        let mut largest = 0.0_f64;
        for i in 0..cells[0] {
            for j in 0..cells[1] {
                for k in 0..cells[2] {
                    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
                    for corner in 0..8 {
                        let bit = |n: usize| (corner >> n) & 1;
                        let sample = samples.sample([i + bit(0), j + bit(1), k + bit(2)]);
                        range = [range[0].min(sample), range[1].max(sample)];
                    }
                    largest = largest.max(-range[0]).max(range[1]);
                    ranges.push(range);
                }
            }
        }
        let mut levels = vec![Level { counts: cells, ranges }];
        while let Some(last) = levels.last().filter(|level| level.counts.iter().any(|count| *count > 1)) {
            let counts = last.counts.map(|count| count.div_ceil(2));
            let mut ranges = vec![[f64::INFINITY, f64::NEG_INFINITY]; counts.iter().product()];
            for i in 0..last.counts[0] {
                for j in 0..last.counts[1] {
                    for k in 0..last.counts[2] {
                        let from = last.ranges[(i * last.counts[1] + j) * last.counts[2] + k];
                        let into = &mut ranges[(i / 2 * counts[1] + j / 2) * counts[2] + k / 2];
                        *into = [into[0].min(from[0]), into[1].max(from[1])];
                    }
                }
            }
            levels.push(Level { counts, ranges });
        }
        Self { samples, levels, largest }
    }

    /// The first and last cell along an axis that a range touches. The range's ends may be off by up to `pad`.
    fn cells(&self, axis: usize, [from, to]: [f64; 2], pad: f64) -> [usize; 2] {
        let (origin, step) = (self.samples.bounds()[0][axis], self.samples.spacing()[axis]);
        let last = self.samples.counts()[axis] - 2;
        // A range that extends into a cell by no more than this does not touch it.
        let rounding_margin = self.rounding_margin(axis, pad);
        #[expect(clippy::cast_possible_truncation, reason = "no less than 0 and no more than the last cell")]
        let number = |x: f64| ((x - origin) / step).floor().clamp(0.0, last as f64) as usize;
        let first = number(from + rounding_margin);
        [first, number(to - rounding_margin).max(first)]
    }

    /// How far along an axis a region may extend beyond a cell and still count as inside it.
    fn rounding_margin(&self, axis: usize, pad: f64) -> f64 {
        let [from, to] = self.samples.bounds().map(|end| end[axis].abs());
        ROUNDING_MARGIN * from.max(to) + 2.0 * pad
    }

    /// The coordinate of a layer of samples along an axis.
    fn face(&self, axis: usize, number: usize) -> f64 {
        self.samples.bounds()[0][axis] + number as f64 * self.samples.spacing()[axis]
    }

    /// The axis and coordinate of a layer of samples near the middle of a region that lies in more than one cell.
    /// The region's points may be off by `pad`.
    pub(crate) fn divide(&self, region: &Region, pad: f64) -> Option<(usize, f64)> {
        let [min_corner, max_corner] = region.ends();
        let cell_ranges = [0, 1, 2].map(|axis| self.cells(axis, [min_corner[axis], max_corner[axis]], pad));
        let axis = (0..3).max_by(|i, j| {
            let length =
                |i: usize| (cell_ranges[i][1] - cell_ranges[i][0]) as f64 * self.samples.spacing()[i];
            length(*i).total_cmp(&length(*j))
        })?;
        let [first, last] = cell_ranges[axis];
        (last > first).then(|| (axis, self.face(axis, first + (last - first).div_ceil(2))))
    }

    /// Bounds over a region in the grid's frame, whose points may be off by `pad`. Outside the grid, the function
    /// continues from its outermost cells; the box around the grid is a separate part of the solid.
    pub(crate) fn slab(&self, region: &Region, pad: f64) -> LinearBounds {
        let [min_corner, max_corner] = region.ends();
        let cell_ranges = [0, 1, 2].map(|axis| self.cells(axis, [min_corner[axis], max_corner[axis]], pad));
        if cell_ranges.iter().all(|[first, last]| first == last) {
            return self.in_cell(cell_ranges.map(|span| span[0]), region, pad);
        }
        if cell_ranges.iter().all(|[first, last]| last - first <= 1) {
            return self.in_cells(cell_ranges, region, pad);
        }
        let inside = |axis: usize| {
            let [from, to] = [self.face(axis, 0), self.face(axis, self.samples.counts()[axis] - 1)];
            let margin = 1e-9 * self.samples.spacing()[axis];
            min_corner[axis] >= from - margin && max_corner[axis] <= to + margin
        };
        let widest = cell_ranges.iter().map(|[first, last]| last - first).max().unwrap_or(0);
        // Blocks large enough that a region touches at most three along each axis.
        let level = (usize::BITS - (widest / 2).leading_zeros()) as usize;
        let level = level.min(self.levels.len() - 1);
        let Level { counts, ranges } = &self.levels[level];
        let [x, y, z] = cell_ranges.map(|[first, last]| (first >> level)..=(last >> level));
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for i in x {
            for j in y.clone() {
                for k in z.clone() {
                    let [lo, hi] = ranges[(i * counts[1] + j) * counts[2] + k];
                    range = [range[0].min(lo), range[1].max(hi)];
                }
            }
        }
        // A region extends only this little beyond the cells that it touches, and the slopes are bounded.
        let over: f64 =
            (0..3).map(|axis| self.rounding_margin(axis, pad) / self.samples.spacing()[axis]).sum();
        let margin = (ROUNDINGS + 8.0 * over) * self.largest;
        if (0..3).all(inside) {
            // In the margin around the grid's box, the function changes by at most this fraction of the samples.
            let over = 1e-8 * self.largest;
            let over = if (0..3).all(|axis| {
                min_corner[axis] >= self.face(axis, 0)
                    && max_corner[axis] <= self.face(axis, self.samples.counts()[axis] - 1)
            }) {
                0.0
            } else {
                over
            };
            LinearBounds::flat(range[0] - margin - over, range[1] + margin + over)
        } else {
            LinearBounds::flat(f64::NEG_INFINITY, f64::INFINITY)
        }
    }

    /// Bounds over a region in at most two cells along each axis: the bounds of each cell's function over its part
    /// of the region, relative to the mean gradient.
    fn in_cells(&self, cell_ranges: [[usize; 2]; 3], region: &Region, pad: f64) -> LinearBounds {
        let ends = region.ends();
        let parts = (0..8_usize).filter_map(|corner| {
            let upper = [0, 1, 2].map(|axis| (corner >> axis) & 1);
            if (0..3).any(|axis| upper[axis] > cell_ranges[axis][1] - cell_ranges[axis][0]) {
                return None;
            }
            let cell = [0, 1, 2].map(|axis| cell_ranges[axis][0] + upper[axis]);
            let [mut min_corner, mut max_corner] = ends;
            for axis in 0..3 {
                let [first, last] = cell_ranges[axis];
                if cell[axis] > first {
                    min_corner[axis] = self.face(axis, cell[axis]).clamp(ends[0][axis], ends[1][axis]);
                }
                if cell[axis] < last {
                    max_corner[axis] = self.face(axis, cell[axis] + 1).clamp(ends[0][axis], ends[1][axis]);
                }
            }
            let part = Region::between([min_corner, max_corner]);
            Some((self.in_cell(cell, &part, pad), part))
        });
        let parts: Vec<(LinearBounds, Region)> = parts.collect();
        let gradient = parts.iter().map(|(bounds, _)| bounds.gradient).sum::<DVec3>() / parts.len() as f64;
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        for (bounds, part) in &parts {
            let step = part.centre - region.centre;
            let difference = bounds.gradient - gradient;
            let swing = difference.abs().dot(part.half);
            let roundings = 8.0
                * f64::EPSILON
                * (swing + (bounds.gradient.abs() + gradient.abs()).dot(region.half + region.centre.abs()));
            let shift = gradient.dot(step);
            lo = lo.min(bounds.lo - shift - swing - roundings);
            hi = hi.max(bounds.hi - shift + swing + roundings);
        }
        LinearBounds { gradient, lo, hi }
    }

    /// Bounds over a region in one cell.
    fn in_cell(&self, cell: [usize; 3], region: &Region, pad: f64) -> LinearBounds {
        let spacing = self.samples.spacing();
        let low = DVec3::from_array([0, 1, 2].map(|axis| self.face(axis, cell[axis])));
        let value = |corner: usize| {
            let bit = |n: usize| (corner >> n) & 1;
            self.samples.sample([cell[0] + bit(0), cell[1] + bit(1), cell[2] + bit(2)])
        };
        let values: [f64; 8] = std::array::from_fn(value);
        // In units of the cell.
        let at = (region.centre - low) / spacing;
        let half = (region.half + pad) / spacing + 4.0 * f64::EPSILON * (1.0 + (low / spacing).abs());
        // The differences along each axis, at the four edges of the cell.
        let edges = |axis: usize| {
            let [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
            [0, 1, 2, 3].map(|n| {
                let base = ((n & 1) << j) | ((n >> 1) << k);
                values[base | (1 << axis)] - values[base]
            })
        };
        let mix = |[p, q, r, s]: [f64; 4], y: f64, z: f64| {
            (p * (1.0 - y) + q * y) * (1.0 - z) + (r * (1.0 - y) + s * y) * z
        };
        let mut gradient = DVec3::ZERO;
        // An upper bound of intermediate values, also just outside the cell, where rounding may put a region.
        let size = self.largest * (1.0 + at.abs() + half).element_product();
        let mut error = ROUNDINGS * size;
        for axis in 0..3 {
            // Outside the cell, the neighbouring cell's function applies. The two differ by their slopes, each at
            // most twice the maximum absolute sample.
            let max_excess =
                half[axis] - (region.half[axis] - self.rounding_margin(axis, pad) - pad) / spacing[axis];
            let beyond = (at[axis] - 0.5).abs() + half[axis] - 0.5;
            error += 8.0 * self.largest * beyond.max(0.0).min(max_excess);
            let [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
            let slopes = edges(axis);
            let slope = mix(slopes, at[j], at[k]);
            // A bilinear function has its extremes over a rectangle at the corners.
            let mut wide = 0.0_f64;
            for (y, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                let there = mix(slopes, at[j] + y * half[j], at[k] + z * half[k]);
                wide = wide.max((there - slope).abs());
            }
            gradient[axis] = slope / spacing[axis];
            error += (wide + ROUNDINGS * size) * half[axis]
                + slope.abs() * (half[axis] - region.half[axis] / spacing[axis]);
        }
        let layers = [0, 1].map(|n| {
            let v = &values[4 * n..4 * n + 4];
            mix([v[0], v[1], v[2], v[3]], at.x, at.y)
        });
        let middle = layers[0] * (1.0 - at.z) + layers[1] * at.z;
        let error = error * (1.0 + 16.0 * f64::EPSILON);
        LinearBounds { gradient, lo: middle - error, hi: middle + error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;

    /// The trilinear function at a point: the weighted sum of the eight samples around it.
    fn value(set: &LevelSet, p: DVec3) -> f64 {
        let at = (p - set.bounds()[0]) / set.spacing();
        let counts = set.counts();
        let low: [usize; 3] =
            std::array::from_fn(|axis| (0..counts[axis] - 1).rfind(|i| *i as f64 <= at[axis]).unwrap_or(0));
        (0..8_usize)
            .map(|corner| {
                let bit = [0, 1, 2].map(|axis| (corner >> axis) & 1);
                let weight = |axis: usize| {
                    let fraction = at[axis] - low[axis] as f64;
                    if bit[axis] == 1 { fraction } else { 1.0 - fraction }
                };
                let node = [0, 1, 2].map(|axis| low[axis] + bit[axis]);
                weight(0) * weight(1) * weight(2) * set.sample(node)
            })
            .sum()
    }

    #[test]
    fn a_function_of_samples_is_within_its_bounds() {
        let random = &mut Random(9);
        let (mut across, mut tight) = (0, 0);
        for _ in 0..8000 {
            let counts = [0; 3].map(|_| 2 + random.below(7));
            let spacing =
                DVec3::new(random.within(0.2, 2.0), random.within(0.2, 2.0), random.within(0.2, 2.0));
            let number: usize = counts.iter().product();
            let rises = random.one_in(4);
            let sample = |index| if rises { index as f64 / number as f64 } else { random.side() };
            let samples = (0..number).map(sample).collect();
            let set = Arc::new(LevelSet::new(samples, counts, spacing, random.vector(1.0)).unwrap());
            let grid = Grid::new(Arc::clone(&set));
            let [min_corner, max_corner] = set.bounds();
            let size = 10.0_f64.powf(random.within(-3.0, 0.7));
            let mut inside = || {
                min_corner
                    + (max_corner - min_corner) * DVec3::new(random.unit(), random.unit(), random.unit())
            };
            let (middle, half) = (inside(), size * spacing * 0.5);
            let mut ends = [(middle - half).max(min_corner), (middle + half).min(max_corner)];
            let pad = [0.0, 1e-13, 1e-7][random.below(3)];
            let at_layers = random.one_in(2);
            if at_layers {
                // The ends at layers of samples, or barely beyond.
                for (end, sense) in ends.iter_mut().zip([-1.0, 1.0]) {
                    let layer = ((*end - min_corner) / spacing).round();
                    let over = DVec3::from_array([0, 1, 2].map(|axis| 0.9 * grid.rounding_margin(axis, pad)));
                    *end = (min_corner + layer * spacing + sense * random.unit() * over)
                        .clamp(min_corner, max_corner);
                }
                ends[1] = ends[1].max(ends[0]);
            }
            let region = Region::between(ends);
            let LinearBounds { gradient, lo, hi } = grid.slab(&region, pad);
            let mut attained = [f64::INFINITY, f64::NEG_INFINITY];
            for _ in 0..60 {
                let fraction = [(); 3].map(|()| [0.0, 1.0, random.unit()][random.below(3)]);
                let p = (ends[0] + (ends[1] - ends[0]) * DVec3::from_array(fraction)).clamp(ends[0], ends[1]);
                let there = (p + random.vector(pad)).clamp(min_corner, max_corner);
                let remainder = value(&set, there) - gradient.dot(p - region.centre);
                assert!(
                    lo - 1e-14 <= remainder && remainder <= hi + 1e-14,
                    "{remainder} at {p} of {region:?}: {lo} to {hi}"
                );
                attained = [attained[0].min(remainder), attained[1].max(remainder)];
            }
            let cell_ranges = [0, 1, 2].map(|axis| grid.cells(axis, ends.map(|end| end[axis]), 0.0));
            let is_across = !at_layers && cell_ranges.iter().any(|[first, last]| last > first);
            across += usize::from(is_across);
            tight += usize::from(is_across && hi - lo <= 3.0 * (attained[1] - attained[0]));
        }
        assert!(across > 500 && 2 * tight > across, "{tight} of {across}");
    }
}
