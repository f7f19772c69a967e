//! Connected surfaces, and what is certainly inside of closed ones: whether two bodies intersect, without looking for
//! triangles that do.
//!
//! A **shell** is a connected surface. Two cases:
//!
//! - A point of one shell is enclosed by another, and another point of it is outside of a convex body that holds the
//!   other. Then it passes through the other.
//! - A place on neither of two shells is enclosed by both, and each has a point outside of a convex body that holds the
//!   other. Suppose they do not meet: each is connected and reaches out of the other, so it is in the part of space
//!   outside of the other that is unbounded. Let U and V be the connected parts of space about the place that the two
//!   bound. If U reached out of V, the shell about V would have a point in U, which the other shell encloses. So U is in
//!   V, and V in U: they are the same, and so are their borders, which are points of both shells.
//!
//! A ball inside a body, with nothing of its surface in it, stands for all its places: balls that overlap share one.

use std::sync::Arc;

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::instant::inside::{Location, is_inside};
use crate::motion::Pose;
use crate::pair::shape::CollisionShape;
use crate::planning::boxes::{RoundedBox, hull};
use crate::planning::spheres::triangles_at;
use crate::sets::volume::number_of;
use crate::shape::Mesh;
use crate::shape::pieces::Pieces;

/// Shapes of more shells than this are taken to have none.
const MOST: usize = 32;

/// Nor have those any whose frames are further from them, or from that of their group, than so many diagonals.
const FAR: f64 = 256.0;

/// Points of all shells of a shape, about so many.
const POINTS: usize = 256;

/// A connected surface of a shape.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    /// The mesh that shows it, in the frame of the shape.
    body: Arc<PreparedMesh>,
    /// Holds the shell, in the frame of the group.
    hull: RoundedBox,
    /// Points of it, in the frame of the group: the outermost, then some all over it.
    pub(crate) points: Vec<DVec3>,
}

/// The shells of a shape that stands at a pose; none where there are very many.
#[derive(Debug, Clone)]
pub(crate) struct ClosedShells {
    pub(crate) all: Vec<Shell>,
    are_closed: bool,
    from_group: Pose,
}

impl Default for ClosedShells {
    /// None at all.
    fn default() -> Self {
        Self { all: Vec::new(), are_closed: false, from_group: Pose::IDENTITY }
    }
}

impl ClosedShells {
    /// Of what moves.
    pub(crate) fn new(shape: &CollisionShape, pose: &Pose) -> Self {
        let shells = Self::up_to(MOST, shape, pose);
        Self { are_closed: !shells.all.is_empty() && shape.is_closed(), ..shells }
    }

    /// Of what stands, which may be large and change often: one shell at most, of which it is not asked what it encloses.
    pub(crate) fn standing(shape: &CollisionShape, pose: &Pose) -> Self {
        Self::up_to(1, shape, pose)
    }

    fn up_to(most: usize, shape: &CollisionShape, pose: &Pose) -> Self {
        let is_mesh = shape.primitive_shape().is_some() || shape.pieces().is_some();
        if !is_mesh || shape.deforming_surface().is_some() {
            return Self::default();
        }
        let mesh = shape.drawn();
        // Where what is placed is rounded by more, nothing is certain.
        if mesh.centre().length() + pose.position().length() > FAR * shape.diagonal() {
            return Self::default();
        }
        let own = shape.pieces().is_none().then(|| Pieces::new(mesh));
        let Some(pieces) = own.as_ref().or(shape.pieces()) else { return Self::default() };
        let bodies: Vec<Arc<PreparedMesh>> = match pieces.count() {
            1 => vec![shape.drawn_body().clone()],
            count if count <= most => {
                let all: Option<_> = (0..count).map(|piece| mesh_of_piece(mesh, pieces, piece)).collect();
                all.unwrap_or_default()
            }
            _ => return Self::default(),
        };
        let used = mesh.used_vertices();
        let every = used.len().div_ceil(POINTS).max(1);
        let shell = |(piece, body): (usize, Arc<PreparedMesh>)| {
            let own = used.iter().filter(|vertex| pieces.of_vertex(**vertex) == piece).step_by(every);
            let spread = own.map(|vertex| mesh.local()[*vertex as usize]);
            let points = pieces.outermost(piece).iter().copied().chain(spread);
            Shell {
                hull: hull(&body, pose, shape.deviation()),
                points: points.map(|point| pose.transform_point(mesh.centre() + point)).collect(),
                body,
            }
        };
        let all = bodies.into_iter().enumerate().map(shell).collect();
        Self { all, are_closed: false, from_group: pose.inverse() }
    }

    /// The root of the tree of boxes of a shape that stands where these shells do, with what it is known to be filled by:
    /// where the surface is near the sides all over, it is asked whether it is closed.
    pub(crate) fn filled(&self, root: RoundedBox, (shape, pose): (&CollisionShape, &Pose)) -> RoundedBox {
        if root.inner.is_finite() || shape.deviation() > 0.0 || self.all.len() != 1 {
            return root;
        }
        let filled = root.filled_within(triangles_at(shape.drawn(), pose));
        let middle = self.from_group.transform_point(root.middle());
        let is_filled = filled.inner.is_finite()
            && shape.is_closed()
            && is_inside(&self.all[0].body, middle) == Location::Inside;
        if is_filled { filled } else { root }
    }

    /// The shell that encloses a place of the group's frame, which must not be closer to any shell than roundings.
    pub(crate) fn enclosing(&self, place: DVec3) -> Option<usize> {
        if !self.are_closed {
            return None;
        }
        let place = self.from_group.transform_point(place);
        self.all.iter().position(|shell| is_inside(&shell.body, place) == Location::Inside)
    }
}

/// One piece of a mesh, with its own vertices alone.
fn mesh_of_piece(mesh: &Mesh, pieces: &Pieces, piece: usize) -> Option<Arc<PreparedMesh>> {
    let is_own = |vertex: u32| pieces.of_vertex(vertex) == piece;
    let own: Vec<u32> = mesh.used_vertices().into_iter().filter(|vertex| is_own(*vertex)).collect();
    let number = |vertex: u32| number_of(own.partition_point(|other| *other < vertex));
    let triangles = mesh.triangles().iter().filter(|triangle| is_own(triangle[0]));
    let triangles = triangles.map(|triangle| triangle.map(number)).collect();
    let vertices = own.iter().map(|vertex| mesh.centre() + mesh.local()[*vertex as usize]).collect();
    Mesh::new(vertices, triangles).ok().map(|mesh| Arc::new(PreparedMesh::new(mesh)))
}

impl Shell {
    /// Whether a point of this shell is certainly outside of what holds another, to whose frame a pose leads that may be
    /// off by `rounding` metres at any point of either.
    pub(crate) fn reaches_out_of(&self, other: &Self, pose: &Pose, rounding: f64) -> bool {
        self.points.iter().any(|point| other.hull.is_beyond(pose.transform_point(*point), rounding))
    }

    /// Whether two shells that enclose one place certainly meet, this one being at a pose in the frame of the other that
    /// may be off by `rounding` metres at any point of either.
    pub(crate) fn meets(&self, other: &Self, pose: &Pose, rounding: f64) -> bool {
        self.reaches_out_of(other, pose, rounding) && other.reaches_out_of(self, &pose.inverse(), rounding)
    }
}
