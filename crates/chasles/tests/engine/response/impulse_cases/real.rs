//! Numbers with 77 decimal places, stored as integers, and linear equations in them.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

const BITS: u64 = 256;

/// An integer multiple of 2^-256.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Real(BigInt);

impl Real {
    pub(crate) fn zero() -> Self {
        Self(BigInt::ZERO)
    }

    pub(crate) fn of(x: f64) -> Self {
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let m = BigInt::from(m);
        let shift = e + BITS as i64;
        let m = if shift >= 0 { m << shift } else { m >> -shift };
        Self(if x < 0.0 { -m } else { m })
    }

    pub(crate) fn double(&self) -> f64 {
        let excess = self.0.bits().saturating_sub(100);
        let top = i128::try_from(&self.0 >> excess).unwrap() as f64;
        top * 2.0_f64.powi(i32::try_from(excess as i64 - BITS as i64).unwrap())
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self(&self.0 + &other.0)
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0)
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        Self((&self.0 * &other.0) >> BITS)
    }

    pub(crate) fn over(&self, other: &Self) -> Self {
        Self((&self.0 << BITS) / &other.0)
    }

    pub(crate) fn sqrt(&self) -> Self {
        Self((&self.0 << BITS).sqrt())
    }

    pub(crate) fn sign(&self) -> Ordering {
        match self.0.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    /// The number of binary digits.
    pub(crate) fn size(&self) -> u64 {
        self.0.bits()
    }
}

/// Numbers no larger than 2^-128 count as zero.
const NOTHING: u64 = BITS - 128;

/// The solution of linear equations.
pub(crate) struct Solution {
    /// For each right side; `None` if it has no solution. Free unknowns are 0.
    pub(crate) found: Vec<Option<Vec<Real>>>,
    /// Number of unknowns that the equations determine.
    pub(crate) rank: usize,
    /// The ratio of the pivots in binary digits.
    pub(crate) spread: u64,
}

/// Solves linear equations, each a row with its right sides last, by full pivoting.
pub(crate) fn solved(mut rows: Vec<Vec<Real>>, unknowns: usize) -> Solution {
    let sides = rows.first().map_or(0, |row| row.len() - unknowns);
    let mut pivots: Vec<usize> = Vec::new();
    let mut sizes = Vec::new();
    for at in 0..rows.len().min(unknowns) {
        let places = (at..rows.len()).flat_map(|row| (0..unknowns).map(move |column| (row, column)));
        let Some((row, column)) = places.max_by_key(|(row, column)| rows[*row][*column].size()) else {
            break;
        };
        let size = rows[row][column].size();
        if size <= NOTHING {
            break;
        }
        rows.swap(at, row);
        pivots.push(column);
        sizes.push(size);
        let (above, below) = rows.split_at_mut(at + 1);
        let pivot = &above[at];
        for other in below.iter_mut().filter(|other| other[column].sign() != Ordering::Equal) {
            let factor = other[column].over(&pivot[column]);
            for (own, of_pivot) in other.iter_mut().zip(pivot) {
                if of_pivot.sign() != Ordering::Equal {
                    *own = own.minus(&factor.times(of_pivot));
                }
            }
            other[column] = Real::zero();
        }
    }
    let rank = pivots.len();
    let found = (unknowns..unknowns + sides).map(|side| {
        if rows[rank..].iter().any(|row| row[side].size() > NOTHING) {
            return None;
        }
        let mut found = vec![Real::zero(); unknowns];
        for (at, column) in pivots.iter().enumerate().rev() {
            let row = &rows[at];
            let known = pivots[at + 1..]
                .iter()
                .fold(row[side].clone(), |left, other| left.minus(&row[*other].times(&found[*other])));
            found[*column] = known.over(&row[*column]);
        }
        Some(found)
    });
    let spread = sizes.first().map_or(0, |most| most - sizes.iter().min().unwrap_or(most));
    Solution { found: found.collect(), rank, spread }
}

/// The solution of minimum norm of equations, each a row with one right side; `None` if there is no solution.
pub(crate) fn shortest(rows: &[Vec<Real>], unknowns: usize) -> Option<Vec<Real>> {
    // A^T y with A A^T y = b.
    let product =
        |p: &[Real], q: &[Real]| (0..unknowns).fold(Real::zero(), |sum, k| sum.plus(&p[k].times(&q[k])));
    let square = rows.iter().map(|row| {
        let own = rows.iter().map(|other| product(row, other));
        own.chain([row[unknowns].clone()]).collect()
    });
    let y = solved(square.collect(), rows.len()).found.pop()??;
    let at = |k: usize| rows.iter().zip(&y).fold(Real::zero(), |sum, (row, y)| sum.plus(&row[k].times(y)));
    Some((0..unknowns).map(at).collect())
}
