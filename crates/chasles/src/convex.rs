//! Convex polyhedra: whether the interiors of two bodies intersect, and which vertices, edges and faces of each body
//! lie inside the other.
//!
//! This is the test of Moore and Wilhelms (1988), "Collision Detection and Response for Computer Animation", section
//! 2.2, decided exactly. A body is a mesh whose pieces are closed, oriented outwards and convex. Each piece counts as
//! the convex hull of its vertices at their given positions. The hull differs from the volume that the triangles
//! enclose by dents of at most 1e-9 of the piece's size. Signs are computed in doubles with a bound of the rounding
//! error, and in whole numbers if the bound leaves them undecided.
//!
//! ```text
//! sides        the side of a plane on which a point lies
//! hull         the convex hull of points
//! cut          the part of a segment inside a hull
//! pieces       the pieces of a mesh, checked
//! interiors    whether the interiors of two hulls intersect
//! world        a point of the world, in doubles, inside both bodies
//! inner        two bodies at given poses: start here
//! ```

pub(crate) mod sides;
pub(crate) mod hull;
pub(crate) mod cut;
pub(crate) mod pieces;
pub(crate) mod interiors;
pub(crate) mod world;
pub(crate) mod inner;
