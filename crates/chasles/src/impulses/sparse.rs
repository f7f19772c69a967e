//! A symmetric positive definite matrix of 6 x 6 blocks, with one row of blocks per body, and its factors. There is
//! no fill-in if the joints form a tree.
//!
//! Bodies with few neighbours are eliminated first, so the leaves of a tree come before their parents. The order is
//! computed once for matrices with the same blocks, and all memory is reused.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::{Cholesky, SMatrix};

use crate::impulses::rows::{BodyVelocity, JacobianRow};

/// A block.
type Block = SMatrix<f64, 6, 6>;

/// The order in which bodies are eliminated, and the resulting blocks.
#[derive(Debug, Default)]
pub(super) struct Elimination {
    order: Vec<usize>,
    /// The position of each eliminated body in the order.
    positions: Vec<Option<usize>>,
    /// By position: the index of its first block below the diagonal. Its blocks end before the first block of the next
    /// position.
    starts: Vec<usize>,
    /// By block below the diagonal: the body of its row, sorted for each position.
    rows: Vec<usize>,
    /// The neighbours of each body, sorted, including eliminated ones.
    neighbours: Vec<Vec<usize>>,
    /// The number of neighbours that are not eliminated.
    degrees: Vec<usize>,
    queue: BinaryHeap<Reverse<(usize, usize)>>,
}

/// A matrix, or its factors.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// By body; for factors: L, where the remaining block is L L^T.
    diagonal: Vec<Block>,
    /// The blocks below; for factors: times the inverse of L^T, as in Cholesky's method. Their rounding is relative
    /// to the matrix, even if its blocks are nearly singular.
    below: Vec<Block>,
}

impl Elimination {
    /// Orders `count` bodies, given the pairs that are joined.
    pub(super) fn order(&mut self, count: usize, joined: impl Iterator<Item = [usize; 2]>) {
        let Self { order, positions, starts, rows, neighbours, degrees, queue } = self;
        order.clear();
        positions.clear();
        positions.resize(count, None);
        starts.clear();
        rows.clear();
        queue.clear();
        // Surplus lists keep their memory.
        if neighbours.len() < count {
            neighbours.resize(count, Vec::new());
        }
        neighbours.iter_mut().for_each(Vec::clear);
        for [a, b] in joined {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        degrees.clear();
        for (body, own) in neighbours[..count].iter_mut().enumerate() {
            own.sort_unstable();
            own.dedup();
            degrees.push(own.len());
            queue.push(Reverse((own.len(), body)));
        }
        while let Some(Reverse((degree, body))) = queue.pop() {
            // An outdated entry, from before its neighbours changed.
            if positions[body].is_some() || degrees[body] != degree {
                continue;
            }
            positions[body] = Some(order.len());
            order.push(body);
            starts.push(rows.len());
            rows.extend(neighbours[body].iter().filter(|other| positions[**other].is_none()));
            let around = &rows[starts[order.len() - 1]..];
            for other in around {
                degrees[*other] -= 1;
            }
            for (i, row) in around.iter().enumerate() {
                for column in &around[..i] {
                    if let Err(place) = neighbours[*row].binary_search(column) {
                        neighbours[*row].insert(place, *column);
                        let Err(place) = neighbours[*column].binary_search(row) else { continue };
                        neighbours[*column].insert(place, *row);
                        degrees[*row] += 1;
                        degrees[*column] += 1;
                    }
                }
            }
            for other in around {
                queue.push(Reverse((degrees[*other], *other)));
            }
        }
        starts.push(rows.len());
    }

    /// The position of the block of two joined bodies, and whether its row belongs to the first.
    fn block_of(&self, a: usize, b: usize) -> Option<(usize, bool)> {
        let [first, second] = [self.positions[a]?, self.positions[b]?];
        let (step, row) = if first < second { (first, b) } else { (second, a) };
        let own = self.starts[step]..self.starts[step + 1];
        let place = self.rows[own.clone()].binary_search(&row).ok()?;
        Some((own.start + place, row == a))
    }
}

impl Blocks {
    /// Resets to a multiple of the unit matrix.
    pub(super) fn reset(&mut self, elimination: &Elimination, value: f64) {
        self.diagonal.clear();
        self.diagonal.resize(elimination.order.len(), Block::identity() * value);
        self.below.clear();
        self.below.resize(elimination.rows.len(), Block::zeros());
    }

    /// Adds the outer product of a vector with itself; its parts belong to one body, or to two joined bodies.
    pub(super) fn add_square(&mut self, elimination: &Elimination, parts: &JacobianRow) {
        for (body, part) in parts.iter().flatten() {
            add_product(&mut self.diagonal[*body], part, part);
        }
        if let [Some((a, u)), Some((b, v))] = parts
            && let Some((place, is_first)) = elimination.block_of(*a, *b)
        {
            let (u, v) = if is_first { (u, v) } else { (v, u) };
            add_product(&mut self.below[place], u, v);
        }
    }

