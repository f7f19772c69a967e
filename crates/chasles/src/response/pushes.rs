//! Impulses that only push: the least of a quadratic function of numbers that are not negative.

use nalgebra::{DMatrix, DVector};

/// Rounds of the search, for each number.
const ROUNDS: usize = 40;

/// The p >= 0 at which p.D p / 2 + b.p is least, and with many such p about the shortest. D is positive semidefinite.
///
/// Lawson and Hanson's active sets, on D with a little added to its diagonal, so that there is one answer. Where there
/// is none (the function falls without end) the numbers told are huge: the caller sees what is left of D p + b.
pub(super) fn pushes(d: &DMatrix<f64>, b: &DVector<f64>, soft: f64) -> DVector<f64> {
    let count = b.len();
    let mut p = DVector::zeros(count);
    let mut free: Vec<usize> = Vec::new();
    let size = b.amax();
    if size == 0.0 {
        return p;
    }
    for _ in 0..ROUNDS * count + ROUNDS {
        let slope = d * &p + b + &p * soft;
        let next = (0..count).filter(|i| !free.contains(i)).min_by(|i, k| slope[*i].total_cmp(&slope[*k]));
        let Some(next) = next.filter(|i| slope[*i] < -1e-14 * size) else { break };
        free.push(next);
        // The least on the free numbers; those that would pull stop at 0.
        loop {
            let own = DMatrix::from_fn(free.len(), free.len(), |i, k| {
                d[(free[i], free[k])] + if i == k { soft } else { 0.0 }
            });
            let right = DVector::from_fn(free.len(), |i, _| -b[free[i]]);
            let Some(factors) = own.cholesky() else {
                free.pop();
                return p;
            };
            let wanted = factors.solve(&right);
            let stop = (0..free.len())
                .filter(|i| wanted[*i] <= 0.0)
                .map(|i| p[free[i]] / (p[free[i]] - wanted[i]))
                .fold(1.0, f64::min);
            if stop >= 1.0 && wanted.iter().all(|w| *w > 0.0) {
                free.iter().zip(wanted.iter()).for_each(|(i, w)| p[*i] = *w);
                break;
            }
            let stop = if stop.is_finite() { stop.max(0.0) } else { 0.0 };
            for (i, w) in free.iter().zip(wanted.iter()) {
                p[*i] += stop * (w - p[*i]);
            }
            let before = free.len();
            let least = free.iter().map(|i| p[*i]).fold(f64::INFINITY, f64::min).max(0.0);
            let keeps =
                |i: &usize| wanted[free.iter().position(|f| f == i).unwrap_or(0)] > 0.0 || p[*i] > least;
            let kept: Vec<usize> = free.iter().copied().filter(keeps).collect();
            free.iter().filter(|i| !kept.contains(i)).for_each(|i| p[*i] = 0.0);
            free = kept;
            if free.len() == before || free.is_empty() {
                break;
            }
        }
    }
    p
}

/// Of all p >= 0 with the same D p, the shortest.
pub(super) fn shortest(d: &DMatrix<f64>, p: &DVector<f64>) -> DVector<f64> {
    let count = p.len();
    let scales: Vec<f64> = (0..count).map(|i| 1.0 / d[(i, i)].max(f64::MIN_POSITIVE).sqrt()).collect();
    let scaled = DMatrix::from_fn(count, count, |i, k| d[(i, k)] * scales[i] * scales[k]);
    let own = scaled.symmetric_eigen();
    let idle: Vec<usize> = (0..count).filter(|i| own.eigenvalues[*i].abs() < IDLE).collect();
    if idle.is_empty() {
        return p.clone();
    }
    // What makes no difference, as columns across each other.
    let columns = DMatrix::from_fn(count, idle.len(), |i, k| own.eigenvectors[(i, idle[k])] * scales[i]);
    let columns = columns.qr().q();
    let least = p - &columns * (columns.transpose() * p);
    if least.iter().all(|x| *x >= 0.0) {
        return least;
    }
    // least + Z q >= 0 with the shortest q: q = Z^T m, m >= 0.
    let square = &columns * columns.transpose();
    let m = pushes(&square, &least, 1e-13);
    let found = least + square * m;
    found.map(|x| x.max(0.0))
}

/// Directions whose own value is below this share of the greatest make no difference.
const IDLE: f64 = 1e-10;
