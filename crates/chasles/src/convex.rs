//! Convex polyhedra: do the insides of two bodies share a point, and which of their vertices, edges and faces are
//! inside of the other?
//!
//! Moore and Wilhelms (1988), "Collision Detection and Response for Computer Animation", section 2.2, decided exactly.
//! A body is a mesh whose pieces are closed, turned outwards and convex. Each piece counts as the convex hull of its
//! vertices where they are placed: that differs from what its triangles surround by dents of at most 1e-9 of its size.
//! Signs come from doubles with a bound of their rounding, and from whole numbers where the bound does not decide.
//!
//! ```text
//! sides        on which side of a plane is a point?
//! hull         the convex hull of points
//! cut          the part of a segment that is in a hull
//! pieces       the pieces of a mesh, checked
//! interiors    whether the insides of two hulls share a point
//! world        a double of the world that is inside of both
//! inner        two bodies where they stand: start here
//! ```

pub(crate) mod sides;
pub(crate) mod hull;
pub(crate) mod cut;
pub(crate) mod pieces;
pub(crate) mod interiors;
pub(crate) mod world;
pub(crate) mod inner;
