//! Impulses that push and do not pull: minimizes a quadratic function over numbers with bounds.

use nalgebra::{DMatrix, SymmetricEigen};

use crate::impulses::dense::{CholeskyFactor, SquareMatrix};

/// Maximum number of matrix factors, per number and in addition: most searches need one per nonzero number.
const MAX_FACTORS: usize = 8;
const MORE_FACTORS: usize = 64;

/// Regularization added to a matrix whose diagonal is 1.
const REGULARIZATION: f64 = 1e-13;

/// A slope below this fraction of the steepest counts as zero.
const MIN_SLOPE: f64 = 1e-14;

/// Eigenvalues below this have no effect, for a matrix whose diagonal is 1.
const MIN_EIGENVALUE: f64 = 1e-10;

/// A value below this fraction of its limit is below it despite rounding.
const ROUNDING_MARGIN: f64 = 0.5;

/// Maximum number of eigenvalue iterations, per row of a matrix.
const MAX_ITERATIONS: usize = 100;

/// Reusable memory of a search.
#[derive(Debug, Default)]
pub(crate) struct ActiveSetMemory {
    slope: Vec<f64>,
    /// The numbers that are not at a bound, and their targets.
    free: Vec<usize>,
    targets: Vec<f64>,
    factor: CholeskyFactor,
    scales: Vec<f64>,
}

/// Finds the p >= 0 that minimizes p.D p / 2 + b.p; if there are many, approximately the shortest. D is positive
/// semidefinite. `None`: the allowed work is exceeded.
///
/// Uses the active sets of Lawson and Hanson, with a small regularization of D, so that the answer is unique. If the
/// function is unbounded below, the numbers are huge: the caller examines D p + b.
pub(super) fn non_negative_minimum(
    d: &SquareMatrix,
    b: &[f64],
    p: &mut Vec<f64>,
    memory: &mut ActiveSetMemory,
) -> Option<()> {
    p.clear();
    p.resize(b.len(), 0.0);
    bounded_minimum(d, b, |_| [0.0, f64::INFINITY], p, memory)
}

/// As [`non_negative_minimum`], with a lower and an upper bound of each number. Starts at `p`, which is within the
/// bounds.
pub(crate) fn bounded_minimum(
    d: &SquareMatrix,
    b: &[f64],
    bounds: impl Fn(usize) -> [f64; 2],
    p: &mut [f64],
    memory: &mut ActiveSetMemory,
) -> Option<()> {
    let ActiveSetMemory { slope, free, targets, factor, .. } = memory;
    let count = b.len();
    let is_inside = |i: usize, p: f64| bounds(i)[0] < p && p < bounds(i)[1];
    free.clear();
    free.extend((0..count).filter(|i| is_inside(*i, p[*i])));
    factor.truncate(0);
    let mut factored = 0;
    let steepest = b.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut remaining = MAX_FACTORS * count + MORE_FACTORS;
    loop {
        // The minimum over the free numbers. The first one that would pass a bound stops there, and is then fixed.
        while !free.is_empty() {
            remaining = remaining.checked_sub(1)?;
            // The rows before the first removed number stay as they were.
            factor.truncate(factored);
            for i in factored..free.len() {
                let row = (0..=i).map(|k| d.at(free[i], free[k]) + if i == k { REGULARIZATION } else { 0.0 });
                if !factor.push(row) {
                    return None;
                }
            }
            factored = free.len();
            targets.clear();
            targets.extend(free.iter().map(|i| -b[*i]));
            for fixed in (0..count).filter(|i| p[*i] != 0.0 && !free.contains(i)) {
                free.iter().zip(&mut *targets).for_each(|(i, target)| *target -= d.at(*i, fixed) * p[fixed]);
            }
            factor.solve(targets);
            // The bound that a free number would pass, and the fraction of the change until then.
            let passed = |i: usize| {
                let ([lower, upper], now, target) = (bounds(free[i]), p[free[i]], targets[i]);
                let bound = if target >= upper { upper } else { lower };
                let is_passed = target.is_nan() || target <= lower || target >= upper;
                is_passed.then(|| (((now - bound) / (now - target)).max(0.0), i, bound))
            };
            let first = (0..free.len()).filter_map(passed).min_by(|x, y| x.0.total_cmp(&y.0));
            let fraction = first.map_or(1.0, |(fraction, _, _)| fraction);
            for (i, target) in free.iter().zip(targets.iter()) {
                p[*i] = if fraction < 1.0 { p[*i] + fraction * (target - p[*i]) } else { *target };
            }
            let Some((_, first, bound)) = first else { break };
            p[free[first]] = bound;
            factored = free.iter().position(|i| !is_inside(*i, p[*i])).unwrap_or(factored);
            free.retain(|i| is_inside(*i, p[*i]));
        }
        slope.clear();
        slope.extend((0..count).map(|i| d.row_times(i, p) + b[i] + p[i] * REGULARIZATION));
        // The slope of a fixed number, away from its bound.
        let inward = |i: usize| if p[i] <= bounds(i)[0] { slope[i] } else { -slope[i] };
        let fixed = (0..count).filter(|i| !free.contains(i) && bounds(*i)[0] < bounds(*i)[1]);
        let next = fixed.min_by(|i, k| inward(*i).total_cmp(&inward(*k)));
        let Some(next) = next.filter(|i| inward(*i) < -MIN_SLOPE * steepest) else { return Some(()) };
        free.push(next);
        factored = free.len() - 1;
    }
}

