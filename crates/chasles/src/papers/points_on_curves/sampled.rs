//! A level set as a target: bounds of its values over boxes, and rays that are marched from cell to cell.

use glam::DVec3;

use super::path::PathBox;
use super::target::{Hit, PointTarget, SurfacePoint, near_by_gradient};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::interval::RealInterval;
use crate::shape::LevelSet;

/// A level set as a target, in B's frame.
#[derive(Debug, Clone, Copy)]
pub struct SampledLevelSet<'a> {
    /// The level set.
    pub level_set: &'a LevelSet,
}

/// A box over more cells than this is not evaluated: its halves will be.
const MAX_CELLS: u64 = 512;

/// Maximum number of bisections of a cubic: far below the rounding of its argument.
const MAX_BISECTIONS: u32 = 40;

impl SampledLevelSet<'_> {
    /// A coordinate in cells from the first sample along an axis.
    fn local(&self, x: f64, axis: usize) -> RealInterval {
        let [origin, spacing] = [self.level_set.bounds()[0][axis], self.level_set.spacing()[axis]];
        (RealInterval::point(x) - RealInterval::point(origin)) / RealInterval::point(spacing)
    }

    /// The cell that contains a coordinate along an axis; outside the grid, the nearest cell.
    fn cell(&self, place: f64, axis: usize) -> usize {
        let last = self.level_set.counts()[axis] - 2;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
        let cell = place.floor().max(0.0) as usize;
        cell.min(last)
    }

    /// The eight samples of a cell; bit 0 of the index is along x, bit 1 along y, bit 2 along z.
    fn samples(&self, [i, j, k]: [usize; 3]) -> [f64; 8] {
        [0, 1, 2, 3, 4, 5, 6, 7]
            .map(|n| self.level_set.sample([i + (n & 1), j + (n >> 1 & 1), k + (n >> 2 & 1)]))
    }

    /// The range of the function on the part of a cell that is in a box. A trilinear function attains its extremes
    /// over an axis-aligned box at the corners.
    fn range(&self, cell: [usize; 3], [lower, upper]: [DVec3; 2]) -> RealInterval {
        let samples = self.samples(cell);
        let within = [0, 1, 2].map(|axis| {
            let shift = RealInterval::point(cell[axis] as f64);
            let [low, _] = (self.local(lower[axis], axis) - shift).bounds();
            let [_, high] = (self.local(upper[axis], axis) - shift).bounds();
            [low.clamp(0.0, 1.0), high.clamp(0.0, 1.0)]
        });
        let corner = |n: usize| {
            let at = [0, 1, 2].map(|axis| RealInterval::point(within[axis][n >> axis & 1]));
            trilinear(&samples.map(RealInterval::point), at)
        };
        (1..8).map(corner).fold(corner(0), RealInterval::hull)
    }

    /// The value at a point of the grid, and the gradient.
    fn at(&self, place: DVec3) -> (RealInterval, DVec3) {
        let cell = [0, 1, 2].map(|axis| self.cell(self.local(place[axis], axis).middle(), axis));
        let samples = self.samples(cell);
        let at = [0, 1, 2]
            .map(|axis| (self.local(place[axis], axis).middle() - cell[axis] as f64).clamp(0.0, 1.0));
        let slope = |axis: usize| {
            let [low, high] = [0.0, 1.0].map(|end| {
                let mut at = at;
                at[axis] = end;
                trilinear(&samples.map(RealInterval::point), at.map(RealInterval::point)).middle()
            });
            (high - low) / self.level_set.spacing()[axis]
        };
        (self.range(cell, [place, place]), DVec3::new(slope(0), slope(1), slope(2)))
    }
}

fn trilinear(samples: &[RealInterval; 8], [u, v, w]: [RealInterval; 3]) -> RealInterval {
    let mix = |a: RealInterval, b: RealInterval, at: RealInterval| a + at * (b - a);
    let [near, far] = [0, 4].map(|k| {
        let [left, right] = [0, 2].map(|j| mix(samples[k + j], samples[k + j + 1], u));
        mix(left, right, v)
    });
    mix(near, far, w)
}

