//! The extent of a shape, along a direction and as a whole.

use glam::DVec3;

use super::{CollisionShape, Kind, ShapeBounds};
use crate::round::at_origin;

impl CollisionShape {
    /// The maximum of n.x over the surface. `None` for shapes for which this takes long.
    pub(crate) fn reach(&self, n: DVec3) -> Option<f64> {
        match &self.kind {
            Kind::Round(round, _) => Some(at_origin(*round).reach(n)),
            Kind::Mesh(_) => {
                let body = self.drawn_body();
                let corners = body.corners().iter().map(|corner| n.dot(*corner));
                let furthest = corners.fold(f64::NEG_INFINITY, f64::max);
                furthest.is_finite().then(|| furthest + n.dot(body.mesh().centre()))
            }
            _ => None,
        }
    }

    /// The extent of the true shape, independent of the mesh that displays it.
    pub(crate) fn extent(&self) -> ShapeBounds {
        let [lower, upper] = self.bounds;
        match self.kind {
            Kind::Mesh(_) | Kind::Round(..) => {
                let half = 0.5 * (upper - lower);
                let (centre, radius) = (self.drawn().centre(), self.drawn().radius());
                ShapeBounds { centre, radius, half, beyond: self.deviation() }
            }
            Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) | Kind::Deforming(..) => {
                let centre = 0.5 * (lower + upper);
                let half = (upper - centre).max(centre - lower);
                ShapeBounds { centre, radius: half.length() * (1.0 + 4.0 * f64::EPSILON), half, beyond: 0.0 }
            }
        }
    }
}
