//! What is told of edges and postures.

/// Whether a straight way in joint space is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EdgeOutcome {
    /// All tested pairs stay apart on it, and no nearer than their clearance: proven, for the true motion and the true
    /// shapes.
    Free,
    /// There is a contact, or two are nearer than their clearance; not necessarily the first.
    Blocked(EdgeContact),
    /// Neither is proven, by this pair of links or bodies of the world, in the numbers of the cell.
    Undecided([usize; 2]),
}

/// A contact on an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeContact {
    /// Links and bodies of the world, in the numbers of the cell, the lower first.
    pub bodies: [usize; 2],
    /// Where along the edge they are in contact, from 0 to 1: somewhere between these two.
    pub at: [f64; 2],
}

/// How far an edge is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeFreeSpan {
    /// All pairs stay apart, and no nearer than their clearance, from 0 up to here: proven. 1 if all of the edge is free.
    pub free_until: f64,
    /// The first contact that was found, which begins no earlier than `free_until`; there may be an earlier one between
    /// the two that is not proven. `None`: the edge is free, or nothing is proven beyond.
    pub contact: Option<EdgeContact>,
}

/// How much work edges took, by stages. Counts say nothing about an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EdgeWork {
    /// Edges and postures asked.
    pub edges: u64,
    /// Those of them that balls alone proved free.
    pub by_balls: u64,
    /// Pairs of a ball with a box or another ball that were looked at.
    pub balls: u64,
    /// Pairs of shapes that were asked by their true shapes.
    pub pairs: u64,
    /// Looks whether two shapes intersect at one time.
    pub looks: u64,
    /// Pairs that were asked of [`RobotCell::check_path`](crate::RobotCell::check_path).
    pub by_path: u64,
}