/// Replaces p by the shortest p >= 0 with the same D p; `None` as above.
///
/// If D is singular, a library computes eigenvalues, which allocates memory.
pub(super) fn shortest_non_negative(
    d: &SquareMatrix,
    p: &mut [f64],
    memory: &mut ActiveSetMemory,
) -> Option<()> {
    let count = p.len();
    let ActiveSetMemory { scales, factor, .. } = memory;
    scales.clear();
    scales.extend((0..count).map(|i| 1.0 / d.at(i, i).max(f64::MIN_POSITIVE).sqrt()));
    let scaled = |i: usize, k: usize| d.at(i, k) * scales[i] * scales[k];
    // No eigenvalue is less than 1 / the trace of the inverse.
    factor.truncate(0);
    let is_regular = (0..count).all(|i| factor.push((0..=i).map(|k| scaled(i, k))));
    if is_regular && MIN_EIGENVALUE * factor.take_trace_of_inverse() < ROUNDING_MARGIN {
        return Some(());
    }
    let own = SymmetricEigen::try_new(
        DMatrix::from_fn(count, count, scaled),
        f64::EPSILON,
        MAX_ITERATIONS * count,
    )?;
    let idle: Vec<usize> = (0..count).filter(|i| own.eigenvalues[*i].abs() < MIN_EIGENVALUE).collect();
    if idle.is_empty() {
        return Some(());
    }
    // Orthogonal columns of the directions without effect.
    let columns = DMatrix::from_fn(count, idle.len(), |i, k| own.eigenvectors[(i, idle[k])] * scales[i]);
    let columns = columns.qr().q();
    let initial = nalgebra::DVector::from_column_slice(p);
    let minimum = &initial - &columns * (columns.transpose() * &initial);
    if minimum.iter().all(|x| *x >= 0.0) {
        p.copy_from_slice(minimum.as_slice());
        return Some(());
    }
    // minimum + Z q >= 0 with the shortest q: q = Z^T m, m >= 0.
    let product = &columns * columns.transpose();
    let mut square = SquareMatrix::default();
    square.fill(count, |i, k| product[(i, k)]);
    let mut m = Vec::new();
    non_negative_minimum(&square, minimum.as_slice(), &mut m, memory)?;
    for (i, p) in p.iter_mut().enumerate() {
        *p = (minimum[i] + square.row_times(i, &m)).max(0.0);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use chasles_testing::Random;

    use super::*;

    #[test]
    fn a_bounded_minimum_has_no_slope_that_a_bound_does_not_stop() {
        let random = &mut Random(3);
        let mut memory = ActiveSetMemory::default();
        for case in 0..300 {
            let (count, rank) = (1 + random.below(8), 1 + random.below(8));
            let factors: Vec<f64> = (0..count * rank).map(|_| random.within(-1.0, 1.0)).collect();
            let mut d = SquareMatrix::default();
            let product = |i: usize, k: usize| {
                let sum: f64 = (0..rank).map(|j| factors[i * rank + j] * factors[k * rank + j]).sum();
                sum + if i == k { 0.1 } else { 0.0 }
            };
            d.fill(count, product);
            let b: Vec<f64> = (0..count).map(|_| random.within(-1.0, 1.0)).collect();
            let bounds: Vec<[f64; 2]> = (0..count)
                .map(|i| if i % 2 == 0 { [0.0, f64::INFINITY] } else { [-0.3, random.within(0.0, 0.5)] })
                .collect();
            let mut p: Vec<f64> =
                bounds.iter().map(|[low, high]| random.within(*low, high.min(1.0))).collect();
            bounded_minimum(&d, &b, |i| bounds[i], &mut p, &mut memory).unwrap();
            for i in 0..count {
                let slope = b[i] + (0..count).map(|k| d.at(i, k) * p[k]).sum::<f64>();
                let [low, high] = bounds[i];
                assert!(low <= p[i] && p[i] <= high, "case {case}: {} in {low} .. {high}", p[i]);
                assert!(slope > -1e-9 || p[i] == high, "case {case}: a larger number {i} is better");
                assert!(slope < 1e-9 || p[i] == low, "case {case}: a smaller number {i} is better");
            }
        }
    }
}
