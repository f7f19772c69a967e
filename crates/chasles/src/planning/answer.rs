//! The outcomes of edge and configuration checks.

/// Whether a straight edge in joint space is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EdgeOutcome {
    /// Proven for the true motion and the true shapes: all tested pairs stay separated along the edge, and at least
    /// their clearance apart.
    Free,
    /// Two bodies are in contact or nearer than their clearance. The contact is not necessarily the first.
    Blocked(EdgeContact),
    /// Neither is proven, because of this pair of links or world bodies, in the numbers of the cell.
    Undecided([usize; 2]),
}

impl EdgeOutcome {
    /// Whether the edge or configuration is proven free.
    #[must_use]
    pub fn is_free(&self) -> bool {
        matches!(self, Self::Free)
    }
}

/// A contact on an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeContact {
    /// Two links or world bodies, in the numbers of the cell, the lower number first.
    pub bodies: [usize; 2],
    /// Enclosure of the position of the contact along the edge, from 0 to 1.
    pub at: [f64; 2],
}

/// The free length of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeFreeSpan {
    /// Proven: all pairs stay separated, and at least their clearance apart, from 0 to this fraction of the edge. 1
    /// if the whole edge is free.
    pub free_until: f64,
    /// The first contact found, which starts no earlier than `free_until`; an earlier contact between the two
    /// positions is not ruled out. `None` if the edge is free, or if no contact is proven after `free_until`.
    pub contact: Option<EdgeContact>,
}

/// The work of edge checks, by stage. The counts do not affect any answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EdgeWork {
    /// Edges and configurations checked.
    pub edges: u64,
    /// Edges and configurations that bounding spheres alone proved free.
    pub by_spheres: u64,
    /// Tests of a sphere against a box or another sphere.
    pub sphere_tests: u64,
    /// Pairs of shapes that were tested exactly.
    pub pairs: u64,
    /// Tests whether two shapes intersect at one time.
    pub intersection_tests: u64,
    /// Pairs that were passed to [`RobotCell::check_path`](crate::RobotCell::check_path).
    pub by_path: u64,
}
