//! A symmetric positive definite matrix of blocks of 6 by 6, one row of blocks for each body: its factors, without fill
//! where the bodies are joined as a tree.
//!
//! Bodies with few neighbours are eliminated first, as far as can be told: leaves before what carries them.

use std::collections::BTreeSet;

use nalgebra::{Cholesky, Const, SMatrix, SVector};
use rustc_hash::FxHashMap;

/// A block, and a body's share of a vector.
pub(super) type Block = SMatrix<f64, 6, 6>;
pub(crate) type Part = SVector<f64, 6>;

/// The lower half of a matrix, as it is put together.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    diagonal: Vec<Block>,
    /// The block of row i and column k < i is at (i, k).
    below: FxHashMap<(usize, usize), Block>,
}

/// A matrix, ready to solve with.
#[derive(Debug, Clone)]
pub(super) struct Factors(Vec<Step>);

/// One body is eliminated.
#[derive(Debug, Clone)]
struct Step {
    body: usize,
    /// L, where its block is L L^T.
    own: Cholesky<f64, Const<6>>,
    /// The blocks of its neighbours below it, times the inverse of L^T: those of the factor of Cholesky, whose roundings
    /// are those of the matrix, however near to singular its blocks are.
    below: Vec<(usize, Block)>,
}

impl Blocks {
    /// So many bodies, with a multiple of the unit matrix.
    pub(super) fn diagonal(count: usize, value: f64) -> Self {
        Self { diagonal: vec![Block::identity() * value; count], below: FxHashMap::default() }
    }

    /// Adds the product of a vector with itself, whose parts are those of one or two bodies.
    pub(super) fn add_square(&mut self, parts: &[Option<(usize, Part)>; 2]) {
        for (i, own) in parts.iter().enumerate() {
            let Some((row, u)) = own else { continue };
            self.diagonal[*row] += u * u.transpose();
            for (column, v) in parts[..i].iter().flatten() {
                let block = if row > column { u * v.transpose() } else { v * u.transpose() };
                let place = ((*row).max(*column), (*row).min(*column));
                *self.below.entry(place).or_insert_with(Block::zeros) += block;
            }
        }
    }

    /// The factors; `None` where the matrix is not positive definite.
    pub(super) fn factors(self) -> Option<Factors> {
        let Self { mut diagonal, mut below } = self;
        let mut beside: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); diagonal.len()];
        for (i, k) in below.keys() {
            beside[*i].insert(*k);
            beside[*k].insert(*i);
        }
        let mut waiting: BTreeSet<(usize, usize)> =
            beside.iter().enumerate().map(|(body, beside)| (beside.len(), body)).collect();
        let mut steps = Vec::with_capacity(diagonal.len());
        while let Some((_, body)) = waiting.pop_first() {
            let own = Cholesky::new(diagonal[body])?;
            let around: Vec<usize> = std::mem::take(&mut beside[body]).into_iter().collect();
            // Column by column: the blocks of the neighbours in this body's column.
            let blocks: Vec<Block> = around
                .iter()
                .map(|other| {
                    let place = ((*other).max(body), (*other).min(body));
                    let block = below.remove(&place).unwrap_or_else(Block::zeros);
                    if *other > body { block } else { block.transpose() }
                })
                .collect();
            let halves = blocks
                .iter()
                .map(|block| Some(own.l_dirty().solve_lower_triangular(&block.transpose())?.transpose()))
                .collect::<Option<Vec<Block>>>()?;
            for (i, row) in around.iter().enumerate() {
                waiting.remove(&(beside[*row].len(), *row));
                beside[*row].remove(&body);
                for (k, column) in around[..i].iter().enumerate() {
                    // Neighbours are in order, so that the row is below the column.
                    *below.entry((*row, *column)).or_insert_with(Block::zeros) -=
                        halves[i] * halves[k].transpose();
                }
                diagonal[*row] -= halves[i] * halves[i].transpose();
                beside[*row].extend(around.iter().filter(|other| *other != row));
                waiting.insert((beside[*row].len(), *row));
            }
            steps.push(Step { body, own, below: around.into_iter().zip(halves).collect() });
        }
        Some(Factors(steps))
    }
}

impl Factors {
    /// Solves in place.
    pub(super) fn solve(&self, x: &mut [Part]) {
        for Step { body, own, below } in &self.0 {
            own.l_dirty().solve_lower_triangular_unchecked_mut(&mut x[*body]);
            let own = x[*body];
            for (other, half) in below {
                x[*other] -= half * own;
            }
        }
        for Step { body, own, below } in self.0.iter().rev() {
            let mut value = x[*body];
            for (other, half) in below {
                value -= half.transpose() * x[*other];
            }
            own.l_dirty().tr_solve_lower_triangular_mut(&mut value);
            x[*body] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;

    #[test]
    fn factors_solve_trees_loops_and_stars() {
        for seed in 0..60 {
            let random = &mut Random(seed);
            let count = 1 + random.below(9);
            let mut blocks = Blocks::diagonal(count, 0.1);
            let mut dense = nalgebra::DMatrix::<f64>::identity(6 * count, 6 * count) * 0.1;
            for _ in 0..random.below(30) {
                let mut part = || Part::from_fn(|_, _| random.side());
                let (u, v) = (part(), part());
                let [i, k] = [random.below(count), random.below(count)];
                let parts = [Some((i, u)), (i != k).then_some((k, v))];
                blocks.add_square(&parts);
                let mut whole = nalgebra::DVector::<f64>::zeros(6 * count);
                parts.iter().flatten().for_each(|(body, u)| whole.rows_mut(6 * body, 6).copy_from(u));
                dense += &whole * whole.transpose();
            }
            let right: Vec<Part> = (0..count).map(|_| Part::from_fn(|_, _| random.side())).collect();
            let mut x = right.clone();
            blocks.factors().unwrap().solve(&mut x);
            let whole =
                nalgebra::DVector::from_iterator(6 * count, x.iter().flat_map(|part| part.iter().copied()));
            let product = dense * whole;
            for (body, part) in right.iter().enumerate() {
                let off = (product.rows(6 * body, 6) - part).norm();
                assert!(off < 1e-10, "seed {seed}: {off}");
            }
        }
    }
}
