//! A collision as it is told.

use crate::features::contact::Contact;

/// A collision: a contact of two features between parts that matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision {
    /// When, where and which way. The normal is that of the face; across two edges, with the sign of the greater
    /// properness.
    pub contact: Contact,
    /// See [`Rating::properness`](crate::Rating::properness).
    pub properness: f64,
    /// See [`Rating::proper`](crate::Rating::proper).
    pub proper: bool,
    /// Where features met at a vertex of one and an edge or a vertex of the other: of the pairs of features that this
    /// can be said of, the one of greatest properness is told.
    pub from: Option<MetAt>,
}

/// What met, where it was not a vertex and the inside of a face, or the insides of two edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MetAt {
    /// A vertex of A and a vertex of B.
    VertexVertex,
    /// A vertex of A and an edge of B.
    VertexEdge,
    /// An edge of A and a vertex of B.
    EdgeVertex,
}