    /// Factors the matrix; returns whether it is positive definite.
    pub(super) fn factor(&mut self, elimination: &Elimination) -> bool {
        for (step, body) in elimination.order.iter().enumerate() {
            let Some(own) = Cholesky::new(self.diagonal[*body]) else { return false };
            let own = *own.l_dirty();
            self.diagonal[*body] = own;
            let all = elimination.starts[step]..elimination.starts[step + 1];
            for block in &mut self.below[all.clone()] {
                divide(block, &own);
            }
            for i in all.clone() {
                let row = elimination.rows[i];
                let half = self.below[i];
                for k in all.start..i {
                    let column = elimination.rows[k];
                    let Some((place, is_row)) = elimination.block_of(row, column) else { continue };
                    let other = self.below[k];
                    let (u, v) = if is_row { (&half, &other) } else { (&other, &half) };
                    subtract_product(&mut self.below[place], u, v);
                }
                subtract_product(&mut self.diagonal[row], &half, &half);
            }
        }
        true
    }

    /// Solves in place, using the factors.
    pub(super) fn solve(&self, elimination: &Elimination, x: &mut [BodyVelocity]) {
        for (step, body) in elimination.order.iter().enumerate() {
            self.diagonal[*body].solve_lower_triangular_unchecked_mut(&mut x[*body]);
            let own = x[*body];
            for place in elimination.starts[step]..elimination.starts[step + 1] {
                x[elimination.rows[place]] -= self.below[place] * own;
            }
        }
        for (step, body) in elimination.order.iter().enumerate().rev() {
            let mut value = x[*body];
            for place in elimination.starts[step]..elimination.starts[step + 1] {
                value -= self.below[place].tr_mul(&x[elimination.rows[place]]);
            }
            self.diagonal[*body].tr_solve_lower_triangular_mut(&mut value);
            x[*body] = value;
        }
    }
}

/// Adds u v^T.
fn add_product(block: &mut Block, u: &BodyVelocity, v: &BodyVelocity) {
    for column in 0..6 {
        for row in 0..6 {
            block[(row, column)] += u[row] * v[column];
        }
    }
}

/// Subtracts u v^T. (The library's own product of blocks allocates memory each time.)
fn subtract_product(block: &mut Block, u: &Block, v: &Block) {
    for column in 0..6 {
        for k in 0..6 {
            for row in 0..6 {
                block[(row, column)] -= u[(row, k)] * v[(column, k)];
            }
        }
    }
}

/// The block times the inverse of L^T.
fn divide(block: &mut Block, l: &Block) {
    for column in 0..6 {
        for k in 0..column {
            for row in 0..6 {
                block[(row, column)] -= block[(row, k)] * l[(column, k)];
            }
        }
        for row in 0..6 {
            block[(row, column)] /= l[(column, column)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;

    #[test]
    fn factors_solve_the_equations_of_trees_loops_and_stars() {
        for seed in 0..60 {
            let random = &mut Random(seed);
            let count = 1 + random.below(9);
            let (mut elimination, mut blocks) = (Elimination::default(), Blocks::default());
            let pairs: Vec<[usize; 2]> =
                (0..random.below(30)).map(|_| [0, 1].map(|_| random.below(count))).collect();
            elimination.order(count, pairs.iter().copied().filter(|[i, k]| i != k));
            blocks.reset(&elimination, 0.1);
            let mut dense = nalgebra::DMatrix::<f64>::identity(6 * count, 6 * count) * 0.1;
            for [i, k] in pairs {
                let mut part = || BodyVelocity::from_fn(|_, _| random.side());
                let (u, v) = (part(), part());
                let parts = [Some((i, u)), (i != k).then_some((k, v))];
                blocks.add_square(&elimination, &parts);
                let mut whole = nalgebra::DVector::<f64>::zeros(6 * count);
                parts.iter().flatten().for_each(|(body, u)| whole.rows_mut(6 * body, 6).copy_from(u));
                dense += &whole * whole.transpose();
            }
            let right: Vec<BodyVelocity> =
                (0..count).map(|_| BodyVelocity::from_fn(|_, _| random.side())).collect();
            let mut x = right.clone();
            assert!(blocks.factor(&elimination), "seed {seed}");
            blocks.solve(&elimination, &mut x);
            let whole =
                nalgebra::DVector::from_iterator(6 * count, x.iter().flat_map(|part| part.iter().copied()));
            let product = dense * whole;
            for (body, part) in right.iter().enumerate() {
                let error = (product.rows(6 * body, 6) - part).norm();
                assert!(error < 1e-10, "seed {seed}: {error}");
            }
        }
    }
}
