//! Impulses that only push: the least of a quadratic function of numbers that are not negative.

use nalgebra::{DMatrix, DVector};

/// Factors of matrices that are made, at most, for each number and besides: most searches take one for each number that
/// is not 0.
const FACTORS: usize = 8;
const MORE_FACTORS: usize = 64;

/// What is added to the diagonal of a matrix whose diagonal is 1.
pub(super) const SOFT: f64 = 1e-13;

/// The p >= 0 at which p.D p / 2 + b.p is least, and with many such p about the shortest. D is positive semidefinite.
/// `None`: the work allowed does not suffice.
///
/// Lawson and Hanson's active sets, on D with a little added to its diagonal, so that there is one answer. Where there
/// is none (the function falls without end) the numbers told are huge: the caller sees what is left of D p + b.
pub(super) fn pushes(d: &DMatrix<f64>, b: &DVector<f64>, soft: f64) -> Option<DVector<f64>> {
    let count = b.len();
    let mut p = DVector::zeros(count);
    let mut free: Vec<usize> = Vec::new();
    let mut left = FACTORS * count + MORE_FACTORS;
    loop {
        let slope = d * &p + b + &p * soft;
        let next = (0..count).filter(|i| !free.contains(i)).min_by(|i, k| slope[*i].total_cmp(&slope[*k]));
        let Some(next) = next.filter(|i| slope[*i] < -STEEP * b.amax()) else { return Some(p) };
        free.push(next);
        // The least on the free numbers; the first that would pull stops at 0, and is free no more.
        while !free.is_empty() {
            left = left.checked_sub(1)?;
            let own = DMatrix::from_fn(free.len(), free.len(), |i, k| {
                d[(free[i], free[k])] + if i == k { soft } else { 0.0 }
            });
            let wanted = own.cholesky()?.solve(&DVector::from_fn(free.len(), |i, _| -b[free[i]]));
            let pulls = (0..free.len()).filter(|i| wanted[*i].is_nan() || wanted[*i] <= 0.0);
            let way = |i: usize| (p[free[i]] / (p[free[i]] - wanted[i])).max(0.0);
            let first = pulls.map(|i| (way(i), i)).min_by(|x, y| x.0.total_cmp(&y.0));
            let share = first.map_or(1.0, |(share, _)| share);
            for (i, wanted) in free.iter().zip(wanted.iter()) {
                p[*i] = if share < 1.0 { p[*i] + share * (wanted - p[*i]) } else { *wanted };
            }
            let Some((_, first)) = first else { break };
            p[free[first]] = 0.0;
            free.retain(|i| p[*i] > 0.0);
        }
    }
}

/// What falls by less than this share of the steepest does not.
const STEEP: f64 = 1e-14;

/// Of all p >= 0 with the same D p, the shortest; `None` as above.
pub(super) fn shortest(d: &DMatrix<f64>, p: DVector<f64>) -> Option<DVector<f64>> {
    let count = p.len();
    if count == 0 {
        return Some(p);
    }
    let scales: Vec<f64> = (0..count).map(|i| 1.0 / d[(i, i)].max(f64::MIN_POSITIVE).sqrt()).collect();
    let scaled = DMatrix::from_fn(count, count, |i, k| d[(i, k)] * scales[i] * scales[k]);
    let own = scaled.symmetric_eigen();
    let idle: Vec<usize> = (0..count).filter(|i| own.eigenvalues[*i].abs() < IDLE).collect();
    if idle.is_empty() {
        return Some(p);
    }
    // What makes no difference, as columns across each other.
    let columns = DMatrix::from_fn(count, idle.len(), |i, k| own.eigenvectors[(i, idle[k])] * scales[i]);
    let columns = columns.qr().q();
    let least = &p - &columns * (columns.transpose() * &p);
    if least.iter().all(|x| *x >= 0.0) {
        return Some(least);
    }
    // least + Z q >= 0 with the shortest q: q = Z^T m, m >= 0.
    let square = &columns * columns.transpose();
    let m = pushes(&square, &least, SOFT)?;
    let found = least + square * m;
    Some(found.map(|x| x.max(0.0)))
}

/// Directions whose own value is below this share of the greatest make no difference.
const IDLE: f64 = 1e-10;
