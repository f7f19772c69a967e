//! Numbers of 77 digits behind the point, by whole numbers.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

const BITS: u64 = 256;

/// A whole number of 2^-256.
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

    /// The binary digits in front.
    pub(crate) fn size(&self) -> u64 {
        self.0.bits()
    }
}

/// What is no larger than 2^-128 is nothing.
const NOTHING: u64 = BITS - 128;

/// Solves linear equations, each a row with its right side last, by whole pivots; of what is left open 0 is taken. `None`
/// where there is no solution.
pub(crate) fn solved(mut rows: Vec<Vec<Real>>, unknowns: usize) -> Option<Vec<Real>> {
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    for at in 0..rows.len().min(unknowns) {
        let places = (at..rows.len()).flat_map(|row| (0..unknowns).map(move |column| (row, column)));
        let (row, column) = places.max_by_key(|(row, column)| rows[*row][*column].size())?;
        if rows[row][column].size() <= NOTHING {
            break;
        }
        rows.swap(at, row);
        pivots.push((at, column));
        for other in (0..rows.len()).filter(|other| *other != at) {
            if rows[other][column].sign() == Ordering::Equal {
                continue;
            }
            let pivot = rows[at].clone();
            let factor = rows[other][column].over(&pivot[column]);
            for (own, of_pivot) in rows[other].iter_mut().zip(&pivot) {
                *own = own.minus(&factor.times(of_pivot));
            }
            rows[other][column] = Real::zero();
        }
    }
    if rows[pivots.len()..].iter().any(|row| row[unknowns].size() > NOTHING) {
        return None;
    }
    let mut found = vec![Real::zero(); unknowns];
    for (row, column) in pivots {
        found[column] = rows[row][unknowns].over(&rows[row][column]);
    }
    Some(found)
}