impl PointTarget for SampledLevelSet<'_> {
    fn misses(&mut self, region: &PathBox, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
        budget.step()?;
        let [lower, upper] = region.bounds();
        let [low, high] = self.level_set.bounds();
        // The position of the grid's last face is uncertain by the rounding of its coordinates.
        let margin = 4.0 * f64::EPSILON * low.abs().max(high.abs());
        if !(lower.cmple(high + margin).all() && (low - margin).cmple(upper).all()) {
            return Ok(true);
        }
        let cells = [0, 1, 2].map(|axis| {
            let [first, _] = self.local(lower[axis], axis).bounds();
            let [_, last] = self.local(upper[axis], axis).bounds();
            [self.cell(first, axis), self.cell(last, axis)]
        });
        let count: f64 = cells.iter().map(|[first, last]| (last - first + 1) as f64).product();
        if count > MAX_CELLS as f64 {
            return Ok(false);
        }
        for i in cells[0][0]..=cells[0][1] {
            for j in cells[1][0]..=cells[1][1] {
                for k in cells[2][0]..=cells[2][1] {
                    budget.step()?;
                    // Inside a cell the function is a mean of the samples.
                    let positive = self.samples([i, j, k]).iter().all(|sample| *sample > 0.0);
                    if !positive && self.range([i, j, k], [lower, upper]).bounds()[0] <= 0.0 {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn near(
        &mut self,
        place: DVec3,
        within: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<SurfacePoint>, OutOfBudget> {
        near_by_gradient(place, within, self.level_set.bounds(), budget, |at| self.at(at))
    }

    /// Marches from cell to cell along the segment. In a cell the function along a straight line is a cubic, whose
    /// first root is found by its Bernstein coefficients. For a trilinear function these are means of its values at
    /// the points that take some coordinates from one end and some from the other. (The paper refers to Singh and
    /// Narayanan, "Real-time ray tracing of implicit surfaces on the GPU".)
    fn first_on(
        &mut self,
        [from, to]: [DVec3; 2],
        within: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Hit>, OutOfBudget> {
        budget.step()?;
        let ends = [from, to]
            .map(|end| DVec3::from_array([0, 1, 2].map(|axis| self.local(end[axis], axis).middle())));
        let direction = ends[1] - ends[0];
        let Some([mut fraction, last]) = self.fractions_in_grid(ends[0], direction) else { return Ok(None) };
        loop {
            budget.step()?;
            let next =
                (0..3).map(|axis| next_face(ends[0][axis], direction[axis], fraction)).fold(last, f64::min);
            let places = [fraction, next].map(|fraction| ends[0] + fraction * direction);
            let middle = 0.5 * (places[0] + places[1]);
            let cell = [0, 1, 2].map(|axis| self.cell(middle[axis], axis));
            let corner = DVec3::from_array(cell.map(|index| index as f64));
            let at = places.map(|place| (place - corner).clamp(DVec3::ZERO, DVec3::ONE));
            if let Some(root) = first_root(bernstein(&self.samples(cell), at)) {
                let fraction = fraction + root * (next - fraction);
                let place = from + fraction * (to - from);
                let surface = self.near(place, within, budget)?;
                let (_, gradient) = self.at(place);
                let surface = surface
                    .unwrap_or_else(|| SurfacePoint { point: place, normal: gradient.normalize_or_zero() });
                return Ok(Some(Hit { fraction, surface }));
            }
            if next >= last {
                return Ok(None);
            }
            fraction = next;
        }
    }
}

impl SampledLevelSet<'_> {
    /// The part of a segment that is inside the grid, as fractions of the segment; positions are in cells.
    fn fractions_in_grid(&self, from: DVec3, direction: DVec3) -> Option<[f64; 2]> {
        let mut fractions = [0.0_f64, 1.0];
        for axis in 0..3 {
            let size = (self.level_set.counts()[axis] - 1) as f64;
            if direction[axis] == 0.0 {
                if !(0.0..=size).contains(&from[axis]) {
                    return None;
                }
                continue;
            }
            let [a, b] = [0.0, size].map(|face| (face - from[axis]) / direction[axis]);
            fractions = [fractions[0].max(a.min(b)), fractions[1].min(a.max(b))];
        }
        (fractions[0] <= fractions[1]).then_some(fractions)
    }
}

/// The fraction at which a segment next passes through a face of the cells across an axis, after `fraction`.
fn next_face(from: f64, direction: f64, fraction: f64) -> f64 {
    if direction == 0.0 {
        return f64::INFINITY;
    }
    let place = from + fraction * direction;
    let ahead = if direction > 0.0 { place.floor() + 1.0 } else { place.ceil() - 1.0 };
    let next = (ahead - from) / direction;
    // Rounding may place a point before the face that was just passed.
    if next > fraction { next } else { (ahead + direction.signum() - from) / direction }
}

/// The Bernstein coefficients of a trilinear function along a segment inside its cell.
fn bernstein(samples: &[f64; 8], ends: [DVec3; 2]) -> [f64; 4] {
    // Bit n of `far`: coordinate n is taken from the far end.
    let value = |far: usize| {
        let at = [0, 1, 2].map(|axis| ends[far >> axis & 1][axis]);
        let mix = |a: f64, b: f64, t: f64| (1.0 - t) * a + t * b;
        let [near, beyond] = [0, 4].map(|k| {
            let [left, right] = [0, 2].map(|j| mix(samples[k + j], samples[k + j + 1], at[0]));
            mix(left, right, at[1])
        });
        mix(near, beyond, at[2])
    };
    let third = |places: [usize; 3]| places.map(value).iter().sum::<f64>() / 3.0;
    [value(0), third([1, 2, 4]), third([6, 5, 3]), value(7)]
}

/// The smallest argument in [0, 1] at which a cubic is not positive.
fn first_root(cubic: [f64; 4]) -> Option<f64> {
    let mut open = vec![(cubic, [0.0, 1.0], 0)];
    while let Some((c, [start, end], depth)) = open.pop() {
        if c[0] <= 0.0 {
            return Some(start);
        }
        if c.iter().all(|c| *c > 0.0) {
            continue;
        }
        if depth == MAX_BISECTIONS {
            // A change of sign is a root; a touch is not.
            if c[3] <= 0.0 {
                return Some(end);
            }
            continue;
        }
        let (p, q, r) = (0.5 * (c[0] + c[1]), 0.5 * (c[1] + c[2]), 0.5 * (c[2] + c[3]));
        let (s, t) = (0.5 * (p + q), 0.5 * (q + r));
        let (at, middle) = (0.5 * (s + t), 0.5 * (start + end));
        open.push(([at, t, r, c[3]], [middle, end], depth + 1));
        open.push(([c[0], p, s, at], [start, middle], depth + 1));
    }
    None
}
