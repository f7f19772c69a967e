//! A collision as it is reported.

use crate::features::contact::Contact;

/// A collision: a contact of two features between parts that matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision {
    /// The contact: its time, point and normal. The normal is the face's normal; for two edges it is perpendicular to
    /// both, with the sign that gives the larger properness.
    pub contact: Contact,
    /// See [`Rating::properness`](crate::Rating::properness).
    pub properness: f64,
    /// See [`Rating::proper`](crate::Rating::proper).
    pub proper: bool,
    /// `Some` if a vertex met an edge or another vertex. Several vertex-face pairs describe such a collision; the
    /// pair with the largest properness is reported.
    pub from: Option<DegenerateFeatures>,
}

/// The features that met, other than a vertex with the interior of a face or the interiors of two edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DegenerateFeatures {
    /// A vertex of A and a vertex of B.
    VertexVertex,
    /// A vertex of A and an edge of B.
    VertexEdge,
    /// An edge of A and a vertex of B.
    EdgeVertex,
}
