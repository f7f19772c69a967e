//! Whether a body contains connected pieces of another, each tested by one point.

use glam::DVec3;

use super::{CollisionShape, Kind};
use crate::instant::inside::{Location, is_inside};
use crate::motion::Pose;
use crate::round::at_origin;
use crate::shape::pieces::Pieces;

/// Meshes with more pieces than this have no list of extreme points.
const FEW: usize = 32;

impl CollisionShape {
    /// Whether any piece of the surface of another shape, at a pose in the frame of this one, is entirely inside
    /// this body. The surfaces must not intersect.
    pub(crate) fn contains(&self, other: &Self, pose: &Pose) -> bool {
        self.contains_any(other, pose, usize::MAX)
    }

    /// As `contains`, for at most `max_pieces` pieces. One piece is enough if the other shape is inside as a whole.
    pub(crate) fn contains_any(&self, other: &Self, pose: &Pose, max_pieces: usize) -> bool {
        match &other.kind {
            Kind::Mesh(pieces) | Kind::Deforming(_, pieces) => {
                let centre = other.drawn().centre();
                (0..pieces.count().min(max_pieces)).any(|piece| {
                    self.contains_point(pose.transform_point(centre + pieces.outermost(piece)[0]))
                })
            }
            Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) => false,
            // Any point of its surface.
            Kind::Round(round, _) => {
                self.contains_point(pose.transform_point(at_origin(*round).support(DVec3::Z)))
            }
        }
    }

    /// Extreme points of each piece of a mesh, or of a round body. Empty for meshes with more than [`FEW`] pieces, and
    /// for all other shapes.
    pub(crate) fn outermost(&self) -> Vec<Vec<DVec3>> {
        match &self.kind {
            Kind::Mesh(pieces) if pieces.count() <= FEW => {
                let centre = self.drawn().centre();
                let piece = |piece| pieces.outermost(piece).iter().map(|point| centre + *point).collect();
                (0..pieces.count()).map(piece).collect()
            }
            Kind::Round(round, _) => {
                let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [n, -n]);
                vec![axes.map(|n| at_origin(*round).support(n)).collect()]
            }
            _ => Vec::new(),
        }
    }

    /// The pieces of a mesh, or of a surface that deforms.
    pub(crate) fn pieces(&self) -> Option<&Pieces> {
        match &self.kind {
            Kind::Mesh(pieces) | Kind::Deforming(_, pieces) => Some(pieces),
            Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) | Kind::Round(..) => None,
        }
    }

    /// Whether a point is inside this body, in its frame.
    pub(crate) fn contains_point(&self, point: DVec3) -> bool {
        match self.kind {
            Kind::Mesh(_) => is_inside(self.drawn_body(), point) == Location::Inside,
            Kind::Round(round, _) => at_origin(round).signed_distance(point).0 < 0.0,
            // Pairs with these are examined as sets, so a body inside is already in contact.
            Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) | Kind::Deforming(..) => false,
        }
    }
}
