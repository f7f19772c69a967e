//! Impulses that only push: the least of a quadratic function of numbers that are not negative.

use nalgebra::{DMatrix, SymmetricEigen};

use crate::impulses::dense::{Factor, Square};

/// Factors of matrices that are made, at most, for each number and besides: most searches take one for each number that
/// is not 0.
const FACTORS: usize = 8;
const MORE_FACTORS: usize = 64;

/// What is added to the diagonal of a matrix whose diagonal is 1.
pub(super) const SOFT: f64 = 1e-13;

/// What falls by less than this share of the steepest does not.
const STEEP: f64 = 1e-14;

/// Directions whose own value is below this share of the greatest make no difference.
const IDLE: f64 = 1e-10;

/// What is this much less than it may be is less for all that roundings do.
const FIRM: f64 = 0.5;

/// Turns of a matrix to its own axes, at most, for each of its rows.
const TURNS: usize = 100;

/// What a search takes note of on its way, in memory that is kept.
#[derive(Debug, Default)]
pub(super) struct PushMemory {
    slope: Vec<f64>,
    /// The numbers that are not 0, and what they are to be.
    free: Vec<usize>,
    wanted: Vec<f64>,
    factor: Factor,
    scales: Vec<f64>,
}

/// Makes p the p >= 0 at which p.D p / 2 + b.p is least, and with many such p about the shortest. D is positive
/// semidefinite. `None`: the work allowed does not suffice.
///
/// Lawson and Hanson's active sets, on D with a little added to its diagonal, so that there is one answer. Where there
/// is none (the function falls without end) the numbers told are huge: the caller sees what is left of D p + b.
pub(super) fn pushes(d: &Square, b: &[f64], p: &mut Vec<f64>, memory: &mut PushMemory) -> Option<()> {
    let PushMemory { slope, free, wanted, factor, .. } = memory;
    let count = b.len();
    p.clear();
    p.resize(count, 0.0);
    free.clear();
    factor.truncate(0);
    let steepest = b.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut left = FACTORS * count + MORE_FACTORS;
    loop {
        slope.clear();
        slope.extend((0..count).map(|i| d.row_times(i, p) + b[i] + p[i] * SOFT));
        let next = (0..count).filter(|i| !free.contains(i)).min_by(|i, k| slope[*i].total_cmp(&slope[*k]));
        let Some(next) = next.filter(|i| slope[*i] < -STEEP * steepest) else { return Some(()) };
        free.push(next);
        let mut factored = free.len() - 1;
        // The least on the free numbers; the first that would pull stops at 0, and is free no more.
        while !free.is_empty() {
            left = left.checked_sub(1)?;
            // Those before the first that was let go are as they were.
            factor.truncate(factored);
            for i in factored..free.len() {
                let row = (0..=i).map(|k| d.at(free[i], free[k]) + if i == k { SOFT } else { 0.0 });
                if !factor.push(row) {
                    return None;
                }
            }
            factored = free.len();
            wanted.clear();
            wanted.extend(free.iter().map(|i| -b[*i]));
            factor.solve(wanted);
            let pulls = (0..free.len()).filter(|i| wanted[*i].is_nan() || wanted[*i] <= 0.0);
            let way = |i: usize| (p[free[i]] / (p[free[i]] - wanted[i])).max(0.0);
            let first = pulls.map(|i| (way(i), i)).min_by(|x, y| x.0.total_cmp(&y.0));
            let share = first.map_or(1.0, |(share, _)| share);
            for (i, wanted) in free.iter().zip(wanted.iter()) {
                p[*i] = if share < 1.0 { p[*i] + share * (wanted - p[*i]) } else { *wanted };
            }
            let Some((_, first)) = first else { break };
            p[free[first]] = 0.0;
            factored = free.iter().position(|i| p[*i] <= 0.0 || p[*i].is_nan()).unwrap_or(factored);
            free.retain(|i| p[*i] > 0.0);
        }
    }
}

/// Of all p >= 0 with the same D p, makes p the shortest; `None` as above.
///
/// Where some p makes no difference, the library's own values are asked for, which need memory of their own.
pub(super) fn shortest(d: &Square, p: &mut [f64], memory: &mut PushMemory) -> Option<()> {
    let count = p.len();
    let PushMemory { scales, factor, .. } = memory;
    scales.clear();
    scales.extend((0..count).map(|i| 1.0 / d.at(i, i).max(f64::MIN_POSITIVE).sqrt()));
    let scaled = |i: usize, k: usize| d.at(i, k) * scales[i] * scales[k];
    // No own value is less than 1 / the sum of those of the inverse.
    factor.truncate(0);
    let is_firm = (0..count).all(|i| factor.push((0..=i).map(|k| scaled(i, k))));
    if is_firm && IDLE * factor.take_trace_of_inverse() < FIRM {
        return Some(());
    }
    let own = SymmetricEigen::try_new(DMatrix::from_fn(count, count, scaled), f64::EPSILON, TURNS * count)?;
    let idle: Vec<usize> = (0..count).filter(|i| own.eigenvalues[*i].abs() < IDLE).collect();
    if idle.is_empty() {
        return Some(());
    }
    // What makes no difference, as columns across each other.
    let columns = DMatrix::from_fn(count, idle.len(), |i, k| own.eigenvectors[(i, idle[k])] * scales[i]);
    let columns = columns.qr().q();
    let given = nalgebra::DVector::from_column_slice(p);
    let least = &given - &columns * (columns.transpose() * &given);
    if least.iter().all(|x| *x >= 0.0) {
        p.copy_from_slice(least.as_slice());
        return Some(());
    }
    // least + Z q >= 0 with the shortest q: q = Z^T m, m >= 0.
    let product = &columns * columns.transpose();
    let mut square = Square::default();
    square.fill(count, |i, k| product[(i, k)]);
    let mut m = Vec::new();
    pushes(&square, least.as_slice(), &mut m, memory)?;
    for (i, p) in p.iter_mut().enumerate() {
        *p = (least[i] + square.row_times(i, &m)).max(0.0);
    }
    Some(())
}
