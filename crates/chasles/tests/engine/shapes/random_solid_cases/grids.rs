//! Interpolated samples on a grid, over a box.

use super::range::{Arithmetic, Range};

/// Samples of a function of three coordinates, trilinear between them; outside, the value at the nearest point of the
/// grid.
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    pub(crate) values: Vec<f64>,
    pub(crate) counts: [usize; 3],
    pub(crate) spacing: [f64; 3],
    pub(crate) origin: [f64; 3],
}

/// Samples of heights: two triangles per cell, with the diagonal from [i, j] to [i + 1, j + 1].
#[derive(Debug, Clone)]
pub(crate) struct Heights {
    pub(crate) values: Vec<f64>,
    pub(crate) counts: [usize; 2],
    pub(crate) spacing: [f64; 2],
    pub(crate) origin: [f64; 2],
}

/// A coordinate in cells, and the cells that may contain it.
fn cells(x: Range, origin: f64, spacing: f64, count: usize) -> (Range, [usize; 2], bool) {
    // Two roundings each, a few units in the last place of the coordinates.
    let slack = 1e-15 * (1.0 + (x.size() + origin.abs()) / spacing);
    let at = Range { lo: (x.lo - origin) / spacing, hi: (x.hi - origin) / spacing }.grown(4.0 * slack);
    let last = (count - 1) as f64;
    let beyond = at.lo < 0.0 || at.hi > last;
    let within = Range { lo: at.lo.clamp(0.0, last), hi: at.hi.clamp(0.0, last) };
    let number = |x: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place of a small grid"
        )]
        let place = x as usize;
        place.min(count - 2)
    };
    (within, [number(within.lo), number(within.hi)], beyond)
}

/// The part of a range of a coordinate that lies in a cell, from 0 to 1.
fn within(at: Range, cell: usize) -> [f64; 2] {
    [at.lo, at.hi].map(|x| (x - cell as f64).clamp(0.0, 1.0))
}

/// Relative rounding error of a few sums and products of samples.
const SLACK: f64 = 1e-14;

impl Samples {
    fn at(&self, [i, j, k]: [usize; 3]) -> f64 {
        self.values[(i * self.counts[1] + j) * self.counts[2] + k]
    }

    pub(crate) fn over<T: Arithmetic>(&self, of: [T; 3]) -> T {
        let mut value: Option<Range> = None;
        let mut slopes: [Option<Range>; 3] = [None; 3];
        let found = [0, 1, 2].map(|i| cells(of[i].range(), self.origin[i], self.spacing[i], self.counts[i]));
        let add = |to: &mut Option<Range>, x: f64| {
            *to = Some(to.map_or(Range::point(x), |range| range.hull(Range::point(x))));
        };
        let [xs, ys, zs] = found.map(|(_, [from, to], _)| from..=to);
        for i in xs {
            for j in ys.clone() {
                for k in zs.clone() {
                    let ends = [within(found[0].0, i), within(found[1].0, j), within(found[2].0, k)];
                    for corner in 0..8 {
                        let bits = [corner & 1, corner >> 1 & 1, corner >> 2 & 1];
                        let [u, v, w] = [0, 1, 2].map(|axis| ends[axis][bits[axis]]);
                        let f = |a: usize, b: usize, c: usize| self.at([i + a, j + b, k + c]);
                        let mix = |s: f64, a: f64, b: f64| (1.0 - s) * a + s * b;
                        let x = |b: usize, c: usize| mix(u, f(0, b, c), f(1, b, c));
                        let y = |c: usize| mix(v, x(0, c), x(1, c));
                        add(&mut value, mix(w, y(0), y(1)));
                        let dx = |b: usize, c: usize| f(1, b, c) - f(0, b, c);
                        let of_x = mix(w, mix(v, dx(0, 0), dx(1, 0)), mix(v, dx(0, 1), dx(1, 1)));
                        let of_y = mix(w, x(1, 0) - x(0, 0), x(1, 1) - x(0, 1));
                        for (slope, d) in slopes.iter_mut().zip([of_x, of_y, y(1) - y(0)]) {
                            add(slope, d);
                        }
                    }
                }
            }
        }
        let most = self.values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let slopes = [0, 1, 2].map(|axis| {
            let slope =
                slopes[axis].unwrap_or(Range::ZERO).grown(SLACK * most).scaled(1.0 / self.spacing[axis]);
            let slope = slope.grown(SLACK * slope.size());
            if found[axis].2 { slope.hull(Range::ZERO) } else { slope }
        });
        let value = value.unwrap_or(Range::ZERO).grown(SLACK * most);
        joined(&of, &slopes, value)
    }
}

/// A function of several coordinates, from its value and its derivatives.
fn joined<T: Arithmetic>(of: &[T], slopes: &[Range], value: Range) -> T {
    let mut sum = T::number(0.0);
    for (x, slope) in of.iter().zip(slopes) {
        sum = sum.plus(x.through(Range::ZERO, *slope));
    }
    sum.through(value, Range::ONE)
}

impl Heights {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.counts[1] + j]
    }

    pub(crate) fn over<T: Arithmetic>(&self, of: [T; 2]) -> T {
        let found = [0, 1].map(|i| cells(of[i].range(), self.origin[i], self.spacing[i], self.counts[i]));
        let (mut value, mut slopes): (Option<Range>, [Option<Range>; 2]) = (None, [None; 2]);
        let add = |to: &mut Option<Range>, x: Range| *to = Some(to.map_or(x, |range| range.hull(x)));
        for i in found[0].1[0]..=found[0].1[1] {
            for j in found[1].1[0]..=found[1].1[1] {
                let [u, v] = [within(found[0].0, i), within(found[1].0, j)];
                let [a, b, c, d] =
                    [self.at(i, j), self.at(i + 1, j), self.at(i + 1, j + 1), self.at(i, j + 1)];
                // At or below the diagonal (u >= v), and at or above it.
                let halves = [(u[1] >= v[0] - 1e-12, b - a, c - b), (v[1] >= u[0] - 1e-12, c - d, d - a)];
                for (_, along, across) in halves.into_iter().filter(|half| half.0) {
                    for (s, t) in [(u[0], v[0]), (u[0], v[1]), (u[1], v[0]), (u[1], v[1])] {
                        add(&mut value, Range::point(a + s * along + t * across));
                    }
                    add(&mut slopes[0], Range::point(along));
                    add(&mut slopes[1], Range::point(across));
                }
            }
        }
        let most = self.values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let slopes = [0, 1].map(|axis| {
            let slope =
                slopes[axis].unwrap_or(Range::ZERO).grown(SLACK * most).scaled(1.0 / self.spacing[axis]);
            let slope = slope.grown(SLACK * slope.size());
            if found[axis].2 { slope.hull(Range::ZERO) } else { slope }
        });
        joined(&of, &slopes, value.unwrap_or(Range::ZERO).grown(SLACK * most))
    }
}
