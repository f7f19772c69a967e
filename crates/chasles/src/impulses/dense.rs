//! Dense matrices and factors with reusable memory.

/// A square matrix, row by row.
#[derive(Debug, Default)]
pub(crate) struct SquareMatrix {
    size: usize,
    numbers: Vec<f64>,
}

/// The factor L of a symmetric positive definite matrix L L^T: its lower triangle, row by row.
#[derive(Debug, Default)]
pub(super) struct CholeskyFactor {
    size: usize,
    numbers: Vec<f64>,
}

impl SquareMatrix {
    /// Fills the matrix with numbers by row and column.
    pub(crate) fn fill(&mut self, size: usize, number: impl Fn(usize, usize) -> f64) {
        self.size = size;
        self.numbers.clear();
        for row in 0..size {
            self.numbers.extend((0..size).map(|column| number(row, column)));
        }
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.numbers[row * self.size + column]
    }

    pub(crate) fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.numbers[row * self.size + column]
    }

    /// The product of a row with a vector.
    pub(crate) fn row_times(&self, row: usize, x: &[f64]) -> f64 {
        product(&self.numbers[row * self.size..][..self.size], x)
    }
}

impl CholeskyFactor {
    /// Keeps only the first `size` rows of the matrix.
    pub(super) fn truncate(&mut self, size: usize) {
        self.size = size;
        self.numbers.truncate(size * (size + 1) / 2);
    }

    /// Adds a row of the matrix, up to its diagonal; returns whether the matrix is still positive definite.
    pub(super) fn push(&mut self, row: impl Iterator<Item = f64>) -> bool {
        let first = self.numbers.len();
        self.numbers.extend(row);
        self.size += 1;
        let (before, own) = self.numbers.split_at_mut(first);
        let last = own.len() - 1;
        for k in 0..last {
            let other = &before[k * (k + 1) / 2..][..=k];
            own[k] = (own[k] - product(&own[..k], &other[..k])) / other[k];
        }
        let rest = own[last] - product(&own[..last], &own[..last]);
        own[last] = rest.sqrt();
        rest > 0.0 && rest < f64::INFINITY
    }

    /// Solves L L^T x = b in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        for i in 0..self.size {
            let row = self.row(i);
            x[i] = (x[i] - product(&row[..i], &x[..i])) / row[i];
        }
        for i in (0..self.size).rev() {
            let row = self.row(i);
            x[i] /= row[i];
            let own = x[i];
            row[..i].iter().zip(&mut x[..i]).for_each(|(a, x)| *x -= a * own);
        }
    }

    /// The trace of the inverse of L L^T, which is the sum of the squares of L^-1. It consumes the factor.
    pub(super) fn take_trace_of_inverse(&mut self) -> f64 {
        let at = |row: usize, column: usize| row * (row + 1) / 2 + column;
        let mut trace = 0.0;
        for i in 0..self.size {
            let own = 1.0 / self.numbers[at(i, i)];
            for k in 0..i {
                let sum: f64 = (k..i).map(|l| self.numbers[at(i, l)] * self.numbers[at(l, k)]).sum();
                self.numbers[at(i, k)] = -own * sum;
                trace += own * sum * own * sum;
            }
            self.numbers[at(i, i)] = own;
            trace += own * own;
        }
        self.truncate(0);
        trace
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * (row + 1) / 2..][..=row]
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;

    #[test]
    fn factors_solve_and_give_the_trace_of_the_inverse() {
        let (mut square, mut factor) = (SquareMatrix::default(), CholeskyFactor::default());
        for seed in 0..60 {
            let random = &mut Random(seed);
            let size = 1 + random.below(8);
            let half = nalgebra::DMatrix::from_fn(size, size, |_, _| random.side());
            let whole = &half * half.transpose() + nalgebra::DMatrix::identity(size, size) * 0.1;
            square.fill(size, |i, k| whole[(i, k)]);
            let right: Vec<f64> = (0..size).map(|_| random.side()).collect();
            let mut x: Vec<f64> = (0..size).map(|i| square.row_times(i, &right)).collect();
            factor.truncate(0);
            assert!((0..size).all(|i| factor.push((0..=i).map(|k| whole[(i, k)]))));
            // Rows that are removed and added again do not change.
            let first = random.below(size);
            factor.truncate(first);
            assert!((first..size).all(|i| factor.push((0..=i).map(|k| whole[(i, k)]))));
            factor.solve(&mut x);
            assert!(x.iter().zip(&right).all(|(x, right)| (x - right).abs() < 1e-10), "seed {seed}");
            let trace = whole.try_inverse().unwrap().trace();
            assert!((factor.take_trace_of_inverse() - trace).abs() < 1e-9 * trace, "seed {seed}");
        }
        factor.truncate(0);
        assert!(factor.push([1.0].into_iter()) && !factor.push([1.0, 1.0].into_iter()));
    }
}
