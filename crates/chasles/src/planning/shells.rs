//! Connected surfaces and the points that closed ones enclose: proves that two bodies intersect without a search
//! for intersecting triangles.
//!
//! A **shell** is a connected surface. Two shells certainly intersect in two cases:
//!
//! - A point of one shell is enclosed by the other, and another point of the first is outside a convex body that
//!   contains the second. Then the first passes through the second.
//! - A point on neither shell is enclosed by both, and each shell has a point outside a convex body that contains the
//!   other. Suppose that they do not intersect: each is connected and reaches out of the other, so it lies in the
//!   unbounded component of the other's complement. Let U and V be the components of the two complements that contain
//!   the point. If U reached out of V, the shell around V would have a point in U, which the other shell encloses. So
//!   U is in V, and V in U: they are equal, and so are their boundaries, which are points of both shells.
//!
//! A sphere inside a body that contains no point of its surface is treated as one region of enclosed points: two
//! such spheres that overlap share a point.

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

/// Shapes with more shells than this are treated as having none.
const MOST: usize = 32;

/// A shape is also treated as having no shells if its mesh centre and the pose of the shape are together more than
/// this multiple of its diagonal away from the origins of their frames.
const FAR: f64 = 256.0;

/// Approximate number of sample points of all shells of a shape.
const POINTS: usize = 256;

/// A connected surface of a shape.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    /// The mesh of the shell, in the frame of the shape.
    body: Arc<PreparedMesh>,
    /// A box that contains the shell, in the frame of the group.
    hull: RoundedBox,
    /// Points on the shell, in the frame of the group: its outermost points, then some spread over it.
    pub(crate) points: Vec<DVec3>,
}

/// The shells of a shape at a pose; empty if there are very many.
#[derive(Debug, Clone)]
pub(crate) struct ClosedShells {
    pub(crate) all: Vec<Shell>,
    are_closed: bool,
    from_group: Pose,
}

impl Default for ClosedShells {
    /// No shells.
    fn default() -> Self {
        Self { all: Vec::new(), are_closed: false, from_group: Pose::IDENTITY }
    }
}

impl ClosedShells {
    /// For a moving shape.
    pub(crate) fn new(shape: &CollisionShape, pose: &Pose) -> Self {
        let shells = Self::up_to(MOST, shape, pose);
        Self { are_closed: !shells.all.is_empty() && shape.is_closed(), ..shells }
    }

    /// For a static shape, which may be large and change often: at most one shell, which is not searched for
    /// enclosed points.
    pub(crate) fn of_static(shape: &CollisionShape, pose: &Pose) -> Self {
        Self::up_to(1, shape, pose)
    }

    fn up_to(most: usize, shape: &CollisionShape, pose: &Pose) -> Self {
        let is_mesh = shape.primitive_shape().is_some() || shape.pieces().is_some();
        if !is_mesh || shape.deforming_surface().is_some() {
            return Self::default();
        }
        let mesh = shape.drawn();
        // Placed points this far away have too large a rounding error for a proof.
        if mesh.centre().length() + pose.position().length() > FAR * shape.diagonal() {
            return Self::default();
        }
        let computed = shape.pieces().is_none().then(|| Pieces::new(mesh));
        let Some(pieces) = computed.as_ref().or(shape.pieces()) else { return Self::default() };
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
            let of_piece = used.iter().filter(|vertex| pieces.of_vertex(**vertex) == piece).step_by(every);
            let spread = of_piece.map(|vertex| mesh.local()[*vertex as usize]);
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

    /// Marks the root box of a static shape at the pose of these shells as filled, if that is proven. Only if the
    /// surface is near the sides everywhere is the shape tested for being closed.
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

    /// The shell that encloses a point in the group's frame. The point must be further from every shell than the
    /// rounding error.
    pub(crate) fn enclosing(&self, place: DVec3) -> Option<usize> {
        if !self.are_closed {
            return None;
        }
        let place = self.from_group.transform_point(place);
        self.all.iter().position(|shell| is_inside(&shell.body, place) == Location::Inside)
    }
}

/// One connected piece of a mesh, with its own vertices only.
fn mesh_of_piece(mesh: &Mesh, pieces: &Pieces, piece: usize) -> Option<Arc<PreparedMesh>> {
    let is_of_piece = |vertex: u32| pieces.of_vertex(vertex) == piece;
    let of_piece: Vec<u32> = mesh.used_vertices().into_iter().filter(|vertex| is_of_piece(*vertex)).collect();
    let number = |vertex: u32| number_of(of_piece.partition_point(|other| *other < vertex));
    let triangles = mesh.triangles().iter().filter(|triangle| is_of_piece(triangle[0]));
    let triangles = triangles.map(|triangle| triangle.map(number)).collect();
    let vertices = of_piece.iter().map(|vertex| mesh.centre() + mesh.local()[*vertex as usize]).collect();
    Mesh::new(vertices, triangles).ok().map(|mesh| Arc::new(PreparedMesh::new(mesh)))
}

impl Shell {
    /// Whether a point of this shell is certainly outside the box that contains another. `pose` leads to the frame
    /// of the other and may be off by `rounding` metres at any point of either shell.
    pub(crate) fn reaches_out_of(&self, other: &Self, pose: &Pose, rounding: f64) -> bool {
        self.points.iter().any(|point| other.hull.is_beyond(pose.transform_point(*point), rounding))
    }

    /// Whether two shells that enclose a common point certainly intersect. `pose` is this shell's pose in the frame
    /// of the other and may be off by `rounding` metres at any point of either shell.
    pub(crate) fn meets(&self, other: &Self, pose: &Pose, rounding: f64) -> bool {
        self.reaches_out_of(other, pose, rounding) && other.reaches_out_of(self, &pose.inverse(), rounding)
    }
}
